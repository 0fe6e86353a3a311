"""What is counted: for n = s^k, for any n, and on p units."""

import math

from asking import LATENCY, SHOWN, SIZES, both, chain, log_floor, markdown_table, model, models, number, powers


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
    """Checks what holds for every n = s^k; the closed forms are exact."""
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
    """(n, s): every n to 64, and n around powers of s; among these are n = s^k - 1, whose digits are all s - 1."""
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
    """The lengths for which the claimed depth does not hold."""
    return ", ".join(str(r["n"]) for r in runs if r["s"] == s and depth(r) > 2 * log_floor(r["n"], s))


def worst_lengths():
    """The longest n = s^k - 1 for which the claimed depth does not hold; such n have the most segments."""
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
    return markdown_table(["s", "lanes", "one unit, one product per level", "8 units", "critical path"], rows)
