"""Runs the command line: in this process, which is quick, or in one of its own."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from voicepeer import cli

FAKE = (
    *("--engine", "fake", "--set", "engine.encoder=fake", "--set", "engine.vad=fake"),
    *("--set", "degradation.enabled=false"),
)
"""Models that load in no time, and a service that does everything however busy the machine is."""


@dataclass(frozen=True)
class Ran:
    """How a command ended and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401 - whatever the command printed
        """The one JSON value on standard output; fails if there is anything else."""
        assert self.out.count("\n") == 1, self.out + self.err
        return json.loads(self.out)

    @property
    def complaint(self) -> str:
        """What a failed command told its user: one line, and no traceback before it."""
        assert "Traceback" not in self.err, self.err
        return self.err.strip().splitlines()[-1]


def voicepeer(*arguments: str, stdin: str = "") -> Ran:
    """Run a command in this process, from its arguments to its exit code."""
    out, err = io.StringIO(), io.StringIO()
    with _own_streams(out, err, stdin):
        try:
            code = cli.main(arguments)
        except SystemExit as ended:  # argparse ends this way
            code = int(ended.code or 0)
    return Ran(code, out.getvalue(), err.getvalue())


@contextlib.contextmanager
def _own_streams(out: io.StringIO, err: io.StringIO, stdin: str) -> Iterator[None]:
    """Standard streams and log handlers for one command."""
    root, before = logging.getLogger(), sys.stdin
    handlers, level = root.handlers[:], root.level
    root.handlers.clear()
    sys.stdin = io.StringIO(stdin)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            yield
    finally:
        sys.stdin = before
        root.handlers[:] = handlers
        root.setLevel(level)


def voicepeer_process(*arguments: str, timeout_s: float = 60.0) -> Ran:
    """Run a command in a process of its own to its end."""
    done = subprocess.run(
        [sys.executable, "-m", "voicepeer", *arguments],
        capture_output=True,
        text=True,
        timeout=timeout_s,
    )
    return Ran(done.returncode, done.stdout, done.stderr)
