"""Arrays that are not NumPy's: without a copy, by DLPack or the buffer protocol."""

import array
import pathlib
import runpy

import numpy as np
import pytest

import mmscan
from mmscan._functions import _as_array

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


class Lent:
    """Nothing but DLPack."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **how):
        return self.x.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


def address(x):
    return x.__array_interface__["data"][0]


@pytest.mark.parametrize("wrap", [Lent, memoryview, lambda x: array.array("d", x)])
def test_protocols(wrap):
    x = np.arange(1.0, 6)
    assert mmscan.cumsum(wrap(x)).tolist() == [1, 3, 6, 10, 15]
    assert mmscan.scan(wrap(x), "max", reverse=True).tolist() == [5] * 5
    assert mmscan.cummax(wrap(x), return_indices=True)[1].tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("wrap", [Lent, memoryview])
def test_no_copy(wrap):
    x = np.arange(1.0, 6)
    assert address(_as_array(wrap(x))) == address(x)


def test_torch():
    torch = pytest.importorskip("torch")
    x = torch.arange(5, dtype=torch.float32)
    assert address(_as_array(x)) == x.data_ptr()
    assert mmscan.cumsum(x).tolist() == [0, 1, 3, 6, 10]
    assert mmscan.cumsum(x.to(torch.int8)).dtype == np.int64
    wide = torch.ones(6, 8)
    assert mmscan.cumsum(wide[:, ::2], axis=1)[5].tolist() == [1, 2, 3, 4]
    assert mmscan.cumsum(wide.T, axis=0).shape == (8, 6)
    large = torch.rand(10**6, dtype=torch.float64)
    np.testing.assert_allclose(mmscan.cumsum(large), torch.cumsum(large, 0).numpy(), rtol=1e-10)
    with pytest.raises(RuntimeError):
        mmscan.cumsum(torch.ones(3, requires_grad=True))


def test_arrow():
    arrow = pytest.importorskip("pyarrow")
    x = arrow.array([1.0, 2.0, 4.0])
    assert address(_as_array(x)) == x.buffers()[1].address
    assert mmscan.cumsum(x).tolist() == [1, 3, 7]
    assert mmscan.cumsum(x[1:]).tolist() == [2, 6]
    assert mmscan.nancumsum(arrow.array([1.0, None, 4.0])).tolist() == [1, 1, 5]
    assert mmscan.cumsum(arrow.chunked_array([[1, 2], [3]])).tolist() == [1, 3, 6]
    assert mmscan.cumsum(arrow.array([True, True])).tolist() == [1, 2]


@pytest.mark.parametrize("axis", [0, 1])
def test_dask(axis):
    da = pytest.importorskip("dask.array")
    cumsum = runpy.run_path(str(EXAMPLES / "chunks.py"))["cumsum"]
    x = np.random.default_rng(axis).integers(-9, 9, (20, 30), np.int16)
    y = cumsum(da.from_array(x, chunks=(7, 11)), axis)
    assert y.dtype == np.int64 and y.chunks == ((7, 7, 6), (11, 11, 8))
    np.testing.assert_array_equal(y.compute(), np.cumsum(x, axis))
