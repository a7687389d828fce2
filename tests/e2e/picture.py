"""The picture of the page in the README, of a real call in a real browser.

    python -m tests.e2e.picture docs/images/page.png

Nothing else should be running: the figures that it shows are those of this machine.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.e2e.chromium import chromium, speaker_microphone
from tests.e2e.demo_page import demo_page
from tests.e2e.service import serve

TEXTS = (
    "Hello! Is this really what I sound like?",
    "I have never said this sentence in my life.",
    "Good evening, and welcome to the late news.",
    "The meeting is at half past nine tomorrow.",
    "Yes, of course you can quote me on that.",
)
LAST = "Each word lights up while you hear it, and you can interrupt it whenever you like."
SIZE = {"width": 1280, "height": 800}
LIKENESS_S = 1.5
"""How like its speaker a text was comes a moment after it."""

INTO_LAST_S = 2.0


async def take(path: Path, engine: str = "kokoro", texts: Sequence[str] = TEXTS) -> None:
    """Have a call, and a picture in the middle of a sentence."""
    with tempfile.TemporaryDirectory(prefix="voicepeer-picture-") as scratch:
        microphone = speaker_microphone(Path(scratch))
        async with (
            serve(Path(scratch), engine=engine, ready=True) as service,
            chromium(microphone) as browser,
            demo_page(browser, service.url, deaf=True, viewport=SIZE) as page,
        ):
            await page.clone(ready=True)
            for text in texts:
                await page.hear(text)
                await asyncio.sleep(LIKENESS_S)
            await page.ends(await page.say(LAST), "playing")
            await asyncio.sleep(INTO_LAST_S)
            await page.page.screenshot(path=path)


if __name__ == "__main__":
    asyncio.run(take(Path(sys.argv[1])))
