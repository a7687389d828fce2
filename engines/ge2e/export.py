r"""Makes the encoder's ONNX file from Resemblyzer's weights; needs ``onnx``, not torch.

    python -m engines.ge2e.export --weights Resemblyzer-0.1.4-py3-none-any.whl \
        --clips FOLDER --out ge2e_int8.onnx

The weights are ``pretrained.pt`` itself, a wheel that holds it, or, without ``--weights``, those of
an installed ``resemblyzer``. The int8 file is written only if its embeddings of the clips agree
with float32; its hash then belongs into ``engines.ge2e.encoder.MODEL_SHA256``.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import logging
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import onnx

from engines.api import EngineError, ModelFilesCorrupt, ModelFilesMissing, Pcm
from engines.ge2e import graph
from engines.ge2e.checkpoint import open_weights, read_tensors
from engines.ge2e.encoder import Ge2eEncoder
from engines.ge2e.mel import SAMPLE_RATE_HZ
from engines.runtime import open_session

log = logging.getLogger(__name__)

WEIGHTS_IN_WHEEL = "resemblyzer/pretrained.pt"
MIN_COSINE = 0.999


def installed_weights() -> Path:
    """``pretrained.pt`` of an installed resemblyzer, found without importing it (or torch).

    Raises:
        ModelFilesMissing: it is not installed.
    """
    spec = importlib.util.find_spec("resemblyzer")
    if spec is None or spec.origin is None:
        raise ModelFilesMissing(
            "no weights: run `pip download --no-deps resemblyzer==0.1.4` and name the wheel "
            "with --weights"
        )
    return Path(spec.origin).parent / "pretrained.pt"


def read_clips(paths: Iterable[Path]) -> Iterable[Pcm]:
    """Mono 16 kHz samples of recordings of any common format, whole."""
    import av

    for path in paths:
        resampler = av.AudioResampler(format="flt", layout="mono", rate=SAMPLE_RATE_HZ)
        with av.open(str(path)) as container:
            frames = [
                piece.to_ndarray()[0]
                for frame in (*container.decode(audio=0), None)
                for piece in resampler.resample(frame)
            ]
        yield np.concatenate(frames)


def cosines(reference: Ge2eEncoder, candidate: Ge2eEncoder, clips: Iterable[Pcm]) -> list[float]:
    """Agreement of two encoders on each clip."""
    return [float(reference.embed(clip) @ candidate.embed(clip)) for clip in clips]


def export(weights: Path, out: Path, clips: Sequence[Path]) -> None:
    """Build, quantize, verify on ``clips`` and only then write ``out``.

    Raises:
        ModelFilesCorrupt: the weights cannot be read, or int8 strays from float32.
    """
    model = graph.build(read_tensors(open_weights(weights, WEIGHTS_IN_WHEEL)))
    with tempfile.TemporaryDirectory(dir=out.parent) as scratch:
        full, small = Path(scratch) / "float32.onnx", Path(scratch) / "int8.onnx"
        onnx.save(model, full)
        graph.quantize(full, small)
        agreement = cosines(
            Ge2eEncoder(open_session(full)), Ge2eEncoder(open_session(small)), read_clips(clips)
        )
        log.info(
            "cosine of int8 to float32 over %d clips: mean %.5f, minimum %.5f",
            len(agreement),
            np.mean(agreement),
            min(agreement),
        )
        if min(agreement) < MIN_COSINE:
            raise ModelFilesCorrupt(f"int8 strays from float32 by more than {MIN_COSINE}")
        digest = hashlib.sha256(small.read_bytes()).hexdigest()
        log.info("%s: %d bytes, sha256 %s", out.name, small.stat().st_size, digest)
        small.replace(out)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 0 on success, 1 with a message otherwise."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parser = argparse.ArgumentParser(prog="python -m engines.ge2e.export")
    parser.add_argument("--weights", type=Path, help="pretrained.pt, or a wheel that holds it")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--clips", type=Path, required=True, help="folder of speech to verify on")
    options = parser.parse_args(arguments)
    try:
        clips = sorted(options.clips.glob("*.wav"))
        if not clips:
            raise EngineError(f"no .wav files in {options.clips}")
        export(options.weights or installed_weights(), options.out, clips)
    except (EngineError, OSError) as error:
        log.error("%s", error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
