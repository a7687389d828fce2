"""Letters to sound for words without an entry: a joint-sequence n-gram model.

The model (Bisani and Ney, "Joint-sequence models for grapheme-to-phoneme conversion", 2008)
scores rows of graphones, each one letter with the none to three phonemes it makes. The likeliest
row is found by a beam search. ``train_letters`` makes the files that are read here.
"""

from __future__ import annotations

import functools
import io
import json
import lzma
import zipfile
from dataclasses import dataclass
from importlib import resources
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engines.api import ModelFilesCorrupt
from engines.kokoro.english import stress
from engines.kokoro.english.lexicon import Variety

ORDER = 7
ID_BITS = 9
"""A row of ORDER graphone ids and a leading 1 fit into 64 bits; id 0 stands around a word."""

LOG_STEP = 1 / 16
"""Costs (negative log probabilities) are stored as bytes, in steps of this size."""

NO_STEP = 255
"""Stands for a cost that a row does not have."""

_BEAM = 12
_UNSEEN_COST = 20.0
_MAX_LETTERS = 48
"""Longer rows of letters are no words; they are read in parts of this length."""

_Rows: TypeAlias = NDArray[np.uint64]
_Costs: TypeAlias = NDArray[np.float64]


def _low_ids(count: int) -> np.uint64:
    return np.uint64((1 << ID_BITS * count) - 1)


@dataclass(frozen=True, slots=True)
class LetterModel:
    """A back-off model over graphones.

    ``rows`` are packed ids in order, with a leading 1 that tells their length. ``cost`` is that
    of a row's last graphone after the others, ``backoff`` that of shortening the row when it is
    a history; both shape ``[n]``, NaN where there is none.
    """

    sounds: tuple[str, ...]
    """Phonemes of each graphone, by id."""
    choices: dict[str, _Rows]
    """Graphones of each letter."""
    rows: _Rows
    cost: _Costs
    backoff: _Costs

    def _look_up(self, values: _Costs, wanted: _Rows) -> _Costs:
        at = np.minimum(np.searchsorted(self.rows, wanted), len(self.rows) - 1)
        return np.where(self.rows[at] == wanted, values[at], np.nan)

    def _costs(self, histories: _Rows, graphones: _Rows) -> _Costs:
        """Costs of each graphone after each history, shape ``[histories, graphones]``."""
        shape = (len(histories), len(graphones))
        total = np.full(shape, np.nan)
        spent = np.zeros((len(histories), 1))
        for length in range(ORDER - 1, -1, -1):
            one = np.uint64(1 << ID_BITS * length)
            seen = one | (histories & _low_ids(length))
            rows = (seen[:, None] << np.uint64(ID_BITS)) | graphones[None, :]
            found = self._look_up(self.cost, rows) + spent
            total = np.where(np.isnan(total), found, total)
            spent += np.nan_to_num(self._look_up(self.backoff, seen))[:, None]
        return np.where(np.isnan(total), spent + _UNSEEN_COST, total)

    def pronounce(self, word: str) -> str:
        """Phonemes of a lower-case word; letters outside a to z are passed over."""
        spent = np.zeros(1)
        histories = np.zeros(1, np.uint64)
        paths: list[tuple[int, ...]] = [()]
        for letter in word[:_MAX_LETTERS]:
            options = self.choices.get(letter)
            if options is None:
                continue
            grown = (spent[:, None] + self._costs(histories, options)).ravel()
            best = np.argsort(grown, kind="stable")[:_BEAM]
            spent = grown[best]
            before, chosen = best // len(options), options[best % len(options)]
            longer = (histories[before] << np.uint64(ID_BITS)) | chosen
            histories = longer & _low_ids(ORDER - 1)
            paths = [(*paths[i], int(g)) for i, g in zip(before, chosen, strict=True)]
        ends = spent + self._costs(histories, np.zeros(1, np.uint64))[:, 0]
        said = "".join(self.sounds[graphone] for graphone in paths[int(np.argmin(ends))])
        rest = word[_MAX_LETTERS:]
        return one_primary(said) + (self.pronounce(rest) if rest else "")


def one_primary(said: str) -> str:
    """Exactly one primary stress if there is a vowel: the first, or the first vowel's."""
    head, mark, tail = said.partition(stress.PRIMARY)
    if mark:
        return head + mark + tail.replace(stress.PRIMARY, stress.SECONDARY)
    return stress.emphasized(said)


def _unpacked(steps: NDArray[np.uint8]) -> _Costs:
    return np.where(steps == NO_STEP, np.nan, steps * LOG_STEP)


def from_bytes(data: bytes) -> LetterModel:
    """Read a model file.

    Raises:
        ModelFilesCorrupt: it is not what ``train_letters`` writes.
    """
    try:
        with np.load(io.BytesIO(lzma.decompress(data)), allow_pickle=False) as stored:
            graphones: list[tuple[str, str]] = json.loads(stored["graphones"].tobytes())
            rows = np.cumsum(stored["rows"], dtype=np.uint64)
            cost, backoff = _unpacked(stored["cost"]), _unpacked(stored["backoff"])
    except (lzma.LZMAError, zipfile.BadZipFile, ValueError, KeyError, OSError, EOFError) as error:
        raise ModelFilesCorrupt(
            "the letter-to-sound model is damaged: reinstall voicepeer"
        ) from error
    if not len(rows) == len(cost) == len(backoff) > 0:
        raise ModelFilesCorrupt("the letter-to-sound model is incomplete: reinstall voicepeer")
    choices: dict[str, list[int]] = {}
    for index, (letter, _) in enumerate(graphones):
        if letter:
            choices.setdefault(letter, []).append(index)
    return LetterModel(
        tuple(sound for _, sound in graphones),
        {letter: np.array(ids, np.uint64) for letter, ids in choices.items()},
        rows,
        cost,
        backoff,
    )


@functools.cache
def load(variety: Variety) -> LetterModel:
    """The model that ships for a variety, about 0.1 s and once in a process."""
    file = resources.files("engines.kokoro.english") / f"letters_{variety}.npz.xz"
    return from_bytes(file.read_bytes())
