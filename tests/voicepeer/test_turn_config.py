"""``voicepeer turn-config``: what it writes, and what it asks for."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from tests.voicepeer.commandline import voicepeer
from voicepeer import rtc

pytestmark = pytest.mark.unit


def settings(folder: Path) -> list[str]:
    return [
        f"--set=ice.turn_database={folder / 'turn' / 'turn.sqlite'}",
        "--set=ice.media_addresses=192.0.2.7",
    ]


def test_it_prints_what_depends_on_the_settings(tmp_path: Path) -> None:
    ran = voicepeer("turn-config", *settings(tmp_path))
    assert ran.code == 0
    assert f"userdb={tmp_path / 'turn' / 'turn.sqlite'}\n" in ran.out
    assert ran.out.endswith("allowed-peer-ip=192.0.2.7\n")


def test_it_makes_the_database_that_coturn_is_to_find(tmp_path: Path) -> None:
    voicepeer("turn-config", *settings(tmp_path))
    with closing(sqlite3.connect(tmp_path / "turn" / "turn.sqlite")) as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
        assert {"turnusers_lt", "turn_secret", "denied_peer_ip"} <= tables
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_it_writes_a_file_for_its_owner_only(tmp_path: Path) -> None:
    base, out = tmp_path / "base.conf", tmp_path / "turnserver.conf"
    base.write_text("fingerprint\n")
    ran = voicepeer("turn-config", "--base", str(base), "--out", str(out), *settings(tmp_path))
    assert (ran.code, ran.out) == (0, "")
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert out.read_text().startswith("fingerprint\n\n# ---")
    again = voicepeer("turn-config", "--out", str(out), *settings(tmp_path))
    assert again.code == 0
    assert "fingerprint" not in out.read_text(), "it is written anew"


def test_a_secret_stays_out_of_the_file() -> None:
    ran = voicepeer(
        "turn-config", "--set=ice.turn_secret=hush", "--set=ice.media_addresses=192.0.2.7"
    )
    assert ran.code == 0
    assert "hush" not in ran.out + ran.err
    assert "userdb" not in ran.out


def test_without_media_addresses_it_names_those_there_are() -> None:
    ran = voicepeer("turn-config")
    assert ran.code == 2
    assert "ice.media_addresses" in ran.complaint
    for address in rtc.host_addresses():
        assert address in ran.complaint


@pytest.mark.parametrize(
    ("setting", "part"),
    [
        ("ice.media_addresses=media.example", "media addresses are written like"),
        ("ice.media_addresses=0.0.0.0/0", "so wide that relays would lead to machines of others"),
        ("ice.media_addresses=::", "give those at which the service's media is"),
        ("ice.turn_database=/dev/null/turn.sqlite", "cannot be used"),
        ("ice.turn_database=turn.sqlite", "give its whole path"),
        ("ice.turn_database=/var/lib/turn users.sqlite", "no spaces"),
        ("ice.turn_realm=a\nallowed-peer-ip=0.0.0.0-255.255.255.255", "no TURN realm"),
    ],
)
def test_settings_that_cannot_be_used_are_told_of(setting: str, part: str) -> None:
    ran = voicepeer("turn-config", "--set=ice.media_addresses=192.0.2.7", f"--set={setting}")
    assert ran.code == 2
    assert part in ran.complaint


def test_a_base_that_is_not_there(tmp_path: Path) -> None:
    ran = voicepeer("turn-config", "--base", str(tmp_path / "none"), *settings(tmp_path))
    assert ran.code == 1
    assert "none" in ran.complaint


def test_media_on_loopback_is_for_tests(tmp_path: Path) -> None:
    ran = voicepeer(
        "turn-config", *settings(tmp_path), "--set=ice.media_addresses=192.0.2.7,127.0.0.1"
    )
    assert ran.code == 0
    assert "127.0.0.1/32 in ice.media_addresses is for tests only" in ran.err
    assert "tests only" not in ran.out
    assert "tests only" not in voicepeer("turn-config", *settings(tmp_path)).err
