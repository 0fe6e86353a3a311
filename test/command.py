#!/usr/bin/env python3
"""Tests of the command mmscan against NumPy: test/command.py PATH_TO_MMSCAN [NAME_OF_A_TEST]...

Exit status 0: passed, 77: skipped (no NumPy), else failed. MMSCAN_TEST_MB is the size of the large file (256)."""

import concurrent.futures
import csv
import html.parser
import io
import itertools
import json
import os
import pty
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
import xml.etree.ElementTree

try:
    import numpy as np
except ImportError:
    # The first python3 of the path need not be the one that the system's NumPy is for.
    system = "/usr/bin/python3"
    if os.path.realpath(sys.executable) != os.path.realpath(system) and os.access(system, os.X_OK):
        os.execv(system, [system] + sys.argv)
    print("command.py: skipped, as NumPy is missing")
    sys.exit(77)

MMSCAN = None  # the path of the command
MEGABYTES = int(os.environ.get("MMSCAN_TEST_MB", "256"))
TYPES = {"f32": "f4", "f64": "f8", "i32": "i4", "i64": "i8", "u32": "u4", "u64": "u8"}
MAX_RESIDENT = 200 << 20
BLOCK = 131072 * 32  # elements: what the command takes at a time of a long row

# Runs a command from a process that is small: the peak memory of a child starts at that of its parent.
MEASURE = """
import os, sys
pid = os.fork()
if pid == 0: os.execv(sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(pid, 0)
open(sys.argv[1], "w").write(str(usage.ru_maxrss))
sys.exit(os.waitstatus_to_exitcode(status))
"""


def remark(text):
    """Adds to the line of the test that runs."""
    print(text, end=" ", file=sys.stderr, flush=True)


def run(*arguments, **options):
    """Runs mmscan. data=: its standard input. Gives its exit status, standard output and standard error."""
    options.setdefault("timeout", 120)
    if "stdin" not in options:
        options["input"] = options.pop("data", b"")
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    if "env" in options:
        options["env"] = {**os.environ, **options["env"]}
    done = subprocess.run([MMSCAN, *map(str, arguments)], **options)
    return done.returncode, done.stdout, (done.stderr or b"").decode(errors="replace")


def toy(name):
    """The path of a toy BLAS of the unit tests."""
    return os.path.join(os.path.dirname(os.path.abspath(MMSCAN)), "test", "toy_%s.so" % name)


def expected(x, axis=None, exclusive=False, reverse=False):
    """What NumPy says: flattened in C order where axis is None."""
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
    """Whole numbers, whose float sums are exact in any order; integers of the whole range, whose sums wrap around."""
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
    """A .npy file with a header as text."""
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
        """The command fails with a message and without a trace of an output file."""
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


class Npy(Case):
    def check(self, name, x, raw, axis, kind, reverse):
        source, target = self.write(name + ".npy", raw), self.path(name + ".out.npy")
        options = ["--kind", kind] + ["--reverse"] * reverse + (["--axis", axis] if axis is not None else [])
        self.good("scan", *options, "-o", target, source)
        note = (x.dtype, x.shape, options)
        got = np.load(target)
        self.same(got, expected(x, axis, kind == "exclusive", reverse), note)
        if axis is not None and x.ndim > 1:
            self.assertEqual(got.flags.f_contiguous, x.flags.f_contiguous, note)
        self.assertEqual((os.path.getsize(target) - got.nbytes) % 64, 0, note)
        os.remove(source)
        os.remove(target)

    def test_all_types_kinds_axes_orders(self):
        """Every type, kind, direction, axis of 1 to 4 dimensions and order; byte orders and versions by turns."""
        shapes = [(7,), (5, 3), (4, 2, 5), (3, 4, 2, 3)]
        byte_orders = itertools.cycle("<>=")
        versions = itertools.cycle([(1, 0), (2, 0)])
        jobs = []
        for code, kind, reverse, shape, order in itertools.product(
                TYPES.values(), ["inclusive", "exclusive"], [False, True], shapes, "CF"):
            for axis in [None, *range(len(shape)), -1]:
                x = np.array(sample(code, shape, len(jobs)), dtype=next(byte_orders) + code, order=order)
                name = "case%d" % len(jobs)
                jobs.append((name, x, npy_bytes(x, next(versions)), axis, kind, reverse))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda job: self.check(*job), jobs))
        remark("%d arrays" % len(jobs))

    def test_odd_shapes(self):
        """No dimensions, no elements, many dimensions."""
        shapes = [(), (0,), (1,), (0, 3), (3, 0), (2, 0, 4), (1, 1, 1), (1,) * 32, (2,) * 12]
        for number, shape in enumerate(shapes):
            x = np.array(sample("f8", shape), order="F" if number % 2 else "C")
            for axis in [None] + ([0, -1] if len(shape) < 2 else [0, 1, -1]):
                self.check("odd%d" % number, x, npy_bytes(x), axis, "exclusive", number % 3 == 0)

    def test_blocks_are_crossed(self):
        """Rows longer than a block, wide matrices, many small ones, transposes in pieces."""
        shapes = [((2, BLOCK + 70001), "C", 1), ((2, 3, 700001), "C", 1), ((2, 300, 9001), "C", 1),
                  ((3, 300, 9001), "C", 0), ((400000, 3, 2), "C", 1), ((300000, 7), "C", 1), ((7, 300000), "F", 1),
                  ((1500, 1700), "F", None), ((3, 1100, 2, 1050), "F", None), ((2, 1500000, 2), "F", None),
                  ((BLOCK + 5,), "C", None), ((20000, 3, 5), "F", 2), ((1 << 20, 1), "F", 0), ((5, 300001), "C", 0)]
        for number, (shape, order, axis) in enumerate(shapes):
            x = np.array(sample("i4", shape, number), order=order)
            for kind, reverse in [("inclusive", True), ("exclusive", False)]:
                self.check("block%d" % number, x, npy_bytes(x), axis, kind, reverse)

    def test_headers_others_write(self):
        """Any order of keys, quotes, blanks, no padding, Python 2's long integers, version 3."""
        data = np.arange(6.0).tobytes()
        texts = ["{'descr':'<f8','fortran_order':False,'shape':(6,)}",
                 "{\"shape\" : ( 6 ,) , \"descr\" : \"<f8\", \"fortran_order\" : False , }   \n",
                 "  {'fortran_order': False,\n 'shape': (6L,), 'descr': '<f8'}",
                 "{'descr': 'f8', 'fortran_order': True, 'shape': (6,), }\n",
                 "{'descr': '=f8', 'fortran_order': True, 'shape': (2, 3,), }\n"]
        for text, version in itertools.product(texts, [b"\x01\x00", b"\x02\x00", b"\x03\x00"]):
            out = self.good("scan", self.write("x.npy", npy_with(text, data, version)))
            got = np.load(io.BytesIO(out))
            x = np.arange(6.0).reshape(2, 3, order="F") if "2, 3" in text else np.arange(6.0)
            self.same(got, expected(x), text)

    def test_output_reads_in_numpy_as_version_1(self):
        out = self.good("scan", "--axis", 0, self.write("x.npy", npy_bytes(np.zeros((2, 3), "<i4"))))
        self.assertEqual(out[:8], b"\x93NUMPY\x01\x00")
        self.assertEqual(int.from_bytes(out[8:10], "little") + 10, 128)
        self.assertEqual(out[127:128], b"\n")

    def test_type_has_to_agree(self):
        path = self.write("x.npy", npy_bytes(np.arange(3, dtype="i4")))
        self.good("scan", "--type", "i32", path)
        self.bad("scan", "--type", "f32", path, says=["x.npy", "i32", "f32"])

    def test_types_that_are_not_supported(self):
        others = [np.zeros(3, bool), np.zeros(3, "i1"), np.zeros(3, "u2"), np.zeros(3, "f2"), np.zeros(3, "c8"),
                  np.zeros(3, "c16"), np.zeros(3, [("a", "f8"), ("b", "i4")]), np.zeros(3, "S5"), np.zeros(3, "U5"),
                  np.zeros(3, "M8[s]"), np.zeros(3, "m8[ns]"), np.zeros(3, "g")]
        for x in others:
            self.bad("scan", "-o", self.path("y.npy"), self.write("x.npy", npy_bytes(x)), says=["x.npy", "not supported"])
        raw = npy_with("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }\n", b"abc")
        self.bad("scan", "-o", self.path("y.npy"), self.write("x.npy", raw), says=["x.npy", "not supported"])

    def test_axis_out_of_range(self):
        path = self.write("x.npy", npy_bytes(np.zeros((2, 3))))
        for axis in [2, -3, 100, -100]:
            self.bad("scan", "--axis", axis, path, says=["x.npy", "axis"])
        self.bad("scan", "--axis=-2147483649", path, says="x.npy")


class DamagedNpy(Case):
    GOOD = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }\n"
    DATA = np.arange(3.0).tobytes()

    def damages(self):
        good, data, swap = self.GOOD, self.DATA, self.GOOD.replace
        whole = npy_with(good, data)
        yield "empty", b""
        yield "magic cut", whole[:4]
        yield "bad magic", b"\x93NUMPX" + whole[6:]
        yield "no version", whole[:6]
        yield "half a version", whole[:7]
        yield "no length", whole[:8]
        yield "half a length", whole[:9]
        yield "header cut", whole[:30]
        yield "header length too large", npy_with(good, data, length=60000)
        yield "header length too small", npy_with(good, data, length=20)
        yield "header length zero", npy_with(good, data, length=0)
        yield "header length 4 GiB", npy_with(good, data, b"\x02\x00", length=0xffffffff)
        for version in [b"\x00\x00", b"\x01\x01", b"\x04\x00", b"\xff\xff"]:
            yield "version %r" % version, npy_with(good, data, version)
        texts = {
            "no dictionary": "['descr', '<f8']", "number": "42", "blank": "    ", "no closing brace": swap("}", ""),
            "no opening brace": good[1:], "only braces": "{}", "deep": "{" * 1000,
            "no descr": swap("'descr': '<f8', ", ""), "no order": swap("'fortran_order': False, ", ""),
            "no shape": swap("'shape': (3,), ", ""), "unknown key": swap("}", "'more': 1}"),
            "key twice": swap("}", "'descr': '<f8'}"), "misspelt key": swap("shape", "shapes"),
            "long key": swap("shape", "s" * 500), "key is no string": swap("'shape'", "shape"),
            "no colon": swap("'shape':", "'shape'"), "no comma": swap("'<f8',", "'<f8'"),
            "open string": swap("(3,), }\n", "(3,), 'x"), "open descr": "{'descr': '<f8",
            "order is text": swap("False", "'False'"), "order is a number": swap("False", "0"),
            "order is cut": swap("False", "Fals"), "order is longer": swap("False", "Falsehood"),
            "shape is a number": swap("(3,)", "3"), "shape in parentheses": swap("(3,)", "(3)"),
            "shape is a list": swap("(3,)", "[3]"), "shape is open": swap("(3,), }\n", "(3,"),
            "shape is text": swap("(3,)", "('3',)"), "shape is float": swap("(3,)", "(3.0,)"),
            "only a comma": swap("(3,)", "(,)"), "two commas": swap("(3,)", "(3,,)"),
            "negative": swap("(3,)", "(-3,)"), "minus one": swap("(3,)", "(-1,)"), "octal": swap("(3,)", "(03,)"),
            "too large": swap("(3,)", "(9223372036854775808,)"), "huge": swap("(3,)", "(%s,)" % ("9" * 400)),
            "2^64 + 3": swap("(3,)", "(18446744073709551619,)"), "2^61 f64": swap("(3,)", "(2305843009213693952,)"),
            "product wraps": swap("(3,)", "(4294967296, 4294967296)"),
            "product wraps to 3": swap("(3,)", "(5, 7378697629483820647)"),
            "bytes wrap to 24": swap("(3,)", "(2305843009213693955,)"),
            "zero beside huge": swap("(3,)", "(0, 4611686018427387904, 4)"),
            "too many dimensions": swap("(3,)", "(%s)" % ("1, " * 65)), "underscore": swap("(3,)", "(3_0,)"),
            "after the brace": good + "junk", "zero bytes after": good + "\0\0", "zero byte in": swap("'<f8'", "'<f8\0'"),
            "descr is empty": swap("<f8", ""), "descr is '<'": swap("<f8", "<"), "descr is f": swap("<f8", "<f"),
            "descr is f88": swap("<f8", "<f88"), "descr is f0": swap("<f8", "<f0"), "descr !f8": swap("<f8", "!f8"),
            "descr is a number": swap("'<f8'", "8"), "descr is None": swap("'<f8'", "None"),
            "descr with escape": swap("<f8", "<f8\x1b[2J"), "not ASCII": swap("<f8", "<f\u00e9"),
            "shape larger than data": swap("(3,)", "(4,)"), "shape smaller than data": swap("(3,)", "(2,)"),
            "no dimensions, much data": swap("(3,)", "()"), "empty shape, data": swap("(3,)", "(0,)"),
        }
        for name, text in texts.items():
            yield name, npy_with(text, data)
        yield "data short by a byte", whole[:-1]
        yield "no data", npy_with(good)
        yield "junk after", whole + b"x"

    def test_damages(self):
        """Each is refused by name, from a file, a pipe to a file, and a pipe to a pipe."""
        target, count = self.path("y.npy"), 0
        for name, raw in self.damages():
            source = self.write("damaged.npy", raw)
            with self.subTest(name):
                self.bad("scan", "-o", target, source, says="damaged.npy")
                self.bad("scan", "--format", "npy", "-o", target, "-", data=raw, says="standard input")
                self.bad("scan", "--format", "npy", "--reverse", "-", data=raw, says="standard input")
            count += 1
        remark("%d damages" % count)

    def test_random_damages(self):
        """Bytes of a header changed at random: done or refused, nothing else."""
        generator = random.Random(42)
        whole = npy_with(self.GOOD, self.DATA)
        done = 0
        for _ in range(200):
            raw = bytearray(whole)
            for _ in range(generator.randint(1, 3)):
                raw[generator.randrange(len(whole) - len(self.DATA))] = generator.choice(
                    [generator.randrange(256), ord(generator.choice("{}()'\",:<>0123456789 LTF"))])
            if generator.random() < 0.2:
                del raw[generator.randrange(len(raw)):]
            status, _, err = run("scan", "-o", self.path("y.npy"), self.write("x.npy", bytes(raw)))
            self.assertIn(status, [0, 1], (bytes(raw), err))
            self.assertEqual(os.path.exists(self.path("y.npy")), status == 0, bytes(raw))
            self.assertTrue(status == 0 or "x.npy" in err, err)
            if status == 0:
                os.remove(self.path("y.npy"))
                done += 1
        remark("%d of 200 still readable" % done)


