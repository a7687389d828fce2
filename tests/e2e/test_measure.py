"""The measurement of the page: its figures, and a short one of everything with tones for speech."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.e2e import measure
from tests.e2e.chromium import PROGRAMS
from tests.e2e.ears import Heard
from tests.e2e.measure import SENTENCES, Spoken, figures, long_text, missed
from tests.peers.glitches import tone
from voicepeer.core.pcm import WIRE_RATE_HZ

pytestmark = pytest.mark.unit


USABLE = {"heard_s": 3.1, "elapsed_ms": 4_200.4}


def spoken(audible_ms: float = 200.0, **changes: Any) -> Spoken:  # noqa: ANN401
    """A text of one second that went well."""
    usual: dict[str, Any] = {
        "audible_ms": audible_ms,
        "service_ms": 100.0,
        "heard": Heard(0.0, tone(1.0)),
        "underruns": 0,
        "concealed_ms": 0.0,
        "concealments": 0,
    }
    return Spoken(**{**usual, **changes})


def found(short: list[Spoken], long: Spoken) -> dict[str, Any]:
    """Figures with what models would have judged."""
    judged = {"similarity": 0.8, "dnsmos": 3.4}
    return figures("fake", 2, USABLE, short, long) | judged


def test_the_figures_keep_the_goals_when_all_goes_well() -> None:
    one = found([spoken(at) for at in (180.0, 200.0, 220.0)], spoken())
    assert missed(one, measure.GOALS) == []
    assert missed(one, measure.SANE) == []
    assert one["clicks"] == 3
    assert (one["speaking_ms"], one["usable_ms"]) == (3_100, 4_200)
    assert one["enter_to_audible_ms"]["p50"] == 200.0
    assert one["after_service_ms"]["max"] == 120.0
    assert one["long_s"] == 1.0


def test_one_late_text_in_twenty_is_not_hidden() -> None:
    one = found([*[spoken(200.0)] * 18, spoken(900.0), spoken(900.0)], spoken())
    assert [line.split()[0] for line in missed(one, measure.GOALS)] == ["enter_to_audible_ms.p95"]


@pytest.mark.parametrize(
    "bad",
    [
        {"underruns": 1},
        {"concealments": 1, "concealed_ms": 20.0},
        {"heard": Heard(0.0, np.concatenate([tone(0.5)[:-480], np.zeros(960), tone(0.5)]))},
    ],
)
def test_every_kind_of_glitch_counts(bad: dict[str, Any]) -> None:
    one = found([spoken()], spoken(**bad))
    assert one["glitches"] == 1
    assert any(line.startswith("glitches is 1") for line in missed(one, measure.GOALS))


def test_figures_below_a_bound_are_missed_as_those_above() -> None:
    one = found([spoken()], spoken()) | {"similarity": 0.3, "dnsmos": 1.0}
    assert [line.split()[0] for line in missed(one, measure.SANE)] == ["similarity", "dnsmos"]


def test_a_long_text_is_long_enough_and_ends_with_a_sentence() -> None:
    text = long_text(60.0)
    assert len(text) >= 60 * measure.CHARS_PER_S
    assert text.endswith(SENTENCES)
    assert len(long_text(1.0)) < 3 * max(map(len, SENTENCES))


@pytest.mark.e2e
@pytest.mark.needs(*PROGRAMS)
async def test_a_short_measurement_of_a_service_that_says_tones() -> None:
    one, heard = await measure.measure("fake", "en_susan", utterances=1, long_s=2.0)
    json.dumps(one)
    assert one["utterances"] == 1
    assert one["clicks"] == 3
    assert one["speaking_ms"] <= 10_000
    assert 0 < one["in_service_ms"]["p50"] < one["enter_to_audible_ms"]["p50"] < 5_000
    assert one["long_s"] > 1.0
    assert np.abs(heard.pcm).max() == pytest.approx(0.25, abs=0.1)
    assert heard.pcm.size / WIRE_RATE_HZ == pytest.approx(one["long_s"], abs=0.1)


@pytest.mark.engine
def test_a_speaker_is_judged_to_be_alike_themselves() -> None:
    from tests.clips import clip

    judged = measure.judged(Heard(0.0, clip("en_jennifer", WIRE_RATE_HZ)), "en_jennifer")
    assert judged["similarity"] > 0.95
    assert 2.0 < judged["dnsmos"] < 5.0
    other = measure.judged(Heard(0.0, clip("en_daniel", WIRE_RATE_HZ)), "en_jennifer")
    assert other["similarity"] < 0.7


def test_what_was_heard_is_written_beside_the_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one = figures("fake", 2, USABLE, [spoken()], spoken())

    async def quick(*_: object) -> tuple[dict[str, Any], Heard]:
        return dict(one), spoken().heard

    monkeypatch.setattr(measure, "measure", quick)
    monkeypatch.setattr(measure, "judged", lambda *_: {"similarity": 0.8, "dnsmos": 2.7})
    out = tmp_path / "figures"
    assert measure.main(["--json", "--out", str(out)]) == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out) == json.loads((out / "page.json").read_text())
    assert printed.err == "dnsmos is 2.7, not >= 3.0\n"
    assert (out / "heard.wav").stat().st_size > 90_000
    assert measure.main(["--sane"]) == 0
