"""One user of the service: calls, gets a voice, and is spoken to as its kind of user is.

Everything goes over the public wire, by the client that bots use. What a kind of user does in one
round is in ``scenarios``; here is what all of them need.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import aiohttp

from loadtests.arrivals import Arrivals
from loadtests.stamped import packets_for
from loadtests.voices import stock_voices
from loadtests.wire import Event, Kind, Ready, Said, Timed, Trouble, UserPlan
from voicepeer.benches.network import Network, impair
from voicepeer.call import Call
from voicepeer.client import CallEnded, RequestFailed, SignalingFailed, VoicePeerClient
from voicepeer.core.messages import Cancelled, Done, Failed, ServerMessage, Speak
from voicepeer.core.pcm import Pcm
from voicepeer.core.rtvi import Error
from voicepeer.recorder import AUDIBLE_DBFS

logger = logging.getLogger(__name__)

CONSENT: Final = "This is a synthetic voice that the service itself has made for a load test."

SILENT_S: Final = 0.2
"""The last frames of a text are still to be heard after its end; the next one waits for that."""

SILENT_WITHIN_S: Final = 3.0

POLL_S: Final = 0.05
LAST_HEARD_S: Final = 1.0
HEARD_WITHIN_S: Final = 30.0
DONE_WITHIN_S: Final = 120.0
BACK_OFF_S: Final = 2.0
LEARNED_WITHIN_S: Final = 90.0


@dataclass(frozen=True, slots=True)
class Voice:
    """A recording for the microphone (48 kHz mono), and the file that it is from."""

    file: Path
    pcm: Pcm


Round = Callable[["LoadUser"], Awaitable[None]]


class NeverHeard(Exception):
    """A text was said to its end, and nothing audible came."""

    code = "never_heard"


class LoadUser:
    """A user of the service at ``url``, until ``run`` is cancelled.

    Args:
        plan: which user.
        round_of: what it does, again and again.
        voices: recordings that it may let the service learn from.
        tell: gets everything that happened.
        arrivals: gets the packets of its calls.
    """

    def __init__(
        self,
        plan: UserPlan,
        round_of: Round,
        url: str,
        token: str | None,
        voices: Sequence[Voice],
        tell: Callable[[Event], None],
        arrivals: Arrivals,
    ) -> None:
        self.plan = plan
        self.url, self.token = url, token
        self.chance = random.Random(plan.seed)
        self.voice = self.chance.choice(voices)
        self._share = 0.25
        self._share_changed = asyncio.Event()
        self.kind: Kind = plan.kind
        """What it does now."""
        self.has_begun = False
        self._round = round_of
        self._tell = tell
        self._arrivals = arrivals
        self._client: VoicePeerClient | None = None
        self._hearing = 0
        self._network: tuple[Call, Network] | None = None

    @property
    def client(self) -> VoicePeerClient:
        """Its call; there is one during a round."""
        assert self._client is not None
        return self._client

    @property
    def share(self) -> float:
        """Of the time that it is spoken to."""
        return self._share

    @share.setter
    def share(self, share: float) -> None:
        self._share = share
        self._share_changed.set()

    async def rest(self, pause_s: Callable[[], float]) -> None:
        """Wait for as long as ``pause_s`` says, and ask again once the share is another one."""
        began_s = time.monotonic()
        while (left_s := pause_s() - (time.monotonic() - began_s)) > 0:
            self._share_changed.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left_s):
                    await self._share_changed.wait()

    async def run(self) -> None:
        """Call, and call again after whatever went wrong, until cancelled."""
        while True:
            try:
                await self._call()
            except (RequestFailed, SignalingFailed, NeverHeard) as error:
                self.trouble(error.code)
            except CallEnded:
                self.trouble("call_ended")
            except TimeoutError:
                self.trouble("timeout")
            except (OSError, aiohttp.ClientError) as error:
                logger.info("a user's call failed: %s", error)
                self.trouble("unreachable")
            await asyncio.sleep(BACK_OFF_S)

    async def _call(self) -> None:
        client = VoicePeerClient(
            self.url, self.voice.pcm, room=self.plan.room, name=self.plan.name, token=self.token
        )
        with packets_for(self._arrivals):
            async with client:
                self._client = client
                self.attune()
                await self._get_voice(client)
                self._tell(Ready(self.plan.name, time.monotonic()))
                while True:
                    await self._round_or_trouble()

    async def _round_or_trouble(self) -> None:
        """One round; the call goes on if the service refuses what is asked for, as people's do."""
        try:
            await self._round(self)
        except RequestFailed as error:
            self.trouble(error.code)
            await asyncio.sleep(BACK_OFF_S)

    def attune(self) -> None:
        """Decode only while somebody waits for a sound; done anew for each connection."""
        self.client.call.recorder.receiver.wanted = lambda: self._hearing > 0

    async def _get_voice(self, client: VoicePeerClient) -> None:
        if not self.plan.learns:
            await client.use_voice(await self.a_stock_voice())
            return
        began_s = time.monotonic()
        await client.enrol(CONSENT, self.plan.name, timeout_s=LEARNED_WITHIN_S)
        self.timed("voice_ready", began_s)

    def network(self) -> Network:
        """What its own packets pass through from now on, a good network at first."""
        call = self.client.call
        if self._network is None or self._network[0] is not call:
            self._network = call, impair(call.peer, seed=self.plan.seed)
        return self._network[1]

    def lose(self, share: float) -> None:
        """Lose so much of the media that comes from now on, 0 to 1."""
        self._arrivals.loss = share

    async def a_stock_voice(self) -> str:
        """One of the service's own voices; raises ``RequestFailed`` where it has none."""
        voices = await stock_voices(self.url, self.token)
        if not voices:
            raise RequestFailed("no_stock_voice", "the service has no voice of its own")
        return self.chance.choice(voices)

    # --- what happens is told -------------------------------------------------------------------

    def trouble(self, code: str) -> None:
        """Tell that something went wrong."""
        self._tell(Trouble(self.plan.name, self.kind, time.monotonic(), code))

    def timed(self, what: str, began_s: float) -> None:
        """Tell how long something took that ends now."""
        now = time.monotonic()
        self._tell(Timed(self.plan.name, self.kind, now, what, (now - began_s) * 1000))

    # --- what it does ---------------------------------------------------------------------------

    async def say(self, text: str) -> float:
        """Let a text be said and listen to its end; how long it was, in seconds.

        Raises:
            RequestFailed: refused, failed or cancelled.
            NeverHeard: it was silent.
            CallEnded: the call is over.
        """
        await self.until_silent()
        return await self.say_now(text)

    async def say_now(self, text: str) -> float:
        """The same at once, where nothing else is to be heard."""
        recorder = self.client.call.recorder
        recorder.forget(time.monotonic())
        lost_before, sent_s = recorder.frames_lost, time.monotonic()
        done, heard_s = await self._spoken(text, sent_s)
        if heard_s is None and done.audio_ms > 0:
            raise NeverHeard
        self._tell(
            Said(
                user=self.plan.name,
                kind=self.kind,
                sent_s=sent_s,
                done_s=time.monotonic(),
                first_audible_ms=None if heard_s is None else (heard_s - sent_s) * 1000,
                audio_ms=done.audio_ms,
                rtf=done.rtf,
                underruns=done.underruns,
                frames_lost=recorder.frames_lost - lost_before,
            )
        )
        return done.audio_ms / 1000

    async def until_silent(self) -> None:
        """Wait until nothing is heard of what was said before, nor of how its decoding was left."""
        recorder, until_s = self.client.call.recorder, time.monotonic() + SILENT_WITHIN_S
        self._hearing += 1
        try:
            while (since_s := time.monotonic()) < until_s:
                await asyncio.sleep(SILENT_S)
                if recorder.first_over(AUDIBLE_DBFS, since_s + SILENT_S / 2) is None:
                    return
        finally:
            self._hearing -= 1

    async def _spoken(self, text: str, sent_s: float) -> tuple[Done, float | None]:
        """The end of a text, and when it was first heard."""
        message = Speak(utterance_id=secrets.token_hex(8), text=text)
        hearing = asyncio.create_task(self.first_audible(sent_s), name="first audible")
        try:
            done = await self.until_over(message)
            # What was sent to its end has been heard, but for what is still on its way.
            await asyncio.wait([hearing], timeout=LAST_HEARD_S)
            return done, hearing.result() if hearing.done() else None
        finally:
            hearing.cancel()
            await asyncio.gather(hearing, return_exceptions=True)

    async def until_over(self, message: Speak) -> Done:
        """Send a text; its end.

        Raises:
            RequestFailed: refused, failed or cancelled.
        """
        with self.client.call.listening() as answers:
            self.client.call.send(message)
            async with asyncio.timeout(DONE_WITHIN_S):
                async for answer in answers:
                    if (done := ended(answer, message.utterance_id)) is not None:
                        return done
        raise CallEnded("the call is over")

    async def first_audible(self, since_s: float) -> float | None:
        """When something was first heard after a moment; ``None`` if that takes too long."""
        recorder, since, until_s = self.client.call.recorder, since_s, since_s + HEARD_WITHIN_S
        self._hearing += 1
        try:
            while time.monotonic() < until_s:
                if (found := recorder.first_over(AUDIBLE_DBFS, since)) is not None:
                    return found
                since = max(since, time.monotonic() - 2 * POLL_S)
                await asyncio.sleep(POLL_S)
        finally:
            self._hearing -= 1
        return None


def ended(answer: ServerMessage, utterance_id: str) -> Done | None:
    """The end of an utterance, where a message is that.

    Raises:
        RequestFailed: it is another end than its last word.
    """
    if isinstance(answer, Error) and answer.utterance_id in (None, utterance_id):
        raise RequestFailed(answer.code, answer.error)
    if getattr(answer, "utterance_id", None) != utterance_id:
        return None
    match answer:
        case Failed(code=code, message=reason):
            raise RequestFailed(code, reason)
        case Cancelled():
            raise RequestFailed("cancelled", "the utterance was cancelled")
        case Done():
            return answer
        case _:
            return None
