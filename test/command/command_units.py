"""Tests of mmscan bench --units, and its page."""

import csv
import html.parser
import io
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree

from command_case import MMSCAN, Timed, remark, run, toy

# The part of CBLAS that a unit needs. With more columns than RIGHT, its first result is wrong.
FAKE_BLAS = r"""
#ifndef RIGHT
#define RIGHT (1 << 30)
#endif
#ifndef BEFORE
#define BEFORE(k)
#endif
#define GEMM(T, NAME)                                                                                      \
  void NAME(int order, int ta, int tb, int m, int n, int k, T alpha, const T *a, int lda, const T *b,      \
            int ldb, T beta, T *c, int ldc) {                                                              \
    BEFORE(k);                                                                                             \
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

# Threads of its own, at most 7, set by the calls of BLIS; how many there are is reported at the end.
FAKE_THREADS = r"""
#include <stdio.h>
static int threads = -1;
int bli_thread_get_num_threads(void) { return threads; }
void bli_thread_set_num_threads(long count) { threads = count < 7 ? (int)count : 7; }
__attribute__((destructor)) static void tell(void) { fprintf(stderr, "own threads: %d\n", threads); }
"""

# It waits before every product except the largest with three threads, so these are its fastest.
FAKE_WAITS = FAKE_THREADS + r"""
#include <unistd.h>
#define BEFORE(k) if (k < 512 || threads != 3) usleep(2000)
"""


def build_library(case, name, source, *flags):
    compiler = shutil.which(os.environ.get("CC", "gcc").split()[0])
    if compiler is None:
        case.skipTest("no C compiler here")
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", *flags, "-o", case.path(name), "-x", "c", "-"], input=source.encode(), check=True)
    return case.path(name)


class Page(html.parser.HTMLParser):
    """What a browser would request from elsewhere, the names of parts, and the text."""

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
        """A unit that is wrong in products of more than `right` columns."""
        return build_library(self, name, "#define RIGHT %s\n" % right + more + FAKE_BLAS)

    def test_libraries_that_end_the_process(self):
        """While they are loaded or multiply: the message names the library that did it."""
        crash = "#include <stdlib.h>\n#include <signal.h>\n"
        begin = "__attribute__((constructor)) static void begin(void) { %s; }"
        ends = [("libsegv.so", "raise(SIGSEGV)", "crashed", -signal.SIGSEGV),
                ("libabort.so", "abort()", "crashed", -signal.SIGABRT), ("libexit.so", "exit(0)", "ended", 1)]
        for name, how, says, code in ends:
            unit = self.library(name, more=crash + begin % how)
            for command in [[*self.TINY, "cblas," + unit], ["tune", "--unit", unit]]:
                status, _, err = run(*command)
                self.assertIn("mmscan: %s: this library %s the process" % (unit, says), err)
                self.assertEqual(status, code)
            status, _, err = run("scan", "-", data=b"1\n2\n", env={"MMSCAN_UNIT": unit})
            self.assertEqual(status, code)
            self.assertEqual(err, "mmscan: %s: this library %s the process\n" % (unit, says))
        unit = self.library("libtrap.so", "(n > 20000 ? (__builtin_trap(), 0) : n)")
        status, _, err = run("bench", "--rounds", 1, "-n", 18, "--units", unit)
        self.assertEqual(err, "mmscan: trap: this library crashed the process\n")
        self.assertLess(status, 0)

    def test_libraries_that_leave_no_file(self):
        """If a library ends the process, what was begun beside a file is removed, and the file stays as it was."""
        for how in "(__builtin_trap(), 0)", "(exit(0), 0)", "(abort(), 0)":
            unit = self.library("libends.so", "(n > 20000 || ++calls > 350 ? %s : n)" % how,
                                more="#include <stdlib.h>\nstatic int calls;\n")
            picture, data = self.write("out.svg", "old"), self.write("x.txt", "1\n" * 4000000)
            for command, variables in ([["bench", "--rounds", 1, "-n", 18, "--units", unit, "--plot", picture], {}],
                                       [["scan", "-o", picture, "--format", "txt", data],
                                        {"MMSCAN_UNIT": unit, "MMSCAN_ENGINE": "gemm"}]):
                self.assertNotEqual(run(*command, env={"MMSCAN_NUM_THREADS": "1", **variables})[0], 0)
                with open(picture) as file:
                    self.assertEqual(file.read(), "old")
                self.assertEqual([name for name in os.listdir(os.path.dirname(picture)) if ".mmscan-" in name], [])

    def test_text(self):
        text = self.good(*self.TINY, "cblas,model", env={"OMP_DYNAMIC": "false"}).decode()
        self.assertRegex(text, "\n  OMP_DYNAMIC +false\n")
        for each in ["n = 2^10", "copy bound", "serial loop", "tiles by rows", "s = 128", "GFLOP/s"]:
            self.assertIn(each, text)
        self.assertIn("level of a scan, f32, n = 2^10:", text)
        for unit in ["cblas", "model"]:
            self.assertEqual(len(re.findall("\n +[12] %s " % unit, text)), 2)  # in both rankings
        for n, lengths in [(1, "n = 2 to 128, whole columns of s"), (1000, "n = 896 to 1000, whole columns of s")]:
            text = self.good("bench", "--rounds", 1, "--length", n, "--units", "cblas").decode()
            self.assertIn("level of a scan, f32, %s:" % lengths, text)

    def test_figures_of_the_text(self):
        """They are the same in all its tables, up to the digits that are left out."""
        text = self.good(*self.TINY, "cblas,model", env={"MMSCAN_NUM_THREADS": "3"}).decode()
        elements, operations = [self.products(text, heading) for heading in ("Gelem/s", "GFLOP/s")]
        self.assertEqual(set(elements), set(operations))
        for key in elements:
            for s, speed, busy in zip(self.SIZES, elements[key], operations[key]):
                self.assertNear(busy, 2 * s * speed, key)
        multiplied, ranking = [text[text.index("\nRanking%s\n" % more):] for more in (" by products, s >= 4", "")]
        bounds, loops = [re.search("(?m)^ +%s +([0-9].*)$" % name, ranking)[1].split() for name in ("copy bound", "serial loop")]
        for label in "cblas", "model", "engine simd":
            words = re.search("(?m)^ +[12]? +%s +([0-9].*)$" % label, ranking)[1].split()
            for k in 0, 4:
                speed, quartiles, of_bound, times_serial = words[-8 + k:][:4]
                self.assertEqual(quartiles, "%s..%s" % (speed, speed))  # of one round
                self.assertNear(float(of_bound), float(speed) / float(bounds[k]), label)
                self.assertNear(float(times_serial), float(speed) / float(loops[k]), label)
        for label in "cblas", "model":
            words = re.search("(?m)^ +[12] %s +(.*)$" % label, multiplied)[1].split()
            self.assertGreaterEqual(int(words[0]), 4)
            self.assertNear(float(words[3]), float(words[1]) / float(bounds[4]), label)
            self.assertEqual(float(words[4]), max(max(elements[label, form][1:]) for form in ("tiles", "tiles by rows")))
            self.assertGreaterEqual(float(words[5]), max(operations[label, "tiles"]))

    @staticmethod
    def products(text, heading):
        """The rows of a table of products: by unit and form, a number for each s."""
        table = re.search("(?m)^%s\nunit .*\n((.+\n)*)" % heading, text)[1]
        rows = re.findall(r"(?m)^(\S+) +(\S.*?)((?: +[0-9.]+){7})$", re.sub("(?m)^(copy bound|serial loop).*", "", table))
        return {(label, form): [float(word) for word in numbers.split()] for label, form, numbers in rows}

    def assertNear(self, got, wanted, note=None):
        """For numbers with two or three digits, and five behind the point."""
        self.assertAlmostEqual(got, wanted, delta=0.1 * wanted + 2e-5, msg=note)

    def test_json(self):
        title = "it's"
        report = json.loads(self.good(*self.TINY, "model,cblas", "--json", "--title", title,
                                      env={"OPENBLAS_NUM_THREADS": "1", "KMP_BLOCKTIME": "0"}))
        self.assertLessEqual({"OPENBLAS_NUM_THREADS": "1", "KMP_BLOCKTIME": "0"}.items(), report["settings"].items())
        self.assertEqual(report["command"], "mmscan bench --brief --rounds 1 -n 10 --units model,cblas --json --title 'it'\\''s'")
        self.assertEqual((report["n"], report["rounds"]), (1024, 1))
        self.check_ranking(report, {"cblas", "model"})
        simd = [row for row in report["tables"][-1]["rows"] if row["name"] == "mmscan simd" and row["seconds"] > 0]
        self.assertEqual([(row["threads"], row.get("s")) for row in simd], [(threads, None) for threads in report["threads"]])
        works = [(table["work"], len({row["s"] for row in table["rows"] if "s" in row})) for table in report["tables"]]
        self.assertEqual(works, [("product", 1)] * 8 + [("scan", 7), ("scan", works[-1][1])])
        self.check_standings(report)
        sizes = [{row["s"] for row in table["rows"] if "s" in row} for table in report["tables"][:7]]
        self.assertEqual(sizes, [{s} for s in self.SIZES])
        for table in report["tables"]:
            self.check_ratios(table["rows"])
            for row in table["rows"]:
                self.check_row(table["n"], row)

    def check_row(self, n, row):
        if "skipped" in row:
            self.assertNotIn("WRONG", row["skipped"])
            return
        times = [row[key] for key in ("fastest_seconds", "first_quartile_seconds", "seconds", "third_quartile_seconds")]
        self.assertEqual(times, sorted(times))
        self.assertAlmostEqual(row["gelem_per_second"] * row["seconds"] * 1e9 / n, 1)
        if "form" in row:
            self.assertAlmostEqual(row["gflop_per_second"] / row["gelem_per_second"], 2 * row["s"])

    def check_ranking(self, report, labels):
        """The fastest unit is first; its speed is that of the table, on the most threads, with the faster of two s. The second
        ranking is by the faster of those from 4 on."""
        ranking = report["ranking"]
        self.assertEqual({row["label"] for row in ranking}, labels)
        speeds = [row["gelem_per_second"] or 0 for row in ranking]
        self.assertEqual(speeds, sorted(speeds, reverse=True))
        threads = report["machine"]["threads"]
        scans = {(row["name"], row["s"]): row for row in report["tables"][-1]["rows"]
                 if row["role"] == "mmscan" and row["threads"] == threads and "s" in row}
        for row in ranking:
            if "failed" not in row:
                own = {s: scan.get("gelem_per_second") for (name, s), scan in scans.items() if name == row["label"]}
                self.assertEqual(len(own), 2)
                self.assertIn(row["s"], self.SIZES)
                self.assertEqual(row["forms"]["tiles"], "timed")
                for part, least in (row, 2), (row["multiplied"], 4):
                    fastest = max((speed, s) for s, speed in own.items() if s >= least)
                    self.assertEqual((part["gelem_per_second"], part["s"]), fastest)
        self.check_ranks([(row, row["label"]) for row in ranking], scans)
        self.check_ranks([(row["multiplied"], row["label"]) for row in ranking], scans)

    def check_ranks(self, placings, scans):
        """Units have one rank where the quartiles of both overlap, or there are others between which link them; it is one more
        than the units of all ranks before."""
        first, third = "first_quartile_seconds", "third_quartile_seconds"
        timed = [(part["rank"], scans[label, part["s"]]) for part, label in placings if part["s"]]
        self.assertTrue(all(part["rank"] is None for part, _ in placings if not part["s"]))
        groups = [{i} for i in range(len(timed))]
        for (i, (_, a)), (k, (_, b)) in itertools.combinations(enumerate(timed), 2):
            if max(a[first], b[first]) <= min(a[third], b[third]):
                joined = [group for group in groups if group & {i, k}]
                groups = [group for group in groups if group not in joined] + [set.union(*joined)]
        for group in groups:
            slowest = max(timed[i][1][third] for i in group)
            faster = sum(scan[third] < slowest for i, (_, scan) in enumerate(timed) if i not in group)
            self.assertEqual({timed[i][0] for i in group}, {faster + 1}, timed)

    def check_standings(self, report):
        """What the ranking says of a unit agrees with the rows of its products and scans."""
        for standing in report["ranking"]:
            tables = [[row for row in table["rows"] if row["name"] == standing["label"] and "seconds" in row]
                      for table in report["tables"]]
            products = [row for rows in tables[:8] for row in rows]
            speeds = [row["gelem_per_second"] for row in products if row["form"].startswith("tiles") and row["s"] < 512]
            peaks = [row["gflop_per_second"] for row in products if row["form"].startswith(("tiles", "whole"))]
            self.assertEqual(standing["product_gelem_per_second"], max(speeds))
            speeds = [row["gelem_per_second"] for row in products if row["form"].startswith("tiles") and 4 <= row["s"] < 512]
            self.assertEqual(standing["multiplied"]["product_gelem_per_second"], max(speeds))
            self.assertEqual(standing["peak_gflop_per_second"], max(peaks))
            largest = {row["form"]: row["gelem_per_second"] for row in tables[7]}
            gain = largest["whole"] / largest["whole, 1 thread"] if "whole, 1 thread" in largest else None
            self.assertEqual(standing["gain_of_own_threads"], gain)
            self.check_scans(standing, *tables[8:])

    def check_scans(self, standing, short, scans):
        """Long scans use the two s with which short ones are fastest; the ranking has one of these."""
        short.sort(key=lambda row: row["fastest_seconds"])
        self.assertEqual({row["s"] for row in scans}, {row["s"] for row in short[:2]})
        for part in standing, standing["multiplied"]:
            own = sorted((row["threads"], row["gelem_per_second"], row["of_bound"]) for row in scans if row["s"] == part["s"])
            self.assertEqual(part["fewest_threads_gelem_per_second"], own[0][1])
            self.assertEqual((part["gelem_per_second"], part["of_bound"]), own[-1][1:])

    def test_ranks(self):
        """Of units that are as fast as each other, one that is slower, and one that fails."""
        first = self.library("libtoy1.so")
        slow = self.library("libslow.so", more="#include <unistd.h>\n#define BEFORE(k) usleep(2000)\n")
        units = [first, *(shutil.copy(first, self.path("libtoy%d.so" % i)) for i in range(2, 7)), slow, self.path("none.so")]
        shared = 0
        for rounds in 2, 5:
            status, out, _ = run("bench", "--rounds", rounds, "-n", 10, "--units", ",".join(units), "--json")
            report = json.loads(out)
            self.assertEqual(status, 1)
            self.check_ranking(report, {*("toy%d" % i for i in range(1, 7)), "slow", "none"})
            for parts in report["ranking"], [row["multiplied"] for row in report["ranking"]]:
                shared += 7 - len({part["rank"] for part in parts if part["rank"]})
            self.assertEqual([row["rank"] for row in report["ranking"] if "failed" in row], [None])
        remark("%d ranks are shared" % shared)

    def test_quartiles(self):
        """Of two rounds, whose median and faster one tell the other: at a quarter and three quarters of the way between."""
        report = json.loads(self.good("bench", "--rounds", 2, "-n", 10, "--units", "cblas", "--json"))
        for row in itertools.chain(*(table["rows"] for table in report["tables"])):
            if "seconds" in row:
                half = row["seconds"] - row["fastest_seconds"]
                for key, part in ("first", 0.5), ("third", 1.5):
                    self.assertAlmostEqual(row[key + "_quartile_seconds"] / (row["fastest_seconds"] + part * half), 1, 9)

    def test_sentences(self):
        """Why the best s is 2, where it is; and why there are two bounds."""
        for n, why in (1024, "of the same copying"), (1000, "scans (n = 1000) and products (n up to 1000) are each compared"):
            name = self.path("x.html")
            page = ["--report", name] if shutil.which("gnuplot") else []
            arguments = ["bench", "--rounds", 1, "--length", n, "--units", "cblas"]
            text = self.good(*arguments, *page).decode()
            both = [text, Page(self.read("x.html").decode()).text] if page else [text]
            for each, places in zip(both, [2, 4]):
                self.assertEqual(each.count("There are two copy bounds"), places)
                self.assertEqual(each.count(why), places)
                is_best = re.search("(?m)^ *1 *cblas +2 ", text) is not None
                told = "the best s is 2 for 1 of 1 unit, because a row is then only added to another: no product is needed"
                self.assertEqual(told in each, is_best)
                self.assertIn("Here every unit multiplies, by L_4 or larger", each)

    def test_standings(self):
        """For a unit that gains by its own threads, and is fastest in the largest products."""
        unit = self.library("libwaits.so", more=FAKE_WAITS)
        status, out, _ = run(*self.TINY, "%s,cblas" % unit, "--json", env={"MMSCAN_NUM_THREADS": "3"})
        report = json.loads(out)
        self.assertEqual(status, 0)
        self.check_standings(report)
        gains = {row["label"]: row["gain_of_own_threads"] for row in report["ranking"]}
        self.assertIsNotNone(gains["waits"])

    def test_bounds_of_own_threads(self):
        """A product on three threads is compared with copying on three; there is no copying on seven."""
        unit = self.library("libseven.so", more=FAKE_THREADS)
        for most, own in (3, 3), (8, 7):
            report = json.loads(run(*self.TINY, unit, "--json", env={"MMSCAN_NUM_THREADS": str(most)})[1])
            for table in report["tables"]:
                self.check_ratios(table["rows"])
            whole = next(row for row in report["tables"][7]["rows"] if row.get("form") == "whole")
            self.assertEqual((whole["threads"], whole["of_bound"] is None), (own, own == 7))

    @staticmethod
    def races(rows):
        """The rows of CSV as the races of JSON: each race begins with the same copy on one thread."""
        races = []
        for row in rows:
            if (row["name"], row["threads"]) == ("copy past the caches", "1"):
                races.append([])
            numbers = {key: float(value) for key, value in row.items() if re.fullmatch("[0-9].*", value) and key != "skipped"}
            races[-1].append({key: numbers.get(key, value) for key, value in row.items() if value})
        return races

    def test_csv_of_units_that_fail(self):
        status, out, _ = run(*self.TINY, "cblas," + self.write("none.so", "no library"), "--csv")
        failed = [row for row in csv.DictReader(io.StringIO(out.decode()), strict=True) if row["work"] == "unit"]
        self.assertEqual(status, 1)
        self.assertEqual([row["name"] for row in failed], ["none"])
        self.assertTrue(failed[0]["skipped"])

    def test_csv(self):
        out = self.good("bench", "--rounds", 2, "-n", 10, "--units", "model,cblas", "--csv").decode()
        rows = list(csv.DictReader(io.StringIO(out), strict=True))
        self.assertEqual({row["work"] for row in rows}, {"product", "scan"})
        self.assertEqual({row["name"] for row in rows if row["role"] == "mmscan"}, {"model", "cblas", "mmscan simd"})
        self.assertEqual({int(row["s"]) for row in rows if row["form"]}, set(self.SIZES + [512]))
        timed = [row for row in rows if row["seconds"]]
        for row in timed:
            self.assertEqual((row["skipped"], None in row), ("", False))
            self.assertAlmostEqual(float(row["gelem_per_second"]) * float(row["seconds"]) * 1e9 / int(row["n"]), 1, 14)
        races = self.races(rows)
        self.assertEqual(len(races), 10)
        for race in races:
            self.check_ratios(race)
            for row in race:
                self.check_row(row["n"], row)
        self.assertGreater(max(len(row["seconds"]) for row in timed), 18)
        plain = self.good("bench", "--rounds", 1, "-n", "4,10", "--only", "mmscan", "--csv").decode()
        self.assertEqual({row["n"] for row in csv.DictReader(io.StringIO(plain))}, {"16", "1024"})

    def test_blas_that_is_wrong(self):
        if not os.path.exists(toy("drops")):
            self.skipTest("the toy libraries of the unit tests are not built")
        cblas = json.loads(self.good("info", "--json"))["units"][0]
        link = self.path(os.path.basename(cblas["library"] or "none"))
        os.symlink(toy("drops"), link)
        here = {"LD_LIBRARY_PATH": self.directory}
        if json.loads(self.good("info", "--json", env=here))["units"][0]["library"] != link:
            self.skipTest("the unit cblas is opened by a path, or there is none")
        status, out, err = run(*self.TINY, "cblas,model", "--json", env=here)
        self.assertEqual(status, 1)
        self.assertIn("wrong products", err)
        failed = {row["label"]: row.get("failed") for row in json.loads(out)["ranking"]}
        self.assertIn("wrong products", failed["cblas"])
        self.assertIsNone(failed["model"])

    def test_lengths_and_types(self):
        """Lengths that nothing divides, one element less than a column, and several tiles."""
        lengths = [1, 2, 127, 128, 129, 511, 513, 65536 * 2 + 5]
        for n, kind in zip(lengths, itertools.cycle(["f32", "f64"])):
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
        """In one gemm for all, every unit has as many threads of its own, however it is set; then it is set back."""
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
        self.assertRegex(text, "(?m)^  threads .* set to 9 ")
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
        """They are reported, not timed; the others are timed, the files are written, and the exit status is 1."""
        good, sly, bad = self.library("libgood.so"), self.library("libsly.so", 20000), self.library("libbad.so", 0)
        other = self.write("libother.so", "no library")
        absent = self.path("libabsent.so")
        svg = self.path("units.svg")
        status, out, err = run("bench", "--rounds", 1, "-n", 16, "--units", ",".join([sly, good, absent, bad, other]),
                               "--json", *(["--plot", svg] if shutil.which("gnuplot") else []))
        self.assertEqual(status, 1)
        report = json.loads(out)
        self.check_ranking(report, {"good", "sly", "bad", "absent", "other"})
        reasons = {row["label"]: row.get("failed", "") for row in report["ranking"]}
        self.assertEqual(report["ranking"][0]["label"], "good")
        for name, reason in [("good", "^$"), ("sly", "^[a-z, ]*, s = 2: WRONG result, first at element 0 of 65536$"),
                             ("bad", "wrong products"), ("absent", "cannot open"), ("other", ".")]:
            self.assertRegex(reasons[name], reason)
            if name != "good":
                self.assertIn("lib%s.so" % name, err)
        self.assertEqual({row["name"] for table in report["tables"] for row in table["rows"]
                          if row["role"] == "mmscan" and "seconds" in row}, {"good", "mmscan simd"})
        if shutil.which("gnuplot"):
            text = "".join(xml.etree.ElementTree.parse(svg).getroot().itertext())
            self.assertIn("failed:", text.replace("\u00a0", " "))

    def test_product_without_memory(self):
        """It has no result that could be wrong: the status is told, and the unit takes part in the rest."""
        source = """#include <stddef.h>
