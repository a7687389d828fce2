"""What the browser tests measure with: known sounds are found where and when they are."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.e2e.chromium import PROGRAMS, chromium, visitor
from tests.e2e.ears import Ears, Heard
from tests.peers.glitches import tone
from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm

pytestmark = pytest.mark.unit

CHUNK = 12_288


def silence(ms: int) -> Pcm:
    """Digital silence."""
    return np.zeros(ms * WIRE_RATE_HZ // 1000, np.float32)


def chunk(frame: int, pcm: Pcm, began_ms: float = 1_000.0) -> dict[str, Any]:
    """A chunk as the page sends it."""
    encoded = base64.b64encode(pcm.astype("<f4").tobytes()).decode()
    return {"frame": frame, "atMs": began_ms + frame / 48, "pcm": encoded}


def fading() -> Pcm:
    """A tone that ends as fast as speech does, within 20 ms."""
    pcm = tone(0.5)
    pcm[-960:] *= np.logspace(0, -3, 960, dtype=np.float32)
    return pcm


@given(st.integers(0, 400), st.integers(20, 400), st.integers(0, 400))
def test_sound_is_found_between_silences(before_ms: int, sound_ms: int, after_ms: int) -> None:
    sound = np.concatenate([silence(before_ms), tone(sound_ms / 1000), silence(after_ms)])
    audible = Heard(5_000.0, sound).audible_ms()
    assert audible is not None
    assert audible[0] == pytest.approx(5_000 + before_ms, abs=5)
    assert audible[1] == pytest.approx(5_000 + before_ms + sound_ms, abs=5)


def test_silence_is_not_audible() -> None:
    assert Heard(0.0, silence(100)).audible_ms() is None
    assert Heard(0.0, np.full(4_800, 0.002, np.float32)).audible_ms() is None


@given(st.floats(-200, 700), st.floats(-200, 700))
def test_a_stretch_lies_where_it_was_asked_for(from_ms: float, length_ms: float) -> None:
    whole = Heard(1_000.0, np.arange(24_000, dtype=np.float32))
    part = whole.between(1_000 + from_ms, 1_000 + from_ms + length_ms)
    assert part.pcm.size <= max(length_ms, 0) * 48 + 1
    if part.pcm.size:
        assert part.from_ms == pytest.approx(1_000 + part.pcm[0] / 48)
        assert part.from_ms >= 1_000 + from_ms - 0.02
        assert part.until_ms <= 1_000 + from_ms + length_ms + 0.02


@pytest.mark.parametrize(
    ("name", "pcm", "holes"),
    [
        ("whole", tone(1.0), 0),
        ("one frame left out", np.concatenate([tone(0.5)[:-480], silence(20), tone(0.5)]), 1),
        ("a pause of speech", np.concatenate([fading(), silence(20), tone(0.5)]), 0),
        ("only its end", np.concatenate([tone(0.5)[:-480], silence(100)]), 0),
        ("nothing", silence(0), 0),
    ],
)
def test_holes_are_what_no_speech_would_do(name: str, pcm: Pcm, holes: int) -> None:
    assert Heard(0.0, pcm).holes() == holes, name


def test_chunks_become_one_sound() -> None:
    ears = Ears()
    sound = tone(1.0)[: 3 * CHUNK]
    for index in range(3):
        ears.hear(chunk(48 + index * CHUNK, sound[index * CHUNK : (index + 1) * CHUNK]))
    heard = ears.heard()
    assert np.array_equal(heard.pcm, sound)
    assert heard.from_ms == pytest.approx(1_001.0)
    assert ears.lost_frames == 0


def test_what_the_recorder_missed_is_silence_and_is_told() -> None:
    ears = Ears()
    ears.hear(chunk(0, tone(0.1)))
    ears.hear(chunk(9_600, tone(0.1)))
    assert ears.heard().pcm.size == 14_400
    assert not ears.heard().pcm[4_800:9_600].any()
    assert ears.lost_frames == 4_800


def test_a_page_that_is_loaded_anew_begins_anew() -> None:
    ears = Ears()
    ears.hear(chunk(48_000, tone(0.1)))
    ears.hear(chunk(0, silence(50), began_ms=9_000.0))
    assert ears.heard().from_ms == 9_000.0
    assert ears.heard().pcm.size == 2_400


async def test_waiting_ends_with_the_silence_after_a_sound() -> None:
    ears = Ears()
    waiting = asyncio.create_task(ears.until_silent(1_000.0, quiet_ms=100.0, within_s=5.0))
    for start, pcm in ((0, silence(300)), (14_400, tone(0.2)), (24_000, silence(200))):
        await asyncio.sleep(0)
        assert not waiting.done()
        ears.hear(chunk(start, pcm))
    heard = await waiting
    assert heard.audible_ms() == pytest.approx((1_300.0, 1_500.0), abs=5)


async def test_waiting_for_a_sound_that_does_not_come_times_out() -> None:
    ears = Ears()
    with pytest.raises(LookupError):
        ears.heard()
    ears.hear(chunk(0, silence(100)))
    with pytest.raises(TimeoutError):
        await ears.until_silent(0.0, quiet_ms=10.0, within_s=0.01)
    with pytest.raises(TimeoutError):
        await ears.until_heard(2_000.0, within_s=0.01)


HTML = "text/html"
BEEPS = """async () => {
    const context = new AudioContext();
    const heard = new MediaStreamAudioDestinationNode(context);
    const audio = new Audio();
    document.body.append(audio);
    audio.srcObject = heard.stream;
    await audio.play();
    const beep = (at) => {
        const tone = new OscillatorNode(context, { frequency: 440 });
        tone.connect(heard);
        tone.start(at);
        tone.stop(at + 0.3);
    };
    const begin = context.currentTime + 1;
    beep(begin);
    const { contextTime, performanceTime } = context.getOutputTimestamp();
    const beginMs = performance.timeOrigin + performanceTime + (begin - contextTime) * 1000;
    await new Promise((done) => setTimeout(done, 2_000));
    audio.muted = true;
    beep(context.currentTime);
    await new Promise((done) => setTimeout(done, 1_000));
    return beginMs;
}"""


@pytest.mark.e2e
@pytest.mark.needs(*PROGRAMS)
async def test_ears_in_a_page_hear_what_its_user_does_and_when() -> None:
    async with chromium(None) as browser, visitor(browser) as visiting:
        await visiting.page.route("**/*", lambda route: route.fulfill(body="", content_type=HTML))
        await visiting.page.goto("http://localhost/")
        await visiting.page.mouse.click(10, 10)
        begin_ms = await visiting.page.evaluate(BEEPS)
        heard = await visiting.ears.until_silent(begin_ms - 900, 300, 20)
    audible = heard.audible_ms()
    assert audible is not None
    # From one context to the other, sound is buffered; never is it heard before it is made.
    assert -10 < audible[0] - begin_ms < 200
    assert audible[1] - audible[0] == pytest.approx(300, abs=25), "the muted beep is not heard"
    spectrum = np.abs(np.fft.rfft(heard.between(audible[0], audible[1]).pcm, WIRE_RATE_HZ))
    assert int(np.argmax(spectrum)) == pytest.approx(440, abs=3)
    assert heard.holes() == 0
    assert visiting.ears.lost_frames < WIRE_RATE_HZ // 10, "on a busy machine some are"
