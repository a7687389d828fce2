"""How a Redis is reached, and what to do where it cannot be; nothing of it is kept here."""

from __future__ import annotations

import asyncio
import importlib.util
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from voicepeer.core.errors import ConfigInvalid

CONNECT_TIMEOUT_S = 1.0
ANSWER_TIMEOUT_S = 2.0
"""Redis answers within a millisecond; a voice of a slow network may take some more."""

DEFAULT_PORT = 6379
_SCHEMES = {"redis": False, "rediss": True}


@dataclass(frozen=True, slots=True)
class RedisLink:
    """Where a Redis is, and as whom it is used."""

    host: str
    port: int = DEFAULT_PORT
    database: int = 0
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    tls: bool = False

    @classmethod
    def of(cls, url: str, setting: str, password: str | None = None) -> RedisLink:
        """Read ``redis://[user[:password]@]host[:port][/number]``; ``rediss`` is the same by TLS.

        Args:
            url: what to read.
            setting: where it comes from, for messages; the URL itself is never quoted in them.
            password: the one to use where the URL has none.

        Raises:
            ConfigInvalid: it is no such URL.
        """
        try:
            parts = urlsplit(url)
            if parts.scheme not in _SCHEMES or not parts.hostname or parts.query or parts.fragment:
                raise ValueError("no such URL")
            return cls(
                host=parts.hostname,
                port=parts.port or DEFAULT_PORT,
                database=int(parts.path.strip("/") or 0),
                username=_plain(parts.username),
                password=_plain(parts.password) or password,
                tls=_SCHEMES[parts.scheme],
            )
        except ValueError as error:
            raise ConfigInvalid(
                f"{setting} is no URL of a Redis: write it like redis://redis.example:6379/0, with "
                "rediss for TLS, and the password in VOICEPEER_REDIS_PASSWORD"
            ) from error

    @property
    def name(self) -> str:
        """Its URL without anything secret, for messages and logs."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return SplitResult(
            "rediss" if self.tls else "redis", f"{host}:{self.port}", f"/{self.database}", "", ""
        ).geturl()

    def options(self) -> dict[str, Any]:
        """Arguments for ``redis.Redis`` and ``redis.asyncio.Redis``.

        Nothing is tried again below: whoever asks knows whether there is time for that.
        """
        return {
            "host": self.host,
            "port": self.port,
            "db": self.database,
            "username": self.username,
            "password": self.password,
            "ssl": self.tls,
            "socket_connect_timeout": CONNECT_TIMEOUT_S,
            "socket_timeout": ANSWER_TIMEOUT_S,
            "retry": None,
        }


def _plain(part: str | None) -> str | None:
    return unquote(part) if part else None


def is_cancelled() -> bool:
    """Whether this task is to end: ``redis.asyncio`` forgets that where it loses its connection."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def need_package() -> None:
    """Raises ``ConfigInvalid`` where the package ``redis`` is not installed, which is an extra."""
    if importlib.util.find_spec("redis") is None:
        raise ConfigInvalid("a Redis needs the package redis: pip install 'voicepeer[redis]'")


def explain(link: RedisLink, error: Exception) -> str:
    """What is wrong with a Redis, and what to do, for whoever runs the service.

    Args:
        link: which one.
        error: of the package ``redis``, or an ``OSError``.
    """
    text, name = str(error), link.name
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if "AuthenticationError" in kinds and link.password is None:
        return f"the Redis {name} wants a password: set VOICEPEER_REDIS_PASSWORD"
    for mark, advice in _ADVICE:
        if mark in text or mark in kinds:
            return f"the Redis {name} {advice}"
    reason = text.split(".")[0][:200] or type(error).__name__
    return f"the Redis {name} cannot be used: {reason}"


_ADVICE = (
    ("NOAUTH", "wants a password: set VOICEPEER_REDIS_PASSWORD"),
    ("Authentication required", "wants a password: set VOICEPEER_REDIS_PASSWORD"),
    ("AuthenticationError", "refuses the user or password: correct VOICEPEER_REDIS_PASSWORD"),
    ("WRONGPASS", "refuses the user or password: correct VOICEPEER_REDIS_PASSWORD"),
    ("NOPERM", "does not allow this user to do that: give it the commands that docs name"),
    ("OutOfMemoryError", "is full: give it more memory (maxmemory)"),
    ("OOM", "is full: give it more memory (maxmemory)"),
    ("MISCONF", "cannot write to its disk: look into its own log"),
    ("ReadOnlyError", "is a replica: name the primary, which may be written"),
    ("READONLY", "is a replica: name the primary, which may be written"),
    ("BusyLoadingError", "is still loading its data: try again soon"),
    ("LOADING", "is still loading its data: try again soon"),
    ("TimeoutError", "does not answer: is it busy, or the network?"),
    ("ConnectionError", "cannot be reached: is it running, and is the address right?"),
    ("OSError", "cannot be reached: is it running, and is the address right?"),
)
"""By what stands in a message, or the name of its class; the first that fits."""
