"""docs/wire.md says what the schemas say."""

from __future__ import annotations

import json
import re
import typing
from pathlib import Path

import msgspec
import pytest

from signaling import messages as signals
from voicepeer.core import messages, realtime
from voicepeer.wire_docs import main, wire_docs

pytestmark = pytest.mark.unit

PAGE = Path(__file__).parents[2] / "docs" / "wire.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == wire_docs(), (
        "run: python -m voicepeer.wire_docs docs/wire.md"
    )


@pytest.mark.parametrize(
    "union",
    [
        signals.ClientSignal, signals.ServerSignal, messages.ClientMessage, messages.ServerMessage,
        realtime.RealtimeClientEvent, realtime.RealtimeServerEvent,
    ],
    ids=["client signals", "server signals", "client messages", "server messages", "client events",
         "server events"],
)  # fmt: skip
def test_every_message_and_field_is_on_the_page(union: object) -> None:
    page = wire_docs()
    for cls in typing.get_args(union):
        heading = f"#### `{cls.__struct_config__.tag}`\n"
        assert heading in page
        for field in cls.__struct_encode_fields__:
            assert f"| `{field}` |" in page


def test_every_example_is_a_valid_message() -> None:
    signaling, _, channel = wire_docs().partition("## Data channel")
    examples = re.findall(r"```json\n(.*?)\n```", signaling, re.DOTALL)
    kinds = [*typing.get_args(signals.ClientSignal), *typing.get_args(signals.ServerSignal)]
    # A candidate goes either way.
    assert len(examples) == len(kinds)
    for example in examples:
        kind = json.loads(example)["type"]
        tags = [cls.__struct_config__.tag for cls in typing.get_args(signals.ClientSignal)]
        if kind in tags:
            signals.decode_client(example)
        else:
            signals.decode_server(example)
    channel, _, events = channel.partition(f"## Data channel `{realtime.CHANNEL_LABEL}`")
    to_service, _, to_client = channel.partition("### Service to client")
    for example in re.findall(r"```json\n(.*?)\n```", to_service, re.DOTALL):
        messages.decode_client(example)
    for example in re.findall(r"```json\n(.*?)\n```", to_client, re.DOTALL):
        messages.decode_server(example)

    to_service, _, to_client = events.partition("### Service to client")
    for example in re.findall(r"```json\n(.*?)\n```", to_service, re.DOTALL):
        realtime.read_event(example)
    server_events = msgspec.json.Decoder(realtime.RealtimeServerEvent)
    for example in re.findall(r"```json\n(.*?)\n```", to_client, re.DOTALL):
        server_events.decode(example)


def test_every_object_in_a_message_is_explained_once_and_linked() -> None:
    page = wire_docs()
    for name in ("SpokenProgress", "SendTextOptions", "Response", "ContentPart"):
        assert page.count(f"#### {name}\n") == 1
        assert f"(#{name.lower()})" in page


def test_notes_below_fields_are_taken_along() -> None:
    assert "From the text's arrival to this frame." in wire_docs()


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    target = tmp_path / "wire.md"
    assert main([str(target)]) == 0
    assert target.read_text(encoding="utf-8") == wire_docs()
    assert main([]) == 2
