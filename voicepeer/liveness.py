"""Whether the other side of a connection is still there, on a machine that may be too busy to ask.

Consent to send (RFC 7675) is asked for by STUN, and aioice counts an answer that takes over half a
second as none. Two starved processes on one machine lose a sound connection by that in seconds. So
an answer that is missing is made up for by whatever else came from there meanwhile, for as long as
the RFC lets a consent last: only who sends nothing at all is gone soon.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeAlias

import aioice.ice
from aioice.stun import Message, TransactionTimeout

CONSENT_LASTS_S: Final = 30.0
"""RFC 7675, section 5.1. Other packets are not authenticated here, so they do not replace it."""

_HEARD, _ANSWERED_S = "_voicepeer_heard", "_voicepeer_answered_s"

Answer: TypeAlias = tuple[Message, tuple[str, int]]
Request: TypeAlias = Callable[..., Coroutine[Any, Any, Answer]]
Receive: TypeAlias = Callable[[aioice.ice.StunProtocol, bytes | str, tuple[Any, ...]], None]


def counting(receive: Receive) -> Receive:
    """``StunProtocol.datagram_received`` that counts what comes."""

    @functools.wraps(receive)
    def datagram_received(
        self: aioice.ice.StunProtocol, data: bytes | str, addr: tuple[Any, ...]
    ) -> None:
        setattr(self, _HEARD, getattr(self, _HEARD, 0) + 1)
        receive(self, data, addr)

    return datagram_received


def forgiving(request: Request) -> Request:
    """``StunProtocol.request`` whose unanswered question for consent is answered by other packets.

    It is the only one that aioice asks once (``retransmissions=0``), and looks at no answer of.
    """

    @functools.wraps(request)
    async def forgiving_request(
        self: aioice.ice.StunProtocol,
        message: Message,
        addr: tuple[str, int],
        integrity_key: bytes | None = None,
        retransmissions: int | None = None,
    ) -> Answer:
        heard = getattr(self, _HEARD, 0)
        try:
            answer = await request(
                self, message, addr, integrity_key=integrity_key, retransmissions=retransmissions
            )
        except TransactionTimeout:
            consented_s = getattr(self, _ANSWERED_S, -CONSENT_LASTS_S)
            lasts = time.monotonic() - consented_s < CONSENT_LASTS_S
            if retransmissions == 0 and lasts and getattr(self, _HEARD, 0) > heard:
                return message, addr
            raise
        setattr(self, _ANSWERED_S, time.monotonic())
        return answer

    return forgiving_request
