"""The document says what the routes and their types say."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import pytest
from aiohttp import web

from signaling.openapi import (
    Answer,
    Content,
    Parameter,
    document,
    json_content,
    operation,
    undocumented,
)

pytestmark = pytest.mark.unit


class Leaf(msgspec.Struct):
    """A leaf of a tree."""

    size: Annotated[int, msgspec.Meta(ge=1)]


class Tree(msgspec.Struct):
    name: str
    leaves: list[Leaf] = []


@operation(
    "Plant a tree",
    tag="trees",
    body=(*json_content(Tree), Content("text/plain", {"type": "string"})),
    answers={201: Answer("Planted", json_content(Tree), {"Location": "where it stands"})},
    parameters=(Parameter("depth", "query", {"type": "integer"}, "of the hole"),),
    errors=(409,),
)
async def _plant_tree(request: web.Request) -> web.Response:
    """Digs first,
    then plants."""
    return web.Response()


@operation("See a tree", tag="trees", answers={200: Answer("A tree")}, secured=False)
async def _see_tree(request: web.Request) -> web.Response:
    return web.Response()


async def _unknown(request: web.Request) -> web.Response:
    return web.Response()


@pytest.fixture
def app() -> web.Application:
    made = web.Application()
    made.router.add_post("/trees", _plant_tree)
    made.router.add_get(r"/trees/{tree_id:\d+}", _see_tree)
    made.router.add_get("/unknown", _unknown)
    return made


@pytest.fixture
def made(app: web.Application) -> dict[str, Any]:
    return document(app, "1.2.3")


def test_paths_and_methods_are_those_of_the_router(made: dict[str, Any]) -> None:
    assert {path: sorted(methods) for path, methods in made["paths"].items()} == {
        "/trees": ["post"],
        "/trees/{tree_id}": ["get"],
    }
    assert (made["openapi"], made["info"]["version"]) == ("3.1.0", "1.2.3")


def test_what_has_no_description_is_told(app: web.Application) -> None:
    assert undocumented(app) == ["GET /unknown"]


def test_types_become_components_with_their_limits(made: dict[str, Any]) -> None:
    body = made["paths"]["/trees"]["post"]["requestBody"]["content"]
    assert body["application/json"]["schema"] == {"$ref": "#/components/schemas/Tree"}
    assert body["text/plain"]["schema"] == {"type": "string"}
    assert made["components"]["schemas"]["Leaf"]["properties"]["size"]["minimum"] == 1
    assert made["components"]["schemas"]["Leaf"]["description"] == "A leaf of a tree."


def test_errors_have_one_body_and_those_of_access_come_by_themselves(made: dict[str, Any]) -> None:
    responses = made["paths"]["/trees"]["post"]["responses"]
    assert set(responses) == {"201", "401", "403", "408", "409", "413", "415", "429"}
    error = {"$ref": "#/components/schemas/ApiErrorBody"}
    assert responses["409"]["content"]["application/json"]["schema"] == error
    assert responses["409"]["description"] == "Conflict"
    assert responses["201"]["headers"]["Location"]["description"] == "where it stands"
    assert set(made["paths"]["/trees/{tree_id}"]["get"]["responses"]) == {"200"}


def test_parameters_of_the_path_come_by_themselves(made: dict[str, Any]) -> None:
    (of_path,) = made["paths"]["/trees/{tree_id}"]["get"]["parameters"]
    assert of_path == {
        "name": "tree_id",
        "in": "path",
        "required": True,
        "schema": {"type": "string"},
    }
    (of_query,) = made["paths"]["/trees"]["post"]["parameters"]
    assert (of_query["in"], of_query["required"]) == ("query", False)


def test_the_docstring_is_the_description_and_the_name_the_id(made: dict[str, Any]) -> None:
    plant = made["paths"]["/trees"]["post"]
    assert plant["description"] == "Digs first, then plants."
    assert plant["operationId"] == "plant_tree"
    assert plant["security"] == [{"bearer": []}, {}]
    assert "security" not in made["paths"]["/trees/{tree_id}"]["get"]
