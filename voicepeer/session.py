"""One participant: a peer connection, its two tracks and its data channel, from offer to close.

The session wires and supervises; what is said is decided in ``speech``, what is heard in
``listener``, and which of them does what a client asks for, in ``reception``.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import secrets
import time
from collections.abc import Callable, Iterator

from aiortc import RTCDataChannel, RTCPeerConnection, RTCRtpTransceiver

from engines.api import EngineBusy, EngineError
from signaling.messages import Connection
from signaling.sessions import SessionRefused, SessionRequest
from voicepeer import rtc
from voicepeer.account import figures, introduction
from voicepeer.audio_levels import AudioLevels
from voicepeer.barge_in import Interrupter
from voicepeer.comeback import Comeback
from voicepeer.conference import Conferences
from voicepeer.control import ControlChannel
from voicepeer.core.degradation.ladder import Step
from voicepeer.core.errors import VoicePeerError, is_for_clients, told
from voicepeer.core.liveness import LivenessSettings
from voicepeer.core.messages import (
    Caption,
    ClientMessage,
    EnrolStart,
    ServerMessage,
    ServiceStatus,
    SessionEnding,
    SetControls,
    VoiceUse,
)
from voicepeer.core.pcm import Pcm16
from voicepeer.core.realtime import CHANNEL_LABEL
from voicepeer.core.realtime_conversation import InEffect
from voicepeer.core.resumption import Resumptions
from voicepeer.core.rtvi import (
    BotReady,
)
from voicepeer.core.speaking.pacer import Pacer
from voicepeer.core.speaking.segment import FIRST_MAX_WORDS, SHORT_FIRST_WORDS
from voicepeer.economy import Economy
from voicepeer.ending import Ending
from voicepeer.jitter import Block
from voicepeer.listener import Listener
from voicepeer.negotiation import Negotiation
from voicepeer.network import follow_network
from voicepeer.permissions import Permissions
from voicepeer.ports import Engine, NobodyObserves, SessionObserver
from voicepeer.presence import RoomPresence
from voicepeer.realtime_channel import RealtimeChannel
from voicepeer.reception import Reception
from voicepeer.resemblance import Resemblance
from voicepeer.revocations import Revocations
from voicepeer.room_voices import RoomVoices
from voicepeer.session_state import RESUMABLE, SessionSettings, SessionState
from voicepeer.speech import SpeechQueue
from voicepeer.spoken_voice import SpokenVoice
from voicepeer.tasks import Tasks
from voicepeer.tracks import MicReader, SpeechTrack
from voicepeer.voices import SessionVoices, VoiceShelf
from voicepeer.watchdog import WATCH_S, Watchdog

logger = logging.getLogger(__name__)

ECHO_S = 0.3
"""Our voice comes back through a loudspeaker and the network this long after it was sent."""


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
        resumptions: Resumptions[SessionState] | None = None,
        room_voices: RoomVoices | None = None,
        revocations: Revocations | None = None,
        conferences: Conferences | None = None,
        economy: Economy | None = None,
    ) -> None:
        rtc.install_patches()
        self.session_id = secrets.token_hex(16)
        self._comeback = Comeback(resumptions, request)
        self._ending = Ending(self._close)
        self._request = request
        self._permissions = Permissions(request.principal, request.spend)
        self._engine = engine
        self._settings = settings or SessionSettings()
        self._observer = observer or NobodyObserves()
        self._pacer = Pacer()
        self._control = ControlChannel(
            lambda message, reply: self._reception.handle(message, reply),
            self._ending.begin,
            self._observer,
            engine.info.name,
        )
        self._realtime = RealtimeChannel(
            self.session_id,
            lambda message, reply: self._reception.handle_event(message, reply),
            self._ending.begin,
            self._observer,
            self._in_effect,
        )
        self._speech = SpeechQueue(
            engine,
            self._pacer,
            self._tell,
            self._observer,
            self._settings.idle_text_s,
            self._on_piece,
            self._permissions.pay_for_more,
            self._settings.max_audio_s,
        )
        self.track = SpeechTrack(self._pacer, on_events=self._speech.on_played)
        self._mic = MicReader()
        self._voices = SessionVoices(engine, shelf, self.session_id, request.name)
        self._listener = Listener(
            engine,
            self._mic,
            self._tell,
            self._observer,
            self._hears_us,
            lambda made: self._spoken.learned(made),
            self._settings.enrolment,
            lambda event: self._interrupter.on_user(event),
        )
        self._spoken = SpokenVoice(
            self._voices,
            self._speech,
            self._listener.stop,
            self._tell,
            self._observer,
            self.session_id,
        )
        self._levels = AudioLevels(self._tell)
        self._resemblance = Resemblance(
            engine,
            lambda name: self._voices.learned_from(self._speech.voice_of(name)),
            lambda: self._speech.speaking,
            self._tell,
            self._observer.resembled,
            lambda: random.random() < self._settings.similarity_share,
        )
        self.track.on_frame = self._on_sent
        self._mic.on_block = self._on_heard
        self._mic.decode_while(self._needs_sound)
        self._interrupter = Interrupter(
            self._settings.barge_in,
            self._listener,
            self._speech,
            self._tell,
            self._observer,
        )
        self._negotiation = Negotiation(
            request.ice_servers,
            self.track,
            self._on_peer,
            self._on_audio,
            request.purpose,
            heard=self._permissions.hears,
            on_lost=lambda: self._ending.begin("connection_lost"),
        )
        self._presence = RoomPresence(
            request,
            conferences if conferences is not None else Conferences(),
            self._tell,
            self._mic,
            self.track,
            self._permissions.hears,
        )
        self._watchdog: Watchdog | None = None
        self._tasks = Tasks(f"session {self.session_id}", lambda: self._ending.begin("internal"))
        self._reception = self._receive()
        self._room = room_voices if room_voices is not None else RoomVoices()
        self._room_key = (request.principal.tenant, request.room)
        self._room.enter(self._room_key, self.track, lambda: self._presence.is_withheld)
        self._economy = economy or Economy()
        self._steps_told: tuple[Step, ...] = ()
        self._stop_heeding = (
            (revocations or Revocations()).listen(self._on_revoked),
            self._economy.listen(self._on_economy),
        )
        self._adapt()
        self._observer.session_opened()

    def _receive(self) -> Reception:
        return Reception(
            self._permissions,
            self._control,
            self._realtime,
            self._speech,
            self._spoken,
            self._voices,
            self._listener,
            self._interrupter,
            self._levels,
            self._resemblance,
            self._presence,
            self._tell,
            self._introduction,
            lambda: figures(self._pacer, self._mic, self._listener, self._speech, self.track),
            self._go_on,
            self._on_ping,
            self._ending.begin,
        )

    @property
    def resume_token(self) -> str:
        """What the client shows to go on where this ends."""
        return self._comeback.token

    @property
    def resumed(self) -> bool:
        """Whether this has taken over from an earlier session."""
        return self._comeback.resumed

    @property
    def peer(self) -> RTCPeerConnection | None:
        """The connection, once there was an offer."""
        return self._negotiation.peer

    @property
    def connected(self) -> bool:
        """Whether the connection stands."""
        return self._negotiation.connected

    @property
    def voice_id(self) -> str | None:
        """The voice that it speaks with, if it has one."""
        return self._speech.voice_id

    # --- signaling ------------------------------------------------------------------------------

    async def answer(self, offer_sdp: str, connection: Connection = "call") -> str:
        """Answer an offer; a later one of the same connection renegotiates.

        Raises:
            SessionRefused: see ``Negotiation.answer`` and ``RoomPresence.answer``; or what was
                asked for to begin with, a voice for instance, cannot be had.
        """
        if connection == "room":
            return await self._presence.answer(offer_sdp)
        if self._watchdog is not None:
            return await self._negotiation.answer(offer_sdp)
        try:
            await self._begin_as_asked()
            answer = await self._negotiation.answer(offer_sdp)
        except SessionRefused:
            # With a better offer the client goes on from the same place.
            self._comeback.give_back(self._state())
            raise
        if not self._ending.begun:
            self._watchdog = self._begin()
        self._comeback.done()
        return answer

    def _begin(self) -> Watchdog:
        limits = LivenessSettings(
            self._settings.connect_timeout_s, self._settings.silence_timeout_s
        )
        watchdog = Watchdog(limits, lambda: self.connected, self._signs, self._ending.begin)
        self._tasks.start(watchdog.run(), "watchdog")
        self._tasks.start(self._speech.run(), "speech")
        self._tasks.start(self._listener.run(), "listener")
        self._tasks.start(self._control.run(), "messages")
        self._tasks.start(self._realtime.run(), "events")
        self._tasks.start(self._levels.run(), "levels")
        self._tasks.start(self._resemblance.run(), "resemblance")
        adaptation = follow_network(
            lambda: self._negotiation.audio,
            self.track.encode_as,
            lambda: self._presence.loss,
            self._observer.heard_back,
        )
        self._tasks.start(adaptation, "adaptation")
        self._tasks.start(self._presence.run(), "room")
        if self._request.purpose == "call":
            self._tasks.start(self._play_unheard(), "silent playing")
        return watchdog

    async def _begin_as_asked(self) -> None:
        """What could be asked for before there is a data channel."""
        if self._request.stands_in:
            await self._spoken.let_stand_in()
        asked: list[ClientMessage] = []
        voice = self._request.voice or (None if self.resumed else self._request.first_voice)
        if voice is not None:
            asked.append(VoiceUse(voice_id=voice))
        if self._request.speed is not None:
            asked.append(SetControls(speed=self._request.speed))
        statement, consent_id = self._request.consent, self._request.consent_id
        if statement is not None or consent_id is not None:
            name = self._request.name or None
            asked.append(EnrolStart(consent=statement or "", name=name, consent_id=consent_id))
        try:
            for message in asked:
                await self._reception.handle(message, self._tell)
        except VoicePeerError as error:
            code = error.code if is_for_clients(error) else "internal"
            raise SessionRefused(code, told(error)) from error
        except EngineError as error:
            code = "at_capacity" if isinstance(error, EngineBusy) else "engine_failed"
            raise SessionRefused(code, told(error)) from error

    def _on_peer(self, peer: RTCPeerConnection) -> None:
        peer.on("datachannel", self._adopt)

    def _on_audio(self, audio: RTCRtpTransceiver) -> None:
        self._mic.attach(audio.receiver)
        self._presence.attach(audio.receiver)

    async def _play_unheard(self) -> None:
        """While the client takes no audio from us, play all the same: to the room, or to nobody."""
        while True:
            if self._negotiation.sends:
                await asyncio.sleep(WATCH_S)
            else:
                await self.track.recv()

    def _adopt(self, channel: RTCDataChannel) -> None:
        if channel.label != CHANNEL_LABEL:
            self._control.adopt(channel)
            return
        self._realtime.adopt(channel)
        if not self._control.client.introduced:
            # Nobody on the other channel will say when to go on.
            self._go_on()

    async def add_candidate(
        self,
        candidate: str | None,
        sdp_mid: str | None,
        sdp_mline_index: int | None,
        connection: Connection = "call",
    ) -> None:
        """Add a trickled candidate; ``None`` ends them.

        Raises:
            SessionRefused: see ``Negotiation.add_candidate``.
        """
        if connection == "room":
            await self._presence.add_candidate(candidate, sdp_mid, sdp_mline_index)
            return
        await self._negotiation.add_candidate(candidate, sdp_mid, sdp_mline_index)

    # --- life -----------------------------------------------------------------------------------

    def on_closed(self, callback: Callable[[str], None]) -> None:
        """Call back once, with the reason, when the session has ended; at once if it has."""
        self._ending.on_reached(callback)

    async def drain(self, within_s: float) -> None:
        """Say that the end is near, and wait for what is being said; new text is refused."""
        self._tell(SessionEnding(reason="shutting_down", within_s=within_s))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._speech.finish()

    async def close(self, reason: str) -> None:
        """End the session and free everything; harmless when it has ended already."""
        await self._ending.reach(reason)

    async def _close(self, reason: str) -> None:
        if reason in RESUMABLE:
            self._comeback.keep(self._state())
        for heed_no_more in self._stop_heeding:
            heed_no_more()
        self._control.close(for_good=reason not in RESUMABLE)
        self._realtime.close()
        self._speech.close()
        self._listener.stop()
        self._mic.close()
        await self._tasks.cancel()
        await self._presence.close(self._comeback.ttl_s if reason in RESUMABLE else 0.0)
        await self._negotiation.close()
        self._room.leave(self._room_key, self.track)
        self.track.stop()
        heard = self._mic.counters
        self._observer.mic_frames_lost(heard.recovered + heard.concealed)
        paced = self._pacer.counters
        self._observer.speech_damaged(
            paced.skipped_frames, self.track.encoder_faults, paced.repaired_chunks
        )
        self._observer.session_closed(reason)
        logger.info("session %s closed: %s", self.session_id, reason)

    def _signs(self) -> Iterator[float]:
        """When the client last gave a sign of life, by each way that it has."""
        yield self._control.last_message_s
        yield self._realtime.last_message_s
        if self._mic.last_packet_s is not None:
            yield self._mic.last_packet_s

    # --- messages -------------------------------------------------------------------------------

    def _tell(self, message: ServerMessage) -> None:
        self._control.send(message)
        self._realtime.send(message)
        self._resemblance.told(message)
        self._presence.told(message)

    def _on_piece(self, piece: Caption) -> None:
        self._control.piece(piece)
        self._presence.piece(piece)

    def _in_effect(self) -> InEffect:
        speech = self._speech
        return InEffect(speech.voice_id, speech.speed, self._interrupter.barge_in.on)

    def _introduction(self) -> BotReady:
        return introduction(
            self.session_id,
            self._engine.info,
            resumed=self.resumed,
            left=self._comeback.left,
        )

    def _on_ping(self) -> None:
        if self._watchdog is not None:
            self._watchdog.ping()

    # --- when the client is lost and comes back -------------------------------------------------

    def _state(self) -> SessionState:
        """What goes over to the next session of the client."""
        last_s = self._watchdog.last_sign_s() if self._watchdog else time.monotonic()
        return SessionState(
            self._speech.voice,
            self._voices.kept(),
            self._spoken.as_heard,
            self._interrupter.barge_in,
            self._comeback.unsaid(self._speech.rest(last_s)),
            self._control.client,
            self._spoken.may_stand_in,
            self._presence.attendance,
        )

    async def take_over(self) -> None:
        """Go on where the session of the request's token has ended; what was asked for stays."""
        state = self._comeback.take()
        if state is None:
            return
        self._spoken.resume(state, keep_voice=self._request.voice is not None)
        self._speech.recall(state.rest)
        self._interrupter.use(state.barge_in)
        self._control.recall(state.client)
        self._presence.recall(state.attendance)
        self._observer.session_resumed()

    def renew(self, expires_at_s: float | None) -> None:
        """The client has shown another token: it may stay in its room until that expires."""
        self._presence.renew(expires_at_s)

    def _on_revoked(self, voice_id: str) -> None:
        """A voice was deleted: say nothing more in it, nor what waits for the client to be back."""
        self._comeback.forget(voice_id)
        self._spoken.forget(voice_id)

    def _on_economy(self) -> None:
        self._adapt()
        self._tell_status()

    def _adapt(self) -> None:
        """Do with less, or as usual again."""
        short, light = "short_first_piece" in self._economy, "light_listening" in self._economy
        self._speech.begin_within(SHORT_FIRST_WORDS if short else FIRST_MAX_WORDS)
        self._listener.spare(light)
        self._resemblance.sparing = light

    def _tell_status(self) -> None:
        steps = self._economy.steps
        if steps != self._steps_told:
            self._steps_told = steps
            self._tell(ServiceStatus(step=len(steps), steps=[*steps]))

    def _go_on(self) -> None:
        self._tell_status()
        self._presence.go_on()
        rest = self._comeback.go_on()
        if rest is not None:
            self._realtime.go_on(rest.lines)
            self._speech.resume(rest)

    # --- between hearing and speaking -----------------------------------------------------------

    def _on_sent(self, frame: Pcm16) -> None:
        self._listener.sent(frame)
        self._levels.sent(frame)
        self._presence.sent(frame)
        self._resemblance.sent(frame)

    def _needs_sound(self) -> bool:
        return self._listener.listens or self._levels.on or self._presence.needs_sound

    def _on_heard(self, block: Block) -> None:
        self._levels.heard(block.pcm)
        self._presence.heard(block.pcm)

    def _hears_us(self) -> bool:
        last_s = self.track.last_speech_s
        return last_s is not None and time.monotonic() - last_s < ECHO_S
