"""One speech for several listeners: one encode, no seam that is heard, nobody holds up another."""

from __future__ import annotations

import time

import numpy as np
import pytest

from tests.peers.glitches import Glitches, count, tone
from voicepeer.broadcast import KEPT_PACKETS, Broadcast, Ear, encoder_for
from voicepeer.core.adaptation import Encoding
from voicepeer.core.pcm import FRAME_SAMPLES, Pcm, from_pcm16
from voicepeer.core.speaking.pacer import Frame, Pacer
from voicepeer.opus import OpusDecoder, OpusEncoder

pytestmark = pytest.mark.unit

WIDE, NARROW = Encoding(32_000, 5), Encoding(16_000, 20)


class CountedEncoder(OpusEncoder):
    """Knows how many frames it has encoded."""

    frames = 0

    def encode(self, pcm: np.ndarray[tuple[int], np.dtype[np.int16]]) -> bytes:
        self.frames += 1
        return super().encode(pcm)


class Room:
    """A broadcast on a clock of its own, and what each listener decodes."""

    def __init__(self, pacer: Pacer | None = None) -> None:
        self.pacer = pacer or Pacer()
        self.made: list[CountedEncoder] = []
        self.broadcast = Broadcast(self.pacer, self._make)
        self.heard: dict[Ear, list[Pcm]] = {}
        self.decoders: dict[Ear, OpusDecoder] = {}
        self.pts: dict[Ear, list[int]] = {}
        self.now = 0.0

    def _make(self, encoding: Encoding) -> OpusEncoder:
        self.made.append(CountedEncoder(encoding.bitrate_bps))
        return self.made[-1]

    def enter(self, encoding: Encoding = WIDE) -> Ear:
        ear = self.broadcast.join(encoding)
        self.heard[ear], self.decoders[ear], self.pts[ear] = [], OpusDecoder(), []
        return ear

    def say(self, pcm: Pcm) -> None:
        generation = self.pacer.open()
        self.pacer.push(generation, pcm)
        self.pacer.end(generation)

    def play(self, frames: int, *ears: Ear) -> None:
        for _ in range(frames):
            for ear in ears or self.heard:
                self.hear(ear)
            self.now += 0.02

    def hear(self, ear: Ear) -> None:
        pts, payload = self.broadcast.take(ear, self.now)
        self.pts[ear].append(pts)
        self.heard[ear].append(from_pcm16(self.decoders[ear].decode(payload)))

    def glitches(self, ear: Ear) -> Glitches:
        return count(np.concatenate(self.heard[ear]))


def test_three_listeners_cost_one_encode_and_hear_the_same() -> None:
    room = Room()
    ears = [room.enter() for _ in range(3)]
    room.say(tone(1.0))
    room.play(60)
    assert [encoder.frames for encoder in room.made] == [60]
    first = np.concatenate(room.heard[ears[0]])
    for ear in ears:
        assert np.array_equal(np.concatenate(room.heard[ear]), first)
        assert set(np.diff(room.pts[ear])) == {FRAME_SAMPLES}
    assert room.glitches(ears[0]).phase_jumps == 0


def test_a_listener_with_a_worse_network_gets_an_encoder_of_its_own_without_a_glitch() -> None:
    room = Room()
    ears = [room.enter() for _ in range(3)]
    room.say(tone(2.0))
    room.play(40)
    room.broadcast.encode_as(ears[1], NARROW)
    assert (room.broadcast.encoders, ears[1].group.encoding) == (2, NARROW)
    room.play(70)
    for ear in ears:
        found = room.glitches(ear)
        assert (found.phase_jumps, found.longest_hole_ms) == (0, 0.0)


def test_listeners_who_want_the_same_again_share_again_from_the_next_silence_on() -> None:
    room = Room()
    ears = [room.enter() for _ in range(2)]
    room.broadcast.encode_as(ears[1], NARROW)
    room.say(tone(1.0))
    room.play(30)
    room.broadcast.encode_as(ears[1], WIDE)
    room.play(15)
    assert room.broadcast.encoders == 2, "joining now would be heard"
    room.play(20)
    assert room.broadcast.encoders == 1
    room.say(tone(1.0))
    room.play(60)
    assert room.glitches(ears[1]).phase_jumps == 0
    assert ears[0].group is ears[1].group


def test_a_listener_who_is_alone_keeps_its_encoder() -> None:
    room = Room()
    ear = room.enter()
    room.broadcast.encode_as(ear, NARROW)
    room.say(tone(1.0))
    room.play(20)
    room.broadcast.encode_as(ear, WIDE)
    room.play(40)
    assert len(room.made) == 1
    assert room.glitches(ear).phase_jumps == 0


def test_a_listener_who_comes_later_hears_from_there_on() -> None:
    room = Room()
    first = room.enter()
    room.play(25)
    second = room.enter()
    room.play(5)
    assert room.pts[second] == room.pts[first][-5:]


def test_a_slow_listener_holds_up_nobody_and_goes_on_with_the_newest() -> None:
    room = Room()
    quick, slow = room.enter(), room.enter()
    room.play(10)
    room.play(KEPT_PACKETS + 20, quick)
    assert set(np.diff(room.pts[quick])) == {FRAME_SAMPLES}
    room.hear(slow)
    assert room.pts[slow][-1] == room.pts[quick][-1]


