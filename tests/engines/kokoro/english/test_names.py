"""Names: those of the table, those of the list, and how the list is made."""

from __future__ import annotations

import lzma

import pytest

from engines.kokoro.english import names, train_names
from engines.kokoro.phonemes import phonemize
from engines.kokoro.vocabulary import TOKENS

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "american", "british"),
    [
        ("Hugh", "hjˈu", "hjˈuː"),
        ("Leigh", "lˈi", "lˈiː"),
        ("Naomi", "nAˈOmi", "nAˈQmi"),
        ("Beethoven", "bˈAɾOvən", "bˈAtQvən"),
        ("Joaquin", "wɑkˈin", "wakˈiːn"),
        ("Renault", "ɹənˈO", "ɹˈɛnQ"),
        ("Siobhan", "ʃəvˈɔn", "ʃəvˈɔːn"),
        ("Chopin", "ʃˈOpæn", "ʃˈQpan"),
        ("Carter", "kˈɑɹɾəɹ", "kˈɑːtə"),
        ("Björn", "bjˈɔɹn", "bjˈɔːn"),
    ],
)
def test_names_are_not_read_by_their_letters(text: str, american: str, british: str) -> None:
    said = phonemize(text, "en-us").symbols, phonemize(text, "en-gb").symbols
    assert said == (american, british)


@pytest.mark.parametrize("text", ["Beethoven's", "the Camuses", "Naomi's"])
def test_names_take_endings(text: str) -> None:
    assert phonemize(text, "en-us").symbols.endswith("z")


def test_the_table_has_symbols_of_the_model_and_lower_case() -> None:
    for name, sounds in names.NAMES.items():
        assert name == name.lower()
        assert all(set(said) <= TOKENS.keys() and "ˈ" in said for said in sounds)


@pytest.mark.parametrize(
    ("sounds", "said"),
    [
        ("S IH1 D N IY0", "sˈɪdni"),
        ("B AY1 D AH0 N", "bˈIdən"),
        ("P IY1 T ER0", "pˈiɾəɹ"),
        ("HH ER1 B ER0 T", "hˈɜɹbəɹt"),
        ("S T AE2 L IH0 N G R AE1 D", "stˌælɪnɡɹˈæd"),
        ("AH1 T AH0", "ˈʌɾə"),
    ],
)
def test_arpabet_becomes_the_symbols_of_the_model(sounds: str, said: str) -> None:
    assert train_names.from_arpabet(sounds.split()) == said


def test_an_unknown_sound_is_an_error() -> None:
    with pytest.raises(KeyError):
        train_names.from_arpabet(["QQ"])


CMUDICT = """'em AH0 M
a.m. EY2 EH1 M
the DH AH0
naomi N EY0 OW1 M IY0
naomi(2) N AY0 OW1 M IY0
zzyzx Z IH1 Z IH0 K S # a place
"""


def test_only_what_the_lexicon_lacks_is_kept() -> None:
    assert train_names.missing(CMUDICT) == {"naomi": "nAˈOmi", "zzyzx": "zˈɪzɪks"}


def test_the_list_is_what_the_file_holds() -> None:
    assert lzma.decompress(train_names.packed({"b": "x", "a": "y"})).decode() == "a y\nb x"
    assert names.NAMES_FILE.stat().st_size < 600_000
    assert names.listed("zbigniew", british=False) is not None
    assert names.listed("qqqq", british=False) is None
