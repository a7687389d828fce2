"""Who is compared: ours with which settings, the others with which packages and which bot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

_REQUIREMENTS: Final = Path(__file__).parent / "requirements"


@dataclass(frozen=True, slots=True)
class Ours:
    """A service of this project."""

    name: str
    flags: tuple[str, ...]
    """Options of ``voicepeer serve``."""
    voice_id: str
    summary: str
    notes: Mapping[str, str] = field(default_factory=dict)
    """Reasons, by the figures that cannot be measured."""


@dataclass(frozen=True, slots=True)
class Peer:
    """Something that a user would pick instead."""

    name: str
    module: str
    """Of the bot that runs in its environment."""
    summary: str
    calls: bool = True
    """Whether it takes WebRTC calls; otherwise it only gives samples, in its own process."""
    same_weights: bool = True
    notes: Mapping[str, str] = field(default_factory=dict)

    @property
    def requirements(self) -> Path:
        """The file with all its packages, pinned."""
        return _REQUIREMENTS / f"{self.name}.txt"


_NO_NETWORK: Final = MappingProxyType(
    {
        "cancel_to_silence_ms": "it has no call in which to be silenced",
        "loss": "it has no network",
        "glitches": "it has no network",
        "stalls": "it has no network",
        "holes": "it has no network",
        "frames_lost": "it has no network",
        "cpu_per_session": "of its synthesis alone, for a call of the same length",
        "first_audible_ms": "until it gave the samples, which nobody has sent or received yet",
    }
)

OURS: Final = (
    Ours(
        "voicepeer",
        ("--engine", "kokoro"),
        "af_heart",
        "VoicePeer as it comes",
    ),
    Ours(
        "voicepeer-int8",
        ("--engine", "kokoro", "--provider", "cpu", "--precision", "int8"),
        "af_heart",
        "VoicePeer on onnxruntime, as the others",
    ),
)
"""The first is what ratios are made of, the second their like for like."""

PEERS: Final = (
    Peer(
        "pipecat",
        "loadtests.peers.bots.pipecat_bot",
        "Pipecat, SmallWebRTC transport and Kokoro service",
    ),
    Peer(
        "fastrtc",
        "loadtests.peers.bots.fastrtc_bot",
        "FastRTC and its Kokoro model",
    ),
    Peer(
        "kokoro-onnx",
        "loadtests.peers.bots.kokoro_onnx_bot",
        "kokoro-onnx alone, create_stream",
        calls=False,
        notes=_NO_NETWORK,
    ),
    Peer(
        "livekit",
        "loadtests.peers.bots.livekit_bot",
        "LiveKit Agents' speech part on kokoro-onnx",
        calls=False,
        notes={
            **_NO_NETWORK,
            "call": "its calls need a LiveKit server, which no package registry has",
        },
    ),
    Peer(
        "pocket-tts",
        "loadtests.peers.bots.pocket_bot",
        "pocket-tts with random weights: a yardstick of cost only",
        calls=False,
        same_weights=False,
        notes={
            **_NO_NETWORK,
            "weights": "random, because its hub asks for terms to be accepted: what it says is "
            "noise, for as long as speech would take",
        },
    ),
)
