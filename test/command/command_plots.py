"""Tests of the pictures that gnuplot draws for mmscan bench: they show the figures in the JSON of the same run."""

import itertools
import json
import math
import os
import re
import shutil
import signal
import xml.etree.ElementTree

from command_case import Timed, run
from command_units import FAKE_BLAS, build_library

SVG = "{http://www.w3.org/2000/svg}"
NEAR = 0.1  # how far a point of a picture may be from its figure


def points_of(path):
    """The points of the path of a line, or of a polygon."""
    return [(float(x), float(y)) for x, y in re.findall(r"([-0-9.]+),([-0-9.]+)", path)]


def number_of(texts):
    """The number of a tick mark, which may be a base and its exponent; None if it is no number."""
    try:
        return float(texts[0]) ** float(texts[1]) if len(texts) == 2 else float("".join(texts))
    except ValueError:
        return None


class Axis:
    """Maps numbers to places, by the outermost tick marks, which are powers of two if it is logarithmic."""

    def __init__(self, ticks, is_logarithmic):
        self.function, self.inverse = (math.log2, lambda log: 2.0 ** log) if is_logarithmic else (float, float)
        (low, self.start), (high, end) = [(self.function(number), place) for number, place in (min(ticks), max(ticks))]
        self.low, high = (round(low), round(high)) if is_logarithmic else (low, high)  # 2^-8 is written as 0.00391
        self.scale = (end - self.start) / (high - self.low)

    def place(self, number):
        return self.start + self.scale * (self.function(number) - self.low)

    def number(self, place):
        return self.inverse(self.low + (place - self.start) / self.scale)


class Plot:
    """What belongs to one title: marks, boxes with their colours, and lines' points and dashes, without the key."""

    def __init__(self, group, right):
        uses = [use.get("transform", "") for use in group.iter(SVG + "use")]
        lines = [path.get("d") for path in group.iter(SVG + "path")]
        polygons = list(group.iter(SVG + "polygon"))
        self.title = group.find(SVG + "title").text
        self.is_dashed = any(path.get("stroke-dasharray") for path in group.iter(SVG + "path"))
        self.marks = [point for use in uses for point in points_of(use)[:1] if point[0] <= right]
        self.line = [point for line in lines for point in points_of(line) if point[0] <= right]
        self.boxes = [points_of(polygon.get("points")) for polygon in polygons]
        self.colours = [[int(part) for part in re.findall("[0-9]+", polygon.get("fill"))] for polygon in polygons]


class Drawing:
    """One picture: the bounds of its grid, axes, names along y, labels, vertical lines, and plots in their order."""

    def __init__(self, text, is_logarithmic=True):
        svg = xml.etree.ElementTree.fromstring(text)
        grid = [point for path in svg.iter(SVG + "path") if path.get("class") == "gridline" for point in points_of(path.get("d"))]
        (self.left, self.right), (self.top, self.bottom) = [(min(each), max(each)) for each in zip(*grid)]
        self.names, self.labels, self.uprights, ticks = {}, {}, [], ([], [])
        for group in svg.iter(SVG + "g"):
            for path, label in zip(group, list(group)[1:]):
                if path.tag == SVG + "path" and label.find(SVG + "text") is not None:
                    self.take_tick(points_of(path.get("d"))[0], label, ticks)
            self.take_label(group)
            self.take_uprights(group)
        self.x, self.y = [Axis(each, is_logarithmic) if each else None for each in ticks]
        self.plots = [Plot(group, self.right) for group in svg.iter(SVG + "g") if "gnuplot_plot_" in group.get("id", "")]

    def take_tick(self, place, label, ticks):
        texts = [text.strip() for text in label.itertext() if text.strip()]
        number, is_y = number_of(texts), label.get("text-anchor") == "end"
        if number is not None:
            ticks[is_y].append((number, place[is_y]))
        elif is_y:
            self.names["".join(texts)] = place[1]

    def take_label(self, group):
        if group.find(SVG + "text") is not None:
            text = "".join(group.itertext()).strip().replace("\u00a0", " ")
            self.labels[text] = points_of(group.get("transform"))[0][0]

    def take_uprights(self, group):
        for path in group.findall(SVG + "path"):
            points = points_of(path.get("d")) if path.get("stroke-dasharray") else []
            self.uprights += [a[0] for a, b in zip(points, points[1:]) if a[0] == b[0] and a[1] != b[1]]


