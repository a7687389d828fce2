"""The mix of a recording: everything where it belongs, nothing too loud, and again from where it
was interrupted."""

from __future__ import annotations

import io
import tracemalloc
import wave
from pathlib import Path

import av
import numpy as np
import pytest

from tests.clips import clip
from tests.peers.glitches import tone
from tests.voicepeer.recorded import keep, track_of
from voicepeer import recording_mix
from voicepeer.core.errors import CannotWrite, RecordingNotFound
from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm, Pcm16, from_pcm16
from voicepeer.core.recording.limiter import CEILING
from voicepeer.core.recording.ogg import PRE_SKIP_SAMPLES
from voicepeer.core.recording.transcript import Said
from voicepeer.opus import OpusDecoder
from voicepeer.recording_mix import CAPTIONS, MIX, PART, mix, track_sound
from voicepeer.recording_store import RecordingStore

pytestmark = pytest.mark.unit


@pytest.fixture
def store(tmp_path: Path) -> RecordingStore:
    return RecordingStore(tmp_path / "recordings")


def silent(_what: str, _share: float) -> None:
    """Nobody watches."""


def clicks(seconds: float, every_s: float = 0.5, first_s: float = 0.25) -> Pcm:
    """Short bursts, by which moments are found again."""
    pcm = np.zeros(round(seconds * WIRE_RATE_HZ), np.float32)
    burst = tone(0.012, 1_000.0, 0.7)
    for at in np.arange(first_s, seconds - 0.05, every_s):
        start = round(at * WIRE_RATE_HZ)
        pcm[start : start + burst.size] = burst
    return pcm


def onsets_s(pcm: Pcm) -> list[float]:
    """When it gets loud after it was quiet."""
    loud = np.abs(pcm) > 0.2
    starts = np.flatnonzero(loud[1:] & ~loud[:-1]) + 1
    apart = np.diff(starts, prepend=-WIRE_RATE_HZ) > WIRE_RATE_HZ // 10
    return [float(start) / WIRE_RATE_HZ for start in starts[apart]]


def read(path: Path) -> Pcm:
    with wave.open(str(path)) as reader:
        assert (reader.getnchannels(), reader.getframerate()) == (1, WIRE_RATE_HZ)
        return from_pcm16(np.frombuffer(reader.readframes(reader.getnframes()), np.int16))


def test_tracks_are_together_as_they_were(store: RecordingStore) -> None:
    """One came 1.23 s later; both clap at the same moments."""
    late_s = 1.23
    first = track_of(clicks(6.0))
    second = track_of(clicks(6.0)[round(late_s * WIRE_RATE_HZ) :], late_s)
    for tracks, since_s in (((first,), 0.0), ((second,), late_s), ((first, second), 0.0)):
        number = len(list(store.folder.glob("*")))
        folder = keep(store, tracks, recording_id=f"20261130T06150{number}-9f86d081884c")
        mixed = read(mix(folder, silent).wav)
        heard = [at for at in onsets_s(mixed) if at > late_s + 0.1]
        expected = np.arange(0.25, 5.95, 0.5)
        expected = expected[expected > late_s + 0.1]
        np.testing.assert_allclose(heard, expected + 0.0065, atol=0.004)
        assert mixed.size == pytest.approx(6.0 * WIRE_RATE_HZ, abs=960), since_s


def test_what_was_lost_leaves_everything_else_in_its_place(store: RecordingStore) -> None:
    lost = {*range(20, 24), 60, *range(100, 160), 161}
    whole, holed = clicks(6.0), track_of(clicks(6.0), lost=lost)
    mixed = read(mix(keep(store, [holed]), silent).wav)
    expected = [
        at
        for at in np.arange(0.25, 5.95, 0.5)
        if not {int(at / 0.02), int((at + 0.012) / 0.02)} & lost
    ]
    assert 5 <= len(expected) < len(onsets_s(whole))
    found = onsets_s(mixed)
    for at in expected:
        assert min(abs(at + 0.0065 - one) for one in found) < 0.004


def test_a_lost_packet_is_made_up_from_the_next_one() -> None:
    """By its forward error correction, which concealment alone cannot match."""
    whole, _ = track_of(clip("en_jennifer", WIRE_RATE_HZ)[: 4 * WIRE_RATE_HZ])
    holed, _ = track_of(
        clip("en_jennifer", WIRE_RATE_HZ)[: 4 * WIRE_RATE_HZ], lost=range(4, 190, 5)
    )
    original, recovered = sound_of(packets_of(whole)), sound_of(packets_of(holed))
    decoder = OpusDecoder()
    concealed = np.concatenate([decoder.decode(packet) for packet in packets_of(holed)])
    assert original.shape == recovered.shape
    assert error(recovered, original) < 0.75 * error(concealed[PRE_SKIP_SAMPLES:], original)


