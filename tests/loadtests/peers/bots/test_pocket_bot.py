"""The yardstick of pocket-tts without pocket-tts: as much noise as a text takes to be said."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from loadtests.peers import bots

pytestmark = pytest.mark.unit

RATE_HZ = 24_000
CHUNK = RATE_HZ * 8 // 100


class Tensor:
    """As much of one as the bot asks for."""

    def __init__(self, values: NDArray[np.float32]) -> None:
        self._values = values

    def numpy(self) -> NDArray[np.float32]:
        """Its values."""
        return self._values


class Model:
    """Speaks until it is told to stop, and a little longer, as the real one has some on its way."""

    sample_rate = RATE_HZ

    def __init__(self, level: float) -> None:
        self.made = 0
        self._level = level

    def generate_audio_stream(
        self, voice: object, text: str, stop: threading.Event
    ) -> Iterator[Tensor]:
        """Chunks of one level."""
        late = 3
        while late:
            late -= stop.is_set()
            self.made += 1
            yield Tensor(np.full(CHUNK, self._level, np.float32))


@pytest.fixture
def bot(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module of the bot, beside packages that are not needed here."""
    for name in ("pocket_tts", "torch", "yaml", "tokenizers", "tokenizers.models"):
        package = ModuleType(name)
        vars(package).update(Tokenizer=None, Unigram=None)
        monkeypatch.setitem(sys.modules, name, package)
    yield importlib.import_module(f"{bots.__name__}.pocket_bot")
    # Nobody else shall find what was made of packages that are not there.
    del sys.modules[f"{bots.__name__}.pocket_bot"], vars(bots)["pocket_bot"]


def noise(bot: Any, model: Model) -> Any:  # noqa: ANN401 - of a module that is made here
    """With a model that is there already."""
    made = bot.Noise.__new__(bot.Noise)
    made._model, made._voice = model, None
    return made


@pytest.mark.parametrize("words", [1, 2, 10, 32])
async def test_it_speaks_for_as_long_as_the_text_would_take(bot: Any, words: int) -> None:  # noqa: ANN401
    model = Model(0.01)
    chunks = [chunk async for chunk in noise(bot, model).say("word " * words)]
    samples = sum(pcm.size for pcm, _ in chunks)
    assert samples == int(words / bot.WORDS_PER_S * RATE_HZ)
    assert all(rate_hz == RATE_HZ and 0 < pcm.size <= CHUNK for pcm, rate_hz in chunks)
    # What is on its way when it stops is made, and not said.
    assert model.made > len(chunks)


async def test_noise_is_as_loud_as_speech_however_faint_it_was(bot: Any) -> None:  # noqa: ANN401
    for level in (1e-6, 0.01, 3.0):
        async for pcm, _ in noise(bot, Model(level)).say("one two"):
            assert np.abs(pcm).max() == pytest.approx(bot.PEAK)


async def test_silence_stays_what_it_is(bot: Any) -> None:  # noqa: ANN401
    async for pcm, _ in noise(bot, Model(0.0)).say("one"):
        assert np.isfinite(pcm).all()
        assert not pcm.any()
