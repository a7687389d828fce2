"""``python -m tests.fuzz TARGET --seconds N --seed S``; exit status 1 with any finding."""

from __future__ import annotations

import argparse
import logging
import sys

from tests.fuzz.run import fuzz, load


def main() -> int:
    """Fuzz the targets named, or all, one after the other."""
    known = load()
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=main.__doc__)
    parser.add_argument("target", nargs="+", choices=["all", *sorted(known)])
    parser.add_argument("--seconds", type=float, default=60.0, help="for each target")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)  # a log of refused inputs would be all that one sees
    names = sorted(known) if "all" in arguments.target else arguments.target
    found = 0
    for name in names:
        result = fuzz(known[name], arguments.seconds, arguments.seed)
        found += len(result.findings)
        sys.stdout.write(f"{name}: {result.inputs} inputs, {len(result.findings)} findings\n")
        for kind, finding in result.findings.items():
            sys.stdout.write(f"--- {kind}\n{finding}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
