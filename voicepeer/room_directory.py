"""Where rooms are, of all services of one operator: a directory in Redis, with a claim for each.

A claim names the service that has a room and expires unless it is renewed, so that the rooms of a
service that died can be opened elsewhere. Without the Redis everything goes on: rooms stay where
they are known to be, and new ones are opened here.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any, cast

import redis.asyncio
from redis.exceptions import RedisError

from signaling.principal import DEFAULT_ROOM
from signaling.sessions import RoomElsewhere, SessionRequest
from voicepeer.core.claims import Claims, Elsewhere, Whereabouts
from voicepeer.core.placement import RoomKey
from voicepeer.redis_link import RedisLink, explain, is_cancelled

logger = logging.getLogger(__name__)

KEY = "{voicepeer}:rooms:"
"""How keys begin; braces keep them in one slot of a cluster."""

BEATS = 3
"""In which a claim is renewed before it would expire."""

CLOSE_TIMEOUT_S = 1.0

_CLAIM = """
local held = redis.pcall('GET', KEYS[1])
if type(held) == 'table' then
  return held['err']:find('WRONGTYPE', 1, true) and '' or held
end
if not held or held == ARGV[1] or held:sub(34) == ARGV[2] then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
  return false
end
return held
"""
"""A value is 32 characters that no other process has, a space and the URL. One that had the URL
before us has been restarted, and its rooms are gone. Gives the value of whoever has the room, which
is empty where that is not even a text."""

_VALUE = re.compile(rb"[0-9a-f]{32} (\S+)")

_RELEASE = """
if redis.pcall('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""


class RoomDirectory:
    """One service's part in the directory.

    Args:
        link: which Redis.
        url: where clients reach this very service.
        others: URLs of the others; clients are sent nowhere else, whatever the Redis says.
        ttl_s: how long a claim is good.
    """

    def __init__(
        self, link: RedisLink, url: str, others: Collection[str] = (), ttl_s: float = 15.0
    ) -> None:
        self._link = link
        self._url = url
        self._others = frozenset(others)
        self._claims = Claims(ttl_s)
        self._ttl_s = ttl_s
        self._value = f"{secrets.token_hex(16)} {url}"
        self._redis = redis.asyncio.Redis(**link.options())
        self._closed = False
        self._warned = False
        self.up = True
        """Whether the directory answered when it was last asked."""
        self.redirects = 0
        """How many clients were sent elsewhere."""
        self.splits = 0
        """How many rooms were found to be open here and elsewhere, because that was lost."""

    @property
    def claimed(self) -> int:
        """How many rooms are ours."""
        return len(self._claims)

    async def admit(self, request: SessionRequest) -> None:
        """Let somebody into a room that is here, or is nowhere yet.

        Raises:
            RoomElsewhere: it is at another service.
        """
        if request.room == DEFAULT_ROOM:
            return  # it is where nobody meets
        room = (request.principal.tenant, request.room)
        where = self._claims.known(room, time.monotonic())
        if where is None:
            where = await self._find(room)
        if isinstance(where, Elsewhere):
            self.redirects += 1
            raise RoomElsewhere(where.url)

    async def _find(self, room: RoomKey) -> Whereabouts:
        if self.up and not self._closed:
            asked_s = time.monotonic()
            try:
                [owner] = await self._claim([room])
            except (RedisError, OSError) as error:
                self._lose(error)
            else:
                return self._heard(room, owner, asked_s)
        # Nobody waits for a directory that is lost: whether it is back is found out beside.
        return self._claims.without_directory(room, time.monotonic())

    def _heard(self, room: RoomKey, owner: str | None, asked_s: float) -> Whereabouts:
        if owner is not None and owner not in self._others:
            self._warn(owner)
            return self._claims.without_directory(room, asked_s)
        was_ours = room in self._claims.ours
        where = self._claims.told(room, owner, asked_s)
        if was_ours and isinstance(where, Elsewhere):
            self.splits += 1
            logger.warning("a room is open at another service, too: who comes is sent there")
        return where

    def _warn(self, owner: str) -> None:
        if not self._warned and owner:
            logger.error(
                "a room is at a service that is not among rooms.replicas, and is opened here as "
                "well: name all services there"
            )
        elif not self._warned:
            logger.error(
                "a key of the directory of rooms has what is no claim, and the room is opened "
                "here: let nothing else write keys that begin with %s",
                KEY,
            )
        self._warned = True

    # --- beside all that ------------------------------------------------------------------------

    async def run(self, in_use: Callable[[], Collection[RoomKey]]) -> None:
        """Renew and release claims until cancelled; ``in_use`` are rooms that somebody is in."""
        while not is_cancelled():
            await asyncio.sleep(self._ttl_s / BEATS)
            try:
                await self._beat(in_use())
            except (RedisError, OSError) as error:
                self._lose(error)
            else:
                self._regain()

    async def _beat(self, in_use: Collection[RoomKey]) -> None:
        beat = self._claims.beat(in_use, time.monotonic())
        await self._release(beat.release)
        asked_s = time.monotonic()
        owners = await self._claim(beat.claim)
        for room, owner in zip(beat.claim, owners, strict=True):
            self._heard(room, owner, asked_s)

    def _lose(self, error: Exception) -> None:
        if self.up:
            logger.error(
                "the directory of rooms is lost, calls go on, and new rooms are opened here: %s",
                explain(self._link, error),
            )
        self.up = False

    def _regain(self) -> None:
        if not self.up:
            logger.warning("the directory of rooms is back: %d rooms are ours", self.claimed)
        self.up = True

    async def close(self) -> None:
        """Give up all rooms, so that others can open them; those who are in them stay."""
        self._closed = True
        ours = self._claims.close()
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                if self.up:
                    await self._release(ours)
        except (RedisError, OSError) as error:  # TimeoutError is one
            logger.warning("claims stay until they expire: %s", explain(self._link, error))
        await self._redis.aclose()

    # --- Redis ----------------------------------------------------------------------------------

    async def _claim(self, rooms: Sequence[RoomKey]) -> list[str | None]:
        """Whose each of these rooms is now; ``None`` is ours, and "" nobody's whom we know."""
        ttl_ms = int(self._ttl_s * 1000)
        told = await self._each(_CLAIM, rooms, self._value, self._url, ttl_ms)
        return [None if one is None else _owner(one) for one in told]

    async def _release(self, rooms: Sequence[RoomKey]) -> None:
        await self._each(_RELEASE, rooms, self._value)

    async def _each(self, script: str, rooms: Sequence[RoomKey], *values: str | int) -> list[Any]:
        async with self._redis.pipeline(transaction=False) as pipeline:
            _ = pipeline.ping()  # queued, as all here are
            for room in rooms:
                _ = pipeline.eval(script, 1, _key(room), *values)
            _, *answers = await cast("Awaitable[list[Any]]", pipeline.execute())
        return answers


def _owner(value: bytes) -> str:
    """The URL of a claim, "" where it is none."""
    claim = _VALUE.fullmatch(value)
    return "" if claim is None else claim[1].decode(errors="replace")


def _key(room: RoomKey) -> str:
    tenant, name = room
    # A room's name has no colon.
    return f"{KEY}{name}:{tenant}"
