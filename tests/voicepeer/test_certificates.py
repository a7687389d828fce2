"""Until when certificates are good, in files and at servers with real TLS."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.deploy.certificates import Certificate, certificate
from tests.deploy.coturn import free_port
from tests.deploy.nginx import TCP
from tests.voicepeer.commandline import voicepeer
from voicepeer.certificates import CertificateUnusable, expiry

pytestmark = pytest.mark.unit


def finding(named: str) -> tuple[str, str, str]:
    """What the doctor says of it: state, words and remedy."""
    ran = voicepeer(
        "doctor", "--engine=fake", "--set=server.port=0", "--json", f"--certificate={named}"
    )
    (found,) = (one for one in ran.json["findings"] if one["topic"] == "tls")
    assert (ran.code == 1) == (found["state"] == "fault")
    return found["state"], found["what"], found["remedy"]


@pytest.mark.parametrize(
    ("days", "state", "words"),
    [(30.5, "ok", "30 days"), (13.5, "note", "13 days"), (-1, "fault", "ended on")],
)
def test_a_file_is_told_in_time(tmp_path: Path, days: float, state: str, words: str) -> None:
    told, what, remedy = finding(str(certificate(tmp_path, days).cert))
    assert told == state
    assert words in what
    assert bool(remedy) == (state != "ok")


def test_of_a_chain_it_is_the_first_to_end(tmp_path: Path) -> None:
    (tmp_path / "long").mkdir()
    long, short = certificate(tmp_path / "long", 80), certificate(tmp_path, 20)
    chain = tmp_path / "chain.pem"
    chain.write_bytes(long.cert.read_bytes() + short.cert.read_bytes())
    assert expiry(str(chain)) == expiry(str(short.cert))
    assert expiry(str(chain)) < datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=21)


@pytest.mark.parametrize(
    ("named", "why"),
    [("none.pem", "no such file"), ("key.pem", "no certificate in it"), ("http://x", "https://")],
)
def test_what_is_no_certificate_is_said(tmp_path: Path, named: str, why: str) -> None:
    certificate(tmp_path)
    with pytest.raises(CertificateUnusable, match=why):
        expiry(named if "://" in named else str(tmp_path / named))


@asynccontextmanager
async def shown(files: Certificate) -> AsyncIterator[int]:
    """A server that shows a certificate; its port."""

    async def hang_up(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0, ssl=files.server())
    async with server:
        yield server.sockets[0].getsockname()[1]


async def test_a_server_s_is_taken_as_clients_take_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = certificate(tmp_path, 30.5)
    async with shown(files) as port:
        url = f"https://localhost:{port}"
        with pytest.raises(CertificateUnusable, match="self-signed"):
            await asyncio.to_thread(expiry, url)
        monkeypatch.setenv("SSL_CERT_FILE", str(files.cert))
        ends = await asyncio.to_thread(expiry, url)
        assert ends == await asyncio.to_thread(expiry, str(files.cert))
        # The name that clients know it by is not in it.
        other = f"https://127.0.0.2:{port}"
        with pytest.raises(CertificateUnusable):
            await asyncio.to_thread(expiry, other)


async def test_a_certificate_that_has_ended_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = certificate(tmp_path, -1)
    monkeypatch.setenv("SSL_CERT_FILE", str(files.cert))
    async with shown(files) as port:
        with pytest.raises(CertificateUnusable, match="expired"):
            await asyncio.to_thread(expiry, f"https://localhost:{port}")


def test_where_nobody_answers_there_is_none() -> None:
    with pytest.raises(CertificateUnusable, match="refused"):
        expiry(f"wss://localhost:{free_port(TCP)}")
