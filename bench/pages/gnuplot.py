"""Pictures, drawn by the program gnuplot. It reads its script, with the data in it, from its standard input, and writes to
its standard output: no file name has to be quoted for it, and no other file is needed."""

import os
import re
import subprocess
import sys
import textwrap

TITLE = 66  # characters of a title that fit in a line

# What all pictures share: colours and sizes of axes and grid.
AXES = """set border 3 lc '#606060'
set tics nomirror out scale 0.5 textcolor '#404040'
set grid lc '#e4e4e4' lt 1
"""


def terminal(form, height):
    """The first line of a script: the format, svg or png, and the height in points."""
    kind, font = ("svg", "Helvetica,Arial,sans-serif,14") if form == "svg" else ("pngcairo", "Sans,11")
    return "set terminal %s size 1120,%d enhanced font '%s' background '#ffffff'\n" % (kind, height, font)


def quoted(text):
    """Between single quotes, in which a single quote is written twice."""
    return "'" + re.sub("[\0-\x1f]", " ", text).replace("'", "''") + "'"


def title(whose, what, above=0):
    """Over a picture, and over `above` lines of labels: one line, if both fit in it; else each begins a line of its own."""
    def lines(text):
        return textwrap.wrap(text, TITLE, break_long_words=False, break_on_hyphens=False)
    whole = lines(whose + ": " + what if whose else what)
    all_lines = whole if len(whole) == 1 or not whose else lines(whose + ":") + lines(what)
    return "set title %s noenhanced font ',16' offset 0,%g\n" % ('."\\n".'.join(map(quoted, all_lines)), 0.3 + above)


def title_lines(script):
    """How many lines such a title has."""
    return script.count('"\\n"') + 1


def data(name, points):
    """A here-document of points; None is a gap."""
    lines = [" ".join("NaN" if number is None else "%.9g" % number for number in point) for point in points]
    return "\n".join(["$%s << EOD" % name, *lines, "EOD\n"])


def upright(at, label):
    """A vertical line, with a label at its foot."""
    return ("set arrow from %g, graph 0 to %g, graph 1 nohead back dt 3 lc '#a0a0a0'\n" % (at, at)
            + "set label '%s' at %g, graph 0.03 rotate by 90 offset 0.7,0 textcolor '#707070' font ',11'\n" % (label, at))


def draw(script):
    """The picture. The user's own settings of gnuplot (start-up files, GNUTERM) are not for it. gnuplot reports success
    even if it could not write all, so this looks for the end of an SVG or PNG."""
    environment = {name: value for name, value in os.environ.items() if name != "GNUTERM"}
    done = subprocess.run(["gnuplot", "-d"], input=script.encode(), stdout=subprocess.PIPE, env=environment)
    if done.returncode != 0:
        sys.exit("mmscan: gnuplot failed")
    if not done.stdout.rstrip().endswith((b"</svg>", b"IEND\xae\x42\x60\x82")):
        sys.exit("mmscan: gnuplot left a picture unfinished: is the disk full?")
    return done.stdout
