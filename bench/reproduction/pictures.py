"""Pictures of what is counted, drawn by gnuplot."""

import os
import sys

from asking import LATENCY, MOST, ROOT, SIZES, chain, digits, log_floor, models, powers

sys.path.append(os.path.join(ROOT, "bench", "pages"))
import gnuplot
from gnuplot import quoted

IMAGES = os.path.join(ROOT, "doc", "img")
COLOURS = {2: "#0072b2", 4: "#d55e00", 16: "#cc79a7"}

HEAD = "set terminal svg size %s enhanced font 'Helvetica,Arial,sans-serif,15' background '#ffffff'\n" + gnuplot.AXES + """set xlabel %s
set ylabel %s
"""
LOG_N = "set logscale x 2\nset format x '2^{%%L}'\nset xrange [1.4:%d]\n" % (1.4 * MOST)


def plot_command(panel, lines):
    """Data, then the command that plots it. lines: (points, style, title); points are pairs of numbers."""
    names = ["p%d_%d" % (panel, i) for i in range(len(lines))]
    data = [gnuplot.data(name, points) for name, (points, _, _) in zip(names, lines)]
    parts = ["$%s with %s title %s" % (name, style, quoted(label)) for name, (_, style, label) in zip(names, lines)]
    return "".join(data) + "plot " + ", ".join(parts) + "\n"


def write(name, script):
    """Unless all of it is drawn, the old picture stays."""
    picture, path = gnuplot.draw(script), os.path.join(IMAGES, name)
    with open(path + ".new", "wb") as file:
        file.write(picture)
    os.replace(path + ".new", path)


def draw(name, title, x, y, settings, lines):
    head = HEAD % ("960,560", quoted(x), quoted(y))
    key = "set key outside right top Left reverse samplen 1.5 spacing 1.15\nset title %s font ',17'\n" % quoted(title)
    write(name, head + key + settings + plot_command(0, lines))


