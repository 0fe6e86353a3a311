"""Tests of mmscan bench --ab, which compares two builds of the library."""

import itertools
import json
import os
import shutil
import subprocess

import numpy as np

from command_case import MMSCAN, Timed, toy
from command_units import build_library

INCLUDE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "include")

# Fakes: a library with some names of libmmscan's, and one whose results are wrong from a length on, and whose
# mmscan_scan() supports nothing, or with SCANS does nothing.
FAKE_LIBRARIES = r"""
#include <stdlib.h>
#include "mmscan.h"
const char *mmscan_version(void) { return "9.8.7"; }
#ifdef WHOLE
int mmscan_threads(void) { return 1; }
const char *mmscan_isa(void) { return "none"; }
const char *mmscan_environment_error(void) { return getenv("FAKE_ERROR"); }
#ifdef SCANS
mmscan_status mmscan_scan(const mmscan_desc *desc, const void *x, void *y) { return MMSCAN_OK; }
#else
mmscan_status mmscan_scan(const mmscan_desc *desc, const void *x, void *y) { return MMSCAN_ENOTSUP; }
#endif
#define SCAN(name, T)                                            \
  mmscan_status name(size_t n, const T *x, T *y) {               \
    T sum = 0;                                                   \
    for (size_t i = 0; i < n; i++) y[i] = sum += x[i];           \
    if (n > 100) y[n - 1] += 1;                                  \
    return n == 77 ? MMSCAN_ENOMEM : MMSCAN_OK;                  \
  }
SCAN(mmscan_inclusive_f32, float)
SCAN(mmscan_inclusive_f64, double)
SCAN(mmscan_inclusive_i32, int32_t)
SCAN(mmscan_inclusive_i64, int64_t)
SCAN(mmscan_inclusive_u32, uint32_t)
SCAN(mmscan_inclusive_u64, uint64_t)
#endif
"""


