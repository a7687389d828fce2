"""The OpenAPI 3.1 document, made from the routes themselves and the types of their messages.

An endpoint says with ``@operation`` what its path cannot say; ``document`` reads paths, methods
and message types of a whole application, so that there is nothing to keep in step by hand.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Literal, TypeAlias, TypeVar

import msgspec
from aiohttp import hdrs, web

JSON = "application/json"
BINARY: Mapping[str, Any] = {"type": "string", "contentMediaType": "application/octet-stream"}
"""Schema of a file inside a form, or of a body that is no text."""

JsonSchema: TypeAlias = Mapping[str, Any]
Shape: TypeAlias = "type[Any] | JsonSchema"
"""A msgspec type, which becomes a named component, or a literal JSON schema."""

HandlerT = TypeVar("HandlerT", bound=Callable[..., Any])

_ATTRIBUTE = "__openapi_operation__"
_PATH_PARAMETER = re.compile(r"{(\w+)}")


class ApiErrorDetail(msgspec.Struct, frozen=True, kw_only=True):
    """What was refused and why, as clients of OpenAI's API read it."""

    message: str
    """For a person: whose fault it is, and what to do."""
    type: str
    code: str | None = None
    """For programs; stable."""
    param: str | None = None
    """The field that is at fault, if there is one."""


class ApiErrorBody(msgspec.Struct, frozen=True, kw_only=True):
    """Body of every answer from 400 on."""

    error: ApiErrorDetail


@dataclass(frozen=True, slots=True)
class Content:
    """A body of one media type."""

    media_type: str
    shape: Shape


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer that an endpoint may give; ``headers`` maps names to what they say."""

    description: str
    contents: tuple[Content, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A query or header parameter, or more about one of the path."""

    name: str
    where: Literal["query", "header", "path"]
    shape: Shape
    description: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """What ``operation`` was told."""

    summary: str
    tag: str
    answers: Mapping[int, Answer]
    body: tuple[Content, ...]
    body_required: bool
    parameters: tuple[Parameter, ...]
    errors: tuple[int, ...]
    secured: bool


def json_content(shape: Shape) -> tuple[Content, ...]:
    """A body of JSON."""
    return (Content(JSON, shape),)


def operation(
    summary: str,
    *,
    tag: str,
    answers: Mapping[int, Answer],
    body: tuple[Content, ...] = (),
    body_required: bool = True,
    parameters: tuple[Parameter, ...] = (),
    errors: tuple[int, ...] = (),
    secured: bool = True,
) -> Callable[[HandlerT], HandlerT]:
    """Describe an aiohttp handler; its docstring becomes the description.

    Args:
        summary: a few words, in the imperative.
        tag: the group that it stands in.
        answers: by status, those below 400 and such from 400 on as have another body than
            ``ApiErrorBody``.
        body: what may be sent, by media type.
        parameters: those of the path need not be given unless there is more to say.
        errors: statuses of answers with ``ApiErrorBody``; 401, 403 and 429 come by themselves
            where it is ``secured``, 408, 413 and 415 where there is a body.
        secured: whether a key or token is needed, if the service has any.
    """

    def describe(handler: HandlerT) -> HandlerT:
        told = Operation(summary, tag, answers, body, body_required, parameters, errors, secured)
        setattr(handler, _ATTRIBUTE, told)
        return handler

    return describe


def operation_of(handler: object) -> Operation | None:
    """What is known of a handler, or ``None``."""
    found: Operation | None = getattr(handler, _ATTRIBUTE, None)
    return found


def document(app: web.Application, version: str) -> dict[str, Any]:
    """The document of everything that ``app`` serves, without its sub-applications.

    Routes without ``operation`` and those for HEAD and OPTIONS are left out.
    """
    described = [(route, told) for route, told in _routes(app)]
    names = _Components([told for _, told in described])
    ids = Counter(_id(route) for route, _ in described)
    paths: dict[str, dict[str, Any]] = {}
    for route, told in described:
        path = _path(route)
        made = _operation(path, route, told, names)
        # A handler may serve several paths.
        area = "_" + path.split("/")[1] if ids[_id(route)] > 1 else ""
        made["operationId"] = _id(route) + area
        paths.setdefault(path, {})[route.method.lower()] = made
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "VoicePeer",
            "version": version,
            "description": "Speech in any voice: over WebRTC, and as files.",
        },
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": names.schemas,
            "securitySchemes": {
                "bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "An API key, a token, or a client secret.",
                }
            },
        },
    }


