"""A process full of clients that each stop at some phase of their call, to be killed or to leave.

``python -m voicepeer.benches.visitor URL PHASE...`` says ``loaded``, waits for a line, brings one
client to each phase, says ``there`` and how many did not get there, waits for another line and
leaves. Whoever started it may
kill it before that; then nothing of it says goodbye.
"""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Final, Literal, TypeAlias, get_args

import aiohttp

from signaling.messages import Join, Joined, Offer, decode_server, encode
from voicepeer.call import Call
from voicepeer.client import CallEnded, RequestFailed, SignalingFailed, VoicePeerClient
from voicepeer.core.messages import EnrolStart, Speak, Started

Phase: TypeAlias = Literal[
    "socket", "joined", "offered", "answered", "connecting", "connected", "enrolling", "speaking"
]
PHASES: Final[tuple[Phase, ...]] = get_args(Phase)
"""In the order in which a client comes through them."""

AT_ONCE: Final = 4
CONNECTING_S: Final = 0.03
"""Into ICE and DTLS on loopback, which take some 0.1 s."""

VOICE: Final = "mid"
TEXT: Final = "This goes on for long enough to be cut off somewhere in its middle. " * 3


async def visit(url: str, phase: Phase, stack: AsyncExitStack) -> None:
    """Bring one client to a phase; ``stack`` ends it."""
    if phase in ("connected", "enrolling", "speaking"):
        await _call(url, phase, stack)
    else:
        await _set_up(url, phase, stack)


async def _call(url: str, phase: Phase, stack: AsyncExitStack) -> None:
    client = await stack.enter_async_context(VoicePeerClient(url))
    if phase == "enrolling":
        client.call.send(EnrolStart(consent="I agree to be measured."))
    if phase == "speaking":
        await client.use_voice(VOICE)
        with client.call.listening() as messages:
            client.call.send(Speak(utterance_id=secrets.token_hex(4), text=TEXT))
            async for message in messages:
                if isinstance(message, Started):
                    return


async def _set_up(url: str, phase: Phase, stack: AsyncExitStack) -> None:
    http = await stack.enter_async_context(aiohttp.ClientSession())
    socket = await stack.enter_async_context(http.ws_connect(f"{url}/ws"))
    if phase == "socket":
        return
    await socket.send_str(encode(Join()))
    joined = decode_server((await socket.receive()).data)
    if not isinstance(joined, Joined):
        raise RuntimeError(f"no session: {joined}")
    if phase == "joined":
        return
    call = Call(joined.ice_servers)
    stack.push_async_callback(call.close)
    await socket.send_str(encode(Offer(sdp=await call.offer())))
    if phase == "offered":
        return
    answer = decode_server((await socket.receive()).data)
    if phase == "connecting":
        accepting = asyncio.create_task(call.accept(answer.sdp))  # type: ignore[union-attr]
        stack.push_async_callback(_settled, accepting)
        await asyncio.sleep(CONNECTING_S)


async def _settled(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def visit_all(url: str, phases: Sequence[Phase], stack: AsyncExitStack) -> int:
    """Bring one client to each of the phases, a few at a time; how many did not get there."""
    few = asyncio.Semaphore(AT_ONCE)

    async def one(phase: Phase) -> bool:
        async with few:
            try:
                await visit(url, phase, stack)
            except (CallEnded, SignalingFailed, RequestFailed, TimeoutError, OSError):
                return False
        return True

    return [await arrived for arrived in [*map(asyncio.create_task, map(one, phases))]].count(False)


async def _run(url: str, phases: Sequence[Phase]) -> None:
    await _say_and_wait("loaded")
    async with AsyncExitStack() as stack:
        failed = await visit_all(url, phases, stack)
        await _say_and_wait(f"there {failed}")


async def _say_and_wait(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.readline)


def main(arguments: Sequence[str]) -> None:
    """Run with a URL and phases."""
    url, *names = arguments
    phases: list[Phase] = [phase for name in names for phase in PHASES if phase == name]
    asyncio.run(_run(url, phases))


if __name__ == "__main__":
    main(sys.argv[1:])
