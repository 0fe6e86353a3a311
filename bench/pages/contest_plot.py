"""The pictures of mmscan bench --units: a ranking, products over s, and a roofline."""

import contest
import gnuplot
from contest import TILES, WHOLE

BARS_HEAD, BAR_HEIGHT, LINES_HEIGHT = 185, 50, 560

# Neighbours can be told apart by the colour-blind too (Okabe and Ito).
COLOURS = [0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe0a000, 0x56b4e9, 0x8c510a, 0x5a3e9b, 0x7f7f7f, 0x1b9e9e, 0xa6611a, 0xc51b7d]
MARKS = [7, 5, 9, 13, 11, 15]  # gnuplot's filled point types; the number before each is the same shape, open

KEY = """set lmargin at screen 0.10
set rmargin at screen 0.725
set key at screen 0.735, graph 0.5 left center Left reverse noenhanced vertical maxcols 1 spacing 1.15 samplen 2.2
"""


def colour(place):
    return COLOURS[place % len(COLOURS)]


def pale(rgb):
    """Halfway between the colour and white."""
    return 0x808080 + (rgb >> 1 & 0x7f7f7f)


# ---- The ranking: bars ------------------------------------------------------------------------------------------------

def bars(c, index):
    """The bars of one thread count: length, middle, ends, colour. Those on fewer threads are pale, and below the others. The
    last bar is out of sight: gnuplot needs at least one, and crashes on a plot of labels that has no point."""
    height, threads, points = 0.8 / len(c.threads), c.threads[index], []
    for place, unit in enumerate(c.ranking):
        scan, low = c.scan(unit, threads), place + 1.4 - height * (index + 1)
        if scan is not None:
            shade = colour(place) if threads == c.threads[-1] else pale(colour(place))
            points.append((scan["gelem_per_second"], low + height / 2, low, low + height, shade))
    return gnuplot.data("bars%d" % index, points + [(0, -1, -1, -1, 0)])


def line_down(text, at, dash, line):
    """A vertical line with a label above the plot, `line` text lines higher, so that the labels of the two copy bounds do not
    overlap."""
    return ("set arrow from %g, graph 0 to %g, graph 1 nohead back dt %d lw 1.6 lc '#404040'\n" % (at, at, dash)
            + "set label '%s' at %g, graph 1 offset 0,%g center noenhanced textcolor '#404040' font ',11'\n" % (text, at, 0.6 + line))


def failure(unit, place):
    """A label in place of a bar."""
    text, shade = ("failed: " + unit["failed"][:120], "#b00000") if "failed" in unit else ("not timed", "#707070")
    return "set label %s at 0,%d left noenhanced front font ',12' textcolor '%s'\n" % (gnuplot.quoted("  " + text), place + 1, shade)


def ranking(c):
    names = ", ".join("%s %d" % (gnuplot.quoted(unit["label"]), place) for place, unit in enumerate(c.ranking, 1))
    loop = c.measure(c.scans, "loop")["gelem_per_second"]
    copies = [(threads, c.measure(c.scans, "bound", threads)["gelem_per_second"]) for threads in c.threads]
    key = " (full bars: %d threads, pale bars: 1 thread)" % c.threads[-1] if len(c.threads) > 1 else ""
    plots = ["$bars%d using ($1/2):2:(0):1:3:4:5 with boxxyerror lc rgb variable notitle, \\\n"
             "  $bars%d using 1:2:(sprintf(' %%.2f',$1)) with labels left textcolor '#404040' font ',11' notitle" % (i, i)
             for i in range(len(c.threads))]
    return "".join([
        gnuplot.title(c.title, "scans by each unit, %s, %s" % (c.type, contest.length_text(c.scans["n"]))),
        *(bars(c, i) for i in range(len(c.threads))),
        line_down("serial loop", loop, 3, 0),
        *(line_down("copying, " + contest.threads_text(threads), speed, 2, i) for i, (threads, speed) in enumerate(copies)),
        "set ytics scale 0 noenhanced (%s)\n" % names,
        *(failure(unit, place) for place, unit in enumerate(c.ranking) if unit["s"] is None),
        "set xrange [0:%g]\nset yrange [%d.6:0.4]\n" % (1.06 * max([loop] + [speed for _, speed in copies]), len(c.ranking)),
        "set lmargin at screen 0.17\nset rmargin at screen 0.97\nset tmargin 6.6\nset bmargin 3.6\nunset key\n"
        "set grid noytics\nset border 1\nset style fill solid noborder\n",
        "set xlabel 'Gelem/s%s' offset 0,0.3\n" % key, "plot ", ", \\\n  ".join(plots), "\n"])


# ---- Products over s, and over the intensity --------------------------------------------------------------------------

def intensity(c, s):
    """Operations per byte moved: 2 s per element, which is read and written."""
    return s / c.bytes


def copying(c, threads):
    """The copy bound of the products: the fastest of all races, since all of them copy alike."""
    return max(c.measure(table, "bound", threads)["gelem_per_second"] for table in c.products)


