"""Sounds to mouth shapes: the fifteen visemes that lip-sync tools for avatars share.

The set and its names are those of Meta's Oculus Lipsync, after the visemes of MPEG-4 (ISO/IEC
14496-2, Annex C).
"""

from __future__ import annotations

import unicodedata
from dataclasses import replace

from engines.api import PhoneMark

SILENCE = "sil"

_SOUNDS = {
    "PP": "p b m",
    "FF": "f v ɱ ʋ",
    "TH": "θ ð",
    "DD": "t d ʈ ɖ ɾ ɟ c",
    "kk": "k ɡ g ŋ x ɣ h ɦ q χ ɲ ç ʔ ɴ ħ ʝ",
    "CH": "tʃ dʒ ʃ ʒ tɕ dʑ ɕ ʑ tʂ ʂ ʐ ɻ ʧ ʤ ʨ ʥ ꭧ",
    "SS": "s z ts dz ʦ ʣ",
    "nn": "n l ɳ ɭ ʎ ɬ",
    "RR": "ɹ r ɚ ɝ ʁ ɽ ʀ",
    "aa": "a ɑ ɐ ʌ ɒ aɪ aʊ ä æ",
    "E": "e ɛ ɜ ə eɪ ɘ ɞ œ",
    "ih": "i ɪ j y ɨ ᵻ ɯ ʏ",
    "oh": "o ɔ oʊ əʊ ɔɪ ɤ ø",
    "ou": "u ʊ w ʉ ɥ ɰ β ɵ ɸ ᵝ",
}
_OF = {sound: viseme for viseme, sounds in _SOUNDS.items() for sound in sounds.split()}
VISEMES = (SILENCE, *_SOUNDS)


def viseme_of(ipa: str) -> str:
    """The mouth shape of a sound in IPA, of its first part where it has several."""
    bare = "".join(
        char for char in unicodedata.normalize("NFD", ipa) if not unicodedata.combining(char)
    ).strip("ˈˌːˑʰʲʷ̃")
    for length in (2, 1):
        if bare[:length] in _OF:
            return _OF[bare[:length]]
    return SILENCE


def shifted(phone: PhoneMark, by_ms: float) -> PhoneMark:
    """A sound at a later time."""
    return replace(phone, start_ms=phone.start_ms + by_ms, end_ms=phone.end_ms + by_ms)
