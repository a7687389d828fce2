"""Which place of voices a service uses: it marks it, and so finds out whether it can be written."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from voicepeer.database import VoiceStoreUnavailable, connection

if TYPE_CHECKING:
    from voicepeer.redis_store import RedisStore

MARK_S = 20
"""So long a mark in a Redis lasts that nobody renews."""

MIN_FREE_BYTES = 64 * 1024
"""A voice takes some 10 kB, and the log beside the database as much again."""


class Serving(Protocol):
    """The mark of one service, or of whoever only asks for others'."""

    def renew(self) -> None:
        """Say that a service is here, now and then; raises ``VoiceStoreUnusable``.

        Also where nothing can be kept at present, which only that shows.
        """

    def check(self) -> None:
        """See the same without leaving a mark; raises likewise."""

    def leave(self) -> None:
        """Take the mark away; harmless without one."""

    def by_others(self) -> bool:
        """Whether another service uses the place; raises ``VoiceStoreUnusable``."""
        ...


@dataclass(slots=True)
class FileServing:
    """A lock on a file beside the database: it goes with its process, however that ends.

    Not on the database itself, whose locks are SQLite's.
    """

    database: Path
    _held: int | None = None

    def renew(self) -> None:
        """See ``Serving.renew``."""
        if self._held is None:
            self._held = self._take()
        self.check()

    def check(self) -> None:
        """See ``Serving.check``."""
        with connection(self.database) as opened:
            opened.execute("BEGIN IMMEDIATE")
            opened.rollback()
        if shutil.disk_usage(self.database.parent).free < MIN_FREE_BYTES:
            raise VoiceStoreUnavailable(
                f"the disk is full: the voice database {self.database} cannot be written"
            )

    def leave(self) -> None:
        """See ``Serving.leave``."""
        if self._held is not None:
            os.close(self._held)
            self._held = None

    def by_others(self) -> bool:
        """See ``Serving.by_others``."""
        try:
            asked = os.open(self._mark, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(asked, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(asked)
        return False

    @property
    def _mark(self) -> Path:
        return self.database.with_name(f"{self.database.name}-served")

    def _take(self) -> int | None:
        """The file, locked with all other services; ``None`` where there can be none."""
        self._mark.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            mark = os.open(self._mark, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            return None  # nor can anybody put another database there
        try:
            fcntl.flock(mark, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(mark)  # somebody is just asking
            return None
        return mark


@dataclass(frozen=True, slots=True)
class RedisServing:
    """An entry of a sorted set, with until when it holds by the clock of the Redis."""

    store: RedisStore
    mark: str = field(default_factory=lambda: secrets.token_hex(8))

    def renew(self) -> None:
        """See ``Serving.renew``."""
        self.store.write("serve", mark=self.mark, for_s=MARK_S)

    def check(self) -> None:
        """See ``Serving.check``."""
        self.store.write("serve", mark=self.mark, for_s=0)

    def leave(self) -> None:
        """See ``Serving.leave``."""
        self.check()

    def by_others(self) -> bool:
        """See ``Serving.by_others``."""
        ((seconds, _),) = self.store.ask_for_all([("TIME",)])
        key = self.store.key("serving")
        ((*marks,),) = self.store.ask_for_all([("ZRANGEBYSCORE", key, int(seconds), "+inf")])
        return any(one.decode() != self.mark for one in marks)
