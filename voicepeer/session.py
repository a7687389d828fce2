"""One participant: a peer connection, its two tracks and its data channel, from offer to close.

The session wires and supervises; what is said is decided in ``speech``, what is heard in
``listener``.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import assert_never

import msgspec
from aiortc import RTCDataChannel, RTCPeerConnection, RTCRtpTransceiver

from engines.api import ControlRanges, EngineBusy, EngineError
from signaling.messages import Connection
from signaling.sessions import SessionRefused, SessionRequest
from voicepeer import __version__, rtc
from voicepeer.audio_levels import AudioLevels
from voicepeer.barge_in import Interrupter
from voicepeer.conference import Conferences
from voicepeer.control import ControlChannel, Reply
from voicepeer.core.adaptation import NetworkFollower
from voicepeer.core.errors import VoicePeerError, is_for_clients, told
from voicepeer.core.liveness import LivenessSettings
from voicepeer.core.messages import (
    Append,
    Cancel,
    ClientMessage,
    End,
    EnrolStart,
    EnrolStop,
    Flush,
    Ping,
    Pong,
    ServerMessage,
    SessionConfigure,
    SessionConfigured,
    SessionEnding,
    SetControls,
    SetLexicon,
    Speak,
    Stats,
    StatsGet,
    VoiceMix,
    VoiceSave,
    VoiceSaved,
    VoiceUse,
)
from voicepeer.core.mixture import mix_id
from voicepeer.core.pcm import Pcm16
from voicepeer.core.realtime import CHANNEL_LABEL
from voicepeer.core.realtime_conversation import InEffect
from voicepeer.core.resumption import TOKEN_BYTES, Resumptions
from voicepeer.core.room_messages import (
    RoomEnd,
    RoomJoin,
    RoomKick,
    RoomLeave,
    RoomMute,
    RoomPublish,
)
from voicepeer.core.rtvi import (
    BotInterrupted,
    BotOutput,
    BotReady,
    ClientReady,
    DisconnectBot,
    SendText,
)
from voicepeer.core.speaking.emotion import RECIPES
from voicepeer.core.speaking.pacer import Pacer
from voicepeer.jitter import Block
from voicepeer.listener import Listener
from voicepeer.negotiation import Negotiation
from voicepeer.permissions import Permissions
from voicepeer.ports import Engine, NobodyObserves, SessionObserver
from voicepeer.presence import RoomPresence
from voicepeer.realtime_channel import RealtimeChannel
from voicepeer.resemblance import Resemblance
from voicepeer.revocations import Revocations
from voicepeer.room_voices import RoomVoices
from voicepeer.session_state import RESUMABLE, SessionSettings, SessionState, is_said_in
from voicepeer.speech import Rest, SpeechQueue
from voicepeer.spoken_voice import SpokenVoice
from voicepeer.tasks import Tasks
from voicepeer.tracks import MicReader, SpeechTrack
from voicepeer.voices import SessionVoices, VoiceShelf
from voicepeer.watchdog import WATCH_S, Watchdog

logger = logging.getLogger(__name__)

ADAPT_EVERY_S = 1.0
"""About as often as receiver reports come."""

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
    ) -> None:
        rtc.install_patches()
        self.session_id = secrets.token_hex(16)
        self.resume_token = secrets.token_hex(TOKEN_BYTES)
        self._request = request
        self._permissions = Permissions(request.principal, request.spend)
        self._engine = engine
        self._settings = settings or SessionSettings()
        self._observer = observer or NobodyObserves()
        self._pacer = Pacer()
        self._control = ControlChannel(
            self._handle, self._begin_close, self._observer, engine.info.name
        )
        self._realtime = RealtimeChannel(
            self.session_id, self._handle_event, self._begin_close, self._observer, self._in_effect
        )
        self._speech = SpeechQueue(
            engine,
            self._pacer,
            self._tell,
            self._observer,
            self._settings.idle_text_s,
            self._control.piece,
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
        )
        self.track.on_frame = self._on_sent
        self._mic.on_block = self._on_heard
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
        self._tasks = Tasks(f"session {self.session_id}", lambda: self._begin_close("internal"))
        self._closing: asyncio.Task[None] | None = None
        self._close_reason: str | None = None
        self._on_closed: list[Callable[[str], None]] = []
        self._rest: Rest | None = None
        """Utterances that go on once the client is there to hear them."""
        self._resumptions = resumptions if resumptions is not None else Resumptions()
        self.resumed = False
        self._room = room_voices if room_voices is not None else RoomVoices()
        self._room_key = (request.principal.tenant, request.room)
        self._room.enter(self._room_key, self.track)
        self._heed_no_more = (revocations or Revocations()).listen(self._on_revoked)
        self._observer.session_opened()

    @property
    def peer(self) -> RTCPeerConnection | None:
        """The connection, once there was an offer."""
        return self._negotiation.peer

    @property
    def connected(self) -> bool:
        """Whether the connection stands."""
        return self.peer is not None and self.peer.connectionState == "connected"

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
            self._give_back()
            raise
        if self._closing is None:
            self._watchdog = self._begin()
        if self.resumed:
            self._resumptions.drop(self._request.resume_token)
        return answer

    def _begin(self) -> Watchdog:
        limits = LivenessSettings(
            self._settings.connect_timeout_s, self._settings.silence_timeout_s
        )
        watchdog = Watchdog(limits, lambda: self.connected, self._signs, self._begin_close)
        self._tasks.start(watchdog.run(), "watchdog")
        self._tasks.start(self._speech.run(), "speech")
        self._tasks.start(self._listener.run(), "listener")
        self._tasks.start(self._control.run(), "messages")
        self._tasks.start(self._realtime.run(), "events")
        self._tasks.start(self._levels.run(), "levels")
        self._tasks.start(self._resemblance.run(), "resemblance")
        self._tasks.start(self._follow_network(), "adaptation")
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
                await self._handle(message, self._tell)
        except VoicePeerError as error:
            code = error.code if is_for_clients(error) else "internal"
            raise SessionRefused(code, told(error)) from error
        except EngineError as error:
            code = "at_capacity" if isinstance(error, EngineBusy) else "engine_failed"
            raise SessionRefused(code, told(error)) from error

    def _on_peer(self, peer: RTCPeerConnection) -> None:
        peer.on("datachannel", self._adopt)
        peer.on("connectionstatechange", self._on_connection_state)

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
        ours = self._realtime if channel.label == CHANNEL_LABEL else self._control
        ours.adopt(channel)

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
        if self._close_reason is not None:
            callback(self._close_reason)
        else:
            self._on_closed.append(callback)

    async def drain(self, within_s: float) -> None:
        """Say that the end is near, and wait for what is being said; new text is refused."""
        self._tell(SessionEnding(reason="shutting_down", within_s=within_s))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._speech.finish()

    async def close(self, reason: str) -> None:
        """End the session and free everything; harmless when it has ended already."""
        self._begin_close(reason)
        if self._closing is not None:
            await asyncio.shield(self._closing)

    def _begin_close(self, reason: str) -> None:
        if self._closing is None:
            self._closing = asyncio.create_task(self._close(reason), name="session close")

    async def _close(self, reason: str) -> None:
        self._keep_state(reason)
        self._heed_no_more()
        self._control.close(for_good=reason not in RESUMABLE)
        self._realtime.close()
        self._speech.close()
        self._listener.stop()
        self._mic.close()
        await self._tasks.cancel()
        await self._presence.close()
        await self._negotiation.close()
        self._room.leave(self._room_key, self.track)
        self.track.stop()
        self._close_reason = reason
        heard = self._mic.counters
        self._observer.mic_frames_lost(heard.recovered + heard.concealed)
        paced = self._pacer.counters
        self._observer.speech_damaged(
            paced.skipped_frames, self.track.encoder_faults, paced.repaired_chunks
        )
        self._observer.session_closed(reason)
        logger.info("session %s closed: %s", self.session_id, reason)
        for callback in self._on_closed:
            callback(reason)
        self._on_closed.clear()

    def _signs(self) -> Iterator[float]:
        """When the client last gave a sign of life, by each way that it has."""
        yield self._control.last_message_s
        yield self._realtime.last_message_s
        if self._mic.last_packet_s is not None:
            yield self._mic.last_packet_s

    async def _follow_network(self) -> None:
        """Set bitrate and FEC by what the other side says of our packets."""
        follower = NetworkFollower()
        while True:
            await asyncio.sleep(ADAPT_EVERY_S)
            audio = self._negotiation.audio
            report = None if audio is None else await rtc.receiver_report(audio.sender)
            if report is not None:
                loss = max(report.fraction_lost, self._presence.loss)
                self.track.encode_as(follower.push(replace(report, fraction_lost=loss)))

    def _on_connection_state(self) -> None:
        if self.peer and self.peer.connectionState in ("failed", "closed"):
            self._begin_close("connection_lost")

    # --- messages -------------------------------------------------------------------------------

    def _tell(self, message: ServerMessage) -> None:
        self._control.send(message)
        self._realtime.send(message)
        self._resemblance.told(message)

    def _configure(self, message: SessionConfigure) -> SessionConfigured:
        configured = self._interrupter.configure(message)
        if message.audio_levels is not None:
            self._levels.turn(message.audio_levels)
        if message.similarity is not None:
            self._resemblance.on = message.similarity
        return msgspec.structs.replace(
            configured, audio_levels=self._levels.on, similarity=self._resemblance.on
        )

    def _settle(self, answer: ServerMessage, reply: Reply) -> None:
        """Answer with a setting, which those on the other channel see as well."""
        reply(answer)
        self._realtime.send(answer)

    def _in_effect(self) -> InEffect:
        speech = self._speech
        return InEffect(speech.voice_id, speech.speed, self._interrupter.barge_in.on)

    async def _handle_event(self, message: ClientMessage, reply: Reply) -> None:
        """The same for clients of OpenAI's Realtime API, which know of no time without a voice."""
        await self._spoken.let_stand_in()
        await self._handle(message, reply)

    async def _handle(self, message: ClientMessage, reply: Reply) -> None:
        self._permissions.check(message)
        match message:
            case ClientReady():
                self._control.introduce(message)
                reply(self._introduction())
                self._go_on()
            case SendText():
                self._send_text(message)
            case DisconnectBot():
                self._begin_close("client_left")
            case Speak(voice_id=voice_id):
                self._speech.speak(message, await self._spoken.find(voice_id))
            case Append(voice_id=voice_id):
                self._speech.append(message, await self._spoken.find(voice_id))
            case SetControls():
                self._speech.set_controls(message)
            case SetLexicon():
                self._speech.set_lexicon(message)
            case Flush():
                self._speech.flush(message)
            case End():
                self._speech.end(message)
            case Cancel():
                self._speech.cancel(message)
            case EnrolStart():
                self._listener.start(await self._spoken.begin(message))
            case EnrolStop():
                self._listener.stop()
            case VoiceUse(voice_id=voice_id):
                self._settle(await self._spoken.use(voice_id), reply)
            case VoiceMix(weights=weights):
                self._settle(await self._spoken.use(mix_id(weights)), reply)
            case VoiceSave(name=name):
                voice_id = await self._voices.save(name)
                reply(VoiceSaved(voice_id=voice_id, name=name))
            case SessionConfigure():
                self._settle(self._configure(message), reply)
            case StatsGet():
                reply(self._stats())
            case RoomJoin() | RoomLeave() | RoomPublish() | RoomMute() | RoomKick() | RoomEnd():
                self._presence.handle(message)
            case Ping(sent_ms=sent_ms):
                if self._watchdog is not None:
                    self._watchdog.ping()
                if self._control.client.small_webrtc:
                    self._go_on()
                reply(Pong(sent_ms=sent_ms))
            case _:
                assert_never(message)

    def _send_text(self, message: SendText) -> None:
        if not message.is_spoken:
            self._tell(BotOutput(text=message.content, will_be_spoken=False))
            return
        interrupts = message.interrupts and self._speech.speaking
        self._speech.send_text(message)
        if interrupts:
            self._tell(BotInterrupted())

    def _introduction(self) -> BotReady:
        info = self._engine.info
        return BotReady(
            session_id=self.session_id,
            engine=info.name,
            provider=info.provider,
            precision=info.precision,
            languages=sorted(info.languages),
            about={"library": "voicepeer", "library_version": __version__},
            resumed=self.resumed,
            utterances=[one.opening.utterance_id for one in self._rest.lines] if self._rest else [],
            controls=_ranges(info.controls),
            emotions=sorted(RECIPES),
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
            chunks_repaired=paced.repaired_chunks,
            frames_skipped=paced.skipped_frames,
            frames_failed=self.track.encoder_faults,
            bitrate_bps=self.track.encoding.bitrate_bps,
            loss_expected_percent=self.track.encoding.expected_loss_percent,
        )

    # --- when the client is lost and comes back -------------------------------------------------

    def _keep_state(self, reason: str) -> None:
        if reason not in RESUMABLE:
            return
        self._keep_as(self.resume_token)

    def _keep_as(self, token: str) -> None:
        last_s = self._watchdog.last_sign_s() if self._watchdog else time.monotonic()
        state = SessionState(
            self._speech.voice,
            self._voices.kept(),
            self._spoken.as_heard,
            self._interrupter.barge_in,
            self._unsaid(last_s),
            self._control.client,
            self._spoken.may_stand_in,
        )
        self._resumptions.keep(token, _scope(self._request), state, time.monotonic())

    def _unsaid(self, as_of_s: float) -> Rest:
        """What was not heard by then, of an earlier session first; as this one speaks by now."""
        rest = self._speech.rest(as_of_s)
        if self._rest is None:
            return rest
        return replace(
            rest,
            lines=(*self._rest.lines, *rest.lines),
            deliveries={**self._rest.deliveries, **rest.deliveries},
        )

    def take_over(self) -> None:
        """Go on where the session of the request's token has ended; what was asked for stays."""
        request = self._request
        state = self._resumptions.take(request.resume_token, _scope(request), time.monotonic())
        if state is None:
            return
        self.resumed = True
        self._spoken.resume(state, keep_voice=request.voice is not None)
        self._speech.recall(state.rest)
        self._interrupter.use(state.barge_in)
        self._rest = state.rest
        self._control.recall(state.client)
        self._observer.session_resumed()

    def _give_back(self) -> None:
        """Nothing came of this offer: with a better one its client goes on from the same place."""
        if self.resumed and self._request.resume_token is not None:
            self._keep_as(self._request.resume_token)

    def _on_revoked(self, voice_id: str) -> None:
        """A voice was deleted: say nothing more in it, nor what waits for the client to be back."""
        if self._rest is not None and is_said_in(self._rest, voice_id):
            self._rest = None
        self._spoken.forget(voice_id)

    def _go_on(self) -> None:
        rest, self._rest = self._rest, None
        if rest is not None:
            self._speech.resume(rest)

    # --- between hearing and speaking -----------------------------------------------------------

    def _on_sent(self, frame: Pcm16) -> None:
        self._listener.sent(frame)
        self._levels.sent(frame)
        self._presence.sent(frame)
        self._resemblance.sent(frame)

    def _on_heard(self, block: Block) -> None:
        self._levels.heard(block.pcm)
        self._presence.heard(block.pcm)

    def _hears_us(self) -> bool:
        last_s = self.track.last_speech_s
        return last_s is not None and time.monotonic() - last_s < ECHO_S


def _ranges(controls: ControlRanges) -> dict[str, list[float]]:
    """Those controls of an engine that a client can set."""
    known = ("speed", "pitch_semitones", "energy", "pauses")
    ranges = {name: getattr(controls, name) for name in known}
    return {name: [*limits] for name, limits in ranges.items() if limits is not None}


def _scope(request: SessionRequest) -> str:
    """Where alone a lost session may be taken up again: with the same owner, in the same room."""
    return f"{request.principal.owner} {request.room}"
