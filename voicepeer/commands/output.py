"""Files that commands write for a person."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from voicepeer.audio import write_wav
from voicepeer.core.errors import CannotWrite
from voicepeer.core.messages import Word
from voicepeer.core.pcm import Pcm
from voicepeer.core.speaking.caption import captions, webvtt
from voicepeer.core.speaking.ssml import text_of


def save_speech(out: Path, pcm: Pcm, rate_hz: int) -> None:
    """Write speech to a WAV file; raises ``CannotWrite`` and says why."""
    try:
        write_wav(out, pcm, rate_hz)
    except OSError as error:
        raise CannotWrite(f"cannot write {out}: {error.strerror}") from error


def save_captions(out: Path, text: str, words: Sequence[Word], ssml: bool = False) -> None:
    """Write captions as WebVTT; raises ``CannotWrite`` and says why."""
    source = text_of(text) if ssml else text
    try:
        out.write_text(webvtt(captions(source, words)), encoding="utf-8")
    except OSError as error:
        raise CannotWrite(f"cannot write {out}: {error.strerror}") from error
