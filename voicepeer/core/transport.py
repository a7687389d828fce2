"""What an offer must say of a transport that is used: its certificate, its ICE names, and its role.

Everything is checked before any of it reaches DTLS or ICE, which would only fail in silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from voicepeer.core.sdp import BadDescription

NAMES = ("ice-ufrag", "ice-pwd", "ice-options", "fingerprint", "setup")
"""Attributes of a transport. A bundled section may leave them to the one that its group is tagged
with (RFC 8859, category TRANSPORT)."""

SETUPS = ("actpass", "active", "passive")
"""Roles in which a connection is opened at once (RFC 4145 section 4)."""

DIGEST_BYTES = {"sha-256": 32, "sha-384": 48, "sha-512": 64}
"""Hash functions that certificates are compared by, and the lengths of what they give. RFC 8122
section 5 forbids MD5, and nothing that does WebRTC has less than SHA-256 (RFC 8827, 6.5)."""

MAX_FINGERPRINTS = 16

_FINGERPRINT = re.compile(r"([A-Za-z0-9-]{1,32}) +([0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2})*) *")
_ICE_USER = re.compile(r"[A-Za-z0-9+/]{4,256}")
_ICE_PASSWORD = re.compile(r"[A-Za-z0-9+/]{22,256}")
"""RFC 8839 section 5.4: so that they have 24 and 128 random bits at least."""


class BadFingerprint(BadDescription):
    """No certificate can be checked by what the offer says of it."""

    code = "bad_fingerprint"


class BadIce(BadDescription):
    """The ICE user name or password is missing, or is none."""

    code = "bad_ice"


class BadSetup(BadDescription):
    """It is not said who opens the connection."""

    code = "bad_setup"


def check_transport(attributes: dict[str, Sequence[str]]) -> None:
    """Go on only with a transport that can be connected to; ``attributes`` are values by name.

    Raises:
        BadFingerprint, BadIce, BadSetup: it cannot; the messages quote nothing.
    """
    usable_fingerprints(attributes.get("fingerprint", ()))
    _check_ice(attributes.get("ice-ufrag", ()), attributes.get("ice-pwd", ()))
    if next(iter(attributes.get("setup", ())), None) not in SETUPS:
        raise BadSetup(
            "it must be said who opens the connection, and it is opened at once here: offer "
            "a=setup:actpass (RFC 8842 section 5.2)"
        )


def usable_fingerprints(values: Iterable[str]) -> list[str]:
    """Those by a hash function that is known here; others count for nothing (RFC 8122 section 5).

    Raises:
        BadFingerprint: one is malformed or has another length than its hash, there are too many,
            or none is left.
    """
    given = list(values)
    if not given:
        raise BadFingerprint("the offer has no certificate fingerprint (RFC 8827 section 6.5)")
    if len(given) > MAX_FINGERPRINTS:
        raise BadFingerprint(f"an offer has at most {MAX_FINGERPRINTS} fingerprints a section")
    usable = [value.strip() for value in given if _is_known(value)]
    if not usable:
        raise BadFingerprint(
            "no fingerprint is of a hash function that is known here: use sha-256, sha-384 or "
            "sha-512"
        )
    return usable


def _is_known(value: str) -> bool:
    match = _FINGERPRINT.fullmatch(value)
    if match is None:
        raise BadFingerprint(
            "a fingerprint is malformed: it is a hash function and hexadecimal bytes with colons "
            "between them (RFC 8122 section 5)"
        )
    length = DIGEST_BYTES.get(match[1].lower())
    if length is not None and len(match[2].split(":")) != length:
        raise BadFingerprint(f"a fingerprint of {match[1].lower()} has {length} bytes")
    return length is not None


def _check_ice(users: Sequence[str], passwords: Sequence[str]) -> None:
    if not users or not passwords:
        raise BadIce("the offer has no ICE user name and password (RFC 8839 section 5.4)")
    if not _ICE_USER.fullmatch(users[0].strip()):
        raise BadIce("an ICE user name has 4 to 256 letters, digits, + and / (RFC 8839, 5.4)")
    if not _ICE_PASSWORD.fullmatch(passwords[0].strip()):
        raise BadIce("an ICE password has 22 to 256 letters, digits, + and / (RFC 8839, 5.4)")
