"""Recurrences, filters and integral images against loops of NumPy, SciPy, pandas and OpenCV."""

import pathlib
import runpy
import sys

import numpy as np
import pytest

import mmscan

RANDOM = np.random.default_rng(11)
HERE = pathlib.Path(__file__).parent
SHAPES = [((1,), 0), ((300,), 0), ((40, 3), 0), ((3, 40), 1), ((3, 40, 5), 1), ((40, 2, 3), 0), ((5, 4, 30), 2),
          ((2, 3, 20, 4), 2), ((0,), 0), ((0, 3), 1), ((3, 0), 1)]  # fmt: skip


def random(shape, dtype):
    x = RANDOM.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * RANDOM.standard_normal(shape)
    return x.astype(dtype)


def layouts(x):
    """The same array, as it may lie in memory."""
    yield x.copy()
    yield np.array(x, order="F")
    apart = np.zeros([2 * n for n in x.shape], x.dtype)[tuple(slice(None, None, 2) for _ in x.shape)]
    apart[...] = x
    yield apart
    yield x[::-1].copy()[::-1]
    yield x.astype(x.dtype.newbyteorder())


# ---- Recurrences ----------------------------------------------------------------------------------------------------


def recurred(a, x, axis, init, reverse):
    a, x = (np.moveaxis(v, axis, 0)[:: -1 if reverse else 1] for v in (a, x))
    y, last = np.empty_like(x), init
    for k in range(len(x)):
        y[k] = last = a[k] * last + x[k]
    return np.moveaxis(y[:: -1 if reverse else 1], 0, axis)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape, axis", SHAPES)
@pytest.mark.parametrize("reverse", [False, True])
def test_recurrence(dtype, shape, axis, reverse):
    rest = shape[:axis] + shape[axis + 1 :]
    along = tuple(1 if k == axis else n for k, n in enumerate(shape))
    x = random(shape, dtype)
    for a in [random(shape, dtype) / 2, random(along, dtype) / 2, random(shape[axis:], dtype) / 2, 0.75]:
        for init in [None, 2, random(rest, dtype)]:
            want = recurred(np.broadcast_to(a, shape), x.astype("c16"), axis, 0 if init is None else init, reverse)
            for given in layouts(x):
                y = mmscan.recurrence(a, given, axis=axis, init=init, reverse=reverse)
                assert y.dtype == dtype and y.shape == shape
                np.testing.assert_allclose(y, want, rtol=1e-4 if dtype in ("f4", "c8") else 1e-12, atol=1e-5)


@pytest.mark.parametrize("shape, axis", [((30,), 0), ((4, 30), 1), ((30, 4), 0), ((3, 30, 4), 1)])
def test_recurrence_out(shape, axis):
    x = random(shape, "f8")
    want = mmscan.recurrence(0.5, x, axis=axis)
    for out in layouts(x):
        if out.dtype.isnative:
            in_place = out.copy(order="K")
            assert mmscan.recurrence(0.5, in_place, axis=axis, out=in_place) is in_place
            np.testing.assert_allclose(in_place, want, rtol=1e-12, atol=1e-15)
            out[...] = 7
            assert mmscan.recurrence(0.5, x, axis=axis, out=out) is out
            np.testing.assert_allclose(out, want, rtol=1e-12, atol=1e-15)


def test_recurrence_types():
    for a, x, dtype in [(1, [1, 2], "f8"), (0.5, np.ones(2, "f4"), "f4"), (np.float64(0.5), np.ones(2, "f4"), "f8"),
                        (0.5, np.ones(2, "f2"), "f8"), (1j, np.ones(2, "f4"), "c8"), (True, [True], "f8")]:  # fmt: skip
        if dtype != "f8" or np.__version__ >= "2":
            assert mmscan.recurrence(a, x).dtype == dtype
    for a, x in [(np.ones(1, "g"), [1.0]), (0.5, np.array([1, None])), (0.5, ["a"]), (0.5, np.ma.ones(2))]:
        with pytest.raises(TypeError):
            mmscan.recurrence(a, x)
    with pytest.raises(TypeError, match="init"):
        mmscan.recurrence(0.5, [1.0], init=1j)


