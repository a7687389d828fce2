"""Voices that other services delete from a Redis, seen at once, and later if it was lost meanwhile.

Deletions are a stream, not messages: whoever is cut off finds there what they have missed
(https://redis.io/docs/latest/commands/xread/).
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any, cast

import redis
import redis.asyncio

from voicepeer.core.backoff import Backoff
from voicepeer.redis_link import ANSWER_TIMEOUT_S, RedisLink, explain, is_cancelled
from voicepeer.redis_store import FIRST_WAIT_S, LONGEST_WAIT_S, PREFIX

logger = logging.getLogger(__name__)

WAIT_MS = int(ANSWER_TIMEOUT_S * 500)
"""For the next deletion; well under what is waited for any answer."""

_AT_ONCE = 1_000
_BEGINNING = "0-0"


async def watch_redis(link: RedisLink, revoke: Callable[[str], None], prefix: str = PREFIX) -> None:
    """Until cancelled, tell ``revoke`` of each voice that is deleted, by whomever."""
    last: str | None = None
    backoff: Backoff | None = None
    async with redis.asyncio.Redis(**link.options()) as client:
        while True:
            try:
                last = await _where_to_begin(client, prefix, last)
                backoff = None
                while not is_cancelled():
                    last = await _next(client, prefix, last, revoke)
                raise asyncio.CancelledError
            except (redis.RedisError, OSError) as error:
                if is_cancelled():
                    raise asyncio.CancelledError from error
                now_s = time.monotonic()
                if backoff is None:
                    logger.warning("deletions by others are not seen: %s", explain(link, error))
                    backoff = Backoff(FIRST_WAIT_S, LONGEST_WAIT_S, float("inf"), now_s)
                await asyncio.sleep(backoff.wait_s(now_s) or 0.0)


async def _where_to_begin(client: Any, prefix: str, last: str | None) -> str:  # noqa: ANN401
    """The deletion after which others are news: the last one that was seen, if any was."""
    newest = await client.xrevrange(f"{prefix}deletions", count=1)
    end = newest[0][0].decode() if newest else _BEGINNING
    if last is None:
        return end
    if _order(end) < _order(last):
        logger.warning("the Redis of voices has lost what it knew: calls keep what they have")
        return end
    oldest = await client.xrange(f"{prefix}deletions", count=1)
    if last != _BEGINNING and _order(oldest[0][0].decode()) > _order(last):
        logger.warning("some deletions of voices were missed: calls may go on with such a voice")
    return last


async def _next(
    client: Any,  # noqa: ANN401 - its types tell nothing of what is awaited
    prefix: str,
    last: str,
    revoke: Callable[[str], None],
) -> str:
    """Wait some time for the next deletions; where to go on."""
    answer = await client.xread({f"{prefix}deletions": last}, count=_AT_ONCE, block=WAIT_MS)
    for _, entries in cast("list[tuple[bytes, list[tuple[bytes, dict[bytes, bytes]]]]]", answer):
        for number, fields in entries:
            revoke(fields[b"voice_id"].decode())
            last = number.decode()
    return last


def _order(number: str) -> tuple[int, int]:
    time_ms, _, count = number.partition("-")
    return int(time_ms), int(count)
