"""``voices backup``, ``restore``, ``reference`` and ``rekey``, as an operator types them."""

from __future__ import annotations

import json
import secrets
import stat
import wave
from base64 import b64encode
from pathlib import Path

import pytest

from tests.clips import clip_path
from tests.redis_server import RedisServer
from tests.voicepeer.commandline import FAKE, Ran, voicepeer

pytestmark = pytest.mark.unit

KEEP = ("--set", "voices.keep_reference=true")


def key(name: str) -> str:
    return f"{name}={b64encode(secrets.token_bytes(32)).decode()}"


@pytest.fixture
def database(tmp_path: Path) -> str:
    return str(tmp_path / "voices.sqlite")


def clone(database: str, name: str, *options: str) -> str:
    made = voicepeer(
        *("clone", str(clip_path("en_jennifer")), "--name", name, "--consent", "I agree."),
        *("--speaker", "Jennifer", *FAKE, "--database", database, "--json", *options),
    )
    assert made.code == 0, made.err
    return str(made.json["voice_id"])


def voices(database: str, *arguments: str) -> Ran:
    return voicepeer("voices", *arguments, "--database", database, "--json")


def test_reference_audio_is_kept_read_and_sealed_anew(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, heard = key("first"), key("second"), tmp_path / "heard.wav"
    clone(database, "Without")
    monkeypatch.setenv("VOICEPEER_REFERENCE_KEYS", first)
    voice_id = clone(database, "Jen", *KEEP)
    assert voices(database, "reference", "Jen", str(heard)).json["voice_id"] == voice_id
    assert stat.S_IMODE(heard.stat().st_mode) == 0o600
    with wave.open(str(heard)) as file:
        assert file.getframerate() == 16_000
        assert file.getnframes() / 16_000 > 2.0
    assert heard.read_bytes()[100:200] not in Path(database).read_bytes()
    none = voices(database, "reference", "Without", str(heard))
    assert "no reference audio is kept" in none.complaint

    monkeypatch.setenv("VOICEPEER_REFERENCE_KEYS", second)
    refused = voices(database, "rekey")
    assert refused.code == 1
    assert "'first'" in refused.err
    assert refused.json["changed"] == 0
    for action in ("reference", "export"):
        onto = voices(database, action, "Jen", database)
        assert onto.code != 0
        assert "database in use" in onto.complaint
    monkeypatch.setenv("VOICEPEER_REFERENCE_KEYS", f"{second},{first}")
    done = {"changed": 1, "current": 0, "refused": [], "key_id": "second"}
    assert voices(database, "rekey").json == done
    monkeypatch.setenv("VOICEPEER_REFERENCE_KEYS", second)
    assert voices(database, "reference", "Jen", str(heard)).code == 0
    assert voices(database, "rekey").json == done | {"changed": 0, "current": 1}


def test_without_keys_no_reference_is_kept_and_nothing_cloned(database: str) -> None:
    made = voicepeer(
        *("clone", str(clip_path("en_jennifer")), "--name", "Jen", "--consent", "I agree."),
        *(*FAKE, "--database", database, *KEEP),
    )
    assert made.code != 0
    assert "VOICEPEER_REFERENCE_KEYS" in made.complaint
    assert voices(database, "list").json == []
    assert "VOICEPEER_REFERENCE_KEYS" in voices(database, "rekey").complaint


def test_a_backup_goes_from_a_file_to_another(database: str, tmp_path: Path) -> None:
    voice_id, file, audit = clone(database, "Jen"), tmp_path / "b", tmp_path / "audit"
    noted = ("--set", f"audit.file={audit}")
    made = voices(database, "backup", str(file), *noted)
    assert made.json["voices"] == made.json["consents"] == 1
    again = voices(database, "backup", str(file))
    assert "--force" in again.complaint
    other = str(tmp_path / "other" / "voices.sqlite")
    assert voices(other, "restore", str(file), *noted).json["voices_now"] == 1
    assert voices(other, "show", "Jen").json["voice_id"] == voice_id
    assert "--force" in voices(other, "restore", str(file)).complaint
    assert voices(other, "restore", str(file), "--force").code == 0
    lines = [json.loads(line) for line in audit.read_text().splitlines()]
    assert [(line["event"], line["reason"]) for line in lines] == [
        ("export", "backup"),
        ("import", "backup"),
    ]


@pytest.mark.needs("redis-server")
def test_voices_move_to_a_redis_by_a_backup(
    database: str, tmp_path: Path, redis_for_all: RedisServer
) -> None:
    voice_id, file = clone(database, "Jen"), tmp_path / "b"
    assert voices(database, "backup", str(file)).code == 0
    there = ("--set", f"voices.store={redis_for_all.url}", "--json")
    assert voicepeer("voices", "restore", str(file), *there).json["voices_now"] == 1
    assert voicepeer("voices", "show", "Jen", *there).json["voice_id"] == voice_id
    said = voicepeer("voices", "delete", "Jen", *there)
    assert said.json == {"deleted": voice_id}
    assert voicepeer("voices", "list", *there).json == []


def test_a_redis_that_is_not_there_is_explained(tmp_path: Path) -> None:
    ran = voicepeer("voices", "list", "--set", "voices.store=redis://127.0.0.1:1")
    assert ran.code != 0
    assert "redis://127.0.0.1:1/0 cannot be reached: is it running" in ran.complaint


@pytest.mark.parametrize("action", ["backup", "restore", "reference", "rekey"])
def test_help_has_an_example(action: str) -> None:
    assert f"voicepeer voices {action}" in voicepeer("voices", action, "--help").out
