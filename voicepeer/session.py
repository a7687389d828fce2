"""One participant: a peer connection, its two tracks and its data channel, from offer to close.

The session wires and supervises; what is said is decided in ``speech``, what is heard in
``listener``.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, assert_never

from aiortc import RTCPeerConnection, RTCRtpSender

from signaling.sessions import SessionRefused, SessionRequest
from voicepeer import rtc
from voicepeer.control import ControlChannel
from voicepeer.core.adaptation import Encoding, LossFollower
from voicepeer.core.errors import VoicePeerError
from voicepeer.core.listening.enrolment import EnrolmentSettings
from voicepeer.core.messages import (
    Append,
    BotReady,
    Cancel,
    ClientMessage,
    ClientReady,
    End,
    EnrolStart,
    EnrolStop,
    Flush,
    Ping,
    Pong,
    SendText,
    Speak,
    Stats,
    StatsGet,
    VoiceSave,
    VoiceSaved,
    VoiceSelected,
    VoiceUse,
)
from voicepeer.core.speaking.pacer import Pacer
from voicepeer.core.speaking.utterance import IDLE_S
from voicepeer.listener import Listener, MadeVoice
from voicepeer.ports import Engine, NobodyObserves, SessionObserver
from voicepeer.rtc import BadDescription
from voicepeer.speech import SpeechQueue
from voicepeer.tracks import MicReader, SpeechTrack
from voicepeer.voices import SessionVoices, VoiceShelf

logger = logging.getLogger(__name__)

ADAPT_EVERY_S = 1.0
"""About as often as receiver reports come."""

ECHO_S = 0.3
"""Our voice comes back through a loudspeaker and the network this long after it was sent."""


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """How patient a session is, in seconds, and how much speech it wants."""

    connect_timeout_s: float = 10.0
    silence_timeout_s: float = 3.0
    """Of a client that used to ping: without any packet or message it has vanished."""
    watch_every_s: float = 0.5
    idle_text_s: float = IDLE_S
    """Without more text for so long, a clause is spoken although it is not complete."""
    enrolment: EnrolmentSettings = EnrolmentSettings()


class Session:
    """Implements ``signaling.sessions.SessionHandle``; needs a running loop.

    ``track`` is the speech that goes out, ``peer`` the connection once there was an offer.
    """

    def __init__(
        self,
        request: SessionRequest,
        engine: Engine,
        shelf: VoiceShelf,
        settings: SessionSettings | None = None,
        observer: SessionObserver | None = None,
    ) -> None:
        rtc.install_patches()
        self.session_id = secrets.token_hex(16)
        self._request = request
        self._engine = engine
        self._settings = settings or SessionSettings()
        self._observer = observer or NobodyObserves()
        self._pacer = Pacer()
        self._control = ControlChannel(self._handle, self._begin_close, self._observer)
        self._speech = SpeechQueue(
            engine,
            self._pacer,
            self._control.send,
            self._observer,
            self._settings.idle_text_s,
        )
        self.track = SpeechTrack(self._pacer, on_events=self._speech.on_played)
        self._mic = MicReader()
        self._voices = SessionVoices(engine, shelf, self.session_id, request.name)
        self._listener = Listener(
            engine,
            self._mic,
            self._control.send,
            self._observer,
            self._hears_us,
            self._on_voice,
            self._settings.enrolment,
        )
        self.peer: RTCPeerConnection | None = None
        self._identity: tuple[frozenset[str], str] = (frozenset(), "")
        self._negotiating = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._client_pings = False
        self._speaks_as_heard = True
        """Whether the voice being learned is the one to speak with, unless another is chosen."""
        self._closing: asyncio.Task[None] | None = None
        self._close_reason: str | None = None
        self._on_closed: list[Callable[[str], None]] = []
        self._observer.session_opened()

    # --- signaling ------------------------------------------------------------------------------

    async def answer(self, offer_sdp: str) -> str:
        """Answer an offer; a later one of the same connection renegotiates.

        Raises:
            SessionRefused: malformed, without audio, Opus or a data channel, or from another
                connection than the first offer (then a new session is needed).
        """
        async with self._negotiating:
            if self._closing:
                raise SessionRefused("closed", "this session has ended: join again")
            try:
                _check_offer(offer_sdp)
                if self.peer is None:
                    return await self._first_answer(offer_sdp)
                self._check_same_peer(offer_sdp)
                await rtc.apply_offer(self.peer, offer_sdp)
                return await self._make_answer(self.peer)
            except BadDescription as error:
                raise SessionRefused("bad_sdp", str(error)) from error

    async def _first_answer(self, offer_sdp: str) -> str:
        peer = rtc.new_peer(self._request.ice_servers)
        sender = peer.addTrack(self.track)
        rtc.prefer_opus(peer)
        try:
            await rtc.apply_offer(peer, offer_sdp)
            self._mic.attach(peer.getTransceivers()[0].receiver)
            peer.on("datachannel", self._control.adopt)
            peer.on("connectionstatechange", self._on_connection_state)
            answer = await self._make_answer(peer)
        except BaseException:
            await rtc.close_peer(peer)
            raise
        self.peer = peer
        self._identity = _identity(offer_sdp)
        self._start(self._speech.run(), "speech")
        self._start(self._listener.run(), "listener")
        self._start(self._control.run(), "messages")
        self._start(self._watch(), "watchdog")
        self._start(self._follow_network(sender), "adaptation")
        return answer

    async def _make_answer(self, peer: RTCPeerConnection) -> str:
        # We use one audio section; aiortc would buffer what comes in any other without limit.
        for transceiver in peer.getTransceivers()[1:]:
            transceiver.direction = "inactive"
        return await rtc.make_answer(peer)

    def _check_same_peer(self, offer_sdp: str) -> None:
        if _identity(offer_sdp) != self._identity:
            raise SessionRefused(
                "new_connection",
                "this offer is of another connection or restarts ICE, which is not supported: "
                "join again for a new session",
            )

    async def add_candidate(
        self, candidate: str | None, sdp_mid: str | None, sdp_mline_index: int | None
    ) -> None:
        """Add a trickled candidate; ``None`` ends them.

        Raises:
            SessionRefused: malformed, or no offer came before it.
        """
        async with self._negotiating:
            if self._closing:
                return
            if self.peer is None:
                raise SessionRefused("no_offer", "send the offer before its candidates")
            try:
                await rtc.add_candidate(self.peer, candidate, sdp_mid, sdp_mline_index)
            except BadDescription as error:
                raise SessionRefused("bad_candidate", str(error)) from error

    # --- life -----------------------------------------------------------------------------------

    def on_closed(self, callback: Callable[[str], None]) -> None:
        """Call back once, with the reason, when the session has ended; at once if it has."""
        if self._close_reason is not None:
            callback(self._close_reason)
        else:
            self._on_closed.append(callback)

    async def close(self, reason: str) -> None:
        """End the session and free everything; harmless when it has ended already."""
        self._begin_close(reason)
        if self._closing is not None:
            await asyncio.shield(self._closing)

    def _begin_close(self, reason: str) -> None:
        if self._closing is None:
            self._closing = asyncio.create_task(self._close(reason), name="session close")

    async def _close(self, reason: str) -> None:
        self._control.close()
        self._speech.close()
        self._listener.stop()
        self._mic.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        async with self._negotiating:
            if self.peer is not None:
                await rtc.close_peer(self.peer)
        self.track.stop()
        self._close_reason = reason
        heard = self._mic.counters
        self._observer.mic_frames_lost(heard.recovered + heard.concealed)
        self._observer.session_closed(reason)
        logger.info("session %s closed: %s", self.session_id, reason)
        for callback in self._on_closed:
            callback(reason)
        self._on_closed.clear()

    def _start(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(self._supervise(work, name), name=f"session {name}")
        self._tasks.add(task)

    async def _supervise(self, work: Coroutine[Any, Any, None], name: str) -> None:
        try:
            await work
        except Exception:  # the edge of a task: the session cannot go on without it
            logger.exception("session %s: its %s failed", self.session_id, name)
            self._begin_close("internal")

    async def _watch(self) -> None:
        """Notice a client that never connects or silently vanishes."""
        opened_s = time.monotonic()
        while True:
            await asyncio.sleep(self._settings.watch_every_s)
            assert self.peer is not None
            if self.peer.connectionState != "connected":
                if time.monotonic() - opened_s > self._settings.connect_timeout_s:
                    self._begin_close("connect_timeout")
            elif self._client_pings and self._silent_for_s() > self._settings.silence_timeout_s:
                self._begin_close("client_vanished")

    async def _follow_network(self, sender: RTCRtpSender) -> None:
        """Set bitrate and FEC by what the other side says it lost."""
        follower, current = LossFollower(), Encoding()
        while True:
            await asyncio.sleep(ADAPT_EVERY_S)
            lost = await rtc.fraction_lost(sender)
            wanted = current if lost is None else follower.push(lost)
            if wanted != current:
                self.track.encoder.set_bitrate(wanted.bitrate_bps)
                self.track.encoder.set_expected_loss(wanted.expected_loss_percent)
                current = wanted

    def _silent_for_s(self) -> float:
        last_s = max(self._control.last_message_s, self._mic.last_packet_s or 0.0)
        return time.monotonic() - last_s

    def _on_connection_state(self) -> None:
        if self.peer and self.peer.connectionState in ("failed", "closed"):
            self._begin_close("connection_lost")

    # --- messages -------------------------------------------------------------------------------

    async def _handle(self, message: ClientMessage) -> None:
        match message:
            case ClientReady():
                self._control.send(self._introduction())
            case SendText():
                self._speech.send_text(message)
            case Speak():
                self._speech.speak(message)
            case Append():
                self._speech.append(message)
            case Flush():
                self._speech.flush(message)
            case End():
                self._speech.end(message)
            case Cancel():
                self._speech.cancel(message)
            case EnrolStart():
                self._listener.start(self._voices.begin(message.consent, message.name))
                self._speaks_as_heard = True
            case EnrolStop():
                self._listener.stop()
            case VoiceUse(voice_id=voice_id):
                self._speech.voice, name = await self._voices.find(voice_id)
                self._speaks_as_heard = False
                self._control.send(VoiceSelected(voice_id=voice_id, name=name))
            case VoiceSave(name=name):
                voice_id = await self._voices.save(name)
                self._control.send(VoiceSaved(voice_id=voice_id, name=name))
            case StatsGet():
                self._control.send(self._stats())
            case Ping(sent_ms=sent_ms):
                self._client_pings = True
                self._control.send(Pong(sent_ms=sent_ms))
            case _:
                assert_never(message)

    def _introduction(self) -> BotReady:
        info = self._engine.info
        return BotReady(
            session_id=self.session_id,
            engine=info.name,
            provider=info.provider,
            precision=info.precision,
            languages=sorted(info.languages),
        )

    def _stats(self) -> Stats:
        paced, heard = self._pacer.counters, self._mic.counters
        return Stats(
            frames_sent=paced.frames,
            underruns=paced.underruns,
            stale_dropped=paced.stale_chunks,
            mic_frames=self._listener.frames,
            mic_frames_lost=heard.recovered + heard.concealed,
            mic_frames_concealed=heard.concealed,
            lead_ms=self._pacer.lead_ms,
            utterances=self._speech.utterances,
        )

    # --- between hearing and speaking -----------------------------------------------------------

    async def _on_voice(self, made: MadeVoice) -> None:
        if self._speaks_as_heard:
            self._speech.voice = made.voice
        try:
            await self._voices.learned(made.voice_id, made.voice, made.embedding, made.quality)
        except VoicePeerError as error:
            logger.warning("session %s: its voice was not kept: %s", self.session_id, error)

    def _hears_us(self) -> bool:
        last_s = self.track.last_speech_s
        return last_s is not None and time.monotonic() - last_s < ECHO_S


def _check_offer(offer_sdp: str) -> None:
    kinds = re.findall(r"^m=(\w+) ", offer_sdp, re.MULTILINE)
    if "audio" not in kinds:
        raise BadDescription("the offer has no audio section: add an audio transceiver")
    if "application" not in kinds:
        raise BadDescription("the offer has no data channel: create one before the offer")
    if "a=fingerprint:" not in offer_sdp:
        raise BadDescription("the offer has no certificate fingerprint (RFC 8827 section 6.5)")


def _identity(offer_sdp: str) -> tuple[frozenset[str], str]:
    """What stays the same in all offers of one connection: certificate and first ICE user name.

    Sections that were not yet bundled may have user names of their own.
    """
    prints = re.findall(r"^a=fingerprint:(.*)$", offer_sdp, re.MULTILINE)
    users = re.findall(r"^a=ice-ufrag:(.*)$", offer_sdp, re.MULTILINE)
    return frozenset(line.strip().lower() for line in prints), users[0].strip() if users else ""