class Layout:
    """What is where in one picture: the boxes of its texts, by the width that letters have on average, and the lines that are to
    be seen, without those that something white was drawn over."""

    WIDTH, UP, DOWN = 0.5, 0.7, 0.1  # parts of the size of the letters

    def __init__(self, text):
        svg = xml.etree.ElementTree.fromstring(text)
        self.right, self.bottom = map(float, svg.get("viewBox").split()[2:])
        self.texts, self.lines = [], []
        self.take(svg)

    def take(self, element):
        tag = element.tag.replace(SVG, "")
        if tag in ("defs", "title"):
            return
        if tag == "path":
            self.take_path(element.get("d"))
        elif tag == "polygon" and re.sub(" ", "", element.get("fill")) == "rgb(255,255,255)":
            corners = points_of(element.get("points"))
            (left, right), (top, bottom) = [(min(each), max(each)) for each in zip(*corners)]
            self.lines = [line for other in self.lines for line in self.cut(other, (left, top, right, bottom))]
        elif element.find(SVG + "text") is not None:
            self.take_text(element)
        for child in element:
            self.take(child)

    def take_path(self, path):
        """M begins a line, L goes on with it."""
        before = None
        for letter, x, y in re.findall(r"([ML]?) *([-0-9.]+),([-0-9.]+)", path):
            point = (float(x), float(y))
            if letter != "M" and before:
                self.lines.append((before, point))
            before = point

    def take_text(self, group):
        words = "".join(group.itertext()).strip()
        if words:
            (x, y), size = points_of(group.get("transform"))[0], float(group.get("font-size"))
            width = self.WIDTH * size * len(words)
            x -= {"start": 0, "middle": width / 2, "end": width}[group.get("text-anchor")]
            box = (x, y - self.UP * size, x + width, y + self.DOWN * size)
            if "rotate" in group.get("transform"):  # upwards, from the foot on
                middle = {"start": 0, "middle": width / 2, "end": width}[group.get("text-anchor")]
                x += middle
                box = (x - self.UP * size, y - width + middle, x + self.DOWN * size, y + middle)
            self.texts.append((words.replace("\u00a0", " "), box))

    @staticmethod
    def span(line, box):
        """The part of a line, from 0 to 1, that is in a box; None if it is outside."""
        (x1, y1), (x2, y2) = line
        low, high = 0.0, 1.0
        for start, step, least, most in (x1, x2 - x1, box[0], box[2]), (y1, y2 - y1, box[1], box[3]):
            if step == 0:
                if not least < start < most:
                    return None
            else:
                enters, leaves = sorted([(least - start) / step, (most - start) / step])
                low, high = max(low, enters), min(high, leaves)
        return (low, high) if low < high else None

    def cut(self, line, box):
        """What is left of a line outside of the box."""
        span = self.span(line, box)
        if span is None:
            return [line]
        (x1, y1), (x2, y2) = line
        at = [(x1 + part * (x2 - x1), y1 + part * (y2 - y1)) for part in span]
        return [each for each, is_left in zip([(line[0], at[0]), (at[1], line[1])], (span[0] > 0, span[1] < 1)) if is_left]

    def faults(self):
        """Texts that are cut off, have a line through them, or lie on each other."""
        cut = [words for words, box in self.texts if min(box[:2]) < 0 or box[2] > self.right or box[3] > self.bottom]
        struck = [words for words, box in self.texts if any(self.span(line, box) for line in self.lines)]
        pairs = [(a, b) for i, (a, p) in enumerate(self.texts) for b, q in self.texts[:i]
                 if p[0] < q[2] and q[0] < p[2] and p[1] < q[3] and q[1] < p[3]]
        return cut + struck + pairs


