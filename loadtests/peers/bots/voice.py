"""The voice and the files of the model that all peers share which run Kokoro."""

from __future__ import annotations

from pathlib import Path

VOICE = "af_heart"
LANGUAGE = "en-us"

MODEL_FILE = "kokoro.onnx"
VOICES_FILE = "voices.npz"


def model_files(folder: Path) -> tuple[str, str]:
    """The model and its voices, as kokoro-onnx takes them."""
    return str(folder / MODEL_FILE), str(folder / VOICES_FILE)
