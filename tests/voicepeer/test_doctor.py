"""The doctor: what it finds in good order, and that each thing broken is named with a remedy."""

from __future__ import annotations

import http.server
import importlib.metadata
import os
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np
import pytest

from engines import runtime
from engines.api import Reference
from tests.voicepeer.commandline import voicepeer
from tests.voicepeer.test_voice_keeping import key
from tests.voicepeer.test_voice_store import record
from voicepeer import clock, doctor, opus, rtc
from voicepeer.config import ENV_REFERENCE_KEYS, load
from voicepeer.doctor import examine
from voicepeer.finding import Finding
from voicepeer.reference_keeper import open_keeper
from voicepeer.stores import in_file

pytestmark = pytest.mark.unit


NOT_YET_THERE = str(Path(tempfile.gettempdir()) / "not-yet-there" / "voices.sqlite")


def findings(**settings: str) -> list[Finding]:
    """What is found with free port and fake models, and these settings (``section__name``)."""
    usual = {"server.port": "0", "engine.speech": "fake", "voices.database": NOT_YET_THERE}
    chosen = {name.replace("__", "."): value for name, value in settings.items()}
    return examine(load(usual | chosen, {}))


def faults(**settings: str) -> list[Finding]:
    return [finding for finding in findings(**settings) if finding.state == "fault"]


def only_fault(topic: str, **settings: str) -> Finding:
    (fault,) = faults(**settings)
    assert fault.topic == topic
    assert fault.remedy
    return fault


def test_this_machine_is_in_order() -> None:
    assert faults() == []
    assert {finding.topic for finding in findings()} == {
        *("python", "packages", "webrtc", "opus", "providers", "models"),
        *("cache", "voices", "disk", "clock", "access", "network", "media", "limits"),
    }


def test_a_port_in_use_is_a_fault() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert port in only_fault("network", server__port=port).what


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (
            b'{"status": "ready", "max_sessions": 1}',
            "127.0.0.1 port PORT is used by a service: ready",
        ),
        (b'{"status": "not_ready", "reason": "models"}', "not_ready (models)"),
        (b"<html>something else</html>", ""),
        (b'{"status": "UP"}', ""),
    ],
)
def test_a_port_that_a_service_of_ours_has_is_none(answer: bytes, told: str) -> None:
    class Ready(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/readyz" else 404)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Ready) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            port = str(server.server_address[1])
            if not told:
                assert port in only_fault("network", server__port=port).what
            else:
                assert faults(server__port=port) == []
                assert told.replace("PORT", port) in found("network", server__port=port).what
        finally:
            server.shutdown()
            thread.join()


def test_an_open_address_without_keys_is_a_fault() -> None:
    assert "without authentication" in only_fault("network", server__host="0.0.0.0").what


def test_an_unknown_model_is_a_fault_that_names_the_known() -> None:
    assert "kokoro" in only_fault("models", engine__speech="kokro").remedy


def test_a_weights_file_that_is_not_there_is_a_fault() -> None:
    assert "/none.onnx" in only_fault("models", engine__weights="/none.onnx").what


def test_a_provider_that_is_not_there_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "available_providers", lambda: ("cpu",))
    assert "voicepeer[gpu]" in only_fault("providers", engine__provider="cuda").remedy
    assert faults(engine__provider="cpu") == []
    (note,) = (found for found in findings() if (found.topic, found.state) == ("providers", "note"))
    assert "openvino" in note.remedy


def test_a_missing_package_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.metadata.version

    def version(name: str) -> str:
        if name == "soxr":
            raise importlib.metadata.PackageNotFoundError
        return real(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    assert "soxr" in only_fault("packages").what


def test_an_old_python_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 0))
    assert "3.11" in only_fault("python").remedy


def test_a_missing_opus_library_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise opus.OpusUnavailable("no libopus")

    monkeypatch.setattr(opus, "load_library", missing)
    assert "no libopus" in only_fault("opus").what


def test_a_full_disk_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "MIN_FREE_MB", 10**9)
    assert "free" in only_fault("cache").remedy


