"""A client for bots: connect, enrol, say, in five lines.

async with VoicePeerClient("http://localhost:8080", mic="me.wav") as client:
    await client.enrol(consent="I am the speaker and agree to be cloned.")
    said = await client.say("Hello there.")
print(said.first_audible_ms, said.pcm.size)
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, TypeVar, cast

import msgspec
import numpy as np

from signaling.messages import Join, Joined
from voicepeer.audio import read_reference
from voicepeer.call import Call, CallEnded, RequestFailed
from voicepeer.core.messages import (
    AnswerT,
    Append,
    Cancel,
    Cancelled,
    ClientMessage,
    Done,
    End,
    EnrolStart,
    Failed,
    Flush,
    ServerMessage,
    SessionConfigure,
    SessionConfigured,
    SetControls,
    Speak,
    Stats,
    StatsGet,
    VoiceReady,
    VoiceRejected,
    VoiceSave,
    VoiceSaved,
    VoiceSelected,
    VoiceUsable,
    VoiceUse,
    Word,
)
from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm
from voicepeer.core.room_messages import (
    RoomConsentRecording,
    RoomJoin,
    RoomJoined,
    RoomLeave,
    RoomLeft,
    RoomRecord,
    RoomRecording,
    RoomRecordingWithdrawn,
    RoomWithdrawRecording,
)
from voicepeer.core.rooms.room import Publishing
from voicepeer.core.rtvi import BotReady, Error
from voicepeer.forwarding import MediaPacket
from voicepeer.outlet import ReceivedPacket, received
from voicepeer.recorder import AUDIBLE_DBFS, SOUND_DBFS, trim
from voicepeer.room_ears import RoomEars
from voicepeer.rtc import RtpPacket
from voicepeer.signaling_client import SignalingClient, SignalingFailed

__all__ = [
    "CallEnded",
    "RequestFailed",
    "SaidResult",
    "SessionLost",
    "SignalingFailed",
    "VoicePeerClient",
]


FoundT = TypeVar("FoundT")

TAIL_S = 0.3
"""After ``utterance.done`` the last frames are still on their way and in the jitter buffer."""

ANSWER_TIMEOUT_S = 10.0


class SessionLost(CallEnded):
    """The call is up again, but in a new session: the service has forgotten the old one."""


@dataclass(frozen=True, slots=True)
class SaidResult:
    """An utterance as it was received.

    Times are milliseconds from sending the text until the sound was there to be played, which
    includes a receive buffer of 50 ms: ``first_audio_ms`` to anything above -70 dBFS,
    ``first_audible_ms`` to the first 5 ms above -50 dBFS.
    """

    utterance_id: str
    pcm: Pcm
    """48 kHz mono, from its first to its last audible moment."""
    first_audio_ms: float | None
    first_audible_ms: float | None
    audio_ms: float
    """Length of what was sent, by the service's count."""
    rtf: float | None
    """Time to make the speech by its length."""
    underruns: int
    frames_lost: int
    words: tuple[Word, ...]
    events: tuple[ServerMessage, ...]
    rate_hz: int = WIRE_RATE_HZ


