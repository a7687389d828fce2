"""An evaluation of clones as one page to look at and listen to; it asks no server for anything."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from voicepeer import clone_plots
from voicepeer.audio import write_wav
from voicepeer.core.errors import CannotWrite
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm
from voicepeer.evaluation import Evaluation, Result

PAGE = "index.html"

_TOLD = (
    ("GE2E cosine", "cosine", "stock", "ceiling"),
    ("target ranks first, GE2E", "top1", "stock_top1", None),
    ("second judge", "second_judge", "stock_second_judge", "second_judge_ceiling"),
    (
        "target ranks first, second judge",
        "second_judge_top1",
        "stock_second_judge_top1",
        "second_judge_ceiling_top1",
    ),
    ("DNSMOS overall", "dnsmos", "stock_dnsmos", None),
    ("words heard", "words", "stock_words", None),
    ("F0 median, semitones off the half that was cloned", "f0_heard_semitones", None, None),
    ("F0 median, semitones off", "f0_semitones", "stock_f0_semitones", "own_f0_semitones"),
    (
        "F0 range, semitones off",
        "f0_range_semitones",
        "stock_f0_range_semitones",
        "own_f0_range_semitones",
    ),
    ("speaking rate, % off", "rate_percent", "stock_rate_percent", "own_rate_percent"),
    ("long-term spectrum, dB off", "spectrum_db", "stock_spectrum_db", "own_spectrum_db"),
    (
        "vocal tract, % off",
        "vocal_tract_percent",
        "stock_vocal_tract_percent",
        "own_vocal_tract_percent",
    ),
    ("dynamics, dB off", "dynamics_db", "stock_dynamics_db", "own_dynamics_db"),
    ("making the voice, ms", "clone_ms", None, None),
    ("first speech to usable, ms", "usable_ms", None, None),
    ("first speech to ready, ms", "ready_ms", None, None),
)
"""Row of the table of means: clone, stock voice, the speaker's own other half."""

_COLUMNS = ("cosine", "stock", "ceiling", "rank", "second_judge_rank", "dnsmos", "f0_semitones")

_STYLE = """
body { font: 15px/1.4 sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em }
table { border-collapse: collapse; margin: 1em 0 }
th, td { border-bottom: 1px solid #ddd; padding: .25em .7em; text-align: right }
th:first-child, td:first-child { text-align: left }
audio { height: 2em; width: 14em }
img { max-width: 100% }
"""


def prepare(folder: Path) -> None:
    """Make the folder, before an hour's work that would have nowhere to go.

    Raises:
        CannotWrite: there is no right to.
        PlotsMissing: the ``eval`` extra is not installed.
    """
    if not clone_plots.available():
        raise clone_plots.PlotsMissing("a report needs: pip install voicepeer[eval]")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite(f"cannot write {folder}: {error.strerror}") from error


def write(folder: Path, found: Evaluation) -> None:
    """Write figures, plots, speech and the page.

    Raises:
        CannotWrite: there is no room or no right to.
    """
    try:
        _write_text(folder / "figures.json", json.dumps(found.figures, indent=1) + "\n")
        for one in found.results:
            _write_speech(folder, one)
        plots = _draw(folder, found)
        _write_text(folder / PAGE, page(found, plots))
    except OSError as error:
        raise CannotWrite(f"cannot write {folder}: {error.strerror}") from error


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _write_speech(folder: Path, one: Result) -> None:
    spoken: dict[str, Pcm] = {
        speaker_file(one): one.speaker.unseen,
        clone_file(one): one.clone.pcm,
        stock_file(one): one.rival.pcm,
    }
    for name, pcm in spoken.items():
        write_wav(folder / name, pcm, LISTEN_RATE_HZ)


def speaker_file(one: Result) -> str:
    """Name of the file with the half that judges."""
    return f"{one.figures.name}.speaker.wav"


def clone_file(one: Result) -> str:
    """Name of the file with what the clone says."""
    return f"{one.figures.name}.clone.wav"


def stock_file(one: Result) -> str:
    """Name of the file with what the nearest stock voice says."""
    return f"stock.{one.figures.stock_name}.wav"


def _draw(folder: Path, found: Evaluation) -> list[tuple[str, str]]:
    """Draw what there is; file and what it shows."""
    names = [one.figures.name for one in found.results]
    plots = [("speakers.png", "Each speaker's clone")]
    clone_plots.bars(folder / "speakers.png", [one.figures for one in found.results])
    if any(found.curve.values()):
        clone_plots.curve(folder / "seconds.png", found.curve)
        plots.append(("seconds.png", "What more speech brings"))
    clone_plots.confusion(folder / "confusion.png", names, found.cosines, "GE2E cosine")
    plots.append(("confusion.png", "Whom each clone is taken for, by the encoder of the fit"))
    target = folder / "confusion_second.png"
    clone_plots.confusion(target, names, found.second_judge, "second judge")
    plots.append((target.name, "Whom each clone is taken for, by the second judge"))
    return plots


def page(found: Evaluation, plots: Sequence[tuple[str, str]]) -> str:
    """The page; speech and plots lie beside it."""
    notes = "".join(
        f"<li>{escape(name)}: {escape(reason)}</li>"
        for name, reason in found.figures["notes"].items()
    )
    images = "".join(
        f'<h2>{escape(title)}</h2><img src="{_address(name)}" alt="{escape(title)}">'
        for name, title in plots
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>Clones</title><style>{_STYLE}</style></head><body>"
        f"<h1>Clones of {len(found.results)} speakers</h1>"
        "<p>Each clip is split: one half is cloned, the other one judges. The clone and the "
        "nearest stock voice say two sentences that no fit has spoken.</p>"
        f"{_means(found.figures['mean'])}<ul>{notes}</ul>{images}"
        f"<h2>To hear</h2>{_speakers(found.results)}</body></html>\n"
    )


def _means(means: dict[str, float | None]) -> str:
    rows = [
        [title, *(shown(means.get(key)) if key else "" for key in keys)] for title, *keys in _TOLD
    ]
    return _table(["mean", "clone", "stock voice", "own other half"], rows)


def _speakers(results: Sequence[Result]) -> str:
    rows = []
    for one in sorted(results, key=lambda one: one.figures.cosine):
        figures = [shown(getattr(one.figures, name)) for name in _COLUMNS]
        files = (speaker_file(one), clone_file(one), stock_file(one))
        rows.append([one.figures.name, *figures, *files])
    head = ["speaker", *_COLUMNS, "the speaker", "clone", "nearest stock voice"]
    return _table(head, rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(f"<tr>{''.join(map(_cell, cells))}</tr>" for cells in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _cell(text: str) -> str:
    if text.endswith(".wav"):
        return f'<td><audio controls preload="none" src="{_address(text)}"></audio></td>'
    return f"<td>{escape(text)}</td>"


def _address(name: str) -> str:
    """A file beside the page, whatever is in its name."""
    return "./" + quote(name)


def shown(value: Any) -> str:  # noqa: ANN401
    """A figure with as many digits as mean something."""
    if value is None:
        return "–"
    if isinstance(value, int) or abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.3g}"
