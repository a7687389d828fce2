"""How much may be on its way at once: files, which are in memory meanwhile, and texts to say."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp import web

from signaling.gate import ApiError
from signaling.principal import Principal
from signaling.shares import AllTaken, OthersAreWaiting, Shares

UPLOADS_AT_ONCE = 8
RETRY_S = 2


class Places:
    """Places for work of one kind, one of these an application.

    ``what`` is its plural, ``tenants`` how many keys share them.
    """

    def __init__(self, what: str, at_once: int, tenants: int = 1) -> None:
        self._what = what
        self._shares = Shares(at_once, tenants)

    @contextmanager
    def place(self, principal: Principal) -> Iterator[None]:
        """Have a place for as long as the block lasts.

        Raises:
            ApiError: 503 ``at_capacity``, or 429 ``rate_limit_exceeded`` where what is left is for
                other keys; before anything of the work was done.
        """
        try:
            self._shares.take(principal.tenant)
        except AllTaken as error:
            message = f"as many {self._what} are under way as is possible: try again soon"
            raise self._refusal(503, "at_capacity", message) from error
        except OthersAreWaiting as error:
            message = f"this key has too many {self._what} under way: let some of them end first"
            raise self._refusal(429, "rate_limit_exceeded", message) from error
        try:
            yield
        finally:
            self._shares.give_back(principal.tenant)

    @staticmethod
    def _refusal(status: int, code: str, message: str) -> ApiError:
        return ApiError(status, code, message, headers={"Retry-After": str(RETRY_S)})


UPLOADS = web.AppKey("UPLOADS", Places)
SPEECHES = web.AppKey("SPEECHES", Places)
