"""A report of mmscan bench as what the command is asked for: a picture, or for --units text, or one HTML file that holds all."""

import html
import json
import re
import shutil
import sys

import accuracy_plot
import contest
import contest_plot
import plot
import text

STYLE = """body { font: 15px/1.45 Helvetica, Arial, sans-serif; color: #222; max-width: 1160px; margin: 2em auto; padding: 0 1em }
h1 { font-size: 1.6em } h2 { font-size: 1.2em; margin-top: 2em }
table { border-collapse: collapse } th, td { padding: .25em .7em; text-align: left; vertical-align: top }
.wide { width: 100% } .wide th { border-bottom: 1px solid #888 } .wide td { border-bottom: 1px solid #e4e4e4 }
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums } .measure td, .missing td { color: #777 }
.failed td { color: #b00000 } td { overflow-wrap: anywhere } small { color: #777 } figure { margin: 1.5em 0 }
figure svg { width: 100%; height: auto } figcaption { color: #555 }
pre { background: #f4f4f4; padding: .8em; white-space: pre-wrap; overflow-wrap: anywhere }
"""


def escaped(words):
    return html.escape(re.sub("[\0-\t\x0b-\x1f]", " ", words))


# ---- Tables -----------------------------------------------------------------------------------------------------------

def cell_html(cell, columns):
    if isinstance(cell, str):
        return "<td%s>%s</td>" % (' colspan="%d"' % columns if columns > 1 else "", escaped(cell))
    parts = [part for part in (cell if isinstance(cell, tuple) else [cell]) if part is not None]
    numbers = [part if isinstance(part, str) else contest.number_text(part) for part in parts]
    return '<td class="n">%s</td>' % "".join([*(numbers[:1] or ["&ndash;"]), *("<br><small>%s</small>" % number for number in numbers[1:])])


def row_html(kind, cells, columns):
    """What comes last takes the place of all that is left."""
    tds = [cell_html(cell, columns - i if i + 1 == len(cells) else 1) for i, cell in enumerate(cells)]
    return "<tr%s>%s</tr>" % (' class="%s"' % kind if kind else "", "".join(tds))


def table_html(table):
    lines = ["<h2>%s</h2>" % escaped(table.title), "<p>%s</p>" % escaped(table.intro)]
    if table.notes:
        lines += ["<table>", *("<tr><th>%s</th><td>%s</td></tr>" % (escaped(name), escaped(note)) for name, note in table.notes), "</table>"]
    if table.head:
        head = "".join("<th>%s</th>" % escaped(name).replace("\n", "<br>") for name in table.head)
        lines += ['<table class="wide">', "<tr>%s</tr>" % head, *(row_html(kind, cells, len(table.head)) for kind, cells in table.rows), "</table>"]
    return lines


# ---- Pictures ---------------------------------------------------------------------------------------------------------

def figure(c, index):
    """A picture as a part of a page: the names in it, which are the same in all of gnuplot's pictures, are prefixed, but not
    what looks like them in its text."""
    picture, caption = contest_plot.PICTURES[index]
    svg = contest_plot.draw_one(picture, c)

    def prefixed(tag):
        return re.sub("(id=['\"]|href=['\"]#|url\\(#)", "\\1p%d-" % index, tag[0])
    return ["<figure>", re.sub("<[^>]*>", prefixed, svg[svg.index("<svg"):]), "<figcaption>%s</figcaption>" % escaped(caption(c)), "</figure>"]


# ---- The page ---------------------------------------------------------------------------------------------------------

def shell_word(word):
    return word if re.fullmatch("[-a-zA-Z0-9_=+./:,@%]+", word) else "'%s'" % word.replace("'", "'\\''")


def commands(report):
    """The variables that are set, and the command."""
    exports = ["export %s=%s" % (name, shell_word(value)) for name, value in report["settings"].items()]
    return ["<h2>To reproduce this</h2>", "<pre>%s</pre>" % escaped("\n".join(exports + [report["command"]])),
            "<p>Which units are found, and why one takes no part: <code>mmscan bench --units --list</code></p>"]


def page(report):
    c = contest.Contest(report)
    lines = ["<!DOCTYPE html>", '<html lang="en">', "<head>", '<meta charset="utf-8">', "<title>mmscan: units compared</title>",
             "<style>", STYLE + "</style>", "</head>", "<body>", "<h1>%s</h1>" % escaped(c.title),
             "<p>Libraries that multiply matrices, compared on prefix sums. Every result was checked first.</p>",
             *table_html(contest.ranking(c)), *table_html(contest.multiplied(c))]
    for index in range(len(contest_plot.PICTURES)):
        lines += figure(c, index)
    for table in contest.products(c), contest.units(c), contest.machine(report), contest.settings(report):
        lines += table_html(table)
    return "\n".join([*lines, *commands(report), "</body>", "</html>", ""]).encode()


def main(form):
    """Says what is missing here, or an empty line; then makes what `form` names (svg, png, html or text) of the report that
    comes, if one does."""
    option = "--report" if form == "html" else "--plot"
    print("" if form == "text" or shutil.which("gnuplot") else option + " needs the program gnuplot, which is not found", flush=True)
    given = sys.stdin.buffer.read()
    if given:
        report = json.loads(given)
        report["title"] = contest.machine_text(report) if report["title"] is None else report["title"]
        draw = (contest_plot if "ranking" in report else accuracy_plot if "inputs" in report else plot).draw
        sys.stdout.buffer.write(text.text(report) if form == "text" else page(report) if form == "html" else draw(report, form))
