"""What a session leaves to the next one of its client, and what it has got from the last."""

from __future__ import annotations

import secrets
import time
from dataclasses import replace

from signaling.sessions import SessionRequest
from voicepeer.core.resumption import TOKEN_BYTES, Resumptions
from voicepeer.session_state import SessionState, is_said_in
from voicepeer.speech import Rest


class Comeback:
    """The way of one session's state through ``kept``, by the clock of the loop."""

    def __init__(self, kept: Resumptions[SessionState] | None, request: SessionRequest) -> None:
        self.token = secrets.token_hex(TOKEN_BYTES)
        """What the client shows to go on where this session ends."""
        self.resumed = False
        """Whether there was something to go on from."""
        self._rest: Rest | None = None
        self._kept = kept if kept is not None else Resumptions()
        self._earlier = request.resume_token
        # The same owner, and the same room: nobody else may take a lost session up again.
        self._scope = f"{request.principal.owner} {request.room}"

    @property
    def ttl_s(self) -> float:
        """How long a client may take to come back."""
        return self._kept.ttl_s

    @property
    def left(self) -> list[str]:
        """Ids of the utterances that go on once the client is there to hear them."""
        return [] if self._rest is None else [one.opening.utterance_id for one in self._rest.lines]

    def take(self) -> SessionState | None:
        """What the session of the request's token has left."""
        state = self._kept.take(self._earlier, self._scope, time.monotonic())
        if state is not None:
            self.resumed, self._rest = True, state.rest
        return state

    def unsaid(self, rest: Rest) -> Rest:
        """The rest of this session, behind what is still to be said of the earlier one."""
        earlier = self._rest or Rest()
        return replace(
            rest,
            lines=(*earlier.lines, *rest.lines),
            deliveries={**earlier.deliveries, **rest.deliveries},
        )

    def keep(self, state: SessionState) -> None:
        """Leave this to whoever shows the token."""
        self._kept.keep(self.token, self._scope, state, time.monotonic())

    def give_back(self, state: SessionState) -> None:
        """Nothing came of this session: its client goes on from the earlier one once more."""
        if self.resumed and self._earlier is not None:
            self._kept.keep(self._earlier, self._scope, state, time.monotonic())

    def done(self) -> None:
        """Something came of it: what was given back is of no use any more."""
        if self.resumed:
            self._kept.drop(self._earlier)

    def go_on(self) -> Rest | None:
        """What is to be said now, once."""
        rest, self._rest = self._rest, None
        return rest

    def forget(self, voice_id: str) -> None:
        """A voice was deleted: what waits for the client to be back is not said in it."""
        if self._rest is not None and is_said_in(self._rest, voice_id):
            self._rest = None
