"""What a container is, without an engine for them: its user, its environment, its read-only root.

Works for root on Linux only; the mounts are those of a namespace that ends with its processes.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.deploy.compose import ROOT, Image

CAN = os.geteuid() == 0
WHY_NOT = "only root can become another user and mount"


def contained(image: Image, environment: dict[str, str], scratch: Path) -> list[str]:
    """A command line before which there is no way out: what follows it runs in the container.

    Its folders for data are empty and in memory. Of the machine it sees the rest, read-only, and of
    closed folders only what Python and this repository are in.
    """
    user, group = image.user
    bin_folder = Path(sys.executable).parent
    path = f"{bin_folder}:/usr/local/bin:/usr/bin:/bin"
    variables = image.environment | environment | {"PATH": path, "HOME": "/nonexistent"}
    variables.pop("LD_LIBRARY_PATH", None)
    script = "\n".join(
        [
            "set -e",
            "mount --make-rprivate /",
            *_opened([Path(sys.base_prefix), Path(sys.prefix), ROOT], scratch),
            *_volumes(image),
            "mount -t tmpfs -o mode=1777 none /dev/shm",
            "mount -o remount,bind,ro /",
            "cd /",
            f"exec setpriv --reuid {user} --regid {group} --clear-groups --no-new-privs"
            " --bounding-set=-all --inh-caps=-all"
            f" env -i {shlex.join(f'{name}={value}' for name, value in variables.items())}"
            ' "$@"',
        ]
    )
    return ["unshare", "--mount", "bash", "-c", script, "container"]


def _opened(trees: list[Path], scratch: Path) -> Iterator[str]:
    """Make trees reachable that stand in somebody's closed folder, and nothing else of that."""
    closed = {tree: found for tree in trees if (found := _closed_above(tree)) is not None}
    for number, tree in enumerate(closed):
        yield f"mkdir -p {scratch}/{number} && mount --bind {tree} {scratch}/{number}"
    for folder in set(closed.values()):
        yield f"mount -t tmpfs -o mode=755 none {folder}"
    for number, tree in enumerate(closed):
        yield f"mkdir -p {tree} && mount --move {scratch}/{number} {tree}"


def _closed_above(tree: Path) -> Path | None:
    """The outermost folder on the way to a tree that others may not enter."""
    outermost_first = [tree, *tree.parents][::-1]
    return next((one for one in outermost_first if not one.stat().st_mode & 0o001), None)


def _volumes(image: Image) -> Iterator[str]:
    user, group = image.user
    for folder in sorted({Path(volume).parent for volume in image.volumes}):
        yield f"mount -t tmpfs -o mode=755 none {folder}"
    for volume in image.volumes:
        yield f"install -d -o {user} -g {group} {volume}"
