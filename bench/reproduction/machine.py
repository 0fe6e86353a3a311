"""What is timed: this machine as a tensor unit."""

import datetime

from asking import ask, log_floor, markdown_table, model, number, powers
from pictures import draw

TIMED = "<!-- timed: what follows differs from machine to machine, and is not compared -->"


def sizes_rows(fit):
    rows = []
    for z in fit["sizes"]:
        rows.append([z["s"], "%.1f" % z["start"], "%.4f" % z["entry"], "%.0f" % z["latency"], "%.2f" % (1 / z["entry"]),
                     "%.0f" % z["gflops"], "%.0f %%" % (100 * z["worst"]), "%d to %d" % (z["columns"][-1], z["columns"][0])])
    return markdown_table(["s", "start, ns", "an entry, ns", "l", "Gelem/s", "GFLOP/s", "off the line", "c"], rows)


def runs_rows(fit):
    rows = []
    for r in fit["runs"]:
        parts = ["%.4f" % (r[part] / r["n"]) for part in ("call", "products", "moves", "totals", "loops", "predicted", "measured")]
        rows.append(["2^%d" % log_floor(r["n"], 2), *parts, "%+.0f %%" % (100 * (r["predicted"] / r["measured"] - 1))])
    return markdown_table(["n", "call", "products", "moves", "totals", "loops", "predicted", "measured", "off by"], rows)


def draw_fit(fit):
    def line(part):
        return [(r["n"], r[part] / r["n"]) for r in fit["runs"]]
    draw("reproduction-fit.svg", "The engine gemm on one thread, f32", "n", "ns an element",
         "set logscale x 2\nset format x '2^{%L}'\nset yrange [0:*]\n",
         [(line("predicted"), "linespoints lw 2 pt 7 ps 0.5 lc rgb '#0072b2'", "predicted"),
          (line("measured"), "linespoints lw 2 pt 5 ps 0.5 lc rgb '#d55e00'", "measured"),
          (line("products"), "lines lw 1.2 dt 2 lc rgb '#009e73'", "products"),
          (line("moves"), "lines lw 1.2 dt 2 lc rgb '#cc79a7'", "moves")])


def best_size(fit):
    """The s for which Theorem 1's time is least, and the time for each s: in ns an element, with this machine's l and
    the longest n = s^k."""
    def time(z):
        n = z["s"] ** powers(z["s"])[-1]
        return z["entry"] * model(n, z["s"], z["latency"])["one_unit"]["counted"] / n
    times = {z["s"]: time(z) for z in fit["sizes"]}
    return min(times, key=times.get), times


def timed_part():
    fit = ask("model", "--fit", "--json")
    draw_fit(fit)
    off = [r["predicted"] / r["measured"] - 1 for r in fit["runs"]]
    missed = ["2^%d" % log_floor(run["n"], 2) for run, by in zip(fit["runs"], off) if abs(by) > 0.25]
    best, times = best_size(fit)
    own = next(z for z in fit["sizes"] if z["s"] == fit["runs"][-1]["s"])
    return "\n".join([
        TIMED,
        "\n## This machine as a tensor unit\n",
        "%s, %s, %s; one thread, f32; %s. Command: `mmscan model --fit`.\n" % (
            fit["cpu"], fit["isa"], fit["unit"]["version"] or fit["unit"]["library"], datetime.date.today().isoformat()),
        "L_s times an s-by-c matrix by rows, in the cache, for powers of two c. The line start + entry s c is fitted to "
        "the times by\n"
        "least squares of relative errors. In units of an entry the machine is an (s^2, l)-TCU with l = start / "
        "entry.\n",
        sizes_rows(fit),
        "\nA unit of the model takes the same time for an entry whatever s is. A CPU does not, because an entry takes s\n"
        "multiplications, so s is a choice here. For s = %d, with which a scan is timed below, this is a (%d, %.0f)-TCU "
        "whose unit\n"
        "of time is %.2f ns. The time of Theorem 1 in the model, in ns an element, for the longest n = s^k up to 2^20: "
        "%s.\n"
        "The least is at s = %d.\n" % (
            own["s"], own["s"] ** 2, own["latency"], own["entry"],
            ", ".join("%.2f (s = %d)" % (time, s) for s, time in times.items()), best),
        "### The engine gemm, predicted\n",
        "The engine (`lib/engine/gemm.c`) cuts tiles of %s elements and multiplies by L_%d in blocks of 2,048, the size "
        "for an\nOpenBLAS that has kernels for small matrices. It scans the column totals by vectors, and adds prefixes "
        "while it puts columns\ntogether. With s = 2, its default, it does not multiply by all of L_s, but adds the "
        "first row to the second.\n\n"
        "The table is in ns an element. Of the parts, only `call` is a time of that engine:\n" % (
            number(fit["runs"][-1]["tile"]), fit["runs"][-1]["s"]),
        "- call: a plan's run on one element;\n"
        "- products: the time in the model, c s + l for each block, by the table above;\n"
        "- moves, which are free in the model: x moved into s rows a block at a time, and a block to y, without a "
        "product; with\n"
        "  non-temporal stores for y of more than 8 MiB;\n"
        "- totals: the time that the engine `simd` takes for as many elements in the cache;\n"
        "- loops: the elements left over where s does not divide a length, by a serial loop.\n",
        runs_rows(fit),
        "\nThe prediction is off by %+.0f to %+.0f %%; the aim, 25 %%, is %s. It leaves out the arithmetic in the moves "
        "(shuffles,\n"
        "magnitudes, prefixes), and that elements which come from farther away than the nearest caches are moved while "
        "products\n"
        "are computed: a long scan takes less than the sum of its parts.\n" % (
            100 * min(off), 100 * max(off), "missed for n = " + ", ".join(missed) if missed else "met"),
        "![The engine gemm, predicted and measured](img/reproduction-fit.svg)",
        "",
    ])
