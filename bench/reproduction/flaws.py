"""Where the text of the paper is wrong: small examples, each of them checked."""

import math

from asking import LATENCY, chain, digits, markdown_table, model, number, table
from counts import over_depth


def flaw_lengths():
    """The lengths of y in the proof of Lemma 1."""
    up, down = len(range(4)[2 - 1::2]), len(range(8)[2 ** 2 - 1::2])
    said_up, said_down = (4 - (2 - 1)) // 2, (8 - (2 ** 2 - 1)) // 2
    assert (up, said_up, down, said_down) == (2, 1, 3, 2)
    return ("Lemma 1, proof", "y has length ⌊(n-(s^t-1))/s^t⌋ in the first phase, ⌊(n-(s^t-1))/s^(t-1)⌋ in the second",
            "too short by one, for t >= 1 and for t >= 2: the floors should be ceilings. s = 2: for n = 4, t = 1 it is "
            "%d, not %d; for n = 8, t = 2 it is %d, not %d. The counts of multiplications that follow are right" % (up, said_up, down, said_down))


def flaw_slack():
    n, s = 2 ** 20, 2
    r = model(n, s, LATENCY)
    return ("Lemma 1", "at most ⌈2n/(s(s-1))⌉ + 2k - 2 multiplications, n(1+s/2) + O(s^3 log_s n) additions",
            "right, but the logarithms are not needed: for every s and k tried there are exactly 2(n/s - 1)/(s - "
            "1) + 1 multiplications and n(1 + s/2) + s^3/2 - s^2 - s additions; and the time on one unit is "
            "exactly (2k - 1) l + s(2n - s - 1)/(s - 1) + s^2 - s. s = 2, n = 2^20: %s, bound %s"
            % (number(r["multiplications"]["counted"]), number(r["multiplications"]["bound"])))


def flaw_padding():
    """Without those on padding, the additions are Brent-Kung's."""
    r = model(16, 2)
    assert r["additions"]["counted"] == 30 and r["additions_unpadded"] == 2 * 16 - 4 - 2
    return ("Lemma 1", "additions", "those on zero padding are counted, so the number for s = 2 is not Brent-Kung's "
                                    "2n - log2(n) - 2: n = 16 "
            "has %d, of which %d touch no padding" % (r["additions"]["counted"], r["additions_unpadded"]))


def flaw_narrow():
    r = model(32, 32)
    assert r["one_unit"]["counted"] == 1024
    return ("Theorem 1", "O(n + l k) for n = s^k",
            "the last level of the first phase is a product of one column, but in the model no product has fewer than "
            "s: its time is s^2 + l, not s + l. That is more than O(n) for k = 1: n = s = 32 takes %s. O(n + s^2 + l "
            "k) is right"
            % number(r["one_unit"]["counted"]))


def flaw_segments():
    r = model(7, 2)
    assert r["segments"] == 3
    return ("Section 3.2, steps 2 and 3", "w has at most k_1(s-1) entries, as there are at most k_1 segment sizes",
            "there are k_1 + 1 sizes. n = 7, s = 2 has %d segments, but k_1(s-1) = 2: a w of that size overflows, and "
            "q is too small" % r["segments"])


def flaw_maximum():
    x = [1, -1]
    assert max(1, 0) != sum(x)
    return ("Section 3.2, step 2", "the maximum values of each segment are gathered",
            "the last values are meant: the prefix sums of (1, -1) are (1, 0), and 0 is carried on")


def flaw_chunks():
    runs = {n: model(n, 2)["segments"] for n in (5, 7)}
    assert runs == {5: 2, 7: 3} and model(6, 4)["segments"] == 3
    return ("Section 3.2, step 4", "w_i is added to the i+1 chunk of size s^(k_(i+1))",
            "several segments may have the same size: n = 6, s = 4 has segments of 4, 1 and 1, and w_2 goes to the "
            "second segment of "
            "size 1. The index must run over segments, not over sizes")


def flaw_depth(runs):
    low = model(3, 4)
    assert low["depth"] == {"counted": 2, "bound": 0} and chain(low) == 2
    two, four = over_depth(runs, 2, lambda r: r["depth"]["counted"]), over_depth(runs, 2, chain)
    assert two[0] == 3 and four == [15]
    return ("Corollary 1, abstract", "depth at most 2⌊log_s n⌋",
            "holds only where step 3 ends no later than the down-sweep of step 1. n = 3, s = 4: three segments of one "
            "element, depth %d, where 2⌊log_s n⌋ = 0. For s = 2, counted by levels, it fails for n = %s; counted by "
            "chains of multiplications that really wait for each other, only for n = %s, because step 4 does not "
            "need the last entry of w, and its chain is shorter. See the last table under \"Any n\""
            % (low["depth"]["counted"], ", ".join(map(str, two)), four[0]))


