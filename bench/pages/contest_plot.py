"""The pictures of mmscan bench --units: a ranking, products over s, and a roofline."""

import contest
import gnuplot
from contest import TILES, WHOLE

BARS_HEAD, BAR_HEIGHT, LINES_HEIGHT = 110, 50, 580
LINE_HEIGHT = 20  # of a title and of a label, generously
SIMD = 0x606060  # the colour of the engine simd, which is no unit

# Neighbours can be told apart by the colour-blind too (Okabe and Ito).
COLOURS = [0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe0a000, 0x56b4e9, 0x8c510a, 0x5a3e9b, 0x7f7f7f, 0x1b9e9e, 0xa6611a, 0xc51b7d]
MARKS = [7, 5, 9, 13, 11, 15]  # gnuplot's filled point types; the number before each is the same shape, open

KEY = """set lmargin at screen 0.10
set rmargin at screen 0.695
set bmargin 4.4
set errorbars 0.5
set key at screen 0.705, graph 0.5 left center Left reverse noenhanced vertical maxcols 1 spacing 1.15 samplen 2.2
"""


def colour(place):
    return COLOURS[place % len(COLOURS)]


def pale(rgb):
    """Halfway between the colour and white."""
    return 0x808080 + (rgb >> 1 & 0x7f7f7f)


# ---- The ranking: bars ------------------------------------------------------------------------------------------------

def bars(c):
    """What has bars, from above: a name, a colour, and the scans by thread count."""
    units = [(unit["label"], colour(place), [c.scan(unit, threads, unit["s"]) for threads in c.threads])
             for place, unit in enumerate(c.ranking)]
    return [("engine simd", SIMD, list(map(c.simd, c.threads))), *units]


def bar_middle(c, place, index):
    """Bars on fewer threads are below the others."""
    return place + 1.4 - 0.8 / len(c.threads) * (index + 0.5)


def bars_data(c, index):
    """The bars of one thread count: length, quartiles, middle, ends, colour. Those on fewer threads are pale. The last bar is
    out of sight: gnuplot needs at least one, and crashes on a plot of labels that has no point."""
    height, points = 0.8 / len(c.threads), []
    for place, (_, shade, scans) in enumerate(bars(c)):
        if scans[index] is not None:
            middle = bar_middle(c, place, index)
            points.append((scans[index]["gelem_per_second"], *contest.quartiles(scans[index]), middle, middle - height / 2,
                           middle + height / 2, shade if index + 1 == len(c.threads) else pale(shade)))
    return gnuplot.data("bars%d" % index, points + [(0, 0, 0, -1, -1, -1, 0)])


def figures(c, index):
    """Right of the plot, where no line is: the length of each bar, and its quartiles."""
    return ["set label '%s  (%s)' at graph 1, first %g offset 1,0 left noenhanced textcolor '#404040' font ',11'\n"
            % (contest.number_text(scans[index]["gelem_per_second"]), contest.spread_text(scans[index]), bar_middle(c, place, index))
            for place, (_, _, scans) in enumerate(bars(c)) if scans[index] is not None]


def head(title, labels):
    """The title, and room above the plot for it and for so many lines of labels."""
    return "set tmargin %g\n%s" % (2.6 + 1.25 * (labels + gnuplot.title_lines(title)), title)


def line_down(text, at, look, line):
    """A vertical line with a label above the plot, `line` text lines higher, so that labels of lines that are near each other do
    not overlap."""
    return ("set arrow from %g, graph 0 to %g, graph 1 nohead back %s\n" % (at, at, look)
            + "set label '%s' at %g, graph 1 offset 0,%g center noenhanced textcolor '#404040' font ',11'\n" % (text, at, 0.6 + line))


def failure(unit, place):
    """A label in place of a bar, on white, which hides the lines behind it."""
    text, shade = ("failed: " + unit["failed"][:120], "#b00000") if "failed" in unit else ("not timed", "#707070")
    return ("set object rectangle from graph 0.002, first %g to graph 1, first %g front fillcolor '#ffffff' fillstyle solid noborder\n"
            "set label %s at 0,%d left offset 1,0 noenhanced front font ',12' textcolor '%s'\n"
            % (place + 1.5, place + 2.58, gnuplot.quoted(text), place + 2, shade))


def copies_text(length, threads):
    return "copying, %s, %s" % (length, contest.threads_text(threads))


def right_end(c, measures):
    """Of the bars: beyond all bars, quartiles and measures."""
    return 1.06 * max([*measures, *(contest.quartiles(scan)[1] for _, _, scans in bars(c) for scan in scans if scan)])


