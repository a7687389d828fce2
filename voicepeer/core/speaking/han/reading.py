"""The rules of a language in the order they are applied in."""

from __future__ import annotations

import re

from voicepeer.core.speaking.han import numerals, widths
from voicepeer.core.speaking.han.addresses import Addresses
from voicepeer.core.speaking.han.amounts import Amounts
from voicepeer.core.speaking.han.dates import Dates
from voicepeer.core.speaking.han.figures import Figures
from voicepeer.core.speaking.han.locale import Locale
from voicepeer.core.speaking.han.ranges import Ranges
from voicepeer.core.speaking.rule import Rule

_NO_BLANK = Rule(re.compile("[ ]+(?=[，。！？；：、）」』”])"), "")


def rules_of(locale: Locale) -> tuple[Rule, ...]:
    """All rules of a language; each sees what those before it left."""
    addresses, figures = Addresses(locale), Figures(locale)
    return (
        *widths.RULES,
        *addresses.rules(),
        *numerals.rules(locale),
        *Ranges(locale).rules(),
        *Dates(locale).rules(),
        *locale.extra,
        *addresses.late_rules(),
        *figures.early_rules(),
        *Amounts(locale).rules(),
        *figures.rules(),
        _NO_BLANK,
    )