@pytest.mark.parametrize("name", ["file", "file/below", "x" * 300])
def test_a_cache_that_can_be_no_folder_is_a_fault(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_bytes(b"in the way")
    assert "another folder" in only_fault("cache", engine__cache_dir=str(tmp_path / name)).remedy


def test_a_broken_voice_database_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "voices.sqlite"
    path.write_bytes(b"no database" * 1000)
    assert str(path) in only_fault("voices", voices__database=str(path)).what


def test_a_pinned_voice_that_is_not_there_is_a_fault(tmp_path: Path) -> None:
    file, kept, missing = tmp_path / "voices.sqlite", record(), "0" * 32
    in_file(file).voices.put(kept)
    there = {"voices__database": str(file), "voices__pinned": kept.voice_id}
    assert faults(**there) == []
    there["voices__pinned"] += f",{missing}"
    assert only_fault("voices", **there).what == f"there is no saved voice {missing}"


def test_references_without_keys_or_with_others_are_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = {"voices__database": str(tmp_path / "voices.sqlite"), "voices__keep_reference": "true"}
    monkeypatch.delenv(ENV_REFERENCE_KEYS, raising=False)
    assert ENV_REFERENCE_KEYS in only_fault("voices", **there).what
    stores = in_file(tmp_path / "voices.sqlite")
    monkeypatch.setenv(ENV_REFERENCE_KEYS, key("first"))
    assert faults(**there) == [], "before any voice is saved"
    for one in (record("Ada"), record("Grace")):
        stores.voices.put(one)
        open_keeper(stores.references).keep(one.voice_id, Reference(np.ones(99, np.float32), 99))
    assert faults(**there) == []
    monkeypatch.setenv(ENV_REFERENCE_KEYS, key("second"))
    assert "sealed with the key 'first', which is not" in only_fault("voices", **there).what
    monkeypatch.setenv(ENV_REFERENCE_KEYS, key("first"))
    assert "another key of the name 'first'" in only_fault("voices", **there).what


# --- disks --------------------------------------------------------------------------------------


def test_a_disk_that_is_full_for_data_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "MIN_FREE_FOR_DATA_MB", 10**9)
    assert "voices.database" in only_fault("disk").remedy


def test_every_place_that_is_written_is_looked_at(tmp_path: Path) -> None:
    places = {
        "voices.database": tmp_path / "voices" / "v.sqlite",
        "ice.turn_database": tmp_path / "turn.sqlite",
        "audit.file": tmp_path / "audit.jsonl",
        "recording.folder": tmp_path / "recordings",
    }
    chosen = {name.replace(".", "__"): str(path) for name, path in places.items()}
    told = [found.what for found in findings(**chosen) if found.topic == "disk"]
    assert len(told) == len(places)
    for (name, path), what in zip(places.items(), told, strict=True):
        assert what.startswith(f"{path} can be written")
        assert name in what


def test_voices_in_a_file_of_another_name_are_looked_at_there(tmp_path: Path) -> None:
    path = tmp_path / "v.sqlite"
    assert found("disk", voices__store=f"sqlite:{path}").what.startswith(f"{path} can be written")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a read-only disk")
