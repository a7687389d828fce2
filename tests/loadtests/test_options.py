"""What options lead to, and that they are refused before anything is started or measured."""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.progress import Progress
from loadtests.commands import options
from loadtests.commands.options import MOST_RECORDINGS, check_between, measured, setting_from
from loadtests.stage import Setting
from loadtests.voices import phrases
from voicepeer.audio import write_wav
from voicepeer.core.errors import CannotWrite, ConfigInvalid
from voicepeer.core.pcm import WIRE_RATE_HZ

pytestmark = pytest.mark.unit

ELSEWHERE = ("--url", "http://127.0.0.1:9")


def arguments(*words: str) -> argparse.Namespace:
    """What a command is given."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--debug", action="store_true")
    options.add_target(parser)
    options.add_output(parser)
    return parser.parse_args(words)


def test_a_service_of_our_own_gets_all_settings() -> None:
    setting = setting_from(arguments("--set", "engine.threads=1", "--debug", "--seed", "4"))
    assert setting.service_arguments == ["--set=engine.threads=1", "--debug"]
    assert (setting.url, setting.seed, setting.debug) == (None, 4, True)


def test_with_fake_speech_all_models_are_fake_unless_they_are_named() -> None:
    given = setting_from(arguments("--engine", "fake", "--set", "engine.vad=silero"))
    fakes = ["--set=engine.encoder=fake", "--set=engine.vad=fake"]
    assert given.service_arguments == [
        *fakes, "--set=engine.speech=fake", "--set=engine.vad=silero",
    ]  # fmt: skip


def test_a_service_elsewhere_may_be_measured_with_debug() -> None:
    setting = setting_from(arguments(*ELSEWHERE, "--debug"))
    assert setting.debug
    assert setting.url == ELSEWHERE[1]


@pytest.mark.parametrize(
    "words", [("--set", "engine.threads=1"), ("--engine", "fake"), ("--config", "x.toml")]
)
def test_a_service_elsewhere_has_its_settings(words: tuple[str, ...]) -> None:
    with pytest.raises(ConfigInvalid, match="--url"):
        setting_from(arguments(*ELSEWHERE, *words, "--debug"))


def test_recordings_are_taken_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b.wav", "a.wav"):
        write_wav(tmp_path / name, phrases(110.0), WIRE_RATE_HZ)
    (tmp_path / "notes.txt").write_text("no recording")
    setting = setting_from(arguments("--voices", str(tmp_path)))
    assert [file.name for file in setting.voices] == ["a.wav", "b.wav"]


def test_what_is_no_recording_is_named(tmp_path: Path) -> None:
    write_wav(tmp_path / "a.wav", phrases(110.0), WIRE_RATE_HZ)
    write_wav(tmp_path / "silent.wav", np.zeros(WIRE_RATE_HZ, np.float32), WIRE_RATE_HZ)
    with pytest.raises(ConfigInvalid, match=r"silent\.wav"):
        setting_from(arguments("--voices", str(tmp_path)))
    (tmp_path / "silent.wav").unlink()
    (tmp_path / "broken.wav").write_bytes(b"RIFF")
    with pytest.raises(ConfigInvalid, match=r"broken\.wav"):
        setting_from(arguments("--voices", str(tmp_path)))


def test_recordings_are_no_more_than_testers_can_hold(tmp_path: Path) -> None:
    for index in range(MOST_RECORDINGS + 1):
        (tmp_path / f"{index}.wav").touch()
    with pytest.raises(ConfigInvalid, match=f"{MOST_RECORDINGS} are the most"):
        setting_from(arguments("--voices", str(tmp_path)))


@pytest.mark.parametrize("value", [0.9, 5.1, float("nan"), float("inf"), float("-inf")])
def test_what_is_out_of_range_is_said(value: float) -> None:
    with pytest.raises(ConfigInvalid, match="--users is 1 to 5"):
        check_between("--users", value, 1, 5)


async def _figures(setting: Setting, wanted: int, progress: Progress) -> dict[str, Any]:
    progress("measuring", 1.0)
    await asyncio.sleep(0)
    return {"wanted": wanted, "seed": setting.seed}


async def _never(setting: Setting, wanted: int, progress: Progress) -> dict[str, Any]:
    raise AssertionError("nothing is to be measured")


def test_figures_are_printed_for_programs_or_for_people(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown: list[dict[str, Any]] = []
    figures = measured(arguments("--json"), _figures, 3, shown.append)
    assert json.loads(capsys.readouterr().out) == figures == {"wanted": 3, "seed": 1}
    assert shown == []
    assert measured(arguments(), _figures, 3, shown.append) == shown[0]
    assert capsys.readouterr().out == ""


def test_a_report_without_a_place_is_told_before_anything_is_measured(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    wanted = arguments("--report", str(tmp_path / "taken" / "report"))
    with pytest.raises(CannotWrite, match="taken"):
        measured(wanted, _never, 3, lambda figures: None)


def test_the_place_of_a_report_is_made_and_is_empty(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "report"
    measured(arguments("--report", str(folder), "--json"), _figures, 3, lambda figures: None)
    assert [*folder.iterdir()] == []
