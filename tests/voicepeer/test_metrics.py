"""The Prometheus figures, read back with Prometheus' own parser."""

from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from voicepeer.metrics import (
    FIRST_AUDIBLE_BUCKETS_S,
    MAX_LABEL_VALUES,
    OTHER,
    BuildInfo,
    Metrics,
)
from voicepeer.ports import SessionObserver
from voicepeer.room_figures import RoomFigures, RoomTraffic
from voicepeer.spoken_file import SpokenText

pytestmark = pytest.mark.unit

BUILD = BuildInfo("0.1.0", "kokoro", "1", "cpu", "int8")


def samples(metrics: Metrics) -> dict[tuple[str, ...], float]:
    """Values by name and label values."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(metrics.text().decode())
        for sample in family.samples
    }


def test_it_observes_sessions() -> None:
    observer: SessionObserver = Metrics(BUILD)
    observer.session_opened()
    observer.session_closed("left")


def test_a_fresh_service_shows_zeros_and_what_runs() -> None:
    read = samples(Metrics(BUILD))
    assert read["voicepeer_sessions",] == 0
    assert read["voicepeer_underruns_total",] == 0
    assert read["voicepeer_utterances_total", "failed"] == 0
    assert read["voicepeer_first_audible_seconds_count",] == 0
    build = next(key for key in read if key[0] == "voicepeer_build_info")
    assert set(build[1:]) == {"0.1.0", "kokoro", "1", "cpu", "int8"}


def test_sessions_come_and_go() -> None:
    metrics = Metrics(BUILD)
    for _ in range(3):
        metrics.session_opened()
    metrics.session_closed("left")
    metrics.session_closed("left")
    metrics.session_closed("lost")
    read = samples(metrics)
    assert read["voicepeer_sessions",] == 0
    assert read["voicepeer_sessions_opened_total",] == 3
    assert read["voicepeer_sessions_closed_total", "left"] == 2
    assert read["voicepeer_sessions_closed_total", "lost"] == 1


def test_first_audible_latency_falls_into_its_bucket() -> None:
    metrics = Metrics(BUILD)
    for latency_ms in (15.0, 119.0, 121.0, 199.0, 2500.0):
        metrics.utterance_started(latency_ms)
    read = samples(metrics)
    assert read["voicepeer_first_audible_seconds_bucket", "0.02"] == 1
    assert read["voicepeer_first_audible_seconds_bucket", "0.12"] == 2
    assert read["voicepeer_first_audible_seconds_bucket", "0.14"] == 3
    assert read["voicepeer_first_audible_seconds_bucket", "0.2"] == 4
    assert read["voicepeer_first_audible_seconds_bucket", "2.0"] == 4
    assert read["voicepeer_first_audible_seconds_bucket", "+Inf"] == 5
    assert read["voicepeer_first_audible_seconds_sum",] == pytest.approx(2.954)


def test_buckets_are_fine_where_the_goal_is() -> None:
    assert FIRST_AUDIBLE_BUCKETS_S[0] == 0.02
    assert FIRST_AUDIBLE_BUCKETS_S[-1] == 2.0
    near = [edge for edge in FIRST_AUDIBLE_BUCKETS_S if 0.1 <= edge <= 0.26]
    assert all(high / low <= 1.21 for low, high in zip(near, near[1:], strict=False))


def test_utterances_by_outcome() -> None:
    metrics = Metrics(BUILD)
    metrics.utterance_done(1500.0, 0.4, 2)
    metrics.utterance_done(0.0, None, 0)
    metrics.utterance_cancelled()
    metrics.utterance_failed("engine_failed")
    read = samples(metrics)
    assert read["voicepeer_utterances_total", "done"] == 2
    assert read["voicepeer_utterances_total", "cancelled"] == 1
    assert read["voicepeer_utterances_total", "failed"] == 1
    assert read["voicepeer_errors_total", "engine_failed"] == 1
    assert read["voicepeer_underruns_total",] == 2
    assert read["voicepeer_real_time_factor_count",] == 1
    assert read["voicepeer_utterance_audio_seconds_sum",] == 1.5


def test_enrolments_and_losses() -> None:
    metrics = Metrics(BUILD)
    metrics.voice_usable(3100.0)
    metrics.voice_ready(5200.0, 180.0)
    metrics.voice_rejected("noisy")
    metrics.speech_damaged(skipped=30, failed=2, repaired=1)
    metrics.mic_frames_lost(4)
    metrics.mic_frames_lost(-1)
    read = samples(metrics)
    assert read["voicepeer_voice_usable_seconds_bucket", "3.5"] == 1
    assert read["voicepeer_voice_usable_seconds_bucket", "3.0"] == 0
    assert read["voicepeer_voice_ready_seconds_sum",] == 5.2
    assert read["voicepeer_voice_clone_seconds_bucket", "0.2"] == 1
    assert read["voicepeer_voice_rejected_total", "noisy"] == 1
    assert read["voicepeer_mic_frames_lost_total",] == 4
    assert read["voicepeer_speech_damaged_total", "skipped"] == 30
    assert read["voicepeer_speech_damaged_total", "failed"] == 2
    assert read["voicepeer_speech_damaged_total", "repaired"] == 1


def test_restarts_are_read_when_asked_for() -> None:
    restarts = 0
    metrics = Metrics(BUILD, lambda: restarts)
    assert samples(metrics)["voicepeer_engine_restarts_total",] == 0
    restarts = 3
    assert samples(metrics)["voicepeer_engine_restarts_total",] == 3


def test_rooms_are_read_when_asked_for() -> None:
    traffic = RoomTraffic()
    figures = RoomFigures(0, {}, traffic)
    metrics = Metrics(BUILD, rooms=lambda: figures)
    read = samples(metrics)
    assert read["voicepeer_rooms",] == 0
    kinds = {key[1] for key in read if key[0] == "voicepeer_room_participants"}
    assert kinds == {"mic", "voice", "nothing"}
    figures = RoomFigures(2, {"mic": 3, "nothing": 1}, traffic)
    traffic.forwarded += 7
    traffic.lost += 2
    read = samples(metrics)
    assert read["voicepeer_rooms",] == 2
    assert read["voicepeer_room_participants", "mic"] == 3
    assert read["voicepeer_room_participants", "voice"] == 0
    assert read["voicepeer_room_participants", "nothing"] == 1
    assert read["voicepeer_room_packets_forwarded_total",] == 7
    assert read["voicepeer_room_packets_lost_total",] == 2


def test_a_label_cannot_grow_without_end() -> None:
    metrics = Metrics(BUILD)
    for index in range(10 * MAX_LABEL_VALUES):
        metrics.error_sent(f"code-{index}")
    codes = [key for key in samples(metrics) if key[0] == "voicepeer_errors_total"]
    assert len(codes) == MAX_LABEL_VALUES + 1
    assert samples(metrics)["voicepeer_errors_total", OTHER] == 9 * MAX_LABEL_VALUES
    metrics.session_closed("left")
    assert samples(metrics)["voicepeer_sessions_closed_total", "left"] == 1


def test_two_services_in_one_process_share_nothing() -> None:
    one, two = Metrics(BUILD), Metrics(BUILD)
    one.session_opened()
    assert samples(two)["voicepeer_sessions",] == 0


def test_texts_over_http_by_format_and_outcome() -> None:
    metrics = Metrics(BuildInfo("1"))
    metrics.text_spoken(SpokenText("mp3", "done", 120.0, 2_000.0))
    metrics.text_spoken(SpokenText("mp3", "cancelled", None, 0.0))
    text = metrics.text().decode()
    assert 'voicepeer_http_texts_total{format="mp3",outcome="done"} 1.0' in text
    assert 'voicepeer_http_texts_total{format="mp3",outcome="cancelled"} 1.0' in text
    assert "voicepeer_http_first_bytes_seconds_count 1.0" in text
    assert "voicepeer_http_first_bytes_seconds_sum 0.12" in text
