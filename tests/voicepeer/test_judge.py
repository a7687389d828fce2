"""Judging a returned voice: likeness, the nearest stock voice, and reasons for what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engines.api import Embedding, EngineError, Voice
from engines.fakes import FakeSpeakerEncoder, FakeSpeechEngine
from engines.resampling import resample
from voicepeer import judge as judging
from voicepeer import stock
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm
from voicepeer.judge import cosine, judge
from voicepeer.offline import speak
from voicepeer.stock import PROBE_TEXT, nearest_stock

pytestmark = pytest.mark.unit

ENGINE, ENCODER = FakeSpeechEngine(), FakeSpeakerEncoder()


def said_by(name: str, text: str) -> Pcm:
    spoken = speak(text, ENGINE.stock_voices()[name], ENGINE)
    return resample(spoken.pcm, spoken.rate_hz, LISTEN_RATE_HZ)


def test_the_nearest_stock_voice_is_found_and_says_the_same_text(tmp_path: Path) -> None:
    mic = said_by("high", PROBE_TEXT)
    returned = said_by("low", "Another text entirely.")
    found = judge(mic, returned, "Another text entirely.", ENGINE, ENCODER, tmp_path)
    assert found.stock_name == "high"
    again = ENCODER.embed(said_by("high", "Another text entirely."))
    assert found.stock_similarity == pytest.approx(cosine(ENCODER.embed(mic), again))
    assert found.similarity == pytest.approx(cosine(ENCODER.embed(mic), ENCODER.embed(returned)))


def test_a_voice_is_like_itself(tmp_path: Path) -> None:
    mic = said_by("mid", PROBE_TEXT)
    assert judge(mic, mic, PROBE_TEXT, ENGINE, ENCODER, tmp_path).similarity == pytest.approx(1.0)


@pytest.mark.parametrize("samples", [0, 100])
def test_what_is_too_short_to_judge_has_a_reason(samples: int, tmp_path: Path) -> None:
    found = judge(
        said_by("mid", PROBE_TEXT), np.zeros(samples, np.float32), "x", ENGINE, ENCODER, tmp_path
    )
    assert (found.similarity, found.stock_similarity) == (None, None)
    assert {"similarity", "stock_similarity"} <= found.notes.keys()


def test_without_the_quality_model_the_reason_is_noted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def missing(pcm: Pcm, rate_hz: int) -> float:
        raise EngineError("install it")

    monkeypatch.setattr(judging, "dnsmos", missing)
    mic = said_by("mid", PROBE_TEXT)
    found = judge(mic, mic, PROBE_TEXT, ENGINE, ENCODER, tmp_path)
    assert (found.dnsmos, found.notes) == (None, {"dnsmos": "install it"})


def test_listening_to_the_stock_voices_is_done_once(tmp_path: Path) -> None:
    class Counting(FakeSpeakerEncoder):
        heard = 0

        def embed(self, pcm: Pcm) -> Embedding:
            self.heard += 1
            return super().embed(pcm)

    encoder = Counting()
    speaker = ENCODER.embed(said_by("mid", PROBE_TEXT))
    for _ in range(2):
        assert nearest_stock(speaker, ENGINE, encoder, tmp_path) == "mid"
    assert encoder.heard == 3
    (kept,) = tmp_path.iterdir()
    for damage in (b"", b"PK\x03\x04 no archive", kept.read_bytes()[:100]):
        kept.write_bytes(damage)
        assert nearest_stock(speaker, ENGINE, encoder, tmp_path) == "mid"
    assert encoder.heard == 12


def test_a_cache_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    speaker = ENCODER.embed(said_by("low", PROBE_TEXT))
    assert nearest_stock(speaker, ENGINE, ENCODER, blocked) == "low"


def test_what_ships_covers_every_stock_voice_of_the_default_engine() -> None:
    from engines.kokoro import voices
    from voicepeer.stock import SHIPPED

    shipped = SHIPPED / f"stock-{voices.ENGINE_NAME}-{voices.VOICE_VERSION}-ge2e.npz"
    heard = stock.read(shipped, stock.fingerprints(voices.stock_voices()))
    assert heard is not None, "run `python -m voicepeer.stock`"
    lengths = [float(np.linalg.norm(one)) for one in heard.values()]
    np.testing.assert_allclose(lengths, 1.0, atol=1e-4)


def test_voices_that_changed_are_listened_to_again(tmp_path: Path) -> None:
    class Retrained(FakeSpeechEngine):
        by = np.float32(1.0)

        def stock_voices(self) -> Mapping[str, Voice]:
            return {
                name: replace(voice, arrays={k: v * self.by for k, v in voice.arrays.items()})
                for name, voice in super().stock_voices().items()
            }

    engine, told = Retrained(), list[str]()

    def progress(what: str, _share: float) -> None:
        told.append(what)

    stock.heard_stock(engine, ENCODER, tmp_path, progress)
    first = len(told)
    engine.by = np.float32(1.000001)
    stock.heard_stock(engine, ENCODER, tmp_path, progress)
    assert first > 0
    assert len(told) == first
    engine.by = np.float32(1.1)
    stock.heard_stock(engine, ENCODER, tmp_path, progress)
    assert len(told) == 2 * first
