"""Recordings read in a process of their own: the same, and whatever becomes of that process."""

from __future__ import annotations

import asyncio
import io
import logging
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest

from tests.clips import clip
from tests.voicepeer.recordings import Samples, wav_bytes
from voicepeer import decoding_process
from voicepeer.audio import read_recording
from voicepeer.core.errors import AudioRejected
from voicepeer.decoding_child import MEMORY_BYTES, Answer, Request, answer, serve
from voicepeer.decoding_process import read_apart

pytestmark = pytest.mark.peer

RATE_HZ = 16_000
WAV = wav_bytes(clip("en_susan"), RATE_HZ)


def children() -> set[int]:
    """Processes that this one has started and that have not been waited for."""
    listed = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    return {int(pid) for pid in listed.read_text().split()}


def posing_as(monkeypatch: pytest.MonkeyPatch, folder: Path, program: str) -> None:
    """Let another program stand in for the child, as after a decoder was taken over."""
    (folder / "posing_child.py").write_text(program)
    monkeypatch.setattr(decoding_process, "CHILD", "posing_child")
    monkeypatch.syspath_prepend(str(folder))


async def test_a_recording_is_read_as_in_this_process() -> None:
    before = children()
    apart, here = await read_apart(WAV, "me.wav"), read_recording(io.BytesIO(WAV), "me.wav")
    np.testing.assert_array_equal(apart.pcm, here.pcm)
    assert (apart.rate_hz, apart.notes) == (here.rate_hz, here.notes)
    assert children() <= before


async def test_a_long_one_is_cut_and_says_so() -> None:
    apart = await read_apart(WAV, "me.wav", max_s=2.0)
    assert apart.duration_s == pytest.approx(2.0, abs=0.01)
    assert apart.notes == ("only the first 2 s are used",)


async def test_a_minute_of_eight_channels_has_memory_enough() -> None:
    half = np.tile(np.resize(clip("en_susan"), 30 * 8_000), (8, 1)) * np.float32(0.5)
    apart = await read_apart(wav_bytes(half, 8_000, "s16"), "room.wav")
    assert apart.duration_s == pytest.approx(30.0)


@pytest.mark.parametrize(
    ("data", "fault", "message"),
    [
        (b"", "empty", "me.wav is empty"),
        (b"MZ" * 5_000, "unreadable", "me.wav is not a recording"),
        (wav_bytes(clip("en_susan") * 0, RATE_HZ), "silent", "me.wav is silent"),
        (wav_bytes(clip("en_susan"), 4_000), "sample_rate", "too low for a voice"),
    ],
    ids=["nothing", "program", "zeros", "rate"],
)
async def test_what_is_refused_is_refused_in_the_same_words(
    data: bytes, fault: str, message: str
) -> None:
    with pytest.raises(AudioRejected, match=message) as caught:
        await read_apart(data, "me.wav")
    assert caught.value.fault == fault


