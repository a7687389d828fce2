"""Tokens of LiveKit that somebody pastes into a command."""

from __future__ import annotations

from tests.fuzz.target import parser
from voicepeer.core.livekit import TokenUnusable, look_at

_GOOD = (
    b"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEiLCJleHAiOjQxMDI0NDQ4MDAsInZpZGVvIjp7InJvb20iOiJoYWxs"
    b"Iiwicm9vbUpvaW4iOnRydWUsImNhblB1Ymxpc2giOnRydWV9fQ.c2lnbmF0dXJl"
)

TARGETS = (
    parser(
        "livekit",
        lambda data: look_at(data.decode("utf-8", "surrogateescape"), 1_800_000_000.0, "hall"),
        TokenUnusable,
        (_GOOD, b"e30.e30.x"),
        (b".", b"e30", b"eyJ2aWRlbyI6e319", b"="),
    ),
)