class Values(Case):
    def test_ten_million_doubles(self):
        x = np.random.default_rng(7).standard_normal(10_000_000)
        got = np.frombuffer(self.good("scan", "--type", "f64", self.write("x", x.tobytes())))
        scale = np.cumsum(np.abs(x))
        self.assertTrue(np.all(np.abs(got - np.cumsum(x)) <= 1e-12 * scale))
        x = np.abs(x)
        self.write("x.npy", npy_bytes(x))
        self.good("scan", "-o", self.path("y.npy"), self.path("x.npy"))
        np.testing.assert_allclose(np.load(self.path("y.npy")), np.cumsum(x), rtol=1e-12, atol=0)

    def test_not_finite(self):
        x = np.array([1, 2, np.inf, 3, -np.inf, 4, np.nan, 5])
        for engine in ["auto", "gemm", "simd", "serial"]:
            out = self.good("scan", "--engine", engine, "--type", "f64", "-", data=x.tobytes())
            with np.errstate(invalid="ignore"):
                np.testing.assert_array_equal(np.frombuffer(out), np.cumsum(x))
        text = self.good("scan", "-", data=b"1 inf\n-infinity 2 nan 3").decode().split()
        self.assertEqual(text, ["1", "inf", "nan", "nan", "nan", "nan"])

    def test_other_operators(self):
        """The library may not do them yet; the command does what the library does."""
        x = sample("i8", 1000)
        path = self.write("x.npy", npy_bytes(x))
        for op, function in [("max", np.maximum), ("min", np.minimum), ("mul", np.multiply)]:
            status, out, err = run("scan", "--op", op, path)
            if status == 0:
                self.same(np.load(io.BytesIO(out)), function.accumulate(x))
            else:
                self.assertEqual((status, out), (1, b""))
                self.assertIn("mmscan: " + path, err)

    def test_engines_agree(self):
        x = sample("f4", 300000)
        outs = [self.good("scan", "--engine", engine, "--type", "f32", "-", data=x.tobytes())
                for engine in ["auto", "gemm", "simd", "serial"]]
        self.assertEqual(outs, outs[:1] * 4)


class Text(Case):
    def lines(self, *arguments, **options):
        return self.good("scan", *arguments, **options).decode().splitlines()

    def test_csv_by_name_and_number(self):
        path = self.write("x.csv", "year,flow,place\n1871,1120,Aswan\n1872,1160,Aswan\n1873,963,Aswan\n")
        self.assertEqual(self.lines("--column", "flow", path), ["flow", "1120", "2280", "3243"])
        self.assertEqual(self.lines("--column", "2", "--type", "i32", path), ["flow", "1120", "2280", "3243"])
        self.assertEqual(self.lines("--column", "1", "--reverse", path), ["year", "5616", "3745", "1873"])
        self.assertEqual(self.lines("--column=flow", "--kind=exclusive", path), ["flow", "0", "1120", "2280"])
        self.bad("scan", path, says=["x.csv", "year, flow, place"])
        self.bad("scan", "--column", "depth", path, says=["x.csv", "depth", "year, flow, place"])
        for number in ["0", "4", "-1", "18446744073709551617"]:
            self.bad("scan", "--column", number, path, says=["x.csv", number])
        self.bad("scan", "--column", "place", path, says=["x.csv:2", "Aswan"])

    def test_csv_forms(self):
        """With and without names, quotes, blanks, line ends, a byte order mark."""
        forms = {b"1\n2\n3\n": ["1", "3", "6"], b"1\n2\n3": ["1", "3", "6"], b"n\r\n1\r\n2\r\n": ["n", "1", "3"],
                 b"n\r1\r2\r": ["n", "1", "3"], b'"n"\n"1"\n 2 \n': ["n", "1", "3"],
                 b"\xef\xbb\xbf1\n2\n": ["1", "3"], b"\xef\xbb\xbfn\n2\n": ["n", "2"], b"1\n2\n\n\n": ["1", "3"],
                 b"": [], b"n\n": ["n"], b"1\r\n2\r\n\r\n": ["1", "3"], b'"a,b"\n1\n': ['"a,b"', "1"],
                 b'"say ""it"""\n1\n': ['"say ""it"""', "1"], b'" a"\n1\n': ['" a"', "1"], b"-1.5e3\n.5\n": ["-1500", "-1499.5"]}
        for text, wanted in forms.items():
            self.assertEqual(self.lines(self.write("x.csv", text)), wanted, text)
        out = self.good("scan", self.write("x.csv", b'"two\nlines"\n1\n2\n'))
        self.assertEqual(list(csv.reader(io.StringIO(out.decode()))), [["two\nlines"], ["1"], ["3"]])

    def test_csv_errors_name_the_line(self):
        errors = {b"a,b\n1,2\n3\n": ":3", b"a,b\n1,2\n3,4,5\n": ":3", b"1,2\n3,4\n5,\n6,7\n": None, b"a,b\n1,2\n,4\n": ":3",
                  b"a,b\nx,2\n": ":2", b"a,b\r\n1,2\r\n1x,2\r\n": ":3", b"a,b\r1,2\r1x,2\r": ":3",
                  b"a,b\n1,2\n\n3,4\n": ":3", b'a,"b\nc"\n1,2\n"3 4",5\n': ":4", b'a,b\n1,2\n"3,4\n': None,
                  b'a,b\n1,2\n3"3,4\n': ":3", b"a,b\n1,2\n0x,4\n": ":3", b"a,b\n1 2,4\n": ":2", b"a,b\n1\0,4\n": ":2",
                  b"a,b\n1e999,4\n": ":2", b"a,b\n1,2\n" * 3: ":3", b"a,b\n1,2\n5;,3": ":3"}
        for text, line in errors.items():
            path = self.write("x.csv", text)
            if line is None and text.startswith(b"1"):
                self.bad("scan", "--column", 2, "-o", self.path("y.csv"), path, says=["x.csv:3", "empty"])
            else:
                self.bad("scan", "--column", "a" if b"a" in text else 1, "-o", self.path("y.csv"), path,
                         says="x.csv" + (line or ":"))
        self.bad("scan", self.write("x.csv", "n\n1\n\n2\n"), says="x.csv:3")
        self.bad("scan", self.write("x.csv", 'n\n1\n""\n2\n'), says=["x.csv:3", "empty"])
        self.bad("scan", "--column", "a", self.write("x.csv", "a,a\n1,2\n"), says="more than one")
        self.bad("scan", self.write("x.csv", '"' + "x" * 3000000), says="x.csv")

    def test_txt(self):
        self.assertEqual(self.lines(self.write("x.txt", "1 2\n\n  3\t4\r\n5")), ["1", "3", "6", "10", "15"])
        self.assertEqual(self.lines(self.write("x.txt", "")), [])
        table = self.write("x.txt", "year  flow\n1871  1120\n1872\t1160\n")
        self.assertEqual(self.lines("--column", "flow", table), ["1120", "2280"])
        self.assertEqual(self.lines("--column", "2", self.write("y.txt", "1 2\n3 4\n")), ["2", "6"])
        self.bad("scan", self.write("x.txt", "1 2\n3 four\n"), says=["x.txt:2", "four"])
        self.bad("scan", self.write("x.txt", "1,2\n"), says="x.txt:1")
        self.bad("scan", self.write("x.txt", "1\n2\n" + "9" * 2000), says="x.txt:3")
        self.bad("scan", "--column", "1", self.write("x.txt", "1 2\n3\n"), says="x.txt:2")
        for end in "\n", "\r", "\r\n":
            self.assertEqual(self.lines("--column", "1", self.write("x.txt", end.join(["1 2", "", "3 4", "5 6"]))), ["1", "4", "9"])
            self.bad("scan", self.write("x.txt", end.join(["1", "", "two"])), says="x.txt:3")

    def test_standard_input(self):
        self.assertEqual(self.lines("-", data=b"1\n2\n3\n"), ["1", "3", "6"])
        self.assertEqual(self.lines("-", data=b"flow\n1\n2\n"), ["flow", "1", "3"])
        self.assertEqual(self.lines("--column", "b", "-", data=b"a,b\n1,2\n3,4\n"), ["b", "2", "6"])
        self.assertEqual(self.lines("--format", "csv", "--type", "i64", "-", data=b"1\n2\n"), ["1", "3"])
        self.assertEqual(self.lines("-", data=b""), [])

    def test_integers_are_exact(self):
        limits = {code: (np.iinfo(dtype).min, np.iinfo(dtype).max) for code, dtype in TYPES.items() if code[0] != "f"}
        for code, (low, high) in limits.items():
            for value in [low, high, high - 1, 0]:
                out = self.lines("--type", code, self.write("x.txt", str(value)))
                self.assertEqual(out, [str(value)])
            for value in [low - 1, high + 1, 10 ** 30]:
                self.bad("scan", "--type", code, self.write("x.csv", "n\n%d\n" % value), says=["x.csv:2", "range"])
            for text in ["1.0", "1e3", "0x10", "inf", "--1", "+", "1 2", "१"]:
                self.bad("scan", "--type", code, self.write("x.csv", "n\n%s\n" % text), says="x.csv:2")
            self.assertEqual(self.lines("--type", code, self.write("x.txt", "+%d 1" % high)), [str(high), str(low)])
        x = sample("u8", 5000)
        text = "\n".join(map(str, x))
        got = np.array(list(map(int, self.lines("--type", "u64", self.write("x.txt", text)))), "u8")
        self.same(got, expected(x))

    def test_floats_survive(self):
        """What is printed reads back to the same bits, and no number takes more digits than it needs."""
        bits = np.random.default_rng(3).integers(0, 2 ** 64, 3000, "u8")
        for dtype, code in [("f8", "f64"), ("f4", "f32")]:
            x = bits.astype("u" + dtype[1]).view(dtype)
            x = x[np.isfinite(x)]
            for value in [*x[:20], np.finfo(dtype).max, np.finfo(dtype).tiny, np.finfo(dtype).tiny / 64]:
                text = repr(float(value))
                out = self.lines("--type", code, self.write("x.txt", text))
                self.assertEqual(np.array([float(out[0])]).astype(dtype)[0], value, text)
            small = (x.view("u" + dtype[1]) % 1000 / 7).astype(dtype)
            binary = np.load(io.BytesIO(self.good("scan", self.write("x.npy", npy_bytes(small)))))
            self.good("scan", "-o", self.path("y.csv"), self.path("x.npy"))
            self.same(np.array(self.read("y.csv").split(), dtype=dtype), binary)
        self.assertEqual(self.lines(self.write("x.txt", "0.1")), ["0.1"])
        self.assertEqual(self.lines("--type", "f32", self.write("x.txt", "0.1")), ["0.1"])
        self.bad("scan", "--type", "f32", self.write("x.txt", "1e39"), says="range")

    def test_conversions(self):
        x = np.arange(1000) * 0.25
        self.write("x.csv", "v\n" + "\n".join(map(repr, x)))
        self.write("x.npy", npy_bytes(x))
        self.write("x.raw", x.tobytes())
        self.write("x.txt", " ".join(map(repr, x)))
        for source, target in itertools.product(["csv", "npy", "raw", "txt"], repeat=2):
            options = ["--type", "f64"] + ["--reverse", "--kind", "exclusive"]
            self.good("scan", *options, "-o", self.path("y." + target), self.path("x." + source))
            raw = self.read("y." + target)
            if target == "npy":
                got = np.load(io.BytesIO(raw))
            elif target == "raw":
                got = np.frombuffer(raw)
            else:
                words = raw.split()
                self.assertEqual(words[0] == b"v", (source, target) == ("csv", "csv"))
                got = np.array([word for word in words if word != b"v"], dtype="f8")
            self.same(got, expected(x, None, True, True), (source, target))
        self.bad("scan", "--axis", "0", "-o", self.path("y.csv").replace("y.csv", "z.csv"),
                 self.write("m.npy", npy_bytes(np.zeros((2, 2)))), says="m.npy")


