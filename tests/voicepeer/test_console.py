"""What commands write: results apart from remarks, tables that line up, progress that is quiet."""

from __future__ import annotations

import sys

import pytest

from voicepeer import console

pytestmark = pytest.mark.unit


def test_results_and_remarks_go_different_ways(capsys: pytest.CaptureFixture[str]) -> None:
    console.result("a result")
    console.note("a remark")
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("a result\n", "a remark\n")


def test_json_is_one_line_of_plain_json(capsys: pytest.CaptureFixture[str]) -> None:
    console.result_json({"name": "Ä\n", "none": None})
    assert capsys.readouterr().out == '{"name": "Ä\\n", "none": null}\n'
    with pytest.raises(ValueError, match="JSON"):
        console.result_json({"bad": float("nan")})


def test_columns_line_up(capsys: pytest.CaptureFixture[str]) -> None:
    console.table([["a", "long cell", "x"], ["longer", "b", ""]], ["ONE", "TWO", "THREE"])
    assert capsys.readouterr().out.splitlines() == [
        "ONE     TWO        THREE",
        "a       long cell  x",
        "longer  b",
    ]


def test_nothing_that_is_shown_can_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    console.table([["\x1b]0;title\x07", "Ada"]], ["ID", "NAME\x9b"])
    console.note("saved '\x1b[2J'")
    console.result("\u202eadA\nnext")
    shown = capsys.readouterr()
    assert not set(shown.out + shown.err) & set("\x1b\x07\x9b\u202e")
    assert "\\u001b]0;title\\u0007  Ada" in shown.out
    assert shown.out.endswith("\\u202eadA\nnext\n")


def test_progress_is_a_line_a_step_where_nobody_watches(
    capsys: pytest.CaptureFixture[str],
) -> None:
    progress = console.Progress()
    for step in ("reading", "building"):
        for share in (0.0, 0.5, 1.0):
            progress(step, share)
    progress.close()
    assert capsys.readouterr().err.splitlines() == ["reading …", "building …"]


def test_progress_is_a_bar_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    progress = console.Progress()
    progress("reading", 0.5)
    half = capsys.readouterr().err
    assert half.count("█") == half.count("·") == 12
    progress.close()
    assert capsys.readouterr().err == "\n"
    progress("reading", 7.0)
    assert capsys.readouterr().err.endswith("█" * 24 + "\n")
    progress.close()
    assert capsys.readouterr().err == ""


def test_a_bar_ends_with_its_block(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

    def work() -> None:
        with console.Progress() as progress:
            progress("reading", 0.5)
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        work()
    assert capsys.readouterr().err.endswith("\n")
