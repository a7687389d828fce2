"""``python -m engines.kokoro.train``: remakes ``engines/kokoro/data`` from what was published.

basis     voice packs of npm kokoro-js -> styles.npz, seconds
norms     what the generator's norms see of each stock voice -> norms.npz, minutes
transposition  how those change with the pitch -> transposition.npz, minutes
generate  speak and embed random voices -> shards, hours; stop and start it as you like
fit       shards, or the shipped samples -> cloning.npz and its report, minutes
identities  speak random voices several times each -> shards for `voicepeer.judge_training`
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import sys
import time
from pathlib import Path

from engines import registry
from engines.kokoro import cloning, transposition, voices
from engines.kokoro.calibration import calibrate, to_array
from engines.kokoro.engine import open_synthesizer
from engines.kokoro.train import fitting, identities, packs
from engines.kokoro.train.generation import SHARD_SAMPLES, Speaker, generate
from engines.kokoro.train.samples import SHIPPED, read_shards

_TRANSPOSED = (
    "af_bella af_nicole am_adam am_fenrir bf_emma bm_lewis ef_dora em_alex jf_gongitsune zm_yunxi"
).split()
"""Women and men of several languages; the others are left to try it on."""


class _Progress:
    """One line a step and ten seconds, with the time that is left."""

    def __init__(self) -> None:
        self._what, self._started_s, self._told_s = "", 0.0, 0.0

    def __call__(self, what: str, share: float) -> None:
        now = time.monotonic()
        if what != self._what:
            self._what, self._started_s, self._told_s = what, now, 0.0
        if now - self._told_s < 10.0 and share < 1.0:
            return
        self._told_s = now
        left_s = (now - self._started_s) * (1.0 - share) / share if share else 0.0
        sys.stderr.write(f"{what}: {share:6.1%}, {left_s / 60:.0f} min left\n")


def main(arguments: list[str] | None = None) -> int:
    """Run one of the steps."""
    options = _parser().parse_args(arguments)
    result = options.step(options)
    sys.stdout.write(json.dumps(result, indent=1) + "\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m engines.kokoro.train",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    steps = parser.add_subparsers(metavar="STEP", required=True)
    basis = steps.add_parser("basis", help="make the style file from voice packs")
    basis.add_argument("--packs", type=Path, required=True, help="folder with the *.bin packs")
    basis.add_argument("--out", type=Path, default=voices.STYLES_FILE)
    basis.set_defaults(step=_basis)
    norms = steps.add_parser("norms", help="measure the norms of the stock voices")
    norms.add_argument("--out", type=Path, default=voices.NORMS_FILE)
    norms.set_defaults(step=_norms)
    shifts = steps.add_parser("transposition", help="measure how norms move with the pitch")
    shifts.add_argument("--voices", nargs="+", default=_TRANSPOSED, help="stock voices")
    shifts.add_argument("--out", type=Path, default=transposition.FILE)
    shifts.set_defaults(step=_transposition)
    speak = steps.add_parser("generate", help="speak and embed random voices")
    speak.add_argument("--shards", type=Path, required=True, help="folder for the samples")
    speak.add_argument("--samples", type=int, default=6000)
    speak.add_argument("--seed", type=int, default=1)
    speak.add_argument("--worker", type=int, default=0, help="which of the processes this is")
    speak.add_argument("--workers", type=int, default=1, help="how many share the work")
    speak.set_defaults(step=_generate)
    people = steps.add_parser("identities", help="speak random voices several times each")
    people.add_argument("--shards", type=Path, required=True, help="folder for the voices")
    people.add_argument("--voices", type=int, default=100)
    people.add_argument("--seed", type=int, default=1)
    people.set_defaults(step=_identities)
    fit = steps.add_parser("fit", help="fit the cloning networks")
    fit.add_argument("--shards", type=Path, default=SHIPPED, help="folder with the samples")
    fit.add_argument("--seed", type=int, default=1)
    fit.add_argument("--out", type=Path, default=cloning.MODEL_FILE)
    fit.add_argument("--report", type=Path, default=fitting.REPORT_FILE)
    fit.set_defaults(step=_fit)
    return parser


def _basis(options: argparse.Namespace) -> dict[str, object]:
    errors = packs.write_styles(options.packs, options.out)
    return {"sha256": _sha256(options.out), "errors": dataclasses.asdict(errors)}


def _norms(options: argparse.Namespace) -> dict[str, object]:
    synth, progress = open_synthesizer({"precision": "fp32"}, _Progress()), _Progress()
    styles, measured = voices.stock_styles(), {}
    for index, (name, style) in enumerate(styles.items()):
        progress("measuring norms", index / len(styles))
        measured[name] = to_array(calibrate(synth, style))
    progress("measuring norms", 1.0)
    options.out.write_bytes(voices.pack_norms(measured))
    return {"sha256": _sha256(options.out), "voices": len(measured)}


def _transposition(options: argparse.Namespace) -> dict[str, object]:
    synth, progress = open_synthesizer({}, _Progress()), _Progress()
    shifts, measured = (0.0, *transposition.SHIFTS_SEMITONES), []
    for index, name in enumerate(options.voices):
        progress("measuring shifts", index / len(options.voices))
        style = voices.stock_styles()[name]
        measured.append({by: calibrate(synth, style, 2.0 ** (by / 12.0)) for by in shifts})
    progress("measuring shifts", 1.0)
    options.out.write_bytes(transposition.pack(transposition.fit(measured)))
    return {"sha256": _sha256(options.out), "voices": len(measured)}


def _generate(options: argparse.Namespace) -> dict[str, object]:
    synth = open_synthesizer({"threads": "1"}, _Progress())
    speaker = Speaker(synth, registry.create_encoder("ge2e", {}))
    shards = range(options.worker, -(-options.samples // SHARD_SAMPLES), options.workers)
    made = generate(speaker, options.shards, options.seed, shards, _Progress())
    return {"shards_made": made}


def _identities(options: argparse.Namespace) -> dict[str, object]:
    synth = open_synthesizer({"threads": "1"}, _Progress())
    options.shards.mkdir(parents=True, exist_ok=True)
    shards = range(-(-options.voices // identities.SHARD_VOICES))
    made = identities.generate(synth, options.shards, options.seed, shards, _Progress())
    return {"shards_made": made}


def _fit(options: argparse.Namespace) -> dict[str, object]:
    report = fitting.fit(read_shards(options.shards), options.out, options.seed, _Progress())
    sha256 = _sha256(options.out)
    options.report.write_text(fitting.report_text(report, sha256, options.seed), encoding="utf-8")
    return {"sha256": sha256, **dataclasses.asdict(report)}


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
