"""``voicepeer turn-config``: coturn's configuration for this service, and their shared database."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from voicepeer import console
from voicepeer.commands.options import Commands, add_command, config_from
from voicepeer.core.errors import ConfigInvalid

if TYPE_CHECKING:
    from signaling.ice_servers import IceConfig


def configure(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "turn-config",
        "write coturn's configuration as the settings in [ice] have it",
        "voicepeer turn-config --base coturn/turnserver.conf --out /etc/turnserver.conf",
    )
    parser.add_argument(
        "--base", metavar="FILE", type=Path, help="put this configuration of coturn's before it"
    )
    parser.add_argument(
        "--out", metavar="FILE", type=Path, help="write to this file, for its owner only"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write it to the file, or else print it; makes the database that coturn is to find."""
    from signaling.ice_servers import IceConfigInvalid, loopback_media
    from signaling.turn_conf import turn_conf
    from voicepeer import wiring

    ice = wiring.ice_config(config_from(arguments, quiet=True))
    _check_media_addresses(ice)
    base = arguments.base.read_text() if arguments.base else ""
    try:
        text = turn_conf(ice, base)
        _make_database(ice)
    except IceConfigInvalid as error:
        raise ConfigInvalid(f"{error} (settings in [ice])") from error
    if found := loopback_media(ice):
        console.note(
            f"{', '.join(found)} in ice.media_addresses is for tests only: relays lead to all that "
            "listens there, and coturn takes it with --allow-loopback-peers only"
        )
    if arguments.out is None:
        console.result(text.rstrip("\n"))
    else:
        _write(arguments.out, text)
        console.note(f"coturn's configuration is in {arguments.out}")
    return 0


def _check_media_addresses(ice: IceConfig) -> None:
    if ice.media_addresses:
        return
    from voicepeer import rtc

    found = ",".join(rtc.host_addresses()) or "none that others can reach"
    raise ConfigInvalid(
        "ice.media_addresses must say where media reaches the service, because relays will lead "
        f"nowhere else; the addresses of this machine: {found}"
    )


def _make_database(ice: IceConfig) -> None:
    from signaling.turn_users import TurnUsers

    if ice.turn_database is not None:
        TurnUsers.create(ice.turn_database)


def _write(path: Path, text: str) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
