"""Shipped model files are read whole and right, or not at all."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from engines.api import ModelFilesCorrupt, ModelFilesMissing
from engines.model_files import read_model

pytestmark = pytest.mark.unit

CONTENT = b"weights" * 100
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def test_reads_the_right_file(tmp_path: Path) -> None:
    (tmp_path / "a.onnx").write_bytes(CONTENT)
    assert read_model(tmp_path / "a.onnx", SHA256) == CONTENT


def test_a_missing_file_names_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(ModelFilesMissing, match=r"a\.onnx cannot be read: reinstall"):
        read_model(tmp_path / "a.onnx", SHA256)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ModelFilesMissing):
        read_model(tmp_path, SHA256)


@pytest.mark.parametrize("content", [b"", CONTENT[:-1], CONTENT + b"\0", b"W" + CONTENT[1:]])
def test_any_other_content_is_damage(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.onnx").write_bytes(content)
    with pytest.raises(ModelFilesCorrupt, match="damaged: reinstall"):
        read_model(tmp_path / "a.onnx", SHA256)
