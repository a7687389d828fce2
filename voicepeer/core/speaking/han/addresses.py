"""Web and mail addresses, names on networks, telephone numbers, versions."""

from __future__ import annotations

import re

from voicepeer.core.speaking.han.locale import Locale
from voicepeer.core.speaking.han.quantity import Reader
from voicepeer.core.speaking.rule import Rule

_PARTS = re.compile(r"[^\W\d_]+|\d+|[.\-_+/]")
_TOP = (
    "com|org|net|edu|gov|io|ai|dev|app|co|info|me|tv|cn|hk|tw|sg|jp|kr|uk|us|de|fr|eu|ca|au|xyz|top"
)
_URL = re.compile(
    r"(?<![A-Za-z0-9@])(?:(?:https?|ftp|wss?)://(?:[^\s/@]{1,64}@)?|(?=www\.))"
    r"(?P<host>[A-Za-z0-9][A-Za-z0-9.-]*[A-Za-z0-9])(?::\d+)?(?:[/?#][!-~]*)?",
    re.IGNORECASE,
)
_BARE_URL = re.compile(
    rf"(?<![A-Za-z0-9@._/-])(?P<host>(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+(?:{_TOP}))"
    r"(?![A-Za-z0-9-]|\.[A-Za-z0-9])(?:/[!-~]*)?"
)
_TAIL = re.compile(r"[.,;:!?)\]}\"']+$")
_MAIL = re.compile(
    r"(?<![A-Za-z0-9._+-])(?:mailto:)?([A-Za-z0-9][A-Za-z0-9._+-]{0,63})@"
    r"([A-Za-z0-9][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)+)"
)
_HANDLE = re.compile(r"(?<![A-Za-z0-9@])@([^\W\d]\w{0,30})")
_TOPIC = re.compile(r"(?<![A-Za-z0-9#&])#([^\W_][^#\n]{0,39})#")
_HASHTAG = re.compile(r"(?<![A-Za-z0-9#&])#((?=\w*[^\W\d])\w+)")
_NUMBER_SIGN = re.compile(r"(?:(?<!\w)#|(?<![A-Za-z])(?:No\.?|NO\.|no\.) ?)(\d{1,9})(?!\d)")
_TAG_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\dA-Za-z_]+")
_VERSION = re.compile(r"(?<![A-Za-z0-9])[vV](?:er\.? ?)?(\d+(?:\.\d+)+)(?![A-Za-z0-9])")
_DOTTED = re.compile(r"(?<![\d.])\d+(?:\.\d+){2,}(?![\d.]*\d)")
_CODE = re.compile(r"(?<![A-Za-z\d.-])\d+(?:-\d+){2,}(?![A-Za-z\d]|-\d|[.,]\d)")
_FILE = re.compile(
    r"(?<![./-])([\w-]{1,64})\.(pdf|docx?|xlsx?|pptx?|txt|csv|json|ya?ml|html?|py|js|"
    r"md|png|jpe?g|gif|svg|wav|mp3|mp4|zip)(?![A-Za-z0-9])"
)
_INTERNATIONAL = (
    r"(?<![A-Za-z0-9.+])(?=(?:[+ .()-]*\d){8})"
    r"\+\d{1,3}(?:[ .-]?\(?\d{1,11}\)?){1,5}(?![A-Za-z0-9-])"
)


class Addresses:
    """Rules for what machines read and people dictate."""

    def __init__(self, locale: Locale) -> None:
        self._locale = locale
        self._reader = Reader(locale)

    def _spelled(self, text: str) -> str:
        parts = [
            self._locale.spelled.get(part) or (self._number(part) if part.isdecimal() else part)
            for part in _PARTS.findall(text)
        ]
        return " ".join(parts)

    def _number(self, digits: str) -> str:
        return self._reader.plain(digits) if len(digits) == 1 else self._locale.digits(digits)

    def _url(self, match: re.Match[str]) -> str:
        # The rest of an address is for machines: whoever wants it reads it on the screen.
        host = match["host"].lower().removeprefix("www.")
        tail = _TAIL.search(match.group())
        return f" {self._spelled(host)} " + (tail.group() if tail else "")

    def _mail(self, match: re.Match[str]) -> str:
        return f" {self._spelled(match[1])} {self._locale.at} {self._spelled(match[2])} "

    def _mixed(self, text: str) -> str:
        parts = _TAG_WORDS.findall(text)
        return " ".join(self._reader.plain(part) if part.isdecimal() else part for part in parts)

    def _handle(self, match: re.Match[str]) -> str:
        return f"{self._locale.at} {self._mixed(match[1])}"

    def _hashtag(self, match: re.Match[str]) -> str:
        return f"{self._locale.hashtag} {self._mixed(match[1])}"

    def _numbered(self, match: re.Match[str]) -> str:
        return self._locale.numbered(self._reader.plain(match[1]))

    def _version(self, match: re.Match[str]) -> str:
        return f"{self._locale.version}{self._dots(match[1])}"

    def _dots(self, text: str) -> str:
        return self._locale.dot.join(
            self._locale.digits(part) if len(part) > 2 else self._reader.plain(part)
            for part in text.split(".")
        )

    def _file(self, match: re.Match[str]) -> str:
        return f"{self._spelled(match[1])} {self._locale.spelled['.']} {match[2].upper()}"

    def _phone(self, match: re.Match[str]) -> str:
        groups = [self._locale.phone_digits(group) for group in _groups(match.group())]
        plus = self._locale.spelled["+"] if match.group().startswith("+") else ""
        return plus + "，".join(groups)

    def _hyphened(self, match: re.Match[str]) -> str:
        return "，".join(self._locale.digits(group) for group in match.group().split("-"))

    def _named(self, match: re.Match[str]) -> str:
        return match[1] + self._locale.digits(match[2])

    def _emergency(self, match: re.Match[str]) -> str:
        numbers = re.sub(r"\d+", lambda number: self._locale.phone_digits(number[0]), match[2])
        return match[1] + numbers

    def rules(self) -> tuple[Rule, ...]:
        """In the order they are applied in."""
        return (
            # No number has so many digits; read at once, they cost the other patterns no time.
            Rule(re.compile(r"\d{25,}"), lambda match: self._locale.digits(match.group())),
            Rule(_URL, self._url),
            Rule(_MAIL, self._mail),
            Rule(_BARE_URL, self._url),
            Rule(_FILE, self._file),
            Rule(_HANDLE, self._handle),
            Rule(_TOPIC, lambda match: match[1]),
            Rule(_NUMBER_SIGN, self._numbered),
            Rule(_HASHTAG, self._hashtag),
            Rule(_VERSION, self._version),
            Rule(re.compile(f"{_INTERNATIONAL}|{self._locale.phone}"), self._phone),
            Rule(re.compile(self._locale.emergency), self._emergency),
        )

    def late_rules(self) -> tuple[Rule, ...]:
        """After dates, which some write with periods."""
        codes = re.compile(
            rf"((?:{self._locale.codes_after})[\W是为為]{{0,3}})(\d{{3,}})(?![\d.,])"
        )
        return (
            Rule(_DOTTED, lambda match: self._dots(match.group())),
            Rule(_CODE, self._hyphened),
            Rule(codes, self._named),
        )


def _groups(number: str) -> list[str]:
    """Groups as they are written; eleven digits of a mobile number are read in three."""
    groups: list[str] = re.findall(r"\d+", number)
    return [part for group in groups for part in _cut(group)]


def _cut(group: str) -> list[str]:
    return [group[:3], group[3:7], group[7:]] if len(group) == 11 else [group]
