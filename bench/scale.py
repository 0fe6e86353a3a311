#!/usr/bin/env python3
"""Checks or makes doc/SCALE.md, of SCALE.md.in beside it, and its pictures.

bench/scale.py [--measure MPIRUN MMSCAN_MPI_BENCH] PATH_TO_MMSCAN

All of the document is computed by mmscan model --mpi, of what was measured, which it holds in a comment. Without an
option it is computed again and compared; nothing is drawn, timed or written. --measure measures and makes it. Needs only
Python and, to draw, gnuplot."""

import datetime
import functools
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(os.path.join(ROOT, "bench", "reproduction"))
import asking
from asking import ask, markdown_table
from pictures import draw
from reproduce import compare, fill

DOCUMENT = os.path.join(ROOT, "doc", "SCALE.md")
MEASURED = re.compile("^<!-- measured: (.*) -->$", re.M)
# Options of the model, by network. Those of the machine that measures are "here".
NETWORKS = {
    "tukey": ["--loggp", "3553,1153,991,0.497", "--memory", "40", "--rank-memory", "10", "--ranks-per-node", "16", "--combine", "100"],
    "fast": ["--loggp", "700,150,10,0.04", "--memory", "400", "--rank-memory", "12", "--ranks-per-node", "64", "--combine", "100"],
}
LENGTHS = [7, 9, 11, 13]  # n, as powers of ten
RANKS = [1, 16, 256, 4096, 16384, 65536, 100000]
LINES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"]
HERE_RANKS, HERE_LENGTHS = [1, 2, 4, 8, 16, 32, 64], [1, 2 ** 20, 2 ** 24]


@functools.lru_cache(maxsize=None)
def model(network, n, *more):
    return ask("model", "--mpi", *NETWORKS[network], "-n", n, "-p", RANKS[-1], *more, "--json")


def row(network, n, ranks, *more):
    """What takes how long, in ns, for one number of ranks."""
    return next(r for r in model(network, n, *more)["rows"] if r["ranks"] == ranks)


# ---- What the template asks for ---------------------------------------------------------------------------------------

def digits(value):
    """Three digits, or all of those before the point."""
    return "{:,.0f}".format(value) if value >= 999.5 else "%.3g" % value


