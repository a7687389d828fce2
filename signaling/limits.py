"""How much each key and each address may ask for: token buckets in tables that cannot grow.

Pure: time is handed in, in seconds of any clock that does not go back.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

LimitKind: TypeAlias = Literal["requests", "sessions", "characters", "clones", "failures"]
"""``characters`` are those of text to say, ``failures`` requests with a wrong key."""

MAX_TRACKED = 10_000
"""Buckets in memory. The one that was used longest ago makes room: it is nearly full again."""


@dataclass(frozen=True, slots=True)
class Rate:
    """``per_minute`` on average, and up to ``burst`` at once."""

    per_minute: float
    burst: float


DEFAULT_RATES: Mapping[LimitKind, Rate] = {
    "requests": Rate(1_200, 300),
    "sessions": Rate(60, 30),
    "characters": Rate(60_000, 60_000),
    "clones": Rate(20, 10),
    "failures": Rate(30, 20),
}


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at_s: float


@dataclass(slots=True)
class Limits:
    """Buckets for everybody who was seen lately; one instance a service."""

    rates: Mapping[LimitKind, Rate] = field(default_factory=lambda: DEFAULT_RATES)
    max_tracked: int = MAX_TRACKED
    _buckets: OrderedDict[tuple[LimitKind, str], _Bucket] = field(default_factory=OrderedDict)

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, kind: LimitKind, names: tuple[str, ...], cost: float, now_s: float) -> float:
        """Take ``cost`` from the bucket of every name, or from none.

        Returns 0 where it was taken, or else the seconds after which there is enough. What costs
        more than a burst is let through when the bucket is full, and is paid for afterwards.
        """
        if kind not in self.rates:
            return 0.0
        rate = self.rates[kind]
        buckets = [self._bucket(kind, name, now_s) for name in names]
        wait_s = max((self._wait_s(bucket, rate, cost) for bucket in buckets), default=0.0)
        if wait_s <= 0.0:
            for bucket in buckets:
                bucket.tokens -= cost
        return max(0.0, wait_s)

    def _bucket(self, kind: LimitKind, name: str, now_s: float) -> _Bucket:
        rate = self.rates[kind]
        bucket = self._buckets.setdefault((kind, name), _Bucket(rate.burst, now_s))
        self._buckets.move_to_end((kind, name))
        elapsed_s = max(0.0, now_s - bucket.at_s)
        bucket.tokens = min(rate.burst, bucket.tokens + elapsed_s * rate.per_minute / 60)
        bucket.at_s = now_s
        while len(self._buckets) > self.max_tracked:
            self._buckets.popitem(last=False)
        return bucket

    @staticmethod
    def _wait_s(bucket: _Bucket, rate: Rate, cost: float) -> float:
        missing = min(cost, rate.burst) - bucket.tokens
        return missing * 60 / rate.per_minute if missing > 0 else 0.0
