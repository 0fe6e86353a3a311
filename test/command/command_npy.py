"""Tests of mmscan scan on NumPy's files, whole and damaged."""

import concurrent.futures
import io
import itertools
import os
import random
import re

import numpy as np

from command_case import BLOCK, TYPES, Case, expected, npy_bytes, npy_with, remark, run, sample


# What is not in TYPES; and all names by NumPy's codes.
LATER = {"f16": "f2", "i8": "i1", "u8": "u1", "i16": "i2", "u16": "u2", "c32": "c8", "c64": "c16"}
NAMES = {code: name for name, code in [*TYPES.items(), *LATER.items()]}


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
        others = [np.zeros(3, [("a", "f8"), ("b", "i4")]), np.zeros(3, "S5"), np.zeros(3, "U5"),
                  np.zeros(3, "M8[s]"), np.zeros(3, "m8[ns]"), np.zeros(3, "g"), np.zeros(3, "G")]
        others += [np.zeros(3, code) for name, code in LATER.items() if name not in types_here()]
        for x in others:
            path = self.write("x.npy", npy_bytes(x))
            self.bad("scan", "-o", self.path("y.npy"), path, says=["x.npy", "not supported"])
        for descr in ["|O", "<c1", "<f02", "<f88", "<c160", "b2", "|b", "<V2"]:
            raw = npy_with("{'descr': '%s', 'fortran_order': False, 'shape': (3,), }\n" % descr, b"abcdef")
            path = self.write("x.npy", raw)
            self.bad("scan", "-o", self.path("y.npy"), path, says=["x.npy", "not supported"])

    def test_axis_out_of_range(self):
        path = self.write("x.npy", npy_bytes(np.zeros((2, 3))))
        for axis in [2, -3, 100, -100]:
            self.bad("scan", "--axis", axis, path, says=["x.npy", "axis"])
        self.bad("scan", "--axis=-2147483649", path, says="x.npy")


def types_here():
    """The names of the types that the command has."""
    return re.findall(r"\w+", run("scan", "--type", "none", "-")[2].split("one of")[1].split("\n")[0])


def is_taken(case, *options):
    """Whether the library scans so; else it is refused with a reason, by the option."""
    path = case.write("tried.npy", npy_bytes(np.ones(3, options[0])))
    status, _, err = run("scan", *options[1:], "-o", case.path("tried.out.npy"), path)
    if status == 0:
        os.remove(case.path("tried.out.npy"))
    else:
        case.assertRegex(err, r"^mmscan: .*tried\.npy: .* with results of .* is refused: --\w+ .*; ")
        remark("not yet: %s" % " ".join(map(str, options)))
    os.remove(path)
    return status == 0


