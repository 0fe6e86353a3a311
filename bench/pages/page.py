"""A report of mmscan bench as what the command is asked for: a picture, or for --units one HTML file that holds pictures."""

import html
import json
import os
import re
import shutil
import sys
import time

import contest
import gnuplot
import plot

STYLE = """body { font: 15px/1.45 Helvetica, Arial, sans-serif; color: #222; max-width: 1160px; margin: 2em auto; padding: 0 1em }
h1 { font-size: 1.6em } h2 { font-size: 1.2em; margin-top: 2em }
table { border-collapse: collapse } th, td { padding: .25em .7em; text-align: left; vertical-align: top }
.wide { width: 100% } .wide th { border-bottom: 1px solid #888 } .wide td { border-bottom: 1px solid #e4e4e4 }
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums } .measure td, .missing { color: #777 }
.failed td { color: #b00000 } .long { overflow-wrap: anywhere } small { color: #777 } figure { margin: 1.5em 0 }
figure svg { width: 100%; height: auto } figcaption { color: #555 }
pre { background: #f4f4f4; padding: .8em; white-space: pre-wrap; overflow-wrap: anywhere }
"""

DASH = '<td class="n">&ndash;</td>'
FIGURES = ["gelem_per_second", "of_bound", "times_serial"]


# ---- Pieces -----------------------------------------------------------------------------------------------------------

def escaped(text):
    return html.escape(re.sub("[\0-\t\x0b-\x1f]", " ", text))


def cell(text, kind="", columns=1):
    return "<td%s%s>%s</td>" % (' class="%s"' % kind if kind else "", ' colspan="%d"' % columns if columns > 1 else "", escaped(text))


def number(value):
    return '<td class="n">%.*f</td>' % (contest.decimals(value), value) if value else DASH


def whole(value):
    """A rank, or an s; None: there is none."""
    return '<td class="n">%d</td>' % value if value else DASH


def table(title, rows, kind=' class="wide"'):
    return ["<h2>%s</h2>" % title, "<table%s>" % kind, *rows, "</table>"]


def pairs(title, values):
    rows = ["<tr><th>%s</th>%s</tr>" % (escaped(name), cell(value)) for name, value in values]
    return table(title, rows, "")


# ---- Tables -----------------------------------------------------------------------------------------------------------

def scans(rows):
    return "".join(number(row and row[figure]) for row in rows for figure in FIGURES)


def standing(c, place, unit):
    columns = 3 * len(c.threads)
    name = whole(unit["s"] and place) + cell(unit["label"])
    if "failed" in unit:
        return '<tr class="failed">' + name + cell("failed: " + unit["failed"], "long", 4 + columns) + "</tr>"
    name += whole(unit["s"]) + number(unit["product_gelem_per_second"]) + number(unit["peak_gflop_per_second"])
    name += number(unit["gain_of_own_threads"])
    if "skipped" in unit:
        return "<tr>" + name + cell(unit["skipped"], "missing", columns) + "</tr>"
    return "<tr>" + name + scans(c.scan(unit, threads) for threads in c.threads) + "</tr>"


def ranking(c):
    head = "<th></th><th>unit</th><th>s</th><th>best product<br>Gelem/s</th><th>most<br>GFLOP/s</th><th>gain by own<br>threads</th>"
    for threads in c.threads:
        head += "<th>%s<br>Gelem/s</th><th>of the<br>copy bound</th><th>of the<br>serial loop</th>" % gnuplot.threads_text(threads)
    measures = ['<tr class="measure"><td></td><td colspan="5">%s</td>' % name
                + scans(c.measure(c.scans, role, threads) for threads in c.threads) + "</tr>"
                for name, role in (("copy bound", "bound"), ("serial loop", "loop"))]
    return table("Ranking", ["<tr>%s</tr>" % head, *measures, *(standing(c, place, unit) for place, unit in enumerate(c.ranking, 1))])


def product(c, table_of_s, unit, form):
    elements = c.product(table_of_s, unit, [form], "gelem_per_second")
    if elements is None:
        return DASH
    operations = c.product(table_of_s, unit, [form], "gflop_per_second")
    return '<td class="n">%.*f<br><small>%.*f</small></td>' % (contest.decimals(elements), elements, contest.decimals(operations), operations)


def product_rows(c, unit, forms):
    for form in () if "failed" in unit else forms:
        state = unit["forms"].get(form)
        head = "<tr>" + cell(unit["label"] if form == forms[0] else "") + cell(form)
        if state == "timed":
            yield head + "".join(product(c, each, unit, form) for each in c.products) + "</tr>"
        elif state is not None:
            yield head + cell(state, "missing", len(c.sizes)) + "</tr>"