def draw_panels(name, title, y, settings, panels):
    """Draws panels, two in a row, over n. panels: (title, lines)."""
    head = HEAD % ("960,%d" % (340 * ((len(panels) + 1) // 2)), "'n'", quoted(y))
    head += "set key top right Left reverse samplen 1.5\n" + LOG_N + settings
    head += "set multiplot layout %d,2 title %s font ',17'\n" % ((len(panels) + 1) // 2, quoted(title))
    parts = ["set title %s\n" % quoted(panel) + plot_command(i, lines) for i, (panel, lines) in enumerate(panels)]
    write(name, head + "unset key\n".join(parts) + "unset multiplot\n")


def drawn_lengths(s):
    """The powers of s, those minus 1, and lengths in between."""
    lengths = {round(2 ** (j / 2)) for j in range(2, 41)}
    for k in powers(s):
        lengths.update((s ** k, s ** k - 1))
    return sorted(n for n in lengths if s <= n <= MOST)


def counted_and_bound(s, name, scale):
    """A panel: the counts as points, the bounds as lines; n = s^k in a colour of its own."""
    runs = models([(n, s, LATENCY) for n in drawn_lengths(s)])

    def line(what, which):
        return [(r["n"], r[name][what] * scale(r)) for r in runs if which(r)]

    def is_power(r):
        return sum(digits(r["n"], s)) == 1
    return ("s = %d" % s,
            [(line("bound", lambda r: not is_power(r)), "lines lw 1.5 dt 2 lc rgb '#0072b2'", "bound, any n"),
             (line("counted", lambda r: not is_power(r)), "points pt 7 ps 0.4 lc rgb '#0072b2'", "counted, any n"),
             (line("bound", is_power), "lines lw 1.5 lc rgb '#d55e00'", "bound, n = s^{k}"),
             (line("counted", is_power), "points pt 7 ps 0.6 lc rgb '#d55e00'", "counted, n = s^{k}")])


def draw_multiplications():
    draw_panels("reproduction-multiplications.svg", "Multiplications of s-by-s matrices, by 2n/(s(s-1))", "times 2n/(s(s-1))",
                "set logscale y 2\nset yrange [0.5:128]\n",
                [counted_and_bound(s, "multiplications", lambda r: r["s"] * (r["s"] - 1) / (2 * r["n"])) for s in (2, 4, 8, 32)])


def draw_additions():
    draw_panels("reproduction-additions.svg", "Additions, by n(1 + s/2)", "times n(1 + s/2)",
                "set logscale y 2\nset yrange [0.5:128]\n",
                [counted_and_bound(s, "additions", lambda r: 1 / (r["n"] * (1 + r["s"] / 2))) for s in (2, 4, 8, 32)])


def draw_time():
    draw_panels("reproduction-time.svg", "Time on one unit, a level of a segment being one product, l = %d" % LATENCY,
                "time / n", "set logscale y 2\nset yrange [1:1024]\n",
                [counted_and_bound(s, "one_unit", lambda r: 1 / r["n"]) for s in (2, 4, 8, 32)])


def draw_sizes():
    """Counts for the longest n = s^k to 2^20 of each s."""
    runs = models([(s ** powers(s)[-1], s, LATENCY) for s in SIZES])
    lines = []
    for name, scale, colour, label in [
            ("additions", lambda r: 1 / r["n"], "#0072b2", "additions / n"),
            ("multiplications", lambda r: r["s"] ** 2 / r["n"], "#d55e00", "multiplications s^{2} / n"),
            ("depth", lambda r: 1, "#009e73", "depth")]:
        lines.append(([(r["s"], r[name]["bound"] * scale(r)) for r in runs], "lines lw 1.5 dt 2 lc rgb '%s'" % colour,
                      label + ", bound"))
        lines.append(([(r["s"], r[name]["counted"] * scale(r)) for r in runs], "points pt 7 ps 0.6 lc rgb '%s'" % colour,
                      label + ", counted"))
    draw("reproduction-sizes.svg", "s = 2 to 32, the longest n = s^{k} to 2^{20}", "s", "",
         "set logscale y 2\nset xrange [1:33]\nset xtics 2,2\n", lines)


def draw_depth():
    lines = []
    for s in 2, 4, 16:
        runs = models([(n, s, LATENCY) for n in drawn_lengths(s)])
        lines.append(([(r["n"], 2 * log_floor(r["n"], s)) for r in runs], "steps lw 1.5 dt 2 lc rgb '%s'" % COLOURS[s],
                      "s = %d, 2⌊log_s n⌋" % s))
        lines.append(([(r["n"], r["depth"]["counted"]) for r in runs], "points pt 6 ps 0.7 lc rgb '%s'" % COLOURS[s],
                      "s = %d, levels" % s))
        lines.append(([(r["n"], chain(r)) for r in runs], "points pt 7 ps 0.35 lc rgb '%s'" % COLOURS[s], "s = %d, chain" % s))
    draw("reproduction-depth.svg", "Depth", "n", "depth", LOG_N + "set yrange [0:42]\n", lines)


def draw_units():
    lines = []
    for s in 2, 4, 16:
        runs = models([(MOST, s, LATENCY, 2 ** j) for j in range(0, 19)])
        lines.append(([(r["units"], r["brent"]) for r in runs], "lines lw 1.5 dt 2 lc rgb '%s'" % COLOURS[s],
                      "s = %d, Brent" % s))
        lines.append(([(r["units"], max(r["critical_path"], r["work"] / r["units"])) for r in runs],
                      "lines lw 1 lc rgb '%s'" % COLOURS[s], "s = %d, least" % s))
        lines.append(([(r["units"], r["p_units"]["counted"]) for r in runs], "points pt 7 ps 0.6 lc rgb '%s'" % COLOURS[s],
                      "s = %d, counted" % s))
    draw("reproduction-units.svg", "Time on p units, n = 2^{20}, l = %d; least: the critical path or work / p" % LATENCY, "p",
         "time", "set logscale xy 2\nset format x '2^{%L}'\nset format y '2^{%L}'\n", lines)
