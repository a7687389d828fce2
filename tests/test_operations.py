"""docs/operations.md: its commands run, and what they and its tables name is there."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from signaling.config import DEFAULT_PORT
from tests.clips import clip_path
from tests.deploy.certificates import certificate
from tests.deploy.compose import DOCKERFILES, ROOT, Image, compose, services
from tests.deploy.container import CAN, WHY_NOT
from tests.deploy.kustomize import BASE, FOLDER, OVERLAYS, only, resolved
from tests.deploy.nginx import CONF
from tests.deploy.test_compose import turn_conf
from tests.deploy.test_prometheus import alerts
from tests.voicepeer.commandline import voicepeer
from voicepeer.config import TYPES, Config

pytestmark = pytest.mark.unit

PAGE = (ROOT / "docs" / "operations.md").read_text()
BIN = Path(sys.executable).parent
_BLOCK = re.compile(r"(?:<!-- run: (?P<how>\w+) -->\n)?```sh\n(?P<body>.*?)```", re.DOTALL)


def scripts() -> dict[str, str]:
    """Blocks that are run, by their marks."""
    return {one["how"]: one["body"] for one in _BLOCK.finditer(PAGE) if one["how"]}


def named_only() -> Iterator[list[str]]:
    """Words of each command that is only looked at."""
    for one in _BLOCK.finditer(PAGE):
        if not one["how"]:
            yield from (shlex.split(line) for line in one["body"].splitlines())


def test_the_certificate_is_made_and_the_doctor_looks_at_it(tmp_path: Path) -> None:
    environ = os.environ | {
        "PATH": f"{BIN}:{os.environ['PATH']}",
        "VOICEPEER_ENGINE_SPEECH": "fake",
        "VOICEPEER_SERVER_PORT": "0",
    }
    told = ""
    for name in ("certificate", "doctor"):
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", scripts()[name]],
            cwd=tmp_path,
            env=environ,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        told = done.stdout
    (tls,) = (one for one in json.loads(told)["findings"] if one["topic"] == "tls")
    assert (tls["state"], "29 days" in tls["what"]) == ("ok", True)


def test_what_is_saved_is_backed_up_and_put_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for kind in ("SPEECH", "ENCODER", "VAD"):
        monkeypatch.setenv(f"VOICEPEER_ENGINE_{kind}", "fake")

    def run(line: str) -> str:
        program, *words = shlex.split(line)
        assert program == "voicepeer"
        ran = voicepeer(*words)
        assert ran.code == 0, ran.err
        return ran.out

    backup, restore = scripts()["backup"].splitlines()
    run(f"voicepeer clone {clip_path('en_jennifer')} --name Ada --consent 'I agree.'")
    run(backup)
    run("voicepeer voices delete Ada")
    assert "Ada" not in run("voicepeer voices list")
    run(restore)
    assert "Ada" in run("voicepeer voices list")


ON_A_MACHINE_OF_ITS_OWN = """
mount --make-rprivate /
mount -t tmpfs none {scratch}
mkdir {scratch}/upper {scratch}/work
mount -t overlay none -o lowerdir=/etc,upperdir={scratch}/upper,workdir={scratch}/work /etc
mount -t tmpfs none /opt
"""
"""A machine whose /etc and /opt are forgotten afterwards."""

LOOK = """
mkdir -p /etc/nginx/tls
cp {folder}/*.pem /etc/nginx/tls
nginx -t 2>&1
systemd-analyze verify voicepeer.service 2>&1
realpath /etc/systemd/system/multi-user.target.wants/voicepeer.service
stat --format '%a %n' /etc/voicepeer/voicepeer.env
id --user voicepeer
"""


@pytest.mark.skipif(not CAN, reason=WHY_NOT)
@pytest.mark.needs("nginx")
@pytest.mark.needs("systemd-analyze")
def test_a_machine_is_set_up_by_the_commands_for_systemd(tmp_path: Path) -> None:
    certificate(tmp_path)
    (tmp_path / "scratch").mkdir()
    begin = ON_A_MACHINE_OF_ITS_OWN.format(scratch=tmp_path / "scratch")
    changes = {
        "python3.11 -m venv": f"{sys.executable} -m venv --without-pip",
        # What is installed is tried by .ci/run; here it is what this test runs with.
        '/opt/voicepeer/bin/pip install "voicepeer[kokoro,openvino]"': (
            f"ln -s {BIN}/voicepeer /opt/voicepeer/bin/voicepeer"
        ),
        "enable --now": "enable",
    }
    script = scripts()["systemd"]
    for ours, tests in changes.items():
        assert script.count(ours) == 1, ours
        script = script.replace(ours, tests)
    whole = begin + script + LOOK.format(folder=tmp_path)
    done = subprocess.run(
        ["unshare", "--mount", "bash", "-euo", "pipefail", "-c", whole],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    *nginx, unit, mode, user = done.stdout.splitlines()
    assert [line for line in nginx if "successful" not in line and "syntax is ok" not in line] == []
    assert unit == "/etc/systemd/system/voicepeer.service"
    assert mode.startswith("600 ")
    assert int(user) == Image(DOCKERFILES[0]).user[0]


def test_every_block_that_can_be_run_is() -> None:
    assert scripts().keys() == {"certificate", "doctor", "backup", "systemd"}
    programs = {words[0] for words in named_only()}
    assert programs == {"cp", "docker", "journalctl", "kubectl", "systemctl", "voicepeer"}
    benches = [words[:2] for words in named_only() if words[0] == "voicepeer"]
    assert all(words == ["voicepeer", "bench"] for words in benches)


@pytest.mark.parametrize("words", list(named_only()), ids=" ".join)
def test_what_a_command_names_is_there(words: list[str]) -> None:
    for word in words:
        if word.startswith(("deploy/", "docs/")):
            assert (ROOT / word).exists(), word
    options = list(zip(words, words[1:], strict=False))
    match words[0]:
        case "docker":
            profiles = {name for one in services().values() for name in one.get("profiles", ())}
            assert {value for option, value in options if option == "--profile"} <= profiles
            assert {word.partition("=")[0] for word in words if "=" in word} <= services().keys()
            if words[2] in ("exec", "logs"):
                assert services().keys() & set(words)
        case "kubectl":
            objects = resolved(BASE)
            named = {value for option, value in options if option == "--namespace"}
            assert named <= {
                one["metadata"]["name"] for one in objects if one["kind"] == "Namespace"
            }
            if any(word.startswith("deployment/") for word in words):
                assert f"deployment/{only(objects, 'Deployment')['metadata']['name']}" in words
        case "systemctl" | "journalctl":
            (unit,) = (word for word in words if word.endswith(".service"))
            assert (ROOT / "deploy" / "systemd" / unit).is_file()
        case _:
            pass


def test_overlays_are_those_that_the_table_has() -> None:
    (table,) = re.findall(r"\| overlay \|.*?\n\n", PAGE, re.DOTALL)
    found = re.findall(r"^\| `([\w-]+)`", table, re.MULTILINE)
    assert sorted(found) == [one.name for one in OVERLAYS]


def test_ports_are_those_of_what_listens() -> None:
    (table,) = re.findall(r"\| port \|.*?\n\n", PAGE, re.DOTALL)
    ports = set(re.findall(r"\d{2,5}", table))
    conf = turn_conf()
    names = ("listening-port", "tls-listening-port", "min-port", "max-port")
    wanted = {conf[name][0] for name in names} | {str(DEFAULT_PORT)}
    wanted |= set(re.findall(r"listen (\d+)", CONF.read_text()))
    wanted |= set(re.findall(r"127\.0\.0\.1:(\d+)/", str(compose())))
    assert wanted <= ports


def test_settings_on_the_page_are_settings() -> None:
    sections = {name.partition(".")[0] for name in TYPES}
    found = [
        one for one in re.findall(r"`([a-z]+\.[a-z_]+)`", PAGE) if one.split(".")[0] in sections
    ]
    assert len(found) > 5
    assert set(found) <= TYPES.keys()


def test_times_and_limits_on_the_page_are_true() -> None:
    server = Config().server
    assert f"`server.max_sessions` ({server.max_sessions})" in PAGE
    drain_s = only(resolved(BASE), "ConfigMap")["data"]["VOICEPEER_SERVER_DRAIN_TIMEOUT_S"]
    assert f"`server.drain_timeout_s`, {drain_s} s there" in PAGE
    grace = services()["voicepeer"]["stop_grace_period"]
    assert f"the unit wait {grace.removesuffix('s')} s" in PAGE


def test_every_alert_has_its_place_in_the_runbook() -> None:
    names = [rule["alert"] for rule in alerts()]
    runbook = PAGE.partition("## Runbook")[2]
    assert re.findall(r"^### (\w+)$", runbook, re.MULTILINE) == names
    targets = set(re.findall(r"\(#(voicepeer\w+)\)", PAGE))
    assert targets <= {name.lower() for name in names}


def test_secrets_are_made_of_what_the_example_has() -> None:
    assert (FOLDER / "secrets.env.example").is_file()
    assert "deploy/kubernetes/secrets.env.example" in PAGE
