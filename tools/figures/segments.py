"""Figure 3, the general case: the segments of any length n, and which of their steps run side by side.

Time runs downwards, one row for each level. A segment is a triangle that narrows during its up-sweep, a circle for its last
value, which goes to w, a triangle that widens during its down-sweep, and a bar for the broadcast."""

import svg
import trace

LEFT, RIGHT, TOP, ROW, GAP, BAR, FAN, W_CELL = 90, 30, 128, 44, 10, 16, 50, 22


class Segments:
    def __init__(self, run):
        self.run = run
        gather = next((event for event in run.events if event.phase == trace.GATHER), None)
        # w is gathered from the last element of each segment. Without w there is one segment.
        ends = [position + 1 for position in gather.inputs] if gather else [run.n]
        self.lengths = [end - begin for begin, end in zip([0] + ends, ends)]
        self.count = len(ends)
        self.ups, self.downs = self.sweeps(trace.UP), self.sweeps(trace.DOWN)
        self.totals = self.stretch(event for event in run.events if event.step == 3)
        self.w_ready = max((event.depth for event in run.events if event.step == 2), default=0)
        self.broadcast = {event.segment for event in run.events if event.step == 4}
        self.lay_out()

    # ---- From the trace -----------------------------------------------------------------------------------------------

    @staticmethod
    def stretch(events):
        """From after which level until after which level these run; None: there are none."""
        depths = [event.depth for event in events]
        return (min(depths) - 1, max(depths)) if depths else None

    def sweeps(self, phase):
        return [self.stretch(event for event in self.run.events if (event.step, event.phase, event.segment) == (1, phase, i))
                for i in range(self.count)]

    # ---- Layout -------------------------------------------------------------------------------------------------------

    def lay_out(self):
        self.segments, x = [], LEFT  # their middles and widths
        for up in self.ups:
            width = 26 + 34 * (up[1] - up[0] if up else 0)
            self.segments.append((x + width / 2, width))
            x += width + GAP
        self.w_x = x + 30
        self.width = self.w_x + self.count * W_CELL + 150

    def y(self, depth):
        """The last row, that of the broadcast, is higher, as all arrows from w end there."""
        return TOP + depth * ROW + (FAN if depth == self.run.depth and self.count > 1 else 0)

    def w_cell(self, i):
        return self.w_x + (i + 0.5) * W_CELL

    # ---- Pieces -------------------------------------------------------------------------------------------------------

    def rows(self):
        for depth in range(self.run.depth + 1):
            yield svg.line("grid", LEFT - 8, self.y(depth), self.width - RIGHT, self.y(depth))
            if depth > 0:
                yield svg.text(LEFT - 14, self.y(depth) - ROW / 2 + 10, 11, "right faint", "level %d" % depth)

    def trapezium(self, kind, i, stretch):
        x, width = self.segments[i]
        wide, narrow = width / 2, min(width / 2, 6)
        top, bottom = (wide, narrow) if kind == "up" else (narrow, wide)
        (y1, y2) = map(self.y, stretch)
        return '<polygon class="%s" points="%g,%g %g,%g %g,%g %g,%g"/>' % (kind, x - top, y1, x + top, y1, x + bottom, y2, x - bottom, y2)

    @staticmethod
    def arrow(kind, x1, y1, x2, y2):
        return '<g class="%s"><path class="edge" d="M%g %gL%g %g"/></g>' % (kind, x1, y1, x2, y2)

    def end_of(self, i):
        """The y where the last value of a segment is known, after the up-sweep."""
        return self.y(self.ups[i][1] if self.ups[i] else 0)

    def bar_top(self):
        return self.y(self.run.depth) - BAR - 6

    def ways(self):
        """Arrows to w, which end where it is complete: after the longest up-sweep; and from w."""
        for i in range(self.count if self.count > 1 else 0):
            yield self.arrow("copy", self.segments[i][0], self.end_of(i), self.w_cell(i), self.y(self.w_ready))
        for i in sorted(self.broadcast):
            yield self.arrow("broadcast", self.w_cell(i - 1), self.y(self.totals[1]), self.segments[i][0], self.bar_top())

    def segment(self, i):
        x, width = self.segments[i]
        for kind, stretch in ("up", self.ups[i]), ("down", self.downs[i]):
            if stretch:
                yield self.trapezium(kind, i, stretch)
        if i in self.broadcast:
            yield svg.rect("broadcast", x - width / 2, self.bar_top(), width, BAR)
        yield svg.circle("cell", x, self.end_of(i), 5)
        yield svg.text(x, TOP - 8, 12 if self.lengths[i] < 1000 else 10, "middle", self.lengths[i])

    def w(self):
        if not self.totals:
            return
        (top, bottom), width = map(self.y, self.totals), self.count * W_CELL
        yield svg.rect("totals", self.w_x, top, width, bottom - top)
        yield svg.text(self.w_x + width + 8, top + (bottom - top) / 2 + 4, 12, "", "scan of w")
        for i in range(self.count):
            yield svg.circle("cell", self.w_cell(i), top, 5)
            if i + 1 < self.count:
                yield svg.circle("cell", self.w_cell(i), bottom, 5)

    # ---- The picture --------------------------------------------------------------------------------------------------

    def summary(self):
        if self.count == 1:
            return "one segment: depth %d" % self.run.depth
        stated, power = 0, self.run.s
        while power <= self.run.n:
            stated, power = stated + 2, power * self.run.s
        fits = "fits beside the down-sweep" if self.run.depth <= stated else "takes longer than the down-sweep"
        return "%d segments, depth %d; stated is 2 floor(log_s n) = %d: the scan of w %s" % (self.count, self.run.depth, stated, fits)

    def picture(self):
        kinds = {"up", "down"} | ({"totals", "broadcast", "copy"} if self.count > 1 else set())
        lines = [svg.text(20, 50, 12, "", self.summary()), *svg.legend(20, 76, kinds), svg.text(LEFT - 14, TOP - 8, 12, "right", "elements"),
                 *self.rows(), *self.ways(), *(line for i in range(self.count) for line in self.segment(i)), *self.w()]
        return svg.picture(max(self.width, 640), self.y(self.run.depth) + 30, self.run.title(), lines)
