"""Tests of mmscan bench --accuracy, and of the tables in doc/ACCURACY.md."""

import json
import math
import os
import sys

import numpy as np

from command_case import MMSCAN, Timed

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INPUTS = {"signs": False, "one sign": True, "equal": True, "levels": True, "1/i": True, "e^-i": True, "cancels": False}
MODES = ["mmscan default", "mmscan gemm", "mmscan accurate", "mmscan reproducible", "mmscan monotone"]
PEERS = ["omp simd inscan", "omp two-pass", "Julia's order, pairwise"]
NOT_HERE = "not in this build"


class Accuracy(Timed):
    TINY = ["bench", "--accuracy", "--rounds", 1]

    def report(self, *arguments, **options):
        options.setdefault("env", {"MMSCAN_NUM_THREADS": "2"})
        return json.loads(self.good(*self.TINY, *arguments, "--json", **options))

    @staticmethod
    def rows(table):
        return {row["name"]: row for row in table["rows"]}

    def check_row(self, row, inputs):
        self.assertEqual(set(row["errors"]), set(inputs), row)
        self.assertGreater(row["gelem_per_second"], 0)
        for name, error in row["errors"].items():
            self.assertTrue(error["ulps"] >= error["c"] / 2 >= 0, (row, name))
            self.assertEqual(error["falls"] is not None, inputs[name], (row, name))
        self.assertEqual(row["falls"], sum(error["falls"] or 0 for error in row["errors"].values()))

    def test_all_is_there(self):
        """Every scan and input, of both types; what this build does not have is skipped, and nothing else is but a BLAS that is
        not here."""
        report = self.report("-n", 14, "--type", "f32,f64")
        self.assertEqual({given["name"]: given["rises"] for given in report["inputs"]}, INPUTS)
        self.assertEqual([(table["type"], table["n"], table["u"]) for table in report["tables"]],
                         [("f32", 2 ** 14, 2 ** -24), ("f64", 2 ** 14, 2 ** -53)])
        loops = [["plain loop: NumPy", "PyTorch's order, in f64"], ["plain loop: NumPy, PyTorch"]]
        for table, loop in zip(report["tables"], loops):
            rows = self.rows(table)
            self.assertEqual(set(rows), {*MODES, *PEERS, *loop})
            for name, row in rows.items():
                self.assertEqual(row["threads"], 2 if name in MODES + ["omp two-pass"] else 1)
                if "skipped" not in row:
                    self.check_row(row, INPUTS)
                elif name != "mmscan gemm":
                    self.assertEqual((row["role"], row["skipped"]), ("mmscan", NOT_HERE), name)
                    self.assertNotEqual(name, "mmscan default")

    def test_bounds(self):
        """What the header states of each mode, and that the plain loop, which is what others have, is far from it."""
        report = self.report("-n", 20, "--type", "f32,f64", "--only", "mmscan,two-pass,julia")
        for table in report["tables"]:
            rows = {name: row["errors"] for name, row in self.rows(table).items() if "errors" in row}
            loop = next(errors for name, errors in rows.items() if name.startswith("plain loop"))
            for name in INPUTS:
                self.assertLessEqual(rows["mmscan default"][name]["c"], 32, name)
                self.assertLessEqual(rows["mmscan gemm"][name]["c"] if "mmscan gemm" in rows else 0, 36, name)
            self.assertGreater(loop["equal"]["ulps"], 100 * rows["mmscan default"]["equal"]["ulps"])
            self.assertLess(rows["Julia's order, pairwise"]["equal"]["c"], 128 + 20)
            for mode in "mmscan accurate", "PyTorch's order, in f64":
                self.assertLessEqual(max((error["ulps"] for error in rows.get(mode, {}).values()), default=0), 1, mode)
            if table["type"] == "f32":
                self.assertIn("mmscan accurate", rows)
            self.assertIn("mmscan reproducible", rows)
            self.assertEqual(self.rows(table)["mmscan monotone"]["falls"], 0)
            self.assertEqual(self.rows(table)[next(name for name in rows if name.startswith("plain loop"))]["falls"], 0)

    def test_against_numpy(self):
        """The errors of the plain loop, measured here by NumPy: of equal elements, whose exact sums are products, and of 1/i, whose
        sums Python finds exactly."""
        n = 3000
        for table in self.report("--length", n, "--type", "f32,f64", "--only", "two-pass")["tables"]:
            code = np.dtype(table["type"].replace("f32", "f4").replace("f64", "f8"))
            loop = next(row["errors"] for row in table["rows"] if row["role"] == "loop")
            for name, x in ("equal", np.full(n, 0.1)), ("1/i", 1 / np.arange(1.0, n + 1)):
                x = x.astype(code)
                y, whole = np.cumsum(x, dtype=code), [int(math.ldexp(float(each), 80)) for each in x]
                sums, total = [], 0
                for each in whole:  # of multiples of 2^-80, which these are, without rounding
                    total += each
                    sums.append(total)
                off = [abs(int(math.ldexp(float(each), 80)) - exact) for each, exact in zip(y, sums)]
                digits = 24 if code.itemsize == 4 else 53
                ulps = max(error / 2.0 ** (exact.bit_length() - digits) for error, exact in zip(off, sums))
                c = max(error / exact for error, exact in zip(off, sums)) / table["u"]
                self.assertAlmostEqual(loop[name]["ulps"] / ulps, 1, delta=1e-6, msg=name)
                self.assertAlmostEqual(loop[name]["c"] / c, 1, delta=1e-6, msg=name)

    def test_text(self):
        text = self.good(*self.TINY, "-n", 12, "--threads", 1).decode()
        self.assertRegex(text, r"\nf32, n = 2\^12 +threads +Gelem/s +falls \| +signs one sign +equal +levels +1/i +e\^-i +cancels\n")
        for name in "mmscan default", "plain loop: NumPy", "omp simd inscan", "Julia's order, pairwise":
            self.assertRegex(text, r"\n%s +1 +[0-9.]+ +[0-9]+ \|( +[0-9.e+-]+){7}\n" % name)
            self.assertRegex(text, r"\n%s +\|( +[0-9.e+-]+){7}\n" % name)

    def test_picture(self):
        """A mark for each error, and the name and speed of each scan."""
        report = self.report("-n", 12, "--plot", self.path("x.svg"))
        picture = self.read("x.svg").decode().replace("\u00a0", " ")
        for row in report["tables"][0]["rows"]:
            self.assertEqual(">%s<" % row["name"].replace("'", "&#39;") in picture or ">%s<" % row["name"] in picture, "errors" in row, row)
        for name in INPUTS:
            self.assertIn(name, picture)
        self.assertIn("bound of the default: 32", picture)

    def test_wrong_usage(self):
        for words, says in [(["--type", "i32"], "of f32 and f64"), (["--op", "max"], "of sums, out of place"), (["--place", "in"], "of sums"),
                            (["--row", 5], "does not go with"), (["--csv"], "does not go with"), (["--list"], "does not go with"),
                            (["--every", 5], "does not go with"), (["--only", "none such"], "no contender has 'none such'")]:
            self.bad(*self.TINY, "-n", 4, *words, status=2, says=says)

    def test_document(self):
        """doc/ACCURACY.md and the picture of README.md have a row for each scan, as `make accuracy` writes them."""
        with open(os.path.join(ROOT, "doc", "ACCURACY.md"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        for table in self.report("-n", 4, "--type", "f32,f64")["tables"]:
            begin = lines.index("<!-- made by make accuracy: %s -->" % table["type"])
            part = lines[begin:lines.index("<!-- end -->", begin)]
            for row in table["rows"]:
                self.assertTrue(any(line.startswith("| %s |" % row["name"]) for line in part), row["name"])
        with open(os.path.join(ROOT, "doc", "img", "accuracy.svg"), encoding="utf-8") as file:
            self.assertIn("mmscan default", file.read().replace("\u00a0", " "))