def above_bars(c):
    """What the labels above the plot say, with the dashes and the places of their lines; and the title above these."""
    length = contest.length_text(c.scans["n"])
    measures = [("serial loop", "dt 3", c.measure(c.scans, "loop")["gelem_per_second"])]
    measures += [(copies_text(length, threads), "dt 2", c.measure(c.scans, "bound", threads)["gelem_per_second"]) for threads in c.threads]
    title = gnuplot.title(c.title, "scans by each unit, %s, %s" % (c.type, length), above=len(measures))
    return measures, title


def lines_above_bars(c):
    measures, title = above_bars(c)
    return len(measures) + gnuplot.title_lines(title)


def ranking(c):
    measures, title = above_bars(c)
    names = ", ".join("%s %d" % (gnuplot.quoted(name), place) for place, (name, _, _) in enumerate(bars(c), 1))
    key = "; full bars: %d threads, pale bars: 1 thread" % c.threads[-1] if len(c.threads) > 1 else ""
    plots = ["$bars%d using ($1/2):4:(0):1:5:6:7 with boxxyerror lc rgb variable notitle, \\\n"
             "  $bars%d using 1:4:2:3 with xerrorbars pt 0 lw 1.4 lc '#202020' notitle" % (i, i) for i in range(len(c.threads))]
    return "".join([
        head(title, len(measures)), *(bars_data(c, i) for i in range(len(c.threads))),
        *(label for i in range(len(c.threads)) for label in figures(c, i)),
        *(line_down(text, at, dash + " lw 1.6 lc '#404040'", line) for line, (text, dash, at) in enumerate(measures)),
        "set ytics scale 0 noenhanced (%s)\n" % names,
        *(failure(unit, place) for place, unit in enumerate(c.ranking) if unit["s"] is None),
        "set xrange [0:%g]\nset yrange [%d.6:0.4]\n" % (right_end(c, [at for _, _, at in measures]), len(bars(c))),
        "set lmargin at screen 0.17\nset rmargin at screen 0.81\nset bmargin 3.6\nunset key\nset errorbars 0.6\n"
        "set grid noytics\nset border 1\nset style fill solid noborder\n",
        "set xlabel 'Gelem/s: medians (and quartiles) of the rounds%s' offset 0,0.3\n" % key, "plot ", ", \\\n  ".join(plots), "\n"])


# ---- Products over s, and over the intensity --------------------------------------------------------------------------

def intensity(c, s):
    """Operations per byte moved: 2 s per element, which is read and written."""
    return s / c.bytes


def copying(c, threads):
    return c.copying(threads)["gelem_per_second"]


def peak_of(c, one_thread):
    """The most GFLOP/s of a product, by any unit; 0 if none was timed. Only plain and chunked gemm count: trmm leaves out half of
    the operations, and bfloat16 has half the precision. A library whose threads cannot be set may have more than one."""
    best = [0]
    for unit in c.ranking:
        forms = TILES + ["whole, 1 thread"] + (WHOLE if unit["threads"] == 1 or not one_thread else [])
        best += [(c.product(table, unit, forms) or {"gflop_per_second": 0})["gflop_per_second"] for table in c.peaks]
    return max(best)


def point(x, row, figure):
    """With its quartiles."""
    return (x, row[figure], *contest.quartiles(row, figure)) if row else (x, None, None, None)


def lines(c, x_of, figure, first, with_quartiles=False):
    """The data of all units; then the plot of `first` and of two lines for each unit: in tiles, and in one call. Quartiles are
    behind them, pale and thin, as those of several units may be at one place."""
    parts, plots, spreads = [], [], []
    for place, unit in enumerate(c.ranking):
        if unit["product_gelem_per_second"] is None:
            continue
        for name, forms in ("tiles", TILES), ("whole", WHOLE):
            points = [point(x_of(s), c.product(table, unit, forms), figure) for s, table in zip(c.sizes, c.products)]
            parts.append(gnuplot.data("%s%d" % (name, place), points))
        look, mark = "with linespoints lc rgb %d" % colour(place), MARKS[place % len(MARKS)]
        plots += ["$tiles%d %s lw 2.4 pt %d ps 0.7 title %s" % (place, look, mark, gnuplot.quoted(unit["label"])),
                  "$whole%d %s lw 1.4 dt 2 pt %d ps 0.7 notitle" % (place, look, mark - 1)]
        spreads += ["$%s%d with yerrorbars pt 0 lw 1.2 lc rgb %d notitle" % (name, place, pale(colour(place)))
                    for name in ("tiles", "whole")]
    plots += ["NaN with lines lc '#606060' lw 2.4 title 'in tiles, 1 thread'",
              "NaN with lines lc '#606060' lw 1.4 dt 2 title 'one call, own threads'"]
    return "".join([*parts, "plot ", ", \\\n  ".join([*first, *(spreads if with_quartiles else []), *plots]), "\n"])


