"""The command line that measures the parts: its options, and what a person is shown."""

from __future__ import annotations

import pytest

from loadtests.__main__ import build_parser, main
from loadtests.model import parts_command
from tests.loadtests.model.made import parts

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "wrong",
    [
        *(["--texts", "2"], ["--texts", "1000"], ["--rounds", "0"]),
        *(["--users", "0"], ["--users", "17"], ["--phase-s", "0"]),
        *(["--set", "engine.none=1"], ["--set", "nothing"]),
    ],
)
def test_what_is_asked_for_wrongly_is_said_before_anything_starts(
    wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["parts", *wrong]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("voicepeer: ")
    assert "internal error" not in told.err


def test_a_service_of_somebody_else_cannot_be_measured() -> None:
    with pytest.raises(SystemExit):
        build_parser("parts").parse_args(["parts", "--url", "http://localhost:8080"])


def test_a_person_is_shown_each_part(capsys: pytest.CaptureFixture[str]) -> None:
    parts_command._print(parts())
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "made, cpu, fp32; 2 cores"
    shown = dict(line.rsplit(maxsplit=1) for line in lines[2:])
    assert shown["a session's memory, MB"] == "3.00"
    assert shown["to learn a voice, s of a core"] == "3.00"
    assert shown["cores that it keeps busy"] == "1.60"
    assert shown["and in the process that listens"] == "20.00"
    assert len(shown) == 11
