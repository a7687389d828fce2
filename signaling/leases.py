"""Which TURN credentials are good, and until when. Pure: knows no database, clock or session."""

from __future__ import annotations

from dataclasses import dataclass

MAX_LEASES = 20_000
MAX_PER_HOLDER = 256
"""Each visitor of one key's page asks for credentials before they have a session."""


class TooManyLeases(Exception):  # noqa: N818 - a state, not a defect
    """So many credentials are good at once that there are no more for now."""


@dataclass(slots=True)
class _Lease:
    holder: str
    until_s: float


class Leases:
    """Names of credentials, each of a holder and good until a time.

    One holder has at most ``per_holder`` at once, of which the oldest ends for a new one. All times
    are of one clock of the caller's.
    """

    def __init__(self, total: int = MAX_LEASES, per_holder: int = MAX_PER_HOLDER) -> None:
        self._total = total
        self._per_holder = per_holder
        self._leases: dict[str, _Lease] = {}
        self._held: dict[str, list[str]] = {}

    def __len__(self) -> int:
        return len(self._leases)

    def __contains__(self, name: object) -> bool:
        return name in self._leases

    def grant(self, name: str, holder: str, until_s: float) -> None:
        """Let a holder have credentials; those of the same name are renewed.

        Raises:
            TooManyLeases: there are ``total`` already.
        """
        if name not in self._leases and len(self._leases) >= self._total:
            raise TooManyLeases(f"{self._total} TURN credentials are good at once")
        self.forget(name)
        self._leases[name] = _Lease(holder, until_s)
        held = self._held.setdefault(holder, [])
        held.append(name)
        for oldest in held[: -self._per_holder]:
            self._leases[oldest].until_s = float("-inf")

    def end(self, holder: str, until_s: float = float("-inf")) -> None:
        """Let all that a holder has be good until then at most; without a time, not any more."""
        for name in self._held.get(holder, ()):
            lease = self._leases[name]
            lease.until_s = min(lease.until_s, until_s)

    def due(self, now_s: float) -> list[str]:
        """Names that are not good any more; they stay until they are forgotten."""
        return [name for name, lease in self._leases.items() if lease.until_s <= now_s]

    def forget(self, name: str) -> None:
        """Nobody has these credentials now; harmless when nobody had."""
        lease = self._leases.pop(name, None)
        if lease is None:
            return
        held = self._held[lease.holder]
        held.remove(name)
        if not held:
            del self._held[lease.holder]
