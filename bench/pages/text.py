"""A report of mmscan bench --units as text."""

import re

import contest

# The rows in which each part of a product is shown: why one is missing once, and no operations of measures.
KINDS = [["", "missing", "measure"], [""], ["", "measure"]]


def cell_text(cell):
    if isinstance(cell, str):
        return re.sub("[\0-\x1f\x7f]", "?", cell)  # a terminal would act on them
    return "-" if cell is None else contest.number_text(cell)


def rows_text(head, rows):
    """Columns that are as wide as their widest cell. What takes the place of several runs on."""
    heads = zip(*(["", *title.split("\n")][-2:] for title in head))
    lines = [list(line) for line in heads if any(line)] + [list(map(cell_text, row)) for row in rows]
    full = [line for line in lines if len(line) == len(head)]
    widths = [max(len(line[i]) for line in full) for i in range(len(head))]
    is_text = [all(isinstance(row[i], str) for row in rows if len(row) == len(head)) for i in range(len(head))]
    return [" ".join(text.ljust(width) if left or i + 1 == len(line) < len(head) else text.rjust(width)
                     for i, (text, width, left) in enumerate(zip(line, widths, is_text))).rstrip() for line in lines]


def table_text(table):
    width = max((len(cell_text(name)) for name, _ in table.notes), default=0)
    lines = ["", table.title] + [table.intro] * bool(table.intro)
    lines += ["  %s  %s" % (cell_text(name).ljust(width), cell_text(note)) for name, note in table.notes]
    if any(isinstance(cell, tuple) for _, cells in table.rows for cell in cells):
        for index, (title, kinds) in enumerate(zip(contest.PRODUCT, KINDS)):
            rows = [cells for kind, cells in table.rows if kind in kinds]
            lines += ["", title] + rows_text(table.head, [[cell[index] if isinstance(cell, tuple) else cell for cell in cells] for cells in rows])
    elif table.head:
        lines += [""] + rows_text(table.head, [cells for _, cells in table.rows])
    return lines


def text(report):
    c = contest.Contest(report)
    tables = [contest.machine(report), contest.settings(report), contest.products(c), contest.multiplied(c), contest.ranking(c)]
    return "\n".join([line for table in tables for line in table_text(table)] + [""]).encode()
