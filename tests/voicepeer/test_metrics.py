"""The Prometheus figures, read back with Prometheus' own parser."""

from __future__ import annotations

import sys
import time

import pytest
from prometheus_client.parser import text_string_to_metric_families

from voicepeer.core.adaptation import LinkFigures
from voicepeer.core.degradation.ladder import STEPS
from voicepeer.core.degradation.vitals import Vitals
from voicepeer.core.speaking.beginning import PARTS, Beginning
from voicepeer.gpu import GpuFigures
from voicepeer.machine import ProcessUsage
from voicepeer.metrics import (
    FIRST_AUDIBLE_BUCKETS_S,
    MAX_LABEL_VALUES,
    OTHER,
    BuildInfo,
    Metrics,
)
from voicepeer.ports import SessionObserver
from voicepeer.room_figures import RoomFigures, RoomTraffic
from voicepeer.service_figures import ServiceFigures
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
        metrics.utterance_started(beginning(send_ms=latency_ms))
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
    for _ in range(5):
        metrics.utterance_accepted()
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
    assert read["voicepeer_queued_utterances",] == 1


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
    metrics = Metrics(BUILD, read=lambda: ServiceFigures(engine_restarts=restarts))
    assert samples(metrics)["voicepeer_engine_restarts_total",] == 0
    restarts = 3
    assert samples(metrics)["voicepeer_engine_restarts_total",] == 3


def test_rooms_are_read_when_asked_for() -> None:
    traffic = RoomTraffic()
    figures = RoomFigures(0, {}, traffic)
    metrics = Metrics(BUILD, read=lambda: ServiceFigures(rooms=figures))
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


def beginning(
    text_ms: float = 0.0,
    wait_ms: float = 0.0,
    front_ms: float = 0.0,
    first_chunk_ms: float = 0.0,
    send_ms: float = 0.0,
) -> Beginning:
    """Where the time went."""
    return Beginning(text_ms, wait_ms, front_ms, first_chunk_ms, send_ms)


def test_the_parts_of_the_latency_are_all_of_it() -> None:
    metrics = Metrics(BUILD)
    metrics.utterance_started(beginning(3.0, 1.5, 62.0, 33.0, 50.5))
    read = samples(metrics)
    sums = {part: read["voicepeer_first_audible_part_seconds_sum", part] for part in PARTS}
    assert sums["front"] == pytest.approx(0.062)
    assert sum(sums.values()) == pytest.approx(read["voicepeer_first_audible_seconds_sum",])
    assert read["voicepeer_first_audible_part_seconds_bucket", "0.005", "text"] == 1
    assert read["voicepeer_first_audible_part_seconds_bucket", "0.002", "text"] == 0


def test_vitals_get_what_a_degradation_looks_at() -> None:
    vitals = Vitals(min_utterances=2)
    metrics = Metrics(BUILD, notes=vitals)
    for latency_ms in (120.0, 400.0):
        metrics.utterance_started(beginning(send_ms=latency_ms))
    metrics.utterance_done(100.0, 0.1, 0)
    metrics.utterance_failed("engine_failed")
    metrics.utterance_failed("text_rejected")
    metrics.utterance_failed("at_capacity")
    metrics.utterance_cancelled()
    for _ in range(4):
        metrics.embedded(30.0)
    read = vitals.read(time.monotonic())
    assert read.first_audible_ms == 400.0
    assert read.error_share == 0.25
    assert read.embedding_ms == 30.0


def test_how_speech_is_paced() -> None:
    metrics = Metrics(BUILD)
    metrics.speech_paced(50.0, 0)
    metrics.speech_paced(210.0, 3)
    metrics.loop_late(-0.001)
    metrics.loop_late(0.03)
    read = samples(metrics)
    assert read["voicepeer_lead_seconds_bucket", "0.05"] == 1
    assert read["voicepeer_lead_seconds_bucket", "0.21"] == 2
    assert read["voicepeer_stale_chunks_total",] == 3
    assert read["voicepeer_event_loop_late_seconds_sum",] == pytest.approx(0.03)


def test_voices_and_how_alike_they_are() -> None:
    metrics = Metrics(BUILD)
    metrics.voice_scored(0.96)
    metrics.embedded(12.0)
    metrics.resembled(0.82)
    metrics.resembled(-0.2)
    read = samples(metrics)
    assert read["voicepeer_voice_score_bucket", "0.97"] == 1
    assert read["voicepeer_embedding_seconds_bucket", "0.02"] == 1
    assert read["voicepeer_similarity_bucket", "0.0"] == 1
    assert read["voicepeer_similarity_bucket", "0.85"] == 2


def test_what_clients_report() -> None:
    metrics = Metrics(BUILD)
    metrics.heard_back(LinkFigures(50, 2, 0.04, 0.012, 0.08, 32_000))
    metrics.heard_back(LinkFigures(50, 0, 0.0, 0.001, None, 16_000))
    read = samples(metrics)
    assert read["voicepeer_packets_sent_total",] == 100
    assert read["voicepeer_packets_lost_total",] == 2
    assert read["voicepeer_network_loss_ratio_bucket", "0.02"] == 1
    assert read["voicepeer_network_loss_ratio_bucket", "0.05"] == 2
    assert read["voicepeer_network_jitter_seconds_bucket", "0.02"] == 2
    assert read["voicepeer_network_round_trip_seconds_count",] == 1
    assert read["voicepeer_network_bitrate_bits_per_second_bucket", "16000.0"] == 1


