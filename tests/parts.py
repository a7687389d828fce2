"""All tests, those that wait beside those that compute: ``python -m tests.parts [OPTION ...]``.

Tests of pure code and of models compute, and watch no clock. Those with real peers, whole services
or browsers mostly wait, because sound lasts as long as it lasts. So they run at once, and what
computes gives way. As many pytests as two cores bear run at once; when one has ended, another one
of what lasts longer begins. Several pytests share a kind: each takes the next file that nobody has
begun, so that none is idle while there is something left.

What failed beside others is tried once more alone and told as such: a clock that ran late on a busy
machine says nothing of the software. It fails for good if it fails again, if there are more than
``MAX_AGAIN`` of them, and where nothing waits.
"""

from __future__ import annotations

import itertools
import os
import re
import resource
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


@dataclass(frozen=True)
class Kind:
    """Tests of a kind, and by how many pytests at once they are run."""

    name: str
    choice: str
    marks: frozenset[str]
    processes: int
    nice: int = 0


COMPUTING = Kind(
    "computing", "not (peer or e2e) or whole", frozenset({"unit", "engine"}), processes=2, nice=10
)
"""As many as CI has cores; nice enough to be no burden to the clocks of others, and to get on."""

SERVICES = Kind("services", "e2e or whole", frozenset({"e2e"}), processes=2)
"""Whole services and browsers: the second one begins when peers have left it some room."""

PEERS = Kind("peers", "peer and not e2e or whole", frozenset({"peer"}), processes=2)
"""Of real peers in the process of the test, which take a fifth of a core."""

WAITING = (PEERS, SERVICES)
KINDS = (*WAITING, COMPUTING)
"""Every test is chosen by one of these; those that look at a whole run by all."""

LONG = "engine"
"""Mark of what lasts long, and is begun first for that."""

FAILED, NO_TESTS = 1, 5
"""pytest's exit codes where tests failed, and where a choice has none."""

MAX_AGAIN = 10
"""So many failures may be the machine's; more are the software's."""

PREFIX = "PARTS_"
"""Of environment variables for the plugin that this module is. No ``VOICEPEER_``: services refuse
what they do not know."""

FAILURES, ONLY = f"{PREFIX}FAILURES", f"{PREFIX}ONLY"
"""Files of ids: failures are added to one, one chooses."""

BEGUN, MARKS = f"{PREFIX}BEGUN", f"{PREFIX}MARKS"
"""The folder where pytests of one kind note which files they have begun, and the marks of the
kind."""

POLL_S = 0.2

FOR_GOOD = "!"
"""Before the id of a test that looks at a whole run: alone it would look at nothing."""

_MARK = re.compile(r"mark\.(unit|engine|peer|e2e)\b")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note a failed test where this module is loaded as a plugin."""
    if report.failed and FAILURES in os.environ:
        mark = FOR_GOOD if "whole" in report.keywords else ""
        with Path(os.environ[FAILURES]).open("a") as file:
            file.write(mark + report.nodeid + "\n")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files without a test that is wanted: to read all takes a quarter minute.

    What has no mark at all is read by everybody, and then refused.
    """
    if collection_path.suffix != ".py":
        return None
    if ONLY in os.environ:
        files = {Path(config.rootpath, test.partition("::")[0]) for test in _chosen()}
        return None if collection_path in files else True
    if MARKS in os.environ:
        text = collection_path.read_text()
        found = set(_MARK.findall(text))
        wanted = not found or found & set(os.environ[MARKS].split()) or "mark.whole" in text
        return None if wanted else True
    return None


def _chosen() -> set[str]:
    return set(Path(os.environ[ONLY]).read_text().splitlines())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what was not chosen by its id, and begin with what lasts long.

    What looks at a whole run comes last.
    """
    chosen = _chosen() if ONLY in os.environ else {item.nodeid for item in items}
    if ONLY in os.environ and (missing := chosen - {item.nodeid for item in items}):
        raise pytest.UsageError(f"failed, and not there again: {', '.join(sorted(missing))}")
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in chosen])
    long = {item.path for item in items if item.get_closest_marker(LONG)}
    items[:] = sorted(
        (item for item in items if item.nodeid in chosen),
        key=lambda item: (bool(item.get_closest_marker("whole")), item.path not in long),
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run what nobody else has begun, as pytest runs all; left to pytest where nobody shares."""
    if BEGUN not in os.environ or session.config.option.collectonly:
        return None
    if session.testsfailed:
        raise session.Interrupted(f"{session.testsfailed} errors during collection")
    tests = not_begun(session.items, Path(os.environ[BEGUN]))
    for item, following in itertools.pairwise(itertools.chain(tests, [None])):
        assert item is not None
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)
    return True


def not_begun(items: Sequence[pytest.Item], folder: Path) -> Iterator[pytest.Item]:
    """Tests of files that are not noted in a folder, each of which is noted when its turn comes.

    By file, because what files share among their tests should be made once. Tests that look at a
    whole run are everybody's.
    """
    mine: dict[Path, bool] = {}
    for item in items:
        if item.get_closest_marker("whole"):
            yield item
            continue
        if item.path not in mine:
            mine[item.path] = _begin(folder / str(item.path).replace("/", "%"))
        if mine[item.path]:
            yield item


def _begin(note: Path) -> bool:
    try:
        note.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


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
    # This may itself be run by a test of a part.
    environ = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    with tempfile.TemporaryFile() as kept, tempfile.NamedTemporaryFile() as failures:
        process = subprocess.Popen(
            [*command, *options],
            stdout=kept if aside else None,
            stderr=subprocess.STDOUT if aside else None,
            env={**environ, FAILURES: failures.name, **chosen},
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
        starts = {kind: _starts(kind, options, stack) for kind in KINDS}
        computing = [next(starts[COMPUTING])]
        waiting = [*starts[PEERS], next(starts[SERVICES])]
        wait_for(1, waiting)
        waiting += starts[SERVICES]
        wait_for(2, waiting)
        computing += starts[COMPUTING]
        ended = [(one, one.wait()) for one in waiting]
        codes = [one.wait() for one in computing]
        return verdict([*codes, *again(ended, options)])


def wait_for(count: int, parts: Sequence[Part]) -> None:
    """Wait until so many of them have ended."""
    while sum(one.process.poll() is not None for one in parts) < count:
        time.sleep(POLL_S)


def _starts(kind: Kind, options: Sequence[str], stack: ExitStack) -> Iterator[Part]:
    """Start one pytest of a kind after the other; one, of what is waited for first, is seen."""
    chosen = {
        MARKS: " ".join(kind.marks),
        BEGUN: stack.enter_context(tempfile.TemporaryDirectory(prefix="begun-")),
    }
    for number in range(1, kind.processes + 1):
        yield stack.enter_context(
            part(
                f"{kind.name} {number}/{kind.processes}",
                # How many tests it will run nobody knows beforehand, so there is no percentage.
                ["-m", kind.choice, "-o", "console_output_style=classic", *options],
                aside=kind is not WAITING[0] or number > 1,
                nice=kind.nice,
                chosen=chosen,
            )
        )


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


def main() -> None:
    """Run all, and tell what it cost."""
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    # What is started in the background of a shell ignores Ctrl-C, and so would what tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    code = run(sys.argv[1:])
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    tell(f"{used.ru_utime + used.ru_stime:.0f} s of processor time in all")
    sys.exit(code)


if __name__ == "__main__":
    main()
