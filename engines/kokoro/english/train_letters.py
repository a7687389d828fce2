"""Makes the letter-to-sound model of a variety from the lexicon's checked entries, and tests it.

    python -m engines.kokoro.english.train_letters us

One entry in twenty is held out by a hash of its spelling; the figures printed are for those.
"""

from __future__ import annotations

import argparse
import io
import json
import lzma
import math
import sys
import zlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engines.kokoro.english import letters, lexicon, stress
from engines.kokoro.english.letters import ID_BITS, LOG_STEP, NO_STEP, ORDER
from engines.kokoro.english.pronounce import default_of

Pair: TypeAlias = tuple[str, tuple[str, ...]]
"""A spelling and its phonemes, marks and lengths attached to their vowel."""

Row: TypeAlias = list[tuple[str, str]]
"""Graphones of a word: each letter with what it sounds like."""

HELD_OUT = 20
MAX_CHUNK = 3
EM_WORDS = 20_000
EM_ROUNDS = 6
MIN_GRAPHONE_COUNT = 6
CUTOFF = {1: 1, 2: 1, 3: 1, 4: 1, 5: 2, 6: 2, 7: 2}
"""How often a row of graphones must occur to be kept, by its length."""


def phonemes_of(said: str) -> tuple[str, ...]:
    """Split a transcript; stress belongs to the vowel after it, length to the one before."""
    symbols: list[str] = []
    mark = ""
    for symbol in said:
        if symbol in (stress.PRIMARY, stress.SECONDARY):
            mark = symbol
        elif symbol == "ː" and symbols:
            symbols[-1] += symbol
        else:
            symbols.append(mark + symbol)
            mark = ""
    return tuple(symbols)


def pairs(variety: lexicon.Variety) -> list[Pair]:
    """All entries to learn from, sorted; words in capitals are names of letters, not spelling."""
    found: dict[str, Pair] = {}
    for word, entry in lexicon.load(variety).gold.items():
        lower = word.lower()
        if len(word) > 1 and lower.isascii() and lower.isalpha() and not word.isupper():
            symbols = phonemes_of(default_of(entry))
            if symbols and len(symbols) <= MAX_CHUNK * len(word):
                found.setdefault(lower, (lower, symbols))
    return [found[word] for word in sorted(found)]


def is_held_out(word: str) -> bool:
    """Whether a word is kept for the test."""
    return zlib.crc32(word.encode()) % HELD_OUT == 0


class Aligner:
    """Learns which phonemes a letter makes, by expectation maximisation."""

    def __init__(self) -> None:
        self._cost: dict[tuple[str, str], float] = {}

    def cost(self, letter: str, chunk: tuple[str, ...]) -> float:
        """Negative log probability of a chunk for a letter."""
        if self._cost:
            return self._cost.get((letter, "".join(chunk)), 14.0 + len(chunk))
        # To begin with, one phoneme a letter is likeliest and vowels are vowels.
        vowel_letter = letter in "aeiouy"
        wrong = sum((symbol[-1] in stress.VOWELS | {"ː"}) != vowel_letter for symbol in chunk)
        return (1.0, 0.5, 2.0, 5.0)[len(chunk)] + 2.0 * wrong

    def align(self, pair: Pair) -> Row:
        """The cheapest row of graphones of a word."""
        word, symbols = pair
        width = len(symbols) + 1
        best = [[math.inf] * width for _ in range(len(word) + 1)]
        size = [[0] * width for _ in range(len(word) + 1)]
        best[0][0] = 0.0
        for i, letter in enumerate(word):
            for j in range(width):
                if best[i][j] == math.inf:
                    continue
                for count in range(min(MAX_CHUNK, len(symbols) - j) + 1):
                    spent = best[i][j] + self.cost(letter, symbols[j : j + count])
                    if spent < best[i + 1][j + count]:
                        best[i + 1][j + count] = spent
                        size[i + 1][j + count] = count
        row: Row = []
        j = len(symbols)
        for i in range(len(word), 0, -1):
            count = size[i][j]
            row.append((word[i - 1], "".join(symbols[j - count : j])))
            j -= count
        return row[::-1]

    def learn(self, rows: Iterable[Row]) -> None:
        """Take the costs from aligned rows."""
        counts = Counter(graphone for row in rows for graphone in row)
        totals: Counter[str] = Counter()
        for (letter, _), count in counts.items():
            totals[letter] += count
        self._cost = {
            graphone: -math.log(count / totals[graphone[0]]) for graphone, count in counts.items()
        }


