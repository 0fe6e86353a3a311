"""Figure 1, the circuit: a node is an adder, a column an element, a row a level.

Time runs downwards. A level is a band, with the values it reads at its top and its adders at its bottom. An adder is on the
line of the element that it computes, and has an edge from every value that it adds."""

import types

import svg
import trace

LEFT, RIGHT, TOP, HEAD, CELL, FOOT = 150, 30, 108, 26, 20, 46


class Circuit:
    def __init__(self, run):
        self.run, self.is_small = run, run.n <= 32
        self.values = run.values() if run.values_shown else None
        digits = len(str(run.n * (run.n + 1) // 2))
        self.column = max(30 if self.is_small else 20, 7 * digits + 6 if self.values else 0)
        self.radius = 7.5 if self.is_small else 5.5
        self.born = {}  # by position: the first level that writes it
        self.written = set()  # (level, position)
        for event in run.events:
            for _, position in event.written():
                self.written.add((event.depth, position))
                self.born[position] = min(event.depth, self.born.get(position, event.depth))
        # Of each level (0 is the input) the first event of each kind, and where it begins and ends and has its nodes.
        self.bands = [types.SimpleNamespace(first={}) for _ in range(run.depth + 1)]
        self.lay_out_bands()
        self.width, self.end = self.x(run.positions - 1) + self.column / 2 + RIGHT, self.bands[-1].bottom

    # ---- Layout -------------------------------------------------------------------------------------------------------

    def x(self, position):
        gap = self.column if position >= self.run.n else 0  # between elements and temporaries
        return LEFT + (position + 0.5) * self.column + gap

    def span(self, event):
        """The largest horizontal extent of an edge of the event."""
        return max((abs(self.x(term) - self.x(position)) for at, position in event.written() for term in event.terms[at]), default=0)

    def lay_out_bands(self):
        adders, gathers = [0] * len(self.bands), [0] * len(self.bands)
        for event in self.run.events:
            self.bands[event.depth].first.setdefault(event.kind, event)
            spans = gathers if event.phase == trace.GATHER else adders
            spans[event.depth] = max(spans[event.depth], 1 + self.span(event))
        y = TOP
        for depth, band in enumerate(self.bands):
            band.top = y
            band.adders = y + (40 + min(110, 0.16 * adders[depth]) if depth else 0)
            band.gathers = band.adders + (18 + min(60, 0.08 * gathers[depth]) if gathers[depth] else 0)
            band.below = band.gathers + (self.radius + 6 if depth else 0)
            y = band.bottom = band.below + (CELL + 4 if self.values else 0)

    # ---- Bands, wires and heads ---------------------------------------------------------------------------------------

    def band(self, depth):
        band, lines = self.bands[depth], []
        kinds = [kind for kind in svg.LEGEND if kind in band.first and kind != "copy"]
        if kinds:
            lines.append(svg.rect("band " + kinds[0], LEFT - 8, band.top, self.width - LEFT - RIGHT + 16, band.below - band.top))
        for i, kind in enumerate(kinds):
            event = band.first[kind]
            by = ", %s, s = %d" % (event.matrix, event.s) if event.is_product else ""
            lines.append(svg.text(LEFT - 14, band.top + 31 + 14 * i, 11, "right", ("totals" if kind == "totals" else svg.LEGEND[kind]) + by))
        return lines + [svg.text(LEFT - 14, band.top + 16, 11, "right faint", "level %d" % depth)]

    def wires(self):
        for position in range(self.run.positions):
            if position < self.run.n or position in self.born:
                top = TOP if position < self.run.n else self.bands[self.born[position]].gathers
                yield svg.line("wire", self.x(position), top, self.x(position), self.end)

    def heads(self):
        run, top, bottom = self.run, TOP - HEAD + 8, self.end + 16
        size = 12 if self.is_small else 9.5
        lines = [svg.text(self.x(i), y, size, "middle faint", i) for i in range(run.n) for y in (top, bottom)]
        lines += [svg.text(LEFT - 14, top, 12, "right", "x"), svg.text(LEFT - 14, bottom, 12, "right", "y")]
        if run.positions > run.n:
            what = "w" if run.method == "matmulscan" else "temporaries"
            lines.append(svg.text(self.x(run.n) - self.column / 2, top, 12, "faint", what))
        return lines

    def cells(self):
        for depth, band in enumerate(self.bands if self.values else []):
            for i in range(self.run.positions):
                if i < self.run.n or self.born.get(i, depth + 1) <= depth:
                    x, y, width = self.x(i), band.bottom - CELL - 2, self.column - 3
                    yield svg.rect("one" if (depth, i) in self.written else "cell", x - width / 2, y, width, CELL)
                    yield svg.text(x, y + 14, 11 if self.is_small else 10, "middle", self.values[depth][i])

    # ---- Adders -------------------------------------------------------------------------------------------------------

    def ends(self, event):
        """The y where an event reads and where it writes: it reads at the top of its band; but a gather reads at the adders,
        as the additions come first."""
        band = self.bands[event.depth]
        return (band.adders, band.gathers) if event.phase == trace.GATHER else (band.top, band.adders)

    def node(self, event, at, position):
        """An adder, or a box for an entry that is copied or set to zero, and a tooltip: its position and the terms."""
        terms, x, (top, y), is_copy = event.terms[at], self.x(position), self.ends(event), event.is_copy(at)
        yield '<g class="%s">' % ("move copy" if is_copy else "adder " + event.kind)
        yield "<title>%d: %s</title>" % (position, " + ".join(map(str, terms)))
        if terms:
            yield '<path class="edge" d="%s"/>' % "".join("M%g %gL%g %g" % (self.x(term), top, x, y) for term in terms)
        if is_copy:
            yield svg.rect("node", x - 3.5, y - 3.5, 7, 7)
            yield from [] if terms else [svg.text(x + 7, y + 4, 11, "", "0")]
        else:
            arm = self.radius - 2.5
            yield svg.circle("node", x, y, self.radius)
            yield '<path class="sign" d="M%g %gh%gM%g %gv%g"/>' % (x - arm, y, 2 * arm, x, y - arm, 2 * arm)
        yield "</g>"

    def nodes(self, event):
        return [line for at, position in event.written() if event.is_copy(at) or len(event.terms[at]) > 1
                for line in self.node(event, at, position)]

    # ---- The picture --------------------------------------------------------------------------------------------------

    def picture(self):
        run, counts = self.run, self.run.counts
        present = {event.kind for event in run.events}
        if any(event.is_copy(at) for event in run.events for at, _ in event.written()):
            present.add("copy")
        first = [event for event in run.events if event.phase == trace.GATHER]  # so that adders lie over the edges from them
        lines = [svg.text(20, 50, 12, "", "depth %(depth)d, %(adders)d adders, %(additions)d additions, fan-in %(fan_in)d, "
                          "fan-out %(fan_out)d in a level" % counts),
                 *svg.legend(20, 72, present),
                 *(line for depth in range(1, run.depth + 1) for line in self.band(depth)), *self.wires(), *self.heads()]
        for event in first + [event for event in run.events if event.phase != trace.GATHER]:
            lines += self.nodes(event)
        return svg.picture(max(self.width, 620), self.end + FOOT, run.title(), lines + list(self.cells()))
