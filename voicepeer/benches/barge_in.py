"""Does our own echo interrupt us, and how soon does somebody else? On recordings of real speakers.

Each round draws two speakers, a delay, noise and a room. One speaks as we do and comes back as an
echo; the other, at the same level, speaks over it or over headphones. Opus is passed both ways,
speech is found by the real voice activity model, and both sides' packets come unevenly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from engines import registry
from engines.api import VoiceActivityModel
from voicepeer.audio import read_reference
from voicepeer.benches.echo_paths import EchoPath, at_speech_level, microphone, over_the_wire
from voicepeer.benches.figures import percentile
from voicepeer.core.errors import AudioRejected
from voicepeer.core.listening.echo import EchoDetector
from voicepeer.core.listening.interruption import Interruption, UserBegan
from voicepeer.core.pcm import FRAME_SAMPLES, LISTEN_RATE_HZ, WIRE_RATE_HZ, Pcm, to_pcm16
from voicepeer.recorder import trim

SECONDS: Final = 5.5
"""Of our speech in each round; shorter recordings are left out."""

BEGIN_S: Final = 2.2
"""When the other one begins."""

JITTER_S: Final = 0.03
DELAYS_MS: Final = (30.0, 1_000.0)
NOISE_DBFS: Final = (-75.0, -50.0)
PATHS: Final = ((0.0, 0.0), (-6.0, 0.2), (-12.0, 0.3), (-20.0, 0.4), (-30.0, 0.5), (-12.0, 0.7))
"""Level of the echo in dB, reverberation time in s."""

Progress = Callable[[str, float], None]


@dataclass(slots=True)
class _Tally:
    false: int = 0
    missed: int = 0
    noticed_ms: list[float] = field(default_factory=list)

    def note(self, began_s: Sequence[float]) -> None:
        """Count what became of somebody who began at ``BEGIN_S``."""
        after = [at - BEGIN_S for at in began_s if at > BEGIN_S]
        self.false += len(after) < len(began_s)
        if after:
            self.noticed_ms.append(after[0] * 1000)
        else:
            self.missed += 1

    def figures(self) -> dict[str, Any]:
        """As ``--json`` prints them."""
        points = {"p50": 50.0, "p95": 95.0, "max": 100.0}
        noticed_ms = {
            name: percentile(self.noticed_ms, percent, 0) for name, percent in points.items()
        }
        return {"false": self.false, "missed": self.missed, "noticed_ms": noticed_ms}


class _Room:
    """One call: what we send, and a microphone with the model that listens to it."""

    def __init__(self, vad: VoiceActivityModel, seed: int) -> None:
        self._vad = vad
        self._chance = np.random.default_rng(seed)

    def listen(self, ours: Pcm, heard: Pcm) -> list[float]:
        """When somebody was taken to begin to speak, in seconds."""
        detector, interruption = EchoDetector(), Interruption()
        memory, size = self._vad.memory(), self._vad.window_samples
        sent, began_s = 0, []
        for end in range(size, heard.size + 1, size):
            now_s = end / LISTEN_RATE_HZ
            due_s = now_s + float(self._chance.uniform(-JITTER_S, JITTER_S))
            while (sent + 1) * FRAME_SAMPLES <= min(ours.size, due_s * WIRE_RATE_HZ):
                frame = ours[sent * FRAME_SAMPLES : (sent + 1) * FRAME_SAMPLES]
                detector.sent(to_pcm16(frame))
                sent += 1
            window = heard[end - size : end]
            verdict = detector.heard(window)
            score, memory = self._vad.score(window, memory)
            events = interruption.push(score, verdict, 1000 * size / LISTEN_RATE_HZ, now_s)
            began_s += [event.at for event in events if isinstance(event, UserBegan)]
        return began_s


def run(clips: Path, rounds: int, progress: Progress) -> dict[str, Any]:
    """``rounds`` over each path, and as many with headphones.

    Args:
        clips: a folder of recordings, one speaker each.

    Raises:
        AudioRejected: fewer than two of them are long enough.
    """
    speakers = _speakers(clips)
    vad = registry.create_vad("silero", {})
    chance = np.random.default_rng(0)
    headphones, paths = _Tally(), []
    for number, (gain_db, rt60_s) in enumerate(PATHS):
        alone, over = 0, _Tally()
        for done in range(rounds):
            progress("barge-in", (number + done / rounds) / len(PATHS))
            round_ = _draw(chance, speakers, gain_db, rt60_s)
            room = _Room(vad, round_.path.seed)
            alone += bool(room.listen(round_.ours, round_.heard(echo=True, theirs=False)))
            over.note(room.listen(round_.ours, round_.heard(echo=True, theirs=True)))
            if number == 0:
                headphones.note(room.listen(round_.ours, round_.heard(echo=False, theirs=True)))
        figures = over.figures() | {"false": alone}
        paths.append({"gain_db": gain_db, "rt60_s": rt60_s, **figures})
    progress("barge-in", 1.0)
    return {
        "speakers": len(speakers),
        "rounds": rounds,
        "paths": paths,
        "headphones": headphones.figures(),
    }


@dataclass(frozen=True, slots=True)
class _Round:
    ours: Pcm
    theirs: Pcm
    path: EchoPath
    noise_dbfs: float

    def heard(self, *, echo: bool, theirs: bool) -> Pcm:
        """What comes from the microphone, 16 kHz."""
        parts: list[tuple[float, Pcm]] = []
        if echo:
            parts.append((0.0, self.path.play(over_the_wire(self.ours, WIRE_RATE_HZ))))
        if theirs:
            parts.append((BEGIN_S, self.theirs))
        return over_the_wire(microphone(SECONDS, parts, self.noise_dbfs, self.path.seed))


def _draw(
    chance: np.random.Generator, speakers: Sequence[Pcm], gain_db: float, rt60_s: float
) -> _Round:
    one, other = chance.choice(len(speakers), 2, replace=False)
    path = EchoPath(
        float(chance.uniform(*DELAYS_MS)), gain_db, rt60_s, seed=int(chance.integers(2**31))
    )
    theirs = speakers[other][: int((SECONDS - BEGIN_S) * WIRE_RATE_HZ)]
    return _Round(speakers[one], theirs, path, float(chance.uniform(*NOISE_DBFS)))


def _speakers(folder: Path) -> list[Pcm]:
    found = []
    for path in sorted(folder.glob("*.wav")):
        pcm = trim(read_reference(path).at(WIRE_RATE_HZ))
        if pcm.size >= SECONDS * WIRE_RATE_HZ:
            found.append(at_speech_level(pcm[: int(SECONDS * WIRE_RATE_HZ)]))
    if len(found) < 2:
        raise AudioRejected(f"{folder} needs two recordings of {SECONDS} s or more, as .wav files")
    return found
