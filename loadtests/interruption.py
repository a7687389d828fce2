"""How commands of load tests are ended from outside."""

from __future__ import annotations

import signal


def end_as_by_ctrl_c() -> None:
    """Let SIGTERM do what Ctrl-C does, so that nothing a command has started goes on by itself.

    What a shell starts in its background ignores Ctrl-C, and so would what that starts: not here.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
