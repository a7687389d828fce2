"""Options of ``voicepeer bot`` for rooms of somebody else, and the adapters that they choose."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, get_args

from voicepeer import config
from voicepeer.core.errors import ConfigInvalid
from voicepeer.core.janus.plugins import PluginName

if TYPE_CHECKING:
    from voicepeer.adapters import RoomAdapter

_PLUGINS: Final = get_args(PluginName)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A room of somebody else, as its user calls it, and how each bot gets its place there."""

    room: str
    make: Callable[[], RoomAdapter]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Where a bot can speak besides our own rooms."""
    janus = parser.add_argument_group("a room of a Janus server")
    janus.add_argument("--janus", metavar="URL", help="its WebSocket, such as ws://localhost:8188")
    janus.add_argument("--plugin", choices=_PLUGINS, help="which kind of room --room is")
    janus.add_argument("--pin", help=f"of the room; better in ${config.ENV_JANUS_PIN}")
    janus.add_argument(
        "--janus-token",
        metavar="TOKEN",
        help=f"of the server or the room; better in ${config.ENV_JANUS_TOKEN}",
    )
    janus.add_argument(
        "--janus-secret",
        metavar="SECRET",
        help=f"the server's API secret; better in ${config.ENV_JANUS_SECRET}",
    )


def chosen(arguments: argparse.Namespace) -> Elsewhere | None:
    """The room of somebody else that is asked for, if one is.

    Raises:
        ConfigInvalid: something of it is missing, or means nothing without it.
    """
    if arguments.janus is not None:
        return _janus(arguments)
    for name in ("plugin", "pin", "janus_token", "janus_secret"):
        if getattr(arguments, name) is not None:
            raise ConfigInvalid(f"--{name.replace('_', '-')} is for --janus")
    return None


def _janus(arguments: argparse.Namespace) -> Elsewhere:
    if not arguments.janus.startswith(("ws://", "wss://")):
        raise ConfigInvalid("--janus begins with ws:// or wss://")
    if arguments.plugin is None:
        raise ConfigInvalid(f"--janus takes --plugin {' or '.join(_PLUGINS)}")
    if arguments.room is None:
        raise ConfigInvalid("--janus takes the room's id: --room 1234")

    def make() -> RoomAdapter:
        from voicepeer.adapters.janus import JanusRoom

        return JanusRoom(
            arguments.janus,
            arguments.plugin,
            arguments.room,
            pin=arguments.pin or config.secret(config.ENV_JANUS_PIN),
            token=arguments.janus_token or config.secret(config.ENV_JANUS_TOKEN),
            api_secret=arguments.janus_secret or config.secret(config.ENV_JANUS_SECRET),
        )

    return Elsewhere(arguments.room, make)
