"""Alert rules and dashboard: valid, tried, and only about figures that the service has."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.prometheus import FOLDER, hurried
from voicepeer.audit import Audit
from voicepeer.core.degradation.ladder import STEPS
from voicepeer.metrics import OURS, BuildInfo, Metrics
from voicepeer.store_watch import AuditFigures, StoreWatch
from voicepeer.stores import in_file

pytestmark = pytest.mark.unit

GRAFANA = FOLDER.parent / "grafana"
DASHBOARD = GRAFANA / "dashboards" / "voicepeer.json"
_METRIC = re.compile(r"\b(?:voicepeer|process)_[a-z0-9_]+\b")


def metrics_in(text: str) -> set[str]:
    """Names of figures in a text; label values in quotes are none."""
    return {*_METRIC.findall(re.sub(r'"[^"]*"|instance:\S+?:\w+', "", text))}


def exposed(text: str) -> set[str]:
    """Names of the series that an exposition can have."""
    names = set()
    for _, _, name, kind in (line.split() for line in text.splitlines() if "# TYPE" in line):
        suffixes = ("_bucket", "_count", "_sum") if kind == "histogram" else ("",)
        names |= {f"{name}{suffix}" for suffix in suffixes}
    return names


def alerts() -> list[dict[str, Any]]:
    """All rules that alert."""
    groups = yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"] if "alert" in rule]


def queries() -> Iterator[str]:
    """All queries of the dashboard, as Grafana would ask them."""
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        for target in panel.get("targets", ()):
            yield target["expr"].replace("$__rate_interval", "1m").replace("$instance", ".*")


def promtool(*arguments: str | Path, at: Path = FOLDER) -> subprocess.CompletedProcess[str]:
    """A run of Prometheus' own checker."""
    return subprocess.run(["promtool", *arguments], cwd=at, capture_output=True, text=True)


@pytest.mark.needs("promtool")
def test_prometheus_understands_the_configuration() -> None:
    done = promtool("check", "config", "--syntax-only", "prometheus.yml")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.needs("promtool")
def test_each_rule_comes_when_it_has_to_and_not_before() -> None:
    done = promtool("test", "rules", "alerts_test.yml")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.needs("promtool")
def test_a_rule_that_is_changed_fails_its_test(tmp_path: Path) -> None:
    rules = (FOLDER / "alerts.yml").read_text()
    assert "p95 > 0.25" in rules
    (tmp_path / "alerts.yml").write_text(rules.replace("p95 > 0.25", "p95 > 0.35", 1))
    (tmp_path / "alerts_test.yml").write_text((FOLDER / "alerts_test.yml").read_text())
    assert promtool("test", "rules", "alerts_test.yml", at=tmp_path).returncode != 0


def test_every_alert_is_tried_and_says_what_is_wrong() -> None:
    tried = (FOLDER / "alerts_test.yml").read_text()
    for rule in alerts():
        assert f'alertname="{rule["alert"]}",alertstate="firing",severity' in tried, rule["alert"]
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert {*rule["annotations"]} == {"summary", "description"}
    assert len({rule["alert"] for rule in alerts()}) == len(alerts()) > 10


def told() -> str:
    """All figures that every service has."""
    metrics, audit = Metrics(BuildInfo("1")), Audit()
    metrics.registry.register(StoreWatch(in_file(Path("voices.sqlite")).serving, audit))
    metrics.registry.register(AuditFigures(audit))
    return metrics.text().decode()


def test_rules_and_dashboard_name_only_what_the_service_has() -> None:
    there = exposed(told())
    rules = metrics_in(" ".join(rule["expr"] for rule in alerts()))
    recorded = metrics_in((FOLDER / "alerts.yml").read_text())
    assert rules | recorded <= there
    assert metrics_in(" ".join(queries())) <= there
    assert "voicepeer_first_audible_seconds_bucket" in recorded


def test_nearly_all_that_the_service_has_is_on_the_dashboard() -> None:
    shown = metrics_in(" ".join(queries()))
    names = {re.sub(r"_(bucket|count|sum)$", "", name) for name in shown}
    there = exposed(told())
    missing = {
        name
        for name in (re.sub(r"_(bucket|count|sum)$", "", one) for one in there)
        if name.startswith("voicepeer_") and name not in names and not name.endswith("_created")
    }
    assert missing == set()


def test_labels_in_rules_have_values_that_there_are() -> None:
    rules = (FOLDER / "alerts.yml").read_text()
    assert set(re.findall(r'step="(\w+)"', rules)) <= {*STEPS}
    (codes,) = re.findall(r'code=~"([\w|]+)"', rules)
    assert {*codes.split("|")} == OURS


def test_the_dashboard_is_what_its_script_makes() -> None:
    made = runpy.run_path(str(GRAFANA / "dashboard.py"))["dashboard"]()
    assert json.loads(DASHBOARD.read_text()) == made


def test_panels_neither_overlap_nor_share_an_id() -> None:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken
        assert max(x for x, _ in cells) < 24
        taken |= cells
        refs = [target["refId"] for target in panel.get("targets", ())]
        assert len({*refs}) == len(refs)


@pytest.mark.needs("promtool")
def test_prometheus_understands_the_queries_of_the_dashboard(tmp_path: Path) -> None:
    rules = [{"record": f"q{number}", "expr": query} for number, query in enumerate(queries())]
    file = tmp_path / "rules.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    done = promtool("check", "rules", file)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(rules) > 40


@pytest.mark.needs("promtool")
def test_rules_in_a_hurry_are_rules(tmp_path: Path) -> None:
    file = tmp_path / "rules.yml"
    file.write_text(hurried((FOLDER / "alerts.yml").read_text()))
    assert promtool("check", "rules", file).returncode == 0
    assert not re.search(r"\d[mh][\]:\n]", file.read_text())


def test_every_alert_has_its_place_in_the_runbook() -> None:
    runbook = (FOLDER.parents[1] / "docs" / "operations.md").read_text()
    for rule in alerts():
        assert f"### {rule['alert']}\n" in runbook
