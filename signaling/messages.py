"""The signaling schema: what travels over ``/ws``, one JSON object a message.

A client sends ``join``, then ``offer``; the service answers ``joined``, ``answer``. Candidates
may follow either way. Sizes are bounded before anything is parsed.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from signaling.json_faults import fault_of

MAX_SIGNAL_BYTES = 256 * 1024
"""An offer with hundreds of candidates has about 100 kB."""

MAX_SDP_CHARS = 200_000
MAX_CANDIDATE_CHARS = 2_000
MAX_ERROR_CHARS = 300

Connection: TypeAlias = Literal["call", "room"]
"""A session's own connection, or the second one of a call, by which it hears its room."""


class BadSignal(Exception):
    """A signaling message that cannot be understood; ``code`` goes on the wire."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class _Signal(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """Base of all signaling messages."""


class Join(_Signal, frozen=True, tag="join"):
    """Ask for a session; ``room`` is the one that ``room.join`` is for, and WHEP players hear."""

    room: str = "default"
    name: str = ""
    token: str | None = None
    """Key or token, where the service asks for one."""

    client_id: str | None = None
    """Random and secret; joining again with it ends the client's earlier session in the room."""

    resume: bool = False
    """Take the earlier session over instead, if it lives on (the socket broke, media did not) and
    the token has all rights that it was opened with; or else a new one opens in its place."""

    resume_token: str | None = None
    """Go on in a new session, with a new connection, where the one of this token has ended: with
    its voice, what it had to say and its settings. A token is good once, and not for long."""


class Offer(_Signal, frozen=True, tag="offer"):
    """The client's session description (RFC 8829), of its call or of a second connection.

    The second one, ``room``, hears the others of a room that the call has joined by ``room.join``,
    each in an audio section of its own: it has ``recvonly`` sections only, and the first offer of
    it comes after the one of the call was answered.
    """

    sdp: str
    connection: Connection = "call"


class Candidate(_Signal, frozen=True, tag="candidate"):
    """A trickled ICE candidate (RFC 8838); an empty or absent one ends the candidates."""

    candidate: str | None = None
    sdp_mid: str | None = msgspec.field(name="sdpMid", default=None)
    sdp_mline_index: int | None = msgspec.field(name="sdpMLineIndex", default=None)
    connection: Connection = "call"


class Leave(_Signal, frozen=True, tag="leave"):
    """End the session."""


class Ping(_Signal, frozen=True, tag="ping"):
    """Keeps proxies from closing an idle socket."""


class Joined(_Signal, frozen=True, tag="joined"):
    """The session exists; ``ice_servers`` is in the form RTCPeerConnection takes."""

    session_id: str
    ice_servers: list[dict[str, str | list[str]]]
    resumed: bool = False
    """The earlier session goes on with its connection: no offer is needed."""

    resume_token: str | None = None
    """For another ``join`` when the connection is lost; keep it secret."""

    restored: bool = False
    """This session goes on where the one of the token has ended; an offer is needed."""


class Answer(_Signal, frozen=True, tag="answer"):
    """The service's session description."""

    sdp: str
    connection: Connection = "call"


class Pong(_Signal, frozen=True, tag="pong"):
    """Answer to ``ping``."""


class Bye(_Signal, frozen=True, tag="bye"):
    """The service has ended the session, or another socket has taken it over."""

    reason: str
    """One of a few fixed words, such as ``client_left``, ``shutting_down`` or ``internal``."""


class Redirect(_Signal, frozen=True, tag="redirect"):
    """The room is open at another service of the same operator: join it there, with the same token.

    Comes in place of ``joined``, to whoever has shown a good token; then the socket closes. Clients
    go there only from a service that they trust, never from ``https`` to ``http``, and at most
    three times in a row.
    """

    url: str
    """Where that service is reached; its socket is at ``/ws`` below."""


class Fault(_Signal, frozen=True, tag="error"):
    """A message was refused; the socket stays open unless ``fatal``."""

    code: str
    message: str
    fatal: bool = False


ClientSignal: TypeAlias = Join | Offer | Candidate | Leave | Ping
ServerSignal: TypeAlias = Joined | Answer | Candidate | Pong | Bye | Redirect | Fault

_client_decoder: msgspec.json.Decoder[ClientSignal] = msgspec.json.Decoder(ClientSignal)
_server_decoder: msgspec.json.Decoder[ServerSignal] = msgspec.json.Decoder(ServerSignal)
_encoder = msgspec.json.Encoder()


def encode(signal: ClientSignal | ServerSignal) -> str:
    """JSON text of a signal."""
    return _encoder.encode(signal).decode()


def _misread(error: Exception, raw: bytes) -> BadSignal:
    """What is wrong; a value that is quoted could be as long as the whole message."""
    text = fault_of(error, raw)
    if len(text) > MAX_ERROR_CHARS:
        text = f"{text[: MAX_ERROR_CHARS // 2]}…{text[-MAX_ERROR_CHARS // 2 :]}"
    return BadSignal("bad_message", f"not a signaling message: {text}")


def decode_client(data: str | bytes) -> ClientSignal:
    """Read a signal from a client.

    Raises:
        BadSignal: too large, malformed, or of an unknown type.
    """
    raw = _bounded(data)
    try:
        signal = _client_decoder.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise _misread(error, raw) from error
    if isinstance(signal, Offer) and len(signal.sdp) > MAX_SDP_CHARS:
        raise BadSignal("too_large", f"an offer may have {MAX_SDP_CHARS} characters")
    if isinstance(signal, Candidate) and len(signal.candidate or "") > MAX_CANDIDATE_CHARS:
        raise BadSignal("too_large", f"a candidate may have {MAX_CANDIDATE_CHARS} characters")
    return signal


def decode_server(data: str | bytes) -> ServerSignal:
    """Read a signal from the service; raises ``BadSignal`` like ``decode_client``."""
    raw = _bounded(data)
    try:
        return _server_decoder.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise _misread(error, raw) from error


def _bounded(data: str | bytes) -> bytes:
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    if len(raw) > MAX_SIGNAL_BYTES:
        raise BadSignal("too_large", f"a message may have {MAX_SIGNAL_BYTES} bytes")
    return raw
