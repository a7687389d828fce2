"""Offers and candidates of one client to one peer connection, and the rules for what is taken."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from aiortc import MediaStreamTrack, RTCPeerConnection, RTCRtpTransceiver

from signaling.sessions import IceServer, SessionRefused
from voicepeer import rtc
from voicepeer.core import selection
from voicepeer.core.candidates import MAX_CANDIDATES, CandidateSieve, end_of_candidates
from voicepeer.core.sdp import BadDescription, parse_offer
from voicepeer.core.selection import Chosen, Use

_DIRECTIONS = {
    "call": "sendrecv",
    "publish": "recvonly",
    "listen": "sendonly",
    "room": "sendonly",
}
"""Of our audio, at most: the answer narrows it to what was offered."""


class Negotiation:
    """Answers offers, one at a time; the first good one makes the connection.

    Args:
        track: what goes out; ``None`` where whoever is told of the audio section sees to that.
        on_peer: told of the connection once, before the first answer.
        on_audio: told of each audio section once, when an answer is about to use it. There is one,
            but for a room.
        heard: whether the other side may have our audio.
        on_lost: called when the connection has failed or was closed.
    """

    def __init__(
        self,
        ice_servers: Sequence[IceServer],
        track: MediaStreamTrack | None,
        on_peer: Callable[[RTCPeerConnection], None],
        on_audio: Callable[[RTCRtpTransceiver], None],
        purpose: Use = "call",
        *,
        heard: bool = True,
        on_lost: Callable[[], None] = lambda: None,
    ) -> None:
        self.peer: RTCPeerConnection | None = None
        """The connection, once there was an offer."""
        self.audio: RTCRtpTransceiver | None = None
        """Its (first) audio section, once there was one."""
        self._sections: set[RTCRtpTransceiver] = set()
        self._ice_servers = ice_servers
        self._track = track
        self._on_peer = on_peer
        self._on_audio = on_audio
        self._on_lost = on_lost
        self._purpose: Use = purpose
        self._heard = heard and purpose != "publish"
        self._chosen: Chosen | None = None
        self._sieve = CandidateSieve()
        self._early: list[tuple[str, str | None, int | None]] = []
        """Candidates that came before the offer that they belong to."""
        self._identity: tuple[frozenset[str], str] = (frozenset(), "")
        self._one_at_a_time = asyncio.Lock()
        self._closed = False

    @property
    def connected(self) -> bool:
        """Whether the connection stands."""
        return self.peer is not None and self.peer.connectionState == "connected"

    @property
    def sends(self) -> bool:
        """Whether the other side takes our audio."""
        return self.audio is not None and self.audio.currentDirection in ("sendrecv", "sendonly")

    async def answer(self, offer_sdp: str) -> str:
        """Answer an offer; a later one of the same connection renegotiates.

        Raises:
            SessionRefused: ``bad_sdp`` for a malformed one, ``bad_fingerprint``, ``bad_ice`` or
                ``bad_setup`` where that cannot be used, ``not_acceptable`` for one without
                what this session is for or without Opus, ``new_connection`` for one of another
                connection than the first (then a new session is needed).
        """
        async with self._one_at_a_time:
            if self._closed:
                raise SessionRefused("closed", "this session has ended: join again")
            with _refusing():
                return await self._answer(offer_sdp)

    async def _answer(self, offer_sdp: str) -> str:
        offer = parse_offer(offer_sdp)
        if self.peer is not None and _identity(offer_sdp) != self._identity:
            raise SessionRefused(
                "new_connection",
                "this offer is of another connection or restarts ICE, which is not supported: "
                "join again with the resume token for a new session that goes on",
            )
        chosen = selection.choose(offer, self._purpose, self._chosen)
        if self.peer is not None:
            answer = await self._apply(self.peer, chosen)
        else:
            answer = await self._first_answer(chosen)
            self._identity = _identity(offer_sdp)
        self._chosen = chosen
        await self._add_early()
        return answer

    async def _first_answer(self, chosen: Chosen) -> str:
        peer = rtc.new_peer(self._ice_servers, bundled=chosen.bundled)
        self._sieve = CandidateSieve()
        try:
            answer = await self._apply(peer, chosen)
        except BaseException:
            self.audio = None
            self._sections.clear()
            await rtc.close_peer(peer)
            raise
        self.peer = peer
        return answer

    async def _apply(self, peer: RTCPeerConnection, chosen: Chosen) -> str:
        users = chosen.offer.users
        await rtc.apply_offer(
            peer, selection.reduced(chosen, lambda candidate: self._sieve.admit(candidate, users))
        )
        if self.peer is None:
            self._watch(peer)
            self._on_peer(peer)
        self._use_audio(peer)
        return selection.completed(await rtc.make_answer(peer), chosen)

    def _watch(self, peer: RTCPeerConnection) -> None:
        def on_state() -> None:
            # One whose offer was refused is closed as well, and was never ours.
            if peer is self.peer and peer.connectionState in ("failed", "closed"):
                self._on_lost()

        peer.on("connectionstatechange", on_state)

    def _use_audio(self, peer: RTCPeerConnection) -> None:
        for section in peer.getTransceivers():
            if section not in self._sections:
                self._sections.add(section)
                self._use_section(section)

    def _use_section(self, section: RTCRtpTransceiver) -> None:
        if self.audio is None:
            self.audio = section
        section.direction = _DIRECTIONS[self._purpose] if self._heard else "recvonly"
        if self._heard and self._track is not None:
            section.sender.replaceTrack(self._track)
        self._on_audio(section)

    async def add_candidate(
        self, candidate: str | None, sdp_mid: str | None, sdp_mline_index: int | None
    ) -> None:
        """Add a trickled candidate, in any browser's form; ``None`` or an empty one ends them.

        One that comes before the offer waits for it. What is of no use is ignored.

        Raises:
            SessionRefused: ``bad_candidate`` for a malformed one, or too many before an offer.
        """
        async with self._one_at_a_time:
            if self._closed or candidate is None or end_of_candidates(candidate):
                # The end is not passed on: ICE would give up where all so far were of no use.
                return
            if self._chosen is not None:
                await self._add(candidate, sdp_mid, sdp_mline_index)
            elif len(self._early) < MAX_CANDIDATES:
                self._early.append((candidate, sdp_mid, sdp_mline_index))
            else:
                raise SessionRefused(
                    "bad_candidate", "too many candidates without an offer: send the offer first"
                )

    async def _add_early(self) -> None:
        early, self._early = self._early, []
        for one in early:
            with suppress(SessionRefused):  # the offer is not at fault
                await self._add(*one)

    async def _add(self, candidate: str, mid: str | None, index: int | None) -> None:
        if self.peer is None or self._chosen is None:
            return
        try:
            admitted = self._sieve.admit(candidate, self._chosen.offer.users)
            transport = self._chosen.transport_of(mid, index)
            if admitted is not None and transport is not None:
                await rtc.add_candidate(self.peer, admitted, transport)
        except BadDescription as error:
            raise SessionRefused("bad_candidate", str(error)) from error

    async def close(self) -> None:
        """Take no more offers and close the connection, if there is one."""
        self._closed = True
        async with self._one_at_a_time:
            if self.peer is not None:
                await rtc.close_peer(self.peer)


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except BadDescription as error:
        raise SessionRefused(error.code, str(error)) from error


def _identity(offer_sdp: str) -> tuple[frozenset[str], str]:
    """What stays the same in all offers of one connection: certificate and first ICE user name.

    Sections that were not yet bundled may have user names of their own.
    """
    prints = re.findall(r"^a=fingerprint:(.*)$", offer_sdp, re.MULTILINE)
    users = re.findall(r"^a=ice-ufrag:(.*)$", offer_sdp, re.MULTILINE)
    return frozenset(line.strip().lower() for line in prints), users[0].strip() if users else ""
