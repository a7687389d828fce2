"""Which TURN credentials are good, and until when. Pure: knows no database, clock or session."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from signaling.shares import may_have_more

MAX_SHARED = 20_000
MAX_PER_HOLDER = 256
"""Each visitor of one key's page asks for credentials before they have a session."""
MAX_PER_SESSION = 8
"""A session comes back after each loss of its connection, and then asks anew."""

ENDED = float("-inf")


class TooManyLeases(Exception):  # noqa: N818 - a state, not a defect
    """So many credentials are good at once that there are no more for now."""


@dataclass(slots=True)
class _Lease:
    holder: str
    tenant: str | None
    until_s: float


class Leases:
    """Names of credentials, each of a holder and good until a time.

    Those that somebody's key answers for, its tenant, share ``total`` places with the other
    ``tenants`` as ``signaling.shares`` has it. Whoever has all that they may have gets new ones in
    the place of the oldest: of the holder's own, or else of their tenant's. All times are of one
    clock of the caller's.
    """

    def __init__(self, total: int = MAX_SHARED, tenants: int = 1) -> None:
        self._total = total
        self._tenants = tenants
        self._leases: dict[str, _Lease] = {}
        self._of_holder: dict[str, dict[str, None]] = {}
        self._of_tenant: dict[str, dict[str, None]] = {}
        """Those that have not been ended, the oldest first."""
        self._shared: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._leases)

    def __contains__(self, name: object) -> bool:
        return name in self._leases

    def grant(
        self,
        name: str,
        holder: str,
        until_s: float,
        *,
        tenant: str | None = None,
        at_most: int = MAX_PER_HOLDER,
    ) -> list[str]:
        """Let a holder have credentials, of which they have ``at_most``; a known name is renewed.

        Without a tenant they take no place of those that are shared. Returns the names that end
        for these; they are due at once.

        Raises:
            TooManyLeases: there is no place for them, and the tenant has none to give up.
        """
        self.forget(name)
        ended = self._make_room(holder, tenant, at_most)
        self._leases[name] = _Lease(holder, tenant, until_s)
        self._of_holder.setdefault(holder, {})[name] = None
        if tenant is not None:
            self._of_tenant.setdefault(tenant, {})[name] = None
            self._shared[tenant] += 1
        return ended

    def _make_room(self, holder: str, tenant: str | None, at_most: int) -> list[str]:
        held = self._of_holder.get(holder, {})
        if len(held) >= at_most:
            oldest = [*held][: len(held) - at_most + 1]
        elif tenant is None or self._has_place(tenant):
            return []
        else:
            oldest = [next(iter(held or self._of_tenant.get(tenant, {})), "")]
        if not oldest[0]:
            raise TooManyLeases(f"{self._shared.total()} TURN credentials are good at once")
        for name in oldest:
            self.end_one(name)
        return oldest

    def _has_place(self, tenant: str) -> bool:
        free = self._total - self._shared.total()
        idle = self._tenants - len(self._shared)
        return may_have_more(self._shared[tenant], free, self._total, self._tenants, idle)

    def end(self, holder: str, until_s: float = ENDED) -> None:
        """Let all that a holder has be good until then at most; without a time, not any more."""
        for name in [*self._of_holder.get(holder, ())]:
            self.end_one(name, until_s)

    def end_one(self, name: str, until_s: float = ENDED) -> None:
        """The same for one; harmless for a name that is not known."""
        lease = self._leases.get(name)
        if lease is None:
            return
        lease.until_s = min(lease.until_s, until_s)
        if lease.until_s == ENDED:
            self._free(name, lease)

    def good(self, now_s: float) -> list[str]:
        """Names that are good now."""
        return [name for name, lease in self._leases.items() if lease.until_s > now_s]

    def due(self, now_s: float) -> list[str]:
        """Names that are not good any more; they stay until they are forgotten."""
        return [name for name, lease in self._leases.items() if lease.until_s <= now_s]

    def forget(self, name: str) -> None:
        """Nobody has these credentials now; harmless when nobody had."""
        lease = self._leases.pop(name, None)
        if lease is not None:
            self._free(name, lease)

    def _free(self, name: str, lease: _Lease) -> None:
        """Give its place back, once."""
        held = self._of_holder.get(lease.holder, {})
        if name not in held:
            return
        _drop(self._of_holder, lease.holder, name)
        if lease.tenant is not None:
            _drop(self._of_tenant, lease.tenant, name)
            self._shared[lease.tenant] -= 1
            if not self._shared[lease.tenant]:
                del self._shared[lease.tenant]


def _drop(table: dict[str, dict[str, None]], key: str, name: str) -> None:
    del table[key][name]
    if not table[key]:
        del table[key]