def undocumented(app: web.Application) -> list[str]:
    """Method and path of every route that the document leaves out for want of ``operation``."""
    return [
        f"{route.method} {route.resource.canonical}"
        for route in app.router.routes()
        if route.resource is not None
        and route.method not in _SILENT
        and operation_of(route.handler) is None
    ]


_SILENT = frozenset({hdrs.METH_HEAD, hdrs.METH_OPTIONS})


def _routes(app: web.Application) -> Iterator[tuple[web.AbstractRoute, Operation]]:
    for route in app.router.routes():
        told = operation_of(route.handler)
        if told is not None and route.resource is not None and route.method not in _SILENT:
            yield route, told


def _id(route: web.AbstractRoute) -> str:
    return str(getattr(route.handler, "__name__", "handler")).strip("_")


def _path(route: web.AbstractRoute) -> str:
    assert route.resource is not None, "routes of the router have one"
    return route.resource.canonical


class _Components:
    """Names of the message types, and their schemas."""

    def __init__(self, operations: list[Operation]) -> None:
        types = {shape for told in operations for shape in _types(told)} | {ApiErrorBody}
        ordered = sorted(types, key=lambda one: one.__name__)
        schemas, self.schemas = msgspec.json.schema_components(
            ordered, ref_template="#/components/schemas/{name}"
        )
        self._by_type = dict(zip(ordered, schemas, strict=True))

    def schema(self, shape: Shape) -> JsonSchema:
        """The schema itself, or a reference to its component."""
        return self._by_type[shape] if isinstance(shape, type) else shape


def _types(told: Operation) -> Iterator[type[Any]]:
    contents = [*told.body, *(one for answer in told.answers.values() for one in answer.contents)]
    shapes = [one.shape for one in contents] + [one.shape for one in told.parameters]
    return (shape for shape in shapes if isinstance(shape, type))


def _operation(
    path: str, route: web.AbstractRoute, told: Operation, names: _Components
) -> dict[str, Any]:
    handler = route.handler
    described: dict[str, Any] = {
        "summary": told.summary,
        "tags": [told.tag],
        "responses": {str(status): one for status, one in _responses(told, names)},
    }
    if handler.__doc__:
        described["description"] = " ".join(handler.__doc__.split())
    if parameters := [_parameter(one, names) for one in _parameters(path, told)]:
        described["parameters"] = parameters
    if told.body:
        described["requestBody"] = {
            "required": told.body_required,
            "content": _contents(told.body, names),
        }
    if told.secured:
        described["security"] = [{"bearer": []}, {}]
    return described


def _parameters(path: str, told: Operation) -> list[Parameter]:
    given = {one.name for one in told.parameters if one.where == "path"}
    plain = [name for name in _PATH_PARAMETER.findall(path) if name not in given]
    implied = [Parameter(name, "path", {"type": "string"}, "", True) for name in plain]
    return [*implied, *told.parameters]


def _parameter(one: Parameter, names: _Components) -> dict[str, Any]:
    described = {
        "name": one.name,
        "in": one.where,
        "required": one.required or one.where == "path",
        "schema": names.schema(one.shape),
    }
    return described | ({"description": one.description} if one.description else {})


def _responses(told: Operation, names: _Components) -> Iterator[tuple[int, dict[str, Any]]]:
    of_access = (401, 403, 429) if told.secured else ()
    of_body = (408, 413, 415) if told.body else ()
    errors = {*told.errors, *of_access, *of_body} - told.answers.keys()
    refused = Answer("", json_content(ApiErrorBody))
    everything = {**told.answers, **dict.fromkeys(errors, refused)}
    for status in sorted(everything):
        answer = everything[status]
        described: dict[str, Any] = {"description": answer.description or HTTPStatus(status).phrase}
        if answer.contents:
            described["content"] = _contents(answer.contents, names)
        if answer.headers:
            described["headers"] = {
                name: {"description": says, "schema": {"type": "string"}}
                for name, says in answer.headers.items()
            }
        yield status, described


def _contents(contents: tuple[Content, ...], names: _Components) -> dict[str, Any]:
    return {one.media_type: {"schema": names.schema(one.shape)} for one in contents}
