"""What is timed: this machine as a tensor unit."""

import datetime

from asking import ask, log_floor, markdown_table, model, number, powers
from pictures import draw

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


def times_of(fit):
    """By s, Theorem 1's time in ns an element, with this machine's l and the longest n = s^k."""
    def time(z):
        n = z["s"] ** powers(z["s"])[-1]
        return z["entry"] * model(n, z["s"], z["latency"])["one_unit"]["counted"] / n
    return {z["s"]: time(z) for z in fit["sizes"]}


def measured():
    """What the timed part of the document is about."""
    fit = ask("model", "--fit", "--json")
    draw_fit(fit)
    off = [r["predicted"] / r["measured"] - 1 for r in fit["runs"]]
    missed = ["2^%d" % log_floor(run["n"], 2) for run, by in zip(fit["runs"], off) if abs(by) > 0.25]
    return {"fit": fit, "off": off, "aim": "missed for n = " + ", ".join(missed) if missed else "met", "times": times_of(fit),
            "own": next(z for z in fit["sizes"] if z["s"] == fit["runs"][-1]["s"]), "today": datetime.date.today().isoformat()}
