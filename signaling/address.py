"""From which address a request really comes, and what counts as one address. Pure."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence
from typing import TypeAlias

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

UNKNOWN = "unknown"
MAX_HOPS = 32
"""Of ``X-Forwarded-For``, from its end: what stands further back was not written by our proxies."""

_IPV6_BLOCK_BITS = 64
"""One household or machine usually has so many addresses to itself (RFC 6177)."""


def networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Networks in CIDR form, or single addresses; raises ``ValueError`` for anything else."""
    return tuple(ipaddress.ip_network(text, strict=False) for text in texts)


def client_address(remote: str | None, forwarded: Sequence[str], trusted: Sequence[Network]) -> str:
    """Where a request comes from.

    ``remote`` is the other end of the connection; ``forwarded`` are the ``X-Forwarded-For``
    headers in their order. Each proxy appends whom it heard from, so they are read from the end
    for as long as the one who wrote them is trusted.
    """
    hops = [hop.strip() for line in forwarded for hop in line.split(",")][-MAX_HOPS:]
    address = _parsed(remote or "")
    while address is not None and hops and any(address in network for network in trusted):
        further = _parsed(hops.pop())
        if further is None:
            break
        address = further
    return UNKNOWN if address is None else str(address)


def is_within(address: str, trusted: Sequence[Network]) -> bool:
    """Whether this is an address of one of these networks."""
    parsed = _parsed(address)
    return parsed is not None and any(parsed in network for network in trusted)


def address_block(address: str) -> str:
    """What limits count together: an IPv4 address, or the /64 of an IPv6 one."""
    parsed = _parsed(address)
    if not isinstance(parsed, ipaddress.IPv6Address):
        return address
    block = int(parsed) >> (128 - _IPV6_BLOCK_BITS) << (128 - _IPV6_BLOCK_BITS)
    return f"{ipaddress.IPv6Address(block)}/{_IPV6_BLOCK_BITS}"


def _parsed(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    bare = text.partition("%")[0]
    if bare.startswith("["):  # with a port, as some proxies write it
        bare = bare[1:].partition("]")[0]
    elif bare.count(":") == 1:
        bare = bare.partition(":")[0]
    try:
        address = ipaddress.ip_address(bare)
    except ValueError:
        return None
    mapped = getattr(address, "ipv4_mapped", None)
    return mapped or address
