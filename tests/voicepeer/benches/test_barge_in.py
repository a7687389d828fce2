"""The measurement of echoes and interruptions: what it prints, and that its rooms are real."""

from __future__ import annotations

import numpy as np
import pytest

from tests.clips import FOLDER, clip
from tests.voicepeer.commandline import voicepeer
from voicepeer.benches import barge_in
from voicepeer.benches.echo_paths import EchoPath, at_speech_level, microphone, over_the_wire
from voicepeer.core.pcm import WIRE_RATE_HZ, level_dbfs


@pytest.mark.engine
def test_it_prints_its_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(barge_in, "PATHS", ((-12.0, 0.3),))
    ran = voicepeer("bench", "barge-in", "--clips", str(FOLDER), "--rounds", "2", "--json")
    assert ran.code == 0, ran.err
    (path,) = ran.json["paths"]
    assert ran.json["speakers"] > 20
    assert (path["gain_db"], path["rt60_s"], path["false"]) == (-12.0, 0.3, 0)
    for row in (path, ran.json["headphones"]):
        assert row["missed"] + (row["noticed_ms"]["p50"] is not None) >= 1
        assert set(row) >= {"false", "missed", "noticed_ms"}


@pytest.mark.unit
@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (("--clips", "tests", "--rounds", "0"), 2, "--rounds"),
        (("--clips", "nowhere"), 1, "needs two recordings"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    arguments: tuple[str, ...], code: int, complaint: str
) -> None:
    ran = voicepeer("bench", "barge-in", *arguments)
    assert ran.code == code
    assert complaint in ran.complaint


@pytest.mark.unit
def test_an_echo_comes_as_late_and_as_loud_as_its_path_says() -> None:
    click = np.zeros(WIRE_RATE_HZ // 10, np.float32)
    click[0] = 0.1
    heard = EchoPath(delay_ms=250, gain_db=-20, rt60_s=0.0).play(click)
    assert int(np.argmax(np.abs(heard))) == pytest.approx(0.25 * WIRE_RATE_HZ, abs=2)
    near, far = (EchoPath(0, gain, 0.3).play(click) for gain in (0.0, -12.0))
    assert level_dbfs(near) - level_dbfs(far) == pytest.approx(12.0, abs=0.1)


@pytest.mark.unit
def test_a_room_holds_sound_for_its_reverberation_time() -> None:
    click = np.zeros(WIRE_RATE_HZ // 100, np.float32)
    click[0] = 0.5
    heard = EchoPath(0, 0.0, rt60_s=0.4).play(click)
    early, late = (heard[int(at * WIRE_RATE_HZ) :][:960] for at in (0.05, 0.25))
    # 60 dB in 0.4 s are 30 dB in 0.2 s.
    assert level_dbfs(early) - level_dbfs(late) == pytest.approx(30.0, abs=3.0)


@pytest.mark.unit
def test_speech_keeps_its_place_and_level_over_the_wire() -> None:
    speech = at_speech_level(clip("en_susan", WIRE_RATE_HZ))
    heard = over_the_wire(microphone(3.0, [(1.0, speech)], noise_dbfs=-90))
    assert level_dbfs(heard[:15_000]) < -70
    assert level_dbfs(heard[17_000:]) == pytest.approx(level_dbfs(speech[: 2 * 48_000]), abs=1.5)
