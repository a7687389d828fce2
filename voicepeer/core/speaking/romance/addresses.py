"""Web and mail addresses, names on networks, telephone numbers, versions."""

from __future__ import annotations

import re

from voicepeer.core.speaking.romance.locale import Locale
from voicepeer.core.speaking.romance.quantity import Reader
from voicepeer.core.speaking.rule import Rule

_PARTS = re.compile(r"[^\W\d_]+|\d+|[.\-_+/]")
_TOP = r"(?:com|org|net|edu|gov|io|ai|dev|app|info|eu|fr|it|es|pt|br|de|uk|ch|be|ca|mx|ar|cl|tv|me)"
_URL = re.compile(
    r"(?<![\w@])(?:(?:https?|ftp|wss?)://(?:[^\s/@]+@)?|(?=www\.))(?P<host>[^\s/:?#<>\"']+)(?::\d+)?"
    r"(?:[/?#]\S*?)?(?P<tail>[.,;:!?)\]}\"'”’»]*)(?=\s|$)"
)
_BARE_URL = re.compile(
    rf"(?<![\w@./])(?!p\.es\b)(?P<host>(?:[a-zA-Z0-9][\w-]{{0,62}}\.){{1,8}}{_TOP})(?![\w-]|\.\w)(?:/[^\s,;!?)]*?)?"
    r"(?P<tail>[.,;:!?)\]}\"'”’»]*)(?=\s|$)"
)
_MAIL = re.compile(r"(?<![\w.+-])(?:mailto:)?([\w.+-]*\w)@(\w[\w-]*(?:\.\w[\w-]*)+)")
_HANDLE = re.compile(r"(?<![\w@])@([^\W\d]\w*)")
_HASHTAG = re.compile(r"(?<![\w#&])#((?=\w*[^\W\d])\w+)")
_HASH_NUMBER = re.compile(r"(?<!\w)#(?=\d)")
_WORDS = re.compile(r"[A-ZÀ-Þ]+(?![a-zß-ÿ])|[A-ZÀ-Þ]?[a-zß-ÿ]+|\d+|[^\W\d_]+")
_VERSION = re.compile(r"(?P<word>\bv(?:ers[a-zã]*o?n?e?) )?\b[vV](?P<number>\d+(?:\.\d+)+)")
_DOTTED = re.compile(r"(?<![\w.])\d+(?:\.\d+){2,}(?![\w.]*\d)(?<!\.\d{3}\.\d{3})")
_FILE = re.compile(
    r"(?<![\w./-])([\w-]+)\.(pdf|docx?|xlsx?|pptx?|txt|csv|json|ya?ml|html?|py|js|md|png|jpe?g|gif|"
    r"svg|wav|mp3|mp4|zip)\b"
)
_CALLED = re.compile(
    r"(?:(?<=[Tt]el )|(?<=[Tt][eé]l\. )|(?<=[Tt][eé]l: )|(?<=[Tt][eé]l\.: )|(?<=[Tt][eé]l\. : )"
    r"|(?<=[Tt]el[eé]fono )|(?<=[Tt]el[eé]fono: )|(?<=[Tt]elefone )|(?<=[Tt]elefone: )"
    r"|(?<=[Ff]ax )|(?<=[Ff]ax: )|(?<=[Ww]hats[Aa]pp )|(?<=[Ww]hats[Aa]pp: )|(?<=[Cc]el\. )"
    r"|(?<=[Cc]ell\. )|(?<=[Nn]umero verde ))\(?\d{2,5}\)?(?:[ ./-]\d{2,5}){1,5}(?![\w-])"
    r"|(?<![\w.,+/-])\d{3}[ -]\d{3}[ -]\d{4}(?![\w-])"
    r"|(?<![\w.,+/-])(?:\(\d{2,3}\) ?|\d{3}[ -])\d{3}-\d{4}(?![\w-])"
)
"""Numbers behind what says so, and those of the Americas."""


class Addresses:
    """Rules for what machines read and people dictate."""

    def __init__(self, locale: Locale) -> None:
        self._locale = locale
        self._reader = Reader(locale)

    def _spelled(self, text: str) -> str:
        return " ".join(
            self._locale.spelled.get(part)
            or (self._reader.plain(part) if part.isdecimal() else part)
            for part in _PARTS.findall(text)
        )

    def _url(self, match: re.Match[str]) -> str:
        # The rest of an address is for machines: whoever wants it reads it on the screen.
        return self._spelled(match["host"].lower().removeprefix("www.").rstrip(".")) + match["tail"]

    def _mail(self, match: re.Match[str]) -> str:
        return f"{self._spelled(match[1])} {self._locale.at} {self._spelled(match[2])}"

    def _handle(self, match: re.Match[str]) -> str:
        return f"{self._locale.at} {self._reader.mixed(match[1])}"

    def _hashtag(self, match: re.Match[str]) -> str:
        words = _WORDS.findall(match[1])
        return f"{self._locale.hashtag} {self._reader.mixed(' '.join(words))}"

    def _version(self, match: re.Match[str]) -> str:
        letter = f"{match['word']}v" if match["word"] else self._locale.version
        return f"{letter} {self._dots(match['number'])}"

    def _dots(self, text: str) -> str:
        link = f" {self._locale.point} "
        return link.join(self._reader.plain(part) for part in text.split("."))

    def _file(self, match: re.Match[str]) -> str:
        return f"{self._spelled(match[1])} {self._locale.spelled['.']} {match[2].upper()}"

    def _phone(self, match: re.Match[str]) -> str:
        groups = re.findall(r"\d+", match.group().replace("(0)", ""))
        said = ", ".join(self._phone_group(group) for group in groups)
        return f"{self._locale.spelled['+']} {said}" if match.group().startswith("+") else said

    def _phone_group(self, group: str) -> str:
        if self._locale.phone_pairs and len(group) == 2:
            return self._reader.plain(group)
        return self._reader.digits(group)

    def rules(self) -> tuple[Rule, ...]:
        """In the order they are applied in."""
        international = r"(?<![\w.+])\+\d{1,3}(?:[ .-]?\(?\d{1,4}\)?){2,6}(?![\w-])"
        return (
            # No number has so many digits; read at once, they cost the other patterns no time.
            Rule(re.compile(r"\d{25,}"), lambda match: self._reader.digits(match.group())),
            Rule(_URL, self._url),
            Rule(_MAIL, self._mail),
            Rule(_BARE_URL, self._url),
            Rule(_FILE, self._file),
            Rule(_HANDLE, self._handle),
            Rule(_HASHTAG, self._hashtag),
            Rule(_HASH_NUMBER, f"{self._locale.number} "),
            Rule(_VERSION, self._version),
            Rule(re.compile(f"{international}|{self._locale.phone}"), self._phone),
            Rule(_CALLED, self._phone),
        )

    def late_rules(self) -> tuple[Rule, ...]:
        """After dates, which some write with periods."""
        return (Rule(_DOTTED, lambda match: self._dots(match.group())),)
