"""How many files may be on their way at once: each is in memory until it was listened to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp import web

from signaling.gate import ApiError

AT_ONCE = 8
RETRY_S = 2


class Uploads:
    """Places for uploads, one of these an application."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._free = at_once

    @contextmanager
    def place(self) -> Iterator[None]:
        """Have a place for as long as the block lasts.

        Raises:
            ApiError: 503 ``at_capacity``, before anything of the file was read.
        """
        if self._free <= 0:
            raise ApiError(
                503,
                "at_capacity",
                "as many files are being uploaded as is possible: try again soon",
                headers={"Retry-After": str(RETRY_S)},
            )
        self._free -= 1
        try:
            yield
        finally:
            self._free += 1


UPLOADS = web.AppKey("UPLOADS", Uploads)
