"""Settings: which source wins, and what a person is told about a wrong one."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer import config
from voicepeer.config import Config, env_name, load
from voicepeer.core.errors import ConfigInvalid

pytestmark = pytest.mark.unit


def write(folder: Path, text: str) -> Path:
    path = folder / "voicepeer.toml"
    path.write_text(text)
    return path


def test_without_any_source_every_setting_has_its_default() -> None:
    assert load({}, {}) == Config()


def test_an_open_service_is_on_loopback_by_default() -> None:
    assert (Config().server.host, Config().server.api_keys) == ("127.0.0.1", ())


@pytest.mark.parametrize(
    ("in_file", "in_environment", "in_flags", "port"),
    [
        (None, None, None, 8080),
        (1, None, None, 1),
        (1, 2, None, 2),
        (1, 2, 3, 3),
        (1, None, 3, 3),
        (None, 2, 3, 3),
    ],
)
def test_flags_win_over_environment_over_file(
    tmp_path: Path,
    in_file: int | None,
    in_environment: int | None,
    in_flags: int | None,
    port: int,
) -> None:
    file = write(tmp_path, f"[server]\nport = {in_file}" if in_file else "")
    environ = {"VOICEPEER_SERVER_PORT": str(in_environment)} if in_environment else {}
    flags = {"server.port": str(in_flags)} if in_flags else {}
    assert load(flags, environ, file).server.port == port


def test_sources_are_merged_setting_by_setting(tmp_path: Path) -> None:
    file = write(tmp_path, "[server]\nport = 1\nmax_sessions = 4\n[engine]\nthreads = 3")
    loaded = load({"server.port": "3"}, {"VOICEPEER_ENGINE_NICE": "0"}, file)
    assert (loaded.server.port, loaded.server.max_sessions) == (3, 4)
    assert (loaded.engine.threads, loaded.engine.nice) == (3, 0)


def test_lists_and_tables_are_read_from_text() -> None:
    environ = {
        "VOICEPEER_ICE_STUN_URLS": "stun:a.example, stun:b.example",
        "VOICEPEER_ENGINE_OPTIONS": "fake.first_chunk_delay_ms=20,x=a=b",
    }
    loaded = load({}, environ)
    assert loaded.ice.stun_urls == ("stun:a.example", "stun:b.example")
    assert loaded.engine.options == {"fake.first_chunk_delay_ms": "20", "x": "a=b"}


def test_lists_and_tables_are_read_from_a_file(tmp_path: Path) -> None:
    text = '[server]\napi_keys = ["k1", "k2"]\n[engine.options]\n"fake.fault" = "die"'
    loaded = load({}, {}, write(tmp_path, text))
    assert loaded.server.api_keys == ("k1", "k2")
    assert loaded.engine.options == {"fake.fault": "die"}


def test_a_name_in_a_table_may_have_dots() -> None:
    secret = "0c4be1d7a95f4f0e8b2a6c3d7e9f1a5b"
    flags = {"auth.token_keys": f"acme.1=HS256:{secret}, acme.2=HS256:{secret}"}
    assert sorted(load(flags, {}).auth.token_keys) == ["acme.1", "acme.2"]


def test_the_environment_names_the_file(tmp_path: Path) -> None:
    file = write(tmp_path, "[server]\nport = 5")
    assert load({}, {"VOICEPEER_CONFIG": str(file)}).server.port == 5


def test_the_users_own_file_is_read_without_being_named(tmp_path: Path) -> None:
    (tmp_path / "voicepeer").mkdir()
    (tmp_path / "voicepeer" / "config.toml").write_text("[server]\nport = 6")
    assert load({}, {"XDG_CONFIG_HOME": str(tmp_path)}).server.port == 6


def test_the_engines_cache_variable_is_a_setting_too() -> None:
    assert load({}, {"VOICEPEER_CACHE": "/elsewhere"}).engine.cache_dir == "/elsewhere"


@pytest.mark.parametrize(
    ("flags", "environ", "text", "parts"),
    [
        ({"server.prot": "1"}, {}, "", ["'server.prot'", "command line", "'server.port'"]),
        ({"port": "1"}, {}, "", ["'port'", "'server.port'"]),
        ({}, {"VOICEPEER_PORT": "1"}, "", ["'VOICEPEER_PORT'", "'VOICEPEER_SERVER_PORT'"]),
        ({}, {"VOICEPEER_CONFG": "1"}, "", ["'VOICEPEER_CONFG'", "'VOICEPEER_CONFIG'"]),
        ({}, {}, "[engine]\nthread = 1", ["'engine.thread'", "toml", "'engine.threads'"]),
        ({}, {}, "[engin]\nthreads = 1", ["'engin.threads'", "'engine.threads'"]),
        ({}, {}, "threads = 1", ["'threads'", "'engine.threads'"]),
        (
            {'auth.token_keys."acme.2"': "HS256:x"},
            {},
            "",
            ["auth.token_keys from the command line", "--set 'auth.token_keys=NAME=VALUE'"],
        ),
        ({"engine.options.threads": "1"}, {}, "", ["--set 'engine.options=NAME=VALUE'", "commas"]),
        ({"server.port.x": "1"}, {}, "", ["'server.port.x'", "did you mean 'server.port'"]),
        ({}, {}, "[server.tls]\ncert = 1", ["'server.tls'", "did you mean"]),
    ],
)
def test_an_unknown_setting_is_named_with_its_source_and_the_nearest_known(
    tmp_path: Path,
    flags: dict[str, str],
    environ: dict[str, str],
    text: str,
    parts: list[str],
) -> None:
    with pytest.raises(ConfigInvalid) as caught:
        load(flags, environ, write(tmp_path, text))
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("server.port", "-1"),
        ("server.port", "65536"),
        ("server.port", "http"),
        ("server.port", ""),
        ("server.host", ""),
        ("server.max_sessions", "0"),
        ("engine.threads", "1.5"),
        ("engine.nice", "20"),
        ("engine.provider", "tpu"),
        ("engine.precision", "fp8"),
        ("voices.ttl_s", "0"),
        ("voices.ttl_s", "nan"),
        ("voices.ttl_s", "inf"),
        ("ice.turn_ttl_s", "1"),
        ("log.level", "loud"),
    ],
)
def test_a_value_out_of_range_is_refused_with_the_settings_name(name: str, value: str) -> None:
    with pytest.raises(ConfigInvalid, match=name.replace(".", r"\.")):
        load({name: value}, {})


@pytest.mark.parametrize(
    "text",
    [
        '[server]\nport = "8080"',
        "[server]\nport = true",
        "[server]\napi_keys = 'one'",
        "[engine.options]\nx = 1",
        "[log]\nlevel = 1",
    ],
)
def test_a_file_is_read_strictly(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigInvalid, match=r"voicepeer\.toml"):
        load({}, {}, write(tmp_path, text))


@pytest.mark.parametrize(
    "setting", ["server.api_keys", "ice.turn_secret", "auth.client_secret_key"]
)
def test_a_secret_is_shown_neither_in_errors_nor_in_the_config(setting: str) -> None:
    good = load({setting: "hunter2-hunter2-hunter2"}, {})
    assert "hunter2" not in repr(good)
    with pytest.raises(ConfigInvalid) as caught:
        load({setting: "hunter2" * 1000, "server.port": "hunter2"}, {})
    assert "hunter2" not in str(caught.value)


def test_a_missing_file_and_a_broken_one_are_explained(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalid, match="cannot be read"):
        load({}, {}, tmp_path / "none.toml")
    with pytest.raises(ConfigInvalid, match="cannot be read"):
        load({}, {}, tmp_path)
    with pytest.raises(ConfigInvalid, match="not valid TOML"):
        load({}, {}, write(tmp_path, "[server"))
    broken = tmp_path / "binary.toml"
    broken.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigInvalid, match="not valid TOML"):
        load({}, {}, broken)


def test_a_huge_file_is_not_taken_in(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalid, match="larger than"):
        load({}, {}, write(tmp_path, "#" * (config.MAX_CONFIG_BYTES + 1)))


def test_every_setting_has_its_own_environment_variable() -> None:
    variables = [env_name(name) for name in config.TYPES]
    assert len(set(variables)) == len(variables)
    assert env_name("server.max_sessions") == "VOICEPEER_SERVER_MAX_SESSIONS"


def test_folders_follow_the_users_environment(tmp_path: Path) -> None:
    environ = {"XDG_DATA_HOME": str(tmp_path / "d"), "XDG_CACHE_HOME": str(tmp_path / "c")}
    assert config.database(Config(), environ) == tmp_path / "d/voicepeer/voices.sqlite"
    assert config.cache_dir(environ) == tmp_path / "c/voicepeer"
    assert config.cache_dir({"VOICEPEER_CACHE": str(tmp_path)}) == tmp_path
    named = load({"voices.database": "~/v.db"}, {})
    assert config.database(named, environ) == Path.home() / "v.db"


@given(st.dictionaries(st.text(max_size=30), st.text(max_size=30), max_size=4))
def test_any_flags_give_a_config_or_a_documented_error(flags: dict[str, str]) -> None:
    with contextlib.suppress(ConfigInvalid):
        assert isinstance(load(flags, {}), Config)


@given(st.sampled_from(sorted(config.TYPES)), st.text(max_size=40))
def test_any_text_of_a_known_setting_is_taken_or_refused_by_name(name: str, text: str) -> None:
    refusals = []
    try:
        load({name: text}, {})
    except ConfigInvalid as error:
        refusals.append(str(error))
    assert all(name in refusal for refusal in refusals)
