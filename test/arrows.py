#!/usr/bin/env python3
"""Which room of the project uses which, over all lines that include a file: test/arrows.py

The picture in CONTRIBUTING.md has the rooms of the library, and its table what each may use; ROOMS says the same, and
what neither of them allows is an exception with its reason.
"""
import os
import re
import sys

# The rooms of lib/, from the callers' side. A room uses only rooms below it here, so there are no circles. `api` is the
# files that are in no folder. All may use include/.
ROOMS = {
    "api": "plan run",
    "paper": "unit team base",
    "plan": "run team engine pack unit kernel algebra base",
    "run": "team engine pack kernel algebra base",
    "engine": "pack kernel unit algebra base",
    "pack": "algebra base",
    "kernel": "algebra base",
    "unit": "base",
    "team": "base",
    "algebra": "base",
    "base": "",
}

# The rooms around it. support and toys are those of test/, whose other folders are `test`.
AROUND = {
    "include": "",
    "tools": "",
    "bench": "tools",
    "mpi": "",
    "bindings": "",
    "examples": "",
    "toys": "support",
    "support": "toys " + " ".join(ROOMS),
    "test": "support toys " + " ".join(ROOMS),
}

# Folders of test/: a room of lib/ is tested in the folder of its name, mmscan.hpp in cpp.
TESTED = list(ROOMS) + ["command", "cpp", "docs", "mpi"]

# One header of another room.
EXCEPTIONS = {
    ("api", "lib/algebra/each_type.inc"): "there are simple calls for every type",
    ("api", "lib/base/cpu.h"): "mmscan_cpu()",
    ("api", "lib/team/team.h"): "mmscan_threads()",
    ("api", "lib/unit/loaded.h"): "mmscan_unit_open() and its like",
    ("unit", "lib/team/team.h"): "a BLAS must not wait for threads that a forked child has lost",
    ("paper", "lib/plan/check.h"): "descriptions are checked by the same rules as those of scans",
    ("paper", "lib/plan/lattice.h"): "so are their arrays",
    ("paper", "lib/plan/env.h"): "the environment names the unit and the number of threads here, too",
}

# Files of lib/ that know OpenMP.
OPENMP = {
    "lib/team/team.c": "it starts the threads",
}

SOURCE = (".c", ".h", ".inc", ".def", ".cpp", ".hpp", ".F90", ".fi")
# Quoted includes are looked for in the folder of the file, and then there, as compilers are told to.
ROOTS = {"lib": ["lib"], "tools": ["tools"], "test": ["lib", "test"], "bench": ["bench", "tools"]}

# An include, or a macro that names a file to be included.
INCLUDE = re.compile(r'\s*#\s*(?:include\s+|define\s+\w+\s+(?="[^"]+\.(?:h|inc|fi|def|c)"))(["<])([^">]+)[">]')

found = []


def fault(path, line, text):
    found.append("%s:%d: %s" % (path, line, text))


def room_of(path):
    """The room that a file is in; None: no room of the tables."""
    top, folder = path.split("/")[:2]
    if top == "lib":
        return "api" if folder.startswith("api") else folder if folder in ROOMS else None
    if top == "test":
        return "test" if folder in TESTED else folder if folder in AROUND else None
    return top if top in AROUND else None


def includes_of(path):
    """The lines that have a file included, or concern OpenMP: their numbers, the names, and whether these are quoted."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            named = INCLUDE.match(line)
            if named:
                yield number, named[2], named[1] == '"'
            elif re.match(r"\s*#\s*pragma\s+omp\b", line):
                yield number, "#pragma omp", False


def file_of(path, name, quoted):
    """The file of the project that is meant; None: it is none."""
    top = path.split("/")[0]
    for root in ([os.path.dirname(path)] + ROOTS.get(top, []) if quoted else []) + ["include"]:
        target = os.path.normpath(os.path.join(root, name))
        if os.path.isfile(target):
            return target
    return None


def check_include(path, line, name, quoted, used):
    if name in ("omp.h", "#pragma omp"):
        if path.startswith("lib/"):
            used.add(path)
            if path not in OPENMP:
                fault(path, line, "%s: only lib/team/team.c knows OpenMP" % name)
        return
    target = file_of(path, name, quoted)
    if target is None:
        if quoted:
            fault(path, line, '"%s": there is no such file where compilers look' % name)
        return
    room, other = room_of(path), room_of(target)
    if path.startswith("lib/") and target.startswith("lib/") and target != "lib/" + name:
        fault(path, line, '"%s" does not name its room' % name)
    uses = (ROOMS.get(room) or AROUND.get(room) or "").split()
    if None in (room, other) or other in [room, "include"] + uses:
        return
    used.add((room, target))
    if (room, target) not in EXCEPTIONS:
        fault(path, line, "%s must not use %s: %s" % (room, other, name))


def check_files():
    used = set()
    for top in ("lib", "include", "tools", "bench", "mpi", "bindings", "examples", "test"):
        for folder, _, names in os.walk(top):
            for path in (os.path.join(folder, name) for name in sorted(names) if name.endswith(SOURCE)):
                if room_of(path) is None:
                    fault(path, 1, "it is in no room of test/arrows.py")
                for line, name, quoted in includes_of(path):
                    check_include(path, line, name, quoted, used)
    for exception in list(EXCEPTIONS) + list(OPENMP):
        if exception not in used:
            found.append("test/arrows.py: nothing needs the exception %s any more" % (exception,))


def check_tables():
    """No circle, and the table of CONTRIBUTING.md says the same of the rooms that are there."""
    order = list(ROOMS)
    for room, uses in ROOMS.items():
        for other in uses.split():
            if order.index(other) <= order.index(room):
                found.append("test/arrows.py: %s is not below %s" % (other, room))
    with open("CONTRIBUTING.md", encoding="utf-8") as file:
        rows = re.findall(r"^\| `lib/(\w+)[/*]+` \|.*\|(.*)\|$", file.read(), re.M)
    told = {room: set(re.findall(r"`(\w+)`", uses)) for room, uses in rows}
    there = {room for room in ROOMS if room == "api" or os.path.isdir("lib/" + room)}
    for room in sorted(there | set(told)):
        if told.get(room) != (set(ROOMS[room].split()) & there if room in there else None):
            found.append("CONTRIBUTING.md: what `lib/%s` may use is not what test/arrows.py says" % room)


os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
check_tables()
check_files()
print("\n".join(found) if found else "the rooms use each other as the picture in CONTRIBUTING.md says")
sys.exit(bool(found))
