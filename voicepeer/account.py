"""What a session tells of itself when it is asked: who it is, what it can, and how it has gone."""

from __future__ import annotations

from collections.abc import Sequence

from engines.api import ControlRanges, EngineInfo
from voicepeer import __version__
from voicepeer.core.messages import Stats
from voicepeer.core.rtvi import BotReady
from voicepeer.core.speaking.emotion import RECIPES
from voicepeer.core.speaking.pacer import Pacer
from voicepeer.listener import Listener
from voicepeer.speech import SpeechQueue
from voicepeer.tracks import MicReader, SpeechTrack

_SETTABLE = ("speed", "pitch_semitones", "energy", "pauses")


def introduction(
    session_id: str, info: EngineInfo, *, resumed: bool, left: Sequence[str]
) -> BotReady:
    """The answer to a client that introduces itself; ``left`` are utterances that go on."""
    return BotReady(
        session_id=session_id,
        engine=info.name,
        provider=info.provider,
        precision=info.precision,
        languages=sorted(info.languages),
        about={"library": "voicepeer", "library_version": __version__},
        resumed=resumed,
        utterances=[*left],
        controls=_ranges(info.controls),
        emotions=sorted(RECIPES),
    )


def _ranges(controls: ControlRanges) -> dict[str, list[float]]:
    """Those controls of an engine that a client can set."""
    ranges = {name: getattr(controls, name) for name in _SETTABLE}
    return {name: [*limits] for name, limits in ranges.items() if limits is not None}


def figures(
    pacer: Pacer, mic: MicReader, listener: Listener, speech: SpeechQueue, track: SpeechTrack
) -> Stats:
    """Counts since the session was opened, and how it sends now."""
    paced, heard = pacer.counters, mic.counters
    return Stats(
        frames_sent=paced.frames,
        underruns=paced.underruns,
        stale_dropped=paced.stale_chunks,
        mic_frames=listener.frames,
        mic_frames_lost=heard.recovered + heard.concealed,
        mic_frames_concealed=heard.concealed,
        lead_ms=pacer.lead_ms,
        utterances=speech.utterances,
        chunks_repaired=paced.repaired_chunks,
        frames_skipped=paced.skipped_frames,
        frames_failed=track.encoder_faults,
        bitrate_bps=track.encoding.bitrate_bps,
        loss_expected_percent=track.encoding.expected_loss_percent,
    )
