"""The rebuilt graphs against the published one, and windows against the whole."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engines.api import ModelFilesCorrupt, ModelFilesMissing
from engines.build.quality import largest_step, log_mel_error, spectral_cosine
from engines.kokoro import tone
from engines.kokoro.source import HALF_FRAME_SAMPLES, SAMPLE_RATE_HZ
from engines.kokoro.synth import (
    FRAME_SAMPLES,
    PAYLOADS,
    WINDOW_HALF_FRAMES,
    Acoustics,
    Synthesizer,
    _place,
    _read_constants,
    _size_for,
)
from engines.kokoro.vocabulary import to_tokens
from tests.engines.kokoro.opened import (
    SENTENCE,
    engine,
    exact,
    files,
    published,
    similarity,
    style,
)

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def synth() -> Synthesizer:
    return exact()


@pytest.fixture(scope="module")
def acoustics(synth: Synthesizer) -> Acoustics:
    return synth.front(to_tokens(SENTENCE), style())


def test_front_plans_every_token(acoustics: Acoustics) -> None:
    frames = acoustics.text.shape[2]
    assert acoustics.durations.size == len(SENTENCE) + 2
    assert acoustics.durations.sum() == frames
    assert acoustics.f0_hz.size == acoustics.energy.size == 2 * frames
    assert 150.0 < np.median(acoustics.f0_hz[acoustics.f0_hz > 50.0]) < 300.0


def test_speed_changes_the_length(synth: Synthesizer, acoustics: Acoustics) -> None:
    fast = synth.front(to_tokens(SENTENCE), style(), speed=2.0)
    assert fast.durations.sum() == pytest.approx(acoustics.durations.sum() / 2, rel=0.2)


def test_sounds_like_the_published_graph(synth: Synthesizer, acoustics: Acoustics) -> None:
    """That one computes in int8 and its source drifts in float32, so it is not the same wave."""
    (original, *_) = published().run(
        {
            "tokens": np.array([to_tokens(SENTENCE)], np.int64),
            "style": style()[None],
            "speed": np.ones(1, np.float32),
        }
    )
    ours = synth.decode(acoustics, style())
    assert ours.size == original.size == acoustics.text.shape[2] * FRAME_SAMPLES
    assert similarity(ours, original.ravel()) > 0.9
    assert spectral_cosine(ours, original.ravel(), SAMPLE_RATE_HZ) > 0.99


def test_windows_with_its_own_norms_are_the_whole(synth: Synthesizer, acoustics: Acoustics) -> None:
    whole, own = synth.measure(acoustics, style())
    streamed = synth.decode(acoustics, style(), synth.freeze(style(), own))
    assert streamed.size == whole.size
    assert np.abs(streamed - whole).max() < 3e-3


def test_windows_with_a_tone_are_the_whole_through_its_filter(
    synth: Synthesizer, acoustics: Acoustics
) -> None:
    gains = np.array([3, 1, 0, -4, 2, -5, -1, 2, 1, 4], dtype=np.float32)
    plain = synth.freeze(style(), synth.measure(acoustics, style())[1])
    whole = tone.filtered(synth.decode(acoustics, style(), plain), tone.fir(gains))
    rendering = synth.render(acoustics, style(), replace(plain, filter=tone.fir(gains)))
    step = PAYLOADS[0]
    starts = range(0, rendering.half_frames, step)
    streamed = np.concatenate(
        [synth.window(rendering, at, min(at + step, rendering.half_frames)) for at in starts]
    )
    assert np.abs(streamed - whole).max() < 6e-3


def test_no_click_where_windows_meet(synth: Synthesizer, acoustics: Acoustics) -> None:
    _, own = synth.measure(acoustics, style())
    rendering = synth.render(acoustics, style(), synth.freeze(style(), own))
    step = PAYLOADS[0]
    starts = range(0, rendering.half_frames, step)
    pcm = np.concatenate(
        [synth.window(rendering, at, min(at + step, rendering.half_frames)) for at in starts]
    )
    borders = np.array(starts[1:]) * HALF_FRAME_SAMPLES
    assert largest_step(pcm, borders) < 2.5
    planted = pcm.copy()
    planted[borders[np.argmax(np.abs(pcm[borders]))] :] *= -1.0
    assert largest_step(planted, borders) > 3.0


def test_any_window_lies_in_the_segment(synth: Synthesizer, acoustics: Acoustics) -> None:
    _, own = synth.measure(acoustics, style())
    rendering = synth.render(acoustics, style(), synth.freeze(style(), own))
    early = synth.window(rendering, 40, 50)
    late = synth.window(rendering, 45, 65)
    assert early.size == 10 * HALF_FRAME_SAMPLES
    np.testing.assert_allclose(early[1500:], late[:1500], atol=3e-3)


def test_a_segment_shorter_than_the_shortest_window(synth: Synthesizer) -> None:
    acoustics = synth.front(to_tokens("a"), style(), speed=2.0)
    short = Acoustics(
        acoustics.text[:, :, :6], acoustics.f0_hz[:12], acoustics.energy[:12], np.array([6])
    )
    _, own = synth.measure(short, style())
    pcm = synth.decode(short, style(), synth.freeze(style(), own))
    assert pcm.size == 6 * FRAME_SAMPLES
    assert np.isfinite(pcm).all()


def test_pitch_follows_f0(synth: Synthesizer, acoustics: Acoustics) -> None:
    higher = replace(acoustics, f0_hz=acoustics.f0_hz * np.float32(1.5))
    plain, raised = synth.decode(acoustics, style()), synth.decode(higher, style())
    assert raised.size == plain.size
    assert similarity(raised, plain) < 0.5


def test_the_fast_engine_sounds_like_float32(acoustics: Acoustics) -> None:
    fast = engine().synth
    _, own = exact().measure(acoustics, style())
    norms = exact().freeze(style(), own)
    ours = fast.decode(acoustics, style(), norms)
    theirs = exact().decode(acoustics, style(), norms)
    assert log_mel_error(ours, theirs, SAMPLE_RATE_HZ) < 0.01
    assert spectral_cosine(ours, theirs, SAMPLE_RATE_HZ) > 0.99


def test_repeats_itself_exactly(synth: Synthesizer, acoustics: Acoustics) -> None:
    _, own = synth.measure(acoustics, style())
    norms = synth.freeze(style(), own)
    once, again = (synth.decode(acoustics, style(), norms) for _ in range(2))
    np.testing.assert_array_equal(once, again)


def test_a_window_gets_the_shortest_program_that_holds_it() -> None:
    assert [_size_for(payload) for payload in PAYLOADS] == list(WINDOW_HALF_FRAMES)
    assert _size_for(PAYLOADS[0] + 1) == WINDOW_HALF_FRAMES[1]
    with pytest.raises(ValueError, match="longer"):
        _size_for(PAYLOADS[-1] + 1)


@pytest.mark.parametrize(
    ("start", "end", "total", "placed"),
    [
        (0, 10, 300, (0, 24)),
        (100, 110, 300, (93, 117)),
        (290, 300, 300, (276, 300)),
        (0, 10, 12, (0, 12)),
    ],
)
def test_windows_shift_inwards_at_the_edges(
    start: int, end: int, total: int, placed: tuple[int, int]
) -> None:
    assert _place(start, end, 24, total) == placed


@pytest.mark.parametrize(
    "damage", ["empty", "start of an archive", "no archive", "flipped", "other"]
)
def test_constants_that_cannot_be_read_are_damaged(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "constants.npz"
    good = files().constants.read_bytes()
    middle = len(good) // 2
    if damage == "other":
        np.savez(path, gain_matrix=np.zeros(3))
    else:
        path.write_bytes(
            {
                "empty": b"",
                "start of an archive": good[:4],
                "no archive": b"no archive at all",
                "flipped": good[:middle] + b"?" * 50 + good[middle + 50 :],
            }[damage]
        )
    with pytest.raises(ModelFilesCorrupt, match=r"constants\.npz is damaged: run"):
        _read_constants(path)


def test_constants_that_are_gone_are_missing(tmp_path: Path) -> None:
    with pytest.raises(ModelFilesMissing, match="engines build"):
        _read_constants(tmp_path / "constants.npz")
