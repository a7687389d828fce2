"""Voices as bytes: they survive, they are stable, and hostile ones are refused cheaply."""

from __future__ import annotations

import io
import json
import pickle
import tracemalloc
import zipfile
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from numpy.typing import NDArray

from engines.api import (
    MAX_VOICE_BYTES,
    VOICE_FORMAT,
    ControlRanges,
    EngineError,
    EngineInfo,
    Voice,
    VoiceIncompatible,
)

pytestmark = pytest.mark.unit

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\x00/\\"), min_size=1, max_size=12)
ARRAYS = npst.arrays(
    np.float32,
    npst.array_shapes(min_dims=0, max_dims=3, max_side=5),
    elements=st.floats(width=32, allow_nan=False, allow_infinity=False),
)
STYLE = np.linspace(-1, 1, 256, dtype=np.float32)
VOICE = Voice("kokoro", "1.0", {"style": STYLE})


@given(st.text(max_size=20), st.text(max_size=20), st.dictionaries(NAMES, ARRAYS, max_size=4))
def test_a_voice_survives(
    engine: str, version: str, arrays: dict[str, NDArray[np.float32]]
) -> None:
    arrays = {name: array for name, array in arrays.items() if name != "_head"}
    voice = Voice(engine, version, arrays)
    again = Voice.from_bytes(voice.to_bytes())
    assert (again.engine, again.engine_version) == (engine, version)
    assert set(again.arrays) == set(arrays)
    for name, array in arrays.items():
        assert again.arrays[name].dtype == np.float32
        assert again.arrays[name].shape == array.shape
        np.testing.assert_array_equal(again.arrays[name], array)


@pytest.mark.parametrize("name", ["file", "args", "allow_pickle", "arr_0", "self"])
def test_an_array_may_have_any_name(name: str) -> None:
    voice = Voice("e", "1", {name: STYLE})
    assert list(Voice.from_bytes(voice.to_bytes()).arrays) == [name]


def test_the_same_voice_gives_the_same_bytes() -> None:
    one = Voice("e", "1", {"a": STYLE, "b": -STYLE}).to_bytes()
    assert one == Voice("e", "1", {"b": -STYLE, "a": STYLE}).to_bytes()


def test_numpy_can_read_it_without_pickle() -> None:
    with np.load(io.BytesIO(VOICE.to_bytes()), allow_pickle=False) as stored:
        np.testing.assert_array_equal(stored["style"], STYLE)


def test_what_was_read_is_writable_and_independent() -> None:
    data = VOICE.to_bytes()
    voice = Voice.from_bytes(data)
    np.asarray(voice.arrays["style"])[:] = 0
    np.testing.assert_array_equal(Voice.from_bytes(data).arrays["style"], STYLE)


def head(**changes: object) -> bytes:
    """A header, as an ``.npy``."""
    fields = {"format": VOICE_FORMAT, "engine": "e", "version": "1", **changes}
    return npy(np.frombuffer(json.dumps(fields).encode(), np.uint8))


def npy(array: NDArray[np.generic], pickled: bool = False) -> bytes:
    """An array in numpy's own file format."""
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, allow_pickle=pickled)
    return buffer.getvalue()


