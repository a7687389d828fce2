"""What the endpoints of ``/v1/audio`` and ``/v1/models`` share: the service, answers and pages."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from typing import Annotated, Any, Protocol, TypeVar

import msgspec
from aiohttp import web

from signaling.audio_port import AudioService, Refused
from signaling.bodies import converted
from signaling.gate import ApiError
from signaling.openapi import Parameter

AUDIO = web.AppKey("AUDIO", AudioService)

MAX_UPLOAD_BYTES = 10 * 1024 * 1024
"""As OpenAI's: five minutes of WAV at 16 kHz, much more of any other format."""

MAX_PAGE = 100

PAGING = (
    Parameter("after", "query", {"type": "string"}, "The id that the last page ended with"),
    Parameter(
        "limit", "query", {"type": "integer", "minimum": 1, "maximum": MAX_PAGE}, "Of a page"
    ),
)

T = TypeVar("T")


class _HasId(Protocol):
    @property
    def id(self) -> str: ...


ObjectT = TypeVar("ObjectT", bound=_HasId)


class _PageQuery(msgspec.Struct, frozen=True):
    after: str = ""
    limit: Annotated[int, msgspec.Meta(ge=1, le=MAX_PAGE)] = MAX_PAGE


def as_api_error(refused: Refused) -> ApiError:
    """The HTTP answer to a refusal."""
    wait_s = refused.retry_after_s
    headers = {} if wait_s is None else {"Retry-After": str(wait_s)}
    return ApiError(
        refused.status, refused.code, str(refused), param=refused.param, headers=headers
    )


async def answered(work: Coroutine[Any, Any, T]) -> T:
    """What the service gives; a refusal becomes the answer to the request.

    Raises:
        ApiError: what the service refused.
    """
    try:
        return await work
    except Refused as refused:
        raise as_api_error(refused) from refused


def page(request: web.Request, objects: Sequence[ObjectT]) -> dict[str, Any]:
    """The page that a query asks for, as the fields of a list object.

    Raises:
        ApiError: 400 ``invalid_value`` for a limit out of range, 404 where no object has the id.
    """
    query = converted(dict(request.query), _PageQuery)
    ids = [one.id for one in objects]
    if query.after and query.after not in ids:
        raise ApiError(404, "not_found", "no page ended with this id", param="after")
    first = ids.index(query.after) + 1 if query.after else 0
    shown = list(objects[first : first + query.limit])
    return {
        "data": shown,
        "has_more": first + len(shown) < len(objects),
        "first_id": shown[0].id if shown else None,
        "last_id": shown[-1].id if shown else None,
    }
