"""A Janus server of one's own on this machine, to be measured or tested against.

Needs Debian's package ``janus``. Its signaling is on loopback; media are on an address of the
machine, because Janus offers no loopback for them.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from voicepeer import rtc
from voicepeer.machine import process_usage

START_S: Final = 10.0
PLUGINS: Final = ("audiobridge", "videoroom")

Rooms = Mapping[str, Mapping[str, Mapping[str, object]]]
"""Settings of rooms, by plugin and id."""


def installed() -> bool:
    """Whether there is a Janus to be started."""
    return shutil.which("janus") is not None


@dataclass
class JanusServer:
    """One server; ``general`` are settings of its own, ``plugins`` those that it loads.

    Its methods block.
    """

    folder: Path
    rooms: Rooms
    general: Mapping[str, object] = field(default_factory=dict)
    plugins: tuple[str, ...] = PLUGINS
    port: int = 0
    _process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Of its WebSocket."""
        return f"ws://127.0.0.1:{self.port}"

    @property
    def cpu_s(self) -> float:
        """Processor time that it has taken so far, of all of its threads."""
        assert self._process is not None
        usage = process_usage(self._process.pid)
        assert usage is not None
        return usage.cpu_s

    def start(self) -> None:
        """Start, or start again after ``kill``, and wait until it can be called.

        Raises:
            RuntimeError: it did not get so far; its log is in the message.
        """
        self.port = self.port or _free_port()
        self._configure()
        self._process = subprocess.Popen(
            [
                *("janus", "--configs-folder", str(self.folder), "--disable-stdout"),
                *("--config", str(self.folder / "janus.jcfg"), "--log-file", str(self._log)),
                *("--plugins-folder", str(self._only("plugins", self.plugins))),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until_s = time.monotonic() + START_S
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > until_s:
                log = self._log.read_text(errors="replace") if self._log.exists() else ""
                self.kill()
                raise RuntimeError(f"janus did not start: {log[-2_000:]}")
            time.sleep(0.02)

    def kill(self) -> None:
        """End it as a machine that fails does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1.0):
                return True
        except OSError:
            return False

    @property
    def _log(self) -> Path:
        return self.folder / "janus.log"

    def _configure(self) -> None:
        general = {"debug_level": 3, "session_timeout": 0, **self.general}
        general["transports_folder"] = str(self._only("transports", ("websockets",)))
        address = next(one for one in rtc.host_addresses() if "." in one)
        files: dict[str, Mapping[str, Mapping[str, object]]] = {
            "janus": {
                "general": general,
                "nat": {"ice_enforce_list": address, "ignore_mdns": True},
                "media": {"ipv6": False},
            },
            "janus.transport.websockets": {
                "general": {"json": "compact", "ws": True, "ws_ip": "127.0.0.1"}
                | {"ws_port": self.port}
            },
        }
        for plugin, rooms in self.rooms.items():
            files[f"janus.plugin.{plugin}"] = {
                f"room-{room}": dict(settings) for room, settings in rooms.items()
            }
        for name, sections in files.items():
            (self.folder / f"{name}.jcfg").write_text(_jcfg(sections))

    def _only(self, kind: str, wanted: tuple[str, ...]) -> Path:
        """A folder with these of the server's modules, so that it loads no others."""
        folder = self.folder / kind
        folder.mkdir(exist_ok=True)
        for name in wanted:
            link = folder / f"libjanus_{name}.so"
            if not link.is_symlink():
                link.symlink_to(_modules(kind) / link.name)
        return folder


@contextmanager
def running(server: JanusServer) -> Iterator[JanusServer]:
    """A server that is there, and gone at the end."""
    try:
        server.start()
        yield server
    finally:
        server.kill()


def _modules(kind: str) -> Path:
    """Where Debian has them, whatever the machine's architecture."""
    found = sorted(Path("/usr/lib").glob(f"*/janus/{kind}"))
    if not found:
        raise RuntimeError(f"this Janus has no folder of {kind}: is it Debian's?")
    return found[0]


def _jcfg(sections: Mapping[str, Mapping[str, object]]) -> str:
    """Settings in the format of libconfig."""
    return "\n".join(
        f"{name}: {{\n"
        + "".join(f"  {key} = {_value(value)}\n" for key, value in settings.items())
        + "}"
        for name, settings in sections.items()
    )


def _value(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case _:
            return f'"{value}"'


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
