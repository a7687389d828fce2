"""Tells schemathesis how to write the bodies that are no JSON; it finds this by its environment."""

from __future__ import annotations

from typing import Any

import schemathesis


@schemathesis.serializer("application/sdp", "application/trickle-ice-sdpfrag")
def as_text(context: Any, value: Any) -> bytes:  # noqa: ANN401 - whatever a schema gave
    """Descriptions are text."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
