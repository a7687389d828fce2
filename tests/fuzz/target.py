"""What can be fuzzed: a name, inputs to start from, and a function that must stay in bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

Fuzzed: TypeAlias = Callable[[bytes], None]
"""Takes one input. Whatever it raises is a finding."""


MAX_ERROR_CHARS = 2_000


class UnhelpfulError(Exception):
    """A documented error that says nothing, or more than anybody reads."""


@dataclass(frozen=True, slots=True)
class Target:
    """``open`` gives what is called with each input, and is closed when all is over.

    ``words`` are what the format is made of: mutations put them in where chance alone never would.
    """

    name: str
    seeds: tuple[bytes, ...]
    open: Callable[[], AbstractContextManager[Fuzzed]]
    words: tuple[bytes, ...] = ()
    slow_s: float = 1.0
    """Processor time of one input from which on it is a finding by itself."""


def parser(
    name: str,
    parse: Callable[[bytes], Any],
    documented: type[Exception] | tuple[type[Exception], ...],
    seeds: tuple[bytes, ...],
    words: tuple[bytes, ...] = (),
) -> Target:
    """A target for a pure function that may raise what it documents and nothing else."""

    def call(data: bytes) -> None:
        try:
            parse(data)
        except documented as error:
            if not 0 < len(str(error)) < MAX_ERROR_CHARS:
                raise UnhelpfulError(f"{type(error).__name__} says {str(error)!r:.100}") from error

    @contextmanager
    def opened() -> Iterator[Fuzzed]:
        yield call

    return Target(name, seeds, opened, words)
