"""Programs and clients from npm, which ``make js`` installs as ``tests/js`` pins them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

JS = Path(__file__).parent / "js"
PROGRAMS = JS / "node_modules" / ".bin"


def run_program(name: str, *arguments: str | Path) -> None:
    """Run a program that an npm package brings, in ``tests/js``; fails with what it wrote.

    Skips where it is not installed; where CI promises it, that is a failure.
    """
    program = PROGRAMS / name
    if not program.exists():
        if os.environ.get("CI"):
            pytest.fail(f"{name} is not installed, and CI must not skip this", pytrace=False)
        pytest.skip(f"{name} is not installed: run `make js`")
    command = [str(program), *map(str, arguments)]
    done = subprocess.run(command, cwd=JS, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
