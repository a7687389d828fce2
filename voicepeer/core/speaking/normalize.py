"""Written text to its spoken form: what is silent goes, what is short is said in full."""

from __future__ import annotations

import re

from voicepeer.core.speaking.spoken import Draft, Spoken

_BLANKS = re.compile(r"\s+")


def normalize(text: str, language: str) -> Spoken:
    """Spoken form of a piece of text in a language (BCP 47 tag, such as "en-us").

    Any string is legal, an empty result means that there is nothing to say.
    """
    draft = Draft(text)
    draft.rewrite(_BLANKS, " ")
    return draft.spoken()