extern void *__libc_malloc(size_t size);
void *malloc(size_t size) { static int calls; return size == 512 * 512 * 4 && ++calls > 2 ? NULL : __libc_malloc(size); }
"""
        short = build_library(self, "short.so", source)
        report = json.loads(self.good(*self.TINY, "cblas", "--json", env={"LD_PRELOAD": short}))
        told = {row["form"]: row.get("skipped") for row in report["tables"][7]["rows"] if row["name"] == "cblas"}
        self.assertEqual(told["whole"], "out of memory")
        self.check_ranking(report, {"cblas"})

    def test_no_unit_left(self):
        """Nothing is timed, and the old file stays."""
        plot = []
        if shutil.which("gnuplot"):
            plot = ["--plot", self.write("x.svg", b"old"), "--report", self.path("x.html")]
        absent = "%s,%s" % (self.path("liba.so"), self.path("libb.so"))
        self.assertEqual(self.bad("bench", "--units", absent, *plot, says=["liba.so", "libb.so"]), b"")
        if plot:
            self.assertEqual(self.read("x.svg"), b"old")

    def test_names(self):
        """For files of one name in many folders, many names of one file, and a unit that is given twice."""
        first = self.library("libtoy.so")
        os.mkdir(self.path("sub"))
        second = shutil.copy(first, self.path("sub/libtoy.so"))
        os.symlink(first, self.path("liblink.so"))
        units = [first, second, self.path("liblink.so"), first, "cblas", "cblas"]
        listed = self.good("bench", "--list", "--units", ",".join(units)).decode()
        self.assertEqual([line.split()[0] for line in listed.splitlines()], ["toy", "libtoy.so", "cblas"])

    def labels(self, units, **options):
        listed = self.good("bench", "--list", "--units", units, **options).decode()
        return [line.split()[0] for line in listed.splitlines()]

    def test_lists_in_files(self):
        """A name or path a line, which may have a comma or # in it; comments and empty lines are no names."""
        odd, other = self.library("lib#a,b.so"), self.library("libother.so")
        path = self.write("units", "# to compare\n\n  %s\t# the first\r\n#cblas\n\tcblas\r\n%s" % (odd, other))
        self.assertEqual(self.labels("@" + path), ["#a,b", "cblas", "other"])
        self.assertEqual(self.labels("model,@%s,%s" % (path, other)), ["model", "#a,b", "cblas", "other"])
        self.bad("bench", "--units", "@" + self.write("none", "# nothing\n\n"), says=["none: ", "no name"])
        self.bad("bench", "--units", "@" + self.path("absent"), says=self.path("absent: No such file"))
        self.bad("bench", "--units", "@" + self.directory, says="directory")
        for units in "@", "cblas,@":
            self.bad("bench", "--units", units, status=2, says="a name is missing")

    def test_folders(self):
        """Every BLAS in it that can be loaded, once; nothing else is loaded, which might end the process."""
        os.mkdir(self.path("d"))
        self.library("d/libb.so")
        self.library("d/liba.so.3")
        self.library("d/libc.some")
        os.symlink("libb.so", self.path("d/libblink.so.4"))
        self.library("d/libpart.so", more="void elsewhere(void);\n#define BEFORE(k) elsewhere()\n")
        ends = "__attribute__((constructor)) static void end(void) { __builtin_trap(); }\n"
        build_library(self, "d/libends.so", ends)
        build_library(self, "d/libuser.so", ends + "void cblas_sgemm(void); void use(void) { cblas_sgemm(); }",
                      "-Wl,--no-as-needed,-rpath," + self.path("d"), self.path("d/libb.so"))
        whole = self.read("d/libb.so")
        far = whole[:40] + (1 << 40).to_bytes(8, "little") + whole[48:]  # its sections
        for name, data in ("text", b"no library"), ("empty", b""), ("cut", whole[:len(whole) // 2]), ("head", whole[:64]), ("far", far):
            self.write("d/lib%s.so" % name, data)
        os.mkfifo(self.path("d/libpipe.so"))
        self.assertEqual(self.labels(self.path("d")), ["a", "b"])
        self.assertEqual(self.labels(self.path("d/libb.so,") + self.path("d/,cblas")), ["b", "a", "cblas"])
        self.assertEqual(self.labels("@" + self.write("units", self.path("d\n"))), ["a", "b"])
        self.library("d/libwrong.so", 0)
        self.bad("bench", "--list", "--units", "d", cwd=self.directory, status=1, says=["libwrong.so", "wrong products"])
        os.mkdir(self.path("e"))
        self.bad("bench", "--units", self.path("e"), says=[self.path("e"), "no BLAS"])

    def test_vendors(self):
        """In any case of letters: the first library of the vendor that is found."""
        self.library("libmkl_rt.so.3")
        self.library("libtatlas.so.3")
        found = {"LD_LIBRARY_PATH": self.directory}
        for units, labels in [("mkl,CBLAS", ["mkl_rt", "cblas"]), ("MKL", ["mkl_rt"]), ("Mkl_RT,mkl", ["mkl_rt"]), ("Model", ["model"])]:
            self.assertEqual(self.labels(units, env=found), labels)
        self.assertRegex(self.labels("ATLAS", env=found)[0], "atlas")
        for name in "mk", "m", "mklx":
            self.bad("bench", "--list", "--units", name, env=found, says="mmscan: %s: no library of this name is found" % name)
        shutil.copy(self.path("libmkl_rt.so.3"), self.path("libMKL_RT.so.3"))
        both = ",".join(self.path(name) for name in ("libmkl_rt.so.3", "libMKL_RT.so.3"))
        self.assertEqual(self.labels(both, env=found), ["mkl_rt", "MKL_RT"])
        _, _, err = run("bench", "--list", "--units", "LibXSMM")
        self.assertNotIn("no library of this name", err)

    def test_vendors_that_are_fetched(self):
        """fetch-vendors prints a line for what it has fetched; here a false pip fetches."""
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/fetch-vendors")
        fake = self.library("libfake.so")
        os.mkdir(self.path("bin"))
        self.write("bin/python3", '#!/bin/sh\n[ "$1,$3" = -,mkl ] && cp "%s" "$2/lib/libmkl_rt.so.2"\nexit 0\n' % fake)
        os.chmod(self.path("bin/python3"), 0o755)
        env = {**os.environ, "PATH": "%s:%s:%s" % (self.path("bin"), os.path.dirname(MMSCAN), os.environ["PATH"])}
        said = subprocess.run(["sh", script, self.path("a folder")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env)
        line = re.search(r"(?m)^fetch-vendors: .*: (mmscan bench --units .*)$", said.stdout.decode())[1]
        listed = subprocess.run(line + " --list", shell=True, check=True, stdout=subprocess.PIPE, env=env).stdout.decode()
        self.assertRegex(listed, "^mkl_rt .*/a folder/lib/libmkl_rt.so.2")

    def test_long_names(self):
        """They are cut: columns stay aligned, and each unit still has a name of its own."""
        units = [self.library("lib%s%s.so" % ("x" * 40, end)) for end in "abc"]
        text = self.good(*self.TINY, ",".join(units)).decode()
        rows = [line for line in text.splitlines() if re.search(" tiles +[0-9]", line)]
        self.assertEqual(len({line.split()[0] for line in rows}), 3)
        self.assertEqual({line.index(" tiles ") for line in rows}, {23})
        ranking = [line for line in text[text.index("\nRanking\n"):].splitlines() if re.match("(   [1-3]|rank unit) ", line)]
        self.assertEqual((len(ranking), len({len(line) for line in ranking})), (4, 1), text)

    def test_names_that_are_no_text(self):
        """JSON, SVG and HTML are UTF-8, whatever the name of a file or a title."""
        odd = os.fsdecode(b"\xff\n\"")
        unit, page, svg = self.library("lib%s.so" % odd), self.path("x.html"), self.path("x.svg")
        drawn = ["--report", page, "--plot", svg, "--title", odd] if shutil.which("gnuplot") else []
        report = json.loads(self.good(*self.TINY, unit, "--json", *drawn))
        self.check_ranking(report, {'??"'})
        if drawn:
            xml.etree.ElementTree.parse(svg)
            self.assertIn("<h1>?\n&quot;</h1>", self.read("x.html").decode())

    def test_control_characters(self):
        """None in a name or a reason reaches the terminal, where it may be obeyed."""
        unit, other = self.library("lib\x1b[31mx.so"), self.write("lib\x1b[32my.so", "no library")
        for arguments in ["bench", "--list", "--units"], self.TINY:
            out = run(*arguments, unit + "," + other)[1]
            self.assertIn(b"lib?[31mx.so", out)
            self.assertIn(b"failed: ", out)
            self.assertNotIn(b"\x1b", out)
        out = self.good("bench", "--list", env={"MMSCAN_UNIT": unit})
        self.assertNotIn(b"\x1b", out)

    def test_plot(self):
        if shutil.which("gnuplot") is None:
            self.skipTest("no gnuplot here")
        title = "<it's> \\ \"{/:Bold 5}\" & `date` $x %d"
        svg, png = self.path("it's a plot.svg"), self.path("plot.png")
        self.good(*self.TINY, "cblas,model", "--plot", svg, "--title", title)
        picture = xml.etree.ElementTree.parse(svg).getroot()
        heights = {"".join(g.itertext()).strip().replace("\u00a0", " "): float(re.search(r",([0-9.]+)\)", g.get("transform"))[1])
                   for g in picture.iter("{http://www.w3.org/2000/svg}g") if g.get("font-size") == "16.00"}
        titles = [text[len(title) + 2:] if text.startswith(title) else text for text in sorted(heights, key=heights.get)]
        self.assertEqual([text.split()[0] for text in titles if text], ["scans", "products", "roofline"])
        text = "".join(picture.itertext()).replace("\u00a0", "").replace(" ", "")
        for each in [title, "cblas", "model", "engine simd", "copying, n = 2^10, 1 thread", "serial loop", "roofline", "GB/s",
                     "s = 128"]:
            self.assertIn(each.replace(" ", ""), text)
        self.good(*self.TINY, "cblas", "--plot", png, "--json", "--threads", "1")
        self.assertEqual(self.read("plot.png")[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(sorted(os.listdir(self.directory)), ["it's a plot.svg", "plot.png"])

    def test_report(self):
        if shutil.which("gnuplot") is None:
            self.skipTest("no gnuplot here")
        title = "<b>&amp; 'x' id='a' url(#x)"
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
        self.assertNotRegex(page.text, "p[0-9]-(a'|x)")
        self.assertIn("medians of 1 round;", page.text)
        self.assertEqual((page.tags.count("svg"), page.tags.count("figcaption")), (3, 3))
        for each in [title, "BLIS_NUM_THREADS", "export BLIS_NUM_THREADS='it'\\''s <2>'", report["command"], "copy bound",
                     "strided batch", report["version"], report["machine"]["cpu"]]:
            self.assertIn(each, page.text)
        places = [page.text.index("\n%d%s" % (place + 1, row["label"])) for place, row in enumerate(report["ranking"])]
        self.assertEqual(places, sorted(places))
        self.check_page_ranking(report, text)
        self.check_page_products(report, text)
        for picture in text.split("<figure>")[1:]:
            xml.etree.ElementTree.fromstring(picture[:picture.index("<figcaption>")])
        self.assertEqual(sorted(os.listdir(self.directory)), ["plot.svg", "report.html"])

    @staticmethod
    def page_rows(text, heading):
        """The cells of a table, row by row; None for a dash."""
        table = text[text.index("<h2>%s</h2>" % heading):].partition('<table class="wide">')[2]
        rows = re.findall("<tr.*?</tr>", table[:table.index("</table>")])
        cells = [re.findall("<td[^>]*>(.*?)</td>", row) for row in rows[1:]]
        return [[None if cell == "&ndash;" else cell for cell in row] for row in cells]

    def check_page_ranking(self, report, text):
        rows = self.page_rows(text, "Ranking")
        scans = [row for row in report["tables"][-1]["rows"] if "seconds" in row]
        counts = sorted({row["threads"] for row in scans if row["role"] == "mmscan"})
        def check(cells, names, s=None):
            for i, threads in enumerate(counts):
                scan = next(scan for scan in scans if scan["name"] in names and (scan["threads"], scan.get("s")) == (threads, s))
                self.check_scan(cells[4 * i:4 * i + 4], scan)
        self.assertEqual([row[1] for row in rows[:3]], ["copy bound", "engine simd", "serial loop"])
        check(rows[0][3:], {"copy bound"})
        check(rows[1][3:], {"mmscan simd"})
        loop = next(scan for scan in scans if scan["role"] == "loop")
        for i in range(len(counts)):
            self.check_scan(rows[2][3 + 4 * i:7 + 4 * i], loop)
        for standing, row in zip(report["ranking"], rows[3:]):
            self.assertEqual(row[:3], [str(standing["rank"]), standing["label"], str(standing["s"])])
            check(row[3:], {standing["label"]}, standing["s"])
        self.check_page_multiplied(report, [scan for scan in scans if scan["threads"] == counts[-1]], text)

    def check_page_multiplied(self, report, scans, text):
        scans = {(scan["name"], scan.get("s")): scan for scan in scans}
        ranking = sorted(report["ranking"], key=lambda row: -row["multiplied"]["gelem_per_second"])
        for standing, row in zip(ranking, self.page_rows(text, "Ranking by products, s &gt;= 4"), strict=True):
            own = standing["multiplied"]
            self.assertEqual(row[:3], [str(own["rank"]), standing["label"], str(own["s"])])
            self.check_scan(row[3:6], scans[standing["label"], own["s"]])
            self.check_cells(row[6:], [own["product_gelem_per_second"], standing["peak_gflop_per_second"],
                                       standing["gain_of_own_threads"]])

    def check_scan(self, cells, scan):
        """Speed, quartiles, and one ratio or two."""
        figures = [scan[figure] for figure in ("gelem_per_second", "of_bound", "times_serial")]
        self.check_cells(cells[:1] + cells[2:], figures[:len(cells) - 1])
        self.check_quartiles(cells[1], scan)

    def check_quartiles(self, cell, row):
        speeds = [row["gelem_per_second"] * row["seconds"] / row[which + "_quartile_seconds"] for which in ("third", "first")]
        self.check_cells(cell.split(".."), speeds)

    def check_page_products(self, report, text):
        cells = iter([row for row in self.page_rows(text, "Products") if len(row) == 9])
        for label in [row["label"] for row in report["ranking"]]:
            for form in [row["form"] for row in report["tables"][3]["rows"] if row["name"] == label and "seconds" in row]:
                products = [next(row for row in table["rows"] if row["name"] == label and row.get("form") == form)
                            for table in report["tables"][:7]]
                row = next(cells)
                self.assertEqual(row[1], form)
                for cell, product in zip(row[2:], products):
                    speed, operations, quartiles = re.sub("</?small>", "", cell).split("<br>")
                    self.check_cells([speed, operations], [product["gelem_per_second"], product["gflop_per_second"]])
                    self.check_quartiles(quartiles, product)
        self.check_page_bounds(report, list(cells))

    def check_page_bounds(self, report, measures):
        """One for each number of threads, whatever s is: the fastest of all races of products."""
        threads = report["threads"]
        names = ["copy bound, %d thread%s" % (count, "s" * (count > 1)) for count in threads]
        self.assertEqual([row[0] for row in measures], names + ["serial loop"])
        for row, count in zip(measures, threads):
            copies = [line["gelem_per_second"] for table in report["tables"][:7] for line in table["rows"]
                      if (line["role"], line["threads"]) == ("bound", count)]
            self.assertEqual(len(set(row[2:])), 1)
            self.check_cells([row[2].split("<br>")[0]], [max(copies)])

    def check_cells(self, cells, wanted):
        self.assertEqual([cell is None for cell in cells], [number is None for number in wanted])
        for cell, number in zip(cells, wanted):
            if number is not None:
                self.assertNear(float(cell), number, (cells, wanted))

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
        python = self.path("none")
        self.bad(*self.TINY, "cblas", env={"PYTHON": python}, says=["Python 3", "PYTHON=" + python])
        for form in "--json", "--csv":
            self.good(*self.TINY, "cblas", form, env={"PYTHON": python})
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
        """Both unfinished files are removed; the old ones stay."""
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
        """MMSCAN_UNIT does not matter here: the units are those that are listed."""
        report = json.loads(self.good(*self.TINY, "cblas", "--json", env={"MMSCAN_UNIT": "model"}))
        self.check_ranking(report, {"cblas"})
