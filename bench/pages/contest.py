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

# A row is a kind, for its looks, and cells: texts; numbers; None for what was not timed; or tuples of these, a product's
# (PRODUCT), of which text shows one at a time. A text that comes last may take the place of several cells. The notes are
# pairs of texts.
Table = collections.namedtuple("Table", "title intro notes head rows")


class Contest:
    def __init__(self, report):
        self.ranking, self.title, self.threads = report["ranking"], report["title"], report["threads"]
        tables = report["tables"]
        self.rounds = report["rounds"]
        self.type, self.bytes = tables[0]["type"], int(tables[0]["type"][1:]) // 8
        self.products, self.peaks, self.scans = tables[:7], tables[:8], tables[-1]
        self.sizes = [next(row["s"] for row in table["rows"] if "s" in row) for table in self.products]

    @staticmethod
    def product(table, unit, forms):
        """The row of the best of these forms; None if none was timed."""
        rows = [row for row in table["rows"] if row["name"] == unit["label"] and row.get("form") in forms and "seconds" in row]
        return max(rows, key=lambda row: row["gelem_per_second"], default=None)

    def own(self, threads, **wanted):
        """The row of the scan by the library of which this holds; None if it was not timed."""
        rows = [row for row in self.scans["rows"] if "seconds" in row and row["role"] == "mmscan" and row["threads"] == threads]
        return next((row for row in rows if all(row.get(key) == value for key, value in wanted.items())), None)

    def scan(self, unit, threads, s):
        return self.own(threads, name=unit["label"], s=s)

    def simd(self, threads):
        """The engine simd has no unit, and so no s, whatever the name of a unit is."""
        return self.own(threads, name="mmscan simd", s=None)

    def copying(self, threads):
        """The copy bound of the products, whatever their s: the fastest of all their races, since all of them copy alike."""
        return max((self.measure(table, "bound", threads) for table in self.products), key=lambda row: row["gelem_per_second"])

    @staticmethod
    def measure(table, role, threads=1):
        """The row of the serial loop, or of the copy bound; of another number of threads where this one took no part."""
        rows = [row for row in table["rows"] if row["role"] == role]
        return next((row for row in rows if row["threads"] == threads), rows[0])

    def length(self):
        """Of the products, in short."""
        lengths = [table["n"] for table in self.products]
        return length_text(lengths[0]) if min(lengths) == max(lengths) else "n up to %d" % max(lengths)

    def lengths(self):
        """Of the products, which are whole columns: those of a short request depend on s."""
        lengths = [table["n"] for table in self.products]
        if min(lengths) == max(lengths):
            return length_text(lengths[0])
        return "n = %d to %d, whole columns of s" % (min(lengths), max(lengths))

    def bounds(self):
        """Why there are two."""
        if self.length() == length_text(self.scans["n"]):
            return ("There are two copy bounds of the same copying: scans and products are each compared with what was timed in their "
                    "rounds.")
        return ("There are two copy bounds, as the speed of copying depends on the length: scans (%s) and products (%s) are each "
                "compared with copying as much." % (length_text(self.scans["n"]), self.length()))


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


def quartiles(row, figure="gelem_per_second"):
    """The speeds between which the middle half of the rounds is, the slower first."""
    return [row[figure] * row["seconds"] / row[quartile] for quartile in ("third_quartile_seconds", "first_quartile_seconds")]


def spread_text(row):
    return "%s..%s" % tuple(map(number_text, quartiles(row)))


# ---- The rankings -----------------------------------------------------------------------------------------------------

def spread_note(c):
    return ("quartiles", "between these is the middle half of the rounds" + ("; of a single round there is none" if c.rounds == 1 else ""))


RANK = ("rank", "shared where quartiles overlap, or are joined by those of others; else one more than the units that are faster")


def ranking_notes(c):
    return [RANK, ("s", "of the two that are fastest on one thread (up to 2^20 elements), the faster on the most threads"), spread_note(c),
            ("of the copy bound", "the speed over that of copying by as many threads or fewer"),
            ("engine simd", "the library's own kernels, which scans use by default; no unit multiplies")]


def speeds(row):
    return [None] * 4 if row is None else [row["gelem_per_second"], spread_text(row), row["of_bound"], row["times_serial"]]


