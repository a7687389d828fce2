"""What testers could have told, for tests of what is made of it."""

from __future__ import annotations

from loadtests.journal import Journal
from loadtests.watch import Sample
from loadtests.wire import Loaded, Ready, Said, Second, Timed, Trouble


def said(
    done_s: float, first_audible_ms: float | None = 120.0, user: str = "user-0", underruns: int = 0
) -> Said:
    """A text of two seconds."""
    return Said(
        user=user,
        kind="talk",
        sent_s=done_s - 2.2,
        done_s=done_s,
        first_audible_ms=first_audible_ms,
        audio_ms=2000.0,
        rtf=0.1,
        underruns=underruns,
        frames_lost=1,
    )


def journal(seconds: int = 10, late_ms: float = 1.0, cores: float = 0.1) -> Journal:
    """Two users of two testers, with a text each second."""
    made = Journal()
    for tester in (0, 1):
        made.take(tester, Loaded(100 + tester))
        made.take(tester, Ready(f"user-{tester}", 0.0))
        for at in range(seconds):
            gaps_ms = {f"user-{tester}": [20.0] * 49 + [20.0 + 10 * tester]}
            made.take(tester, Second(float(at), at * cores, [late_ms] * 20, gaps_ms))
            made.take(tester, said(float(at), 100.0 + at, f"user-{tester}"))
    made.take(0, Timed("user-0", "room", 3.0, "room_joined", 80.0))
    made.take(0, Trouble("user-0", "talk", 4.0, "timeout"))
    return made


def samples(seconds: int = 60, mb_per_min: float = 0.0, cores: float = 0.5) -> list[Sample]:
    """A service that works evenly."""
    return [
        Sample(float(at), at * cores, at * cores / 2, 500.0 + mb_per_min * at / 60, 40, 12)
        for at in range(seconds)
    ]
