"""Voices that are kept: the page saves, renames, mixes, exports, imports and deletes them."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Locator, expect

from tests.e2e.chromium import PROGRAMS, WAIT_MS
from tests.e2e.demo_page import DemoPage
from tests.e2e.test_page_controls import choose_stock, spoken, tone_hz, until_answered
from tests.e2e.test_page_looks import OVERFLOW_PX

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.needs(*PROGRAMS),
    pytest.mark.asyncio(loop_scope="package"),
]


def saved(demo: DemoPage, name: str) -> Locator:
    """A saved voice in the list, by its name."""
    return demo.page.locator("[data-testid=voice][data-kind=saved]").filter(has_text=name)


async def save(demo: DemoPage, name: str) -> Locator:
    """Save the voice of the call."""
    await demo.part("save-name").fill(name)
    await demo.part("save").click()
    await expect(saved(demo, name)).to_be_visible(timeout=WAIT_MS)
    return saved(demo, name)


async def delete(demo: DemoPage, voice: Locator) -> None:
    """Delete a voice, as the page asks to confirm."""
    await voice.get_by_test_id("voice-delete").click()
    await expect(demo.part("confirm-text")).to_be_visible()
    await demo.part("confirm-yes").click()
    await expect(voice).to_have_count(0, timeout=WAIT_MS)


async def test_a_voice_is_kept_taken_along_and_brought_back(demo: DemoPage, tmp_path: Path) -> None:
    await demo.clone(ready=True)
    own_hz = tone_hz(await spoken(demo))
    await demo.open_library()
    voice = await save(demo, "Jennifer of the morning")
    await demo.visitor.picture("voices", whole=False)
    await voice.get_by_test_id("voice-rename").click()
    await demo.part("rename-name").fill("Jennifer of the evening")
    await demo.part("rename-ok").click()
    voice = saved(demo, "Jennifer of the evening")
    await expect(voice).to_be_visible(timeout=WAIT_MS)

    await demo.page.reload()
    await demo.state("speaking")
    await demo.open_library()
    async with demo.page.expect_download(timeout=WAIT_MS) as download:
        await voice.get_by_test_id("voice-export").click()
    file = tmp_path / (await download.value).suggested_filename
    await (await download.value).save_as(file)
    assert file.stat().st_size > 100

    await voice.get_by_test_id("voice-delete").click()
    await expect(demo.part("confirm-title")).to_contain_text("Jennifer of the evening")
    await demo.visitor.picture("delete", whole=False)
    await demo.part("confirm-no").click()
    await expect(voice).to_be_visible()
    await delete(demo, voice)

    await choose_stock(demo, "high")
    assert abs(tone_hz(await spoken(demo)) - own_hz) > 5
    await demo.part("import").set_input_files(file)
    await expect(voice).to_be_visible(timeout=WAIT_MS)
    await voice.get_by_test_id("voice-use").click()
    await expect(voice).to_have_attribute("aria-current", "true", timeout=WAIT_MS)
    assert tone_hz(await spoken(demo)) == pytest.approx(own_hz, abs=3)
    await delete(demo, voice)
    assert demo.visitor.complaints == []


async def test_a_voice_that_is_not_learned_anew_after_all_can_still_be_kept(demo: DemoPage) -> None:
    """On a narrow screen, under the longest name: nothing is cut off."""
    await demo.page.set_viewport_size({"width": 320, "height": 700})
    await demo.clone(ready=True)
    own_hz = tone_hz(await spoken(demo))
    await demo.part("again").click()
    await demo.state("learning")
    await demo.part("skip").click()
    await demo.state("speaking")
    assert tone_hz(await spoken(demo)) == pytest.approx(own_hz, abs=3)

    await demo.open_library()
    voice = await save(demo, "W" * 100)
    await expect(demo.part("alert")).to_be_visible()
    assert await demo.page.evaluate(OVERFLOW_PX) <= 0
    await voice.get_by_test_id("voice-delete").click()
    dialog = demo.part("confirm")
    assert await dialog.evaluate("one => one.scrollWidth - one.clientWidth") <= 0
    await demo.part("confirm-no").click()

    await voice.get_by_test_id("voice-rename").click()
    await demo.part("rename-name").fill("a\u202eb")
    await demo.part("rename-ok").click()
    await expect(demo.part("rename-fault")).to_contain_text("can be seen", timeout=WAIT_MS)
    await expect(demo.part("rename-name")).to_have_value("a\u202eb")
    await demo.part("rename-cancel").click()
    await expect(voice.get_by_test_id("voice-rename")).to_be_focused()
    await delete(demo, voice)
    await expect(demo.part("alert")).to_have_attribute("data-code", "deleted-current")


async def test_two_voices_are_mixed_by_a_slider(cloned: DemoPage) -> None:
    tones = []
    for share in (5, 50, 95):
        before = len(await cloned.visitor.messages("voice.mix"))
        await cloned.part("mix-a").select_option("low")
        await cloned.part("mix-b").select_option("high")
        await cloned.part("mix").fill(str(share))
        await cloned.part("mix-use").click()
        await until_answered(cloned, "voice.mix", before)
        tones.append(tone_hz(await spoken(cloned)))
    # They are 330 Hz apart.
    assert tones[1] - tones[0] == pytest.approx(0.45 * 330, abs=5)
    assert tones[2] - tones[1] == pytest.approx(0.45 * 330, abs=5)
    assert cloned.visitor.complaints == []
