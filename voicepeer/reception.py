"""Does what the messages of a session's client ask for, each by the part that can."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

import msgspec

from voicepeer.audio_levels import AudioLevels
from voicepeer.barge_in import Interrupter
from voicepeer.control import ControlChannel, Reply
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
from voicepeer.core.room_messages import (
    RoomConsentRecording,
    RoomEnd,
    RoomJoin,
    RoomKick,
    RoomLeave,
    RoomMute,
    RoomPublish,
    RoomRecord,
    RoomRecordingWithdrawn,
    RoomWithdrawRecording,
)
from voicepeer.core.rtvi import (
    BotInterrupted,
    BotOutput,
    BotReady,
    ClientReady,
    DisconnectBot,
    SendText,
)
from voicepeer.listener import Listener
from voicepeer.permissions import Permissions
from voicepeer.presence import RoomPresence
from voicepeer.realtime_channel import RealtimeChannel
from voicepeer.resemblance import Resemblance
from voicepeer.speech import SpeechQueue
from voicepeer.spoken_voice import SpokenVoice
from voicepeer.voices import SessionVoices


@dataclass(frozen=True, slots=True)
class Reception:
    """Where the messages of both channels are handled.

    ``introduction`` and ``stats`` say what the session tells of itself, ``go_on`` begins with what
    an earlier session has left, ``ping`` is told of a sign of life, and ``leave`` ends the session.
    """

    permissions: Permissions
    control: ControlChannel
    realtime: RealtimeChannel
    speech: SpeechQueue
    spoken: SpokenVoice
    voices: SessionVoices
    listener: Listener
    interrupter: Interrupter
    levels: AudioLevels
    resemblance: Resemblance
    presence: RoomPresence
    tell: Callable[[ServerMessage], None]
    introduction: Callable[[], BotReady]
    stats: Callable[[], Stats]
    go_on: Callable[[], None]
    ping: Callable[[], None]
    leave: Callable[[str], None]

    async def handle_event(self, message: ClientMessage, reply: Reply) -> None:
        """For clients of OpenAI's Realtime API, which know of no time without a voice."""
        await self.spoken.let_stand_in()
        await self.handle(message, reply)

    async def handle(self, message: ClientMessage, reply: Reply) -> None:
        """Do what a message asks for, if its client may.

        Raises:
            VoicePeerError: it cannot be done; the session goes on.
        """
        await self.permissions.check(message)
        match message:
            case SendText() | Speak() | Append() | Flush() | End() | Cancel():
                await self._speak(message)
            case SetControls():
                self.speech.set_controls(message)
            case SetLexicon():
                self.speech.set_lexicon(message)
            case EnrolStart() | EnrolStop() | VoiceUse() | VoiceMix() | VoiceSave():
                await self._choose(message, reply)
            case RoomJoin() | RoomLeave() | RoomPublish() | RoomMute() | RoomKick() | RoomEnd():
                self.presence.handle(message)
            case RoomRecord() | RoomConsentRecording():
                self.presence.handle(message)
            case RoomWithdrawRecording(recording_id=recording_id):
                await self.presence.withdraw(recording_id)
                reply(RoomRecordingWithdrawn(recording_id=recording_id))
            case ClientReady() | Ping() | StatsGet() | SessionConfigure() | DisconnectBot():
                self._attend(message, reply)
            case _:
                assert_never(message)

    async def _speak(self, message: SendText | Speak | Append | Flush | End | Cancel) -> None:
        match message:
            case SendText():
                self._send_text(message)
            case Speak():
                self.speech.speak(*await self.spoken.cast(message))
            case Append():
                self.speech.append(*await self.spoken.cast(message))
            case Flush():
                self.speech.flush(message)
            case End():
                self.speech.end(message)
            case Cancel():
                self.speech.cancel(message)
            case _:
                assert_never(message)

    def _send_text(self, message: SendText) -> None:
        if not message.is_spoken:
            self.tell(BotOutput(text=message.content, will_be_spoken=False))
            return
        interrupts = message.interrupts and self.speech.speaking
        self.speech.send_text(message)
        if interrupts:
            self.tell(BotInterrupted())

    async def _choose(
        self, message: EnrolStart | EnrolStop | VoiceUse | VoiceMix | VoiceSave, reply: Reply
    ) -> None:
        match message:
            case EnrolStart():
                self.listener.start(await self.spoken.begin(message), message.match_channel)
            case EnrolStop():
                self.listener.stop()
                self.voices.give_up()
            case VoiceUse(voice_id=voice_id):
                self._settle(await self.spoken.use(voice_id), reply)
            case VoiceMix(weights=weights):
                self._settle(await self.spoken.use(mix_id(weights)), reply)
            case VoiceSave(name=name):
                reply(VoiceSaved(voice_id=await self.voices.save(name), name=name))
            case _:
                assert_never(message)

    def _attend(
        self,
        message: ClientReady | Ping | StatsGet | SessionConfigure | DisconnectBot,
        reply: Reply,
    ) -> None:
        match message:
            case ClientReady():
                self.control.introduce(message)
                reply(self.introduction())
                self.go_on()
            case Ping(sent_ms=sent_ms):
                self.ping()
                if self.control.client.small_webrtc:
                    self.go_on()
                reply(Pong(sent_ms=sent_ms))
            case StatsGet():
                reply(self.stats())
            case SessionConfigure():
                self._settle(self._configure(message), reply)
            case DisconnectBot():
                self.leave("client_left")
            case _:
                assert_never(message)

    def _configure(self, message: SessionConfigure) -> SessionConfigured:
        configured = self.interrupter.configure(message)
        if message.audio_levels is not None:
            self.levels.turn(message.audio_levels)
        if message.similarity is not None:
            self.resemblance.on = message.similarity
        return msgspec.structs.replace(
            configured, audio_levels=self.levels.on, similarity=self.resemblance.on
        )

    def _settle(self, answer: ServerMessage, reply: Reply) -> None:
        """Answer with a setting, which those on the other channel see as well."""
        reply(answer)
        self.realtime.send(answer)
