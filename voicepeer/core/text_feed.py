"""What somebody gives a bot to say over a socket, and what they are told of it.

The messages are those of the data channel about utterances, without an envelope, and plain text.
Each who gives text has utterance ids of their own, so that nobody can touch what is another's.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection
from typing import Final, TypeAlias

import msgspec

from voicepeer.core.envelope import (
    MAX_ID_CHARS,
    MAX_MESSAGE_BYTES,
    Message,
    bounded,
    unreadable,
)
from voicepeer.core.errors import AtCapacity, PeerSentBadMessage, TextRejected, VoicePeerError
from voicepeer.core.messages import (
    Accepted,
    Append,
    Cancel,
    Cancelled,
    Caption,
    Done,
    End,
    Failed,
    Flush,
    ServerMessage,
    Speak,
    Started,
    Viseme,
    Word,
    encode_client,
)
from voicepeer.core.rtvi import Error

MAX_OPEN: Final = 32
"""Utterances of one who gives text that are not over; a session takes as many in all."""

EVERYTHING: Final = "*"

Given: TypeAlias = Speak | Append | Flush | End | Cancel


class Refusal(Message, frozen=True, tag="error"):
    """A message was not taken, or its utterance cannot be said; ``message`` is for a person."""

    code: str
    message: str
    utterance_id: str | None = None


Told: TypeAlias = Accepted | Started | Word | Viseme | Caption | Done | Cancelled | Failed | Refusal

_given = msgspec.json.Decoder(Given)
_told = msgspec.json.Decoder(Told)
_encoder = msgspec.json.Encoder()
_KINDS: Final = Told.__args__
_OVER: Final = Done | Cancelled | Failed


def encode(message: Told) -> str:
    """JSON text of what somebody is told."""
    return _encoder.encode(message).decode()


def decode(text: str) -> Told:
    """The same read back by whoever has given text; raises ``PeerSentBadMessage``."""
    try:
        return _told.decode(text)
    except (msgspec.MsgspecError, UnicodeEncodeError) as error:
        raise PeerSentBadMessage(f"not a valid message: {str(error)[:200]}") from error


class TextFeed:
    """One who gives text. ``make_id`` gives ids that are nobody else's."""

    def __init__(self, make_id: Callable[[], str] = lambda: secrets.token_hex(8)) -> None:
        self._make_id = make_id
        self._texts = 0
        self._ours: dict[str, str] = {}
        """Ids for the service by theirs, of utterances that are not over."""
        self._theirs: dict[str, str] = {}
        self._unended: set[str] = set()
        """Their ids of those that more text may be appended to."""
        self._accepted: set[str] = set()

    def __len__(self) -> int:
        return len(self._ours)

    def read(self, text: str) -> list[Given] | Refusal:
        """What a message asks of the service, in the service's ids, or why it cannot be asked.

        Whatever does not begin with a brace is said as it is, as an utterance whose id is its
        number among those.
        """
        one: str | None = None
        try:
            message = self._parse(text)
            if message is None:
                return []
            one = message.utterance_id
            return self._ask(message)
        except VoicePeerError as error:
            named = one if one is not None and len(one) <= MAX_ID_CHARS else None
            return Refusal(code=error.code, message=str(error), utterance_id=named)

    def _parse(self, text: str) -> Given | None:
        if not text.strip():
            return None
        if not text.lstrip().startswith("{"):
            self._texts += 1
            return Speak(utterance_id=str(self._texts), text=text)
        raw = bounded(text)
        try:
            return _given.decode(raw)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise unreadable(error, raw) from error

    def _ask(self, message: Given) -> list[Given]:
        match message:
            case Speak():
                return [self._open(message)]
            case Append(utterance_id=one) if one not in self._ours:
                opened = self._open(message)
                self._unended.add(one)
                return [opened]
            case Cancel(utterance_id="*"):
                return [Cancel(utterance_id=ours) for ours in self._theirs]
            case _:
                return [self._go_on(message)]

    def _open(self, message: Speak | Append) -> Given:
        one = message.utterance_id
        if not 0 < len(one) <= MAX_ID_CHARS or one == EVERYTHING:
            raise PeerSentBadMessage(f"utterance_id must have 1 to {MAX_ID_CHARS} characters")
        if one in self._ours:
            raise TextRejected(f"utterance id {one!r} is in use: give every utterance its own")
        if len(self._ours) >= MAX_OPEN:
            raise AtCapacity(
                f"{MAX_OPEN} utterances are not over: wait until one is, or cancel some"
            )
        ours = self._make_id()
        renamed = _renamed(message, ours)
        self._ours[one], self._theirs[ours] = ours, one
        return renamed

    def _go_on(self, message: Given) -> Given:
        one = message.utterance_id
        ours = self._ours.get(one)
        if ours is None:
            raise TextRejected(f"there is no utterance {one[:MAX_ID_CHARS]!r}, or it is over")
        if isinstance(message, End):
            self._unended.discard(one)
        return _renamed(message, ours)

    def tell(self, message: ServerMessage) -> Told | None:
        """What the service says, if it is about an utterance of theirs, in their ids."""
        one = self._theirs.get(getattr(message, "utterance_id", None) or "")
        if one is None:
            return None
        if isinstance(message, Error):
            if one not in self._accepted:
                self._forget(one)
            return Refusal(code=message.code, message=message.error, utterance_id=one)
        if not isinstance(message, _KINDS):
            return None
        if isinstance(message, Accepted):
            if one in self._accepted:
                return None  # a session that goes on tells it anew
            self._accepted.add(one)
        elif isinstance(message, _OVER):
            self._forget(one)
        renamed: Told = msgspec.structs.replace(message, utterance_id=one)
        return renamed

    def _forget(self, one: str) -> None:
        del self._theirs[self._ours.pop(one)]
        self._unended.discard(one)
        self._accepted.discard(one)

    def went_on(self, going_on: Collection[str], unsent: Collection[str]) -> list[Told]:
        """The connection was lost and is back: what they are told of those that do not go on.

        Both have ids of the service's; messages of those that are ``unsent`` are sent only now, and
        may be the first of theirs.
        """
        lost = [
            one
            for one, ours in self._ours.items()
            if ours not in going_on and (one in self._accepted or ours not in unsent)
        ]
        told: list[Told] = []
        for one in lost:
            begun = one in self._accepted
            why = "and whether all of it was said is not known" if begun else "send it again"
            told.append(
                Failed(
                    utterance_id=one,
                    code="connection_lost",
                    message=f"the connection was lost meanwhile: {why}",
                    played_ms=0.0,
                    retryable=not begun,
                )
            )
            self._forget(one)
        return told

    def leave(self) -> list[Given]:
        """Nothing more will come: what was begun is said to its end."""
        unended, self._unended = self._unended, set()
        return [End(utterance_id=self._ours[one]) for one in sorted(unended)]


def _renamed(message: Given, ours: str) -> Given:
    """The same with the service's id, if the service would take it.

    Raises:
        PeerSentBadMessage: it is too large with its envelope.
    """
    renamed: Given = msgspec.structs.replace(message, utterance_id=ours)
    if isinstance(message, Speak | Append):
        try:
            size = len(encode_client(renamed).encode())
        except UnicodeEncodeError as error:
            raise PeerSentBadMessage("not a valid message: it is no Unicode text") from error
        if size > MAX_MESSAGE_BYTES:
            raise PeerSentBadMessage(
                f"a message may have {MAX_MESSAGE_BYTES} bytes, this one has {size} with what is "
                "sent around it: send long text in pieces with utterance.append"
            )
    return renamed
