"""Texts to be said: seldom the same twice in a row, always the same for a seed."""

from __future__ import annotations

import random
from typing import Final

_OPENINGS: Final = (
    "This morning", "After lunch", "On the way home", "At the station", "In the old harbour",
    "Before the meeting", "Late last night", "As far as I know", "To be honest", "By the river",
)  # fmt: skip
_WHO: Final = (
    "my neighbour", "the whole team", "a friend of mine", "the woman at the counter",
    "our new colleague", "somebody with a red umbrella", "the man from the bakery", "my sister",
)  # fmt: skip
_DID: Final = (
    "asked for the way to the museum", "told me a long story about the weather",
    "found a letter that nobody had opened", "wanted to know when the train leaves",
    "lost a pair of gloves", "sold the last three tickets", "played the piano for an hour",
    "forgot to close the window", "brought coffee for everybody", "waited for an answer",
)  # fmt: skip
_ENDINGS: Final = (
    "and then it began to rain.", "which surprised me a little.", "and nobody said a word.",
    "but that is another story.", "so we had to start again from the beginning.",
    "because there was nothing else to do.", "and I am still thinking about it.",
)  # fmt: skip
_SHORT: Final = (
    "Yes, of course.", "One moment, please.", "That sounds good to me.", "I will look it up.",
    "Thank you for waiting.", "Could you say that again?", "It is on the second floor.",
)  # fmt: skip

SHORT_SHARE: Final = 0.4
"""Of what is said in conversations; the rest are sentences, two of them at times."""


def sentence(chance: random.Random) -> str:
    """One of 13 to 27 words."""
    opening, who = chance.choice(_OPENINGS), chance.choice(_WHO)
    return f"{opening} {who} {chance.choice(_DID)}, {chance.choice(_ENDINGS)}"


def turn(chance: random.Random) -> str:
    """What somebody says in a conversation: a few words, or a sentence or two."""
    if chance.random() < SHORT_SHARE:
        return chance.choice(_SHORT)
    return " ".join(sentence(chance) for _ in range(chance.choice((1, 1, 1, 1, 2))))


def long_text(chance: random.Random) -> str:
    """Half a minute of it, to be interrupted."""
    return " ".join(sentence(chance) for _ in range(6))
