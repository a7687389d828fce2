"""What everybody in a process has to do with less of at present; decided elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from voicepeer.core.degradation.ladder import STEPS, Step


class Economy:
    """One a process: whoever can spare something listens, and is told of each change."""

    def __init__(self) -> None:
        self._steps: tuple[Step, ...] = ()
        self._listeners: set[Callable[[], None]] = set()

    @property
    def steps(self) -> tuple[Step, ...]:
        """Those in effect, in the order of ``STEPS``."""
        return self._steps

    def __contains__(self, step: Step) -> bool:
        return step in self._steps

    def listen(self, adapt: Callable[[], None]) -> Callable[[], None]:
        """Call ``adapt`` when the steps have changed; gives how to stop that."""
        self._listeners.add(adapt)
        return lambda: self._listeners.discard(adapt)

    def change(self, steps: Sequence[Step]) -> bool:
        """Have exactly these steps in effect; whether others were before."""
        wanted = tuple(step for step in STEPS if step in steps)
        if wanted == self._steps:
            return False
        self._steps = wanted
        for adapt in list(self._listeners):
            adapt()
        return True
