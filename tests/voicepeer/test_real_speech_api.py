"""The whole service with the real models, asked by OpenAI's own client."""

from __future__ import annotations

import io
import time
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import openai
import pytest

from voicepeer.child_service import running_service
from voicepeer.consent_check import PHRASE
from voicepeer.decoding import decode

pytestmark = pytest.mark.engine

TEXT = (
    "The quick brown fox jumps over the lazy dog, and then it sits down by the river to rest. "
    "Nobody has ever seen it there before."
)


Form: TypeAlias = Literal["pcm", "mp3", "opus"]
FORMATS: tuple[Form, ...] = get_args(Form)


async def said(client: openai.AsyncOpenAI, text: str, voice: str, speed: float = 1.0) -> bytes:
    answer = await client.audio.speech.create(
        model="tts-1", voice=voice, input=text, response_format="wav", speed=speed
    )
    return answer.content


async def first_byte_ms(client: openai.AsyncOpenAI, form: Form) -> float:
    started_s = time.perf_counter()
    async with client.audio.speech.with_streaming_response.create(
        model="tts-1", voice="alloy", input="How soon is this heard?", response_format=form
    ) as answer:
        pieces = answer.iter_bytes()
        await anext(pieces)
        elapsed_ms = (time.perf_counter() - started_s) * 1000
        async for _ in pieces:
            pass
    return elapsed_ms


async def test_a_voice_consents_is_cloned_and_says_something_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = ("--database", str(tmp_path / "voices.sqlite"))
    async with (
        running_service(database) as service,
        openai.AsyncOpenAI(base_url=f"{service.ready.url}/v1", api_key="none") as client,
    ):
        # The engine's own voices stand for two people.
        consent = await client.audio.voice_consents.create(
            name="Alloy", language="en-US", recording=("c.wav", await said(client, PHRASE, "alloy"))
        )
        sample = ("a.wav", await said(client, TEXT, "alloy"))
        voice = await client.audio.voices.create(
            name="Alloy's clone", audio_sample=sample, consent=consent.id
        )
        clone = decode(io.BytesIO(await said(client, "Hello there!", voice.id)), "clone", 9.0)
        assert 0.4 < clone.channels.shape[1] / clone.rate_hz < 2.5
        other = ("b.wav", await said(client, TEXT, "onyx"))
        with pytest.raises(openai.PermissionDeniedError) as caught:
            await client.audio.voices.create(name="Onyx", audio_sample=other, consent=consent.id)
        assert caught.value.code == "consent_speaker"
        figures = {form: await first_byte_ms(client, form) for form in FORMATS}
    with capsys.disabled():
        told = ", ".join(f"{form} {ms:.0f}" for form, ms in figures.items())
        print(f"\nms to the first byte: {told}")  # noqa: T201 - a figure, not a promise
    assert all(ms > 0 for ms in figures.values())
