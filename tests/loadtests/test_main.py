"""The dispatcher imports what is asked for, and nothing else."""

from __future__ import annotations

import subprocess
import sys

import pytest

from loadtests.__main__ import COMMANDS, build_parser

pytestmark = pytest.mark.unit


def test_without_a_command_all_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        build_parser().parse_args(["--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert all(f"\n    {name} " in shown for name in COMMANDS)


def test_what_is_not_asked_for_is_not_imported() -> None:
    code = (
        "import sys; from loadtests.__main__ import build_parser; build_parser();"
        "sys.exit('loadtests.commands' in sys.modules or 'aiortc' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


def test_an_unknown_command_is_asked_for_wrongly() -> None:
    with pytest.raises(SystemExit) as ended:
        build_parser("walk").parse_args(["walk"])
    assert ended.value.code == 2
