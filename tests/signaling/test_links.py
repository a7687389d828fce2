"""ICE servers as Link headers."""

from __future__ import annotations

import pytest

from signaling.links import ice_server_links

pytestmark = pytest.mark.unit


def test_each_address_has_a_link_and_turn_its_credentials() -> None:
    servers: list[dict[str, str | list[str]]] = [
        {"urls": ["stun:stun.example.net"]},
        {
            "urls": ["turn:turn.example.net?transport=udp", "turns:turn.example.net"],
            "username": "17:ada",
            "credential": 'pass"word\\',
        },
    ]
    credentials = 'username="17:ada"; credential="pass\\"word\\\\"; credential-type="password"'
    assert ice_server_links(servers) == [
        '<stun:stun.example.net>; rel="ice-server"',
        f'<turn:turn.example.net?transport=udp>; rel="ice-server"; {credentials}',
        f'<turns:turn.example.net>; rel="ice-server"; {credentials}',
    ]


def test_one_address_needs_no_list() -> None:
    assert ice_server_links([{"urls": "stun:a.example"}]) == ['<stun:a.example>; rel="ice-server"']
