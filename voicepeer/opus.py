"""Opus through the libopus that the PyAV wheel carries: one-frame encoder and decoder.

FFmpeg's wrapper offers neither DTX nor decoding of in-band FEC and concealment, so the few
functions of ``opus.h`` are called directly. Objects are cheap, stateful and not thread-safe.
"""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import av
import numpy as np

from voicepeer.core.pcm import FRAME_SAMPLES, WIRE_RATE_HZ, Pcm16

# Values from opus_defines.h.
_OK = 0
_APPLICATION_VOIP = 2048
_SIGNAL_VOICE = 3001
_SET_BITRATE = 4002
_SET_COMPLEXITY = 4010
_SET_INBAND_FEC = 4012
_SET_PACKET_LOSS_PERC = 4014
_SET_DTX = 4016
_SET_SIGNAL = 4024
_RESET_STATE = 4028

_MAX_PACKET_BYTES = 1275
"""Largest frame that a packet can hold (RFC 6716 section 3.2.1)."""

_MAX_PACKET_S = 0.12

MIN_BITRATE_BPS = 6_000
MAX_BITRATE_BPS = 510_000


class OpusUnavailable(Exception):
    """No libopus can be loaded; the message says how to get one."""


class OpusError(Exception):
    """libopus refused a call, as it does for a packet that is not Opus."""


def _candidates() -> Iterator[str]:
    package = Path(av.__file__).parent
    for folder in (package.parent / "av.libs", package / ".dylibs"):
        yield from sorted(str(path) for path in folder.glob("libopus*"))
    # Last, because it may run a compiler or linker to find out.
    if system := ctypes.util.find_library("opus"):
        yield system


@lru_cache(maxsize=1)
def load_library() -> ctypes.CDLL:
    """The shared library with its signatures declared.

    Raises:
        OpusUnavailable: neither the PyAV wheel nor the system has one.
    """
    for name in _candidates():
        try:
            return _declare(ctypes.CDLL(name))
        except (OSError, AttributeError):
            continue
    raise OpusUnavailable(
        "libopus was not found: install PyAV from its wheel (pip install --force-reinstall av) "
        "or the system package (libopus0, opus)"
    )


def _declare(library: ctypes.CDLL) -> ctypes.CDLL:
    state, size, status = ctypes.c_void_p, ctypes.c_int32, ctypes.POINTER(ctypes.c_int)
    library.opus_strerror.restype = ctypes.c_char_p
    library.opus_encoder_create.restype = state
    library.opus_encoder_create.argtypes = [size, ctypes.c_int, ctypes.c_int, status]
    library.opus_encode.argtypes = [state, state, ctypes.c_int, state, size]
    library.opus_encode.restype = size
    library.opus_encoder_destroy.argtypes = [state]
    # Variadic in C: ctypes passes what follows the declared arguments as varargs.
    library.opus_encoder_ctl.argtypes = [state, ctypes.c_int]
    library.opus_decoder_create.restype = state
    library.opus_decoder_create.argtypes = [size, ctypes.c_int, status]
    library.opus_decode.argtypes = [state, ctypes.c_char_p, size, state, ctypes.c_int, ctypes.c_int]
    library.opus_decode.restype = ctypes.c_int
    library.opus_decoder_destroy.argtypes = [state]
    return library


