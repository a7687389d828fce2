"""Money, percentages, temperatures and measures."""

from __future__ import annotations

import re

from voicepeer.core.speaking.romance.locale import Currency, Locale, Noun, Scale
from voicepeer.core.speaking.romance.quantity import NUMBER, Quantity, Reader, parse
from voicepeer.core.speaking.rule import Rule, alternatives

_MINUS = r"(?P<minus>(?<![\w.)])[-−])?"
_START = rf"{_MINUS}(?<![\w.,])(?P<number>{NUMBER})(?:\s?[-–]\s?(?P<upto>{NUMBER}))?"
_UNMISTAKABLE = frozenset(("mln", "mld", "Mds", "Mrd"))
"""Short scales that are nothing else, even with a blank before them."""

_NO_VERB = r"(?!(?<=\dha|\sha)\s[a-zà-ÿ]+(?:[aeiu]do|[aiu]to|[nst]to|cho|so)\b)"
"""After a unit that is a verb as well: "el 5 ha llegado"."""


class Amounts:
    """Rules for numbers of something."""

    def __init__(self, locale: Locale) -> None:
        self._locale = locale
        self._reader = Reader(locale)

    def _signed(self, match: re.Match[str]) -> str:
        """The number, with what is before "to" in a range."""
        found = match.groupdict()
        minus = f"{self._locale.minus} " if found.get("minus") else ""
        first = minus + self._reader.plain(match["number"])
        return (
            f"{first} {self._locale.upto} {self._reader.plain(found['upto'])}"
            if found.get("upto")
            else first
        )

    def _counted(self, match: re.Match[str], noun: Noun) -> str:
        found = match.groupdict()
        if found.get("upto"):
            return f"{self._signed(match)} {noun.many}"
        minus = f"{self._locale.minus} " if found.get("minus") else ""
        return minus + self._reader.counted(match["number"], noun)

    def _money(self, match: re.Match[str]) -> str:
        currency = self._locale.currencies[match["currency"]]
        scale = self._locale.scales.get(match["scale"] or match.groupdict().get("short") or "")
        per = self._per(match)
        if scale:
            return self._scaled_money(match, scale, currency.name.many) + per
        if match["upto"] is None:
            return self._sum(match, currency) + per
        return self._counted(match, currency.name) + per

    def _scaled_money(self, match: re.Match[str], scale: Scale, money: str) -> str:
        """ "Three million dollars"; a thousand is not counted when it is one."""
        of = self._locale.of(money) if scale.of else money
        if match["upto"] is None and parse(match["number"]).is_one:
            count = f"{self._locale.before_noun(1, False)} " if scale.of else ""
            return f"{count}{scale.one} {of}"
        single = not match["upto"] and self._reader.is_single(match["number"])
        return f"{self._signed(match)} {scale.one if single else scale.many} {of}"

    def _sum(self, match: re.Match[str], currency: Currency) -> str:
        """Money with two decimals is said in two parts, other decimals are said as such."""
        found = parse(match["number"])
        if found.whole is None or len(found.fraction) != 2:
            return self._counted(match, currency.name)
        minus = f"{self._locale.minus} " if match["minus"] else ""
        return self._in_parts(minus, found, currency)

    def _split_sum(self, match: re.Match[str]) -> str:
        """Money with its sign for a comma: "3€50"."""
        found = parse(f"{match['whole']},{match['cents'] or match['small']}")
        currency = self._locale.currencies[match["currency"] or match["spaced"]]
        said = self._in_parts("", found, currency)
        return said + self._per(match)

    def _in_parts(self, minus: str, found: Quantity, currency: Currency) -> str:
        cents = int(found.fraction)
        said = minus + self._reader.counted(str(found.whole), currency.name)
        if cents == 0:
            return said
        cent = currency.cent or (currency.small if found.whole == 0 else None)
        if cent is None:
            return f"{said}{self._locale.cents_link}{self._locale.cardinal(cents)}"
        rest = self._reader.counted(str(cents), cent)
        return f"{minus}{rest}" if found.whole == 0 else f"{said}{self._locale.cents_link}{rest}"

    def _per(self, match: re.Match[str]) -> str:
        per = match.groupdict().get("per")
        if not per:
            return ""
        return f" {self._locale.per.get(per) or self._locale.per_unit(self._locale.units[per])}"

    def _measure_per(self, match: re.Match[str]) -> str:
        """Units below units are not prices: "gramos por litro"."""
        below = self._locale.units.get(match["below"])
        said = self._locale.per[match["below"]] if below is None else self._locale.per_unit(below)
        return f"{self._counted(match, self._locale.units[match['unit']])} {said}"

    def _lone_unit(self, match: re.Match[str]) -> str:
        return self._locale.units[match.group()].one

    def _metres(self, match: re.Match[str]) -> str:
        metres = self._reader.counted(match[1], self._locale.units["m"])
        return f"{metres}{self._locale.centimetres_link}{self._reader.plain(match[2])}"

    def _feet(self, match: re.Match[str]) -> str:
        feet = self._reader.counted(match[1], self._locale.units["′"])
        inches = self._reader.counted(match[2], self._locale.units["″"])
        return f"{feet}{self._locale.link}{inches}"

    def _inches(self, match: re.Match[str]) -> str | None:
        """A mark behind digits may close a quotation."""
        if match.string[: match.start()].count('"') % 2:
            return None
        return self._reader.counted(match[1], self._locale.units["″"])

    def _per_time(self, match: re.Match[str]) -> str:
        """ "7 días/semana"."""
        return f"{match['counted']} {self._locale.per[match['per']]}"

    def _percent(self, match: re.Match[str]) -> str:
        return f"{self._signed(match)} {self._locale.percent}"

    def _degrees(self, match: re.Match[str]) -> str:
        scale = {"C": " Celsius", "F": " Fahrenheit", "K": " Kelvin"}.get(
            match["degrees"] or "", ""
        )
        return self._counted(match, self._locale.degree) + scale

    def _measure(self, match: re.Match[str]) -> str:
        return self._counted(match, self._locale.units[match["unit"]]) + self._per(match)

    def _scaled(self, match: re.Match[str]) -> str:
        scale = self._locale.scales[match["short"] or match["spaced"] or match["shorter"]]
        return self._counted(match, Noun(scale.one, scale.many))

    def _times(self, match: re.Match[str]) -> str:
        return self._counted(match, self._locale.times)

    def rules(self) -> tuple[Rule, ...]:
        """In the order they are applied in."""
        return (*self._money_rules(), *self._measure_rules(), *self._scale_rules())

    def _money_rules(self) -> tuple[Rule, ...]:
        locale = self._locale
        words = alternatives(name for name in locale.scales if len(name) > 2)
        short = alternatives(name for name in locale.scales if len(name) <= 3)
        of = r"(?:\s(?:d[e']|di))?"
        scale = rf"(?:\s(?P<scale>{words})\b|\s?(?P<short>{short})(?!\w))?"
        behind = rf"(?:\s(?P<scale>{words}){of}|\s?(?P<short>{short}))?"
        codes = alternatives(name for name in locale.currencies if re.fullmatch("[A-Z]{3}", name))
        per = rf"(?:\s?/\s?(?P<per>{alternatives([*locale.per, *locale.units])})(?![\w²³]))?"
        upto = rf"(?:\s?[-–]\s?(?:{locale.sign})?(?P<upto>{NUMBER}))?"
        money = (
            rf"{_MINUS}(?<![\w.,])(?P<number>{NUMBER})"
            rf"(?:\s?(?:{locale.code})?\s?[-–]\s?(?P<upto>{NUMBER}))?"
        )
        return (
            Rule(
                re.compile(
                    r"(?<![\w.,$€£-])(?<!\d )(?P<whole>\d{1,3}[ .]\d{3}|\d{1,4})"
                    r"(?:(?P<currency>[€$£])(?P<cents>\d\d)"
                    rf"(?![\w€$£]|[.,/]\d){per}|\s(?P<spaced>[€$£])\s(?P<small>\d\d)"
                    rf"(?!\w|\s?(?:(?:{alternatives(locale.units)})\b|[\d%€$£])|[.,/]\d))"
                ),
                self._split_sum,
            ),
            Rule(re.compile(rf"\$\s?(?=(?:{NUMBER})\s?(?:{codes})\b)"), ""),
            Rule(
                re.compile(
                    rf"{_MINUS}(?P<currency>{locale.sign})\s?(?P<number>{NUMBER}){upto}{scale}{per}"
                ),
                self._money,
            ),
            Rule(
                re.compile(rf"{money}{behind}\s?(?P<currency>{locale.code})(?!\w){per}"),
                self._money,
            ),
        )

    def _measure_rules(self) -> tuple[Rule, ...]:
        locale = self._locale
        units = alternatives(locale.units)
        spoken_per = alternatives(name for name in locale.per if len(name) > 1)
        return (
            Rule(re.compile(r"(?<!\w)(\d)['′’]\s?(\d{1,2})(?:\"|″|”|'')"), self._feet),
            Rule(re.compile(rf"(?<![\w.,])({NUMBER})(?:\"|″)(?!\w)"), self._inches),
            Rule(
                re.compile(r"(?<![\w.,])(\d)\s?m\s?(\d\d)(?!\w)(?!\s?(?:m|cm|s)\b)"), self._metres
            ),
            Rule(re.compile(rf"{_START}\s?%"), self._percent),
            Rule(re.compile(rf"{_START}\s?[°º]\s?(?P<degrees>[CFK])(?!\w)"), self._degrees),
            Rule(
                re.compile(
                    rf"{_START}\s?(?P<unit>{units})(?![\w²³'])(?!/|\.\w){_NO_VERB}(?:\.(?=\s[a-zß-ÿ]))?"
                ),
                self._measure,
            ),
            Rule(
                re.compile(
                    rf"{_START}\s?(?P<unit>{units})/"
                    rf"(?P<below>{alternatives([*locale.units, *locale.per])})(?![\w²³])"
                ),
                self._measure_per,
            ),
            Rule(re.compile(r"(?<![\w/])(?:k|c|m)?m[²³](?!\w)"), self._lone_unit),
            Rule(
                re.compile(rf"(?P<counted>\d\s?(?:[^\W\d_]+|×))\s?/\s?(?P<per>{spoken_per})\b"),
                self._per_time,
            ),
        )

    def _scale_rules(self) -> tuple[Rule, ...]:
        scales = self._locale.scales
        short = alternatives(name for name in scales if len(name) <= 3)
        shorter = alternatives(_UNMISTAKABLE & scales.keys()) or r"(?!)"
        return (
            Rule(
                re.compile(
                    rf"{_START}(?:(?P<short>{short})(?!\w)"
                    rf"|\s(?P<spaced>{short})(?=\sd)|\s(?P<shorter>{shorter})(?!\w))"
                ),
                self._scaled,
            ),
            Rule(
                re.compile(rf"{_MINUS}(?<![\w.,])(?P<number>{NUMBER})\s?[x×](?!\w|\s?[-\d])"),
                self._times,
            ),
        )
