"""Programs and clients from npm, which ``make js`` installs as their lock files pin them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

JS = Path(__file__).parent / "js"
WEB = Path(__file__).parents[1] / "web"


def run_program(
    name: str, *arguments: str | Path, where: Path = JS, folder: Path | None = None
) -> str:
    """Run a program that an npm package brings; fails with what it wrote, else gives that.

    The packages are those of ``where``, in which the program runs, too, unless in ``folder``.
    Skips where they are not installed; where CI promises them, that is a failure.
    """
    program = where / "node_modules" / ".bin" / name
    if not program.exists():
        if os.environ.get("CI"):
            pytest.fail(f"{name} is not installed, and CI must not skip this", pytrace=False)
        pytest.skip(f"{name} is not installed: run `make js`")
    command = [str(program), *map(str, arguments)]
    return run(command, folder or where)


def run(command: list[str], folder: Path) -> str:
    """Run any program, such as ``node`` or ``npm``; fails with what it wrote, else gives that."""
    # Colours and progress are for people; nothing here may ask a registry for news.
    quiet = {**os.environ, "NO_COLOR": "1", "CI": "1", "npm_config_update_notifier": "false"}
    done = subprocess.run(
        command, cwd=folder, env=quiet, capture_output=True, text=True, timeout=280, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
