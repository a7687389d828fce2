"""Plots of an evaluation of clones, as PNG files; drawn by matplotlib, of the ``eval`` extra."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engines.api import EngineError
from voicepeer.clone_figures import Figures, Matrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INCHES_A_SPEAKER = 0.22
_MIN_INCHES = 4.0
_MAX_LABELS = 60


class PlotsMissing(EngineError):
    """The package that draws is not installed."""


def available() -> bool:
    """Whether plots can be drawn."""
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError:
        return False
    return True


def bars(path: Path, speakers: Sequence[Figures]) -> None:
    """Cosine of each speaker's clone between the stock voice's and the speaker's own, sorted."""
    order = sorted(speakers, key=lambda one: one.cosine)
    at = np.arange(len(order))

    def draw(axes: Axes) -> None:
        axes.barh(at, [one.cosine for one in order], color="#4477aa", label="clone")
        stock = [one.stock for one in order]
        own = [one.ceiling for one in order]
        axes.plot(stock, at, "|", color="#cc3311", ms=9, mew=2, label="nearest stock voice")
        axes.plot(own, at, "|", color="#000000", ms=9, mew=2, label="the speaker's own half")
        axes.set_yticks(at, [one.name for one in order], fontsize=7)
        axes.set_xlabel("GE2E cosine to the unseen half")
        axes.set_ylim(-0.7, len(order) - 0.3)
        axes.legend(fontsize=7, loc="lower left")

    _save(path, (7.0, _MIN_INCHES / 2 + _INCHES_A_SPEAKER * len(order)), draw)


def confusion(path: Path, names: Sequence[str], scores: Matrix, title: str) -> None:
    """Scores of each clone (row) with each speaker (column); the diagonal should be brightest."""
    inches = max(_MIN_INCHES, _INCHES_A_SPEAKER * len(names) / 1.4 + 1.5)

    def draw(axes: Axes) -> None:
        image = axes.imshow(scores, cmap="viridis", interpolation="nearest")
        axes.figure.colorbar(image, ax=axes, shrink=0.8)
        best = scores.argmax(axis=1)
        axes.plot(best, np.arange(len(names)), ".", color="#ee3377", ms=3)
        if len(names) <= _MAX_LABELS:
            at = np.arange(len(names))
            axes.set_xticks(at, names, fontsize=5, rotation=90)
            axes.set_yticks(at, names, fontsize=5)
        axes.set_title(f"{title}; dots: whom the clone is taken for", fontsize=8)
        axes.set_xlabel("speaker")
        axes.set_ylabel("clone of")

    _save(path, (inches + 1.0, inches), draw)


def curve(path: Path, by_length: Mapping[float, Sequence[float]]) -> None:
    """Cosine against the seconds of speech that were cloned: each length's mean and spread."""
    known = {seconds: values for seconds, values in sorted(by_length.items()) if values}

    def draw(axes: Axes) -> None:
        for seconds, values in known.items():
            axes.plot([seconds] * len(values), values, ".", color="#bbbbbb")
        means = [float(np.mean(values)) for values in known.values()]
        axes.plot(list(known), means, "o-", color="#4477aa")
        for seconds, mean, values in zip(known, means, known.values(), strict=True):
            axes.annotate(f" {len(values)}", (seconds, mean), fontsize=7)
        axes.set_xlim(left=0.0)
        axes.set_xlabel("seconds of speech that were cloned (numbers: speakers)")
        axes.set_ylabel("GE2E cosine to the unseen half")

    _save(path, (6.0, 4.0), draw)


def _save(path: Path, inches: tuple[float, float], draw: Callable[[Axes], None]) -> None:
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise PlotsMissing("drawing plots needs: pip install voicepeer[eval]") from error
    # Without pyplot: no window system, and nothing that stays open.
    figure = Figure(figsize=inches, layout="constrained")
    draw(figure.add_subplot())
    figure.savefig(path, dpi=110)
