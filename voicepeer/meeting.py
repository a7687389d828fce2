"""Calls that name no room, where a service is more than one process: they meet nobody there."""

from __future__ import annotations

from dataclasses import replace

from signaling.principal import DEFAULT_ROOM
from signaling.sessions import SessionRefused, SessionRequest


def apart(request: SessionRequest) -> SessionRequest:
    """The request as it is opened where whoever names no room may be in any process.

    All of them in one room would have to be in one process, too.

    Raises:
        SessionRefused: ``not_acceptable`` for whoever wants to listen to others there.
    """
    if request.room != DEFAULT_ROOM:
        return request
    if request.purpose == "listen":
        raise SessionRefused(
            "not_acceptable",
            "this service has several processes, over which those are spread who name no room: "
            "name one to listen to, and have it named by whoever speaks",
        )
    return replace(request, meets_others=False)
