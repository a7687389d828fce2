"""What each kind of user does in one round; the user itself is in ``user``."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Mapping
from types import MappingProxyType
from typing import Final

from loadtests import texts
from loadtests.stamped import packets_for
from loadtests.user import CONSENT, SILENT_S, LoadUser, Round, ended
from loadtests.voices import Uploader, http
from loadtests.wire import Kind
from voicepeer.benches.network import Impairment
from voicepeer.client import RequestFailed
from voicepeer.core.messages import Cancelled, ServerMessage, Speak, Started

USUAL_S: Final = 4.0
"""That a turn of a conversation lasts."""

BURST: Final = 5
"""Texts at once."""

BURST_EVERY_S: Final = 5.0
STORM_EVERY_S: Final = (0.3, 2.0)
"""After how long of a text it is interrupted, at random between these."""

STORM_INTERRUPTIONS: Final = 4
VOICES_HEARD: Final = 2
RECONNECT_AFTER_S: Final = (0.5, 3.0)
LOSS: Final = Impairment(loss=0.05, jitter_ms=20.0, reorder=0.01)
"""Of a user's own packets; of what comes to it as much is lost, evenly."""

ANSWER_S: Final = 10.0


async def talk(user: LoadUser) -> None:
    """Be spoken to for the share of the time that is wanted; at first not all at once."""
    if not user.has_begun:
        user.has_begun = True
        place = user.chance.uniform(0.0, 1.0)
        await user.rest(lambda: place * USUAL_S / user.share)
    said_s = await user.say(texts.turn(user.chance))
    stretch = user.chance.uniform(0.5, 1.5)
    await user.rest(lambda: (said_s * (1.0 - user.share) / user.share - SILENT_S) * stretch)


async def burst(user: LoadUser) -> None:
    """Send several texts at once, then wait until all were said."""
    first, *others = (texts.turn(user.chance) for _ in range(BURST))
    messages = [Speak(utterance_id=secrets.token_hex(8), text=text) for text in others]
    await user.until_silent()
    began_s = time.monotonic()
    saying: list[asyncio.Task[object]] = [asyncio.create_task(user.say_now(first))]
    await asyncio.sleep(0)  # it sends the first
    saying += [asyncio.create_task(user.until_over(message)) for message in messages]
    try:
        await asyncio.gather(*saying)
    finally:
        for task in saying:
            task.cancel()
        await asyncio.gather(*saying, return_exceptions=True)
    user.timed("burst", began_s)
    await asyncio.sleep(BURST_EVERY_S * user.chance.uniform(0.5, 1.5))


async def storm(user: LoadUser) -> None:
    """Interrupt long texts again and again, by another text or by silence."""
    for index in range(STORM_INTERRUPTIONS):
        await _interrupted(user, by_text=index % 2 == 1)
    await user.say(texts.turn(user.chance))


async def _interrupted(user: LoadUser, *, by_text: bool) -> None:
    """One long text, and what ends it; how long the service took over it is told."""
    call, chance = user.client.call, user.chance
    long = Speak(utterance_id=secrets.token_hex(8), text=texts.long_text(chance))
    with call.listening() as messages:
        call.send(long)
        await _until(messages, Started, long.utterance_id)
        await asyncio.sleep(chance.uniform(*STORM_EVERY_S))
        began_s = time.monotonic()
        if by_text:
            user.client.speak(texts.turn(chance), interrupt=True)
        else:
            user.client.cancel()
        await _until(messages, Cancelled, long.utterance_id)
        user.timed("interrupted", began_s)
    user.client.cancel()
    await asyncio.sleep(SILENT_S)


async def _until(
    messages: AsyncIterator[ServerMessage], kind: type[Started | Cancelled], utterance_id: str
) -> None:
    """Wait for what becomes of an utterance.

    Raises:
        RequestFailed: it ended in another way.
        TimeoutError: nothing came.
    """
    async with asyncio.timeout(ANSWER_S):
        async for message in messages:
            mine = getattr(message, "utterance_id", None) == utterance_id
            if mine and isinstance(message, kind):
                return
            if ended(message, utterance_id) is not None:
                raise RequestFailed("not_interrupted", "it was said to its end")


async def room(user: LoadUser) -> None:
    """Be in a room with others: each lets the others hear what is said to it."""
    if user.client.ears is None:
        await _join(user)
    await talk(user)
    if user.client.ears is not None:
        for recorder in user.client.ears.recorders.values():
            recorder.forget(time.monotonic())


async def _join(user: LoadUser) -> None:
    began_s = time.monotonic()
    # When packets of others come depends on their clients, too, so that is not looked at.
    with packets_for(None):
        await user.client.join_room("voice", voices=VOICES_HEARD)
    user.timed("room_joined", began_s)
    assert user.client.ears is not None
    for recorder in user.client.ears.recorders.values():
        recorder.receiver.wanted = lambda: False


async def upload(user: LoadUser) -> None:
    """Clone a file over HTTP, speak with that voice, and withdraw the consent."""
    wav = await asyncio.to_thread(user.voice.file.read_bytes)
    async with http(user.token) as session:
        uploader = Uploader(session, user.url)
        began_s = time.monotonic()
        consent, voice = await uploader.clone(user.plan.name, CONSENT, wav)
        user.timed("voice_uploaded", began_s)
        try:
            await user.client.use_voice(voice)
            await talk(user)
        finally:
            # Also where the call is over: what was put on record is of no use to anybody.
            try:
                await user.client.use_voice(await user.a_stock_voice())
            finally:
                await uploader.withdraw(consent)


async def reconnect(user: LoadUser) -> None:
    """Lose the connection in the middle of a text, and go on with it over a new one."""
    client = user.client
    utterance_id = client.speak(texts.long_text(user.chance))
    await asyncio.sleep(user.chance.uniform(*RECONNECT_AFTER_S))
    began_s = time.monotonic()
    going_on = await client.reconnect()
    user.timed("reconnected", began_s)
    user.attune()
    if utterance_id not in going_on:
        user.trouble("not_resumed")
    client.cancel()
    await asyncio.sleep(SILENT_S)
    await talk(user)


async def lossy(user: LoadUser) -> None:
    """Talk over a link that loses, delays and reorders packets; both ways."""
    network = user.network()
    network.impairment = LOSS
    user.lose(LOSS.loss)
    try:
        await talk(user)
    finally:
        network.impairment = Impairment()
        network.departures.clear()
        user.lose(0.0)


async def mix(user: LoadUser) -> None:
    """Any of the others, and nothing of it is left for the next round."""
    user.kind = user.chance.choice(MIXED)
    await ROUNDS[user.kind](user)
    if user.client.ears is not None:
        await user.client.leave_room()


MIXED: Final[tuple[Kind, ...]] = (
    *("talk", "talk", "talk", "burst", "storm", "room", "upload", "reconnect", "lossy"),
)
"""Mostly users are just spoken to."""

ROUNDS: Final[Mapping[Kind, Round]] = MappingProxyType(
    {
        "talk": talk,
        "burst": burst,
        "storm": storm,
        "room": room,
        "upload": upload,
        "reconnect": reconnect,
        "lossy": lossy,
        "mix": mix,
    }
)
