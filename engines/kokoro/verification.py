"""Tells whether a set of engine files, run as it will be, sounds like the published model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engines.api import EngineError, Pcm
from engines.build import quality
from engines.kokoro import voices
from engines.kokoro.calibration import calibrate
from engines.kokoro.source import SAMPLE_RATE_HZ
from engines.kokoro.synth import Synthesizer
from engines.kokoro.vocabulary import to_tokens
from engines.progress import Progress, no_progress
from engines.runtime import Session, SessionOptions, open_session

VOICES = ("af_heart", "am_michael")
SENTENCES = (
    "ðə bˈɜɹʧ kənˈu slˈɪd ˌɔn ðə smˈuð plˈæŋks.",
    "ðˈiz dˈAz ɐ ʧˈɪkən lˈɛɡ ɪz ɐ ɹˈɛɹ dˈɪʃ.",
    "kæn ju hˈɪɹ mˌi, ɔɹ ʃˈʊd I spˈik ˈʌp?",
)
MOST_ERROR = 0.05
MOST_DNSMOS_DROP = 0.1


class BuildRejected(EngineError):
    """Engine files do not sound like the model that they were made from."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Means over some sentences in some voices.

    ``log_mel_error`` and ``cosine_error`` compare the candidate with float32, both with frozen
    norms; ``dnsmos_drop`` compares it with float32 and exact norms; ``published_error`` compares
    the published file with float32 and exact norms.
    """

    log_mel_error: float
    cosine_error: float
    dnsmos: float
    dnsmos_drop: float
    published_error: float

    def to_dict(self) -> dict[str, float]:
        """Names and values, rounded for reading."""
        return {name: round(value, 5) for name, value in asdict(self).items()}

    def check(self) -> None:
        """Refuse what is not good enough.

        Raises:
            BuildRejected: names the first figure that is out of bounds.
        """
        limits = {
            "log_mel_error": MOST_ERROR,
            "cosine_error": MOST_ERROR,
            "published_error": MOST_ERROR,
            "dnsmos_drop": MOST_DNSMOS_DROP,
        }
        for name, most in limits.items():
            value = getattr(self, name)
            if not value <= most:
                raise BuildRejected(
                    f"the engine files are not good enough: {name} is {value:.3f}, at most "
                    f"{most} is allowed; the files in use were left alone"
                )


def compare(
    candidate: Synthesizer, reference: Synthesizer, weights: Path, progress: Progress = no_progress
) -> Figures:
    """Speak the same sentences with both and with the published file.

    Raises:
        QualityModelMissing: the ``eval`` extra is not installed.
    """
    published = open_session(weights, SessionOptions("cpu", "int8", 1))
    rows: list[Figures] = []
    total = len(VOICES) * len(SENTENCES)
    for name in VOICES:
        style = voices.stock_styles()[name]
        statistics = calibrate(candidate, style)
        for text in SENTENCES:
            progress("verifying", len(rows) / total)
            tokens = to_tokens(text)
            acoustics = reference.front(tokens, style)
            exact, _ = reference.measure(acoustics, style)
            plain = reference.decode(acoustics, style, reference.freeze(style, statistics))
            heard = candidate.decode(acoustics, style, candidate.freeze(style, statistics))
            original = _published(published, tokens, style)
            rows.append(_row(heard, plain, exact, original))
    progress("verifying", 1.0)
    return Figures(*(float(np.mean(column)) for column in zip(*map(_values, rows), strict=True)))


def _row(heard: Pcm, plain: Pcm, exact: Pcm, original: Pcm) -> Figures:
    judged = quality.dnsmos(heard, SAMPLE_RATE_HZ) if np.isfinite(heard).all() else 0.0
    return Figures(
        log_mel_error=quality.log_mel_error(heard, plain, SAMPLE_RATE_HZ),
        cosine_error=1.0 - quality.spectral_cosine(heard, plain, SAMPLE_RATE_HZ),
        dnsmos=judged,
        dnsmos_drop=quality.dnsmos(exact, SAMPLE_RATE_HZ) - judged,
        published_error=quality.log_mel_error(original, exact, SAMPLE_RATE_HZ),
    )


def _values(figures: Figures) -> Iterator[float]:
    yield from asdict(figures).values()


def _published(session: Session, tokens: list[int], style: NDArray[np.float32]) -> Pcm:
    (audio, *_) = session.run(
        {
            "tokens": np.asarray([tokens], dtype=np.int64),
            "style": style.reshape(1, -1),
            "speed": np.ones(1, np.float32),
        }
    )
    return np.asarray(audio, dtype=np.float32).reshape(-1)
