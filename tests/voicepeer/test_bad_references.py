"""Every kind of recording that people bring, on the command line and over HTTP."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import ClientSession, FormData

from engines import ge2e, silero
from engines.api import Embedding
from engines.fakes import FakeSpeechEngine
from signaling.app import SignalingConfig
from tests.clips import clip
from tests.peers.audio import ADA, AudioSetting, audio_service
from tests.peers.engine import LocalEngine
from tests.voicepeer.bad_references import KINDS, SPEAKER, Kind, speech
from tests.voicepeer.recordings import wav_bytes
from voicepeer.core.errors import AudioRejected
from voicepeer.offline import Cloned, Ears, clone
from voicepeer.voice_store import ConsentRecord

pytestmark = pytest.mark.engine

CONSENT = ConsentRecord("I am Elli and agree.", "Elli", 0.0)
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.name))


@pytest.fixture(scope="module")
def ears() -> Ears:
    return Ears(ge2e.create({}), silero.create({}))


@pytest.fixture(scope="module")
def speaker(ears: Ears) -> Embedding:
    return ears.encoder.embed(clip(SPEAKER))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Files that are written already, by kind: some take a while."""
    return {"": tmp_path_factory.mktemp("recordings")}


def file_of(kind: Kind, written: dict[str, Path]) -> Path:
    if kind.name not in written:
        folder = written[""] / kind.name
        folder.mkdir()
        kind.write(folder / kind.file)
        written[kind.name] = folder / kind.file
    return written[kind.name]


def cloned(path: Path, ears: Ears, name: str = "Elli") -> Cloned:
    return clone(path, name, CONSENT, FakeSpeechEngine(), ears)


@every_kind
def test_a_file_gives_the_speaker_or_says_why_not(
    kind: Kind, written: dict[str, Path], ears: Ears, speaker: Embedding
) -> None:
    path = file_of(kind, written)
    if not kind.faults:
        embedding = cloned(path, ears).record.embedding
        assert embedding is not None
        assert float(embedding @ speaker) > 0.85
        return
    with pytest.raises(AudioRejected, match=kind.says) as caught:
        cloned(path, ears)
    assert caught.value.fault in kind.faults


# --- over HTTP ---------------------------------------------------------------------------------


@pytest.fixture
async def setting(tmp_path: Path, ears: Ears) -> AsyncIterator[AudioSetting]:
    engine = LocalEngine(encoder=ears.encoder, vad=ears.vad)
    made = AudioSetting(tmp_path, engine, SignalingConfig(api_keys=(ADA,)))
    async with audio_service(made) as running:
        yield running


@pytest.fixture
async def ada(setting: AudioSetting) -> AsyncIterator[ClientSession]:
    async with ClientSession(headers={"Authorization": f"Bearer {ADA}"}) as http:
        yield http


async def uploaded(
    http: ClientSession, setting: AudioSetting, data: bytes, name: str
) -> tuple[int, dict[str, str]]:
    audio = f"{setting.url}/v1/audio"
    agreed = {"name": "Elli", "statement": CONSENT.statement}
    async with http.post(f"{audio}/voice_consents", json=agreed) as answer:
        consent = (await answer.json())["id"]
    form = FormData({"name": "Elli", "consent": consent})
    form.add_field("audio_sample", data, filename=name, content_type="audio/wav")
    async with http.post(f"{audio}/voices", data=form) as answer:
        told = await answer.json()
        return answer.status, told.get("error", told)


@every_kind
async def test_an_upload_gives_the_speaker_or_says_why_not(
    kind: Kind,
    written: dict[str, Path],
    setting: AudioSetting,
    ada: ClientSession,
    speaker: Embedding,
) -> None:
    data = await asyncio.to_thread(lambda: file_of(kind, written).read_bytes())
    status, told = await uploaded(ada, setting, data, kind.file)
    kept = await setting.saved()
    if kind.name == "two hours":
        assert (status, told["code"]) == (413, "too_large"), "an upload has 10 MB"
        assert kept == []
    elif kind.faults:
        assert status == kind.http_status
        assert told["code"] in {f"audio_{fault}" for fault in kind.faults}
        assert re.search(kind.says, told["message"])
        assert kept == []
    else:
        assert status == 200, told
        assert kept[0].embedding is not None
        assert float(kept[0].embedding @ speaker) > 0.85


async def test_the_name_of_an_upload_is_only_a_name(
    setting: AudioSetting, ada: ClientSession
) -> None:
    status, told = await uploaded(ada, setting, b"", "../../../etc/passwd")
    assert (status, told["code"]) == (422, "audio_empty")
    assert "/" not in told["message"]
    files = await asyncio.to_thread(lambda: {path.name for path in setting.folder.rglob("*")})
    assert {name.partition(".")[0] for name in files} == {"audit", "voices"}


# --- more than a voice or none -----------------------------------------------------------------


def test_a_telephone_recording_is_warned_of_and_sounds_more_like_its_speaker_than_others(
    tmp_path: Path, ears: Ears
) -> None:
    (tmp_path / "take.wav").write_bytes(wav_bytes(speech(8_000), 8_000))
    made = cloned(tmp_path / "take.wav", ears)
    assert made.record.embedding is not None
    names = ("de_Elli", "de_Sonja", "de_Gaby", "en_susan", "de_Friedrich")
    likeness = {
        name: float(made.record.embedding @ ears.encoder.embed(clip(name))) for name in names
    }
    assert max(likeness, key=lambda name: likeness[name]) == "de_Elli"
    assert any("muffled" in warning for warning in made.suitability.warnings)


def test_a_name_is_only_a_name(tmp_path: Path, ears: Ears) -> None:
    path = tmp_path / "take.wav"
    path.write_bytes(wav_bytes(speech(), 24_000))
    made = cloned(path, ears, "../../etc/passwd\0")
    assert made.record.name == "../../etc/passwd\0"
    assert [entry.name for entry in tmp_path.rglob("*")] == ["take.wav"]