class VoicePeerClient:
    """A call to a VoicePeer service; use it as an async context manager.

    Args:
        url: of the service, such as ``http://localhost:8080``.
        mic: a recording of the speaker for ``enrol`` to play into the microphone, a path or
            48 kHz mono samples; there is silence at all other times.
        token: what the service asks of its clients, if it does.
        relay_only: connect through the service's TURN server and in no other way.

    Raises, on entering:
        SignalingFailed: the service cannot be reached or refuses.
        CallEnded: no media connection came about.
        AudioRejected: ``mic`` cannot be read.
    """

    def __init__(
        self,
        url: str,
        mic: str | Path | Pcm | None = None,
        *,
        room: str = "default",
        name: str = "",
        token: str | None = None,
        relay_only: bool = False,
    ) -> None:
        self.session_id = ""
        self.bye_reason: str | None = None
        """Why the service has ended the session, as one word, if it said goodbye."""
        self._mic = mic
        self._url = url
        self._relay_only = relay_only
        # The random id lets the service know that a second call of ours is to replace the first.
        self._join = Join(room=room, name=name, token=token, client_id=secrets.token_hex(16))
        self._resume_token: str | None = None
        self._signaling = SignalingClient(url, self._on_bye)
        self._call: Call | None = None
        self.ears: RoomEars | None = None
        """What is heard of the others in a room, once ``join_room`` has asked for it."""
        self._unread: tuple[AsyncIterator[ServerMessage], contextlib.ExitStack] | None = None
        """What the service says since it goes on, until somebody listens."""
        self._voices = 0
        """How many others are to be heard at once."""
        self.on_speech: Callable[[MediaPacket], None] | None = None
        """Gets each packet of speech as it comes, also of later connections, to be passed on; must
        not block. While it is set nothing is decoded, so that ``say`` records silence."""
        self._joined: Joined | None = None
        self._speech: Pcm | None = None

    async def __aenter__(self) -> Self:
        try:
            self._speech = await asyncio.to_thread(_speech, self._mic)
            await self._connect(self._join)
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _connect(self, join: Join) -> tuple[Joined, BotReady]:
        self.bye_reason = None
        joined = await self._signaling.join(join)
        self.session_id, self._resume_token = joined.session_id, joined.resume_token
        self._joined = joined
        self._call = call = Call(joined.ice_servers, relay_only=self._relay_only)
        call.recorder.receiver.on_packet = self._pass_on
        call.recorder.receiver.wanted = lambda: self.on_speech is None
        with contextlib.ExitStack() as listening:
            messages = listening.enter_context(call.listening())
            answer = await self._signaling.exchange(await call.offer())
            if self._voices:
                # Before the service goes on, so that nobody waits for it who does not listen.
                await self._listen(self._voices)
            await call.accept(answer)
            async with asyncio.timeout(ANSWER_TIMEOUT_S):
                async for message in messages:
                    if isinstance(message, Error) and message.fatal:
                        raise SignalingFailed(message.code, message.error)
                    if isinstance(message, BotReady):
                        if joined.restored:
                            # What goes on comes right behind it.
                            self._unread = messages, listening.pop_all()
                        return joined, message
        raise CallEnded("the call is over")

    async def reconnect(self) -> list[str]:
        """Go on over a new connection when the old one was lost, or to move to another network.

        The voice, the settings, the place in a room and what was still to be said are kept by the
        service for a minute; gives the ids of the utterances that go on. ``call`` is a new one
        afterwards, and so are ``ears``; whoever listens first is told all since then.

        Raises:
            SignalingFailed: the service cannot be reached or refuses.
            SessionLost: the service does not know the session any more; this is a new one, without
                a voice.
            CallEnded: no connection came about.
        """
        if self._resume_token is None:
            raise CallEnded("not connected: use 'async with'")
        await self.suspend()
        self._signaling = SignalingClient(self._url, self._on_bye)
        join = msgspec.structs.replace(self._join, resume_token=self._resume_token)
        joined, ready = await self._connect(join)
        if not joined.restored:
            self._voices = 0
            await self._close_ears()
            raise SessionLost("the service does not know this session any more: it is a new one")
        return ready.utterances

    async def suspend(self) -> None:
        """End the call but not the session: the service says nothing until ``reconnect``.

        It waits for that as long as for a client that it has lost.
        """
        self._forget_unread()
        await self._close_ears()
        await self.call.close()
        await self._signaling.close(leave=False)

    def _pass_on(self, packet: RtpPacket) -> None:
        if self.on_speech is not None:
            self.on_speech(received(cast(ReceivedPacket, packet)))

    def _forget_unread(self) -> None:
        unread, self._unread = self._unread, None
        if unread is not None:
            unread[1].close()

    async def configure(
        self, *, barge_in: bool | None = None, barge_in_min_ms: float | None = None
    ) -> SessionConfigured:
        """Change settings of the session; whether the user's speech interrupts ours, for one.

        Raises:
            RequestFailed: a value is out of range.
        """
        message = SessionConfigure(barge_in=barge_in, barge_in_min_ms=barge_in_min_ms)
        return await self._ask(message, SessionConfigured)

    async def close(self) -> None:
        """Hang up; harmless when that has happened already."""
        # Leaving comes first: a connection that merely ends may be a client that will be back.
        await self._signaling.close()
        self._forget_unread()
        await self._close_ears()
        if self._call is not None:
            await self._call.close()

    @property
    def call(self) -> Call:
        """The call itself: its messages, microphone and recorder."""
        if self._call is None:
            raise CallEnded("not connected: use 'async with'")
        return self._call

    # --- voices ---------------------------------------------------------------------------------

    async def enrol(
        self,
        consent: str = "",
        name: str | None = None,
        *,
        consent_id: str | None = None,
        until: Literal["usable", "ready"] = "ready",
        timeout_s: float = 60.0,
    ) -> VoiceUsable | VoiceReady:
        """Let the service learn the microphone's speaker, and wait until it has.

        A recording that is too short is played again until then. In place of the statement,
        ``consent_id`` may name a consent that is on record.

        Raises:
            RequestFailed: without consent, or there was nothing to learn from.
            TimeoutError: it took too long.
        """
        wanted = VoiceReady if until == "ready" else VoiceUsable

        def check(message: ServerMessage) -> VoiceUsable | VoiceReady | None:
            if isinstance(message, VoiceRejected):
                raise RequestFailed("voice_rejected", message.message)
            return message if isinstance(message, wanted) else None

        async with contextlib.AsyncExitStack() as stack:
            if self._speech is not None:
                await stack.enter_async_context(self.call.speaking(self._speech))
            asked = EnrolStart(consent=consent, name=name, consent_id=consent_id)
            return await self._follow(asked, check, timeout_s)

    async def use_voice(self, voice_id: str) -> VoiceSelected:
        """Speak with a saved or stock voice from now on; raises RequestFailed if there is none."""
        return await self._ask(VoiceUse(voice_id=voice_id), VoiceSelected)

    async def save_voice(self, name: str) -> VoiceSaved:
        """Keep the learned voice after the call; raises RequestFailed if there is none."""
        return await self._ask(VoiceSave(name=name), VoiceSaved)

    async def stats(self) -> Stats:
        """The session's counters."""
        return await self._ask(StatsGet(), Stats)

    # --- speech ---------------------------------------------------------------------------------

    async def say(
        self,
        text: str,
        *,
        language: str | None = None,
        voice_id: str | None = None,
        speed: float | None = None,
        pitch_semitones: float | None = None,
        energy: float | None = None,
        volume: float | None = None,
        emotion: str | None = None,
        emotion_strength: float | None = None,
        ssml: bool = False,
        interrupt: bool = False,
        timeout_s: float = 120.0,
    ) -> SaidResult:
        """Say a text and record it to its end; what is ``None`` is as ``set_controls`` left it.

        Raises:
            RequestFailed: refused, failed or cancelled.
            TimeoutError: it took too long.
        """
        message = Speak(
            utterance_id=secrets.token_hex(8),
            text=text,
            interrupt=interrupt,
            language=language,
            voice_id=voice_id,
            speed=speed,
            pitch_semitones=pitch_semitones,
            energy=energy,
            volume=volume,
            emotion=emotion,
            emotion_strength=emotion_strength,
            ssml=ssml,
        )
        events: list[ServerMessage] = []
        lost_before, sent_s = self.call.recorder.frames_lost, time.monotonic()
        done = await self._follow(message, _spoken(message.utterance_id, events), timeout_s)
        await asyncio.sleep(TAIL_S)
        return self._result(done, events, sent_s, lost_before)

    def speak(self, text: str, *, interrupt: bool = False, language: str | None = None) -> str:
        """Say a text without waiting; its utterance id, which its events carry.

        What the service refuses of it comes as an event; what is larger than a message may be, or
        no Unicode text, raises ``RequestFailed`` here and in ``append``.
        """
        utterance_id = secrets.token_hex(8)
        self.call.send(
            Speak(utterance_id=utterance_id, text=text, interrupt=interrupt, language=language)
        )
        return utterance_id

    def append(self, utterance_id: str, text: str, *, interrupt: bool = False) -> None:
        """Add text to an utterance; a new id opens one."""
        self.call.send(Append(utterance_id=utterance_id, text=text, interrupt=interrupt))

    def flush(self, utterance_id: str) -> None:
        """Say what was appended without waiting for the clause to end."""
        self.call.send(Flush(utterance_id=utterance_id))

    def end(self, utterance_id: str) -> None:
        """Mark an utterance's text as complete."""
        self.call.send(End(utterance_id=utterance_id))

    def cancel(self, utterance_id: str = "*") -> None:
        """Silence one utterance, or all."""
        self.call.send(Cancel(utterance_id=utterance_id))

    def set_controls(self, controls: SetControls) -> None:
        """Speak differently from now on, one utterance or all."""
        self.call.send(controls)

    async def events(self) -> AsyncIterator[ServerMessage]:
        """Everything the service says from now on; ends with the call."""
        with self.listening() as messages, contextlib.suppress(CallEnded):
            async for message in messages:
                yield message

    @contextlib.contextmanager
    def listening(self) -> Iterator[AsyncIterator[ServerMessage]]:
        """The same for a block, whose iterator raises ``CallEnded`` at the end of the call."""
        unread, self._unread = self._unread, None
        if unread is None:
            with self.call.listening() as messages:
                yield messages
        else:
            with unread[1]:
                yield unread[0]

    # --- rooms ----------------------------------------------------------------------------------

    async def join_room(self, publish: Publishing, *, voices: int = 0) -> RoomJoined:
        """Let the others in the room hear our microphone or what this says, and be told of them.

        With ``voices`` that many of them are heard at once, each by a recorder in ``ears``;
        ``events()`` tells by ``RoomSlots`` who is heard in which, and who comes, speaks and goes.
        ``reconnect`` keeps all that. A second time it changes what the others hear.

        Raises:
            RequestFailed: the token's rights are not enough.
            SignalingFailed: the service refuses the second connection.
            CallEnded: that could not be made.
        """
        if voices:
            await self._listen(voices)
            self._voices = voices
        return await self._follow(RoomJoin(publish=publish), _of(RoomJoined))

    async def leave_room(self) -> RoomLeft:
        """Leave it again; raises RequestFailed by whoever is in none."""
        left = await self._follow(RoomLeave(), _of(RoomLeft))
        self._voices = 0
        await self._close_ears()
        return left

    async def record_room(self, on: bool = True) -> RoomRecording:
        """Have the room recorded, or no more, with the right to manage.

        All in it are asked, and only those are recorded who agree: ``events()`` tells by
        ``RoomRecording`` who that is. Its ``recording_id`` is what ``voicepeer recording`` takes.

        Raises:
            RequestFailed: the right is missing, or the service does not record.
        """
        over = ("off",) if not on else ("asked", "on")
        return await self._follow(RoomRecord(on=on), _recording(lambda told: told.state in over))

    async def agree_to_recording(self, agree: bool = True, *, keep: bool = False) -> RoomRecording:
        """Let the service record us, or no more; then what there is of us is deleted.

        With ``keep`` that may stay.

        Raises:
            RequestFailed: nobody has asked for a recording.
        """
        answer = RoomConsentRecording(agree=agree, keep=keep)
        return await self._follow(answer, _recording(lambda told: told.answer is agree))

    async def withdraw_from_recording(self, recording_id: str) -> None:
        """Have all that a recording has of us deleted, also when it has ended.

        Raises:
            RequestFailed: nothing of us is in it, or it is one of another room and goes on.
        """
        wish = RoomWithdrawRecording(recording_id=recording_id)
        await self._ask(wish, RoomRecordingWithdrawn)

    async def _listen(self, voices: int) -> None:
        if self._joined is None:
            raise CallEnded("not connected: use 'async with'")
        await self._close_ears()
        self.ears = ears = RoomEars(voices, self._joined.ice_servers)
        await ears.accept(await self._signaling.exchange_for_room(await ears.offer()))

    async def _close_ears(self) -> None:
        ears, self.ears = self.ears, None
        if ears is not None:
            await ears.close()

    # --- inside ---------------------------------------------------------------------------------

    async def _ask(self, message: ClientMessage, kind: type[AnswerT]) -> AnswerT:
        """Send a message and wait for its answer."""
        async with asyncio.timeout(ANSWER_TIMEOUT_S):
            return await self.call.ask_for(message, kind)

    async def _follow(
        self,
        message: ClientMessage,
        check: Callable[[ServerMessage], FoundT | None],
        timeout_s: float = ANSWER_TIMEOUT_S,
    ) -> FoundT:
        """Have a message taken and wait for what ``check`` makes of one of the events."""
        with self.call.listening() as events:
            async with asyncio.timeout(timeout_s):
                await self.call.ask(message)
                async for event in events:
                    if (found := check(event)) is not None:
                        return found
        raise CallEnded("the call is over")

    def _result(
        self, done: Done, events: list[ServerMessage], sent_s: float, lost_before: int
    ) -> SaidResult:
        recorder = self.call.recorder

        def since_sent_ms(dbfs: float) -> float | None:
            at_s = recorder.first_over(dbfs, sent_s)
            return None if at_s is None else (at_s - sent_s) * 1000

        return SaidResult(
            utterance_id=done.utterance_id,
            pcm=trim(recorder.pcm(sent_s)),
            first_audio_ms=since_sent_ms(SOUND_DBFS),
            first_audible_ms=since_sent_ms(AUDIBLE_DBFS),
            audio_ms=done.audio_ms,
            rtf=done.rtf,
            underruns=done.underruns,
            frames_lost=recorder.frames_lost - lost_before,
            words=tuple(event for event in events if isinstance(event, Word)),
            events=tuple(events),
        )

    def _on_bye(self, reason: str) -> None:
        self.bye_reason = reason
        if self._call is not None:
            self._call.end(f"the service ended the session: {reason}")


def _of(kind: type[FoundT]) -> Callable[[ServerMessage], FoundT | None]:
    return lambda message: message if isinstance(message, kind) else None


def _recording(
    wanted: Callable[[RoomRecording], bool],
) -> Callable[[ServerMessage], RoomRecording | None]:
    return lambda told: told if isinstance(told, RoomRecording) and wanted(told) else None


def _spoken(
    utterance_id: str, events: list[ServerMessage]
) -> Callable[[ServerMessage], Done | None]:
    """Collects an utterance's events until it is done."""

    def check(message: ServerMessage) -> Done | None:
        if getattr(message, "utterance_id", None) != utterance_id:
            return None
        events.append(message)
        match message:
            case Failed(code=code, message=reason):
                raise RequestFailed(code, reason)
            case Cancelled():
                raise RequestFailed("cancelled", "the utterance was cancelled")
            case Done():
                return message
            case _:
                return None

    return check


def _speech(mic: str | Path | Pcm | None) -> Pcm | None:
    if mic is None or isinstance(mic, np.ndarray):
        return mic
    return read_reference(mic).at(WIRE_RATE_HZ)
