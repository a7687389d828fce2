"""How much each key and each address may ask for: token buckets in tables that cannot grow.

Pure: time is handed in, in seconds of any clock that does not go back.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

LimitKind: TypeAlias = Literal["requests", "sessions", "characters", "clones", "failures"]
"""``characters`` are those of text to say, ``failures`` requests with a wrong key."""

MAX_TRACKED = 10_000
"""Buckets in memory, of each limit. The one that was used longest ago makes room."""

KEY = "key "
"""How names of keys begin. There are few of those, so that none ever makes room for another, and
they are kept apart from addresses, of which anybody may have any number."""

MINUTE_S = 60.0
DAY_S = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Rate:
    """So much in ``period_s`` on average, and as much at once."""

    amount: float
    period_s: float = MINUTE_S


DEFAULT_RATES: Mapping[LimitKind, tuple[Rate, ...]] = {
    "requests": (Rate(1_200),),
    "sessions": (Rate(60),),
    "characters": (Rate(60_000),),
    "clones": (Rate(20),),
    "failures": (Rate(20),),
}


class LimitReached(Exception):
    """Too much was asked for; ``retry_after_s`` says how long it takes until there is enough."""

    def __init__(self, kind: LimitKind, retry_after_s: int) -> None:
        super().__init__(f"too many {kind}: try again in {retry_after_s} s")
        self.kind = kind
        self.retry_after_s = retry_after_s


Spend: TypeAlias = Callable[[LimitKind, float], Awaitable[None]]
"""Takes so much from somebody's limits, which may be counted in another process; raises
``LimitReached``, and then nothing was taken."""


async def spend_freely(kind: LimitKind, cost: float) -> None:
    """A ``Spend`` for where there are no limits."""


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at_s: float


@dataclass(slots=True)
class Limits:
    """Buckets for everybody who was seen lately; one instance a service."""

    rates: Mapping[LimitKind, tuple[Rate, ...]] = field(default_factory=lambda: DEFAULT_RATES)
    max_tracked: int = MAX_TRACKED
    _tables: dict[tuple[LimitKind, Rate, bool], OrderedDict[str, _Bucket]] = field(
        default_factory=dict
    )
    """By limit, and by whether it is of keys."""

    def __len__(self) -> int:
        return sum(len(table) for table in self._tables.values())

    def take(self, kind: LimitKind, names: tuple[str, ...], cost: float, now_s: float) -> None:
        """Take ``cost`` from the buckets of every name, or from none.

        What costs more than a bucket holds is let through when it is full, and is paid for
        afterwards, with one more bucket at most: a debt keeps nobody out for more than a period.

        Raises:
            LimitReached: there is not enough in one of them.
        """
        buckets = self._buckets(kind, names, now_s)
        wait_s = max((_wait_s(bucket, rate, cost) for rate, bucket in buckets), default=0.0)
        if wait_s > 0:
            raise LimitReached(kind, math.ceil(wait_s))
        for rate, bucket in buckets:
            bucket.tokens = max(bucket.tokens - cost, -rate.amount)

    def _buckets(
        self, kind: LimitKind, names: tuple[str, ...], now_s: float
    ) -> list[tuple[Rate, _Bucket]]:
        return [
            (rate, self._bucket(kind, rate, name, now_s))
            for rate in self.rates.get(kind, ())
            for name in names
        ]

    def _bucket(self, kind: LimitKind, rate: Rate, name: str, now_s: float) -> _Bucket:
        table = self._tables.setdefault((kind, rate, name.startswith(KEY)), OrderedDict())
        bucket = table.setdefault(name, _Bucket(rate.amount, now_s))
        table.move_to_end(name)
        elapsed_s = max(0.0, now_s - bucket.at_s)
        bucket.tokens = min(rate.amount, bucket.tokens + elapsed_s * rate.amount / rate.period_s)
        bucket.at_s = max(now_s, bucket.at_s)
        while len(table) > self.max_tracked:
            table.popitem(last=False)
        return bucket


def _wait_s(bucket: _Bucket, rate: Rate, cost: float) -> float:
    missing = min(cost, rate.amount) - bucket.tokens
    return missing * rate.period_s / rate.amount if missing > 0 else 0.0