class Pipes(Case):
    def test_pipe_to_pipe(self):
        x = sample("i8", BLOCK + 12345)
        for exclusive, reverse in itertools.product([False, True], repeat=2):
            options = ["--kind", "exclusive" if exclusive else "inclusive"] + ["--reverse"] * reverse
            wanted = expected(x, None, exclusive, reverse)
            self.same(np.frombuffer(self.good("scan", *options, "--type", "i64", "-", data=x.tobytes()), "i8"), wanted)
            out = self.good("scan", *options, "-", data=npy_bytes(x))
            self.same(np.load(io.BytesIO(out)), wanted)

    def test_matrices(self):
        for order, axis, reverse in itertools.product("CF", [None, 0, 1, 2], [False, True]):
            x = np.array(sample("f4", (30, 70, 11)), order=order, dtype=">f4")
            options = (["--axis", axis] if axis is not None else []) + ["--reverse"] * reverse
            out = self.good("scan", *options, "-", data=npy_bytes(x, (2, 0)))
            self.same(np.load(io.BytesIO(out)), expected(x, axis, False, reverse), (order, axis, reverse))

    def test_forward_needs_no_temporary_file(self):
        x = sample("i8", 100000)
        nowhere = {"TMPDIR": self.path("nowhere")}
        self.good("scan", "--type", "i64", "-", data=x.tobytes(), env=nowhere)
        self.good("scan", "-", data=npy_bytes(x), env=nowhere)
        self.good("scan", "--axis", "1", "-", data=npy_bytes(x.reshape(10, -1)), env=nowhere)
        self.good("scan", "--reverse", "-o", self.path("y.npy"), self.write("x.npy", npy_bytes(x)), env=nowhere)
        self.bad("scan", "--reverse", "--type", "i64", "-", data=x.tobytes(), env=nowhere, says="nowhere")

    def test_standard_input_within_a_file(self):
        """A file as standard input is read from where it stands."""
        x = sample("i8", 1000)
        self.write("x", b"junk!" + npy_bytes(x))
        for options in [], ["--reverse"]:
            with open(self.path("x"), "rb") as file:
                file.seek(5)
                os.lseek(file.fileno(), 5, os.SEEK_SET)
                out = self.good("scan", *options, "-", stdin=file)
            self.same(np.load(io.BytesIO(out)), expected(x, reverse=bool(options)))

    def test_append_to_a_file(self):
        x = sample("i8", 1000)
        self.write("y", b"before")
        for options in [], ["--reverse"]:
            with open(self.path("y"), "ab") as file:
                self.good("scan", "--type", "i64", *options, self.write("x", x.tobytes()), stdout=file)
        wanted = b"before" + expected(x).tobytes() + expected(x, reverse=True).tobytes()
        self.assertEqual(self.read("y"), wanted)

    def test_closed_pipe(self):
        """Nobody reads: a message and exit 1, no death by a signal."""
        path = self.write("x", bytes(1 << 22))
        for arguments in [("scan", "--type", "f64", path), ("scan", "--help"), ("info",), ("info", "--json"), ("--help",),
                          ("--version",), ("scan", self.write("x.txt", "1 2 3"))]:
            reader, writer = os.pipe()
            os.close(reader)
            self.bad(*arguments, stdout=writer, says="standard output")
            os.close(writer)

    def test_closed_standard_files(self):
        def close_output():
            os.close(1)

        path = self.write("x.txt", "1 2 3")
        self.bad("info", preexec_fn=close_output, says="standard output")
        self.bad("scan", path, preexec_fn=close_output, says="standard output")
        self.good("scan", "-o", self.path("y.txt"), path, preexec_fn=close_output)
        self.assertEqual(self.read("y.txt"), b"1\n3\n6\n")
        self.bad("scan", "-", preexec_fn=lambda: os.close(0), stdin=subprocess.DEVNULL, says="standard input")

    def test_raw_that_is_short(self):
        for size in [1, 7, 9, 8 * 1000 + 3]:
            path = self.write("x", bytes(size))
            self.bad("scan", "--type", "f64", "-o", self.path("y"), path, says=path)
            self.bad("scan", "--type", "f64", "-o", self.path("y"), "-", data=bytes(size), says="standard input")
            self.bad("scan", "--type", "f64", "--reverse", "-", data=bytes(size), says="standard input")
        self.assertEqual(self.good("scan", "--type", "f64", "-"), b"")
        self.assertEqual(self.good("scan", "--type", "f64", "/dev/null"), b"")


class Output(Case):
    def test_full_disk(self):
        path = self.write("x.npy", npy_bytes(np.zeros(1000)))
        text = self.write("x.txt", "1 2 3")
        for source in path, text:
            for options in [], ["--reverse"]:
                self.bad("scan", *options, "-o", "/dev/full", source, says=["/dev/full", "space"])
                with open("/dev/full", "wb") as full:
                    self.bad("scan", *options, source, stdout=full, says="standard output")
        with open("/dev/full", "wb") as full:
            for arguments in [("--help",), ("--version",), ("scan", "--help"), ("info", "--help"), ("info",), ("info", "--json"),
                              ("bench", "--help"), ("bench", "--list"), ("tune", "--help"), (*Bench.TINY, 4), (*Bench.TINY, 4, "--json"),
                              ("table", "--json"), ("model", "-n", 9, "-s", 3, "--json")]:
                self.bad(*arguments, stdout=full, says="mmscan: standard output: No space")

    def test_full_disk_keeps_what_was_there(self):
        path = self.write("x", bytes(1 << 20))
        self.write("y", b"old")
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 19, 1 << 19))
        for options in [], ["--reverse"]:
            self.bad("scan", "--type", "f64", *options, "-o", self.path("y"), path, preexec_fn=limit, says=self.path("y"))
            self.bad("scan", "--type", "f64", *options, "-o", self.path("z"), path, preexec_fn=limit)
            self.assertEqual(self.read("y"), b"old")
        self.bad("scan", "--type", "f64", "--reverse", "-", data=bytes(1 << 20), preexec_fn=limit, says="temporary file")

    def test_failure_keeps_what_was_there(self):
        self.write("y.npy", b"old")
        whole = npy_bytes(np.zeros(1000))
        self.bad("scan", "-o", self.path("y.npy"), "-", data=whole[:-5], says="standard input")
        self.bad("scan", "-o", self.path("y.npy"), self.write("x.npy", whole + b"x"))
        self.assertEqual(self.read("y.npy"), b"old")
        self.bad("scan", "-o", self.path("y.npy"), self.path("missing.npy"), says=["missing.npy", "No such file"])
        self.bad("scan", "-o", self.path("missing/y.npy"), self.write("x.npy", whole), says="missing/y.npy")
        self.bad("scan", "-o", self.directory, self.path("x.npy"), says=[self.directory, "directory"])
        for options in [], ["--type", "f64"]:
            self.bad("scan", *options, self.directory, says=[self.directory, "directory"])

    def test_in_is_out(self):
        x = sample("i8", 10000)
        for options, reverse in [([], False), (["--reverse"], True)]:
            path = self.write("x.npy", npy_bytes(x))
            self.good("scan", *options, "-o", path, path)
            self.same(np.load(path), expected(x, reverse=reverse))

    def test_modes(self):
        path = self.write("x.txt", "1 2")
        for mask in 0o022, 0o077:
            self.good("scan", "-o", self.path("y"), path, preexec_fn=lambda: os.umask(mask))
            self.assertEqual(os.stat(self.path("y")).st_mode & 0o777, 0o666 & ~mask)
            os.remove(self.path("y"))
        self.write("y", b"")
        os.chmod(self.path("y"), 0o640)
        self.good("scan", "-o", self.path("y"), path)
        self.assertEqual(os.stat(self.path("y")).st_mode & 0o777, 0o640)

    def test_symbolic_links(self):
        """What the link names is replaced, or made; the link stays."""
        path = self.write("x.txt", "1 2")
        os.mkdir(self.path("d"))
        self.write("d/real", b"old")
        os.symlink("d/real", self.path("link"))
        os.symlink("link", self.path("link2"))
        os.symlink(self.path("d/new"), self.path("dangling"))
        os.symlink("loop", self.path("loop"))
        for link, real in [("link2", "d/real"), ("dangling", "d/new")]:
            self.good("scan", "-o", self.path(link), path)
            self.assertTrue(os.path.islink(self.path(link)))
            self.assertEqual(self.read(real), b"1\n3\n")
        self.assertEqual(sorted(os.listdir(self.path("d"))), ["new", "real"])
        self.bad("scan", "-o", self.path("loop"), path, says="loop")

    def test_what_is_no_file_is_written_directly(self):
        path = self.write("x.npy", npy_bytes(np.arange(4.0)))
        self.good("scan", "-o", "/dev/null", path)
        self.assertTrue(not os.path.isfile("/dev/null"))
        os.mkfifo(self.path("fifo.npy"))
        got = []

        def read():
            got.append(self.read("fifo.npy"))

        reader = threading.Thread(target=read)
        reader.start()
        self.good("scan", "--reverse", "-o", self.path("fifo.npy"), path)
        reader.join()
        self.same(np.load(io.BytesIO(got[0])), np.array([6.0, 6.0, 5.0, 3.0]))

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_read_only(self):
        path = self.write("x.txt", "1 2")
        self.write("y", b"old")
        os.chmod(self.path("y"), 0o444)
        self.bad("scan", "-o", self.path("y"), path, says="y")
        os.mkdir(self.path("d"), 0o555)
        self.bad("scan", "-o", self.path("d/y"), path, says="d/y")

    def test_signals(self):
        """The temporary file goes; the process ends by the signal; what was there stays."""
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            self.write("y", b"old")
            process = subprocess.Popen([MMSCAN, "scan", "--type", "f64", "-o", self.path("y"), "-"],
                                       stdin=subprocess.PIPE, stderr=subprocess.PIPE)
            process.stdin.write(bytes(8000))
            process.stdin.flush()
            deadline = time.time() + 10
            while len(os.listdir(self.directory)) < 2 and time.time() < deadline:
                time.sleep(0.01)
            self.assertEqual(len(os.listdir(self.directory)), 2)
            process.send_signal(number)
            self.assertEqual(process.wait(10), -number)
            process.stdin.close()
            process.stderr.close()
            self.assertEqual(os.listdir(self.directory), ["y"])
            self.assertEqual(self.read("y"), b"old")


class Terminal(Case):
    def slow(self, stderr, seconds=1.7):
        """Feeds a scan for some time."""
        process = subprocess.Popen([MMSCAN, "scan", "--type", "f64", "-"], stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stderr=stderr)
        end = time.time() + seconds
        while time.time() < end:
            process.stdin.write(bytes(8000))
            process.stdin.flush()
            time.sleep(0.05)
        process.stdin.close()
        self.assertEqual(process.wait(20), 0)

    def open_terminal(self):
        try:
            return pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal to be had: {error}")

    def on_terminal(self, work):
        """What work(terminal) shows there."""
        master, terminal = self.open_terminal()
        shown = []

        def read():
            try:
                while data := os.read(master, 4096):
                    shown.append(data)
            except OSError:  # the other end is closed
                pass

        reader = threading.Thread(target=read)
        reader.start()
        work(terminal)
        os.close(terminal)
        reader.join()
        os.close(master)
        return b"".join(shown).decode()

    def test_progress_bar(self):
        shown = self.on_terminal(self.slow)
        self.assertIn("scanning", shown)
        self.assertTrue(shown.endswith("\r\x1b[K"), shown)

    def test_no_progress_bar(self):
        """Neither where standard error is no terminal, nor for short work."""
        path = self.path("messages")
        with open(path, "wb") as file:
            self.slow(file)
        self.assertEqual(os.path.getsize(path), 0)
        self.assertEqual(self.on_terminal(lambda terminal: self.slow(terminal, 0.2)), "")

    def test_binary_is_not_for_terminals(self):
        def work(terminal):
            self.bad("scan", self.write("x.npy", npy_bytes(np.zeros(3))), stdout=terminal, says="terminal")
            self.good("scan", self.write("x.txt", "1 2"), stdout=terminal)

        self.assertEqual(self.on_terminal(work), "1\r\n3\r\n")