class Shapes(Case):
    """Kinds, totals and types of results, of arrays of any shape and order."""
    SHAPES = [(7,), (0,), (3, 0), (0, 3), (2, 0, 4), (5, 3), (4, 2, 5), (2, 3, 2, 2)]
    LONG = [((3, 300, 9001), 1), ((3, 300, 9001), 2), ((300000, 7), 0), ((2, BLOCK + 3), 1), ((400000, 3, 2), 1),
            ((40000, 3), 1)]

    def offsets(self, x, axis, reverse, init):
        """What comes before the first element, then the inclusive sums."""
        x, axis = (x.ravel(), 0) if axis is None else (x, axis)
        x = np.flip(x, axis) if reverse else x
        first = np.full_like(x, init, shape=x.shape[:axis] + (1,) + x.shape[axis + 1:])
        y = np.concatenate([first, init + np.cumsum(x, axis, dtype=x.dtype)], axis)
        return np.flip(y, axis) if reverse else y

    def check_offsets(self, shape, order, axis, reverse, init, ways=("file", "pipe")):
        x = np.array(np.random.default_rng(3).integers(-50, 50, shape), "i4", order=order)
        options = ["--kind", "offsets"] + ["--reverse"] * reverse + (["--axis", axis] if axis is not None else [])
        options += ["--init", init] if init else []
        wanted, path = self.offsets(x, axis, reverse, np.int32(init)), self.write("x.npy", npy_bytes(x))
        if "file" in ways:
            self.good("scan", *options, "-o", self.path("y.npy"), path)
            self.same(np.load(self.path("y.npy")), wanted, (shape, order, options))
        if "pipe" in ways:
            piped = self.good("scan", *options, "-", data=self.read("x.npy"))
            self.same(np.load(io.BytesIO(piped)), wanted, (shape, order, options))

    def test_offsets(self):
        """From a file to a file, and from a pipe to a pipe; long arrays each way in one direction, in turns."""
        for shape, order, reverse, init in itertools.product(self.SHAPES, "CF", [False, True], [0, 5]):
            for axis in [None, *range(len(shape))]:
                self.check_offsets(shape, order, axis, reverse, init)
        for number, (shape, axis) in enumerate(self.LONG):
            for reverse in False, True:
                self.check_offsets(shape, "C", axis, reverse, 5, [["file", "pipe"][(number + reverse) % 2]])

    def test_offsets_of_text_and_raw_data(self):
        text = self.good("scan", "--kind", "offsets", "-", data=b"4 3 1 5")
        self.assertEqual(text.split(), [b"0", b"4", b"7", b"8", b"13"])
        data = np.arange(5, dtype="i4").tobytes()
        raw = self.good("scan", "--kind", "offsets", "--type", "i32", "--format", "raw", "-", data=data)
        np.testing.assert_array_equal(np.frombuffer(raw, "i4"), [0, 0, 1, 3, 6, 10])

    def test_totals(self):
        """In C order, whatever the order in memory; those of nothing are what comes before it."""
        path = self.write("x.npy", npy_bytes(np.zeros(3)))
        self.bad("scan", "--total", path, status=2, says=["--total", "-o"])
        if not is_taken(self, "f8", "--total"):
            return
        kinds = ["inclusive", "exclusive", "offsets"]
        for shape, order, kind, reverse in itertools.product(self.SHAPES, "CF", kinds, [0, 1]):
            for axis in [None, *range(len(shape))]:
                x = np.array(np.random.default_rng(4).integers(-50, 50, shape), "f8", order=order)
                wanted = np.atleast_1d(x.sum() if axis is None else x.sum(axis)).ravel()
                options = ["--kind", kind] + ["--reverse"] * reverse + (["--axis", axis] if axis is not None else [])
                path = self.write("x.npy", npy_bytes(x))
                out = self.good("scan", "--total", *options, "-o", self.path("y.npy"), path)
                got = [float(word) for word in out.split()]
                np.testing.assert_array_equal(got, wanted, str((shape, order, options)))

    def test_types_of_results(self):
        """Every pair that is wide enough, in both byte orders and orders in memory, in place and not."""
        pairs = {"i4": ["i8", "f4", "f8"], "u4": ["i8", "u8", "f8"], "i1": ["i2", "i4", "f4"], "i8": ["f4"],
                 "u1": ["u2", "i4", "u8", "f8"], "f2": ["f4", "f8"], "f4": ["f8", "c8"], "f8": ["c16"]}
        for code, others in pairs.items():
            for other in others:
                here = {NAMES[code], NAMES[other]} <= set(types_here())
                if not here or not is_taken(self, code, "--to", NAMES[other]):
                    continue
                for order, byte_order, axis in itertools.product("CF", "<>", [None, 0, 1, 2]):
                    x = np.array(np.random.default_rng(5).integers(0, 9, (4, 5, 3)), byte_order + code, order=order)
                    path = self.write("x.npy", npy_bytes(x))
                    options = ["--to", NAMES[other]] + (["--axis", axis] if axis is not None else [])
                    self.good("scan", *options, "-o", self.path("y.npy"), path)
                    self.same(np.load(self.path("y.npy")), np.cumsum(x, axis, dtype=other), (code, other, options))
        self.bad("scan", "--to", "none", "-", status=2, says=["--to", "none"])

    def test_later_types(self):
        """Those of NumPy that are not in TYPES, as far as the command has them; truth values are 0 and 1."""
        for name, code in [*LATER.items(), ("u8", "?")]:
            if name not in types_here():
                remark("not yet: %s" % name)
                continue
            for order, byte_order, axis in itertools.product("CF", "<>=", [None, 0, 1]):
                x = np.array(np.random.default_rng(6).integers(0, 2 if code == "?" else 9, (6, 5)), order=order)
                x = x.astype(code if code == "?" else byte_order + code)
                x = x * x.dtype.type(1 + 2j) if x.dtype.kind == "c" else x
                options = ["--axis", axis] if axis is not None else []
                out = self.good("scan", *options, self.write("x.npy", npy_bytes(x)))
                wanted = np.cumsum(x, axis, dtype="u1" if code == "?" else code)
                self.same(np.load(io.BytesIO(out)), wanted, (code, byte_order, order, axis))

    def test_bf16_is_raw(self):
        if "bf16" not in types_here():
            return remark("not yet: bf16")
        raw = np.array([1, 2.5, -3], "f4").view("u4") >> 16
        out = self.good("scan", "--type", "bf16", "--format", "raw", "-", data=raw.astype("u2").tobytes())
        np.testing.assert_array_equal((np.frombuffer(out, "u2").astype("u4") << 16).view("f4"), [1, 3.5, 0.5])
        self.bad("scan", "--type", "bf16", "--format", "raw", "-o", self.path("y.npy"), "-", data=b"", says="bf16")

    def test_modes(self):
        """Sums that never fall; and the same bits along an axis, in blocks of columns, as of the columns alone."""
        x = np.random.default_rng(7).random((9000, 300)).astype("f4")
        x[::2] = 0
        columns, rows = self.write("x.npy", npy_bytes(x)), self.write("t.npy", npy_bytes(np.ascontiguousarray(x.T)))
        down = np.load(io.BytesIO(self.good("scan", "--reproducible", "--axis", "0", columns)))
        along = np.load(io.BytesIO(self.good("scan", "--reproducible", "--axis", "1", rows)))
        self.same(down, np.ascontiguousarray(along.T))
        flat = self.write("flat.npy", npy_bytes(x.ravel()))
        out = np.load(io.BytesIO(self.good("scan", "--monotone", flat)))
        zeros = np.flatnonzero(x.ravel() == 0)[1:]
        self.assertTrue((np.diff(out) >= 0).all() and (out[zeros] == out[zeros - 1]).all())
        self.assertTrue((np.diff(np.load(io.BytesIO(self.good("scan", flat)))) < 0).any())
        self.bad("scan", "--reproducible", "--op", "logaddexp", "-o", self.path("y.npy"), flat, says="--reproducible")

    def test_flags(self):
        """Not a number is passed over; an integer that does not fit is a failure, and no file is left."""
        if is_taken(self, "f8", "--skip-nan"):
            out = self.good("scan", "--skip-nan", self.write("x.npy", npy_bytes(np.array([1, np.nan, 2]))))
            self.same(np.load(io.BytesIO(out)), np.array([1.0, 1, 3]))
        x = np.full(100000, 0.1, "f4")
        out = np.load(io.BytesIO(self.good("scan", "--accurate", "--init", "0.5", self.write("x.npy", npy_bytes(x)))))
        self.same(out, (0.5 + np.cumsum(x, dtype="f8")).astype("f4"))
        wide = np.array([1e16, 1, -1e16, 1] * 1000)
        out = np.load(io.BytesIO(self.good("scan", "--accurate", self.write("x.npy", npy_bytes(wide)))))
        self.same(out[[2, 3, -1]], np.array([1.0, 2, 2000]))
        path = self.write("x.npy", npy_bytes(np.array([1 + 1j, 1 - 1j, 1e16j])))
        out = np.load(io.BytesIO(self.good("scan", "--accurate", "--op", "mul", path)))
        self.same(out, np.array([1 + 1j, 2, 2e16j]))
        if is_taken(self, "i4", "--checked"):
            fits, over = np.array([2**31 - 1, 0], "i4"), np.array([2**31 - 1, 1], "i4")
            out = self.good("scan", "--checked", self.write("x.npy", npy_bytes(fits)))
            self.same(np.load(io.BytesIO(out)), np.cumsum(fits, dtype="i4"))
            path = self.write("x.npy", npy_bytes(over))
            self.bad("scan", "--checked", "-o", self.path("y.npy"), path, says="x.npy")
            self.good("scan", "--checked", "--kind", "exclusive", path)
            self.bad("scan", "--checked", "--kind", "offsets", "-o", self.path("y.npy"), path, says="x.npy")
            long = np.zeros(BLOCK + 1, "i4")  # the carry of the first block is what does not fit
            long[[0, BLOCK - 1]] = 2**31 - 1, 1
            path = self.write("x.npy", npy_bytes(long))
            self.bad("scan", "--checked", "--kind", "exclusive", "-o", self.path("y.npy"), path, says="x.npy")


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
