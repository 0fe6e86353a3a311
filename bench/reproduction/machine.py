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
        "L_s times an s-by-c matrix by rows, in the cache, for powers of two c: the time is start + entry s c, by "
        "least squares of\n"
        "relative errors. In units of an entry the machine is an (s^2, l)-TCU with l = start / entry.\n",
        sizes_rows(fit),
        "\nA unit of the model takes as long for an entry whatever s is; a CPU does not, since an entry takes s "
        "multiplications. So\n"
        "s is a choice here: for s = %d, with which a scan is timed below, this is a (%d, %.0f)-TCU whose unit of time is %.2f ns. By the\n"
        "model, Theorem 1 takes, in ns an element, for the longest n = s^k to 2^20: %s.\n"
        "The least is at s = %d.\n" % (
            own["s"], own["s"] ** 2, own["latency"], own["entry"],
            ", ".join("%.2f (s = %d)" % (time, s) for s, time in times.items()), best),
        "### The engine gemm, predicted\n",
        "The engine (`lib/engine/gemm.c`) cuts tiles of %s elements, multiplies by L_%d in blocks of 2,048 (those for an "
        "OpenBLAS\nthat has kernels for small matrices), scans the column totals by vectors, and adds prefixes "
        "where it puts columns together.\nWith s = 2, its default, it does not multiply by all of L_s, but adds a row to the next.\n"
        "ns an element; nothing but `call` is a time of that engine:\n" % (
            number(fit["runs"][-1]["tile"]), fit["runs"][-1]["s"]),
        "- call: a plan's run on one element;\n"
        "- products: the model's, c s + l for each block, by the table above;\n"
        "- moves, which the model has for free: x moved into s rows a block at a time, and a block to y, without a "
        "product; for y\n"
        "  of more than 8 MiB by stores that pass the caches by;\n"
        "- totals: as long as the engine `simd` takes for as many elements in the cache;\n"
        "- loops: what s does not divide, by a serial loop.\n",
        runs_rows(fit),
        "\nOff by %+.0f to %+.0f %%, the aim is 25 %%, and it is %s. Left out are the arithmetic in the moves (shuffles, magnitudes, prefixes),\n"
        "and that past the nearest cache elements come and go while products are made: there a scan takes less than its "
        "parts.\n" % (
            100 * min(off), 100 * max(off), "missed for n = " + ", ".join(missed) if missed else "met"),
        "![The engine gemm, predicted and measured](img/reproduction-fit.svg)",
        "",
    ])
