"""Measured parts are read back as they were printed, and sum up."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from loadtests.figures_report import Machine, Report
from loadtests.model.parts import Said, Text, read_parts
from tests.loadtests.model.made import parts
from voicepeer.core.errors import ConfigInvalid

pytestmark = pytest.mark.unit


def test_parts_are_read_alone_and_from_a_report(tmp_path: Path) -> None:
    alone = tmp_path / "alone.json"
    alone.write_bytes(msgspec.json.encode(parts()))
    report = Report(
        *("parts", "2026-11-30", "abc", Machine("a processor", 2, 8.0), "parts", 1.0),
        figures=msgspec.to_builtins(parts()),
    )
    assert read_parts(alone) == read_parts(report.write(tmp_path)) == parts()


def test_what_are_no_parts_is_named(tmp_path: Path) -> None:
    file = tmp_path / "bench.json"
    file.write_text('{"cores": 2}')
    with pytest.raises(ConfigInvalid, match=r"bench\.json"):
        read_parts(file)


SILENT: dict[str, object] = {"front_ms": 1.0, "made_ms": [], "last_ms": 80.0}
SAID: dict[str, object] = {"front_ms": 1.0, "made_ms": [5.0], "last_ms": 80.0}


@pytest.mark.parametrize(
    "changed",
    [
        {"texts": []},
        {"texts": [{"words": 1, "pieces": [], "early_pieces": [[SAID]]}]},
        {"texts": [{"words": 1, "pieces": [[SAID]], "early_pieces": [[]]}]},
        {"texts": [{"words": 1, "pieces": [[SILENT]], "early_pieces": [[SAID]]}]},
        {"texts": [{"words": 1, "pieces": [[SAID]], "early_pieces": [[SAID | {"last_ms": -1}]]}]},
        {"rate_hz": 0},
    ],
)
def test_an_engine_that_said_nothing_is_no_part(tmp_path: Path, changed: dict[str, object]) -> None:
    figures = msgspec.to_builtins(parts())
    figures["engine"] |= changed
    file = tmp_path / "parts.json"
    file.write_bytes(msgspec.json.encode(figures))
    with pytest.raises(ConfigInvalid, match=next(iter(changed))):
        read_parts(file)


def test_a_machine_has_a_core(tmp_path: Path) -> None:
    file = tmp_path / "parts.json"
    file.write_bytes(msgspec.json.encode(msgspec.structs.replace(parts(), cores=0)))
    with pytest.raises(ConfigInvalid, match="cores"):
        read_parts(file)


def test_a_piece_sounds_as_long_as_its_chunks() -> None:
    said = Said(50.0, (80.0, 1.0, 30.0), 35.0)
    assert said.audio_ms == 195.0
    assert said.work_ms == 111.0


def test_a_text_sounds_as_long_as_its_pieces_do_in_the_mean() -> None:
    short, long = Said(1.0, (1.0,), 40.0), Said(1.0, (1.0, 1.0), 40.0)
    text = Text(3, ((short, long), (long, long)), ())
    assert text.audio_ms == 80.0 + 120.0


def test_the_real_time_factor_is_of_all_that_was_said() -> None:
    engine = msgspec.structs.replace(
        parts().engine,
        texts=(
            Text(1, ((Said(1.0, (40.0,), 80.0),),), ()),
            Text(1, ((Said(1.0, (20.0, 0.0), 80.0),),), ()),
        ),
    )
    assert engine.real_time_factor == pytest.approx(60.0 / 240.0)
