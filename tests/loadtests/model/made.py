"""Parts as they might have been measured, made up for tests of the model."""

from __future__ import annotations

from random import Random

from engines.api import CHUNK_MS
from engines.kokoro.synth import FRAME_MS, PAYLOADS
from loadtests.model.parts import EngineParts, EnrolParts, MediaParts, Parts, Said, Text

WINDOWS_MS = tuple(half_frames * FRAME_MS / 2.0 for half_frames in PAYLOADS)
"""The default engine decodes so much at a time, the last of these again and again."""


def said(audio_ms: float, chance: Random) -> Said:
    """A piece whose work lies in front of each of its windows."""
    made, ready_ms, window = [], 0.0, 0
    chunks = max(1, round(audio_ms / CHUNK_MS))
    front_ms = round(chance.gauss(50.0, 5.0), 1)
    for index in range(chunks):
        work_ms = front_ms if index == 0 else 0.1
        while ready_ms < CHUNK_MS * (index + 1):
            length_ms = WINDOWS_MS[min(window, len(WINDOWS_MS) - 1)]
            ready_ms, window, work_ms = ready_ms + length_ms, window + 1, work_ms + 0.1 * length_ms
        made.append(round(work_ms, 1))
    return Said(front_ms, tuple(made), float(CHUNK_MS))


def text(chance: Random) -> Text:
    """One or two sentences."""

    def piece(audio_ms: float) -> tuple[Said, ...]:
        return tuple(said(audio_ms, chance) for _ in range(3))

    first_ms, second_ms = chance.uniform(1_000, 2_400), chance.uniform(1_500, 3_500)
    return Text(
        words=10,
        pieces=(piece(first_ms), piece(second_ms)),
        early_pieces=(piece(first_ms / 2), piece(first_ms / 2), piece(second_ms)),
    )


def parts(seed: int = 1, texts: int = 6) -> Parts:
    """All parts; one user alone is heard after 150 ms."""
    chance = Random(seed)
    return Parts(
        cores=2,
        engine=EngineParts(
            engine="made",
            provider="cpu",
            precision="fp32",
            rate_hz=24_000,
            first_chunk_ms=70.0,
            cores=1.6,
            rss_mb=1_000.0,
            texts=tuple(text(chance) for _ in range(texts)),
            sentence=tuple(said(3_200.0, chance) for _ in range(4)),
        ),
        media=MediaParts(
            idle_ms=20.0,
            silent_ms=10.0,
            heard_ms=4.0,
            speaking_ms=6.0,
            listening_ms=20.0,
            session_mb=3.0,
            service_mb=1_400.0,
        ),
        enrolment=EnrolParts(cpu_s=3.0, clone_ms=900.0),
        single_first_audible_ms=(145.0, 150.0, 160.0),
    )
