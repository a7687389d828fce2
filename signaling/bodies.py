"""Bodies of HTTP requests, read within limits: JSON into a type, and multipart forms.

Nothing is parsed before its size is known to be bounded, and no file touches the disk.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import aiohttp
import msgspec
from aiohttp import BodyPartReader, MultipartReader, web
from aiohttp.helpers import parse_mimetype
from aiohttp.http_exceptions import HttpProcessingError

from signaling.audio_port import Upload
from signaling.gate import ApiError
from signaling.json_faults import fault_of

BodyT = TypeVar("BodyT")

# They quote what was sent, and would come to stand in the log.
warnings.simplefilter("ignore", aiohttp.BadContentDispositionHeader)
warnings.simplefilter("ignore", aiohttp.BadContentDispositionParam)

MAX_JSON_BYTES = 256 * 1024
MAX_PARTS = 16
MAX_FIELD_BYTES = 16 * 1024
MAX_OVERHEAD_BYTES = 64 * 1024
"""Of a form, beyond its files: boundaries, headers and the other fields."""

_BAD_MULTIPART = (ValueError, AssertionError, LookupError, RuntimeError, HttpProcessingError)
"""What aiohttp's reader raises for malformed forms of different kinds."""

_AT = re.compile(r" - at `\$\.([^`\[.]+)")


@dataclass(frozen=True, slots=True)
class Form:
    """The parts of a form by their names; of several with one name, the last."""

    fields: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, Upload] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """A field that has to be there.

        Raises:
            ApiError: 400 ``missing_field``.
        """
        value = self.fields.get(name, "").strip()
        if not value:
            raise missing(name)
        return value

    def file(self, *names: str) -> Upload:
        """A file that has to be there, under one of these names; raises like ``text``."""
        found = next((self.files[name] for name in names if name in self.files), None)
        if found is None:
            raise missing(names[0])
        return found


def missing(name: str) -> ApiError:
    """The answer to a form or body without a field."""
    return ApiError(400, "missing_field", f"the field {name!r} is missing", param=name)


def media_type(request: web.Request) -> str:
    """The media type of a body, without its parameters, in small letters."""
    return request.content_type.lower()


async def read_json(request: web.Request, kind: type[BodyT]) -> BodyT:
    """The body as ``kind``, by its msgspec schema.

    Raises:
        ApiError: 413 ``too_large``, 415 ``unsupported_media_type``, 400 ``bad_json`` or
            ``invalid_value``, which names the field.
    """
    if media_type(request) != "application/json":
        raise ApiError(
            415, "unsupported_media_type", "send JSON with 'Content-Type: application/json'"
        )
    return checked(await read_body(request, MAX_JSON_BYTES), kind)


def checked(raw: bytes, kind: type[BodyT]) -> BodyT:
    """JSON as ``kind``; raises like ``read_json``."""
    try:
        return msgspec.json.decode(raw, type=kind)
    except msgspec.ValidationError as error:
        raise invalid(error) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        why = fault_of(error, raw)
        raise ApiError(400, "bad_json", f"the body is not valid JSON: {why}") from error


def converted(values: Mapping[str, object], kind: type[BodyT]) -> BodyT:
    """Fields of a form or of a query as ``kind``; numbers may be text.

    Raises:
        ApiError: 400 ``invalid_value``, which names the field.
    """
    try:
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        raise invalid(error) from error


def invalid(error: msgspec.ValidationError) -> ApiError:
    """The answer to a value that the schema does not allow."""
    message = str(error)
    at = _AT.search(message)
    needed = re.search(r"missing required field `(\w+)`", message)
    param = at[1] if at else needed[1] if needed else None
    return ApiError(400, "invalid_value", message, param=param)


async def read_body(request: web.Request, max_bytes: int) -> bytes:
    """The whole body.

    Raises:
        ApiError: 413 ``too_large``, before more than ``max_bytes`` are in memory; 415 for one
            that is compressed.
    """
    _refuse_unread(request, max_bytes)
    body = bytearray()
    async for chunk in request.content.iter_any():
        body += chunk
        if len(body) > max_bytes:
            raise too_large(max_bytes)
    return bytes(body)


def too_large(max_bytes: int) -> ApiError:
    """The answer to more bytes than are taken; the connection is closed, not read to its end."""
    return ApiError(
        413,
        "too_large",
        f"this may have {max_bytes} bytes: send less",
        headers={"Connection": "close"},
    )


def _refuse_unread(request: web.Request, max_bytes: int) -> None:
    coding = request.headers.get("Content-Encoding", "identity").strip().lower()
    if coding != "identity":
        # Nothing that is sent here gets much smaller, and a few bytes could become very many.
        raise ApiError(
            415,
            "unsupported_media_type",
            "bodies are not taken compressed: send it without 'Content-Encoding'",
            headers={"Accept-Encoding": "identity"},  # RFC 9110 section 12.5.3
        )
    if request.content_length is not None and request.content_length > max_bytes:
        raise too_large(max_bytes)


async def read_form(
    request: web.Request, max_file_bytes: int, max_field_bytes: int = MAX_FIELD_BYTES
) -> Form:
    """A multipart form (RFC 7578) with files of ``max_file_bytes`` altogether.

    Raises:
        ApiError: 415 for another media type, 400 ``bad_form``, 413 ``too_large``.
    """
    if media_type(request) != "multipart/form-data":
        raise ApiError(415, "unsupported_media_type", "send a form: multipart/form-data")
    if not parse_mimetype(request.headers["Content-Type"]).parameters.get("boundary"):
        raise _bad_form("it names no boundary")
    _refuse_unread(request, max_file_bytes + MAX_OVERHEAD_BYTES)
    try:
        return await _parts(await request.multipart(), max_file_bytes, max_field_bytes)
    except _BAD_MULTIPART as error:
        raise _bad_form("it is malformed or cut short") from error


async def _parts(reader: MultipartReader, max_file_bytes: int, max_field_bytes: int) -> Form:
    fields: dict[str, str] = {}
    files: dict[str, Upload] = {}
    room = max_file_bytes
    count = 0
    while (part := await reader.next()) is not None:
        count += 1
        if count > MAX_PARTS:
            raise _bad_form(f"it has more than {MAX_PARTS} parts")
        if not isinstance(part, BodyPartReader) or not part.name:
            raise _bad_form("a part has no name")
        if part.filename is None:
            fields[part.name] = await _text(part, max_field_bytes)
        else:
            files[part.name] = Upload(_file_name(part.filename), await _bytes(part, room))
            room -= len(files[part.name].data)
    return Form(fields, files)


async def _text(part: BodyPartReader, max_bytes: int) -> str:
    raw = await _bytes(part, max_bytes)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise ApiError(
            400, "invalid_value", f"the field {part.name!r} is not UTF-8", param=part.name
        ) from error


async def _bytes(part: BodyPartReader, max_bytes: int) -> bytes:
    data = bytearray()
    while chunk := await part.read_chunk():
        data += chunk
        if len(data) > max_bytes:
            raise too_large(max_bytes)
    return bytes(data)


def _file_name(given: str) -> str:
    """What messages call a file: its last component, printable and short."""
    last = re.split(r"[\\/]", given)[-1]
    return "".join(char for char in last if char.isprintable())[:80] or "the recording"


def _bad_form(reason: str) -> ApiError:
    return ApiError(400, "bad_form", f"the form cannot be read: {reason}")