class OpusEncoder:
    """Mono 48 kHz speech to packets of 20 ms (RFC 6716), with in-band FEC.

    Args:
        bitrate_bps: 24 to 40 kb/s is wideband speech with room for FEC.
        complexity: 0 to 10; 1 costs 0.08 ms a frame, 5 costs 0.14 ms and gains some 0.04 of DNSMOS.
        fec: put a coarse copy of the frame before into each packet.
        expected_loss_percent: how much of the bitrate libopus gives to FEC.
        dtx: send next to nothing in silence.

    Raises:
        OpusError: an option is out of range.
        OpusUnavailable: there is no libopus.
    """

    def __init__(
        self,
        bitrate_bps: int = 32_000,
        complexity: int = 1,
        fec: bool = True,
        expected_loss_percent: int = 5,
        dtx: bool = False,
    ) -> None:
        self.expected_loss_percent = expected_loss_percent
        self._library = load_library()
        status = ctypes.c_int()
        self._state: int | None = self._library.opus_encoder_create(
            WIRE_RATE_HZ, 1, _APPLICATION_VOIP, ctypes.byref(status)
        )
        _check(self._library, status.value)
        self._packet = ctypes.create_string_buffer(_MAX_PACKET_BYTES)
        self._control(_SET_SIGNAL, _SIGNAL_VOICE)
        self._control(_SET_COMPLEXITY, complexity)
        self._control(_SET_INBAND_FEC, int(fec))
        self._control(_SET_DTX, int(dtx))
        self.set_bitrate(bitrate_bps)
        self.set_expected_loss(expected_loss_percent)

    def set_bitrate(self, bitrate_bps: int) -> None:
        """Average rate from the next frame on.

        Raises:
            OpusError: not within 6 to 510 kb/s (RFC 6716 section 2.1.1).
        """
        if not MIN_BITRATE_BPS <= bitrate_bps <= MAX_BITRATE_BPS:
            raise OpusError(f"a bitrate is {MIN_BITRATE_BPS} to {MAX_BITRATE_BPS} b/s")
        self._control(_SET_BITRATE, bitrate_bps)

    def set_expected_loss(self, percent: int) -> None:
        """Share of packets that are expected to be lost, 0 to 100, which steers FEC."""
        self._control(_SET_PACKET_LOSS_PERC, percent)
        self.expected_loss_percent = percent

    def encode(self, pcm: Pcm16) -> bytes:
        """Encode exactly one frame, shape ``[960]``.

        Raises:
            OpusError: wrong shape or type.
        """
        if pcm.shape != (FRAME_SAMPLES,) or pcm.dtype != np.int16:
            raise OpusError(f"a frame is {FRAME_SAMPLES} samples of int16")
        pcm = np.ascontiguousarray(pcm)
        size = self._library.opus_encode(
            self._state, pcm.ctypes.data, FRAME_SAMPLES, self._packet, _MAX_PACKET_BYTES
        )
        _check(self._library, size)
        return self._packet.raw[:size]

    def reset(self) -> None:
        """Forget the past, as if newly made with the same options."""
        _check(self._library, self._library.opus_encoder_ctl(self._state, _RESET_STATE))

    def _control(self, request: int, value: int) -> None:
        _check(self._library, self._library.opus_encoder_ctl(self._state, request, value))

    def __del__(self) -> None:
        if getattr(self, "_state", None):
            self._library.opus_encoder_destroy(self._state)
            self._state = None


class OpusDecoder:
    """Packets of any Opus stream to mono speech at ``rate_hz`` (8, 12, 16, 24 or 48 kHz).

    Stereo is mixed down and other rates are converted by libopus itself.

    Raises:
        OpusError: the rate is not one of Opus's.
        OpusUnavailable: there is no libopus.
    """

    def __init__(self, rate_hz: int = WIRE_RATE_HZ) -> None:
        self._library = load_library()
        status = ctypes.c_int()
        self._state: int | None = self._library.opus_decoder_create(
            rate_hz, 1, ctypes.byref(status)
        )
        _check(self._library, status.value)
        self._pcm = np.zeros(int(rate_hz * _MAX_PACKET_S), np.int16)

    def decode(self, packet: bytes) -> Pcm16:
        """Decode one packet of 2.5 to 120 ms.

        Raises:
            OpusError: the packet is not Opus.
        """
        if not packet:
            raise OpusError("an empty packet holds no audio")
        return self._decode(packet, self._pcm.size, fec=False)

    def recover(self, next_packet: bytes, samples: int) -> Pcm16:
        """The lost ``samples`` before ``next_packet``, from its FEC data or else concealed."""
        return self._decode(next_packet, samples, fec=True)

    def conceal(self, samples: int) -> Pcm16:
        """Continue the sound over ``samples`` that were lost, fading with each call in a row."""
        return self._decode(None, samples, fec=False)

    def _decode(self, packet: bytes | None, samples: int, fec: bool) -> Pcm16:
        size = self._library.opus_decode(
            self._state,
            packet,
            len(packet) if packet else 0,
            self._pcm.ctypes.data,
            min(samples, self._pcm.size),
            int(fec),
        )
        _check(self._library, size)
        pcm: Pcm16 = self._pcm[:size].copy()
        return pcm

    def __del__(self) -> None:
        if getattr(self, "_state", None):
            self._library.opus_decoder_destroy(self._state)
            self._state = None


def _check(library: ctypes.CDLL, status: int) -> None:
    if status < _OK:
        raise OpusError(library.opus_strerror(status).decode())


# With the module, because later it would hold up a running event loop.
with contextlib.suppress(OpusUnavailable):
    load_library()
