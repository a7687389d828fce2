"""A mix of voices as one voice id, ``mix:a=0.6,b=0.4``, so that it can stand wherever an id can.

Ids of voices hold none of ``=``, ``,`` and ``:``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from voicepeer.core.errors import PeerSentBadMessage

PREFIX = "mix:"
MAX_PARTS = 16
_LEAST_SHARE = 1e-3


def mix_id(weights: Mapping[str, float]) -> str:
    """The id of a mix; weights are relative, and the same for the same shares in any order.

    Raises:
        PeerSentBadMessage: fewer than two voices or too many, a mix in it, a weight not over 0.
    """
    if not 2 <= len(weights) <= MAX_PARTS:
        raise PeerSentBadMessage(f"a mix is of 2 to {MAX_PARTS} voices, not of {len(weights)}")
    if not all(math.isfinite(weight) and weight > 0.0 for weight in weights.values()):
        raise PeerSentBadMessage("the weights of a mix must be numbers over 0")
    if any(not part or set(part) & set("=,:") for part in weights):
        raise PeerSentBadMessage("a mix is of ids of voices, and of no other mixes")
    largest = max(weights.values())
    total = sum(weight / largest for weight in weights.values())
    shares = {part: weight / largest / total for part, weight in sorted(weights.items())}
    if min(shares.values()) < _LEAST_SHARE:
        raise PeerSentBadMessage(f"nobody hears a share under {_LEAST_SHARE:g} of a mix")
    return PREFIX + ",".join(f"{part}={share:.4g}" for part, share in shares.items())


def weights_of(voice_id: str) -> dict[str, float] | None:
    """The weights that an id of a mix names, ``None`` for any other id.

    Raises:
        PeerSentBadMessage: it begins like a mix and is none.
    """
    if not voice_id.startswith(PREFIX):
        return None
    weights: dict[str, float] = {}
    for part in voice_id.removeprefix(PREFIX).split(","):
        name, _, number = part.partition("=")
        try:
            weight = float(number)
        except ValueError:
            weight = math.nan
        if name in weights:
            weight = math.nan
        weights[name] = weight
    mix_id(weights)
    return weights


def holds(voice_id: str | None, part: str) -> bool:
    """Whether an id is that of a voice, or of a mix with it."""
    if voice_id is None or voice_id == part:
        return voice_id == part
    if not voice_id.startswith(PREFIX):
        return False
    parts = voice_id.removeprefix(PREFIX).split(",")
    return part in (one.partition("=")[0] for one in parts)
