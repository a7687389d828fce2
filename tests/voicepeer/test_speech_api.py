"""OpenAI's own client, unchanged, has texts said by ``/v1/audio/speech``."""

from __future__ import annotations

import asyncio
import base64
import io
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import openai
import pytest
from aiohttp import ClientResponse, ClientSession

from engines.fakes import AMPLITUDE, CHAR_MS, Script
from signaling.app import Readiness, SignalingConfig
from signaling.limits import DAY_S, LimitKind, Rate
from tests.peers.audio import ADA, BOB, AudioSetting, audio_service
from tests.peers.engine import LocalEngine
from voicepeer.core.pcm import Pcm, from_pcm16, level_dbfs
from voicepeer.decoding import decode
from voicepeer.encoding import FORMATS, OUTPUT_RATE_HZ, AudioFormat
from voicepeer.openai_voices import OPENAI_VOICES
from voicepeer.speech_service import OPENAI_MODELS, SpeechLimits
from voicepeer.spoken_file import SILENCE_MS

pytestmark = pytest.mark.peer

TEXT = "Hello there, this is a text of some length."
LEVEL_DBFS = 20 * np.log10(AMPLITUDE / np.sqrt(2))


@pytest.fixture
def parts(tmp_path: Path) -> AudioSetting:
    return AudioSetting(tmp_path)


@pytest.fixture
async def setting(parts: AudioSetting) -> AsyncIterator[AudioSetting]:
    async with audio_service(parts) as running:
        yield running


@pytest.fixture
async def client(setting: AudioSetting) -> AsyncIterator[openai.AsyncOpenAI]:
    async with setting.client() as opened:
        yield opened


@pytest.fixture
async def http(setting: AudioSetting) -> AsyncIterator[ClientSession]:
    async with ClientSession(setting.url) as opened:
        yield opened


def samples(pcm_file: bytes) -> Pcm:
    return from_pcm16(np.frombuffer(pcm_file, "<i2"))


@pytest.mark.parametrize("form", FORMATS)
async def test_every_format_is_heard_as_it_was_made(
    client: openai.AsyncOpenAI, form: AudioFormat
) -> None:
    answer = await client.audio.speech.create(
        model="tts-1", voice="alloy", input=TEXT, response_format=form
    )
    data = await answer.aread()
    if form == "pcm":
        heard, rate_hz = samples(data), OUTPUT_RATE_HZ
    else:
        decoded = decode(io.BytesIO(data), "answer", 60.0)
        heard, rate_hz = decoded.channels[0], decoded.rate_hz
    # MP3 and AAC begin and end with what their windows need.
    assert heard.size / rate_hz == pytest.approx(len(TEXT) * CHAR_MS / 1000, abs=0.12)
    assert level_dbfs(heard) == pytest.approx(LEVEL_DBFS, abs=0.7)


async def test_models_are_listed_and_shown(client: openai.AsyncOpenAI) -> None:
    names = [model.id async for model in client.models.list()]
    assert names == ["fake", *OPENAI_MODELS]
    assert (await client.models.retrieve("fake")).owned_by == "voicepeer"
    with pytest.raises(openai.NotFoundError) as caught:
        await client.models.retrieve("gpt-9")
    assert caught.value.code == "model_not_found"


async def test_the_first_bytes_come_before_the_text_is_said(parts: AudioSetting) -> None:
    parts.engine = LocalEngine(Script(chunk_delay_ms=30.0))
    async with (
        audio_service(parts),
        parts.client() as client,
        client.audio.speech.with_streaming_response.create(
            model="fake", voice="mid", input=TEXT * 3, response_format="pcm"
        ) as answer,
    ):
        pieces = answer.iter_bytes()
        await anext(pieces)
        (stream,) = parts.engine.streams
        assert not stream.cancelled
        rest = b"".join([piece async for piece in pieces])
    assert len(rest) > 2 * OUTPUT_RATE_HZ


async def test_whoever_hangs_up_ends_the_work(parts: AudioSetting) -> None:
    parts.engine = LocalEngine(Script(chunk_delay_ms=50.0))
    parts.limits = SpeechLimits(at_once=1)
    async with audio_service(parts), ClientSession(parts.url) as http:
        body = {"input": TEXT * 20, "voice": "mid", "response_format": "pcm"}
        answer = await http.post("/v1/audio/speech", json=body)
        await answer.content.readany()
        answer.close()
        await _cancelled(parts.engine)
        assert [(one.form, one.outcome) for one in parts.told] == [("pcm", "cancelled")]
        # Its place is free again, and a text is said in it.
        again = await http.post("/v1/audio/speech", json=body | {"input": "Hi."})
        assert again.status == 200
        await again.read()


