"""Takes the marks of Markdown and HTML out of a text and leaves its words (CommonMark 0.31)."""

from __future__ import annotations

import re

from voicepeer.core.speaking.spoken import Draft

_FENCES = re.compile(r"(?m)^[ ]*(?:```|~~~)[^\n`]*$\n?")
_RULES = re.compile(r"(?m)^[ ]*(?:[-*_=][ ]*){3,}$")
_IMAGE_OR_LINK = re.compile(
    r"!?\[([^\[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+[\"'][^\"']*[\"'])?\)"
)
_FOOTNOTES = re.compile(r"\[\^?\d{1,3}\](?!\()|\[\^[^\]\s]+\]")
_AUTOLINKS = re.compile(r"<((?:https?://|mailto:)[^<>\s]+)>")
_TAGS = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>|<!--(?:(?!<!--).)*?-->", re.DOTALL)
_ENTITIES = re.compile(r"&(amp|lt|gt|quot|nbsp|apos|#39);")
_ENTITY_TEXT = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "nbsp": " ", "apos": "'", "#39": "'"}
_HEADINGS = re.compile(r"(?m)^[ ]*#{1,6}[ ]+|[ ]+#+[ ]*$")
_QUOTES = re.compile(r"(?m)^[ ]*(?:>(?!=|[ ]?\d)[ ]?)+")
_BULLETS = re.compile(r"(?m)^[ ]*[-*+•‣▪◦·][ ]+(?:\[[ xX]\][ ]*)?")
_TABLE_LINES = re.compile(r"(?m)^[ ]*\|?[ ]*:?-{2,}:?[ ]*(?:\|[ ]*:?-{2,}:?[ ]*)*\|?[ ]*$\n?")
_TABLE_EDGES = re.compile(r"(?m)^[ ]*\|[ ]*|[ ]*\|[ ]*$")
_TABLE_CELLS = re.compile(r"[ ]*\|{1,2}[ ]*")
_STRIKE = re.compile(r"~~(?=\S)(.+?)(?<=\S)~~", re.DOTALL)
_STARS = re.compile(r"(\*{1,3})(?=\S)([^*]+?)(?<=\S)\1")
_UNDERSCORES = re.compile(r"(?<![\w])(_{1,3})(?=\S)([^_]+?)(?<=\S)\1(?!\w)")
_STRAY_STARS = re.compile(r"\*{2,}|(?<!\S)\*(?=\w)|(?<=\w)\*(?!\S)|~~|(?<!\w)__|__(?!\w)")
_CODE = re.compile(r"`+")
_ESCAPES = re.compile(r"\\([\\`*_{}\[\]()#+.!|<>~-])")

_SILENT = (_FENCES, _TABLE_LINES, _RULES, _TABLE_EDGES)
_WRAPPED = ((_STRIKE, 1), (_STARS, 2), (_UNDERSCORES, 2))


_OPERATORS = {">=": "≥", "<=": "≤", "!=": "≠", "==": "=", "===": "="}
_OPERATOR = re.compile(r"(?<![<>=!-])(?:===?|[><!]=)(?![<>=])")
"""Of programs; one sign is read by all languages."""


def strip(draft: Draft) -> None:
    """Silence markup: the words of links, emphasis and code stay, their marks go."""
    for pattern in _SILENT:
        draft.rewrite(pattern, "")
    draft.rewrite(_HEADINGS, "")
    draft.rewrite(_QUOTES, "")
    draft.rewrite(_BULLETS, "")
    draft.rewrite(_TABLE_CELLS, ", ")
    draft.unwrap(_IMAGE_OR_LINK, 1)
    draft.rewrite(_FOOTNOTES, "")
    draft.unwrap(_AUTOLINKS, 1)
    draft.rewrite(_TAGS, "")
    draft.rewrite(_ENTITIES, lambda match: _ENTITY_TEXT[match.group(1)])
    for pattern, group in _WRAPPED:
        for _ in range(2):  # emphasis may be nested once
            draft.unwrap(pattern, group)
    draft.rewrite(_STRAY_STARS, "")
    draft.rewrite(_CODE, "")
    draft.unwrap(_ESCAPES, 1)
    draft.rewrite(_OPERATOR, lambda match: _OPERATORS[match.group()])