class InfoAndUsage(Case):
    def test_info(self):
        report = json.loads(self.good("info", "--json"))
        text = self.good("info").decode()
        self.assertEqual(text.splitlines()[0].split(), ["version", report["version"]])
        self.assertLessEqual({"gemm", "simd", "serial"}, {engine["name"] for engine in report["engines"]})
        self.assertIn("cblas", [unit["name"] for unit in report["units"]])
        for key in "version", "cpu", "isa":
            self.assertIsInstance(report[key], str)
            self.assertIn(report[key], text)
        for part in report["engines"] + report["units"] + report["isas"]:
            self.assertIn(part["name"], text)
            self.assertIn(part["description"], text)
        self.assertIn("wisdom       none", text)
        self.assertGreaterEqual(report["threads"], 1)
        self.assertIsNone(report["wisdom"])
        self.assertIsNone(report["environment_error"])

    def test_instruction_sets(self):
        """Each that runs here can be had, and gives the same whole numbers; the others are refused by name."""
        path = self.write("x", sample("f4", 100000).tobytes())
        isas = json.loads(self.good("info", "--json"))["isas"]
        self.assertEqual([isa["name"] for isa in isas], ["avx512", "avx512vl", "avx2", "neon", "portable"])
        wanted = self.good("scan", "--type", "f32", path)
        for isa in isas:
            env = {"MMSCAN_ISA": isa["name"]}
            if isa["description"] == "runs here":
                self.assertEqual(json.loads(self.good("info", "--json", env=env))["isa"], isa["name"])
                self.assertEqual(self.good("scan", "--type", "f32", path, env=env), wanted)
            else:
                self.bad("info", env=env, says=["MMSCAN_ISA", isa["name"], "does not have it"])
                self.bad("scan", "--type", "f32", path, env=env, says=["MMSCAN_ISA", isa["name"]])
        self.bad("info", env={"MMSCAN_ISA": "abacus"}, says=["MMSCAN_ISA", "abacus", "avx512, avx512vl, avx2, neon, portable"])
        remark("of %s" % ", ".join(isa["name"] for isa in isas if isa["description"] == "runs here"))

    def test_illegal_environment(self):
        path = self.write("x.txt", "1 2")
        wrong = {"MMSCAN_ENGINE": "abacus"}
        self.bad("scan", "-o", self.path("y.txt"), path, env=wrong, says=["x.txt", "MMSCAN_ENGINE", "abacus"])
        self.good("scan", "--engine", "serial", path, env=wrong)
        for options in ["info"], ["info", "--json"]:
            status, out, err = run(*options, env=wrong)
            self.assertEqual(status, 1)
            self.assertIn("MMSCAN_ENGINE", err)
            self.assertIn("abacus", out.decode())
        report = json.loads(out)
        self.assertEqual(report["environment"], wrong)
        self.assertIn("MMSCAN_ENGINE", report["environment_error"])
        status, out, _ = run("info", "--json", env={"MMSCAN_ENGINE": b"\xff\xfe".decode("utf-8", "surrogateescape")})
        self.assertEqual((status, len(json.loads(out)["environment"])), (1, 1))
        report = json.loads(self.good("info", "--json", env={"MMSCAN_NUM_THREADS": "1"}))
        self.assertEqual((report["threads"], report["environment"]), (1, {"MMSCAN_NUM_THREADS": "1"}))

    def test_help(self):
        for arguments in ["--help"], ["-h"], ["scan", "--help"], ["info", "--help"], ["bench", "--help"], \
                ["tune", "--help"], ["table", "--help"], ["draw", "--help"], ["model", "--help"]:
            self.assertIn("Usage: mmscan", self.good(*arguments).decode())
        self.assertEqual(self.good("--version").decode().split()[0], "mmscan")

    def test_wrong_usage(self):
        path, raw = self.write("x.txt", "1 2"), self.write("x.dat", bytes(8))
        npy = self.write("x.npy", npy_bytes(np.zeros(2)))
        for arguments in [[], ["sing"], ["--sing"], ["scan"], ["scan", "--sing", path], ["scan", path, path],
                          ["scan", "--type", "f16", path], ["scan", "--type", path], ["scan", "--kind", "both", path],
                          ["scan", "--op", "minus", path], ["scan", "--axis", "x", path], ["scan", "--axis", "1.5", path],
                          ["scan", "--axis", "", path], ["scan", "--format", "xls", path], ["scan", path, "-o"],
                          ["scan", "--engine", "abacus", path], ["scan", raw], ["scan", "--column", "1", npy],
                          ["scan", "--type", "f64", "--column", "1", raw], ["scan", "--format", "raw", path],
                          ["scan", "--reverse=yes", path], ["info", "x"], ["info", "--sing"]]:
            _, out, err = run(*arguments)
            self.assertEqual(self.bad(*arguments, status=2), b"")
            self.assertIn("--help", err)


class Tune(Case):
    """What it writes, never how fast anything is."""

    QUICK = ["tune", "--quick", "--type"]

    def test_wisdom(self):
        """The file is made, is taken by MMSCAN_WISDOM, and info tells of it."""
        path = self.path("w")
        text = self.good(*self.QUICK, "f32", "-o", path).decode()
        shapes = [line.split()[:2] for line in text.splitlines()[:-1] if line.startswith("f32")]
        self.assertEqual(shapes, [["f32", "2^16"], ["f32", "2^20"]])
        self.assertIn("written to " + path, text.splitlines()[-1])
        self.assertEqual(os.listdir(self.directory), ["w"])
        self.assertIn("wisdom       %s, 2 shapes" % path, self.good("info", env={"MMSCAN_WISDOM": path}).decode())
        report = json.loads(self.good("info", "--json", env={"MMSCAN_WISDOM": path}))
        self.assertEqual(report["wisdom"], {"file": path, "shapes": 2})
        x = sample("f4", 100000)
        out = self.good("scan", "--type", "f32", "-", data=x.tobytes(), env={"MMSCAN_WISDOM": path})
        self.same(np.frombuffer(out, "f4"), expected(x))

    def test_json(self):
        path = self.write("w", b"old, and no wisdom")
        report = json.loads(self.good(*self.QUICK, "i64", "-o", path, "--json"))
        self.assertEqual((report["file"], report["version"]), (path, json.loads(self.good("info", "--json"))["version"]))
        self.assertEqual([(row["type"], row["log2_n"]) for row in report["choices"]], [("i64", 16), ("i64", 20)])
        info = json.loads(self.good("info", "--json", env={"MMSCAN_WISDOM": path}))
        for row in report["choices"]:
            self.assertIn(row["engine"], [engine["name"] for engine in info["engines"]])
            self.assertGreaterEqual(row["threads"], 1)
            self.assertEqual(row["unit"] is None, row["engine"] != "gemm")
        self.assertEqual(info["wisdom"]["shapes"], 2)
        odd = self.good(*self.QUICK, "i64", "-o", self.path(os.fsdecode(b"\xff")), "--json")
        self.assertEqual(json.loads(odd)["file"], self.path("?"))

    def test_old_wisdom_is_measured_again(self):
        """Neither believed, nor in the way where it is no good."""
        self.write("w", b"no wisdom")
        self.good(*self.QUICK, "f32", "-o", self.path("new"), env={"MMSCAN_WISDOM": self.path("w")})
        self.assertEqual(self.read("w"), b"no wisdom")

    def test_default_file(self):
        self.good(*self.QUICK, "f32", cwd=self.directory)
        self.assertEqual(os.listdir(self.directory), ["mmscan.wisdom"])

    def test_wisdom_that_cannot_be_used(self):
        path = self.write("x.txt", "1 2")
        files = {self.path("missing"): "No such file", self.directory: "read", self.write("w", b"x"): "damaged"}
        for name, reason in files.items():
            env = {"MMSCAN_WISDOM": name}
            self.bad("info", env=env, says=["MMSCAN_WISDOM", name, reason])
            self.bad("scan", "-o", self.path("y"), path, env=env, says=["MMSCAN_WISDOM", name, reason])
            status, out, _ = run("info", "--json", env=env)
            self.assertEqual((status, json.loads(out)["wisdom"]), (1, {"file": name, "shapes": 0}))

    def test_failures(self):
        limit = lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.setrlimit(resource.RLIMIT_FSIZE, (9, 9)))
        old = self.write("w", b"old")
        for name, reason in [("missing/w", "No such file"), (self.directory, "directory"), ("/dev/full", "not a regular file")]:
            self.assertEqual(self.bad(*self.QUICK, "f32", "-o", self.path(name), says=[name, reason]), b"")  # not measured
        self.bad("tune", "--unit", self.path("libx.so"), says="mmscan: %s: cannot open" % self.path("libx.so"))
        self.bad("tune", "--try", "cblas", "sgemv", says="no routine 'sgemv'")
        self.bad(*self.QUICK, "f32", "-o", old, preexec_fn=limit, says=[old, "too large"])
        os.mkfifo(self.path("pipe"))
        self.bad(*self.QUICK, "f32", "-o", self.path("pipe"), says="pipe")
        self.assertEqual(self.read("w"), b"old")

    def test_environment(self):
        """What it would not choose from, it says: nothing is measured, and no file made."""
        self.bad(*self.QUICK, "f32", "-o", self.path("w"), env={"MMSCAN_ENGINE": "abacus"}, says=["MMSCAN_ENGINE", "abacus"])
        self.bad(*self.QUICK, "f32", "-o", self.path("w"), env={"MMSCAN_ENGINE": "serial"}, says=["MMSCAN_ENGINE", "serial"])
        self.good(*self.QUICK, "f32", "-o", self.path("w"), env={"MMSCAN_ENGINE": "auto", "MMSCAN_ISA": "portable"})
        self.good("info", env={"MMSCAN_WISDOM": self.path("w"), "MMSCAN_ISA": "portable"})

    def test_libraries(self):
        """One that is named is measured too; its routines that may crash are tried apart, and the file says which passed."""
        sound, crashes = toy("sound"), toy("crashes")
        if not os.path.exists(sound) or not os.path.exists(crashes):
            self.skipTest("the toy libraries of the unit tests are not built")
        path = self.path("w")
        report = json.loads(self.good(*self.QUICK, "f32", "--unit", sound, "--unit", crashes, "-o", path, "--json"))
        outcomes = {(row["unit"], row["routine"]): row["outcome"] for row in report["routines"]}
        self.assertEqual(outcomes[sound, "sgemm_batch"], "passed")
        self.assertEqual(outcomes[crashes, "sgemm_batch"], "crashed")
        self.assertIn("good sgemm_batch", self.read("w").decode())
        states = {}
        for wisdom in {}, {"MMSCAN_WISDOM": path}:
            info = json.loads(self.good("info", "--json", env={"MMSCAN_UNIT": sound, **wisdom}))
            unit = next(unit for unit in info["units"] if unit["name"] == sound)
            states[bool(wisdom)] = next(r for r in unit["routines"] if r["name"] == "sgemm_batch")
            text = self.good("info", env={"MMSCAN_UNIT": sound, **wisdom}).decode()
            self.assertEqual("sgemm_batch: off" in text, not wisdom)
        self.assertEqual([states[known]["used"] for known in (False, True)], [False, True])
        self.assertEqual(run("tune", "--try", sound, "sgemm_batch")[0], 0)
        self.assertNotIn(run("tune", "--try", crashes, "sgemm_batch")[0], (0, 1, 2))
        self.bad("tune", "--try", sound, "sgesv")
        self.bad("tune", "--unit", toy("drops"), says=["toy_drops.so", "wrong products"])
        self.bad("info", env={"MMSCAN_UNIT": toy("drops")}, says=["MMSCAN_UNIT", "wrong products"])

    def test_wrong_usage(self):
        for arguments in [["x"], ["--sing"], ["--unit"], ["--try", "cblas"], ["--try", "cblas", "a", "b"], ["--type", "f16"], ["--type", ""], ["--type"], ["-o"], ["-o", "-"],
                          ["--quick=1"], ["--json=1"], ["--quick", "--type", "f32", "x"]]:
            self.assertEqual(self.bad("tune", *arguments, status=2), b"")


