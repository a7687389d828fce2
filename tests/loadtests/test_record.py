"""Commands are run and what they print is kept, without a word of whose machine it was."""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from loadtests import record
from loadtests.figures_report import read_report
from loadtests.record import RecordFailed, hidden, hider, machine_here, revision
from voicepeer.core.errors import CannotWrite, ConfigInvalid

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parent.parent.parent


def python(code: str) -> list[str]:
    """A command that runs some code."""
    return ["python", "-c", code]


def recorded(folder: Path, *words: str) -> int:
    """Run ``record`` by its own command line."""
    parser = argparse.ArgumentParser()
    record.add_arguments(parser)
    return record.run(parser.parse_args(["--reports", str(folder), *words]))


def test_a_command_is_run_and_its_last_line_is_kept(tmp_path: Path) -> None:
    code = "print('progress'); print('{\"rtf\": 0.1, \"words\": [1]}'); print()"
    assert recorded(tmp_path, "demo-2", "--", *python(code)) == 0
    kept = read_report(tmp_path / "demo-2.json")
    assert kept.figures == {"rtf": 0.1, "words": [1]}
    assert kept.name == "demo-2"
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", kept.date)
    assert kept.command.startswith("python -c ")
    assert kept.took_s >= 0


def test_options_of_the_command_are_its_own(tmp_path: Path) -> None:
    code = "import json, sys; print(json.dumps({'words': sys.argv[1:]}))"
    recorded(tmp_path, "options", "--", *python(code), "--json", "--reports", "x")
    kept = read_report(tmp_path / "options.json")
    assert kept.figures == {"words": ["--json", "--reports", "x"]}


def test_programs_of_this_environment_come_first(tmp_path: Path) -> None:
    code = "import json, sys; print(json.dumps({'prefix': sys.prefix}))"
    report = record.record("where", python(code))
    assert report.figures["prefix"] == hider()(sys.prefix)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("print('no figures')", "--json"),
        ("print('[1]')", "--json"),
        ("pass", "--json"),
        ("print('no'); raise SystemExit(3)", "exit status 3"),
        ("print('{\"rtf\": NaN}')", "--json"),
        ("import sys; sys.stdout.buffer.write(bytes([255]))", "--json"),
    ],
)
def test_what_gives_no_figures_leaves_no_report(tmp_path: Path, code: str, told: str) -> None:
    with pytest.raises(RecordFailed, match=told):
        recorded(tmp_path, "none", "--", *python(code))
    assert list(tmp_path.iterdir()) == []


def test_what_a_command_found_wrong_is_kept_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = 'print(\'{"leaks": ["rss_mb"]}\'); raise SystemExit(4)'
    assert recorded(tmp_path, "soak", "--", *python(code)) == 4
    kept = read_report(tmp_path / "soak.json")
    assert (kept.exit_status, kept.figures) == (4, {"leaks": ["rss_mb"]})
    assert "exit status 4" in capsys.readouterr().err


def test_a_report_without_a_place_is_told_before_the_command_runs(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    ran = tmp_path / "ran"
    code = f"import pathlib; pathlib.Path({str(ran)!r}).touch(); print('{{}}')"
    with pytest.raises(CannotWrite, match="taken"):
        recorded(tmp_path / "taken", "demo", "--", *python(code))
    assert not ran.exists()


def test_the_revision_is_that_of_what_was_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    code = "import subprocess; subprocess.run(['git', 'init', '--quiet'], check=True); print('{}')"
    assert record.record("early", python(code)).revision == "unknown"
    assert (tmp_path / ".git").exists()


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(RecordFailed, match="no-such-program"):
        record.record("none", ["no-such-program"])


@pytest.mark.parametrize(
    "words",
    [
        *(["name"], ["name", "--"], ["../name", "--", "true"], ["A", "x"]),
        ["name", "--reports", "elsewhere", "--", "true"],
    ],
)
def test_what_is_asked_for_wrongly_is_said(tmp_path: Path, words: list[str]) -> None:
    with pytest.raises(ConfigInvalid):
        recorded(tmp_path, *words)


def test_a_machine_is_known_by_its_processor() -> None:
    here = machine_here()
    assert here.cores == os.cpu_count()
    assert here.memory_gb > 0.1
    assert here.cpu
    assert socket.gethostname() not in here.cpu


def test_units_that_matter_are_named(tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("model name\t: A Processor 3000\nflags\t\t: fpu amx_bf16 sse\n")
    assert machine_here(cpuinfo).cpu == "A Processor 3000 with AMX"
    cpuinfo.write_text("model name\t: A Processor 3000\nflags\t\t: fpu sse\n")
    assert machine_here(cpuinfo).cpu == "A Processor 3000"
    assert machine_here(tmp_path / "none").cpu


def test_the_revision_tells_whether_sources_were_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.com"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert revision() == "unknown"
    git("init", "--quiet")
    (tmp_path / "file").write_text("1")
    git("add", "file")
    git("commit", "--quiet", "-m", "first")
    assert re.fullmatch(r"[0-9a-f]{12}", revision())
    (tmp_path / "file").write_text("2")
    assert re.fullmatch(r"[0-9a-f]{12}\+", revision())


def test_nothing_tells_where_it_was() -> None:
    told = {
        "path": f"{Path.cwd()}/out.wav",
        "lists": [f"{Path.home()}/x", {"deep": f"see {tempfile.gettempdir()}/y"}],
        "number": 1.5,
    }
    clean = hidden(told, hider())
    assert clean["path"] == "out.wav"
    assert clean["number"] == 1.5
    text = json.dumps(clean)
    assert tempfile.gettempdir() not in text
    assert str(Path.cwd()) not in text


def test_the_root_is_no_place_to_be_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/")
    monkeypatch.chdir("/")
    assert hider()("a/b and /var/x") == "a/b and /var/x"


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM], ids=lambda one: one.name)
@pytest.mark.parametrize("by_a_shell", [False, True])
def test_an_interrupted_command_is_ended_and_nothing_is_kept(
    tmp_path: Path, by: signal.Signals, *, by_a_shell: bool
) -> None:
    """Also one that a shell or make has started, which wait for what they run."""
    ended = tmp_path / "ended"
    began = tmp_path / "began"
    code = (
        "import pathlib, signal, sys, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"pathlib.Path({str(began)!r}).touch()\n"
        "try: time.sleep(60)\n"
        f"except KeyboardInterrupt: pathlib.Path({str(ended)!r}).touch(); print('{{}}')"
    )
    command = python(code)
    if by_a_shell:
        command = ["bash", "-c", f"{shlex.join(command)}; true"]
    words = ["record", "--reports", str(tmp_path / "reports"), "cut", "--", *command]
    process = subprocess.Popen(
        [sys.executable, "-m", "loadtests", *words], cwd=ROOT, stderr=subprocess.PIPE, text=True
    )
    try:
        until_s = time.monotonic() + 60.0
        while not began.exists() and time.monotonic() < until_s:
            time.sleep(0.05)
        process.send_signal(by)
        _, told = process.communicate(timeout=30.0)
    finally:
        process.kill()
    assert process.returncode == 130
    assert ended.exists()
    assert "Traceback" not in told
    assert [*(tmp_path / "reports").iterdir()] == []


def test_secrets_are_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOICEPEER_TOKEN", "eyJ0.secret")
    hide = hider()
    assert hide("run --url http://me:pw@host:80/a") == "run --url http://host:80/a"
    assert hide("http://host/@name") == "http://host/@name"
    assert "secret" not in hide("Bearer eyJ0.secret")
