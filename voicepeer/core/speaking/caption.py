"""Captions: spoken words put together to lines that a person can read, and WebVTT.

How long a line may be and how long it stands follows the usual guidance for subtitles (BBC
Subtitle Guidelines 1.2.4: 37 to 42 characters a line, two lines, up to about 7 s).
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from voicepeer.core.messages import Word
from voicepeer.core.speaking import abbreviation, boundary
from voicepeer.core.speaking.boundary import Strength

LINE_CHARS = 42
MAX_LINES = 2
MAX_MS = 7_000.0
MIN_MS = 700.0
"""A shorter caption stays on the screen as long as this if nothing follows."""

PAUSE_MS = 600.0
"""A silence so long ends a caption."""


@dataclass(frozen=True, slots=True)
class TimedWord:
    """A stretch of the written text and when it is heard."""

    text: str
    start_ms: float
    end_ms: float


@dataclass(frozen=True, slots=True)
class Caption:
    """What is read while it is heard: ``source[char_start:char_end]`` without line breaks."""

    text: str
    start_ms: float
    end_ms: float
    char_start: int
    char_end: int
    words: tuple[TimedWord, ...] = ()
    speaker: str = ""
    """Who says it, where that is to be shown."""


def captions(source: str, words: Sequence[Word]) -> list[Caption]:
    """All captions of an utterance whose text was ``source``; none without words.

    They show what was written, so "98.6" and not the words that are said for it.
    """
    groups = list(_groups(source, _written(words)))
    followers: list[Word | None] = [*(group[0] for group in groups[1:]), None]
    return [
        _caption(source, group, following)
        for group, following in zip(groups, followers, strict=False)
    ]


def blocks(text: str) -> list[tuple[int, int]]:
    """Where a text is cut into captions before it is known how long it will take to say."""
    found: list[tuple[int, int]] = []
    start = 0
    for match in re.finditer(r"\S+\s*", text):
        shown = " ".join(text[start : match.end()].split())
        full = len(textwrap.wrap(shown, LINE_CHARS)) > MAX_LINES
        before = text[start : match.start()]
        token = before.rstrip()
        ended = bool(token) and _is_sentence(token.split()[-1], before, f"{match.group()} ")
        if before and (full or ended):
            found.append((start, match.start()))
            start = match.start()
    return [*found, (start, len(text))] if text.strip() else found


def _written(words: Sequence[Word]) -> list[Word]:
    """One word for each stretch of the text; several that are said for the same one are joined."""
    merged: list[Word] = []
    for word in words:
        last = merged[-1] if merged else None
        if last and word.char_start < last.char_end:
            merged[-1] = Word(
                utterance_id=last.utterance_id,
                text=last.text,
                start_ms=last.start_ms,
                end_ms=max(last.end_ms, word.end_ms),
                char_start=last.char_start,
                char_end=max(last.char_end, word.char_end),
            )
        else:
            merged.append(word)
    return merged


def _groups(source: str, words: Sequence[Word]) -> Iterator[list[Word]]:
    group: list[Word] = []
    for word in words:
        if group and _ends_before(source, group, word):
            yield group
            group = []
        group.append(word)
    if group:
        yield group


def _ends_before(source: str, group: list[Word], word: Word) -> bool:
    first, last = group[0], group[-1]
    shown = " ".join(source[first.char_start : _end_of(source, word.char_end)].split())
    if len(textwrap.wrap(shown, LINE_CHARS)) > MAX_LINES or len(shown) > LINE_CHARS * MAX_LINES:
        return True
    stretch = source[last.char_start : word.char_start]
    if _is_sentence(stretch.rstrip(), stretch, f"{source[word.char_start : word.char_end + 1]} "):
        return True
    return word.start_ms - last.end_ms > PAUSE_MS or word.end_ms - first.start_ms > MAX_MS


def _is_sentence(token: str, stretch: str, following: str) -> bool:
    """Whether a sentence ends with a token, which is what ``stretch`` ends with but for blanks.

    ``following`` is the next word, and what is after it.
    """
    gap = stretch[len(stretch.rstrip()) :]
    if not gap:
        return boundary.without_blank(token[-8:], following[0]) is Strength.SENTENCE
    return boundary.across(token, gap, following, starts_line=False) is Strength.SENTENCE


def _end_of(source: str, at: int) -> int:
    """Where the marks that follow a word end."""
    while at < len(source) and not source[at].isspace() and not source[at].isalnum():
        at += 1
    return at


def _caption(source: str, group: Sequence[Word], following: Word | None) -> Caption:
    first, last = group[0], group[-1]
    start, end = _start_of(source, first.char_start), _end_of(source, last.char_end)
    following_ms = float("inf")
    if following is not None:
        end = min(end, _start_of(source, following.char_start))
        following_ms = following.start_ms
    timed = tuple(
        TimedWord(
            " ".join(source[a:b].split()),
            word.start_ms,
            word.end_ms,
        )
        for word, a, b in zip(group, *_edges(source, group, start, end), strict=True)
    )
    end_ms = min(following_ms, max(last.end_ms, first.start_ms + MIN_MS))
    shown = " ".join(source[start:end].split())
    return Caption(shown, first.start_ms, end_ms, start, end, timed)


def _start_of(source: str, at: int) -> int:
    """Where the opening marks before a word begin."""
    while at > 0 and source[at - 1] in abbreviation.OPENERS:
        at -= 1
    return at


def _edges(source: str, group: Sequence[Word], start: int, end: int) -> tuple[list[int], list[int]]:
    """Each word with the marks up to the next one, so that together they are the caption."""
    begins = [start, *(word.char_start for word in group[1:])]
    return begins, [*begins[1:], end]


def webvtt(cues: Iterable[Caption]) -> str:
    """A WebVTT file (W3C Candidate Recommendation, 2019) whose cues tell the time of each word."""
    parts = ["WEBVTT\n"]
    for cue in cues:
        times = f"{_stamp(cue.start_ms)} --> {_stamp(max(cue.end_ms, cue.start_ms + 1.0))}"
        # A voice span to the end of a cue needs no end of its own (WebVTT section 4.2.2).
        voice = f"<v {_escaped(' '.join(cue.speaker.split()))}>" if cue.speaker else ""
        parts.append(f"{times}\n{voice}{_payload(cue)}\n")
    return "\n".join(parts)


def _payload(cue: Caption) -> str:
    """The caption in lines; every word but the first has a timestamp before it."""
    lines = textwrap.wrap(cue.text, LINE_CHARS, break_long_words=True) or [cue.text]
    if not cue.words or " ".join(word.text for word in cue.words) != cue.text:
        return "\n".join(_escaped(line) for line in lines)
    out: list[str] = []
    length = 0
    for index, word in enumerate(cue.words):
        fits = length + 1 + len(word.text) <= LINE_CHARS
        if index:
            out.append(" " if fits else "\n")
            out.append(f"<{_stamp(word.start_ms)}>")
        length = length + 1 + len(word.text) if index and fits else len(word.text)
        out.append(_escaped(word.text))
    return "".join(out)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _stamp(ms: float) -> str:
    total = max(0, round(ms))
    hours, rest = divmod(total, 3_600_000)
    minutes, rest = divmod(rest, 60_000)
    seconds, millis = divmod(rest, 1_000)
    return f"{hours:02d}:{minutes:02d}:{seconds:02d}.{millis:03d}"