# A peer that leaves its results as they were, one that is right, one that was not built.
FAKE_PEERS = r"""
#include "peer.h"
static void idle(size_t n, const void *x, void *y, int threads) { (void)n, (void)x, (void)y, (void)threads; }
static void right(size_t n, const void *from, void *to, int threads) {
  float sum = 0;
  (void)threads;
  for (size_t i = 0; i < n; i++) ((float *)to)[i] = sum += ((const float *)from)[i];
}
static const peer bad = {"idle peer", "by hand", 0, PEER_ONE_THREAD, NULL, {idle, idle, idle, idle}};
static const peer good = {"right peer", "by hand", 0, PEER_OWN_THREADS, NULL, {right}};
static const peer none = {.name = "absent peer", .absent = "there is none"};
const peer *const *mmscan_bench_peers(void) {
  static const peer *const table[] = {&bad, &good, &none, NULL};
  return table;
}
"""


class Timed(Case):
    """A bench that has tests of what it says, never of how fast anything is."""

    def setUp(self):
        """Threads that spin while they wait are slow by a thousand times where others take their cores."""
        super().setUp()
        patch = unittest.mock.patch.dict(os.environ, {"OMP_WAIT_POLICY": "passive"})
        patch.start()
        self.addCleanup(patch.stop)


