"""Kokoro behind the engine seam: text and a voice in, chunks of speech out."""

from __future__ import annotations

import logging
import os
import shutil
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from engines.api import (
    Chunk,
    ControlRanges,
    Controls,
    EngineError,
    EngineInfo,
    ModelFilesCorrupt,
    Reference,
    Segment,
    SpeakerEncoder,
    StopFlag,
    Voice,
)
from engines.cleaning import CleaningEncoder
from engines.kokoro import cloning, pieces, voices
from engines.kokoro.calibration import NormsCache, calibrate, from_array, to_array
from engines.kokoro.composing import phonemes_of
from engines.kokoro.files import COMPILED, chosen_precision, ready_files, recipe_for
from engines.kokoro.leveling import UNMEASURED_SEMITONES, Levels
from engines.kokoro.matching import matched, without_channel
from engines.kokoro.phonemes import LANGUAGES
from engines.kokoro.refining import Refiner
from engines.kokoro.source import SAMPLE_RATE_HZ
from engines.kokoro.speech import Manner, OtherPitch, Speech
from engines.kokoro.synth import FrozenNorms, NormStatistics, Synthesizer
from engines.kokoro.transposition import transposed
from engines.kokoro.weights import cache_dir, weights_file
from engines.progress import Progress, no_progress
from engines.runtime import SessionOptions, usable_provider

logger = logging.getLogger(__name__)

SPEED_RANGE = (0.5, 2.0)
PITCH_RANGE_SEMITONES = (-12.0, 12.0)
ENERGY_RANGE = (0.5, 1.5)
PITCH_RANGE_FACTORS = (0.0, 3.0)
SLOPE_RANGE_SEMITONES = (-12.0, 12.0)
WHISPER_RANGE = (0.0, 1.0)
PAUSE_RANGE = (0.0, 5.0)

_SPOKEN_DBFS, _SPOKEN_S = (-35.0, -12.0), (3.0, 7.0)
"""What the sentence that warms the engine up is like, widely: it has -23 dBFS and 4.8 s."""

_TIMED_TEXT, _TIMED = "This takes as long as a first piece does.", 2
"""How often: the faster one had nobody beside it."""

_NO_SPEECH = (
    "what the engine says is no speech, so its files are damaged: run `voicepeer engines build`"
)


