"""The phoneme symbols that Kokoro was trained with, and their token numbers."""

from __future__ import annotations

from collections.abc import Iterable

PAD = 0
MAX_TOKENS = 510
"""Most phonemes in one run of the model; a pad is added at both ends."""

# Numbers of the published model's embedding rows; the gaps are rows that were never trained.
_ROWS: tuple[tuple[int, str], ...] = (
    (1, ";:,.!?"),
    (9, '—…"()“” ̃ʣʥʦʨᵝꭧAI'),
    (31, "O"),
    (33, "Q"),
    (35, "ST"),
    (39, "W"),
    (41, "Yᵊabcdef"),
    (50, "hijklmnopqrstuvwxyzɑɐɒæ"),
    (75, "βɔɕç"),
    (80, "ɖðʤə"),
    (85, "ɚɛɜ"),
    (90, "ɟ"),
    (92, "ɡ"),
    (99, "ɥ"),
    (101, "ɨɪʝ"),
    (110, "ɯɰŋɳɲɴø"),
    (118, "ɸθœ"),
    (123, "ɹ"),
    (125, "ɾɻ"),
    (128, "ʁɽʂʃʈʧ"),
    (135, "ʊʋ"),
    (138, "ʌɣɤ"),
    (142, "χʎ"),
    (147, "ʒʔ"),
    (156, "ˈˌː"),
    (162, "ʰ"),
    (164, "ʲ"),
    (169, "↓"),
    (171, "→↗↘"),
    (177, "ᵻ"),
)

TOKENS: dict[str, int] = {
    symbol: first + offset for first, symbols in _ROWS for offset, symbol in enumerate(symbols)
}


def to_tokens(phonemes: Iterable[str]) -> list[int]:
    """Token numbers between two pads; a symbol that the model lacks is an error.

    Raises:
        KeyError: names the unknown symbol.
    """
    return [PAD, *(TOKENS[symbol] for symbol in phonemes), PAD]
