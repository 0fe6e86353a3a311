"""Tests of mmscan bench."""

import csv
import io
import itertools
import json
import os
import re
import select
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree

from command_case import MMSCAN, Timed, TYPES

# Those of which there are maxima, and all.
ORDERED = [*TYPES, "i8", "u8", "i16", "u16", "f16", "bf16"]
ALL = [*ORDERED, "c32", "c64"]

# Peers: one that leaves its results as they were, one that is right, the same after 3 ms, one that was not built.
FAKE_PEERS = r"""
#include "peer.h"
#include <unistd.h>
static void idle(size_t n, const void *x, void *y, int threads) { (void)n, (void)x, (void)y, (void)threads; }
static void right(size_t n, const void *from, void *to, int threads) {
  float sum = 0;
  (void)threads;
  for (size_t i = 0; i < n; i++) ((float *)to)[i] = sum += ((const float *)from)[i];
}
static void slow(size_t n, const void *from, void *to, int threads) {
  usleep(3000);
  right(n, from, to, threads);
}
static const peer bad = {"idle peer", "by hand", 0, PEER_ONE_THREAD, NULL, {idle, idle, idle, idle}};
static const peer good = {"right peer", "by hand", 0, PEER_OWN_THREADS, NULL, {right}};
static const peer late = {"slow peer", "by hand", 0, PEER_OWN_THREADS, NULL, {slow}};
static const peer none = {.name = "absent peer", .absent = "there is none"};
const peer *const *mmscan_bench_peers(void) {
  static const peer *const table[] = {&bad, &good, &late, &none, NULL};
  return table;
}
"""


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

    def test_columns(self):
        """Speeds in billions of elements a second, and ratios that agree with them."""
        text = self.good("bench", "--rounds", 1, "--length", 3, "--threads", 1).decode()
        rows = {line[:32].strip(): [float(word) for word in line.split("|")[1].split()] for line in text.splitlines()
                if re.search("\\| +[0-9.e-]+ +[0-9.e-]+ +[0-9.e-]+$", line)}
        serial, bound = rows["serial loop"], rows["copy bound"]
        self.assertTrue(1e-3 < serial[0] < 30, serial)
        for name, (speed, of_bound, times_serial) in rows.items():
            self.assertAlmostEqual(times_serial / (speed / serial[0]), 1, delta=0.03, msg=name)
            self.assertAlmostEqual(of_bound / (speed / bound[0]), 1, delta=0.03, msg=name)

    def test_slow_ones_have_digits(self):
        """However slow a contender is, no figure of it is printed as 0.000."""
        text = self.good("bench", "--rounds", 1, "--length", "1,50", "--only", "numpy,omp").decode()
        cells = [word for line in text.splitlines() if "|" in line for word in line.split() if "." in word]
        self.assertGreater(len(cells), 20)
        self.assertEqual([word for word in cells if float(word) == 0], [])

    def test_json(self):
        def tables(types, lengths):
            report = json.loads(self.good("bench", "--rounds", 2, "--length", lengths, "--type", types, "--place", "both",
                                          "--only", "mmscan,omp simd", "--json"))
            return report, {(table["type"], table["op"], table["place"], table["n"]) for table in report["tables"]}

        report, shapes = tables("all", "5^2")
        self.assertEqual(shapes, set(itertools.product(ALL, ["plus"], ["in", "out"], [25])))
        self.assertEqual(len(report["tables"]), len(shapes))
        report, shapes = tables("f32,c64", "1,20003")
        self.assertEqual(shapes, set(itertools.product(["f32", "c64"], ["plus"], ["in", "out"], [1, 20003])))
        self.assertEqual((report["rounds"], report["version"]), (2, json.loads(self.good("info", "--json"))["version"]))
        self.assertLessEqual({"cpu", "threads", "caches"}, set(report["machine"]))
        self.assertIn("-O3", report["peers"][0]["built"])
        for table in report["tables"]:
            self.check_rows(table)

    def test_operators(self):
        """Results are checked, as of +. Peers that only add say so."""
        for op, place, types in ("max", "out", ORDERED), ("min", "in", ["f16", "i64"]):
            for more in ["--length", "1,20003"], ["--length", "1025", "--row", 5]:
                arguments = ["bench", "--op", op, "--rounds", 1, *more, "--type", ",".join(types), "--place", place]
                report = json.loads(self.good(*arguments, "--json", env={"MMSCAN_NUM_THREADS": "2"}))
                self.assertEqual({(table["op"], table["type"]) for table in report["tables"]}, {(op, t) for t in types})
                for table in report["tables"]:
                    names = {row["name"] for row in table["rows"] if "seconds" in row}
                    self.assertLessEqual({"mmscan (one call)", "mmscan simd", "mmscan serial", "serial loop"}, names)
                    skipped = {row["name"]: row["skipped"] for row in table["rows"] if "skipped" in row}
                    self.assertEqual(skipped["omp simd inscan"], "it only adds")
                    self.assertEqual(skipped["NumPy cumsum"], "it only adds")
                    self.assertEqual("serial loop, omp parallel" in names, table["row"] == 5)
        for table, _ in self.rows(*self.TINY, 4, "--op", "max", "--type", "f64,u32"):
            self.check_rows(table)
        text = self.good(*self.TINY, "4", "--op", "min", "--type", "i32").decode()
        self.assertIn("\nmin of i32, out of place ", text)
        self.assertIn("omp simd inscan: it only adds", self.good("bench", "--op", "max", *self.TINY[1:], 4).decode())
        line = next(csv.DictReader(io.StringIO(self.good(*self.TINY, 4, "--op", "max", "--csv").decode())))
        self.assertEqual((line["type"], line["op"], line["place"]), ("f32", "max", "out"))

    def test_unsigned(self):
        """Peers in C and C++ have no unsigned types; NumPy has."""
        rows = self.rows(*self.TINY, 10, "--type", "u32,u64", "--threads", 1, env={"PYTHON": sys.executable})
        self.assertEqual({table["type"] for table, _ in rows}, {"u32", "u64"})
        for _, row in rows:
            if row["name"] == "omp simd inscan":
                self.assertEqual(row["skipped"], "it scans f32, f64, i32 and i64 only")
            if row["name"] in ["NumPy cumsum", "mmscan (one call)", "mmscan gemm model"]:
                self.assertIn("seconds", row)

    def test_memory(self):
        """The memory that engines and units use beyond x and y, in all threads: at most 8 MB a thread."""
        report = json.loads(self.good(*self.TINY, 22, "--threads", "all", "--only", "one call", "--json"))
        self.assertNotEqual(report["memory_mib_per_thread"], 0)
        self.assertLess(report["memory_mib_per_thread"] * 2 ** 20, 8e6)

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
        peers = {"peer"} if table["op"] == "plus" and table["type"] in ("f32", "f64", "i32", "i64") else set()
        self.assertEqual(set(roles), {"bound", "copy", "loop", "mmscan"} | peers)
        self.assertEqual(roles.count("loop"), 1)

    def test_ratios(self):
        """With one thread and with two: copying with one may be faster, as it is for small n, or not."""
        report = json.loads(self.good("bench", "--rounds", 2, "--length", "16,2^22,2^23,2^24", "--place", "both",
                                      "--only", "one call", "--json", env={"MMSCAN_NUM_THREADS": "2"}))
        rows = [row for table in report["tables"] for row in table["rows"] if "seconds" in row]
        self.assertEqual({row["threads"] for row in rows if row["role"] == "bound"}, {1, 2})
        for table in report["tables"]:
            self.check_ratios(table["rows"])
        self.assertGreater(max(row["seconds"] / row["fastest_seconds"] for row in rows), 1)  # the mean of two rounds

    def test_handoff(self):
        """The time from one thread to another is given where there are two."""
        two, one = {"MMSCAN_NUM_THREADS": "2"}, {"MMSCAN_NUM_THREADS": "1"}
        for table, _ in self.rows(*self.TINY, "4,17", "--only", "one call", env=two):
            self.assertTrue(5e-9 < table["handoff_seconds"] < 1, table["handoff_seconds"])
        for table, _ in self.rows(*self.TINY, 4, "--only", "one call", env=one):
            self.assertIsNone(table["handoff_seconds"])
        text = self.good(*self.TINY, "4,17", "--only", "one call", env=two).decode()
        self.assertRegex(text, r"\nhandoff +2 \| +[0-9]+ ns +\| +[0-9]+ ns *\n")
        self.assertNotRegex(self.good(*self.TINY, 4, "--only", "one call", env=one).decode(), r"\nhandoff +2")

    def test_threads_that_share_a_cpu(self):
        """The text says so, since everything that they do together takes a time slice."""
        pinned = [sys.executable, "-c", "import os, sys; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); os.execv(sys.argv[1], sys.argv[1:])"]
        env = dict(os.environ, MMSCAN_NUM_THREADS="2", OMP_NUM_THREADS="2", OMP_PROC_BIND="false")
        command = [MMSCAN, "bench", "--rounds", "1", "-n", "4", "--only", "one call"]
        text = subprocess.run(pinned + command, env=env, capture_output=True, check=True).stdout.decode()
        self.assertEqual("\nhandoff  " in text, "Threads shared a CPU" in text, text)
        self.assertNotIn("Threads shared a CPU", self.good(*command[1:], env={"MMSCAN_NUM_THREADS": "1"}).decode())

    def test_numpy(self):
        for table, row in self.rows(*self.TINY, "4,10", "--type", "all", "--place", "both", "--only", "NumPy",
                                    env={"PYTHON": sys.executable}):
            if row["name"] == "NumPy cumsum":
                self.assertEqual("seconds" in row, table["type"] not in ("f16", "bf16"), (table["type"], table["place"]))

    def test_numpy_that_ends(self):
        """A NumPy that ends at once has no result that could be wrong."""
        fake = self.write("python", "#!/bin/sh\necho 1.2.3\n")
        os.chmod(fake, 0o755)
        rows = self.rows(*self.TINY, 4, "--only", "NumPy", env={"PYTHON": fake})
        self.assertEqual([row["skipped"] for _, row in rows if row["name"] == "NumPy cumsum"], ["failed while it was timed"])

    def test_numpy_that_ends_on_the_way(self):
        """Times from before NumPy ended do not count as results."""
        fake = self.write("python", "#!%s\nimport itertools, sys\nsys.stdin = itertools.islice(sys.stdin, 8)\nbegin = sys.argv[2]\ndel sys.argv[:2]\nexec(begin)\n" % sys.executable)
        os.chmod(fake, 0o755)
        rows = self.rows("bench", "--rounds", 9, "--threads", 1, "-n", "20,21", "--only", "NumPy", env={"PYTHON": fake})
        self.assertEqual([row["skipped"] for _, row in rows if row["name"] == "NumPy cumsum"], ["failed while it was timed", "its Python process has ended"])

    def test_reader_that_has_gone(self):
        """Once the reader has gone, nothing more is timed."""
        command = [MMSCAN, "bench", "--rounds", "1", "--length", ",".join(map(str, range(1, 61))), "--type", "all", "--place", "both"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        process.stdout.readline()
        process.stdout.close()
        self.assertEqual(process.wait(30), 1)  # all of it takes minutes

    def test_python_that_has_no_numpy(self):
        """No other Python is used instead, and the reason is given."""
        fake = self.write("python", "#!/bin/sh\nexit 1\n")
        os.chmod(fake, 0o755)
        for python in fake, self.path("missing"), "x" * 5000:
            rows = self.rows(*self.TINY, 4, "--only", "NumPy", env={"PYTHON": python})
            told = [row["skipped"] for _, row in rows if row["name"] == "NumPy cumsum"]
            self.assertEqual(len(told), 1)
            self.assertTrue(told[0].startswith(("PYTHON=%s is not a Python with NumPy" % python)[:80]), told)

    def test_control_characters(self):
        """None in a name or a reason reaches the terminal, where it may be obeyed."""
        for arguments in ["--list"], ["--rounds", 1, "-n", 4, "--only", "NumPy"]:
            text = self.good("bench", *arguments, env={"PYTHON": "/tmp/\x1b[31mx"})
            self.assertIn(b"PYTHON=/tmp/?[31mx is not", text)
            self.assertNotIn(b"\x1b", text)

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
        """They run once, on one thread, beside copying on one, whatever the threads; parallel peers run on all."""
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
        self.assertEqual(names - {"copy", "copy past the caches"},
                         {"copy bound", "serial loop", "mmscan (one call)", "omp two-pass", "omp two-pass simd"})
        for only in "abacus", "one call,abacus":
            self.bad(*self.TINY, 4, "--only", only, status=2, says="abacus")
            self.bad("bench", "--list", "--only", only, status=2, says="abacus")
        self.assertIn("omp two-pass", self.good("bench", "--list").decode())

    def test_pipe_that_does_not_block(self):
        """More than a pipe holds, for a reader that comes late."""
        drain, writer = os.pipe()
        os.set_blocking(writer, False)
        with subprocess.Popen([MMSCAN, *map(str, self.TINY), "2:9", "--json"], stdout=writer) as bench, open(drain, "rb") as report:
            os.close(writer)
            select.select([drain], [], [])
            time.sleep(0.2)
            text = report.read()
        self.assertEqual(bench.returncode, 0)
        self.assertGreater(len(text), 1 << 16)
        json.loads(text)

    def test_numpy_of_another_folder(self):
        """A file of the working folder is not what it imports."""
        self.write("numpy.py", b"open('imported', 'w')")
        listed = self.good("bench", "--list", cwd=self.directory, env={"PYTHON": sys.executable}).decode()
        self.assertRegex(listed, "(?m)^NumPy cumsum +1 thread$")
        self.assertFalse(os.path.exists(self.path("imported")))

    def test_equal_lengths(self):
        """Of lengths that are equal once cut to rows, one is timed."""
        rows = self.rows("bench", "--rounds", 1, "--length", "21,22,29,30", "--row", 10, "--only", "serial")
        self.assertEqual(sorted({(table["n"], table["row"]) for table, _ in rows}), [(20, 10), (30, 10)])
        self.assertEqual(len([row for _, row in rows if row["name"] == "serial loop"]), 2)

    def test_many_scans(self):
        """Contenders that scan rows are right, as results are checked; a length shorter than a row is one scan."""
        for row, types, place in (3, "f32,f64,i32,i64", "out"), (30, "f32,i64", "both"):
            tables = {}
            for table, contender in self.rows(*self.TINY, "1,10,15", "--row", row, "--type", types, "--place", place,
                                              env={"PYTHON": sys.executable, "MMSCAN_NUM_THREADS": "2"}):
                tables.setdefault((table["type"], table["place"], table["n"], table["row"]), []).append(contender)
            shapes = {(n, of) for _, _, n, of in tables}
            self.assertEqual(shapes, {(2, None), (1024 // row * row, row), (32768 // row * row, row)})
            for shape, contenders in tables.items():
                names = [c["name"] for c in contenders if "seconds" in c]
                for name in ["serial loop", "mmscan (one call)", "mmscan simd", "mmscan serial", "NumPy cumsum",
                             "omp simd inscan"]:
                    self.assertIn(name, names, shape)
                self.assertEqual("serial loop, omp parallel" in names, shape[2] > 2, shape)
                self.assertEqual("omp two-pass" in names, shape[2] == 2, shape)
        self.assertIn("serial loop, omp", self.good("bench", "--row", 3, "--list", env={"MMSCAN_NUM_THREADS": "2"}).decode())
        self.assertIn("out of place, rows of 3", self.good(*self.TINY, 10, "--row", 3).decode())
        text = self.good(*self.TINY, "4,5,10,11", "--row", 32, "--only", "omp", env={"MMSCAN_NUM_THREADS": "2"}).decode()
        tables = [table.split(" |")[0] for table in text.split("\nf32, ")[1:]]
        self.assertEqual([table.rstrip() for table in tables], ["out of place", "out of place, rows of 32"])
        self.assertEqual(len(re.findall("(?m)^serial loop, omp parallel +2 \\|.*\\|", text)), 1)
        line = next(csv.DictReader(io.StringIO(self.good(*self.TINY, 10, "--row", 3, "--csv").decode())))
        self.assertEqual((line["n"], line["row"]), ("1023", "3"))

    def test_strided_scans(self):
        """Columns and strides: the library's scans are right, as results are checked, beside a bound of the same elements."""
        for option, value, kind, bound in (("--columns", 3, "3 columns", "copy bound"), ("--stride", 3, "stride 3", "copy bound"),
                                           ("--columns", 100, "100 columns", "copy bound")):
            for table, contender in self.rows(*self.TINY, "10,15", option, value, "--type", "f32,i64", "--place", "both",
                                              "--threads", "all", "--only", "mmscan", env={"MMSCAN_NUM_THREADS": "2"}):
                self.assertEqual((table["columns"], table["stride"]), (value, 1) if option == "--columns" else (None, value))
                self.assertNotIn(contender["role"], ["peer"])
                if contender["name"] in ["mmscan (one call)", "mmscan simd", "mmscan serial"]:
                    self.assertIn("seconds", contender, contender)
            self.assertIn("out of place, " + kind, self.good(*self.TINY, 10, option, value).decode())

    def seconds(self, *arguments, **options):
        """The tables, and the names of what was timed in each, whose results are right."""
        report = json.loads(self.good("bench", "--rounds", 1, *arguments, "--json", env={"MMSCAN_NUM_THREADS": "2", "PYTHON": sys.executable}))
        return [(table, {row["name"] for row in table["rows"] if "seconds" in row}) for table in report["tables"]]

    def test_to(self):
        """Into every type, beside copying that converts and loops that convert."""
        for to, types in (("i16", "i8,u8"), ("u16", "u8"), ("i32", "i8,u8,i16,u16"), ("u32", "u8,u16"), ("i64", "i8,u8,i16,u16,i32,u32"),
                          ("u64", "u8,u16,u32"), ("f32", "i8,u8,i16,u16,i32,u32,i64,u64,f16,bf16"),
                          ("f64", "i8,u8,i16,u16,i32,u32,i64,u64,f16,bf16,f32"), ("c32", "f32"), ("c64", "f64")):
            tables = self.seconds("--length", "1025", "--type", types, "--to", to)
            self.assertEqual({(t["type"], t["to"], t["n"]) for t, _ in tables}, {(x, to, 1025) for x in types.split(",")})
            for table, names in tables:
                self.assertLessEqual({"serial loop", "copy bound", "converting copy", "converting copy past the caches",
                                      "converting omp simd inscan", "converting omp two-pass simd", "mmscan (one call)"}, names)
                self.assertEqual("NumPy cumsum" in names, table["type"] != "bf16")
                self.assertNotIn("omp two-pass", names)
        for table, names in self.seconds("-n", 18, "--type", "u8,u64", "--to", "f32"):
            self.assertIn("mmscan (one call)", names)
        for more in ["--row", 32], ["--columns", 32], ["--op", "max"], ["--shape", "5,6,7", "--axis", 1]:
            for table, names in self.seconds(*(["--length", 4000] if more[0] != "--shape" else []), *more, "--type", "u8,f16", "--to", "f32"):
                self.assertLessEqual({"serial loop", "mmscan (one call)", "mmscan serial"}, names)
        self.assertIn("\nmax of i8 to f32, out of place, rows of 5 ",
                      self.good(*self.TINY, 4, "--row", 5, "--op", "max", "--type", "i8", "--to", "f32").decode())
        self.assertEqual(next(csv.DictReader(io.StringIO(self.good(*self.TINY, 4, "--to", "f64", "--csv").decode())))["to"], "f64")

    def test_axes(self):
        """Every axis of an array is scanned, in both places."""
        for shape, axes in ("5,6,7", (0, 1, -1, -3)), ("300", (0,)), ("1,9,1", (0, 1, 2)), ("2,3,4,5,6", (3,)):
            for axis in axes:
                tables = self.seconds("--shape", shape, "--axis", axis, "--type", "f32,c64", "--place", "both")
                self.assertEqual(len(tables), 4)
                for table, names in tables:
                    rank = shape.count(",") + 1
                    self.assertEqual((table["shape"], table["axis"], table["row"], table["columns"]), (shape, axis % rank, None, None))
                    self.assertLessEqual({"serial loop", "mmscan (one call)", "mmscan serial", "NumPy cumsum"}, names)
        text = self.good("bench", "--rounds", 1, "--shape", "5,6,7", "--axis", -2).decode()
        self.assertIn("\nf32, out of place, axis 1 of 5,6,7 ", text)
        line = next(csv.DictReader(io.StringIO(self.good("bench", "--rounds", 1, "--shape", "5,6", "--csv").decode())))
        self.assertEqual((line["shape"], line["axis"], line["n"]), ("5,6", "1", "30"))

    def test_indices(self):
        """Of maxima and minima, which are right, as results are checked; the bound copies as many numbers."""
        for op, place, more in (("max", "both", ["--length", "1,20001"]), ("min", "out", ["--length", "4000", "--row", 50]),
                                ("max", "both", ["--length", "4000", "--columns", 50]), ("min", "in", ["--shape", "5,6,7", "--axis", 1]),
                                ("max", "out", ["--length", "4000", "--stride", 3])):
            for table, names in self.seconds("--op", op, "--indices", "--type", ",".join(ORDERED) if more[:2] == ["--length", "1,20001"] else "u8,f64", "--place", place, *more):
                self.assertTrue(table["indices"])
                self.assertLessEqual({"serial loop", "mmscan (one call)", "mmscan simd", "mmscan serial"}, names)
        for table, names in self.seconds("-n", 10, "--op", "max", "--indices", "--type", "u8,f16", "--to", "f32"):
            self.assertIn("mmscan (one call)", names)
        bounds = [row["seconds"] for more in ([], ["--indices"]) for _, row in
                  self.rows("bench", "-n", 16, "--op", "max", *more, "--only", "bound", "--threads", 1) if row["role"] == "bound"]
        self.assertGreater(bounds[1], bounds[0])
        self.assertIn("\nmax of f32 with indices, out of place ", self.good(*self.TINY, 4, "--op", "max", "--indices").decode())
        line = next(csv.DictReader(io.StringIO(self.good(*self.TINY, 4, "--op", "max", "--indices", "--csv").decode())))
        self.assertEqual((line["indices"], line["to"], line["shape"]), ("yes", "f32", ""))

    def test_wrong_usage_of_scans(self):
        """The message names the option."""
        for option, *others in (["--to"], ["--to", "f8"], ["--to", "all"], ["--to", "u8"], ["--to", "f64", "--place", "both"],
                                ["--to", "f64", "--stride", 2], ["--to", "f64", "--units"], ["--to", "i32", "--type", "u8,f32"],
                                ["--shape", "3,0"], ["--shape", "3,"], ["--shape", "x"], ["--shape", "2^30,2^30"],
                                ["--shape", "1,2,3,4,5,6,7,8,9"], ["--shape", "3,4", "--row", 3], ["--shape", "3,4", "-n", 3],
                                ["--shape", "3,4", "--all"], ["--shape", "3,4", "--every", 0], ["--shape", "3,4", "--stride", 2],
                                ["--axis", 0], ["--axis", 2, "--shape", "3,4"], ["--axis", -3, "--shape", "3,4"],
                                ["--axis", "x", "--shape", "3,4"], ["--axis", "", "--shape", "3,4"], ["--axis"],
                                ["--indices"], ["--indices", "--op", "plus"], ["--indices=1"],
                                ["--indices", "--op", "max", "--ab", "x.so"]):
            self.bad("bench", option, *others, status=2, says=option.split("=")[0])

    def test_ways(self):
        """A way is forced on all engines that can be shared so; others, and calls, do not take part."""
        two = {"MMSCAN_NUM_THREADS": "2"}
        for way, refused in ("shares", ["mmscan serial"]), ("chain", ["mmscan serial", "mmscan simd"]), ("scans", []):
            rows = [row for _, row in self.rows(*self.TINY, 18, "--way", way, "--threads", "all", "--only", "mmscan", env=two)
                    if row["role"] == "mmscan"]
            skipped = [row["name"] for row in rows if "shared" in row.get("skipped", "")]
            self.assertEqual(sorted(name for name in skipped if name in ("mmscan serial", "mmscan simd")), refused, way)
            self.assertIn("takes the way", next(row for row in rows if row["name"] == "mmscan (one call)")["skipped"])
        self.bad("bench", "--way", "nowhere", status=2, says=["--way", "nowhere"])

    def test_wrong_usage(self):
        for arguments in [["x"], ["--sing"], ["-n", "x"], ["-n", "-1"], ["-n", "41"], ["-n", "9:4"], ["-n", "4:9:0"],
                          ["-n", "4:9:1:1"], ["-n", "4,"], ["--length", "0"], ["--length", "1.5"], ["--length", "2^41"],
                          ["--length", "2^"], ["--type", "f8"],
                          ["--type", ""], ["--place", "over"], ["--threads", "2"], ["--rounds", "0"],
                          ["--rounds", "x"], ["--plot", "x.pdf"], ["--plot", ".svg"], ["--json=1"],
                          ["--length", ",".join(map(str, range(1, 99)))], ["--only", ",".join("m" * 99)],
                          ["--only", ""], ["--only", "serial,"], ["-n", " 4"], ["--rounds", " 2"], ["--rounds", "+2"],
                          ["--list", "--json"], ["--list", "--csv"],
                          ["--op", "nor"], ["--op", ""], ["--op", "plus,max"], ["--op", "max", "--units"],
                          ["--row", "0"], ["--row", "x"], ["--row", "3", "--units"],
                          ["--row", "3", "--columns", "4"], ["--stride", "0"], ["--stride", "2", "--units"]]:
            self.bad("bench", *arguments, status=2, says="")

    def test_failures(self):
        self.bad(*self.TINY, 4, env={"MMSCAN_ENGINE": "abacus"}, says=["MMSCAN_ENGINE", "abacus"])
        self.bad(*self.TINY, 40, says=["memory", "nothing was timed"])
        self.bad(*self.TINY, 4, "--plot", self.path("x.svg"), env={"PATH": self.directory}, says=["--plot", "gnuplot"])
        self.bad(*self.TINY, 4, "--plot", self.path("x.svg"), env={"PYTHON": self.path("none")}, says=["PYTHON=", "none"])

    def mounted(self, folder, begin, *arguments):
        """Runs mmscan, after a command of the shell, where the folder was empty."""
        begin = "mount -t tmpfs none %s && " % folder + begin
        unshare = ["unshare", "-rm", "sh", "-c"]
        if shutil.which("unshare") is None or subprocess.run([*unshare, begin], capture_output=True).returncode != 0:
            self.skipTest("no mounts of its own here")
        return subprocess.run([*unshare, begin + " && exec \"$@\"", "sh", MMSCAN, *map(str, arguments)], capture_output=True, check=True)

    def test_memory_of_a_control_group(self):
        """Its limit counts, in version 2 and in version 1, even where the machine has more."""
        with open("/proc/self/cgroup") as file:
            groups = file.read()
        for line, name in ("0::/", "memory.max"), (":memory:/", "memory/memory.limit_in_bytes"):
            if line in groups:
                limit = "mkdir /sys/fs/cgroup/memory && echo 100000 >/sys/fs/cgroup/%s" % name
                done = self.mounted("/sys/fs/cgroup", limit, *self.TINY, "4,16", "--only", "serial")
                self.assertIn(b"n = 65536: skipped, as there is not enough memory", done.stderr)

    def test_memory_that_is_not_known(self):
        done = self.mounted("/proc", "true", *self.TINY, 4, "--only", "serial", "--json")
        self.assertIsNone(json.loads(done.stdout)["memory_mib_per_thread"])

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
        self.good(*self.TINY, "4,6", "--plot", svg, "--op", "max", "--indices", "--type", "bf16,u8", "--to", "f32")
        text = "".join(xml.etree.ElementTree.parse(svg).getroot().itertext()).replace("\u00a0", "").replace(" ", "")
        self.assertIn("max of bf16 to f32 with indices, out of place".replace(" ", ""), text)
        self.good("bench", "--rounds", 1, "--type", "c32", "--shape", "3,4", "--axis", 0, "--plot", svg)
        self.assertIn("axis0of3,4", self.read("it's a plot.svg").decode().replace("\u00a0", "").replace(" ", ""))
        self.assertEqual(self.read("plot.png")[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(sorted(os.listdir(self.directory)), ["it's a plot.svg", "plot.png"])
        self.bad(*self.TINY, 4, "--plot", self.path("nowhere/x.svg"), says="nowhere/x.svg")
        self.good(*self.TINY, "2,4", "--threads", "all", "--plot", svg, env={"MMSCAN_NUM_THREADS": "3"})
        text = "".join(xml.etree.ElementTree.parse(svg).getroot().itertext()).replace("\u00a0", " ")
        for each in ["omp simd inscan, 1 thread", "omp two-pass, 3 threads"]:
            self.assertIn(each, text)

    def test_a_long_title(self):
        """It continues on the next line, after a blank if it has any."""
        if shutil.which("gnuplot") is None:
            self.skipTest("no gnuplot here")
        svg, words = self.path("x.svg"), ["w\u00f6rd%d" % i for i in range(26)]
        for title, most in (" ".join(words), 66), ("".join(words), 200):
            self.good(*self.TINY, 4, "--plot", svg, "--title", title)
            texts = ["".join(text.itertext()).replace("\u00a0", " ") for text in xml.etree.ElementTree.parse(svg).iter("{http://www.w3.org/2000/svg}text")]
            lines = [text for text in texts if "w\u00f6rd" in text or "prefix sums" in text]
            self.assertEqual(" ".join(lines), title + ": prefix sums, f32, out of place")
            self.assertTrue(1 < len(lines) <= 4 and max(map(len, lines)) <= most, lines)

    def test_a_plot_that_is_cut_short(self):
        """gnuplot reports success even on a full disk; the old picture stays."""
        self.write("x.svg", "the old one")
        for script in ["cat >/dev/null", "cat >/dev/null; printf '<svg><g/><g/><g/><g/></sv'"]:
            os.chmod(self.write("gnuplot", "#!/bin/sh\n[ \"$2\" = --version ] || { %s; }\n" % script), 0o755)
            self.bad(*self.TINY, 4, "--plot", self.path("x.svg"), says="unfinished",
                     env={"PATH": self.directory + ":" + os.environ["PATH"]})
            self.assertEqual(self.read("x.svg"), b"the old one")

    def test_plot_without_settings_of_the_user(self):
        if shutil.which("gnuplot") is None:
            self.skipTest("no gnuplot here")
        self.write(".gnuplot", "set output '%s'\nset datafile separator ','\n" % self.path("elsewhere"))
        self.good(*self.TINY, "2,4", "--plot", self.path("x.svg"), env={"HOME": self.directory, "GNUTERM": "nonsense"})
        self.assertIn(b"copy bound", self.read("x.svg"))
        self.assertEqual(sorted(os.listdir(self.directory)), [".gnuplot", "x.svg"])

    def test_peers_beside_the_command(self):
        """They are looked for beside the command; a wrong result is reported, not timed, and the exit status is 1."""
        compiler = shutil.which(os.environ.get("CC", "gcc").split()[0])
        if compiler is None:
            self.skipTest("no C compiler here")
        alone = shutil.copy(MMSCAN, self.directory)
        listed = subprocess.run([alone, "bench", "--list"], stdout=subprocess.PIPE, check=True).stdout.decode()
        self.assertRegex(listed, "C\\+\\+ peers .*skipped: %s does not exist: 'make peers'" % self.path("mmscan-peers.so"))
        self.write("mmscan-peers.so", "no library")
        listed = subprocess.run([alone, "bench", "--list"], stdout=subprocess.PIPE, check=True).stdout.decode()
        self.assertRegex(listed, "C\\+\\+ peers .*skipped: %s: " % self.path("mmscan-peers.so"))
        headers = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "bench")
        subprocess.run([compiler, "-shared", "-fPIC", "-I", headers, "-o", self.path("mmscan-peers.so"), "-x", "c", "-"],
                       input=FAKE_PEERS.encode(), check=True)
        plot = ["--plot", self.write("x.svg", "old")] if shutil.which("gnuplot") else []
        done = subprocess.run([alone, *map(str, self.TINY), "4", "--json", *plot], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        rows = {row["name"]: row for row in json.loads(done.stdout)["tables"][0]["rows"]}
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"mmscan: idle peer, f32, n = 16: WRONG", done.stderr)
        if plot:
            self.assertIn(b"right peer", self.read("x.svg").replace(b"\xc2\xa0", b" "))
        self.assertIn("WRONG result, first at element 0", rows["idle peer"]["skipped"])
        self.assertGreater(rows["right peer"]["seconds"], 0)
        self.assertGreaterEqual(rows["slow peer"]["fastest_seconds"], 3e-3)
        self.assertEqual(rows["absent peer"]["skipped"], "there is none")