class KokoroEngine:
    """Kokoro-82M with frozen norms, decoded in growing windows."""

    def __init__(self, synth: Synthesizer) -> None:
        """Take the opened graphs; ``synth`` stays open to training and to tests."""
        self.synth = synth
        self._first_chunk_ms = 0.0
        self._norms = NormsCache(synth)
        self._levels = Levels()

    def warm_up(self) -> None:
        """Speak once into the void, so that the first listener need not wait for compilers.

        Raises:
            ModelFilesCorrupt: what is heard then cannot be speech.
        """
        voice = next(iter(voices.stock_voices().values()))
        self.synth.warm_up_features(voices.voice_style(voice)[0])
        # The invented word loads the letter-to-sound model as well as the lexicon.
        text = "Hello, this is quindaloo, who says one sentence before anybody listens."
        chunks = self.speak(Segment(text), voice, Controls(), threading.Event())
        try:
            pcm = np.concatenate([chunk.pcm for chunk in chunks] or [np.zeros(1, np.float32)])
        except EngineError as error:
            raise ModelFilesCorrupt(_NO_SPEECH) from error
        level_dbfs = 10.0 * np.log10(np.mean(np.square(pcm, dtype=np.float64)) + 1e-12)
        if not (
            _SPOKEN_DBFS[0] < level_dbfs < _SPOKEN_DBFS[1]
            and _SPOKEN_S[0] < pcm.size / SAMPLE_RATE_HZ < _SPOKEN_S[1]
        ):
            raise ModelFilesCorrupt(_NO_SPEECH)
        self._first_chunk_ms = min(self._time_first_chunk(voice) for _ in range(_TIMED))

    def _time_first_chunk(self, voice: Voice) -> float:
        began_s = time.perf_counter()
        next(self.speak(Segment(_TIMED_TEXT), voice, Controls(), threading.Event()))
        return (time.perf_counter() - began_s) * 1000.0

    @property
    def info(self) -> EngineInfo:
        """Capabilities, constant for the life of the engine."""
        return EngineInfo(
            name=voices.ENGINE_NAME,
            version=voices.VOICE_VERSION,
            sample_rate_hz=SAMPLE_RATE_HZ,
            languages=LANGUAGES,
            min_reference_s=cloning.ADVISED_SPEECH_S,
            controls=ControlRanges(
                speed=SPEED_RANGE,
                pitch_semitones=PITCH_RANGE_SEMITONES,
                energy=ENERGY_RANGE,
                pitch_range=PITCH_RANGE_FACTORS,
                pitch_slope_semitones=SLOPE_RANGE_SEMITONES,
                whisper=WHISPER_RANGE,
                pauses=PAUSE_RANGE,
            ),
            streaming=True,
            word_times=True,
            licence="Apache-2.0",
            default_voices={tag: voices.DEFAULT_VOICES[tag] for tag in LANGUAGES},
            voice_aliases=voices.ALIASES,
            encoder="ge2e",
            provider=self.synth.session.provider,
            precision=self.synth.session.precision,
            ipa=True,
            first_chunk_ms=self._first_chunk_ms,
        )

    def stage_times_ms(self) -> dict[str, float]:
        """Medians of the stages before the first sound of a ten-word sentence."""
        return self.synth.stage_times_ms(next(iter(voices.stock_styles().values())))

    def stock_voices(self) -> Mapping[str, Voice]:
        """The voices that were published with the model."""
        return voices.stock_voices()

    def enrol(self, reference: Reference) -> Voice:
        """Make a voice from a reference, and get ready to speak with it.

        Raises:
            ReferenceRejected: too short, silent, or without the embedding it needs.
        """
        clean = without_channel(reference)
        track = cloning.pitch_of(clean)
        return matched(self.synth, cloning.clone(clean, track), reference, track)

    def refine(
        self, voice: Voice, reference: Reference, encoder: SpeakerEncoder
    ) -> Iterator[Voice | None]:
        """Look for voices that are more like the speaker; see ``engines.kokoro.refining``.

        Raises:
            ReferenceRejected: too short or silent.
            VoiceIncompatible: the voice is not one of this engine's.
        """
        hears = CleaningEncoder(encoder)
        return Refiner(self.synth, hears, self.prepared(voice), reference).voices()

    def forget(self, voice: Voice) -> None:
        """Drop the norms and levels that are kept of a voice.

        Raises:
            VoiceIncompatible: the voice is not one of this engine's.
        """
        style, _ = voices.voice_style(voice)
        self._norms.forget(style)
        self._levels.forget(style.tobytes())

    def prepared(self, voice: Voice) -> Voice:
        """The same voice, bringing what would else be measured when it first speaks."""
        style, f0_ratio = voices.voice_style(voice)
        statistics = _own_statistics(voice) or calibrate(self.synth, style, f0_ratio)
        self._norms.get(style, statistics)
        return replace(voice, arrays={**voice.arrays, voices.NORMS: to_array(statistics)})

    def speak(
        self, segment: Segment, voice: Voice, controls: Controls, stop: StopFlag
    ) -> Iterator[Chunk]:
        """Yield the segment's speech in chunks of exactly 80 ms but the last.

        Raises:
            LanguageUnsupported: names the languages that the engine speaks.
            PhonemesUnsupported: names the symbol that the engine cannot say.
            VoiceIncompatible: the voice is not one of this engine's.
        """
        began_s = time.perf_counter()
        style, f0_ratio = voices.voice_style(voice)
        phonemes = phonemes_of(segment)
        manner = Manner(style, f0_ratio, voices.voice_range(voice), controls)
        found = pieces.cut(phonemes)
        if found:
            norms = self._norms_at(style, f0_ratio, voice, controls.pitch_semitones)
            other_pitch = self._other_pitch(manner, voice)
            speech = Speech(self.synth, norms, manner, stop, other_pitch, began_s)
            yield from speech.chunks(segment.text, found, last=segment.last)

    def _other_pitch(self, manner: Manner, voice: Voice) -> OtherPitch | None:
        semitones = manner.controls.pitch_semitones
        if abs(semitones) <= UNMEASURED_SEMITONES:
            return None
        known_by = manner.style.tobytes() + np.float32(manner.f0_ratio).tobytes()
        level = self._levels.of(known_by, semitones)
        own_norms = self._norms_at(manner.style, manner.f0_ratio, voice, 0.0)
        return OtherPitch(level, own_norms)

    def _norms_at(
        self, style: voices.Style, f0_ratio: float, voice: Voice, semitones: float
    ) -> FrozenNorms:
        statistics = _own_statistics(voice)
        if statistics is None:
            norms = self._norms.get(style, None, f0_ratio * 2.0 ** (semitones / 12.0))
        else:
            norms = self._norms.get(style, transposed(statistics, semitones))
        return replace(norms, filter=voices.voice_filter(voice))


