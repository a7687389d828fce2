"""docker-compose.yml, the image and coturn's configuration against the code that they serve."""

from __future__ import annotations

import ipaddress
import re
import tomllib
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import pytest
import yaml

from signaling.config import DEFAULT_PORT
from signaling.ice_servers import STUN_PORT, TURNS_PORT
from tests.voicepeer.commandline import voicepeer
from voicepeer import wiring
from voicepeer.config import TYPES, env_name, load

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[2]
TURN_CONF = ROOT / "coturn" / "turnserver.conf"
FILLED_IN = {
    "TURN_HOST": "turn.example.org",
    "TURN_EXTERNAL_IP": "203.0.113.7",
    "VOICEPEER_SERVER_API_KEYS": "0123456789abcdef01234567",
    "MEDIA_ADDRESSES": "203.0.113.7,2001:db8::7",
}


def compose(values: dict[str, str] | None = None) -> dict[str, Any]:
    """The compose file after variable substitution as Compose does it."""
    given = FILLED_IN if values is None else values

    def fill(match: re.Match[str]) -> str:
        name, operator, rest = match.group("name"), match.group("op"), match.group("rest")
        value = given.get(name, "")
        if not value and operator == ":?":
            raise KeyError(name)
        return value or (rest if operator == ":-" else "")

    variable = re.compile(r"\$\{(?P<name>\w+)(?:(?P<op>:[-?])(?P<rest>[^}]*))?\}")

    def walk(node: Any) -> Any:  # noqa: ANN401 - any YAML
        match node:
            case str():
                return variable.sub(fill, node)
            case dict():
                return {key: walk(value) for key, value in node.items()}
            case list():
                return [walk(value) for value in node]
            case _:
                return node

    parsed: dict[str, Any] = walk(yaml.safe_load((ROOT / "docker-compose.yml").read_text()))
    return parsed


def turn_conf() -> dict[str, list[str]]:
    """Options of coturn's configuration file; flags have the value ``""``."""
    options: dict[str, list[str]] = {}
    for line in TURN_CONF.read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, value = line.partition("=")
            options.setdefault(name.strip(), []).append(value.strip())
    return options


def is_denied(address: str) -> bool:
    """Whether the relay refuses to send to an address."""
    wanted = ipaddress.ip_address(address)
    for span in turn_conf()["denied-peer-ip"]:
        low, high = (ipaddress.ip_address(end) for end in span.split("-"))
        if low.version == wanted.version and int(low) <= int(wanted) <= int(high):
            return True
    return False


def service_environment() -> dict[str, str]:
    """What the service's container is given."""
    environment: dict[str, str] = compose()["services"]["voicepeer"]["environment"]
    return environment


def test_every_variable_is_a_setting() -> None:
    known = {env_name(name) for name in TYPES}
    assert set(service_environment()) <= known


def test_the_service_starts_with_what_compose_gives_it() -> None:
    settings = load({}, service_environment())
    signaling = wiring.signaling_config(settings)
    assert signaling.host == "0.0.0.0"
    assert signaling.port == DEFAULT_PORT
    assert signaling.api_keys == (FILLED_IN["VOICEPEER_SERVER_API_KEYS"],)
    assert signaling.ice.media_addresses == ("203.0.113.7", "2001:db8::7")
    assert signaling.ice.stun_urls == (f"stun:turn.example.org:{STUN_PORT}",)
    assert signaling.ice.turn_urls == tuple(
        f"turn:turn.example.org:{STUN_PORT}?transport={transport}" for transport in ("udp", "tcp")
    )


@pytest.mark.parametrize("name", sorted(FILLED_IN))
def test_what_must_be_set_is_asked_for(name: str) -> None:
    with pytest.raises(KeyError, match=name):
        compose({key: value for key, value in FILLED_IN.items() if key != name})


def test_the_example_names_everything_that_must_be_set() -> None:
    example = (ROOT / "deploy" / "env.example").read_text()
    assert set(FILLED_IN) <= set(re.findall(r"^(\w+)=", example, re.MULTILINE))


def test_both_sides_share_the_database_and_the_port() -> None:
    services = compose()["services"]
    database = Path(services["voicepeer"]["environment"]["VOICEPEER_ICE_TURN_DATABASE"])
    for name in ("voicepeer", "turn-config", "coturn"):
        assert f"turn:{database.parent}" in services[name]["volumes"]
    assert services["turn-config"]["environment"] == services["voicepeer"]["environment"]
    dockerfile = (ROOT / "deploy" / "Dockerfile").read_text()
    user = services["coturn"]["user"].partition(":")[0]
    assert f"--uid {user} " in dockerfile, "coturn and the service both write it"
    conf = turn_conf()
    assert conf["listening-port"] == [str(STUN_PORT)]
    assert conf["tls-listening-port"] == [str(TURNS_PORT)]