@pytest.mark.parametrize(
    "program",
    [
        "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
        "import sys; sys.stdin.buffer.read(); sys.exit(3)",
        "raise SystemExit",
        "print('no JSON')",
        """print('{"rate_hz": 16000, "samples": 1000000000}')""",
        """print('{"rate_hz": 2000000000, "samples": 10}'); print('x' * 100)""",
        """print('{"rate_hz": 16000, "samples": 100}'); print('short')""",
        "import sys; sys.stdout.write('[' * 10_000_000)",
        'import sys, struct; print(\'{"rate_hz": 16000, "samples": 1}\', flush=True);'
        "sys.stdout.buffer.write(struct.pack('<f', float('nan')))",
    ],
    ids=["signal", "code", "quits", "text", "many", "rate", "short", "endless", "nan"],
)
async def test_a_child_that_dies_or_lies_costs_only_its_recording(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = children()
    posing_as(monkeypatch, tmp_path, program)
    with pytest.raises(AudioRejected, match=r"me\.wav could not be read") as caught:
        await read_apart(WAV, "me.wav")
    assert caught.value.fault == "unreadable"
    assert children() <= before


async def test_a_child_that_hangs_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = children()
    posing_as(monkeypatch, tmp_path, "import time; time.sleep(60)")
    with pytest.raises(AudioRejected, match="could not be read"):
        await read_apart(WAV, "me.wav", timeout_s=0.5)
    assert children() <= before


async def test_it_ends_with_whoever_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = children()
    posing_as(monkeypatch, tmp_path, "import time; time.sleep(60)")
    reading = asyncio.create_task(read_apart(WAV, "me.wav"))
    async with asyncio.timeout(10):
        while not children() - before:  # noqa: ASYNC110 - a process's start
            await asyncio.sleep(0.01)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert children() <= before


async def test_its_death_is_logged_without_what_was_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    posing_as(monkeypatch, tmp_path, "import os; os.abort()")
    with caplog.at_level(logging.INFO), pytest.raises(AudioRejected):
        await read_apart(WAV, "secret.wav")
    assert "has ended with -6" in caplog.text
    assert "secret" not in caplog.text


async def test_the_child_knows_none_of_our_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOICEPEER_AUTH_KEYS", "hidden")
    seen = tmp_path / "seen"
    posing_as(
        monkeypatch, tmp_path, f"import os; open({str(seen)!r}, 'w').write(repr(dict(os.environ)))"
    )
    with pytest.raises(AudioRejected):
        await read_apart(WAV, "me.wav")
    assert "PYTHONPATH" in seen.read_text()
    assert "hidden" not in seen.read_text()


# --- the child's own side ----------------------------------------------------------------------


def asked(data: bytes, name: str = "me.wav", max_s: float = 60.0) -> tuple[Answer, Samples]:
    """What the child says to a request, through its pipes."""
    given = io.BytesIO(msgspec.json.encode(Request(name, len(data), max_s)) + b"\n" + data)
    taken = io.BytesIO()
    serve(given, taken)
    line, _, samples = taken.getvalue().partition(b"\n")
    return msgspec.json.decode(line, type=Answer), np.frombuffer(samples, "<f4")


def test_the_answer_tells_of_the_samples_behind_it() -> None:
    told, samples = asked(WAV)
    assert (told.rate_hz, told.samples) == (RATE_HZ, samples.size)
    assert told.refused == told.broken == ""


def test_a_fault_of_ours_is_told_without_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["the words", "of a user"]

    def fail(*_: object) -> None:
        raise RuntimeError(" ".join(words))

    monkeypatch.setattr("voicepeer.decoding_child.read_recording", fail)
    told, pcm = answer(Request("me.wav", len(WAV), 60.0), WAV)
    assert told.broken.startswith("RuntimeError")
    assert "test_decoding_process.py" in told.broken
    assert "words of a user" not in told.broken
    assert pcm.size == 0


@pytest.mark.parametrize(
    ("program", "died"),
    [
        (f"bytearray({2 * MEMORY_BYTES})", lambda code, text: "MemoryError" in text),
        ("open('written', 'w').write('x' * 100_000)", lambda code, text: code != 0),
        ("[open('/dev/null') for _ in range(64)]", lambda code, text: "Too many open" in text),
    ],
    ids=["memory", "file", "files"],
)
def test_what_reading_does_not_need_is_given_up(
    program: str, died: Callable[[int, str], bool], tmp_path: Path
) -> None:
    code = f"from voicepeer.decoding_child import limit\nlimit()\nx = {program}"
    path = os.pathsep.join([str(Path(__file__).parents[2]), *filter(None, sys.path)])
    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert died(ended.returncode, ended.stderr)
    written = tmp_path / "written"
    assert not written.exists() or written.stat().st_size == 0


def test_time_is_limited_as_well() -> None:
    code = (
        "from voicepeer.decoding_child import limit\nlimit()\n"
        "import resource; print(resource.getrlimit(resource.RLIMIT_CPU)[1])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 0 < int(told.stdout) <= 60
    assert resource.getrlimit(resource.RLIMIT_CPU)[1] != int(told.stdout)
