from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import AsyncIterator

import numpy as np
import pytest

from loadtests.peers.bots.harness import Chunk, Stopwatch, Teller, chunk_s, to_pcm16, versions_of
from loadtests.peers.install import environment
from loadtests.peers.protocol import Ready, Spoken, decode_event

pytestmark = pytest.mark.unit

RATE_HZ = 24_000


async def test_only_waiting_for_a_synthesis_counts_as_its_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s = [0.0]
    monkeypatch.setattr("loadtests.peers.bots.harness.time.monotonic", lambda: now_s[0])

    async def slow() -> AsyncIterator[Chunk]:
        for _ in range(3):
            now_s[0] += 0.25
            yield np.zeros(RATE_HZ // 2, np.float32), RATE_HZ
        now_s[0] += 0.05

    watch = Stopwatch()
    async for _ in watch.timed(slow(), chunk_s):
        now_s[0] += 10.0
    spoken = watch.spoken()
    assert spoken.synthesis_s == pytest.approx(0.8)
    assert spoken.audio_s == pytest.approx(1.5)
    assert watch.spoken() == Spoken(0.0, 0.0)


def test_samples_of_both_kinds_become_16_bit() -> None:
    loud = np.array([0.0, 0.5, -1.0, 2.0, -2.0], np.float32)
    assert np.frombuffer(to_pcm16(loud), np.int16).tolist() == [0, 16383, -32767, 32767, -32767]
    ready = np.array([1, -2, 3], np.int16)
    assert to_pcm16(ready) == ready.tobytes()


def test_the_last_dimension_is_time() -> None:
    assert chunk_s((np.zeros((1, RATE_HZ), np.float32), RATE_HZ)) == 1.0
    assert chunk_s((np.zeros(RATE_HZ // 2, np.int16), RATE_HZ)) == 0.5


def test_events_are_lines() -> None:
    out = io.StringIO()
    teller = Teller(out)
    teller.tell(Spoken(1.0, 2.0))
    teller.tell(Ready(None, {}))
    lines = out.getvalue().splitlines()
    assert [decode_event(line) for line in lines] == [Spoken(1.0, 2.0), Ready(None, {})]


def test_what_frameworks_print_does_not_come_between_the_events() -> None:
    program = (
        "from loadtests.peers.bots.harness import Teller\n"
        "from loadtests.peers.protocol import Ready\n"
        "teller = Teller(); print('welcome', flush=True); teller.tell(Ready(None))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True, text=True, check=True, env=environment(),
    )  # fmt: skip
    assert decode_event(done.stdout) == Ready(None)
    assert done.stderr == "welcome\n"


def test_a_bot_needs_nothing_of_ours_but_what_is_beside_it() -> None:
    program = (
        "import sys; import loadtests.peers.bots.harness, loadtests.peers.bots.voice\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True, text=True, check=True, env=environment(),
    )  # fmt: skip
    assert not {"voicepeer", "engines", "signaling", "msgspec", "aiortc"} & {*done.stdout.split()}


def test_versions_are_those_that_are_installed() -> None:
    assert versions_of(["numpy"]) == {"numpy": np.__version__}
