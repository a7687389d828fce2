"""How long a process waited for a core while it had work: it is late, but not stuck.

Linux counts that for each thread (``/proc/PID/task/TID/schedstat``: time on a core, time waited for
one, both in ns, and turns; Documentation/scheduler/sched-stats.rst). Elsewhere nothing is known.
"""

from __future__ import annotations

from pathlib import Path


class Starvation:
    """Remembers what was counted until the last look."""

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = proc
        self._before_ns: dict[str, int] = {}

    def since_last_s(self, pid: int) -> float:
        """Seconds that its most starved thread has waited since the last call, of those known then.

        0 the first time, and where nobody tells.
        """
        before_ns, self._before_ns = self._before_ns, self._waited_ns(pid)
        grown = [
            waited_ns - before_ns[thread]
            for thread, waited_ns in self._before_ns.items()
            if thread in before_ns
        ]
        return max([0, *grown]) / 1e9

    def _waited_ns(self, pid: int) -> dict[str, int]:
        found: dict[str, int] = {}
        for file in self._proc.glob(f"{pid}/task/*/schedstat"):
            try:
                found[str(file)] = int(file.read_text().split()[1])
            except (OSError, ValueError, IndexError):  # it has just ended, or nobody counts
                continue
        return found
