"""Makes the dashboard: ``python dashboard.py dashboards/voicepeer.json``.

A panel is a title, a unit of Grafana's and some queries with their legends. Rows are folded open.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WIDTH, HEIGHT, COLUMNS = 8, 7, 24
SOURCE = {"type": "prometheus", "uid": "prometheus"}


@dataclass(frozen=True)
class Panel:
    """One graph; ``queries`` are PromQL and how their lines are called."""

    title: str
    unit: str
    queries: tuple[tuple[str, str], ...]
    limit: float | None = None
    """Where a line is drawn."""
    about: str = ""


def of(labels: str = "") -> str:
    """A selector of the chosen instances, with further labels."""
    return '{instance=~"$instance"' + (f",{labels}" if labels else "") + "}"


OURS = of()
SERVICE = of('job="voicepeer"')


def quantiles(name: str, by: str = "", *shares: float) -> tuple[tuple[str, str], ...]:
    """Percentiles of a histogram over all instances."""
    grouped = f"{by}, le" if by else "le"
    legend = f" {{{{{by}}}}}" if by else ""
    return tuple(
        (
            f"histogram_quantile({share:g}, sum by ({grouped}) "
            f"(rate({name}_bucket{OURS}[$__rate_interval])))",
            f"p{share * 100:g}{legend}",
        )
        for share in shares or (0.5, 0.95)
    )


def rate(name: str, by: str, labels: str = "") -> tuple[tuple[str, str], ...]:
    """How much a counter grows a second."""
    return ((f"sum by ({by}) (rate({name}{of(labels)}[$__rate_interval]))", f"{{{{{by}}}}}"),)


def gauge(name: str, legend: str = "{{instance}}", how: str = "sum") -> tuple[tuple[str, str], ...]:
    """A gauge of each instance."""
    return ((f"{how} by (instance) ({name}{OURS})", legend),)


ROWS: dict[str, tuple[Panel, ...]] = {
    "How it is": (
        Panel("First audible sound", "s", quantiles("voicepeer_first_audible_seconds"), 0.2,
              "Text received to the first audible frame sent."),
        Panel("Where it goes (p95)", "s",
              quantiles("voicepeer_first_audible_part_seconds", "part", 0.95)),
        Panel("Sessions", "short", (*gauge("voicepeer_sessions"),
              *gauge("voicepeer_max_sessions", "places {{instance}}", "max"))),
        Panel("Utterances", "reqps", rate("voicepeer_utterances_total", "outcome")),
        Panel("Errors", "reqps", rate("voicepeer_errors_total", "code")),
        Panel("Underruns", "reqps", rate("voicepeer_underruns_total", "instance"), None,
              "Speech did not come in time and silence was sent."),
    ),
    "When there is too much to do": (
        Panel("Steps in effect", "short", gauge("voicepeer_degradation_step", how="max")),
        Panel("Which", "short",
              ((f"max by (step) (voicepeer_degradation_active{OURS})", "{{step}}"),)),
        Panel("How bad, by cause", "short",
              ((f"max by (cause) (voicepeer_degradation_severity{OURS})", "{{cause}}"),), 1.0,
              "1 is at its limit."),
        Panel("Changes", "reqps", rate("voicepeer_degradation_changes_total", "direction")),
        Panel("Waiting for the engine", "short", gauge("voicepeer_engine_waiting")),
        Panel("Utterances that are not over", "short", gauge("voicepeer_queued_utterances")),
    ),
    "Speech": (
        Panel("Real-time factor", "short", quantiles("voicepeer_real_time_factor"), 1.0),
        Panel("Lead", "s", quantiles("voicepeer_lead_seconds")),
        Panel("Alone, at start", "s", gauge("voicepeer_baseline_seconds", how="max")),
        Panel("Length of utterances", "s", quantiles("voicepeer_utterance_audio_seconds")),
        Panel("Damage and stale chunks", "reqps", (
              *rate("voicepeer_speech_damaged_total", "kind"),
              (f"sum(rate(voicepeer_stale_chunks_total{OURS}[$__rate_interval]))", "stale"))),
        Panel("Interruptions by users", "reqps",
              rate("voicepeer_user_interruptions_total", "instance")),
        Panel("Texts over HTTP", "reqps", rate("voicepeer_http_texts_total", "outcome")),
        Panel("First bytes over HTTP", "s", quantiles("voicepeer_http_first_bytes_seconds")),
    ),
    "Voices": (
        Panel("Usable after", "s", quantiles("voicepeer_voice_usable_seconds")),
        Panel("Ready after", "s", quantiles("voicepeer_voice_ready_seconds")),
        Panel("Cloned in", "s", quantiles("voicepeer_voice_clone_seconds")),
        Panel("Not learned", "reqps", rate("voicepeer_voice_rejected_total", "reason")),
        Panel("Score", "short", quantiles("voicepeer_voice_score", "", 0.1, 0.5)),
        Panel("Likeness to the speaker", "short", quantiles("voicepeer_similarity", "", 0.1, 0.5),
              None, "Cosine, of a sample of utterances."),
        Panel("Speaker embedding", "s", quantiles("voicepeer_embedding_seconds"), 0.1),
    ),
    "Network": (
        Panel("Packets lost", "percentunit", (
              (f"sum by (instance) (rate(voicepeer_packets_lost_total{OURS}[$__rate_interval])) / "
               f"sum by (instance) (rate(voicepeer_packets_sent_total{OURS}[$__rate_interval]))",
               "{{instance}}"),), 0.05),
        Panel("Loss by report", "percentunit", quantiles("voicepeer_network_loss_ratio")),
        Panel("Jitter at clients", "s", quantiles("voicepeer_network_jitter_seconds")),
        Panel("Round trip", "s", quantiles("voicepeer_network_round_trip_seconds")),
        Panel("Bitrate", "bps",
              quantiles("voicepeer_network_bitrate_bits_per_second", "", 0.1, 0.5)),
        Panel("Microphone frames lost", "reqps",
              rate("voicepeer_mic_frames_lost_total", "instance")),
    ),
    "Rooms and sessions": (
        Panel("Rooms", "short", gauge("voicepeer_rooms")),
        Panel("Participants", "short",
              ((f"sum by (publish) (voicepeer_room_participants{OURS})", "{{publish}}"),)),
        Panel("Packets forwarded and lost", "pps", (
              *rate("voicepeer_room_packets_forwarded_total", "instance"),
              (f"sum(rate(voicepeer_room_packets_lost_total{OURS}[$__rate_interval]))", "lost"))),
        Panel("Opened and resumed", "reqps", (
              (f"sum(rate(voicepeer_sessions_opened_total{OURS}[$__rate_interval]))", "opened"),
              (f"sum(rate(voicepeer_sessions_resumed_total{OURS}[$__rate_interval]))",
               "resumed"))),
        Panel("Ready for sessions", "short", gauge("voicepeer_ready", how="min")),
        Panel("Ended", "reqps", rate("voicepeer_sessions_closed_total", "reason")),
    ),
    "Machine": (
        Panel("Cores: the service", "short",
              ((f"sum by (instance) (rate(process_cpu_seconds_total{SERVICE}"
                "[$__rate_interval]))", "{{instance}}"),)),
        Panel("Cores: models", "short", rate("voicepeer_worker_cpu_seconds_total", "role")),
        Panel("Event loop late (p99)", "s",
              quantiles("voicepeer_event_loop_late_seconds", "", 0.99), 0.05),
        Panel("Memory", "bytes", (
              (f"sum by (instance) (process_resident_memory_bytes{SERVICE})",
               "service {{instance}}"),
              (f"sum by (role) (voicepeer_worker_resident_memory_bytes{OURS})", "{{role}}"))),
        Panel("Memory left", "percentunit",
              gauge("voicepeer_memory_free_ratio", how="min"), 0.08),
        Panel("Restarts of models", "short",
              ((f"max by (instance) (increase(voicepeer_engine_restarts_total{OURS}[1h]))",
                "{{instance}}"),)),
        Panel("Voices can be kept", "short", gauge("voicepeer_store_up", how="min")),
        Panel("Audit lines lost", "reqps", rate("voicepeer_audit_lines_lost_total", "instance")),
        Panel("GPU busy", "percentunit",
              ((f"max by (instance, gpu) (voicepeer_gpu_busy_ratio{OURS})",
                "{{instance}} {{gpu}}"),)),
        Panel("GPU memory", "percentunit",
              ((f"max by (instance, gpu) (voicepeer_gpu_memory_used_bytes{OURS} / "
                f"voicepeer_gpu_memory_total_bytes{OURS})", "{{instance}} {{gpu}}"),)),
        Panel("What runs", "short",
              ((f"max by (instance, version, engine, provider, precision) "
                f"(voicepeer_build_info{OURS})",
                "{{instance}} {{version}} {{engine}} {{provider}} {{precision}}"),)),
    ),
}  # fmt: skip


def graph(panel: Panel, number: int, x: int, y: int) -> dict[str, Any]:
    """A panel as Grafana has it."""
    steps: list[dict[str, Any]] = [{"color": "green", "value": None}]
    if panel.limit is not None:
        steps.append({"color": "red", "value": panel.limit})
    return {
        "id": number,
        "type": "timeseries",
        "title": panel.title,
        "description": panel.about,
        "datasource": SOURCE,
        "gridPos": {"x": x, "y": y, "w": WIDTH, "h": HEIGHT},
        "fieldConfig": {
            "defaults": {
                "unit": panel.unit,
                "min": 0,
                "custom": {
                    "fillOpacity": 8,
                    "thresholdsStyle": {"mode": "line" if len(steps) > 1 else "off"},
                },
                "thresholds": {"mode": "absolute", "steps": steps},
            },
            "overrides": [],
        },
        "options": {"tooltip": {"mode": "multi"}, "legend": {"displayMode": "list"}},
        "targets": [
            {"refId": chr(ord("A") + index), "datasource": SOURCE, "expr": query,
             "legendFormat": legend}
            for index, (query, legend) in enumerate(panel.queries)
        ],
    }  # fmt: skip


def panels() -> Iterator[dict[str, Any]]:
    """All rows with their graphs, in a grid."""
    number, y = 1, 0
    for title, row in ROWS.items():
        yield {"id": number, "type": "row", "title": title, "collapsed": False, "panels": [],
               "gridPos": {"x": 0, "y": y, "w": COLUMNS, "h": 1}}  # fmt: skip
        number, y = number + 1, y + 1
        for index, panel in enumerate(row):
            x = index * WIDTH % COLUMNS
            yield graph(panel, number, x, y + index * WIDTH // COLUMNS * HEIGHT)
            number += 1
        y += (len(row) * WIDTH + COLUMNS - 1) // COLUMNS * HEIGHT


def dashboard() -> dict[str, Any]:
    """The dashboard."""
    return {
        "uid": "voicepeer",
        "title": "VoicePeer",
        "tags": ["voicepeer"],
        "schemaVersion": 39,
        "version": 1,
        "editable": False,
        "timezone": "browser",
        "refresh": "30s",
        "time": {"from": "now-3h", "to": "now"},
        "templating": {
            "list": [
                {
                    "name": "instance",
                    "type": "query",
                    "datasource": SOURCE,
                    "query": {"query": "label_values(voicepeer_sessions, instance)", "refId": "A"},
                    "refresh": 2,
                    "multi": True,
                    "includeAll": True,
                    "allValue": ".*",
                    "current": {"text": "All", "value": "$__all"},
                }
            ]
        },
        "annotations": {"list": []},
        "panels": [*panels()],
    }


def main(file: str) -> None:
    """Write the dashboard to a file."""
    Path(file).write_text(json.dumps(dashboard(), indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
