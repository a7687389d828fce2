"""Answers of WHIP endpoints, which belong to somebody else."""

from __future__ import annotations

from tests.fuzz.target import parser
from voicepeer.core.whip import (
    WhipFailed,
    check_answer,
    linked_servers,
    refused,
    resolved,
)


def _read(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    head, _, body = text.partition("\n")
    linked_servers(text.splitlines())
    refused(503, data, head, 1_800_000_000.0)
    check_answer(body)
    resolved("https://media.example/whip/hall", head)


TARGETS = (
    parser(
        "whip",
        _read,
        WhipFailed,
        (
            b"/whip/hall/7\nv=0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=recvonly\r\n",
            b'<turn:t.example?transport=udp>; rel="ice-server"; username="u"; credential="\\"c"',
            b'120\n{"error":{"message":"the room is full","code":"room_full"}}',
            b"Fri, 15 Jan 2027 08:01:30 GMT",
        ),
        (
            b"<stun:a>",
            b';rel="ice-server"',
            b"https://[",
            b"m=audio 0",
            b"a=inactive",
            b'{"error":',
        ),
    ),
)
