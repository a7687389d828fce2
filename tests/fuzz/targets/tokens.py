"""Keys, tokens and client secrets, and the headers that say where somebody comes from."""

from __future__ import annotations

import time

from signaling.access import Access
from signaling.address import address_block, client_address, networks
from signaling.auth import bearer_token, host_allowed, origin_allowed
from signaling.config import AuthConfig, SignalingConfig
from signaling.principal import AccessRefused
from signaling.tokens import read_key
from tests.fuzz.target import parser
from tests.signaling.tokens import PUBLIC, TOKENS, signed, token

_ACCESS = Access(
    SignalingConfig(
        api_keys=("fuzzed-plain-key-0123456789",),
        auth=AuthConfig(keys={"site": ("fuzzed-named-key-0123456789",)}, tokens=TOKENS),
    )
)
_SECRET, _ = _ACCESS.client_secrets.mint(
    _ACCESS.principal("fuzzed-named-key-0123456789", time.time()), time.time()
)
_PAGES = frozenset({"https://app.example:8443"})
_PROXIES = networks(["0.0.0.0/0", "::/0"])


def _text(data: bytes) -> str:
    """As aiohttp hands a header on."""
    return data.decode("utf-8", "surrogateescape")


def _let_in(data: bytes) -> None:
    _ACCESS.principal(bearer_token(f"Bearer {_text(data)}"), time.time())


def _signed(data: bytes) -> None:
    """What is under a good signature must be as harmless."""
    _ACCESS.principal(signed(data), time.time())


def _headers(data: bytes) -> None:
    text = _text(data)
    address_block(client_address(text[:40], text.splitlines(), _PROXIES))
    origin_allowed(text, text, _PAGES)
    host_allowed(text, _PAGES)
    bearer_token(text)


_CLAIMS = (
    b'{"aud":"voicepeer","exp":4102444800,"nbf":0,"sub":"ada","rights":["speak"],"room":"r"}',
    b'{"aud":["voicepeer","x"],"exp":1.5e9,"iss":"https://id.example","iat":1}',
)

TARGETS = (
    parser(
        "tokens",
        _let_in,
        AccessRefused,
        (token().encode(), token("bolt.2").encode(), _SECRET.encode(), b"fuzzed-plain-key-0123"),
        (b".", b"..", b"eyJ", b"ek_", b"eyJhbGciOiJub25lIn0", b"="),
    ),
    parser("claims", _signed, AccessRefused, _CLAIMS, (b'"exp"', b'"aud"', b'"rights"', b"1e400")),
    parser(
        "token-keys",
        lambda data: read_key(_text(data)),
        ValueError,
        (b"HS256:0123456789012345678901234567890123", f"EdDSA:{PUBLIC}".encode()),
        (b"HS256:", b"EdDSA:", b"=="),
    ),
    parser(
        "headers",
        _headers,
        (),
        (
            b"198.51.100.1, 10.0.0.1",
            b"[2001:db8::1]:443",
            b"https://app.example:8443",
            b"Bearer x",
            b"fe80::1%eth0",
        ),
        (b",", b"::", b"[", b"]", b"://", b"%", b"::ffff:10.0.0.1"),
    ),
)
