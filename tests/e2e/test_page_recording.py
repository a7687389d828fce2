"""Recording a room on the page: all are asked and see it, who agrees is kept, nobody else, and can
have that deleted when it is over."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.async_api import Browser, expect

from engines.fakes import FakeSpeechEngine, tone_hz
from engines.progress import no_progress
from tests.clips import clip
from tests.e2e.chromium import PROGRAMS, SPEAKER, SPEAKER_PAUSE_S, WAIT_MS
from tests.e2e.demo_page import DemoPage, demo_page
from tests.e2e.service import PATIENT, serve
from tests.e2e.test_page_rooms import join, sees
from tests.peers.glitches import tone_level
from tests.peers.room import until
from tests.voicepeer.test_room_recorder import played
from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm
from voicepeer.core.recording.manifest import MANIFEST
from voicepeer.recording_mix import mix
from voicepeer.recording_store import RecordingStore

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.needs(*PROGRAMS),
    pytest.mark.asyncio(loop_scope="package"),
]

ENOUGH_BYTES = 15_000
"""Some seconds of a microphone as a browser encodes it."""

BLOCK_SAMPLES = WIRE_RATE_HZ // 50

SAID = "This is on record."


async def test_of_two_pages_the_one_that_agrees_is_recorded_until_they_withdraw(
    browser: Browser, tmp_path: Path
) -> None:
    store = RecordingStore(tmp_path / "recordings")
    options = ("--set", f"recording.folder={store.folder}", "--set", "recording.min_free_mb=0")
    async with (
        serve(tmp_path, *PATIENT, *options, ready=True) as service,
        demo_page(browser, f"{service.url}/?room=hall") as ada,
        demo_page(browser, f"{service.url}/?room=hall") as bob,
    ):
        await join(ada, "Ada")
        await join(bob, "Bob")
        await sees(ada, "Bob")
        await are_asked(ada, bob)
        await bob.part("agree").click()
        for page in (ada, bob):
            await expect(page.part("rec")).to_be_visible(timeout=WAIT_MS)
            await expect(page.part("person").filter(has_text="Bob")).to_contain_text("recorded")
        await ada.part("refuse").click()
        await expect(ada.part("recording-text")).to_have_text(
            "Others are recorded, and you are not."
        )
        await until(lambda: size_of_tracks(store) > ENOUGH_BYTES, WAIT_MS / 1000)
        await bob.page.locator("input[name=publish][value=voice]").check()
        await bob.hear(SAID)
        await ada.part("record").click()
        for page in (ada, bob):
            await expect(page.part("recording")).to_be_hidden(timeout=WAIT_MS)
            await expect(page.part("rec")).to_be_hidden()
        folder = await only_bob_was_kept(store)
        await expect(ada.part("recorded")).to_be_hidden()
        await bob.part("withdraw").click()
        await expect(bob.part("alert")).to_have_attribute("data-code", "recording-withdrawn")
        await expect(bob.part("recorded")).to_be_hidden()
        assert [path.name for path in folder.iterdir()] == [MANIFEST]
        assert bob.visitor.complaints == ada.visitor.complaints == []


async def are_asked(asker: DemoPage, other: DemoPage) -> None:
    """Ask for a recording, which nobody has agreed to yet."""
    await asker.part("record").click()
    for page in (asker, other):
        await expect(page.part("recording-text")).to_contain_text(
            "Ada would like to record", timeout=WAIT_MS
        )
        await expect(page.part("rec")).to_be_hidden()


def size_of_tracks(store: RecordingStore) -> int:
    return sum(path.stat().st_size for path in store.folder.glob("*/*.opus"))


async def only_bob_was_kept(store: RecordingStore) -> Path:
    """What was made of it plays: his microphone first, and then what he had said by text."""
    await until(lambda: store.records()[0].has_ended, WAIT_MS / 1000)
    [recorded] = await asyncio.to_thread(store.records)
    assert recorded.manifest is not None
    [track] = recorded.manifest.tracks
    assert (track.name, recorded.manifest.end) == ("Bob", "stopped")
    heard = await played(recorded.folder / track.file)
    assert likeness_to_microphone(heard) > 0.8
    assert level_of_speech(heard) > 0.1

    made = await asyncio.to_thread(mix, recorded.folder, no_progress)
    assert made.length_s == pytest.approx(
        heard.size / WIRE_RATE_HZ + track.offset_ms / 1000, abs=0.1
    )
    captions = await asyncio.to_thread(made.captions.read_text)
    assert captions.startswith("WEBVTT\n")
    [cue] = [line for line in captions.splitlines() if line.startswith("<v ")]
    assert cue.startswith("<v Bob>")
    assert re.sub("<[^>]*>", "", cue) == SAID
    return recorded.folder


def loudness(pcm: Pcm) -> NDArray[np.float64]:
    """Of blocks of 20 ms."""
    blocks = pcm[: pcm.size // BLOCK_SAMPLES * BLOCK_SAMPLES].reshape(-1, BLOCK_SAMPLES)
    levels: NDArray[np.float64] = np.sqrt(np.square(blocks, dtype=np.float64).mean(axis=1))
    return levels


def likeness_to_microphone(heard: Pcm) -> float:
    """How the loudness goes with that of the browser's microphone, where both fit best."""
    turn = np.concatenate(
        [clip(SPEAKER, WIRE_RATE_HZ), np.zeros(round(SPEAKER_PAUSE_S * WIRE_RATE_HZ))]
    )
    spoken, recorded = loudness(turn), loudness(heard)[10:160]
    again = np.concatenate([spoken, spoken])
    fits = (
        np.corrcoef(again[at : at + recorded.size], recorded)[0, 1] for at in range(spoken.size)
    )
    return float(max(fits))


def level_of_speech(heard: Pcm) -> float:
    """How loud the fake engine says the text at most, in whichever of its voices."""
    voices = FakeSpeechEngine().stock_voices().values()
    return max(float(np.abs(tone_level(heard, tone_hz(SAID, voice))).max()) for voice in voices)
