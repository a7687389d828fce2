"""What a visitor of the page waits for and hears, in a real browser with a speaker's recording.

    python -m tests.e2e.measure --json --out figures

Everything is measured where the visitor is: the time from pressing Enter to the first audible
sample is by the page's clock, and the sound that is judged is what its audio element plays. Nothing
else should be running; the browser, the service and its models share this machine.
``docs/performance.md`` says what was found.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from engines import registry
from engines.build.quality import dnsmos
from engines.resampling import resample
from tests.clips import clip
from tests.e2e.chromium import chromium, speaker_microphone
from tests.e2e.demo_page import DemoPage, demo_page
from tests.e2e.ears import Heard
from tests.e2e.service import serve
from voicepeer.audio import write_wav
from voicepeer.benches.figures import percentile
from voicepeer.core.pcm import LISTEN_RATE_HZ, WIRE_RATE_HZ
from voicepeer.judge import cosine

SENTENCES: Final = (
    "I will be five minutes late, please start without me.",
    "Could you send me the notes from this morning?",
    "The weather is much better than they said it would be.",
    "Let us meet at the station, next to the old clock.",
    "My sister has found a flat close to the river.",
    "Nobody told me that the shop closes at noon.",
    "We have enough time for one more cup of tea.",
    "That is exactly what I wanted to hear from you.",
    "Please turn the music down a little, it is late.",
    "The second train was almost empty when it left.",
)
CHARS_PER_S: Final = 17
"""More than is spoken, so that a long text is long enough."""

QUIET_MS: Final = 500.0
QUIET_WITHIN_S: Final = 30.0

GOALS: Final[Mapping[str, tuple[str, float]]] = {
    "clicks": ("<=", 3),
    "speaking_ms": ("<=", 10_000),
    "usable_ms": ("<=", 10_000),
    "enter_to_audible_ms.p95": ("<=", 250),
    "glitches": ("<=", 0),
    "similarity": (">=", 0.70),
    "dnsmos": (">=", 3.0),
}
"""On a machine with two cores that has nothing else to do."""

SANE: Final[Mapping[str, tuple[str, float]]] = {
    "clicks": ("<=", 3),
    "speaking_ms": ("<=", 10_000),
    "enter_to_audible_ms.p95": ("<=", 3_000),
    "similarity": (">=", 0.60),
    "dnsmos": (">=", 2.5),
}
"""What has to hold even on a machine that is busy with other things."""

_INBOUND = """async () => {
    const reports = [...(await ears.peers.at(-1).getStats()).values()];
    return reports.find(({ type, kind }) => type === "inbound-rtp" && kind === "audio");
}"""


@dataclass(frozen=True, slots=True)
class Spoken:
    """One text, from Enter to its end."""

    audible_ms: float
    """From pressing Enter to the first audible sample."""
    service_ms: float
    """The service's part of it."""
    heard: Heard
    """Its sound, without the silence around it."""
    underruns: int
    concealed_ms: float
    """Of sound that the browser had to make up, because it was lost or late (W3C webrtc-stats)."""
    concealments: int


def long_text(length_s: float) -> str:
    """Sentences that take that long to say, and some more."""
    sentences: list[str] = []
    for sentence in itertools.cycle(SENTENCES):
        if sum(map(len, sentences)) >= length_s * CHARS_PER_S:
            return " ".join(sentences)
        sentences.append(sentence)
    raise AssertionError("a cycle has no end")


async def speak(page: DemoPage, text: str) -> Spoken:
    """Say a text on the page, and take down what is heard until it is silent again."""
    before = await page.page.evaluate(_INBOUND)
    count = len(await page.visitor.messages("utterance.done"))
    await page.say(text)
    entered_ms = await page.visitor.pressed_ms("Enter")
    while len(done := await page.visitor.messages("utterance.done")) == count:  # noqa: ASYNC110
        await asyncio.sleep(0.1)
    heard = await page.visitor.ears.until_silent(entered_ms, QUIET_MS, QUIET_WITHIN_S)
    after = await page.page.evaluate(_INBOUND)
    audible = heard.audible_ms()
    assert audible is not None
    made_up = _more(before, after, "concealedSamples") - _more(
        before, after, "silentConcealedSamples"
    )
    return Spoken(
        audible_ms=audible[0] - entered_ms,
        service_ms=float(done[-1]["first_audible_ms"]),
        heard=heard.between(*audible),
        underruns=int(done[-1]["underruns"]),
        concealed_ms=made_up / WIRE_RATE_HZ * 1000,
        concealments=int(_more(before, after, "concealmentEvents")) if made_up else 0,
    )


def _more(before: Mapping[str, Any], after: Mapping[str, Any], name: str) -> float:
    return float(after[name] - before[name])


