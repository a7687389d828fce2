"""Where voices and consents are kept: a file of SQLite, or a Redis that several services share."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from engines.api import Voice
from voicepeer import config
from voicepeer.config import Config
from voicepeer.consent_store import Consent, ConsentStore
from voicepeer.core.errors import ConfigInvalid
from voicepeer.deletions import watch_deletions
from voicepeer.owners import EVERYBODY, Owners
from voicepeer.redis_link import RedisLink, need_package
from voicepeer.reference_seal import SealedReference
from voicepeer.reference_store import ReferenceStore
from voicepeer.serving import FileServing, RedisServing, Serving
from voicepeer.voice_store import VoiceRecord, VoiceStore, VoiceSummary

if TYPE_CHECKING:
    from voicepeer.redis_store import RedisStore

SETTING = "voices.store"
_SQLITE = "sqlite:"


class Voices(Protocol):
    """What ``VoiceStore`` says of each, wherever the voices are. Any thread may call it.

    All raise ``VoiceStoreUnusable``, and ``VoiceStoreUnavailable`` where it may work later.
    """

    def put(self, record: VoiceRecord, replace: bool = True, consented: bool = False) -> None:
        """Keep a voice, in place of an earlier one with its id."""

    def get(self, voice_id: str, now: float, owners: Owners = EVERYBODY) -> VoiceRecord:
        """The voice with this id."""
        ...

    def find(self, key: str, now: float, owners: Owners = EVERYBODY) -> VoiceRecord:
        """The voice with this id or else this name."""
        ...

    def records(self, now: float) -> list[VoiceRecord]:
        """All voices that have not expired, the newest first."""
        ...

    def summaries(self, now: float, owners: Owners = EVERYBODY) -> list[VoiceSummary]:
        """The same without the voices themselves."""
        ...

    def delete(self, voice_id: str) -> None:
        """Remove a voice for good, and a consent that was given for this voice alone."""

    def rename(self, voice_id: str, name: str, owners: Owners = EVERYBODY) -> None:
        """Call a voice something else."""

    def give(self, voice_id: str, owner: str) -> None:
        """Make a voice and its consent somebody else's."""

    def purge(self, now: float) -> int:
        """Remove what has expired; how many voices that was."""
        ...


class Consents(Protocol):
    """What ``ConsentStore`` says of each, wherever the consents are; as ``Voices``."""

    def put(self, consent: Consent) -> None:
        """Keep a consent, in place of an earlier state of it."""

    def take_in(self, record: VoiceRecord, consent: Consent, replace: bool = True) -> None:
        """Keep a voice that came as a file, and its consent; both or neither."""

    def get(self, consent_id: str, owners: Owners = EVERYBODY) -> Consent:
        """The consent with this id."""
        ...

    def consents(self, owners: Owners = EVERYBODY) -> list[Consent]:
        """All consents, the newest first."""
        ...

    def rename(self, consent_id: str, name: str, owners: Owners = EVERYBODY) -> None:
        """Label a consent anew."""

    def withdraw(self, consent_id: str) -> dict[str, Voice | None]:
        """Remove a consent and the voices made under it, which are given by their ids."""
        ...

    def withdrawn(self) -> list[str]:
        """Ids of all consents that were withdrawn, for good."""
        ...


class References(Protocol):
    """What ``ReferenceStore`` says of each, wherever the references are; as ``Voices``."""

    def put(self, reference: SealedReference) -> None:
        """Keep it, in place of an earlier one; raises ``VoiceNotFound`` without its voice."""

    def get(self, voice_id: str) -> SealedReference:
        """The one of a voice; raises ``ReferenceNotFound``."""
        ...

    def swap(self, before: SealedReference, after: SealedReference) -> bool:
        """Put one in place of another of the same voice, if that is still there."""
        ...

    def drop(self, voice_id: str) -> bool:
        """Delete the one of a voice, which stays; whether there was one."""
        ...

    def voice_ids(self) -> list[str]:
        """Of all voices that have one, in order."""
        ...


Watching: TypeAlias = Callable[[Callable[[str], None]], Coroutine[Any, Any, None]]
"""Until cancelled, tells what it is given the id of each voice that anybody deletes."""


@dataclass(frozen=True, slots=True)
class Stores:
    """One place, by everything that is kept there."""

    name: str
    """For messages: a path, or a URL without its password."""
    path: Path | None
    """Of a file, which may not be there yet."""
    voices: Voices
    consents: Consents
    references: References
    watch: Watching
    serving: Serving
    close: Callable[[], None]


def open_stores(settings: Config) -> Stores:
    """The place that the settings name; it is not looked at yet.

    Raises:
        ConfigInvalid: they name none, or the package for it is not installed.
    """
    chosen = settings.voices.store
    if not chosen:
        return in_file(config.database(settings))
    if chosen.startswith(_SQLITE) and (path := chosen.removeprefix(_SQLITE)):
        return in_file(Path(path).expanduser())
    if not chosen.startswith(("redis://", "rediss://")):
        raise ConfigInvalid(
            f"{SETTING} is neither sqlite:FILE nor redis://HOST:PORT/NUMBER; without it voices are "
            "kept in the file voices.database"
        )
    return in_redis(RedisLink.of(chosen, SETTING, config.secret(config.ENV_REDIS_PASSWORD)))


def in_file(path: Path) -> Stores:
    """The stores of one SQLite file."""
    return Stores(
        str(path),
        path,
        VoiceStore(path),
        ConsentStore(path),
        ReferenceStore(path),
        lambda revoke: watch_deletions(path, revoke),
        FileServing(path),
        lambda: None,
    )


def in_redis(link: RedisLink, store: RedisStore | None = None) -> Stores:
    """The stores of one Redis, for ``store`` under the keys that it has.

    Raises:
        ConfigInvalid: the package for it is not installed.
    """
    need_package()
    from voicepeer.redis_consents import RedisConsents
    from voicepeer.redis_deletions import watch_redis
    from voicepeer.redis_references import RedisReferences
    from voicepeer.redis_store import RedisStore
    from voicepeer.redis_voices import RedisVoices

    kept = store or RedisStore(link)
    return Stores(
        link.name,
        None,
        RedisVoices(kept),
        RedisConsents(kept),
        RedisReferences(kept),
        lambda revoke: watch_redis(link, revoke, kept.prefix),
        RedisServing(kept),
        kept.close,
    )
