"""What the model found, for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from voicepeer import console

_BOTH = ("measured_ms", "predicted_ms")


def show(figures: Mapping[str, Any]) -> None:
    """Print what ``model --json`` has, as tables."""
    bill = figures["cost"]
    items = [[item["what"], f"{item['cores']:.4f}"] for item in bill["items"]]
    console.table([*items, ["in all", str(bill["cores_per_user"])]], ["A USER TAKES", "CORES"])
    console.result(
        f"{bill['users_per_core']} users keep a core busy, {bill['users_per_core_at_70']} for "
        "seven tenths of the time"
    )
    if figures["check"] is not None:
        _print_check(figures["check"])
    if figures["streams"] is not None:
        _print_streams(figures["streams"])
    replica = figures["replica"]
    console.result(f"a replica of {replica['cores']} cores serves {replica['users']} users")
    console.table(
        [
            [*map(str, (one["users"], *one["first_audible_ms"].values())), *_rest(one)]
            for one in replica["by_users"]
        ],
        ["USERS", "FIRST AUDIBLE MS p50", "p95", "UNDERRUNS A MINUTE", "ENGINE BUSY", "CORES"],
    )
    if figures["clusters"]:
        _print_clusters(figures["clusters"])
    for pool in figures["pooled"]:
        console.result(f"{pool['engines']} engines with one queue: {pool['users']} users")
    for name, reason in figures["notes"].items():
        console.result(f"note: {name}: {reason}")


def _print_clusters(clusters: Sequence[Mapping[str, Any]]) -> None:
    console.table(
        [
            [
                *(str(one[name]) for name in ("users", "balancer", "replicas", "cores")),
                *map(str, one["first_audible_ms"].values()),
                *(
                    str(one[name])
                    for name in ("underruns_per_minute", "crowded_share", "refused_share")
                ),
            ]
            for one in clusters
        ],
        [
            *("USERS", "BALANCER", "REPLICAS", "CORES", "FIRST AUDIBLE MS p50", "p95"),
            *("UNDERRUNS A MINUTE", "CROWDED", "REFUSED"),
        ],
    )


def _rest(one: Mapping[str, Any]) -> Sequence[str]:
    return [str(one[name]) for name in ("underruns_per_minute", "engine_busy", "cores")]


def _print_check(check: Mapping[str, Any]) -> None:
    rows = [_check_row(point) for point in check["points"]]
    console.table(
        rows,
        [
            "USERS",
            "TALK",
            "TEXTS",
            "MEASURED p50",
            "p95",
            "PREDICTED p50",
            "p95",
            "ERROR p50",
            "p95",
            "",
        ],
    )
    console.result(f"{check['right']} of {check['of']} points are predicted")


def _print_streams(check: Mapping[str, Any]) -> None:
    rows = [
        [
            str(point["n"]),
            *(str(point[of][at]) for of in _BOTH for at in ("p50", "p95")),
            *map(str, point["underruns_per_stream"]),
        ]
        for point in check["points"]
    ]
    header = [
        "STREAMS",
        "MEASURED p50",
        "p95",
        "PREDICTED p50",
        "p95",
        "UNDERRUNS EACH",
        "PREDICTED",
    ]
    console.table(rows, header)


def _check_row(point: Mapping[str, Any]) -> Sequence[str]:
    measured, predicted = point["measured_ms"], point["predicted_ms"]
    errors = (point["p50_error"], point["p95_error"])
    return [
        *map(str, (point["users"], point["talk"], measured["n"])),
        *map(str, (measured["p50"], measured["p95"], predicted["p50"], predicted["p95"])),
        *("-" if error is None else f"{error:+.0%}" for error in errors),
        "ok" if point["right"] else "OFF",
    ]
