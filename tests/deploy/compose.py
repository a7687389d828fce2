"""docker-compose.yml as Compose reads it, and what the images' files say."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, TypeAlias

import yaml

ROOT = Path(__file__).parents[2]
DOCKERFILES = (ROOT / "deploy" / "Dockerfile", ROOT / "deploy" / "Dockerfile.gpu")
FILLED_IN = {
    "TURN_HOST": "turn.example.org",
    "TURN_EXTERNAL_IP": "203.0.113.7",
    "VOICEPEER_SERVER_API_KEYS": "0123456789abcdef01234567",
    "MEDIA_ADDRESSES": "203.0.113.7,2001:db8::7",
}
"""What an operator has to give, and all that is needed."""

Yaml: TypeAlias = Any
"""Whatever a YAML file has in it."""


def read(path: Path) -> Yaml:
    """The one document of a YAML file."""
    return yaml.safe_load(path.read_text())


_VARIABLE = re.compile(r"\$\{(?P<name>\w+)(?:(?P<op>:[-?+])(?P<rest>(?:[^{}$]|\$\{[^{}]*\})*))?\}")


def substituted(text: str, given: dict[str, str]) -> str:
    """Variables put in as Compose does it; raises ``KeyError`` for one that must be set."""

    def fill(match: re.Match[str]) -> str:
        value, rest = given.get(match["name"], ""), match["rest"] or ""
        match match["op"]:
            case ":?" if not value:
                raise KeyError(match["name"])
            case ":-" if not value:
                return substituted(rest, given)
            case ":+":
                return substituted(rest, given) if value else ""
            case _:
                return value

    return _VARIABLE.sub(fill, text)


def compose(values: dict[str, str] | None = None) -> dict[str, Yaml]:
    """The compose file after variable substitution."""
    given = FILLED_IN if values is None else values

    def walk(node: Yaml) -> Yaml:
        match node:
            case str():
                return substituted(node, given)
            case dict():
                return {key: walk(value) for key, value in node.items()}
            case list():
                return [walk(value) for value in node]
            case _:
                return node

    parsed: dict[str, Yaml] = walk(read(ROOT / "docker-compose.yml"))
    return parsed


def services() -> dict[str, Yaml]:
    """All services of it by their names."""
    found: dict[str, Yaml] = compose()["services"]
    return found


class Image:
    """What one Dockerfile says of its last stage."""

    def __init__(self, path: Path) -> None:
        self.text = path.read_text()
        self._last = self.text[self.text.rindex("\nFROM ") :].replace("\\\n", " ")

    @property
    def environment(self) -> dict[str, str]:
        """Variables that the image sets."""
        (line,) = re.findall(r"^ENV (.+)$", self._last, re.MULTILINE)
        return dict(re.findall(r"(\w+)=(\S+)", line))

    @property
    def user(self) -> tuple[int, int]:
        """Whom it runs as, by numbers."""
        (found,) = re.findall(r"^USER (\d+):(\d+)$", self._last, re.MULTILINE)
        return int(found[0]), int(found[1])

    @property
    def volumes(self) -> list[str]:
        """Folders that can be written."""
        return self._array("VOLUME")

    @property
    def command(self) -> list[str]:
        """Entry point and its arguments."""
        return self._array("ENTRYPOINT") + self._array("CMD")

    @property
    def health_check(self) -> list[str]:
        """What is run to see whether it lives."""
        return self._array(r"HEALTHCHECK .*? CMD +")

    def _array(self, instruction: str) -> list[str]:
        (found,) = re.findall(rf"^{instruction} *(\[.+\])$", self._last, re.MULTILINE)
        items: list[str] = json.loads(found)
        return items
