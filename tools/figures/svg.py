"""Pieces of a picture, written as SVG. Coordinates are pixels. A class is one of STYLE."""

import xml.sax.saxutils

# The colour-blind can tell the colours apart, too (Okabe and Ito).
STYLE = """text { font-family: Helvetica, Arial, 'DejaVu Sans', sans-serif; fill: #202020 }
.title { font-weight: bold }
.faint { fill: #707070 }
.middle { text-anchor: middle }
.right { text-anchor: end }
.wire { stroke: #c8c8c8; stroke-width: 1 }
.grid { stroke: #dddddd; stroke-width: 1; stroke-dasharray: 3 3 }
.cell { fill: #ffffff; stroke: #808080; stroke-width: 1 }
.one { fill: #d8d8d8; stroke: #808080; stroke-width: 1 }
.padding { fill: #f0f0f0; stroke: #c0c0c0; stroke-width: 1 }
.sign { fill: none; stroke: #ffffff; stroke-width: 1.4 }
.edge { fill: none; stroke-width: 1.3; stroke-opacity: 0.85 }
.up .edge, .up .node, .combine .edge, .combine .node { stroke: #0072b2 }
.up .node, .combine .node { fill: #0072b2 }
.down .edge, .down .node { stroke: #d55e00 } .down .node { fill: #d55e00 }
.totals .edge, .totals .node { stroke: #009e73 } .totals .node { fill: #009e73 }
.broadcast .edge, .broadcast .node { stroke: #8c4a94 } .broadcast .node { fill: #8c4a94 }
.copy .edge, .copy .node { stroke: #555555 } .copy .node { fill: #ffffff }
.copy .edge { stroke-dasharray: 4 3 }
rect.up, rect.combine, polygon.up { fill: #e2f0f9; stroke: #0072b2 }
rect.down, polygon.down { fill: #fbe9dd; stroke: #d55e00 }
rect.totals, polygon.totals { fill: #dff3ec; stroke: #009e73 }
rect.broadcast, polygon.broadcast { fill: #f1e4f3; stroke: #8c4a94 }
rect.copy { fill: #ffffff; stroke: #555555; stroke-dasharray: 4 3 }
.band { stroke: none !important; fill-opacity: 0.45 }
"""

# What a line or a node belongs to: a class, with a colour of its own, and its text in the legend.
LEGEND = {"up": "up-sweep", "down": "down-sweep", "combine": "combine", "totals": "scan of the totals", "broadcast": "broadcast",
          "copy": "copy"}


def line(kind, x1, y1, x2, y2):
    return '<line class="%s" x1="%g" y1="%g" x2="%g" y2="%g"/>' % (kind, x1, y1, x2, y2)


def rect(kind, x, y, width, height):
    return '<rect class="%s" x="%g" y="%g" width="%g" height="%g"/>' % (kind, x, y, width, height)


def circle(kind, x, y, radius):
    return '<circle class="%s" cx="%g" cy="%g" r="%g"/>' % (kind, x, y, radius)


def text(x, y, size, kind, words):
    """With its baseline at y. It starts at x; of the kind "middle" it is centred on x, of "right" it ends at x."""
    return '<text class="%s" x="%g" y="%g" font-size="%g">%s</text>' % (kind, x, y, size, xml.sax.saxutils.escape(str(words)))


def legend(x, y, present):
    """The kinds that are present, side by side from (x, y) on."""
    lines = []
    for kind in LEGEND:
        if kind in present:
            lines += [rect(kind, x, y - 10, 14, 12), text(x + 20, y, 12, "", LEGEND[kind])]
            x += 160 if kind == "totals" else 110
    return lines


def picture(width, height, title, lines):
    begin = ['<?xml version="1.0" encoding="UTF-8"?>',
             '<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %g %g">' % (width, height, width, height),
             "<title>%s</title>" % xml.sax.saxutils.escape(title), "<style>", STYLE + "</style>",
             '<rect width="%g" height="%g" fill="#ffffff"/>' % (width, height), text(20, 30, 17, "title", title)]
    return "\n".join([*begin, *lines, "</svg>", ""])
