"""A WHIP and a WHEP client of others, unchanged, in a real browser against a real service."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer
from playwright.async_api import Page

from tests.clips import clip
from tests.e2e.chromium import PROGRAMS, until, untouched_page
from tests.e2e.service import serve
from tests.node import run_program
from tests.voicepeer.test_http_calls import CALLS, SDP, Peer
from voicepeer import rtc
from voicepeer.audio import write_wav
from voicepeer.core.messages import Done, Speak

KEY = "a-key-of-these-tests-only"

pytestmark = [pytest.mark.e2e, pytest.mark.needs(*PROGRAMS)]

AUTH = {"Authorization": f"Bearer {KEY}"}

PUBLISH = """
(async () => {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    const endpoint = new URL(%r, %r).toString();
    window.whip = new WHIPClient({ endpoint, opts: { authkey: %r, iceServers: [] } });
    await whip.ingest(stream);
    return (await whip.getResourceUrl()).split("/").pop();
})()
"""

CALL_BESIDES_VIDEO = """
(async () => {
    const peer = new RTCPeerConnection({ bundlePolicy: "max-bundle" });
    const sendEncodings = [{ rid: "h" }, { rid: "l", scaleResolutionDownBy: 4 }];
    peer.addTransceiver("video", { direction: "sendonly", sendEncodings });
    peer.addTransceiver("audio");
    const channel = peer.createDataChannel("rtvi");
    const opened = new Promise((done) => channel.onopen = () => done(channel.readyState));
    await peer.setLocalDescription();
    const headers = { "Content-Type": "application/sdp", Authorization: "Bearer %(key)s" };
    const body = peer.localDescription.sdp;
    const answer = await fetch("%(path)s", { method: "POST", headers, body });
    await peer.setRemoteDescription({ type: "answer", sdp: await answer.text() });
    const late = new Promise((done) => setTimeout(done, 9000, "late"));
    const state = await Promise.race([opened, late]);
    peer.close();
    return state;
})()
"""
"""Video with two layers comes first, so that the section whose transport all share is rejected."""

LISTEN = """
(async () => {
    const video = document.createElement("video");
    video.autoplay = true;
    document.body.append(video);
    window.player = new WebRTCPlayer({ video, type: "whep", iceServers: [] });
    await player.load(new URL(%r, %r), "Bearer %s");
})()
"""

ENERGY = """
player.peer.getStats().then((stats) => [...stats.values()]
    .filter((one) => one.type === "inbound-rtp" && one.kind === "audio")
    .reduce((sum, one) => sum + (one.totalAudioEnergy ?? 0), 0))
"""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Both clients as one script."""
    path = tmp_path_factory.mktemp("js") / "whip_whep.js"
    run_program("esbuild", "whip_whep.js", "--bundle", "--log-level=error", f"--outfile={path}")
    return path.read_text()


async def test_a_publisher_becomes_a_voice_that_a_listener_hears(
    tmp_path: Path, bundle: str
) -> None:
    microphone = tmp_path / "mic.wav"
    write_wav(microphone, clip("en_jennifer", 48_000), 48_000)
    async with AsyncExitStack() as stack:
        origin = await stack.enter_async_context(_other_origin())
        flags = ("--set", f"server.api_keys={KEY}", "--set", f"server.allowed_origins={origin}")
        service = await stack.enter_async_context(serve(tmp_path, *flags))
        page = await stack.enter_async_context(untouched_page(microphone))
        http = await stack.enter_async_context(ClientSession(service.url, headers=AUTH))
        await page.goto(service.url)
        await _ready(page, http)
        voice_id = await _publish(page, service.url, bundle)

        await page.goto(origin)
        await page.evaluate(bundle)
        await page.evaluate(LISTEN % ("whep/hall", service.url, KEY))
        await until(page, "player.peer.connectionState === 'connected'", 20)
        before = await page.evaluate(ENERGY)
        await _say(http, "The listener hears this.", voice_id)
        await until(page, f"{ENERGY}.then((energy) => energy > {before} + 0.001)", 10)
        await page.evaluate("player.unload()")
        assert (await (await http.get("/readyz")).json())["sessions"] == 0


async def _publish(page: Page, url: str, bundle: str) -> str:
    """Publish until the speaker's voice is there; its id."""
    await page.evaluate(bundle)
    path = "whip/hall?consent=The+speaker+agrees.&name=Jennifer"
    call_id = await page.evaluate(PUBLISH % (path, url, KEY))
    await until(page, "whip.peer.connectionState === 'connected'", 20)
    call = f"fetch('{CALLS}/{call_id}', {{ headers: {AUTH} }}).then((answer) => answer.json())"
    await until(page, f"{call}.then((call) => call.voice_id !== null)", 30)
    voice_id = await page.evaluate(f"{call}.then((call) => call.voice_id)")
    await page.evaluate("whip.destroy()")
    assert await page.evaluate(CALL_BESIDES_VIDEO % {"path": CALLS, "key": KEY}) == "open"
    await until(page, "fetch('readyz').then((r) => r.json()).then((s) => s.sessions === 0)", 10)
    return str(voice_id)


@asynccontextmanager
async def _other_origin() -> AsyncIterator[str]:
    """An empty page of somebody else; its origin."""

    async def show(_request: web.Request) -> web.Response:
        return web.Response(text="<body></body>", content_type="text/html")

    app = web.Application()
    app.router.add_get("/", show)
    async with TestServer(app) as server:
        yield str(server.make_url("")).rstrip("/")


async def _ready(page: Page, http: ClientSession) -> None:
    """Wait until the models are loaded."""
    for _ in range(200):
        if (await http.get("/readyz")).status == 200:
            return
        await until(page, "true")
    raise AssertionError("the service never became ready")


async def _say(http: ClientSession, text: str, voice_id: str) -> None:
    """Say a text as a bot in the room that neither hears nor is heard itself."""
    rtc.install_patches()
    bot = Peer(direction=None)
    try:
        offer = await bot.offer()
        answer = await http.post(f"{CALLS}?room=hall", data=offer, headers=SDP)
        await bot.accept(await answer.text())
        bot.send(Speak(utterance_id="u", text=text, voice_id=voice_id))
        await bot.wait_for(Done)
    finally:
        await bot.close()