def npz(members: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    """An archive with these members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def claim(shape: str, body: bytes = b"") -> bytes:
    """An array whose header claims a shape that its body does not have."""
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + body


class Exploit:
    """Runs code when unpickled."""

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return _explode, ("boom",)


def _explode(what: str) -> None:
    raise AssertionError(f"a voice file ran code: {what}")


HOSTILE = {
    "empty": b"",
    "text": b"hello, I am a voice",
    "wav": b"RIFF\x24\x00\x00\x00WAVEfmt ",
    "pickle": pickle.dumps({"engine": "e"}),
    "exploit": pickle.dumps(Exploit()),
    "bare array": npy(STYLE),
    "empty archive": npz({}),
    "no header": npz({"style.npy": npy(STYLE)}),
    "header is no json": npz({"_head.npy": npy(np.frombuffer(b"{nope", np.uint8))}),
    "header is a list": npz({"_head.npy": npy(np.frombuffer(b"[1]", np.uint8))}),
    "header is deep": npz({"_head.npy": npy(np.frombuffer(b"[" * 100_000, np.uint8))}),
    "header lacks engine": npz({"_head.npy": npy(np.frombuffer(b'{"format":1}', np.uint8))}),
    "objects": npz(
        {"_head.npy": head(), "x.npy": npy(np.array([Exploit()], dtype=object), pickled=True)}
    ),
    "float64": npz({"_head.npy": head(), "x.npy": npy(np.zeros(3))}),
    "text array": npz({"_head.npy": head(), "x.npy": npy(np.array(["a"]))}),
    "bytes beside the header": npz({"_head.npy": head(), "x.npy": npy(np.zeros(3, np.uint8))}),
    "not a number": npz({"_head.npy": head(), "x.npy": npy(np.array([np.nan], np.float32))}),
    "infinite": npz({"_head.npy": head(), "x.npy": npy(np.array([np.inf], np.float32))}),
    "no array": npz({"_head.npy": head(), "x.npy": b"garbage"}),
    "claims 4 TB": npz({"_head.npy": head(), "x.npy": claim("(1000000000000,)")}),
    "claims 4 GB": npz({"_head.npy": head(), "x.npy": claim("(1000000000,)", b"\0" * 16)}),
    "claims less than nothing": npz({"_head.npy": head(), "x.npy": claim("(-1, 3)", b"\0" * 16)}),
    "zip bomb": npz(
        {"_head.npy": head(), "x.npy": npy(np.zeros(20_000_000, np.float32))},
        zipfile.ZIP_DEFLATED,
    ),
    "too large": b"\0" * (MAX_VOICE_BYTES + 1),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_bytes_are_refused(name: str) -> None:
    with pytest.raises(VoiceIncompatible) as refused:
        Voice.from_bytes(HOSTILE[name])
    assert isinstance(refused.value, EngineError)
    assert "voice file" in str(refused.value)


@pytest.mark.parametrize("name", ["zip bomb", "claims 4 GB", "claims 4 TB", "header is deep"])
def test_refusing_costs_little_memory(name: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(VoiceIncompatible):
            Voice.from_bytes(HOSTILE[name])
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()


def test_a_later_format_says_to_update() -> None:
    with pytest.raises(VoiceIncompatible, match="update voicepeer"):
        Voice.from_bytes(npz({"_head.npy": head(format=VOICE_FORMAT + 1)}))


def test_no_cut_voice_is_read() -> None:
    data = VOICE.to_bytes()
    for length in range(0, len(data), 7):
        with pytest.raises(VoiceIncompatible):
            Voice.from_bytes(data[:length])


@given(st.binary(max_size=400))
def test_no_bytes_break_it(data: bytes) -> None:
    with pytest.raises(VoiceIncompatible):
        Voice.from_bytes(data)


@given(st.integers(0, len(VOICE.to_bytes()) - 1), st.integers(1, 255))
def test_a_changed_byte_is_noticed_or_harmless(position: int, change: int) -> None:
    data = bytearray(VOICE.to_bytes())
    data[position] ^= change
    try:
        voice = Voice.from_bytes(bytes(data))
    except VoiceIncompatible:
        return
    assert voice.engine == "kokoro"
    np.testing.assert_array_equal(next(iter(voice.arrays.values())), STYLE)


@pytest.mark.parametrize(
    ("language", "voice"),
    [
        ("en-gb", "emma"),
        ("EN-GB", "emma"),
        ("en", "sky"),
        ("en-au", "sky"),
        ("fr", None),
        ("", None),
    ],
)
def test_a_language_has_a_voice_that_fits_it(language: str, voice: str | None) -> None:
    info = EngineInfo(
        name="e",
        version="1",
        sample_rate_hz=24_000,
        languages=frozenset({"en-us", "en-gb"}),
        min_reference_s=1.0,
        controls=ControlRanges(),
        streaming=False,
        word_times=False,
        licence="MIT",
        default_voices={"en-us": "sky", "en-gb": "emma"},
    )
    assert info.default_voice(language) == voice
