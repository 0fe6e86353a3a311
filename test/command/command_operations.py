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

    def test_text(self):
        text = self.good("bench", "--operation", "integral", "--shape", "10,20", "--rounds", 1).decode()
        self.assertIn("u8 to u32, 10 x 20", text)
        self.assertIn("mmscan_integral", text)

    def test_refusals(self):
        for arguments, why in (
            (["nothing"], "'nothing' is not one of integral"),
            (["integral", "--shape", "4,5,6"], "an image has two axes"),
            (["integral", "--type", "f64", "--to", "c64"], "no peers for complex numbers"),
            (["integral", "--place", "in"], "out of place only"),
            (["integral", "--accuracy"], "does not go with"),
            (["integral", "-n", "10"], "--shape does not go with lengths"),
        ):
            self.bad("bench", "--operation", *arguments, status=2, says=why)
