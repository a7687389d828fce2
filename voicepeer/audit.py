"""The audit log: who made, used, exported or deleted which voice, and under which consent, and who
had which room recorded.

JSON lines, appended as they happen. What was said or heard, names and consent texts are never
written: ids only, so that the log may be kept longer than the voices.
"""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from voicepeer.core.errors import ConfigInvalid

logger = logging.getLogger(__name__)

AuditEvent: TypeAlias = Literal[
    "clone",
    "use",
    "export",
    "import",
    "delete",
    "consent",
    "consent.delete",
    "recording.start",
    "recording.stop",
    "recording.agree",
    "recording.withdraw",
    "recording.delete",
]


class AuditLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line; ``at_s`` is Unix time, ``key_id`` the name of the key, never the key itself."""

    at_s: float
    event: AuditEvent
    key_id: str
    subject: str = ""
    voice_id: str = ""
    consent_id: str = ""
    session_id: str = ""
    recording_id: str = ""
    participant_id: str = ""
    """Of somebody in a room, where no subject says who that is."""
    reason: str = ""
    """One of a few fixed words, such as ``expired``."""


_encoder = msgspec.json.Encoder()


class Audit:
    """Appends to one file, or with ``None`` to nothing; every call is a single short write.

    The file may be moved away by whatever rotates logs: the next line opens a new one.

    Raises:
        ConfigInvalid: the file cannot be opened for writing.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._file: int | None = None
        self.lost = 0
        """Lines that could not be written."""
        self.failing = False
        """Whether the last line was one of them."""
        if path is not None:
            try:
                self._reopen(path)
            except OSError as error:
                reason = (error.strerror or "unknown error").lower()
                raise ConfigInvalid(
                    f"the audit log {path} cannot be written: {reason} (audit.file)"
                ) from error

    def record(
        self,
        event: AuditEvent,
        *,
        key_id: str,
        subject: str = "",
        voice_id: str = "",
        consent_id: str = "",
        session_id: str = "",
        recording_id: str = "",
        participant_id: str = "",
        reason: str = "",
    ) -> None:
        """Write one line; where that fails, the log says so and the service goes on."""
        if self._path is None:
            return
        line = AuditLine(
            at_s=round(time.time(), 3),
            event=event,
            key_id=key_id,
            subject=subject,
            voice_id=voice_id,
            consent_id=consent_id,
            session_id=session_id,
            recording_id=recording_id,
            participant_id=participant_id,
            reason=reason,
        )
        try:
            os.write(self._current(self._path), _encoder.encode(line) + b"\n")
        except OSError:
            self.lost += 1
            self.failing = True
            logger.exception("a line of the audit log was lost")
        else:
            self.failing = False

    def close(self) -> None:
        """Close the file; recording again opens it."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _current(self, path: Path) -> int:
        """The open file, if it is still the one at ``path``; or else a new one."""
        if self._file is not None:
            try:
                if os.path.samestat(os.fstat(self._file), path.stat()):
                    return self._file
            except FileNotFoundError:
                pass
        return self._reopen(path)

    def _reopen(self, path: Path) -> int:
        self.close()
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        self._file = os.open(path, flags, 0o600)
        return self._file
