"""Nothing private in the log: of this whole run, and of lines in which it is planted."""

from __future__ import annotations

import ast
import logging
from pathlib import Path

import pytest

from tests.private import Tap, _texts, leaks, planted

pytestmark = pytest.mark.unit

TESTS = Path(__file__).parent


@pytest.mark.parametrize(
    "line",
    [
        "an offer came: v=0 a=ice-pwd:abcdefghijklmnopqrstuvwx",
        "adding candidate:1 1 UDP 2130706431 192.0.2.1 5000 typ host",
        "refused eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl",
        "header Authorization: Bearer 0123456789abcdef",
        "servers: {'username': '1:2', 'credential': 'c2VjcmV0'}",
        "the text was: The quick brown fox",
    ],
)
def test_what_is_private_is_found(line: str) -> None:
    assert leaks(["session 0f is ready", line], {"quick brown"})


def test_what_is_not_private_may_be_logged() -> None:
    lines = ["session 5d1f7c30a9e84b26b0c2d4f698e1a37c closed: client_left", "token expired"]
    assert leaks(lines, planted(TESTS)) == []


def test_private_texts_are_read_from_tests() -> None:
    source = """
KEY = "k" * 24
SERVER_SECRET = "not for the log"
other = "may be logged"
client.say("a spoken text")
Speak(utterance_id="a", text="another spoken text")
begin(consent="I agree to it.", name="Ada")
client.say(name)
"""
    assert set(_texts(ast.parse(source))) == {
        "k" * 24,
        "not for the log",
        "a spoken text",
        "another spoken text",
        "I agree to it.",
    }
    assert len(planted(TESTS)) > 50


def test_a_tap_hears_messages_and_tracebacks() -> None:
    tap, logger = Tap(), logging.getLogger("tests.private.example")
    logger.addHandler(tap)
    try:
        try:
            raise ValueError("planted in an error")
        except ValueError:
            logger.exception("it %s", "failed")
    finally:
        logger.removeHandler(tap)
    (line,) = tap.lines
    assert "it failed" in line
    assert "planted in an error" in line


@pytest.mark.whole
def test_nothing_private_was_logged_in_this_run(logged: Tap) -> None:
    """Runs last, so that it sees what all others have logged."""
    found = leaks(logged.lines, planted(TESTS))
    assert not found, "\n".join(found[:20])
