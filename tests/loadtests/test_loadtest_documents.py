"""The page of the load tests says what is so."""

from __future__ import annotations

import re
import shlex

import pytest

from loadtests.__main__ import COMMANDS, build_parser
from loadtests.commands.options import MOST_MINUTES, MOST_RECORDINGS, MOST_USERS
from loadtests.figures import DOCUMENTS
from loadtests.report import LATE_MAX_MS, TESTER_CORES_MAX, window_figures
from loadtests.soak import LIMITS_PER_HOUR
from loadtests.tester import TICK_S
from loadtests.wire import KINDS
from tests.loadtests.samples import journal, samples
from tests.test_documents import PAGES, ROOT, shell_lines
from voicepeer.recorder import AUDIBLE_DBFS

pytestmark = pytest.mark.unit

PAGE = (ROOT / "docs/loadtests.md").read_text(encoding="utf-8")
PROGRAM = "python -m loadtests "

LINES = [(page, line) for page, line in shell_lines() if PROGRAM in line]


def test_the_page_has_examples() -> None:
    assert {"run", "ramp", "scenario", "soak", "sfu"} <= {
        line.partition(PROGRAM)[2].split()[0] for page, line in LINES if page == "loadtests.md"
    }


@pytest.mark.parametrize("line", [line for _, line in LINES])
def test_every_command_in_a_document_parses(line: str) -> None:
    words = shlex.split(line.partition(PROGRAM)[2].split("|")[0].split(">")[0])
    assert callable(build_parser(words[0]).parse_args(words).run)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_example_of_the_help_parses(name: str) -> None:
    words = [name, *shlex.split(COMMANDS[name].example)]
    assert callable(build_parser(name).parse_args(words).run)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_in_the_page(name: str) -> None:
    assert re.search(rf"^\|.*`{name}\b", PAGE, re.M) or f"{PROGRAM}{name}" in PAGE


def test_every_kind_of_user_is_in_the_page() -> None:
    assert all(f"| `{kind}` |" in PAGE for kind in KINDS)


def test_every_figure_is_in_the_page() -> None:
    window = window_figures(journal(), samples(), users=2, talk=0.25, seconds=10.0)
    shown = set(re.findall(r"`(\w+)`", PAGE))
    # What was asked for, and how long that really was, need no words.
    unexplained = window.to_json().keys() - shown - {"users", "talk", "seconds"}
    assert {"worst_user_p99_ms", "fds"} <= shown
    assert not unexplained


def test_what_is_bounded_is_as_the_page_says() -> None:
    assert f"{MOST_USERS} users, {MOST_MINUTES / 60:g} hours, {MOST_RECORDINGS} rec" in PAGE


def test_the_page_tells_from_where_on_a_tester_is_a_bottleneck() -> None:
    assert f"{1 / TICK_S:g} times a" in " ".join(PAGE.split())
    assert f"late by more than {LATE_MAX_MS:g} ms" in PAGE
    assert f"more than {TESTER_CORES_MAX:g} of a core" in PAGE
    assert f"over {AUDIBLE_DBFS:g} dBFS" in PAGE


def test_documents_that_figures_are_written_to_are_named() -> None:
    (row,) = (line for line in PAGE.splitlines() if line.startswith("| `figures` |"))
    assert all(document.name.removesuffix(".md") in row for document in DOCUMENTS)


def test_the_limits_of_leaks_are_those_in_the_page() -> None:
    memory, fds, threads = (LIMITS_PER_HOUR[name] for name in ("rss_mb", "fds", "threads"))
    assert f"{memory:g} MB, {fds:g} descriptors, {threads:g} threads" in PAGE
    assert LIMITS_PER_HOUR["sessions"] == 1


def test_pages_that_are_looked_at_are_there() -> None:
    assert ROOT / "docs/loadtests.md" in PAGES
