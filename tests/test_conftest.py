"""The suite's own rules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import KINDS

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parent.parent


def collect(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "tests.conftest"),
            *("-c", str(ROOT / "pyproject.toml"), "--rootdir", str(path.parent), str(path)),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("kind", ["", *sorted(KINDS)])
def test_a_test_without_a_kind_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "test_new.py"
    mark = f"@pytest.mark.{kind}\n" if kind else ""
    path.write_text(f"import pytest\n\n\n{mark}def test_something() -> None:\n    pass\n")
    done = collect(path)
    assert (done.returncode == 0) == bool(kind), done.stdout + done.stderr
    if not kind:
        assert "test_something" in done.stderr


@pytest.mark.parametrize("program", ["chromium", "a-program-that-nobody-installs"])
def test_a_program_that_ci_does_not_install_is_refused(tmp_path: Path, program: str) -> None:
    path = tmp_path / "test_new.py"
    marks = f"@pytest.mark.unit\n@pytest.mark.needs({program!r})\n"
    path.write_text(f"import pytest\n\n\n{marks}def test_something() -> None:\n    pass\n")
    done = collect(path)
    assert (done.returncode == 0) == (program == "chromium"), done.stdout + done.stderr
    assert (program in done.stderr) == (program != "chromium")
