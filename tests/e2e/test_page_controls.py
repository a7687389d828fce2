"""The page's controls change what is heard; the fake engine's tones tell by how much."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest
from playwright.async_api import expect

from tests.e2e.chromium import PROGRAMS, WAIT_MS
from tests.e2e.demo_page import DemoPage
from tests.e2e.ears import Heard
from voicepeer.core.pcm import WIRE_RATE_HZ

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.needs(*PROGRAMS),
    pytest.mark.asyncio(loop_scope="package"),
]

TEXT = "The same words every time."


async def spoken(demo: DemoPage, text: str = TEXT) -> Heard:
    """Say a text; its sound, without what was before and after."""
    await demo.hear(text)
    entered_ms = await demo.visitor.pressed_ms("Enter")
    heard = await demo.visitor.ears.until_silent(entered_ms, quiet_ms=300, within_s=20)
    audible = heard.audible_ms()
    assert audible is not None
    return heard.between(*audible)


def tone_hz(heard: Heard) -> float:
    """The strongest frequency."""
    return float(np.argmax(np.abs(np.fft.rfft(heard.pcm, WIRE_RATE_HZ))))


def length_ms(heard: Heard) -> float:
    """How long it sounds."""
    return heard.until_ms - heard.from_ms


def amplitude(heard: Heard) -> float:
    """Of a tone, full scale is 1; places where sound was lost count for little."""
    return float(np.percentile(np.abs(heard.pcm), 95))


async def until_answered(demo: DemoPage, request: str, before: int) -> dict[str, Any]:
    """The last answer to a request, once there were more of them than ``before``."""
    async with asyncio.timeout(WAIT_MS / 1000):
        while len(answers := await demo.visitor.messages(request)) <= before:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    return answers[-1]


async def choose_stock(demo: DemoPage, name: str) -> None:
    """Speak with a stock voice from now on."""
    before = len(await demo.visitor.messages("voice.use"))
    await demo.part("stock").select_option(name)
    await until_answered(demo, "voice.use", before)


async def test_speed_pitch_and_energy_are_heard(cloned: DemoPage) -> None:
    plain = await spoken(cloned)

    await cloned.part("speed").fill("2")
    fast = await spoken(cloned)
    assert length_ms(fast) == pytest.approx(length_ms(plain) / 2, rel=0.2)
    assert tone_hz(fast) == pytest.approx(tone_hz(plain), abs=3)

    await cloned.part("delivery-reset").click()
    await cloned.part("pitch").fill("12")
    high = await spoken(cloned)
    assert tone_hz(high) == pytest.approx(2 * tone_hz(plain), rel=0.02)

    await cloned.part("delivery-reset").click()
    await cloned.part("energy").fill("0.5")
    soft = await spoken(cloned)
    assert amplitude(soft) == pytest.approx(amplitude(plain) / 2, rel=0.25)

    await cloned.part("delivery-reset").click()
    again = await spoken(cloned)
    assert tone_hz(again) == pytest.approx(tone_hz(plain), abs=3)
    assert length_ms(again) == pytest.approx(length_ms(plain), rel=0.2)


async def test_a_language_is_spoken_with_where_the_engine_has_it(cloned: DemoPage) -> None:
    offered = (
        await cloned.part("speech-language")
        .locator("option")
        .evaluate_all("(options) => options.map(({ value }) => value)")
    )
    assert "de-de" in offered
    await cloned.part("speech-language").select_option("de-de")
    await cloned.hear("Guten Morgen.")
    assert cloned.visitor.complaints == []


async def test_stock_voices_speak_each_in_its_own_tone(cloned: DemoPage) -> None:
    tones = []
    for name in ("low", "high"):
        await choose_stock(cloned, name)
        tones.append(tone_hz(await spoken(cloned)))
    assert tones[1] - tones[0] == pytest.approx(330.0, abs=3)


async def test_the_barge_in_switch_is_told_to_the_service(cloned: DemoPage) -> None:
    switch = cloned.part("barge-in")
    for on in (True, False):
        before = len(await cloned.visitor.messages("session.configure"))
        await switch.click()
        await expect(switch).to_be_checked(checked=on)
        answer = await until_answered(cloned, "session.configure", before)
        assert answer["barge_in"] is on
