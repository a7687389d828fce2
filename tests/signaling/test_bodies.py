"""Bodies are read within limits, and refused in the one form of errors."""

from __future__ import annotations

import asyncio
from typing import Annotated

import msgspec
import pytest
from aiohttp import StreamReader, web
from aiohttp.base_protocol import BaseProtocol
from aiohttp.test_utils import make_mocked_request

from signaling.bodies import (
    MAX_FIELD_BYTES,
    MAX_PARTS,
    Form,
    checked,
    converted,
    read_body,
    read_form,
    read_json,
)
from signaling.gate import ApiError

pytestmark = pytest.mark.unit

FILE_BYTES = 100_000


class Body(msgspec.Struct):
    name: Annotated[str, msgspec.Meta(max_length=5)]
    size: int = 1


def request(data: bytes, kind: str, **headers: str) -> web.Request:
    """A request whose body has come."""
    reader = StreamReader(BaseProtocol(asyncio.get_running_loop()), 2**20)
    for start in range(0, len(data), 1_000):
        reader.feed_data(data[start : start + 1_000])
    reader.feed_eof()
    return make_mocked_request("POST", "/", {"Content-Type": kind, **headers}, payload=reader)


def part(name: str, content: bytes, filename: str | None = None) -> bytes:
    file = "" if filename is None else f'; filename="{filename}"'
    head = f'--b\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'
    return head.encode() + content + b"\r\n"


async def form(*parts: bytes, end: bytes = b"--b--\r\n") -> Form:
    data = b"".join(parts) + end
    return await read_form(request(data, "multipart/form-data; boundary=b"), FILE_BYTES)


def code_of(caught: pytest.ExceptionInfo[ApiError]) -> tuple[int, str]:
    return caught.value.status, caught.value.code


async def test_fields_and_files_are_told_apart_by_their_file_names() -> None:
    made = await form(part("name", "Zoë".encode()), part("voice", b"\0\r\n\xff", "a.wav"))
    assert made.text("name") == "Zoë"
    assert (made.file("voice").name, made.file("voice").data) == ("a.wav", b"\0\r\n\xff")
    assert made.file("other", "voice").name == "a.wav"


@pytest.mark.parametrize("name", ["name", "voice"])
async def test_what_is_missing_is_named(name: str) -> None:
    made = await form(part("empty", b"  "))
    with pytest.raises(ApiError) as caught:
        made.text(name)
    assert (*code_of(caught), name) == (400, "missing_field", name)
    with pytest.raises(ApiError):
        made.file(name)
    with pytest.raises(ApiError):
        made.text("empty")


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\\\me\\\\a.wav", "a.wav"),
        ("a\u202evaw.exe", "avaw.exe"),
        ("x" * 500, "x" * 80),
        ("dir/", "the recording"),
    ],
)
async def test_a_file_name_is_only_a_name(given: str, shown: str) -> None:
    assert (await form(part("voice", b"1", given))).file("voice").name == shown


async def test_files_are_bounded_altogether() -> None:
    half = b"x" * (FILE_BYTES // 2)
    await form(part("a", half, "a"), part("b", half, "b"))
    with pytest.raises(ApiError) as caught:
        await form(part("a", half, "a"), part("b", half + b"x", "b"))
    assert code_of(caught) == (413, "too_large")


async def test_a_length_that_is_too_large_is_refused_unread() -> None:
    with pytest.raises(ApiError) as caught:
        await read_form(
            request(b"--b--", "multipart/form-data; boundary=b", **{"Content-Length": "1000000"}),
            FILE_BYTES,
        )
    assert code_of(caught) == (413, "too_large")
    assert caught.value.headers["Connection"] == "close"


@pytest.mark.parametrize(
    ("parts", "end"),
    [
        ([part("a", b"1")] * (MAX_PARTS + 1), b"--b--\r\n"),
        ([part("", b"1")], b"--b--\r\n"),
        ([b"--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n"], b"--b--\r\n"),
        ([b"--b\r\n" + b"A: b\r\n" * 10_000 + b"\r\nx\r\n"], b"--b--\r\n"),
        ([b"--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c--\r\n"], b"--b--\r\n"),
        ([b"no form at all"], b""),
        ([b"--b\r\nContent-Length: x\r\n\r\nx\r\n"], b"--b--\r\n"),
    ],
)
@pytest.mark.filterwarnings("ignore::aiohttp.BadContentDispositionHeader")
async def test_malformed_forms_are_refused(parts: list[bytes], end: bytes) -> None:
    with pytest.raises(ApiError) as caught:
        await form(*parts, end=end)
    assert code_of(caught) == (400, "bad_form")


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("application/json", 415),
        ("multipart/form-data", 400),
        ("multipart/form-data; boundary=", 400),
        (f"multipart/form-data; boundary={'b' * 71}", 400),
    ],
)
async def test_only_forms_with_a_boundary_are_forms(kind: str, status: int) -> None:
    with pytest.raises(ApiError) as caught:
        await read_form(request(b"--b--", kind), FILE_BYTES)
    assert caught.value.status == status


async def test_fields_are_text_and_short() -> None:
    with pytest.raises(ApiError) as caught:
        await form(part("name", b"\xff\xfe"))
    assert code_of(caught) == (400, "invalid_value")
    with pytest.raises(ApiError) as caught:
        await form(part("name", b"x" * (MAX_FIELD_BYTES + 1)))
    assert code_of(caught) == (413, "too_large")


async def test_json_is_read_by_its_schema() -> None:
    good = request(b'{"name":"Ada","new":1}', "application/json; charset=utf-8")
    assert (await read_json(good, Body)).name == "Ada"
    with pytest.raises(ApiError) as caught:
        await read_json(request(b"{}", "text/plain"), Body)
    assert code_of(caught) == (415, "unsupported_media_type")


@pytest.mark.parametrize(
    ("raw", "code", "param"),
    [
        (b"{}", "invalid_value", "name"),
        (b'{"name":7}', "invalid_value", "name"),
        (b'{"name":"too long"}', "invalid_value", "name"),
        (b'{"name":"a","size":"1"}', "invalid_value", "size"),
        (b"[]", "invalid_value", None),
        (b"{", "bad_json", None),
        (b'{"name":"\xff"}', "bad_json", None),
        (b"", "bad_json", None),
        (b'{"name":"\\ud83d"}', "bad_json", None),
    ],
)
def test_errors_name_the_field(raw: bytes, code: str, param: str | None) -> None:
    with pytest.raises(ApiError) as caught:
        checked(raw, Body)
    told = msgspec.json.decode(caught.value.text or "")["error"]
    assert (told["code"], told["param"]) == (code, param)


def test_numbers_of_queries_are_text() -> None:
    assert converted({"name": "a", "size": "3"}, Body).size == 3
    with pytest.raises(ApiError):
        converted({"name": "a", "size": "three"}, Body)


async def test_a_body_is_never_larger_than_allowed() -> None:
    assert await read_body(request(b"x" * 5_000, "a/b"), 5_000) == b"x" * 5_000
    with pytest.raises(ApiError) as caught:
        await read_body(request(b"x" * 5_001, "a/b"), 5_000)
    assert code_of(caught) == (413, "too_large")