def flaw_multiplications():
    r = model(1023, 32)
    assert r["multiplications"]["counted"] == 95
    return ("Corollary 1, abstract", "O(n/s^2) multiplications; O(n(1 + l/s^2)/p + (s^2 + l) log_s n) time on p units",
            "the term O(s log_s^2 n) of Section 3.2 is missing, which is larger than n/s^2 where n < s^3: every "
            "segment, however short, takes a multiplication in step 4, and most take one in step 1. n = 1023, s = 32 "
            "takes %d multiplications, where n/s^2 is %.1f; on one unit, with l = 0, it takes time %s, where "
            "n + s^2 log_s n is %s. The time needs a further O(s log_s^2 n (s^2 + l)/p)"
            % (r["multiplications"]["counted"], 1023 / 32 ** 2, number(r["p_units"]["counted"]),
               number(1023 + 1024 * math.log(1023, 32), 0)))


def flaw_step_3():
    entries = sum(digits(1023, 32))
    assert entries == 62
    return ("Section 3.2, time", "steps 2 and 3 take O(s log_s n + l log_s log_s n)",
            "w is padded to s^q, which may be s times as long, and its products have no fewer than s columns. n = "
            "1023, s = 32: %d entries are padded to 1024, and its three levels take 3(s^2 + l) = %s + 3l. So "
            "the time is O(s^2 log_s n + ...), which does not change Corollary 1 for n >= s^2 log_s n"
            % (entries, number(3 * 32 ** 2)))


def flaw_step_4():
    columns = math.ceil(64 / 3)
    two, one = model(128, 4)["one_unit"]["counted"], model(64, 4)["one_unit"]["counted"]
    rest = two - 2 * one - 16
    assert rest == 4 * columns, (two, one, rest)
    return ("Section 3.2, time", "step 4 takes sum of ⌈s^k/(s-1)⌉ + l, which is O(n/s)",
            "a column takes time s, not 1. n = 128, s = 4, l = 0: the second segment of 64 takes %d columns and time "
            "%d, of %d in all. So the sum is O(n), which does not change Corollary 1" % (columns, rest, two))


def flaw_fan_out():
    row, two = table(16, 4)["brent-kung", None], table(16, 4)["matmulscan", 2]
    assert two["fan_out"] == 2 and two["reads"] == row["reads"] == 4
    return ("Section 3.3", "fan-out at most s",
            "holds for each level, if a row of the matrix that leaves its element unchanged counts as a node. A value "
            "that is passed on through levels feeds more adders: for s = 2, n = 16 element 7 goes to %d "
            "(Brent-Kung's fan-out is log2 n)" % two["reads"])


def flaw_utilisation():
    return ("Section 3.3", "the unit is at most 50 % utilised in the first phase",
            "counted by additions it is exactly s(s-1)/2 of s(s-1) per column; counted by ones in L_s it is "
            "(s+1)/(2s): 3 of 4 for s = 2")


def flaw_up_sweep():
    x, sums = list(range(1, 17)), [i * (i + 1) // 2 for i in range(1, 17)]
    for t in range(2):
        y = x[4 ** t - 1::4 ** t]
        x[4 ** t - 1::4 ** t] = [sum(y[i - i % 4:i + 1]) for i in range(len(y))]
    right = [i for i in range(16) if x[i] == sums[i]]
    assert right == [0, 1, 2, 3, 7, 11, 15]
    return ("Section 3", "after the first phase the prefix sums are right on an exponentially increasing set of "
                         "indices only",
            "on more: after each r s^t elements, r < s. For s = 4, n = 16: indices %s, as in the paper's own Figure 1"
            % ", ".join(map(str, right)))


def flaw_brent_kung():
    rows = table(16, 4)
    row, other = rows["matmulscan", 2], rows["blelloch", None]
    assert (row["depth"]["measured"], row["path"], other["depth"]["measured"], other["path"]) == (7, 6, 8, 7)
    return ("Table 1", "depth 2 log2(n) - 1 for Brent-Kung, 2 log2(n) for Blelloch",
            "this is the number of levels; for n >= 4 no chain of adders is as long. The last adder of the first phase "
            "makes only x[n-1], which no adder reads. n = 16: %d levels, at most %d adders in a chain, "
            "2 log2(n) - 2; Blelloch's has %d levels and chains of %d"
            % (row["depth"]["measured"], row["path"], other["depth"]["measured"], other["path"]))


def flaw_blelloch():
    return ("Table 1", "Blelloch beside the others", "its scan is exclusive, the others are inclusive")


def flaw_listing():
    return ("Listing 1", "a function of x", "changes x in place, and returns nothing")


def flaws(runs):
    found = [flaw_up_sweep(), flaw_lengths(), flaw_slack(), flaw_padding(), flaw_narrow(), flaw_segments(), flaw_maximum(), flaw_chunks(),
             flaw_depth(runs), flaw_multiplications(), flaw_step_3(), flaw_step_4(), flaw_fan_out(), flaw_utilisation(),
             flaw_brent_kung(), flaw_blelloch(), flaw_listing()]
    return markdown_table(["where", "what it says", "what is there"], found)
