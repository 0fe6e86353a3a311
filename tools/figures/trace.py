"""A run of a method of the paper's Table 1, with the events of its trace, as mmscan.h describes them. None is padding."""

import functools

KINDS = {1: "up", 2: "down", 3: "combine", 4: "copy", 5: "broadcast"}  # of the phases
UP, DOWN, GATHER = 1, 2, 4

MATRICES = {1: "L", 2: "B", 3: "strict L", 4: "ones"}
# Whether they are one at a row and column.
ENTRIES = {"L": lambda row, column: column <= row, "B": lambda row, column: column in (0, row),
           "strict L": lambda row, column: column < row, "ones": lambda row, column: True}


@functools.lru_cache(maxsize=None)
def ones(matrix, s):
    """By row, the columns in which a matrix of size s is one."""
    return [[column for column in range(s) if ENTRIES[matrix](row, column)] for row in range(s)]


class Event:
    def __init__(self, fields):
        self.__dict__.update(fields)
        self.matrix = MATRICES[self.matrix]
        self.kind = "totals" if self.step == 3 else KINDS[self.phase]
        self.terms = [self.terms_of(at) for at in range(len(self.outputs))]

    def terms_of(self, at):
        """The positions of what is added up to entry `at`, in their order, without padding."""
        column, row = divmod(at, self.s)
        terms = [self.inputs[column * self.s + k] for k in ones(self.matrix, self.s)[row]] + self.added[at:at + 1]
        return [position for position in terms if position is not None]

    def written(self):
        """(entry, position) of each entry that is stored."""
        return [(at, position) for at, position in enumerate(self.outputs) if position is not None]

    def is_copy(self, at):
        """Whether an entry is stored without an addition: copied from another position, or set to zero."""
        return len(self.terms[at]) <= 1 and self.outputs[at] not in self.terms[at]


class Run:
    def __init__(self, fields):
        self.__dict__.update(fields)
        self.events = [Event(event) for event in self.events]
        self.depth = self.counts["depth"]

    def title(self):
        """The method's description, up to a colon, and the shape."""
        size = ", s = %d" % self.s if self.has_s else ""
        return "%s%s, n = %d" % (self.description.split(":")[0], size, self.n)

    def values(self):
        """By level, the value at each position after it, for x = 1, 2, ..., n; level 0 is before all."""
        now = [i + 1 if i < self.n else 0 for i in range(self.positions)]
        levels = [list(now) for _ in range(self.depth + 1)]
        for event in self.events:
            sums = [(position, sum(now[term] for term in event.terms[at])) for at, position in event.written()]
            for position, value in sums:
                now[position] = value
                for level in levels[event.depth:]:
                    level[position] = value
        return levels
