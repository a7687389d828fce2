"""A short soak in every run of the tests; the long one is a command."""

from __future__ import annotations

import subprocess

import pytest

from tests.loadtests.commandline import ended

# Mostly it waits, with a service of its own, where tests do that anyway.
pytestmark = [pytest.mark.peer, pytest.mark.timeout(300)]

RSS_MB_PER_HOUR = 2_400.0
"""Three minutes are hardly more than the first times of everything, which took 1,000 to 1,700 and
are gone in a longer soak. Connections that were kept whole, 2.4 MB each, would be more."""

OPEN_PER_HOUR = 120.0


def test_three_minutes_of_all_leave_nothing_behind(soaking: subprocess.Popen[str]) -> None:
    ran = ended(soaking, timeout_s=280)
    assert ran.code in (0, 1), ran.err
    figures = ran.json
    assert figures["complete"], ran.err
    assert figures["utterances"] >= 5
    slopes = figures["slopes_per_hour"]
    assert slopes["rss_mb"]["low"] < RSS_MB_PER_HOUR, slopes
    assert slopes["fds"]["low"] < OPEN_PER_HOUR, slopes
    assert slopes["threads"]["low"] < OPEN_PER_HOUR, slopes
    assert slopes["sessions"]["low"] < 20, slopes
