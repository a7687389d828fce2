"""The record beside engine files."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.api import ModelFilesCorrupt, ModelFilesMissing
from engines.build import manifest
from engines.build.manifest import Manifest, check_files, hash_files, read

pytestmark = pytest.mark.unit

MADE = Manifest(
    "kokoro", 3, "fused", "ab12", {"a.onnx": "00"}, {"numpy": "2.0"}, {"dnsmos": 3.4}, "cpu fp32"
)


def test_survives_the_file(tmp_path: Path) -> None:
    (tmp_path / manifest.NAME).write_text(MADE.to_json())
    assert read(tmp_path) == MADE


def test_an_unfinished_folder_says_so(tmp_path: Path) -> None:
    with pytest.raises(ModelFilesMissing):
        read(tmp_path)
    with pytest.raises(ModelFilesMissing):
        read(tmp_path / "gone")


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"format": 1}', '{"format": 1, "x": 2}'])
def test_a_damaged_record_says_so(text: str) -> None:
    with pytest.raises(ModelFilesCorrupt, match="engines build"):
        Manifest.from_json(text)


@pytest.mark.parametrize("name", ["files", "packages", "figures"])
def test_a_table_that_is_something_else_is_damage(name: str) -> None:
    text = json.dumps({**json.loads(MADE.to_json()), name: ["a.onnx"]})
    with pytest.raises(ModelFilesCorrupt):
        Manifest.from_json(text)


def test_a_later_format_says_so() -> None:
    later = json.dumps({**json.loads(MADE.to_json()), "format": 99})
    with pytest.raises(ModelFilesCorrupt, match="99"):
        Manifest.from_json(later)


def test_bytes_that_are_no_text_say_so(tmp_path: Path) -> None:
    (tmp_path / manifest.NAME).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ModelFilesCorrupt):
        read(tmp_path)


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(ModelFilesCorrupt):
        Manifest.from_json(text)


def test_files_are_held_to_their_hashes(tmp_path: Path) -> None:
    path = tmp_path / "a.onnx"
    path.write_bytes(b"weights")
    made = replace(MADE, files=hash_files([path]))
    check_files(tmp_path, made)
    path.write_bytes(b"weightz")
    with pytest.raises(ModelFilesCorrupt, match=r"a\.onnx"):
        check_files(tmp_path, made)
    path.unlink()
    with pytest.raises(ModelFilesMissing, match=r"a\.onnx"):
        check_files(tmp_path, made)


def test_names_the_packages_that_shape_a_build() -> None:
    versions = manifest.package_versions()
    assert {"numpy", "onnxruntime", "voicepeer"} <= set(versions)
