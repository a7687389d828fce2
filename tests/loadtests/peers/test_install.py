from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path
from typing import IO

import numpy as np
import pytest

from engines.kokoro.weights import weights_file
from loadtests.peers import install
from loadtests.peers.bots.voice import MODEL_FILE, VOICE, VOICES_FILE, model_files
from loadtests.peers.catalogue import Peer
from loadtests.peers.install import PeerUnavailable, is_installed, python_of

pytestmark = pytest.mark.engine


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What pip is asked for, in place of asking a registry."""
    asked: list[list[str]] = []

    def run(command: list[str]) -> None:
        asked.append(command)

    monkeypatch.setattr(install, "_run", run)
    monkeypatch.setattr(install, "write_model", lambda folder: None)
    return asked


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Environments are empty folders."""
    monkeypatch.setattr(install, "_create", lambda home: home.mkdir())


@pytest.fixture
def without_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    """Environments have no pip of their own, which takes seconds to unpack."""
    monkeypatch.setattr(install, "_create", lambda home: venv.create(home, clear=True))


@pytest.fixture
def peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Peer:
    """A peer with a file of packages."""
    (tmp_path / "humming.txt").write_text("hum==1.0\n")
    monkeypatch.setattr("loadtests.peers.catalogue._REQUIREMENTS", tmp_path)
    return Peer("humming", "none", "hums")


def test_the_shared_model_is_what_kokoro_onnx_reads(tmp_path: Path) -> None:
    for _ in range(2):
        install.write_model(tmp_path)
    model, voices = model_files(tmp_path)
    assert Path(model).samefile(weights_file())
    styles = np.load(voices)[VOICE]
    assert styles.shape == (510, 1, 256)
    assert np.isfinite(styles).all()
    assert {file.name for file in tmp_path.iterdir()} == {MODEL_FILE, VOICES_FILE}


def test_an_interrupted_model_leaves_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install.write_model(tmp_path)
    before = (tmp_path / VOICES_FILE).read_bytes()

    def interrupted(file: IO[bytes], **_arrays: object) -> None:
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez", interrupted)
    with pytest.raises(KeyboardInterrupt):
        install.write_model(tmp_path)
    assert (tmp_path / VOICES_FILE).read_bytes() == before


def test_a_peer_is_installed_once_into_its_own_environment(
    tmp_path: Path, peer: Peer, pip: list[list[str]], without_pip: None
) -> None:
    told: list[str] = []
    assert not is_installed(tmp_path / "peers", peer)
    for _ in range(2):
        install.install(tmp_path / "peers", [peer], told.append)
    assert is_installed(tmp_path / "peers", peer)
    (command,) = pip
    assert command[0] == str(python_of(tmp_path / "peers", peer))
    assert command[-1] == str(peer.requirements)
    assert told[1:] == ["installing humming …", "the model that they share …", "humming is there"]
    prefix = [command[0], "-c", "import sys; print(sys.prefix)"]
    home = subprocess.run(prefix, capture_output=True, text=True, check=True).stdout.strip()
    assert Path(home) == tmp_path / "peers" / "humming" != Path(sys.prefix)


def test_a_peer_with_other_packages_than_its_file_asks_for_is_not_there(
    tmp_path: Path, peer: Peer, pip: list[list[str]], bare: None
) -> None:
    install.install(tmp_path, [peer], lambda line: None)
    peer.requirements.write_text("hum==2.0\n")
    assert not is_installed(tmp_path, peer)


def test_what_cannot_be_installed_is_not_there_and_says_why(
    tmp_path: Path, peer: Peer, monkeypatch: pytest.MonkeyPatch, bare: None
) -> None:
    def fails(command: list[str]) -> None:
        raise subprocess.CalledProcessError(1, command, "looking\nno such version\n")

    monkeypatch.setattr(install, "_run", fails)
    monkeypatch.setattr(install, "write_model", lambda folder: None)
    with pytest.raises(PeerUnavailable, match=r"humming .*no such version"):
        install.install(tmp_path, [peer], lambda line: None)
    assert not is_installed(tmp_path, peer)
    assert not (tmp_path / peer.name).exists()


@pytest.mark.parametrize("printed", [b"Error: no ensurepip here\n", "no ensurepip here", None])
def test_a_python_without_pip_says_why(
    tmp_path: Path, peer: Peer, monkeypatch: pytest.MonkeyPatch, printed: str | bytes | None
) -> None:
    def fails(home: Path) -> None:
        home.mkdir()
        raise subprocess.CalledProcessError(1, ["python", "-m", "ensurepip"], printed)

    monkeypatch.setattr(install, "_create", fails)
    monkeypatch.setattr(install, "write_model", lambda folder: None)
    why = "no ensurepip here$" if printed else "cannot be installed"
    with pytest.raises(PeerUnavailable, match=why):
        install.install(tmp_path, [peer], lambda line: None)
    assert not (tmp_path / peer.name).exists()


def test_an_installation_that_takes_too_long_is_given_up(
    tmp_path: Path, peer: Peer, monkeypatch: pytest.MonkeyPatch, bare: None
) -> None:
    monkeypatch.setattr(install, "_TIMEOUT_S", 0.1)
    monkeypatch.setattr(install, "write_model", lambda folder: None)
    python = python_of(tmp_path, peer)

    def slow(home: Path) -> None:
        python.parent.mkdir(parents=True)
        python.write_text("#!/bin/sh\nexec sleep 60\n")
        python.chmod(0o755)

    monkeypatch.setattr(install, "_create", slow)
    with pytest.raises(PeerUnavailable, match="too long"):
        install.install(tmp_path, [peer], lambda line: None)
    assert not (tmp_path / peer.name).exists()


def test_what_pip_says_is_told_and_our_path_is_not_its(
    tmp_path: Path, peer: Peer, monkeypatch: pytest.MonkeyPatch, bare: None
) -> None:
    monkeypatch.setenv("PYTHONPATH", "ours")
    monkeypatch.setattr(install, "write_model", lambda folder: None)
    python = python_of(tmp_path, peer)

    def broken(home: Path) -> None:
        python.parent.mkdir(parents=True)
        python.write_text('#!/bin/sh\necho "$* with path [$PYTHONPATH]" >&2\nexit 3\n')
        python.chmod(0o755)

    monkeypatch.setattr(install, "_create", broken)
    with pytest.raises(PeerUnavailable, match=r"-m pip install .* with path \[\]"):
        install.install(tmp_path, [peer], lambda line: None)


def test_a_bot_finds_our_modules_and_asks_no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    made = install.environment()
    assert (Path(made["PYTHONPATH"]) / "loadtests" / "peers" / "protocol.py").is_file()
    assert made["HF_HUB_OFFLINE"] == "1"
