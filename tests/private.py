"""Looks through everything that a run of the tests has logged for what must never stand there.

What is private is read from the tests themselves: what they have said, the consents they give, the
keys and tokens they use; and some things are private by their form.
"""

from __future__ import annotations

import ast
import logging
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

MIN_CHARS = 10
"""Shorter texts stand in logs by chance."""

LOGGERS = ("engines", "signaling", "voicepeer")
OTHERS = ("aiohttp", "aioice", "aiortc")
"""Kept as quiet as ``voicepeer.logs`` has them in a service."""

_FORMS = {
    "a session description": re.compile(r"a=(?:ice-pwd|ice-ufrag|fingerprint|rtpmap|candidate)"),
    "an ICE candidate": re.compile(r"candidate:\w+ \d+ (?:udp|tcp)", re.I),
    "a token": re.compile(r"eyJ[\w-]{8,}\.[\w-]{8,}"),
    "a bearer's header": re.compile(r"Bearer [\w.~+/-]{10,}"),
    "TURN credentials": re.compile(r"['\"]credential['\"]: ?['\"][^'\"]"),
}
_SPOKEN = frozenset({"say", "speak", "send_text", "append", "synthesize"})
_ARGUMENTS = frozenset({"consent", "content", "credential", "input", "sdp", "text", "token"})
_SECRET_NAME = re.compile(r"(?:^|_)(?:KEY|KEYS|SECRET|TOKEN|PASSWORD|TEXT|CONSENT|LONG)$")


class Tap(logging.Handler):
    """Keeps each different line that was logged."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record, as it would stand in the log."""
        self.lines.add(self.format(record))

    def install(self) -> None:
        """Hear everything that is logged in this process from now on."""
        for name in LOGGERS:
            logging.getLogger(name).setLevel(logging.DEBUG)
            logging.getLogger(name).addHandler(self)
        for name in OTHERS:
            logging.getLogger(name).setLevel(logging.WARNING)
            logging.getLogger(name).addHandler(self)


@cache
def planted(folder: Path) -> frozenset[str]:
    """All private texts in the tests below a folder."""
    return frozenset(
        text
        for path in folder.rglob("*.py")
        for text in _texts(ast.parse(path.read_text(encoding="utf-8")))
        if len(text) >= MIN_CHARS
    )


def _texts(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Call():
                if _called(node) in _SPOKEN and node.args:
                    yield from _constants(node.args[:1])
                wanted = (one.value for one in node.keywords if one.arg in _ARGUMENTS)
                yield from _constants(wanted)
            case ast.Assign(targets=[ast.Name(id=name)]) if _SECRET_NAME.search(name):
                yield from _constants([node.value])
            case _:
                pass


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _constants(nodes: Iterable[ast.expr]) -> Iterator[str]:
    """Texts as they are, and those made by repeating one."""
    for node in nodes:
        match node:
            case ast.Constant(value=str(text)):
                yield text
            case ast.BinOp(
                left=ast.Constant(value=str(text)), op=ast.Mult(), right=ast.Constant(value=int(n))
            ):
                yield text * min(n, 64)
            case _:
                pass


def leaks(lines: Iterable[str], texts: Iterable[str]) -> list[str]:
    """What is private in these lines, and where; quotes the line."""
    texts, found = sorted(texts), []
    for line in lines:
        found += [f"{what} in: {line}" for what, form in _FORMS.items() if form.search(line)]
        found += [f"{text!r} in: {line}" for text in texts if text in line]
    return found
