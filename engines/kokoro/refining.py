"""Makes a voice more like its speaker by listening to it, in steps that can be stopped.

The networks of ``cloning`` foretell how a style would be heard, and are off by more for real
people than for the voices they learned from. Each step speaks a few sentences, notes by how much
the networks were off, and searches again with that taken into account (space mapping: J. Bandler
et al., IEEE Trans. Microwave Theory and Techniques 42, 1994). Whether the result is better is
judged by sentences and by a part of the reference that its search has not seen; if it is, the
voice that is given is searched for with all of the reference.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import TypeAlias, TypeVar

import numpy as np

from engines.api import Embedding, Pcm, Reference, SpeakerEncoder, Voice
from engines.cleaning import EMBEDDING_SIZE
from engines.kokoro import calibration, cloning, tone, voices
from engines.kokoro.source import SAMPLE_RATE_HZ
from engines.kokoro.synth import FRAME_SAMPLES, Synthesizer
from engines.kokoro.tone import Gains
from engines.kokoro.train.sentences import SENTENCES
from engines.kokoro.vocabulary import to_tokens
from engines.kokoro.voices import Style
from engines.pitch import matching_ratio
from engines.resampling import resample

ResultT = TypeVar("ResultT")
Work: TypeAlias = Generator[None, None, ResultT]
"""Work that can be left between its parts of some 0.3 s, and what it comes to."""

JUDGING, SEARCHING = SENTENCES[-4:], SENTENCES[:-4]

MAX_STEPS = 24
"""By then a mean over 72 sentences says by how much the networks are off."""

JUDGE_EVERY = 4
"""Steps; judging costs as much as two of them."""

_STEP_SENTENCES = 3
_LEAST_WEIGHT = 0.1
"""Of the newest step in the mean over all: what is missed differs from point to point."""

_HELD_SHARE = 0.25
_LEAST_TO_DIVIDE_S = 4.0
"""Of less speech there is nothing to spare, and all of it both leads and judges."""


class Refiner:
    """One voice on its way to its speaker.

    Raises:
        ReferenceRejected: the reference is too short or silent for the encoder.
        VoiceIncompatible: not a voice of this engine.
    """

    def __init__(
        self, synth: Synthesizer, encoder: SpeakerEncoder, voice: Voice, reference: Reference
    ) -> None:
        self._synth, self._encoder = synth, encoder
        target, self._judge = divided(reference, encoder)
        self._target = cloning.beyond(target)
        self._whole = cloning.beyond(_whole(reference, encoder))
        style, self._ratio = voices.voice_style(voice)
        self._f0_hz = cloning.predicted_f0_hz(style) * self._ratio
        self._began = self._point = voices.style_basis().point(style)
        self._best = voice
        self._missed = np.zeros(EMBEDDING_SIZE, np.float32)
        self._order = np.random.default_rng(0).permutation(len(SEARCHING))

    def voices(self) -> Iterator[Voice | None]:
        """A better voice now and then, and ``None`` after every other part of the work."""
        likeness = yield from self._likeness(self._best)
        for step in range(MAX_STEPS):
            heard = yield from self._hear(step)
            self._learn(step, heard)
            if (step + 1) % JUDGE_EVERY:
                self._go(self._whole)
            else:
                found = yield from self._voice(self._target)
                now = yield from self._likeness(found)
                if now > likeness:
                    likeness = now
                    self._best = yield from self._voice(self._whole)
                    yield self._best

    def _hear(self, step: int) -> Work[Embedding]:
        """What the point is heard as, in sentences that come round as late as can be."""
        style, spoken = voices.style_basis().style(self._point), []
        for place in range(step * _STEP_SENTENCES, (step + 1) * _STEP_SENTENCES):
            symbols = SEARCHING[self._order[place % len(SEARCHING)]]
            acoustics = calibration.planned(self._synth, symbols, style, self._ratio)
            pcm, _ = self._synth.measure(acoustics, style)
            spoken.append(pcm[: int(acoustics.durations.sum()) * FRAME_SAMPLES])
            yield
        return self._embedding(np.concatenate(spoken), self._tone(style))

    def _learn(self, step: int, heard: Embedding) -> None:
        """Take up by how much the models were off at the point."""
        missed = heard - cloning.foretold(self._point, self._f0_hz)
        weight = np.float32(max(1.0 / (step + 1), _LEAST_WEIGHT))
        self._missed = self._missed + weight * (missed - self._missed)

    def _go(self, target: Embedding) -> None:
        """Go from where the search began to where what is missed leads it now."""
        self._point = cloning.nearer(self._began, target, self._f0_hz, self._missed)
        style = voices.style_basis().style(self._point)
        self._ratio = matching_ratio(self._f0_hz, cloning.predicted_f0_hz(style))

    def _voice(self, target: Embedding) -> Work[Voice]:
        """The voice that a search for this target finds now, ready to speak."""
        self._go(target)
        style = voices.style_basis().style(self._point)
        measured = []
        for symbols in calibration.SENTENCES:
            acoustics = calibration.planned(self._synth, symbols, style, self._ratio)
            measured.append(self._synth.measure(acoustics, style)[1])
            yield
        made = voices.restyled(self._best, style, self._ratio)
        arrays = {voices.NORMS: calibration.to_array(calibration.pool(measured))}
        gains = self._tone(style)
        if gains is not None:
            arrays[voices.TONE] = gains
        return replace(made, arrays={**made.arrays, **arrays})

    def _tone(self, style: Style) -> Gains | None:
        """What the tone of a voice becomes with another style, if it has one."""
        if voices.voice_tone(self._best) is None:
            return None
        return cloning.levelled_tone(style, self._ratio)

    def _likeness(self, voice: Voice) -> Work[float]:
        """Cosine of a voice, with the norms that it speaks with, to the part that judges."""
        style, ratio = voices.voice_style(voice)
        statistics = calibration.from_array(voice.arrays[voices.NORMS])
        assert statistics is not None
        norms, spoken = self._synth.freeze(style, statistics), []
        for symbols in JUDGING:
            acoustics = self._synth.front(to_tokens(symbols), style)
            moved = replace(acoustics, f0_hz=acoustics.f0_hz * np.float32(ratio))
            spoken.append(self._synth.decode(moved, style, norms))
            yield
        heard = self._embedding(np.concatenate(spoken), voices.voice_tone(voice))
        return float(heard @ self._judge)

    def _embedding(self, pcm: Pcm, gains: Gains | None) -> Embedding:
        if gains is not None:
            pcm = tone.filtered(pcm, tone.fir(gains))
        return self._encoder.embed(resample(pcm, SAMPLE_RATE_HZ, self._encoder.sample_rate_hz))


def divided(reference: Reference, encoder: SpeakerEncoder) -> tuple[Embedding, Embedding]:
    """What a search may see of a reference, and the part at its end that judges the result.

    Raises:
        ReferenceRejected: too short or silent.
    """
    rate_hz = encoder.sample_rate_hz
    pcm = resample(reference.pcm, reference.sample_rate_hz, rate_hz)
    if pcm.size < _LEAST_TO_DIVIDE_S * rate_hz:
        whole = encoder.embed(pcm)
        return whole, whole
    held = max(encoder.window_samples, round(_HELD_SHARE * pcm.size))
    return encoder.embed(pcm[:-held]), encoder.embed(pcm[-held:])


def _whole(reference: Reference, encoder: SpeakerEncoder) -> Embedding:
    rate_hz = encoder.sample_rate_hz
    return encoder.embed(resample(reference.pcm, reference.sample_rate_hz, rate_hz))
