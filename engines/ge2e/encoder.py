"""The GE2E speaker encoder: 16 kHz speech in, a 256-dimensional unit vector out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.api import Embedding, Pcm, ReferenceRejected
from engines.ge2e.mel import HOP_SAMPLES, SAMPLE_RATE_HZ, mel_spectrogram
from engines.model_files import read_model
from engines.runtime import Session, SessionOptions, open_session

MODEL_FILE = Path(__file__).parent / "ge2e_int8.onnx"
MODEL_SHA256 = "50dbabe8b694adbe7add798f47b6f7763a8a0de8661acdd5e4bb2ae0f7ad4522"
"""Of the file that ``engines.ge2e.export`` made from resemblyzer 0.1.4's weights."""

WINDOW_FRAMES = 160
HOP_FRAMES = 80
SHORT_HOP_FRAMES = 40
SHORT_SPEECH_S = 3.0
"""Below this much speech windows overlap more, which brings it 0.01 to 0.02 nearer the voice."""

MIN_SPEECH_S = 0.4
TARGET_LEVEL_DBFS = -30.0
_MAX_BATCH = 32


class Ge2eEncoder:
    """``SpeakerEncoder`` over an ONNX session; calls may come from several threads at once."""

    name = "ge2e"
    sample_rate_hz = SAMPLE_RATE_HZ
    window_samples = WINDOW_FRAMES * HOP_SAMPLES

    def __init__(self, session: Session) -> None:
        self._session = session

    def embed(self, pcm: Pcm) -> Embedding:
        """Embedding of speech of any length of at least ``MIN_SPEECH_S``, shape ``[256]``.

        As in Resemblyzer, speech quieter than -30 dBFS is first raised to that level (louder
        speech is left as it is: the encoder is not level-invariant, 10 dB more cost 0.12 of
        cosine). Then it is cut into windows of 1.6 s that overlap by half (by three quarters
        under 3 s of speech); the result is the normalised mean of theirs. Speech shorter than
        one window is embedded as it is, without padding.

        Raises:
            ReferenceRejected: too short, or silent, or holding samples that are not numbers.
        """
        mels = mel_spectrogram(_levelled(_checked(pcm)))
        starts = window_starts(pcm.size)
        windows = [mels[start : start + WINDOW_FRAMES] for start in starts]
        return _unit(np.mean([_unit(row) for row in self._run(windows)], axis=0))

    def embed_window(self, pcm: Pcm) -> Embedding:
        """Embedding of exactly ``window_samples`` of speech, levelled on its own.

        Raises:
            ReferenceRejected: silent, or holding samples that are not numbers.
        """
        if pcm.shape != (self.window_samples,):
            raise ValueError(f"a window has {self.window_samples} samples, not {pcm.shape}")
        mels = mel_spectrogram(_levelled(_checked(pcm)))
        return _unit(self._run([mels[:WINDOW_FRAMES]])[0])

    def _run(self, windows: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        """Raw outputs, shape ``[len(windows), 256]``; all windows have the same length."""
        rows = [
            self._session.run({"mels": np.stack(windows[at : at + _MAX_BATCH])})[0]
            for at in range(0, len(windows), _MAX_BATCH)
        ]
        return np.concatenate(rows)


def window_starts(samples: int) -> list[int]:
    """First mel frame of each window over ``samples`` of speech.

    A remainder of at least half a hop gets a last window that ends with the speech.
    """
    hop = SHORT_HOP_FRAMES if samples < SHORT_SPEECH_S * SAMPLE_RATE_HZ else HOP_FRAMES
    last = max(0, samples // HOP_SAMPLES - WINDOW_FRAMES)
    starts = list(range(0, last + 1, hop))
    if last - starts[-1] >= hop // 2:
        starts.append(last)
    return starts


def _checked(pcm: Pcm) -> Pcm:
    seconds = pcm.size / SAMPLE_RATE_HZ
    if seconds < MIN_SPEECH_S:
        raise ReferenceRejected(
            f"{seconds:.2f} s of speech is too short to tell a voice from: "
            f"give at least {MIN_SPEECH_S:.1f} s"
        )
    if not np.isfinite(pcm).all():
        raise ReferenceRejected("the speech holds samples that are not numbers: record it again")
    return pcm


def _levelled(pcm: Pcm) -> Pcm:
    """Raise quiet speech to the target level; leave louder speech and pure silence alone."""
    rms = float(np.sqrt(np.mean(np.square(pcm, dtype=np.float64))))
    target = 10.0 ** (TARGET_LEVEL_DBFS / 20.0)
    if rms == 0.0:
        raise ReferenceRejected("the speech is silence: check the microphone")
    return pcm if rms >= target else np.asarray(pcm * (target / rms), dtype=np.float32)


def _unit(vector: NDArray[Any]) -> Embedding:
    norm = float(np.linalg.norm(vector))
    if not norm > 0.0:
        raise ReferenceRejected("no voice could be told from this recording")
    return np.asarray(vector / norm, dtype=np.float32)


def create(options: Mapping[str, str]) -> Ge2eEncoder:
    """Open the encoder that ships with the package, on the CPU.

    The one option is ``threads``, the cores that one call may use (1 unless given). A GPU would
    gain nothing: onnxruntime has int8 LSTM layers for the CPU only.

    Raises:
        ModelFilesMissing, ModelFilesCorrupt: the installation is incomplete.
    """
    threads = int(options.get("threads", "1"))
    model = read_model(MODEL_FILE, MODEL_SHA256)
    return Ge2eEncoder(open_session(model, SessionOptions(threads=threads)))
