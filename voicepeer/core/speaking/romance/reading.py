"""The rules of a Romance language in the order they are applied in."""

from __future__ import annotations

from voicepeer.core.speaking.romance.abbreviations import Abbreviations
from voicepeer.core.speaking.romance.addresses import Addresses
from voicepeer.core.speaking.romance.amounts import Amounts
from voicepeer.core.speaking.romance.dates import Dates
from voicepeer.core.speaking.romance.degrees import Degrees
from voicepeer.core.speaking.romance.figures import Figures
from voicepeer.core.speaking.romance.fractions import Fractions
from voicepeer.core.speaking.romance.locale import Locale
from voicepeer.core.speaking.romance.romans import Romans
from voicepeer.core.speaking.romance.weekdays import Weekdays
from voicepeer.core.speaking.rule import Rule


def rules_of(locale: Locale) -> tuple[Rule, ...]:
    """All rules of a language; each sees what those before it left."""
    addresses, figures, fractions = Addresses(locale), Figures(locale), Fractions(locale)
    weekdays, degrees = Weekdays(locale), Degrees(locale)
    return (
        *addresses.rules(),
        *locale.extra,
        *weekdays.rules(),
        *fractions.early_rules(),
        *Dates(locale).rules(),
        *addresses.late_rules(),
        *Abbreviations(locale).rules(),
        *Romans(locale).rules(),
        *degrees.rules(),
        *figures.rules(),
        *fractions.rules(),
        *Amounts(locale).rules(),
        *fractions.late_rules(),
        *figures.late_rules(),
    )
