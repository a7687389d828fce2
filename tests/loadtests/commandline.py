"""Runs load tests from their arguments to their exit code, in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from tests.voicepeer.commandline import Ran

FAKE = ("--engine", "fake", "--set", "degradation.enabled=false")


def started(*arguments: str, **environ: str) -> subprocess.Popen[str]:
    """A command that runs; in a process group of its own, so that Ctrl-C can be sent to all."""
    return subprocess.Popen(
        [sys.executable, "-m", "loadtests", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | environ,
        start_new_session=True,
    )


def ended(process: subprocess.Popen[str], timeout_s: float = 110.0) -> Ran:
    """How it ended."""
    out, err = process.communicate(timeout=timeout_s)
    return Ran(process.returncode, out, err)


def loadtests(*arguments: str, **environ: str) -> Ran:
    """Run a command to its end."""
    return ended(started(*arguments, **environ))


def fake(command: Sequence[str], *more: str) -> list[str]:
    """Arguments of a command that starts a service with models that load in no time."""
    return [*command, *FAKE, *more]
