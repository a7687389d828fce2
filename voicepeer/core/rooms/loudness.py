"""Who speaks, from the levels that RTP packets carry; decodes nothing."""

from __future__ import annotations

from dataclasses import dataclass

SILENT_DBOV = -127
"""Digital silence on the wire (RFC 6464 section 3)."""


@dataclass(frozen=True, slots=True)
class LoudnessSettings:
    """Two levels and two durations, so that neither a click nor a pause for breath counts."""

    begin_dbov: float = -45.0
    """At least so loud is somebody who begins to speak: a quiet voice before a laptop."""
    go_on_dbov: float = -52.0
    """At least so loud whoever goes on."""
    begin_s: float = 0.06
    """Loud packets, less the quiet ones among them, that make a beginning."""
    hold_s: float = 0.6
    """Quiet for so long ends it; pauses between clauses are shorter."""


class Loudness:
    """One participant's packets, as speech or none.

    ``spoke_at`` is the moment of the last packet that counted as speech, ``None`` before the first.
    """

    def __init__(self, settings: LoudnessSettings | None = None) -> None:
        self._settings = settings or LoudnessSettings()
        self._loud_s = 0.0
        self.speaking = False
        self.spoke_at: float | None = None

    def push(self, level_dbov: float, duration_s: float, now: float) -> bool:
        """Take the level of a packet, -127 to 0 dBov; whether ``speaking`` has changed."""
        settings = self._settings
        if self.speaking:
            if level_dbov >= settings.go_on_dbov:
                self.spoke_at = now
            return self.tick(now)
        change_s = duration_s if level_dbov >= settings.begin_dbov else -duration_s
        self._loud_s = max(0.0, self._loud_s + change_s)
        # A little less: durations are sums of fractions that are not exact.
        if self._loud_s < settings.begin_s - 1e-9:
            return False
        self.speaking, self.spoke_at = True, now
        return True

    def tick(self, now: float) -> bool:
        """Let time pass, also where no packets come; whether ``speaking`` has ended by it."""
        if not self.speaking or now < self._ends_at():
            return False
        self.stop()
        return True

    def stop(self) -> bool:
        """End at once, for one who is muted; whether that is a change."""
        changed, self.speaking, self._loud_s = self.speaking, False, 0.0
        return changed

    def next_deadline(self) -> float | None:
        """When silence alone will end the speech, ``None`` while there is none."""
        return self._ends_at() if self.speaking else None

    def _ends_at(self) -> float:
        assert self.spoke_at is not None
        return self.spoke_at + self._settings.hold_s