async def test_whoever_hangs_up_before_the_first_byte_ends_the_work_too(
    parts: AudioSetting,
) -> None:
    parts.engine = LocalEngine(Script(first_chunk_delay_ms=400.0, chunk_delay_ms=10.0))
    async with audio_service(parts), ClientSession(parts.url) as http:
        body = {"input": TEXT * 20, "voice": "mid"}
        asking = asyncio.create_task(http.post("/v1/audio/speech", json=body))
        async with asyncio.timeout(30):
            while not parts.engine.streams:  # noqa: ASYNC110 - in the service
                await asyncio.sleep(0.01)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await _cancelled(parts.engine)


async def _cancelled(engine: LocalEngine) -> None:
    async with asyncio.timeout(30):
        while not engine.streams[0].cancelled:  # noqa: ASYNC110 - in the service
            await asyncio.sleep(0.01)


async def test_more_texts_than_there_is_room_for_are_put_off(parts: AudioSetting) -> None:
    parts.engine = LocalEngine(Script(chunk_delay_ms=20.0))
    parts.limits = SpeechLimits(at_once=1)
    async with audio_service(parts), parts.client() as client, ClientSession(parts.url) as http:
        body = {"input": TEXT, "voice": "mid", "response_format": "pcm"}
        first = await http.post("/v1/audio/speech", json=body)
        with pytest.raises(openai.InternalServerError) as caught:
            await client.audio.speech.create(model="fake", voice="mid", input="Me too.")
        await first.read()
        # OpenAI's client tries again by itself, as told by Retry-After.
        patient = client.with_options(max_retries=2)
        await patient.audio.speech.create(model="fake", voice="mid", input="Me too.")
    assert (caught.value.status_code, caught.value.code) == (503, "at_capacity")
    assert caught.value.response.headers["Retry-After"] == "1"
    assert [one.outcome for one in parts.told] == ["done", "done"]
    assert all((one.first_bytes_ms or 0.0) > 0.0 for one in parts.told)


@pytest.mark.parametrize("form", ["audio", "sse"])
async def test_a_key_that_never_reads_leaves_places_to_others(
    parts: AudioSetting, form: str
) -> None:
    parts.engine = LocalEngine(Script(chunk_delay_ms=20.0))
    parts.config = SignalingConfig(api_keys=(ADA, BOB), max_speeches=4)
    parts.limits = SpeechLimits(at_once=4)
    body = {"input": TEXT, "voice": "mid", "response_format": "pcm", "stream_format": form}
    async with audio_service(parts), ClientSession(parts.url) as http:

        async def asked(key: str) -> ClientResponse:
            headers = {"Authorization": f"Bearer {key}"}
            return await http.post("/v1/audio/speech", json=body, headers=headers)

        unread = [await asked(ADA) for _ in range(4)]
        other = await asked(BOB)
        assert [one.status for one in unread] == [200, 200, 200, 429]
        assert other.status == 200
        for one in (*unread, other):
            one.close()


async def test_a_client_of_an_earlier_http_gets_the_file_until_the_end_of_the_connection(
    setting: AudioSetting,
) -> None:
    """As nginx asks unless it is told otherwise."""
    body = json.dumps({"input": TEXT, "voice": "mid", "response_format": "pcm"})
    head = f"POST /v1/audio/speech HTTP/1.0\r\nHost: localhost\r\nContent-Length: {len(body)}"
    port = int(setting.url.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"{head}\r\nContent-Type: application/json\r\n\r\n{body}".encode())
    answer, _, data = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    assert b" 200 " in answer.splitlines()[0]
    assert b"chunked" not in answer.lower()
    assert samples(data).size == pytest.approx(len(TEXT) * CHAR_MS * OUTPUT_RATE_HZ / 1000, abs=2)


