"""Voices over HTTP: what is taken of an answer, and that nothing stays on record by mistake."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from loadtests.arrivals import Arrivals
from loadtests.user import LoadUser, Voice
from loadtests.voices import FAKE_F0_HZ, Uploader, http, make_references, phrases, stock_voices
from loadtests.wire import Event, UserPlan
from voicepeer.client import RequestFailed

pytestmark = pytest.mark.peer

VOICES = {"data": [{"id": "zf_x", "type": "stock"}, {"id": "mine", "type": "cloned"}]}
CONSENTS, CLONES = "/v1/audio/voice_consents", "/v1/audio/voices"


@dataclass
class Service:
    """Answers as it is told to, and keeps what it was asked."""

    url: str = ""
    answers: dict[tuple[str, str], web.Response] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    tokens: list[str | None] = field(default_factory=list)
    waits: asyncio.Event | None = None
    """Clones take until this is set."""

    async def answer(self, request: web.Request) -> web.Response:
        await request.read()
        self.asked.append((request.method, request.path))
        self.tokens.append(request.headers.get("Authorization"))
        if self.waits is not None and (request.method, request.path) == ("POST", CLONES):
            await self.waits.wait()
        kept = self.answers[request.method, request.path]
        return web.Response(body=kept.body, status=kept.status, headers=kept.headers)


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    made = Service()
    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", made.answer)
    async with TestServer(app) as server:
        made.url = str(server.make_url("")).rstrip("/")
        yield made


def consents(service: Service) -> None:
    service.answers["POST", CONSENTS] = web.json_response({"id": "consent-1", "name": "x"})
    service.answers["DELETE", f"{CONSENTS}/consent-1"] = web.json_response({"deleted": True})


async def cloned(service: Service) -> tuple[str, str]:
    async with http(None) as session:
        return await Uploader(session, service.url).clone("user-0", "I agree.", b"RIFF")


async def test_the_voices_of_a_service_are_its_own_ones(service: Service) -> None:
    service.answers["GET", CLONES] = web.json_response(VOICES)
    assert await stock_voices(service.url, "key") == ["zf_x"]
    assert service.tokens == ["Bearer key"]


async def test_those_that_speak_english_come_before_others(service: Service) -> None:
    english = [{"id": name, "type": "stock"} for name in ("bm_b", "af_a")]
    service.answers["GET", CLONES] = web.json_response({"data": [*VOICES["data"], *english]})
    assert await stock_voices(service.url, None) == ["af_a", "bm_b"]
    assert service.tokens == [None]


@pytest.mark.parametrize("body", ["<html>", "[]", "{}", '{"data": [{"name": "x"}]}', ""])
async def test_another_kind_of_service_is_said_to_be_one(service: Service, body: str) -> None:
    service.answers["GET", CLONES] = web.Response(text=body)
    with pytest.raises(RequestFailed, match="no answer of VoicePeer"):
        await stock_voices(service.url, None)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ('{"error": {"code": "unauthorized", "message": "no"}}', "unauthorized"),
        ("<html>", "http_403"),
        ('{"error": "no"}', "http_403"),
    ],
)
async def test_a_refusal_has_the_word_of_the_service(
    service: Service, body: str, code: str
) -> None:
    service.answers["GET", CLONES] = web.Response(text=body, status=403)
    with pytest.raises(RequestFailed) as refused:
        await stock_voices(service.url, None)
    assert refused.value.code == code


async def test_speech_to_learn_from_is_speech(service: Service) -> None:
    service.answers["GET", CLONES] = web.json_response(VOICES)
    speech = ("POST", "/v1/audio/speech")
    service.answers[speech] = web.Response(body=b"RIFF", content_type="audio/wav")
    assert await make_references(service.url, None) == [b"RIFF"]
    service.answers[speech] = web.Response(text="<html>")
    with pytest.raises(RequestFailed, match="no answer of VoicePeer"):
        await make_references(service.url, None)
    service.answers[speech] = web.json_response(
        {"error": {"code": "x", "message": "y"}}, status=400
    )
    with pytest.raises(RequestFailed, match="y"):
        await make_references(service.url, None)


async def test_a_file_is_cloned_under_a_consent(service: Service) -> None:
    consents(service)
    service.answers["POST", CLONES] = web.json_response({"id": "voice-1"})
    assert await cloned(service) == ("consent-1", "voice-1")
    assert service.asked == [("POST", CONSENTS), ("POST", CLONES)]


async def test_a_clone_that_is_refused_leaves_no_consent(service: Service) -> None:
    consents(service)
    service.answers["POST", CLONES] = web.Response(status=413)
    with pytest.raises(RequestFailed) as refused:
        await cloned(service)
    assert refused.value.code == "http_413"
    assert service.asked[-1] == ("DELETE", f"{CONSENTS}/consent-1")


async def test_a_clone_that_is_interrupted_leaves_no_consent(service: Service) -> None:
    consents(service)
    service.answers["POST", CLONES] = web.json_response({"id": "voice-1"})
    service.waits = asyncio.Event()
    cloning = asyncio.create_task(cloned(service))
    async with asyncio.timeout(20):
        while ("POST", CLONES) not in service.asked:  # noqa: ASYNC110 - it is elsewhere
            await asyncio.sleep(0.01)
    cloning.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cloning
    service.waits.set()
    assert service.asked[-1] == ("DELETE", f"{CONSENTS}/consent-1")


async def test_a_service_without_a_voice_is_no_fault_of_a_tester(service: Service) -> None:
    service.answers["GET", CLONES] = web.json_response({"data": []})
    voice = Voice(Path("none.wav"), phrases(FAKE_F0_HZ[0]))
    told: list[Event] = []

    async def nothing(user: LoadUser) -> None:
        """No round is ever begun."""

    user = LoadUser(
        UserPlan(name="x"), nothing, service.url, None, [voice], told.append, Arrivals()
    )
    with pytest.raises(RequestFailed) as refused:
        await user.a_stock_voice()
    assert refused.value.code == "no_stock_voice"


def test_phrases_are_speech_with_pauses() -> None:
    pcm = phrases(FAKE_F0_HZ[0])
    second = np.abs(pcm[:48_000])
    assert pcm.size == 8 * 48_000
    assert second[: 48_000 // 2].max() > 100 * second[-4_800:].max()
    assert 0 < second[-4_800:].max() < 0.01
