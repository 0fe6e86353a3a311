"""Tests of mmscan bench --every, which makes calls now and then."""

import json
import os
import shutil
import subprocess
import time

from command_bench import FAKE_PEERS
from command_case import MMSCAN, Timed
from command_units import build_library

BENCH = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "bench")


class Every(Timed):
    OPTIONS = []
    TINY = ["bench", "--every", 100, "--rounds", 1, "-n"]

    def check_rows(self, table):
        """Ours come first, and percentiles rise."""
        timed = [row for row in table["rows"] if "skipped" not in row]
        self.assertEqual([row["name"] for row in table["rows"][:3]],
                         ["mmscan (one call)", "mmscan (one call)", "mmscan, all threads"])
        self.assertTrue(any(row["name"].startswith("omp ") for row in timed))
        for row in timed:
            self.assertTrue(0 < row["median_us"] <= row["p90_us"] <= row["p99_us"], row)

    def check_ratios(self, table):
        called, one, all_threads = table["rows"][:3]
        better = min(one["median_us"], all_threads["median_us"])
        self.assertAlmostEqual(table["median_of_better"] * better / called["median_us"], 1)
        self.assertAlmostEqual(table["p99_of_one"] * one["p99_us"] / called["p99_us"], 1)

    def test_json(self):
        report = json.loads(self.good(*self.TINY, "4,10", "--type", "f64,i32", "--place", "both", "--json"))
        self.assertEqual((report["every_us"], report["busy"], report["pool"], report["calls"]), (100, False, False, 20))
        self.assertEqual([(t["type"], t["place"], t["n"]) for t in report["tables"]],
                         [(code, place, n) for code in ["f64", "i32"] for place in ["out", "in"] for n in [16, 1024]])
        for table in report["tables"]:
            self.check_rows(table)
            self.check_ratios(table)

    def test_text(self):
        for option, does in [("--sleep", "sleeps"), ("--busy", "works")]:
            text = self.good(*self.TINY, "10", option).decode()
            self.assertIn("one every 100 us; between them the caller " + does, text)
            self.assertRegex(text, r"f32, out of place, n = 2\^10 +threads \|  median     90 %     99 %")
            self.assertRegex(text, r"mmscan \(one call\) +1 \| +[0-9.]+ +[0-9.]+ +[0-9.]+\n")
            self.assertRegex(text, r"as called: median [0-9.]+ of the better .*; 99 % [0-9.]+ of one thread's")

    def test_pauses(self):
        """So many calls, and three before each twenty, take as many pauses, in which a caller that sleeps takes less time
        of a CPU than one that works."""
        times = {}
        for option in ["--sleep", "--busy"]:
            begin, cpu = time.monotonic(), sum(os.times()[2:4])
            report = json.loads(self.good("bench", "--every", 5000, "--rounds", 1, "-n", 4, option, "--json"))
            calls = 23 * sum("skipped" not in row for row in report["tables"][0]["rows"])
            self.assertGreater(time.monotonic() - begin, 5e-3 * (calls - 7))
            times[option] = sum(os.times()[2:4]) - cpu
        self.assertGreater(times["--busy"], 1.5 * times["--sleep"])

    def test_pool(self):
        """Of a command whose peers have threads of their own, one of which works between calls: the last that can."""
        alone = shutil.copy(MMSCAN, self.path("mmscan"))
        command = [alone, *map(str, self.TINY), "4", "--json"]
        failed = subprocess.run([*command, "--pool"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(failed.returncode, 1)
        self.assertIn(b"--pool: there are no threads of TBB here", failed.stderr)
        os.rename(build_library(self, "peers", FAKE_PEERS, "-I", BENCH), self.path("mmscan-peers.so"))
        begin = time.monotonic()
        report = json.loads(subprocess.run([*command, "--pool"], stdout=subprocess.PIPE, check=True).stdout)
        calls = 23 * sum("skipped" not in row for row in report["tables"][0]["rows"])
        self.assertTrue(report["pool"])
        self.assertGreater(time.monotonic() - begin, 3e-3 * calls)  # that peer takes so long
        self.assertFalse(any("peer" in row["name"] for row in report["tables"][0]["rows"]))

    def test_wrong_usage(self):
        for words, says in [(["--sleep"], "need --every"), (["--busy"], "need --every"), (["--pool"], "need --every"),
                            (["--every", 10, "--sleep", "--busy"], "do not go together"),
                            (["--every", 10, "--csv"], "--every does not go with"),
                            (["--every", 10, "--threads", "1"], "--every does not go with"),
                            (["--every", 10, "--only", "simd"], "--every does not go with"),
                            (["--every", 10, "--row", 5], "--every does not go with"),
                            (["--every", 10, "--brief"], "--every does not go with"),
                            (["--every", 10, "--ab", MMSCAN], "--every does not go with"),
                            (["--every", -1], "--every"), (["--every", "often"], "--every"),
                            (["--every", 10000001], "--every")]:
            self.bad("bench", *words, status=2, says=says)