async def test_events_carry_the_file_and_end_with_what_it_took(setting: AudioSetting) -> None:
    async with (
        setting.client() as client,
        client.audio.speech.with_streaming_response.create(
            model="fake", voice="mid", input=TEXT, response_format="wav", stream_format="sse"
        ) as answer,
    ):
        assert answer.headers["content-type"] == "text/event-stream"
        lines = [line async for line in answer.iter_lines()]
    events = [json.loads(line.removeprefix("data: ")) for line in lines if line]
    assert [one["type"] for one in events[:-1]] == ["speech.audio.delta"] * (len(events) - 1)
    data = b"".join(base64.b64decode(one["audio"]) for one in events[:-1])
    decoded = decode(io.BytesIO(data), "events", 60.0)
    duration_ms = decoded.channels.shape[1] * 1000 / decoded.rate_hz
    assert duration_ms == pytest.approx(len(TEXT) * CHAR_MS, abs=1)
    assert events[-1]["type"] == "speech.audio.done"
    assert events[-1]["usage"] == {
        "input_tokens": len(TEXT),
        "output_tokens": round(duration_ms / 50),
        "total_tokens": len(TEXT) + round(duration_ms / 50),
    }


@pytest.mark.parametrize("stream_format", ["audio", "sse"])
async def test_a_failure_before_the_first_byte_has_a_status(
    parts: AudioSetting, stream_format: str
) -> None:
    parts.engine = LocalEngine(Script(fault="refuse"))
    async with audio_service(parts), ClientSession(parts.url) as http:
        body = {"input": TEXT, "voice": "mid", "stream_format": stream_format}
        answer = await http.post("/v1/audio/speech", json=body)
        error = (await answer.json())["error"]
    assert (answer.status, error["type"], error["code"]) == (500, "server_error", "engine_failed")


async def test_a_failure_in_the_middle_cuts_the_file_or_is_an_event(parts: AudioSetting) -> None:
    parts.engine = LocalEngine(Script(fault="refuse", fault_after=3))
    async with audio_service(parts), parts.client() as client, ClientSession(parts.url) as http:
        with pytest.raises(openai.APIConnectionError):
            await client.audio.speech.create(
                model="fake", voice="mid", input=TEXT, response_format="pcm"
            )
        body = {"input": TEXT, "voice": "mid", "response_format": "pcm", "stream_format": "sse"}
        answer = await http.post("/v1/audio/speech", json=body)
        *deltas, last = [line async for line in answer.content if line.strip()]
    assert len(deltas) == 3
    assert [one.outcome for one in parts.told] == ["failed", "failed"]
    failed = json.loads(last.removeprefix(b"data: "))
    assert (failed["type"], failed["error"]["code"]) == ("error", "engine_failed")


@pytest.mark.parametrize("name", sorted(OPENAI_VOICES))
async def test_every_voice_of_openai_has_one_that_stands_for_it(
    setting: AudioSetting, client: openai.AsyncOpenAI, name: str
) -> None:
    await client.audio.speech.create(model="tts-1", voice=name, input="Hi.")
    stock = await setting.engine.stock_voices()
    wanted = {"alloy": "mid", "nova": "high"}.get(name, "low")
    assert setting.engine.spoken_as[0].to_bytes() == stock[wanted].to_bytes()


async def test_speed_and_emotion_are_followed_as_far_as_possible(
    setting: AudioSetting, http: ClientSession
) -> None:
    body = {"input": TEXT, "voice": {"id": "mid"}, "response_format": "pcm"}
    fast = await http.post("/v1/audio/speech", json=body | {"speed": 4.0})
    assert "became 2" in fast.headers["VoicePeer-Notes"]
    seconds = len(await fast.read()) / 2 / OUTPUT_RATE_HZ
    assert seconds == pytest.approx(len(TEXT) * CHAR_MS / 2000, abs=0.01)
    happy = await http.post(
        "/v1/audio/speech", json=body | {"instructions": "Sound cheerful, please."}
    )
    assert "VoicePeer-Notes" not in happy.headers
    assert setting.engine.streams[-1].controls.pitch_semitones > 1.0
    pirate = await http.post("/v1/audio/speech", json=body | {"instructions": "Be a pirate."})
    assert "ignored" in pirate.headers["VoicePeer-Notes"]


async def test_the_language_is_found_out_or_said(
    setting: AudioSetting, http: ClientSession
) -> None:
    german = {"input": "Guten Morgen, das ist ein ganz normaler Satz.", "voice": "mid"}
    assert (await http.post("/v1/audio/speech", json=german)).status == 200
    assert setting.engine.segments[-1].language == "de-de"
    said = german | {"language": "en"}
    assert (await http.post("/v1/audio/speech", json=said)).status == 200
    assert setting.engine.segments[-1].language == "en-us"
    klingon = await http.post("/v1/audio/speech", json=german | {"language": "tlh"})
    error = (await klingon.json())["error"]
    assert (klingon.status, error["code"]) == (400, "language_unsupported")


