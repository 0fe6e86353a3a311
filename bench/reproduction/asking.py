"""Runs the command, and formats its answers as Markdown."""

import concurrent.futures
import functools
import glob
import json
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MMSCAN = None  # the path of the command

SIZES = range(2, 33)  # s of the matrices that are tried
SHOWN = [2, 4, 8, 16, 32]  # some of these, where all would be too many
MOST = 2 ** 20  # elements, at most
LATENCY = 100


def use(command):
    """Sets the path of the command."""
    global MMSCAN
    MMSCAN = os.path.abspath(command)


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
    """model() of each case, several at a time."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda case: model(*case), cases))


def powers(s, most=MOST):
    """The k >= 1 with s^k <= most."""
    return range(1, log_floor(most, s) + 1)


def chain(r):
    """Multiplications on the longest chain in which each waits for the one before; all take the same time."""
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
    """A whole number with commas, any other with so many places; "none" for None."""
    if value is None:
        return "none"
    return "{:,}".format(int(value)) if value == int(value) else "{:,.{}f}".format(value, places)


def markdown_table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def both(figure):
    return "%s of %s" % (number(figure["counted"]), number(figure["bound"]))


def best_question():
    """What the example best_split finds first: the percentage of the squared errors that it removes, the question, and
    the number of rows."""
    data = os.path.join(ROOT, "examples", "data", "diamonds.csv")
    program = os.path.join(os.path.dirname(MMSCAN), "examples", "best_split")
    first = subprocess.run([program, data, "price"], check=True, stdout=subprocess.PIPE).stdout.decode().splitlines()[1]
    part, question = first.split("%")
    with open(data, encoding="utf-8") as file:
        return part.strip(), question.strip(), sum(1 for line in file) - 1


def source_of(program):
    [path] = glob.glob(os.path.join(ROOT, "test", "*", program + ".c"))
    with open(path, encoding="utf-8") as file:
        return file.read()


def tests(program, *names):
    """A test program and the names of tests, as Markdown; fails if the program does not have them."""
    source = source_of(program)
    for name in names:
        assert "TEST(%s) {" % name in source, (program, name)
    return "`build/test/%s`: %s" % (program, ", ".join("`%s`" % name for name in names))


def longest(program, name):
    """The greatest length that a test tries when tests are not shortened."""
    body = source_of(program).split("TEST(%s) {" % name)[1].split("\n}\n")[0]
    power, most = re.search(r"most = sized\((?:\(size_t\)1 << ([0-9]+)|([0-9]+)),", body).groups()
    return most or "2^" + power
