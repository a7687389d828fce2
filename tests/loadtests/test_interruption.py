"""A command that is told to end from outside ends as by Ctrl-C, wherever it was started."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.unit

CODE = """
import time
from loadtests.interruption import end_as_by_ctrl_c
end_as_by_ctrl_c()
print("ready", flush=True)
try:
    time.sleep(60)
except KeyboardInterrupt:
    print("ended")
"""


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("ignored", [True, False])
def test_both_signals_are_an_interruption(by: signal.Signals, *, ignored: bool) -> None:
    """What a shell starts in its background has Ctrl-C ignored from the beginning."""
    before = "trap '' INT; " if ignored else ""
    shell = f'{before}exec {sys.executable} -c "$0"'
    process = subprocess.Popen(["bash", "-c", shell, CODE], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(by)
        told, _ = process.communicate(timeout=20.0)
    finally:
        process.kill()
    assert told == "ended\n"
