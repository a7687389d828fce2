"""The service that is measured: one that is started for it, or one that runs already."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from voicepeer import config
from voicepeer.child_service import running_service
from voicepeer.core.errors import ConfigInvalid

SPARE_PLACES: Final = 8
"""For users who come back while their old call is still being ended."""


_USERINFO = re.compile(r"(?<=://)[^/@\s]*@")


def without_userinfo(text: str) -> str:
    """The same without names and passwords in its URLs (RFC 3986 section 3.2.1)."""
    return _USERINFO.sub("", text)


@dataclass(frozen=True, slots=True)
class Target:
    """A running service; of one that somebody else runs there is no process to be looked at."""

    url: str
    token: str | None
    pid: int | None
    engine: str = ""
    provider: str = ""
    precision: str = ""


@asynccontextmanager
async def target(
    url: str | None,
    arguments: Sequence[str],
    users: int,
    log: Callable[[str], None] = lambda line: None,
) -> AsyncIterator[Target]:
    """The service at ``url``, or one of our own on loopback until the block ends.

    Its database is a temporary one. ``arguments`` are more options of ``voicepeer serve``, ``log``
    gets every line that it logs.

    Raises:
        ServiceFailed: it did not get ready.
        ConfigInvalid: ``url`` is none of HTTP.
    """
    if url is not None:
        if not url.startswith(("http://", "https://")):
            raise ConfigInvalid("--url has to begin with http:// or https://")
        yield Target(url.rstrip("/"), os.environ.get(config.ENV_TOKEN), None)
        return
    places = str(users + SPARE_PLACES)
    with tempfile.TemporaryDirectory(prefix="voicepeer-loadtest-") as scratch:
        options = [
            *("--database", str(Path(scratch) / "voices.sqlite")),
            *("--set", f"server.max_sessions={places}", "--set", f"server.max_per_room={places}"),
            *("--set", "log.level=warning"),
            *arguments,
        ]
        async with running_service(options, log) as service:
            ready = service.ready
            yield Target(
                ready.url, None, service.pid, ready.engine, ready.provider, ready.precision
            )
