"""Tells a client how loud both sides are, where it has asked for that."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from voicepeer.core.messages import ServerMessage
from voicepeer.core.meter import Meter
from voicepeer.core.pcm import Pcm16
from voicepeer.core.rtvi import BotAudioLevel, UserAudioLevel

PERIOD_S: Final = 0.15
"""That of Pipecat's servers."""


class AudioLevels:
    """Levels of one session; ``run`` has to run beside it, and costs nothing until turned on."""

    def __init__(self, emit: Callable[[ServerMessage], None]) -> None:
        self._emit = emit
        self._bot, self._user = Meter(), Meter()
        self._wanted = asyncio.Event()

    @property
    def on(self) -> bool:
        """Whether the client is told."""
        return self._wanted.is_set()

    def turn(self, on: bool) -> None:
        """Begin or end to tell."""
        if on:
            self._wanted.set()
        else:
            self._wanted.clear()

    def sent(self, frame: Pcm16) -> None:
        """Take a frame that was sent."""
        if self.on:
            self._bot.push(frame)

    def heard(self, pcm: Pcm16) -> None:
        """Take what came from the microphone."""
        if self.on:
            self._user.push(pcm)

    async def run(self) -> None:
        """Tell until cancelled."""
        while True:
            await self._wanted.wait()
            await asyncio.sleep(PERIOD_S)
            self._emit(BotAudioLevel(value=self._bot.read()))
            self._emit(UserAudioLevel(value=self._user.read()))
