"""Tests of mmscan scan on NumPy's files, whole and damaged."""

import concurrent.futures
import io
import itertools
import os
import random

import numpy as np

from command_case import BLOCK, TYPES, Case, expected, npy_bytes, npy_with, remark, run, sample


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
        versions = itertools.cycle([(1, 0), (2, 0), (3, 0)])
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
        """Rows longer than a block, wide matrices, many small matrices, and transposes in pieces."""
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
        """Each is refused by name: from a file, from a pipe to a file, and from a pipe to a pipe."""
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
        """Bytes of a header are changed at random: the scan is done or refused, and nothing else happens."""
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
