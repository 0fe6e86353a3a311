#!/usr/bin/env python3
"""Checks or makes doc/REPRODUCTION.md and its pictures.

bench/reproduction/reproduce.py [--make | --counted] PATH_TO_MMSCAN

What is counted is the same on every machine; what is timed comes last in the document, after the line TIMED. Without an
option, the counts are made again and compared with the document, in a few seconds; nothing is drawn, timed or written.
--make makes the whole document, --counted all but the timed part, which it keeps. Needs only Python and, to draw,
gnuplot.
"""

import os
import re
import shutil
import sys

from asking import LATENCY, ROOT, code, markdown_table, models, use
from claims import rows_of_the_paper, table_rows
from counts import (all_powers, any_length_runs, check_any, check_powers, check_units, digits_rows,
                    lemma_rows, unit_cases, units_rows, vector_rows, worst_lengths)
from flaws import flaws
from machine import TIMED, timed_part
from pictures import IMAGES, draw_additions, draw_depth, draw_multiplications, draw_sizes, draw_time, draw_units

DOCUMENT = os.path.join(ROOT, "doc", "REPRODUCTION.md")


# ---- The document -----------------------------------------------------------------------------------------------------

INTRODUCTION = """# The paper, reproduced

Each claim of "A Parallel Scan Algorithm in the Tensor Core Unit Model" (Zouzias and McColl), beside what the code does
when it runs. `make reproduce` makes this document; `make check-reproduction` counts again and compares.

The notation is the paper's: n numbers, matrices of size s, k = log_s n, and a tensor unit of latency l, which multiplies
s-by-s by s-by-c in time c s + l, for c >= s. A bound is the sum in the paper's proof, before anything goes into an O().
"x of y": x was counted, y is the bound.
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
        "For every s from 2 to 32 and every k with n up to 2^20, %d pairs, the depth is 2k - 1, and so is the longest "
        "chain\n"
        "of multiplications that wait for each other. Multiplications, additions and time are within their bounds, "
        "and equal to the\n"
        "closed forms under \"Where the text is off\". Some of the pairs:\n" % len(power_runs),
        lemma_rows(),
        "\nCommand: " + code("model -n 2^20 -s 2 -l", LATENCY) + ", and so on.\n",
        "![Multiplications over n](img/reproduction-multiplications.svg)\n",
        "![Additions over n](img/reproduction-additions.svg)\n",
        "![Counts over s](img/reproduction-sizes.svg)\n",
        "![Time on one unit over n](img/reproduction-time.svg)\n",
        "## Any n: Section 3.2 and Corollary 1\n",
        digits_rows(),
        "\nThe paper counts depth by levels. A chain is a sequence of multiplications, each of which needs a result of "
        "the one before.\n"
        "n = s^k - 1 has the most segments for its length. The longest of these n whose depth is more than "
        "2⌊log_s n⌋:\n",
        worst_lengths(),
        "\n![Depth over n](img/reproduction-depth.svg)\n",
        "## p units\n",
        "The s-by-s multiplications of a run are scheduled on p units: of the multiplications that are ready, a free "
        "unit\n"
        "starts the one that begins the longest chain. l = %d.\n" % LATENCY,
        units_rows(),
        "\n![Time over p](img/reproduction-units.svg)\n",
        "### The second phase on a vector unit\n",
        "n = 65,536, l = %d. Beside each tensor unit a vector unit of the given number of lanes multiplies by B_s "
        "(Section 3.3).\n" % LATENCY,
        vector_rows(),
        "\nCommand: " + code("model -n 65536 -s 16 -l", LATENCY, "-p 8 --lanes 16") + "\n",
        "## Where the text is off\n",
        "These are the smallest examples we know. None of them makes the algorithm wrong.\n",
        flaws(any_runs),
        "",
    ]
    return "\n".join(parts)


# ---- All --------------------------------------------------------------------------------------------------------------

def split(text):
    """The counted part and the timed part."""
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
    option = arguments[0] if len(arguments) == 2 else "--check"
    if len(arguments) not in (1, 2) or option not in ("--check", "--make", "--counted"):
        print("usage: reproduce.py [--make | --counted] PATH_TO_MMSCAN", file=sys.stderr)
        return 2
    use(arguments[-1])
    for variable in [name for name in os.environ if name.startswith("MMSCAN_")]:
        del os.environ[variable]
    return check() if option == "--check" else make(keep_timed=option == "--counted")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