@pytest.mark.parametrize(
    "keywords", [{"axis": 2}, {"init": [1, 2, 3]}, {"out": np.zeros(3)}, {"out": np.zeros((2, 4), "f4")}, {"out": 3}]
)
def test_recurrence_errors(keywords):
    with pytest.raises(ValueError):
        mmscan.recurrence(0.5, np.zeros((2, 4)), **keywords)


def test_recurrence_between_elements():
    both = np.arange(12.0)
    want = mmscan.recurrence(0.5, both[::2].copy())
    mmscan.recurrence(0.5, both[::2], out=both[1::2])
    np.testing.assert_array_equal(both[1::2], want)


def test_recurrence_overlap():
    both = np.arange(12.0).reshape(3, 4)
    for a, x, out in [(0.5, both[:2], both[1:]), (both[:2], np.ones((2, 4)), both[:2])]:
        with pytest.raises(ValueError, match="overlaps"):
            mmscan.recurrence(a, x, out=out)
    with pytest.raises(ValueError):
        mmscan.recurrence(np.ones(3), np.ones(4))
    fixed = np.zeros(4)
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        mmscan.recurrence(0.5, np.ones(4), out=fixed)
    assert both.ravel().tolist() == list(range(12))


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads(threads):
    x = RANDOM.standard_normal((3, 10**5))
    want = mmscan.recurrence(0.99, x), mmscan.lfilter([1.0, 0.5], [1.0, -0.9], x), mmscan.integral(x)
    try:
        mmscan.set_num_threads(threads)
        found = mmscan.recurrence(0.99, x), mmscan.lfilter([1.0, 0.5], [1.0, -0.9], x), mmscan.integral(x)
    finally:
        mmscan.set_num_threads(0)
    for a, b in zip(want, found):
        np.testing.assert_array_equal(a, b)


def test_ewm_example(capsys, monkeypatch):
    ewm_mean = runpy.run_path(str(HERE.parent / "examples" / "ewm.py"))["ewm_mean"]
    pandas = pytest.importorskip("pandas")
    gaps = RANDOM.standard_normal(1000)
    gaps[RANDOM.random(1000) < 0.3] = np.nan
    gaps[:3] = np.nan
    for x in [RANDOM.standard_normal(1000), gaps, np.array([]), np.array([5.0]), np.full(3, np.nan)]:
        for alpha in [0.01, 0.3, 0.99, 1.0]:
            for adjust in [True, False]:
                want = pandas.Series(x).ewm(alpha=alpha, adjust=adjust).mean()
                np.testing.assert_allclose(ewm_mean(x, alpha, adjust), want, rtol=1e-10, atol=1e-12)
    data = HERE.parents[2] / "examples" / "data" / "nile.csv"
    monkeypatch.setattr(sys, "argv", ["ewm.py", str(data)])
    runpy.run_path(str(HERE.parent / "examples" / "ewm.py"), run_name="__main__")
    want = pandas.read_csv(data).iloc[:, 1].ewm(alpha=0.2).mean()
    assert [float(line.split()[1]) for line in capsys.readouterr().out.splitlines()] == want[::10].round(1).tolist()


# ---- Filters --------------------------------------------------------------------------------------------------------


def filtered(b, a, x, state):
    """Direct form II transposed, along the last axis."""
    order = max(len(b), len(a)) - 1
    b, a = (np.concatenate([c, np.zeros(order + 1 - len(c))]) / a[0] for c in (b, a))
    z = np.concatenate([np.broadcast_to(state, (*x.shape[:-1], order)), np.zeros((*x.shape[:-1], 1))], axis=-1)
    y = np.empty(x.shape)
    for i in range(x.shape[-1]):
        y[..., i] = b[0] * x[..., i] + z[..., 0]
        for k in range(order):
            z[..., k] = b[k + 1] * x[..., i] - a[k + 1] * y[..., i] + z[..., k + 1]
    return y, z[..., :order]


