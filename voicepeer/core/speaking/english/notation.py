"""Signs of mathematics and logic: none of them is silent."""

from __future__ import annotations

import re
import unicodedata

from voicepeer.core.speaking.rule import Rule

NAMES = {
    "≠": "is not equal to", "≡": "is identical to",
    "≢": "is not identical to", "≅": "is congruent to", "∼": "is similar to", "≪": "much less than",
    "≫": "much greater than", "∝": "is proportional to", "∈": "is in", "∉": "is not in",
    "∋": "contains", "⊂": "is a subset of", "⊆": "is a subset of", "⊄": "is not a subset of",
    "⊃": "is a superset of", "⊇": "is a superset of", "∪": "union", "∩": "intersection",
    "∖": "minus", "∅": "the empty set", "∧": "and", "∨": "or", "⊕": "exclusive or",
    "∀": "for all", "∃": "there exists", "∄": "there is no", "∴": "therefore", "∵": "because",
    "⇔": "if and only if", "⟺": "if and only if", "⟹": "implies", "⇐": "is implied by",
    "∂": "partial", "∇": "nabla", "∫": "integral of", "∏": "product of", "⋅": "times", "∘": "of",
    "∓": "minus or plus", "∥": "is parallel to", "⊥": "is perpendicular to", "∠": "angle",
    "⊤": "true", "⟂": "is perpendicular to", "∣": "divides", "∤": "does not divide", "⊗": "times",
    "↑": "up", "↓": "down", "↦": "maps to", "‰": "per mille", "∶": "to", "⟨": "", "⟩": "",
    "⌈": "ceiling of", "⌉": "", "⌊": "floor of", "⌋": "", "⊢": "proves", "⊨": "models",
}  # fmt: skip
"""How they are read aloud; others are named as in Unicode."""


def _named(match: re.Match[str]) -> str:
    return f" {_named_in_unicode(match.group())} "


def _named_in_unicode(char: str) -> str:
    return unicodedata.name(char, "").lower().removesuffix(" sign")


AND = Rule(re.compile(r"\s?&&\s?"), " and ")
"""Of programs; before single signs are read."""

OTHERS = Rule(
    re.compile("[\u2190-\u21ff\u2200-\u22ff\u27c0-\u27ff\u2900-\u29ff\u2a00-\u2aff]"), _named
)
"""Arrows and mathematical operators that nothing else has read."""
