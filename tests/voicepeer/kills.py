"""Kills writers of voices at random moments, and looks each time at what they leave behind.

``python -m tests.voicepeer.kills FOLDER [--kills N] [--seed N] [--voice-bytes N]`` does it for
longer than a test has time for, and tells as JSON what came of it; it fails where anything is
damaged, by halves, or lost although it was said to be kept.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import sys
import time
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from engines.api import Voice
from tests.voicepeer.test_voice_store import NOW, record
from voicepeer.consent_store import owned_copy
from voicepeer.database import connection
from voicepeer.stores import Stores, in_file
from voicepeer.voice_store import VoiceRecord, new_voice_id

ID_CHARS = 32


@dataclass
class Outcome:
    """What was done and seen."""

    kills: int = 0
    kept: int = 0
    """Voices that were said to be kept."""
    unsaid: int = 0
    """That were kept when their writer died before it could say so."""
    seconds: float = 0.0


def write_until_killed(stores: Stores, voice: Voice, chance: random.Random, tell: int) -> None:
    """Take in voices, and tell of each by its id; now and then rename or delete one before."""
    mine: list[str] = []
    while True:
        made, given = owned_copy(fresh(voice), "key-a")
        stores.consents.take_in(made, given)
        os.write(tell, made.voice_id.encode())
        mine.append(made.voice_id)
        if chance.random() < 0.3:
            stores.voices.rename(chance.choice(mine), f"Renamed {chance.random()}")
        if chance.random() < 0.2 and len(mine) > 1:
            # Of what was told only the newest may not go, so that what is told is easy to check.
            other, other_given = owned_copy(fresh(voice), "key-a")
            stores.consents.take_in(other, other_given)
            stores.voices.delete(other.voice_id)


def fresh(voice: Voice) -> VoiceRecord:
    """Another voice of the same size."""
    return replace(record(), voice_id=new_voice_id(), voice=voice)


def kill_one(stores: Stores, voice: Voice, chance: random.Random, longest_s: float) -> set[str]:
    """Let a process write and kill it; ids of what it had said was kept."""
    hear, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(hear)
            write_until_killed(stores, voice, random.Random(chance.random()), tell)
        finally:
            os._exit(code)
    os.close(tell)
    first = os.read(hear, ID_CHARS)
    time.sleep(chance.uniform(0.0, longest_s))
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    with os.fdopen(hear, "rb") as pipe:
        told = (first + pipe.read()).decode()
    assert os.WIFSIGNALED(status), "the writer failed before it was killed"
    return {told[at : at + ID_CHARS] for at in range(0, len(told), ID_CHARS)}


def check(path: Path, stores: Stores, told: set[str], voice: Voice) -> int:
    """How many voices there are, if all is whole, and all that was told is there."""
    with closing(sqlite3.connect(path)) as opened:
        assert opened.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    there = stores.voices.records(NOW)
    consents = {one.consent_id for one in stores.consents.consents()}
    assert told <= {one.voice_id for one in there}, "what was said to be kept is lost"
    assert {one.consent.consent_id for one in there} == consents, "a voice without its consent"
    assert all(one.voice.to_bytes() == voice.to_bytes() for one in there), "a voice by halves"
    return len(there)


def run(folder: Path, kills: int, seed: int, voice_bytes: int, longest_s: float = 0.03) -> Outcome:
    """Kill so many writers one after the other, all of one file."""
    chance, outcome, started_s = random.Random(seed), Outcome(), time.monotonic()
    path = folder / "voices.sqlite"
    stores = in_file(path)
    values = np.random.default_rng(seed).normal(size=voice_bytes // 4).astype(np.float32)
    voice = Voice("fake", "1", {"style": values})
    for _ in range(kills):
        told = kill_one(stores, voice, chance, longest_s)
        there = check(path, stores, told, voice)
        outcome.kills += 1
        outcome.kept += len(told)
        outcome.unsaid += there - len(told)
        with connection(path) as opened, opened:
            opened.execute("DELETE FROM voices")
            opened.execute("DELETE FROM consents")
    outcome.seconds = round(time.monotonic() - started_s, 1)
    return outcome


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    parser.add_argument("--voice-bytes", type=int, default=522_240, help="as of the default engine")
    chosen = parser.parse_args()
    outcome = run(chosen.folder, chosen.kills, chosen.seed, chosen.voice_bytes)
    sys.stdout.write(json.dumps(asdict(outcome) | {"seed": chosen.seed}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
