"""Short-lived secrets for browsers, minted by whoever has a real key. Pure: time is handed in.

A secret carries what it allows and our signature, so that none has to be remembered.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Collection

import jwt
import msgspec

from signaling.principal import AccessRefused, Principal, Right
from signaling.tokens import DEFAULT_RIGHTS, MAX_SUBJECT_CHARS, TokenKey, expired, verified

PREFIX = "ek_"
"""As OpenAI's begin, so that tools which look for leaked secrets know them."""

MIN_LIFE_S, DEFAULT_LIFE_S, MAX_LIFE_S = 10, 600, 7_200
"""OpenAI's bounds and default."""

_KID = "client-secret"
_MARK_CHARS = 32


class _Grant(msgspec.Struct, frozen=True, kw_only=True):
    key_id: str
    subject: str
    rights: list[Right]
    room: str | None
    expires_at_s: int
    voice: str | None
    mark: str = ""
    """Those of earlier versions have none."""


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(_Grant)


class ClientSecrets:
    """Mints and reads the secrets of one service; ``key`` signs them, random by default."""

    def __init__(self, key: bytes | None = None) -> None:
        self._key = key or secrets.token_bytes(32)
        self._keys = {_KID: TokenKey("HS256", self._key)}

    def mark(self, key_id: str, key: bytes) -> str:
        """What a secret carries of the key that it was minted with, to end with it.

        Whoever has the secret learns nothing of the key from it.
        """
        named = b"\0".join((b"mark", key_id.encode(), key))
        return hmac.digest(self._key, named, "sha256").hex()[:_MARK_CHARS]

    def mint(
        self,
        minter: Principal,
        now_s: float,
        life_s: int = DEFAULT_LIFE_S,
        rights: Collection[Right] | None = None,
        room: str | None = None,
        subject: str = "",
        voice: str | None = None,
    ) -> tuple[str, Principal]:
        """A new secret, and whom it makes of its bearer; never more than the minter is.

        Without a subject its bearer gets one of their own, so that two of them share nothing.

        Raises:
            AccessRefused: 403 for a right or a room that the minter does not have; 400 for a
                life, a subject or a voice out of bounds.
        """
        minter.need("manage")
        if not MIN_LIFE_S <= life_s <= MAX_LIFE_S:
            raise _bad(f"a client secret is good for {MIN_LIFE_S} to {MAX_LIFE_S} seconds")
        if len(subject) > MAX_SUBJECT_CHARS or not subject.isprintable():
            raise _bad(f"a subject has at most {MAX_SUBJECT_CHARS} printable characters")
        if voice is not None and len(voice) > MAX_SUBJECT_CHARS:
            raise _bad(f"a voice's name has at most {MAX_SUBJECT_CHARS} characters")
        if minter.subject and subject not in ("", minter.subject):
            raise AccessRefused(403, "forbidden", "this token can mint for its own subject only")
        given = frozenset(DEFAULT_RIGHTS & minter.rights if rights is None else rights)
        for right in given:
            minter.need(right)
        principal = Principal(
            minter.key_id,
            given,
            minter.room_for(room) if minter.room or room else None,
            subject or minter.subject or f"client-{secrets.token_hex(8)}",
            min(int(now_s) + life_s, int(minter.expires_at_s or now_s + life_s)),
            (voice or minter.voice) if "speak" in given else None,
            minter.mark,
        )
        return PREFIX + self._sign(principal), principal

    def _sign(self, principal: Principal) -> str:
        grant = _Grant(
            key_id=principal.key_id,
            subject=principal.subject,
            rights=sorted(principal.rights),
            room=principal.room,
            expires_at_s=int(principal.expires_at_s or 0),
            voice=principal.voice,
            mark=principal.mark,
        )
        headers = {"kid": _KID}
        return jwt.PyJWS().encode(_encoder.encode(grant), self._key, "HS256", headers)

    def principal(self, value: str, now_s: float) -> Principal:
        """Whom a secret speaks of.

        Raises:
            AccessRefused: 401 ``invalid_token`` or ``token_expired``.
        """
        _, payload = verified(value.removeprefix(PREFIX), self._keys)
        grant = _decoder.decode(payload)
        if grant.expires_at_s <= now_s:
            raise expired()
        return Principal(
            grant.key_id,
            frozenset(grant.rights),
            grant.room,
            grant.subject,
            grant.expires_at_s,
            grant.voice,
            grant.mark,
        )


def _bad(message: str) -> AccessRefused:
    return AccessRefused(400, "invalid_value", message)
