"""The service as it is deployed: its own process behind nginx with TLS, and coturn beside it."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import msgspec
import pytest

from signaling.ice_servers import session_user
from tests.clips import clip_path
from tests.deploy.caller import Heard
from tests.deploy.coturn import LOOPBACK_PEERS, SECRET, coturn
from tests.deploy.nginx import nginx
from tests.voicepeer.commandline import FAKE
from voicepeer import rtc
from voicepeer.child_service import running_service

pytestmark = [pytest.mark.e2e, pytest.mark.needs("nginx"), pytest.mark.needs("turnserver")]

KEY = "the-key-of-this-test-0123"
ROOT = Path(__file__).parents[2]


async def test_the_same_call_as_always_through_nginx_with_tls_and_coturn(tmp_path: Path) -> None:
    # Where the service's media is on this machine; elsewhere `voicepeer turn-config` writes it.
    media = [f"--allowed-peer-ip={address}" for address in rtc.host_addresses()]
    async with coturn(tmp_path, *LOOPBACK_PEERS, *media) as relay:
        settings = {
            "voices.database": str(tmp_path / "voices.sqlite"),
            "server.api_keys": KEY,
            "server.trusted_proxies": "127.0.0.1",
            "ice.turn_urls": f"turn:127.0.0.1:{relay.port}?transport=udp",
            "ice.turn_secret": SECRET,
        }
        arguments = [f"--set={name}={value}" for name, value in settings.items()]
        async with (
            running_service([*FAKE, *arguments]) as service,
            nginx(tmp_path / "nginx", service.ready.url) as proxy,
            asyncio.timeout(90),
        ):
            heard = await called(proxy.url, proxy.certificate.cert)
        assert heard.peak > 0.1
        assert heard.audio_ms > 1_000
        user = session_user(heard.session_id, "default")
        await relay.until(rf"user <\d+:{user}>: incoming packet ALLOCATE processed, success")


async def called(url: str, trusted: Path) -> Heard:
    """What a caller in a process of its own has heard."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.deploy.caller"),
        *(url, KEY, str(clip_path("en_jennifer"))),
        cwd=ROOT,
        env=os.environ | {"SSL_CERT_FILE": str(trusted)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return msgspec.json.decode(out, type=Heard)
