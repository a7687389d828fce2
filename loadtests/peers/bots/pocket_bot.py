"""pocket-tts with random weights: what its computing costs, not how it sounds.

Its weights are on a hub that asks for terms to be accepted. The network of its default model is
built by its own loader in the published sizes and speaks noise, which takes as long as speech
would. Where the speech would end is not known to random weights, so that is taken from the text.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator
from itertools import product
from pathlib import Path
from string import ascii_letters, ascii_lowercase, digits, punctuation
from typing import Any

import numpy as np
import pocket_tts
import torch
import yaml
from tokenizers import Tokenizer
from tokenizers.models import Unigram

from loadtests.peers.bots import harness

SEED = 1
PROMPT_S = 5.0
WORDS_PER_S = 2.7
"""As Kokoro speaks the texts of this comparison."""

PEAK = 0.5


def _tokenizer(size: int) -> Tokenizer:
    """Stands in for the published one: single characters and pairs, filled up to its size."""
    single = ["<unk>", "▁", " ", *ascii_letters, *digits, *punctuation]
    pairs = ["".join(pair) for pair in product(ascii_lowercase, repeat=2)]
    filling = [f"<unused{index}>" for index in range(size - len(single) - len(pairs))]
    pieces = [(piece, -10.0 / len(piece)) for piece in (*single, *pairs)]
    return Tokenizer(Unigram([*pieces, *((piece, -100.0) for piece in filling)], unk_id=0))


def _config(folder: Path) -> Path:
    """The shipped configuration of the English model, without its weights."""
    shipped = Path(pocket_tts.__file__).parent / "config" / "english.yaml"
    config = yaml.safe_load(shipped.read_text())
    for name in ("weights_path", "weights_path_without_voice_cloning"):
        del config[name]
    table = config["flow_lm"]["lookup_table"]
    table["tokenizer_path"] = str(folder / "tokenizer.json")
    _tokenizer(table["n_bins"]).save(table["tokenizer_path"])
    made = folder / "english.yaml"
    made.write_text(yaml.safe_dump(config))
    return made


def _model() -> Any:  # noqa: ANN401 - not installed where this is checked
    torch.manual_seed(SEED)
    with tempfile.TemporaryDirectory() as folder:
        # No end is ever near enough: how long it speaks is decided here.
        model = pocket_tts.TTSModel.load_model(config=_config(Path(folder)), eos_threshold=1e9)
    with torch.no_grad():
        model.flow_lm.emb_std.fill_(1.0)
        model.flow_lm.emb_mean.fill_(0.0)
        model.flow_lm.speaker_proj_weight.normal_(std=0.02)
    return model


class Noise:
    """Speaks noise for as long as a text takes to be said."""

    def __init__(self) -> None:
        self._model = _model()
        prompt = torch.randn(1, int(PROMPT_S * self._model.sample_rate)) * 0.1
        self._voice = self._model.get_state_for_audio_prompt(prompt)

    def _chunks(self, text: str) -> Iterator[harness.Chunk]:
        rate_hz = self._model.sample_rate
        left, stop = int(len(text.split()) / WORDS_PER_S * rate_hz), threading.Event()
        for chunk in self._model.generate_audio_stream(self._voice, text, stop=stop):
            if (pcm := chunk.numpy()[:left]).size == 0:
                continue  # on its way when it was told to stop
            left -= pcm.size
            # Brought to the level of speech, so that the same detector sees where it begins.
            yield PEAK * pcm / max(float(np.abs(pcm).max()), 1e-9), rate_hz
            if left <= 0:
                stop.set()

    async def say(self, text: str) -> AsyncIterator[harness.Chunk]:
        """Chunks as they are made."""
        chunks = self._chunks(text)
        while (chunk := await asyncio.to_thread(next, chunks, None)) is not None:
            yield chunk


def main() -> None:
    """Speak until standard input ends; the argument, a folder of models, is not needed."""
    del sys.argv[1:]
    teller = harness.Teller()
    versions = harness.versions_of(["pocket-tts", "torch"])
    asyncio.run(harness.speak_locally(teller, Noise().say, versions))


if __name__ == "__main__":
    main()
