"""Arrays that are not NumPy's: without a copy, by DLPack or the buffer protocol."""

import array
import pathlib
import runpy
import socket

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


METHODS = ["blelloch", "sequential"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_dask(axis, method):
    da = pytest.importorskip("dask.array")
    import mmscan.dask

    x = np.random.default_rng(1).integers(-9, 9, (20, 30), np.int16)
    y = mmscan.dask.cumsum(da.from_array(x, chunks=(7, 11)), axis, method=method)
    assert y.dtype == np.int64
    np.testing.assert_array_equal(y.compute(), np.cumsum(x, axis))
    if axis is not None:
        assert y.chunks == ((7, 7, 6), (11, 11, 8))


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.float32, np.float64, np.complex64])
def test_dask_types(dtype):
    da = pytest.importorskip("dask.array")
    import mmscan.dask

    x = np.random.default_rng(2).random(10**5).round(2).astype(dtype)
    y = mmscan.dask.cumsum(da.from_array(x, chunks=999), 0)
    assert y.dtype == np.cumsum(x[:1]).dtype
    np.testing.assert_allclose(y.compute(), np.cumsum(x, dtype=np.result_type(y.dtype, np.float64)), rtol=1e-5)


def test_dask_refuses():
    da = pytest.importorskip("dask.array")
    import mmscan.dask

    with pytest.raises(ValueError, match="method"):
        mmscan.dask.cumsum(da.ones(3), 0, method="tree")
    with pytest.raises(ValueError):
        mmscan.dask.cumsum(da.ones(3), 1)


def test_dask_cluster():
    """By two processes, which import mmscan themselves."""
    da = pytest.importorskip("dask.array")
    distributed = pytest.importorskip("distributed")
    import mmscan.dask

    try:
        socket.create_server(("127.0.0.1", 0)).close()
        socket.create_connection(("127.0.0.1", 9), timeout=1).close()
    except ConnectionRefusedError:
        pass
    except OSError as error:
        pytest.skip(f"no network within this machine: {error}")
    x = np.random.default_rng(3).integers(-(2**40), 2**40, 10**6)
    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(host="127.0.0.1", **settings) as cluster, distributed.Client(cluster) as client:
        for method in METHODS:
            y = mmscan.dask.cumsum(da.from_array(x, chunks=10**5), 0, method=method)
            np.testing.assert_array_equal(client.compute(y).result(timeout=60), np.cumsum(x), method)
        assert len(client.scheduler_info()["workers"]) == 2


def test_dask_example(capsys):
    pytest.importorskip("dask.array")
    runpy.run_path(str(EXAMPLES / "chunks.py"), run_name="__main__")
    words = capsys.readouterr().out.split()
    assert words[0] == "16" and abs(float(words[-4].rstrip(",")) - float(words[-1])) < 1e-5
