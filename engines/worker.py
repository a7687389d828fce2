"""The process that runs models: ``python -m engines.worker FD LEVEL``, started by the host.

A thread reads what the host says and ends the process as soon as the host is gone, however long
the models take over what they are doing.
"""

from __future__ import annotations

import faulthandler
import functools
import gc
import logging
import os
import socket
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from typing import NoReturn, TypeAlias

import numpy as np

from engines import registry
from engines.api import SpeakerEncoder, SpeechEngine, VoiceActivityModel
from engines.process import frames
from engines.process.frames import FrameBuffer, Load, Loaded, ToWorker
from engines.process.hearing import HearingWorker
from engines.process.huge_pages import collapse_in_thread
from engines.process.lane import Outbox, log_bug
from engines.process.parent import die_with_parent
from engines.process.speaking import SpeakingWorker

Worker: TypeAlias = SpeakingWorker | HearingWorker

_READ_BYTES = 1 << 16


def load_speech(request: Load) -> tuple[SpeechEngine, Loaded]:
    """Load the engine; its factory warms it, as only it knows what that takes."""
    engine = registry.create_speech(request.speech, request.options)
    return engine, Loaded(info=engine.info)


def load_listening(request: Load) -> tuple[SpeakerEncoder, VoiceActivityModel, Loaded]:
    """Load both models and let each hear one window of noise."""
    encoder = registry.create_encoder(request.encoder, request.options)
    vad = registry.create_vad(request.vad, request.options)
    noise = np.random.default_rng(0).normal(0.0, 0.1, encoder.window_samples).astype(np.float32)
    encoder.embed_window(noise)
    vad.score(np.resize(noise, vad.window_samples), vad.memory())
    loaded = Loaded(
        encoder=encoder.name,
        encoder_rate_hz=encoder.sample_rate_hz,
        encoder_window_samples=encoder.window_samples,
        vad_rate_hz=vad.sample_rate_hz,
        vad_window_samples=vad.window_samples,
    )
    return encoder, vad, loaded


def _open(request: Load, outbox: Outbox) -> tuple[Worker, Loaded]:
    if request.role == "speech":
        engine, loaded = load_speech(request)
        create = functools.partial(registry.create_encoder, request.encoder, request.options)
        return SpeakingWorker(engine, create, outbox), loaded
    encoder, vad, loaded = load_listening(request)
    return HearingWorker(encoder, vad, outbox), loaded


def _messages(connection: socket.socket) -> Iterator[ToWorker]:
    """Messages until the host closes the connection or ends."""
    buffer = FrameBuffer()
    while data := connection.recv(_READ_BYTES):
        for body in buffer.push(data):
            yield frames.unpack_to_worker(body)


def _read(messages: Iterator[ToWorker], opened: Future[Worker]) -> None:
    """Hand messages on; the host sends none before the models are loaded."""
    try:
        for message in messages:
            opened.result().receive(message)
    except ConnectionError:
        pass
    except Exception as error:  # the edge of the thread, and so of the process
        log_bug(error)
        os._exit(1)
    # Not sys.exit: the main thread may be minutes deep in a model.
    os._exit(0)


def serve(connection: socket.socket) -> NoReturn:
    """Load what the first message asks for, and work until the host is gone."""
    outbox, messages = Outbox(connection), _messages(connection)
    request = next(messages, None)
    if not isinstance(request, Load):
        os._exit(1)
    os.nice(request.nice)
    opened: Future[Worker] = Future()
    threading.Thread(target=_read, args=(messages, opened), daemon=True).start()
    try:
        worker, loaded = _open(request, outbox)
    except Exception as error:  # the edge of the process
        log_bug(error)
        outbox.send(frames.failure(0, error))
        os._exit(1)
    # What is loaded stays: collections need not look at it, and never stall speech for it.
    gc.collect()
    gc.freeze()
    opened.set_result(worker)
    outbox.send(loaded)
    collapse_in_thread()
    worker.run()


def main(fd: str, level: str) -> NoReturn:
    """Serve the host at the other end of the socket ``fd``; log to stderr, which it reads."""
    die_with_parent()
    faulthandler.enable()
    logging.basicConfig(level=level, format="%(levelname)s %(name)s: %(message)s")
    serve(socket.socket(fileno=int(fd)))


if __name__ == "__main__":
    main(*sys.argv[1:])
