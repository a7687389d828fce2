"""The demo with the fake models: what it prints, how it fails, and ten in a row."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import wave
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.clips import clip, clip_path
from tests.peers.leaks import nothing_left_behind
from tests.processes import alive, children, wait_until
from tests.voicepeer.commandline import FAKE, voicepeer_process
from voicepeer import demo
from voicepeer.audio import write_wav
from voicepeer.commands.demo import GOALS
from voicepeer.core.pcm import LISTEN_RATE_HZ
from voicepeer.demo import DemoFailed

pytestmark = pytest.mark.e2e

DOCUMENTED = {
    *("engine", "provider", "precision", "voice_id", "usable_ms", "ready_ms", "clone_ms"),
    *("first_audible_ms", "first_audio_ms", "rtf", "audio_ms", "similarity", "stock_similarity"),
    *("dnsmos", "underruns", "frames_lost", "glitches", "notes"),
}


def test_the_demo_prints_every_documented_figure_and_writes_the_speech(tmp_path: Path) -> None:
    out = tmp_path / "out.wav"
    ran = voicepeer_process(
        *("demo", "--mic", str(clip_path("en_jennifer")), "--text", "Hello there.", "--json"),
        *("--out", str(out), "--engine", "fake", "--set", "engine.vad=fake"),
    )
    assert ran.code == 0, ran.err
    figures = ran.json
    assert set(figures) >= DOCUMENTED
    assert (figures["engine"], figures["underruns"], figures["frames_lost"]) == ("fake", 0, 0)
    assert 2_500 < figures["usable_ms"] < figures["ready_ms"] < 30_000
    assert figures["audio_ms"] == pytest.approx(12 * 60, abs=40)
    assert 0 < figures["first_audio_ms"] <= figures["first_audible_ms"] < 5_000
    assert -1 <= figures["similarity"] <= 1
    with wave.open(str(out)) as reader:
        assert (reader.getnchannels(), reader.getframerate()) == (1, 48_000)
        seconds = reader.getnframes() / reader.getframerate()
    assert seconds == pytest.approx(0.72, abs=0.15)


async def test_ten_calls_in_a_row_leave_nothing_behind(tmp_path: Path) -> None:
    async def call(number: int) -> demo.DemoCall:
        database = str(tmp_path / f"{number}.sqlite")
        arguments = [*FAKE, "--database", database]
        return await demo.call(clip_path("en_jennifer"), f"Call {number}.", arguments, _, _)

    def _(line: str) -> None:
        pass

    before = children()
    async with nothing_left_behind():
        # In two rows of five, because most of a call is waiting for the speaker to speak.
        for start in (0, 5):
            calls = await asyncio.gather(*(call(start + number) for number in range(5)))
            assert all(made.said.audio_ms > 0 for made in calls)
            assert len({made.learned.ready.voice_id for made in calls}) == 5
    assert children() == before


async def test_a_short_recording_is_played_again(tmp_path: Path) -> None:
    path = tmp_path / "short.wav"
    write_wav(path, clip("en_jennifer")[: 3 * LISTEN_RATE_HZ], LISTEN_RATE_HZ)
    arguments = [*FAKE, "--database", str(tmp_path / "v.sqlite")]
    made = await demo.call(path, "Hi.", arguments, lambda line: None, lambda line: None)
    assert made.learned.plays > 1


async def test_a_recording_without_speech_ends_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "MAX_LISTEN_S", 3.0)
    path = tmp_path / "hiss.wav"
    hiss = np.random.default_rng(0).normal(0, 0.002, 2 * LISTEN_RATE_HZ).astype(np.float32)
    write_wav(path, hiss, LISTEN_RATE_HZ)
    arguments = [*FAKE, "--database", str(tmp_path / "v.sqlite")]
    with pytest.raises(DemoFailed, match=r"no answer|no voice"):
        await demo.call(path, "Hi.", arguments, lambda line: None, lambda line: None)


def test_a_demo_that_is_killed_takes_its_service_along(tmp_path: Path) -> None:
    command = [
        *(sys.executable, "-m", "voicepeer", "demo", "--mic", str(clip_path("en_jennifer"))),
        *("--out", str(tmp_path / "out.wav"), *FAKE),
    ]
    started = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert started.stderr is not None
    while "calling" not in started.stderr.readline():
        assert started.poll() is None
    below = {int(pid) for task in Path(f"/proc/{started.pid}/task").iterdir()
             for pid in (task / "children").read_text().split()}  # fmt: skip
    assert below
    started.kill()
    started.communicate()
    wait_until(lambda: not any(alive(pid) for pid in below), 20.0)


def test_ctrl_c_ends_a_demo_without_a_traceback(tmp_path: Path) -> None:
    command = [
        *(sys.executable, "-m", "voicepeer", "demo", "--mic", str(clip_path("en_jennifer"))),
        *("--out", str(tmp_path / "out.wav"), *FAKE),
    ]
    started = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert started.stderr is not None
    while "calling" not in started.stderr.readline():
        assert started.poll() is None
    os.kill(started.pid, signal.SIGINT)
    _, rest = started.communicate(timeout=30)
    assert started.returncode == 130
    assert "Traceback" not in rest


def test_every_goal_is_a_documented_figure() -> None:
    assert set(GOALS) <= DOCUMENTED


def test_glitches_are_runs_of_made_up_blocks_and_underruns() -> None:
    from voicepeer.client import SaidResult
    from voicepeer.jitter import Block

    loud = np.full(960, 8000, dtype=np.int16)
    silent = np.zeros(960, dtype=np.int16)

    def blocks(pattern: str) -> list[Block]:
        kinds = {"s": (silent, True), "o": (loud, True), "x": (loud, False), "-": (silent, False)}
        return [
            Block(pcm=kinds[kind][0], at_sample=960 * index, heard=kinds[kind][1], received_s=index)
            for index, kind in enumerate(pattern)
        ]

    said = SaidResult("u", np.zeros(1, np.float32), 1.0, 1.0, 1.0, 0.1, 0, 0, (), ())
    assert demo._glitches(blocks("ssoooooss"), said) == 0
    assert demo._glitches(blocks("ssooxxoxoss"), said) == 2
    assert demo._glitches(blocks("s--oo--oos--s"), said) == 1
    assert demo._glitches(blocks("ooo"), replace(said, underruns=3)) == 3
    assert demo._glitches(blocks("sss"), replace(said, first_audible_ms=None)) == 0
