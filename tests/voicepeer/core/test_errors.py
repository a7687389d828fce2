"""Which messages are for clients: none that may name files, settings or what went wrong inside."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import pytest

import engines
import voicepeer
from engines.api import EngineBusy, EngineError
from voicepeer.core.errors import OUR_FAULT, ClientError, VoicePeerError, is_for_clients, told

pytestmark = pytest.mark.unit

FOR_OPERATORS = {
    "BackupInvalid",
    "BackupRefused",
    "BenchFailed",
    "BotFailed",
    "CannotListen",
    "CannotWrite",
    "ConfigInvalid",
    "DemoFailed",
    "MediaProcessFailed",
    "RecordingGoesOn",
    "RecordingNotFound",
    "ReferenceKeyMissing",
    "ReferenceKeyWrong",
    "ReferenceTampered",
    "RoomError",
    "ServiceFailed",
    "TokenUnusable",
    "VoiceStoreUnavailable",
    "VoiceStoreUnusable",
    "WhipFailed",
}


def kinds(base: type[Exception]) -> Iterator[type[Exception]]:
    for kind in base.__subclasses__():
        yield kind
        yield from kinds(kind)


def test_every_error_of_ours_is_sorted() -> None:
    """A new one is for operators until somebody has thought about it."""
    for package in (voicepeer, engines):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name.startswith("voicepeer.") and "__main__" not in module.name:
                importlib.import_module(module.name)
    private = {
        kind.__name__
        for kind in kinds(VoicePeerError)
        if not issubclass(kind, ClientError) and kind.__module__.startswith("voicepeer.")
    }
    assert private - {"ClientError"} == FOR_OPERATORS


@pytest.mark.parametrize(
    "error",
    [
        ValueError("/etc/secret"),
        OSError(2, "no such file", "/etc/secret"),
        EngineError("/models/weights.onnx is damaged"),
        VoicePeerError("/srv/voices.sqlite"),
    ],
)
def test_whatever_fails_inside_is_told_in_no_words_of_its_own(error: Exception) -> None:
    assert told(error) == OUR_FAULT
    assert not is_for_clients(error)


def test_what_a_client_can_help_is_told_as_it_is() -> None:
    assert told(ClientError("send less")) == "send less"
    assert told(EngineBusy("later")) == "later"