@asynccontextmanager
async def called(engine: str, speaker: str, flags: Sequence[str]) -> AsyncIterator[DemoPage]:
    """A visitor with a speaker's microphone on the page of a service that has its models."""
    with tempfile.TemporaryDirectory(prefix="voicepeer-page-") as scratch:
        microphone = speaker_microphone(Path(scratch), speaker)
        async with (
            serve(Path(scratch), *flags, engine=engine, ready=True) as service,
            chromium(microphone) as browser,
            demo_page(browser, service.url) as page,
        ):
            yield page


async def measure(
    engine: str, speaker: str, utterances: int, long_s: float, flags: Sequence[str] = ()
) -> tuple[dict[str, Any], Heard]:
    """The figures under their documented names, and the sound of the long text."""
    async with called(engine, speaker, flags) as page:
        await page.clone(ready=True)
        usable = (await page.visitor.messages("voice.usable"))[0]
        # Every part of the way has been gone once before it is measured: that is a warm engine.
        await speak(page, "This is the first sentence of all.")
        clicks = await page.page.evaluate(
            "ears.presses.filter(({ kind }) => kind === 'pointerdown').length"
        )
        texts = itertools.islice(itertools.cycle(SENTENCES), utterances)
        short = [await speak(page, text) for text in texts]
        long = await speak(page, long_text(long_s))
    return figures(engine, clicks, usable, short, long), long.heard


def figures(
    engine: str, clicks: int, usable: Mapping[str, Any], short: Sequence[Spoken], long: Spoken
) -> dict[str, Any]:
    """What was measured, without what models have to judge."""
    holes = long.heard.holes()
    return {
        "engine": engine,
        "clicks": clicks + 1,  # the browser's own question for the microphone is one
        "speaking_ms": round(usable["heard_s"] * 1000),
        "usable_ms": round(usable["elapsed_ms"]),
        "utterances": len(short),
        "enter_to_audible_ms": _spread([one.audible_ms for one in short]),
        "in_service_ms": _spread([one.service_ms for one in short]),
        "after_service_ms": _spread([one.audible_ms - one.service_ms for one in short]),
        "long_s": round(long.heard.pcm.size / WIRE_RATE_HZ, 1),
        "glitches": long.underruns + long.concealments + holes,
        "underruns": long.underruns,
        "concealments": long.concealments,
        "concealed_ms": round(long.concealed_ms, 1),
        "holes": holes,
    }


def _spread(values_ms: Sequence[float]) -> dict[str, float | None]:
    return {
        "p50": percentile(values_ms, 50),
        "p95": percentile(values_ms, 95),
        "max": percentile(values_ms, 100),
    }


def judged(heard: Heard, speaker: str) -> dict[str, float]:
    """How much like its speaker, and how clean, the sound in the page is."""
    encoder = registry.create_encoder("ge2e", {})
    speech = resample(heard.pcm, WIRE_RATE_HZ, LISTEN_RATE_HZ)
    similarity = cosine(encoder.embed(clip(speaker, LISTEN_RATE_HZ)), encoder.embed(speech))
    return {
        "similarity": round(similarity, 4),
        "dnsmos": round(dnsmos(speech, LISTEN_RATE_HZ), 3),
    }


def missed(found: Mapping[str, Any], bounds: Mapping[str, tuple[str, float]]) -> list[str]:
    """The bounds that figures do not keep, in words."""
    broken = []
    for name, (order, bound) in bounds.items():
        value: Any = found
        for part in name.split("."):
            value = value[part]
        if value > bound if order == "<=" else value < bound:
            broken.append(f"{name} is {value}, not {order} {bound}")
    return broken


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and fail where the figures do not keep their bounds."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m tests.e2e.measure")
    parser.add_argument("--engine", default="kokoro", help="(default %(default)s)")
    parser.add_argument("--speaker", default="en_jennifer", help="a clip of `make clips`")
    parser.add_argument("--utterances", type=int, default=20, help="(default %(default)s)")
    parser.add_argument("--long-s", type=float, default=60.0, help="(default %(default)s)")
    parser.add_argument("--out", type=Path, help="folder for what was heard, and the figures")
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    parser.add_argument(
        "--sane", action="store_true", help="fail by the bounds for a busy machine, not the goals"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the service"
    )
    asked = parser.parse_args(arguments)
    flags = [word for setting in asked.set for word in ("--set", setting)]
    found, heard = asyncio.run(
        measure(asked.engine, asked.speaker, asked.utterances, asked.long_s, flags)
    )
    found |= judged(heard, asked.speaker)
    if asked.out:
        asked.out.mkdir(parents=True, exist_ok=True)
        write_wav(asked.out / "heard.wav", heard.pcm, WIRE_RATE_HZ)
        (asked.out / "page.json").write_text(json.dumps(found, indent=2) + "\n")
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.write(json.dumps(found, indent=None if asked.json else 2) + "\n")
    broken = missed(found, SANE if asked.sane else GOALS)
    for line in broken:
        sys.stderr.write(f"{line}\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