def standing(c, unit):
    if "failed" in unit:
        return "failed", [None, unit["label"], "failed: " + unit["failed"]]
    rows = [c.scan(unit, threads, unit["s"]) for threads in c.threads]
    return "", [unit["rank"], unit["label"], unit["s"]] + ([unit["skipped"]] if "skipped" in unit else sum(map(speeds, rows), []))


def ranking(c):
    head = ["rank", "unit", "s"]
    for threads in c.threads:
        head += [threads_text(threads) + "\nGelem/s", "\nquartiles", "of the\ncopy bound", "of the\nserial loop"]
    measures = [("copy bound", [c.measure(c.scans, "bound", threads) for threads in c.threads]),
                ("engine simd", list(map(c.simd, c.threads))), ("serial loop", [c.measure(c.scans, "loop") for _ in c.threads])]
    return Table("Ranking", "Scans by the engine gemm, %s, %s, out of place. %s" % (c.type, length_text(c.scans["n"]), c.bounds()),
                 ranking_notes(c), head, [("measure", ["", name, ""] + sum(map(speeds, rows), [])) for name, rows in measures]
                 + [standing(c, unit) for unit in c.ranking])


# ---- The ranking of those that multiply -------------------------------------------------------------------------------

def why_multiplied(c):
    timed = [unit["s"] for unit in c.ranking if unit["s"]]
    why = ("In the ranking the best s is 2 for %d of %d unit%s, because a row is then only added to another: no product is needed. "
           % (timed.count(2), len(timed), "" if len(timed) == 1 else "s")) if 2 in timed else ""
    return why + "Here every unit multiplies, by L_4 or larger: these are the same scans with s >= 4, on %s." % threads_text(c.threads[-1])


def multiplied_row(c, unit):
    own, scan = unit["multiplied"], c.scan(unit, c.threads[-1], unit["multiplied"]["s"] or 0)
    return "", [own["rank"], unit["label"], own["s"], *speeds(scan)[:3], own["product_gelem_per_second"], unit["peak_gflop_per_second"],
                unit["gain_of_own_threads"]]


def multiplied(c):
    units = sorted((unit for unit in c.ranking if "failed" not in unit), key=lambda unit: -(unit["multiplied"]["gelem_per_second"] or 0))
    notes = [("s", "of the two of the ranking, the faster from 4 on"),
             ("best product", "the fastest in tiles, of any s from 4 to 128"), ("most GFLOP/s", "of any gemm, s up to 512"),
             ("gain by own threads", "the speed of a gemm at s = 512 on all of the unit's own threads, over that on one")]
    return Table("Ranking by products, s >= 4", why_multiplied(c), notes,
                 ["rank", "unit", "s", "\nGelem/s", "\nquartiles", "of the\ncopy bound", "best product\nGelem/s", "most\nGFLOP/s",
                  "gain by own\nthreads"], [multiplied_row(c, unit) for unit in units])


# ---- Products and units -----------------------------------------------------------------------------------------------

PRODUCT = ["Gelem/s", "GFLOP/s", "Gelem/s, quartiles"]


def product_cell(row):
    """As PRODUCT names it; a measure has no operations."""
    return row and (row["gelem_per_second"], row.get("gflop_per_second"), spread_text(row))


def product_row(c, unit, form):
    if unit["forms"][form] != "timed":
        return "missing", [unit["label"], form, unit["forms"][form]]
    return "", [unit["label"], form] + [product_cell(c.product(table, unit, [form])) for table in c.products]


def products(c):
    rows = [product_row(c, unit, form) for unit in c.ranking if "failed" not in unit for form in FORMS if form in unit["forms"]]
    measures = [("copy bound, " + threads_text(threads), [c.copying(threads)] * len(c.products)) for threads in c.threads]
    measures.append(("serial loop", [c.measure(table, "loop") for table in c.products]))
    intro = "W = L_s X, the first level of a scan, %s, %s: Gelem/s, and GFLOP/s (2 s times as many). " % (c.type, c.lengths())
    notes = [*FORMS.items(), ("copy bound", "the fastest copying in the races of all s"), spread_note(c)]
    return Table("Products", intro + c.bounds(), notes, ["unit", "form"] + ["s = %d" % s for s in c.sizes],
                 rows + [("measure", [name, ""] + list(map(product_cell, cells))) for name, cells in measures])


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
