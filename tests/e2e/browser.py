"""A real headless Chromium, driven over its DevTools protocol without further dependencies."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import os
import shutil
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
START_TIMEOUT_S = 30.0
POLL_S = 0.05

_FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--window-size=900,1000",
    "--use-fake-device-for-media-stream",
    "--autoplay-policy=no-user-gesture-required",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-port=0",
    # Without this a page that may not use the microphone has only .local addresses.
    "--disable-features=WebRtcHideLocalIpsWithMdns",
]


class PageFailed(AssertionError):
    """An expression threw in the page, or never became true."""


class Browser:
    """One page of one browser."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self._socket = socket
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._session: str | None = None
        self._reader = asyncio.create_task(self._read())
        self.complaints: list[str] = []
        """What the page wrote to the console as an error, and exceptions nobody caught."""
        self.requests: list[str] = []
        """Addresses that the page asked for."""

    async def attach(self) -> None:
        """Open a page and listen to it."""
        target = await self.command("Target.createTarget", url="about:blank")
        attached = await self.command(
            "Target.attachToTarget", targetId=target["targetId"], flatten=True
        )
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            await self.command(f"{domain}.enable")

    async def command(self, method: str, **params: object) -> dict[str, Any]:
        """Call a DevTools method; raises PageFailed when it is refused."""
        number = next(self._ids)
        future = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        if self._session is not None and not method.startswith(("Target.", "Browser.")):
            message["sessionId"] = self._session
        await self._socket.send_str(json.dumps(message))
        async with asyncio.timeout(START_TIMEOUT_S):
            answer: dict[str, Any] = await future
        if "error" in answer:
            raise PageFailed(f"{method}: {answer['error']['message']}")
        result: dict[str, Any] = answer["result"]
        return result

    async def open(self, url: str) -> None:
        """Load a page."""
        await self.command("Page.navigate", url=url)
        await self.until("document.readyState === 'complete'")

    async def evaluate(self, expression: str) -> Any:  # noqa: ANN401 - any JSON
        """The value of a JavaScript expression; promises are awaited."""
        result = await self.command(
            "Runtime.evaluate",
            expression=expression,
            awaitPromise=True,
            returnByValue=True,
            userGesture=True,
        )
        if "exceptionDetails" in result:
            raise PageFailed(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    async def until(self, expression: str, timeout_s: float = 10.0) -> None:
        """Wait until an expression is true."""
        try:
            async with asyncio.timeout(timeout_s):
                while not await self.evaluate(expression):  # noqa: ASYNC110 - lies in the page
                    await asyncio.sleep(POLL_S)
        except TimeoutError:
            text = await self.evaluate("document.body.innerText")
            raise PageFailed(f"never true: {expression}; the page shows: {text}") from None

    async def text(self, selector: str) -> str:
        """What an element shows."""
        return str(await self.evaluate(f"document.querySelector({selector!r}).textContent"))

    async def click(self, selector: str) -> None:
        """Click an element as a user does."""
        await self.evaluate(f"document.querySelector({selector!r}).click()")

    async def type(self, text: str) -> None:
        """Type into what has the focus."""
        await self.command("Input.insertText", text=text)

    async def press(self, key: str, code: int, ctrl: bool = False) -> None:
        """Press and release a key; ``code`` is its Windows virtual key code."""
        for kind in ("rawKeyDown", "keyUp"):
            await self.command(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                modifiers=2 if ctrl else 0,
            )

    async def screenshot(self, path: Path) -> None:
        """Save what the page looks like as PNG."""
        shot = await self.command("Page.captureScreenshot", format="png")
        await asyncio.to_thread(path.write_bytes, base64.b64decode(shot["data"]))

    async def close(self) -> None:
        """Stop listening."""
        await self._socket.close()
        await self._reader

    async def _read(self) -> None:
        async for message in self._socket:
            if message.type is not WSMsgType.TEXT:
                continue
            event = json.loads(message.data)
            if "id" in event:
                self._waiting.pop(event["id"]).set_result(event)
            else:
                self._note(event["method"], event["params"])

    def _note(self, method: str, params: dict[str, Any]) -> None:
        match method:
            case "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(params["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if params["type"] == "error":
                self.complaints.append(json.dumps(params["args"]))
            case "Log.entryAdded" if params["entry"]["level"] == "error":
                self.complaints.append(json.dumps(params["entry"]))
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
            case "Network.webSocketCreated":
                self.requests.append(params["url"])
            case _:
                return


@asynccontextmanager
async def browser(
    profile: Path, microphone: Path | None = None, *, may_listen: bool = True
) -> AsyncIterator[Browser]:
    """A browser whose microphone plays a 48 kHz WAV file in a loop, or hums without one."""
    flags = [*_FLAGS, f"--user-data-dir={profile}"]
    if may_listen:
        flags.append("--use-fake-ui-for-media-stream")
    else:
        flags.append("--deny-permission-prompts")
    if microphone is not None:
        flags.append(f"--use-file-for-fake-audio-capture={microphone}")
    process = await asyncio.create_subprocess_exec(
        CHROMIUM,
        *flags,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        port, path = await _debugger(profile)
        async with (
            ClientSession() as http,
            http.ws_connect(f"ws://127.0.0.1:{port}{path}", max_msg_size=0) as socket,
        ):
            driven = Browser(socket)
            await driven.attach()
            try:
                yield driven
            finally:
                await driven.close()
    finally:
        # Chromium is ten processes; they share the group that it was started in.
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def _debugger(profile: Path) -> tuple[int, str]:
    """Port and path of the DevTools socket, which Chromium writes into its profile."""
    file = profile / "DevToolsActivePort"
    async with asyncio.timeout(START_TIMEOUT_S):
        while True:
            if file.exists() and len(lines := file.read_text().split()) == 2:
                return int(lines[0]), lines[1]
            await asyncio.sleep(POLL_S)
