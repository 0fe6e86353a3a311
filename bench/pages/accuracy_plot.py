"""What mmscan bench --accuracy reports as a picture: the errors of each scan on all inputs, and its speed; a panel for each table."""

import math

import contest
import gnuplot

COLOURS = {"mmscan": "#0072b2", "loop": "#202020", "peer": "#b23a48"}
# By input: gnuplot's point types, and colours that can be told apart by the colour-blind, too (Okabe and Ito).
MARKS = [(7, "#0072b2"), (5, "#d55e00"), (9, "#009e73"), (11, "#cc79a7"), (13, "#e0a000"), (15, "#56b4e9"), (6, "#202020")]
HEAD, ROW = 150, 26  # points
LEAST = 1 / 64  # what is less is drawn there

LOOK = gnuplot.AXES + """set logscale x 2
set format x '2^{%L}'
set border 1
set lmargin at screen 0.205
set rmargin at screen 0.78
set tmargin 4.6
set bmargin 3.6
set key at screen 0.98, graph 0.5 right center Right noenhanced vertical maxcols 1 spacing 1.2 samplen 1
set xlabel 'the largest error, in units of u times the sum of magnitudes: c' offset 0,0.3
"""


def measured(table):
    return [row for row in table["rows"] if "errors" in row]


def height(table):
    return HEAD + ROW * len(measured(table))


def errors(row, name):
    """None where it is not finite."""
    c = row["errors"][name]["c"]
    return None if c is None else max(c, LEAST)


def bound(table):
    """The c that mmscan.h states for a call by default."""
    return 32 + table["n"] // 2 ** 21


def panel(report, table, index):
    rows, names = measured(table), [given["name"] for given in report["inputs"]]
    worst = max(errors(row, name) or 1 for row in rows for name in names)
    parts = [gnuplot.title(report["title"], "errors of prefix sums, %s, %s" % (table["type"], contest.length_text(table["n"])), above=1), LOOK]
    parts += ["set ytics scale 0 (%s)\n" % ", ".join("%s %d" % (gnuplot.quoted(""), place) for place, _ in enumerate(rows, 1))]
    for place, row in enumerate(rows, 1):
        colour = COLOURS[row["role"]]
        parts.append("set label %s at graph 0, first %d right offset -1,0 noenhanced textcolor '%s'\n" % (gnuplot.quoted(row["name"]), place, colour))
        parts.append("set label '%s' at graph 1, first %d right noenhanced textcolor '%s' font ',12'\n"
                     % (contest.number_text(row["gelem_per_second"]), place, colour))
    parts += ["set label 'Gelem/s' at graph 1, graph 1 right offset 0,0.7 textcolor '#404040' font ',12'\n",
              "set arrow from %g, graph 0 to %g, graph 1 nohead back dt 2 lc '#0072b2'\n" % (bound(table), bound(table)),
              "set label 'bound of the default: %d' at %g, graph 1 center offset 0,0.7 textcolor '#0072b2' font ',12'\n" % (bound(table), bound(table)),
              "set xrange [%g:%g]\nset yrange [%d.7:0.3]\n" % (LEAST / 2, 2.0 ** (math.ceil(math.log2(worst)) + 4), len(rows))]
    plots = []
    for i, name in enumerate(names):
        parts.append(gnuplot.data("a%d_%d" % (index, i), [(errors(row, name), place) for place, row in enumerate(rows, 1)]))
        plots.append("$a%d_%d with points pt %d ps 0.8 lw 1.2 lc rgb '%s' title %s"
                     % (index, i, *MARKS[i], gnuplot.quoted(name)))
    return "".join([*parts, "plot ", ", \\\n  ".join(plots), "\n"])


def draw(report, form):
    """All panels, one below the other."""
    total, above = sum(map(height, report["tables"])), 0
    parts = [gnuplot.terminal(form, total), "set multiplot\n"]
    for index, table in enumerate(report["tables"]):
        above += height(table)
        parts += ["reset\nset origin 0,%g\nset size 1,%g\n" % (1 - above / total, height(table) / total), panel(report, table, index)]
    return gnuplot.draw("".join(parts + ["unset multiplot\n"]))
