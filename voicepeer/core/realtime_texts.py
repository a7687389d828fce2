"""Texts on an ``oai-events`` channel: in which items they come, and which are still to be said."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

import msgspec

from voicepeer.core.envelope import MAX_ID_CHARS
from voicepeer.core.realtime import BadEvent, ResponseParams
from voicepeer.core.realtime_items import Item

MAX_ITEMS: Final = 64
"""How many items are known; of more the oldest are forgotten."""

MAX_TEXT_BYTES: Final = 12_000
"""Of one item or response as JSON, so that every event about it fits into a message."""

_SAID_ROLES: Final = frozenset({"user", "assistant"})
_ROLES: Final = _SAID_ROLES | {"system"}


@dataclass(slots=True)
class Items:
    """Items by id, in order of arrival, and which of them are still to be said."""

    known: OrderedDict[str, Item] = field(default_factory=OrderedDict)
    unsaid: list[str] = field(default_factory=list)

    def create(self, given: Item, new_id: Callable[[], str]) -> Item:
        """Keep an item that a client sends, as it is shown from now on.

        Raises:
            BadEvent: it is no text, too long, or has an id that is taken.
        """
        role = given.role or "user"
        if given.type != "message" or role not in _ROLES:
            raise BadEvent(
                "an item is a message of the role user, assistant or system", param="item"
            )
        text = _text_of(given, "item.content")
        check_size(text)
        item_id = new_id() if given.id is None else self._checked(given.id)
        item = msgspec.structs.replace(
            given, id=item_id, object="realtime.item", role=role, status="completed"
        )
        self.keep(item_id, item)
        if role in _SAID_ROLES and text.strip():
            self.unsaid.append(item_id)
        return item

    def _checked(self, item_id: str) -> str:
        if not 0 < len(item_id) <= MAX_ID_CHARS or item_id in self.known:
            raise BadEvent(
                f"an item's id is new and has 1 to {MAX_ID_CHARS} characters", param="item.id"
            )
        return item_id

    def keep(self, item_id: str, item: Item) -> None:
        """Know an item, or know it anew."""
        self.known[item_id] = item
        while len(self.known) > MAX_ITEMS:
            self.forget(next(iter(self.known)))

    def forget(self, item_id: str) -> None:
        """Know an item no more; raises BadEvent if there is none."""
        self.get(item_id)
        del self.known[item_id]
        if item_id in self.unsaid:
            self.unsaid.remove(item_id)

    def get(self, item_id: str) -> Item:
        """An item; raises BadEvent if there is none."""
        if item_id not in self.known:
            raise BadEvent(f"there is no item {item_id[:MAX_ID_CHARS]!r}", "item_not_found")
        return self.known[item_id]

    def text_for(self, params: ResponseParams) -> str:
        """What a response is to say.

        Raises:
            BadEvent: there is nothing to say, too much, or something that is no text.
        """
        text = self._text_for(params)
        if not text.strip():
            raise BadEvent(
                "there is nothing to say: give response.input, response.instructions or create "
                "an item with text first",
                "nothing_to_say",
            )
        check_size(text, params.metadata)
        return text

    def _text_for(self, params: ResponseParams) -> str:
        if params.input is not None:
            return _joined(self._text_of_input(item) for item in params.input)
        if params.instructions is not None:
            return params.instructions
        items = (self.known[item_id] for item_id in self.unsaid)
        return _joined(_text_of(item, "item.content") for item in items)

    def _text_of_input(self, item: Item) -> str:
        if item.type == "item_reference":
            item = self.get(item.id or "")
        return "" if item.role == "system" else _text_of(item, "response.input")


def _joined(texts: Iterable[str]) -> str:
    return " ".join(text for text in texts if text.strip())


def _text_of(item: Item, param: str) -> str:
    """The text of a message, of all its parts."""
    texts = [part.transcript if part.text is None else part.text for part in item.content]
    known = [text for text in texts if text is not None]
    if item.type != "message" or len(known) < len(texts):
        raise BadEvent("only messages whose content is text can be said", param=param)
    return _joined(known)


def check_size(text: str, metadata: dict[str, str] | None = None) -> None:
    """Refuse with BadEvent what would make an event too large to send."""
    size = len(msgspec.json.encode([text, metadata]))
    if size > MAX_TEXT_BYTES:
        raise BadEvent(
            f"a text may have {MAX_TEXT_BYTES} bytes, this one has {size}: send it as several "
            "responses, which are said one after the other",
            "text_too_long",
        )
