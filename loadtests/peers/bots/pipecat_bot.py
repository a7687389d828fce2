"""Pipecat: its SmallWebRTC transport, its Kokoro service, and nothing else in the pipeline.

Made like the bots of its documentation: each call gets a pipeline of its own, with services of its
own.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from pipecat.frames.frames import (
    Frame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    TTSAudioRawFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.services.kokoro.tts import KokoroTTSService
from pipecat.transports.base_transport import TransportParams
from pipecat.transports.smallwebrtc.connection import SmallWebRTCConnection
from pipecat.transports.smallwebrtc.request_handler import (
    SmallWebRTCRequest,
    SmallWebRTCRequestHandler,
)
from pipecat.transports.smallwebrtc.transport import SmallWebRTCTransport
from pipecat.workers.runner import WorkerRunner

from loadtests.peers.bots import harness, web
from loadtests.peers.bots.voice import VOICE, model_files
from loadtests.peers.protocol import BadLine, Cancel, Say, as_command

PATH = "/api/offer"


class TimedKokoro(KokoroTTSService):  # type: ignore[misc] # not installed where this is checked
    """The service as it is, but for telling how long each synthesis took."""

    def __init__(self, folder: Path, teller: harness.Teller) -> None:
        model, voices = model_files(folder)
        settings = KokoroTTSService.Settings(voice=VOICE)
        super().__init__(model_path=model, voices_path=voices, settings=settings)
        self._teller = teller

    async def run_tts(self, text: str, context_id: str) -> AsyncIterator[Frame]:
        """Frames of a sentence."""
        watch = harness.Stopwatch()
        async for frame in watch.timed(super().run_tts(text, context_id), _length_s):
            yield frame
        self._teller.tell(watch.spoken())


def _length_s(frame: Frame) -> float:
    if not isinstance(frame, TTSAudioRawFrame):
        return 0.0
    return float(len(frame.audio) / (2 * frame.num_channels * frame.sample_rate))


async def _run_bot(connection: SmallWebRTCConnection, folder: Path, teller: harness.Teller) -> None:
    transport = SmallWebRTCTransport(
        webrtc_connection=connection,
        params=TransportParams(audio_in_enabled=True, audio_out_enabled=True),
    )
    speech = TimedKokoro(folder, teller)
    worker = PipelineWorker(Pipeline([transport.input(), speech, transport.output()]))

    @transport.event_handler("on_app_message")  # type: ignore[untyped-decorator]
    async def on_app_message(_transport: object, message: object, _sender: str) -> None:
        try:
            command = as_command(message)
        except BadLine:
            return  # something of RTVI
        match command:
            case Say(text):
                # As a language model's answer, so that sentences are said one by one.
                await worker.queue_frames(
                    [LLMFullResponseStartFrame(), LLMTextFrame(text), LLMFullResponseEndFrame()]
                )
            case Cancel():
                await worker.queue_frame(InterruptionFrame())

    @transport.event_handler("on_client_disconnected")  # type: ignore[untyped-decorator]
    async def on_client_disconnected(_transport: object, _client: object) -> None:
        await worker.cancel()

    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    await runner.run()


def _application(folder: Path, teller: harness.Teller) -> FastAPI:
    app, offers, bots = FastAPI(), SmallWebRTCRequestHandler(), set[asyncio.Task[None]]()

    @app.post(PATH)  # type: ignore[untyped-decorator]
    async def offer(body: dict[str, Any]) -> Any:  # noqa: ANN401 - FastAPI reads this
        async def start(connection: SmallWebRTCConnection) -> None:
            task = asyncio.create_task(_run_bot(connection, folder, teller))
            bots.add(task)
            task.add_done_callback(bots.discard)

        request = SmallWebRTCRequest(sdp=body["sdp"], type=body["type"])
        return await offers.handle_web_request(request, start)

    return app


def main() -> None:
    """Take calls until standard input ends; the only argument is the folder with the model."""
    teller = harness.Teller()
    versions = harness.versions_of(["pipecat-ai", "kokoro-onnx", "onnxruntime", "aiortc"])
    asyncio.run(web.serve(_application(Path(sys.argv[1]), teller), PATH, teller, versions))


if __name__ == "__main__":
    main()
