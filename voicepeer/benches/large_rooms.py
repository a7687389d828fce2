"""What a room costs in which few speak and many listen, each to as few voices as may speak at once.

All send their microphone; of the quiet ones nothing is forwarded while others speak (last-N).
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any

from engines.progress import Progress
from voicepeer import rtc
from voicepeer.benches.figures import spread_ms
from voicepeer.benches.rooms import (
    ANSWER_S,
    ENOUGH,
    LOOKED_AT,
    PACKETS_PER_S,
    SETTLE_S,
    Clients,
    hosted_room,
    talk,
)
from voicepeer.core.speaking.pacer import Pacer
from voicepeer.tracks import SpeechTrack


@dataclass(frozen=True, slots=True)
class LargeCost:
    """Of one room."""

    participants: int
    speakers: int
    streams: int
    """That are forwarded: each hears as many as speak, but not themselves."""
    cpu_cores: float
    """Of the room's process."""
    delivered: float
    """Share of all packets that should have arrived."""
    delays_s: list[float]
    """From a packet's leaving one client to its coming to another."""
    joins_s: list[float] = field(default_factory=list)
    """That a participant's two connections took, one participant after the other."""

    @property
    def cpu_ms_per_stream_s(self) -> float:
        """By what has arrived."""
        return self.cpu_cores * 1000 / max(self.streams * self.delivered, 1e-9)


async def measure(
    participants: int, speakers: int, seconds: float, progress: Progress
) -> LargeCost:
    """Let some of so many speak for so long, all at once."""
    rtc.install_patches()
    clients, joins_s = Clients(), []
    # Encoded once for all: fifty encoders would take the core that the clients have.
    quiet = SpeechTrack(Pacer())
    peers = [rtc.new_peer() for _ in range(2 * participants)]
    # Connections come about one after the other, and speech has to last until after the last.
    talk_s = seconds + SETTLE_S + ANSWER_S + participants
    try:
        async with hosted_room("packets") as host:
            for index in range(participants):
                begun_s = time.monotonic()
                speaks = index < speakers
                publisher, ear = peers[2 * index : 2 * index + 2]
                if speaks:
                    talk(publisher, index, clients, talk_s)
                else:
                    publisher.addTrack(quiet.beside())
                await host.publish(publisher, quiet=not speaks)
                await host.listen(ear, index, clients, speakers - 1 if speaks else speakers)
                if index < participants - LOOKED_AT:
                    clients.only_count(ear)
                joins_s.append(time.monotonic() - begun_s)
                progress("connecting", (index + 1) / participants)
            await asyncio.sleep(SETTLE_S)
            progress("measuring", 0.5)
            clients.received = 0
            clients.delays_s.clear()
            cpu_s = -await host.cpu_s()
            await asyncio.sleep(seconds)
            received = clients.received
            cpu_s += await host.cpu_s()
    finally:
        quiet.stop()
        await asyncio.gather(*(rtc.close_peer(peer) for peer in peers))
    streams = speakers * (participants - 1)
    return LargeCost(
        participants,
        speakers,
        streams,
        cpu_s / seconds,
        received / PACKETS_PER_S / (streams * seconds),
        clients.delays_s,
        joins_s,
    )


def run(participants: int, speakers: int, seconds: float, progress: Progress) -> dict[str, Any]:
    """Measure, and give the figures as they are printed."""
    return figures(asyncio.run(measure(participants, speakers, seconds, progress)))


def figures(cost: LargeCost) -> dict[str, Any]:
    """As they are printed; those of a room that did not get through are ``None``."""
    enough = cost.delivered >= ENOUGH
    notes = {
        "added_latency_ms": f"from one client to the other, of {LOOKED_AT} listeners, all clients "
        "in one process, so that their own delays are in it",
        "join_ms": "both connections of a participant, one participant after the other",
    }
    if not enough:
        notes["cpu_ms_per_stream_s"] = (
            f"only {cost.delivered:.0%} of the packets came through, so the clients of this bench "
            "had too little of the machine: try again when nothing else runs on it"
        )
    return {
        "participants": cost.participants,
        "speakers": cost.speakers,
        "forwarded_streams": cost.streams,
        "delivered": round(cost.delivered, 4),
        "cpu_cores": round(cost.cpu_cores, 3),
        "cpu_ms_per_stream_s": round(cost.cpu_ms_per_stream_s, 2) if enough else None,
        "added_latency_ms": spread_ms(cost.delays_s if enough else []),
        "join_ms": spread_ms(cost.joins_s),
        "notes": notes,
    }
