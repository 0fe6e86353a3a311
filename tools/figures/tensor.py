"""Figure 2, the products of each level as matrices.

A panel shows what one level multiplies by one matrix A: the gathered vector y, the same values column by column as matrices T,
the products W = A T, and these again as the vector z, which is scattered to where y came from."""

import svg
import trace

LEFT, RIGHT, TOP, CELL, GAP, LINE = 150, 30, 96, 22, 14, 20
ABREAST = 64 * CELL


class Tensor:
    def __init__(self, run):
        self.run, self.values = run, run.values() if run.values_shown else None
        self.cell = max(CELL, 7 * len(str(run.n * (run.n + 1) // 2 if self.values else run.n)) + 8)  # the width of one
        self.lines, self.y, self.right = [], TOP, 0  # where the next piece goes, and the end of the longest

    # ---- Cells --------------------------------------------------------------------------------------------------------

    def name(self, position, level):
        """The value after a level, or which element it is; 0 for padding."""
        if position is None:
            return 0
        if self.values:
            return self.values[level][position]
        return position if position < self.run.n else "%s%d" % ("t" if self.run.needs_commutative else "w", position - self.run.n)

    def entry(self, event, at, is_w, x, y):
        """Entries of T are shown as before the level, those of W as after it; an entry that W does not store, as in T."""
        changed = is_w and event.outputs[at] is not None
        position, level = (event.outputs[at], event.depth) if changed else (event.inputs[at], event.depth - 1)
        self.right = max(self.right, x + self.cell)
        self.lines += [svg.rect("padding" if position is None else event.kind if changed else "cell", x, y, self.cell, CELL),
                       svg.text(x + self.cell / 2, y + 15, 11, "middle faint" if position is None else "middle", self.name(position, level))]

    # ---- A panel ------------------------------------------------------------------------------------------------------

    def vector(self, events, is_z, name):
        """The vector y or z, broken into lines."""
        most, place = int(ABREAST / self.cell), 0
        self.lines.append(svg.text(LEFT - 14, self.y + 15, 12, "right", name))
        for event in events:
            for at in range(len(event.outputs)):
                if place == most:
                    self.y, place = self.y + CELL + 4, 0
                self.entry(event, at, is_z, LEFT + place * self.cell, self.y)
                place += 1
        self.y += CELL + LINE

    def square(self, event, is_w, x, y):
        for at in range(len(event.outputs)):
            column, row = divmod(at, event.s)
            self.entry(event, at, is_w, x + column * self.cell, y + row * CELL)

    def matrix(self, event):
        rows = trace.ones(event.matrix, event.s)
        for column in range(event.s):
            for row in range(event.s):
                x, y, one = LEFT + column * CELL, self.y + row * CELL, column in rows[row]
                self.lines += [svg.rect("one" if one else "cell", x, y, CELL, CELL),
                               svg.text(x + CELL / 2, y + 15, 11, "middle" if one else "middle faint", int(one))]

    def products(self, events):
        """Side by side: A once, at the left; then each T, above its W."""
        height = events[0].s * CELL
        x = start = LEFT + height + 40
        self.matrix(events[0])
        self.lines += [svg.text(LEFT + height + 20, self.y + height / 2 + 5, 16, "middle", "×"),
                       svg.text(LEFT - 14, self.y + height / 2 + 5, 12, "right", "A × T"),
                       svg.text(LEFT - 14, self.y + 1.5 * height + GAP + 5, 12, "right", "= W")]
        for event in events:
            width = event.columns * self.cell
            if x > start and x + width > LEFT + ABREAST:
                self.y, x = self.y + 2 * height + 3 * GAP, start
            self.square(event, False, x, self.y)
            self.square(event, True, x, self.y + height + GAP)
            x += width + GAP
        self.y += 2 * height + GAP + LINE

    def panel(self, events):
        first = events[0]
        name = "A = " + ("all ones, and C is added" if first.matrix == "ones" else first.matrix)
        self.lines.append(svg.text(20, self.y + 4, 14, "title", "level %d: %s, %s" % (first.depth, svg.LEGEND[first.kind], name)))
        self.y += LINE
        self.vector(events, False, "y")
        self.products(events)
        self.vector(events, True, "z")
        self.y += GAP

    # ---- The picture --------------------------------------------------------------------------------------------------

    def picture(self):
        panels = {}  # the products of one level, kind and matrix
        for event in sorted(self.run.events, key=lambda event: event.depth):
            if event.is_product:
                panels.setdefault((event.depth, event.kind, event.matrix), []).append(event)
        for events in panels.values():
            self.panel(events)
        shown = "the values, for x = 1, 2, ..., n" if self.values else "the places of the elements"
        head = [svg.text(20, 50, 12, "", shown + "; white: as before the level; coloured: written by it; grey: padding"),
                svg.text(20, 67, 12, "", "%(multiplications)d products of s-by-s matrices in %(depth)d levels" % self.run.counts)]
        return svg.picture(max(self.right + RIGHT, 620), self.y, self.run.title(), head + self.lines)
