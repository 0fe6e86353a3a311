"""Table 1, and what single claims of the document need."""

from asking import markdown_table, model, number, table


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


def equal(value, wanted):
    """The value. Fails if it is not the one that the text is about."""
    assert value == wanted, (value, wanted)
    return value


def latencies():
    """In the time on one unit, for n = 4^6 and s = 4."""
    none, some = model(4096, 4, 0), model(4096, 4, 1)
    return equal(some["one_unit"]["counted"] - none["one_unit"]["counted"], 11)


def right_after_up_sweep():
    """The indices at which prefix sums are right after the first phase, for s = 4 and n = 16."""
    x, sums = list(range(1, 17)), [i * (i + 1) // 2 for i in range(1, 17)]
    for t in range(2):
        y = x[4 ** t - 1::4 ** t]
        x[4 ** t - 1::4 ** t] = [sum(y[i - i % 4:i + 1]) for i in range(len(y))]
    return ", ".join(map(str, equal([i for i in range(16) if x[i] == sums[i]], [0, 1, 2, 3, 7, 11, 15])))
