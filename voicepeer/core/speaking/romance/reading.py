"""The rules of a Romance language in the order they are applied in."""

from __future__ import annotations

from voicepeer.core.speaking.romance.addresses import Addresses
from voicepeer.core.speaking.romance.amounts import Amounts
from voicepeer.core.speaking.romance.dates import Dates
from voicepeer.core.speaking.romance.figures import Figures
from voicepeer.core.speaking.romance.locale import Locale
from voicepeer.core.speaking.rule import Rule


def rules_of(locale: Locale) -> tuple[Rule, ...]:
    """All rules of a language; each sees what those before it left."""
    addresses, figures = Addresses(locale), Figures(locale)
    return (
        *addresses.rules(),
        *locale.extra,
        *Dates(locale).rules(),
        *addresses.late_rules(),
        *figures.rules(),
        *Amounts(locale).rules(),
        *figures.late_rules(),
    )
