"""Whatever the engine does: the call lives, the frames keep their format, the counters tell."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from tests.peers.clock import ScriptedClock, scripted
from tests.peers.engine import LocalEngine
from voicepeer.benches import faults

pytestmark = pytest.mark.peer

FAILING = ("engine_error", "bug", "no_rate", "stereo", "wrong_type")


@scripted
async def test_no_fault_of_an_engine_ends_a_call(clock: ScriptedClock) -> None:
    logging.disable(logging.CRITICAL)
    try:
        rows = {row["fault"]: row for row in await faults.measure(LocalEngine())}
    finally:
        logging.disable(logging.NOTSET)
    assert set(rows) == set(faults.FAULTS)
    whole_ms: int = rows["none"]["heard_ms"]
    for name, row in rows.items():
        assert row["then"] == "done", name
        assert row["frames_are_20_ms"], name
        assert row["outcome"] == ("failed" if name in FAILING else "done"), name
    _check_what_was_heard(rows, whole_ms)


def _check_what_was_heard(rows: dict[str, dict[str, Any]], whole_ms: int) -> None:
    assert rows["stall"]["underruns"] >= 1
    assert rows["stall"]["heard_ms"] == whole_ms, "the rest is heard after the stall"
    for name in ("nan", "infinite", "out_of_range"):
        assert rows[name]["repaired"] >= 1, name
        assert rows[name]["heard_ms"] >= whole_ms - 200, name
    for name in ("engine_error", "bug"):
        assert 0 < rows[name]["heard_ms"] < whole_ms, "what came before the fault"
    assert rows["wrong_rate"]["heard_ms"] == pytest.approx(1.5 * whole_ms, rel=0.02)
    assert rows["huge"]["heard_ms"] > whole_ms + 3_000