def products(c, forms):
    names = [form["name"] for form in forms]
    text = ["<h2>Products</h2>", "<p>W = L_s X, the first level of a scan, %s, %s: Gelem/s, and below it GFLOP/s (2 s times as many).</p>" %
            (c.type, c.length()), "<ul>",
            *("<li><b>%s</b>: %s</li>" % (form["name"], form["description"]) for form in forms), "</ul>", '<table class="wide">',
            "<tr><th>unit</th><th>form</th>%s</tr>" % "".join("<th>s = %d</th>" % s for s in c.sizes)]
    return text + [row for unit in c.ranking for row in product_rows(c, unit, names)] + ["</table>"]


def units(c):
    rows = ["<tr>" + cell(unit["label"]) + cell(unit["library"] or unit["unit"], "long") + cell(unit["version"] or "", "long")
            + ('<td class="n">%d</td>' % unit["threads"] if unit["threads"] else "<td></td>") + "</tr>" for unit in c.ranking]
    return table("Units", ["<tr><th>unit</th><th>library</th><th>version</th><th>own threads</th></tr>", *rows])


# ---- The machine ------------------------------------------------------------------------------------------------------

def machine(report, c):
    system, rounds = os.uname(), report["rounds"]
    caches = ["L%d %d KiB" % (level, size >> 10) for level, size in enumerate(report["machine"]["caches"], 1) if size]
    return pairs("Machine and versions", [
        ("processor", machine_text(report)), ("caches", ", ".join(caches)),
        ("system", "%s %s, %s" % (system.sysname, system.release, system.machine)),
        ("date", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())),
        ("mmscan", "%s, ISA %s" % (report["version"], report["isa"])), ("serial loop by", report["built"]),
        ("times", "medians of %d round%s; all in one process, in turn" % (rounds, "" if rounds == 1 else "s")),
        ("threads", "a unit's own are set to %d for products in one call, where possible" % c.threads[-1])])


def machine_text(report):
    return "%s, %s" % (report["machine"]["cpu"], gnuplot.threads_text(report["threads"][-1]))


def settings(values):
    if not values:
        return ["<h2>Settings</h2>", "<p>No variable that a unit reads is set.</p>"]
    return pairs("Settings", values.items())


def commands(report):
    """The variables that are set, and the command."""
    exports = ["export %s=%s" % (name, shell_word(value)) for name, value in report["settings"].items()]
    return ["<h2>To reproduce this</h2>", "<pre>%s</pre>" % escaped("\n".join(exports + [report["command"]])),
            "<p>Which units are found, and why one takes no part: <code>mmscan bench --units --list</code></p>"]


def shell_word(text):
    return text if re.fullmatch("[-a-zA-Z0-9_=+./:,@%]+", text) else "'%s'" % text.replace("'", "'\\''")


# ---- The page ---------------------------------------------------------------------------------------------------------

def figure(c, index):
    """A picture as a part of a page: the names in it, which are the same in all of gnuplot's pictures, are prefixed, but not
    what looks like them in its text."""
    picture, caption = contest.CAPTIONS[index]
    svg = contest.draw_one(picture, c)

    def prefixed(tag):
        return re.sub("(id=['\"]|href=['\"]#|url\\(#)", "\\1p%d-" % index, tag[0])
    return ["<figure>", re.sub("<[^>]*>", prefixed, svg[svg.index("<svg"):]), "<figcaption>%s</figcaption>" % escaped(caption), "</figure>"]


def page(report):
    c = contest.Contest(report)
    head = ['<!DOCTYPE html>', '<html lang="en">', "<head>", '<meta charset="utf-8">', "<title>mmscan: units compared</title>",
            "<style>\n%s</style>" % STYLE, "</head>", "<body>", "<h1>%s</h1>" % escaped(c.title),
            "<p>Libraries that multiply matrices, compared on prefix sums: %s, %s, out of place. Every result was checked first.</p>" %
            (c.type, contest.length_text(c.scans["n"]))]
    pictures = [line for index in range(len(contest.CAPTIONS)) for line in figure(c, index)]
    return "\n".join([*head, *ranking(c), *pictures, *products(c, report["forms"]), *units(c), *machine(report, c),
                      *settings(report["settings"]), *commands(report), "</body>", "</html>", ""]).encode()


def main(form):
    """Says what is missing here, or an empty line; then makes what `form` names (svg, png or html) of the report that comes, if
    one does."""
    option = "--report" if form == "html" else "--plot"
    print("" if shutil.which("gnuplot") else "%s needs the program gnuplot, which is not found" % option, flush=True)
    text = sys.stdin.buffer.read()
    if not text:
        return
    report = json.loads(text)
    if report["title"] is None:
        report["title"] = machine_text(report)
    draw = contest.draw if "ranking" in report else plot.draw
    sys.stdout.buffer.write(page(report) if form == "html" else draw(report, form))