COEFFICIENTS = [([1.0], [2.0]), ([1.0, 2], [1.0]), ([1.0], [1.0, -0.5]), ([0.5, 1, 2], [2.0, -1]),
                ([1.0, 0.5], [4.0, 1, 0.5, -1]), (RANDOM.standard_normal(16), np.r_[20.0, RANDOM.standard_normal(15)])]  # fmt: skip


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape, axis", SHAPES)
def test_filter(dtype, shape, axis):
    for b, a in COEFFICIENTS:
        b, a = np.array(b, dtype), np.array(a, dtype)
        order = max(len(b), len(a)) - 1
        x = random(shape, dtype)
        zi = random((*shape[:axis], order, *shape[axis + 1 :]), dtype)
        tolerance = {"rtol": 1e-4 if dtype == "f4" else 1e-10, "atol": 1e-4 if dtype == "f4" else 1e-10}
        moved, state = np.moveaxis(x, axis, -1).astype("f8"), np.moveaxis(zi, axis, -1)
        for given in layouts(x):
            y = mmscan.lfilter(b, a, given, axis)
            assert y.dtype == dtype and y.shape == shape
            np.testing.assert_allclose(y, np.moveaxis(filtered(b, a, moved, 0)[0], -1, axis), **tolerance)
            y, zf = mmscan.lfilter(b, a, given, axis=axis, zi=zi)
            want, final = filtered(b, a, moved, state)
            assert zf.dtype == dtype and zf.shape == zi.shape
            np.testing.assert_allclose(y, np.moveaxis(want, -1, axis), **tolerance)
            np.testing.assert_allclose(zf, np.moveaxis(final, -1, axis), **tolerance)


