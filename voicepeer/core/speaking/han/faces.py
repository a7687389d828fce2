"""Faces of brackets and marks, such as "(^o^)", which nobody reads."""

from __future__ import annotations

import re

from voicepeer.core.speaking.spoken import Draft

_EYES = "^><;；´｀`≧≦＾￣・°TQ*≖ಠ"
_MOUTH = "oωwvдД∀▽ヮ_.｡。ー-"
_FACE = re.compile(
    rf"[＼\\ヽm]?[(（][ ;；*#]?[{re.escape(_EYES)}][ {re.escape(_MOUTH)}]{{0,3}}"
    rf"[{re.escape(_EYES)}][ ;；*#]?[)）][／/ノﾉmb♪]?|m[(（]_ ?_[)）]m"
)


def strip(draft: Draft) -> None:
    """Silence them, before their marks are taken for others."""
    draft.rewrite(_FACE, " ")
