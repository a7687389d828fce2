"""``voicepeer demo``: a recorded speaker calls, and hears a text in their own voice."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voicepeer import console
from voicepeer.commands.options import (
    Commands,
    add_command,
    add_engine,
    add_json,
    config_from,
    settings_as_arguments,
)
from voicepeer.core.errors import CannotWrite, ConfigInvalid

if TYPE_CHECKING:
    from voicepeer.config import Config
    from voicepeer.demo import DemoCall
    from voicepeer.judge import Judgement

DEFAULT_TEXT = "Hello! I heard you for five seconds, and now I speak with your voice."

GOALS = {
    "usable_ms": ("from the first speech to a usable voice", "<=", 4_000.0),
    "ready_ms": ("from the first speech to the ready voice", "<=", 7_000.0),
    "clone_ms": ("last needed sample to the ready voice", "<=", 1_000.0),
    "first_audible_ms": ("text sent to first audible sample", "<=", 200.0),
    "first_audio_ms": ("text sent to first sound of any level", "<=", 200.0),
    "rtf": ("time to make the speech by its length", "<=", 0.6),
    "audio_ms": ("length of the speech", ">=", 1.0),
    "similarity": ("GE2E cosine, microphone to returned voice", ">=", 0.70),
    "stock_similarity": ("the same for the nearest stock voice", "", 0.0),
    "dnsmos": ("DNSMOS overall, 1 to 5", ">=", 3.0),
    "underruns": ("times that speech came too late to be sent", "<=", 0.0),
    "frames_lost": ("frames of 20 ms lost on the way", "<=", 0.0),
    "glitches": ("places where sound was missing or made up", "<=", 0.0),
}
"""What each figure is, and the value that it should reach here."""


def configure(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "demo",
        "call a service with a recording for a microphone and hear a text in that voice",
        "voicepeer demo --mic me.wav --text 'Hello, it is me.' --out out.wav",
    )
    parser.add_argument("--mic", type=Path, help="recording of one speaker, 5 s of speech or more")
    parser.add_argument("--text", default=DEFAULT_TEXT, help="what the voice shall say")
    parser.add_argument("--out", type=Path, default=Path("out.wav"), help="file (out.wav)")
    parser.add_argument("--captions", type=Path, metavar="FILE", help="also write a WebVTT file")
    add_engine(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Call, write what came back, and print the figures."""
    import asyncio
    import tempfile

    settings = config_from(arguments, quiet=True)
    _check(arguments.mic, arguments.out)

    from voicepeer import demo
    from voicepeer.commands.output import save_captions, save_speech

    with tempfile.TemporaryDirectory(prefix="voicepeer-demo-") as scratch:
        service_arguments = [
            *settings_as_arguments(arguments),
            *("--database", str(Path(scratch) / "voices.sqlite")),
        ]
        log = console.note if arguments.debug else _ignore
        made = asyncio.run(
            demo.call(arguments.mic, arguments.text, service_arguments, console.note, log)
        )
    save_speech(arguments.out, made.said.pcm, made.said.rate_hz)
    if arguments.captions:
        save_captions(arguments.captions, arguments.text, made.said.words)
    console.note(f"wrote {arguments.out}; judging it …")
    judgement = _judge(settings, made, arguments.text)
    figures = figures_of(made, judgement)
    if arguments.json:
        console.result_json(figures)
    else:
        _print(figures)
    return 0


def _check(mic: Path | None, out: Path) -> None:
    if mic is None or not mic.is_file():
        raise ConfigInvalid(
            f"there is no recording {mic}"
            if mic
            else "a recording is needed for a microphone"
            ": give one with --mic FILE; 'make clips' fetches some, 'make demo' uses one of them"
        )
    if not out.parent.is_dir():
        raise CannotWrite(f"cannot write {out}: there is no folder {out.parent}")


def _ignore(line: str) -> None:
    """Where the service's log goes unless it is asked for."""


def _judge(settings: Config, made: DemoCall, text: str) -> Judgement:
    """Judged only now, so that it takes no time from the call."""
    from engines.resampling import resample
    from voicepeer import config
    from voicepeer.commands import models
    from voicepeer.core.pcm import LISTEN_RATE_HZ
    from voicepeer.judge import judge

    engine = models.load_speech(settings)
    returned = resample(made.said.pcm, made.said.rate_hz, LISTEN_RATE_HZ)
    encoder = models.load_ears(settings).encoder
    chosen = settings.engine.cache_dir
    cache = Path(chosen) if chosen else config.cache_dir()
    with console.Progress() as progress:
        mic = made.mic.at(LISTEN_RATE_HZ)
        return judge(mic, returned, text, engine, encoder, cache, progress)


def figures_of(made: DemoCall, judgement: Judgement) -> dict[str, Any]:
    """The figures under their documented names; what could not be measured has a note."""
    said, learned = made.said, made.learned
    notes = dict(judgement.notes)
    if learned.plays > 1:
        notes["mic"] = f"the recording is short, so it was played {learned.plays} times"
    for name in ("first_audible_ms", "first_audio_ms"):
        if getattr(said, name) is None:
            notes[name] = "nothing audible came back"
    if said.rtf is None:
        notes["rtf"] = "nothing was spoken"
    figures: dict[str, Any] = {
        "engine": made.service.engine,
        "provider": made.service.provider,
        "precision": made.service.precision,
        "voice_id": learned.ready.voice_id,
        "usable_ms": _rounded(learned.usable.elapsed_ms, 1),
        "ready_ms": _rounded(learned.ready.elapsed_ms, 1),
        "clone_ms": _rounded(learned.ready.clone_ms, 1),
        "first_audible_ms": _rounded(said.first_audible_ms, 1),
        "first_audio_ms": _rounded(said.first_audio_ms, 1),
        "rtf": _rounded(said.rtf, 4),
        "audio_ms": _rounded(said.audio_ms, 1),
        "similarity": _rounded(judgement.similarity, 4),
        "stock_similarity": _rounded(judgement.stock_similarity, 4),
        "stock_voice": judgement.stock_name,
        "dnsmos": _rounded(judgement.dnsmos, 3),
        "underruns": said.underruns,
        "frames_lost": said.frames_lost,
        "glitches": made.glitches,
        "load_s": _rounded(made.service.load_s, 2),
        "notes": notes,
    }
    return figures


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _print(figures: dict[str, Any]) -> None:
    how = f"{figures['engine']}, {figures['provider']}, {figures['precision']}"
    console.result(f"voice {figures['voice_id']} ({how})")
    console.table([_row(name, figures) for name in GOALS], ["FIGURE", "VALUE", "GOAL", "", "WHAT"])
    for name, reason in figures["notes"].items():
        console.result(f"note: {name}: {reason}")


def _row(name: str, figures: dict[str, Any]) -> Sequence[str]:
    what, sense, goal = GOALS[name]
    value = figures[name]
    shown = "-" if value is None else f"{value:g}"
    if not sense:
        return [name, shown, "", "", what]
    return [name, shown, f"{sense} {goal:g}", _verdict(value, sense, goal), what]


def _verdict(value: float | None, sense: str, goal: float) -> str:
    if value is None:
        return "?"
    return "ok" if (value <= goal if sense == "<=" else value >= goal) else "MISSED"
