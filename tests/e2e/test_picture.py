"""The README's picture can be taken again, and is one of the page as it is wide."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from tests.e2e.chromium import PROGRAMS
from tests.e2e.picture import SIZE, TEXTS, take

SHOWN = Path(__file__).parents[2] / "docs" / "images" / "page.png"
PNG = b"\x89PNG\r\n\x1a\n"

pytestmark = [pytest.mark.e2e, pytest.mark.needs(*PROGRAMS)]


def size(path: Path) -> dict[str, int]:
    """Of a PNG picture (RFC 2083, 4.1.1)."""
    data = path.read_bytes()
    assert data.startswith(PNG)
    width, height = struct.unpack(">II", data[16:24])
    return {"width": width, "height": height}


async def test_it_is_taken_of_a_call(tmp_path: Path) -> None:
    await take(tmp_path / "page.png", engine="fake", texts=TEXTS[:1])
    assert size(tmp_path / "page.png") == SIZE == size(SHOWN)
