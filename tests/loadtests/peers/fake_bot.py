"""A bot that hums: the protocol of real ones, with real calls if it is asked to take them.

Run by the Python of the tests; what it hums is as long as the text is.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import AsyncIterator

from loadtests.peers.bots import harness
from loadtests.peers.protocol import Failed
from tests.peers.glitches import tone

WORD_S = 0.1
RATE_HZ = 24_000
VERSIONS = {"fake-bot": "1.2.3"}


def length_s(text: str) -> float:
    """How long a text is hummed."""
    return WORD_S * len(text.split())


async def give_samples(teller: harness.Teller, delay_s: float) -> None:
    """Until standard input ends."""

    async def synthesis(text: str) -> AsyncIterator[harness.Chunk]:
        await asyncio.sleep(delay_s)
        pcm = tone(length_s(text), rate_hz=RATE_HZ)
        yield pcm[: pcm.size // 2], RATE_HZ
        yield pcm[pcm.size // 2 :], RATE_HZ

    await harness.speak_locally(teller, synthesis, VERSIONS)


def main() -> None:
    """Be what the options say."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", action="store_true")
    parser.add_argument("--deaf", action="store_true")
    parser.add_argument("--delay-s", type=float, default=0.05)
    parser.add_argument("--fails", default="")
    arguments = parser.parse_args()
    teller = harness.Teller()
    if arguments.fails:
        teller.tell(Failed(arguments.fails))
    elif arguments.calls:
        from tests.loadtests.peers.fake_caller import Hummer, take_calls

        asyncio.run(take_calls(Hummer(teller, arguments.delay_s, arguments.deaf)))
    else:
        asyncio.run(give_samples(teller, arguments.delay_s))


if __name__ == "__main__":
    main()
