"""Tests of mmscan scan by segments, and of recurrences (--decay)."""

import io
import itertools
import os
import re
import subprocess

import numpy as np

from command_case import BLOCK, MMSCAN, Case, expected, npy_bytes, sample


def by_segment(x, starts, axis, exclusive=False, reverse=False):
    """What NumPy computes for each segment by itself, and the totals, of which those of a segment come last."""
    parts = [np.take(x, range(first, end), axis) for first, end in zip(starts, starts[1:])]
    totals = np.stack([part.sum(axis, dtype=x.dtype.newbyteorder("=")) for part in parts], -1)
    return np.concatenate([expected(part, axis, exclusive, reverse) for part in parts], axis), totals


class Segments(Case):
    def forms(self, starts):
        """The same segments in every form, as options."""
        flags, keys = np.zeros(starts[-1], bool), np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        flags[[start for start in starts if start < starts[-1]]] = True
        for code in ["i4", "i8", ">i4", ">i8"]:
            yield ["--starts", self.write("s%s.npy" % code, npy_bytes(np.array(starts, code)))]
        yield ["--flags", self.write("b.npy", npy_bytes(flags))]
        yield ["--flags", self.write("u.npy", npy_bytes(flags * np.uint8(200)))]
        for code in ["i1", "u2", ">i4", "f2", "f8", ">c16"]:
            yield ["--keys", self.write("k%s.npy" % code, npy_bytes((keys % 90).astype(code)))]

    def test_axes_and_forms(self):
        for code, shape in itertools.product(["i4", ">f8"], [(30,), (4, 30, 5)]):
            x = sample(code, shape)
            for order, axis in itertools.product("CF", range(len(shape))):
                n = shape[axis]
                path = self.write("x.npy", npy_bytes(np.array(x, order=order)))
                for options in self.forms([0, 1, 1, n // 2, n - 1, n]):
                    for exclusive, reverse in itertools.product([False, True], [False, True]):
                        wanted, totals = by_segment(x, [0, 1, n // 2, n - 1, n], axis, exclusive, reverse)
                        arguments = ["scan", *options, "--axis", axis, "--kind", "exclusive" if exclusive else "inclusive",
                                     *(["--reverse"] if reverse else []), path]
                        self.same(np.load(io.BytesIO(self.good(*arguments))), wanted, arguments)

    def test_totals(self):
        x = sample("i4", (3, 20, 2))
        for order in "CF":
            path = self.write("x.npy", npy_bytes(np.array(x, order=order)))
            starts = self.write("s.npy", npy_bytes(np.array([0, 0, 7, 20, 20])))
            out = self.good("scan", "--starts", starts, "--axis", 1, "--total", "-o", self.path("y.npy"), path)
            totals = by_segment(x, [0, 7, 20], 1)[1]
            totals = np.insert(totals, [0, 2], 0, axis=2)
            self.assertEqual([int(line) for line in out.split()], totals.ravel().tolist(), order)
        empty = self.write("x.npy", npy_bytes(np.zeros((2, 0))))
        none = self.write("s.npy", npy_bytes(np.array([0, 0])))
        arguments = ["scan", "--axis", 1, "--init", 3, "--total", "-o", self.path("y.npy"), "--starts", none, empty]
        self.assertEqual(self.good(*arguments), b"3\n3\n")
        self.assertEqual(np.load(self.path("y.npy")).shape, (2, 0))
        nothing = self.write("x.npy", npy_bytes(np.zeros((3, 0))))
        flags = self.write("f.npy", npy_bytes(np.array([True, False, True])))
        self.assertEqual(np.load(io.BytesIO(self.good("scan", "--axis", 0, "--flags", flags, nothing))).shape, (3, 0))

    def test_other_scans(self):
        """Operators, an initial value and another type, also of raw data from a pipe."""
        x = sample("u1", 1000)
        keys = self.write("k.npy", npy_bytes(np.arange(1000) // 300))
        data = ["--type", "u8", "-"]
        got = np.frombuffer(self.good("scan", "--op", "max", "--keys", keys, *data, data=x.tobytes()), "u1")
        self.same(got, np.concatenate([np.maximum.accumulate(part) for part in np.split(x, [300, 600, 900])]))
        got = np.frombuffer(self.good("scan", "--to", "u32", "--init", 7, "--keys", keys, *data, data=x.tobytes()), "u4")
        parts = np.split(x, [300, 600, 900])
        self.same(got, np.concatenate([np.cumsum(part, dtype="u4") + np.uint32(7) for part in parts]))
        wide = np.array([100, 100, 100], "i1")
        flags = self.write("f.npy", npy_bytes(np.array([0, 0, 1], "u1")))
        self.bad("scan", "--checked", "--flags", flags, "--type", "i8", "-", data=wide.tobytes())
        self.assertEqual(self.good("scan", "--flags", flags, "-", data=b"inf 1 2\n"), b"inf\ninf\n2\n")

    def test_many_slabs(self):
        """More elements than are taken at once, in slabs that are short."""
        x = np.ones((BLOCK // 3 // 2 + 5, 3, 2), "i1")
        path, flags = self.write("x.npy", npy_bytes(x)), self.write("f.npy", npy_bytes(np.array([1, 0, 1], "u1")))
        got = np.load(io.BytesIO(self.good("scan", "--axis", 1, "--flags", flags, path)))
        self.assertTrue((got == np.array([[1], [2], [1]], "i1")).all())

    def lines(self, *arguments, **options):
        return self.good("scan", *arguments, **options).decode().splitlines()

    def test_columns(self):
        text = "shop,price,day,new\nA b,1,1,1\nA b,2,1,0\nC,3,1,0\nC,4,2,2\nA b,5,2,0\n"
        path = self.write("x.csv", text)
        for arguments, wanted in [
            (["--keys", "shop"], ["1", "3", "3", "7", "5"]),
            (["--keys", "1"], ["1", "3", "3", "7", "5"]),
            (["--keys", "day"], ["1", "3", "6", "4", "9"]),
            (["--keys", "price"], ["1", "2", "3", "4", "5"]),
            (["--flags", "new"], ["1", "3", "6", "4", "9"]),
            (["--flags", "4", "--reverse"], ["6", "5", "3", "9", "5"]),
            (["--keys", self.write("k.npy", npy_bytes(np.array([1, 1, 2, 2, 3])))], ["1", "3", "3", "7", "5"]),
        ]:
            self.assertEqual(self.lines("--column", "price", *arguments, path), ["price", *wanted], arguments)
            piped = self.lines("--format", "csv", "--column", "price", *arguments, "-", data=text.encode())
            self.assertEqual(piped, ["price", *wanted], arguments)
        plain = self.write("y.txt", "7 1\n7 2\n8 3\n")
        self.assertEqual(self.lines("--column", "2", "--keys", "1", plain), ["1", "3", "3"])
        tabs = self.write("y.tsv", "x\tcity\n1\tBern\n2\tBern\n3\tRom\n")
        self.assertEqual(self.lines("--column", "x", "--keys", "city", tabs), ["x", "1", "3", "3"])
        self.bad("scan", "--column", "price", "--keys", "town", path, says=["x.csv", "'town'", "shop, price, day, new"])
        self.bad("scan", "--column", "price", "--flags", "shop", path, says=["x.csv:2", "A b"])

    def test_wrong_usage(self):
        path, flags = self.write("x.csv", "a,b\n1,2\n"), self.write("f.npy", npy_bytes(np.ones(1, "u1")))
        binary = self.write("x.npy", npy_bytes(np.ones(1)))
        for says, arguments in [
            ("--flags and --starts", ["--starts", flags, "--flags", flags, path]),
            ("--flags and --keys", ["--keys", flags, "--flags", flags, path]),
            ("--starts: 'a' is no .npy file", ["--starts", "a", path]),
            ("--kind offsets", ["--keys", flags, "--kind", "offsets", binary]),
            ("--total", ["--keys", flags, "--total", "-o", self.path("y"), binary]),
            ("--keys: this is no table with columns: 'a'", ["--keys", "a", binary]),
            ("--flags: this is no table", ["--flags", "a", "--type", "i32", "-"]),
            *((option, ["--decay", "0.5", option, *value, "-o", self.path("y"), binary])
              for option, *value in [("--op", "max"), ("--kind", "exclusive"), ("--to", "f64"), ("--total",),
                                     ("--skip-nan",), ("--accurate",), ("--reproducible",), ("--monotone",), ("--checked",),
                                     ("--starts", flags), ("--flags", flags), ("--keys", flags)]),
            ("--decay: 'x'", ["--decay", "x", binary]),
            ("--decay: '1e999'", ["--decay", "1e999", binary]),
        ]:
            self.bad("scan", *arguments, status=2, says=says)

    def test_files_that_do_not_fit(self):
        path = self.write("x.npy", npy_bytes(np.ones((2, 3))))
        for option, array, says in [
            ("--starts", np.array([0, 2]), "ascend from 0 to 3"),
            ("--starts", np.array([1, 3]), "ascend from 0 to 3"),
            ("--starts", np.array([0, 2, 1, 3], "i4"), "ascend from 0 to 3"),
            ("--starts", np.array([0, 3], "u8"), "i32 or i64"),
            ("--starts", np.array([], "i8"), "one element more"),
            ("--starts", np.array([[0, 3]]), "one dimension"),
            ("--flags", np.ones(4, "u1"), "has 4 elements, and the axis of"),
            ("--flags", np.ones(3), "u8"),
            ("--keys", np.ones(2), "has 2 elements"),
            ("--keys", np.ones((1, 3)), "one dimension"),
        ]:
            wrong = self.write("w.npy", npy_bytes(array))
            self.bad("scan", "--axis", 1, option, wrong, path, says=["w.npy", says])
        self.bad("scan", "--axis", 1, "--keys", self.write("w.npy", b"1 2 3"), path, says="not a .npy file")
        self.bad("scan", "--axis", 1, "--keys", self.write("w.npy", npy_bytes(np.ones(3))[:-1]), path, says="w.npy")
        self.bad("scan", "--axis", 1, "--keys", self.path("none.npy"), path, says="none.npy: No such file")


class Decay(Case):
    @staticmethod
    def decayed(a, x, axis, init, reverse):
        y, last = np.moveaxis(x[...].copy(), axis, 0), init
        y = y[::-1] if reverse else y
        for k in range(len(y)):
            y[k] = last = a * last + y[k]
        return np.moveaxis(y[::-1] if reverse else y, 0, axis)

    def test_against_loop(self):
        for code, (shape, axis) in itertools.product(["f4", "f8", "c8", ">f8"], [((1000,), 0), ((7, 30, 3), 1), ((40, 9), 0)]):
            x = np.random.default_rng(3).standard_normal(shape).astype(code)
            path = self.write("x.npy", npy_bytes(x))
            for init, reverse in itertools.product([0, 2.5], [False, True]):
                arguments = ["--decay", "-0.75", "--axis", axis, *(["--reverse"] if reverse else []),
                             *(["--init", init] if init else []), path]
                got = np.load(io.BytesIO(self.good("scan", *arguments)))
                wide = "c16" if code == "c8" else "f8"
                np.testing.assert_allclose(got, self.decayed(-0.75, x.astype(wide), axis, init, reverse), rtol=1e-4, atol=1e-4)
                self.assertEqual(got.dtype, np.dtype(code).newbyteorder("="))

    def test_blocks(self):
        """A row in blocks, from a pipe whose end is not known, and in reverse."""
        x = np.zeros(2 * BLOCK + 7)
        x[0], x[BLOCK - 1], x[-1] = 1, 2, 3
        wanted = np.full(x.shape, 1.0)
        wanted[BLOCK - 1:] = 3
        wanted[-1] = 6
        got = np.frombuffer(self.good("scan", "--decay", "1", "--type", "f64", "-", data=x.tobytes()))
        np.testing.assert_array_equal(got, wanted)
        path = self.write("x.npy", npy_bytes(x[::-1].copy()))
        got = np.load(io.BytesIO(self.good("scan", "--decay", "1", "--reverse", path)))
        np.testing.assert_array_equal(got, wanted[::-1])

    def test_text_and_edges(self):
        self.assertEqual(self.good("scan", "--decay", "0.5", "-", data=b"8 4\n2 1"), b"8\n8\n6\n4\n")
        path = self.write("x.csv", "day,rain\n1,8\n2,4\n")
        self.assertEqual(self.good("scan", "--decay", "0.5", "--init", "2", "--column", "rain", path), b"rain\n9\n8.5\n")
        self.assertEqual(self.good("scan", "--decay", "nan", "-", data=b"1 2\n"), b"nan\nnan\n")
        self.assertEqual(self.good("scan", "--decay", "0.5", "-", data=b"-0.0\n"), b"0\n")
        self.assertEqual(self.good("scan", "--decay", "0.5", "-", data=b""), b"")
        for code in ["i4", "u1", "f2"]:
            whole = self.write("x.npy", npy_bytes(np.ones(3, code)))
            self.bad("scan", "--decay", "2", whole, says=["x.npy: --decay is for f32, f64, c32 and c64, not "])


class SegmentExamples(Case):
    DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "examples/data")

    def example(self, name, *arguments):
        program = os.path.join(os.path.dirname(MMSCAN), "examples", name)
        if not os.path.exists(program):
            self.skipTest("the examples are not built")
        return subprocess.run([program, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_nile_decades(self):
        year, flow = np.loadtxt(os.path.join(self.DATA, "nile.csv"), delimiter=",", skiprows=1).T
        lines = self.example("nile_decades", os.path.join(self.DATA, "nile.csv")).stdout.decode().splitlines()[1:]
        decades = np.split(np.arange(100), range(9, 100, 10))
        self.assertEqual(len(lines), len(decades))
        for line, of in zip(lines, decades):
            first, last, total, mean, half = map(int, re.findall(r"\d+", line))
            self.assertEqual((first, last, total), (year[of[0]], year[of[-1]], flow[of].sum()))
            self.assertLessEqual(abs(mean - flow[of].mean()), 0.5)
            self.assertEqual(half, year[of][np.searchsorted(flow[of].cumsum(), flow[of].sum() / 2)])
        for rows, says in [("1,nan\n", "row 1"), ("", "row 1"), ("1871,5\n1872\n", "row 2"), ("-5,5\n", "row 1"),
                           ("1,1\n" * 1001, "row 1001")]:
            done = self.example("nile_decades", self.write("n.csv", "year,flow\n" + rows))
            self.assertEqual((done.returncode, done.stdout, says in done.stderr.decode()), (1, b"", True), rows[:9])
        self.assertEqual(self.example("nile_decades").returncode, 2)

    def test_box_filter(self):
        """Against sums over every box, as they are; and the picture, whose borders are cut off."""
        path = os.path.join(self.DATA, "diamonds.csv")
        carat, price = np.loadtxt(path, delimiter=",", skiprows=1, usecols=(0, 6)).T
        column, row = np.floor(carat * 100 + 0.5).astype(int), (price // 75).astype(int)
        inside = (column < 256) & (row < 256)
        image = np.zeros((256, 256))
        np.add.at(image, (row[inside], column[inside]), 1)
        for radius in [0, 4, 60, 255]:
            told = self.example("box_filter", path, radius, self.path("s.pgm")).stdout.decode().splitlines()
            self.assertEqual(told[0], "53940 diamonds, of which %d are outside of the picture" % (~inside).sum())
            band = np.abs(np.subtract.outer(np.arange(256), np.arange(256))) <= radius
            sums = band @ image @ band
            self.assertEqual(int(told[1].split()[-1]), sums.max())
            picture = self.read("s.pgm")
            self.assertEqual(picture[:15], b"P5\n256 256\n255\n")
            pixels = np.frombuffer(picture[15:], "u1").reshape(256, 256)[::-1]
            shade = np.minimum(np.log1p(10 * sums / (band @ np.ones((256, 256)) @ band)) / np.log1p(10000), 1)
            self.assertLessEqual(np.abs(255 - pixels.astype(int) - 255 * shade).max(), 0.5 + 1e-9)
        for radius in ["-1", "256", "x", ""]:
            self.assertEqual(self.example("box_filter", path, radius).returncode, 2)
        done = self.example("box_filter", self.write("n.csv", "carat\n1,2,3\n"))
        self.assertEqual((done.returncode, b"row 1" in done.stderr), (1, True))