def test_a_disk_that_cannot_be_written_is_a_fault(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "voicepeer", "doctor", "--engine=fake", "--set=server.port=0"]
    place = f"--set=audit.file={tmp_path / 'audit.jsonl'}"
    # For root only a disk as such is read-only: it may write whatever has no right for it.
    mounted = f'mount --bind -o ro {tmp_path} {tmp_path} && exec "$@"'
    ran = subprocess.run(
        ["unshare", "--mount", "sh", "-c", mounted, "sh", *command, place],
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 1, ran.stderr
    (fault,) = (line for line in ran.stdout.splitlines() if line.startswith("fault"))
    assert f"{tmp_path} cannot be written (audit.file) -> " in fault


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a read-only disk")
def test_voices_on_a_disk_that_is_read_only_are_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "voices.sqlite"
    in_file(path).voices.put(record())
    command = [sys.executable, "-m", "voicepeer", "doctor", "--engine=fake", "--set=server.port=0"]
    mounted = f'mount --bind -o ro {tmp_path} {tmp_path} && exec "$@"'
    ran = subprocess.run(
        [
            "unshare",
            "--mount",
            "sh",
            "-c",
            mounted,
            "sh",
            *command,
            f"--set=voices.database={path}",
        ],
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 1, ran.stderr
    told = [line for line in ran.stdout.splitlines() if line.startswith("fault voices")]
    assert len(told) == 1
    assert f"the voice database {path} cannot be written: its disk is read-only" in told[0]


# --- clock, addresses ---------------------------------------------------------------------------


def found(topic: str, **settings: str) -> Finding:
    (one,) = (one for one in findings(**settings) if one.topic == topic)
    return one


def test_a_clock_that_is_behind_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "is_behind", lambda now_s: True)
    assert "timesyncd" in only_fault("clock").remedy


@pytest.mark.parametrize(("kept", "state"), [(True, "ok"), (None, "ok"), (False, "note")])
def test_a_clock_that_nobody_sets_is_noted(
    monkeypatch: pytest.MonkeyPatch, kept: bool | None, state: str
) -> None:
    monkeypatch.setattr(clock, "is_kept", lambda: kept)
    assert found("clock").state == state


def test_where_calls_come_in_is_told() -> None:
    told = found("media")
    assert told.state == "ok"
    assert all(address in told.what for address in rtc.host_addresses())


def test_media_addresses_of_another_machine_are_noted() -> None:
    assert found("media", ice__media_addresses="203.0.113.7").state == "note"
    ours = ",".join(rtc.host_addresses())
    assert found("media", ice__media_addresses=ours).state == "ok"


def test_a_machine_without_addresses_is_at_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rtc, "host_addresses", lambda: ["203.0.113.7"])  # of somebody else
    assert "no address" in only_fault("media").what


def test_a_wrong_media_address_is_told_once() -> None:
    assert "media" in only_fault("network", ice__media_addresses="10.0.0.0/4").what


def test_a_wrong_relay_is_told_once() -> None:
    wrong = {"ice__turn_urls": "turns:", "ice__turn_secret": "0123456789abcdef"}
    assert "TURN" in only_fault("network", **wrong).what


def test_relays_whose_database_is_missing_are_a_fault(tmp_path: Path) -> None:
    relays = {
        "ice__turn_urls": "turn:127.0.0.1:9",
        "ice__turn_database": str(tmp_path / "turn.sqlite"),
    }
    assert "turn-config" in only_fault("turn", **relays).remedy
    assert list(tmp_path.iterdir()) == []


# --- who may come in ----------------------------------------------------------------------------


def test_who_may_come_in_is_told_and_no_key() -> None:
    key = "planted-key-0123456789"
    (opened,) = (found for found in findings() if found.topic == "access")
    assert "no keys" in opened.what
    with_keys = findings(server__api_keys=key, auth__keys=f"site={key}2,kiosk={key}3")
    (access,) = (found for found in with_keys if found.topic == "access")
    assert access.what == "1 plain keys, 2 named ones, 0 for tokens"
    assert not any(key in f"{found}" for found in with_keys)


def test_looking_makes_nothing(tmp_path: Path) -> None:
    findings(
        voices__database=str(tmp_path / "data/v.sqlite"), engine__cache_dir=str(tmp_path / "c")
    )
    assert list(tmp_path.iterdir()) == []


def test_the_command_ends_with_0_or_1_and_json() -> None:
    healthy = voicepeer("doctor", "--engine", "fake", "--set", "server.port=0", "--json")
    assert (healthy.code, healthy.json["healthy"]) == (0, True)
    sick = voicepeer("doctor", "--engine", "kokro", "--set", "server.port=0", "--json")
    assert (sick.code, sick.json["healthy"]) == (1, False)
    shown = voicepeer("doctor", "--engine", "kokro", "--set", "server.port=0")
    assert shown.code == 1
    assert "did you mean 'kokoro'?" in shown.out


def test_a_wrong_config_is_a_finding() -> None:
    ran = voicepeer("doctor", "--set", "server.prot=1", "--json")
    assert ran.code == 1
    (finding,) = ran.json["findings"]
    assert "did you mean 'server.port'?" in finding["what"]