class Drawn(Timed):
    """What the tests of pictures share."""

    def setUp(self):
        super().setUp()
        if shutil.which("gnuplot") is None:
            self.skipTest("no gnuplot here")

    def assertPlaces(self, got, wanted, note=None):
        """The same points, or numbers, up to the rounding of the picture."""
        self.assertEqual(len(got), len(wanted), (note, got, wanted))
        for a, b in zip(got, wanted):
            for p, q in zip(a, b) if isinstance(a, tuple) else [(a, b)]:
                self.assertAlmostEqual(p, q, delta=NEAR, msg=(note, got, wanted))

    def assertUprights(self, drawing, wanted):
        """Vertical lines at these places and nowhere else, each drawn once or more."""
        for one, other in (drawing.uprights, wanted), (wanted, drawing.uprights):
            for x in one:
                self.assertTrue(any(abs(x - y) < NEAR for y in other), (x, drawing.uprights, wanted))

    @staticmethod
    def points(drawing, numbers):
        return [(drawing.x.place(x), drawing.y.place(y)) for x, y in numbers]


class Started(Timed):
    """gnuplot as the command's script starts it"""

    def test_what_gnuplot_inherits(self):
        """No descriptor of the picture but its standard output, and no signal that only the command ignores."""
        os.mkdir(self.path("bin"))
        log = self.path("log")
        script = "grep SigIgn /proc/self/status >> %s\nls -l /proc/self/fd | grep mmscan- >> %s\ncat > /dev/null\necho '<svg>.....</svg>'\n"
        os.chmod(self.write("bin/gnuplot", "#!/bin/sh\n" + script % (log, log)), 0o755)
        self.good("bench", "--rounds", 1, "-n", 4, "--only", "one call", "--plot", self.path("x.svg"),
                  env={"PATH": self.path("bin") + ":" + os.environ["PATH"]})
        lines = self.read("log").decode().splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["SigIgn:"], lines)
        ignored = int(lines[0].split()[1], 16)
        self.assertFalse(any(ignored >> (number - 1) & 1 for number in (signal.SIGPIPE, signal.SIGXFSZ)), lines)


class BenchPlot(Drawn):
    """mmscan bench --plot"""

    LENGTHS = [16, 1024, 2 ** 14, 2 ** 18]

    def draw(self, place):
        path = self.path("x.svg")
        out = self.good("bench", "--rounds", 2, "-n", "4,10,14,18", "--place", place, "--only", "mmscan,omp", "--json", "--plot", path,
                        env={"MMSCAN_NUM_THREADS": "3"})
        return json.loads(out), Drawing(self.read("x.svg"))

    def test_a_link_to_standard_output(self):
        """A file that is open only for writing is not read back to see whether the picture is whole."""
        os.symlink("/dev/stdout", self.path("link.svg"))
        with open(self.path("out"), "wb") as stream:
            self.good("bench", "--rounds", 1, "-n", 4, "--only", "serial", "--plot", self.path("link.svg"), stdout=stream)
        self.assertIn(b"</svg>", self.read("out"))

    @staticmethod
    def speeds(report):
        """By name and threads: Gelem/s for each length."""
        speeds = {}
        for table in report["tables"]:
            for row in table["rows"]:
                if row["role"] != "copy" and "seconds" in row:
                    speeds.setdefault((row["name"], row["threads"]), {})[table["n"]] = row["gelem_per_second"]
        return speeds

    @staticmethod
    def lines(report):
        """Fastest first, at the greatest length: one unit of each engine, on all threads, and what is no engine."""
        rows = [row for row in report["tables"][-1]["rows"] if row["role"] not in ("bound", "copy") and "seconds" in row]
        rows.sort(key=lambda row: -row["gelem_per_second"])
        engines, lines = set(), []
        for row in rows:
            by_name = row["role"] == "mmscan" and "(" not in row["name"]
            engine = row["name"].split()[1] if by_name else row["name"]
            if not by_name or (row["threads"] == 3 and engine not in engines):
                lines.append((row["name"], row["threads"]))
                engines.add(engine)
        return lines

    def check_axes(self, report, drawing, speeds, bound):
        """x has half a power of two at both ends; y goes from a fraction of the serial loop to above the bound."""
        self.assertPlaces([drawing.left, drawing.right], [drawing.x.place(n) for n in (16 / 2 ** 0.5, 2 ** 18.5)])
        low, high = min(speeds["serial loop", 1].values()) / 16, max(1, *speeds[bound, 3].values())
        high = max(high, *(speed for line in self.lines(report) for speed in speeds[line].values()))
        low, high = 2.0 ** math.floor(math.log2(low)), 2.0 ** math.ceil(math.log2(high) + 0.3)
        self.assertPlaces([drawing.bottom, drawing.top], [drawing.y.place(low), drawing.y.place(high)])
        arrays = 1 if report["tables"][0]["place"] == "in" else 2
        marks = [size / (4 * arrays) for size in report["machine"]["caches"]]
        marks = [n for n in marks if 16 / 2 ** 0.5 < n < 2 ** 18.5]
        self.assertUprights(drawing, [drawing.x.place(n) for n in marks])

    def test_figures(self):
        for place, bound in ("out", "copy bound"), ("in", "update bound"):
            report, drawing = self.draw(place)
            speeds, lines = self.speeds(report), self.lines(report)
            own = {row["name"] for row in report["tables"][-1]["rows"] if row["role"] == "mmscan"}
            self.check_axes(report, drawing, speeds, bound)
            titles = ["%s, %d thread%s" % (name, threads, "s" * (threads > 1)) for name, threads in lines]
            self.assertEqual([plot.title for plot in drawing.plots[1:]], [bound] + titles)
            for plot, line in zip(drawing.plots[1:], [(bound, 3)] + lines):
                points = self.points(drawing, [(n, speeds[line][n]) for n in self.LENGTHS])
                seen = [point for point in points if point[1] < drawing.bottom]
                self.assertPlaces(plot.marks, seen, plot.title)
                is_own = line[0] in own
                self.assertEqual(plot.is_dashed, line == (bound, 3) or (is_own and line[1] < 3), line)

    def test_one_length(self):
        """A bound of only one point has no area above it."""
        for lengths, is_area in ("1024", False), ("256,1024", True):
            self.good("bench", "--rounds", 1, "--length", lengths, "--only", "one call", "--plot", self.path("x.svg"))
            self.assertEqual("faster than copying" in self.read("x.svg").decode().replace("\u00a0", " "), is_area)


