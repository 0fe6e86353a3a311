#!/usr/bin/env python3
"""Checks or makes doc/REPRODUCTION.md and its pictures: bench/reproduce.py [--make | --counted] PATH_TO_MMSCAN

What is counted is the same on every machine; what is timed comes last in the document, behind the line TIMED. Without an
option what was counted is counted again and compared with the document, in a few seconds; nothing is drawn, timed or
written. --make makes all of it, --counted all but what is timed, which is kept. Needs Python alone and, to draw, gnuplot.
"""

import concurrent.futures
import datetime
import functools
import json
import math
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCUMENT = os.path.join(ROOT, "doc", "REPRODUCTION.md")
IMAGES = os.path.join(ROOT, "doc", "img")
TIMED = "<!-- timed: what follows differs from machine to machine, and is not compared -->"
MMSCAN = None  # the path of the command

SIZES = range(2, 33)
MOST = 2 ** 20
SHOWN = [2, 4, 8, 16, 32]
LATENCY = 100
COLOURS = {2: "#0072b2", 3: "#56b4e9", 4: "#d55e00", 8: "#009e73", 16: "#cc79a7", 32: "#e69f00"}


# ---- Asking the command -----------------------------------------------------------------------------------------------

def ask(*arguments):
    done = subprocess.run([MMSCAN, *map(str, arguments)], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def drawn_adders(s):
    """Adders in the picture of MatMulScan on 16 elements."""
    done = subprocess.run([MMSCAN, "draw", "-n", "16", "-s", str(s), "-o", "-"], stdout=subprocess.PIPE, check=True)
    return done.stdout.count(b"<circle")


@functools.lru_cache(maxsize=None)
def model(n, s, latency=0, units=1, lanes=0):
    more = ["--lanes", lanes] if lanes else []
    return ask("model", "-n", n, "-s", s, "-l", latency, "-p", units, *more, "--json")


@functools.lru_cache(maxsize=None)
def table(n, s):
    """The rows of Table 1, by method and s."""
    return {(row["method"], row["s"]): row for row in ask("table", "-n", n, "-s", s, "--json")["rows"]}


def models(cases):
    """model() of each, some at a time."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda case: model(*case), cases))


def powers(s, most=MOST):
    """The k >= 1 with s^k <= most."""
    return range(1, int(math.log(most, s) + 1e-9) + 1)


def chain(r):
    """Multiplications on the longest chain of those that wait for each other; all take equally long."""
    return round(r["critical_path"] / (r["s"] ** 2 + r["latency"]))


def log_floor(n, s):
    k = 0
    while s ** (k + 1) <= n:
        k += 1
    return k


def digits(n, s):
    return [] if n == 0 else digits(n // s, s) + [n % s]


# ---- Writing ----------------------------------------------------------------------------------------------------------

def number(value, places=3):
    """Whole numbers with commas, others with some places."""
    if value is None:
        return "none"
    return "{:,}".format(int(value)) if value == int(value) else "{:,.{}f}".format(value, places)


def markdown_table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def code(*arguments):
    return "`mmscan " + " ".join(map(str, arguments)) + "`"


def both(figure):
    return "%s of %s" % (number(figure["counted"]), number(figure["bound"]))


def tests(program, *names):
    """The command of a test program, which has tests of these names."""
    with open(os.path.join(ROOT, "test", program + ".c"), encoding="utf-8") as file:
        source = file.read()
    for name in names:
        assert "cmocka_unit_test(%s)" % name in source, (program, name)
    return "`build/test/%s`: %s" % (program, ", ".join("`%s`" % name for name in names))


# ---- Lemma 1 and Theorem 1: n = s^k -----------------------------------------------------------------------------------

def all_powers(latency=LATENCY):
    return models([(s ** k, s, latency) for s in SIZES for k in powers(s)])


def exact_multiplications(n, s):
    return 2 * (n // s - 1) // (s - 1) + 1


def exact_additions(n, s):
    return n + (n * s + s ** 3) // 2 - s * s - s


def exact_time(n, s, k, latency):
    return (2 * k - 1) * latency + s * (2 * n - s - 1) // (s - 1) + s * s - s


def check_powers(runs):
    """What holds for each n = s^k that was run; the closed forms are exact."""
    for r in runs:
        n, s = r["n"], r["s"]
        k = log_floor(n, s)
        assert r["depth"]["counted"] == r["depth"]["bound"] == 2 * k - 1, r
        assert chain(r) == 2 * k - 1, r
        for figure in "multiplications", "additions", "one_unit":
            assert r[figure]["counted"] <= r[figure]["bound"], (figure, r)
        assert r["multiplications"]["counted"] == exact_multiplications(n, s), r
        assert r["additions"]["counted"] == exact_additions(n, s), r
        assert r["one_unit"]["counted"] == exact_time(n, s, k, r["latency"]), r


def lemma_rows():
    rows = []
    for s, k in [(2, 20), (3, 12), (4, 10), (8, 6), (16, 5), (32, 4)]:
        r = model(s ** k, s, LATENCY)
        rows.append([s, "%d^%d = %s" % (s, k, number(s ** k)), both(r["depth"]), both(r["multiplications"]),
                     both(r["additions"]), number(r["additions"]["counted"] / s ** k), number(1 + s / 2, 1),
                     both(r["one_unit"])])
    return markdown_table(["s", "n", "depth", "multiplications", "additions", "additions / n", "1 + s/2",
                           "time on one unit, l = %d" % LATENCY], rows)


# ---- Section 3.2: any n -----------------------------------------------------------------------------------------------

def some_lengths():
    """(n, s): every n to 64, and around powers of s; the longest are s^k - 1, whose digits are all s - 1."""
    cases = set()
    for s in SHOWN + [3]:
        cases.update((n, s) for n in range(1, 65))
        for k in powers(s, 2 ** 16):
            cases.update((n, s) for n in (s ** k - 1, s ** k + 1, 2 * s ** k, 2 * s ** k + s ** (k // 2)) if n > 0)
    return sorted(cases)


def any_length_runs():
    return models([(n, s, LATENCY) for n, s in some_lengths()])


def check_any(runs):
    for r in runs:
        for figure in "multiplications", "additions", "one_unit":
            assert r[figure]["counted"] <= r[figure]["bound"], (figure, r)
        assert chain(r) <= r["depth"]["counted"], r


def over_depth(runs, s, depth):
    return [r["n"] for r in runs if r["s"] == s and depth(r) > 2 * log_floor(r["n"], s)]


def worst_lengths():
    """n = s^k - 1 has the most segments; the longest such n for which the claimed depth does not hold."""
    rows = []
    for s in SHOWN:
        runs = [model(s ** k - 1, s, LATENCY) for k in powers(s) if s ** k > 2]
        levels = [r["n"] for r in runs if r["depth"]["counted"] > r["depth"]["bound"]]
        chains = [r["n"] for r in runs if chain(r) > r["depth"]["bound"]]
        rows.append([s, number(max(levels, default=0)), number(max(chains, default=0)), number(runs[-1]["n"])])
    return markdown_table(["s", "levels: up to n", "chain: up to n", "tried up to n"], rows)


def digits_rows():
    rows = []
    for n, s in [(7, 2), (1000, 2), (1000, 4), (4095, 4), (1023, 32), (10 ** 6, 16), (10 ** 6, 32)]:
        r = model(n, s, LATENCY)
        rows.append([s, number(n), number(r["segments"]), both(r["depth"]), chain(r), both(r["multiplications"]),
                     number(math.ceil(4 * n / (s * (s - 1)))), both(r["one_unit"])])
    return markdown_table(["s", "n", "segments", "depth, by levels", "chain", "multiplications", "4n / (s(s-1))",
                           "time on one unit, l = %d" % LATENCY], rows)


# ---- p units ----------------------------------------------------------------------------------------------------------

def unit_cases():
    return [(n, s, latency, p) for n, s in [(4096, 4), (1000, 4), (12345, 5), (65536, 16), (2 ** 16 - 1, 2), (1023, 32)]
            for latency in (0, LATENCY) for p in (1, 2, 3, 8, 64, 1024)]


def check_units(runs):
    for r in runs:
        time, square = r["p_units"]["counted"], r["s"] ** 2 + r["latency"]
        assert r["work"] == r["multiplications"]["counted"] * square, r
        assert max(r["critical_path"], r["work"] / r["units"]) <= time <= r["brent"] * (1 + 1e-12), r
        if r["units"] == 1:
            assert time == r["work"], r


def units_rows():
    rows = []
    for n, s in [(4096, 4), (65536, 16), (12345, 5)]:
        for p in 1, 8, 64, 1024:
            r = model(n, s, LATENCY, p)
            least = max(r["critical_path"], r["work"] / p)
            rows.append([s, number(n), p, number(r["p_units"]["counted"]), number(least, 1), number(r["brent"], 1),
                         number(r["p_units"]["bound"], 1)])
    return markdown_table(["s", "n", "p", "time", "critical path or work / p", "Brent, of the counts",
                           "Brent, of the paper's bounds"], rows)


def vector_rows():
    rows = []
    for s in 4, 16:
        for lanes in 0, s, s * s:
            r = model(65536, s, LATENCY, 8, lanes)
            one = model(65536, s, LATENCY, 1, lanes)
            rows.append([s, lanes or "no vector unit", number(one["one_unit"]["counted"]),
                         number(r["p_units"]["counted"]), number(r["critical_path"])])
    return markdown_table(["s", "lanes", "one unit, a level a product", "8 units", "critical path"], rows)


# ---- Where the text is off --------------------------------------------------------------------------------------------

def flaw_lengths():
    """The lengths of y in the proof of Lemma 1."""
    up, down = len(range(4)[2 - 1::2]), len(range(8)[2 ** 2 - 1::2])
    said_up, said_down = (4 - (2 - 1)) // 2, (8 - (2 ** 2 - 1)) // 2
    assert (up, said_up, down, said_down) == (2, 1, 3, 2)
    return ("Lemma 1, proof", "y has length ⌊(n-(s^t-1))/s^t⌋ in the first phase, ⌊(n-(s^t-1))/s^(t-1)⌋ in the second",
            "one too short for t >= 1 and t >= 2: the floors should be ceilings. s = 2: n = 4, t = 1 has %d, not "
            "%d; n = 8, t = 2 has %d, not %d. The counts of multiplications that follow are right" % (up, said_up, down, said_down))


def flaw_slack():
    n, s = 2 ** 20, 2
    r = model(n, s, LATENCY)
    return ("Lemma 1", "at most ⌈2n/(s(s-1))⌉ + 2k - 2 multiplications, n(1+s/2) + O(s^3 log_s n) additions",
            "right, but the logarithms are not needed: for every s and k tried there are exactly 2(n/s - 1)/(s - "
            "1) + 1 multiplications and n(1 + s/2) + s^3/2 - s^2 - s additions; and the time on one unit is "
            "exactly (2k - 1) l + s(2n - s - 1)/(s - 1) + s^2 - s. s = 2, n = 2^20: %s, bound %s"
            % (number(r["multiplications"]["counted"]), number(r["multiplications"]["bound"])))


def flaw_padding():
    """Brent-Kung's additions are those without padding."""
    r = model(16, 2)
    assert r["additions"]["counted"] == 30 and r["additions_unpadded"] == 2 * 16 - 4 - 2
    return ("Lemma 1", "additions", "those on zero padding are counted, so that s = 2 is not Brent-Kung's 2n - "
                                    "log2(n) - 2: n = 16 "
            "has %d, of which %d touch no padding" % (r["additions"]["counted"], r["additions_unpadded"]))


def flaw_narrow():
    r = model(32, 32)
    assert r["one_unit"]["counted"] == 1024
    return ("Theorem 1", "O(n + l k) for n = s^k",
            "the last level of the first phase is a product of one column, but in the model none has fewer than s: "
            "its time is s^2 + l, not s + l. That is more than O(n) for k = 1: n = s = 32 takes %s. O(n + s^2 + l "
            "k) is right"
            % number(r["one_unit"]["counted"]))


def flaw_segments():
    r = model(7, 2)
    assert r["segments"] == 3
    return ("Section 3.2, steps 2 and 3", "w has at most k_1(s-1) entries, as there are at most k_1 segment sizes",
            "there are k_1 + 1 sizes. n = 7, s = 2 has %d segments, k_1(s-1) = 2; a w of that size is overrun, and "
            "q is too small" % r["segments"])


def flaw_maximum():
    x = [1, -1]
    assert max(1, 0) != sum(x)
    return ("Section 3.2, step 2", "the maximum values of each segment are gathered",
            "it is the last ones that are meant: the prefix sums of (1, -1) are (1, 0), and 0 goes on")


def flaw_chunks():
    runs = {n: model(n, 2)["segments"] for n in (5, 7)}
    assert runs == {5: 2, 7: 3} and model(6, 4)["segments"] == 3
    return ("Section 3.2, step 4", "w_i is added to the i+1 chunk of size s^(k_(i+1))",
            "several segments may have one size: n = 6, s = 4 has segments of 4, 1 and 1, and w_2 goes to the "
            "second of those of "
            "size 1. The index must run over segments, not over sizes")


def flaw_depth(runs):
    low = model(3, 4)
    assert low["depth"] == {"counted": 2, "bound": 0} and chain(low) == 2
    two, four = over_depth(runs, 2, lambda r: r["depth"]["counted"]), over_depth(runs, 2, chain)
    assert two[0] == 3 and four == [15]
    return ("Corollary 1, abstract", "depth at most 2⌊log_s n⌋",
            "only where step 3 fits under the down-sweep of step 1. n = 3, s = 4: three segments of one element, "
            "depth %d, where 2⌊log_s n⌋ = 0. By levels s = 2 fails for n = %s; by chains of multiplications that "
            "really wait for each other for n = %s alone, since step 4 does not need the last entry of w, and its "
            "chain is shorter. See the table below"
            % (low["depth"]["counted"], ", ".join(map(str, two)), four[0]))


def flaw_multiplications():
    r = model(1023, 32)
    assert r["multiplications"]["counted"] == 95
    return ("Corollary 1, abstract", "O(n/s^2) multiplications; O(n(1 + l/s^2)/p + (s^2 + l) log_s n) time on p units",
            "the O(s log_s^2 n) of Section 3.2 is lost, which is larger than n/s^2 where n < s^3: every segment, "
            "however short, takes a multiplication in step 4, and most one in step 1. n = 1023, s = 32 takes %d, "
            "where n/s^2 is %.1f; on one unit, l = 0, %s, where n + s^2 log_s n is %s. The time needs O(s log_s^2 "
            "n (s^2 + l)/p) more"
            % (r["multiplications"]["counted"], 1023 / 32 ** 2, number(r["p_units"]["counted"]),
               number(1023 + 1024 * math.log(1023, 32), 0)))


def flaw_step_3():
    entries = sum(digits(1023, 32))
    assert entries == 62
    return ("Section 3.2, time", "steps 2 and 3 take O(s log_s n + l log_s log_s n)",
            "w is padded to s^q, which may be s times as long, and its products have no fewer than s columns. n = "
            "1023, s = 32: %d entries are padded to 1024, and its three levels take 3(s^2 + l) = %s + 3l. So O(s^2 "
            "log_s n + ...), which does not change Corollary 1 for n >= s^2 log_s n"
            % (entries, number(3 * 32 ** 2)))


def flaw_step_4():
    columns = math.ceil(64 / 3)
    two, one = model(128, 4)["one_unit"]["counted"], model(64, 4)["one_unit"]["counted"]
    rest = two - 2 * one - 16 - 0
    assert rest == 4 * columns, (two, one, rest)
    return ("Section 3.2, time", "step 4 takes sum of ⌈s^k/(s-1)⌉ + l, which is O(n/s)",
            "so many columns take s times as long. n = 128, s = 4, l = 0: the second segment of 64 takes %d "
            "columns in time %d, of %d in all. So O(n), which Corollary 1 has room for" % (columns, rest, two))


def flaw_fan_out():
    row, two = table(16, 4)["brent-kung", None], table(16, 4)["matmulscan", 2]
    assert two["fan_out"] == 2 and two["reads"] == row["reads"] == 4
    return ("Section 3.3", "fan-out at most s",
            "by level, with a row of the matrix that leaves its element as it is counted as a node. A value that "
            "is wired through levels feeds more: s = 2, n = 16: element 7 goes to %d adders (Brent-Kung's fan-out "
            "is log2 n)" % two["reads"])


def flaw_utilisation():
    return ("Section 3.3", "the unit is at most 50 % utilised in the first phase",
            "by additions, exactly s(s-1)/2 of s(s-1) a column. By ones in L_s it is (s+1)/(2s): 3 of 4 for s = 2")


def flaw_up_sweep():
    x, sums = list(range(1, 17)), [i * (i + 1) // 2 for i in range(1, 17)]
    for t in range(2):
        y = x[4 ** t - 1::4 ** t]
        x[4 ** t - 1::4 ** t] = [sum(y[i - i % 4:i + 1]) for i in range(len(y))]
    right = [i for i in range(16) if x[i] == sums[i]]
    assert right == [0, 1, 2, 3, 7, 11, 15]
    return ("Section 3", "after the first phase the prefix sums are right on an exponentially increasing set of "
                         "indices only",
            "on more: after each r s^t elements, r < s. s = 4, n = 16: indices %s, as in the paper's own Figure 1"
            % ", ".join(map(str, right)))


def flaw_brent_kung():
    rows = table(16, 4)
    row, other = rows["matmulscan", 2], rows["blelloch", None]
    assert (row["depth"]["measured"], row["path"], other["depth"]["measured"], other["path"]) == (7, 6, 8, 7)
    return ("Table 1", "depth 2 log2(n) - 1 for Brent-Kung, 2 log2(n) for Blelloch",
            "so many levels, but no chain of adders is as long for n >= 4: the last one of the first phase makes "
            "x[n-1] alone, which no adder reads. n = 16: %d levels, at most %d adders in a chain, 2 log2(n) - 2; "
            "Blelloch's has %d levels and chains of %d"
            % (row["depth"]["measured"], row["path"], other["depth"]["measured"], other["path"]))


def flaw_blelloch():
    return ("Table 1", "Blelloch beside the others", "its scan is exclusive, theirs are inclusive")


def flaw_listing():
    return ("Listing 1", "a function of x", "changes x in place, and returns nothing")


def flaws(runs):
    found = [flaw_up_sweep(), flaw_lengths(), flaw_slack(), flaw_padding(), flaw_narrow(), flaw_segments(), flaw_maximum(), flaw_chunks(),
             flaw_depth(runs), flaw_multiplications(), flaw_step_3(), flaw_step_4(), flaw_fan_out(), flaw_utilisation(),
             flaw_brent_kung(), flaw_blelloch(), flaw_listing()]
    return markdown_table(["where", "what it says", "what is there"], found)


# ---- Row by row -------------------------------------------------------------------------------------------------------

def row_7():
    none, some = model(4096, 4, 0), model(4096, 4, 1)
    products = some["one_unit"]["counted"] - none["one_unit"]["counted"]
    assert products == 11
    return products, model(4096, 4, LATENCY)["one_unit"]


def stated(claim):
    """The formula, and its value where it is no order of growth and is about this n."""
    value = claim.get("value")
    return claim["formula"] + ("" if value is None else " = " + number(value))


def table_rows():
    """Table 1. What it states without an O() is what is counted."""
    rows = []
    for row in table(4096, 8).values():
        depth, work = row["depth"], row["work"]
        assert depth["stated"].get("value") in (None, depth["measured"]), row
        assert work["stated"].get("value") in (None, work["unpadded"]), row
        rows.append([row["title"] + (", s = %d" % row["s"] if row["s"] else ""), number(depth["measured"]),
                     stated(depth["stated"]), row["path"], number(work["measured"]), number(work["unpadded"]),
                     stated(work["stated"]), row["fan_in"], row["fan_out"], row["reads"]])
    return markdown_table(["method", "depth", "stated", "chain of adders", "work", "without padding", "stated", "fan-in",
                           "fan-out of a level", "adders a value goes to"], rows)


def rows_of_the_paper(power_runs, any_runs, unit_runs):
    products, time = row_7()
    eight = model(65536, 16, LATENCY, 8)
    use = model(65536, 16)
    drawn = drawn_adders(2), drawn_adders(4)
    assert drawn == tuple(table(16, 4)["matmulscan", s]["adders"] for s in (2, 4))
    return [
        ["P1, Alg. 1", "k levels with L_s, k - 1 with B_s, for n = s^k",
         "%d levels for n = 4^6; 2k - 1 for all %d pairs of s = 2 to 32 and k, n to 2^20" % (
             model(4096, 4)["depth"]["counted"], len(power_runs)),
         code("model -n 4^6 -s 4") + "; " + tests("test_trace", "test_all_forms", "test_around_powers"), "holds"],
        ["P2, BatchMatMul", "stacked: a product a level; batched: one for each s^2 elements",
         "n = 4^6, s = 4: %d products stacked, %d multiplications batched" % (
             products, model(4096, 4)["multiplications"]["counted"]),
         code("model -n 4^6 -s 4 -l 1") + "; " + tests("test_paper", "test_all_short_lengths"), "holds"],
        ["P3, Alg. 2", "recursive, the same result", "the same bits as Algorithm 1, for each n to 600 and five s",
         tests("test_paper", "test_all_short_lengths"), "holds"],
        ["P4, Sec. 3.2", "any n by its digits, in four steps",
         "n = 10^6, s = 16: %s segments; every n to 600, and others to 2^18, are right, with one thread and more" % number(
             model(10 ** 6, 16, LATENCY)["segments"]),
         tests("test_paper", "test_all_short_lengths", "test_long_lengths"), "holds, with w sized by the real count"],
        ["P5, Listing 1", "any n by padding each level", "20 pairs of s and n, in eight forms: the same numbers as "
                                                         "NumPy's",
         tests("test_paper", "test_numpy_agrees"), "holds"],
        ["P6, Lemma 1", "depth 2k - 1; at most ⌈2n/(s(s-1))⌉ + 2k - 2 multiplications; n(1+s/2) + O(s^3 log_s n) "
                        "additions",
         "no violation in %d pairs; s = 8, n = 8^6: %s multiplications, %s additions" % (
             len(power_runs), both(model(8 ** 6, 8, LATENCY)["multiplications"]), both(model(8 ** 6, 8, LATENCY)["additions"])),
         code("model -n 8^6 -s 8") + "; " + tests("test_model", "test_powers"), "holds"],
        ["P7, Theorem 1", "2k - 1 latencies, O(n + l k) on one unit",
         "n = 4^6, s = 4, l = %d: %s; %d latencies; no violation of the proof's sum in %d pairs" % (
             LATENCY, both(time), products, len(power_runs)),
         code("model -n 4^6 -s 4 -l", LATENCY), "holds for n >= s^2"],
        ["P8, Cor. 1", "depth 2⌊log_s n⌋; ⌈4n/(s(s-1))⌉ + O(s log_s^2 n) multiplications; O(n + s l log_s^2 n)",
         "no violation of the sums in %d pairs, most of them short; depth too low in %d of them by levels, in %d "
         "by chains" % (
             len(any_runs), sum(r["depth"]["counted"] > r["depth"]["bound"] for r in any_runs),
             sum(chain(r) > r["depth"]["bound"] for r in any_runs)),
         code("model -n 10^6 -s 16 -l", LATENCY) + "; " + tests("test_model", "test_any_length"),
         "depth: only for long n; the rest holds"],
        ["P9, p units", "O(n(1 + l/s^2)/p + (s^2 + l) log_s n), Brent",
         "n = 65,536, s = 16, l = %d, p = 8: %s; never under the critical path or the work, never over Brent's "
         "bound, in %d schedules" % (LATENCY, both(eight["p_units"]), len(unit_runs)),
         code("model -n 65536 -s 16 -l", LATENCY, "-p 8") + "; " + tests("test_schedule", "test_beside_the_best", "test_bounds"),
         "holds for n >= s^3"],
        ["P10, Sec. 3.3", "s = 2 is Brent-Kung; fan-in and fan-out at most s; utilisation 50 % and 1/s; vector units",
         "the same adders; n = 4^6, s = 4: fan-in %d, fan-out %d a level; n = 65,536, s = 16: %.1f %% and 1/%.2f" % (
             table(4096, 4)["matmulscan", 4]["fan_in"], table(4096, 4)["matmulscan", 4]["fan_out"],
             100 * use["utilisation_l"]["counted"], 1 / use["utilisation_b"]["counted"]),
         code("table -n 4096 -s 4") + "; " + tests("test_networks", "test_s_2_is_brent_kung"), "holds, level by level"],
        ["P11, Table 1", "depth and work of each method", "n = 4096: each result is right, and depth and work are "
                                                          "as stated, see below",
         code("table -n 4096 -s 8"), "holds; Brent-Kung's depth by levels"],
        ["P12, Fig. 1 to 3", "circuits, tensor view, general case",
         "drawn from traces of what runs: n = 16 has %d adders for s = 2, %d for s = 4, as many as are counted" % drawn,
         code("draw --algorithm matmulscan -s 4 -n 16 -o circuit.svg"), "holds"],
        ["P13, Sec. 1", "any associative operator; inclusive and exclusive",
         "each method of Table 1 with operators that do not commute, but for Dakkak's, which adds out of order; "
         "the library's engines have + alone so far", tests("test_networks", "test_right_with_every_operator"), "holds"],
        ["P14, Sec. 1", "gradient-boosted trees; radix sort", "not here yet", "", "later"],
    ]


# ---- The document -----------------------------------------------------------------------------------------------------

INTRODUCTION = """# The paper, reproduced

Each claim of "A Parallel Scan Algorithm in the Tensor Core Unit Model" (Zouzias and McColl), and what the code that runs
does. Made by `make reproduce`; `make check-reproduction` counts again and compares. Notation is the paper's: n numbers, matrices
of size s, k = log_s n, a tensor unit of latency l that multiplies s-by-s by s-by-c in time c s + l, c >= s. A bound is the
sum in the paper's proof, before anything goes into an O(). "x of y": x was counted, y is the bound.
"""


def counted_part():
    power_runs, any_runs, unit_runs = all_powers(), any_length_runs(), models(unit_cases())
    check_powers(power_runs)
    check_any(any_runs)
    check_units(unit_runs)
    parts = [
        INTRODUCTION,
        "## Row by row\n",
        markdown_table(["row", "claim", "measured", "by", "verdict"], rows_of_the_paper(power_runs, any_runs, unit_runs)),
        "\n## Table 1\n",
        table_rows(),
        "\nCommand: " + code("table -n 4096 -s 8") + ".\n",
        "## n = s^k: Lemma 1 and Theorem 1\n",
        "For every s from 2 to 32 and every k with n to 2^20, %d pairs: the depth is 2k - 1, and so is the longest "
        "chain\n"
        "of multiplications that wait for each other; multiplications, additions and time are within their bounds, "
        "and equal to the\n"
        "closed forms under \"Where the text is off\". Some of them:\n" % len(power_runs),
        lemma_rows(),
        "\nCommand: " + code("model -n 2^20 -s 2 -l", LATENCY) + ", and so on.\n",
        "![Multiplications over n](img/reproduction-multiplications.svg)\n",
        "![Additions over n](img/reproduction-additions.svg)\n",
        "![Counts over s](img/reproduction-sizes.svg)\n",
        "![Time on one unit over n](img/reproduction-time.svg)\n",
        "## Any n: Section 3.2 and Corollary 1\n",
        digits_rows(),
        "\nDepth by levels is what the paper counts. A chain is of multiplications of which each needs a result of "
        "the one before.\n"
        "n = s^k - 1 has the most segments for its length. Among these lengths, the longest that take more than "
        "2⌊log_s n⌋:\n",
        worst_lengths(),
        "\n![Depth over n](img/reproduction-depth.svg)\n",
        "## p units\n",
        "The s-by-s multiplications that a run makes are scheduled on p units: one that is free starts the "
        "multiplication that is\n"
        "ready and begins the longest chain. l = %d.\n" % LATENCY,
        units_rows(),
        "\n![Time over p](img/reproduction-units.svg)\n",
        "### The second phase on a vector unit\n",
        "n = 65,536, l = %d; beside each tensor unit a vector unit of so many lanes multiplies by B_s (Section "
        "3.3).\n" % LATENCY,
        vector_rows(),
        "\nCommand: " + code("model -n 65536 -s 16 -l", LATENCY, "-p 8 --lanes 16") + "\n",
        "## Where the text is off\n",
        "The smallest examples we know. None of them makes the algorithm wrong.\n",
        flaws(any_runs),
        "",
    ]
    return "\n".join(parts)


# ---- Pictures ---------------------------------------------------------------------------------------------------------

HEAD = """set terminal svg size %s enhanced font 'Helvetica,Arial,sans-serif,15' background '#ffffff'
set output %s
set border 3 lc '#606060'
set tics nomirror out scale 0.5 textcolor '#404040'
set grid lc '#e4e4e4' lt 1
set xlabel %s
set ylabel %s
"""
LOG_N = "set logscale x 2\nset format x '2^{%%L}'\nset xrange [1.4:%d]\n" % (1.4 * MOST)


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def plot_command(panel, lines):
    """Data, then what plots it. lines: (points, how to draw them, title), points being pairs of numbers."""
    data = ["$p%d_%d << EOD\n%s\nEOD" % (panel, i, "\n".join("%.9g %.9g" % point for point in points))
            for i, (points, _, _) in enumerate(lines)]
    parts = ["$p%d_%d with %s title %s" % (panel, i, style, quoted(label)) for i, (_, style, label) in enumerate(lines)]
    return "\n".join(data) + "\nplot " + ", ".join(parts) + "\n"


def gnuplot(script):
    subprocess.run(["gnuplot"], input=script.encode(), check=True)


def draw(name, title, x, y, settings, lines):
    head = HEAD % ("960,560", quoted(os.path.join(IMAGES, name)), quoted(x), quoted(y))
    key = "set key outside right top Left reverse samplen 1.5 spacing 1.15\nset title %s font ',17'\n" % quoted(title)
    gnuplot(head + key + settings + plot_command(0, lines))


def draw_panels(name, title, y, settings, panels):
    """panels: (title, lines), two in a row, over n."""
    head = HEAD % ("960,%d" % (340 * ((len(panels) + 1) // 2)), quoted(os.path.join(IMAGES, name)), "'n'", quoted(y))
    head += "set key top right Left reverse samplen 1.5\n" + LOG_N + settings
    head += "set multiplot layout %d,2 title %s font ',17'\n" % ((len(panels) + 1) // 2, quoted(title))
    parts = ["set title %s\n" % quoted(panel) + plot_command(i, lines) for i, (panel, lines) in enumerate(panels)]
    gnuplot(head + "unset key\n".join(parts) + "unset multiplot\n")


def drawn_lengths(s):
    """Powers of s, the lengths before them, and others between."""
    lengths = {round(2 ** (j / 2)) for j in range(2, 41)}
    for k in powers(s):
        lengths.update((s ** k, s ** k - 1))
    return sorted(n for n in lengths if s <= n <= MOST)


def counted_and_bound(s, name, scale):
    """Counted as points, those of n = s^k in a colour of their own, and the bounds as lines."""
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
    """For each s, the longest n = s^k to 2^20."""
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


# ---- This machine -----------------------------------------------------------------------------------------------------

def sizes_rows(fit):
    rows = []
    for z in fit["sizes"]:
        rows.append([z["s"], "%.1f" % z["start"], "%.4f" % z["entry"], "%.0f" % z["latency"], "%.2f" % (1 / z["entry"]),
                     "%.0f" % z["gflops"], "%.0f %%" % (100 * z["worst"]), "%d to %d" % (z["columns"][-1], z["columns"][0])])
    return markdown_table(["s", "start, ns", "an entry, ns", "l", "Gelem/s", "GFLOP/s", "off the line", "c"], rows)


def runs_rows(fit):
    rows = []
    for r in fit["runs"]:
        parts = ["%.4f" % (r[part] / r["n"]) for part in ("call", "products", "moves", "levels", "loops", "predicted", "measured")]
        rows.append(["2^%d" % log_floor(r["n"], 2), *parts, "%+.0f %%" % (100 * (r["predicted"] / r["measured"] - 1))])
    return markdown_table(["n", "call", "products", "moves", "levels", "loops", "predicted", "measured", "off by"], rows)


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
    """The s for which Theorem 1's time is least, in ns an element, by this machine's l and for the longest n = s^k."""
    def time(z):
        n = z["s"] ** powers(z["s"])[-1]
        return z["entry"] * model(n, z["s"], z["latency"])["one_unit"]["counted"] / n
    times = {z["s"]: time(z) for z in fit["sizes"]}
    return min(times, key=times.get), times


def timed_part():
    fit = ask("model", "--fit", "--json")
    draw_fit(fit)
    off = [r["predicted"] / r["measured"] - 1 for r in fit["runs"]]
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
        "s is a choice here: for the engine's s = %d this is a (%d, %.0f)-TCU whose unit of time is %.2f ns. By the\n"
        "model, Theorem 1 takes, in ns an element, for the longest n = s^k to 2^20: %s.\n"
        "The least is at s = %d.\n" % (
            own["s"], own["s"] ** 2, own["latency"], own["entry"],
            ", ".join("%.2f (s = %d)" % (time, s) for s, time in times.items()), best),
        "### The engine gemm, predicted\n",
        "The engine (`lib/engine/gemm.c`) cuts tiles of %s elements, multiplies by L_%d in blocks of 8,192, does "
        "the same to\n"
        "the column totals, and adds prefixes by vectors. ns an element; nothing but `call` is a time of that "
        "engine:\n" % (
            number(fit["runs"][-1]["tile"]), fit["runs"][-1]["s"]),
        "- call: a plan's run on one element;\n"
        "- products: the model's, c s + l for each block of each level, by the table above;\n"
        "- moves, which the model has for free: x moved into s rows a block at a time, and a tile to y, without a "
        "product; for y from\n"
        "  16 MiB on by stores that pass the caches by;\n"
        "- levels: the same for the totals, at the price of a block in the cache;\n"
        "- loops: short vectors and what s does not divide, by a serial loop.\n",
        runs_rows(fit),
        "\nOff by %+.0f to %+.0f %%. Left out are the arithmetic in the moves (shuffles, magnitudes, prefixes),\n"
        "and that the engine asks for the next tile while it writes this one, which counts where x is in memory.\n" % (
            100 * min(off), 100 * max(off)),
        "![The engine gemm, predicted and measured](img/reproduction-fit.svg)",
        "",
    ])


# ---- All --------------------------------------------------------------------------------------------------------------

def split(text):
    """The counted and the timed part."""
    at = text.find(TIMED)
    return (text, "") if at < 0 else (text[:at], text[at:])


def read_document():
    try:
        with open(DOCUMENT, encoding="utf-8") as file:
            return split(file.read())
    except FileNotFoundError:
        return "", ""


def check():
    there, timed = read_document()
    wanted = counted_part() + "\n"
    missing = [name for name in re.findall(r"\(img/([^)]*)\)", there + timed) if not os.path.exists(os.path.join(IMAGES, name))]
    if there == wanted and timed and not missing:
        print("doc/REPRODUCTION.md says what was counted")
        return 0
    for old, new in zip(there.splitlines(), wanted.splitlines()):
        if old != new:
            print("- %s\n+ %s" % (old, new), file=sys.stderr)
    print("doc/REPRODUCTION.md is out of date%s: make reproduce" % "".join(", no " + name for name in missing), file=sys.stderr)
    return 1


def make(keep_timed):
    if shutil.which("gnuplot") is None:
        print("reproduce.py: no gnuplot here, to draw with", file=sys.stderr)
        return 1
    counted = counted_part()
    for picture in draw_multiplications, draw_additions, draw_sizes, draw_time, draw_depth, draw_units:
        picture()
    timed = read_document()[1] if keep_timed else timed_part()
    with open(DOCUMENT, "w", encoding="utf-8") as file:
        file.write(counted + "\n" + timed)
    return 0


def main(arguments):
    global MMSCAN
    option = arguments[0] if len(arguments) == 2 else "--check"
    if len(arguments) not in (1, 2) or option not in ("--check", "--make", "--counted"):
        print("usage: reproduce.py [--make | --counted] PATH_TO_MMSCAN", file=sys.stderr)
        return 2
    MMSCAN = os.path.abspath(arguments[-1])
    for variable in [name for name in os.environ if name.startswith("MMSCAN_")]:
        del os.environ[variable]
    return check() if option == "--check" else make(keep_timed=option == "--counted")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
