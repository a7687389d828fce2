"""JSON Web Tokens (RFC 7519) that others sign and we read: who somebody is and what they may do.

A key decides its algorithm, the token never does (RFC 8725 section 3.1). Pure: the time is handed
in, so that PyJWT checks signatures and we the claims.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import jwt
import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from signaling.principal import ALL_RIGHTS, AccessRefused, Principal, Right

Algorithm: TypeAlias = Literal["HS256", "EdDSA"]

MAX_TOKEN_CHARS = 4_096
MIN_SECRET_BYTES = 32
"""An HS256 key has at least the size of the hash (RFC 7518 section 3.2)."""

MAX_SUBJECT_CHARS = 128
DEFAULT_RIGHTS: frozenset[Right] = frozenset({"speak", "listen", "enrol"})
"""Of a token that says nothing about rights: those of one participant in a call."""

_ED25519_BYTES = 32


class KeyInvalid(ValueError):
    """A key in the configuration cannot be used; the message does not quote it."""


@dataclass(frozen=True, slots=True)
class TokenKey:
    """One key, and the only algorithm that it is used with."""

    algorithm: Algorithm
    key: bytes | Ed25519PublicKey = field(repr=False)

    @property
    def material(self) -> bytes:
        """The bytes that make it this key and no other."""
        return self.key if isinstance(self.key, bytes) else self.key.public_bytes_raw()


@dataclass(frozen=True, slots=True)
class TokenConfig:
    """Keys by their ``kid``, several at once while one takes the place of another."""

    keys: Mapping[str, TokenKey] = field(default_factory=dict)
    audience: str = "voicepeer"
    issuer: str | None = None
    leeway_s: float = 30.0
    """How far the clocks of signer and service may differ."""
    max_life_s: float = 24 * 3600.0
    """Tokens that expire later than so are refused: a leaked one shall not work for years."""


class _Claims(msgspec.Struct, frozen=True, kw_only=True):
    exp: float
    aud: str | list[str]
    nbf: float | None = None
    iss: str | None = None
    sub: str = ""
    room: str | None = None
    rights: frozenset[Right] | None = None


_KINDS = {
    "exp": "has to be a number, Unix time in seconds",
    "aud": "has to be a text or a list of texts",
    "nbf": "has to be a number, Unix time in seconds",
    "iss": "has to be a text",
    "sub": "has to be a text",
    "room": "has to be a text",
    "rights": f"has to be a list of {', '.join(sorted(ALL_RIGHTS))}",
}
_MISSING = re.compile(r"missing required field `(\w+)`")
_NAMED = re.compile(rf"at `\$\.({'|'.join(_KINDS)})\b")

_claims_decoder = msgspec.json.Decoder(_Claims)


def read_key(text: str) -> TokenKey:
    """A key as the configuration has it: ``HS256:secret``, or ``EdDSA:`` and a public key.

    The public key is in base64url: ``x`` of a JWK (RFC 8037 section 2).

    Raises:
        KeyInvalid: another algorithm, or a key that is too short or no key.
    """
    algorithm, _, value = text.partition(":")
    match algorithm:
        case "HS256":
            secret = value.encode()
            if len(secret) < MIN_SECRET_BYTES:
                raise KeyInvalid(
                    f"an HS256 key needs {MIN_SECRET_BYTES} bytes: make one with "
                    "`openssl rand -hex 32`"
                )
            return TokenKey("HS256", secret)
        case "EdDSA":
            return TokenKey("EdDSA", _public_key(value))
        case _:
            raise KeyInvalid("a token key begins with its algorithm: 'HS256:' or 'EdDSA:'")


def _public_key(text: str) -> Ed25519PublicKey:
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (ValueError, binascii.Error) as error:
        raise KeyInvalid("an EdDSA key is written in base64url") from error
    if len(raw) != _ED25519_BYTES:
        raise KeyInvalid(f"an Ed25519 public key has {_ED25519_BYTES} bytes, this one {len(raw)}")
    return Ed25519PublicKey.from_public_bytes(raw)


def verified(token: str, keys: Mapping[str, TokenKey]) -> tuple[str, bytes]:
    """The ``kid`` of the key that has signed a token, and what it has signed.

    Raises:
        AccessRefused: 401 ``invalid_token``.
    """
    if len(token) > MAX_TOKEN_CHARS:
        raise _invalid(f"it has more than {MAX_TOKEN_CHARS} characters")
    try:
        kid = jwt.get_unverified_header(token).get("kid")
        key = keys.get(kid) if isinstance(kid, str) else None
        if key is None or kid is None:
            raise _invalid("no key of its 'kid' is known")
        signed = jwt.PyJWS().decode_complete(token, key.key, algorithms=[key.algorithm])
    except (jwt.PyJWTError, ValueError) as error:
        # Not told further: only whoever forges tokens would learn from it.
        raise _invalid("it is malformed, or its signature is wrong") from error
    return kid, signed["payload"]


class Tokens:
    """Reads tokens of one service."""

    def __init__(self, config: TokenConfig) -> None:
        self._config = config

    def principal(self, token: str, now_s: float) -> Principal:
        """Whom a token speaks of at ``now_s`` (Unix time); raises like ``verified``.

        An expired token is refused with ``token_expired``, so that a client can get a new one.
        """
        kid, payload = verified(token, self._config.keys)
        try:
            claims = _claims_decoder.decode(payload)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise _invalid(_what_is_wrong(str(error))) from error
        self._check_times(claims, now_s)
        self._check_names(claims)
        rights = DEFAULT_RIGHTS if claims.rights is None else claims.rights
        return Principal(kid, rights, claims.room, claims.sub, claims.exp)

    def _check_times(self, claims: _Claims, now_s: float) -> None:
        leeway_s = self._config.leeway_s
        if claims.exp <= now_s - leeway_s:
            raise expired()
        if claims.exp > now_s + self._config.max_life_s + leeway_s:
            raise _invalid(f"it is good for more than {self._config.max_life_s:.0f} s")
        if claims.nbf is not None and claims.nbf > now_s + leeway_s:
            raise _invalid("it is not good yet ('nbf'): is the signer's clock right?")

    def _check_names(self, claims: _Claims) -> None:
        audience = [claims.aud] if isinstance(claims.aud, str) else claims.aud
        if self._config.audience not in audience:
            raise _invalid(f"it is for somebody else: 'aud' has to be {self._config.audience!r}")
        if self._config.issuer is not None and claims.iss != self._config.issuer:
            raise _invalid(f"it is from somebody else: 'iss' has to be {self._config.issuer!r}")
        if claims.room == "":
            raise _invalid("'room' is empty: leave it out where any room is meant")
        if len(claims.sub) > MAX_SUBJECT_CHARS or not claims.sub.isprintable():
            raise _invalid(f"'sub' may have {MAX_SUBJECT_CHARS} printable characters")


def _what_is_wrong(error: str) -> str:
    """Which claim, by the decoder's message; it quotes no value of a claim."""
    if missing := _MISSING.search(error):
        return f"the claim '{missing[1]}' is missing: 'aud' and 'exp' are needed"
    if named := _NAMED.search(error):
        return f"the claim '{named[1]}' {_KINDS[named[1]]}"
    return "its claims are no JSON object"


def expired() -> AccessRefused:
    """The refusal of a token or secret that was good before."""
    return AccessRefused(401, "token_expired", "the token has expired: get a new one")


def _invalid(why: str) -> AccessRefused:
    return AccessRefused(401, "invalid_token", f"the token cannot be used: {why}")
