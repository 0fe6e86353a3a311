"""What the tests of the command share: how it is run, what NumPy computes, and files."""

import io
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import numpy as np

MMSCAN = os.path.abspath(sys.argv[1])  # the command: command.py has its path as the first argument
MEGABYTES = int(os.environ.get("MMSCAN_TEST_MB", "128"))
TYPES = {"f32": "f4", "f64": "f8", "i32": "i4", "i64": "i8", "u32": "u4", "u64": "u8"}
BLOCK = 131072 * 32  # elements of a long row that the command takes at a time


def remark(text):
    """Adds a remark to the line of the running test."""
    print(text, end=" ", file=sys.stderr, flush=True)


of_bench = []  # options that each call of `mmscan bench` has


def run(*arguments, **options):
    """Runs mmscan with data= as its standard input. Returns its exit status, standard output and standard error."""
    options.setdefault("timeout", 120)
    if "stdin" not in options:
        options["input"] = options.pop("data", b"")
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    if "env" in options:
        options["env"] = {**os.environ, **options["env"]}
    words = list(map(str, arguments))
    if words[:1] == ["bench"]:
        words[1:1] = of_bench
    done = subprocess.run([MMSCAN, *words], **options)
    return done.returncode, done.stdout, (done.stderr or b"").decode(errors="replace")


def toy(name):
    """The path of a toy BLAS that the unit tests use."""
    return os.path.join(os.path.dirname(os.path.abspath(MMSCAN)), "test", "toy_%s.so" % name)


def expected(x, axis=None, exclusive=False, reverse=False):
    """What NumPy computes; x is flattened in C order where axis is None."""
    if axis is None:
        x, axis = x.ravel(), 0
    elif x.ndim == 0:
        x = x.reshape(1)
    native = x.dtype.newbyteorder("=")
    if reverse:
        x = np.flip(x, axis)
    y = np.cumsum(x, axis=axis, dtype=native)
    if exclusive and y.size:
        first = np.zeros_like(np.take(y, [0], axis))
        y = np.concatenate([first, np.delete(y, -1, axis)], axis)
    return np.flip(y, axis) if reverse else y


def sample(code, shape, seed=1):
    """Whole numbers, whose float sums are exact in any order; integers from the whole range, whose sums wrap around."""
    generator = np.random.default_rng(seed)
    dtype = np.dtype(code)
    if dtype.kind == "f":
        return generator.integers(-50, 50, shape).astype(dtype)
    limits = np.iinfo(dtype)
    return generator.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)


def npy_bytes(x, version=(1, 0)):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, x, version=version)
    return stream.getvalue()


def npy_with(header, data=b"", version=b"\x01\x00", length=None):
    """A .npy file with its header given as text."""
    text = header if isinstance(header, bytes) else header.encode()
    length = len(text) if length is None else length
    return b"\x93NUMPY" + version + length.to_bytes(2 if version[0] == 1 else 4, "little") + text + data


class Case(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="mmscan-test-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def good(self, *arguments, **options):
        status, out, err = run(*arguments, **options)
        self.assertEqual((status, err), (0, ""), arguments)
        return out

    def bad(self, *arguments, status=1, says=(), **options):
        """The command fails with a message and leaves no trace of an output file."""
        before = sorted(os.listdir(self.directory))
        got, out, err = run(*arguments, **options)
        self.assertEqual(got, status, (arguments, err))
        self.assertTrue(err.startswith("mmscan: "), (arguments, err))
        for each in [says] if isinstance(says, str) else says:
            self.assertIn(each, err, arguments)
        self.assertEqual(sorted(os.listdir(self.directory)), before, arguments)
        return out

    def same(self, got, wanted, note=None):
        """Equal in type, shape, order in memory and every value."""
        self.assertEqual((got.dtype, got.shape), (wanted.dtype, wanted.shape), note)
        self.assertTrue(np.array_equal(got, wanted), note)


class Timed(Case):
    """A bench whose tests check what it says, never how fast anything is."""

    OPTIONS = ["--brief"]

    def setUp(self):
        """Threads that spin while they wait are a thousand times slower where other processes take their cores."""
        super().setUp()
        for patch in (unittest.mock.patch.dict(os.environ, {"OMP_WAIT_POLICY": "passive"}),
                      unittest.mock.patch.object(sys.modules[__name__], "of_bench", self.OPTIONS)):
            patch.start()
            self.addCleanup(patch.stop)

    def check_ratios(self, rows):
        """Of one race, as in JSON: a bound is the fastest copy with as many threads or fewer; a unit may use
        threads of its own for which there is none."""
        timed = [row for row in rows if "seconds" in row]
        copies = [row for row in timed if row["role"] == "copy"]
        bounds = {row["threads"]: row["seconds"] for row in timed if row["role"] == "bound"}
        loop = next(row["seconds"] for row in timed if row["role"] == "loop")
        for threads, seconds in bounds.items():
            self.assertEqual(seconds, min(row["seconds"] for row in copies if row["threads"] <= threads), threads)
        for row in timed:
            if row["threads"] in bounds:
                self.assertAlmostEqual(row["of_bound"] * row["seconds"] / bounds[row["threads"]], 1, msg=row)
            else:
                self.assertIsNone(row.get("of_bound"), row)
            self.assertAlmostEqual(row["times_serial"] * row["seconds"] / loop, 1, msg=row)
