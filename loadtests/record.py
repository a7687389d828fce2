"""``python -m loadtests record``: runs a command and keeps what it prints as a report of record."""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from loadtests.figures_report import REPORTS, Machine, Report
from loadtests.files import check_folder
from loadtests.target import without_userinfo
from voicepeer import config, console
from voicepeer.core.errors import ConfigInvalid, VoicePeerError

END_TIMEOUT_S = 60.0
"""What is interrupted may take so long to end what it has started."""

KILLED_TIMEOUT_S = 5.0
"""And be killed in such a time; what holds on to its output even then is not waited for."""

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_SHORTEST_HOST = 4
"""A shorter name is a part of other words."""


class RecordFailed(VoicePeerError):
    """The command gave nothing that could be kept; the message says why."""

    code = "record_failed"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.add_argument("name", help="of the report: small letters, digits and hyphens")
    parser.add_argument(
        "--reports", type=Path, default=REPORTS, metavar="DIR", help="where it goes (%(default)s)"
    )
    parser.add_argument(
        "command",
        nargs=argparse.REMAINDER,
        metavar="-- COMMAND ...",
        help="prints one JSON object as its last line",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command and write the report.

    Raises:
        ConfigInvalid: it was called wrongly.
        CannotWrite: there is no place for the report; told before the command is run.
        RecordFailed: see ``record``.
    """
    command = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    if not _NAME.fullmatch(arguments.name):
        raise ConfigInvalid("a report's name has small letters, digits and hyphens")
    if not command:
        raise ConfigInvalid("say what is to be run: record NAME -- COMMAND …")
    if command[0].startswith("-"):
        raise ConfigInvalid(
            f"{command[0]} belongs before the name: record OPTIONS NAME -- COMMAND …"
        )
    check_folder(arguments.reports)
    report = record(arguments.name, command)
    console.note(f"wrote {report.write(arguments.reports)}")
    if report.exit_status:
        console.note(f"it ended with exit status {report.exit_status}: see what it found")
    return report.exit_status


def record(name: str, command: Sequence[str]) -> Report:
    """Run a command; what it printed, with when, where and how it was called.

    Its standard error goes where ours does, and Python programs of this environment are found
    before others.

    Raises:
        RecordFailed: it cannot be started, or did not print a JSON object.
    """
    # Before it runs: sources may be changed meanwhile, and nothing is to fail when it has run.
    machine, sources, hide = machine_here(), revision(), hider()
    begun_s = time.monotonic()
    status, printed = _run(command)
    return Report(
        name=name,
        date=datetime.now(UTC).date().isoformat(),
        revision=sources,
        machine=machine,
        command=hide(shlex.join(command)),
        took_s=round(time.monotonic() - begun_s, 1),
        figures=hidden(_figures_in(printed, status), hide),
        exit_status=status,
    )


def _run(command: Sequence[str]) -> tuple[int, str]:
    """Its exit status and what it printed."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    try:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            env={**os.environ, "PATH": path},
            # Ctrl-C is for us, who pass it on once: a second one would break off its ending.
            start_new_session=True,
        )
    except OSError as error:
        raise RecordFailed(f"cannot run {command[0]}: {error.strerror}") from error
    try:
        printed, _ = process.communicate()
    except KeyboardInterrupt:
        _end(process)
        raise
    return process.returncode, printed


def _end(process: subprocess.Popen[str]) -> None:
    """All of its session, as a terminal would: a shell or make has started what does the work."""
    _signal(process, signal.SIGINT)
    try:
        process.communicate(timeout=END_TIMEOUT_S)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        # Services and testers that it has started end with it, by the end of their input.
        _signal(process, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=KILLED_TIMEOUT_S)


def _signal(process: subprocess.Popen[str], what: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, what)


def _figures_in(printed: str, status: int) -> dict[str, Any]:
    """The object in the last line that is not empty."""
    lines = [line for line in printed.splitlines() if line.strip()]
    try:
        # By the parser that will read the report, which knows no NaN.
        found = msgspec.json.decode(lines[-1]) if lines else None
    except msgspec.DecodeError:
        found = None
    if not isinstance(found, dict):
        raise RecordFailed(
            f"its last line is no JSON object (exit status {status}): does it need --json?"
        )
    return found


# --- where it ran -------------------------------------------------------------------------------


def machine_here(cpuinfo: Path = Path("/proc/cpuinfo")) -> Machine:
    """This machine, as far as it matters for figures."""
    try:
        text = cpuinfo.read_text()
    except OSError:
        text = ""
    model = re.search(r"^model name\s*:\s*(.+)$", text, re.M)
    cpu = model[1].strip() if model else platform.machine()
    # The default engine computes with these where they are, at half the time.
    units = " with AMX" if re.search(r"^flags\s*:.*\bamx_bf16\b", text, re.M) else ""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return Machine(
        cpu=cpu + units,
        cores=os.cpu_count() or 1,
        memory_gb=round(memory / 1e9, 1),
        load=round(os.getloadavg()[0], 2),
    )


def revision() -> str:
    """Of the sources here, with ``+`` where they were changed since; ``unknown`` without git."""
    try:
        commit = _git("rev-parse", "--short=12", "HEAD")
        return commit + ("+" if _git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


# --- what does not belong into a report ---------------------------------------------------------


Hide: TypeAlias = Callable[[str], str]


def hidden(value: Any, hide: Hide) -> Any:  # noqa: ANN401 - any JSON
    """The same JSON with ``hide`` applied to all of its texts."""
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, Mapping):
        return {key: hidden(one, hide) for key, one in value.items()}
    if isinstance(value, list):
        return [hidden(one, hide) for one in value]
    return value


def hider() -> Hide:
    """Takes out of a text what tells where on whose machine something was."""
    here, host = str(Path.cwd()), socket.gethostname()
    places = {f"{here}/": "", here: ".", _home(): "~", tempfile.gettempdir(): "TMP"}
    # The root tells nothing, and is in all paths of all texts.
    told = {place: instead for place, instead in places.items() if place.strip("/")}
    if token := os.environ.get(config.ENV_TOKEN):
        told[token] = "TOKEN"
    if len(host) >= _SHORTEST_HOST:
        told[host] = "HOST"

    def hide(text: str) -> str:
        for name, instead in told.items():
            text = text.replace(name, instead)
        return without_userinfo(text)

    return hide


def _home() -> str:
    """The home of whoever runs this; nothing for somebody without one, as in containers."""
    try:
        return str(Path.home())
    except RuntimeError:
        return ""
