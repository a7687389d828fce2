"""A real nginx on loopback with our configuration, at ports and paths of the test's own."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from yarl import URL

from tests.deploy.certificates import Certificate, certificate
from tests.deploy.coturn import free_port

CONF = Path(__file__).parents[2] / "deploy" / "nginx" / "voicepeer.conf"
START_TIMEOUT_S = 60.0
TCP = socket.SOCK_STREAM

# As in the container: the service's file is all that is in `http`.
_MAIN = """
user root;
daemon off;
worker_processes 1;
pid {folder}/pid;
error_log stderr warn;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/voicepeer.conf;
}}
"""


@dataclass(frozen=True)
class Nginx:
    """One server before a service."""

    folder: Path
    port: int
    plain_port: int
    certificate: Certificate

    @property
    def url(self) -> str:
        """Where clients come in."""
        return f"https://localhost:{self.port}"

    def trust(self) -> ssl.SSLContext:
        """What clients know its certificate by."""
        return self.certificate.trust()

    def command(self) -> list[str]:
        """How it is run, and tested with ``-t`` after that."""
        conf = str(self.folder / "nginx.conf")
        return ["nginx", "-p", str(self.folder), "-e", "stderr", "-c", conf]


def written(folder: Path, service_url: str) -> Nginx:
    """Our configuration in a new folder, with nothing changed but ports and paths."""
    folder.mkdir()
    server = Nginx(folder, free_port(TCP), free_port(TCP), certificate(folder))
    changes = {
        "server 127.0.0.1:8080;": f"server 127.0.0.1:{URL(service_url).port};",
        "listen 443 ssl;": f"listen 127.0.0.1:{server.port} ssl;",
        "listen [::]:443 ssl;": f"listen [::1]:{server.port} ssl;",
        "listen 80;": f"listen 127.0.0.1:{server.plain_port};",
        "listen [::]:80;": f"listen [::1]:{server.plain_port};",
        "/etc/nginx/tls/cert.pem": str(server.certificate.cert),
        "/etc/nginx/tls/key.pem": str(server.certificate.key),
        "/var/www/acme": str(folder / "acme"),
    }
    text = CONF.read_text()
    for ours, tests in changes.items():
        assert text.count(ours) == 1, ours
        text = text.replace(ours, tests)
    (folder / "voicepeer.conf").write_text(text)
    (folder / "nginx.conf").write_text(_MAIN.format(folder=folder))
    return server


@asynccontextmanager
async def nginx(folder: Path, service_url: str) -> AsyncIterator[Nginx]:
    """A server that takes connections, and is gone at the end."""
    server = await asyncio.to_thread(written, folder, service_url)
    with (folder / "log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(*server.command(), stdout=log, stderr=log)
        try:
            await _until_there(server, process)
            yield server
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()


async def _until_there(server: Nginx, process: asyncio.subprocess.Process) -> None:
    async with asyncio.timeout(START_TIMEOUT_S):
        while True:
            assert process.returncode is None, (server.folder / "log").read_text()
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", server.plain_port)
                writer.close()
                await writer.wait_closed()
                return
            await asyncio.sleep(0.02)
