"""All tests, those that wait beside those that compute: ``python -m tests.halves [OPTION ...]``.

Tests of pure code keep one core busy and watch no clock. Those with real peers, services and
browsers mostly wait, because sound lasts as long as it lasts. So both run at once, and those of
pure code give way. The models use every core, and have their tests to themselves afterwards.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

CHOICES = (
    "unit or whole",
    "not unit and (peer or e2e) or whole",
    "not unit and not (peer or e2e) or whole",
)
"""Every test is chosen by one of these; those that look at a whole run by all."""

NICE = 10
"""Of the pure tests: enough to be no burden to the clocks of the others, and to get on."""

NO_TESTS = 5
"""pytest's exit code where a choice has none."""


@dataclass
class Half:
    """One pytest at work, whose output is kept where it would mix with another's."""

    name: str
    process: subprocess.Popen[bytes]
    output: IO[bytes] | None
    began_s: float

    def wait(self) -> int:
        """Its exit code; what was kept of its output is shown then."""
        code = self.process.wait()
        took_s = time.monotonic() - self.began_s
        if self.output is not None:
            self.output.seek(0)
            sys.stdout.buffer.write(self.output.read())
        sys.stdout.write(f"--- {self.name}: exit code {code} after {took_s:.0f} s\n")
        sys.stdout.flush()
        return code


@contextmanager
def half(name: str, chosen: str, options: Sequence[str], *, aside: bool = False) -> Iterator[Half]:
    """Run the tests that markers choose; ``aside`` makes them give way and keeps their output."""
    command = [sys.executable, "-m", "pytest", "-m", chosen, *options]
    with tempfile.TemporaryFile() as kept:
        process = subprocess.Popen(
            ["nice", "-n", str(NICE), *command] if aside else command,
            stdout=kept if aside else None,
            stderr=subprocess.STDOUT if aside else None,
        )
        try:
            yield Half(name, process, kept if aside else None, time.monotonic())
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()


def run(options: Sequence[str]) -> int:
    """All that pytest would choose by these options; its exit code, 0 where all went well."""
    codes = []
    with half("pure code", CHOICES[0], options, aside=True) as pure:
        with half("peers", CHOICES[1], options) as waiting:
            codes.append(waiting.wait())
        codes.append(pure.wait())
    with half("models", CHOICES[2], options) as models:
        codes.append(models.wait())
    return verdict(codes)


def verdict(codes: Sequence[int]) -> int:
    """One exit code for all; a half without tests is no failure where another one has some."""
    real = [code for code in codes if code != NO_TESTS]
    return max(real, default=NO_TESTS, key=abs)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    sys.exit(run(sys.argv[1:]))
