"""coturn's configuration, made from the service's settings."""

from __future__ import annotations

import ipaddress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaling.ice_servers import IceConfig, IceConfigInvalid
from signaling.turn_conf import turn_conf

pytestmark = pytest.mark.unit


def options(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, value = line.partition("=")
            found.setdefault(name, []).append(value)
    return found


def test_a_shared_database() -> None:
    config = IceConfig(
        turn_database=Path("/var/lib/turn/turn.sqlite"),
        turn_realm="example",
        media_addresses=("192.0.2.7",),
    )
    made = options(turn_conf(config))
    assert made["userdb"] == ["/var/lib/turn/turn.sqlite"]
    assert made["realm"] == ["example"]
    assert "lt-cred-mech" in made


def test_a_shared_secret_is_not_written_down() -> None:
    config = IceConfig(turn_secret="hush", media_addresses=("192.0.2.7",))
    text = turn_conf(config)
    assert "hush" not in text
    assert not {"userdb", "lt-cred-mech", "use-auth-secret"} & set(options(text))


def test_the_rest_of_the_configuration_comes_first() -> None:
    text = turn_conf(IceConfig(media_addresses=("192.0.2.7",)), "fingerprint\nrealm=old\n\n\n")
    assert text.startswith("fingerprint\nrealm=old\n\n#")
    assert options(text)["realm"] == ["old", "voicepeer"], "coturn takes the last one"


def test_without_media_addresses_there_is_none() -> None:
    with pytest.raises(IceConfigInvalid, match="media_addresses"):
        turn_conf(IceConfig(turn_secret="s"))


def reachable(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether it may be that of a machine: all others are refused."""
    try:
        IceConfig(media_addresses=(str(address),))
    except IceConfigInvalid:
        return False
    return True


@given(st.text(max_size=20), st.text(max_size=20).map(lambda text: f"/{text}"))
def test_no_setting_becomes_a_line_of_its_own(realm: str, path: str) -> None:
    try:
        config = IceConfig(
            turn_realm=realm, turn_database=Path(path), media_addresses=("192.0.2.7",)
        )
    except IceConfigInvalid:
        return
    made = options(turn_conf(config))
    assert made["realm"] == [realm]
    assert made["userdb"] == [str(Path(path))]
    assert set(made) == {"realm", "lt-cred-mech", "userdb", "denied-peer-ip", "allowed-peer-ip"}


@given(
    st.lists(st.ip_addresses().filter(reachable), min_size=1, max_size=4),
    st.ip_addresses(),
)
def test_relays_lead_to_the_service_and_nowhere_else(
    media: list[ipaddress.IPv4Address | ipaddress.IPv6Address],
    other: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    config = IceConfig(media_addresses=tuple(map(str, media)))
    made = options(turn_conf(config))
    assert made["allowed-peer-ip"] == [str(one) for one in media]
    if other != ipaddress.ip_address("::"):  # which coturn itself denies
        spans = (span.split("-") for span in made["denied-peer-ip"])
        ends = [(ipaddress.ip_address(low), ipaddress.ip_address(high)) for low, high in spans]
        assert any(
            low.version == other.version and int(low) <= int(other) <= int(high)
            for low, high in ends
        )


def test_networks_are_ranges() -> None:
    config = IceConfig(media_addresses=("10.8.0.0/14", "2001:db8::/126"))
    assert options(turn_conf(config))["allowed-peer-ip"] == [
        "10.8.0.0-10.11.255.255",
        "2001:db8::-2001:db8::3",
    ]