def test_coturn_is_run_with_what_turn_config_writes(tmp_path: Path) -> None:
    services = compose()["services"]
    command = services["turn-config"]["command"]
    out = command[-1].partition("=")[2]
    assert services["coturn"]["command"][:2] == ["-c", out]
    made = tmp_path / "turnserver.conf"
    database = tmp_path / "turn.sqlite"
    settings = [
        f"--set=ice.turn_database={database}",
        f"--set=ice.media_addresses={FILLED_IN['MEDIA_ADDRESSES']}",
    ]
    ran = voicepeer(command[0], f"--base={TURN_CONF}", f"--out={made}", *settings)
    assert ran.code == 0, ran.err
    text = made.read_text()
    assert text.startswith(TURN_CONF.read_text().rstrip())
    assert "allowed-peer-ip=203.0.113.7\nallowed-peer-ip=2001:db8::7\n" in text
    assert database.exists()


def test_time_limited_credentials_and_no_secret_in_the_file() -> None:
    conf = turn_conf()
    assert "lt-cred-mech" in conf, "without a secret and a database nobody is let in"
    assert "fingerprint" in conf
    assert not {"static-auth-secret", "use-auth-secret", "user", "no-auth"} & set(conf)


def test_the_relay_range_is_sane() -> None:
    conf = turn_conf()
    low, high = int(conf["min-port"][0]), int(conf["max-port"][0])
    assert 49152 <= low < high <= 65535  # RFC 8656 section 7.2: the dynamic range
    assert high - low + 1 >= int(conf["total-quota"][0])


@pytest.mark.parametrize(
    "address",
    ["0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1",
     "172.31.255.255", "192.168.1.1", "192.0.0.8", "198.18.0.1", "240.0.0.1", "255.255.255.255",
     "::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::a00:1", "100::1", "2001::1",
     "2002:a00:1::", "fc00::1", "fd12:3456::1", "fe80::1"],
)  # fmt: skip
def test_the_relay_leads_into_no_private_network(address: str) -> None:
    assert is_denied(address)


@pytest.mark.parametrize("address", ["1.1.1.1", "172.32.0.1", "193.0.0.1", "2606:4700::1111"])
def test_the_relay_reaches_public_addresses(address: str) -> None:
    assert not is_denied(address)


def test_the_image_installs_what_it_copies_and_runs_as_nobody() -> None:
    dockerfile = (ROOT / "deploy" / "Dockerfile").read_text()
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", dockerfile, re.MULTILINE)
    ignored = (ROOT / ".dockerignore").read_text()
    for name in " ".join(copied).split():
        assert (ROOT / name).exists(), name
        assert f"!{name}" in ignored.splitlines(), name
    assert "USER voicepeer" in dockerfile
    assert f"EXPOSE {DEFAULT_PORT}" in dockerfile
    build = compose()["services"]["voicepeer"]["build"]
    assert (ROOT / build["dockerfile"]).is_file()


def test_extras_of_the_image_are_chosen_by_an_argument_and_exist() -> None:
    dockerfile = (ROOT / "deploy" / "Dockerfile").read_text()
    (default,) = re.findall(r"^ARG EXTRAS=(\S+)$", dockerfile, re.MULTILINE)
    assert '".[$EXTRAS]"' in dockerfile
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    example = (ROOT / "deploy" / "env.example").read_text()
    (offered,) = re.findall(r"^# EXTRAS=(\S+)$", example, re.MULTILINE)
    for extras in (default, offered):
        assert set(extras.split(",")) <= set(known)
    assert "zh" in default.split(",")
    assert "ja" in offered.split(",")
    build = "services", "voicepeer", "build", "args"
    assert reduce(getitem, build, compose()) == {"EXTRAS": default}
    chosen = compose(FILLED_IN | {"EXTRAS": offered})
    assert reduce(getitem, build, chosen) == {"EXTRAS": offered}


def test_variables_of_the_image_are_settings() -> None:
    dockerfile = (ROOT / "deploy" / "Dockerfile").read_text()
    named = dict(re.findall(r"(VOICEPEER_\w+)=(\S+)", dockerfile))
    assert load({}, named).voices.database == "/var/lib/voicepeer/voices.sqlite"
    mounts = [mount.split(":")[1] for mount in compose()["services"]["voicepeer"]["volumes"]]
    assert all(f'"{mount}"' in dockerfile for mount in mounts)
