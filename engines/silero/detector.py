"""Scores 32 ms windows of 16 kHz audio for speech; the caller keeps the state of each stream."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from engines.api import Pcm, VadMemory
from engines.model_files import read_model
from engines.runtime import Session, SessionOptions, open_session

MODEL_FILE = Path(__file__).parent / "silero_vad_16k.onnx"
MODEL_SHA256 = "9ccdacc4719d8aa7e45a77536bfabec45a03ba1f2fad5e241ab4060b24238a85"

CONTEXT_SAMPLES = 64
"""End of the previous window that the model wants before each window."""

_STATE = 128
MEMORY_VALUES = 2 * _STATE + CONTEXT_SAMPLES


class SileroVad:
    """``VoiceActivityModel``; calls for different streams may come from several threads at once.

    The memory of a stream is ``[320]`` float32: the LSTM's hidden and cell state, then the last
    ``CONTEXT_SAMPLES`` heard.
    """

    sample_rate_hz = 16_000
    window_samples = 512

    def __init__(self, session: Session) -> None:
        self._session = session

    def memory(self) -> VadMemory:
        """State of a stream that begins with silence."""
        return np.zeros(MEMORY_VALUES, dtype=np.float32)

    def score(self, window: Pcm, memory: VadMemory) -> tuple[float, VadMemory]:
        """Probability of speech, 0 to 1, in ``window_samples`` of audio, and the next state.

        Samples that are not numbers count as silence: one bad frame must not spoil the state of
        the whole stream.
        """
        if window.shape != (self.window_samples,):
            raise ValueError(f"a window has {self.window_samples} samples, not {window.shape}")
        hidden, cell, context = np.split(memory, [_STATE, 2 * _STATE])
        sane = np.clip(np.nan_to_num(window, nan=0.0), -1.0, 1.0)
        heard = np.concatenate([context, sane]).astype(np.float32)
        probability, hidden, cell = self._session.run(
            {
                "input": heard[np.newaxis],
                "h": hidden.reshape(1, 1, _STATE),
                "c": cell.reshape(1, 1, _STATE),
            }
        )
        after = np.concatenate([hidden.ravel(), cell.ravel(), heard[-CONTEXT_SAMPLES:]])
        return float(probability[0]), after


def create(options: Mapping[str, str]) -> SileroVad:
    """Open the model that ships with the package, on one CPU thread; there are no options.

    Raises:
        ModelFilesMissing, ModelFilesCorrupt: the installation is incomplete.
    """
    return SileroVad(open_session(read_model(MODEL_FILE, MODEL_SHA256), SessionOptions()))