def time_text(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return digits(ns / size) + " " + unit
    return "%.3g ns" % ns if ns else "-"


def options(network):
    return " ".join(NETWORKS[network])


def network_rows():
    def cells(name):
        m = model(name, 1)["model"]
        return [name, *("%g" % m[key] for key in ("latency", "overhead", "gap", "byte", "combine", "memory", "rank_memory", "ranks_per_node"))]
    return markdown_table(["network", "L", "o", "g", "G", "combine", "GB/s a node", "GB/s a rank", "ranks a node"], map(cells, NETWORKS))


def times_table(network):
    """By ranks and n: the time, and how many times as fast that is as one rank."""
    def cell(n, ranks):
        r = row(network, n, ranks)
        return "%s (%s)" % (time_text(r["whole"]), digits(r["speedup"]))
    rows = [["{:,}".format(ranks), *(cell(10 ** k, ranks) for k in LENGTHS)] for ranks in RANKS]
    return markdown_table(["ranks", *("n = 10^%d" % k for k in LENGTHS)], rows)


def best(network, n):
    """The row of the ranks that are the fastest, of those that the model tries."""
    return min(model(network, n)["rows"], key=lambda r: r["whole"])


def balance(network, n):
    ranks = model(network, n)["balance"]
    return "no number" if ranks is None else "{:,}".format(ranks)


def balance_table(network):
    def cells(k):
        fastest = best(network, 10 ** k)
        names = ["whole", "exscan", "allgather"]
        return ["10^%d" % k, balance(network, 10 ** k), "{:,}".format(fastest["ranks"]), *(time_text(fastest[name]) for name in names)]
    return markdown_table(["n", "messages take as long as the memory from", "fastest by", "its time", "its exscan", "its allgather"],
                          map(cells, range(6, 14)))


def parts_table(network, n):
    """The parts of the time, by ranks."""
    names = ["allgather", "total", "exscan", "scan", "allreduce", "whole", "simulated"]
    rows = [["{:,}".format(ranks), *(time_text(row(network, n, ranks)[name]) for name in names)] for ranks in RANKS]
    return markdown_table(["ranks", *names], rows)


def here(measured, run, *more):
    """By the model. All ranks are on one node."""
    return row("here", run["n"], run["ranks"], "--ranks-per-node", HERE_RANKS[-1], "--exscan", measured["exscan"], *more)


def measured_table(measured):
    """For each number of ranks the bare exscan and scans, measured and by the model."""
    def cells(ranks):
        runs = [run for run in measured["rows"] if run["ranks"] == ranks]
        return [ranks] + [cell for run in runs for cell in pair(run)]

    def pair(run):
        scan = [time_text(1e3 * run["scan_us"]), time_text(here(measured, run)["whole"])]
        bare = [time_text(1e3 * run["exscan_us"]), time_text(here(measured, run, "--combine", 0)["exscan"])]
        return bare + scan if run["n"] == HERE_LENGTHS[0] else scan
    head = ["ranks", "exscan", "model"] + [cell for n in HERE_LENGTHS for cell in ("scan, n = " + length_text(n), "model")]
    return markdown_table(head, map(cells, HERE_RANKS))


def off(measured, ranks, n):
    """How many times the model's time a scan took."""
    run = next(run for run in measured["rows"] if (run["ranks"], run["n"]) == (ranks, n))
    return digits(1e3 * run["scan_us"] / here(measured, run)["whole"])


def length_text(n):
    return "2^%d" % (n.bit_length() - 1) if n > 1 else "1"


# ---- Pictures ---------------------------------------------------------------------------------------------------------

SETTINGS = "set logscale xy\nset format x '10^{%L}'\nset format y '10^{%L}'\n"


def draw_scale(network):
    lines = []
    for k, colour in zip(LENGTHS, LINES):
        rows = model(network, 10 ** k)["rows"]
        lines.append(([(r["ranks"], 1e-9 * r["whole"]) for r in rows], "lines lw 2 lc rgb '%s'" % colour, "n = 10^{%d}" % k))
    rows = model(network, 1)["rows"][1:]
    for name, dash in ("exscan", 2), ("allgather", 3):
        lines.append(([(r["ranks"], 1e-9 * r[name]) for r in rows], "lines lw 2 dt %d lc rgb '#707070'" % dash, name))
    draw("scale.svg", "Scans of f64 over MPI, by the model; network: " + network, "ranks", "seconds", SETTINGS, lines)


def draw_here(measured):
    lines = []
    for n, colour in zip(HERE_LENGTHS, LINES):
        rows = [run for run in measured["rows"] if run["n"] == n]
        lines.append(([(run["ranks"], 1e-6 * run["scan_us"]) for run in rows], "points pt 7 ps 0.7 lc rgb '%s'" % colour,
                      "n = %s, measured" % length_text(n).replace("20", "{20}").replace("24", "{24}")))
        lines.append(([(run["ranks"], 1e-9 * here(measured, run)["whole"]) for run in rows],
                      "lines lw 1.5 lc rgb '%s'" % colour, "model"))
    draw("scale-here.svg", "Scans of f64 on %d cores" % measured["cores"], "ranks", "seconds",
         "set logscale x 2\nset logscale y\nset format y '10^{%L}'\nset yrange [1e-7:*]\n", lines)


# ---- What is measured -------------------------------------------------------------------------------------------------

def output_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()


def measure(mpirun, bench):
    """One thread a rank. Open MPI's MPI_Exscan passes carries from rank to rank."""
    os.environ.update(MMSCAN_NUM_THREADS="1", OMP_WAIT_POLICY="passive")
    version = output_of(mpirun, "--version").splitlines()
    is_open = "Open" in version[0]
    rows, load = [], "%.1f" % os.getloadavg()[0]
    for ranks in HERE_RANKS:
        table = output_of(mpirun, "-n", str(ranks), bench, "table", *map(str, HERE_LENGTHS)).splitlines()[1:]
        for _, n, exscan, scan in map(str.split, table):
            rows.append({"ranks": ranks, "n": int(n), "exscan_us": float(exscan), "scan_us": float(scan)})
    return {"date": datetime.date.today().isoformat(), "cpu": ask("info", "--json")["cpu"], "cores": os.cpu_count(), "load": load,
            "mpi": "Open MPI " + version[0].split()[-1] if is_open else "MPICH " + version[1].split()[-1],
            "exscan": "linear" if is_open else "doubling", "fit": output_of(mpirun, "-n", "2", bench, "fit").split(), "rows": rows}


# ---- All --------------------------------------------------------------------------------------------------------------

def document(measured):
    NETWORKS["here"] = measured["fit"]
    with open(DOCUMENT + ".in", encoding="utf-8") as file:
        return fill(file.read(), {**globals(), "measured": measured, "raw": json.dumps(measured)})


def check():
    with open(DOCUMENT, encoding="utf-8") as file:
        there = file.read()
    return compare("SCALE.md", there, document(json.loads(MEASURED.search(there)[1])), "scale")


def make(measured):
    text = document(measured)
    draw_scale("tukey")
    draw_here(measured)
    with open(DOCUMENT, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


def main(arguments):
    measures = len(arguments) == 4 and arguments[0] == "--measure"
    if not measures and len(arguments) != 1:
        print("usage: scale.py [--measure MPIRUN MMSCAN_MPI_BENCH] PATH_TO_MMSCAN", file=sys.stderr)
        return 2
    asking.use(arguments[-1])
    for variable in [name for name in os.environ if name.startswith("MMSCAN_")]:
        del os.environ[variable]
    return make(measure(*arguments[1:3])) if measures else check()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
