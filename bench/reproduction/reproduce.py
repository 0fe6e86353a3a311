#!/usr/bin/env python3
"""Checks or makes doc/REPRODUCTION.md, of REPRODUCTION.md.in beside it, and its pictures.

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

import asking
import claims
import counts
import machine
from asking import ROOT, models, use
from pictures import IMAGES, draw_additions, draw_depth, draw_multiplications, draw_sizes, draw_time, draw_units

DOCUMENT = os.path.join(ROOT, "doc", "REPRODUCTION.md")
TIMED = "<!-- timed: "


def fill(text, names):
    """The text with the values of the expressions in it, which are in double braces."""
    return re.sub("{{(.*?)}}", lambda expression: str(eval(expression[1], names)), text)


def counted_part(text):
    power_runs, any_runs, unit_runs = counts.all_powers(), counts.any_length_runs(), models(counts.unit_cases())
    counts.check_powers(power_runs)
    counts.check_any(any_runs)
    counts.check_units(unit_runs)
    return fill(text, {**vars(asking), **vars(claims), **vars(counts), "power_runs": power_runs, "any_runs": any_runs, "unit_runs": unit_runs})


def timed_part(text):
    return fill(text, {**vars(asking), **vars(machine), **machine.measured()})


# ---- All --------------------------------------------------------------------------------------------------------------

def split(text):
    """The counted part and the timed part."""
    at = text.find(TIMED)
    return (text, "") if at < 0 else (text[:at], text[at:])


def read(name):
    try:
        with open(name, encoding="utf-8") as file:
            return split(file.read())
    except FileNotFoundError:
        return "", ""


def compare(name, there, wanted, target):
    """Whether a document is what it has to be, and has its pictures: an exit status, after what differs."""
    missing = [picture for picture in re.findall(r"\(img/([^)]*)\)", there) if not os.path.exists(os.path.join(IMAGES, picture))]
    if there == wanted and not missing:
        print("doc/%s says what was counted" % name)
        return 0
    for old, new in zip(there.splitlines(), wanted.splitlines()):
        if old != new:
            print("- %s\n+ %s" % (old, new), file=sys.stderr)
    print("doc/%s is out of date%s: make %s" % (name, "".join(", no " + picture for picture in missing), target), file=sys.stderr)
    return 1


def check():
    there, timed = read(DOCUMENT)
    wanted = counted_part(read(DOCUMENT + ".in")[0])
    return compare("REPRODUCTION.md", there + timed, wanted + (timed or TIMED), "reproduce")


def make(keep_timed):
    if shutil.which("gnuplot") is None:
        print("reproduce.py: no gnuplot here, to draw with", file=sys.stderr)
        return 1
    counted, timed = read(DOCUMENT + ".in")
    counted = counted_part(counted)
    for picture in draw_multiplications, draw_additions, draw_sizes, draw_time, draw_depth, draw_units:
        picture()
    timed = read(DOCUMENT)[1] if keep_timed else timed_part(timed)
    with open(DOCUMENT, "w", encoding="utf-8") as file:
        file.write(counted + timed)
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
