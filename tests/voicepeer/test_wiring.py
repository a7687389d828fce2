"""The configuration reaches every part, and what must not be served is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from signaling.config import SignalingConfig
from voicepeer import wiring
from voicepeer.audit import Audit
from voicepeer.config import Config, load
from voicepeer.core.errors import ConfigInvalid
from voicepeer.session_state import SessionSettings

pytestmark = pytest.mark.unit

KEY = "0123456789abcdef"


def test_the_defaults_are_those_of_the_parts() -> None:
    assert wiring.signaling_config(Config()) == SignalingConfig()
    # A session of its own samples nothing: there are no metrics that it would be for.
    sampled = Config().metrics.similarity_share
    assert wiring.session_settings(Config()) == SessionSettings(similarity_share=sampled)
    spec = wiring.host_spec(Config())
    assert (spec.speech, spec.encoder, spec.vad) == ("kokoro", "ge2e", "silero")
    assert wiring.engine_options(Config()) == {"provider": "auto", "precision": "auto"}


def test_the_longest_speech_is_the_same_over_http_and_in_calls() -> None:
    settings = load({"speaking.max_audio_s": "77", "speaking.max_input_chars": "88"}, {})
    limits = wiring.speech_limits(settings)
    assert (limits.audio_s, limits.input_chars) == (77.0, 88)
    assert wiring.session_settings(settings).max_audio_s == 77.0


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
        "server.trusted_proxies": "10.0.0.0/8,fd00::/8",
        "server.max_connections": "6",
        "server.max_connections_per_address": "7",
        "server.request_timeout_s": "4",
        "server.body_timeout_s": "5",
        "ice.stun_urls": "stun:s.example:3478",
        "ice.turn_urls": "turn:t.example:3478",
        "ice.turn_secret": "shared",
        "ice.turn_ttl_s": "60",
    }
    made = wiring.signaling_config(load(settings, {}))
    assert (made.host, made.port, made.api_keys) == ("0.0.0.0", 1, (KEY,))
    assert made.allowed_origins == {"https://a.example", "https://b.example"}
    assert (made.max_sessions, made.max_per_room) == (2, 3)
    assert made.trusted_proxies == ("10.0.0.0/8", "fd00::/8")
    assert (made.request_timeout_s, made.body_timeout_s) == (4, 5)
    assert (made.max_connections, made.max_connections_per_address) == (6, 7)
    assert made.ice.stun_urls == ("stun:s.example:3478",)
    assert (made.ice.turn_secret, made.ice.turn_ttl_s) == ("shared", 60)


@pytest.mark.parametrize(
    "having",
    [
        {"auth.keys": f"site={KEY}"},
        {"auth.token_keys": f"acme=HS256:{KEY * 2}"},
        {"server.api_keys": KEY},
    ],
)
def test_any_kind_of_key_opens_the_door_to_the_outside(having: dict[str, str]) -> None:
    made = wiring.signaling_config(load({"server.host": "0.0.0.0", **having}, {}))
    assert not made.is_open


def test_patience_reaches_sessions() -> None:
    settings = {"session.connect_timeout_s": "1.5", "session.silence_timeout_s": "2.5"}
    made = wiring.session_settings(load(settings, {}))
    assert (made.connect_timeout_s, made.silence_timeout_s) == (1.5, 2.5)


def test_how_voices_are_made_reaches_sessions() -> None:
    made = wiring.session_settings(load({"voices.match_channel": "true"}, {})).enrolment
    assert made.match_channel


@pytest.mark.parametrize(
    ("settings", "part"),
    [
        ({"server.host": "0.0.0.0"}, "without authentication"),
        ({"server.host": "::"}, "without authentication"),
        ({"server.host": "192.0.2.1"}, "without authentication"),
        ({"server.api_keys": "short"}, "fewer than"),
        ({"server.allowed_origins": "*"}, "every page"),
        ({"server.allowed_origins": "app.example"}, "no origin"),
        ({"server.allowed_origins": "https://app.example/page"}, "no origin"),
        ({"server.allowed_origins": "https://[::1"}, "no origin"),
        ({"server.trusted_proxies": "proxy.example"}, "trusted_proxies"),
        ({"auth.keys": "site=short"}, "fewer than"),
        ({"auth.keys": "site="}, "empty"),
        ({"auth.keys": f"a b={KEY}"}, "name of a key"),
        ({"auth.keys": f"anonymous={KEY}"}, "name of a key"),
        ({"auth.keys": f"a/b={KEY}"}, "name of a key"),
        ({"auth.rights": "nobody=speak"}, "nobody"),
        ({"auth.keys": f"site={KEY}", "auth.rights": "site=fly"}, "'fly'"),
        ({"auth.token_keys": "acme=HS256:short"}, "32 bytes"),
        ({"auth.token_keys": "acme=RS256:x"}, "begins with its algorithm"),
        ({"auth.client_secret_key": "short"}, "32 bytes"),
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


def test_rooms_are_recorded_where_there_is_a_folder_and_nowhere_else(tmp_path: Path) -> None:
    assert wiring.recordings(Config(), Audit()) is None
    folder = tmp_path / "deep" / "recordings"
    assert wiring.recordings(load({"recording.folder": str(folder)}, {}), Audit()) is not None
    assert folder.stat().st_mode & 0o777 == 0o700
    assert list(folder.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    settings = load({"recording.folder": str(tmp_path / "file")}, {})
    with pytest.raises(ConfigInvalid, match=r"cannot be written: .*\(recording\.folder\)"):
        wiring.recordings(settings, Audit())
