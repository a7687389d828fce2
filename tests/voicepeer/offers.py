"""Offers of browsers, and ways to make odd ones of them."""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "data" / "offers"
CALLS = (
    "chromium_call",
    "chromium_simulcast",
    "firefox_call",
    "firefox_camera",
    "safari_call",
    "safari_legacy_call",
)
"""Those with a data channel."""

ALL = (*CALLS, "firefox_listen")


def offer_of(name: str) -> str:
    """An offer as it comes over the wire."""
    return (FOLDER / f"{name}.sdp").read_text().replace("\n", "\r\n")


def sections(sdp: str) -> list[list[str]]:
    """Lines of the session, then those of each media section."""
    blocks = re.split(r"^(?=m=)", sdp, flags=re.MULTILINE)
    return [block.splitlines() for block in blocks]


def values(lines: list[str], name: str) -> list[str]:
    """Values of an attribute."""
    return [line.partition(":")[2] for line in lines if line.startswith(f"a={name}:")]


def without(sdp: str, *kinds: str) -> str:
    """An offer without the media sections of these kinds; its BUNDLE group knows of it."""
    session, *media = sections(sdp)
    kept = [lines for lines in media if lines[0][2:].split()[0] not in kinds]
    mids = [mid for lines in kept for mid in values(lines, "mid")]
    group = f"a=group:BUNDLE {' '.join(mids)}"
    session = [group if line.startswith("a=group:BUNDLE") else line for line in session]
    return "".join(f"{line}\r\n" for lines in [session, *kept] for line in lines)


def drop(sdp: str, pattern: str) -> str:
    """An offer without the lines that match."""
    return "".join(f"{line}\r\n" for line in sdp.splitlines() if not re.fullmatch(pattern, line))
