"""The service: models, voices, sessions and signaling put together, from start to shutdown."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from aiohttp import web

from engines.host import EngineHost
from signaling.app import create_app
from signaling.config import Readiness, SignalingConfig
from signaling.connections import create_runner
from signaling.ice_servers import IceConfigInvalid, loopback_media
from signaling.registry import REGISTRY, SessionRegistry
from signaling.sessions import SessionHandle, SessionRefused, SessionRequest, admit_all
from voicepeer import rtc, wiring
from voicepeer.audio_service import AudioService
from voicepeer.config import Config
from voicepeer.core.errors import ConfigInvalid, VoicePeerError
from voicepeer.database import VoiceStoreUnavailable
from voicepeer.keeping import keeping_in
from voicepeer.media import Media
from voicepeer.media_pool import MediaPool
from voicepeer.meeting import apart
from voicepeer.merged_metrics import DirectoryFigures, MediaFigures, merged
from voicepeer.pinned_voices import PinnedVoices
from voicepeer.reference_keeper import keeper_of
from voicepeer.reference_retention import keep_for
from voicepeer.store_watch import StoreWatch
from voicepeer.stores import open_stores
from voicepeer.tasks import beside

logger = logging.getLogger(__name__)

Announce: TypeAlias = Callable[["ServiceState"], None]

PURGE_EVERY_S = 30.0
SHUTDOWN_TIMEOUT_S = 10.0
"""For clients to be told and connections to end."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class CannotListen(VoicePeerError):
    """The address is taken, or not one of this machine's."""

    code = "cannot_listen"


@dataclass(frozen=True, slots=True)
class ServiceState:
    """What has become true: the service listens, or its models are warm."""

    name: str
    url: str
    engine: str = ""
    provider: str = ""
    precision: str = ""
    load_s: float = 0.0


