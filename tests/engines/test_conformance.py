"""What every speech engine promises, asked of each one alone and behind the host."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
import pytest_asyncio

from engines import registry
from engines.api import (
    CHUNK_MS,
    Chunk,
    Controls,
    LanguageUnsupported,
    Pcm,
    PhonemesUnsupported,
    Pronunciation,
    Reference,
    ReferenceRejected,
    Segment,
    Voice,
    VoiceIncompatible,
)
from tests.clips import clip
from tests.engines.homes import Home, Stream, collect, joined, open_home

SENTENCE = "The birch canoe slid on the smooth planks."
OTHER = "Glue the sheet to the dark blue background."
LONG = " ".join(["Four hours of steady work faced us."] * 12)
CLIPS = ("en_susan", "en_david")

pytestmark = pytest.mark.asyncio(loop_scope="module")


def _homes() -> list[object]:
    marks = {"fake": (pytest.mark.unit, pytest.mark.peer)}
    return [
        pytest.param(
            (name, hosted),
            id=f"{name}-{'hosted' if hosted else 'direct'}",
            marks=marks.get(name, (pytest.mark.engine,) * 2)[hosted],
        )
        for name in registry.names("speech")
        for hosted in (False, True)
    ]


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=_homes())
async def home(request: pytest.FixtureRequest) -> AsyncIterator[Home]:
    name, hosted = request.param
    async with open_home(name, hosted=hosted) as opened:
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def voices(home: Home) -> list[Voice]:
    """Voices of two real speakers."""
    return [await home.enrol(await reference(home, name)) for name in CLIPS]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sentence(home: Home, voices: list[Voice]) -> list[Chunk]:
    """``SENTENCE`` in the first voice, said once for all tests that look at it."""
    return await spoken(home, SENTENCE, voices[0])


async def reference(home: Home, name: str) -> Reference:
    seconds = max(5.0, home.info.min_reference_s)
    pcm = clip(name)[: int(seconds * 16_000)]
    return Reference(pcm, 16_000, await home.embed(pcm))


def first(home: Home, text: str) -> Segment:
    return Segment(text, min(home.info.languages, key=lambda name: (name != "en-us", name)))


async def spoken(
    home: Home, text: str, voice: Voice, controls: Controls | None = None
) -> list[Chunk]:
    return await collect(home.speak(first(home, text), voice, controls))


def seconds(home: Home, chunks: list[Chunk]) -> float:
    return joined(chunks).size / home.info.sample_rate_hz


async def test_says_what_it_is(home: Home) -> None:
    info = home.info
    assert info.name in registry.names("speech")
    assert info.sample_rate_hz * CHUNK_MS % 1000 == 0
    assert info.languages
    assert info.licence
    assert info.version


async def test_chunks_have_one_size_but_the_last(home: Home, sentence: list[Chunk]) -> None:
    size = home.info.sample_rate_hz * CHUNK_MS // 1000
    assert len(sentence) > 5
    assert [chunk.pcm.size for chunk in sentence[:-1]] == [size] * (len(sentence) - 1)
    assert 0 < sentence[-1].pcm.size <= size


async def test_samples_are_audible_numbers_within_full_scale(sentence: list[Chunk]) -> None:
    pcm = joined(sentence)
    assert pcm.dtype == np.float32
    assert np.isfinite(pcm).all()
    assert 0.01 < np.abs(pcm).max() <= 1.0


async def test_same_words_sound_the_same_again(
    home: Home, voices: list[Voice], sentence: list[Chunk]
) -> None:
    again = joined(await spoken(home, SENTENCE, voices[0]))
    np.testing.assert_allclose(again, joined(sentence), atol=1e-3)


async def test_two_voices_differ(home: Home, voices: list[Voice], sentence: list[Chunk]) -> None:
    ours = joined(sentence)
    theirs = joined(await spoken(home, SENTENCE, voices[1]))
    common = min(ours.size, theirs.size)
    assert np.abs(ours[:common] - theirs[:common]).max() > 0.05


async def test_words_are_marked_where_they_begin(home: Home, sentence: list[Chunk]) -> None:
    if not home.info.word_times:
        return
    marks = [mark for chunk in sentence for mark in chunk.marks]
    spans = [SENTENCE[mark.char_start : mark.char_end] for mark in marks]
    words = SENTENCE.rstrip(".").split()
    assert [span.rstrip(".") for span in spans] == words
    for index, chunk in enumerate(sentence):
        for mark in chunk.marks:
            assert index * CHUNK_MS <= mark.start_ms < (index + 1) * CHUNK_MS
            assert mark.start_ms < mark.end_ms


@pytest.mark.parametrize("text", ["", " ", "\n", "...", "?!", "—", "🙂"])
async def test_nothing_to_say_is_silence(home: Home, voices: list[Voice], text: str) -> None:
    assert await spoken(home, text, voices[0]) == []


@pytest.mark.parametrize("text", ["I", "a", "No."])
async def test_one_character_is_said(home: Home, voices: list[Voice], text: str) -> None:
    assert 0.04 < seconds(home, await spoken(home, text, voices[0])) < 3.0


async def test_long_text_is_said_to_its_end(home: Home, voices: list[Voice]) -> None:
    short = await spoken(home, LONG[: len(LONG) // 12], voices[0])
    whole = await spoken(home, LONG, voices[0])
    assert seconds(home, whole) > 8.0 * seconds(home, short)


async def test_cancelled_within_one_chunk(home: Home, voices: list[Voice]) -> None:
    stream = home.speak(first(home, LONG), voices[0])
    for _ in range(2):
        await anext(stream)
    stream.cancel()
    assert len(await collect(stream)) <= 1


async def test_cancelled_before_it_begins(home: Home, voices: list[Voice]) -> None:
    stream = home.speak(first(home, SENTENCE), voices[0])
    stream.cancel()
    assert len(await collect(stream)) <= 1


async def test_cancelling_one_leaves_the_next_whole(
    home: Home, voices: list[Voice], sentence: list[Chunk]
) -> None:
    cancelled = home.speak(first(home, OTHER), voices[1])
    await anext(cancelled)
    cancelled.cancel()
    heard = joined(await spoken(home, SENTENCE, voices[0]))
    np.testing.assert_allclose(heard, joined(sentence), atol=1e-3)


async def test_interleaved_streams_share_nothing(
    home: Home, voices: list[Voice], sentence: list[Chunk]
) -> None:
    texts = [SENTENCE, OTHER, SENTENCE]
    speakers = [voices[0], voices[1], voices[1]]
    alone = [joined(sentence)]
    alone += [joined(await spoken(home, text, voices[1])) for text in texts[1:]]
    streams = [
        home.speak(first(home, text), voice) for text, voice in zip(texts, speakers, strict=True)
    ]
    together = await _in_turn(streams)
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_allclose(joined(other), one, atol=1e-3)


async def _in_turn(streams: Sequence[Stream]) -> list[list[Chunk]]:
    heard: list[list[Chunk]] = [[] for _ in streams]
    going = set(range(len(streams)))
    while going:
        for index in sorted(going):
            try:
                heard[index].append(await anext(streams[index]))
            except StopAsyncIteration:
                going.discard(index)
    return heard


async def test_speed_at_its_limits(home: Home, voices: list[Voice]) -> None:
    limits = home.info.controls.speed
    if limits is None:
        return
    slow, fast = [
        seconds(home, await spoken(home, SENTENCE, voices[0], Controls(speed=speed)))
        for speed in limits
    ]
    assert 0.6 < slow / fast / (limits[1] / limits[0]) < 1.6


async def test_energy_at_its_limits(home: Home, voices: list[Voice]) -> None:
    limits = home.info.controls.energy
    if limits is None:
        return
    quiet, loud = [
        joined(await spoken(home, SENTENCE, voices[0], Controls(energy=energy)))
        for energy in limits
    ]
    assert np.abs(loud).max() <= 1.0
    assert np.std(loud) > 1.5 * np.std(quiet) > 0.0


async def test_pitch_at_its_limits(home: Home, voices: list[Voice], sentence: list[Chunk]) -> None:
    limits = home.info.controls.pitch_semitones
    if limits is None:
        return
    moved = [
        await spoken(home, SENTENCE, voices[0], Controls(pitch_semitones=limit)) for limit in limits
    ]
    low, plain, high = [
        _pitch(joined(chunks), home.info.sample_rate_hz)
        for chunks in (moved[0], sentence, moved[1])
    ]
    assert low < 0.8 * plain
    assert high > 1.25 * plain


def _pitch(pcm: Pcm, rate_hz: int) -> float:
    """Median F0 in Hz of the louder half: first high peak of the autocorrelation of 60 ms."""
    size = rate_hz * 60 // 1000
    frames = pcm[: pcm.size // size * size].reshape(-1, size).astype(np.float64)
    power = np.sum(np.square(frames), axis=1)
    loud = frames[power >= np.median(power)] * np.hanning(size)
    spectrum = np.abs(np.fft.rfft(loud, 2 * size, axis=1)) ** 2
    matches = np.fft.irfft(spectrum, axis=1)[:, : rate_hz // 40]
    matches /= np.correlate(np.hanning(size), np.hanning(size), "full")[size - 1 :][
        : matches.shape[1]
    ]
    matches[:, : rate_hz // 1300] = 0.0
    high = matches > 0.85 * matches.max(axis=1, keepdims=True)
    lags = [int(np.argmax(row[start : start + rate_hz // 1300]) + start)
            for row, start in zip(matches, np.argmax(high, axis=1), strict=True)]  # fmt: skip
    return float(rate_hz / np.median(lags))


@pytest.mark.parametrize("name", ["pitch_range", "pitch_slope_semitones", "whisper", "pauses"])
async def test_every_other_control_at_its_limits(
    home: Home, voices: list[Voice], name: str
) -> None:
    limits = getattr(home.info.controls, name)
    if limits is None:
        pytest.skip(f"cannot steer {name}")
    for value in limits:
        chunks = await spoken(home, SENTENCE, voices[0], Controls(**{name: value}))
        assert seconds(home, chunks) > 0.5
        assert np.abs(joined(chunks)).max() <= 1.0
        assert [mark.text.strip(".") for chunk in chunks for mark in chunk.marks] == [
            word.strip(".") for word in SENTENCE.split()
        ]


async def test_sounds_are_marked_where_they_begin(sentence: list[Chunk]) -> None:
    phones = [phone for chunk in sentence for phone in chunk.phones]
    starts = [phone.start_ms for phone in phones]
    assert starts == sorted(starts)
    for index, chunk in enumerate(sentence):
        for phone in chunk.phones:
            assert index * CHUNK_MS <= phone.start_ms < (index + 1) * CHUNK_MS
            assert phone.ipa
            assert phone.end_ms > phone.start_ms


async def test_pronunciations_are_said_or_refused(home: Home, voices: list[Voice]) -> None:
    if not home.info.ipa:
        pytest.skip("takes no pronunciations")
    segment = first(home, "Ada is here.")
    told = replace(segment, pronunciations=(Pronunciation(0, 3, "ˈeɪdə"),))
    chunks = await collect(home.speak(told, voices[0]))
    assert [mark.text for chunk in chunks for mark in chunk.marks][0] == "Ada"
    wrong = replace(segment, pronunciations=(Pronunciation(0, 3, "a5"),))
    with pytest.raises(PhonemesUnsupported, match="5"):
        await collect(home.speak(wrong, voices[0]))


async def test_a_saved_voice_is_the_same_voice(
    home: Home, voices: list[Voice], sentence: list[Chunk]
) -> None:
    loaded = Voice.from_bytes(voices[0].to_bytes())
    heard = joined(await spoken(home, SENTENCE, loaded))
    np.testing.assert_allclose(heard, joined(sentence), atol=1e-3)


async def test_a_forgotten_voice_can_be_said_with_by_whoever_has_it(
    home: Home, voices: list[Voice]
) -> None:
    before = joined(await spoken(home, "Yes.", voices[0]))
    await home.forget(voices[0])
    np.testing.assert_allclose(joined(await spoken(home, "Yes.", voices[0])), before, atol=1e-3)
    with pytest.raises(VoiceIncompatible):
        await home.forget(replace(voices[0], engine="other"))


async def test_stock_voices_speak(home: Home) -> None:
    for voice in list((await home.stock_voices()).values())[:2]:
        assert seconds(home, await spoken(home, "Yes.", voice)) > 0.1


async def test_unknown_language_names_the_known(home: Home, voices: list[Voice]) -> None:
    with pytest.raises(LanguageUnsupported) as caught:
        await collect(home.speak(Segment(SENTENCE, "xx-xx"), voices[0]))
    assert min(home.info.languages) in str(caught.value)


async def test_another_engines_voice_is_refused(home: Home, voices: list[Voice]) -> None:
    with pytest.raises(VoiceIncompatible):
        await spoken(home, SENTENCE, replace(voices[0], engine="other"))


async def test_another_versions_voice_is_refused(home: Home, voices: list[Voice]) -> None:
    with pytest.raises(VoiceIncompatible):
        await spoken(home, SENTENCE, replace(voices[0], engine_version="0.0-none"))


async def test_a_short_reference_is_refused(home: Home) -> None:
    whole = await reference(home, CLIPS[0])
    short = whole.pcm[: int(0.5 * home.info.min_reference_s * 16_000)]
    with pytest.raises(ReferenceRejected, match=r"\d s"):
        await home.enrol(replace(whole, pcm=short))


async def test_a_silent_reference_is_refused(home: Home) -> None:
    whole = await reference(home, CLIPS[0])
    with pytest.raises(ReferenceRejected):
        await home.enrol(replace(whole, pcm=np.zeros_like(whole.pcm)))
