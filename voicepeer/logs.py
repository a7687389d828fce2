"""Logging to standard error, as text for a person or as JSON lines for a collector.

Modules log states and figures; what was said, heard, or negotiated is never logged.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

from voicepeer.config import LogConfig

_TEXT = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"
_CHILD = "%(levelname)s %(name)s: %(message)s"
"""As ``engines.process.child`` reads it."""

# These write whole requests, descriptions or candidates at their lower levels.
_TALKATIVE = ("aioice", "aiortc", "aiohttp.access", "asyncio")
# Tells of each failed attempt as an error, and goes on to try again.
_DRAMATIC = "livekit"


class JsonFormatter(logging.Formatter):
    """One JSON object a line: ``time`` (RFC 3339), ``level``, ``logger``, ``message``."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as JSON; a traceback goes into ``exception``."""
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry, ensure_ascii=False)


def configure(config: LogConfig) -> None:
    """Send the log of the whole process to standard error; replaces what was set before."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        JsonFormatter() if config.format == "json" else logging.Formatter(_TEXT, "%H:%M:%S")
    )
    logging.basicConfig(level=config.level.upper(), handlers=[handler], force=True)
    _quieten(config.level)


def configure_child(level: str) -> None:
    """The same in a process whose log another one reads, and passes on; ``level`` is a name."""
    logging.basicConfig(level=level, format=_CHILD, force=True)
    _quieten(level.lower())


def _quieten(level: str) -> None:
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
    drama = logging.NOTSET if level == "debug" else logging.CRITICAL
    logging.getLogger(_DRAMATIC).setLevel(drama)
