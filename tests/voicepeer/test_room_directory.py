"""The directory of rooms in a real Redis, asked by several services at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from signaling.principal import DEFAULT_ROOM, Principal
from signaling.sessions import RoomElsewhere, SessionRequest
from tests.peers.room import until
from tests.redis_server import RedisServer, redis_server
from tests.test_documents import blocks
from voicepeer import wiring
from voicepeer.config import Config, RoomsConfig, load
from voicepeer.core.errors import ConfigInvalid
from voicepeer.core.placement import RoomKey
from voicepeer.redis_link import RedisLink
from voicepeer.room_directory import KEY, RoomDirectory

pytestmark = [pytest.mark.peer, pytest.mark.needs("redis-server")]

URLS = [f"https://{name}.example" for name in "abc"]
LONG_S = 60.0
"""So long that nothing expires while a busy machine does something else."""


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with redis_server(tmp_path_factory.mktemp("redis")) as server:
        yield server


def room_of(test: str) -> str:
    """A room of a test's own; the server is shared."""
    return f"hall-{test}"


def request(room: str, key: str = "acme") -> SessionRequest:
    return SessionRequest(room, "Ada", principal=Principal(key))


def directory(redis: RedisServer, url: str, ttl_s: float = LONG_S) -> RoomDirectory:
    return RoomDirectory(RedisLink.of(redis.url, "rooms.redis_url"), url, URLS, ttl_s)


@asynccontextmanager
async def running(
    redis: RedisServer, url: str, in_use: set[RoomKey], ttl_s: float = LONG_S
) -> AsyncIterator[RoomDirectory]:
    one = directory(redis, url, ttl_s)
    task = asyncio.create_task(one.run(lambda: in_use))
    try:
        yield one
    finally:
        task.cancel()
        await asyncio.wait([task])
        await one.close()


async def where(one: RoomDirectory, room: str, key: str = "acme") -> str | None:
    """Where a client is sent, or ``None`` where it is let in."""
    try:
        await one.admit(request(room, key))
    except RoomElsewhere as elsewhere:
        return elsewhere.url
    return None


@pytest.mark.parametrize(
    ("rooms", "wanted"),
    [
        (RoomsConfig(redis_url="http://r", public_url=URLS[0]), "rooms.redis_url"),
        (RoomsConfig(redis_url="redis://r"), "rooms.public_url"),
        (RoomsConfig(redis_url="redis://r", public_url="a.example"), "rooms.public_url"),
        (RoomsConfig(redis_url="redis://r", public_url="https://u:p@a.example"), "public_url"),
        (
            RoomsConfig(redis_url="redis://r", public_url=URLS[0], replicas=("ftp://b",)),
            "rooms.replicas",
        ),
    ],
)
async def test_settings_that_lead_nowhere_are_refused(rooms: RoomsConfig, wanted: str) -> None:
    with pytest.raises(ConfigInvalid, match=wanted):
        wiring.room_directory(Config(rooms=rooms))


async def test_the_example_of_the_documents_is_one(tmp_path: Path) -> None:
    def read() -> Config:
        page = Path(__file__).parents[2] / "docs" / "scaling.md"
        [example] = blocks(page.read_text(), kind="toml")
        path = tmp_path / "voicepeer.toml"
        path.write_text(example)
        return load({}, {}, path)

    made = wiring.room_directory(await asyncio.to_thread(read))
    assert made is not None
    await made.close()


async def test_there_is_a_directory_only_where_one_is_set() -> None:
    assert wiring.room_directory(Config()) is None
    secret = "redis://:open-sesame@r"
    rooms = RoomsConfig(redis_url=secret, public_url=URLS[0], replicas=tuple(URLS))
    made = wiring.room_directory(Config(rooms=rooms))
    assert made is not None
    await made.close()
    assert "open-sesame" not in repr(Config(rooms=rooms))


async def test_of_many_who_race_for_a_room_exactly_one_wins(redis: RedisServer) -> None:
    services = {url: directory(redis, url) for url in URLS}
    try:
        for number in range(20):
            room = room_of(f"race-{number}")
            asked = [(url, one) for url, one in services.items() for _ in range(4)]
            found = await asyncio.gather(*(where(one, room) for _, one in asked))
            owners = {sent or url for sent, (url, _) in zip(found, asked, strict=True)}
            assert len(owners) == 1
        assert sum(one.claimed for one in services.values()) == 20
        assert sum(one.redirects for one in services.values()) == 20 * 2 * 4
    finally:
        await asyncio.gather(*(one.close() for one in services.values()))


async def test_keys_have_rooms_of_their_own_and_calls_without_a_room_are_nobodys(
    redis: RedisServer,
) -> None:
    room = room_of("keys")
    first, second = directory(redis, URLS[0]), directory(redis, URLS[1])
    try:
        assert await where(first, room, "acme") is None
        assert await where(second, room, "acme.2") == URLS[0]
        assert await where(second, room, "other") is None
        for one in (first, second):
            assert await where(one, DEFAULT_ROOM) is None
        assert (first.claimed, second.claimed) == (1, 1)
    finally:
        await first.close()
        await second.close()


