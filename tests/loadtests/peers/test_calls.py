from __future__ import annotations

import random

import pytest

from loadtests.peers.calls import Losses, OurConversation
from loadtests.peers.protocol import Spoken
from voicepeer.client import VoicePeerClient
from voicepeer.core.messages import Accepted, Done

pytestmark = pytest.mark.unit

RTP = bytes([0x80, 111, *range(20)])
RTCP = bytes([0x80, 201, *range(20)])
STUN = bytes([0, 1, *range(20)])
DTLS = bytes([23, 254, *range(20)])


def test_every_twentieth_packet_of_media_is_lost() -> None:
    losses = Losses(0.05, random.Random(1))
    arrived = sum(losses.arrives(RTP) for _ in range(10_000))
    assert losses.lost == 10_000 - arrived
    assert losses.lost == pytest.approx(500, rel=0.15)


@pytest.mark.parametrize("datagram", [RTCP, STUN, DTLS, b""])
def test_everything_but_media_arrives(datagram: bytes) -> None:
    losses = Losses(1.0, random.Random(1))
    assert losses.arrives(datagram)
    assert losses.lost == 0


def test_a_seed_loses_the_same_packets() -> None:
    first, second = (Losses(0.3, random.Random(7)) for _ in range(2))
    assert [first.arrives(RTP) for _ in range(99)] == [second.arrives(RTP) for _ in range(99)]


def test_our_service_tells_how_long_a_synthesis_took() -> None:
    conversation = OurConversation(VoicePeerClient("http://localhost:1"))
    conversation.note(Accepted(utterance_id="a", queued=0))
    conversation.note(Done("a", audio_ms=2_000.0, first_audible_ms=90.0, rtf=0.25, underruns=0))
    conversation.note(Done("b", audio_ms=0.0, first_audible_ms=None, rtf=None, underruns=0))
    assert conversation.spoken() == [Spoken(0.5, 2.0)]
    assert conversation.spoken() == []
