"""Keeps the speech that voices were made from, sealed, where an operator has asked for that."""

from __future__ import annotations

import io
import logging
import wave
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from engines.api import Reference
from voicepeer import config
from voicepeer.config import ENV_REFERENCE_KEYS, Config
from voicepeer.core.errors import ConfigInvalid, VoiceNotFound
from voicepeer.core.pcm import to_pcm16
from voicepeer.database import VoiceStoreUnusable
from voicepeer.reference_seal import (
    ReferenceKeyMissing,
    ReferenceKeys,
    ReferenceKeyWrong,
    ReferenceTampered,
)
from voicepeer.reference_store import ReferenceNotFound
from voicepeer.stores import References

logger = logging.getLogger(__name__)

KEEP = "voices.keep_reference"


@dataclass(frozen=True, slots=True)
class Rekeyed:
    """What changing keys came to."""

    changed: int
    current: int
    """Were sealed with the current key already."""
    refused: tuple[str, ...] = ()
    """Why those could not be that stay as they are, which are damaged or lack their key."""


@dataclass(frozen=True, slots=True)
class ReferenceKeeper:
    """A store of references and the keys to it. Calls block."""

    store: References
    keys: ReferenceKeys

    def keep(self, voice_id: str, reference: Reference) -> None:
        """Keep the speech of a voice that is kept; where that fails, the log says so."""
        try:
            self.store.put(self.keys.seal(voice_id, wav_of(reference)))
        except VoiceNotFound:
            pass  # deleted in the meantime
        except VoiceStoreUnusable as error:
            logger.warning("the reference of voice %s was not kept: %s", voice_id, error)

    def wav(self, voice_id: str) -> bytes:
        """The speech of a voice, as a WAV file; raises as ``References.get`` and ``unseal``."""
        return self.keys.unseal(self.store.get(voice_id))

    def unopened(self, most: int) -> tuple[str, ...]:
        """Why references cannot be opened, of the first ``most``; for one key once."""
        why: dict[tuple[type[Exception], str], str] = {}
        for voice_id in self.store.voice_ids()[:most]:
            try:
                sealed = self.store.get(voice_id)
                self.keys.unseal(sealed)
            except ReferenceNotFound:
                pass
            except (ReferenceKeyMissing, ReferenceKeyWrong, ReferenceTampered) as error:
                why.setdefault((type(error), sealed.key_id), str(error))
        return tuple(why.values())

    def rekey(self, told: Callable[[int, int], None] = lambda done, of: None) -> Rekeyed:
        """Seal everything with the current key, one by one.

        It may be interrupted at any moment, and goes on from there when it is called again.

        Args:
            told: how many are done, of how many.

        Those that cannot be opened stay as they are, and hold up no others.
        """
        voice_ids, changed, refused = self.store.voice_ids(), 0, list[str]()
        for count, voice_id in enumerate(voice_ids, 1):
            try:
                changed += self._reseal(voice_id)
            except (ReferenceKeyMissing, ReferenceKeyWrong, ReferenceTampered) as error:
                refused.append(str(error))
            told(count, len(voice_ids))
        return Rekeyed(changed, len(voice_ids) - changed - len(refused), tuple(refused))

    def _reseal(self, voice_id: str) -> bool:
        while True:
            try:
                before = self.store.get(voice_id)
            except ReferenceNotFound:
                return False
            audio = self.keys.unseal(before)  # also of a current one: it shows that it is sound
            if before.key_id == self.keys.current:
                return False
            if self.store.swap(before, self.keys.seal(voice_id, audio)):
                return True


def keeper_of(settings: Config, store: References) -> ReferenceKeeper | None:
    """What keeps references where the settings want that.

    Raises:
        ConfigInvalid: they do, and there are no keys, or no good ones.
    """
    return open_keeper(store) if settings.voices.keep_reference else None


def open_keeper(store: References) -> ReferenceKeeper:
    """The same whatever the settings want, by the keys in the environment; raises likewise."""
    text = config.secret(ENV_REFERENCE_KEYS)
    if text is None:
        raise ConfigInvalid(
            f"reference audio is kept under lock and key only: set {ENV_REFERENCE_KEYS} to "
            f"ID=KEY, with a key that `openssl rand -base64 32` makes, or leave {KEEP} off"
        )
    return ReferenceKeeper(store, ReferenceKeys.of(text, ENV_REFERENCE_KEYS))


def wav_of(reference: Reference) -> bytes:
    """Speech as a WAV file of 16 bits."""
    buffer = io.BytesIO()
    with closing(wave.open(buffer, "wb")) as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(reference.sample_rate_hz)
        writer.writeframes(to_pcm16(reference.pcm).astype("<i2").tobytes())
    return buffer.getvalue()
