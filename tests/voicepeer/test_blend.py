"""Mixes keep who consented to what, where they come from, and when their first part ends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engines.api import Voice, VoiceIncompatible
from engines.fakes import FakeSpeechEngine, tone_hz
from engines.kokoro.voices import stock_voices
from tests.voicepeer.commandline import FAKE, voicepeer
from voicepeer import blend, voice_file
from voicepeer.core.errors import ConfigInvalid, VoiceNotFound
from voicepeer.voice_store import ConsentRecord, VoiceRecord, VoiceStore, new_voice_id

pytestmark = pytest.mark.unit

ENGINE = FakeSpeechEngine()
NOW = 1_000.0


@pytest.fixture
def store(tmp_path: Path) -> VoiceStore:
    return VoiceStore(tmp_path / "voices.sqlite")


def saved(
    store: VoiceStore, name: str, stock: str, when: float, expires: float | None = None
) -> VoiceRecord:
    consent = ConsentRecord(f"I am {name} and agree.", f"{name} L.", when)
    voice = ENGINE.stock_voices()[stock]
    record = VoiceRecord(new_voice_id(), name, voice, consent, when, expires)
    store.put(record)
    return record


def test_weights_are_read_and_names_may_hold_an_equals_sign() -> None:
    assert blend.read_weights(["Ada=0.6", "a=b=2"]) == {"Ada": 0.6, "a=b": 2.0}


@pytest.mark.parametrize(
    "given",
    [
        ["Ada=1"],
        ["Ada", "Bob=1"],
        ["Ada=1", "Ada=2"],
        ["Ada=0", "Bob=1"],
        ["Ada=-1", "Bob=1"],
        ["Ada=nan", "Bob=1"],
        ["Ada=inf", "Bob=1"],
        ["Ada=much", "Bob=1"],
        ["=1", "Bob=1"],
        [f"v{n}=1" for n in range(17)],
    ],
)
def test_weights_that_cannot_be_are_refused(given: list[str]) -> None:
    with pytest.raises(ConfigInvalid, match="weight|voices"):
        blend.read_weights(given)


def test_a_mix_keeps_every_consent_and_ends_with_its_first_part(store: VoiceStore) -> None:
    ada = saved(store, "Ada", "low", 100.0, expires=5_000.0)
    saved(store, "Bob", "high", 200.0, expires=9_000.0)
    mixed = blend.mix("Both", {"Ada": 3.0, "Bob": 1.0, "mid": 1.0}, ENGINE, store, NOW)
    assert "Ada: I am Ada and agree." in mixed.consent.statement
    assert "Bob: I am Bob and agree." in mixed.consent.statement
    assert (mixed.consent.who, mixed.consent.when) == ("Ada L., Bob L.", 200.0)
    assert (mixed.created, mixed.expires) == (NOW, 5_000.0)
    assert f"Ada {ada.voice_id}=0.6" in mixed.source
    assert "mid=0.2" in mixed.source
    tones = {name: tone_hz("x", voice) for name, voice in ENGINE.stock_voices().items()}
    wanted = 0.6 * tones["low"] + 0.2 * tones["high"] + 0.2 * tones["mid"]
    assert tone_hz("x", mixed.voice) == pytest.approx(wanted, rel=1e-5)


def test_a_mix_of_published_voices_says_that_nobody_had_to_consent(store: VoiceStore) -> None:
    mixed = blend.mix("New", {"low": 1.0, "high": 1.0}, ENGINE, store, NOW)
    assert blend.STOCK_ONLY in mixed.consent.statement
    assert mixed.expires is None
    assert voice_file.decode(voice_file.encode(mixed)).consent == mixed.consent


def test_an_unknown_part_is_named_and_nothing_is_made(store: VoiceStore) -> None:
    with pytest.raises(VoiceNotFound, match="'nobody'"):
        blend.mix("New", {"low": 1.0, "nobody": 1.0}, ENGINE, store, NOW)
    assert store.records(NOW) == []


def test_an_expired_voice_cannot_live_on_in_a_mix(store: VoiceStore) -> None:
    saved(store, "Ada", "low", 100.0, expires=NOW - 1.0)
    with pytest.raises(VoiceNotFound, match="'Ada'"):
        blend.mix("New", {"low": 1.0, "Ada": 1.0}, ENGINE, store, NOW)


def test_a_voice_of_another_engine_does_not_mix(store: VoiceStore) -> None:
    consent = ConsentRecord("I agree.", "Eve", 1.0)
    store.put(VoiceRecord(new_voice_id(), "Eve", stock_voices()["af_sky"], consent, 1.0))
    with pytest.raises(VoiceIncompatible, match="fake engine"):
        blend.mix("New", {"low": 1.0, "Eve": 1.0}, ENGINE, store, NOW)


def test_a_mix_brings_what_its_engine_prepares(store: VoiceStore) -> None:
    class Preparing(FakeSpeechEngine):
        def prepared(self, voice: Voice) -> Voice:
            return replace(voice, arrays={**voice.arrays, "ready": np.ones(1, np.float32)})

    mixed = blend.mix("New", {"low": 1.0, "high": 1.0}, Preparing(), store, NOW)
    assert "ready" in mixed.voice.arrays
    plain = blend.mix("New", {"low": 1.0, "high": 1.0}, ENGINE, store, NOW)
    assert "ready" not in plain.voice.arrays


def test_command_saves_a_mix_that_speaks(tmp_path: Path) -> None:
    database = str(tmp_path / "voices.sqlite")
    options = (*FAKE, "--database", database)
    made = voicepeer("voices", "mix", "Both", "low=1", "high=1", *options, "--json")
    assert made.code == 0, made.err
    assert made.json["source"] == "mix of low=0.5, high=0.5"
    shown = voicepeer("voices", "show", "Both", "--database", database, "--json").json
    assert shown["voice_id"] == made.json["voice_id"]
    out = str(tmp_path / "out.wav")
    assert voicepeer("say", "hello", "--voice", "Both", "--out", out, *options).code == 0
    refused = voicepeer("voices", "mix", "Both", "low=1", *options)
    assert refused.code != 0
    assert "a mix is of 2" in refused.err
