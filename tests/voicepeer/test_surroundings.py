"""What the doctor says of a real Redis, and of one that is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.deploy.compose import FILLED_IN, compose
from tests.deploy.coturn import free_port
from tests.deploy.nginx import TCP
from tests.redis_server import redis_server
from voicepeer import surroundings
from voicepeer.config import ENV_REDIS_PASSWORD, load
from voicepeer.finding import Finding

pytestmark = [pytest.mark.peer, pytest.mark.needs("redis-server")]

PASSWORD = "a-password-of-this-test"


def told(**settings: str) -> list[Finding]:
    """What is found of Redis with these settings (``section__name``)."""
    chosen = {name.replace("__", "."): value for name, value in settings.items()}
    return list(surroundings.redis_servers(load(chosen, {})))


def test_without_one_there_is_nothing_to_say() -> None:
    assert told() == []
    assert told(voices__store="sqlite:/nonexistent/v") == []


def test_one_that_keeps_voices_and_one_that_may_lose_them(tmp_path: Path) -> None:
    with redis_server(tmp_path, durable=True) as kept:
        (found,) = told(voices__store=kept.url)
        assert (found.state, "voices.store" in found.what) == ("ok", True)
    with redis_server(tmp_path) as lost:
        voices, rooms = told(voices__store=lost.url, rooms__redis_url=lost.url)
        assert (voices.state, rooms.state) == ("note", "ok")
        assert "appendonly" in voices.what
    evicting = ("--maxmemory", "50mb", "--maxmemory-policy", "allkeys-lru")
    with redis_server(tmp_path, *evicting, durable=True) as full:
        (found,) = told(voices__store=full.url)
        assert (found.state, "maxmemory-policy" in found.what) == ("note", True)


@pytest.mark.parametrize("password", ["", PASSWORD])
def test_the_one_of_compose_keeps_voices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, password: str
) -> None:
    given = FILLED_IN | {ENV_REDIS_PASSWORD: password}
    program, *options = compose(given)["services"]["redis"]["command"]
    assert program == "redis-server"
    monkeypatch.setenv(ENV_REDIS_PASSWORD, password)
    with redis_server(tmp_path, *options, password=password) as server:
        (found,) = told(voices__store=server.url)
        assert found.state == "ok"


def test_the_password_is_needed_and_never_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with redis_server(tmp_path, durable=True, password=PASSWORD) as server:
        (found,) = told(voices__store=server.url)
        assert (found.state, ENV_REDIS_PASSWORD in found.what) == ("fault", True)
        monkeypatch.setenv(ENV_REDIS_PASSWORD, PASSWORD)
        (found,) = told(voices__store=server.url)
        assert found.state == "ok"
        assert PASSWORD not in f"{found}"


def test_where_nobody_answers_it_is_said_who_should() -> None:
    url = f"redis://127.0.0.1:{free_port(TCP)}/0"
    (found,) = told(rooms__redis_url=url)
    assert found.state == "fault"
    assert url in found.what
    assert found.remedy


def test_a_url_that_is_none_is_a_fault() -> None:
    (found,) = told(rooms__redis_url="redis://")
    assert found.state == "fault"
    assert "rooms.redis_url" in found.what