class Service:
    """One service; ``run`` lasts until ``stop`` is called, and can be called once.

    ``announce`` is told when the service listens and again when it is ready for sessions.
    """

    def __init__(self, settings: Config, announce: Announce) -> None:
        self._settings = settings
        self._announce = announce
        self._stopped = asyncio.Event()
        self._host = EngineHost(wiring.host_spec(settings))
        self._stores = open_stores(settings)
        audit = wiring.audit(settings)
        self._watch = StoreWatch(self._stores.serving, audit)
        self._withdrawals = wiring.withdrawals(settings, audit)
        self._pinned = PinnedVoices(self._stores.voices, settings.voices.pinned)
        self._keeping = keeping_in(
            self._stores,
            audit,
            keeper_of(settings, self._stores.references),
            self._pinned,
        )
        self._loaded = False
        self._media = Media(settings, self._host, self._keeping)
        self._pool: MediaPool | None = None
        if settings.server.media_processes > 1:
            self._pool = MediaPool(settings, self._host, self._media.vitals, self._media.economy)
            self._keeping.revocations.listen(self._pool.revoke)
        self._directory = wiring.room_directory(settings)
        self._media.metrics.registry.register(self._watch)
        self._media.ready = lambda: self._readiness().ready

    def stop(self) -> None:
        """Ask ``run`` to shut down gracefully; harmless when it has ended."""
        self._stopped.set()

    async def run(self) -> None:
        """Serve until stopped; everything started is ended before this returns.

        Raises:
            ConfigInvalid: the service would be open to strangers, or a setting cannot be used.
            CannotListen: the port is taken or the address is not ours.
            VoiceStoreUnusable: the voice database cannot be used.
            EngineError: a model cannot be loaded.
        """
        signaling = wiring.signaling_config(self._settings)
        rtc.self_test()
        await asyncio.to_thread(self._stores.voices.purge, time.time())
        await self._pinned.load(time.time())
        async with AsyncExitStack() as stack:
            stack.callback(self._stores.close)
            # Last in, first out: sessions end before the models they speak with.
            stack.push_async_callback(self._host.close)
            if self._pool is not None:
                stack.push_async_callback(self._pool.close)
            await stack.enter_async_context(self._media.running())
            url, registry = await stack.enter_async_context(self._listening(signaling))
            self._announce(ServiceState("listening", url))
            await self._until_stopped(self._load(url))
            await stack.enter_async_context(self._minding_voices())
            async with self._finding_rooms(registry):
                await self._stopped.wait()
            logger.info("shutting down: nothing new is taken, what is being said may end")
            await registry.drain(self._settings.server.drain_timeout_s)

    async def _until_stopped(self, work: Coroutine[Any, Any, None]) -> None:
        """Do some work, but give it up as soon as ``stop`` is called."""
        loading = asyncio.create_task(work, name="load models")
        stopped = asyncio.create_task(self._stopped.wait(), name="wait for stop")
        try:
            await asyncio.wait([loading, stopped], return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopped.cancel()
            if not loading.done():
                loading.cancel()
                await asyncio.wait([loading])
        if not loading.cancelled():
            loading.result()  # raises what the work raised

    async def _load(self, url: str) -> None:
        started_s = time.monotonic()
        await self._host.start()
        await self._host.stock_voices()
        self._media.on_loaded()
        if self._pool is not None:
            await self._pool.start()
            self._media.metrics.registry.register(MediaFigures(self._pool))
        self._loaded = True
        info = self._host.info
        load_s = time.monotonic() - started_s
        self._announce(ServiceState("ready", url, info.name, info.provider, info.precision, load_s))

    # --- what signaling asks --------------------------------------------------------------------

    def _readiness(self) -> Readiness:
        """Whether there can be sessions now."""
        ready = self._models_readiness()
        if ready.ready and self._pool is not None and not self._pool.live:
            return Readiness(False, "the media processes are being restarted")
        return ready

    def _models_readiness(self) -> Readiness:
        """The same for what needs models only, which the entry has."""
        if self._stopped.is_set():
            return Readiness(False, "the service is shutting down", code="shutting_down")
        if not self._loaded:
            return Readiness(False, "the models are being loaded")
        if not self._host.ready:
            return Readiness(False, "a model is being restarted")
        load = self._media.load
        lost = self._directory is not None and not self._directory.up
        rooms = ("the directory of rooms is lost",) if lost else ()
        notes = (*rooms, *self._watch.notes)
        ready = Readiness(True, load=load, notes=notes)
        return replace(ready, retry_after_s=self._media.retry_after_s) if load.refuses else ready

    async def _metrics_text(self) -> bytes:
        own = self._media.metrics.text()
        if self._pool is None:
            return own
        return merged({"entry": own.decode()} | await self._pool.figures())

    async def _open_session(self, request: SessionRequest) -> SessionHandle:
        if not self._loaded:
            raise SessionRefused("not_ready", "the models are being loaded: try again soon")
        if self._pool is not None or self._directory is not None:
            request = apart(request)
        return await (self._pool or self._media).open(request)

    @asynccontextmanager
    async def _listening(
        self, signaling: SignalingConfig
    ) -> AsyncIterator[tuple[str, SessionRegistry]]:
        """Serve HTTP; gives the URL, which names the port that was really taken, and sessions."""
        audio = AudioService(
            self._host,
            self._keeping,
            wiring.speech_limits(self._settings),
            self._models_readiness,
            self._media.metrics.text_spoken,
            self._settings.voices.match_channel,
        )
        app = create_app(
            signaling,
            self._open_session,
            self._readiness,
            self._metrics_text,
            audio,
            admit_all if self._directory is None else self._directory.admit,
            self._withdrawals,
        )
        runner = create_runner(app, signaling, SHUTDOWN_TIMEOUT_S)
        try:
            await runner.setup()
        except IceConfigInvalid as error:
            raise ConfigInvalid(f"{error} (ice.turn_database)") from error
        try:
            site = web.TCPSite(runner, signaling.host, signaling.port)
            try:
                await site.start()
            except OSError as error:
                raise CannotListen(_cannot_listen(signaling, error)) from error
            host, port = runner.addresses[0][:2]
            if signaling.is_open:
                logger.info("no keys are configured: only this machine can reach the service")
            if loopback_media(signaling.ice):
                logger.warning("ice.media_addresses has loopback, which is for tests only")
            yield f"http://{f'[{host}]' if ':' in host else host}:{port}", app[REGISTRY]
        finally:
            await runner.cleanup()

    @asynccontextmanager
    async def _finding_rooms(self, registry: SessionRegistry) -> AsyncIterator[None]:
        """Keep our rooms in the directory, if there is one; at the end others may open them."""
        directory = self._directory
        if directory is None:
            yield
            return
        self._media.metrics.registry.register(DirectoryFigures(directory))
        try:
            async with beside({"renew rooms": directory.run(lambda: registry.places)}):
                yield
        finally:
            await directory.close()

    def _minding_voices(self) -> AbstractAsyncContextManager[None]:
        works = {
            "purge voices": self._purge_expired(),
            "watch the store of voices": self._watch.run(),
            "read pinned voices": self._pinned.run(),
            "delete old references": keep_for(self._stores, self._settings.voices.reference_days),
            "watch deletions": self._stores.watch(self._keeping.revocations.revoke),
        }
        return beside(works)

    async def _purge_expired(self) -> None:
        while True:
            await asyncio.sleep(PURGE_EVERY_S)
            try:
                gone = await asyncio.to_thread(self._stores.voices.purge, time.time())
            except VoiceStoreUnavailable:
                pass  # which whoever watches the store has told
            except VoicePeerError:
                logger.exception("expired voices could not be removed; trying again")
            else:
                if gone:
                    logger.info("%d expired voices removed", gone)


def _cannot_listen(signaling: SignalingConfig, error: OSError) -> str:
    host, port = signaling.host, signaling.port
    match error.errno:
        case errno.EADDRINUSE:
            return (
                f"port {port} on {host} is in use: stop what uses it, or choose another with "
                "--port (0 takes any free one)"
            )
        case errno.EACCES:
            return f"port {port} needs more rights: choose one above 1023 with --port"
        case _:
            return f"cannot listen on {host} port {port}: {error.strerror or error}"


async def serve(
    settings: Config, announce: Announce, stop_on_eof: bool = False
) -> signal.Signals | None:
    """Run a service until the first SIGINT or SIGTERM, which is returned; raises as ``run`` does.

    A second one ends the process as if the service did not handle them. ``stop_on_eof`` makes
    the end of standard input stop it, too.
    """
    service = Service(settings, announce)
    loop = asyncio.get_running_loop()
    received: list[signal.Signals] = []

    def on_signal(number: signal.Signals) -> None:
        received.append(number)
        for handled in _SIGNALS:
            loop.remove_signal_handler(handled)
        service.stop()

    for number in _SIGNALS:
        loop.add_signal_handler(number, on_signal, number)
    if stop_on_eof:
        loop.add_reader(sys.stdin, _stop_at_end, service)
    try:
        await service.run()
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
        if stop_on_eof:
            loop.remove_reader(sys.stdin)
    return received[0] if received else None


def _stop_at_end(service: Service) -> None:
    if not os.read(sys.stdin.fileno(), 4096):
        asyncio.get_running_loop().remove_reader(sys.stdin)
        service.stop()
