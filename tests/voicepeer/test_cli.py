"""The command line as a user meets it: help, exit codes, clean output, errors of one line."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import voicepeer as package
from tests.voicepeer.commandline import FAKE, voicepeer, voicepeer_process
from voicepeer import cli

pytestmark = pytest.mark.unit

COMMANDS = [
    ["serve"],
    ["demo"],
    ["clone"],
    ["say"],
    ["bot"],
    ["voices", "list"],
    ["voices", "show"],
    ["voices", "delete"],
    ["voices", "export"],
    ["voices", "import"],
    ["recording", "list"],
    ["recording", "mix"],
    ["recording", "delete"],
    ["engines", "list"],
    ["engines", "build"],
    ["engines", "verify"],
    ["bench", "engine"],
    ["eval", "clone"],
    ["doctor"],
    ["turn-config"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help_with_an_example_that_parses(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main([*command, "--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    # A line each; a backslash goes on.
    examples = shown.split("example:\n", 1)[1].strip().replace("\\\n", " ").splitlines()
    assert examples
    for example in examples:
        program, *arguments = shlex.split(example)
        assert program == "voicepeer"
        assert arguments[: len(command)] == command
        assert callable(cli.build_parser().parse_args(arguments).run)


def test_help_loads_nothing_heavy() -> None:
    script = (
        "import sys; from voicepeer import cli; cli.build_parser();"
        "print(sorted({'aiortc', 'aiohttp', 'onnxruntime', 'soxr', 'av'} & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert shown.stdout.strip() == "[]", shown.stderr


def test_the_version_is_that_of_the_package() -> None:
    assert voicepeer("--version").out == f"voicepeer {package.__version__}\n"
    assert metadata.version("voicepeer") == package.__version__


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ([], "COMMAND"),
        (["sing"], "invalid choice"),
        (["say"], "text"),
        (["voices"], "ACTION"),
        (["serve", "--port", "x"], "server.port"),
        (["serve", "--port", "70000"], "server.port"),
        (["serve", "--set", "server.prot=1"], "did you mean 'server.port'?"),
        (["serve", "--set", "server.port"], "NAME=VALUE"),
        (["serve", "--config", "/nonexistent.toml"], "cannot be read"),
        (["serve", "--host", "0.0.0.0"], "without authentication"),
        (["serve", "--host", "0.0.0.0", "--set", "server.api_keys=short"], "fewer than"),
        (["serve", "--set", "ice.turn_urls=turn:a.example"], "secret"),
        (["clone", "x.wav", "--name", "x"], "consent"),
        (["clone", "x.wav", "--name", "x", "--consent", "  "], "consent"),
        (["demo"], "--mic"),
        (["demo", "--mic", "/nonexistent.wav"], "/nonexistent.wav"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(arguments: list[str], part: str) -> None:
    ran = voicepeer(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert part in ran.complaint


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["say", "hi", "--engine", "kokro"], "did you mean 'kokoro'?"),
        (["say", "hi", *FAKE, "--voice", "nobody"], "stock voices are high, low, mid"),
        (["say", "hi", *FAKE, "--voice", "nothing.voice"], "cannot be read"),
        (["say", "...", *FAKE], "nothing to say"),
        (["say", "hi", *FAKE, "--speed", "9"], "speed can be 0.5 to 2"),
        (["say", "hi", *FAKE, "--language", "xx"], "de-de, en-us"),
        (["say", "x" * 50_001, *FAKE], "50000"),
        (["say", "hi", *FAKE, "--out", "/nonexistent/x.wav"], "cannot write /nonexistent/x.wav"),
        (["say", "hi", *FAKE, "--set", "engine.options=fake.fault=refuse"], "told to fail"),
        (["voices", "show", "nobody"], "voices list"),
        (["voices", "import", "/nonexistent.voice"], "cannot be read"),
        (["clone", "/nonexistent.wav", "--name", "x", "--consent", "y", *FAKE], "cannot be read"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_1(arguments: list[str], part: str) -> None:
    ran = voicepeer(*arguments)
    assert (ran.code, ran.out) == (1, "")
    assert part in ran.complaint


def test_a_bug_is_one_line_too_unless_debugging() -> None:
    bug = ["say", "hi", *FAKE, "--set", "engine.options=fake.fault=bug"]
    ran = voicepeer(*bug)
    assert ran.code == 1
    assert "internal error (ZeroDivisionError)" in ran.complaint
    assert "--debug" in ran.complaint
    assert "Traceback" in voicepeer(*bug, "--debug").err


def test_a_reader_that_leaves_gets_no_traceback() -> None:
    shell = f"{shlex.quote(sys.executable)} -m voicepeer engines list | true"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def test_engines_list_names_every_model() -> None:
    listed = voicepeer("engines", "list", "--json").json
    assert {(one["kind"], one["name"]) for one in listed} >= {
        ("speech", "kokoro"),
        ("speech", "fake"),
        ("encoder", "ge2e"),
        ("vad", "silero"),
    }
    assert all(one["usable"] or one["remedy"] for one in listed)
    assert "kokoro" in voicepeer("engines", "list").out


def test_settings_from_the_environment_reach_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOICEPEER_ENGINE_SPEECH", "fake")
    assert voicepeer("say", "hi", "--json", "--out", "/dev/null/x").complaint.startswith(
        "voicepeer"
    )
    monkeypatch.setenv("VOICEPEER_ENGINE_SPEACH", "fake")
    assert "VOICEPEER_ENGINE_SPEECH" in voicepeer("say", "hi").complaint


def test_json_stands_alone_on_standard_output(tmp_path: Path) -> None:
    ran = voicepeer("say", "hi", *FAKE, "--out", str(tmp_path / "o.wav"), "--json")
    assert json.loads(ran.out)["engine"] == "fake"
    assert "loading" in ran.err


def test_a_process_of_its_own_behaves_the_same(tmp_path: Path) -> None:
    out = str(tmp_path / "o.wav")
    assert voicepeer_process("say", "hi", *FAKE, "--out", out, "--json").json["file"] == out
    refused = voicepeer_process("say", "...", *FAKE, "--out", out)
    assert (refused.code, refused.out) == (1, "")
    assert "nothing to say" in refused.complaint
    assert voicepeer_process("serve", "--port", "x").code == 2