async def test_where_there_is_nothing_to_say_there_is_a_little_silence(
    client: openai.AsyncOpenAI,
) -> None:
    answer = await client.audio.speech.create(
        model="tts-1", voice="alloy", input="... !?", response_format="pcm"
    )
    heard = samples(answer.content)
    assert heard.size == SILENCE_MS * OUTPUT_RATE_HZ / 1000
    assert not heard.any()


@pytest.mark.parametrize(
    ("change", "status", "code", "param"),
    [
        ({"input": ""}, 400, "invalid_value", "input"),
        ({"input": None}, 400, "invalid_value", "input"),
        ({"input": "x" * 4097}, 400, "text_too_long", "input"),
        ({"voice": "nobody"}, 404, "voice_not_found", None),
        ({"voice": ""}, 400, "invalid_value", "voice"),
        ({"voice": {"name": "mid"}}, 400, "invalid_value", "voice"),
        ({"model": "whisper-1"}, 404, "model_not_found", "model"),
        ({"response_format": "ogg"}, 400, "invalid_value", "response_format"),
        ({"speed": 0.2}, 400, "invalid_value", "speed"),
        ({"speed": 4.1}, 400, "invalid_value", "speed"),
        ({"stream_format": "websocket"}, 400, "invalid_value", "stream_format"),
        ({"language": "not a tag"}, 400, "invalid_value", "language"),
    ],
)
async def test_what_cannot_be_done_is_refused_in_openais_form(
    http: ClientSession, change: dict[str, object], status: int, code: str, param: str | None
) -> None:
    body = {"input": "Hello.", "voice": "mid", "model": "fake"} | change
    answer = await http.post("/v1/audio/speech", json=body)
    error = (await answer.json())["error"]
    assert (answer.status, error["code"]) == (status, code), error
    assert error["param"] == param
    assert error["message"]


@pytest.mark.parametrize(
    ("body", "kind", "status", "code"),
    [
        (b"{", "application/json", 400, "bad_json"),
        (b"\xff\xfe", "application/json", 400, "bad_json"),
        (b"[" * 100_000, "application/json", 400, "invalid_value"),
        (b"input=hello", "application/x-www-form-urlencoded", 415, "unsupported_media_type"),
        (b" " * 300_000, "application/json", 413, "too_large"),
    ],
)
async def test_what_cannot_be_read_is_refused(
    http: ClientSession, body: bytes, kind: str, status: int, code: str
) -> None:
    headers = {"Content-Type": kind}
    answer = await http.post("/v1/audio/speech", data=body, headers=headers)
    assert (answer.status, (await answer.json())["error"]["code"]) == (status, code)


async def test_a_service_without_its_models_says_so(parts: AudioSetting) -> None:
    parts.state = Readiness(False, "the models are being loaded")
    async with audio_service(parts), parts.client() as client:
        with pytest.raises(openai.InternalServerError, match="being loaded") as caught:
            await client.audio.speech.create(model="fake", voice="mid", input="Hello.")
        with pytest.raises(openai.InternalServerError):
            await client.models.list()
    assert caught.value.status_code == 503
    assert caught.value.response.headers["Retry-After"] == "5"


async def test_a_page_of_digits_is_too_long_as_it_is_said(
    setting: AudioSetting, http: ClientSession
) -> None:
    body = {"input": "7" * 4_000, "voice": "mid"}
    answer = await http.post("/v1/audio/speech", json=body)
    error = (await answer.json())["error"]
    assert (answer.status, error["code"]) == (400, "text_too_long")
    assert setting.engine.streams == []


async def test_quotas_count_what_is_said(parts: AudioSetting) -> None:
    rates: dict[LimitKind, tuple[Rate, ...]] = {"characters": (Rate(1_100, DAY_S),)}
    parts.config = replace(parts.config, api_keys=(ADA,), rates=rates)
    headers = {"Authorization": f"Bearer {ADA}"}
    async with audio_service(parts), ClientSession(parts.url, headers=headers) as http:
        body = {"input": "$999,999.99 " * 10, "voice": "mid", "response_format": "pcm"}
        statuses = []
        for _ in range(2):
            answer = await http.post("/v1/audio/speech", json=body)
            statuses.append(answer.status)
            await answer.read()
    assert 2 * len(str(body["input"])) < 1_100
    assert statuses == [200, 429]
    assert [one.outcome for one in parts.told] == ["done", "cancelled"]
