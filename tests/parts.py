"""All tests, those that wait beside those that compute: ``python -m tests.parts [OPTION ...]``.

Tests of pure code and of models compute, and watch no clock. Those with real peers, and those with
whole services and browsers, mostly wait, because sound lasts as long as it lasts. So all three run
at once, and what computes gives way; those that wait in several shares, of a pytest each.

What failed beside others is tried once more alone and told as such: a clock that ran late on a busy
machine says nothing of the software. It fails for good if it fails again, if there are more than
``MAX_AGAIN`` of them, and where nothing waits.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import IO

import pytest

COMPUTING = "not (peer or e2e) or whole"
PEERS = "peer and not e2e or whole"
SERVICES = "e2e or whole"
CHOICES = (COMPUTING, PEERS, SERVICES)
"""Every test is chosen by one of these; those that look at a whole run by all."""

WAITING = [
    *(("peer", PEERS, f"{which}/2") for which in (1, 2)),
    ("e2e", SERVICES, "1/1"),
]
"""Mark, choice and share. Peers use a fifth of a core; a second browser would be one too many."""

NICE = 10
"""Of the tests that compute: enough to be no burden to the clocks of the others, and to get on."""

FAILED, NO_TESTS = 1, 5
"""pytest's exit codes where tests failed, and where a choice has none."""

MAX_AGAIN = 10
"""So many failures may be the machine's; more are the software's."""

FAILURES, ONLY = "PARTS_FAILURES", "PARTS_ONLY"
"""Files of ids for the plugin that this module is: failures are added to one, one chooses. No
``VOICEPEER_`` in their names: services refuse what they do not know."""

SHARE, MARK = "PARTS_SHARE", "PARTS_MARK"
"""Which of how many shares is to be run, as ``1/3``, and what its tests are marked with."""

FOR_GOOD = "!"
"""Before the id of a test that looks at a whole run: alone it would look at nothing."""


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note a failed test where this module is loaded as a plugin."""
    if report.failed and FAILURES in os.environ:
        mark = FOR_GOOD if "whole" in report.keywords else ""
        with Path(os.environ[FAILURES]).open("a") as file:
            file.write(mark + report.nodeid + "\n")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out files that cannot have a test of the share: to read all takes a quarter minute."""
    if MARK not in os.environ or collection_path.suffix != ".py":
        return None
    text = collection_path.read_text()
    marks = (f"mark.{os.environ[MARK]}", "mark.whole")
    return None if any(mark in text for mark in marks) else True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is another share's, or was not chosen by its id."""
    kept = items
    if ONLY in os.environ:
        chosen = set(Path(os.environ[ONLY]).read_text().splitlines())
        kept = [item for item in kept if item.nodeid in chosen]
    if SHARE in os.environ:
        which, shares = map(int, os.environ[SHARE].split("/"))
        kept = share_of(kept, which, shares)
    taken = set(kept)
    config.hook.pytest_deselected(items=[item for item in items if item not in taken])
    items[:] = kept


def share_of(items: Sequence[pytest.Item], which: int, shares: int) -> list[pytest.Item]:
    """The tests of every so manieth file, counted from 1, and those that look at a whole run.

    By file, because what files share among their tests should be made once.
    """
    files = sorted({item.path for item in items})
    mine = set(files[which - 1 :: shares])
    return [item for item in items if item.path in mine or item.get_closest_marker("whole")]


@dataclass
class Part:
    """One pytest at work, whose output is kept where it would mix with another's."""

    name: str
    process: subprocess.Popen[bytes]
    output: IO[bytes] | None
    failures: Path
    began_s: float

    def wait(self) -> int:
        """Its exit code; what was kept of its output is shown then."""
        code = self.process.wait()
        took_s = time.monotonic() - self.began_s
        if self.output is not None:
            self.output.seek(0)
            sys.stdout.buffer.write(self.output.read())
        tell(f"{self.name}: exit code {code} after {took_s:.0f} s")
        return code

    def failed(self) -> list[str]:
        """Ids of the tests that failed, each once."""
        return list(dict.fromkeys(self.failures.read_text().splitlines()))


@contextmanager
def part(
    name: str,
    options: Sequence[str],
    *,
    aside: bool = True,
    nice: int = 0,
    chosen: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Part]:
    """Run pytest with these options; ``aside`` keeps its output until it is waited for.

    ``chosen`` is for the plugin that this module is: environment variables.
    """
    command = ["nice", "-n", str(nice), sys.executable, "-m", "pytest", "-p", "tests.parts"]
    with tempfile.TemporaryFile() as kept, tempfile.NamedTemporaryFile() as failures:
        process = subprocess.Popen(
            [*command, *options],
            stdout=kept if aside else None,
            stderr=subprocess.STDOUT if aside else None,
            env={**os.environ, FAILURES: failures.name, **chosen},
        )
        output = kept if aside else None
        try:
            yield Part(name, process, output, Path(failures.name), time.monotonic())
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()


def run(options: Sequence[str]) -> int:
    """All that pytest would choose by these options; its exit code, 0 where all went well."""
    with ExitStack() as stack:
        flags = ["-m", COMPUTING, *options]
        computing = stack.enter_context(part("computing", flags, nice=NICE))
        waiting = [
            stack.enter_context(
                # The first is waited for first, and shows how it gets on.
                part(
                    f"{mark} {share}",
                    ["-m", choice, *options],
                    aside=bool(nth),
                    chosen={SHARE: share, MARK: mark},
                )
            )
            for nth, (mark, choice, share) in enumerate(WAITING)
        ]
        ended = [(one, one.wait()) for one in waiting]
        codes = [computing.wait()]
        return verdict([*codes, *again(ended, options)])


def again(ended: Sequence[tuple[Part, int]], options: Sequence[str]) -> list[int]:
    """The exit codes of these parts, after what failed in them was tried alone, if it is little."""
    codes = [code for _, code in ended]
    failed = [test for one, code in ended if code == FAILED for test in one.failed()]
    if not 0 < len(failed) <= MAX_AGAIN or any(test.startswith(FOR_GOOD) for test in failed):
        return codes
    tell(f"{len(failed)} failed beside others and are tried once more alone:", *failed)
    with tempfile.NamedTemporaryFile("w") as only:
        only.write("\n".join(failed))
        only.flush()
        with part("alone", options, aside=False, chosen={ONLY: only.name}) as alone:
            code = alone.wait()
    return [code if earlier == FAILED else earlier for earlier in codes]


def tell(*lines: str) -> None:
    """Show what is not pytest's."""
    sys.stdout.write("--- " + "\n    ".join(lines) + "\n")
    sys.stdout.flush()


def verdict(codes: Sequence[int]) -> int:
    """One exit code for all; a part without tests is no failure where another one has some."""
    real = [code for code in codes if code != NO_TESTS]
    return max(real, default=NO_TESTS, key=abs)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    # What is started in the background of a shell ignores Ctrl-C, and so would what tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(run(sys.argv[1:]))
