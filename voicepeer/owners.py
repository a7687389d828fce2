"""Whose voices and consents somebody may see, by their ``owner``."""

from __future__ import annotations

from dataclasses import dataclass, replace

from signaling.principal import Principal


@dataclass(frozen=True, slots=True)
class Owners:
    """Owners by name, and all that begin with ``prefix``, unless it is empty."""

    exact: tuple[str, ...] = ()
    prefix: str = ""
    everybody: bool = False

    def includes(self, owner: str) -> bool:
        """Whether what belongs to ``owner`` may be seen; ``condition`` is the same in SQL."""
        begins = bool(self.prefix) and owner.startswith(self.prefix)
        return self.everybody or begins or owner in self.exact

    def condition(self) -> tuple[str, tuple[str, ...]]:
        """SQL for the column ``owner``, and its values."""
        if self.everybody:
            return "TRUE", ()
        marks = ", ".join("?" * len(self.exact))
        condition = f"(owner IN ({marks}) OR (? != '' AND substr(owner, 1, length(?)) = ?))"
        return condition, (*self.exact, *(self.prefix,) * 3)


EVERYBODY = Owners(everybody=True)
"""For the command line and for services of one owner."""


def owned_by(principal: Principal) -> Owners:
    """What somebody may change; agrees with ``Principal.owns``."""
    prefix = "" if principal.subject else f"{principal.owner}/"
    return Owners((principal.owner,), prefix)


def usable_by(principal: Principal) -> Owners:
    """What somebody may speak with; agrees with ``Principal.may_use``."""
    owned, key = owned_by(principal), replace(principal, subject="")
    return Owners((*owned.exact, key.owner), owned.prefix)
