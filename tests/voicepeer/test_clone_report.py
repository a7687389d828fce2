"""The page of an evaluation: complete, safe against odd names, and nothing from elsewhere."""

from __future__ import annotations

import builtins
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest

from engines.api import Reference
from tests.clips import clip
from voicepeer import clone_figures, clone_plots, clone_report
from voicepeer.clone_figures import Figures
from voicepeer.core.errors import CannotWrite
from voicepeer.core.listening.quality import assess
from voicepeer.evaluation import Evaluation, Result, Speaker, Spoken
from voicepeer.likeness import Manner
from voicepeer.references import CloneSource

pytestmark = pytest.mark.unit

ODD = 'a&b "<script>#?'


class _Addresses(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.found += [value or "" for name, value in attrs if name in ("src", "href", "srcset")]


def _evaluation(*names: str) -> Evaluation:
    pcm, axis = clip("en_james")[:16_000], np.eye(256, dtype=np.float32)[0]
    spoken = Spoken(pcm, axis, Manner(None, None, None, None, None))
    source = CloneSource(Reference(pcm, 16_000, axis), 1.0, assess(pcm))
    results = []
    for number, name in enumerate(names, start=1):
        figures = Figures(name, 0.6 + number / 50, 0.9, 0.6, "af_sky", 1_234.0, rank=number)
        speaker = Speaker(name, source, pcm, axis, 3.0, None)
        results.append(Result(speaker, figures, spoken, spoken))
    scores = np.random.default_rng(1).random((len(names), len(names)))
    figures_of_all: dict[str, Any] = {
        "mean": clone_figures.means([one.figures for one in results]),
        "speakers": [clone_figures.row(one.figures) for one in results],
        "notes": {ODD: "1 < 2"},
    }
    return Evaluation(figures_of_all, results, scores, scores, {1.6: [0.5, 0.6], 8.0: []})


def test_page_names_only_files_beside_it_and_all_are_there(tmp_path: Path) -> None:
    clone_report.write(tmp_path, _evaluation("en_james", ODD))
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    addresses = _Addresses()
    addresses.feed(page)
    assert len(addresses.found) == 4 + 2 * 3
    assert all((tmp_path / unquote(address)).is_file() for address in addresses.found)
    assert all(address.startswith("./") for address in addresses.found)
    assert "script" not in addresses.tags
    assert not re.search(r"https?:|url\(|@import", page)


def test_plots_are_png_and_as_large_as_their_speakers_need(tmp_path: Path) -> None:
    few, many = tmp_path / "few", tmp_path / "many"
    for folder, count in ((few, 3), (many, 20)):
        clone_report.prepare(folder)
        clone_report.write(folder, _evaluation(*(f"person {n}" for n in range(count))))
        for name in ("speakers", "seconds", "confusion", "confusion_second"):
            assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG\r\n")
    height = [
        int.from_bytes((folder / "speakers.png").read_bytes()[20:24]) for folder in (few, many)
    ]
    assert height[1] > height[0] + 17 * 20


def test_without_lengths_there_is_no_plot_of_them(tmp_path: Path) -> None:
    found = replace(_evaluation("en_james", "en_susan"), curve={})
    clone_report.write(tmp_path, found)
    assert {path.stem for path in tmp_path.glob("*.png")} == {
        "speakers", "confusion", "confusion_second",
    }  # fmt: skip


def test_figures_are_shown_with_the_digits_that_matter() -> None:
    values = (None, 0.75432, 1_234.5, 3, -0.1)
    assert [clone_report.shown(value) for value in values] == ["–", "0.754", "1234", "3", "-0.1"]


def test_a_folder_that_cannot_be_is_refused_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CannotWrite, match="cannot write"):
        clone_report.prepare(tmp_path / "file")
    with pytest.raises(CannotWrite, match="cannot write"):
        clone_report.write(tmp_path / "nowhere", _evaluation("en_james"))


def test_without_matplotlib_a_report_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:  # noqa: ANN401
        if name.split(".")[0] == "matplotlib":
            raise ModuleNotFoundError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(clone_plots.PlotsMissing, match=r"voicepeer\[eval\]"):
        clone_report.prepare(tmp_path)
    with pytest.raises(clone_plots.PlotsMissing, match=r"voicepeer\[eval\]"):
        clone_plots.curve(tmp_path / "x.png", {1.0: [0.5]})
