"""Whether real Chromium pages in one room hear each other and a bot without a glitch, and whether
anything is left of those who came and went.

    python -m tests.e2e.rooms_measure --json --seconds 60 --rounds 50

Three pages with a tone for a microphone, and a bot that speaks all the time, are in one room. What
each page plays is recorded in it, and every hole and every jump of a tone's phase counts, as well
as what its browser had lost or made up. Then somebody joins, leaves, is put out and reloads again
and again, and has to be heard, and to hear, after each time. Nothing else should be running; pages,
service and bot share this machine.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import sys
import tempfile
import zlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from playwright.async_api import Browser

from tests.e2e.attendees import ROOM, TONES_HZ, Attendee, attendees, hear_each_other
from tests.e2e.chromium import chromium
from tests.e2e.ears import Heard
from tests.e2e.measure import missed
from tests.e2e.service import PATIENT, serve
from tests.peers import glitches
from tests.peers.leaks import Resources, left_since
from tests.peers.service import LocalService, running
from voicepeer.conference import Conferences
from voicepeer.core.pcm import WIRE_RATE_HZ

BOT: Final = "bot"
BOT_VOICE: Final = "low"
BOT_STEP: Final = 26
"""Of the fake engine's steps above that voice: 500 Hz, which like the tones of the others has whole
periods in a block of the glitch counter."""

LINES_PER_S: Final = 1.0
"""More than are said of texts that take longer."""

TIME_TO_COME_S: Final = 60.0

GOALS: Final[Mapping[str, tuple[str, float]]] = {
    "glitches": ("<=", 0),
    "heard_share": (">=", 0.99),
    "silent": ("<=", 0),
    "left_behind": ("<=", 0),
}
"""On a machine with two cores that has nothing else to do."""

SANE: Final[Mapping[str, tuple[str, float]]] = {
    "lost": ("<=", 0),
    "heard_share": (">=", 0.1),
    "silent": ("<=", 0),
    "left_behind": ("<=", 0),
}
"""What has to hold even on a machine that is busy with other things."""

INBOUND: Final = """(async () => Object.fromEntries(await Promise.all(
    peer.room.view.participants.filter(({ isMe }) => !isMe)
        .map(async ({ name }) => [name, await received(name)]))))()"""

PAGE_NOW: Final = "performance.timeOrigin + performance.now()"


# --- hearing ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stream:
    """What came of one speaker at one listener."""

    lost: int
    """Packets."""
    concealments: int
    """Times that the browser had to make sound up (W3C webrtc-stats)."""
    packets: int
    holes: int = 0
    phase_jumps: int = 0
    heard_share: float = 1.0
    """Of the time, with the tone; of the bot, which has pauses, it is not told."""

    @property
    def glitches(self) -> int:
        """All that an ear might notice."""
        return self.lost + self.concealments + self.holes + self.phase_jumps


def bot_text() -> str:
    """A text that the fake engine says at the wanted step."""
    texts = (" ".join(["Listen"] * (1 + count)) for count in itertools.count())
    return next(text for text in texts if zlib.crc32(text.encode()) % 32 == BOT_STEP)


@asynccontextmanager
async def speaking_bot(url: str, seconds: float) -> AsyncIterator[None]:
    """A bot in the room that has enough to say for so long, and for its way there."""
    lines = f"{bot_text()}\n" * round(LINES_PER_S * (seconds + TIME_TO_COME_S))
    bot = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "voicepeer", "bot", "--url", url, "--room", ROOM, "--name", BOT,
        "--voice", BOT_VOICE, "--stdin",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    assert bot.stdin is not None
    bot.stdin.write(lines.encode())
    try:
        yield
    finally:
        # It waits for more to say.
        if bot.returncode is None:
            bot.terminate()
        await bot.communicate()


def judged(before: Mapping[str, Any], after: Mapping[str, Any]) -> Stream:
    """What the browser's counters say of a stretch of time."""

    def more(name: str) -> int:
        return int(after[name] - before[name])

    audible = more("concealedSamples") > more("silentConcealedSamples")
    concealments = more("concealmentEvents") if audible else 0
    return Stream(more("packetsLost"), concealments, more("packetsReceived"))


def listened(stream: Stream, heard: Heard, hz: float, seconds: float) -> Stream:
    """The same with what is found in the sound of a tone."""
    found = glitches.count(heard.pcm, hz)
    return Stream(
        stream.lost,
        stream.concealments,
        stream.packets,
        found.holes,
        found.phase_jumps,
        found.tone_ms / (seconds * 1000),
    )


async def heard_by(listener: Attendee, seconds: float) -> dict[str, Stream]:
    """Let somebody listen for so long; what came, by the name of its speaker.

    Raises:
        AssertionError: a connection was lost in between.
    """
    before = await listener.run(INBOUND)
    from_ms = float(await listener.run(PAGE_NOW))
    await asyncio.sleep(seconds)
    after = await listener.run(INBOUND)
    until_ms = from_ms + seconds * 1000
    heard = (await listener.visitor.ears.until_heard(until_ms)).between(from_ms, until_ms)
    if gone := [name for name in before if not (before[name] and after.get(name))]:
        raise AssertionError(f"{listener.name} did not hear {', '.join(gone)} all the time")
    streams = {name: judged(before[name], after[name]) for name in before}
    for name, hz in TONES_HZ.items():
        if name in streams:
            streams[name] = listened(streams[name], heard, hz, heard.pcm.size / WIRE_RATE_HZ)
    return streams