class Builds(Timed):
    OWN = os.path.join(os.path.dirname(MMSCAN), "libmmscan.so")
    TINY = ["--rounds", 2, "--length", "3,1000"]

    def ab(self, *arguments, **options):
        return json.loads(self.good("bench", "--json", "--ab", *arguments, **options))

    def fake(self, name, *flags):
        """A library made of FAKE_LIBRARIES."""
        return build_library(self, name, FAKE_LIBRARIES, "-I", INCLUDE, *flags)

    def test_json(self):
        report = self.ab(self.OWN, *self.TINY)
        version = self.good("version").decode().split()[1]
        for build in ["this", "other"]:
            self.assertEqual((os.path.dirname(report[build]["path"]), report[build]["version"]),
                             (os.path.dirname(MMSCAN), version))
        cells = report["cells"]
        threads = {1, report["machine"]["threads"]}
        self.assertEqual({(c["type"], c["n"], c["place"], c["threads"]) for c in cells},
                         set(itertools.product(["f32", "f64", "i32", "i64"], [3, 1000], ["out", "in"], threads)))
        for cell in cells:
            self.assertEqual((cell["op"], cell["same_bits"], cell["rounds"], cell["row"]), ("plus", True, 2, None), cell)
            for build in ["this", "other"]:
                self.assertTrue(0 < cell[build + "_fastest_ns"] <= cell[build + "_ns"], cell)
            self.assertGreater(cell["ratio"], 0)
            self.assertGreaterEqual(cell["runs"], 1)
        ratios = [cell["ratio"] for cell in cells]
        self.assertAlmostEqual(report["geometric_mean"], np.exp(np.mean(np.log(ratios))))
        self.assertEqual((report["lowest"], report["differ"]), (min(cells, key=lambda c: c["ratio"]), 0))
        self.assertIsNone(report["against_op"])

    def test_another_file(self):
        """A copy is a library of its own, which has its own look at the environment; --this replaces the other one."""
        copy = shutil.copy(self.OWN, self.path("copy.so"))
        report = self.ab(copy, "--this", self.OWN, "--place", "in", "--type", "i64,f32", "--threads", 1, *self.TINY,
                         env={"MMSCAN_ISA": "portable"})
        self.assertEqual((report["other"]["path"], report["other"]["isa"], report["this"]["isa"]),
                         (os.path.realpath(copy), "portable", "portable"))
        self.assertEqual([(c["type"], c["n"], c["place"], c["threads"], c["same_bits"]) for c in report["cells"]],
                         [(t, n, "in", 1, True) for t in ["i64", "f32"] for n in [3, 1000]])

    def test_in_the_command(self):
        """Where the command lies alone, it compares with the library in it."""
        command = shutil.copy(MMSCAN, self.path("mmscan"))
        out = subprocess.run([command, "bench", "--json", "--ab", self.OWN, "--length", "5", "--rounds", "2"],
                             check=True, stdout=subprocess.PIPE).stdout
        self.assertEqual(json.loads(out)["this"]["path"], None)

    def test_text(self):
        text = self.good("bench", "--ab", self.OWN, *self.TINY, "--type", "f32,i64").decode()
        rows = [line for line in text.splitlines() if line.startswith("n = ")]
        self.assertEqual(len(rows), 4)
        for row in rows:
            for cell in row.split("|")[1:]:
                self.assertRegex(cell, "^ +[0-9]+[.][0-9]{3} +[0-9.]+ *$")
        for words in [self.OWN, "above 1 this one is faster", "one file", "geometric mean", "the lowest is"]:
            self.assertIn(words, text)

    def test_rows(self):
        cells = self.ab(self.OWN, "--row", 10, "--length", "5,1000", "--rounds", 2, "--type", "f64", "--threads", 1)["cells"]
        self.assertEqual([(c["n"], c["row"], c["same_bits"]) for c in cells], [(5, None, True)] * 2 + [(1000, 10, True)] * 2)

    def test_operators(self):
        """Results by max and min have the same bits, of floats too; a library that lacks an operator is not timed."""
        for op in "max", "min":
            cells = self.ab(self.OWN, "--op", op, *self.TINY, "--type", "f32,f64,i64,u32", "--row", 10)["cells"]
            self.assertEqual({(c["op"], c["type"], c["row"], c["same_bits"]) for c in cells},
                             {(op, t, row, True) for t in ["f32", "f64", "i64", "u32"] for row in [None, 10]})
        tiny = ["--op", "max", "--length", 50, "--rounds", 1, "--threads", 1]
        lacking = self.fake("lacking.so", "-DWHOLE")
        self.assertEqual({c.get("skipped") for c in self.ab(lacking, *tiny)["cells"]}, {"other: not supported by this version, or not here"})
        other = self.fake("other.so", "-DWHOLE", "-DSCANS")
        self.assertEqual({c.get("same_bits") for c in self.ab(other, "--length", 50, "--rounds", 1, "--row", 5, "--type",
                                                              "f32", "--threads", 1)["cells"]}, {False})
        self.bad("bench", "--ab", other, *tiny, "--type", "f32", says="f32, n = 50: the two results differ")
        text = self.good("bench", "--ab", self.OWN, *tiny, "--type", "f64,u64").decode()
        for words in ["\nmax of f64 ", "\nmax of u64 ", "one file", "the lowest is"]:
            self.assertIn(words, text)

    def test_two_operators(self):
        """One library may be compared with itself. The results differ, which is no error."""
        arguments = [self.OWN, "--op", "max", "--against-op", "plus", *self.TINY, "--type", "f32,i32"]
        report = self.ab(*arguments)
        self.assertEqual((report["against_op"], report["differ"], len(report["cells"]) > 0), ("plus", 0, True))
        for cell in report["cells"]:
            self.assertEqual((cell["op"], cell["same_bits"]), ("max", None), cell)
            self.assertGreater(cell["ratio"], 0)
        text = self.good("bench", "--ab", *arguments).decode()
        self.assertIn("max of this, plus of the other", text)
        self.assertNotIn("one file", text)
        lacking = self.fake("lacking.so", "-DWHOLE")
        cells = self.ab(lacking, "--against-op", "min", "--length", 5, "--rounds", 1, "--threads", 1)["cells"]
        self.assertEqual({c.get("skipped") for c in cells}, {"other: not supported by this version, or not here"})

    def test_other_scans(self):
        """Reverse and exclusive scans."""
        for options in [["--reverse"], ["--exclusive"], ["--reverse", "--exclusive", "--op", "min"]]:
            report = self.ab(self.OWN, *self.TINY, "--type", "f32,u64", *options)
            self.assertEqual((report["reverse"], report["exclusive"], report["differ"]),
                             ("--reverse" in options, "--exclusive" in options, 0))
        text = self.good("bench", "--ab", self.OWN, *self.TINY, "--type", "f32", "--reverse").decode()
        self.assertIn("scans        inclusive, from the last element to the first", text)

    def test_differences(self):
        """Other bits are marked; of integers they are an error."""
        library = self.fake("wrong.so", "-DWHOLE")
        tiny = [library, "--rounds", 1, "--threads", 1, "--length"]
        report = self.ab(*tiny, "30,77,101", "--type", "f32")
        self.assertEqual([(c["n"], c.get("same_bits"), c.get("skipped")) for c in report["cells"]],
                         [(30, True, None)] * 2 + [(77, None, "other: out of memory")] * 2 + [(101, False, None)] * 2)
        self.assertEqual((report["differ"], report["other"]["version"]), (2, "9.8.7"))
        text = self.good("bench", "--ab", *tiny, "30,77,101", "--type", "f64").decode()
        self.assertRegex(text, "n = 101 +[|] +[0-9.]+[*] ")
        self.assertRegex(text, "n = 77 +[|] +- +- ")
        self.assertIn("skipped: f64, out of place, n = 77, 1 thread: other: out of memory", text)
        out = self.bad("bench", "--ab", *tiny, 101, "--type", "i32", "--json", says="i32, n = 101: the two results differ")
        self.assertEqual(json.loads(out)["differ"], 2)
        cells = self.ab(*tiny, 50, "--row", 10)["cells"]
        self.assertTrue(cells and all("not supported" in c["skipped"] for c in cells), cells)

    def test_threads(self):
        """A library that cannot have as many threads."""
        report = self.ab(self.fake("one.so", "-DWHOLE"), "--length", 5, "--type", "f32", "--threads", "all", "--rounds", 1,
                         env={"MMSCAN_NUM_THREADS": "", "OMP_NUM_THREADS": "2"})
        self.assertEqual({c["skipped"] for c in report["cells"]}, {"other: MMSCAN_NUM_THREADS fixes the threads of a call"})

    def test_bad_libraries(self):
        self.bad("bench", "--ab", self.path("none.so"), says=["none.so", "No such file"])
        self.bad("bench", "--ab", "", says="No such file")
        self.bad("bench", "--ab", self.directory, says=self.directory)
        self.bad("bench", "--ab", self.write("text.so", "text"), says="text.so")
        self.bad("bench", "--ab", self.OWN, "--this", self.path("none.so"), says=["none.so", "No such file"])
        self.bad("bench", "--ab", toy("sound"), says=["toy_sound.so", "not a libmmscan"])
        self.bad("bench", "--ab", self.OWN, env={"MMSCAN_ISA": "z80"}, says="MMSCAN_ISA")

    def test_other_versions(self):
        self.bad("bench", "--ab", self.fake("part.so"), says=["part.so", "no mmscan_inclusive_f32()"])
        self.bad("bench", "--ab", self.fake("whole.so", "-DWHOLE"), env={"FAKE_ERROR": "too old"}, says=["whole.so: too old"])

    def test_baseline(self):
        """scripts/baseline refuses what is no commit; it takes too long to build one here."""
        script = os.path.join(os.path.dirname(INCLUDE), "scripts", "baseline")
        for words in [["no-such-commit"], ["--all"], [""], ["HEAD", "HEAD"]]:
            done = subprocess.run([script, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual((done.returncode, done.stdout), (1, b""), words)
            self.assertTrue(done.stderr.startswith(b"baseline: "), done.stderr)
        self.assertIn(b"build/baseline", subprocess.run([script, "--help"], check=True, stdout=subprocess.PIPE).stdout)

    def test_usage(self):
        for more in [["--units"], ["--list"], ["--only", "simd"], ["--csv"], ["--plot", "a.svg"], ["--title", "a"],
                     ["--report", "a.html"], ["--type", "u7"], ["--rounds", 0], ["--op", "nor"], ["--against-op", ""]]:
            self.bad("bench", "--ab", self.OWN, *more, status=2, says=more[0])
        self.bad("bench", "--this", self.OWN, status=2, says="--this needs --ab")
        self.bad("bench", "--against-op", "max", status=2, says="--against-op needs --ab")
        self.bad("bench", "--reverse", status=2, says="need --ab")
        self.bad("bench", "--ab", status=2, says="ab")
