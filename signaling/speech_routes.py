"""``POST /v1/audio/speech``: a text in, a file of speech out while it is being made."""

from __future__ import annotations

import asyncio
import base64
import logging
from collections.abc import AsyncIterator

import msgspec
from aiohttp import HttpVersion11, web

from signaling.audio_answers import AUDIO, answered, as_api_error
from signaling.audio_messages import (
    CONTENT_TYPES,
    SpeechDelta,
    SpeechDone,
    SpeechEvent,
    SpeechRequest,
    SpeechUsage,
)
from signaling.audio_port import Refused, SpokenAudio
from signaling.bodies import read_json
from signaling.connected import ClientGone, while_connected
from signaling.gate import allow, require
from signaling.openapi import BINARY, Answer, ApiErrorBody, Content, json_content, operation
from signaling.places import SPEECHES

logger = logging.getLogger(__name__)

NOTES_HEADER = "VoicePeer-Notes"
WRITE_TIMEOUT_S = 30.0
"""For a client to take the next bytes; one that reads nothing must not keep a stream."""

TOKEN_MS = 50.0
"""How much speech counts as one token."""

_encoder = msgspec.json.Encoder()


@operation(
    "Say a text",
    tag="speech",
    body=json_content(SpeechRequest),
    answers={
        200: Answer(
            "The file, sent while it is made, or with stream_format sse its events",
            (
                *(Content(kind, BINARY) for kind in CONTENT_TYPES.values()),
                Content("text/event-stream", {"type": "string"}),
            ),
            {NOTES_HEADER: "What was not done as it was asked for"},
        )
    },
    errors=(400, 404, 408, 409, 413, 415, 500, 503),
)
async def create_speech(request: web.Request) -> web.StreamResponse:
    """Speech in any voice, as OpenAI's endpoint of the same name gives it.

    The first bytes leave with the first 80 ms of speech. Closing the connection ends the work.
    """
    principal = require(request, "speak")
    asked = await read_json(request, SpeechRequest)
    allow(request, principal, "characters", len(asked.input))
    try:
        return await while_connected(request, _speak(request, asked))
    except ClientGone:
        logger.info("a client has gone before all was said")
        return web.Response(status=499, reason="Client Closed Request")


async def _speak(request: web.Request, asked: SpeechRequest) -> web.StreamResponse:
    principal = require(request, "speak")
    with request.app[SPEECHES].place(principal):
        audio = await answered(request.app[AUDIO].speak(principal, asked))
        try:
            # What numbers and signs are in words is known only now.
            allow(request, principal, "characters", audio.extra_chars)
            return await _answer(request, asked, audio)
        finally:
            await audio.aclose()


async def _answer(
    request: web.Request, asked: SpeechRequest, audio: SpokenAudio
) -> web.StreamResponse:
    sse = asked.stream_format == "sse"
    pieces = _events(asked, audio) if sse else aiter(audio)
    try:
        first = await anext(pieces, b"")
    except Refused as refused:
        raise as_api_error(refused) from refused
    response = _head(request, asked, audio)
    await response.prepare(request)
    try:
        await _write(response, first)
        async for piece in pieces:
            await _write(response, piece)
        await response.write_eof()
    except (Refused, TimeoutError) as error:
        # The status has been sent: an unfinished body is what is left to tell.
        logger.warning("speech ended early: %s", type(error).__name__)
        if request.transport is not None:
            request.transport.close()
    return response


def _head(request: web.Request, asked: SpeechRequest, audio: SpokenAudio) -> web.StreamResponse:
    sse = asked.stream_format == "sse"
    response = web.StreamResponse()
    response.content_type = "text/event-stream" if sse else CONTENT_TYPES[asked.response_format]
    response.headers["Cache-Control"] = "no-store"
    if audio.notes:
        response.headers[NOTES_HEADER] = "; ".join(audio.notes)
    if request.version >= HttpVersion11:
        response.enable_chunked_encoding()  # or else the end of the connection is that of the file
    return response


async def _write(response: web.StreamResponse, piece: bytes) -> None:
    async with asyncio.timeout(WRITE_TIMEOUT_S):
        await response.write(piece)


async def _events(asked: SpeechRequest, audio: SpokenAudio) -> AsyncIterator[bytes]:
    """Server-sent events (WHATWG HTML section 9.2) of a file; what fails is told as one, too."""
    begun = False
    try:
        async for piece in audio:
            begun = True
            yield _event(SpeechDelta(audio=base64.b64encode(piece).decode()))
    except Refused as refused:
        if not begun:
            raise
        body = as_api_error(refused).text or ""
        yield b"data: " + _failed(body) + b"\n\n"
        return
    spoken = round(audio.audio_ms / TOKEN_MS)
    written = len(asked.input)
    usage = SpeechUsage(input_tokens=written, output_tokens=spoken, total_tokens=written + spoken)
    yield _event(SpeechDone(usage=usage))


def _event(event: SpeechEvent) -> bytes:
    return b"data: " + _encoder.encode(event) + b"\n\n"


def _failed(body: str) -> bytes:
    error = msgspec.json.decode(body, type=ApiErrorBody)
    return _encoder.encode({"type": "error", "error": error.error})
