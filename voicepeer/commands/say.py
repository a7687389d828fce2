"""``voicepeer say``: a voice and a text in, a WAV file out."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from voicepeer import console
from voicepeer.commands.input import lines_of
from voicepeer.commands.options import (
    Commands,
    add_command,
    add_database,
    add_engine,
    add_json,
    config_from,
)
from voicepeer.core.errors import ConfigInvalid

if TYPE_CHECKING:
    from voicepeer.core.speaking.lexicon import Lexicon
    from voicepeer.core.speaking.order import Order


def configure(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "say",
        "say a text in a saved or stock voice and write it to a WAV file",
        "voicepeer say --voice Ada --out hello.wav 'Hello, this is my voice.'",
    )
    parser.add_argument("text", help="what to say; '-' reads it from standard input")
    parser.add_argument("--voice", help="id, name, voice file or stock voice (one of the language)")
    parser.add_argument("--out", type=Path, default=Path("out.wav"), help="file (out.wav)")
    parser.add_argument("--language", help="such as en-us or fr, or auto")
    parser.add_argument("--speed", type=float, help="1 is normal")
    parser.add_argument("--pitch", type=float, help="semitones up or down")
    parser.add_argument("--energy", type=float, help="1 is normal")
    parser.add_argument("--volume", type=float, help="factor on the level, 0 to 2")
    parser.add_argument("--pauses", type=float, help="factor on the pauses, 0 to 5")
    parser.add_argument("--emotion", help="happy, sad, angry, … or neutral")
    parser.add_argument("--strength", type=float, help="of the emotion, 0 to 1 (1)")
    parser.add_argument("--like", type=Path, metavar="CLIP", help="emotion of a recording")
    parser.add_argument("--ssml", action="store_true", help="the text is SSML")
    parser.add_argument("--lexicon", type=Path, metavar="FILE", help="lines of: word TAB spelling")
    parser.add_argument("--captions", type=Path, metavar="FILE", help="also write a WebVTT file")
    add_engine(parser)
    add_database(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Speak and write."""
    settings = config_from(arguments, quiet=True)
    text = sys.stdin.read() if arguments.text == "-" else arguments.text

    from voicepeer.commands import models
    from voicepeer.commands.output import save_captions, save_speech
    from voicepeer.core.errors import TextRejected
    from voicepeer.offline import default_voice, find_voice, speak
    from voicepeer.stores import open_stores

    engine = models.load_speech(settings)
    order = order_from(arguments)
    key = arguments.voice or default_voice(text, order.language, engine)
    voice = find_voice(key, engine, open_stores(settings).voices, time.time())
    spoken = speak(text, voice, engine, order)
    if spoken.rtf is None or spoken.first_chunk_ms is None:
        raise TextRejected("there is nothing to say in this text: no letters and no digits")
    save_speech(arguments.out, spoken.pcm, spoken.rate_hz)
    if arguments.captions:
        save_captions(arguments.captions, text, spoken.words, arguments.ssml)
    if arguments.json:
        console.result_json(
            {
                "file": str(arguments.out),
                "engine": engine.info.name,
                "rate_hz": spoken.rate_hz,
                "audio_ms": round(spoken.audio_ms, 1),
                "first_chunk_ms": round(spoken.first_chunk_ms, 1),
                "rtf": round(spoken.rtf, 4),
            }
        )
    else:
        console.note(
            f"wrote {arguments.out}: {spoken.audio_ms / 1000:.1f} s, "
            f"made in {spoken.rtf:.2f} of that time"
        )
    return 0


def order_from(arguments: argparse.Namespace) -> Order:
    """How the text is to be spoken.

    Raises:
        TextRejected: the lexicon has an entry that cannot be.
        AudioRejected: the clip to be like cannot be read, or holds too little speech.
        ConfigInvalid: the lexicon cannot be read.
    """
    from voicepeer.core.speaking.delivery import Delivery
    from voicepeer.core.speaking.order import DEFAULT_LANGUAGE, Order

    recipe = None
    if arguments.like:
        from voicepeer.expression import recipe_of_file

        recipe = recipe_of_file(arguments.like)
    delivery = Delivery(
        speed=arguments.speed,
        pitch_semitones=arguments.pitch,
        energy=arguments.energy,
        volume=arguments.volume,
        pauses=arguments.pauses,
        emotion=arguments.emotion,
        emotion_strength=arguments.strength,
        recipe=recipe,
    )
    return Order(
        language=arguments.language or DEFAULT_LANGUAGE,
        delivery=delivery,
        lexicon=read_lexicon(arguments.lexicon),
        ssml=arguments.ssml,
    )


def read_lexicon(path: Path | None) -> Lexicon:
    """A lexicon from lines of a word, a tab and what is said for it; ``#`` begins a comment.

    Raises:
        ConfigInvalid: the file cannot be read, or a line has no tab.
        TextRejected: see ``Lexicon.read``.
    """
    from voicepeer.core.speaking.lexicon import Lexicon

    if path is None:
        return Lexicon()
    words = {}
    for number, line in enumerate(lines_of(path, "the lexicon"), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        word, tab, said = line.partition("\t")
        if not tab:
            raise ConfigInvalid(f"line {number} of {path} has no tab between word and spelling")
        words[word] = said
    return Lexicon.read(words)
