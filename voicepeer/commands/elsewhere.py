"""Options of ``voicepeer bot`` for rooms of somebody else, and the adapters that they choose."""

from __future__ import annotations

import argparse
import importlib.util
import time
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
    """A room of somebody else, as its user calls it, and how each bot gets its place there.

    Where there is room ``for_one`` only, two bots would put each other out.
    """

    room: str
    make: Callable[[], RoomAdapter]
    for_one: bool = False


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
    livekit = parser.add_argument_group(
        "a room of a LiveKit server (pip install voicepeer[livekit])"
    )
    livekit.add_argument("--livekit", metavar="URL", help="such as wss://example.livekit.cloud")
    livekit.add_argument(
        "--livekit-token",
        metavar="JWT",
        help=f"for one bot and its room; better in ${config.ENV_LIVEKIT_TOKEN}. Without one they "
        f"are made for --room with ${config.ENV_LIVEKIT_KEY} and ${config.ENV_LIVEKIT_SECRET}",
    )
    whip = parser.add_argument_group("any other media server that takes WHIP (RFC 9725)")
    whip.add_argument("--whip", metavar="URL", help="its endpoint, where one bot publishes")
    whip.add_argument(
        "--whip-token",
        metavar="TOKEN",
        help=f"what the endpoint asks for; better in ${config.ENV_WHIP_TOKEN}",
    )


def chosen(arguments: argparse.Namespace) -> Elsewhere | None:
    """The room of somebody else that is asked for, if one is.

    Raises:
        ConfigInvalid: something of it is missing, or means nothing without it.
    """
    kinds = [kind for kind in _KINDS if getattr(arguments, kind) is not None]
    if len(kinds) > 1:
        raise ConfigInvalid(f"--{kinds[0]} and --{kinds[1]} are two rooms: a bot is in one")
    for kind, (options, _) in _KINDS.items():
        for name in options:
            if kind not in kinds and getattr(arguments, name) is not None:
                raise ConfigInvalid(f"--{name.replace('_', '-')} is for --{kind}")
    return _KINDS[kinds[0]][1](arguments) if kinds else None


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


def _whip(arguments: argparse.Namespace) -> Elsewhere:
    from voicepeer.core.whip import WhipFailed, endpoint

    if arguments.room is not None:
        raise ConfigInvalid("--whip takes no --room: it is in the URL")
    try:
        endpoint(arguments.whip)
    except WhipFailed as error:
        raise ConfigInvalid(str(error)) from error

    def make() -> RoomAdapter:
        from voicepeer.adapters.whip import WhipRoom

        token = arguments.whip_token or config.secret(config.ENV_WHIP_TOKEN)
        return WhipRoom(arguments.whip, token)

    return Elsewhere(arguments.whip, make, for_one=True)


def _livekit(arguments: argparse.Namespace) -> Elsewhere:
    if not arguments.livekit.startswith(("ws://", "wss://", "http://", "https://")):
        raise ConfigInvalid("--livekit begins with wss:// or ws://")
    # Others of LiveKit's packages are in the same namespace.
    if not all(importlib.util.find_spec(name) for name in ("livekit", "livekit.rtc")):
        raise ConfigInvalid("--livekit takes LiveKit's SDK: pip install 'voicepeer[livekit]'")
    token = arguments.livekit_token or config.secret(config.ENV_LIVEKIT_TOKEN)
    if token is not None:
        return _livekit_by_token(arguments, token)
    key, secret = config.secret(config.ENV_LIVEKIT_KEY), config.secret(config.ENV_LIVEKIT_SECRET)
    if key is None or secret is None:
        raise ConfigInvalid(
            f"--livekit takes a token in ${config.ENV_LIVEKIT_TOKEN}, or what makes tokens in "
            f"${config.ENV_LIVEKIT_KEY} and ${config.ENV_LIVEKIT_SECRET}"
        )
    if arguments.room is None:
        raise ConfigInvalid("--livekit takes --room unless it is given a token")

    def make() -> RoomAdapter:
        from voicepeer.adapters.livekit import LiveKitKey, LiveKitRoom

        return LiveKitRoom(arguments.livekit, LiveKitKey(key, secret, arguments.room))

    return Elsewhere(arguments.room, make)


def _livekit_by_token(arguments: argparse.Namespace, token: str) -> Elsewhere:
    from voicepeer.core.livekit import TokenUnusable, look_at

    try:
        room = look_at(token, time.time(), arguments.room).room
    except TokenUnusable as error:
        raise ConfigInvalid(str(error)) from error

    def make() -> RoomAdapter:
        from voicepeer.adapters.livekit import LiveKitRoom

        return LiveKitRoom(arguments.livekit, token)

    return Elsewhere(room, make, for_one=True)


_KINDS: Final[dict[str, tuple[tuple[str, ...], Callable[[argparse.Namespace], Elsewhere]]]] = {
    "janus": (("plugin", "pin", "janus_token", "janus_secret"), _janus),
    "livekit": (("livekit_token",), _livekit),
    "whip": (("whip_token",), _whip),
}
"""Options that mean nothing without the one that the kind is named after, and what reads them."""