def products(c):
    copies = ["%g with lines dt 2 lw 2 lc '%s' title '%s'" % (copying(c, threads), "#909090" if i == 0 else "#202020",
                                                              copies_text(c.length(), threads)) for i, threads in enumerate(c.threads)]
    return (head(gnuplot.title(c.title, "products with L_s, %s, %s" % (c.type, c.lengths())), 0) + KEY
            + "set logscale xy 2\nset format y '%.3g'\nset xlabel 's'\nset ylabel 'Gelem/s' offset 1,0\nset xrange [1.8:142]\n"
            + lines(c, lambda s: s, "gelem_per_second", copies, with_quartiles=True))


def roof(c, threads):
    """The fastest copy and the fastest product. If no product was timed, the roof is the copy bandwidth only."""
    bandwidth, peak = 2 * c.bytes * copying(c, threads), peak_of(c, threads == 1)
    slope, top = "%g*x" % bandwidth, "%g" % peak
    shape, more = ("(%s < %s ? %s : %s)" % (slope, top, slope, top), ", %.0f GFLOP/s" % peak) if peak else (slope, "")
    return "%s with lines lw 3 lc '%s' title '%s: %.*f GB/s%s'" % (
        shape, "#a0a0a0" if threads == 1 else "#202020", contest.threads_text(threads), contest.decimals(10 * bandwidth), bandwidth, more)


def roofline(c):
    marks = [line_down("s = %d" % s, intensity(c, s), "dt 3 lc '#a0a0a0'", 0) for s in c.sizes]
    return "".join([head(gnuplot.title(c.title, "roofline of the products", above=1), 1), KEY, *marks,
                    "set logscale xy 2\nset format xy '%.3g'\nset xlabel 'operations per byte of memory traffic'\n"
                    "set ylabel 'GFLOP/s' offset 1,0\nset samples 500\n",
                    "set xrange [%g:%g]\n" % (intensity(c, 1.5), intensity(c, 1.5 * c.sizes[-1])),
                    lines(c, lambda s: intensity(c, s), "gflop_per_second", [roof(c, threads) for threads in c.threads])])


# ---- Pictures ---------------------------------------------------------------------------------------------------------

def ranking_caption(c):
    return ("Scans by the engine gemm with each unit, at the s that is fastest for it, and by the engine simd. No scan is faster than "
            "copying. Thin lines: quartiles. " + c.bounds())


def products_caption(c):
    return ("The first level of a scan alone, W = L_s X. Solid: tile by tile on one thread, the faster of matrices by rows and by columns. "
            "Dashed: one call for all, on the unit's own threads. Pale uprights: quartiles. " + c.bounds())


def roofline_caption(c):
    return ("The same products over their arithmetic intensity: 2 s operations per element, which is read and written. Filled marks: in "
            "tiles. Open marks: one call for all. The roof is the speed of copying (%s), and of the fastest product." % c.length())


PICTURES = [(ranking, ranking_caption), (products, products_caption), (roofline, roofline_caption)]


def height_of(picture, c):
    return BARS_HEAD + LINE_HEIGHT * lines_above_bars(c) + BAR_HEIGHT * len(bars(c)) if picture is ranking else LINES_HEIGHT


def draw_one(picture, c):
    """As SVG, for the page."""
    return gnuplot.draw(gnuplot.terminal("svg", height_of(picture, c)) + gnuplot.AXES + picture(c)).decode()


def draw(report, form):
    """All pictures, one below the other."""
    c = contest.Contest(report)
    height = sum(height_of(picture, c) for picture, _ in PICTURES)
    parts, above = [gnuplot.terminal(form, height), "set multiplot\n"], 0
    for picture, _ in PICTURES:
        above += height_of(picture, c)
        parts += ["reset\nset origin 0,%g\nset size 1,%g\n" % (1 - above / height, height_of(picture, c) / height),
                  gnuplot.AXES, picture(c)]
    return gnuplot.draw("".join(parts + ["unset multiplot\n"]))
