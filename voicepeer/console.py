"""What a command says: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TextIO

from voicepeer.core.naming import plain

_BAR_WIDTH = 24


def result(text: str) -> None:
    """Write a line of the result."""
    _write(sys.stdout, f"{plain(text)}\n")


def result_json(value: Mapping[str, Any] | Sequence[Any]) -> None:
    """Write the whole result as one JSON value on one line."""
    result(json.dumps(value, ensure_ascii=False, allow_nan=False))


def table(rows: Sequence[Sequence[str]], header: Sequence[str] = ()) -> None:
    """Write columns that line up."""
    lines = [[plain(cell) for cell in row] for row in ([header] if header else []) + [*rows]]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        result("  ".join(cells).rstrip())


def note(text: str) -> None:
    """Tell a person something that is not the result."""
    _write(sys.stderr, f"{plain(text)}\n")


class Progress:
    """Shows how far a long step is: a bar on a terminal, a line a step elsewhere.

    A context manager, so that no bar stays unfinished. Calling it with a step's name and its
    share done, 0 to 1, matches the callbacks of engines.
    """

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._what = ""
        self._open = False

    def __call__(self, what: str, share: float) -> None:
        """Show that ``share`` of ``what`` is done."""
        if self._live:
            filled = round(_BAR_WIDTH * min(max(share, 0.0), 1.0))
            bar = "█" * filled + "·" * (_BAR_WIDTH - filled)
            self._open = share < 1.0
            _write(sys.stderr, f"\r\x1b[K{what} {bar}{'' if self._open else chr(10)}")
        elif what != self._what:
            note(f"{what} …")
        self._what = what

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End an unfinished bar's line."""
        if self._open:
            _write(sys.stderr, "\n")
            self._open = False


def _write(stream: TextIO, text: str) -> None:
    stream.write(text)
    stream.flush()
