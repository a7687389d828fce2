"""What free-text instructions ask of a voice, as far as it can be done: one of the emotions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "happy": "happy happily happiness joyful joyfully joyous glad delighted",
        "sad": "sad sadly sadness sorrowful mournful melancholic melancholy grieving depressed",
        "angry": "angry angrily anger furious furiously annoyed irritated",
        "surprised": "surprised surprise astonished amazed",
        "fearful": "fearful fear afraid scared frightened anxious nervous terrified",
        "whispering": "whisper whispering whispered whispers",
        "cheerful": "cheerful cheerfully cheery upbeat enthusiastic enthusiastically excited "
        "energetic lively",
        "neutral": "neutral neutrally",
    }
)
_EMOTION_OF = {word: emotion for emotion, words in _WORDS.items() for word in words.split()}
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_NEGATIONS = frozenset({"not", "no", "never", "without", "don't", "avoid", "isn't", "less"})
_NEGATES_WORDS = 3
"""How many words after it a negation still reaches, as in "never sound very sad"."""


def emotion_of(instructions: str) -> str | None:
    """The first emotion that English instructions ask for, by the names of ``emotion.RECIPES``.

    What they ask not to be does not count. ``None`` where there is nothing that can be followed.
    """
    words = _WORD.findall(instructions.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))
    for at, word in enumerate(words):
        emotion = _EMOTION_OF.get(word)
        if emotion and not _NEGATIONS & set(words[max(0, at - _NEGATES_WORDS) : at]):
            return emotion
    return None
