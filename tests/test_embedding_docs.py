"""The code in docs/embedding.md is the code that is compiled and run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "embedding.md"
BLOCK = re.compile(r"<!-- file: (\S+) -->\n```ts\n(.*?)```\n", re.DOTALL)


def blocks() -> dict[str, str]:
    """Code by the file that it is from."""
    return dict(BLOCK.findall(DOCUMENT.read_text(encoding="utf-8")))


def test_all_examples_are_shown() -> None:
    examples = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("web/sdk/examples/*.ts")}
    assert set(blocks()) == examples


@pytest.mark.parametrize("path", sorted(blocks()))
def test_an_example_is_shown_as_it_is(path: str) -> None:
    assert blocks()[path] == (ROOT / path).read_text(encoding="utf-8")


def test_every_notice_is_told_of() -> None:
    texts = (ROOT / "web" / "sdk" / "src" / "texts.ts").read_text(encoding="utf-8")
    kinds = "microphone|audio|page|output|connection|service"
    codes = re.findall(rf'^  "((?:{kinds})\.\w+)"', texts, re.MULTILINE)
    table = DOCUMENT.read_text(encoding="utf-8").partition("## What can happen")[2]
    assert len(codes) > 10
    for code in codes:
        group, _, last = code.partition(".")
        assert f"`{code}`" in table or (f"`{group}." in table and f"`.{last}`" in table), code
