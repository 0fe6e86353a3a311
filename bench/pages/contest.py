"""What mmscan bench --units reports, as tables for text and for a page. Speeds are in Gelem/s."""

import collections
import os
import time

# How a unit is asked for a product.
FORMS = {"tiles": "gemm in chunks of tiles of 65536 elements, on the calling thread",
         "tiles by rows": "the same with row-major matrices, as in the engine gemm, which for s = 2 may only add a row to the next",
         "whole": "one gemm for all (Theorem 1), on the unit's own threads",
         "whole, 1 thread": "the same with the unit's own threads set to one",
         "trmm": "one trmm for all, in place",
         "batch": "one gemm_batch for all squares (Algorithm 1), with the threads the unit is set to",
         "strided batch": "one gemm_batch_strided for all squares, likewise",
         "bfloat16": "one sbgemm for all: bfloat16 X, float sums"}
TILES = ["tiles", "tiles by rows"]
WHOLE = ["whole"]
FIGURES = ["gelem_per_second", "of_bound", "times_serial"]

# A row is a kind, for its looks, and cells: texts; numbers; None for what was not timed; or pairs of numbers, of which text
# shows one at a time. A text that comes last may take the place of several cells. The notes are pairs of texts.
Table = collections.namedtuple("Table", "title intro notes head rows")


class Contest:
    def __init__(self, report):
        self.ranking, self.title, self.threads = report["ranking"], report["title"], report["threads"]
        tables = report["tables"]
        self.type, self.bytes = tables[0]["type"], int(tables[0]["type"][1:]) // 8
        self.products, self.peaks, self.scans = tables[:7], tables[:8], tables[-1]
        self.sizes = [next(row["s"] for row in table["rows"] if "s" in row) for table in self.products]

    def product(self, table, unit, forms, figure="gelem_per_second"):
        """The best of these forms; None if none was timed."""
        return max((row[figure] for row in table["rows"] if row["name"] == unit["label"] and row.get("form") in forms
                    and "seconds" in row), default=None)

    def scan(self, unit, threads):
        """The row of a unit's scan, on the s of the ranking; None if it was not timed."""
        rows = [row for row in self.scans["rows"] if "seconds" in row and row["role"] == "mmscan"]
        return next((row for row in rows if (row["name"], row["s"], row["threads"]) == (unit["label"], unit["s"], threads)), None)

    @staticmethod
    def measure(table, role, threads=1):
        """The row of the serial loop, or of the copy bound; of another number of threads where this one took no part."""
        rows = [row for row in table["rows"] if row["role"] == role]
        return next((row for row in rows if row["threads"] == threads), rows[0])

    def lengths(self):
        """Of the products, which are whole columns: those of a short request depend on s."""
        lengths = [table["n"] for table in self.products]
        if min(lengths) == max(lengths):
            return length_text(lengths[0])
        return "n = %d to %d, whole columns of s" % (min(lengths), max(lengths))


def length_text(n):
    return "n = 2^%d" % (n.bit_length() - 1) if n & (n - 1) == 0 else "n = %d" % n


def threads_text(threads):
    return "%d thread%s" % (threads, "" if threads == 1 else "s")


def machine_text(report):
    return "%s, %s" % (report["machine"]["cpu"], threads_text(report["threads"][-1]))


def decimals(value):
    """Enough for three significant digits."""
    return next((places for limit, places in ((0.00995, 5), (0.0995, 4), (9.995, 3), (99.95, 2), (999.5, 1)) if value < limit), 0)


def number_text(value):
    return str(value) if isinstance(value, int) else "%.*f" % (decimals(value), value)


# ---- The ranking ------------------------------------------------------------------------------------------------------

RANKING_NOTES = [
    ("best product", "the fastest in tiles, of any s"),
    ("most GFLOP/s", "of any gemm, s up to 512"),
    ("gain by own threads", "the speed of a gemm at s = 512 on all of the unit's own threads, over that on one"),
    ("s", "of the two that are fastest on one thread (up to 2^20 elements), the faster on the most threads"),
    ("of the copy bound", "the speed over that of copying by as many threads or fewer")]


def speeds(rows):
    return [row and row[figure] for row in rows for figure in FIGURES]


def standing(c, place, unit):
    if "failed" in unit:
        return "failed", [None, unit["label"], "failed: " + unit["failed"]]
    cells = [place if unit["s"] else None, unit["label"], unit["s"], unit["product_gelem_per_second"], unit["peak_gflop_per_second"],
             unit["gain_of_own_threads"]]
    return "", cells + ([unit["skipped"]] if "skipped" in unit else speeds(c.scan(unit, threads) for threads in c.threads))


def ranking(c):
    head = ["", "unit", "s", "best product\nGelem/s", "most\nGFLOP/s", "gain by own\nthreads"]
    for threads in c.threads:
        head += [threads_text(threads) + "\nGelem/s", "of the\ncopy bound", "of the\nserial loop"]
    measures = [("measure", ["", name, "", "", "", ""] + speeds(c.measure(c.scans, role, threads) for threads in c.threads))
                for name, role in (("copy bound", "bound"), ("serial loop", "loop"))]
    return Table("Ranking", "Scans by the engine gemm, %s, %s, out of place." % (c.type, length_text(c.scans["n"])), RANKING_NOTES, head,
                 measures + [standing(c, place, unit) for place, unit in enumerate(c.ranking, 1)])


# ---- Products and units -----------------------------------------------------------------------------------------------

def product_row(c, unit, form):
    if unit["forms"][form] != "timed":
        return "missing", [unit["label"], form, unit["forms"][form]]
    pairs = [(c.product(table, unit, [form]), c.product(table, unit, [form], "gflop_per_second")) for table in c.products]
    return "", [unit["label"], form] + [None if pair[0] is None else pair for pair in pairs]


def products(c):
    rows = [product_row(c, unit, form) for unit in c.ranking if "failed" not in unit for form in FORMS if form in unit["forms"]]
    measures = [("measure", [name, ""] + [c.measure(table, role)["gelem_per_second"] for table in c.products])
                for name, role in (("copy bound, 1 thread", "bound"), ("serial loop", "loop"))]
    return Table("Products", "W = L_s X, the first level of a scan, %s, %s: Gelem/s, and GFLOP/s (2 s times as many)." % (c.type, c.lengths()),
                 list(FORMS.items()), ["unit", "form"] + ["s = %d" % s for s in c.sizes], rows + measures)


def units(c):
    rows = [("", [unit["label"], unit["library"] or unit["unit"], unit["version"] or "", unit["threads"] or ""]) for unit in c.ranking]
    return Table("Units", "", [], ["unit", "library", "version", "own threads"], rows)


# ---- The machine ------------------------------------------------------------------------------------------------------

def machine(report):
    system, rounds = os.uname(), report["rounds"]
    caches = ["L%d %d KiB" % (level, size >> 10) for level, size in enumerate(report["machine"]["caches"], 1) if size]
    return Table("Machine and versions", "", [
        ("processor", machine_text(report)), ("caches", ", ".join(caches)),
        ("system", "%s %s, %s" % (system.sysname, system.release, system.machine)),
        ("date", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())),
        ("mmscan", "%s, ISA %s" % (report["version"], report["isa"])), ("serial loop by", report["built"]),
        ("times", "medians of %d round%s; all in one process, in turn" % (rounds, "" if rounds == 1 else "s")),
        ("threads", "a unit's own are set to %d for products in one call, where possible" % report["threads"][-1])], [], [])


def settings(report):
    return Table("Settings", "" if report["settings"] else "No variable that a unit reads is set.", list(report["settings"].items()), [], [])
