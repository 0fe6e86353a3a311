#!/usr/bin/env python3
"""Makes the tables of doc/ACCURACY.md and the picture of README.md: bench/accuracy_tables.py PATH_TO_MMSCAN

Each table stands between two lines, by which it is found; all else in the document is left as it is. Needs only Python
and, to draw, gnuplot."""

import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCUMENT, PICTURE = os.path.join(ROOT, "doc", "ACCURACY.md"), os.path.join("doc", "img", "accuracy.svg")
COMMANDS = {"f32": ["bench", "--accuracy", "--plot", PICTURE], "f64": ["bench", "--accuracy", "--type", "f64"]}


def number(value):
    """Three digits; of large ones, with a power of ten."""
    if value is None:
        return "not finite"
    return re.sub("e[+]?(-?)0*", r"e\1", "%.2e" % value if value >= 1000 else "%.3g" % value)


def line(cells):
    return "| %s |" % " | ".join(map(str, cells))


def table(report, rows, measure, first):
    """`first` cells of each row, and its errors."""
    inputs = [given["name"] for given in report["inputs"]]
    lines = [line(["scan", *first, *inputs]), line(["---"] * (1 + len(first) + len(inputs)))]
    for row in rows:
        if "errors" in row:
            cells = [cell(row) for cell in first.values()] + [number(row["errors"][name][measure]) for name in inputs]
        else:
            cells = [row["skipped"]] + [""] * (len(first) + len(inputs) - 1)
        lines.append(line([row["name"], *cells]))
    return lines


def tables(report, command):
    """Both tables of a type."""
    of, machine = report["tables"][0], report["machine"]
    speed = {"threads": lambda row: row["threads"], "Gelem/s": lambda row: "%.2f" % row["gelem_per_second"], "falls": lambda row: row["falls"]}
    about = "%s, n = 2^%d. %s, %s; `mmscan %s`" % (of["type"], of["n"].bit_length() - 1, machine["cpu"], report["isa"], " ".join(command))
    return ["", about, "", "The largest error in ulp:", "", *table(report, of["rows"], "ulps", speed), "",
            "The largest error in units of u (|init| + sum |x|), which is c:", "",
            *table(report, [row for row in of["rows"] if "errors" in row], "c", {}), ""]


def filled(text, kind, lines):
    begin, end = "<!-- made by make accuracy: %s -->\n" % kind, "<!-- end -->"
    head, rest = text.split(begin)
    return head + begin + "\n".join(lines) + "\n" + rest[rest.index(end):]


def main(mmscan):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MMSCAN_")}
    with open(DOCUMENT, encoding="utf-8") as file:
        text = file.read()
    for kind, command in COMMANDS.items():
        out = subprocess.run([mmscan, *command, "--json"], cwd=ROOT, env=environment, stdout=subprocess.PIPE, check=True).stdout
        text = filled(text, kind, tables(json.loads(out), command))
    with open(DOCUMENT + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(DOCUMENT + ".new", DOCUMENT)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: accuracy_tables.py PATH_TO_MMSCAN")
    main(os.path.abspath(sys.argv[1]))