class UnitsPlot(Drawn):
    """The pictures of mmscan bench --units --report"""

    SIZES = [2, 4, 8, 16, 32, 64, 128]
    TILES = ["tiles", "tiles by rows"]

    def setUp(self):
        super().setUp()
        if not hasattr(UnitsPlot, "report"):
            out = self.good("bench", "--rounds", 2, "-n", 16, "--units", "model,cblas", "--report", self.path("x.html"), "--json",
                            env={"MMSCAN_NUM_THREADS": "3"})
            UnitsPlot.report, UnitsPlot.page = json.loads(out), self.read("x.html").decode()
        self.ranking, self.tables = self.report["ranking"], [table["rows"] for table in self.report["tables"]]

    def test_nothing_to_draw(self):
        """No scan was timed, and no product with s <= 16: the model is too slow for as many elements."""
        out = self.good("bench", "--rounds", 1, "--length", (1 << 20) + 16, "--units", "model", "--report", self.path("y.html"),
                        env={"MMSCAN_NUM_THREADS": "1"}).decode()
        page = self.read("y.html").decode()
        self.assertEqual(page.count("<figure>"), 3)
        self.assertNotIn(">0.00000<", page)
        row = re.search("<td>tiles</td>.*", page)[0]
        self.assertEqual((row.count("&ndash;"), row.count("<small>")), (4, 6))
        self.assertRegex(out, "\n *- +model +- slow: timed only up to n = 2")
        self.assertRegex(page, "<tr>.*&ndash;.*model.*&ndash;.*>slow: timed only up to n = 2.*</tr>")
        self.assertRegex(out, "\nmodel +tiles +- +- +- +- +[0-9]")

    def drawing(self, index):
        return Drawing(self.page.split("<figure>")[index + 1].split("<figcaption>")[0], is_logarithmic=index > 0)

    def measure(self, table, role, threads=1):
        return next(row["gelem_per_second"] for row in self.tables[table] if (row["role"], row["threads"]) == (role, threads))

    def copying(self, threads):
        """The fastest copy in the races of products."""
        return max(self.measure(table, "bound", threads) for table in range(len(self.SIZES)))

    def products(self, label, forms, figure):
        """By s, the best of these forms, where any was timed."""
        found = {}
        for s, rows in zip(self.SIZES, self.tables):
            values = [row[figure] for row in rows if row["name"] == label and row.get("form") in forms and "seconds" in row]
            if values:
                found[s] = max(values)
        return found

    def check_units(self, plots, drawing, figure, x_of):
        """Two lines for each unit, in the order of the ranking: in tiles, and whole."""
        for row in self.ranking:
            for forms in self.TILES, ["whole"]:
                plot, wanted = plots.pop(0), self.products(row["label"], forms, figure)
                self.assertPlaces(plot.marks, self.points(drawing, [(x_of(s), value) for s, value in wanted.items()]), row["label"])
                self.assertEqual(plot.title == row["label"], forms == self.TILES)

    def test_bars(self):
        """Each at its unit's name and as long as the unit is fast: on three threads, over the paler one on one. A thin line is
        between the quartiles, and both are told beside it. The engine simd comes first."""
        bars = self.drawing(0)
        names = [("engine simd", "mmscan simd", None)] + [(row["label"], row["label"], row["s"]) for row in self.ranking]
        self.assertEqual(sorted(bars.names, key=bars.names.get), [name for name, _, _ in names])
        self.assertIn("Gelem/s: medians (and quartiles) of the rounds; full bars: 3 threads, pale bars: 1 thread", bars.labels)
        step = bars.names[names[1][0]] - bars.names[names[0][0]]
        pale, full = [plot for plot in bars.plots if plot.boxes]
        spreads = [plot.line for plot in bars.plots if plot.line and not plot.boxes]
        for i, (name, *of) in enumerate(names):
            for plot, spread, threads, y in (pale, spreads[0], 1, 0.2), (full, spreads[1], 3, -0.2):
                row = next(row for row in self.tables[-1] if [row["name"], row.get("s")] == of and row["threads"] == threads)
                (x1, y1), (x2, _), (_, y2), _ = plot.boxes[i]
                wanted = [bars.x.place(0), bars.x.place(row["gelem_per_second"]), bars.names[name] + y * step, 0.4 * step]
                self.assertPlaces([x1, x2, (y1 + y2) / 2, abs(y2 - y1)], wanted, name)
                ends = [x for x, level in spread if abs(level - (y1 + y2) / 2) < step / 5]
                slow, fast = self.quartiles(row, "gelem_per_second")
                self.assertPlaces([min(ends), max(ends)], [bars.x.place(slow), bars.x.place(fast)], name)
                beside = [text for text, at in bars.labels.items() if at > bars.right and text.split()[-1] == "(%.*f..%.*f)" % (
                    self.decimals(slow), slow, self.decimals(fast), fast)]
                self.assertEqual(len(beside), 1, (name, bars.labels))
            self.assertGreater(sum(pale.colours[i]), sum(full.colours[i]))

    @staticmethod
    def decimals(speed):
        """Three significant digits, or four from 1 on, up to a hundred."""
        return next((places for limit, places in ((0.00995, 5), (0.0995, 4), (9.995, 3), (99.95, 2)) if speed < limit), 1)

    @staticmethod
    def quartiles(row, figure):
        return [row[figure] * row["seconds"] / row[which + "_quartile_seconds"] for which in ("third", "first")]

    def test_measures_of_the_bars(self):
        bars = self.drawing(0)
        lines = {"serial loop": self.measure(-1, "loop"), "copying, n = 2^16, 1 thread": self.measure(-1, "bound"),
                 "copying, n = 2^16, 3 threads": self.measure(-1, "bound", 3)}
        self.assertPlaces([bars.labels[name] for name in lines], [bars.x.place(speed) for speed in lines.values()])
        self.assertUprights(bars, [bars.labels[name] for name in lines])

    def test_products(self):
        drawing = self.drawing(1)
        spreads, plots = drawing.plots[2:2 + 2 * len(self.ranking)], drawing.plots[2 + 2 * len(self.ranking):]
        self.check_units(plots, drawing, "gelem_per_second", lambda s: s)
        for plot, threads in zip(drawing.plots, [1, 3]):
            self.assertEqual(plot.title, "copying, n = 2^16, %d thread%s" % (threads, "s" * (threads > 1)))
            self.assertPlaces([y for _, y in plot.line], [drawing.y.place(self.copying(threads))] * len(plot.line))
        for plot, (row, forms) in zip(spreads, itertools.product(self.ranking, [self.TILES, ["whole"]]), strict=True):
            for s, rows in zip(self.SIZES, self.tables):
                timed = [line for line in rows if line["name"] == row["label"] and line.get("form") in forms and "seconds" in line]
                best = max(timed, key=lambda line: line["gelem_per_second"], default=None)
                ends = [y for x, y in plot.line if abs(x - drawing.x.place(s)) < NEAR]
                wanted = [drawing.y.place(speed) for speed in self.quartiles(best, "gelem_per_second")] if best else []
                self.assertPlaces([max(ends), min(ends)] if ends else [], wanted, (row["label"], s))

    def test_roofline(self):
        """2 s operations for an element of four bytes, read and written; the roofs are the fastest copy and product."""
        drawing = self.drawing(2)
        self.check_units(drawing.plots[2:], drawing, "gflop_per_second", lambda s: 2 * s / 8)
        self.assertUprights(drawing, [drawing.x.place(s / 4) for s in self.SIZES])
        for plot, threads in zip(drawing.plots, [1, 3]):
            bandwidth, peak = 8 * self.copying(threads), self.peak(threads)
            self.assertTrue(plot.title.startswith("%d thread" % threads), plot.title)
            self.assertAlmostEqual(float(plot.title.split()[-4]) / bandwidth, 1, delta=0.01)
            self.assertGreater(len(plot.line), 100)
            self.assertPlaces([y for _, y in plot.line],
                              [drawing.y.place(min(bandwidth * drawing.x.number(x), peak)) for x, _ in plot.line])

    def test_no_text_lies_on_a_line(self):
        """Nor on another text, nor is it cut off; whether units fail, are not timed, or have long names, and however many threads there are."""
        unit = build_library(self, "lib%s.so" % ("x" * 40), FAKE_BLAS)
        units = ",".join([unit, "model", "cblas", self.path("none.so")])
        drawn = {"few": self.page}
        for threads, length, title in ("1", (1 << 17) + 16, "short"), ("both", 1 << 12, "a title of many words, " * 6):
            run("bench", "--rounds", 2, "--length", length, "--units", units, "--threads", threads, "--title", title,
                "--report", self.path("y.html"), env={"MMSCAN_NUM_THREADS": "3"})
            drawn[title] = self.read("y.html").decode()
        for title, page in drawn.items():
            for picture in page.split("<figure>")[1:]:
                layout = Layout(picture.split("<figcaption>")[0])
                self.assertGreater(len(layout.texts), 10)
                self.assertEqual(layout.faults(), [], title)

    def test_roof_of_one_thread(self):
        """A library whose threads cannot be set may use many: it is fast here where it multiplies all at once."""
        waits = "#include <unistd.h>\n#define BEFORE(k) if (k * n > 60000 && k * n <= 65536) usleep(5000)\n"
        unit = build_library(self, "libunset.so", waits + FAKE_BLAS)
        out = self.good("bench", "--rounds", 1, "--length", 66000, "--units", unit, "--report", self.path("y.html"), "--json",
                        env={"MMSCAN_NUM_THREADS": "1"})
        self.tables = [table["rows"] for table in json.loads(out)["tables"]]
        roof = Drawing(self.read("y.html").decode().split("<figure>")[3].split("<figcaption>")[0])
        self.assertPlaces([min(y for _, y in roof.plots[0].line)], [roof.y.place(self.peak(1))])

    def peak(self, threads):
        """The fastest products, counted as a BLAS counts them, by any unit, up to s = 512."""
        forms = self.TILES + (["whole"] if threads > 1 else []) + ["whole, 1 thread"]
        return max(row["gflop_per_second"] for rows in self.tables[:len(self.SIZES) + 1] for row in rows
                   if row.get("form") in forms and "seconds" in row and row["threads"] <= threads)
