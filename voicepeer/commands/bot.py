"""``voicepeer bot``: somebody in a room who says what it is given."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from voicepeer import config, console
from voicepeer.commands import elsewhere
from voicepeer.commands.input import lines_of
from voicepeer.commands.options import (
    Commands,
    a_name,
    add_command,
    add_database,
    add_engine,
    add_json,
    config_from,
    settings_as_arguments,
)
from voicepeer.core.errors import ConfigInvalid

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from typing import TypeAlias

    from voicepeer.bot import BotNews, Place, Tell
    from voicepeer.commands.elsewhere import Elsewhere
    from voicepeer.text_socket import TextAddress

    Cast: TypeAlias = list[tuple[str, str | None]]
    Act: TypeAlias = Callable[[Place, Cast, Tell], Awaitable[int]]

DEFAULT_NAME = "bot"
DEFAULT_URL = "http://localhost:8080"
DEFAULT_ROOM = "default"
DEFAULT_LISTEN = "127.0.0.1:8765"

_UNREAD_LINES = 16
"""More than that stay in the pipe until what came before has been said."""


def configure(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "bot",
        "join a room, of a running service or of somebody else, and say what it is given",
        "voicepeer bot --url http://localhost:8080 --room hall --voice Ada --text 'Hello, all.'\n"
        "  voicepeer bot --janus ws://localhost:8188 --plugin audiobridge --room 1234 --stdin\n"
        "  voicepeer bot --whip https://media.example/whip/stage --voice Ada --listen-ws",
    )
    parser.add_argument(
        "--url",
        help=f"service ({DEFAULT_URL}; for a room of somebody else one of its own is started)",
    )
    parser.add_argument("--room", help=f"room ({DEFAULT_ROOM})")
    parser.add_argument(
        "--token", help=f"what the service asks for, if it does; better in ${config.ENV_TOKEN}"
    )
    parser.add_argument(
        "--voice",
        action="append",
        default=[],
        help="id or name of a saved voice, or a stock voice; again for another bot",
    )
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        type=a_name,
        help=f"what the others see ({DEFAULT_NAME}); one for each voice",
    )
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument("--text", help="say this and leave")
    given.add_argument("--script", type=Path, metavar="FILE", help="say its lines and leave")
    given.add_argument("--stdin", action="store_true", help="say each line as it comes in")
    given.add_argument(
        "--listen-ws",
        nargs="?",
        const=DEFAULT_LISTEN,
        metavar="HOST:PORT",
        help=f"say what programs send over WebSockets, until it is stopped ({DEFAULT_LISTEN})",
    )
    listen = parser.add_argument_group("who may send text, for --listen-ws")
    listen.add_argument(
        "--listen-token",
        metavar="TOKEN",
        help="what they have to show; needed where others can reach the address; better in "
        f"${config.ENV_LISTEN_TOKEN}",
    )
    listen.add_argument(
        "--listen-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="a page that may, such as https://app.example; may be repeated",
    )
    elsewhere.add_options(parser)
    add_engine(parser)
    add_database(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Speak: 0 when all was said or after SIGTERM, 1 if not all was, 130 after Ctrl-C."""
    import asyncio

    config_from(arguments, quiet=True)
    if arguments.url is not None and not arguments.url.startswith(("http://", "https://")):
        raise ConfigInvalid("--url begins with http:// or https://")
    cast = _cast(arguments.name, arguments.voice)
    away = elsewhere.chosen(arguments)
    if away is not None and away.for_one and len(cast) > 1:
        raise ConfigInvalid("there is a place for one bot there: give one --voice")
    return asyncio.run(_perform(arguments, away, cast, _acting(arguments)))


@asynccontextmanager
async def _place(arguments: argparse.Namespace, away: Elsewhere | None) -> AsyncIterator[Place]:
    """Where the bots go, with the service that makes their speech."""
    from voicepeer.bot import Place
    from voicepeer.child_service import running_service

    token = arguments.token or config.client_token()
    make = None if away is None else away.make
    room = DEFAULT_ROOM if away is not None or arguments.room is None else arguments.room
    if away is None or arguments.url is not None:
        yield Place(arguments.url or DEFAULT_URL, room, token, make)
        return
    log = console.note if arguments.debug else _ignore
    async with running_service(settings_as_arguments(arguments), log) as service:
        yield Place(service.ready.url, room, token, make)


def _ignore(line: str) -> None:
    """Where the log of a service of our own goes unless it is asked for."""


def _cast(names: list[str], voices: list[str]) -> list[tuple[str, str | None]]:
    """Bots by name and voice.

    Raises:
        ConfigInvalid: it is not clear who has which, or two have one name.
    """
    names = names or [DEFAULT_NAME]
    if len(names) != max(len(voices), 1):
        raise ConfigInvalid("give each --voice a --name, in the same order")
    if len({name.casefold() for name in names}) < len(names):
        raise ConfigInvalid("two bots have the same --name: the script could not tell them apart")
    parts: list[str | None] = [*voices]
    return list(zip(names, parts or [None], strict=True))


