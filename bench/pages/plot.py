"""A session of mmscan bench as a picture: Gelem/s over n, a panel for each type and place."""

import itertools
import math

import contest
import gnuplot

PANEL_HEIGHT = 600
MOST_LINES = 20

# The library's colours can be told apart by the colour-blind too (Okabe and Ito; Tol).
OWN = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#f0b000", "#882255"]
OTHERS = ["#b23a48", "#e08fb0", "#7b4ea3", "#8c6d31", "#56a0c9", "#5a7d2a", "#c9a227", "#4a6572", "#999999", "#a0522d", "#20a0a0"]

HEAD = gnuplot.AXES + """set logscale xy 2
set format x '2^{%L}'
set format y '%.3g'
set lmargin at screen 0.10
set rmargin at screen 0.685
set key at screen 0.70, graph 0.5 left center Left reverse noenhanced vertical maxcols 1 spacing 1.15 samplen 2.2
set ylabel 'Gelem/s' offset 1,0
set xlabel 'elements n'
"""


def is_by_name(row):
    """Whether its engine was requested by name; else the library chooses."""
    return row["role"] == "mmscan" and not row["name"].startswith("mmscan (")


class Panel:
    """The tables of one type and place, by length, and the lines that are drawn."""

    def __init__(self, tables):
        self.tables, last = tables, tables[-1]["rows"]
        self.bound = [row for row in last if row["role"] == "bound"][-1]
        self.lines = sorted(self.drawn(last), key=lambda row: -row["gelem_per_second"])[:MOST_LINES]

    @staticmethod
    def drawn(rows):
        """Of an engine requested by name, only the fastest unit on the most threads is drawn; the call that leaves the
        choice to the library is drawn for each thread count."""
        most_threads = max((row["threads"] for row in rows if is_by_name(row)), default=0)
        fastest = {}
        for row in rows:
            if row["role"] in ("bound", "copy") or "seconds" not in row or is_by_name(row) and row["threads"] < most_threads:
                continue
            of = tuple(row["name"].split()[:2]) if is_by_name(row) else (row["name"], row["threads"])
            if of not in fastest or row["gelem_per_second"] > fastest[of]["gelem_per_second"]:
                fastest[of] = row
        return fastest.values()

    def speeds(self, line):
        """(n, Gelem/s) of a contender; None where it was not timed."""
        def same(row):
            return all(row[key] == line[key] for key in ("role", "name", "threads"))
        return [(table["n"], next((row.get("gelem_per_second") for row in table["rows"] if same(row)), None)) for table in self.tables]

    def range(self):
        """Of y: up to the fastest; down to a sixteenth of the serial loop, as starting threads for sixteen numbers is slower
        than is worth showing."""
        loop = next(row for row in self.tables[0]["rows"] if row["role"] == "loop")
        high = max([1] + [speed for line in [self.bound, *self.lines] for _, speed in self.speeds(line) if speed])
        low = min(speed for _, speed in self.speeds(loop) if speed) / 16
        return 2.0 ** math.floor(math.log2(low)), 2.0 ** math.ceil(math.log2(high) + 0.3)

    def style(self, line):
        """A name has the same colour in all panels and on any number of threads. Dashed: not on all threads."""
        before = itertools.takewhile(lambda row: row["name"] != line["name"], self.tables[-1]["rows"])
        place, is_own = sum(row["role"] == line["role"] for row in before), line["role"] == "mmscan"
        colour = "#000000" if line["role"] == "loop" else OWN[place % len(OWN)] if is_own else OTHERS[place % len(OTHERS)]
        dash = "'-'" if is_own and line["threads"] < self.bound["threads"] else "1"
        return "lc '%s' lw %s dt %s pt %d ps 0.45" % (colour, "3" if is_own else "1.6", dash, 7 if is_own else 5)

    def cache_marks(self, caches, low, high):
        """Mark the n at which the arrays fill a cache."""
        table = self.tables[0]
        for level, size in enumerate(caches, 1):
            n = size * 8 / (element_bits(table["to"]) + (element_bits(table["type"]) if table["place"] == "out" else 0) + 64 * table["indices"])
            if low < n < high:
                yield gnuplot.upright(n, "L%d %s" % (level, "%g KiB" % (size / 2 ** 10) if size < 2 ** 20 else "%g MiB" % (size / 2 ** 20)))

    def axes(self, caches):
        low, high = self.tables[0]["n"] / 2 ** 0.5, self.tables[-1]["n"] * 2 ** 0.5
        area = "set label 'faster than copying' at graph 0.5, graph 0.97 center front textcolor '#808080' font ',12'\n"
        return ["unset arrow\nunset label\n", "set xrange [%g:%g]\nset yrange [%g:%g]\n" % (low, high, *self.range()),
                area if len(self.tables) > 1 else "",  # there is none above a single point
                *self.cache_marks(caches, low, high)]

    def title(self):
        table = self.tables[-1]
        kind = table["type"] if table["op"] == "plus" else table["op"] + " of " + table["type"]
        kind += " to " + table["to"] if table["to"] != table["type"] else ""
        kind += " with indices" if table["indices"] else ""
        kind += ", in place" if table["place"] == "in" else ", out of place"
        kind += ", rows of %d" % table["row"] if table["row"] else ""
        kind += ", %d columns" % table["columns"] if table.get("columns") else ""
        kind += ", axis %d of %s" % (table["axis"], table["shape"]) if "shape" in table else ""
        kind += ", stride %d" % table["stride"] if table.get("stride", 1) > 1 else ""
        return "%s, %s" % ("prefix sums" if table["op"] == "plus" else "prefix scans", kind)

    def script(self, report, index):
        """The area above the bound, which no scan can reach, is grey."""
        names = ["p%d_%d" % (index, i) for i in range(len(self.lines) + 1)]
        parts = [gnuplot.data(name, self.speeds(line)) for name, line in zip(names, [self.bound, *self.lines])]
        plots = ["$%s with filledcurves x2 fc '#eeeeee' notitle" % names[0],
                 "$%s with linespoints dt 2 lw 2 pt 7 ps 0.3 lc '#505050' title '%s'" % (names[0], self.bound["name"])]
        for name, line in zip(names[1:], self.lines):
            many = ", " + contest.threads_text(line["threads"]) if self.bound["threads"] > 1 else ""
            plots.append("$%s with linespoints %s title %s" % (name, self.style(line), gnuplot.quoted(line["name"] + many)))
        return "".join([*parts, gnuplot.title(report["title"], self.title()), *self.axes(report["machine"]["caches"]),
                        "plot ", ", ".join(plots), "\n"])


def element_bits(name):
    """Of a complex number, which has the name of its parts, of both."""
    return int(name.lstrip("bfciu")) * (2 if name[0] == "c" else 1)


def draw(report, form):
    groups = itertools.groupby(report["tables"], lambda table: (table["type"], table["place"]))
    panels = [Panel(list(tables)) for _, tables in groups]
    head = gnuplot.terminal(form, PANEL_HEIGHT * len(panels)) + "set multiplot layout %d,1\n" % len(panels) + HEAD
    scripts = [panel.script(report, index) for index, panel in enumerate(panels)]
    return gnuplot.draw("".join([head, *scripts, "unset multiplot\n"]))