def _own_statistics(voice: Voice) -> NormStatistics | None:
    """What was measured when the voice was made, if it brings that."""
    norms = voice.arrays.get(voices.NORMS)
    return None if norms is None else from_array(norms)


def create(options: Mapping[str, str]) -> KokoroEngine:
    """Open the engine, and make its files first if they are not there.

    Options: ``provider`` (``auto``, ``openvino``, ``cuda``, ``tensorrt``, ``cpu``), ``precision``,
    ``threads``, ``weights`` (a file) and ``cache`` (a folder).

    Raises:
        ModelFilesMissing: the weights are not installed.
        ModelFilesCorrupt: the weights are not the published ones.
        CacheUnwritable: there is no room or no right to write engine files.
        PrecisionUnsupported: the provider does not have the precision.
        ValueError: an option has a value that it cannot have.
    """
    return open_engine(options)


def open_engine(options: Mapping[str, str], progress: Progress = no_progress) -> KokoroEngine:
    """Like ``create``, telling what is being done."""
    engine = KokoroEngine(open_synthesizer(options, progress))
    try:
        engine.warm_up()
    except ModelFilesCorrupt:
        # Files may be in order, and only what was compiled from them is not.
        logger.warning("compiled programs are damaged, or their models: compiling them anew")
        shutil.rmtree(cache_of(options) / COMPILED, ignore_errors=True)
        engine = KokoroEngine(open_synthesizer(options, progress))
        engine.warm_up()
    return engine


def cache_of(options: Mapping[str, str]) -> Path:
    """The folder for engine files that options name, or the user's."""
    return Path(options["cache"]) if options.get("cache") else cache_dir()


def open_synthesizer(options: Mapping[str, str], progress: Progress = no_progress) -> Synthesizer:
    """The opened graphs alone, cold; options and errors are those of ``create``."""
    cache = cache_of(options)
    named = Path(options["weights"]) if options.get("weights") else None
    wanted = session_options(options, cache)
    files = ready_files(
        recipe_for(wanted.provider, wanted.precision),
        cache,
        lambda: weights_file(named, cache, progress),
        progress,
    )
    return Synthesizer(files, wanted)


def session_options(options: Mapping[str, str], cache: Path) -> SessionOptions:
    """How sessions are to be opened, from text options.

    Raises:
        ValueError: a number that is none.
    """
    cores = min(2, os.cpu_count() or 1)
    threads = int(options.get("threads") or cores)
    if threads < 1:
        raise ValueError(f"threads must be at least 1, not {threads}")
    provider, precision = usable_provider(
        options.get("provider") or "auto", options.get("precision") or "auto"
    )
    return SessionOptions(
        provider=provider,
        precision=chosen_precision(provider, precision),
        threads=threads,
        cache_dir=cache / COMPILED,
    )