def aligned(words: list[Pair]) -> list[Row]:
    """Rows of graphones of all words."""
    aligner = Aligner()
    sample = words[:: max(1, len(words) // EM_WORDS)]
    for _ in range(EM_ROUNDS):
        aligner.learn([aligner.align(pair) for pair in sample])
    return [aligner.align(pair) for pair in words]


def count_rows(rows: list[list[int]]) -> list[Counter[int]]:
    """Counts of packed rows of one to ORDER graphones, with id 0 around each word."""
    counts: list[Counter[int]] = [Counter() for _ in range(ORDER)]
    for row in rows:
        seen = 0
        for graphone in [*row, 0]:
            seen = seen << ID_BITS | graphone
            for length, table in enumerate(counts, 1):
                table[marked(seen, length)] += 1
    return counts


def continued(counts: list[Counter[int]]) -> list[Counter[int]]:
    """What Kneser and Ney (1995) count below the highest order: before how many graphones."""
    tables: list[Counter[int]] = []
    for length, longer in enumerate(counts[1:], 1):
        # Rows that begin with the word have nothing before them: they count as they are.
        table = Counter({row: n for row, n in counts[length - 1].items() if _begins(row, length)})
        for row in longer:
            shorter = marked(row, length)
            if not _begins(shorter, length):
                table[shorter] += 1
        tables.append(table)
    return [*tables, counts[-1]]


def _begins(row: int, length: int) -> bool:
    """Whether the first graphone of a row stands for the beginning of the word."""
    return length > 1 and (row >> ID_BITS * (length - 1)) & ((1 << ID_BITS) - 1) == 0


def marked(ids: int, length: int) -> int:
    """The last ``length`` ids of a packed row, with a leading 1 that tells the length."""
    return 1 << ID_BITS * length | (ids & ((1 << ID_BITS * length) - 1))


def discount_of(table: Counter[int]) -> float:
    """How much to take from every count, from how many rows are rare (Ney et al. 1994)."""
    rare = Counter(table.values())
    ones, twos = rare[1], rare[2]
    return ones / (ones + 2 * twos) if ones else 0.5


def estimate(counts: list[Counter[int]]) -> tuple[dict[int, float], dict[int, float]]:
    """Interpolated absolute discounting: costs of rows and of shortening their histories."""
    cost: dict[int, float] = {}
    backoff: dict[int, float] = {}
    chance: dict[int, float] = {}
    for length, unpruned in enumerate(counts, 1):
        discount = discount_of(unpruned)
        table = {row: n for row, n in unpruned.items() if n >= CUTOFF[length]}
        totals: Counter[int] = Counter()
        kinds: Counter[int] = Counter()
        for row, n in table.items():
            totals[row >> ID_BITS] += n
            kinds[row >> ID_BITS] += 1
        for row, n in table.items():
            history = row >> ID_BITS
            left = discount * kinds[history] / totals[history]
            shorter = chance.get(marked(row, length - 1), 1e-7) if length > 1 else 1 / len(table)
            chance[row] = (n - discount) / totals[history] + left * shorter
            cost[row] = -math.log(chance[row])
            backoff[history] = -math.log(left)
    return cost, backoff


def packed(graphones: Row, cost: dict[int, float], backoff: dict[int, float]) -> bytes:
    """A model file: rows sorted and as differences, costs as bytes."""
    rows = sorted(cost.keys() | backoff.keys())
    buffer = io.BytesIO()
    np.savez(
        buffer,
        allow_pickle=False,
        graphones=np.frombuffer(json.dumps(graphones).encode(), dtype=np.uint8),
        rows=np.diff(np.array(rows, dtype=np.uint64), prepend=np.uint64(0)),
        cost=_steps(rows, cost),
        backoff=_steps(rows, backoff),
    )
    return lzma.compress(buffer.getvalue(), preset=9)


def _steps(rows: list[int], table: dict[int, float]) -> NDArray[np.uint8]:
    steps = [
        min(NO_STEP - 1, round(table[row] / LOG_STEP)) if row in table else NO_STEP for row in rows
    ]
    return np.array(steps, dtype=np.uint8)


def distance(left: tuple[str, ...], right: tuple[str, ...]) -> int:
    """Edits between two rows of phonemes."""
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(right, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]


def error_rates(model: letters.LetterModel, test: list[Pair]) -> tuple[float, float, float]:
    """Share of wrong phonemes with and without stress, and of words wrong in any phoneme."""
    edits = plain_edits = wrong = total = 0
    for word, symbols in test:
        said = phonemes_of(model.pronounce(word))
        plain = tuple(stress.unstressed(symbol) for symbol in symbols)
        plain_said = tuple(stress.unstressed(symbol) for symbol in said)
        edits += distance(said, symbols)
        plain_edits += distance(plain_said, plain)
        wrong += plain_said != plain
        total += len(symbols)
    return edits / total, plain_edits / total, wrong / len(test)


def train(variety: lexicon.Variety, path: Path) -> str:
    """Write the model of a variety; a line that says how good it is."""
    words = pairs(variety)
    rows = aligned([pair for pair in words if not is_held_out(pair[0])])
    kinds = Counter(graphone for row in rows for graphone in row)
    graphones = [("", ""), *sorted(g for g, n in kinds.items() if n >= MIN_GRAPHONE_COUNT)]
    ids = {graphone: index for index, graphone in enumerate(graphones)}
    usable = [[ids[g] for g in row] for row in rows if all(g in ids for g in row)]
    cost, backoff = estimate(continued(count_rows(usable)))
    path.write_bytes(packed(graphones, cost, backoff))
    model = letters.from_bytes(path.read_bytes())
    test = [pair for pair in words if is_held_out(pair[0])]
    with_stress, plain, wrong = error_rates(model, test)
    return (
        f"{variety}: {len(usable)} words, {len(graphones)} graphones, {len(cost)} rows, "
        f"{path.stat().st_size} bytes; {len(test)} held-out words: phoneme error rate "
        f"{plain:.2%} ({with_stress:.2%} with stress), word error rate {wrong:.2%}"
    )


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variety", choices=["us", "gb"])
    parser.add_argument("--out", type=Path, default=None)
    options = parser.parse_args()
    path = options.out or Path(__file__).with_name(f"letters_{options.variety}.npz.xz")
    sys.stdout.write(train(options.variety, path) + "\n")


if __name__ == "__main__":
    main()
