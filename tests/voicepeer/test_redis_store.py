"""What only a Redis has: its own expiry, outages, a memory that is full, and others who delete."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import redis

from tests.deploy.coturn import free_port
from tests.redis_server import RedisServer, redis_server
from tests.voicepeer.test_consent_store import consent, voice_under
from tests.voicepeer.test_voice_store import NOW, assert_same, record
from voicepeer import redis_store as module
from voicepeer.config import Config, VoicesConfig
from voicepeer.core.errors import ConfigInvalid, StoreUnavailable, VoiceNotFound
from voicepeer.database import VoiceStoreUnavailable, VoiceStoreUnusable
from voicepeer.redis_deletions import watch_redis
from voicepeer.redis_link import RedisLink
from voicepeer.redis_store import RedisStore
from voicepeer.reference_seal import SealedReference
from voicepeer.stores import Stores, in_redis, open_stores
from voicepeer.voice_store import AsyncVoiceStore

pytestmark = [pytest.mark.peer, pytest.mark.needs("redis-server")]


@pytest.fixture
def stores(redis_store: RedisStore) -> Stores:
    return in_redis(redis_store.link, redis_store)


@pytest.fixture
def client(redis_store: RedisStore) -> Iterator[redis.Redis]:
    with redis.Redis(**redis_store.link.options()) as opened:
        yield opened


def keys(client: redis.Redis, store: RedisStore) -> set[str]:
    """All there are of a store, but for the mark of its format and the log of deletions."""
    found = {key.decode() for key in client.scan_iter(f"{store.prefix}*")}
    return found - {store.key("format"), store.key("deletions")}


def until(true: Callable[[], bool], within_s: float = 20.0) -> None:
    deadline_s = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < deadline_s
        time.sleep(0.01)


# --- what is kept ---------------------------------------------------------------------------------


def test_a_voice_of_a_call_ends_in_redis_itself_and_one_that_is_saved_does_not(
    stores: Stores, redis_store: RedisStore, client: redis.Redis
) -> None:
    soon = time.time() + 0.3
    passing = replace(record("Passing"), expires=soon)
    lasting, saved = record("Lasting", expires=NOW), record("Saved")
    for one in (passing, lasting, saved):
        stores.voices.put(one)
    at = redis_store.key("voice", passing.voice_id)
    until(lambda: not client.exists(at))
    assert client.pttl(redis_store.key("voice", saved.voice_id)) == -1
    assert client.pexpiretime(redis_store.key("voice", lasting.voice_id)) == NOW * 1000
    # By no clock but that of the Redis.
    assert {one.name for one in stores.voices.summaries(now=0.0)} == {"Lasting", "Saved"}
    stores.voices.put(replace(lasting, expires=None))
    assert client.pttl(redis_store.key("voice", lasting.voice_id)) == -1


def test_nothing_is_left_of_what_was_deleted_or_has_ended(
    stores: Stores, redis_store: RedisStore, client: redis.Redis
) -> None:
    live, written = consent("live"), consent()
    for given in (live, written):
        stores.consents.put(given)
    ended = voice_under(live, expires=NOW + 1, owner="acme/ada")
    deleted = voice_under(written, owner="acme")
    withdrawn = voice_under(written, name="Renamed")
    for one in (ended, deleted, withdrawn):
        stores.voices.put(one, consented=True)
    stores.voices.rename(withdrawn.voice_id, "Once more")
    stores.voices.give(withdrawn.voice_id, "others/bob")
    assert stores.voices.purge(NOW + 5_000) == 1
    stores.voices.delete(deleted.voice_id)
    assert [*stores.consents.withdraw(written.consent_id)] == [withdrawn.voice_id]
    assert keys(client, redis_store) == {redis_store.key("withdrawn")}


def test_many_are_purged_in_pieces(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voicepeer.redis_voices.BATCH", 3)
    made = [record(f"Voice {number}", expires=NOW + number) for number in range(10)]
    for one in made:
        stores.voices.put(one)
    assert len(stores.voices.summaries(NOW - 1)) == 10
    assert stores.voices.purge(NOW + 7) == 8
    assert {one.name for one in stores.voices.records(NOW - 1)} == {"Voice 8", "Voice 9"}


def test_many_are_listed_in_pieces(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voicepeer.redis_store.BATCH", 3)
    given = [consent() for _ in range(7)]
    for one in given:
        stores.consents.put(one)
        stores.voices.put(voice_under(one), consented=True)
    assert {one.consent.consent_id for one in stores.voices.summaries(NOW)} == {
        one.consent_id for one in given
    }
    assert {one.consent_id for one in stores.consents.consents()} == {
        one.consent_id for one in given
    }


def test_what_a_later_version_wrote_is_left_alone(
    stores: Stores, redis_store: RedisStore, client: redis.Redis
) -> None:
    client.set(redis_store.key("format"), module.FORMAT + 1)
    with pytest.raises(VoiceStoreUnusable, match="update voicepeer"):
        stores.voices.put(record())
    assert keys(client, redis_store) == set()


def test_writing_from_many_threads_loses_nothing(stores: Stores) -> None:
    def write(number: int) -> None:
        for count in range(10):
            stores.voices.put(record(f"{number} {count}"))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(stores.voices.summaries(NOW)) == 40


def test_a_full_one_says_so_keeps_nothing_by_halves_and_lets_consents_be_withdrawn(
    tmp_path: Path,
) -> None:
    with redis_server(tmp_path) as server:
        link = RedisLink.of(server.url, "test")
        store = RedisStore(link)
        stores, given = in_redis(link, store), consent()
        stores.consents.put(given)
        kept, other = voice_under(given), voice_under(given)
        stores.voices.put(kept)
        with redis.Redis(**link.options()) as client:
            client.config_set("maxmemory", "1")
            before = keys(client, store)
            with pytest.raises(VoiceStoreUnavailable, match="is full"):
                stores.voices.put(other)
            assert keys(client, store) == before
            assert stores.voices.get(kept.voice_id, NOW).name == "Ada"
            assert [*stores.consents.withdraw(given.consent_id)] == [kept.voice_id]
            assert stores.voices.summaries(NOW) == []
        store.close()


# --- outages --------------------------------------------------------------------------------------


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[RedisServer]:
    """One that a test may kill; what it has kept is there again when it comes back."""
    with redis_server(tmp_path, durable=True) as server:
        yield server


def test_who_asks_one_that_is_lost_is_told_at_once_and_nothing_is_lost(
    own_server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    store = RedisStore(RedisLink.of(own_server.url, "test"))
    stores, kept = in_redis(store.link, store), record()
    stores.voices.put(kept)
    own_server.kill()
    for _ in range(3):
        with pytest.raises(VoiceStoreUnavailable, match="is it running"):
            stores.voices.put(record())
        with pytest.raises(VoiceStoreUnavailable, match="is it running"):
            stores.voices.summaries(NOW)
    own_server.start()

    def is_there() -> bool:
        try:
            assert_same(stores.voices.get(kept.voice_id, NOW), kept)
        except VoiceStoreUnavailable:
            return False
        return True

    until(is_there)
    said = [line.getMessage() for line in caplog.records if line.name == module.__name__]
    assert len(said) == 2, "once that it is lost, and once that it is there"
    stores.close()


def test_only_one_waits_for_one_that_does_not_answer(
    own_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voicepeer.redis_link.ANSWER_TIMEOUT_S", 0.3)
    link = RedisLink.of(own_server.url, "test")
    store = RedisStore(link)
    stores = in_redis(link, store)
    stores.voices.put(record())
    with redis.Redis(**(link.options() | {"socket_timeout": 20})) as client:
        client.execute_command("CLIENT", "PAUSE", "600000", "ALL")
    connections: list[int] = []
    real = redis.Connection.read_response

    def counted(self: redis.Connection, *arguments: object, **more: object) -> object:
        connections.append(1)
        return real(self, *arguments, **more)

    with pytest.raises(VoiceStoreUnavailable, match="does not answer"):
        stores.voices.summaries(NOW)
    store._outage._try_again_s = float("inf")
    monkeypatch.setattr(redis.Connection, "read_response", counted)
    for _ in range(50):
        with pytest.raises(VoiceStoreUnavailable, match="does not answer"):
            stores.voices.summaries(NOW)
    assert connections == [], "it was not asked"
    stores.close()


def test_one_that_hung_does_not_do_later_what_was_said_to_have_failed(
    own_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voicepeer.redis_link.ANSWER_TIMEOUT_S", 1.0)
    store = RedisStore(RedisLink.of(own_server.url, "test"))
    stores, given = in_redis(store.link, store), consent()
    kept = voice_under(given)
    stores.consents.put(given)
    stores.voices.put(kept)
    told_time, stack = store._client.time, ExitStack()

    def time_and_hang() -> object:
        found = told_time()
        stack.enter_context(own_server.hanging())
        return found

    writes: list[Callable[[], object]] = [
        lambda: stores.voices.put(record("late")),
        lambda: stores.consents.put(consent()),
        lambda: stores.references.put(SealedReference(kept.voice_id, "k", b"sealed")),
    ]
    with redis.Redis(**(store.link.options() | {"socket_timeout": 60})) as client:
        before = keys(client, store)
        for write in writes:
            store._outage = module._Outage(store.link)
            monkeypatch.setattr(store._client, "time", time_and_hang)
            with stack, pytest.raises(VoiceStoreUnavailable, match="does not answer"):
                write()
            monkeypatch.setattr(store._client, "time", told_time)
            # What it was sent meanwhile is read by the time that it answers another client twice.
            client.ping()
            until(lambda: len(client.client_list()) == 1)
            assert keys(client, store) == before
    store._outage = module._Outage(store.link)
    stores.voices.delete(kept.voice_id)
    stores.close()


async def test_clients_of_the_service_are_told_without_names_of_machines(
    own_server: RedisServer,
) -> None:
    store = RedisStore(RedisLink.of(own_server.url, "test"))
    voices = AsyncVoiceStore(in_redis(store.link, store).voices)
    await voices.put(record())
    await asyncio.to_thread(own_server.kill)
    with pytest.raises(StoreUnavailable) as caught:
        await voices.summaries(NOW)
    assert caught.value.code == "store_unavailable"
    assert str(own_server.port) not in str(caught.value)
    assert "try again" in str(caught.value)
    store.close()


# --- deletions by others --------------------------------------------------------------------------


@asynccontextmanager
async def watching(link: RedisLink, prefix: str) -> AsyncIterator[list[str]]:
    """What a service hears of deletions, from when it hears anything."""
    gone: list[str] = []
    store = RedisStore(link, prefix)
    voices = in_redis(link, store).voices
    task = asyncio.create_task(watch_redis(link, gone.append, prefix))

    async def delete_one() -> str:
        probe = record("Probe")
        await asyncio.to_thread(voices.put, probe)
        await asyncio.to_thread(voices.delete, probe.voice_id)
        return probe.voice_id

    # It begins with what is told from then on, so until it hears of one it may have heard of none.
    while not gone:
        await delete_one()
        await asyncio.sleep(0.05)
    last = await delete_one()
    await eventually(lambda: last in gone)
    gone.clear()
    await asyncio.to_thread(store.close)
    try:
        yield gone
    finally:
        task.cancel()
        await asyncio.wait([task])


async def eventually(what: Callable[[], bool], within_s: float = 30.0) -> None:
    async with asyncio.timeout(within_s):
        while not what():  # noqa: ASYNC110 - it comes from elsewhere
            await asyncio.sleep(0.02)


async def test_every_service_hears_of_what_one_deletes_or_withdraws(
    redis_store: RedisStore, stores: Stores
) -> None:
    given = consent()
    kept, left = record(), record(expires=NOW + 1)
    made = [voice_under(given), voice_under(given)]
    await asyncio.to_thread(stores.consents.put, given)
    for one in (kept, left, *made):
        await asyncio.to_thread(stores.voices.put, one)
    async with (
        watching(redis_store.link, redis_store.prefix) as here,
        watching(redis_store.link, redis_store.prefix) as there,
    ):
        await asyncio.to_thread(stores.voices.delete, kept.voice_id)
        await asyncio.to_thread(stores.voices.purge, NOW + 1)
        await asyncio.to_thread(stores.consents.withdraw, given.consent_id)
        wanted = [kept.voice_id, *(one.voice_id for one in made)]
        for gone in (here, there):
            await eventually(lambda gone=gone: set(wanted) <= set(gone))  # type: ignore[misc]
            assert left.voice_id not in gone, "it has ended, which nobody has to be told"


async def test_what_was_deleted_while_a_service_was_cut_off_it_hears_later(
    own_server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    link = RedisLink.of(own_server.url, "test")
    store = RedisStore(link)
    voices = in_redis(link, store).voices
    first, second = record(), record()
    for one in (first, second):
        await asyncio.to_thread(voices.put, one)
    async with watching(link, store.prefix) as gone:
        # It dies with its connections, and whoever is first when it is back deletes.
        await asyncio.to_thread(own_server.kill)
        await eventually(lambda: "deletions by others are not seen" in caplog.text)
        await asyncio.to_thread(own_server.start)
        with redis.Redis(**link.options()) as client:
            await asyncio.to_thread(client.ping)
        while first.voice_id not in gone:
            try:
                await asyncio.to_thread(voices.delete, first.voice_id)
            except VoiceStoreUnavailable:
                pass
            except VoiceNotFound:
                break
            await asyncio.sleep(0.02)
        await eventually(lambda: gone == [first.voice_id])
        await asyncio.to_thread(voices.delete, second.voice_id)
        await eventually(lambda: gone == [first.voice_id, second.voice_id])
    store.close()


async def test_one_that_has_lost_everything_takes_no_voice_from_calls(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server = RedisServer(tmp_path)
    await asyncio.to_thread(server.start)
    try:
        link = RedisLink.of(server.url, "test")
        async with watching(link, "{x}:") as gone:
            await asyncio.to_thread(server.kill)
            await eventually(lambda: "are not seen" in caplog.text)
            await asyncio.to_thread(server.start)
            await eventually(lambda: "has lost what it knew" in caplog.text)
            assert gone == []
            store = RedisStore(link, "{x}:")
            voices, later = in_redis(link, store).voices, record()
            await asyncio.to_thread(voices.put, later)
            await asyncio.to_thread(voices.delete, later.voice_id)
            await eventually(lambda: gone == [later.voice_id])
            store.close()
    finally:
        await asyncio.to_thread(server.kill)


# --- which place it is ----------------------------------------------------------------------------


def test_the_settings_say_where_voices_are(
    redis_for_all: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOICEPEER_REDIS_PASSWORD", "of the environment")

    def named(store: str, database: str = "") -> Stores:
        return open_stores(Config(voices=VoicesConfig(store=store, database=database)))

    assert named("", str(tmp_path / "a")).path == tmp_path / "a"
    assert named(f"sqlite:{tmp_path / 'b'}", "ignored").path == tmp_path / "b"
    shared = named(redis_for_all.url)
    assert (shared.name, shared.path) == (redis_for_all.url, None)
    shared.close()
    for wrong in ("sqlite:", "mysql://h", "redis", "redis://"):
        with pytest.raises(ConfigInvalid, match=r"voices\.store"):
            named(wrong)


def test_the_password_stands_in_no_message() -> None:
    nobody = free_port(socket.SOCK_STREAM)
    config = Config(voices=VoicesConfig(store=f"redis://:hush-hush@127.0.0.1:{nobody}"))
    stores = open_stores(config)
    with pytest.raises(VoiceStoreUnavailable) as caught:
        stores.voices.summaries(NOW)
    assert "hush-hush" not in f"{caught.value} {stores} {config!r}"
    stores.close()
