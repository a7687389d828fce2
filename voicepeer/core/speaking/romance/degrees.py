"""Degrees that are written with the sign of ordinals: "37,5º", "hace 30º", "5º sotto zero"."""

from __future__ import annotations

import re

from voicepeer.core.speaking.romance.locale import Locale
from voicepeer.core.speaking.romance.quantity import NUMBER, Reader
from voicepeer.core.speaking.rule import Rule, followed, preceded

_AFTER = re.compile(
    r"\sd[ei]\s(?:fiebre|febre|febbre|temperatura|calor|frío|frio|caldo|freddo|latitud|longitud|"
    r"inclina|pendenz|máxima|mínima|massima|minima)"
    r"|\s(?:bajo|abaixo|acima|sotto|sopra|negativ|positiv|sobre cero|latitud|longitud)"
    r"|\s(?:a la sombra|à sombra|all'ombra|centígrados?)|\s[NSEOW]\b"
)
"""What is behind temperatures, slopes and places on a map, and behind no ordinal."""

_BEFORE = re.compile(
    r"\b(?:hace|hacen|hizo|hacía|haga|faz|fez|fazia|faceva|fa|ci sono|c'erano|estamos|marca\w*|"
    r"tengo|tiene|tenho|tem|temp|term[oó]metro|termometro|(?:temperatur|m[ií]nim|m[aá]xim|massim|"
    r"[aá]ngul|angol|âng|gir|rota|ruota|inclina|latitud|longitud|fiebre|febre|febbre)\w*)"
    r":?(?:\s(?:será|es|é|è|fue|foi|fu|sarà|era|está|fica|ficou|era))?(?:\s(?:a|de|di|con|com|in|en|em|até|hasta|unos|uns|quasi|casi|quase|menos|meno|gli|los|os))?\s"
    r"-?$",
    re.I,
)
_BEFORE_MANY = re.compile(
    r"\b(?:a|de|di|da|los|os|i|gli|ai|aos|dei|até|hasta|entre|unos|uns|con|com|fino a)\s$", re.I
)
"""Before numbers of this size or more, which are rarely ordinals there."""

_FLAT = re.compile(r"\b(?:el|al|del|piso|planta|al|il|o|no|do|ao)\s$", re.I)
_MANY = 20
_NOUN = re.compile(
    r"\s(?!(?:hoy|hoje|oggi|esta|este|mañana|ayer|ontem|ieri|pero|para|dentro)\b)[a-zà-ÿ]{4}"
)

_ORDERED = re.compile(
    r"\s(?:d[eiao]s?\s|del|(?:lugar|puesto|posto|gra[ud]o?|piso|andar|piano|liceo|curso|turno|"
    r"a[nñ]n?o|classe|clase|período|semestre|aniversari)\w*)"
)
"""Behind a small number: "tiene 3º de primaria", "tem 1º lugar"."""


class Degrees:
    """One rule, for before ordinals; where a sign is of an ordinal, it is left to them."""

    def __init__(self, locale: Locale) -> None:
        self._locale = locale
        self._reader = Reader(locale)
        self._has_ordinals = "º" in locale.ordinal_endings

    def _degrees(self, match: re.Match[str]) -> str | None:
        number = match["number"]
        if not (match["minus"] or self._are_degrees(match, number)):
            return None
        minus = f"{self._locale.minus} " if match["minus"] else ""
        return minus + self._reader.counted(number, self._locale.degree)

    def _are_degrees(self, match: re.Match[str], number: str) -> bool:
        if not number.isdecimal() or followed(match, _AFTER):
            return True
        if match["sign"] == "º" and not self._has_ordinals:
            return True
        many = int(number) >= _MANY
        if preceded(match, _BEFORE):
            return many or not followed(match, _ORDERED)
        return many and preceded(match, _BEFORE_MANY) and not followed(match, _NOUN)

    def _with_scale(self, match: re.Match[str]) -> str | None:
        """Behind an article it is a flat: "en el 2º C"."""
        return None if preceded(match, _FLAT) else f"{match[1]}°"

    def _range(self, match: re.Match[str]) -> str | None:
        if max(int(match[1]), int(match[2])) < _MANY:
            return None
        said = f"{self._reader.plain(match[1])} {self._locale.upto} {self._reader.plain(match[2])}"
        return f"{said} {self._locale.degree.many}"

    def rules(self) -> tuple[Rule, ...]:
        """In the order they are applied in."""
        return (
            Rule(
                re.compile(
                    r"(?<![\w.,-])(\d{1,3})\s?[º°]?\s?[-–]\s?(\d{1,3})\s?[º°](?!\w|\s?[CFK](?!\w))"
                ),
                self._range,
            ),
            Rule(
                re.compile(
                    rf"(?P<minus>(?<![\w.)])[-−])?(?<![\w.,])(?P<number>{NUMBER})\s?(?P<sign>[º°])"
                    r"(?!\w)(?!\s?[CFK](?!\w))"
                ),
                self._degrees,
            ),
            # With a scale they are measures like others.
            Rule(re.compile(r"(\d)\s?º(?=\s?[CFK](?!\w))"), self._with_scale),
        )
