"""Options that several commands share, and the configuration they lead to."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, TypeAlias

from signaling.principal import ANONYMOUS_KEY
from voicepeer import config, logs
from voicepeer.config import Config
from voicepeer.core.errors import ConfigInvalid
from voicepeer.core.naming import MAX_NAME_CHARS, is_name

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

_PREFIX = "setting:"


class Example(argparse.RawDescriptionHelpFormatter):
    """Keeps the line breaks of examples."""


def add_command(commands: Commands, name: str, help_text: str, example: str) -> Any:  # noqa: ANN401
    """A command with the options that every command has."""
    parser = commands.add_parser(
        name,
        help=help_text,
        description=f"{help_text[0].upper()}{help_text[1:]}.",
        epilog=f"example:\n  {example}",
        formatter_class=Example,
    )
    add_common(parser)
    return parser


def add_common(parser: argparse.ArgumentParser) -> None:
    """Options of every command."""
    group = parser.add_argument_group("options of every command")
    add_settings(group)
    group.add_argument("--debug", action="store_true", help="show tracebacks and debug logs")


def add_settings(group: argparse._ActionsContainer) -> None:
    """Where settings come from that have no flag of their own."""
    group.add_argument("--config", metavar="FILE", type=Path, help="read settings from this TOML")
    group.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="any setting by its dotted name, such as engine.threads=1; may be repeated",
    )


def add_setting(
    parser: argparse.ArgumentParser, flag: str, setting: str, help_text: str, metavar: str
) -> None:
    """A flag of its own for one setting."""
    assert setting in config.TYPES
    parser.add_argument(flag, dest=_PREFIX + setting, metavar=metavar, help=help_text)


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Which speech engine, and on what it runs."""
    add_setting(parser, "--engine", "engine.speech", "speech engine (kokoro)", "NAME")
    add_setting(parser, "--provider", "engine.provider", "auto, cpu, openvino, cuda, …", "NAME")
    add_setting(parser, "--precision", "engine.precision", "auto, fp32, bf16, int8, …", "NAME")


def add_database(parser: argparse.ArgumentParser) -> None:
    """Where saved voices are."""
    add_setting(parser, "--database", "voices.database", "file of saved voices", "FILE")


def add_owner(parser: argparse.ArgumentParser) -> None:
    """Whose a new voice is."""
    parser.add_argument(
        "--owner",
        metavar="KEY",
        default=ANONYMOUS_KEY,
        help="name of the API key whose voice it is, where a service has keys",
    )


def a_name(text: str) -> str:
    """What may be the name of a voice or a speaker, for ``type`` of an argument.

    Raises:
        argparse.ArgumentTypeError: empty, too long, or not printable.
    """
    if not text.strip() or not is_name(text.strip()):
        raise argparse.ArgumentTypeError(
            f"a name has 1 to {MAX_NAME_CHARS} characters that can be printed"
        )
    return text.strip()


def add_json(parser: argparse.ArgumentParser) -> None:
    """Results for programs."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def finish_stored(parser: argparse.ArgumentParser, run: Any) -> None:  # noqa: ANN401 - a function
    """What all commands on saved voices end with; ``run`` does one of them."""
    add_database(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def _flags(arguments: argparse.Namespace) -> dict[str, str]:
    """Settings given on the command line, those of ``--set`` over the ones with own flags.

    Raises:
        ConfigInvalid: ``--set`` without a value.
    """
    flags = {
        name.removeprefix(_PREFIX): str(value)
        for name, value in vars(arguments).items()
        if name.startswith(_PREFIX) and value is not None
    }
    for pair in arguments.set:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ConfigInvalid(f"--set takes NAME=VALUE, not {name!r}")
        flags[name.strip()] = value
    return flags


def settings_as_arguments(arguments: argparse.Namespace) -> list[str]:
    """Options that give another command of ours the same settings."""
    given = [f"--set={name}={value}" for name, value in _flags(arguments).items()]
    if arguments.config:
        given += ["--config", str(arguments.config)]
    return given + (["--debug"] if arguments.debug else [])


def config_from(arguments: argparse.Namespace, quiet: bool = False) -> Config:
    """The configuration with the command's flags over it; sets up logging by it.

    ``quiet`` leaves only warnings in the log unless a source asks for more, for commands whose
    user is a person.

    Raises:
        ConfigInvalid: see ``voicepeer.config.load``.
    """
    flags = _flags(arguments)
    if arguments.debug:
        flags["log.level"] = "debug"
    defaults = {"log.level": "warning"} if quiet else {}
    loaded = config.load(flags, file=arguments.config, defaults=defaults)
    logs.configure(loaded.log)
    return loaded
