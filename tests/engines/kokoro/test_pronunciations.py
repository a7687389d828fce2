"""What is written and how it sounds: the tables are in ``pronunciations``, one a language."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.kokoro.phonemes import LANGUAGES, phonemize
from engines.kokoro.vocabulary import TOKENS

pytestmark = pytest.mark.unit

TABLES = Path(__file__).with_name("pronunciations")


def table(language: str) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for line in (TABLES / f"{language}.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            written, _, sounds = line.partition("|")
            rows.append((written.strip(), sounds.strip()))
    return rows


CASES = [
    pytest.param(path.stem, written, sounds, id=f"{path.stem} {ascii(written)}")
    for path in sorted(TABLES.glob("*.txt"))
    for written, sounds in table(path.stem)
]


@pytest.mark.parametrize(("language", "written", "sounds"), CASES)
def test_sounds(language: str, written: str, sounds: str) -> None:
    assert phonemize(written, language).symbols == sounds


@pytest.mark.parametrize("language", [path.stem for path in sorted(TABLES.glob("*.txt"))])
def test_the_model_knows_every_symbol_of_a_table(language: str) -> None:
    assert {symbol for _, sounds in table(language) for symbol in sounds} <= TOKENS.keys()


def test_every_language_without_a_lexicon_has_a_table() -> None:
    tables = {path.stem for path in TABLES.glob("*.txt")}
    assert LANGUAGES - {"en-us", "en-gb", "es"} <= tables
    assert all(len(table(language)) >= 40 for language in tables)
