"""The paper's claims, row by row, and Table 1."""

from asking import LATENCY, best_question, both, chain, code, drawn_adders, longest, markdown_table, model, number, table, tests


def row_7():
    none, some = model(4096, 4, 0), model(4096, 4, 1)
    products = some["one_unit"]["counted"] - none["one_unit"]["counted"]
    assert products == 11
    return products, model(4096, 4, LATENCY)["one_unit"]


def stated(claim):
    """The formula that the paper states, and its value if it is not an order of growth and is about this n."""
    value = claim.get("value")
    return claim["formula"] + ("" if value is None else " = " + number(value))


def table_rows():
    """Table 1. Fails if what it states without an O() differs from the count."""
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
    part, question, rows = best_question()
    short = longest("test_paper", "test_all_short_lengths")
    assert drawn == tuple(table(16, 4)["matmulscan", s]["adders"] for s in (2, 4))
    return [
        ["P1, Alg. 1", "k levels with L_s, k - 1 with B_s, for n = s^k",
         "%d levels for n = 4^6; 2k - 1 for all %d pairs of s = 2 to 32 and k with n up to 2^20" % (
             model(4096, 4)["depth"]["counted"], len(power_runs)),
         code("model -n 4^6 -s 4") + "; " + tests("test_trace", "test_all_forms", "test_around_powers"), "holds"],
        ["P2, BatchMatMul", "stacked: one product per level; batched: one for each s^2 elements",
         "n = 4^6, s = 4: %d products stacked, %d multiplications batched" % (
             products, model(4096, 4)["multiplications"]["counted"]),
         code("model -n 4^6 -s 4 -l 1") + "; " + tests("test_paper", "test_all_short_lengths"), "holds"],
        ["P3, Alg. 2", "recursive, the same result", "the same bits as Algorithm 1, for each n up to %s and five s" % short,
         tests("test_paper", "test_all_short_lengths"), "holds"],
        ["P4, Sec. 3.2", "any n by its digits, in four steps",
         "n = 10^6, s = 16: %s segments; right for every n up to %s and some up to %s, on one thread and on several" % (
             number(model(10 ** 6, 16, LATENCY)["segments"]), short, longest("test_paper", "test_long_lengths")),
         tests("test_paper", "test_all_short_lengths", "test_long_lengths"), "holds, if w is sized by the actual number of segments"],
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
         "no violation of the sums in %d pairs, most with short n; the stated depth is too low in %d of them by levels, "
         "in %d by chains" % (
             len(any_runs), sum(r["depth"]["counted"] > r["depth"]["bound"] for r in any_runs),
             sum(chain(r) > r["depth"]["bound"] for r in any_runs)),
         code("model -n 10^6 -s 16 -l", LATENCY) + "; " + tests("test_model", "test_any_length"),
         "depth: only for long n; the rest holds"],
        ["P9, p units", "O(n(1 + l/s^2)/p + (s^2 + l) log_s n), Brent",
         "n = 65,536, s = 16, l = %d, p = 8: %s; never below the critical path or the work / p, never above Brent's "
         "bound, in %d schedules" % (LATENCY, both(eight["p_units"]), len(unit_runs)),
         code("model -n 65536 -s 16 -l", LATENCY, "-p 8") + "; " + tests("test_schedule", "test_beside_the_best", "test_bounds"),
         "holds for n >= s^3, if n is long enough for the depth in P8"],
        ["P10, Sec. 3.3", "s = 2 is Brent-Kung; fan-in and fan-out at most s; utilisation 50 % and 1/s; vector units",
         "the same adders; n = 4^6, s = 4: fan-in %d, fan-out %d a level; n = 65,536, s = 16: %.1f %% and 1/%.2f" % (
             table(4096, 4)["matmulscan", 4]["fan_in"], table(4096, 4)["matmulscan", 4]["fan_out"],
             100 * use["utilisation_l"]["counted"], 1 / use["utilisation_b"]["counted"]),
         code("table -n 4096 -s 4") + "; " + tests("test_networks", "test_s_2_is_brent_kung"), "holds, level by level"],
        ["P11, Table 1", "depth and work of each method", "n = 4096: each result is right, and depth and work are "
                                                          "as stated; see below",
         code("table -n 4096 -s 8"), "holds; Brent-Kung's depth if counted by levels"],
        ["P12, Fig. 1 to 3", "circuits, tensor view, general case",
         "drawn from traces of real runs: n = 16 has %d adders for s = 2, %d for s = 4, as many as are counted" % drawn,
         code("draw --algorithm matmulscan -s 4 -n 16 -o circuit.svg"), "holds, for n to 1,024"],
        ["P13, Sec. 1", "any associative operator; inclusive and exclusive",
         "each method of Table 1, with operators that do not commute, except Dakkak's, which adds out of order; "
         "the library's engines have only + so far", tests("test_networks", "test_right_with_every_operator"),
         "inclusive: holds; exclusive: by Blelloch's method, and with + by the library"],
        ["P14, Sec. 1", "gradient-boosted trees; radix sort",
         "%s diamonds: splitting them by %s removes %s %% of the squared errors of the price; prices are sorted" % (
             number(rows), question, part),
         "`build/examples/best_split examples/data/diamonds.csv price`, `build/examples/radix_sort`: `test/readme.sh`",
         "holds"],
    ]
