"""Messages across the process border: everything arrives, nothing else does."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engines.api
from engines.api import (
    Chunk,
    Controls,
    EngineError,
    LanguageUnsupported,
    Reference,
    Segment,
    Voice,
    WordMark,
)
from engines.fakes import FakeSpeechEngine
from engines.process import frames
from engines.process.frames import (
    MAX_FRAME_BYTES,
    Cancel,
    Credit,
    Ended,
    Enrol,
    Failed,
    FrameBuffer,
    Load,
    Loaded,
    Score,
    Scored,
    Speak,
    Spoken,
    ToHost,
    Voices,
)
from engines.runtime import ProviderUnavailable

pytestmark = pytest.mark.unit

VOICE = Voice("fake", "1", {"style": np.arange(12, dtype=np.float32).reshape(3, 4)})


def through_worker(message: frames.ToWorker) -> frames.ToWorker:
    (body,) = FrameBuffer().push(frames.pack(message))
    return frames.unpack_to_worker(body)


def through_host(message: ToHost) -> ToHost:
    (body,) = FrameBuffer().push(frames.pack(message))
    return frames.unpack_to_host(body)


@pytest.mark.parametrize(
    "message",
    [
        Load("speech", "a", "b", "c", {"threads": "2"}, 10),
        Cancel(3),
        Credit(3, 4),
    ],
)
def test_plain_messages_reach_the_worker(message: frames.ToWorker) -> None:
    assert through_worker(message) == message


@pytest.mark.parametrize(
    "message",
    [Loaded(info=FakeSpeechEngine.info), Loaded(encoder="e"), Ended(1), Failed(1, "k", "m")],
)
def test_plain_messages_reach_the_host(message: ToHost) -> None:
    assert through_host(message) == message


def test_requests_to_speak_arrive_whole() -> None:
    sent = Speak(7, Segment("hé", "fr-fr", first=False), VOICE, Controls(1.5, -2.0, 0.5), 16)
    got = through_worker(sent)
    assert isinstance(got, Speak)
    assert (got.id, got.segment, got.controls, got.credit) == (7, sent.segment, sent.controls, 16)
    assert (got.voice.engine, got.voice.engine_version) == ("fake", "1")
    np.testing.assert_array_equal(got.voice.arrays["style"], VOICE.arrays["style"])


def test_chunks_arrive_whole_and_can_be_written_to() -> None:
    pcm = np.linspace(-1, 1, 1920, dtype=np.float32)
    marks = (WordMark("a", 1.0, 2.0, 0, 1),)
    got = through_host(Spoken(1, Chunk(pcm, marks)))
    assert isinstance(got, Spoken)
    assert got.chunk.marks == marks
    assert got.chunk.pcm.dtype == np.float32
    np.testing.assert_array_equal(got.chunk.pcm, pcm)
    assert got.chunk.pcm.flags.writeable


def test_numbers_of_numpy_arrive_as_plain_ones() -> None:
    got = through_host(Scored(1, [np.float32(0.5), np.float64(0.25)], np.zeros(2, np.float32)))  # type: ignore[list-item]
    assert isinstance(got, Scored)
    assert got.probabilities == [0.5, 0.25]


def test_arrays_of_any_layout_arrive() -> None:
    stored = np.arange(20, dtype=np.float32)
    got = through_worker(Score(1, stored[::2], None))
    assert isinstance(got, Score)
    assert got.memory is None
    np.testing.assert_array_equal(got.windows, stored[::2])


def test_voices_and_references_arrive() -> None:
    voices = through_host(Voices(1, {"one": VOICE}))
    assert isinstance(voices, Voices)
    np.testing.assert_array_equal(voices.voices["one"].arrays["style"], VOICE.arrays["style"])
    pcm = np.ones(5, dtype=np.float32)
    enrol = through_worker(Enrol(2, Reference(pcm, 16_000, pcm[:2])))
    assert isinstance(enrol, Enrol)
    assert enrol.reference.embedding is not None
    assert enrol.reference.embedding.shape == (2,)


def test_what_is_no_message_cannot_be_sent() -> None:
    with pytest.raises(TypeError, match="object cannot cross"):
        frames.pack(Failed(1, "k", object()))  # type: ignore[arg-type]


@given(
    ids=st.lists(st.integers(0, 2**31), max_size=20),
    cuts=st.lists(st.integers(1, 40), min_size=1, max_size=50),
)
def test_streams_are_cut_back_into_messages(ids: list[int], cuts: list[int]) -> None:
    stream = b"".join(frames.pack(Ended(id)) for id in ids)
    buffer, got, at, turn = FrameBuffer(), list[bytes](), 0, 0
    while at < len(stream):
        size = cuts[turn % len(cuts)]
        got += buffer.push(stream[at : at + size])
        at, turn = at + size, turn + 1
    assert [frames.unpack_to_host(body) for body in got] == [Ended(id) for id in ids]


def test_absurd_lengths_are_refused_before_anything_is_kept() -> None:
    with pytest.raises(ValueError, match="no frame"):
        list(FrameBuffer().push((MAX_FRAME_BYTES + 1).to_bytes(4, "little")))


@given(body=st.binary(max_size=200))
def test_noise_raises_only_what_is_documented(body: bytes) -> None:
    for unpack in (frames.unpack_to_host, frames.unpack_to_worker):
        try:
            unpack(body)
        except (msgspec.DecodeError, ValueError):
            continue


@pytest.mark.parametrize(
    "array",
    [["<f4", [3], b"1234"], ["zz", [1], b"1234"], ["O", [1], b"12345678"],
     [1, 2, 3], ["<f4", "x", b""], ["<f4"]],
)  # fmt: skip
def test_broken_arrays_raise_only_what_is_documented(array: list[object]) -> None:
    message = {"type": "Score", "id": 1, "windows": array, "memory": None}
    with pytest.raises((msgspec.DecodeError, ValueError)):
        frames.unpack_to_worker(msgspec.msgpack.encode(message))


@pytest.mark.parametrize(
    "kind",
    [
        kind
        for kind in vars(engines.api).values()
        if isinstance(kind, type) and issubclass(kind, EngineError)
    ],
)
def test_errors_come_back_as_they_went(kind: type[EngineError]) -> None:
    error = frames.raised(frames.failure(1, kind("what to do")))
    assert type(error) is kind
    assert str(error) == "what to do"


def test_an_engines_own_error_becomes_the_nearest_that_all_know() -> None:
    class Dialect(LanguageUnsupported):
        pass

    assert type(frames.raised(frames.failure(1, Dialect("x")))) is LanguageUnsupported
    assert type(frames.raised(frames.failure(1, ProviderUnavailable("x")))) is EngineError


def test_a_foreign_exceptions_text_stays_behind() -> None:
    failed = frames.failure(1, KeyError("what was to be said"))
    assert "said" not in failed.message
    assert "KeyError" in failed.message


@pytest.mark.parametrize("kind", ["", "os", "Chunk", "io", "dataclass", "no such thing"])
def test_an_unknown_kind_is_some_engine_error(kind: str) -> None:
    assert type(frames.raised(Failed(1, kind, "x"))) is EngineError
