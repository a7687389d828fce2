"""Voices and consents over HTTP: made by OpenAI's own client, owned, carried away and deleted."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import openai
import pytest
from aiohttp import ClientPayloadError, ClientResponse, ClientSession, FormData

from engines.api import Voice
from engines.fakes import Script
from signaling.config import AuthConfig, SignalingConfig
from signaling.places import UPLOADS
from tests.clips import clip_path
from tests.peers.audio import ADA, BOB, AudioSetting, audio_service
from tests.peers.engine import LocalEngine
from tests.voicepeer.recordings import wav_bytes
from tests.voicepeer.test_voice_file import fields_of, file_of
from voicepeer import voice_file
from voicepeer.voice_store import new_voice_id

pytestmark = pytest.mark.peer

STATEMENT = "I am Jennifer and agree that my voice is cloned."
RECORDING = clip_path("en_jennifer")


@pytest.fixture
def parts(tmp_path: Path) -> AudioSetting:
    return AudioSetting(tmp_path, config=SignalingConfig(api_keys=(ADA, BOB)))


@pytest.fixture
async def setting(parts: AudioSetting) -> AsyncIterator[AudioSetting]:
    async with audio_service(parts) as running:
        yield running


class Caller:
    """Plain HTTP with one key."""

    def __init__(self, http: ClientSession) -> None:
        self.http = http

    async def ask(self, method: str, path: str, **body: Any) -> tuple[int, Any]:  # noqa: ANN401
        """Status and body of an answer; the error itself of a refusal."""
        async with self.http.request(method, f"/v1/audio{path}", **body) as answer:
            told = await answer.json()
            return answer.status, told if answer.status < 400 else told["error"]

    async def consent(self, **changes: object) -> str:
        """Id of a consent in writing."""
        body = {"name": "Jennifer", "statement": STATEMENT} | changes
        status, told = await self.ask("POST", "/voice_consents", json=body)
        assert status == 200, told
        return str(told["id"])

    async def clone(
        self, consent: str, data: bytes | None = None, name: str = "Jen"
    ) -> tuple[int, Any]:
        """Upload a recording."""
        form = FormData({"name": name, "consent": consent})
        sample = RECORDING.read_bytes() if data is None else data
        form.add_field("audio_sample", sample, filename="me.wav", content_type="audio/wav")
        return await self.ask("POST", "/voices", data=form)


def caller_of(setting: AudioSetting, key: str) -> ClientSession:
    return ClientSession(setting.url, headers={"Authorization": f"Bearer {key}"})


@pytest.fixture
async def ada(setting: AudioSetting) -> AsyncIterator[Caller]:
    async with caller_of(setting, ADA) as http:
        yield Caller(http)


@pytest.fixture
async def bob(setting: AudioSetting) -> AsyncIterator[Caller]:
    async with caller_of(setting, BOB) as http:
        yield Caller(http)


@pytest.fixture
def heard() -> bytes:
    return RECORDING.read_bytes()


async def test_openais_client_consents_clones_speaks_and_deletes(
    setting: AudioSetting, heard: bytes
) -> None:
    async with setting.client(ADA) as client:
        consent = await client.audio.voice_consents.create(
            name="Jennifer", language="de-DE", recording=("consent.wav", heard, "audio/wav")
        )
        assert consent.object == "audio.voice_consent"
        assert (await client.audio.voice_consents.retrieve(consent.id)) == consent
        voice = await client.audio.voices.create(
            name="Jen", audio_sample=("me.wav", heard, "audio/wav"), consent=consent.id
        )
        assert (voice.object, voice.type, voice.name) == ("audio.voice", "audio_sample", "Jen")
        spoken = await client.audio.speech.create(
            model="tts-1", voice={"id": voice.id}, input="Hello.", response_format="pcm"
        )
        assert len(spoken.content) > 10_000
        renamed = await client.audio.voice_consents.update(consent.id, name="Jen's consent")
        assert renamed.name == "Jen's consent"
        assert [one.id async for one in client.audio.voice_consents.list()] == [consent.id]
        assert (await client.audio.voices.delete(voice.id)).deleted
        assert (await client.audio.voice_consents.delete(consent.id)).deleted
        with pytest.raises(openai.NotFoundError):
            await client.audio.voice_consents.retrieve(consent.id)
    assert await setting.saved() == []


async def test_a_voice_is_renamed_by_its_owner_only(ada: Caller, bob: Caller) -> None:
    _, voice = await ada.clone(await ada.consent())
    path = f"/voices/{voice['id']}"
    status, told = await ada.ask("POST", path, json={"name": "Jennifer"})
    assert (status, told) == (200, voice | {"name": "Jennifer"})
    assert (await ada.ask("GET", "/voices/Jennifer"))[1]["id"] == voice["id"]
    assert (await ada.ask("POST", path, json={"name": ""}))[0] == 400
    assert (await ada.ask("POST", path, json={"name": "a\u202eb"}))[0] == 400
    status, error = await bob.ask("POST", path, json={"name": "Bob's"})
    assert (status, error["code"]) == (404, "voice_not_found")
    stock = next(
        one for one in (await ada.ask("GET", "/voices"))[1]["data"] if "consent" not in one
    )
    status, error = await ada.ask("POST", f"/voices/{stock['id']}", json={"name": "mine"})
    assert (status, error["code"]) == (403, "stock_voice")
    assert (await ada.ask("GET", path))[1]["name"] == "Jennifer"


async def test_the_audit_log_tells_who_did_what_and_nothing_more(
    setting: AudioSetting, ada: Caller
) -> None:
    consent = await ada.consent()
    _, voice = await ada.clone(consent)
    body = {"input": "A secret message.", "voice": voice["id"]}
    async with ada.http.post("/v1/audio/speech", json=body) as answer:
        await answer.read()
    async with ada.http.get(f"/v1/audio/voices/{voice['id']}/export") as answer:
        await answer.read()
    await ada.ask("DELETE", f"/voices/{voice['id']}")
    lines = setting.audited()
    assert [one.event for one in lines] == ["consent", "clone", "use", "export", "delete"]
    assert {one.key_id for one in lines} == {lines[0].key_id}
    assert {one.voice_id for one in lines[1:]} == {voice["id"]}
    assert {one.consent_id for one in lines} == {consent}
    raw = (setting.folder / "audit.jsonl").read_text()
    assert not re.search(f"secret|Jen|agree|{ADA}", raw)


async def test_others_find_nothing(ada: Caller, bob: Caller) -> None:
    consent = await ada.consent()
    _, voice = await ada.clone(consent)
    for method, path in [
        ("GET", f"/voices/{voice['id']}"),
        ("GET", "/voices/Jen"),
        ("DELETE", f"/voices/{voice['id']}"),
        ("GET", f"/voices/{voice['id']}/export"),
        ("GET", f"/voice_consents/{consent}"),
        ("DELETE", f"/voice_consents/{consent}"),
    ]:
        status, error = await bob.ask(method, path)
        assert status == 404, (method, path)
        assert error["code"] in {"voice_not_found", "consent_not_found"}
    status, error = await bob.ask("POST", f"/voice_consents/{consent}", json={"name": "mine"})
    assert status == 404
    assert (await bob.clone(consent))[0] == 404
    body = {"input": "Hello.", "voice": voice["id"]}
    async with bob.http.post("/v1/audio/speech", json=body) as answer:
        assert answer.status == 404
    _, listed = await bob.ask("GET", "/voices")
    assert {one["type"] for one in listed["data"]} == {"stock"}
    assert (await bob.ask("GET", "/voice_consents"))[1]["data"] == []
    assert (await ada.ask("GET", f"/voices/{voice['id']}"))[0] == 200


async def test_a_deleted_voice_is_gone_though_the_engine_is_lost(
    setting: AudioSetting, ada: Caller
) -> None:
    _, voice = await ada.clone(await ada.consent())
    setting.engine.crashes = 1
    status, _ = await ada.ask("DELETE", f"/voices/{voice['id']}")
    assert (status, setting.engine.forgotten) == (200, [])
    assert await setting.saved() == []
    _, again = await ada.clone(await ada.consent())
    await ada.ask("DELETE", f"/voices/{again['id']}")
    assert len(setting.engine.forgotten) == 1


async def test_voices_of_the_engine_are_there_for_all_and_nobodys(bob: Caller) -> None:
    _, shown = await bob.ask("GET", "/voices/mid")
    assert (shown["id"], shown["type"]) == ("mid", "stock")
    for method, path in [("DELETE", "/voices/mid"), ("GET", "/voices/mid/export")]:
        status, error = await bob.ask(method, path)
        assert (status, error["code"]) == (403, "stock_voice")


async def test_pages_are_walked_from_the_newest_voice_on(ada: Caller) -> None:
    consent = await ada.consent()
    made = [(await ada.clone(consent, name=f"take {number}"))[1]["id"] for number in range(2)]
    seen: list[str] = []
    after, more = "", True
    while more:
        query = f"?limit=2&after={after}" if after else "?limit=2"
        _, page = await ada.ask("GET", f"/voices{query}")
        seen += [one["id"] for one in page["data"]]
        after, more = page["last_id"], page["has_more"]
    assert seen == [*reversed(made), "high", "low", "mid"]
    for query in ("?limit=0", "?limit=101", "?limit=many"):
        status, error = await ada.ask("GET", f"/voices{query}")
        assert (status, error["code"]) == (400, "invalid_value")
    status, error = await ada.ask("GET", "/voices?after=nobody")
    assert (status, error["param"]) == (404, "after")


async def test_a_consent_comes_first(ada: Caller) -> None:
    status, error = await ada.clone("cons_0123456789abcdef0123456789abcdef")
    assert (status, error["code"]) == (404, "consent_not_found")


async def test_withdrawing_a_consent_removes_its_voices(setting: AudioSetting, ada: Caller) -> None:
    consent, other = await ada.consent(), await ada.consent()
    _, voice = await ada.clone(consent)
    _, stays = await ada.clone(other)
    revoked: list[str] = []
    setting.revocations.listen(revoked.append)
    status, told = await ada.ask("DELETE", f"/voice_consents/{consent}")
    assert (status, told["voices_deleted"]) == (200, [voice["id"]])
    assert revoked == [voice["id"]]
    assert len(setting.engine.forgotten) == 1
    assert (await ada.ask("GET", f"/voices/{voice['id']}"))[0] == 404
    assert (await ada.ask("GET", f"/voices/{stays['id']}"))[0] == 200


async def test_a_voice_goes_to_another_service_with_its_consent(
    setting: AudioSetting, ada: Caller, bob: Caller
) -> None:
    _, voice = await ada.clone(await ada.consent(version=7))
    async with ada.http.get(f"/v1/audio/voices/{voice['id']}/export") as answer:
        assert answer.headers["Content-Disposition"].startswith("attachment")
        data = await answer.read()
    carried = voice_file.decode(data)
    assert (carried.consent.statement, carried.consent.version) == (STATEMENT, 7)
    headers = {"Content-Type": "application/octet-stream"}
    status, taken = await bob.ask("POST", "/voices/import", data=data, headers=headers)
    assert status == 200
    assert taken["id"] != voice["id"]
    _, consent = await bob.ask("GET", f"/voice_consents/{taken['consent']}")
    assert (consent["statement"], consent["kind"]) == (STATEMENT, "import")
    # It is a voice of its own: that of the first key may go.
    await ada.ask("DELETE", f"/voices/{voice['id']}")
    assert (await bob.ask("GET", "/voices/Jen"))[1]["id"] == taken["id"]
    await bob.ask("DELETE", f"/voices/{taken['id']}")
    assert (await bob.ask("GET", f"/voice_consents/{taken['consent']}"))[0] == 404


async def test_what_is_no_voice_file_is_refused(ada: Caller) -> None:
    headers = {"Content-Type": "application/octet-stream"}
    for data in (b"", b"no voice", b"voicepeer voice\n" + b"\xc1" * 99):
        status, error = await ada.ask("POST", "/voices/import", data=data, headers=headers)
        assert (status, error["code"]) == (400, "voice_file_invalid")
    status, _ = await ada.ask("POST", "/voices/import", json={})
    assert status == 415


async def export(ada: Caller, voice_id: str) -> bytes:
    async with ada.http.get(f"/v1/audio/voices/{voice_id}/export") as answer:
        assert answer.status == 200
        return await answer.read()


async def take_in(caller: Caller, data: bytes) -> tuple[int, Any]:
    headers = {"Content-Type": "application/octet-stream"}
    return await caller.ask("POST", "/voices/import", data=data, headers=headers)


async def test_a_voice_that_is_taken_in_gets_a_name_of_its_own(ada: Caller, bob: Caller) -> None:
    _, voice = await ada.clone(await ada.consent())
    data = await export(ada, voice["id"])
    taken = [(await take_in(ada, data))[1] for _ in range(2)]
    assert [one["name"] for one in taken] == ["Jen (2)", "Jen (3)"]
    for one in (voice, *taken):
        assert (await ada.ask("GET", f"/voices/{one['name']}"))[1]["id"] == one["id"]
    # Nobody else's names count.
    assert (await take_in(bob, data))[1]["name"] == "Jen"


async def test_a_voice_does_not_come_back_once_its_consent_is_withdrawn(
    setting: AudioSetting, ada: Caller, bob: Caller
) -> None:
    consent = await ada.consent()
    _, voice = await ada.clone(consent)
    data = await export(ada, voice["id"])
    _, copy = await take_in(bob, data)
    of_copy = await export(bob, copy["id"])
    _, told = await ada.ask("DELETE", f"/voice_consents/{consent}")
    assert sorted(told["voices_deleted"]) == sorted([voice["id"], copy["id"]])
    for caller in (ada, bob):
        for file in (data, of_copy):
            status, error = await take_in(caller, file)
            assert (status, error["code"]) == (409, "consent_withdrawn")
    assert await setting.saved() == []
    assert (await bob.ask("GET", "/voice_consents"))[1]["data"] == []


@pytest.mark.parametrize(
    "changes",
    [
        {"consent_when": float("inf")},
        {"consent_when": float("nan")},
        {"consent_version": 2**64 - 1},
        {"name": "\x1b]0;title\x07"},
        {"name": "x" * 1_000_000},
        {"consent_who": "x" * 1_000_000},
        {"consent_statement": "x" * 5_000_000},
        {"embedding": np.full(256, np.nan, "<f4").tobytes()},
    ],
    ids=lambda changes: "".join(changes),
)
async def test_a_file_that_no_service_wrote_is_refused_and_nothing_kept(
    setting: AudioSetting, ada: Caller, changes: dict[str, object]
) -> None:
    _, voice = await ada.clone(await ada.consent())
    fields = fields_of(await export(ada, voice["id"]))
    status, error = await take_in(ada, file_of(fields | changes))
    assert (status, error["code"]) == (400, "voice_file_invalid")
    assert len(await setting.saved()) == 1
    assert (await ada.ask("GET", "/voice_consents"))[0] == 200


@pytest.mark.parametrize("name", ["\x1b[2J", "a\nb", "\u202eadA", "x" * 101, ""])
async def test_names_are_short_and_can_be_printed(ada: Caller, name: str) -> None:
    consent = await ada.consent()
    bodies: list[tuple[str, dict[str, Any]]] = [
        ("/voice_consents", {"json": {"name": name, "statement": STATEMENT}}),
        (f"/voice_consents/{consent}", {"json": {"name": name}}),
    ]
    for path, body in bodies:
        status, error = await ada.ask("POST", path, **body)
        assert (status, error["code"], error["param"]) == (400, "invalid_value", "name")
    status, error = await ada.clone(consent, name=name)
    assert (status, error["param"]) == (400, "name")


async def test_ones_own_voice_comes_before_those_of_the_same_name(
    setting: AudioSetting, ada: Caller, bob: Caller
) -> None:
    """Whoever asks for it: it is the one that is listed, shown and deleted by that name."""
    for name in ("alloy", "mid"):
        _, voice = await ada.clone(await ada.consent(), name=name)
        assert (await ada.ask("GET", f"/voices/{name}"))[1]["id"] == voice["id"]
        (mine,) = [one.voice for one in await setting.saved() if one.name == name]
        for caller, same in ((ada, True), (bob, False)):
            body = {"input": "Hello.", "voice": name, "response_format": "pcm"}
            async with caller.http.post("/v1/audio/speech", json=body) as answer:
                assert answer.status == 200
                await answer.read()
            spoken = setting.engine.spoken_as[-1]
            assert (spoken.to_bytes() == mine.to_bytes()) is same


async def test_a_database_that_fails_is_told_of_without_its_path(
    setting: AudioSetting, ada: Caller, caplog: pytest.LogCaptureFixture
) -> None:
    await ada.consent()
    setting.voices.path.write_bytes(b"no database" * 1_000)
    for method, path in [("GET", "/voice_consents"), ("GET", "/voices"), ("DELETE", "/voices/a")]:
        status, error = await ada.ask(method, path)
        assert (status, error["code"]) == (500, "voice_store_unusable")
        assert str(setting.folder) not in str(error)
        assert "sqlite" not in str(error).lower()
    assert str(setting.folder) in caplog.text


def silent(data: bytes) -> bytes:
    return wav_bytes(np.zeros(80_000, dtype=np.float32), 16_000)


def short(data: bytes) -> bytes:
    return data[: 44 + 24_000]


def header_only(data: bytes) -> bytes:
    return wav_bytes(np.zeros(0, dtype=np.float32), 16_000)


def numberless(data: bytes) -> bytes:
    return wav_bytes(np.full(80_000, np.nan, dtype=np.float32), 16_000, "f32")


@pytest.mark.parametrize(
    ("spoil", "status", "code"),
    [
        (lambda data: b"", 422, "audio_empty"),
        (header_only, 422, "audio_empty"),
        (lambda data: b"MZ" + bytes(range(256)) * 20, 415, "audio_unreadable"),
        (silent, 422, "audio_silent"),
        (short, 422, "audio_too_little_speech"),
        (numberless, 422, "audio_not_numbers"),
        (lambda data: data + bytes(11 * 1024 * 1024), 413, "too_large"),
    ],
)
async def test_bad_recordings_have_their_own_codes(
    ada: Caller, heard: bytes, spoil: Callable[[bytes], bytes], status: int, code: str
) -> None:
    consent = await ada.consent()
    got, error = await ada.clone(consent, spoil(heard))
    assert (got, error["code"]) == (status, code)
    assert error["message"]


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"consent": "c"}, "name"),
        ({"name": "n"}, "consent"),
        ({"name": "n", "consent": "c"}, "audio_sample"),
        ({"name": "  ", "consent": "c"}, "name"),
        ({"name": "n" * 101, "consent": "c"}, "name"),
    ],
)
async def test_incomplete_forms_are_refused(
    ada: Caller, fields: dict[str, str], param: str
) -> None:
    form = FormData(fields, default_to_multipart=True)
    status, error = await ada.ask("POST", "/voices", data=form)
    assert (status, error["param"]) == (400, param)


async def test_a_file_may_come_before_its_fields_and_go_by_another_name(
    ada: Caller, heard: bytes
) -> None:
    form = FormData()
    form.add_field("file", heard, filename="../../etc/passwd.wav", content_type="audio/wav")
    form.add_field("name", "Jen")
    form.add_field("consent", await ada.consent())
    status, voice = await ada.ask("POST", "/voices", data=form)
    assert (status, voice["name"]) == (200, "Jen")


async def test_several_voices_of_one_name_are_told_apart_by_their_ids(ada: Caller) -> None:
    consent = await ada.consent()
    ids = {(await ada.clone(consent))[1]["id"] for _ in range(2)}
    status, error = await ada.ask("GET", "/voices/Jen")
    assert (status, error["code"]) == (409, "voice_ambiguous")
    assert all(one in error["message"] for one in ids)


async def test_a_consent_that_is_withdrawn_while_we_listen_gives_no_voice(
    parts: AudioSetting,
) -> None:
    parts.engine = LocalEngine(Script(enrol_delay_ms=500.0))
    async with audio_service(parts), caller_of(parts, ADA) as http:
        ada = Caller(http)
        consent = await ada.consent()
        cloning = asyncio.create_task(ada.clone(consent))
        async with asyncio.timeout(30):
            while not parts.engine.references:  # noqa: ASYNC110 - in the service
                await asyncio.sleep(0.01)
        await ada.ask("DELETE", f"/voice_consents/{consent}")
        status, error = await cloning
    assert (status, error["code"]) == (404, "consent_not_found")
    assert await parts.saved() == []


async def test_a_key_without_the_right_to_clone_may_still_speak(parts: AudioSetting) -> None:
    limited = AuthConfig({"web": (ADA,)}, {"web": frozenset({"speak"})})
    parts.config = replace(SignalingConfig(), auth=limited)
    async with audio_service(parts), caller_of(parts, ADA) as http:
        caller = Caller(http)
        status, error = await caller.ask("POST", "/voice_consents", json={})
        assert (status, error["type"]) == (403, "permission_error")
        assert (await caller.ask("GET", "/voices"))[0] == 200
        body = {"input": "Hello.", "voice": "mid"}
        async with http.post("/v1/audio/speech", json=body) as answer:
            assert answer.status == 200
    async with audio_service(parts), ClientSession(parts.url) as http:
        unknown: ClientResponse = await http.get("/v1/models")
        assert unknown.status == 401
        assert unknown.headers["WWW-Authenticate"].startswith("Bearer")


async def test_a_voice_of_another_engine_is_not_taken_in(
    setting: AudioSetting, ada: Caller
) -> None:
    await ada.clone(await ada.consent())
    (record,) = await setting.saved()
    other = replace(record, voice=Voice("other", "1", {}), voice_id=new_voice_id())
    headers = {"Content-Type": "application/octet-stream"}
    status, error = await ada.ask(
        "POST", "/voices/import", data=voice_file.encode(other), headers=headers
    )
    assert (status, error["code"]) == (409, "voice_incompatible")


async def test_a_voice_may_be_made_for_a_while(setting: AudioSetting, ada: Caller) -> None:
    consent = await ada.consent()
    form = FormData({"name": "Jen", "consent": consent, "ttl_s": "3600"})
    form.add_field("audio_sample", RECORDING.read_bytes(), filename="me.wav")
    _, voice = await ada.ask("POST", "/voices", data=form)
    assert 3_500 < voice["expires_at"] - voice["created_at"] <= 3_600
    assert await asyncio.to_thread(setting.voices.purge, voice["expires_at"] + 1.0) == 1
    assert (await ada.ask("GET", f"/voices/{voice['id']}"))[0] == 404
    for wrong in ("0", "-1", "long", "1e12"):
        form = FormData({"name": "Jen", "consent": consent, "ttl_s": wrong})
        form.add_field("audio_sample", b"", filename="me.wav")
        status, error = await ada.ask("POST", "/voices", data=form)
        assert (status, error["param"]) == (400, "ttl_s")


@pytest.mark.parametrize(
    ("wish", "matched"),
    [({}, False), ({"match_channel": "true"}, True), ({"match_channel": "0"}, False)],
)
async def test_a_voice_sounds_like_its_recording_where_that_is_asked_for(
    setting: AudioSetting, ada: Caller, wish: dict[str, str], matched: bool
) -> None:
    form = FormData({"name": "Jen", "consent": await ada.consent()} | wish)
    form.add_field("audio_sample", RECORDING.read_bytes(), filename="me.wav")
    status, _ = await ada.ask("POST", "/voices", data=form)
    assert status == 200
    (record,) = await setting.saved()
    assert ("channel" in record.voice.arrays) == matched


async def test_a_wish_that_is_neither_yes_nor_no_is_refused(ada: Caller) -> None:
    form = FormData({"name": "Jen", "consent": await ada.consent(), "match_channel": "perhaps"})
    form.add_field("audio_sample", b"", filename="me.wav")
    status, error = await ada.ask("POST", "/voices", data=form)
    assert (status, error["param"]) == (400, "match_channel")


async def test_more_uploads_than_there_is_memory_for_are_put_off(
    setting: AudioSetting, ada: Caller, heard: bytes
) -> None:
    setting.app[UPLOADS]._shares.places = 0
    status, error = await ada.clone(await ada.consent(), heard)
    assert (status, error["code"]) == (503, "at_capacity")


async def test_a_text_that_is_being_said_ends_with_its_voice(parts: AudioSetting) -> None:
    parts.engine = LocalEngine(Script(chunk_delay_ms=30.0))
    async with audio_service(parts), caller_of(parts, ADA) as http:
        ada = Caller(http)
        _, voice = await ada.clone(await ada.consent())
        body = {"input": "A long story. " * 40, "voice": f"mix:{voice['id']}=0.5,mid=0.5"}
        answer = await http.post("/v1/audio/speech", json=body | {"response_format": "pcm"})
        await answer.content.readany()
        await ada.ask("DELETE", f"/voices/{voice['id']}")
        with pytest.raises(ClientPayloadError):
            await answer.read()
        assert [one.outcome for one in parts.told] == ["failed"]
        async with http.post("/v1/audio/speech", json=body) as again:
            assert again.status == 404
        async with http.post("/v1/audio/speech", json=body | {"voice": "mix:mid=1"}) as odd:
            assert odd.status == 400
    assert parts.revocations._listeners == set()
