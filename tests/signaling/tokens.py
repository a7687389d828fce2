"""Keys and tokens as somebody else's server makes them."""

from __future__ import annotations

import base64
import time
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from signaling.tokens import TokenConfig, TokenKey, read_key

SECRET = "planted-hs256-secret-of-more-than-32-bytes"
PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = base64.urlsafe_b64encode(PRIVATE.public_key().public_bytes_raw()).decode().rstrip("=")

KEYS: dict[str, TokenKey] = {
    "acme": read_key(f"HS256:{SECRET}"),
    "bolt.2": read_key(f"EdDSA:{PUBLIC}"),
}
TOKENS = TokenConfig(KEYS)


def token(kid: str = "acme", now_s: float | None = None, **changes: Any) -> str:  # noqa: ANN401
    """A good token, with some claims changed, or left out where they are ``None``."""
    now_s = time.time() if now_s is None else now_s
    claims: dict[str, Any] = {"aud": "voicepeer", "exp": now_s + 60, "sub": "ada"} | changes
    claims = {name: value for name, value in claims.items() if value is not None}
    key: Any = SECRET if kid == "acme" else PRIVATE
    return jwt.encode(claims, key, "HS256" if kid == "acme" else "EdDSA", {"kid": kid})


def signed(payload: bytes, **header: Any) -> str:  # noqa: ANN401
    """Any payload under a good HS256 signature."""
    return jwt.PyJWS().encode(payload, SECRET, "HS256", {"kid": "acme"} | header)
