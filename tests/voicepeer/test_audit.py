"""The audit log: lines that outlive the service, rotation, and no content."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import msgspec
import pytest

from voicepeer.audit import Audit, AuditLine
from voicepeer.core.errors import ConfigInvalid

pytestmark = pytest.mark.unit


def lines(path: Path) -> list[AuditLine]:
    """What was written, through the schema."""
    return [msgspec.json.decode(line, type=AuditLine) for line in path.read_bytes().splitlines()]


def test_each_event_is_a_line_that_is_there_at_once(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    audit = Audit(path)
    audit.record("clone", key_id="acme", voice_id="v1", consent_id="c1", session_id="s1")
    audit.record("delete", key_id="acme", subject="ada", voice_id="v1", reason="asked")
    first, second = lines(path)
    assert (first.event, first.key_id, first.voice_id, first.consent_id) == (
        "clone",
        "acme",
        "v1",
        "c1",
    )
    assert (second.event, second.subject, second.reason) == ("delete", "ada", "asked")
    assert first.at_s <= second.at_s
    assert "subject" not in json.loads(path.read_text().splitlines()[0])


def test_it_is_for_the_owner_only_and_appended_to(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    for _ in range(2):
        audit = Audit(path)
        audit.record("use", key_id="k", voice_id="v")
        audit.close()
    assert len(lines(path)) == 2
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_rotated_file_is_left_and_a_new_one_begun(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    audit = Audit(path)
    audit.record("use", key_id="k", voice_id="before")
    path.rename(tmp_path / "audit.jsonl.1")
    audit.record("use", key_id="k", voice_id="after")
    audit.record("use", key_id="k", voice_id="later")
    assert [line.voice_id for line in lines(tmp_path / "audit.jsonl.1")] == ["before"]
    assert [line.voice_id for line in lines(path)] == ["after", "later"]


def test_without_a_file_nothing_happens() -> None:
    Audit().record("use", key_id="k")


def test_a_file_that_cannot_be_written_is_told_at_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalid, match=r"audit\.file"):
        Audit(tmp_path / "missing" / "audit.jsonl")


def test_a_lost_line_is_told_and_does_no_harm(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    audit = Audit(folder / "audit.jsonl")
    (folder / "audit.jsonl").unlink()
    folder.rmdir()
    with caplog.at_level(logging.ERROR, logger="voicepeer.audit"):
        audit.record("use", key_id="k")
    assert "lost" in caplog.text
