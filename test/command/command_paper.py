"""Tests of mmscan table, draw and model: what the paper counts."""

import json
import os
import re
import xml.etree.ElementTree

import numpy as np

from command_case import Case, run


class Table(Case):
    """The paper's Table 1."""

    def rows(self, *options):
        report = json.loads(self.good("table", "--json", *options))
        return {(row["method"], row["s"]): row for row in report["rows"]}

    def test_powers(self):
        for k in 2, 4, 6:
            n = 4**k
            rows = self.rows("-n", n, "-s", 4 if k == 2 else 8)
            self.assertEqual(len(rows), 7 if k == 2 else 8)  # two methods then have the same s, 4
            for row in rows.values():
                stated = row["depth"]["stated"]["value"]
                if stated is not None:
                    self.assertEqual(row["depth"]["measured"], stated, row)
                if row["work"]["stated"].get("value") is not None:
                    self.assertEqual(row["work"]["measured"], row["work"]["stated"]["value"], row)
            self.assertEqual(rows["sklansky", None]["work"]["measured"], n * 2 * k // 2)
            self.assertEqual(rows["brent-kung", None]["work"]["measured"], 2 * n - 2 * k - 2)
            self.assertEqual(rows["matmulscan", 2]["work"]["unpadded"], 2 * n - 2 * k - 2)
            self.assertEqual(rows["matmulscan", 4]["depth"]["measured"], 2 * k - 1)
            self.assertEqual((rows["matmulscan", 4]["fan_in"], rows["matmulscan", 4]["fan_out"]), (4, 4))

    def test_other_lengths(self):
        """Statements about powers have no value at other lengths."""
        for n in 1, 1000, 4095:
            for row in self.rows("-n", n, "-s", 5).values():
                if n > 1 and row["method"] != "dakkak-block":
                    self.assertIsNone(row["depth"]["stated"]["value"], row)
                self.assertGreaterEqual(row["work"]["measured"], row["work"]["unpadded"])

    def test_text(self):
        out = self.good("table", "-n", 256, "-s", 16).decode()
        for each in ["n = 256", "Sklansky", "n log2(n) / 2 = 1024", "2n - log2(n) - 2 = 502", "5 ceil(n / s^3) = 5",
                     "MatMulScan, s = 2 ", "MatMulScan, s = 4 ", "MatMulScan, s = 16 ", "2 log_s(n) - 1 = 3"]:
            self.assertIn(each, out)

    def test_text_says_what_json_says(self):
        lines = self.good("table", "-n", 256, "-s", 16).decode().splitlines()[3:]
        for line, row in zip(lines, json.loads(self.good("table", "--json", "-n", 256, "-s", 16))["rows"]):
            words = line[32:].split()
            self.assertEqual(words[0], str(row["depth"]["measured"]), line)
            tail = [row["fan_in"], row["fan_out"]] + ([row["multiplications"]] if row["s"] else [])
            self.assertEqual(words[-len(tail):], [str(each) for each in tail], line)

    def test_defaults(self):
        self.assertEqual(self.good("table"), self.good("table", "-n", 4096, "-s", 8))

    def test_lengths(self):
        for text, n in [("4^3", 64), ("2^10", 1024), ("10^3", 1000)]:
            self.assertEqual(self.good("table", "-n", text), self.good("table", "-n", n))

    def test_wrong_usage(self):
        for options in [["-n", "0"], ["-n", "x"], ["-n", "-1"], ["-n", "2^25"], ["-n", "0^1"], ["-n", "2^"], ["-n", "^2"],
                        ["-n", "2^-1"], ["-n", "2^3^2"], ["-n", "2^99999999999999999999"], ["-s", "1"],
                        ["-s", "513"], ["x"], ["--sing"], ["-n"]]:
            self.bad("table", *options, status=2)


class Draw(Case):
    """The pictures, read as XML."""

    SVG = "{http://www.w3.org/2000/svg}"

    def draw(self, *options):
        path = self.path("picture.svg")
        self.assertEqual(self.good("draw", "-o", path, *options), b"")
        self.assertEqual(os.listdir(self.directory), ["picture.svg"])
        return xml.etree.ElementTree.parse(path).getroot()

    def groups(self, picture, kind):
        return [g for g in picture.iter(self.SVG + "g") if g.get("class").split()[0] == kind]

    def adders(self, picture):
        """By level: which place gets the sum of which places."""
        levels = {}
        for group in self.groups(picture, "adder"):
            circle = group.find(self.SVG + "circle")
            to, terms = group.find(self.SVG + "title").text.split(": ")
            terms = [int(term) for term in terms.split(" + ")]
            self.assertEqual(group.find(self.SVG + "path").get("d").count("M"), len(terms))
            levels.setdefault(float(circle.get("cy")), set()).add((int(to), *terms))
        return [levels[y] for y in sorted(levels)]

    def test_adders_are_those_counted(self):
        for n in 16, 64:
            rows = json.loads(self.good("table", "--json", "-n", n, "-s", 8))["rows"]
            for row in rows:
                size = ["-s", row["s"]] if row["s"] else []
                levels = self.adders(self.draw("--algorithm", row["method"], "-n", n, *size))
                self.assertEqual(sum(map(len, levels)), row["adders"], row)
                self.assertEqual(max(len(adder) - 1 for level in levels for adder in level), row["fan_in"], row)
        self.assertEqual(sum(map(len, self.adders(self.draw("--algorithm", "brent-kung", "-n", 64)))), 128 - 6 - 2)
        self.assertEqual(sum(map(len, self.adders(self.draw("--algorithm", "sklansky", "-n", 64)))), 64 * 6 // 2)
        # Figure 1: 12 + 3 adders up, 9 down; with 64 elements 48 + 12 + 3 up, 9 + 45 down
        self.assertEqual([len(level) for level in self.adders(self.draw("-n", 16, "-s", 4))], [12, 3, 9])
        self.assertEqual([len(level) for level in self.adders(self.draw("-n", 64, "-s", 4))], [48, 12, 3, 9, 45])

    def test_circuit_is_a_scan(self):
        """The adders of a picture, applied level by level, make a scan."""
        for algorithm, s, lengths in [("sklansky", 2, [1, 7, 33]), ("hillis-steele", 2, [16, 21]),
                                      ("brent-kung", 2, [1, 13, 64]), ("matmulscan", 3, [9, 27]),
                                      ("matmulscan", 8, [64, 8])]:
            for n in lengths:
                x = [1 << i for i in range(n)]
                for level in self.adders(self.draw("--algorithm", algorithm, "-s", s, "-n", n)):
                    x = [dict((to, sum(x[i] for i in terms)) for to, *terms in level).get(i, x[i]) for i in range(n)]
                self.assertEqual(x, [(2 << i) - 1 for i in range(n)], (algorithm, s, n))

    def test_s_2_is_brent_kung(self):
        for n in 2, 16, 64, 50:
            ours = self.adders(self.draw("-s", 2, "-n", n, "--rule", "padded"))
            self.assertEqual(ours, self.adders(self.draw("--algorithm", "brent-kung", "-n", n)))

    def test_values(self):
        for algorithm in ["sklansky", "hillis-steele", "blelloch", "brent-kung", "dakkak-block", "matmulscan"]:
            picture = self.draw("--algorithm", algorithm, "-n", 21, "-s", 3, "--values")
            texts = [(float(t.get("y")), float(t.get("x")), t.text) for t in picture.iter(self.SVG + "text")]
            places = max(y for y, _, text in texts if text == "20")
            above = max(y for y, _, text in texts if y < places and text.isdigit() and y != places)
            sums = [int(text) for _, _, text in sorted(t for t in texts if t[0] == above)][:21]
            first = 0 if algorithm == "blelloch" else 1
            self.assertEqual(sums, [(i + first) * (i + first + 1) // 2 for i in range(21)], algorithm)

    def test_marks(self):
        picture = self.draw("-n", 22, "-s", 4)
        kinds = {g.get("class").split()[1] for g in self.groups(picture, "adder")}
        self.assertEqual(kinds, {"up", "down", "totals", "broadcast"})
        self.assertEqual(len(self.groups(picture, "move")), 4)  # the last of 16, of 4, of 1 and of 1 are copied to w
        self.assertIn("depth 4", "".join(picture.itertext()))

    def test_tensor(self):
        """n = 16, s = 2: 15 products, each with a T and a W of four cells, and y and z."""
        picture = self.draw("--figure", "tensor", "-n", 16, "-s", 2)
        cells = [r for r in picture.iter(self.SVG + "rect") if r.get("class") in ("cell", "padding", "up", "down", "one")]
        self.assertEqual(len(cells), 15 * 4 * 4 + 7 * 4)
        self.assertEqual(sum(r.get("class") == "up" for r in cells), 2 * (8 + 4 + 2 + 1))
        self.assertEqual(sum(r.get("class") == "down" for r in cells), 2 * (1 + 3 + 7))
        texts = [t.text for t in picture.iter(self.SVG + "text")]
        self.assertIn("level 7: down-sweep, A = B", texts)
        self.draw("--figure", "tensor", "--algorithm", "dakkak-warp", "-n", 16, "-s", 4, "--values")

    def test_segments(self):
        """63 = 3 * 16 + 3 * 4 + 3 in base 4; segments of one are not swept, and the first gets no broadcast."""
        picture = self.draw("--figure", "segments", "-n", 63, "-s", 4)
        shapes = [p.get("class") for p in picture.iter(self.SVG + "polygon")]
        self.assertEqual((shapes.count("up"), shapes.count("down")), (6, 3))
        bars = [r for r in picture.iter(self.SVG + "rect") if r.get("class") == "broadcast" and r.get("height") == "16"]
        self.assertEqual(len(bars), 8)
        self.assertIn("9 segments, depth 6; stated is 2 floor(log_s n) = 4", "".join(picture.itertext()))
        self.assertIn("one segment", "".join(self.draw("--figure", "segments", "-n", 64).itertext()))

    def test_places_of_adders(self):
        """An adder lies on the line of the element it makes; edges come from the lines of its terms, in its level."""
        picture = self.draw("-n", 16, "-s", 4)
        heads = [t for t in picture.iter(self.SVG + "text") if t.get("class") == "middle faint" and t.text.isdigit()]
        at = {int(t.text): float(t.get("x")) for t in heads}
        wires = {float(line.get("x1")) for line in picture.iter(self.SVG + "line") if line.get("class") == "wire"}
        self.assertEqual((len(at), set(at.values())), (16, wires))
        levels = {}
        for group in self.groups(picture, "adder"):
            to, terms = group.find(self.SVG + "title").text.split(": ")
            circle, edges = group.find(self.SVG + "circle"), group.find(self.SVG + "path").get("d").split("M")[1:]
            x, y = float(circle.get("cx")), float(circle.get("cy"))
            ends = [tuple(map(float, re.split("[ L]", edge))) for edge in edges]
            self.assertEqual([(x, y)] * len(ends) + [at[int(to)]], [end[2:] for end in ends] + [x])
            self.assertEqual([end[0] for end in ends], [at[int(term)] for term in terms.split(" + ")])
            levels.setdefault(y, set()).update(end[1] for end in ends)
        tops = [top for y in sorted(levels) for top in (*levels[y], y)]
        self.assertEqual((len(tops), tops), (2 * len(levels), sorted(set(tops))))

    def cells(self, picture):
        """The centres of the cells, how they look, and their texts."""
        texts = [(float(t.get("x")), float(t.get("y")), t.text) for t in picture.iter(self.SVG + "text")]
        cells = []
        for box in picture.iter(self.SVG + "rect"):
            if box.get("class") in ("cell", "padding", "up", "down", "one"):
                x, y, width, height = (float(box.get(name)) for name in ("x", "y", "width", "height"))
                inside = [text for at_x, at_y, text in texts if at_x == x + width / 2 and y < at_y < y + height]
                cells += [(x + width / 2, y + height / 2, box.get("class"), int(text)) for text in inside]
        return cells

    def test_products_are_products(self):
        """In each level the coloured part of W is A T, for the values that are shown."""
        for n, s in (16, 2), (27, 3), (64, 4):
            picture = self.draw("--figure", "tensor", "-n", n, "-s", s, "--values")
            cells = self.cells(picture)
            middles = {name: [float(t.get("y")) - 5 for t in picture.iter(self.SVG + "text") if t.text == name]
                       for name in ("A × T", "= W", "×")}
            sign = next(float(t.get("x")) for t in picture.iter(self.SVG + "text") if t.text == "×")
            for upper, lower in zip(middles["A × T"], middles["= W"]):
                near = [[cell for cell in sorted(cells, key=lambda cell: cell[1::-1]) if abs(cell[1] - y) < 11 * s]
                        for y in (upper, lower)]
                a = np.reshape([cell[3] for cell in near[0] if cell[0] < sign], (s, s))
                given = np.reshape([cell[3] for cell in near[0] if cell[0] > sign], (s, -1))
                product = (a @ given).ravel()
                self.assertEqual(len(near[1]), len(product))
                coloured = [i for i, cell in enumerate(near[1]) if cell[2] in ("up", "down")]
                self.assertGreater(len(coloured), 0)
                self.assertEqual([near[1][i][3] for i in coloured], [product[i] for i in coloured])

    def test_values_that_are_written(self):
        """There are as many grey cells as adders: no value is copied where n is a power of s."""
        picture = self.draw("-n", 16, "-s", 4, "--values")
        looks = [cell[2] for cell in self.cells(picture)]
        self.assertEqual((looks.count("one"), len(looks)), (len(self.groups(picture, "adder")), 16 * 4))

    def test_shapes_of_segments(self):
        """63 = 3 * 16 + 3 * 4 + 3: up-sweeps narrow, down-sweeps widen; arrows go to w and on to the next segment."""
        picture = self.draw("--figure", "segments", "-n", 63, "-s", 4)
        for shape in picture.iter(self.SVG + "polygon"):
            (x1, y1), (x2, _), (x3, y2), (x4, _) = [map(float, point.split(",")) for point in shape.get("points").split()]
            self.assertEqual((x2 - x1 > x3 - x4, y1 < y2), (shape.get("class") == "up", True))
        rows = [float(line.get("y1")) for line in picture.iter(self.SVG + "line") if line.get("class") == "grid"]
        self.assertEqual((len(rows), rows), (7, sorted(rows)))  # one level below the other
        texts = [t.text for t in picture.iter(self.SVG + "text")]
        self.assertEqual([text for text in texts if text.isdigit()], ["16"] * 3 + ["4"] * 3 + ["1"] * 3)
        circles = [(float(c.get("cx")), float(c.get("cy"))) for c in picture.iter(self.SVG + "circle")]
        ends, before, after = circles[:9], circles[9::2], circles[10::2]
        bars = [r for r in picture.iter(self.SVG + "rect") if r.get("class") == "broadcast" and r.get("height") == "16"]
        middles = [(float(r.get("x")) + float(r.get("width")) / 2, float(r.get("y"))) for r in bars]
        self.assertEqual(self.arrows(picture, "copy"), list(zip(ends, before)))
        self.assertEqual(self.arrows(picture, "broadcast"), list(zip(after, middles)))
        self.assertEqual([x for x, _ in middles], [x for x, _ in ends[1:]])

    def arrows(self, picture, kind):
        paths = [g.find(self.SVG + "path").get("d") for g in self.groups(picture, kind)]
        return [tuple(tuple(map(float, end.split())) for end in path[1:].split("L")) for path in paths]

    def test_legends(self):
        """They explain what is in a picture, and nothing else."""
        for n, kinds in (64, {"up-sweep", "down-sweep"}), (63, {"up-sweep", "down-sweep", "scan of the totals", "broadcast", "copy"}):
            for figure in "circuit", "segments":
                texts = {t.text for t in self.draw("--figure", figure, "-n", n, "-s", 4).iter(self.SVG + "text") if not t.get("class")}
                self.assertEqual(texts & {"up-sweep", "down-sweep", "combine", "scan of the totals", "broadcast", "copy"}, kinds)

    def test_every_figure_of_every_method(self):
        for algorithm in ["sklansky", "hillis-steele", "blelloch", "brent-kung", "dakkak-warp", "dakkak-block",
                          "matmulscan"]:
            for n in 1, 2, 5, 9:
                for values in [], ["--values"]:
                    picture = self.draw("--algorithm", algorithm, "-s", 3, "-n", n, *values)
                    self.assertGreater(float(picture.get("height")), 100)
                    for box in picture.iter(self.SVG + "circle"):
                        self.assertLess(float(box.get("cx")), float(picture.get("width")))
                        self.assertLess(float(box.get("cy")), float(picture.get("height")))

    def test_output(self):
        self.assertEqual(self.good("draw", "-o", "-")[:5], b"<?xml")
        os.mkdir(self.path("a.d"))
        for name in "picture", "x.SVG", "a.d/picture":
            self.good("draw", "-o", self.path(name))
            self.assertEqual(self.read(name)[:5], b"<?xml")
        self.bad("draw", "-o", self.path("nowhere/x.svg"), says="nowhere/x.svg")
        self.bad("draw", "-o", self.path("x.svg"), env={"PYTHON": self.path("none")}, says=["Python 3", self.path("none")])
        os.mkdir(self.path("empty"))
        self.assertEqual(self.good("draw", "-o", "-", env={"PATH": self.path("empty")})[:5], b"<?xml")
        kept = self.write("kept.svg", "before")
        self.bad("draw", "-o", kept, "--algorithm", "dakkak-warp", "-s", 2, "-n", 5, says="s^2")
        self.assertEqual(self.read("kept.svg"), b"before")
        self.bad("draw", "-o", kept, "--algorithm", "dakkak-block", "-s", 512, says="too large")
        self.bad("draw", "-o", kept, "--figure", "tensor", "-n", 4, "-s", 512, says="too large")

    def test_another_folder(self):
        """A file of the working folder is not what the script imports."""
        self.write("json.py", b"open('imported', 'w')")
        self.good("draw", "-o", self.path("x.svg"), cwd=self.directory)
        self.assertEqual(sorted(os.listdir(self.directory)), ["json.py", "x.svg"])

    def test_defaults(self):
        self.assertEqual(self.good("draw", "-o", "-"),
                         self.good("draw", "-o", "-", "--algorithm", "matmulscan", "--figure", "circuit", "-n", 16, "-s", 4))

    def test_lengths(self):
        self.assertEqual(self.good("draw", "-o", "-", "-n", "4^3"), self.good("draw", "-o", "-", "-n", 64))

    def test_wrong_usage(self):
        for options in [[], ["-o"], ["-o", "x", "y"], ["-o", "x", "-n", "0"], ["-o", "x", "-n", "1025"],
                        ["-o", "x", "-n", "2^11"],
                        ["-o", "x", "-s", "1"], ["-o", "x", "--algorithm", "bogo"], ["-o", "x", "--figure", "4"],
                        ["-o", "x", "--rule", "none"], ["-o", "x", "--algorithm", "sklansky", "--figure", "tensor"],
                        ["-o", "x", "--algorithm", "dakkak-block", "--figure", "segments"], ["--sing"],
                        ["-o", "x.png"], ["-o", ".d/x.svg.pdf"], ["-o", "x", "--figure", "segments", "--values"],
                        ["-o", "x.svg", "--algorithm", "sklansky", "--rule", "padded"],
                        ["-o", "x.svg", "--rule", "digits", "--algorithm", "dakkak-warp"]]:
            self.bad("draw", *options, status=2, cwd=self.directory)


class Model(Case):
    """What the paper says of its algorithm, and that no time beats the critical path or the work."""

    def model(self, *arguments):
        return json.loads(self.good("model", *arguments, "--json"))

    def test_figures_of_the_paper(self):
        """The square multiplications of some n = s^k, counted by hand, and Lemma 1's bounds."""
        for s, k, counted, bound in [(2, 4, 15, 22), (2, 8, 255, 270), (3, 6, 243, 253), (4, 3, 11, 15), (4, 6, 683, 693),
                                     (8, 5, 1171, 1179), (16, 4, 547, 553), (16, 5, 8739, 8747)]:
            got = self.model("-n", "%d^%d" % (s, k), "-s", s)
            self.assertEqual(got["n"], s ** k)
            self.assertEqual(got["multiplications"], {"counted": counted, "bound": bound})
            self.assertEqual(got["depth"], {"counted": 2 * k - 1, "bound": 2 * k - 1})
            self.assertLessEqual(got["additions"]["counted"], got["additions"]["bound"])

    def test_times(self):
        for s, n, latency, lanes in [(4, 4096, 10, 0), (2, 1000, 0, 0), (5, 12345, 2.5, 0), (16, 2 ** 20, 100, 0),
                                     (4, 5000, 7, 8)]:
            options = ["-n", n, "-s", s, "-l", latency] + (["--lanes", lanes] if lanes else [])
            times = []
            for p in 1, 2, 7, 10 ** 9:
                got = self.model(*options, "-p", p)
                self.assertEqual((got["latency"], got["units"], got["lanes"]), (latency, p, lanes))
                time, work = got["p_units"]["counted"], got["work"] + got["vector_work"]
                self.assertGreaterEqual(time, max(got["critical_path"], got["work"] / p, got["vector_work"] / p))
                self.assertLessEqual(time, got["brent"] * (1 + 1e-12))
                times.append(time)
                if lanes:
                    self.assertIsNone(got["p_units"]["bound"])
                else:
                    self.assertEqual(work, got["multiplications"]["counted"] * (s * s + latency))
                    self.assertLessEqual(time, got["p_units"]["bound"])
                    self.assertLessEqual(got["one_unit"]["counted"], got["one_unit"]["bound"])
            self.assertEqual(times, sorted(times, reverse=True))
            self.assertEqual(times[-1], got["critical_path"])

    def test_text(self):
        text = self.good("model", "-n", "4^6", "-s", "4", "-l", "10", "-p", "8").decode().splitlines()
        self.assertEqual(text[0], "n = 4096, s = 4: 1 segment")
        self.assertEqual(text[1], "(16, 10)-TCU, 8 units")
        self.assertIn("multiplications 683 693".split(), [line.split() for line in text])
        self.assertFalse(any("too low" in line for line in text))
        text = self.good("model", "-n", "7", "-s", "2", "--lanes", "1").decode()
        self.assertIn("3 segments", text)
        self.assertIn("work on vector units", text)
        self.assertIn("bound on the depth is too low", text) # the depth is 6, the paper's 4

    def test_text_says_what_json_says(self):
        shape = ["-n", 1000, "-s", 4, "-l", 7, "-p", 3, "--lanes", 2]
        got, text = self.model(*shape), self.good("model", *shape).decode()
        for name, value in [("depth", got["depth"]["counted"]), ("critical path", got["critical_path"]),
                            ("work on tensor units", got["work"]), ("work on vector units", got["vector_work"]),
                            ("without those on padding", got["additions_unpadded"])]:
            self.assertRegex(text, "(?m)^ *%s +%d( |$)" % (name, value))

    def test_defaults(self):
        self.assertEqual(self.good("model", "-n", 100, "-s", 4), self.good("model", "-n", 100, "-s", 4, "-l", 0, "-p", 1))
        self.assertEqual(self.good("model", "-n", 100, "-s", 4), self.good("model", "-n", 100, "-s", 4, "-l", "-0"))

    def test_times_beyond_any_number(self):
        got = self.model("-n", 9, "-s", 3, "-l", "1e308")
        self.assertEqual((got["critical_path"], got["work"], got["latency"]), (None, None, 1e308))

    def test_lengths(self):
        for text, n in [("0" * 40 + "2^" + "0" * 40 + "3", 8), ("0", 0), ("1", 1), ("3^0", 1), ("0^3", 0), ("1^99", 1), ("10^3", 1000)]:
            self.assertEqual(self.model("-n", text, "-s", "3")["n"], n)

    def test_wrong_usage(self):
        good = ["-n", "10", "-s", "2"]
        for arguments in [[], ["-n", "10"], ["-s", "2"], [*good, "x"], [*good, "--sing"], [*good, "-l", "-1"],
                          [*good, "-l", "inf"], [*good, "-l", "nan"], [*good, "-l", "x"], [*good, "-l", ""],
                          [*good, "-p", "0"], [*good, "-p", "-1"], [*good, "-p", "1.5"], [*good, "--lanes", "0"],
                          ["-n", "10", "-s", "1"], ["-n", "10", "-s", "513"], ["-n", "-1", "-s", "2"], ["-n", "", "-s", "2"],
                          ["-n", "2^", "-s", "2"], ["-n", "^2", "-s", "2"], ["-n", "2^63", "-s", "2"], ["-n", "2^3^2", "-s", "2"],
                          ["-n", "9223372036854775808", "-s", "2"], ["-n", "10x", "-s", "2"], [*good, "--json=yes"],
                          [*good, "-p", 2 ** 63], [*good, "--lanes", 2 ** 63]]:
            self.assertEqual(self.bad("model", *arguments, status=2), b"")

    def test_fit(self):
        """What a fit consists of, never how fast anything is."""
        fit = json.loads(self.good("model", "--fit", "--json"))
        self.assertEqual([size["s"] for size in fit["sizes"]], [2, 4, 8, 16, 32, 64, 128])
        for size in fit["sizes"]:
            self.assertTrue(all(time > 0 for time in size["times"]))
            self.assertGreater(size["entry"], 0)
        self.assertEqual([run["n"] for run in fit["runs"]], [2 ** k for k in range(12, 25)])
        for r in fit["runs"]:
            self.assertAlmostEqual(r["predicted"], sum(r[part] for part in ("call", "products", "moves", "totals", "loops")))
            self.assertGreater(r["measured"], 0)
        self.check_lines(fit["sizes"])
        self.check_parts({size["s"]: size for size in fit["sizes"]}, fit["runs"])
        text = self.good("model", "--fit").decode()
        self.check_fit_text(text)
        self.assertEqual(sum(line.split()[:1] == ["16777216"] for line in text.splitlines()), 1)
        for arguments in ["-n", "10"], ["-s", "2"], ["-p", "1"], ["-l", "0"], ["--lanes", "1"]:
            self.bad("model", "--fit", *arguments, status=2, says="--fit")

    def check_lines(self, sizes):
        """The least squares of (start + entry s c) / time - 1, where start is at least 0."""
        for size in sizes:
            s, times = size["s"], np.array(size["times"])
            terms = np.stack([np.ones(len(times)), s * np.array(size["columns"])]) / times
            start, entry = np.linalg.lstsq(terms.T, np.ones(len(times)), rcond=None)[0]
            if start < 0:
                start, entry = 0, terms[1].sum() / (terms[1] @ terms[1])
            self.assertAlmostEqual(size["start"], start, delta=1e-6 * times.max())
            self.assertAlmostEqual(size["entry"] / entry, 1, 6)
            self.assertAlmostEqual(size["worst"], np.abs(np.array([start, entry]) @ terms - 1).max(), 6)
            self.assertAlmostEqual(size["latency"], size["start"] / size["entry"])
            self.assertAlmostEqual(size["gflops"], 2 * s / size["entry"])

    def check_parts(self, sizes, runs):
        """Products in blocks of 2048 elements, a start for each; totals of columns; a loop if s leaves a remainder."""
        prices = set()
        for r in runs:
            s, size = r["s"], sizes[r["s"]]
            tiles = [min(r["tile"], r["n"] - first) for first in range(0, r["n"], r["tile"])]
            columns, rest = [m // s for m in tiles], sum(m % s for m in tiles)
            blocks = sum(-(-c // (2048 // s)) for c in columns)
            self.assertAlmostEqual(r["products"] / (blocks * size["start"] + size["entry"] * s * sum(columns)), 1)
            self.assertEqual(r["loops"] > 0, rest > 0)
            prices.add((round(r["totals"] / sum(columns), 9), r["call"]))
        self.assertEqual(len(prices), 1)

    def check_fit_text(self, text):
        """The columns agree with each other, up to the digits that are left out."""
        sizes, runs = [[[float(word.rstrip("%")) for word in line.split() if word != "to"] for line in part.splitlines()]
                       for part in re.findall("(?m)(?:^ *[0-9]+  .*\n)+", text)]
        for s, start, entry, latency, elements, operations, *_ in sizes:
            for got, wanted in (latency, start / entry), (elements, 1 / entry), (operations, 2 * s / entry):
                self.assertAlmostEqual(got, wanted, delta=0.02 * wanted + 0.06)
        for n, _, _, call, *parts, predicted, measured, ratio in runs:
            self.assertAlmostEqual(call, runs[0][3] * runs[0][0] / n, delta=1e-4)
            self.assertAlmostEqual(predicted, call + sum(parts), delta=4e-4)
            self.assertAlmostEqual(ratio, predicted / measured, delta=0.01 + 0.01 * ratio)

    def test_too_long(self):
        for n in "2^62", "2^40":
            self.bad("model", "-n", n, "-s", "2", says="memory")
