"""The configuration reaches every part, and what must not be served is refused."""

from __future__ import annotations

import pytest

from signaling.config import SignalingConfig
from voicepeer import wiring
from voicepeer.config import Config, load
from voicepeer.core.errors import ConfigInvalid
from voicepeer.session_state import SessionSettings

pytestmark = pytest.mark.unit

KEY = "0123456789abcdef"


def test_the_defaults_are_those_of_the_parts() -> None:
    assert wiring.signaling_config(Config()) == SignalingConfig()
    assert wiring.session_settings(Config()) == SessionSettings()
    spec = wiring.host_spec(Config())
    assert (spec.speech, spec.encoder, spec.vad) == ("kokoro", "ge2e", "silero")
    assert wiring.engine_options(Config()) == {"provider": "auto", "precision": "auto"}


def test_every_setting_of_the_engines_reaches_the_host() -> None:
    settings = {
        "engine.speech": "fake",
        "engine.encoder": "fake",
        "engine.vad": "fake",
        "engine.provider": "cpu",
        "engine.precision": "fp32",
        "engine.threads": "3",
        "engine.nice": "4",
        "engine.max_streams": "5",
        "engine.cache_dir": "/c",
        "engine.weights": "/w.onnx",
        "engine.options": "fake.fault=die,threads=6",
    }
    spec = wiring.host_spec(load(settings, {}))
    assert (spec.speech, spec.encoder, spec.vad) == ("fake", "fake", "fake")
    assert (spec.nice, spec.max_streams) == (4, 5)
    assert spec.options == {
        "provider": "cpu",
        "precision": "fp32",
        "threads": "6",  # an option given outright is stronger
        "cache": "/c",
        "weights": "/w.onnx",
        "fake.fault": "die",
    }


def test_every_setting_of_the_server_reaches_signaling() -> None:
    settings = {
        "server.host": "0.0.0.0",
        "server.port": "1",
        "server.api_keys": KEY,
        "server.allowed_origins": "https://a.example,https://b.example",
        "server.max_sessions": "2",
        "server.max_per_room": "3",
        "ice.stun_urls": "stun:s.example:3478",
        "ice.turn_urls": "turn:t.example:3478",
        "ice.turn_secret": "shared",
        "ice.turn_ttl_s": "60",
    }
    made = wiring.signaling_config(load(settings, {}))
    assert (made.host, made.port, made.api_keys) == ("0.0.0.0", 1, (KEY,))
    assert made.allowed_origins == {"https://a.example", "https://b.example"}
    assert (made.max_sessions, made.max_per_room) == (2, 3)
    assert made.ice.stun_urls == ("stun:s.example:3478",)
    assert (made.ice.turn_secret, made.ice.turn_ttl_s) == ("shared", 60)


def test_patience_reaches_sessions() -> None:
    settings = {"session.connect_timeout_s": "1.5", "session.silence_timeout_s": "2.5"}
    made = wiring.session_settings(load(settings, {}))
    assert (made.connect_timeout_s, made.silence_timeout_s) == (1.5, 2.5)


@pytest.mark.parametrize(
    ("settings", "part"),
    [
        ({"server.host": "0.0.0.0"}, "without authentication"),
        ({"server.host": "::"}, "without authentication"),
        ({"server.host": "192.0.2.1"}, "without authentication"),
        ({"server.api_keys": "short"}, "fewer than"),
        ({"ice.turn_urls": "turn:t.example"}, "secret"),
        ({"ice.stun_urls": "http://s.example"}, "not a STUN address"),
    ],
)
def test_what_must_not_be_served_is_refused(settings: dict[str, str], part: str) -> None:
    with pytest.raises(ConfigInvalid, match=part):
        wiring.signaling_config(load(settings, {}))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_loopback_needs_no_key(host: str) -> None:
    assert wiring.signaling_config(load({"server.host": host}, {})).host == host
