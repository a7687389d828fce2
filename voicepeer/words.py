"""Whether the words of a text can be heard in speech, by a small recogniser (PocketSphinx).

A share near 1 says that the words are there. A lower one says little by itself: the recogniser
is of 2010, knows American English only and misses words in good speech too. So compare it with
what the same recogniser hears in a stock voice. It cannot tell tone, stress or naturalness, and
its language model may supply a word that was only half said.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from engines.api import EngineError
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm, to_pcm16

_PAUSE_S = 0.3
_PEAK = 0.5


class RecogniserMissing(EngineError):
    """The package with the recogniser is not installed."""


def keyword_check(pcm16k: Pcm, text: str) -> float:
    """Share of the text's words that are heard in this order, 0 to 1.

    ``pcm16k`` is mono at 16 kHz; ``text`` is English in its spoken form (no digits).

    Raises:
        RecogniserMissing: the ``eval`` extra is not installed.
        ValueError: the text has no words.
    """
    wanted = words_of(text)
    if not wanted:
        raise ValueError("the text has no words to listen for")
    return common_in_order(wanted, words_of(recognise(pcm16k))) / len(wanted)


def recognise(pcm16k: Pcm) -> str:
    """What the recogniser makes of speech; empty for none.

    Raises:
        RecogniserMissing: the ``eval`` extra is not installed.
    """
    peak = float(np.max(np.abs(pcm16k), initial=0.0))
    if peak == 0.0:
        return ""
    quiet = np.zeros(round(_PAUSE_S * LISTEN_RATE_HZ), dtype=np.float32)
    framed = np.concatenate([quiet, pcm16k * np.float32(_PEAK / peak), quiet])
    decoder = _decoder()
    decoder.start_utt()
    decoder.process_raw(to_pcm16(framed).tobytes(), full_utt=True)
    decoder.end_utt()
    found = decoder.hyp()
    return "" if found is None else str(found.hypstr)


def words_of(text: str) -> list[str]:
    """Words in lower case, without marks."""
    return re.findall(r"[a-z]+(?:'[a-z]+)?", text.lower().replace("’", "'"))


def common_in_order(wanted: Sequence[str], heard: Sequence[str]) -> int:
    """Length of the longest common subsequence."""
    row = [0] * (len(heard) + 1)
    for word in wanted:
        before = 0
        for index, other in enumerate(heard, start=1):
            above = row[index]
            row[index] = before + 1 if word == other else max(above, row[index - 1])
            before = above
    return row[-1]


@functools.cache
def _decoder() -> Any:  # noqa: ANN401  # an extension type without stubs
    try:
        import pocketsphinx
    except ModuleNotFoundError as error:
        raise RecogniserMissing("hearing words needs: pip install voicepeer[eval]") from error
    return pocketsphinx.Decoder(samprate=float(LISTEN_RATE_HZ), loglevel="FATAL")
