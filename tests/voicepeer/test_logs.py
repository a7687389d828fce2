"""Logging: where it goes, in which form, and who is kept quiet."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Literal

import pytest

from voicepeer import logs
from voicepeer.config import LogConfig

pytestmark = pytest.mark.unit

LOGGER = logging.getLogger("example.test")


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    root.handlers.clear()
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def test_text_names_time_level_and_module(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure(LogConfig())
    LOGGER.info("%d voices", 3)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.endswith("INFO    example.test: 3 voices\n")


def test_json_is_one_object_a_line_with_the_traceback_inside(
    capsys: pytest.CaptureFixture[str],
) -> None:
    logs.configure(LogConfig(format="json"))
    try:
        raise ValueError("planted\nwith a second line")
    except ValueError:
        LOGGER.exception("it failed: %s", "ä")
    (line,) = capsys.readouterr().err.splitlines()
    entry = json.loads(line)
    assert (entry["level"], entry["logger"]) == ("error", "example.test")
    assert entry["message"] == "it failed: ä"
    assert "ValueError: planted" in entry["exception"]
    assert entry["time"].endswith("+00:00")


@pytest.mark.parametrize(("level", "count"), [("debug", 2), ("info", 1), ("error", 0)])
def test_the_level_is_kept(level: str, count: int, capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure(LogConfig(level=level))  # type: ignore[arg-type]
    LOGGER.debug("one")
    LOGGER.info("two")
    assert len(capsys.readouterr().err.splitlines()) == count


@pytest.mark.parametrize("name", ["aioice.ice", "aiortc.rtcpeerconnection", "aiohttp.access"])
def test_libraries_that_log_what_is_negotiated_are_kept_quiet(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    logs.configure(LogConfig(level="debug"))
    logging.getLogger(name).info("a=candidate:1 1 udp 1 192.0.2.1 1 typ host")
    assert capsys.readouterr().err == ""


def test_configuring_again_does_not_double_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure(LogConfig())
    logs.configure(LogConfig())
    LOGGER.info("once")
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(("level", "shown"), [("warning", False), ("debug", True)])
def test_what_livekit_gets_over_by_itself_is_only_for_those_who_look_closely(
    level: Literal["warning", "debug"], shown: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    logs.configure(LogConfig(level=level))
    logging.getLogger("livekit").error("planted")
    assert ("planted" in capsys.readouterr().err) is shown
