"""``python -m loadtests figures``: writes the figures of documents from reports of record.

A document has them between ``<!-- figures: NAME -->`` and ``<!-- /figures -->``; whatever stands
there is written anew, and nowhere else.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from loadtests.figures_load import curve, soaked
from loadtests.figures_report import REPORTS, Report, read_reports
from loadtests.figures_scaling import Block, checked, clusters, cost, parts, streams
from loadtests.figures_summary import summary
from loadtests.files import write_text
from loadtests.peers.document import peers
from voicepeer import console
from voicepeer.core.errors import ConfigInvalid

DOCUMENTS: Final = (
    Path("README.md"),
    *(Path("docs", name) for name in ("scaling.md", "peers.md", "loadtests.md")),
)

BLOCKS: Final[Mapping[str, Block]] = MappingProxyType(
    {
        "summary": summary,
        "parts": parts,
        "cost": cost,
        "streams": streams,
        "check": checked,
        "clusters": clusters,
        "peers": peers,
        "curve": curve,
        "soak": soaked,
    }
)

_BLOCK = re.compile(
    r"(<!-- figures: (?P<name>\w+) -->\n)(?:(?!<!-- /?figures).)*(<!-- /figures -->)", re.S
)
_MARK = re.compile(r"<!-- */?figures")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.add_argument(
        "--reports", type=Path, default=REPORTS, metavar="DIR", help="of record (%(default)s)"
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail where documents say otherwise"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the documents, or look whether they are as they would be written."""
    reports = read_reports(arguments.reports)
    pages = {path: _read(path) for path in DOCUMENTS}
    wanted = {path: rewritten(page, reports) for path, page in pages.items()}
    changed = [path for path in DOCUMENTS if wanted[path] != pages[path]]
    for path in changed:
        if not arguments.check:
            write_text(path, wanted[path])
        console.note(f"{path} {'is not what the reports say' if arguments.check else 'written'}")
    if arguments.check and changed:
        console.note("run `python -m loadtests figures`")
        return 1
    return 0


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        here = "is this the project's root?"
        raise ConfigInvalid(f"cannot read {path}: {error.strerror}; {here}") from error
    except UnicodeDecodeError as error:
        raise ConfigInvalid(f"{path} is no text in UTF-8") from error


def rewritten(text: str, reports: Mapping[str, Report]) -> str:
    """A document with its figures as these reports have them.

    Raises:
        ConfigInvalid: a block is not known here, or there is none, or its marks are not in pairs,
            or a report lacks its figures.
    """

    def block(found: re.Match[str]) -> str:
        name = found["name"]
        if name not in BLOCKS:
            raise ConfigInvalid(f"there are no figures {name!r}: {', '.join(BLOCKS)} are known")
        try:
            return f"{found[1]}{BLOCKS[name](reports)}\n{found[3]}"
        except ConfigInvalid:
            raise
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            told = f"{type(error).__name__}: {error}"
            raise ConfigInvalid(f"a report lacks what {name!r} shows of it ({told})") from error

    written, count = _BLOCK.subn(block, text)
    if not count:
        raise ConfigInvalid("the document has no place for figures: <!-- figures: NAME -->")
    # What stands after a mark without its other one is prose, and nobody's to overwrite.
    if len(_MARK.findall(text)) != 2 * count:
        raise ConfigInvalid(
            "a mark of figures has no other one: <!-- figures: NAME --> and its end"
        )
    return written
