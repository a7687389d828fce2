"""One segment from phonemes to chunks: how it begins, how windows grow, when it stops."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest

from engines.api import Chunk, Controls, Segment, Voice
from engines.audibility import AUDIBLE_RMS
from engines.build.quality import largest_step
from engines.kokoro.edges import CHUNK_SAMPLES
from engines.kokoro.source import SAMPLE_RATE_HZ
from engines.kokoro.speech import _audible_span, _windows
from engines.kokoro.synth import PAYLOADS, Acoustics, Rendering
from tests.engines.kokoro.opened import engine

pytestmark = pytest.mark.engine

TEXT = "The quick brown fox jumps over the lazy dog."
LONG = " ".join(["Four hours of steady work faced us, and nobody had slept."] * 9)


def voice(name: str = "af_heart") -> Voice:
    return engine().stock_voices()[name]


def speak(text: str, controls: Controls | None = None, **segment: bool) -> list[Chunk]:
    spoken = Segment(text, **segment)  # type: ignore[arg-type]
    return list(engine().speak(spoken, voice(), controls or Controls(), threading.Event()))


def joined(chunks: list[Chunk]) -> np.ndarray:
    return np.concatenate([chunk.pcm for chunk in chunks])


def quiet_ms(pcm: np.ndarray) -> float:
    """Length of silence at the beginning."""
    blocks = pcm[: pcm.size // 120 * 120].reshape(-1, 120)
    loud = np.flatnonzero(np.sqrt(np.mean(blocks**2, axis=1)) > AUDIBLE_RMS)
    return float(5 * loud[0])


def acoustics(energy: list[float]) -> Acoustics:
    return Acoustics(
        np.zeros((1, 512, len(energy) // 2), np.float32),
        np.zeros(len(energy), np.float32),
        np.array(energy, np.float32),
        np.array([len(energy) // 2]),
    )


def test_silence_is_trimmed_at_both_ends() -> None:
    pcm = joined(speak(TEXT))
    assert quiet_ms(pcm) <= 20.0
    assert quiet_ms(pcm[::-1]) <= 40.0


def test_ends_are_faded() -> None:
    pcm = joined(speak(TEXT))
    assert pcm[0] == 0.0
    assert abs(pcm[-1]) < 1e-3


def test_a_segment_in_mid_utterance_keeps_its_pause() -> None:
    ending, going_on = joined(speak(TEXT)), joined(speak(TEXT, last=False))
    added_ms = (going_on.size - ending.size) * 1000 / SAMPLE_RATE_HZ
    assert 50.0 < added_ms < 200.0


def test_no_click_at_chunk_borders() -> None:
    pcm = joined(speak(LONG))
    borders = np.arange(CHUNK_SAMPLES, pcm.size - CHUNK_SAMPLES, CHUNK_SAMPLES)
    assert largest_step(pcm, borders) < 2.5
    loudest = borders[np.argmax(np.abs(pcm[borders]))]
    pcm[loudest:] *= -1.0
    assert largest_step(pcm, borders) > 3.0


def test_the_first_chunk_comes_before_the_rest_is_decoded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    decoded: list[tuple[int, int]] = []
    real = engine().synth.window

    def counting(rendering: Rendering, start: int, end: int) -> np.ndarray:
        decoded.append((start, end))
        return real(rendering, start, end)

    monkeypatch.setattr(engine().synth, "window", counting)
    stream = engine().speak(Segment(TEXT), voice(), Controls(), threading.Event())
    next(stream)
    assert len(decoded) == 1
    assert decoded[0][1] - decoded[0][0] == PAYLOADS[0]
    list(stream)
    assert [end - start for start, end in decoded][1] == PAYLOADS[1]
    assert all(one[1] == other[0] for one, other in zip(decoded, decoded[1:], strict=False))


@pytest.mark.parametrize("text", ["Go.", TEXT, LONG, "He said no, and I hope so.", "Zoo."])
@pytest.mark.parametrize("speed", [0.7, 1.0, 1.6, 2.0])
def test_two_chunks_are_there_before_the_first_is_given(
    monkeypatch: pytest.MonkeyPatch, text: str, speed: float
) -> None:
    # One alone is played before the next, larger window is decoded: the listener would run dry.
    decoded: list[int] = []
    real = engine().synth.window

    def counting(rendering: Rendering, start: int, end: int) -> np.ndarray:
        decoded.append(end - start)
        return real(rendering, start, end)

    monkeypatch.setattr(engine().synth, "window", counting)
    stream = engine().speak(Segment(text), voice(), Controls(speed=speed), threading.Event())
    given = [(chunk.pcm.size, len(decoded)) for chunk in stream]
    whole = [windows for size, windows in given if size == CHUNK_SAMPLES]
    if len(whole) > 1:
        assert whole[0] == whole[1]
        assert set(decoded[: whole[0]][:-1]) <= {PAYLOADS[0]}, "short ones until they are enough"


def test_stopping_decodes_no_further_window(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = threading.Event()
    calls: list[int] = []
    real = engine().synth.window

    def stopping(rendering: Rendering, start: int, end: int) -> np.ndarray:
        calls.append(start)
        if len(calls) == 2:
            stop.set()
        return real(rendering, start, end)

    monkeypatch.setattr(engine().synth, "window", stopping)
    list(engine().speak(Segment(LONG), voice(), Controls(), stop))
    assert len(calls) == 2


def test_words_of_all_pieces_are_marked_in_order() -> None:
    chunks = speak(LONG)
    marks = [mark for chunk in chunks for mark in chunk.marks]
    assert [LONG[mark.char_start : mark.char_end] for mark in marks] == [
        word.strip(".,") for word in LONG.split()
    ]
    starts = [mark.start_ms for mark in marks]
    assert starts == sorted(starts)
    assert marks[-1].end_ms <= joined(chunks).size * 1000 / SAMPLE_RATE_HZ + 100.0


def test_marks_lie_where_sound_is() -> None:
    chunks = speak("Stop. Go.")
    pcm = joined(chunks)
    second = [mark for chunk in chunks for mark in chunk.marks][1]
    before = pcm[int((second.start_ms - 130) * 24) : int((second.start_ms - 80) * 24)]
    after = pcm[int(second.start_ms * 24) : int((second.start_ms + 150) * 24)]
    assert np.abs(after).max() > 4.0 * np.abs(before).max()


def test_energy_scales_and_never_overflows() -> None:
    loud, quiet = (joined(speak(TEXT, Controls(energy=e))) for e in (1.5, 0.5))
    assert np.abs(loud).max() <= 1.0
    assert np.std(loud) == pytest.approx(3.0 * np.std(quiet), rel=0.1)


def test_long_texts_stay_within_the_model() -> None:
    words = " ".join(["extraordinarily complicated"] * 40)
    assert joined(speak(words)).size > 20 * SAMPLE_RATE_HZ


@pytest.mark.unit
@pytest.mark.parametrize(
    ("energy", "span"),
    [
        ([-9.0] * 20 + [5.0] * 20 + [-9.0] * 20, (18, 42)),
        ([5.0] * 10, (0, 10)),
        ([-9.0] * 10, (0, 10)),
    ],
)
def test_what_is_planned_silent_is_not_decoded(energy: list[float], span: tuple[int, int]) -> None:
    assert _audible_span(acoustics(energy)) == span


@pytest.mark.unit
@pytest.mark.parametrize("grows", [True, False])
@pytest.mark.parametrize(("start", "end"), [(0, 300), (7, 11), (5, 5), (3, 1000)])
def test_windows_cover_the_span_once(start: int, end: int, *, grows: bool) -> None:
    spans = list(_windows(start, end, grows=grows, may_grow=lambda: True))
    covered = [at for low, high in spans for at in range(low, high)]
    assert covered == list(range(start, end))
    if grows and len(spans) > 1:
        assert spans[0][1] - spans[0][0] == PAYLOADS[0]
    assert all(high - low <= PAYLOADS[-1] for low, high in spans)


@pytest.mark.unit
@pytest.mark.parametrize("short", [1, 2, 5])
def test_windows_stay_short_until_they_may_grow(short: int) -> None:
    asked = itertools.count(1)
    spans = _windows(0, 300, grows=True, may_grow=lambda: next(asked) >= short)
    sizes = [high - low for low, high in spans]
    assert sizes[:short] == [PAYLOADS[0]] * short
    assert sizes[short : short + 3] == [PAYLOADS[1], PAYLOADS[1], PAYLOADS[2]]
