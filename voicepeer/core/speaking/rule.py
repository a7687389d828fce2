"""A rule of a normaliser: what to find and what is said for it."""

from __future__ import annotations

import re
from typing import NamedTuple

from voicepeer.core.speaking.spoken import Reader


class Rule(NamedTuple):
    """Rules are applied one after the other, so a later one sees what earlier ones left."""

    pattern: re.Pattern[str]
    reader: Reader | str