async def test_rooms_of_a_service_that_stops_can_be_opened_at_once(redis: RedisServer) -> None:
    room = room_of("stops")
    first, second = directory(redis, URLS[0]), directory(redis, URLS[1])
    assert await where(first, room) is None
    assert await where(second, room) == URLS[0]
    await first.close()
    assert await where(second, room) is None
    await second.close()


async def test_rooms_of_a_service_that_died_expire(redis: RedisServer) -> None:
    room, ttl_s = room_of("died"), 0.5
    dead = directory(redis, URLS[0], ttl_s)
    assert await where(dead, room) is None
    async with running(redis, URLS[1], set()) as living:
        async with asyncio.timeout(20):
            while await where(living, room) is not None:  # noqa: ASYNC110 - it is in the Redis
                await asyncio.sleep(0.05)
    await dead._redis.aclose()


async def test_a_service_that_is_started_again_has_its_rooms_at_once(redis: RedisServer) -> None:
    room = room_of("again")
    before = directory(redis, URLS[0])
    assert await where(before, room) is None
    after = directory(redis, URLS[0])
    assert await where(after, room) is None
    # What is left of the one before must not take the claim of the one after away.
    await before.close()
    other = directory(redis, URLS[1])
    assert await where(other, room) == URLS[0]
    await after.close()
    await other.close()


async def test_a_room_in_use_is_kept_and_an_empty_one_given_up(redis: RedisServer) -> None:
    room, ttl_s = room_of("kept"), 4.5
    in_use: set[RoomKey] = {("acme", room)}
    other = directory(redis, URLS[1])
    async with running(redis, URLS[0], in_use, ttl_s) as one:
        assert await where(one, room) is None
        empty = room_of("empty")
        assert await where(one, empty) is None
        key = f"{KEY}{room}:acme"
        async with asyncio.timeout(20):
            left_ms = await other._redis.pttl(key)
            # It goes down until the claim is renewed.
            while (now_ms := await other._redis.pttl(key)) <= left_ms:
                left_ms = now_ms
                await asyncio.sleep(0.05)
        await until(lambda: one.claimed == 1, 20.0)
        assert await where(other, room) == URLS[0]
        assert await where(other, empty) is None
    await other.close()


async def test_nobody_is_sent_to_a_service_that_is_not_configured(
    redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    room = room_of("stranger")
    stranger = directory(redis, "https://evil.example")
    one = directory(redis, URLS[0])
    assert await where(stranger, room) is None
    assert await where(one, room) is None
    assert "rooms.replicas" in caplog.text
    assert "evil" not in caplog.text
    await stranger.close()
    await one.close()


async def test_what_is_no_claim_concerns_its_own_room_only(
    redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    in_use: set[RoomKey] = set()
    one, other = directory(redis, URLS[0]), directory(redis, URLS[1])
    keys = one._redis
    rooms = [room_of(f"odd-{number}") for number in range(5)]
    await keys.rpush(f"{KEY}{rooms[0]}:acme", "a list")
    values: tuple[str | bytes, ...] = ("", "short", f"x{'0' * 31} {URLS[1]}", b"\xff")
    for room, value in zip(rooms[1:], values, strict=True):
        await keys.set(f"{KEY}{room}:acme", value)
    try:
        for room in rooms:
            assert await where(one, room) is None
        good = room_of("good")
        assert await where(one, good) is None
        assert await where(other, good) == URLS[0]
        in_use.update(("acme", room) for room in (*rooms, good))
        await one._beat(in_use)
        assert one.up
        assert one.claimed == len(rooms) + 1
        # What others have written stays theirs.
        assert await keys.get(f"{KEY}{rooms[2]}:acme") == b"short"
        lines = [one for one in caplog.records if one.name == "voicepeer.room_directory"]
        assert len(lines) == 1
        assert "no claim" in lines[0].getMessage()
    finally:
        await one.close()
        await other.close()


async def test_without_the_redis_rooms_stay_and_new_ones_open_until_it_is_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ttl_s = 3.0
    with redis_server(tmp_path) as redis:
        here: set[RoomKey] = {("acme", "kept")}
        there: set[RoomKey] = set()
        async with (
            running(redis, URLS[0], here, ttl_s) as one,
            running(redis, URLS[1], there, ttl_s) as other,
        ):
            assert await where(one, "kept") is None
            redis.kill()
            # Whoever asks first finds out, all others do not wait for it.
            assert await where(one, "new") is None
            await until(lambda: not (one.up or other.up), 20.0)
            assert await where(one, "kept") is None
            here.add(("acme", "new"))
            assert await where(other, "new") is None
            there.add(("acme", "new"))
            assert "is lost, calls go on" in caplog.text
            redis.start()
            await until(lambda: one.up and other.up, 20.0)
            await until(lambda: one.splits + other.splits == 1, 20.0)
            assert await where(one, "kept") is None
            assert await where(other, "kept") == URLS[0]
            found = {await where(one, "new") or URLS[0], await where(other, "new") or URLS[1]}
            assert len(found) == 1
            assert "is back" in caplog.text
