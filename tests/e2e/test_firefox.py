"""A real headless Firefox calls a real service, in OpenAI's words and nothing of ours."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.e2e.service import serve

PROGRAMS = ("firefox-esr", "firefox")
FIREFOX = next(filter(None, map(shutil.which, PROGRAMS)), "")

pytestmark = [pytest.mark.e2e, pytest.mark.needs(*PROGRAMS)]

REPORT_TIMEOUT_S = 60.0

PREFERENCES = {
    "media.navigator.streams.fake": True,
    "media.navigator.permission.disabled": True,
    "media.autoplay.default": 0,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.auto": False,
}

PAGE = """<!doctype html><script>
const until = (target, name) => new Promise((done) => target.addEventListener(name, done));

async function call(service) {
    const peer = new RTCPeerConnection();
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    stream.getTracks().forEach((track) => peer.addTrack(track, stream));
    const channel = peer.createDataChannel("oai-events");
    const events = [];
    const answered = new Promise((done) => channel.addEventListener("message", ({ data }) => {
        events.push(JSON.parse(data).type);
        if (events.at(-1) === "output_audio_buffer.stopped") done();
    }));
    peer.addEventListener("track", ({ track }) => {
        const audio = new Audio();
        audio.srcObject = new MediaStream([track]);
        audio.play();
    });
    await peer.setLocalDescription();
    while (peer.iceGatheringState !== "complete") await until(peer, "icegatheringstatechange");
    const answer = await fetch(`${service}/v1/realtime/calls`, {
        method: "POST",
        headers: { "Content-Type": "application/sdp" },
        body: peer.localDescription.sdp,
    });
    await peer.setRemoteDescription({ type: "answer", sdp: await answer.text() });
    if (channel.readyState !== "open") await until(channel, "open");
    const instructions = "A fox of that colour says a sentence that is long enough.";
    channel.send(JSON.stringify({ type: "response.create", response: { instructions } }));
    await answered;
    const stats = [...(await peer.getStats()).values()];
    const heard = stats.find((one) => one.type === "inbound-rtp" && one.kind === "audio");
    peer.close();
    return { status: answer.status, events, energy: heard.totalAudioEnergy,
        received: heard.packetsReceived, lost: heard.packetsLost };
}

const service = new URLSearchParams(location.search).get("service");
call(service).catch((error) => ({ error: String(error) })).then((report) =>
    fetch("/report", { method: "POST", body: JSON.stringify(report) }));
</script>"""


def _prepare(folder: Path) -> None:
    folder.mkdir()
    preferences = "".join(
        f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
        for name, value in PREFERENCES.items()
    )
    (folder / "user.js").write_text(preferences)


@asynccontextmanager
async def firefox(folder: Path, url: str) -> AsyncIterator[None]:
    """A browser that shows one page."""
    _prepare(folder)
    process = await asyncio.create_subprocess_exec(
        FIREFOX, "--headless", "--no-remote", "--profile", str(folder), url,
        env={**os.environ, "HOME": str(folder)}, start_new_session=True,
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield
    finally:
        # It has many processes, which would outlive the first.
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


@asynccontextmanager
async def page_and_report() -> AsyncIterator[tuple[str, asyncio.Future[dict[str, Any]]]]:
    """Where the page is, and what it will tell."""
    told: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    async def show(_request: web.Request) -> web.Response:
        return web.Response(text=PAGE, content_type="text/html")

    async def take(request: web.Request) -> web.Response:
        told.set_result(await request.json())
        return web.Response()

    app = web.Application()
    app.router.add_get("/", show)
    app.router.add_post("/report", take)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://localhost:{runner.addresses[0][1]}", told
    finally:
        await runner.cleanup()


async def test_firefox_calls_and_hears_what_it_asked_for(tmp_path: Path) -> None:
    async with (
        page_and_report() as (origin, told),
        serve(tmp_path, "--set", f"server.allowed_origins={origin}") as service,
        firefox(tmp_path / "profile", f"{origin}/?service={service.url}"),
    ):
        report = await asyncio.wait_for(told, REPORT_TIMEOUT_S)
    assert report.get("error") is None
    assert report["status"] == 201
    assert report["energy"] > 0.01
    assert report["received"] > 50
    assert report["lost"] == 0
    wanted = ["session.created", "response.created", "output_audio_buffer.started"]
    places = [report["events"].index(name) for name in (*wanted, "response.done")]
    assert places == sorted(places)
