"""What is left of sessions whose client was lost, until it comes back with its token or too late.

Pure: time is handed in. Tokens are kept as digests only, so that neither a dump of the memory
nor the time of a look-up tells one.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

StateT = TypeVar("StateT")

RESUME_TTL_S = 60.0
MAX_KEPT = 256
"""States kept at once; the oldest makes room, so that lost clients can not fill the memory."""

TOKEN_BYTES = 16
"""128 bits: not to be guessed within the life of a token."""


@dataclass(frozen=True, slots=True)
class _Kept(Generic[StateT]):
    scope: str
    state: StateT
    until_s: float


class Resumptions(Generic[StateT]):
    """States by token; each can be taken once, in its scope (whose, and in which room), before it
    expires."""

    def __init__(self, ttl_s: float = RESUME_TTL_S, max_kept: int = MAX_KEPT) -> None:
        self.ttl_s = ttl_s
        """How long each is kept."""
        self._max_kept = max_kept
        self._kept: OrderedDict[bytes, _Kept[StateT]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def keep(self, token: str, scope: str, state: StateT, now: float) -> None:
        """Keep a state from ``now`` on, for ``ttl_s``."""
        self.purge(now)
        if len(self._kept) >= self._max_kept:
            self._kept.popitem(last=False)
        self._kept[token_digest(token)] = _Kept(scope, state, now + self.ttl_s)

    def take(self, token: str | None, scope: str, now: float) -> StateT | None:
        """The state of a token, which is used up by that; ``None`` where there is none.

        A token that is shown in another scope than its own is used up as well.
        """
        self.purge(now)
        kept = self._kept.pop(token_digest(token), None) if token else None
        return kept.state if kept is not None and kept.scope == scope else None

    def drop(self, token: str | None) -> None:
        """Keep what this token is for no longer; harmless where nothing is kept."""
        if token is not None:
            self._kept.pop(token_digest(token), None)

    def forget(self, unwanted: Callable[[StateT], bool]) -> None:
        """Forget the states that are ``unwanted``."""
        for key in [key for key, kept in self._kept.items() if unwanted(kept.state)]:
            del self._kept[key]

    def purge(self, now: float) -> int:
        """Forget what has expired; how many states that were."""
        expired = [key for key, kept in self._kept.items() if kept.until_s <= now]
        for key in expired:
            del self._kept[key]
        return len(expired)


def token_digest(token: str) -> bytes:
    """Stands for a token, so that the time of a look-up tells nothing of it."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
