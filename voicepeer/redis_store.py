"""The Redis of voices and consents: asked by any thread, left alone for a while when it is lost.

Every write is one script (``redis_store.lua``, which says what is kept under which keys), so that
it is done as a whole or not at all, and not later either, when its failure has been told. All keys
have one hash tag, so that a cluster keeps them in one place. When a voice ends is told to Redis by
the clock of whoever keeps it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import resources
from typing import Any, TypeVar, cast

import msgspec
import redis

from voicepeer import redis_link
from voicepeer.core.backoff import Backoff
from voicepeer.database import VoiceStoreUnavailable, VoiceStoreUnusable
from voicepeer.redis_link import ANSWER_TIMEOUT_S, RedisLink, explain

logger = logging.getLogger(__name__)

T = TypeVar("T")

PREFIX = "{voicepeer}:voices:"
FORMAT = 1
"""Of what is kept under these keys; raised when a version before could not read it."""

MAX_DELETIONS = 100_000
"""So many are remembered for services that were cut off; each takes some 50 bytes."""

BATCH = 100
"""Of voices, for one answer; their vectors make most of it."""

FIRST_WAIT_S = 0.1
LONGEST_WAIT_S = 2.0
"""Between attempts to reach it again. Meanwhile whoever asks is refused at once."""

TO_ANSWER_S = 0.25
"""Of the time for an answer: so much is left for it to come back once something was written."""

SCRIPT = resources.files("voicepeer").joinpath("redis_store.lua").read_text()


class RedisStore:
    """One Redis, with a pool of connections; ``prefix`` is of all keys."""

    def __init__(self, link: RedisLink, prefix: str = PREFIX) -> None:
        self.link = link
        self.prefix = prefix
        self._client = redis.Redis(**link.options())
        self._script = self._client.register_script(SCRIPT)
        self._outage = _Outage(link)
        self._is_known = False
        """Whether what is kept there has been found to be of our format."""

    def key(self, kind: str, name: str = "") -> str:
        """The full name of a key."""
        return f"{self.prefix}{kind}:{name}" if name else f"{self.prefix}{kind}"

    def write(self, work: str, **asked: Any) -> Any:  # noqa: ANN401 - what the script answers
        """Do one piece of work of the script.

        A Redis that hangs does it not when it goes on either: the script knows until when by the
        clock of the Redis, which is asked first.

        Raises:
            VoiceStoreUnavailable: it cannot be reached, or takes nothing now.
            VoiceStoreUnusable: it holds what a later version has written.
        """
        blobs = [part for path in _take_bytes(asked) for part in path]

        def question(client: redis.Redis) -> Any:  # noqa: ANN401
            seconds, micros = client.time()
            for_it_us = round((redis_link.ANSWER_TIMEOUT_S - TO_ANSWER_S) * 1e6)
            deadline_us = seconds * 1_000_000 + micros + for_it_us
            head = msgspec.msgpack.encode(asked | {"deadline_us": deadline_us})
            answer = self._script([self.prefix], [work, head, *blobs])
            if answer == b"late":
                raise redis.TimeoutError("it came to this too late")
            return answer

        return self.ask(question)

    def ask(self, question: Callable[[redis.Redis], T]) -> T:
        """Read something; raises as ``write``."""
        with self._outage.watched():
            if not self._is_known:
                self._look_at_format()
            return question(self._client)

    def ask_for_all(self, questions: list[tuple[Any, ...]]) -> list[Any]:
        """The answers to several commands at once; raises as ``write``."""

        def question(client: redis.Redis) -> list[Any]:
            with client.pipeline(transaction=False) as pipe:
                for one in questions:
                    pipe.execute_command(*one)  # type: ignore[no-untyped-call]
                return pipe.execute()

        return self.ask(question) if questions else []

    def each(self, kind: str, names: list[str], *fields: str) -> Iterator[tuple[str, list[Any]]]:
        """Fields of some hashes, behind the name of each, asked for in batches; raises as above."""
        for at in range(0, len(names), BATCH):
            some = names[at : at + BATCH]
            answers = self.ask_for_all([("HMGET", self.key(kind, one), *fields) for one in some])
            yield from zip(some, answers, strict=True)

    def close(self) -> None:
        """Close the connections; asking again opens some."""
        self._client.close()

    def _look_at_format(self) -> None:
        self._client.set(self.key("format"), FORMAT, nx=True)
        found = int(cast(bytes, self._client.get(self.key("format"))))
        if found > FORMAT:
            raise VoiceStoreUnusable(
                f"the voices in {self.link.name} have format {found}, this voicepeer knows "
                f"{FORMAT}: update voicepeer, or name another one in voices.store"
            )
        self._is_known = True


def _take_bytes(asked: dict[str, Any], outer: str = "") -> Iterator[tuple[str, bytes]]:
    """Take what is bytes out of it; gives each with its path."""
    for name, value in list(asked.items()):
        if isinstance(value, bytes):
            yield f"{outer}.{name}", asked.pop(name)
        elif isinstance(value, dict):
            yield from _take_bytes(value, name)


class _Outage:
    """Sees that the Redis is lost, and lets nobody wait for it but one at a time, now and then."""

    def __init__(self, link: RedisLink) -> None:
        self._link = link
        self._lock = threading.Lock()
        self._backoff: Backoff | None = None
        self._reason = ""
        self._try_again_s = 0.0

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Around each question; raises ``VoiceStoreUnavailable``."""
        self._enter(time.monotonic())
        try:
            yield
        except (redis.RedisError, OSError) as error:
            self._on_failure(error, time.monotonic())
            raise VoiceStoreUnavailable(explain(self._link, error)) from error
        self._on_success()

    def _enter(self, now_s: float) -> None:
        with self._lock:
            if self._backoff is None:
                return
            if now_s < self._try_again_s:
                raise VoiceStoreUnavailable(self._reason)
            self._try_again_s = now_s + ANSWER_TIMEOUT_S  # this one tries, others do not

    def _on_failure(self, error: Exception, now_s: float) -> None:
        if not isinstance(error, redis.ConnectionError | redis.TimeoutError | OSError):
            return  # it answers, so it is there
        with self._lock:
            if self._backoff is None:
                self._backoff = Backoff(FIRST_WAIT_S, LONGEST_WAIT_S, float("inf"), now_s)
                logger.warning("%s; calls go on", explain(self._link, error))
            self._reason = explain(self._link, error)
            self._try_again_s = now_s + (self._backoff.wait_s(now_s) or 0.0)

    def _on_success(self) -> None:
        with self._lock:
            if self._backoff is not None:
                self._backoff = None
                logger.info("the Redis %s is there again", self._link.name)
