"""``python -m voicepeer.judge_training``: fits the second judge to voices that nobody has.

    python -m engines.kokoro.train identities --shards shards --voices 100
    python -m voicepeer.judge_training --shards shards --speakers LIST

The first step can be stopped and started, the second takes a few minutes. Its report tells how
well the judge knows synthetic voices that were held out and, with a list, real people: from one
half of their clip to the other, as it is and through another microphone, room and line.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engines.progress import Progress
from voicepeer import clone_figures, console
from voicepeer.audio import read_reference
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm
from voicepeer.degrading import another_channel
from voicepeer.evaluation import read_list
from voicepeer.second_judge import MODEL_FILE, Judge, Print, voice_print

CHANNELS = 3
"""Random microphones, rooms and lines that each recording is heard through."""

DISCRIMINANTS = 30
RIDGE = 0.1
"""Share of the mean variance within voices that every direction is given more."""

HELD_OUT = 5
"""Every so many-th voice is only for the report."""

Scores = NDArray[np.float64]
Table = NDArray[np.float64]


def read_voices(folder: Path) -> list[NDArray[np.int16]]:
    """Each voice's utterances, ``[utterances, samples]`` at 16 kHz.

    Raises:
        FileNotFoundError: there are no shards.
    """
    paths = sorted(folder.glob("*.npz"))
    if not paths:
        raise FileNotFoundError(
            f"{folder} holds no voices: run `python -m engines.kokoro.train identities` first"
        )
    voices: list[NDArray[np.int16]] = []
    for path in paths:
        with np.load(path, allow_pickle=False) as shard:
            voices += list(shard["pcm"])
    return voices


def prints(voices: Sequence[NDArray[np.int16]], seed: int, progress: Progress) -> Table:
    """Prints of two recordings a voice, each through ``CHANNELS``: ``[voices, 2, channels, n]``."""
    random, table = np.random.default_rng(seed), []
    for index, utterances in enumerate(voices):
        progress("listening to voices", index / len(voices))
        halves = np.array_split(utterances.astype(np.float32) / 32_768.0, 2)
        heard = [
            [voice_print(another_channel(half.ravel(), random)) for _ in range(CHANNELS)]
            for half in halves
        ]
        table.append(heard)
    progress("listening to voices", 1.0)
    return np.array(table)


def fit(table: Table) -> Judge:
    """Linear discriminants of prints ``[voices, ..., n]``: what differs between voices only."""
    size = table.shape[-1]
    rows = table.reshape(len(table), -1, size)
    mean, scale = rows.mean(axis=(0, 1)), rows.std(axis=(0, 1)) + 1e-9
    levelled = (rows - mean) / scale
    centres = levelled.mean(axis=1)
    within = np.cov((levelled - centres[:, None]).reshape(-1, size).T)
    within += RIDGE * np.trace(within) / size * np.eye(size)
    # Whiten what a voice differs by from itself, then keep where voices differ most.
    whiten = np.linalg.cholesky(np.linalg.inv(within))
    _, directions = np.linalg.eigh(whiten.T @ np.cov(centres.T) @ whiten)
    return Judge(mean, scale, whiten @ directions[:, ::-1][:, :DISCRIMINANTS])


def equal_error_rate(scores: Scores) -> float:
    """Where as many of the same are taken for others as others for the same.

    ``scores`` is ``[n, n]``; the same are on the diagonal.
    """
    same = np.diag(scores)
    other = scores[~np.eye(len(scores), dtype=bool)]
    return min(
        max(float(np.mean(same < limit)), float(np.mean(other >= limit)))
        for limit in np.concatenate([same, other])
    )


def recognition(
    first: Sequence[Print], second: Sequence[Print], direction: Callable[[Print], Print]
) -> dict[str, float]:
    """How well the second prints are known by the first."""
    rows = [np.stack([direction(one) for one in half]) for half in (first, second)]
    scores = rows[1] @ rows[0].T
    top1 = float(np.mean([place == 1 for place in clone_figures.ranks(scores)]))
    return {"equal_error_rate": round(equal_error_rate(scores), 3), "top1": round(top1, 3)}


def untrained(known: Sequence[Print]) -> Callable[[Print], Print]:
    """What a print says without training: how it departs from the mean of those to tell apart."""
    table = np.stack(known)
    mean, deviation = table.mean(axis=0), table.std(axis=0) + 1e-9

    def direction(one: Print) -> Print:
        away = (one - mean) / deviation
        return np.asarray(away / np.linalg.norm(away))

    return direction


def real_speakers(judge: Judge, clips: Sequence[Pcm], seed: int) -> dict[str, dict[str, float]]:
    """Recognition of real people by their other half, trained and untrained."""
    random = np.random.default_rng(seed)
    halves = [np.array_split(pcm, 2) for pcm in clips]
    first = [voice_print(one) for one, _ in halves]
    alike = [voice_print(other) for _, other in halves]
    changed = [voice_print(another_channel(other, random)) for _, other in halves]
    plain = untrained(first)
    return {
        "same channel": recognition(first, alike, judge.direction),
        "same channel, untrained": recognition(first, alike, plain),
        "another channel": recognition(first, changed, judge.direction),
        "another channel, untrained": recognition(first, changed, plain),
    }


def write(judge: Judge, path: Path) -> str:
    """Write the judge in single precision; its SHA-256."""
    arrays = {
        name: np.asarray(getattr(judge, name), dtype=np.float32)
        for name in Judge.__dataclass_fields__
    }
    np.savez(path, **arrays)  # type: ignore[arg-type]
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, write and report."""
    options = training_options("voicepeer.judge_training", __doc__, MODEL_FILE, arguments)
    with console.Progress() as progress:
        table = prints(read_voices(options.shards), options.seed, progress)
    held = np.arange(len(table)) % HELD_OUT == 0
    tried = fit(table[~held])
    judge = fit(table)
    report: dict[str, object] = {
        "voices": len(table),
        "sha256": write(judge, options.out),
        "held out, another channel": recognition(
            list(table[held, 0, 0]), list(table[held, 1, 1]), tried.direction
        ),
    }
    if options.speakers is not None:
        clips = [read_reference(path).at(LISTEN_RATE_HZ) for path in read_list(options.speakers)]
        report["real speakers"] = real_speakers(judge, clips, options.seed)
    sys.stdout.write(json.dumps(report, indent=1) + "\n")
    return 0


def training_options(
    module: str, description: str | None, out: Path, arguments: Sequence[str] | None
) -> argparse.Namespace:
    """``shards``, ``speakers``, ``seed`` and ``out`` of a module that learns from the voices."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {module}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--shards", type=Path, required=True, help="folder with the voices")
    parser.add_argument("--speakers", type=Path, help="list of real clips for the report")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=out)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