def test_the_state_of_the_service_is_read_when_asked_for() -> None:
    figures = ServiceFigures()
    metrics = Metrics(BUILD, read=lambda: figures)
    read = samples(metrics)
    assert read["voicepeer_ready",] == read["voicepeer_degradation_step",] == 0
    assert ("voicepeer_memory_free_ratio",) not in read
    figures = ServiceFigures(
        ready=True,
        max_sessions=16,
        engine_waiting=3,
        workers={"speech": ProcessUsage(12.5, 400_000_000)},
        free_memory_share=0.25,
        steps=STEPS[:2],
        severities={"first_audible": 1.6},
        baseline_s=0.14,
        gpus=[GpuFigures(0, 0.5, 1_000, 4_000)],
    )
    read = samples(metrics)
    assert read["voicepeer_ready",] == 1
    assert read["voicepeer_max_sessions",] == 16
    assert read["voicepeer_engine_waiting",] == 3
    assert read["voicepeer_worker_cpu_seconds_total", "speech"] == 12.5
    assert read["voicepeer_worker_resident_memory_bytes", "speech"] == 400_000_000
    assert read["voicepeer_memory_free_ratio",] == 0.25
    assert read["voicepeer_degradation_step",] == 2
    active = [read["voicepeer_degradation_active", step] for step in STEPS]
    assert active == [1, 1, 0, 0]
    assert read["voicepeer_degradation_severity", "first_audible"] == 1.6
    assert read["voicepeer_degradation_severity", "memory"] == 0
    assert read["voicepeer_baseline_seconds",] == 0.14
    assert read["voicepeer_gpu_busy_ratio", "0"] == 0.5
    assert read["voicepeer_gpu_memory_used_bytes", "0"] == 1_000


def test_a_part_of_a_service_tells_only_what_is_its_own() -> None:
    figures = RoomFigures(2, {"mic": 3}, RoomTraffic())
    part = samples(Metrics(BUILD, read=lambda: ServiceFigures(part=True, rooms=figures)))
    whole = samples(Metrics(BUILD, read=lambda: ServiceFigures(rooms=figures)))
    assert part["voicepeer_rooms",] == 2
    missing = {key[0] for key in whole} - {key[0] for key in part}
    assert {"voicepeer_ready", "voicepeer_max_sessions", "voicepeer_degradation_step"} < missing
    assert {"voicepeer_engine_waiting", "voicepeer_engine_restarts_total"} < missing
    assert not {name for name in missing if name.startswith(("voicepeer_room", "process_"))}
    assert "voicepeer_sessions" not in missing


def test_steps_of_degradation_are_counted_either_way() -> None:
    metrics = Metrics(BUILD)
    for moved in (1, 1, -1):
        metrics.degraded(moved)
    read = samples(metrics)
    assert read["voicepeer_degradation_changes_total", "down"] == 2
    assert read["voicepeer_degradation_changes_total", "up"] == 1


def test_what_runs_can_be_told_later() -> None:
    metrics = Metrics(BuildInfo("1"))
    metrics.session_opened()
    metrics.describe(BUILD)
    read = samples(metrics)
    assert [key for key in read if key[0] == "voicepeer_build_info" and "kokoro" in key]
    assert read["voicepeer_sessions",] == 1


@pytest.mark.skipif(sys.platform != "linux", reason="read from /proc")
def test_the_process_itself_is_seen() -> None:
    read = samples(Metrics(BUILD))
    assert read["process_resident_memory_bytes",] > 1_000_000
    assert read["process_open_fds",] > 0


def test_all_labels_have_few_values_whatever_is_counted() -> None:
    metrics = Metrics(BUILD)
    for index in range(500):
        metrics.error_sent(f"code-{index}")
        metrics.session_closed(f"reason-{index}")
        metrics.voice_rejected(f"reason-{index}")
        metrics.utterance_failed(f"code-{index}")
    families = text_string_to_metric_families(metrics.text().decode())
    for family in families:
        for name in {name for sample in family.samples for name in sample.labels}:
            values = {sample.labels.get(name) for sample in family.samples}
            assert len(values) <= MAX_LABEL_VALUES + 2, (family.name, name)


def test_texts_over_http_by_format_and_outcome() -> None:
    metrics = Metrics(BuildInfo("1"))
    metrics.text_spoken(SpokenText("mp3", "done", 120.0, 2_000.0))
    metrics.text_spoken(SpokenText("mp3", "cancelled", None, 0.0))
    text = metrics.text().decode()
    assert 'voicepeer_http_texts_total{format="mp3",outcome="done"} 1.0' in text
    assert 'voicepeer_http_texts_total{format="mp3",outcome="cancelled"} 1.0' in text
    assert "voicepeer_http_first_bytes_seconds_count 1.0" in text
    assert "voicepeer_http_first_bytes_seconds_sum 0.12" in text