async def hearing(seconds: float, folder: Path) -> dict[str, Any]:
    """Three pages and a bot in one room for so long; the figures under their documented names."""
    async with (
        serve(folder, *PATIENT, ready=True) as service,
        chromium(None) as browser,
        attendees(browser, service.url, *TONES_HZ, deaf=False) as people,
        speaking_bot(service.url, seconds),
    ):
        await hear_each_other(people)
        for one in people:
            await one.until(f"find('{BOT}')?.speaking && heardHz('{BOT}') > 0")
        told = await asyncio.gather(*(heard_by(one, seconds) for one in people))
    streams = [stream for one in told for stream in one.values()]
    tones = [stream for one in told for name, stream in one.items() if name != BOT]
    return {
        "pages": len(people),
        "bots": 1,
        "seconds": seconds,
        "streams": len(streams),
        "packets": sum(stream.packets for stream in streams),
        "glitches": sum(stream.glitches for stream in streams),
        "lost": sum(stream.lost for stream in streams),
        "concealments": sum(stream.concealments for stream in streams),
        "holes": sum(stream.holes for stream in streams),
        "phase_jumps": sum(stream.phase_jumps for stream in streams),
        "heard_share": round(min(stream.heard_share for stream in tones), 3),
    }


# --- coming and going -------------------------------------------------------------------------


async def _leaves(_: Attendee, guest: Attendee) -> None:
    await guest.run("peer.room.leave()")


async def _is_put_out(host: Attendee, guest: Attendee) -> None:
    await host.run(f"peer.room.kick(find('{guest.name}').id)")
    await guest.until("!peer.room.view.joined")


async def _reloads(_: Attendee, guest: Attendee) -> None:
    await guest.reload()
    await guest.until("peer.room.view.joined")


async def _hangs_up(host: Attendee, guest: Attendee) -> None:
    await guest.run("peer.close()")
    await host.sees()
    await guest.call()


WAYS: Final = (_leaves, _is_put_out, _reloads, _hangs_up)
"""To go, each of which lets the same page join again."""


async def rounds(count: int, browser: Browser, service: LocalService) -> int:
    """Let somebody go and come back so often; how often one of both was not heard afterwards."""
    silent = 0
    async with attendees(browser, service.url, "Ada", "Bob") as (host, guest):
        await hear_each_other([host, guest])
        for way in itertools.islice(itertools.cycle(WAYS), count):
            await way(host, guest)
            if way is not _reloads:
                await host.sees()
                await guest.join()
            try:
                await hear_each_other([host, guest])
            except AssertionError as error:
                sys.stderr.write(f"after {way.__name__}: {error}\n")
                silent += 1
            assert len(service.conferences) == 1
    return silent


async def churn(count: int) -> dict[str, Any]:
    """Let somebody come and go so often in a service of this process, and see what stays."""
    conferences = Conferences(kept_out_s=0.0)
    async with (
        chromium(None) as browser,
        running(LocalService(conferences=conferences)) as service,
    ):
        # What first imports, caches and the browser's own connections take is no leak.
        await rounds(len(WAYS), browser, service)
        await settled(service)
        before = Resources.now()
        silent = await rounds(count, browser, service)
        await settled(service)
        left = await left_since(before)
        names = service.observer.names()
        sessions = names.count("session_opened") - names.count("session_closed")
    for line in left:
        sys.stderr.write(f"left behind: {line}\n")
    return {
        "rounds": count,
        "silent": silent,
        "left_behind": len(left) + sessions + len(conferences),
    }


async def settled(service: LocalService) -> None:
    """Wait until the service knows of nobody any more.

    Raises:
        TimeoutError: somebody stays.
    """
    names = service.observer.names
    async with asyncio.timeout(30):
        while names().count("session_opened") > names().count("session_closed"):  # noqa: ASYNC110
            await asyncio.sleep(0.05)


# --- both -------------------------------------------------------------------------------------


async def measure(seconds: float, count: int) -> dict[str, Any]:
    """All figures."""
    with tempfile.TemporaryDirectory(prefix="voicepeer-rooms-") as scratch:
        found = await hearing(seconds, Path(scratch))
    return found | await churn(count)


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and fail where the figures do not keep their bounds."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        prog="python -m tests.e2e.rooms_measure",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="(default %(default)s)")
    parser.add_argument("--rounds", type=int, default=50, help="(default %(default)s)")
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    parser.add_argument(
        "--sane", action="store_true", help="fail by the bounds for a busy machine, not the goals"
    )
    asked = parser.parse_args(arguments)
    found = asyncio.run(measure(asked.seconds, asked.rounds))
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.write(json.dumps(found, indent=None if asked.json else 2) + "\n")
    broken = missed(found, SANE if asked.sane else GOALS)
    for line in broken:
        sys.stderr.write(f"{line}\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