def peak_of(c, one_thread):
    """The most GFLOP/s of a product, by any unit; 0 if none was timed. Only plain and chunked gemm count: trmm leaves out half of
    the operations, and bfloat16 has half the precision. A library whose threads cannot be set may have more than one."""
    best = [0]
    for unit in c.ranking:
        forms = TILES + ["whole, 1 thread"] + (WHOLE if unit["threads"] == 1 or not one_thread else [])
        best += [c.product(table, unit, forms, "gflop_per_second") or 0 for table in c.peaks]
    return max(best)


def lines(c, x_of, figure, first):
    """The data of all units; then the plot of `first` and of two lines for each unit: in tiles, and in one call."""
    parts, plots = [], list(first)
    for place, unit in enumerate(c.ranking):
        if unit["product_gelem_per_second"] is None:
            continue
        for name, forms in ("tiles", TILES), ("whole", WHOLE):
            points = [(x_of(s), c.product(table, unit, forms, figure)) for s, table in zip(c.sizes, c.products)]
            parts.append(gnuplot.data("%s%d" % (name, place), points))
        look, mark = "with linespoints lc rgb %d" % colour(place), MARKS[place % len(MARKS)]
        plots += ["$tiles%d %s lw 2.4 pt %d ps 0.7 title %s" % (place, look, mark, gnuplot.quoted(unit["label"])),
                  "$whole%d %s lw 1.4 dt 2 pt %d ps 0.7 notitle" % (place, look, mark - 1)]
    plots += ["NaN with lines lc '#606060' lw 2.4 title 'in tiles, 1 thread'",
              "NaN with lines lc '#606060' lw 1.4 dt 2 title 'one call, own threads'"]
    return "".join([*parts, "plot ", ", \\\n  ".join(plots), "\n"])


def products(c):
    copies = ["%g with lines dt 2 lw 2 lc '%s' title 'copying, %s'" % (copying(c, threads), "#909090" if i == 0 else "#202020",
                                                                      contest.threads_text(threads)) for i, threads in enumerate(c.threads)]
    return (gnuplot.title(c.title, "products with L_s, %s, %s" % (c.type, c.lengths())) + KEY
            + "set logscale xy 2\nset format y '%.3g'\nset xlabel 's'\nset ylabel 'Gelem/s' offset 1,0\nset xrange [1.8:142]\n"
            + lines(c, lambda s: s, "gelem_per_second", copies))


def roof(c, threads):
    """The fastest copy and the fastest product. If no product was timed, the roof is the copy bandwidth only."""
    bandwidth, peak = 2 * c.bytes * copying(c, threads), peak_of(c, threads == 1)
    slope, top = "%g*x" % bandwidth, "%g" % peak
    shape, more = ("(%s < %s ? %s : %s)" % (slope, top, slope, top), ", %.0f GFLOP/s" % peak) if peak else (slope, "")
    return "%s with lines lw 3 lc '%s' title '%s: %.*f GB/s%s'" % (
        shape, "#a0a0a0" if threads == 1 else "#202020", contest.threads_text(threads), contest.decimals(10 * bandwidth), bandwidth, more)


def roofline(c):
    marks = [gnuplot.upright(intensity(c, s), "s = %d" % s) for s in c.sizes]
    return "".join([gnuplot.title(c.title, "roofline of the products"), KEY, *marks,
                    "set logscale xy 2\nset format xy '%.3g'\nset xlabel 'operations per byte of memory traffic'\n"
                    "set ylabel 'GFLOP/s' offset 1,0\nset samples 500\n",
                    "set xrange [%g:%g]\n" % (intensity(c, 1.5), intensity(c, 1.5 * c.sizes[-1])),
                    lines(c, lambda s: intensity(c, s), "gflop_per_second", [roof(c, threads) for threads in c.threads])])


# ---- Pictures ---------------------------------------------------------------------------------------------------------

CAPTIONS = [
    (ranking, "Scans by the engine gemm with each unit, at the s that is fastest for it. No scan is faster than copying."),
    (products, "The first level of a scan alone, W = L_s X. Solid: tile by tile on one thread, the faster of matrices by rows and by "
     "columns. Dashed: one call for all, on the unit's own threads."),
    (roofline, "The same products over their arithmetic intensity: 2 s operations per element, which is read and written. Filled "
     "marks: in tiles. Open marks: one call for all. The roof is the speed of copying, and of the fastest product."),
]


def height_of(picture, c):
    return BARS_HEAD + BAR_HEIGHT * len(c.ranking) if picture is ranking else LINES_HEIGHT


def draw_one(picture, c):
    """As SVG, for the page."""
    return gnuplot.draw(gnuplot.terminal("svg", height_of(picture, c)) + gnuplot.AXES + picture(c)).decode()


def draw(report, form):
    """All pictures, one below the other."""
    c = contest.Contest(report)
    height = sum(height_of(picture, c) for picture, _ in CAPTIONS)
    parts, above = [gnuplot.terminal(form, height), "set multiplot\n"], 0
    for picture, _ in CAPTIONS:
        above += height_of(picture, c)
        parts += ["reset\nset origin 0,%g\nset size 1,%g\n" % (1 - above / height, height_of(picture, c) / height),
                  gnuplot.AXES, picture(c)]
    return gnuplot.draw("".join(parts + ["unset multiplot\n"]))
