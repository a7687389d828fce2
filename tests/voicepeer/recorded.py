"""Recordings for tests, made as a service makes them but at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np

from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm, to_pcm16
from voicepeer.core.recording.manifest import Manifest, Track
from voicepeer.core.recording.transcript import Said
from voicepeer.forwarding import MediaPacket
from voicepeer.opus import OpusEncoder
from voicepeer.recording_store import Changes, RecordingStore
from voicepeer.recording_track import TrackWriter

ID = "20261130T061500-9f86d081884c"
OTHER_ID = "20261130T071500-0123456789ab"
LOUD = 20


def encoded(pcm: Pcm) -> list[bytes]:
    """Packets of 20 ms, complete with the last one."""
    encoder = OpusEncoder(expected_loss_percent=20)
    whole = np.zeros(-(-pcm.size // 960) * 960, np.float32)
    whole[: pcm.size] = pcm
    return [encoder.encode(frame) for frame in to_pcm16(whole).reshape(-1, 960)]


def track_of(pcm: Pcm, at_s: float = 0.0, lost: Iterable[int] = ()) -> tuple[bytes, float]:
    """A track with a sound that began at a moment of the recording, and its offset; without some of
    its packets."""
    writer, missing = TrackWriter(0.0, 1), set(lost)
    for number, payload in enumerate(encoded(pcm)):
        packet = MediaPacket(1, number, number * 960, payload, level=LOUD)
        if number not in missing:
            writer.push(packet, at_s + number * 0.02)
    data = writer.take(at_s + pcm.size / WIRE_RATE_HZ) + writer.finish()
    assert writer.offset_ms is not None
    return data, writer.offset_ms


def keep(
    store: RecordingStore,
    tracks: Iterable[tuple[bytes, float]],
    said: Iterable[Said] = (),
    recording_id: str = ID,
    length_s: float | None = 10.0,
    begun_s: float = 1_000.0,
    people: Sequence[str] = (),
    tenant: str = "key",
) -> Path:
    """A recording with these tracks, of participants ``p1``, ``p2``; the first one says words.

    Without a length it goes on; ``people`` are those of the tracks, where that is known.
    """
    begun = Manifest(recording_id=recording_id, tenant=tenant, room="hall", begun_s=begun_s)
    store.create(begun)
    files: dict[str, bytes] = {}
    described: list[Track] = []
    lines = b"".join(msgspec.json.encode(one) + b"\n" for one in said)
    for number, (data, offset_ms) in enumerate(tracks, 1):
        words = "track-001.words.jsonl" if lines and number == 1 else ""
        file = f"track-{number:03d}.opus"
        files |= {file: data} | ({words: lines} if words else {})
        described.append(
            Track(
                file=file,
                participant=f"p{number}",
                name="Ada" if number == 1 else "",
                offset_ms=offset_ms,
                words=words,
                person=people[number - 1] if people else "",
            )
        )
    manifest = msgspec.structs.replace(
        begun,
        tracks=described,
        ended_s=None if length_s is None else begun.begun_s + length_s,
        end=None if length_s is None else "stopped",
    )
    store.apply(recording_id, Changes((), manifest, files))
    if length_s is not None:
        store.release(recording_id)
    return store.folder / recording_id
