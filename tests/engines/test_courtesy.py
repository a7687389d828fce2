"""Who has to wait before a model runs, and who has not."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from engines.courtesy import courteous, give_way
from engines.kokoro.graph import GraphBuilder
from engines.runtime import SessionOptions, open_session

pytestmark = pytest.mark.unit


def test_nobody_waits_unasked() -> None:
    give_way()


def test_a_courteous_thread_waits_each_time_and_only_while_that_lasts() -> None:
    waits: list[int] = []
    with courteous(lambda: waits.append(1)):
        give_way()
        give_way()
    give_way()
    assert len(waits) == 2


def test_the_innermost_wait_counts_and_the_outer_one_comes_back() -> None:
    waits: list[str] = []
    with courteous(lambda: waits.append("outer")):
        with courteous(lambda: waits.append("inner")):
            give_way()
        give_way()
    assert waits == ["inner", "outer"]


def test_an_error_ends_it_as_well() -> None:
    waits: list[int] = []
    with pytest.raises(KeyError), courteous(lambda: waits.append(1)):
        raise KeyError
    give_way()
    assert waits == []


def test_other_threads_do_not_wait() -> None:
    waits: list[int] = []
    with courteous(lambda: waits.append(1)):
        other = threading.Thread(target=give_way)
        other.start()
        other.join()
    assert waits == []


@pytest.mark.parametrize("provider", ["cpu", "openvino"])
def test_every_run_of_a_model_waits(provider: str) -> None:
    graph = GraphBuilder("triple")
    graph.output(graph.scaled(graph.input("x", [1, 1, "n"]), 3.0), "y", [1, 1, "n"])
    session = open_session(graph.bytes(), SessionOptions(provider))
    waits: list[int] = []
    with courteous(lambda: waits.append(1)):
        session.run({"x": np.ones((1, 1, 4), np.float32)})
        session.run({"x": np.ones((1, 1, 4), np.float32)})
    session.run({"x": np.ones((1, 1, 4), np.float32)})
    assert len(waits) == 2