async def _perform(
    arguments: argparse.Namespace,
    away: Elsewhere | None,
    cast: list[tuple[str, str | None]],
    act: Act,
) -> int:
    """Speak until all is said, or until a signal comes."""
    import asyncio
    import signal

    speaking = asyncio.create_task(_speak(arguments, away, cast, act), name="bots")
    loop = asyncio.get_running_loop()
    received: list[signal.Signals] = []

    def on_signal(number: signal.Signals) -> None:
        received.append(number)
        loop.remove_signal_handler(number)  # the second one ends the process at once
        speaking.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, on_signal, number)
    room = away.room if away is not None else arguments.room or DEFAULT_ROOM
    try:
        refused = await speaking
    except asyncio.CancelledError:
        if not received:
            raise
        _tell_end(room, arguments.json, "stopped")
        return 130 if received[0] is signal.SIGINT else 0
    _tell_end(room, arguments.json, "done")
    return 1 if refused else 0


async def _speak(
    arguments: argparse.Namespace,
    away: Elsewhere | None,
    cast: list[tuple[str, str | None]],
    act: Act,
) -> int:
    """Say what is given; how many lines were refused."""
    async with _place(arguments, away) as place:
        return await act(place, cast, _tell_json if arguments.json else _tell)


def _acting(arguments: argparse.Namespace) -> Act:
    """What the bots do; raises ``ConfigInvalid`` where it is not clear what, or not allowed."""
    if arguments.listen_ws is None:
        if arguments.listen_token is not None or arguments.listen_origin:
            raise ConfigInvalid("--listen-token and --listen-origin are for --listen-ws")
        return _reciting(_lines(arguments))
    from voicepeer.text_socket import TextAddress

    token = arguments.listen_token or config.secret(config.ENV_LISTEN_TOKEN)
    return _listening(TextAddress.at(arguments.listen_ws, token, arguments.listen_origin))


def _reciting(lines: AsyncIterator[str]) -> Act:
    async def recite(place: Place, cast: Cast, tell: Tell) -> int:
        from voicepeer.stage import perform

        return await perform(place, cast, lines, tell)

    return recite


def _listening(address: TextAddress) -> Act:
    async def listen(place: Place, cast: Cast, tell: Tell) -> int:
        from voicepeer.stage import on_stage
        from voicepeer.text_socket import take_text

        return await on_stage(place, cast, tell, lambda bots: take_text(bots, address, tell))

    return listen


def _lines(arguments: argparse.Namespace) -> AsyncIterator[str]:
    """What is to be said.

    Raises:
        ConfigInvalid: the script cannot be read.
    """
    if arguments.stdin:
        return _lines_of_stdin()
    if arguments.script is None:
        # One text, whatever lines it has; what the shell gave that is no UTF-8 is not said.
        text = arguments.text.encode(errors="ignore").decode()
        return _each([" ".join(text.split())])
    return _each(lines_of(arguments.script, "the script"))


async def _each(lines: list[str]) -> AsyncIterator[str]:
    for line in lines:
        yield line


async def _lines_of_stdin() -> AsyncIterator[str]:
    """Lines as they come; a thread reads them, as files have no other way to be waited for."""
    import asyncio
    import concurrent.futures
    import threading

    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[str | None] = asyncio.Queue(_UNREAD_LINES)
    # A file of its own: the lock of sys.stdin could not be taken at exit while this one waits.
    stdin = os.fdopen(os.dup(sys.stdin.fileno()), encoding="utf-8", errors="replace")

    def read() -> None:
        with stdin:
            for line in stdin:
                if not put(line):
                    return
        put(None)

    def put(line: str | None) -> bool:
        try:
            asyncio.run_coroutine_threadsafe(queue.put(line), loop).result()
        except (RuntimeError, concurrent.futures.CancelledError):
            return False  # the loop has ended, and with it whoever would say this
        return True

    threading.Thread(target=read, name="stdin", daemon=True).start()
    while (line := await queue.get()) is not None:
        yield line


def _tell(news: BotNews) -> None:
    from voicepeer.bot import Back, Joined, Listening, Lost, Refused, Said

    match news:
        case Joined(bot):
            console.note(f"{bot} is in the room")
        case Said(bot, line, audio_ms):
            length = "" if audio_ms is None else f" ({audio_ms / 1000:.1f} s)"
            console.note(f"{bot} has said line {line}{length}")
        case Refused(bot, line, "voice_not_ready", _):
            console.note(f"{bot} could not say line {line}: name a voice for it with --voice")
        case Refused(bot, line, _, message):
            console.note(f"{bot} could not say line {line}: {message}")
        case Lost(bot, message):
            console.note(f"{bot} has lost its connection and tries to come back: {message}")
        case Back(bot):
            console.note(f"{bot} is back")
        case Listening(url):
            console.note(f"text is taken at {url}")


def _tell_json(news: BotNews) -> None:
    from dataclasses import asdict

    console.result_json({"event": type(news).__name__.lower(), **asdict(news)})


def _tell_end(room: str, as_json: bool, how: str) -> None:
    if as_json:
        console.result_json({"event": "left", "room": room, "reason": how})
    else:
        console.note(f"left the room {room}")
