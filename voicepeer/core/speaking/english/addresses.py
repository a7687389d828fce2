"""How web and mail addresses, names on networks, telephone numbers and versions are said."""

from __future__ import annotations

import re

from voicepeer.core.speaking.english import numerals, phones
from voicepeer.core.speaking.rule import Rule

_WORD_ENDINGS = frozenset(
    "com org net edu gov info biz dev app shop blog cloud page site online store tech xyz name "
    "live news world space team work co me so to in us is it be at".split()
)
"""Last labels of domains that are said as words; others of two or three letters are spelled."""

_FILE_ENDINGS = (
    "pdf|docx?|xlsx?|pptx?|txt|csv|json|ya?ml|toml|xml|html?|css|jsx?|tsx?|py|rs|go|java|cpp|sh|"
    "md|png|jpe?g|gif|svg|webp|wav|mp3|mp4|ogg|flac|zip|tar|gz|exe|log|onnx|ini|conf|lock"
)
_SPOKEN_ENDINGS = frozenset("py zip log lock java go conf toml bash".split())
_SPELLED_WITH = {".": "dot", "-": "dash", "_": "underscore", "+": "plus", "/": "slash"}
_PARTS = re.compile(r"[A-Za-z]+|\d+|[^\W\d_]+|[.\-_+/]")
_LABEL = r"[^\W_](?:[\w-]*[^\W_])?"
_TOP = (
    r"(?:com|org|net|edu|gov|io|ai|dev|app|co|uk|de|fr|es|it|eu|us|info|me|tv|ca|au|jp|cn|ch|at|"
    r"nl|se|xyz)"
)
_NAME_PARTS = re.compile(r"[^\W\d_]+|\d+")


def _said_part(part: str) -> str:
    if part in _SPELLED_WITH:
        return _SPELLED_WITH[part]
    if part.isdecimal():
        return numerals.grouped(part)
    return part.upper() if len(part) == 1 else part


def spelled(text: str) -> str:
    """Names as they are dictated: "a.b_c" is "A dot B underscore C"."""
    return " ".join(_said_part(part) for part in _PARTS.findall(text))


def domain(host: str) -> str:
    """A host name: its labels with "dot" between them, without "www"."""
    labels = host.lower().rstrip(".").split(".")
    if labels[0] == "www" and len(labels) > 2:
        labels = labels[1:]
    last = labels[-1]
    if len(last) <= 3 and last not in _WORD_ENDINGS and len(labels) > 1:
        labels[-1] = last.upper()
    return " dot ".join(spelled(label) if label != labels[-1] else label for label in labels)


def _url(match: re.Match[str]) -> str:
    # The rest of an address is for machines: whoever wants it reads it on the screen.
    return domain(match["host"]) + (match["tail"] or "")


def _mail(match: re.Match[str]) -> str:
    return f"{spelled(match['local'])} at {domain(match['host'])}"


def _handle(match: re.Match[str]) -> str:
    return f"at {' '.join(_NAME_PARTS.findall(match[1])) or match[1]}"


def _hashtag(match: re.Match[str]) -> str:
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\dA-Za-z_]+", match[1])
    return f"hashtag {' '.join(words)}"


def _file(match: re.Match[str]) -> str:
    return f"{spelled(match['name'])} dot {_ending(match['ending'])}"


def _colour(match: re.Match[str]) -> str:
    return "hash " + " ".join(numerals.digits(char) or char.upper() for char in match[1])


def _dotted(match: re.Match[str]) -> str:
    parts = [numerals.digits(p) if len(p) > 2 else numerals.grouped(p) for p in match[1].split(".")]
    return " point ".join(parts)


def _ip(match: re.Match[str]) -> str:
    said = " dot ".join(numerals.digits(part) for part in match[1].split("."))
    if match["prefix"]:
        said += f" slash {numerals.cardinal(int(match['prefix']))}"
    return said + (f" port {numerals.grouped(match[2])}" if match[2] else "")


