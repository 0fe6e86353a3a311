"""Tests of mmscan bench --operation."""

import json

from command_case import Timed


class Operations(Timed):
    def report(self, *arguments):
        text = self.good("bench", "--operation", *arguments, "--rounds", 1, "--json", env={"MMSCAN_NUM_THREADS": "2"})
        return json.loads(text)

    def test_integral(self):
        for x, y in (("u8", "u32"), ("f32", "f64"), ("i16", "f32"), ("u8", "u16")):
            report = self.report("integral", "--type", x, "--to", y, "--shape", "33,100")
            (table,) = report["tables"]
            self.assertEqual((report["operation"], table["type"], table["to"]), ("integral", x, y))
            self.assertEqual(table["shape"], [33, 100])
            rows = {row["name"]: row for row in table["rows"]}
            for name in ("plain loop", "mmscan_integral"):
                self.assertGreater(rows[name]["of_bound"], 0)
            self.assertIn("OpenCV integral", rows)

    def rows(self, operation, *arguments):
        """Of the one table, by name; of rows with equal names the last, which is on the most threads."""
        report = self.report(operation, *arguments)
        (table,) = report["tables"]
        self.assertEqual(report["operation"], operation)
        return {row["name"]: row for row in table["rows"]}

    def check_timed(self, rows, *names):
        for name in names:
            self.assertGreater(rows[name]["of_bound"], 0, name)

    def test_segments(self):
        for name, also in (("segments", []), ("starts", ["a simple call for each"])):
            for numbers in ("f32", "f64", "i32", "i64"):
                for shape in ("1,1000", "31,1", "1001,16", "20,1000"):
                    rows = self.rows(name, "--type", numbers, "--shape", shape)
                    self.check_timed(rows, "plain loop", "mmscan_scan_segments", "mmscan_scan, + of all", *also)

    def test_recurrences(self):
        for name in ("decay", "recurrence"):
            for numbers in ("f32", "f64"):
                for shape in ("1", "2", "50000"):
                    rows = self.rows(name, "--type", numbers, "--shape", shape)
                    self.check_timed(rows, "plain loop", "mmscan_recurrence", "mmscan_scan, + of all")

    def test_filter(self):
        for numbers in ("f32", "f64"):
            for shape in ("1,1", "1,20000", "30,1000"):
                rows = self.rows("filter", "--type", numbers, "--shape", shape)
                for order in (2, 8):
                    self.check_timed(rows, f"plain loop, order {order}", f"mmscan_filter, order {order}")
                    scipy = rows[f"SciPy lfilter, order {order}"]
                    self.assertTrue("seconds" in scipy or "no SciPy" in scipy["skipped"] or "NumPy" in scipy["skipped"])

    def test_custom(self):
        for shape in ("1,1", "1,20000", "30,100"):
            self.check_timed(self.rows("custom", "--shape", shape), "plain loop", "mmscan_scan_with")

    def test_several_types(self):
        report = self.report("decay", "--type", "f32,f64", "--shape", "100")
        self.assertEqual([(t["type"], t["to"]) for t in report["tables"]], [("f32", "f32"), ("f64", "f64")])

    def test_threads_that_are_fixed(self):
        """A call cannot have one thread where the environment says two."""
        report = self.report("custom", "--shape", "3,10", "--threads", "1")
        rows = {row["name"]: row for row in report["tables"][0]["rows"]}
        self.assertIn("MMSCAN_NUM_THREADS", rows["mmscan_scan_with"]["skipped"])

    def test_text(self):
        text = self.good("bench", "--operation", "integral", "--shape", "10,20", "--rounds", 1).decode()
        self.assertIn("u8 to u32, 10 x 20", text)
        self.assertIn("mmscan_integral", text)

    def test_refusals(self):
        for arguments, why in (
            (["nothing"], "'nothing' is not one of segments, starts, decay, recurrence, filter, integral, custom"),
            (["integral", "--shape", "4,5,6"], "an image has two axes"),
            (["integral", "--type", "f64", "--to", "c64"], "no peers for complex numbers"),
            (["segments", "--shape", "100"], "--shape SEGMENTS,MEAN"),
            (["starts", "--to", "f64"], "sums are of the type of x"),
            (["segments", "--type", "u8"], "there is no loop"),
            (["decay", "--shape", "4,5"], "--shape N"),
            (["decay", "--type", "i32"], "the loops are of f32 and f64"),
            (["recurrence", "--type", "f32", "--to", "f64"], "x and y have one type"),
            (["filter", "--shape", "100"], "--shape SIGNALS,N"),
            (["filter", "--type", "c64"], "filters are of f32 and f64"),
            (["custom", "--type", "f64"], "an element is two doubles, c64"),
            (["custom", "--shape", "100"], "--shape SCANS,N"),
            (["integral", "--place", "in"], "out of place only"),
            (["integral", "--accuracy"], "does not go with"),
            (["integral", "-n", "10"], "--shape does not go with lengths"),
        ):
            self.bad("bench", "--operation", *arguments, status=2, says=why)
