"""Fake bots as tests start them, and a short script for them."""

from __future__ import annotations

import shutil
import sys
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from loadtests.peers.catalogue import Peer
from loadtests.peers.install import environment, python_of
from loadtests.peers.process import BotProcess, running_bot
from loadtests.peers.script import Line, Script

MODULE = "tests.loadtests.peers.fake_bot"

SHORT = Script(
    lines=(Line("three", "one two three", slot_s=0.6), Line("many", "word " * 40)),
    warm_up=(Line("two", "one two", slot_s=0.3),),
    lossy=(Line("some", "word " * 12, slot_s=1.3),),
    cut_after_s=0.2,
    after_cancel_s=0.2,
    settle_s=0.4,
    idle_s=0.2,
)


def fake_bot(*options: str, name: str = "fake") -> AbstractAsyncContextManager[BotProcess]:
    """A running fake."""
    return running_bot(name, (sys.executable, "-m", MODULE, *options), environment())


def installed(folder: Path, peer: Peer) -> Path:
    """What looks like the environment of a peer in a folder, and runs the fake bot instead."""
    python = python_of(folder, peer)
    python.parent.mkdir(parents=True)
    peer.requirements.write_text("fake-bot==1.2.3\n")
    shutil.copy(peer.requirements, folder / peer.name / "installed.txt")
    # The options that a bot gets are not for the fake one.
    python.write_text(f"#!/bin/sh\nexec {sys.executable} -m {MODULE} $FAKE_OPTIONS\n")
    python.chmod(0o755)
    return python
