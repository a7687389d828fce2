"""URLs of a Redis, and what is said of one that cannot be used; nothing of it tells a secret."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st

from tests.redis_server import RedisServer, redis_server
from voicepeer.core.errors import ConfigInvalid
from voicepeer.redis_link import RedisLink, explain

SETTING = "voices.store"


@pytest.mark.unit
@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("redis://r.example", RedisLink("r.example")),
        ("redis://r.example:7000/3", RedisLink("r.example", 7000, 3)),
        ("rediss://ann:p%40ss@[::1]/", RedisLink("::1", 6379, 0, "ann", "p@ss", tls=True)),
    ],
)
def test_a_url_is_read(url: str, wanted: RedisLink) -> None:
    assert RedisLink.of(url, SETTING) == wanted
    named = RedisLink.of(wanted.name, SETTING)
    assert (named.host, named.port, named.database) == (wanted.host, wanted.port, wanted.database)
    assert named.tls == wanted.tls


@pytest.mark.unit
def test_the_password_of_the_environment_is_for_urls_without_one() -> None:
    assert RedisLink.of("redis://h", SETTING, "fallback").password == "fallback"
    assert RedisLink.of("redis://:own@h", SETTING, "fallback").password == "own"


@pytest.mark.unit
@pytest.mark.parametrize(
    "url",
    ["", "redis:", "redis://", "http://h", "redis://h:port", "redis://h:70000", "redis://h/one",
     "redis://h?db=1", "redis://h/1/2", "redis://[::1"],
)  # fmt: skip
def test_what_is_no_url_is_refused_without_quoting_it(url: str) -> None:
    with pytest.raises(ConfigInvalid, match="redis://redis.example") as caught:
        RedisLink.of(url.replace("h", "h-secret"), SETTING)
    assert "h-secret" not in str(caught.value)
    assert SETTING in str(caught.value)


@pytest.mark.unit
@given(st.text(min_size=1, max_size=20).filter(lambda text: text.isprintable()))
def test_secrets_stand_in_no_name_and_no_repr(secret: str) -> None:
    link = RedisLink("host", password=f"<{secret}>", username="ann")
    assert f"<{secret}>" not in link.name + repr(link)
    assert link.options()["password"] == f"<{secret}>"


# --- with a real one ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with redis_server(tmp_path_factory.mktemp("redis"), password="open sesame") as running:
        yield running


def said(link: RedisLink, *command: str) -> str:
    """What is said of a command that fails."""
    with redis.Redis(**link.options()) as client, pytest.raises(redis.RedisError) as caught:
        client.execute_command(*command)
    return explain(link, caught.value)


@pytest.mark.peer
@pytest.mark.needs("redis-server")
def test_what_is_wrong_is_said_with_what_to_do(server: RedisServer, tmp_path: Path) -> None:
    link = RedisLink.of(server.url, SETTING)
    assert "VOICEPEER_REDIS_PASSWORD" in said(link, "GET", "a")
    wrong = RedisLink.of(server.url, SETTING, "open barley")
    assert "refuses the user or password" in said(wrong, "GET", "a")
    right = RedisLink.of(server.url, SETTING, "open sesame")
    with redis.Redis(**right.options()) as client:
        client.config_set("maxmemory", "1")
        assert "is full" in said(right, "SET", "a", "b")
        client.config_set("maxmemory", "0")
        client.execute_command("REPLICAOF", "127.0.0.1", "1")
        assert "is a replica" in said(right, "SET", "a", "b")
        client.execute_command("REPLICAOF", "NO", "ONE")
        client.set("a", "b")


@pytest.mark.peer
@pytest.mark.needs("redis-server")
def test_one_that_is_gone_cannot_be_reached_and_may_come_back(tmp_path: Path) -> None:
    with redis_server(tmp_path, durable=True) as server:
        link = RedisLink.of(server.url, SETTING)
        with redis.Redis(**link.options()) as client:
            client.set("a", "b")
            server.kill()
            assert f"{server.url} cannot be reached" in said(link, "GET", "a")
            server.start()
            assert client.get("a") == b"b", "it kept what it was given"
