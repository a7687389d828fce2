"""Which of an engine's voices stands for each that clients of OpenAI's API know by name."""

from __future__ import annotations

from collections.abc import Collection

from engines.api import EngineInfo

OPENAI_VOICES = frozenset(
    "alloy ash ballad cedar coral echo fable marin nova onyx sage shimmer verse".split()
)


def stand_in(name: str, language: str, stock: Collection[str], info: EngineInfo) -> str | None:
    """The stock voice for a name of OpenAI's: the engine's choice, or else its default one.

    ``None`` for another name, or where the engine has no voices of its own.
    """
    if name.lower() not in OPENAI_VOICES or not stock:
        return None
    choices = (info.voice_aliases.get(name.lower()), info.default_voice(language), min(stock))
    return next(choice for choice in choices if choice in stock)