def test_filter_in_pieces():
    x = RANDOM.standard_normal((4, 1000))
    b, a = [0.1, 0.2, 0.1], [1.0, -0.8, 0.3]
    first, z = mmscan.lfilter(b, a, x[:, :300], zi=np.zeros((1, 2)))
    second, _ = mmscan.lfilter(b, a, x[:, 300:], zi=z)
    np.testing.assert_allclose(np.hstack([first, second]), mmscan.lfilter(b, a, x), rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize(
    "b, a, x, zi",
    [
        ([1.0, 2], [1.0, 3], np.ones((2, 5)), np.ones((2, 2))),
        ([1.0, 2], [1.0, 3], np.ones((2, 5)), np.ones(1)),
        ([1.0, 2, 3], [1.0, 3], np.ones((2, 5)), np.ones((2, 1))),
        ([1.0, 2], [1.0], np.ones((2, 5)), np.ones((3, 1))),
        ([], [1.0], np.ones(5), None),
        ([1.0], [[1.0, 2]], np.ones(5), None),
        ([1.0], [1.0, 2], 3.0, None),
    ],
)
def test_filter_errors(b, a, x, zi):
    with pytest.raises(ValueError):
        mmscan.lfilter(b, a, x, zi=zi)
    scipy = pytest.importorskip("scipy.signal")
    with pytest.raises(ValueError):
        scipy.lfilter(b, a, x, zi=zi)


def test_filter_by_scipy():
    scipy = pytest.importorskip("scipy.signal")
    x = RANDOM.standard_normal((3, 50))
    types = ["f4", "f8", "g", "F", "D", "O", "e", "i4", "?"]
    long = np.r_[1, RANDOM.standard_normal(20) / 40]
    for b, a in [([1.0, 2], [1.0, -0.5]), ([1, 2], [1, 1]), ([1.0, 2], [1.0]), (long, [1.0]), (long, long),
                 ([1, np.nan], [1, 0.5])]:  # fmt: skip
        for one in types:
            for other in types:
                with np.errstate(invalid="ignore"):
                    arguments = np.array(b).astype(one), np.array(a).astype(one), x.astype(other)
                try:
                    want = scipy.lfilter(*arguments)
                except Exception as error:
                    with pytest.raises(type(error)):
                        mmscan.lfilter(*arguments)
                    continue
                y = mmscan.lfilter(*arguments)
                assert y.dtype == want.dtype and y.shape == want.shape
                np.testing.assert_allclose(y.astype("D"), want.astype("D"), rtol=2e-3, atol=2e-3)
    for b, a in [([1.0], [0.0, 1])]:
        for function in (mmscan.lfilter, scipy.lfilter):
            with pytest.raises(ValueError):
                function(b, a, x)


def test_filter_without_scipy(monkeypatch):
    for name in [name for name in sys.modules if name == "scipy" or name.startswith("scipy.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "scipy", None)
    assert mmscan.lfilter([1.0], [1.0, -0.5], [8.0, 4.0]).tolist() == [8, 8]
    for error, arguments in [
        (NotImplementedError, ([1], [1], [1, 2])),
        (NotImplementedError, ([1.0], [1.0], [1j])),
        (ValueError, (np.ones(17), [1.0], [1.0])),
        (ValueError, ([1.0], [0.0], [1.0])),
        (ValueError, ([np.inf], [1.0], [1.0])),
    ]:
        with pytest.raises(error):
            mmscan.lfilter(*arguments)


# ---- Integral images ------------------------------------------------------------------------------------------------


def summed(x, dtype, border, squares, channels):
    axes = (-3, -2) if channels else (-2, -1)
    x = x.astype(dtype)
    x = x * x if squares else x
    y = x.cumsum(axes[0], dtype=dtype).cumsum(axes[1], dtype=dtype)
    return np.pad(y, [(int(border), 0) if k - y.ndim in axes else (0, 0) for k in range(y.ndim)])


TYPES = [("u1", None), ("u1", "u4"), ("i2", "i4"), ("i2", None), ("u2", "f8"), ("f4", None), ("f4", "f4"), ("f8", None),
         ("?", None), ("f2", None), ("c8", None), ("c16", None), ("u8", "u8")]  # fmt: skip


@pytest.mark.parametrize("x_type, y_type", TYPES)
@pytest.mark.parametrize("channels", [False, True])
@pytest.mark.parametrize("shape", [(1, 1), (5, 7), (40, 33), (3, 9, 8), (2, 2, 9, 5), (0, 4), (4, 0), (0, 3, 3)])
def test_integral(x_type, y_type, channels, shape):
    shape = (*shape, 3) if channels else shape
    x = (random(shape, "c16" if x_type[0] == "c" else "f8") * 50).real.astype("i8").astype(x_type)
    default = {"f": "f8", "i": "i8", "u": "u8", "b": "u8"}.get(x.dtype.kind, x_type)
    for border in [False, True]:
        for squares in [False, True]:
            want = summed(x, y_type or default, border, squares, channels)
            for given in layouts(x):
                y = mmscan.integral(given, y_type, border, squares, channels)
                assert y.dtype == (y_type or default) and y.shape == want.shape
                np.testing.assert_allclose(y, want, rtol=1e-5, atol=1e-5 * np.abs(want).max(initial=0))


def test_integral_errors():
    for error, arguments in [
        (ValueError, (np.ones(3),)),
        (ValueError, (np.ones((3, 3)), None, True, False, True)),
        (TypeError, (np.ones((3, 3)), "i8")),
        (TypeError, (np.ones((3, 3), "O"),)),
        (TypeError, (np.ones((3, 3), "?"), "?")),
        (TypeError, (np.ones((3, 3), np.longdouble),)),
        (TypeError, (np.ma.ones((3, 3)),)),
    ]:
        with pytest.raises(error):
            mmscan.integral(*arguments)


@pytest.mark.parametrize("channels", [1, 3])
def test_integral_by_opencv(channels):
    cv2 = pytest.importorskip("cv2")
    for shape in [(1, 1), (17, 33), (480, 640)]:
        pixels = RANDOM.integers(0, 256, (*shape, channels)).astype(np.uint8)
        pixels = pixels[..., 0] if channels == 1 else pixels
        many = channels > 1
        sums, squares = cv2.integral2(pixels, sdepth=cv2.CV_32S, sqdepth=cv2.CV_64F)
        np.testing.assert_array_equal(mmscan.integral(pixels, "u4", channels=many).view("i4"), sums)
        np.testing.assert_array_equal(mmscan.integral(pixels, "f8", squares=True, channels=many), squares)
        floats = (pixels - np.float32(100)) / 3
        want, squares = cv2.integral2(floats)
        size = np.abs(floats).sum(dtype=float)
        np.testing.assert_allclose(mmscan.integral(floats, channels=many), want, atol=1e-12 * size)
        np.testing.assert_allclose(mmscan.integral(floats, "f8", squares=True, channels=many), squares, rtol=1e-12)