def error(heard: Pcm16, original: Pcm16) -> float:
    return float(np.sqrt(np.mean((heard.astype(np.float64) - original) ** 2)))


def sound_of(packets: list[bytes]) -> Pcm16:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recording_mix, "_packets", lambda _path: iter(packets))
        return np.concatenate(list(track_sound(Path("nowhere"), 0)))


def packets_of(data: bytes) -> list[bytes]:
    with av.open(io.BytesIO(data), "r") as container:
        return [bytes(packet) for packet in container.demux(audio=0) if packet.size]


def test_all_who_shout_at_once_are_not_clipped(store: RecordingStore) -> None:
    loud = [track_of(tone(1.5, 300.0 + 40.0 * n, 0.9)) for n in range(6)]
    mixed = read(mix(keep(store, loud), silent).wav)
    assert 0.5 < np.abs(mixed).max() <= CEILING + 1 / 32_768


def test_an_interrupted_mix_goes_on_where_it_was(store: RecordingStore) -> None:
    tracks = [track_of(clicks(5.0)), track_of(tone(4.0, 440.0), 0.7)]
    folder = keep(store, tracks)
    shares: list[float] = []

    def stop(_what: str, share: float) -> None:
        shares.append(share)
        if len(shares) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mix(folder, stop)
    assert not (folder / MIX).exists()
    with (folder / PART).open("ab") as file:
        file.write(b"\0\0\0")
    resumed = mix(folder, silent)
    assert 1.0 <= resumed.resumed_s <= 3.0
    assert not (folder / PART).exists()
    pieced = read(resumed.wav)
    whole = read(mix(folder, silent, again=True).wav)
    assert pieced.shape == whole.shape
    assert np.abs(pieced - whole).max() < 0.01
    assert shares == sorted(shares)


def test_a_mix_that_is_there_stays_until_it_is_wanted_again(store: RecordingStore) -> None:
    folder = keep(store, [track_of(clicks(1.0))])
    made = mix(folder, silent)
    written = made.wav.stat().st_mtime_ns
    assert mix(folder, silent).wav.stat().st_mtime_ns == written
    assert mix(folder, silent, again=True).resumed_s == 0.0
    assert made.wav.stat().st_mode & 0o777 == 0o600


def test_tracks_that_are_damaged_or_missing_cost_only_themselves(store: RecordingStore) -> None:
    good, cut = track_of(clicks(3.0)), track_of(clicks(3.0))
    middle = len(cut[0]) // 2
    folder = keep(
        store,
        [good, (cut[0][:middle], cut[1]), (b"", 0.0), (b"no Ogg at all", 0.0), good],
        length_s=None,
    )
    (folder / "track-005.opus").unlink()
    assert len(onsets_s(read(mix(folder, silent).wav))) == 6


def test_a_recording_of_nobody_is_empty(store: RecordingStore) -> None:
    made = mix(keep(store, []), silent)
    assert (made.length_s, made.tracks, made.cues) == (0.0, 0, 0)
    assert read(made.wav).size == 0
    assert made.captions.read_text() == "WEBVTT\n"


def test_captions_tell_who_said_what_and_when(store: RecordingStore) -> None:
    said = [
        Said(utterance=1, written="Hello ", start_ms=1_200.0, end_ms=1_500.0),
        Said(utterance=1, written="there.", start_ms=1_500.0, end_ms=2_000.0),
    ]
    folder = keep(store, [track_of(clicks(3.0))], said)
    with (folder / "track-001.words.jsonl").open("ab") as file:
        file.write(b'{"utterance":2,"written":"cut sho')
    assert mix(folder, silent).cues == 1
    assert (folder / CAPTIONS).read_text() == (
        "WEBVTT\n\n00:00:01.200 --> 00:00:02.000\n<v Ada>Hello <00:00:01.500>there.\n"
    )


def test_what_cannot_be_mixed_is_told(store: RecordingStore, tmp_path: Path) -> None:
    with pytest.raises(RecordingNotFound, match="is no recording"):
        mix(tmp_path, silent)
    folder = keep(store, [track_of(clicks(1.0))])
    (folder / MIX).mkdir()
    with pytest.raises(CannotWrite, match="cannot write the mix"):
        mix(folder, silent, again=True)


def test_memory_does_not_grow_with_the_length(store: RecordingStore) -> None:
    """A minute, whose samples as floats are 12 MB."""
    data, offset = track_of(clicks(5.0))
    packets = packets_of(data) * 12
    folder = keep(store, [(data, offset)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recording_mix, "_packets", lambda _path: iter(packets))
        tracemalloc.start()
        try:
            assert mix(folder, silent).length_s == pytest.approx(60, abs=1)
            assert tracemalloc.get_traced_memory()[1] < 5_000_000
        finally:
            tracemalloc.stop()
