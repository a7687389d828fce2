"""``voicepeer doctor``: what is missing, on this machine and around it, and what to do."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from voicepeer import __version__, console
from voicepeer.commands.options import Commands, add_command, add_engine, add_json, config_from
from voicepeer.core.errors import ConfigInvalid


def configure(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "doctor",
        "check packages, models, disks, clock, ports, relays, certificates, and say what to do",
        "voicepeer doctor --certificate https://voicepeer.example.org --json",
    )
    parser.add_argument(
        "--certificate",
        metavar="FILE|URL",
        action="append",
        default=[],
        help="until when this one is good: a PEM file, or https:// and a host; may be repeated",
    )
    add_engine(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print what was found; 1 if something has to be mended."""
    from voicepeer.doctor import examine, explain

    try:
        findings = examine(config_from(arguments, quiet=True), arguments.certificate)
    except ConfigInvalid as error:
        findings = [explain(error)]
    faults = [finding for finding in findings if finding.state == "fault"]
    if arguments.json:
        console.result_json(
            {
                "version": __version__,
                "healthy": not faults,
                "findings": [asdict(finding) for finding in findings],
            }
        )
    else:
        for finding in findings:
            remedy = f" -> {finding.remedy}" if finding.remedy else ""
            console.result(f"{finding.state:5} {finding.topic:9} {finding.what}{remedy}")
        console.note("all in order" if not faults else f"to mend: {len(faults)}")
    return 1 if faults else 0
