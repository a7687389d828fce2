"""A WHIP endpoint of somebody else (RFC 9725), which can be told to behave in odd ways."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from aiohttp import web
from multidict import CIMultiDict

from tests.peers.ears import Ears
from voicepeer import rtc

SDP = "application/sdp"


@dataclass(frozen=True, slots=True)
class Asked:
    """One request."""

    method: str
    path: str
    token: str | None
    kind: str
    body: str


Odd: TypeAlias = Callable[[Asked], web.Response]


@dataclass
class Endpoint:
    """Takes offers below ``/whip``; each session is a resource below ``/sessions``."""

    odd: list[Odd] = field(default_factory=list)
    """What the next offers are answered with instead of a session."""
    links: tuple[str, ...] = ()
    links_early: bool = False
    """Whether they are told before the offer as well."""
    location: str | None = "../sessions/{number}"
    edit: Callable[[str], str] = lambda sdp: sdp
    """What is done to each answer."""
    asked: list[Asked] = field(default_factory=list)
    ears: dict[str, Ears] = field(default_factory=dict)
    """By the path of their session."""
    url: str = ""
    origin: str = ""

    def of(self, method: str) -> list[Asked]:
        """Requests with a method so far."""
        return [one for one in self.asked if one.method == method]

    async def handle(self, request: web.Request) -> web.Response:
        """Any request."""
        asked = Asked(
            request.method,
            request.path_qs,
            request.headers.get("Authorization"),
            request.content_type,
            await request.text(),
        )
        self.asked.append(asked)
        match request.method:
            case "POST":
                return self.odd.pop(0)(asked) if self.odd else await self._open(asked)
            case "DELETE" if asked.path in self.ears:
                await self.ears[asked.path].close()
                return web.Response()
            case "OPTIONS":
                return web.Response(headers=self._links() if self.links_early else None)
            case _:
                return web.Response(status=404)

    async def _open(self, asked: Asked) -> web.Response:
        ears = Ears()
        self.ears[f"/sessions/{len(self.ears)}"] = ears
        answer = self.edit(await ears.answer(asked.body))
        headers = self._links()
        if self.location is not None:
            headers["Location"] = self.location.format(number=len(self.ears) - 1)
        return web.Response(status=201, text=answer, content_type=SDP, headers=headers)

    def _links(self) -> CIMultiDict[str]:
        return CIMultiDict([("Link", link) for link in self.links])


def refusing(status: int, text: str = "", **headers: str) -> Odd:
    """An answer that is no session."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda asked: web.Response(status=status, text=text, headers=named)


@asynccontextmanager
async def whip_endpoint(endpoint: Endpoint | None = None) -> AsyncIterator[Endpoint]:
    """An endpoint that listens at ``url``."""
    rtc.install_patches()
    endpoint = endpoint or Endpoint()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", endpoint.handle)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        endpoint.origin = f"http://127.0.0.1:{runner.addresses[0][1]}"
        endpoint.url = f"{endpoint.origin}/whip/stage"
        yield endpoint
    finally:
        for ears in endpoint.ears.values():
            await ears.close()
        await runner.cleanup()
