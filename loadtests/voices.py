"""Voices over HTTP: those that a service has, speech of theirs to learn from, and uploads."""

from __future__ import annotations

import json
from typing import Final, TypeVar

import aiohttp
import msgspec
import numpy as np

from voicepeer.benches.sounds import vowel
from voicepeer.client import RequestFailed
from voicepeer.core.pcm import Pcm

REFERENCES: Final = 4
"""Speakers whom users sound like; more would only take longer to be made."""

REFERENCE_TEXT: Final = (
    "When the sunlight strikes raindrops in the air, they act as a prism and form a rainbow. "
    "People look, but no one ever finds it; they say that the pot of gold is somewhere else."
)

FAKE_F0_HZ: Final = (110.0, 140.0, 175.0, 210.0)
"""Of speakers for the fake models."""

_PHRASES, _PHRASE_S, _VOICED_SHARE, _NOISE = 8, 1.0, 0.7, 3e-4

_TIMEOUT: Final = aiohttp.ClientTimeout(total=120.0)


AnswerT = TypeVar("AnswerT")


class _Voice(msgspec.Struct):
    id: str
    type: str


class _Voices(msgspec.Struct):
    data: list[_Voice]


class _Made(msgspec.Struct):
    id: str


def http(token: str | None) -> aiohttp.ClientSession:
    """A session of requests with the token that the service asks for."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return aiohttp.ClientSession(headers=headers, timeout=_TIMEOUT)


async def stock_voices(url: str, token: str | None) -> list[str]:
    """Ids of the voices that a service has of its own, those that speak English before others.

    Raises:
        RequestFailed: refused, or it is another kind of service.
        aiohttp.ClientError: not reachable.
    """
    async with http(token) as session, session.get(f"{url}/v1/audio/voices") as answer:
        voices = (await _checked(answer, _Voices)).data
    stock = sorted(voice.id for voice in voices if voice.type == "stock")
    english = [voice for voice in stock if voice.startswith(("af_", "am_", "bf_", "bm_"))]
    return english or stock


async def make_references(url: str, token: str | None) -> list[bytes]:
    """Speech of some of these voices as WAV files, so that no recorded person is needed.

    Raises: as ``stock_voices``.
    """
    voices = (await stock_voices(url, token))[:REFERENCES]
    async with http(token) as session:
        return [await _speech(session, url, voice) for voice in voices]


async def _speech(session: aiohttp.ClientSession, url: str, voice: str) -> bytes:
    wanted = {"model": "tts-1", "voice": voice, "input": REFERENCE_TEXT, "response_format": "wav"}
    async with session.post(f"{url}/v1/audio/speech", json=wanted) as answer:
        if answer.status != 200:
            await _checked(answer, dict)
        if answer.content_type != "audio/wav":
            raise _unlike_voicepeer()
        return await answer.read()


def phrases(f0_hz: float) -> Pcm:
    """Eight phrases of a synthetic vowel with pauses in faint noise, 48 kHz.

    Speech enough for the fake models, whose own tones a service takes for music.
    """
    pcm = vowel(_PHRASES * _PHRASE_S, f0_hz).reshape(_PHRASES, -1)
    pcm[:, round(_VOICED_SHARE * pcm.shape[1]) :] = 0.0
    noise = np.random.default_rng(1).normal(0.0, _NOISE, pcm.size)
    return (pcm.reshape(-1) + noise).astype(np.float32)


class Uploader:
    """Voices that are made of files, with their consents, as a program of somebody would."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self._session = session
        self._url = f"{url}/v1/audio"

    async def clone(self, name: str, statement: str, wav: bytes) -> tuple[str, str]:
        """Put a consent on record and clone a recording under it; ids of the consent and voice."""
        wanted = {"name": name, "statement": statement, "version": 1}
        async with self._session.post(f"{self._url}/voice_consents", json=wanted) as answer:
            consent = (await _checked(answer, _Made)).id
        try:
            return consent, await self._clone_under(consent, name, wav)
        except BaseException:
            # Nobody else knows of this consent, so it would stay on record.
            await self.withdraw(consent)
            raise

    async def _clone_under(self, consent: str, name: str, wav: bytes) -> str:
        form = aiohttp.FormData({"name": name, "consent": consent})
        form.add_field("audio_sample", wav, filename="voice.wav", content_type="audio/wav")
        async with self._session.post(f"{self._url}/voices", data=form) as answer:
            return (await _checked(answer, _Made)).id

    async def withdraw(self, consent: str) -> None:
        """Withdraw a consent, which deletes its voices."""
        async with self._session.delete(f"{self._url}/voice_consents/{consent}") as answer:
            await _checked(answer, dict)


async def _checked(answer: aiohttp.ClientResponse, kind: type[AnswerT]) -> AnswerT:
    """What was answered; raises ``RequestFailed`` for an error, or for another service's answer."""
    body = await answer.read()
    if answer.status < 400:
        try:
            return msgspec.json.decode(body, type=kind)
        except msgspec.DecodeError:
            raise _unlike_voicepeer() from None
    try:
        error = json.loads(body)["error"]
        code, message = str(error["code"]), str(error["message"])
    except (ValueError, KeyError, TypeError):
        code, message = f"http_{answer.status}", "the service answered with an error"
    raise RequestFailed(code, message)


def _unlike_voicepeer() -> RequestFailed:
    return RequestFailed("unlike_voicepeer", "this is no answer of VoicePeer")
