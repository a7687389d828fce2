"""The TypeScript types say what the schemas say, and a compiler takes them for that."""

from __future__ import annotations

import typing
from pathlib import Path

import pytest

from signaling import messages as signals
from tests.node import run_program
from voicepeer.core import messages, realtime
from voicepeer.wire_types import main, wire_types

pytestmark = pytest.mark.unit

FILE = Path(__file__).parents[2] / "web" / "sdk" / "src" / "wire.ts"


def test_the_file_is_up_to_date() -> None:
    assert FILE.read_text(encoding="utf-8") == wire_types(), (
        "run: python -m voicepeer.wire_types web/sdk/src/wire.ts"
    )


def _space(name: str) -> str:
    _, _, rest = wire_types().partition(f"export declare namespace {name} {{\n")
    return rest.partition("\n}\n")[0]


@pytest.mark.parametrize(
    ("space", "union"),
    [
        ("Signaling", signals.ClientSignal),
        ("Signaling", signals.ServerSignal),
        ("Channel", messages.ClientMessage),
        ("Channel", messages.ServerMessage),
        ("Realtime", realtime.RealtimeClientEvent),
        ("Realtime", realtime.RealtimeServerEvent),
    ],
)
def test_every_message_is_there_once_with_all_its_fields(space: str, union: object) -> None:
    text = _space(space)
    for cls in typing.get_args(union):
        assert text.count(f"  interface {cls.__name__} {{") == 1
        _, _, rest = text.partition(f"  interface {cls.__name__} {{\n")
        body = rest.partition("\n  }")[0]
        for field in cls.__struct_encode_fields__:
            assert f"    {field}: " in body or f"    {field}?: " in body


def test_names_lead_to_their_fields() -> None:
    text = _space("Channel")
    assert '    "utterance.speak": Speak;' in text
    assert '    "send-text": SendText;' in text


@pytest.mark.parametrize(
    ("name", "union"),
    [("SIGNAL_SHAPES", signals.ServerSignal), ("MESSAGE_SHAPES", messages.ServerMessage)],
)
def test_programs_can_check_every_field_that_the_service_sends(name: str, union: object) -> None:
    _, _, rest = wire_types().partition(f"export const {name}: Shapes = {{\n")
    lines = rest.partition("\n};\n")[0].splitlines()
    members = typing.get_args(union)
    assert len(lines) == len(members)
    for line, cls in zip(lines, members, strict=True):
        tag, _, fields = line.strip().rstrip(",").partition(": ")
        assert tag == f'"{cls.__struct_config__.tag}"'
        for field in cls.__struct_encode_fields__:
            assert f' {field}: "' in fields


@pytest.mark.parametrize(
    "line",
    [
        'snr_db: "number|null?"',
        'ice_servers: "object[]"',
        'resume_token: "string|null?"',
        'first_audible_ms: "number|null"',
        'spoken_status: "string|null?"',
        'utterances: "string[]?"',
        '"pong": {}',
    ],
)
def test_shapes_tell_what_may_be_null_or_absent(line: str) -> None:
    assert line in wire_types()


@pytest.mark.needs("node")
def test_a_compiler_accepts_right_uses_and_refuses_wrong_ones() -> None:
    run_program("tsc", "--project", ".")


def test_the_command_writes_the_file(tmp_path: Path) -> None:
    target = tmp_path / "wire.ts"
    assert main([str(target)]) == 0
    assert target.read_text(encoding="utf-8") == wire_types()
    assert main([]) == 2
