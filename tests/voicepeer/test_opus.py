"""Our own libopus calls: rates, loss recovery, options and refusals."""

from __future__ import annotations

import resource

import numpy as np
import pytest

from voicepeer import opus
from voicepeer.core.jitter import packet_samples
from voicepeer.core.pcm import FRAME_SAMPLES, WIRE_RATE_HZ, Pcm16
from voicepeer.opus import OpusDecoder, OpusEncoder, OpusError, OpusUnavailable

pytestmark = pytest.mark.unit


def voiced(frames: int, f0_hz: float = 140.0) -> Pcm16:
    """A vowel-like sound: harmonics under a spectral slope, with a slow swell."""
    at = np.arange(frames * FRAME_SAMPLES) / WIRE_RATE_HZ
    harmonics = sum(np.sin(2 * np.pi * f0_hz * k * at) / k for k in range(1, 25))
    swell = 0.6 + 0.4 * np.sin(2 * np.pi * 3 * at)
    return (harmonics * swell * 6000).astype(np.int16)


def packets(pcm: Pcm16, encoder: OpusEncoder | None = None) -> list[bytes]:
    encoder = encoder or OpusEncoder()
    return [encoder.encode(frame) for frame in pcm.reshape(-1, FRAME_SAMPLES)]


def correlation(a: Pcm16, b: Pcm16) -> float:
    return float(np.corrcoef(a.astype(float), b.astype(float))[0, 1])


def best_correlation(sent: Pcm16, received: Pcm16, delay_max: int) -> float:
    size = sent.size - delay_max
    return max(
        correlation(sent[:size], received[delay : delay + size]) for delay in range(0, delay_max, 4)
    )


def test_speech_survives_the_round_trip() -> None:
    sent = voiced(50)
    decoder = OpusDecoder()
    received = np.concatenate([decoder.decode(packet) for packet in packets(sent)])
    assert received.size == sent.size
    assert best_correlation(sent, received, 1200) > 0.8


@pytest.mark.parametrize("rate_hz", [8_000, 12_000, 16_000, 24_000, 48_000])
def test_the_decoder_gives_the_rate_it_was_made_for(rate_hz: int) -> None:
    decoder = OpusDecoder(rate_hz)
    assert decoder.decode(packets(voiced(1))[0]).shape == (rate_hz // 50,)


def test_bitrate_is_kept_and_can_be_changed() -> None:
    encoder = OpusEncoder(bitrate_bps=32_000)
    rate_bps = sum(map(len, packets(voiced(100), encoder))) * 8 / 2
    assert 20_000 < rate_bps < 40_000
    encoder.set_bitrate(12_000)
    assert sum(map(len, packets(voiced(100), encoder))) * 8 / 2 < 0.6 * rate_bps


def test_packets_are_mono_frames_of_20_ms() -> None:
    stereo_bit = 0x04  # RFC 6716 section 3.1
    for packet in packets(voiced(10)):
        assert packet_samples(packet) == FRAME_SAMPLES
        assert not packet[0] & stereo_bit


def test_fec_recovers_a_lost_frame_better_than_concealment() -> None:
    sent = packets(voiced(60, 110.0), OpusEncoder(fec=True, expected_loss_percent=20))
    whole = OpusDecoder()
    reference = [whole.decode(packet) for packet in sent]
    errors = {"fec": 0.0, "plc": 0.0}
    for kind in errors:
        for lost in range(20, 58, 3):
            decoder = OpusDecoder()
            for packet in sent[:lost]:
                decoder.decode(packet)
            if kind == "fec":
                guess = decoder.recover(sent[lost + 1], FRAME_SAMPLES)
            else:
                guess = decoder.conceal(FRAME_SAMPLES)
            difference = guess.astype(float) - reference[lost]
            errors[kind] += float(np.sum(difference**2))
    assert errors["fec"] < 0.7 * errors["plc"]


def test_concealment_fades_to_silence() -> None:
    decoder = OpusDecoder()
    for packet in packets(voiced(10)):
        decoder.decode(packet)
    levels = [np.abs(decoder.conceal(FRAME_SAMPLES)).max() for _ in range(25)]
    assert levels[0] > 1000
    assert levels[-1] < 0.05 * levels[0]


def test_dtx_sends_next_to_nothing_in_silence() -> None:
    silence = np.zeros(100 * FRAME_SAMPLES, np.int16)
    sizes = [len(packet) for packet in packets(silence, OpusEncoder(dtx=True))]
    assert sum(size <= 2 for size in sizes) > 80


def test_reset_makes_the_encoder_repeat_itself() -> None:
    encoder = OpusEncoder()
    first = packets(voiced(5), encoder)
    encoder.reset()
    assert packets(voiced(5), encoder) == first


@pytest.mark.parametrize(
    "frame",
    [np.zeros(959, np.int16), np.zeros(3840, np.int16), np.zeros(960, np.float32)],
)
def test_anything_but_a_20_ms_frame_is_refused(frame: Pcm16) -> None:
    with pytest.raises(OpusError, match="960 samples"):
        OpusEncoder().encode(frame)


def test_a_strided_frame_is_encoded_as_what_it_holds() -> None:
    pcm = voiced(2)
    strided = np.repeat(pcm, 2)[::2][:FRAME_SAMPLES]
    assert OpusEncoder().encode(strided) == OpusEncoder().encode(pcm[:FRAME_SAMPLES])


def test_options_out_of_range_are_refused() -> None:
    with pytest.raises(OpusError):
        OpusEncoder(complexity=11)
    with pytest.raises(OpusError, match="bitrate"):
        OpusEncoder(bitrate_bps=10)


def test_a_rate_that_opus_lacks_is_refused() -> None:
    with pytest.raises(OpusError):
        OpusDecoder(44_100)


@pytest.mark.parametrize("packet", [b"", b"\xff", b"\x03\x31" + b"x" * 40])
def test_garbage_is_refused_and_the_decoder_lives_on(packet: bytes) -> None:
    decoder = OpusDecoder()
    with pytest.raises(OpusError):
        decoder.decode(packet)
    assert decoder.decode(packets(voiced(1))[0]).size == FRAME_SAMPLES


def test_many_coders_come_and_go_without_growth() -> None:
    def peak_mb() -> float:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    def churn(count: int) -> None:
        for _ in range(count):
            OpusEncoder().encode(np.zeros(FRAME_SAMPLES, np.int16))
            OpusDecoder().conceal(FRAME_SAMPLES)

    churn(50)
    before_mb = peak_mb()
    churn(1500)
    # A pair of coders has about 60 kB, so keeping them would cost 90 MB.
    assert peak_mb() - before_mb < 20


def test_a_missing_library_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opus, "_candidates", lambda: ["libopus-that-is-not-there.so"])
    # The one without a memory: to load it anew would hold up the loop of whichever test is next.
    monkeypatch.setattr(opus, "load_library", opus.load_library.__wrapped__)
    with pytest.raises(OpusUnavailable, match="pip install"):
        OpusEncoder()
