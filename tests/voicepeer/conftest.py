"""Places where voices are kept: what holds of one holds of the other, so tests see both."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.redis_server import RedisServer, redis_server
from voicepeer.redis_link import RedisLink
from voicepeer.redis_store import RedisStore
from voicepeer.stores import Stores, in_file, in_redis

IN_REDIS = pytest.param("redis", marks=pytest.mark.needs("redis-server"))


@pytest.fixture(scope="session")
def redis_for_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """One server for all tests; each has keys of its own in it."""
    with redis_server(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def redis_store(redis_for_all: RedisServer) -> Iterator[RedisStore]:
    """What nobody has written to yet."""
    link = RedisLink.of(redis_for_all.url, "test")
    store = RedisStore(link, f"{{{secrets.token_hex(8)}}}:")
    yield store
    store.close()


@pytest.fixture(params=["sqlite", IN_REDIS])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Stores:
    """Each place in turn, empty."""
    if request.param == "sqlite":
        return in_file(tmp_path / "deep" / "voices.sqlite")
    store: RedisStore = request.getfixturevalue("redis_store")
    return in_redis(store.link, store)
