"""Files that commands write for a person."""

from __future__ import annotations

from pathlib import Path

from voicepeer.audio import write_wav
from voicepeer.core.errors import CannotWrite
from voicepeer.core.pcm import Pcm


def save_speech(out: Path, pcm: Pcm, rate_hz: int) -> None:
    """Write speech to a WAV file; raises ``CannotWrite`` and says why."""
    try:
        write_wav(out, pcm, rate_hz)
    except OSError as error:
        raise CannotWrite(f"cannot write {out}: {error.strerror}") from error