def test_who_is_a_little_late_misses_nothing() -> None:
    room = Room()
    quick, slow = room.enter(), room.enter()
    room.play(KEPT_PACKETS, quick)
    assert room.broadcast.wait_s(slow, room.now) == 0.0
    for _ in range(KEPT_PACKETS):
        room.hear(slow)
    assert room.pts[slow] == room.pts[quick]


def test_silence_is_silent_and_cheap() -> None:
    room = Room()
    ear = room.enter()
    room.say(tone(0.5))
    room.play(40)
    begun_s = time.process_time()
    room.play(400)
    quiet_s = time.process_time() - begun_s
    assert np.abs(np.concatenate(room.heard[ear][45:])).max() <= 2 / 32768
    zeros = OpusEncoder()
    begun_s = time.process_time()
    for _ in range(400):
        zeros.encode(np.zeros(FRAME_SAMPLES, np.int16))
    # With decoding and all else included it costs less than encoding zeros alone.
    assert quiet_s < 1.5 * (time.process_time() - begun_s)


def test_leaving_frees_the_encoder_and_can_be_repeated() -> None:
    room = Room()
    one, other = room.enter(), room.enter(NARROW)
    for _ in range(2):
        room.broadcast.leave(other)
    assert room.broadcast.encoders == 1
    room.broadcast.leave(one)
    assert room.broadcast.encoders == 0


def test_when_one_encoder_fails_the_others_are_heard() -> None:
    def make(encoding: Encoding) -> OpusEncoder:
        encoder = encoder_for(encoding)
        if encoding == NARROW:
            encoder.encode = _refuse  # type: ignore[method-assign]
        return encoder

    pacer = Pacer()
    broadcast = Broadcast(pacer, make)
    good, bad = broadcast.join(WIDE), broadcast.join(NARROW)
    generation = pacer.open()
    pacer.push(generation, tone(0.5))
    pacer.end(generation)
    decoders = {ear: OpusDecoder() for ear in (good, bad)}
    levels = dict.fromkeys(decoders, 0)
    for index in range(20):
        for ear, decoder in decoders.items():
            pcm = decoder.decode(broadcast.take(ear, index * 0.02)[1])
            levels[ear] = max(levels[ear], int(np.abs(pcm).max()))
    assert broadcast.faults == 20
    assert levels[good] > 5000
    assert levels[bad] < 100


def _refuse(pcm: object) -> bytes:
    raise RuntimeError("told to")


def test_a_pacer_that_fails_in_every_way_only_costs_its_frames() -> None:
    class Broken(Pacer):
        def take(self, now: float) -> Frame:
            raise RuntimeError("told to")

        def next_deadline(self) -> float | None:
            raise RuntimeError("told to")

    broadcast = Broadcast(Broken())
    ear = broadcast.join(WIDE)
    assert 0 < broadcast.wait_s(ear, 0.0) <= 0.02
    taken = [broadcast.take(ear, index * 0.02) for index in range(3)]
    assert [pts for pts, _ in taken] == [0, 960, 1920]
    assert broadcast.faults == 3


# --- silence ----------------------------------------------------------------------------------


def test_a_silence_is_encoded_until_it_has_settled() -> None:
    room = Room()
    ear = room.enter()
    room.say(tone(0.2))
    room.play(60)
    [encoder] = room.made
    before = encoder.frames
    room.play(500)
    assert encoder.frames - before < 120
    assert np.abs(np.concatenate(room.heard[ear][60:])).max() < 1e-4
    assert room.pts[ear] == [FRAME_SAMPLES * index for index in range(560)]


@pytest.mark.parametrize("frames", [40, 41, 42, 43, 300])
def test_speech_after_a_silence_is_as_if_all_of_it_had_been_encoded(frames: int) -> None:
    """Whichever packet of the cycle came last."""
    room = Room()
    ear = room.enter()
    plain, decoder = OpusEncoder(WIDE.bitrate_bps), OpusDecoder()
    room.play(frames)
    for _ in range(frames):
        decoder.decode(plain.encode(np.ones(FRAME_SAMPLES, np.int16)))
    room.say(tone(0.5))
    room.play(30)
    heard = np.concatenate(room.heard[ear][frames:])
    speech = np.zeros(30 * FRAME_SAMPLES, np.float32)
    speech[: tone(0.5).size] = tone(0.5)
    wanted = np.concatenate(
        [
            from_pcm16(decoder.decode(plain.encode((one * 32767).astype(np.int16))))
            for one in speech.reshape(-1, FRAME_SAMPLES)
        ]
    )
    difference = np.sqrt(np.mean(np.square(heard - wanted)))
    assert difference < 0.05 * np.sqrt(np.mean(np.square(wanted)))
    assert room.glitches(ear) == count(wanted)


def test_a_silence_is_encoded_anew_with_other_settings() -> None:
    room = Room()
    ear = room.enter()
    room.play(50)
    [encoder] = room.made
    before = encoder.frames
    room.broadcast.encode_as(ear, NARROW)
    room.play(50)
    assert 2 * 4 <= encoder.frames - before < 30
    sizes = {len(room.broadcast.take(ear, room.now + n * 0.02)[1]) for n in range(4)}
    assert max(sizes) <= NARROW.bitrate_bps * 0.02 / 8
