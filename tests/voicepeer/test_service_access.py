"""Keys, tokens and limits on the whole service in its own process."""

from __future__ import annotations

import asyncio
from pathlib import Path

import aiohttp
import pytest
from yarl import URL

from signaling.admin_routes import PATH as ADMIN
from signaling.secret_routes import PATH as SECRETS
from tests.signaling.tokens import SECRET, token
from tests.voicepeer.commandline import FAKE
from voicepeer.child_service import running_service
from voicepeer.client import VoicePeerClient
from voicepeer.signaling_client import SignalingFailed

pytestmark = pytest.mark.e2e

NOTE = "no keys are configured"


async def test_without_keys_it_says_at_start_that_only_this_machine_is_served(
    tmp_path: Path,
) -> None:
    lines: list[str] = []
    async with running_service([*FAKE, "--database", str(tmp_path / "v.sqlite")], lines.append):
        pass
    assert any(NOTE in line for line in lines)


async def test_tokens_secrets_and_slow_senders(tmp_path: Path) -> None:
    lines: list[str] = []
    settings = {
        "auth.token_keys": f"acme=HS256:{SECRET}",
        "server.request_timeout_s": "1",
        "limits.sessions_per_key": "1",
    }
    arguments = [*FAKE, "--database", str(tmp_path / "v.sqlite")]
    for name, value in settings.items():
        arguments += ["--set", f"{name}={value}"]
    async with running_service(arguments, lines.append) as service:
        url = service.ready.url
        slow = asyncio.create_task(_until_cut(url))
        boss = token(sub=None, rights=["manage", "speak", "listen"])
        async with aiohttp.ClientSession(url, headers={"Authorization": f"Bearer {boss}"}) as http:
            async with http.post(SECRETS, json={"subject": "ada"}) as answer:
                secret = (await answer.json())["value"]
            async with VoicePeerClient(url, token=secret) as client:
                await client.use_voice("low")
                said = await client.say("Hello.")
                assert said.audio_ms > 0
                async with http.get(ADMIN) as answer:
                    (shown,) = (await answer.json())["data"]
                assert (shown["id"], shown["subject"]) == (client.session_id, "ada")
                with pytest.raises(SignalingFailed, match="sessions"):
                    async with VoicePeerClient(url, token=token()):
                        pass
        with pytest.raises(SignalingFailed, match="expired"):
            async with VoicePeerClient(url, token=token(exp=1)):
                pass
        await slow
    log = "\n".join(lines)
    assert NOTE not in log
    for planted in (SECRET, boss, secret):
        assert planted not in log


async def _until_cut(url: str) -> None:
    """Send ten headers a second until the service hangs up; fails where it does not."""
    at = URL(url)
    reader, writer = await asyncio.open_connection(at.host, at.port)
    writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
    async with asyncio.timeout(20):
        while not reader.at_eof():
            writer.write(b"X: 1\r\n")
            try:
                await asyncio.wait_for(reader.read(1), 0.1)
            except TimeoutError:
                continue
            except ConnectionError:
                break
    writer.close()
