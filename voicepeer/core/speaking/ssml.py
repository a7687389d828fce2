"""A subset of SSML 1.1 (W3C Recommendation, 2010) read as a stream: text with how it is said.

The parser is expat. A document type, and with it every entity that could expand, is refused, and
so is what is not in the subset: nothing of the markup is ever spoken.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from voicepeer.core.errors import TextRejected
from voicepeer.core.speaking import ssml_values
from voicepeer.core.speaking.emotion import Recipe
from voicepeer.core.speaking.ipa import stranger
from voicepeer.core.speaking.say_as import INTERPRETATIONS
from voicepeer.core.speaking.ssml_values import BadValue

MAX_DEPTH = 16
MAX_VALUE_CHARS = 512
_PROLOG = re.compile(r"(?:(?:<!--.*?-->|<\?(?!xml\s).*?\?>)\s*)*", re.DOTALL)
_BYTE_ORDER_MARK = "\ufeff"

ELEMENTS = frozenset(
    {"speak", "p", "s", "break", "say-as", "phoneme", "sub", "emphasis", "prosody", "lang"}
)


@dataclass(frozen=True, slots=True)
class Style:
    """What markup says of a stretch of text; the defaults say nothing."""

    language: str | None = None
    said: str | None = None
    """What is said in place of the text, of ``<sub>``."""
    interpretation: str | None = None
    """What the text is, of ``<say-as>``, and after a colon its format; see ``say_as``."""
    ipa: str | None = None
    recipe: Recipe = Recipe()
    volume: float = 1.0
    unit: int = 0
    """Tells apart two elements with the same reading that stand side by side."""

    @property
    def says(self) -> bool:
        """Whether the text is not read as it stands."""
        return (self.said, self.ipa, self.interpretation) != (None, None, None)


@dataclass(frozen=True, slots=True)
class Marked:
    """Text and its style."""

    text: str
    style: Style


@dataclass(frozen=True, slots=True)
class Pause:
    """Silence between what is before and after; 0 only ends the sentence."""

    ms: float


Item: TypeAlias = Marked | Pause


@dataclass(slots=True)
class _Element:
    name: str
    style: Style
    kind: str = ""
    """How the text of a ``say-as`` is to be taken."""
    tag: str = ""
    """The tag that opened it."""
    text: list[str] = field(default_factory=list)


class Reader:
    """Markup in deltas of any size in, items out; ``<speak>`` around it may be left out."""

    def __init__(self) -> None:
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype
        self._parser.ProcessingInstructionHandler = self._refuse_instruction
        self._open: list[_Element] = []
        self._items: list[Item] = []
        self._units = 0
        self._wrapped: bool | None = None
        self._start_of_text = ""
        self._closed = False

    def feed(self, delta: str) -> list[Item]:
        """Items that are complete with this delta.

        Raises:
            TextRejected: not well-formed, or not in the subset; says where.
        """
        self._parse(delta, last=False)
        return self._given()

    def finish(self) -> list[Item]:
        """The rest: no more markup will come.

        Raises:
            TextRejected: an element is still open.
        """
        self._parse("", last=True)
        return self._given()

    def reopened(self, rest: str) -> str:
        """The tags that are open now around text that was given, and text that still waits."""
        opened = self._open[1 if self._wrapped else 0 :]
        waiting = opened.pop() if opened and opened[-1].kind else None
        tags = "".join(element.tag for element in opened)
        held = waiting.tag + escape("".join(waiting.text)) if waiting else ""
        return tags + escape(rest) + held

    def _given(self) -> list[Item]:
        items, self._items = self._items, []
        return items

    def _parse(self, text: str, last: bool) -> None:
        if self._closed:
            if text.strip():
                raise TextRejected("bad SSML: there is text after </speak>")
            return
        try:
            if self._wrapped is None:
                self._begin(text, last)
            else:
                self._parser.Parse(text, False)
            if last and self._wrapped is not None:
                self._parser.Parse("</speak>" if self._wrapped else "", True)
                self._closed = True
        except expat.ExpatError as error:
            reason = expat.errors.messages[error.code]
            raise _refused(reason, error.lineno, error.offset - self._shift(error.lineno)) from None
        except UnicodeEncodeError:
            raise TextRejected("bad SSML: it has half a character (a lone surrogate)") from None

    def _begin(self, text: str, last: bool) -> None:
        """Wait until it is known whether ``<speak>`` comes first, and supply it if not."""
        self._start_of_text += text
        seen = self._start_of_text.removeprefix(_BYTE_ORDER_MARK).lstrip()
        first = _PROLOG.sub("", seen, count=1)
        roots = ("<speak", "<?xml", "<!DOCTYPE")
        undecided = any(one.startswith(first) for one in (*roots, "<!--")) or (
            first.startswith(("<!--", "<?")) and "?>" not in first
        )
        if undecided and not last:
            return
        self._wrapped = not first.startswith(roots)
        self._parser.Parse("<speak>" if self._wrapped else "", False)
        # Nothing may come before an XML declaration, not even a blank.
        begun = self._start_of_text.removeprefix(_BYTE_ORDER_MARK)
        self._parser.Parse(begun if self._wrapped else seen, False)

    def _shift(self, line: int) -> int:
        return len("<speak>") if self._wrapped and line == 1 else 0

    def _here(self) -> tuple[int, int]:
        line = self._parser.CurrentLineNumber
        return line, self._parser.CurrentColumnNumber - self._shift(line)

    def _refuse(self, reason: str) -> TextRejected:
        return _refused(reason, *self._here())

    def _refuse_doctype(self, *_: object) -> None:
        raise self._refuse("a document type is not allowed")

    def _refuse_instruction(self, *_: object) -> None:
        if self._open:
            raise self._refuse("processing instructions are allowed before <speak> only")

    # --- elements -------------------------------------------------------------------------------

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        try:
            self._begin_element(name, attributes)
        except BadValue as error:
            raise self._refuse(str(error)) from None

    def _begin_element(self, name: str, attributes: dict[str, str]) -> None:
        name = name.removeprefix("ssml:")
        if name not in ELEMENTS:
            known = ", ".join(f"<{one}>" for one in sorted(ELEMENTS))
            raise self._refuse(f"<{name[:32]}> is not known here; there are {known}")
        if len(self._open) >= MAX_DEPTH:
            raise self._refuse(f"elements may be nested {MAX_DEPTH} deep")
        if any(len(value) > MAX_VALUE_CHARS for value in attributes.values()):
            raise self._refuse(f"an attribute may have {MAX_VALUE_CHARS} characters")
        if name == "speak" and self._open:
            raise self._refuse("<speak> inside of <speak>")
        above = self._open[-1] if self._open else _Element("", Style())
        if above.style.says or above.kind or above.name == "break":
            raise self._refuse(f"<{name}> cannot stand inside of <{above.name}>")
        element = self._element(name, attributes, above.style)
        element.tag = _tag(name, attributes)
        self._open.append(element)
        if name in ("p", "s"):
            self._items.append(Pause(0.0))
        if name == "break":
            self._items.append(Pause(ssml_values.break_ms(attributes)))

    def _element(self, name: str, attributes: Mapping[str, str], style: Style) -> _Element:
        if language := attributes.get("xml:lang"):
            style = replace(style, language=language.lower())
        match name:
            case "sub":
                alias = self._needed("sub", attributes, "alias")
                return _Element(name, self._unit(replace(style, said=alias)))
            case "phoneme":
                if attributes.get("alphabet", "ipa").lower() != "ipa":
                    raise self._refuse("phonemes are taken in the alphabet 'ipa' only")
                ipa = self._needed("phoneme", attributes, "ph")
                if wrong := stranger(ipa):
                    raise self._refuse(f"ph has {wrong!r}, which is no symbol of the IPA")
                return _Element(name, self._unit(replace(style, ipa=ipa)))
            case "say-as":
                kind = self._needed("say-as", attributes, "interpret-as").lower()
                if kind not in INTERPRETATIONS:
                    known = ", ".join(sorted(INTERPRETATIONS))
                    raise self._refuse(f"interpret-as can be {known}, not {kind[:32]!r}")
                return _Element(name, style, f"{kind}:{attributes.get('format', '')}")
            case "emphasis":
                return _Element(name, _styled(style, ssml_values.emphasis(attributes)))
            case "prosody":
                volume = min(style.volume * ssml_values.volume(attributes), ssml_values.MAX_VOLUME)
                louder = replace(style, volume=volume)
                return _Element(name, _styled(louder, ssml_values.prosody(attributes)))
            case _:
                return _Element(name, style)

    def _unit(self, style: Style) -> Style:
        self._units += 1
        return replace(style, unit=self._units)

    def _end(self, name: str) -> None:
        element = self._open.pop()
        if element.kind:
            written = "".join(element.text)
            style = self._unit(replace(element.style, interpretation=element.kind))
            self._items.append(Marked(written, style))
        if (element.style.says or element.kind) and not "".join(element.text).strip():
            raise self._refuse(f"<{name}> is empty: it needs the text that it stands for")
        if element.name in ("p", "s"):
            self._items.append(Pause(0.0))

    def _characters(self, text: str) -> None:
        element = self._open[-1]
        if element.kind or element.style.says:
            element.text.append(text)
        if element.kind:
            return
        if element.name == "break":
            raise self._refuse("<break> holds no text")
        elif self._items and self._continues(element.style):
            last = self._items[-1]
            assert isinstance(last, Marked)
            self._items[-1] = Marked(last.text + text, last.style)
        else:
            self._items.append(Marked(text, element.style))

    def _continues(self, style: Style) -> bool:
        last = self._items[-1]
        return isinstance(last, Marked) and last.style == style

    # --- attributes -----------------------------------------------------------------------------

    def _needed(self, element: str, attributes: Mapping[str, str], name: str) -> str:
        value = attributes.get(name, "").strip()
        if not value:
            raise self._refuse(f"<{element}> needs the attribute {name!r}")
        return value


def text_of(markup: str) -> str:
    """The text of markup, which is what offsets into it count in; raises like ``Reader``."""
    reader = Reader()
    items = [*reader.feed(markup), *reader.finish()]
    return "".join(item.text for item in items if isinstance(item, Marked))


def going_on(markup: str, chars: int) -> str:
    """Markup for what follows after so many characters of the text of ``markup``.

    What was open at its end is open again, so that markup can go on where it was; the rest of its
    text is plain.
    """
    reader = Reader()
    items = reader.feed(markup)
    text = "".join(item.text for item in items if isinstance(item, Marked))
    return reader.reopened(text[chars:])


def _tag(name: str, attributes: Mapping[str, str]) -> str:
    return f"<{name}{''.join(f' {key}={quoteattr(value)}' for key, value in attributes.items())}>"


def _styled(style: Style, recipe: Recipe) -> Style:
    """Elements inside each other multiply, within what one of them may ask for."""
    above = style.recipe
    merged = Recipe(
        speed=above.speed * recipe.speed,
        pitch_semitones=above.pitch_semitones + recipe.pitch_semitones,
        pitch_range=above.pitch_range * recipe.pitch_range,
        energy=above.energy * recipe.energy,
    )
    return replace(style, recipe=ssml_values.held(merged))


def _refused(reason: str, line: int, column: int) -> TextRejected:
    return TextRejected(f"bad SSML at line {line}, column {max(0, column) + 1}: {reason}")
