"""Session descriptions, candidates and fragments of them, alone and through aiortc."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any

from aiortc.mediastreams import AudioStreamTrack

from signaling.sdpfrag import BadFragment, parse_fragment
from signaling.sessions import SessionRefused
from tests.fuzz.target import Fuzzed, Target, parser
from tests.voicepeer import offers
from voicepeer import rtc
from voicepeer.core import selection
from voicepeer.core.candidates import CandidateSieve
from voicepeer.core.sdp import BadDescription, parse_offer
from voicepeer.negotiation import Negotiation
from voicepeer.outlet import Outlet

_OFFERS = tuple(offers.offer_of(name).encode() for name in offers.ALL)
_HEARS = _OFFERS[0].replace(b"a=sendrecv", b"a=recvonly")
_AUDIO = _HEARS[_HEARS.index(b"m=audio") :].partition(b"\r\nm=")[0].rstrip() + b"\r\n"
_ROOM_OFFERS = (_HEARS, _HEARS + _AUDIO.replace(b"a=mid:0", b"a=mid:9"))
_CANDIDATES = (
    b"candidate:1 1 udp 2130706431 192.0.2.7 50000 typ host generation 0 ufrag abcd network-id 1",
    b"candidate:2 1 TCP 1518214911 2001:db8::7 9 typ srflx raddr 0.0.0.0 rport 0 tcptype active",
    b"a=candidate:3 1 udp 1 0f3a8c1e-9d2b-4c0e-8a51-0c35e1a7b6d2.local 54321 typ host",
    b"a=end-of-candidates",
)
_FRAGMENTS = (
    b"a=ice-ufrag:EsAw\r\na=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r\na=group:BUNDLE 0 1\r\n"
    b"m=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\na=" + _CANDIDATES[0] + b"\r\n"
    b"a=end-of-candidates\r\n",
)
_WORDS = (
    b"m=audio 0 ",
    b"m=application 9 DTLS/SCTP 5000",
    b"\r\na=bundle-only",
    b"\r\na=group:BUNDLE 0 1",
    b"\r\na=inactive",
    b"a=rtpmap:111 opus/48000/2",
    b"65536",
    b"-1",
    b"::",
)


def _choose(data: bytes) -> None:
    offer = parse_offer(data.decode("utf-8", "replace"))
    uses: tuple[selection.Use, ...] = ("call", "publish", "listen", "room")
    for use in uses:
        with suppress(BadDescription):
            chosen = selection.choose(offer, use)
            reduced = selection.reduced(chosen, CandidateSieve().admit)
            # Each section gets the transport of all.
            assert len(reduced) < (1 + len(chosen.indices)) * (len(data) + 10_000)


def _sift(data: bytes) -> None:
    CandidateSieve().admit(data.decode("utf-8", "replace"), {"abcd"})


def _fragment(data: bytes) -> None:
    parse_fragment(data.decode("utf-8", "replace"))


async def _negotiate(offer: str) -> None:
    track = AudioStreamTrack()
    one = Negotiation([], track, lambda peer: None, lambda audio: None)
    try:
        with suppress(SessionRefused):
            answer = await one.answer(offer)
            assert answer.count("\r\nm=") == len(parse_offer(offer).sections)
        with suppress(SessionRefused):
            await one.add_candidate(offer[:200], None, 0)
    finally:
        await one.close()
        track.stop()


async def _hear_room(offer: str) -> None:
    outlets: list[Outlet] = []
    one = Negotiation(
        [], None, lambda peer: None, lambda section: outlets.append(Outlet(section)), "room"
    )
    try:
        with suppress(SessionRefused):
            answer = await one.answer(offer)
            assert answer.count("\r\nm=") == len(parse_offer(offer).sections)
            assert 1 <= len(outlets) <= selection.MAX_HEARD
        for outlet in outlets:
            assert not outlet.send(1, 1, False, b"\x08", 30)
    finally:
        await one.close()
        for outlet in outlets:
            await outlet.close()


def _negotiating(
    negotiate: Callable[[str], Coroutine[Any, Any, None]],
) -> Callable[[], AbstractContextManager[Fuzzed]]:
    @contextmanager
    def negotiating() -> Iterator[Fuzzed]:
        rtc.install_patches()
        with asyncio.Runner() as runner:
            yield lambda data: runner.run(negotiate(data.decode("utf-8", "replace")))

    return negotiating


TARGETS = (
    parser("sdp", _choose, BadDescription, _OFFERS, _WORDS),
    parser("candidates", _sift, BadDescription, _CANDIDATES, (b" typ ", b" ufrag ", b"fe80::1")),
    parser("sdpfrag", _fragment, BadFragment, _FRAGMENTS, (b"\r\na=mid:", b"\r\nm=")),
    Target("offers", _OFFERS, _negotiating(_negotiate), _WORDS, slow_s=3.0),
    Target("room", _ROOM_OFFERS, _negotiating(_hear_room), _WORDS, slow_s=3.0),
)
