"""What is settled about an utterance before its first word, and what the engine can do about it."""

from __future__ import annotations

from dataclasses import dataclass, field

from engines.api import ControlRanges, EngineInfo
from voicepeer.core.speaking.delivery import Delivery
from voicepeer.core.speaking.lexicon import Lexicon

DEFAULT_LANGUAGE = "en-us"
MAX_PRIORITY = 9


@dataclass(frozen=True, slots=True)
class Order:
    """How an utterance is to be spoken, settled when it is opened."""

    language: str = DEFAULT_LANGUAGE
    """A tag, or ``language.AUTO``."""
    delivery: Delivery = Delivery()
    priority: int = 0
    """The more urgent are spoken first; ``MAX_PRIORITY`` at most."""
    lexicon: Lexicon = field(default_factory=Lexicon)
    ssml: bool = False
    """Whether its text is markup."""
    visemes: bool = False
    captions: bool = False
    """Whether these events are wanted."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """What the engine can do, as far as it is known."""

    ranges: ControlRanges | None = None
    """Controls are held to them."""
    languages: frozenset[str] = frozenset()
    """What may be mixed in a sentence; nothing is if it is empty."""
    ipa: bool = True

    @classmethod
    def of(cls, info: EngineInfo) -> Abilities:
        """Those of an engine."""
        return cls(info.controls, info.languages, info.ipa)
