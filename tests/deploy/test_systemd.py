"""The unit, by systemd's own programs and against the code that it runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from signaling.config import DEFAULT_PORT
from tests.deploy.compose import DOCKERFILES, ROOT, Image
from voicepeer import wiring
from voicepeer.config import Config, load
from voicepeer.service import SHUTDOWN_TIMEOUT_S

pytestmark = [pytest.mark.unit, pytest.mark.needs("systemd-analyze")]

FOLDER = ROOT / "deploy" / "systemd"
UNIT = (FOLDER / "voicepeer.service").read_text()
IMAGE = Image(DOCKERFILES[0])
MOST_EXPOSED = 16
"""Tenths of systemd's scale of exposure, which ends at 100; with a GPU, and 14 without."""


def values(name: str) -> list[str]:
    """What the unit sets a directive to, each time."""
    return re.findall(rf"^{name}=(.*)$", UNIT, re.MULTILINE)


def installed(folder: Path, text: str = UNIT) -> Path:
    """The unit with a program that is there, and its part for GPUs."""
    program = Path(sys.executable).parent / "voicepeer"
    unit = folder / "voicepeer.service"
    unit.write_text(text.replace("/opt/voicepeer/bin/voicepeer", str(program)))
    parts = folder / "voicepeer.service.d"
    parts.mkdir()
    (parts / "gpu.conf").write_text((FOLDER / "gpu.conf").read_text())
    return unit


def analyze(*arguments: str | Path, units: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["systemd-analyze", *arguments],
        capture_output=True,
        text=True,
        env=os.environ | {"SYSTEMD_UNIT_PATH": f"{units}:"},
    )


def test_systemd_understands_it(tmp_path: Path) -> None:
    done = analyze("verify", installed(tmp_path), units=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_systemd_would_say_what_it_does_not_understand(tmp_path: Path) -> None:
    unit = installed(tmp_path, UNIT.replace("ProtectHome", "ProtectHouse"))
    assert "ProtectHouse" in analyze("verify", unit, units=tmp_path).stderr


def test_it_is_exposed_to_little(tmp_path: Path) -> None:
    unit = installed(tmp_path)
    asked = ("security", "--offline=true", f"--threshold={MOST_EXPOSED}")
    assert analyze(*asked, unit, units=tmp_path).returncode == 0
    unit.write_text(unit.read_text().replace("SystemCallFilter=", "#"))
    assert analyze(*asked, unit, units=tmp_path).returncode != 0


def test_its_user_is_made_and_is_the_image_s(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    made = subprocess.run(
        ["systemd-sysusers", f"--root={tmp_path}", FOLDER / "sysusers.conf"],
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stderr
    uid, gid = IMAGE.user
    (user,) = values("User")
    (line,) = [
        line
        for line in (tmp_path / "etc/passwd").read_text().splitlines()
        if line.startswith(f"{user}:")
    ]
    assert line.split(":")[2:4] == [str(uid), str(gid)]


def test_it_runs_what_the_image_runs() -> None:
    (command,) = values("ExecStart")
    program, *rest = command.split()
    assert [Path(program).name, *rest] == IMAGE.command
    assert program.startswith("/opt/voicepeer/bin/")


def test_its_settings_are_settings_and_lead_to_its_folders() -> None:
    given = dict(line.split("=", 1) for line in values("Environment"))
    assert given.items() <= IMAGE.environment.items(), "as in a container"
    settings = load({}, given)
    folders = {Path("/var/lib") / name for name in values("StateDirectory")[0].split()}
    folders |= {Path("/var/cache") / name for name in values("CacheDirectory")[0].split()}
    assert {str(folder) for folder in folders} == set(IMAGE.volumes)
    assert Path(settings.voices.database).parent in folders
    assert Path(settings.engine.cache_dir) in folders


def test_the_example_is_good_when_it_is_filled_in() -> None:
    example = (FOLDER / "voicepeer.env.example").read_text()
    lines = re.findall(r"^(?:# )?([A-Z_]+=.*)$", example, re.MULTILINE)
    filled = dict(line.split("=", 1) for line in lines)
    assert filled["VOICEPEER_SERVER_API_KEYS"] == "", "there is no key in it"
    filled["VOICEPEER_SERVER_API_KEYS"] = "0123456789abcdef01234567"
    signaling = wiring.signaling_config(load({}, filled))
    assert (signaling.host, signaling.port) == ("127.0.0.1", DEFAULT_PORT)
    assert signaling.trusted_proxies == (signaling.host,)
    assert str(signaling.ice.turn_database) == "/var/lib/voicepeer-turn/turn.sqlite"


def test_it_is_given_the_time_that_it_takes_to_stop() -> None:
    (limit,) = values("TimeoutStopSec")
    assert float(limit.removesuffix("s")) >= Config().server.drain_timeout_s + SHUTDOWN_TIMEOUT_S
