"""The page: its own tests, and what is committed of it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from signaling.pages import INDEX, load_pages
from tests.node import WEB, run_program

pytestmark = [pytest.mark.unit, pytest.mark.needs("node")]

PAGE = WEB / "page"
FILES = ("index.html", "app.js", "style.css", "icon.svg")
MOST_BYTES = 165_000
"""Of all that a visit loads, as it is sent; a third of that where a proxy compresses it."""


def test_its_own_tests_pass() -> None:
    run_program("vitest", "run", where=WEB, folder=PAGE)


def test_it_is_strictly_typed_with_its_tests() -> None:
    run_program("tsc", "--noEmit", where=WEB, folder=PAGE)


def test_what_is_committed_is_what_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, "PAGE_OUT_DIR", str(tmp_path))
    run_program("vite", "build", where=WEB, folder=PAGE)
    built = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(built) == set(FILES)
    pages = load_pages()
    assert built == {name: pages[name].body for name in FILES}, "run: make web"


def test_it_is_small() -> None:
    pages = load_pages()
    assert sum(len(pages[name].body) for name in FILES) < MOST_BYTES


def test_it_loads_nothing_but_what_is_served_with_it() -> None:
    pages = load_pages()
    loaded = re.findall(r'(?:src|href)="([^"#]+)"', pages[INDEX].body.decode())
    assert sorted(loaded) == ["./app.js", "./icon.svg", "./style.css"]


def test_it_needs_nothing_that_its_security_policy_forbids() -> None:
    pages = load_pages()
    assert not re.search(r"<script>|<style|\sstyle=|\son\w+=", pages[INDEX].body.decode())
    script = pages["app.js"].body.decode()
    assert not re.search(r"\beval\(|new Function\(|\bimport\([\"'`]", script)
    assert not re.search(r"url\(|@import", pages["style.css"].body.decode())
