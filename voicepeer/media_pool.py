"""At the entry: several media processes, in which sessions find their place and each other.

What strangers send reaches those processes only; one that it takes down takes its own calls along,
and no others. Another one is started in its place.
"""

from __future__ import annotations

import asyncio
import logging
import time

from engines.host import EngineHost
from engines.lending import Lender
from engines.process.keeper import HEALTHY_AFTER_S
from engines.process.loading import backoff_s
from signaling.sessions import SessionHandle, SessionRefused, SessionRequest
from voicepeer.config import Config
from voicepeer.core.degradation.vitals import Notes
from voicepeer.core.placement import NoProcess, Placement
from voicepeer.economy import Economy
from voicepeer.media_frames import Economize, Figures, Noted, Revoked
from voicepeer.media_notes import take_note
from voicepeer.media_process import MediaProcess, MediaProcessFailed

logger = logging.getLogger(__name__)

FIGURES_TIMEOUT_S = 2.0

OPEN_TIMEOUT_S = 5.0
"""For a process to open a session: less than clients have for their joining."""
SILENT_AFTER_S = 1.0
"""A session is opened within milliseconds."""


class MediaPool:
    """The media processes of a service, whose number is ``server.media_processes``.

    ``host`` lends them its models, and has to be started before. What shows in them how the service
    keeps up goes to ``notes``, and all of them have the steps of ``economy`` in effect.
    """

    def __init__(self, settings: Config, host: EngineHost, notes: Notes, economy: Economy) -> None:
        self._settings = settings
        self._notes = notes
        self._economy = economy
        self._heed_no_more = economy.listen(self._economize)
        self._lender = Lender(host)
        self._placement = Placement(settings.session.resume_ttl_s)
        self._processes: dict[int, MediaProcess] = {}
        """Those that sessions can be opened in."""
        self._keeping: list[asyncio.Task[None]] = []
        self._closed = False
        self.restarts = 0
        """How often one has ended by itself, or was stuck."""

    @property
    def live(self) -> int:
        """How many can have sessions now."""
        return len(self._processes)

    @property
    def pids(self) -> dict[int, int]:
        """Process ids by numbers, of those that can have sessions."""
        pids = ((number, process.pid) for number, process in self._processes.items())
        return {number: pid for number, pid in pids if pid is not None}

    async def start(self) -> None:
        """Start them all and wait until they are ready; ``close`` has to follow.

        Raises:
            MediaProcessFailed: one of them does not start.
        """
        loop = asyncio.get_running_loop()
        ready: list[asyncio.Future[None]] = []
        for number in range(self._settings.server.media_processes):
            first: asyncio.Future[None] = loop.create_future()
            ready.append(first)
            keeping = self._keep(number, first)
            self._keeping.append(loop.create_task(keeping, name=f"keep media process {number}"))
        await asyncio.gather(*ready)

    async def close(self) -> None:
        """End them with all that is in them."""
        self._closed = True
        self._heed_no_more()
        for task in self._keeping:
            task.cancel()
        await asyncio.gather(*self._keeping, return_exceptions=True)
        self._lender.close()

    # --- sessions -------------------------------------------------------------------------------

    async def open(self, request: SessionRequest) -> SessionHandle:
        """Open a session where the others of its room are; one that meets nobody, where there are
        fewest.

        Raises:
            SessionRefused: ``not_ready`` while there is no process, or the one that it has to be
                does not answer; or what the session refuses.
        """
        room = (request.principal.tenant, request.room) if request.meets_others else None
        try:
            seat = self._placement.take(
                room, request.resume_token, time.monotonic(), self._silent()
            )
        except NoProcess:
            why = "do not answer" if self._processes else "are being restarted"
            raise SessionRefused(
                "not_ready", f"the media processes {why}: try again soon"
            ) from None
        process = self._processes[seat.process]
        try:
            async with asyncio.timeout(OPEN_TIMEOUT_S):
                session = await process.open(request)
        except TimeoutError:
            self._placement.leave(seat, None, time.monotonic())
            raise SessionRefused(
                "not_ready", "a media process does not answer: try again soon"
            ) from None
        except BaseException:
            self._placement.leave(seat, None, time.monotonic())
            raise
        self._placement.remember(seat, session.resume_token)
        session.on_closed(
            lambda _: self._placement.leave(seat, session.resume_token, time.monotonic())
        )
        return session

    def _silent(self) -> list[int]:
        """Processes to which nobody new should go: they have not answered the last ones."""
        return [
            number
            for number, process in self._processes.items()
            if process.silent_s > SILENT_AFTER_S
        ]

    def revoke(self, voice_id: str) -> None:
        """A voice was deleted."""
        for process in self._processes.values():
            process.tell(Revoked(voice_id))

    def _economize(self) -> None:
        for process in self._processes.values():
            process.tell(Economize(self._economy.steps))

    def _take_note(self, noted: Noted) -> None:
        take_note(noted, self._notes, time.monotonic())

    async def figures(self) -> dict[str, str]:
        """Figures of each process by its name, as Prometheus' text; of those that answer."""
        asked = {number: _figures(process) for number, process in self._processes.items()}
        told = await asyncio.gather(*asked.values())
        return {f"media-{number}": text for number, text in zip(asked, told, strict=True) if text}

    # --- life -----------------------------------------------------------------------------------

    async def _keep(self, number: int, first: asyncio.Future[None]) -> None:
        """Run a process, and another one when it ends; an error of the very first is final."""
        failures = 0
        while True:
            began = time.monotonic()
            try:
                await self._live(number, first)
            except MediaProcessFailed as error:
                if not first.done():
                    first.set_exception(error)
                    return
                logger.error("%s", error)
            except Exception:  # the edge of a task
                logger.exception("media process %d could not be looked after", number)
            failures = 0 if time.monotonic() - began > HEALTHY_AFTER_S else failures + 1
            await asyncio.sleep(backoff_s(failures))

    async def _live(self, number: int, first: asyncio.Future[None]) -> None:
        """The life of one process."""
        process = MediaProcess(number, self._take_note)
        try:
            await process.start(
                self._settings, [await self._lender.lend(), await self._lender.lend()]
            )
            process.tell(Economize(self._economy.steps))
            self._processes[number] = process
            self._placement.up(number)
            logger.info("media process %d is ready as process %d", number, process.pid)
            if not first.done():
                first.set_result(None)
            await process.watch()
            self.restarts += 1
        finally:
            self._processes.pop(number, None)
            self._placement.down(number)
            how = await process.close()
            if not self._closed:
                logger.warning("media process %d ended: %s", number, how)


async def _figures(process: MediaProcess) -> str:
    try:
        async with asyncio.timeout(FIGURES_TIMEOUT_S):
            return await process.ask(Figures, str)
    except (SessionRefused, TimeoutError):
        return ""
