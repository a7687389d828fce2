"""A saved voice made of others by weights, with where it comes from and who consented."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engines import registry
from engines.api import PreparesVoices, SpeechEngine, Voice
from voicepeer.core.errors import ConfigInvalid, VoiceNotFound
from voicepeer.stores import Voices
from voicepeer.voice_store import ConsentRecord, VoiceRecord, new_voice_id

MAX_PARTS = 16
STOCK_ONLY = "voices published with the engine, no person was recorded for it"


@dataclass(frozen=True, slots=True)
class Part:
    """One voice of a mix; ``record`` is ``None`` for a stock voice."""

    name: str
    share: float
    """Of the whole, 0 to 1."""
    voice: Voice
    record: VoiceRecord | None


def read_weights(given: Sequence[str]) -> dict[str, float]:
    """Weights as a person writes them, ``Ada=0.6``; the last ``=`` parts name and weight.

    Raises:
        ConfigInvalid: not written so, a weight that is not over 0, a voice named twice, fewer than
            two or more than ``MAX_PARTS``.
    """
    weights: dict[str, float] = {}
    for text in given:
        name, equals, number = text.rpartition("=")
        if not equals or not name or name in weights:
            raise ConfigInvalid(f"write each voice once and with its weight, Ada=0.6, not {text!r}")
        weights[name] = _weight(number, name)
    if not 2 <= len(weights) <= MAX_PARTS:
        raise ConfigInvalid(f"a mix is of 2 to {MAX_PARTS} voices, not of {len(weights)}")
    return weights


def _weight(number: str, name: str) -> float:
    try:
        weight = float(number)
    except ValueError:
        weight = 0.0
    if not (np.isfinite(weight) and weight > 0.0):
        raise ConfigInvalid(f"the weight of {name!r} must be a number over 0, not {number!r}")
    return weight


def mix(
    name: str, weights: Mapping[str, float], engine: SpeechEngine, store: Voices, now: float
) -> VoiceRecord:
    """Make a voice of saved and stock voices; it is not saved yet.

    It keeps the consent of every person in it, and ends when the first of its parts does.

    Raises:
        VoiceNotFound: a part is neither saved nor a stock voice.
        VoiceAmbiguous: several saved voices have a part's name.
        VoiceIncompatible: a part is another engine's.
    """
    total = sum(weights.values())
    parts = [_part(key, weight / total, engine, store, now) for key, weight in weights.items()]
    voice = registry.mix_voices(engine.info.name, [(one.voice, one.share) for one in parts])
    if isinstance(engine, PreparesVoices):
        voice = engine.prepared(voice)
    ends = [one.record.expires for one in parts if one.record and one.record.expires is not None]
    return VoiceRecord(
        voice_id=new_voice_id(),
        name=name,
        voice=voice,
        consent=consent_of(parts, now),
        created=now,
        expires=min(ends, default=None),
        source="mix of " + ", ".join(f"{_called(one)}={one.share:.3g}" for one in parts),
    )


def _part(key: str, share: float, engine: SpeechEngine, store: Voices, now: float) -> Part:
    try:
        record = store.find(key, now)
    except VoiceNotFound:
        stock = engine.stock_voices()
        if key not in stock:
            raise
        return Part(key, share, stock[key], None)
    return Part(key, share, record.voice, record)


def _called(part: Part) -> str:
    return part.name if part.record is None else f"{part.record.name} {part.record.voice_id}"


def consent_of(parts: Sequence[Part], now: float) -> ConsentRecord:
    """The statements of all people in a mix, under the oldest version and the latest date."""
    people = [one.record for one in parts if one.record is not None]
    if not people:
        return ConsentRecord(f"A mix of {STOCK_ONLY}.", "nobody", now)
    said = " / ".join(f"{one.name}: {one.consent.statement}" for one in people)
    return ConsentRecord(
        f"A mix of voices under the consent of each speaker. {said}",
        ", ".join(dict.fromkeys(one.consent.who for one in people)),
        max(one.consent.when for one in people),
        min(one.consent.version for one in people),
        " ".join(dict.fromkeys(one.consent.consent_id for one in people)).strip(),
    )
