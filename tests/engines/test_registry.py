"""Models by name: found without loading, and missed with advice."""

from __future__ import annotations

import subprocess
import sys

import pytest

from engines import registry
from engines.api import EngineError
from engines.fakes import FakeSpeakerEncoder, FakeSpeechEngine, FakeVad

pytestmark = pytest.mark.unit


def test_makes_the_fakes() -> None:
    assert isinstance(registry.create_speech("fake", {}), FakeSpeechEngine)
    assert isinstance(registry.create_encoder("fake", {}), FakeSpeakerEncoder)
    assert isinstance(registry.create_vad("fake", {}), FakeVad)


def test_options_reach_the_engine() -> None:
    with pytest.raises(EngineError, match=r"no option fake\.nonsense"):
        registry.create_speech("fake", {"fake.nonsense": "1"})


@pytest.mark.parametrize(
    ("kind", "name", "near"),
    [
        ("speech", "kokora", "kokoro"),
        ("speech", "Fake", "fake"),
        ("encoder", "ge2", "ge2e"),
        ("vad", "cilero", "silero"),
        ("vad", "", "silero"),
    ],
)
def test_unknown_names_get_the_nearest(kind: registry.Kind, name: str, near: str) -> None:
    with pytest.raises(EngineError, match=f"did you mean '{near}'"):
        registry.check(kind, name)


def test_a_missing_package_comes_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = registry._Entry("engines.none", "needs what nobody has", ("no_such_thing",), "extra")
    monkeypatch.setitem(registry._ENTRIES["speech"], "needy", entry)
    with pytest.raises(EngineError, match=r"no_such_thing: run `pip install 'voicepeer\[extra\]'"):
        registry.create_speech("needy", {})
    (found,) = [model for model in registry.describe() if model.name == "needy"]
    assert found.missing == ("no_such_thing",)


def test_describes_every_name_of_every_kind() -> None:
    found = {(model.kind, model.name) for model in registry.describe()}
    kinds: tuple[registry.Kind, ...] = ("speech", "encoder", "vad")
    assert found == {(kind, name) for kind in kinds for name in registry.names(kind)}
    assert all(model.summary for model in registry.describe())


def test_describing_loads_no_model() -> None:
    code = (
        "import sys; from engines import registry; registry.describe();"
        "assert not {'onnxruntime', 'openvino', 'engines.fakes'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
