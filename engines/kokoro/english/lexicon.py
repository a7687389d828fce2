"""The pronouncing lexicon: read once, by variety, from the package that publishes it."""

from __future__ import annotations

import functools
import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from engines.api import ModelFilesCorrupt, ModelFilesMissing

Variety: TypeAlias = Literal["us", "gb"]
Entry: TypeAlias = str | dict[str, str | None]
"""Phonemes, or phonemes by part of speech; None there means: spell it letter by letter."""

_FIX = "install it with: pip install 'voicepeer[kokoro]'"


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Two layers: ``gold`` is checked by people, ``silver`` is not and has no capitals."""

    variety: Variety
    gold: dict[str, Entry]
    silver: dict[str, Entry]
    folded: dict[str, str]
    """Lower case of the words that are written with capitals inside, to how they are written."""

    @property
    def british(self) -> bool:
        """Whether this is the British variety."""
        return self.variety == "gb"

    def find(self, word: str) -> Entry | None:
        """Entry of a word as written, else in lower case, else capitalised."""
        lower = word.lower()
        for layer in (self.gold, self.silver):
            for form in (word, lower, lower.capitalize()):
                if form in layer:
                    return layer[form]
        written = self.folded.get(lower)
        return None if written is None else self.gold[written]

    def letter(self, letter: str) -> str:
        """Name of a letter from A to Z."""
        entry = self.gold["zed" if self.british and letter in "zZ" else letter.upper()]
        return entry if isinstance(entry, str) else entry["DEFAULT"] or ""


def _data_folder() -> Path:
    # The package's own modules want a parser and its models; its data files are all we read.
    spec = importlib.util.find_spec("misaki")
    if spec is None or not spec.submodule_search_locations:
        raise ModelFilesMissing(f"the English pronouncing lexicon (misaki) is missing: {_FIX}")
    return Path(next(iter(spec.submodule_search_locations))) / "data"


def _read(path: Path) -> dict[str, Entry]:
    try:
        with path.open(encoding="utf-8") as file:
            entries: dict[str, Entry] = json.load(file)
    except FileNotFoundError as error:
        raise ModelFilesMissing(f"the lexicon file {path.name} is missing: {_FIX}") from error
    except ValueError as error:
        raise ModelFilesCorrupt(f"the lexicon file {path.name} is damaged: {_FIX}") from error
    return entries


@functools.cache
def load(variety: Variety) -> Lexicon:
    """Read a variety's lexicon, about 0.1 s and once in a process.

    Raises:
        ModelFilesMissing: the package that has it is not installed.
        ModelFilesCorrupt: its files cannot be read.
    """
    folder = _data_folder()
    gold = _read(folder / f"{variety}_gold.json")
    silver = _read(folder / f"{variety}_silver.json")
    folded = {word.lower(): word for word in gold if not word[1:].islower() and len(word) > 2}
    return Lexicon(variety, gold, silver, folded)
