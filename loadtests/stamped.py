"""UDP sockets that know when the kernel got each packet, so that a late reader does not count.

On loopback the kernel takes that time while the sender still sends: it is when the packet left.
Only public ways of asyncio are used: an event loop may be given a socket of its maker's own.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, Final

from loadtests.arrivals import Arrivals
from voicepeer.benches.network import is_rtp

_SO_TIMESTAMPNS: Final = 35
"""socket(7); Python has no name for it. The answer is a ``struct timespec``."""

_TIMESPEC: Final = struct.Struct("@ll")
_ANCILLARY_BYTES: Final = socket.CMSG_SPACE(_TIMESPEC.size)

_listening: ContextVar[Arrivals | None] = ContextVar("arrivals", default=None)


@contextlib.contextmanager
def packets_for(arrivals: Arrivals | None) -> Iterator[None]:
    """Let ``arrivals`` know of all that comes to sockets that are opened in this block.

    Tasks that are started in it count as well.
    """
    token = _listening.set(arrivals)
    try:
        yield
    finally:
        _listening.reset(token)


class StampedSocket(socket.socket):
    """A UDP socket that tells ``arrivals`` of media, and drops what that wants to be lost."""

    arrivals: Arrivals | None = None

    def stamp(self) -> None:
        """Ask the kernel for times; where it has none, none are told."""
        with contextlib.suppress(OSError):
            self.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)

    def recvfrom(self, bufsize: int, flags: int = 0) -> tuple[bytes, Any]:
        """The next datagram; raises ``BlockingIOError`` also for one that is to be lost."""
        data, ancillary, _, address = self.recvmsg(bufsize, _ANCILLARY_BYTES, flags)
        if self.arrivals is not None and is_rtp(data):
            self.arrivals.take(data[:12], _stamp(ancillary))
            if self.arrivals.loses():
                raise BlockingIOError
        return data, address


def _stamp(ancillary: list[tuple[int, int, bytes]]) -> int | None:
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, _SO_TIMESTAMPNS) and len(data) >= _TIMESPEC.size:
            seconds, nanoseconds = _TIMESPEC.unpack_from(data)
            return int(seconds) * 1_000_000_000 + int(nanoseconds)
    return None


class StampingLoop(asyncio.SelectorEventLoop):
    """An event loop whose UDP sockets are stamped ones; ICE asks it for sockets by address."""

    async def create_datagram_endpoint(  # type: ignore[override]
        self,
        protocol_factory: Callable[[], Any],
        local_addr: tuple[str, int] | None = None,
        **options: Any,  # noqa: ANN401 - as the base class has them
    ) -> tuple[Any, Any]:
        """As its base class does, but with a socket of ours where there is an address to bind to.

        Raises:
            OSError: the address cannot be bound to.
        """
        arrivals = _listening.get()
        if arrivals is None or local_addr is None or options:
            return await super().create_datagram_endpoint(
                protocol_factory, local_addr=local_addr, **options
            )
        family = socket.AF_INET6 if ":" in local_addr[0] else socket.AF_INET
        made = StampedSocket(family, socket.SOCK_DGRAM)
        try:
            made.setblocking(False)
            made.stamp()
            made.arrivals = arrivals
            made.bind(local_addr)
            return await super().create_datagram_endpoint(protocol_factory, sock=made)
        except BaseException:
            made.close()
            raise
