"""Which of a client's ICE candidates are passed on, in whatever form its browser gives them.

Pure; what is skipped is skipped quietly, as RFC 8838 section 10 and RFC 9725 section 4.3 ask.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection

from voicepeer.core.sdp import BadDescription

MAX_CANDIDATES = 100
"""Of one connection: a machine with many networks has about thirty. Each is paired with each of
ours and checked, so that more would only make others wait."""

_END = frozenset({"", "candidate:", "end-of-candidates"})
"""W3C WebRTC 1.0 has an empty string for the end of a generation and null for that of all; Pipecat
and others send the line of an SDP."""

_FIELDS = 8
"""foundation, component, transport, priority, address, port, ``typ`` and the type (RFC 8839
section 5.1)."""


def end_of_candidates(text: str | None) -> bool:
    """Whether this stands for the end of the candidates."""
    return text is None or _bare(text) in _END


class CandidateSieve:
    """Lets each useful candidate of one connection through once, and not too many of them."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, str, str]] = set()

    def admit(self, text: str, users: Collection[str] = ()) -> str | None:
        """The candidate as an SDP has it after ``a=``, or ``None`` where it is of no use.

        Of no use are those of other transports than UDP and of RTCP's own port, names (a multicast
        DNS name is known to the client's network only), addresses that cannot be reached,
        duplicates, all beyond ``MAX_CANDIDATES``, and those of another ICE generation than
        ``users``, the user name fragments of the offer.

        Raises:
            BadDescription: this is no candidate.
        """
        fields = _bare(text).removeprefix("candidate:").split()
        if len(fields) < _FIELDS or fields[6].lower() != "typ":
            raise BadDescription("the candidate is malformed")
        _foundation, component, transport, priority, address, port = fields[:6]
        if not all(number.isascii() and number.isdigit() for number in (component, priority, port)):
            raise BadDescription("the candidate is malformed: it needs numbers")
        if not (int(port) < 65536 and 0 < int(priority) < 1 << 32 and len(fields) % 2 == 0):
            raise BadDescription("the candidate is malformed: a number is out of range")
        ours = transport.lower() == "udp" and component == "1" and int(port) > 0
        key = (address, port, fields[7])
        if not (ours and _reachable(address) and _same_generation(fields, users)):
            return None
        if key in self._seen or len(self._seen) >= MAX_CANDIDATES:
            return None
        self._seen.add(key)
        return f"candidate:{' '.join(fields)}"


def _bare(text: str) -> str:
    return text.strip().removeprefix("a=")


def _reachable(address: str) -> bool:
    """Whether a packet could be sent there; a link-local IPv6 address lacks its interface."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    local_ipv6 = ip.version == 6 and ip.is_link_local
    return not (ip.is_multicast or ip.is_unspecified or local_ipv6 or "%" in address)


def _same_generation(fields: list[str], users: Collection[str]) -> bool:
    extensions = dict(zip(fields[8::2], fields[9::2], strict=False))
    user = extensions.get("ufrag")
    return user is None or not users or user in users
