"""mmscan.mpi: mpirun starts this file, and each rank compares its results with those of the whole on one process. MPIRUN
names another mpirun, MMSCAN_MPI the library."""

import itertools
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import mmscan

OPS = {
    "plus": "bBhHiIlLefdFD", "mul": "bhilefdFD?", "max": "bBhilefd?", "min": "BHILefd?", "logaddexp": "fd",
    "and": "BHilL?", "or": "bHiL?", "xor": "BhIl?",
}  # fmt: skip
EXACT = {"max", "min", "and", "or", "xor"}
ROOT = pathlib.Path(__file__).parents[3]


# ---- By pytest ------------------------------------------------------------------------------------------------------


def by_ranks(ranks, *command):
    start = ["timeout", "-k", "5", "300", ROOT / "scripts/mpirun", str(ranks)]
    return subprocess.run([*start, sys.executable, *command], capture_output=True, text=True)


@pytest.fixture(scope="module")
def mpi():
    pytest.importorskip("mpi4py")
    run = by_ranks(1, "-c", "import mmscan.mpi")
    if run.returncode != 0:
        pytest.skip(run.stderr.strip().splitlines()[-1])


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_by_ranks(mpi, ranks):
    run = by_ranks(ranks, "-m", "mpi4py", __file__)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.count("all is well") == ranks


def test_no_library(mpi):
    run = subprocess.run(
        [sys.executable, "-c", "import os; os.environ['MMSCAN_MPI'] = '/nowhere.so'; import mmscan.mpi"],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert run.returncode == 1 and "ImportError: mmscan.mpi needs libmmscan_mpi: install it" in run.stderr


# ---- By each rank ---------------------------------------------------------------------------------------------------


def values(rng, shape, dtype):
    """Small ones, such that products stay finite."""
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind == "c":
        return (rng.choice([1, -1, 1j], shape) + 2.0**-20 * rng.standard_normal(shape)).astype(dtype)
    if dtype.kind == "f":
        return (1 + rng.standard_normal(shape) / 64).astype(dtype)
    return rng.integers(-100 if dtype.kind == "i" else 0, 100, shape).astype(dtype)


class Rank:
    """The cut of axes into parts, which is the same on every rank, as their random numbers are."""

    def __init__(self, comm):
        self.comm = comm
        self.rng = np.random.default_rng(comm.size)

    def slices(self, n):
        """Of the elements, and of offsets."""
        cuts = [0, *sorted(self.rng.integers(0, n + 1, self.comm.size - 1)), n]
        first, last = cuts[self.comm.rank], cuts[self.comm.rank + 1]
        return slice(first, last), slice(first, last + 1)

    def compare(self, x, op, axis=-1, kind="inclusive", is_in_place=False, **keywords):
        part, offsets = ((slice(None),) * (axis % x.ndim) + (cut,) for cut in self.slices(x.shape[axis]))
        mine = x[part].copy(order="K")
        if is_in_place:
            keywords["out"] = mine
        y, totals = mmscan.mpi.scan(mine, op, comm=self.comm, axis=axis, kind=kind, return_total=True, **keywords)
        assert not is_in_place or y is mine
        keywords.pop("out", None)
        want, want_totals = mmscan.scan(x, op, axis=axis, kind=kind, return_total=True, **keywords)
        want = want[offsets if kind == "offsets" else part]
        assert y.dtype == want.dtype and y.shape == want.shape
        if keywords.get("reproducible") or want.dtype.kind in "biu" or op in EXACT:
            assert y.tobytes() == want.tobytes() and totals.tobytes() == want_totals.tobytes()
        else:
            eps = np.finfo(want.dtype).eps
            terms = np.nansum(np.abs(x)) if op == "plus" else 0
            for mine, theirs in [(y, want), (totals, want_totals)]:
                np.testing.assert_allclose(mine, theirs, rtol=(500 if op == "mul" else 4) * eps, atol=4 * eps * terms)

    def refuses(self, error, x, *arguments, **keywords):
        with pytest.raises(error):
            mmscan.mpi.scan(x, *arguments, comm=self.comm, **keywords)


def check_operators_and_types(rank):
    for op, codes in OPS.items():
        for code in codes:
            x = values(rank.rng, rank.rng.choice([2, 50, 5000]), np.dtype(code))
            rank.compare(x, op, reverse=bool(rank.rng.integers(2)))


def check_kinds(rank):
    for kind, reverse, init in itertools.product(["inclusive", "exclusive", "offsets"], [False, True], [None, 3]):
        op = rank.rng.choice(list(OPS))
        x = values(rank.rng, (3, 500), np.dtype("f" if op == "logaddexp" else "i"))
        rank.compare(x, op, kind=kind, reverse=reverse, init=init)


def check_shapes(rank):
    x = values(rank.rng, (4, 30, 5), np.dtype("d"))
    for axis, order in itertools.product([0, 1, 2, -1], "CF"):
        rank.compare(np.asarray(x, order=order), "plus", axis=axis)
        rank.compare(np.asarray(x, order=order), "max", axis=axis, is_in_place=True)
    rank.compare(x[::-1, ::2], "plus", axis=1)
    rank.compare(x.astype(">f8"), "plus", axis=1, dtype="f8")
    rank.compare(np.empty((0, 7)), "plus")


def check_modes(rank):
    x = values(rank.rng, 300000, np.dtype("f"))
    rank.compare(x, "plus", accurate=True)
    rank.compare(x, "plus", monotone=True)
    rank.compare(x, "plus", dtype="d")
    rank.compare(np.where(rank.rng.random(x.size) < 0.1, np.float32(np.nan), x), "plus", skip_nan=True)
    rank.compare(values(rank.rng, 1000, np.dtype("b")), "plus", dtype="i4", checked=True)
    for dtype, op in itertools.product("fdF", ["plus", "mul"]):
        rank.compare(x.astype(dtype), op, reproducible=True, is_in_place=True)
    big = np.cumsum(x.astype("d"))
    part = rank.slices(x.size)[0]
    np.testing.assert_allclose(mmscan.mpi.scan(x[part], comm=rank.comm), big[part], rtol=1e-5)


def check_errors(rank):
    """What is wrong on one rank alone is an error on all, and none waits for another."""
    x = np.ones(5)
    first = rank.comm.rank == 0
    rank.refuses(ValueError, x, "minus" if first else "plus")
    rank.refuses(ValueError, x, **({"out": np.ones(3)} if first else {}))
    rank.refuses(TypeError if first else ValueError, x, "and" if first else "plus")
    if rank.comm.size > 1:
        rank.refuses(ValueError, x, "max" if first else "plus")
    rank.refuses(TypeError, x, "and")
    rank.refuses(TypeError, x, sideways=True)
    rank.refuses(OverflowError, np.full(5, 100, "b"), checked=True)
    with pytest.raises(TypeError, match="no communicator"):
        mmscan.mpi.scan(x, comm=0)
    with pytest.raises(TypeError):
        mmscan.mpi.scan(x)
    rank.compare(x, "plus")


def main():
    from mpi4py import MPI

    import mmscan.mpi  # noqa: F401

    rank = Rank(MPI.COMM_WORLD)
    for check in [check_operators_and_types, check_kinds, check_shapes, check_modes, check_errors]:
        check(rank)
    print("all is well", flush=True)


if __name__ == "__main__":
    main()