def _path(match: re.Match[str]) -> str:
    """The parts of a path one after the other, with the "dot" of the file's ending."""
    name, dot, ending = match["last"].rpartition(".")
    parts = re.split(r"[/\\]", match["folders"])
    said = [spelled(part) for part in parts if part.strip("./\\~:")]
    last = f"{spelled(name)} dot {_ending(ending)}" if dot and name else spelled(match["last"])
    return " ".join([*said, last.removeprefix("dot ")])


def _ending(ending: str) -> str:
    return ending if ending in _SPOKEN_ENDINGS else ending.upper()


def _version(match: re.Match[str]) -> str:
    letter = match["letter"] if match["word"] else "version"
    said = " point ".join(numerals.grouped(part) for part in match["number"].split("."))
    return f"{match['word'] or ''}{letter} {said}"


RULES = (
    # No number has so many digits; read at once, they cost the other patterns no time.
    Rule(re.compile(r"\d{25,}"), lambda match: numerals.digits(match.group())),
    Rule(
        re.compile(
            r"(?<![\w@])(?:(?:https?|ftp|wss?)://(?:[^\s/@]+@)?|(?=www\.))"
            r"(?P<host>[^\s/:?#<>\"']+)(?::\d+)?(?:[/?#]\S*?)?"
            r"(?P<tail>[.,;:!?)\]}\"'”’]*)(?=\s|$)"
        ),
        _url,
    ),
    Rule(
        re.compile(
            rf"(?<![\w.+-])(?:mailto:)?(?P<local>[\w.+-]{{0,63}}\w)@(?P<host>{_LABEL}(?:\.{_LABEL})+)(?![\w@])"
        ),
        _mail,
    ),
    Rule(
        re.compile(
            r"(?<![\w.])(\d{1,3}(?:\.\d{1,3}){3})(?::(\d{1,5})|/(?P<prefix>\d{1,2}))?(?![\w.]*\d)"
        ),
        _ip,
    ),
    Rule(
        re.compile(
            rf"(?<![\w@./-])(?P<host>(?:[a-zA-Z0-9][\w-]*\.)+{_TOP})(?:/[^\s,;!?)]*?)?"
            r"(?P<tail>[.,;:!?)\]}\"'”’]*)(?=\s|$)"
        ),
        _url,
    ),
    Rule(
        re.compile(
            r"(?<![^\s(\"'`])(?P<folders>(?:~|\.{1,2}|[A-Za-z]:)?[/\\](?:[\w.-]+[/\\])*)"
            r"(?P<last>[\w.-]*\w)(?![\w/\\])"
        ),
        _path,
    ),
    Rule(
        re.compile(
            rf"(?<![\w./-])(?P<folders>(?:[\w.-]+/)+)(?P<last>[\w-]+\.(?:{_FILE_ENDINGS}))\b"
        ),
        _path,
    ),
    Rule(
        re.compile(rf"(?<![\w./-])(?P<name>[\w-]+(?:\.[\w-]+)*)\.(?P<ending>{_FILE_ENDINGS})\b"),
        _file,
    ),
    Rule(re.compile(r"(?<![\w@])@([A-Za-z_]\w*)"), _handle),
    Rule(re.compile(r"(?<![\w#&])#(?=[0-9A-Fa-f]*\d)([0-9A-Fa-f]{6})\b"), _colour),
    Rule(re.compile(r"(?<![\w#&])#(?=[A-Z]{1,3}-?\d)"), "number "),
    Rule(re.compile(r"(?<![\w#&])#((?=\w*[^\W\d])\w+)"), _hashtag),
    Rule(re.compile(r"(?<!\w)#(\d+)\b"), lambda match: f"number {match[1]}"),
    Rule(
        re.compile(r"(?P<word>\b[Vv]ersion )?\b(?P<letter>[vV])(?P<number>\d+(?:\.\d+)+)"), _version
    ),
    *phones.RULES,
)

VERSIONS = (Rule(re.compile(r"(?<![\w.])(\d+(?:\.\d+){2,})(?![\w.]*\d)"), _dotted),)
"""After dates, which some write with periods."""
