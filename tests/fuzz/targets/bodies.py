"""Bodies of HTTP requests: JSON, forms, recordings and voice files."""

from __future__ import annotations

import asyncio
import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
from aiohttp import StreamReader
from aiohttp.base_protocol import BaseProtocol
from aiohttp.test_utils import make_mocked_request

from engines.api import Voice
from signaling.audio_messages import ConsentStatement, ConsentUpdate, SpeechRequest
from signaling.bodies import checked, read_form
from signaling.gate import ApiError
from tests.fuzz.target import Fuzzed, Target, parser
from tests.voicepeer.recordings import wav_bytes
from voicepeer import voice_file
from voicepeer.audio import read_recording
from voicepeer.core.errors import AudioRejected
from voicepeer.core.speaking.instructions import emotion_of
from voicepeer.encoding import FORMATS, encoder
from voicepeer.voice_file import VoiceFileInvalid
from voicepeer.voice_store import ConsentRecord, VoiceRecord

NINETEEN_CHANNELS = Path(__file__).parents[2] / "voicepeer/nineteen_channels.aac"
"""Once ended the process."""

_BOUNDARY = "fuzzed"
_FILE_BYTES = 4_096
_FORM = (
    b'--fuzzed\r\nContent-Disposition: form-data; name="name"\r\n\r\nAda\r\n'
    b'--fuzzed\r\nContent-Disposition: form-data; name="audio_sample"; filename="a.wav"\r\n'
    b"Content-Type: audio/wav\r\n\r\nRIFF\0\0\r\n--fuzzed--\r\n"
)
_FORM_WORDS = (
    b"\r\n--fuzzed\r\n",
    b"--fuzzed--",
    b"Content-Type: multipart/mixed; boundary=inner\r\n",
    b'Content-Disposition: form-data; name="_charset_"\r\n\r\nutf-7',
    b"Content-Transfer-Encoding: base64\r\n",
    b"Content-Encoding: gzip\r\n",
    b"Content-Length: 99999999999\r\n",
    b"; filename*=utf-8''%ff%00",
)


def _request(data: bytes) -> None:
    asked = checked(data, SpeechRequest)
    emotion_of(asked.instructions)
    assert 0.25 <= asked.speed <= 4.0


def _consent(data: bytes) -> None:
    with suppress(ApiError):
        checked(data, ConsentUpdate)
    given = checked(data, ConsentStatement)
    assert 10 <= len(given.statement) <= 2_000


async def _read_form(data: bytes) -> None:
    reader = StreamReader(BaseProtocol(asyncio.get_running_loop()), 2**22)
    reader.feed_data(data)
    reader.feed_eof()
    headers = {"Content-Type": f"multipart/form-data; boundary={_BOUNDARY}"}
    request = make_mocked_request("POST", "/", headers, payload=reader)
    with suppress(ApiError):
        form = await read_form(request, _FILE_BYTES)
        assert sum(len(one.data) for one in form.files.values()) <= _FILE_BYTES
        assert all(one.name.isprintable() for one in form.files.values())


@contextmanager
def _reading_forms() -> Iterator[Fuzzed]:
    with asyncio.Runner() as runner, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield lambda data: runner.run(_read_form(data))


def _hear(data: bytes) -> None:
    heard = read_recording(io.BytesIO(data), "fuzzed", max_s=2.0)
    assert np.isfinite(heard.pcm).all()
    assert heard.duration_s <= 2.1


def _recordings() -> Iterator[bytes]:
    tone = np.asarray(0.3 * np.sin(np.arange(6_000) / 9.0), dtype=np.float32)
    for form in FORMATS:
        made = encoder(form, 24_000)
        yield made.push(tone) + made.finish()
    yield wav_bytes(np.stack([tone, -tone]), 48_000, "f32")
    yield NINETEEN_CHANNELS.read_bytes()


_VOICE = voice_file.encode(
    VoiceRecord(
        voice_id="0" * 32,
        name="Ada",
        voice=Voice("fake", "1", {"style": np.arange(8, dtype=np.float32)}),
        consent=ConsentRecord("I agree.", "Ada", 1.0),
        created=1.0,
        embedding=np.ones(4, dtype=np.float32),
    )
)

TARGETS = (
    parser(
        "speech-requests",
        _request,
        ApiError,
        (
            b'{"input":"Hello.","voice":"alloy","model":"tts-1","speed":1.5}',
            b'{"input":"Hi","voice":{"id":"x"},"instructions":"sound sad","language":"en-US"}',
        ),
        (b'"stream_format":"sse"', b'"response_format":"opus"', b"1e999", b"\\ud800", b"null"),
    ),
    parser(
        "consents",
        _consent,
        ApiError,
        (b'{"name":"Ada","statement":"I agree to be cloned.","language":"de","version":2}',),
    ),
    Target("forms", (_FORM,), _reading_forms, _FORM_WORDS),
    parser("recordings", _hear, AudioRejected, tuple(_recordings())),
    parser("voice-files", voice_file.decode, VoiceFileInvalid, (_VOICE,)),
)