class Bench(Timed):
    TINY = ["bench", "--rounds", 1, "-n"]

    def rows(self, *arguments, **options):
        report = json.loads(self.good(*arguments, "--json", **options))
        return [(table, row) for table in report["tables"] for row in table["rows"]]

    def names(self, *arguments):
        return {row["name"] for _, row in self.rows(*arguments)}

    def test_table(self):
        text = self.good(*self.TINY, "4:10:2,11").decode()
        parts = json.loads(self.good("info", "--json"))
        for name in ["2^4", "2^11", "copy bound", "serial loop", "mmscan (one call)", "omp simd inscan"]:
            self.assertIn(name, text)
        for engine in parts["engines"]:
            self.assertIn("mmscan " + engine["name"], text)
        for unit in parts["units"]:
            self.assertIn(unit["name"], text)
        self.assertNotIn("2^5", text)

    def test_json(self):
        report = json.loads(self.good("bench", "--rounds", 2, "--length", "1,1025,200003", "--type", "all", "--place", "both",
                                      "--only", "mmscan,omp simd", "--json"))
        shapes = {(table["type"], table["place"], table["n"]) for table in report["tables"]}
        self.assertEqual(shapes, set(itertools.product(["f32", "f64", "i32", "i64"], ["in", "out"], [1, 1025, 200003])))
        self.assertEqual(len(report["tables"]), len(shapes))
        self.assertEqual((report["rounds"], report["version"]), (2, json.loads(self.good("info", "--json"))["version"]))
        self.assertLessEqual({"cpu", "threads", "caches"}, set(report["machine"]))
        self.assertIn("-O3", report["peers"][0]["built"])
        for table in report["tables"]:
            self.check_rows(table)

    def check_rows(self, table):
        for row in table["rows"]:
            if "skipped" in row:
                self.assertNotIn("WRONG", row["skipped"], (table, row))
                continue
            self.assertLessEqual(row["fastest_seconds"], row["seconds"])
            self.assertAlmostEqual(row["gelem_per_second"] * row["seconds"] * 1e9 / table["n"], 1)
            self.assertGreater(row["of_bound"], 0)
            if row["role"] == "loop":
                self.assertEqual((row["times_serial"], row["threads"]), (1, 1))
        roles = [row["role"] for row in table["rows"] if "seconds" in row]
        self.assertEqual(set(roles), {"bound", "copy", "loop", "mmscan", "peer"})
        self.assertEqual(roles.count("loop"), 1)

    def test_copy_read_ahead(self):
        """Copying as threads that share a scan read is timed where arrays are larger than all caches."""
        caches = json.loads(self.good(*self.TINY, 4, "--json"))["machine"]["caches"]
        if max(caches) > 64 << 20:
            self.skipTest("caches of more than 64 MiB")
        for place, name in ("out", "copy, read ahead"), ("in", "update, read ahead"):
            rows = self.rows("bench", "--rounds", 1, "--length", "1000,%d" % (max(caches) // 4 + 5), "--place", place,
                             "--threads", "all", "--only", "mmscan (", env={"MMSCAN_NUM_THREADS": "3"})
            short, long = [row for _, row in rows if row["name"] == name]
            self.assertIn("larger than all caches", short["skipped"])
            self.assertGreater(long["of_bound"], 0)

    def test_numpy(self):
        for table, row in self.rows(*self.TINY, "4,10", "--type", "all", "--place", "both", "--only", "NumPy",
                                    env={"PYTHON": sys.executable}):
            if row["name"] == "NumPy cumsum":
                self.assertIn("seconds", row, (table["type"], table["place"]))

    def test_threads(self):
        def counts(*options):
            return {row["threads"] for _, row in self.rows(*self.TINY, 4, *options, env={"MMSCAN_NUM_THREADS": "3"})
                    if row["role"] == "mmscan" and "seconds" in row}

        self.assertEqual(counts("--threads", "1"), {1})
        self.assertEqual(counts("--threads", "all"), {3})
        self.assertEqual(counts(), {1, 3})
        rows = self.rows(*self.TINY, 4, env={"MMSCAN_NUM_THREADS": "1"})
        self.assertEqual({row["threads"] for _, row in rows}, {1})
        self.assertIn("omp two-pass", {row["name"] for _, row in rows})

    def test_peers_of_one_thread(self):
        """They take part whatever the threads are: once, on one, beside copying on one; parallel peers on all alone."""
        one = {"omp simd inscan", "NumPy cumsum", "serial loop"}
        parallel = {"omp two-pass", "omp two-pass simd", "omp parallel for simd inscan"}
        for option, bounds in ("1", [1]), ("all", [1, 3]), ("both", [1, 3]):
            arguments, environment = ["--threads", option], {"MMSCAN_NUM_THREADS": "3", "PYTHON": sys.executable}
            rows = [row for _, row in self.rows(*self.TINY, 4, *arguments, env=environment)]
            listed = self.good("bench", "--list", *arguments, env=environment).decode()
            for name in one:
                self.assertEqual([row["threads"] for row in rows if row["name"] == name], [1], (option, name))
                self.assertEqual(len(re.findall("(?m)^%s +1 thread$" % name, listed)), 1, (option, name))
            for name in parallel:
                self.assertEqual([row["threads"] for row in rows if row["name"] == name], [3] * (option != "1"))
            self.assertEqual([row["threads"] for row in rows if row["role"] == "bound"], bounds)
            loop, bound = [next(row["seconds"] for row in rows if row["role"] == role) for role in ("loop", "bound")]
            self.assertAlmostEqual(next(row["of_bound"] for row in rows if row["role"] == "loop"), bound / loop)

    def test_only(self):
        names = self.names(*self.TINY, 4, "--only", "one call,two-pass")
        self.assertEqual(names - {"copy", "copy past the caches", "copy, read ahead"},
                         {"copy bound", "serial loop", "mmscan (one call)", "omp two-pass", "omp two-pass simd"})
        for only in "abacus", "one call,abacus":
            self.bad(*self.TINY, 4, "--only", only, status=2, says="abacus")
        self.assertIn("omp two-pass", self.good("bench", "--list").decode())

    def test_wrong_usage(self):
        for arguments in [["x"], ["--sing"], ["-n", "x"], ["-n", "-1"], ["-n", "41"], ["-n", "9:4"], ["-n", "4:9:0"],
                          ["-n", "4:9:1:1"], ["-n", "4,"], ["--length", "0"], ["--length", "1.5"], ["--type", "f16"],
                          ["--type", ""], ["--place", "over"], ["--threads", "2"], ["--rounds", "0"],
                          ["--rounds", "x"], ["--plot", "x.pdf"], ["--plot", ".svg"], ["--json=1"],
                          ["--length", ",".join(map(str, range(1, 99)))], ["--only", ",".join("m" * 99)],
                          ["--only", ""], ["--only", "serial,"]]:
            self.bad("bench", *arguments, status=2, says="")

    def test_failures(self):
        self.bad(*self.TINY, 4, env={"MMSCAN_ENGINE": "abacus"}, says=["MMSCAN_ENGINE", "abacus"])
        self.bad(*self.TINY, 40, says=["memory", "nothing was timed"])
        self.bad(*self.TINY, 4, "--plot", self.path("x.svg"), env={"PATH": self.directory}, says="gnuplot")

    def test_plot(self):
        if shutil.which("gnuplot") is None:
            self.skipTest("no gnuplot here")
        title = "<it's> \\ \"{/:Bold 5}\" & `date` $x %d"
        svg, png = self.path("it's a plot.svg"), self.path("plot.png")
        self.good(*self.TINY, "2,4", "--place", "both", "--plot", svg, "--title", title)
        text = "".join(xml.etree.ElementTree.parse(svg).getroot().itertext())
        for each in [title, "f32, in place", "f32, out of place", "copy bound", "update bound", "mmscan (one call)"]:
            self.assertIn(each.replace(" ", ""), text.replace("\u00a0", "").replace(" ", ""))
        self.assertIn("Gelem/s", text)
        self.good(*self.TINY, "4", "--plot", png, "--json")
        self.assertEqual(self.read("plot.png")[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(sorted(os.listdir(self.directory)), ["it's a plot.svg", "plot.png"])
        self.bad(*self.TINY, 4, "--plot", self.path("nowhere/x.svg"), says="nowhere/x.svg")
        self.good(*self.TINY, "2,4", "--threads", "all", "--plot", svg, env={"MMSCAN_NUM_THREADS": "3"})
        text = "".join(xml.etree.ElementTree.parse(svg).getroot().itertext()).replace("\u00a0", " ")
        for each in ["omp simd inscan, 1 thread", "omp two-pass, 3 threads"]:
            self.assertIn(each, text)

    def test_peers_beside_the_command(self):
        """Looked for beside the command; a wrong result is told, not timed, and the exit status is 1."""
        compiler = shutil.which(os.environ.get("CC", "gcc").split()[0])
        if compiler is None:
            self.skipTest("no C compiler here")
        alone = shutil.copy(MMSCAN, self.directory)
        listed = subprocess.run([alone, "bench", "--list"], stdout=subprocess.PIPE, check=True).stdout.decode()
        self.assertRegex(listed, "C\\+\\+ peers .*skipped: not built")
        headers = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bench")
        subprocess.run([compiler, "-shared", "-fPIC", "-I", headers, "-o", self.path("mmscan-peers.so"), "-x", "c", "-"],
                       input=FAKE_PEERS.encode(), check=True)
        done = subprocess.run([alone, *map(str, self.TINY), "4", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        rows = {row["name"]: row for row in json.loads(done.stdout)["tables"][0]["rows"]}
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"mmscan: idle peer, f32, n = 16: WRONG", done.stderr)
        self.assertIn("WRONG result, first at element 0", rows["idle peer"]["skipped"])
        self.assertGreater(rows["right peer"]["seconds"], 0)
        self.assertEqual(rows["absent peer"]["skipped"], "there is none")


# The part of a CBLAS that a unit needs. With more columns than RIGHT, its first result is wrong.
FAKE_BLAS = r"""
#define GEMM(T, NAME)                                                                                      \
  void NAME(int order, int ta, int tb, int m, int n, int k, T alpha, const T *a, int lda, const T *b,      \
            int ldb, T beta, T *c, int ldc) {                                                              \
    for (int i = 0; i < m; i++)                                                                            \
      for (int j = 0; j < n; j++) {                                                                        \
        T sum = i + j == 0 && n > RIGHT;                                                                   \
        for (int l = 0; l < k; l++)                                                                        \
          sum += a[(order == 101) == (ta == 111) ? i * lda + l : l * lda + i] *                            \
                 b[(order == 101) == (tb == 111) ? l * ldb + j : j * ldb + l];                             \
        T *at = order == 101 ? &c[i * ldc + j] : &c[j * ldc + i];                                          \
        *at = alpha * sum + (beta != 0 ? beta * *at : 0);                                                  \
      }                                                                                                    \
  }
GEMM(float, cblas_sgemm)
GEMM(double, cblas_dgemm)
"""

# Threads of its own, by the calls of BLIS, which it starts with one of; at the end it tells how many there are.
FAKE_THREADS = r"""
#include <stdio.h>
static int threads = -1;
int bli_thread_get_num_threads(void) { return threads; }
void bli_thread_set_num_threads(long count) { threads = count < 7 ? (int)count : 7; }
__attribute__((destructor)) static void tell(void) { fprintf(stderr, "own threads: %d\n", threads); }
"""


class Page(html.parser.HTMLParser):
    """What a browser would ask others for, the names of parts, and the text."""

    VOID = {"meta", "br"}

    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.open, self.tags, self.text = [], [], [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)
        for name, value in attributes:
            if name in ("src", "href", "xlink:href", "data", "action", "srcset"):
                self.links.append(value)
            if name == "id":
                self.ids.append(value)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        self.text += data


class Units(Timed):
    """bench --units"""

    TINY = ["bench", "--rounds", 1, "-n", 10, "--units"]
    SIZES = [2, 4, 8, 16, 32, 64, 128]

    def library(self, name, right=1 << 30, more=""):
        """A unit that is wrong in products of more than so many columns."""
        compiler = shutil.which(os.environ.get("CC", "gcc").split()[0])
        if compiler is None:
            self.skipTest("no C compiler here")
        subprocess.run([compiler, "-shared", "-fPIC", "-DRIGHT=%d" % right, "-o", self.path(name), "-x", "c", "-"],
                       input=(FAKE_BLAS + more).encode(), check=True)
        return self.path(name)

    def test_text(self):
        text = self.good(*self.TINY, "cblas,model", env={"OMP_DYNAMIC": "false"}).decode()
        for each in ["OMP_DYNAMIC=false", "n = 2^10", "copy bound", "serial loop", "tiles by rows", "s = 128", "GFLOP/s"]:
            self.assertIn(each, text)
        self.assertIn("level of a scan, n = 2^10:", text)
        for unit in ["cblas", "model"]:
            self.assertRegex(text, "\n   [12] %s " % unit)
        for n, lengths in [(1, "n = 2 to 128, whole columns of s"), (1000, "n = 896 to 1000, whole columns of s")]:
            text = self.good("bench", "--rounds", 1, "--length", n, "--units", "cblas").decode()
            self.assertIn("level of a scan, %s:" % lengths, text)

    def test_json(self):
        title = "it's"
        report = json.loads(self.good(*self.TINY, "model,cblas", "--json", "--title", title,
                                      env={"OPENBLAS_NUM_THREADS": "1", "KMP_BLOCKTIME": "0"}))
        self.assertLessEqual({"OPENBLAS_NUM_THREADS": "1", "KMP_BLOCKTIME": "0"}.items(), report["settings"].items())
        self.assertEqual(report["command"], "mmscan bench --rounds 1 -n 10 --units model,cblas --json --title 'it'\\''s'")
        self.assertEqual((report["n"], report["rounds"]), (1024, 1))
        self.check_ranking(report, {"cblas", "model"})
        works = [(table["work"], len({row["s"] for row in table["rows"] if "s" in row})) for table in report["tables"]]
        self.assertEqual(works, [("product", 1)] * 8 + [("scan", 7), ("scan", works[-1][1])])
        sizes = [{row["s"] for row in table["rows"] if "s" in row} for table in report["tables"][:7]]
        self.assertEqual(sizes, [{s} for s in self.SIZES])
        for table in report["tables"]:
            for row in table["rows"]:
                self.check_row(table["n"], row)

    def check_row(self, n, row):
        if "skipped" in row:
            self.assertNotIn("WRONG", row["skipped"])
            return
        self.assertAlmostEqual(row["gelem_per_second"] * row["seconds"] * 1e9 / n, 1)
        if "form" in row:
            self.assertAlmostEqual(row["gflop_per_second"] / row["gelem_per_second"], 2 * row["s"])

    def check_ranking(self, report, labels):
        """The fastest is first, on the most threads, and is who the table says it is."""
        ranking = report["ranking"]
        self.assertEqual({row["label"] for row in ranking}, labels)
        speeds = [row["gelem_per_second"] or 0 for row in ranking]
        self.assertEqual(speeds, sorted(speeds, reverse=True))
        threads = report["machine"]["threads"]
        scans = {(row["name"], row["s"]): row.get("gelem_per_second") for row in report["tables"][-1]["rows"]
                 if row["role"] == "mmscan" and row["threads"] == threads}
        for row in ranking:
            if "failed" not in row:
                self.assertEqual(scans[row["label"], row["s"]], row["gelem_per_second"])
                self.assertIn(row["s"], self.SIZES)
                self.assertEqual(row["forms"]["tiles"], "timed")

    def test_csv(self):
        out = self.good(*self.TINY, "model,cblas", "--csv").decode()
        rows = list(csv.DictReader(io.StringIO(out), strict=True))
        self.assertEqual({row["work"] for row in rows}, {"product", "scan"})
        self.assertEqual({row["name"] for row in rows if row["role"] == "mmscan"}, {"model", "cblas"})
        self.assertEqual({int(row["s"]) for row in rows if row["form"]}, set(self.SIZES + [512]))
        timed = [row for row in rows if row["seconds"]]
        for row in timed:
            self.assertEqual((row["skipped"], None in row), ("", False))
            self.assertAlmostEqual(float(row["gelem_per_second"]) * float(row["seconds"]) * 1e9 / int(row["n"]), 1, 14)
        self.assertGreater(max(len(row["seconds"]) for row in timed), 18)
        plain = self.good("bench", "--rounds", 1, "-n", "4,10", "--only", "mmscan", "--csv").decode()
        self.assertEqual({row["n"] for row in csv.DictReader(io.StringIO(plain))}, {"16", "1024"})

    def test_lengths_and_types(self):
        """Where nothing divides anything, one element is less than a column, and tiles are crossed."""
        for n, kind in itertools.product([1, 2, 127, 128, 129, 511, 513, 65536 * 2 + 5], ["f32", "f64"]):
            report = json.loads(self.good("bench", "--rounds", 1, "--units", "cblas", "--length", n, "--type", kind, "--json"))
            self.check_ranking(report, {"cblas"})
            self.assertEqual({table["type"] for table in report["tables"]}, {kind})
            self.assertTrue(all(table["n"] % s == 0 for table, s in zip(report["tables"], self.SIZES)))

    def test_threads(self):
        for option, threads in ("1", {1}), ("all", {3}), ("both", {1, 3}):
            report = json.loads(self.good(*self.TINY, "cblas", "--threads", option, "--json",
                                          env={"MMSCAN_NUM_THREADS": "3"}))
            self.assertEqual({row["threads"] for row in report["tables"][-1]["rows"] if row["role"] == "mmscan"}, threads)

    def test_own_threads(self):
        """All units have the same threads of their own in one gemm for all, however they are set; and are set back."""
        unit = self.library("libown.so", more=FAKE_THREADS)
        for option, wanted in ("both", 3), ("1", 1):
            status, out, err = run(*self.TINY, "%s,cblas" % unit, "--threads", option, "--json",
                                   env={"MMSCAN_NUM_THREADS": "3", "OPENBLAS_NUM_THREADS": "2", "BLIS_NUM_THREADS": "2"})
            self.assertEqual((status, err), (0, "own threads: -1\n"))
            report = json.loads(out)
            rows = [row for table in report["tables"] for row in table["rows"] if row["name"] == "own"]
            for form, threads in ("tiles", 1), ("tiles by rows", 1), ("whole", wanted), ("whole, 1 thread", 1):
                self.assertEqual({row["threads"] for row in rows if row.get("form") == form}, {threads}, form)
            alone = [row for row in rows if row.get("form") == "whole, 1 thread"]
            self.assertEqual({"skipped" in row for row in alone}, {wanted == 1})
            self.assertEqual([row["threads"] for row in report["ranking"] if row["label"] == "own"], [wanted])
        text = run(*self.TINY, unit, env={"MMSCAN_NUM_THREADS": "9"})[1].decode()
        self.assertRegex(text, "(?m)^threads .* set to 9 ")
        self.assertRegex(text, "(?m)^own .*libown.so, 7 threads$")

    def test_what_is_found(self):
        listed = self.good("bench", "--units", "--list").decode()
        parts = json.loads(self.good("info", "--json"))["units"]
        self.assertRegex(listed, "(?m)^cblas ")
        self.assertNotRegex(listed, "(?m)^model ")
        labels = [line.split()[0] for line in listed.splitlines()]
        self.assertEqual(len(labels), len(set(labels)))
        self.assertIn(parts[0]["library"], listed)
        report = json.loads(self.good("bench", "--units", "--json", "--rounds", 1, "-n", 8))
        self.check_ranking(report, set(labels))
        both = self.good("bench", "--list", "--units", "model,found,cblas").decode()
        self.assertEqual([line.split()[0] for line in both.splitlines()], ["model"] + labels)
        again = self.good("bench", "--units", ",".join(labels), "--list").decode()
        self.assertEqual(again, listed)
        remark("%d units" % len(labels))

    def test_units_that_fail(self):
        """They are told, not timed; the others are, the files are written, and the exit status is 1."""
        good, sly, bad = self.library("libgood.so"), self.library("libsly.so", 2000), self.library("libbad.so", 0)
        other = self.write("libother.so", "no library")
        absent = self.path("libabsent.so")
        svg = self.path("units.svg")
        status, out, err = run("bench", "--rounds", 1, "-n", 12, "--units", ",".join([sly, good, absent, bad, other]),
                               "--json", *(["--plot", svg] if shutil.which("gnuplot") else []))
        self.assertEqual(status, 1)
        report = json.loads(out)
        self.check_ranking(report, {"good", "sly", "bad", "absent", "other"})
        reasons = {row["label"]: row.get("failed", "") for row in report["ranking"]}
        self.assertEqual(report["ranking"][0]["label"], "good")
        for name, reason in [("good", "^$"), ("sly", "^[a-z, ]*, s = 2: WRONG result, first at element 0 of 4096$"),
                             ("bad", "wrong products"), ("absent", "cannot open"), ("other", ".")]:
            self.assertRegex(reasons[name], reason)
            if name != "good":
                self.assertIn("lib%s.so" % name, err)
        self.assertEqual({row["name"] for table in report["tables"] for row in table["rows"]
                          if row["role"] == "mmscan" and "seconds" in row}, {"good"})
        if shutil.which("gnuplot"):
            text = "".join(xml.etree.ElementTree.parse(svg).getroot().itertext())
            self.assertIn("failed:", text.replace("\u00a0", " "))

    def test_no_unit_left(self):
        """Nothing is timed, and what was there stays."""
        plot = []
        if shutil.which("gnuplot"):
            plot = ["--plot", self.write("x.svg", b"old"), "--report", self.path("x.html")]
        absent = "%s,%s" % (self.path("liba.so"), self.path("libb.so"))
        self.assertEqual(self.bad("bench", "--units", absent, *plot, says=["liba.so", "libb.so"]), b"")
        if plot:
            self.assertEqual(self.read("x.svg"), b"old")

    def test_names(self):
        """Of files with one name in many folders, of many names of one file, and of a unit twice."""
        first = self.library("libtoy.so")
        os.mkdir(self.path("sub"))
        second = shutil.copy(first, self.path("sub/libtoy.so"))
        os.symlink(first, self.path("liblink.so"))
        units = [first, second, self.path("liblink.so"), first, "cblas", "cblas"]
        listed = self.good("bench", "--list", "--units", ",".join(units)).decode()
        self.assertEqual([line.split()[0] for line in listed.splitlines()], ["toy", "libtoy.so", "cblas"])

    def test_long_names(self):
        """They are cut: columns stay columns, and each has one of its own."""
        units = [self.library("lib%s%s.so" % ("x" * 40, end)) for end in "abc"]
        text = self.good(*self.TINY, ",".join(units)).decode()
        rows = [line for line in text.splitlines() if re.search(" tiles +[0-9]", line)]
        self.assertEqual(len({line.split()[0] for line in rows}), 3)
        self.assertEqual({line.index(" tiles ") for line in rows}, {23})
        bars = [line.index("|") for line in text.splitlines() if re.match("(Scans|rank|   [-0-9] )", line)]
        self.assertEqual((len(bars), len(set(bars))), (7, 1), text)

    def test_names_that_are_no_text(self):
        """JSON, SVG and HTML are UTF-8, whatever the name of a file or a title is."""
        odd = os.fsdecode(b"\xff\n\"")
        unit, page, svg = self.library("lib%s.so" % odd), self.path("x.html"), self.path("x.svg")
        drawn = ["--report", page, "--plot", svg, "--title", odd] if shutil.which("gnuplot") else []
        report = json.loads(self.good(*self.TINY, unit, "--json", *drawn))
        self.check_ranking(report, {'?\n"'})
        if drawn:
            xml.etree.ElementTree.parse(svg)
            self.assertIn("<h1>?\n&quot;</h1>", self.read("x.html").decode())

    def test_plot(self):
        if shutil.which("gnuplot") is None:
            self.skipTest("no gnuplot here")
        title = "<it's> \\ \"{/:Bold 5}\" & `date` $x %d"
        svg, png = self.path("it's a plot.svg"), self.path("plot.png")
        self.good(*self.TINY, "cblas,model", "--plot", svg, "--title", title)
        text = "".join(xml.etree.ElementTree.parse(svg).getroot().itertext()).replace("\u00a0", "").replace(" ", "")
        for each in [title, "cblas", "model", "copying, 1 thread", "serial loop", "roofline", "GB/s", "s = 128"]:
            self.assertIn(each.replace(" ", ""), text)
        self.good(*self.TINY, "cblas", "--plot", png, "--json", "--threads", "1")
        self.assertEqual(self.read("plot.png")[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(sorted(os.listdir(self.directory)), ["it's a plot.svg", "plot.png"])

    def test_report(self):
        if shutil.which("gnuplot") is None:
            self.skipTest("no gnuplot here")
        title = "<b>&amp; 'x'"
        name, svg = self.path("report.html"), self.path("plot.svg")
        out = self.good(*self.TINY, "model,cblas", "--report", name, "--plot", svg, "--title", title, "--json",
                        env={"BLIS_NUM_THREADS": "it's <2>"})
        report, text = json.loads(out), self.read("report.html").decode()
        page = Page(text)
        self.assertEqual(page.open, [])
        self.assertEqual([link for link in page.links if not link.startswith("#")], [])
        self.assertNotRegex(text.replace("http://www.w3.org/", ""), "https?:|url\\([^#]|@import|<script")
        self.assertEqual(len(page.ids), len(set(page.ids)))
        self.assertLessEqual({link[1:] for link in page.links}, set(page.ids))
        self.assertEqual((page.tags.count("svg"), page.tags.count("figcaption")), (3, 3))
        for each in [title, "BLIS_NUM_THREADS", "export BLIS_NUM_THREADS='it'\\''s <2>'", report["command"], "copy bound",
                     "strided batch", report["version"], report["machine"]["cpu"]]:
            self.assertIn(each, page.text)
        places = [page.text.index("\n%d%s" % (place + 1, row["label"])) for place, row in enumerate(report["ranking"])]
        self.assertEqual(places, sorted(places))
        for picture in text.split("<figure>")[1:]:
            xml.etree.ElementTree.fromstring(picture[:picture.index("<figcaption>")])
        self.assertEqual(sorted(os.listdir(self.directory)), ["plot.svg", "report.html"])

    def test_wrong_usage(self):
        for arguments in [["--units", "cblas,"], ["--units", ""], ["--units="], ["--units", "cblas", "x"],
                          ["--units", ",".join("lib%d.so" % i for i in range(40))], ["--units", "--type", "i32"],
                          ["--units", "--type", "f32,f64"], ["--units", "-n", "4,5"], ["--units", "--only", "x"],
                          ["--units", "--place", "in"], ["--units", "--place", "both"], ["--report", "x.html"],
                          ["--units", "--report", "x.txt"], ["--units", "--report", ".html"], ["--csv", "--json"]]:
            self.bad("bench", *arguments, status=2, says="")

    def test_failures(self):
        page = ["--report", self.path("x.html")]
        self.bad(*self.TINY, "cblas", *page, env={"PATH": self.directory}, says=["--report", "gnuplot"])
        self.bad(*self.TINY, "cblas", "--plot", self.path("x.svg"), env={"PATH": self.directory}, says=["--plot", "gnuplot"])
        self.bad("bench", "--units", "cblas", "-n", 40, *page, says="memory")
        self.bad(*self.TINY, "cblas", env={"MMSCAN_ENGINE": "abacus"}, says=["MMSCAN_ENGINE", "abacus"])
        if shutil.which("gnuplot"):
            self.bad(*self.TINY, "cblas", "--report", self.path("nowhere/x.html"), says="nowhere/x.html")
            self.bad(*self.TINY, "cblas", *page, "--plot", self.path("nowhere/x.svg"), says="nowhere/x.svg")

    @unittest.skipIf(os.geteuid() == 0 and not shutil.which("setpriv"), "root may write anywhere")
    def test_read_only(self):
        if shutil.which("gnuplot") is None:
            self.skipTest("no gnuplot here")
        os.mkdir(self.path("d"), 0o555)
        os.chmod(self.directory, 0o755)
        user = ["setpriv", "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        done = subprocess.run([*user, MMSCAN, *map(str, self.TINY), "cblas", "--report", self.path("d/x.html")],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"d/x.html", done.stderr)
        self.assertEqual(os.listdir(self.path("d")), [])

    def test_signals(self):
        """Both files that are on their way go; what was there stays."""
        if shutil.which("gnuplot") is None:
            self.skipTest("no gnuplot here")
        self.write("x.svg", b"old")
        process = subprocess.Popen([MMSCAN, "bench", "--units", "cblas", "-n", "22", "--rounds", "1000", "--plot",
                                    self.path("x.svg"), "--report", self.path("x.html")], stdout=subprocess.DEVNULL)
        deadline = time.time() + 30
        while len(os.listdir(self.directory)) < 3 and time.time() < deadline:
            time.sleep(0.01)
        self.assertEqual(len(os.listdir(self.directory)), 3)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), -signal.SIGTERM)
        self.assertEqual((os.listdir(self.directory), self.read("x.svg")), (["x.svg"], b"old"))

    def test_environment_names_the_unit(self):
        """MMSCAN_UNIT is for others: the units here are those that are listed."""
        report = json.loads(self.good(*self.TINY, "cblas", "--json", env={"MMSCAN_UNIT": "model"}))
        self.check_ranking(report, {"cblas"})


class Table(Case):
    """The paper's Table 1."""

    def rows(self, *options):
        report = json.loads(self.good("table", "--json", *options))
        return {(row["method"], row["s"]): row for row in report["rows"]}

    def test_powers(self):
        for k in 2, 4, 6:
            n = 4**k
            rows = self.rows("-n", n, "-s", 4 if k == 2 else 8)
            self.assertEqual(len(rows), 7 if k == 2 else 8)  # two of them are of s = 4 then
            for row in rows.values():
                stated = row["depth"]["stated"]["value"]
                if stated is not None:
                    self.assertEqual(row["depth"]["measured"], stated, row)
                if row["work"]["stated"].get("value") is not None:
                    self.assertEqual(row["work"]["measured"], row["work"]["stated"]["value"], row)
            self.assertEqual(rows["sklansky", None]["work"]["measured"], n * 2 * k // 2)
            self.assertEqual(rows["brent-kung", None]["work"]["measured"], 2 * n - 2 * k - 2)
            self.assertEqual(rows["matmulscan", 2]["work"]["unpadded"], 2 * n - 2 * k - 2)
            self.assertEqual(rows["matmulscan", 4]["depth"]["measured"], 2 * k - 1)
            self.assertEqual((rows["matmulscan", 4]["fan_in"], rows["matmulscan", 4]["fan_out"]), (4, 4))

    def test_other_lengths(self):
        """Statements about powers have no value there."""
        for n in 1, 1000, 4095:
            for row in self.rows("-n", n, "-s", 5).values():
                if n > 1 and row["method"] != "dakkak-block":
                    self.assertIsNone(row["depth"]["stated"]["value"], row)
                self.assertGreaterEqual(row["work"]["measured"], row["work"]["unpadded"])

    def test_text(self):
        out = self.good("table", "-n", 256, "-s", 16).decode()
        for each in ["n = 256", "Sklansky", "n log2(n) / 2 = 1024", "2n - log2(n) - 2 = 502", "5 ceil(n / s^3) = 5",
                     "MatMulScan, s = 2 ", "MatMulScan, s = 4 ", "MatMulScan, s = 16 ", "2 log_s(n) - 1 = 3"]:
            self.assertIn(each, out)

    def test_wrong_usage(self):
        for options in [["-n", "0"], ["-n", "x"], ["-n", "-1"], ["-s", "1"], ["-s", "513"], ["x"], ["--sing"], ["-n"]]:
            self.bad("table", *options, status=2)


class Draw(Case):
    """The pictures, read as XML."""

    SVG = "{http://www.w3.org/2000/svg}"

    def draw(self, *options):
        path = self.path("picture.svg")
        self.assertEqual(self.good("draw", "-o", path, *options), b"")
        self.assertEqual(os.listdir(self.directory), ["picture.svg"])
        return xml.etree.ElementTree.parse(path).getroot()

    def groups(self, picture, kind):
        return [g for g in picture.iter(self.SVG + "g") if g.get("class").split()[0] == kind]

    def adders(self, picture):
        """By level: which place gets the sum of which."""
        levels = {}
        for group in self.groups(picture, "adder"):
            circle = group.find(self.SVG + "circle")
            to, terms = group.find(self.SVG + "title").text.split(": ")
            terms = [int(term) for term in terms.split(" + ")]
            self.assertEqual(group.find(self.SVG + "path").get("d").count("M"), len(terms))
            levels.setdefault(float(circle.get("cy")), set()).add((int(to), *terms))
        return [levels[y] for y in sorted(levels)]

    def test_adders_are_those_counted(self):
        for n in 16, 64:
            rows = json.loads(self.good("table", "--json", "-n", n, "-s", 8))["rows"]
            for row in rows:
                size = ["-s", row["s"]] if row["s"] else []
                levels = self.adders(self.draw("--algorithm", row["method"], "-n", n, *size))
                self.assertEqual(sum(map(len, levels)), row["adders"], row)
                self.assertEqual(max(len(adder) - 1 for level in levels for adder in level), row["fan_in"], row)
        self.assertEqual(sum(map(len, self.adders(self.draw("--algorithm", "brent-kung", "-n", 64)))), 128 - 6 - 2)
        self.assertEqual(sum(map(len, self.adders(self.draw("--algorithm", "sklansky", "-n", 64)))), 64 * 6 // 2)
        # Figure 1: 12 + 3 adders up, 9 down; with 64 elements 48 + 12 + 3 up, 9 + 45 down
        self.assertEqual([len(level) for level in self.adders(self.draw("-n", 16, "-s", 4))], [12, 3, 9])
        self.assertEqual([len(level) for level in self.adders(self.draw("-n", 64, "-s", 4))], [48, 12, 3, 9, 45])

    def test_circuit_is_a_scan(self):
        """The adders of a picture, done level by level."""
        for algorithm, s, lengths in [("sklansky", 2, [1, 7, 33]), ("hillis-steele", 2, [16, 21]),
                                      ("brent-kung", 2, [1, 13, 64]), ("matmulscan", 3, [9, 27]),
                                      ("matmulscan", 8, [64, 8])]:
            for n in lengths:
                x = [1 << i for i in range(n)]
                for level in self.adders(self.draw("--algorithm", algorithm, "-s", s, "-n", n)):
                    x = [dict((to, sum(x[i] for i in terms)) for to, *terms in level).get(i, x[i]) for i in range(n)]
                self.assertEqual(x, [(2 << i) - 1 for i in range(n)], (algorithm, s, n))

    def test_s_2_is_brent_kung(self):
        for n in 2, 16, 64, 50:
            ours = self.adders(self.draw("-s", 2, "-n", n, "--rule", "padded"))
            self.assertEqual(ours, self.adders(self.draw("--algorithm", "brent-kung", "-n", n)))

    def test_values(self):
        for algorithm in ["sklansky", "hillis-steele", "blelloch", "brent-kung", "dakkak-block", "matmulscan"]:
            picture = self.draw("--algorithm", algorithm, "-n", 21, "-s", 3, "--values")
            texts = [(float(t.get("y")), float(t.get("x")), t.text) for t in picture.iter(self.SVG + "text")]
            places = max(y for y, _, text in texts if text == "20")
            above = max(y for y, _, text in texts if y < places and text.isdigit() and y != places)
            sums = [int(text) for _, _, text in sorted(t for t in texts if t[0] == above)][:21]
            first = 0 if algorithm == "blelloch" else 1
            self.assertEqual(sums, [(i + first) * (i + first + 1) // 2 for i in range(21)], algorithm)

    def test_marks(self):
        picture = self.draw("-n", 22, "-s", 4)
        kinds = {g.get("class").split()[1] for g in self.groups(picture, "adder")}
        self.assertEqual(kinds, {"up", "down", "totals", "broadcast"})
        self.assertEqual(len(self.groups(picture, "move")), 4)  # the last of 16, of 4, of 1 and of 1 go to w
        self.assertIn("depth 4", "".join(picture.itertext()))

    def test_tensor(self):
        """n = 16, s = 2: 15 products, each with a T and a W of four cells, and y and z."""
        picture = self.draw("--figure", "tensor", "-n", 16, "-s", 2)
        cells = [r for r in picture.iter(self.SVG + "rect") if r.get("class") in ("cell", "padding", "up", "down", "one")]
        self.assertEqual(len(cells), 15 * 4 * 4 + 7 * 4)
        self.assertEqual(sum(r.get("class") == "up" for r in cells), 2 * (8 + 4 + 2 + 1))
        self.assertEqual(sum(r.get("class") == "down" for r in cells), 2 * (1 + 3 + 7))
        texts = [t.text for t in picture.iter(self.SVG + "text")]
        self.assertIn("level 7: down-sweep, A = B", texts)
        self.draw("--figure", "tensor", "--algorithm", "dakkak-warp", "-n", 16, "-s", 4, "--values")

    def test_segments(self):
        """63 = 3 * 16 + 3 * 4 + 3 to base 4; segments of one are never swept, the first gets no broadcast."""
        picture = self.draw("--figure", "segments", "-n", 63, "-s", 4)
        shapes = [p.get("class") for p in picture.iter(self.SVG + "polygon")]
        self.assertEqual((shapes.count("up"), shapes.count("down")), (6, 3))
        bars = [r for r in picture.iter(self.SVG + "rect") if r.get("class") == "broadcast" and r.get("height") == "16"]
        self.assertEqual(len(bars), 8)
        self.assertIn("9 segments, depth 6; stated is 2 floor(log_s n) = 4", "".join(picture.itertext()))
        self.assertIn("one segment", "".join(self.draw("--figure", "segments", "-n", 64).itertext()))

    def test_every_figure_of_every_method(self):
        for algorithm in ["sklansky", "hillis-steele", "blelloch", "brent-kung", "dakkak-warp", "dakkak-block",
                          "matmulscan"]:
            for n in 1, 2, 5, 9:
                for values in [], ["--values"]:
                    picture = self.draw("--algorithm", algorithm, "-s", 3, "-n", n, *values)
                    self.assertGreater(float(picture.get("height")), 100)
                    for box in picture.iter(self.SVG + "circle"):
                        self.assertLess(float(box.get("cx")), float(picture.get("width")))
                        self.assertLess(float(box.get("cy")), float(picture.get("height")))

    def test_output(self):
        self.assertEqual(self.good("draw", "-o", "-")[:5], b"<?xml")
        self.bad("draw", "-o", self.path("nowhere/x.svg"), says="nowhere/x.svg")
        kept = self.write("kept.svg", "before")
        self.bad("draw", "-o", kept, "--algorithm", "dakkak-warp", "-s", 2, "-n", 5, says="s^2")
        self.assertEqual(self.read("kept.svg"), b"before")
        self.bad("draw", "-o", kept, "--algorithm", "dakkak-block", "-s", 512, says="too large")

    def test_wrong_usage(self):
        for options in [[], ["-o"], ["-o", "x", "y"], ["-o", "x", "-n", "0"], ["-o", "x", "-n", "1025"],
                        ["-o", "x", "-s", "1"], ["-o", "x", "--algorithm", "bogo"], ["-o", "x", "--figure", "4"],
                        ["-o", "x", "--rule", "none"], ["-o", "x", "--algorithm", "sklansky", "--figure", "tensor"],
                        ["-o", "x", "--algorithm", "dakkak-block", "--figure", "segments"], ["--sing"]]:
            self.bad("draw", *options, status=2, cwd=self.directory)
class Model(Case):
    """What the paper says of its algorithm, and that no time beats the critical path or the work."""

    def model(self, *arguments):
        return json.loads(self.good("model", *arguments, "--json"))

    def test_figures_of_the_paper(self):
        """The square multiplications of some n = s^k, counted by hand, and Lemma 1's bounds."""
        for s, k, counted, bound in [(2, 4, 15, 22), (2, 8, 255, 270), (3, 6, 243, 253), (4, 3, 11, 15), (4, 6, 683, 693),
                                     (8, 5, 1171, 1179), (16, 4, 547, 553), (16, 5, 8739, 8747)]:
            got = self.model("-n", "%d^%d" % (s, k), "-s", s)
            self.assertEqual(got["n"], s ** k)
            self.assertEqual(got["multiplications"], {"counted": counted, "bound": bound})
            self.assertEqual(got["depth"], {"counted": 2 * k - 1, "bound": 2 * k - 1})
            self.assertLessEqual(got["additions"]["counted"], got["additions"]["bound"])

    def test_times(self):
        for s, n, latency, lanes in [(4, 4096, 10, 0), (2, 1000, 0, 0), (5, 12345, 2.5, 0), (16, 2 ** 20, 100, 0),
                                     (4, 5000, 7, 8)]:
            options = ["-n", n, "-s", s, "-l", latency] + (["--lanes", lanes] if lanes else [])
            times = []
            for p in 1, 2, 7, 10 ** 9:
                got = self.model(*options, "-p", p)
                self.assertEqual((got["latency"], got["units"], got["lanes"]), (latency, p, lanes))
                time, work = got["p_units"]["counted"], got["work"] + got["vector_work"]
                self.assertGreaterEqual(time, max(got["critical_path"], got["work"] / p, got["vector_work"] / p))
                self.assertLessEqual(time, got["brent"] * (1 + 1e-12))
                times.append(time)
                if lanes:
                    self.assertIsNone(got["p_units"]["bound"])
                else:
                    self.assertEqual(work, got["multiplications"]["counted"] * (s * s + latency))
                    self.assertLessEqual(time, got["p_units"]["bound"])
                    self.assertLessEqual(got["one_unit"]["counted"], got["one_unit"]["bound"])
            self.assertEqual(times, sorted(times, reverse=True))
            self.assertEqual(times[-1], got["critical_path"])

    def test_text(self):
        text = self.good("model", "-n", "4^6", "-s", "4", "-l", "10", "-p", "8").decode().splitlines()
        self.assertEqual(text[0], "n = 4096, s = 4: 1 segment")
        self.assertEqual(text[1], "(16, 10)-TCU, 8 units")
        self.assertIn("multiplications 683 693".split(), [line.split() for line in text])
        text = self.good("model", "-n", "7", "-s", "2", "--lanes", "1").decode()
        self.assertIn("3 segments", text)
        self.assertIn("work on vector units", text)

    def test_times_beyond_any_number(self):
        got = self.model("-n", 9, "-s", 3, "-l", "1e308")
        self.assertEqual((got["critical_path"], got["work"], got["latency"]), (None, None, 1e308))

    def test_lengths(self):
        for text, n in [("0" * 40 + "2^" + "0" * 40 + "3", 8), ("0", 0), ("1", 1), ("3^0", 1), ("0^3", 0), ("1^99", 1), ("10^3", 1000)]:
            self.assertEqual(self.model("-n", text, "-s", "3")["n"], n)

    def test_wrong_usage(self):
        good = ["-n", "10", "-s", "2"]
        for arguments in [[], ["-n", "10"], ["-s", "2"], [*good, "x"], [*good, "--sing"], [*good, "-l", "-1"],
                          [*good, "-l", "inf"], [*good, "-l", "nan"], [*good, "-l", "x"], [*good, "-l", ""],
                          [*good, "-p", "0"], [*good, "-p", "-1"], [*good, "-p", "1.5"], [*good, "--lanes", "0"],
                          ["-n", "10", "-s", "1"], ["-n", "10", "-s", "513"], ["-n", "-1", "-s", "2"], ["-n", "", "-s", "2"],
                          ["-n", "2^", "-s", "2"], ["-n", "^2", "-s", "2"], ["-n", "2^63", "-s", "2"], ["-n", "2^3^2", "-s", "2"],
                          ["-n", "9223372036854775808", "-s", "2"], ["-n", "10x", "-s", "2"], [*good, "--json=yes"],
                          [*good, "-p", 2 ** 63], [*good, "--lanes", 2 ** 63]]:
            self.assertEqual(self.bad("model", *arguments, status=2), b"")

    def test_fit(self):
        """What it is made of, never how fast anything is."""
        fit = json.loads(self.good("model", "--fit", "--json"))
        self.assertEqual([size["s"] for size in fit["sizes"]], [2, 4, 8, 16, 32, 64, 128])
        for size in fit["sizes"]:
            self.assertTrue(all(time > 0 for time in size["times"]))
            self.assertGreater(size["entry"], 0)
        self.assertEqual([run["n"] for run in fit["runs"]], [2 ** k for k in range(12, 25)])
        for r in fit["runs"]:
            self.assertAlmostEqual(r["predicted"], sum(r[part] for part in ("call", "products", "moves", "totals", "loops")))
            self.assertGreater(r["measured"], 0)
        text = self.good("model", "--fit").decode()
        self.assertEqual(sum(line.split()[:1] == ["16777216"] for line in text.splitlines()), 1)
        for arguments in ["-n", "10"], ["-s", "2"], ["-p", "1"], ["-l", "0"], ["--lanes", "1"]:
            self.bad("model", "--fit", *arguments, status=2, says="--fit")

    def test_too_long(self):
        for n in "2^62", "2^40":
            self.bad("model", "-n", n, "-s", "2", says="memory")


class Streaming(Case):
    """A large file, in little memory."""

    def scan_measured(self, *arguments, **options):
        report = self.path("resident")
        done = subprocess.run([sys.executable, "-c", MEASURE, report, MMSCAN, "scan", *arguments], timeout=600, **options)
        self.assertEqual(done.returncode, 0)
        resident = int(self.read("resident")) * 1024
        self.assertLess(resident, MAX_RESIDENT, arguments)
        return resident

    def make(self, count):
        """x[i] = (i mod 1009) - 300, as i64; its prefix sums are known without adding."""
        with open(self.path("x"), "wb") as file:
            for first in range(0, count, 1 << 20):
                np.add(np.arange(first, min(first + (1 << 20), count), dtype="i8") % 1009, -300).tofile(file)

    @staticmethod
    def prefix(n):
        """The sum of the first n elements."""
        whole, rest = np.divmod(n, 1009)
        return whole * (1009 * 1008 // 2) + rest * (rest - 1) // 2 - 300 * n

    def check(self, name, count, exclusive, reverse):
        self.assertEqual(os.path.getsize(self.path(name)), 8 * count)
        for first in range(0, count, 1 << 20):
            i = np.arange(first, min(first + (1 << 20), count), dtype="i8")
            got = np.fromfile(self.path(name), "i8", len(i), offset=8 * first)
            wanted = self.prefix(count) - self.prefix(i + exclusive) if reverse else self.prefix(i + 1 - exclusive)
            self.assertTrue(np.array_equal(got, wanted), (name, first, exclusive, reverse))

    def test_raw(self):
        count = (MEGABYTES << 17) + 4321
        self.make(count)
        peak = 0
        for exclusive, reverse in [(0, False), (1, True)]:
            options = ["--type", "i64", "--kind", "exclusive" if exclusive else "inclusive"] + ["--reverse"] * reverse
            peak = max(peak, self.scan_measured(*options, "-o", self.path("y"), self.path("x")))
            self.check("y", count, exclusive, reverse)
        for exclusive, reverse in [(1, False), (0, True)]:
            options = ["--type", "i64", "--kind", "exclusive" if exclusive else "inclusive"] + ["--reverse"] * reverse
            with open(self.path("y"), "wb") as file, subprocess.Popen(["cat", self.path("x")], stdout=subprocess.PIPE) as cat:
                peak = max(peak, self.scan_measured(*options, "-", stdin=cat.stdout, stdout=file))
            self.check("y", count, exclusive, reverse)
        remark("%d MB in %d MB" % (count >> 17, peak >> 20))

    def test_axes(self):
        """Matrices: tall, wide and in Fortran order, each about a quarter of the size."""
        elements, peak = MEGABYTES << 15, 0
        for rows in 7, 3000, elements // 5:
            shape = (rows, elements // rows)
            for order, axis in [("C", 0), ("F", 0), ("F", None)]:
                header = "{'descr': '<i8', 'fortran_order': %s, 'shape': %r}" % (order == "F", shape)
                x = np.arange(shape[0] * shape[1], dtype="i8") % 1009
                self.write("x.npy", npy_with(header, x.tobytes()))
                options = [] if axis is None else ["--axis", str(axis)]
                peak = max(peak, self.scan_measured(*options, "--reverse", "-o", self.path("y.npy"), self.path("x.npy")))
                self.same(np.load(self.path("y.npy")), expected(x.reshape(shape, order=order), axis, False, True))
        remark("%d MB in %d MB" % (elements >> 17, peak >> 20))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: command.py PATH_TO_MMSCAN [NAME_OF_A_TEST]...")
    MMSCAN = os.path.abspath(sys.argv.pop(1))
    for variable in [name for name in os.environ if name.startswith("MMSCAN_")]:
        del os.environ[variable]
    print("command.py: %s, NumPy %s" % (MMSCAN, np.__version__), file=sys.stderr)
    unittest.main(verbosity=2)
