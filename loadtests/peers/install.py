"""Brings the peers: an environment for each, and one folder with the model that they share.

Nothing is installed into the environment of this program.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from engines import atomic
from engines.kokoro import voices
from engines.kokoro.weights import weights_file
from loadtests.peers.bots.voice import MODEL_FILE, VOICE, VOICES_FILE
from loadtests.peers.catalogue import Peer
from voicepeer.core.errors import VoicePeerError

MODEL_FOLDER = "model"
_DONE = "installed.txt"
_TIMEOUT_S = 1_200.0
_SHOWN_LINES = 8
_POSITIONS = 510
"""Rows of a voice, one for each number of tokens."""


class PeerUnavailable(VoicePeerError):
    """A peer cannot be installed or run; the message says why and what helps."""

    code = "peer_unavailable"


def python_of(folder: Path, peer: Peer) -> Path:
    """The Python of a peer's environment."""
    return folder / peer.name / "bin" / "python"


def is_installed(folder: Path, peer: Peer) -> bool:
    """Whether a peer is there with the packages that its file asks for now."""
    done = folder / peer.name / _DONE
    return done.is_file() and done.read_bytes() == peer.requirements.read_bytes()


def install(folder: Path, peers: Sequence[Peer], tell: Callable[[str], None]) -> None:
    """Bring the model, and what is not there yet of the peers; ``tell`` gets a line a step.

    Raises:
        PeerUnavailable: a package could not be installed.
        EngineError: our own weights are not installed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tell("the model that they share …")
    write_model(folder / MODEL_FOLDER)
    for peer in peers:
        if is_installed(folder, peer):
            tell(f"{peer.name} is there")
            continue
        tell(f"installing {peer.name} …")
        _install_one(folder, peer)


def write_model(folder: Path) -> None:
    """The published weights and one voice, in the files that kokoro-onnx reads."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / MODEL_FILE
    weights = weights_file()
    if not target.exists() or not target.samefile(weights):
        target.unlink(missing_ok=True)
        target.symlink_to(weights)
    style = voices.stock_styles()[VOICE]
    rows = [voices.style_for_length(style, tokens)[None] for tokens in range(1, _POSITIONS + 1)]
    # Whoever interrupts this leaves no half a file that bots would find.
    with atomic.writing(folder / VOICES_FILE, atomic.READABLE) as file:
        np.savez(file, allow_pickle=False, **{VOICE: np.stack(rows)})


def _install_one(folder: Path, peer: Peer) -> None:
    home = folder / peer.name
    python = python_of(folder, peer)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    try:
        _create(home)
        _run([*pip, "-r", str(peer.requirements)])
    except subprocess.CalledProcessError as error:
        shutil.rmtree(home, ignore_errors=True)
        lines = _last_lines(error.stdout)
        raise PeerUnavailable(f"{peer.name} cannot be installed: " + " | ".join(lines)) from error
    except subprocess.TimeoutExpired as error:
        shutil.rmtree(home, ignore_errors=True)
        raise PeerUnavailable(f"{peer.name} took too long to be installed") from error
    (home / _DONE).write_bytes(peer.requirements.read_bytes())


def _last_lines(printed: str | bytes | None) -> list[str]:
    """What a program said at last; that which unpacks pip into an environment says bytes."""
    text = printed.decode(errors="replace") if isinstance(printed, bytes) else printed or ""
    return text.strip().splitlines()[-_SHOWN_LINES:]


def _create(home: Path) -> None:
    venv.create(home, with_pip=True, clear=True)


def _run(command: Sequence[str]) -> None:
    subprocess.run(
        command,
        check=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=_TIMEOUT_S,
        # What is set for our own environment is not for theirs.
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    )


def environment() -> dict[str, str]:
    """What a bot runs with: our modules beside its packages, and no hub to be asked."""
    root = Path(__file__).parents[2]
    offline = {"HF_HUB_OFFLINE": "1", "GRADIO_ANALYTICS_ENABLED": "False"}
    return {**os.environ, **offline, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}


def this_python() -> Path:
    """Of this program, for bots that need no environment of their own."""
    return Path(sys.executable)
