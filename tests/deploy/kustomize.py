"""The part of kustomize that deploy/kubernetes uses, resolved without a cluster or its programs.

Resources of files and folders, patches by RFC 6902 or ``$patch: delete``, images, the namespace and
labels. Whatever else a kustomization has in it is refused, so that nothing is left out unseen.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import yaml

from tests.deploy.compose import ROOT, Yaml, read

FOLDER = ROOT / "deploy" / "kubernetes"
BASE = FOLDER / "base"
OVERLAYS = sorted((FOLDER / "overlays").iterdir())

_FREE = {"Namespace"}
"""Kinds that are in no namespace."""


def resolved(folder: Path) -> list[Yaml]:
    """All objects of a kustomization."""
    asked = read(folder / "kustomization.yaml")
    known = {"apiVersion", "kind", "resources", "patches", "images", "namespace", "labels"}
    assert asked.keys() <= known, asked.keys() - known
    found = [one for name in asked["resources"] for one in _resources(folder / name)]
    for patch in asked.get("patches", ()):
        found = _patched(found, patch)
    for one in found:
        _change_images(one, asked.get("images", ()))
        for label in asked.get("labels", ()):
            one["metadata"].setdefault("labels", {}).update(label["pairs"])
        if "namespace" in asked and one["kind"] not in _FREE:
            one["metadata"]["namespace"] = asked["namespace"]
    return found


def _resources(path: Path) -> list[Yaml]:
    if path.is_dir():
        return resolved(path)
    # What an alias names would otherwise be changed in both places.
    return [json.loads(json.dumps(one)) for one in yaml.safe_load_all(path.read_text())]


def containers(one: Yaml) -> Iterator[Yaml]:
    """Containers of what makes pods."""
    pod = one.get("spec", {}).get("template", {}).get("spec", {})
    yield from pod.get("initContainers", ())
    yield from pod.get("containers", ())


def _change_images(one: Yaml, changes: list[Yaml]) -> None:
    for container in containers(one):
        name = container["image"].partition(":")[0]
        for change in changes:
            if change["name"] == name:
                container["image"] = f"{change.get('newName', name)}:{change['newTag']}"


def _patched(objects: list[Yaml], patch: Yaml) -> list[Yaml]:
    kind, name = patch["target"]["kind"], patch["target"]["name"]
    target = only(objects, kind, name)
    steps = yaml.safe_load(patch["patch"])
    if isinstance(steps, dict):
        assert steps["$patch"] == "delete", "merging is not done here"
        return [one for one in objects if one is not target]
    for step in steps:
        _apply(target, step)
    return objects


def _apply(target: Yaml, step: Yaml) -> None:
    """One operation of RFC 6902 section 4."""
    *way, last = [_unescaped(part) for part in step["path"].split("/")[1:]]
    for part in way:
        target = target[_key(target, part)]
    key = _key(target, last)
    match step["op"]:
        case "add" if isinstance(target, list):
            target.insert(len(target) if last == "-" else int(last), step["value"])
        case "add":
            target[key] = step["value"]
        case "replace":
            assert _has(target, key), f"nothing to replace at {step['path']}"
            target[key] = step["value"]
        case "remove":
            del target[key]
        case operation:
            raise AssertionError(f"{operation} is not done here")


def _unescaped(part: str) -> str:
    return part.replace("~1", "/").replace("~0", "~")


def _key(target: Yaml, part: str) -> int | str:
    return int(part) if isinstance(target, list) and part != "-" else part


def _has(target: Yaml, key: int | str) -> bool:
    return key < len(target) if isinstance(key, int) else key in target


def only(objects: list[Yaml], kind: str, name: str = "voicepeer") -> Yaml:
    """The object of this kind and name."""
    (found,) = [one for one in objects if (one["kind"], one["metadata"]["name"]) == (kind, name)]
    return found
