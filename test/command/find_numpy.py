"""NumPy, as np: by this Python, or else by the system's own, which then runs the program; without it, that is skipped."""

import os
import sys

try:
    import numpy as np
except ImportError:
    # The first python3 in the path may lack the NumPy that the system's own python3 has.
    system = "/usr/bin/python3"
    if os.path.realpath(sys.executable) != os.path.realpath(system) and os.access(system, os.X_OK):
        os.execv(system, [system] + sys.argv)
    print("%s: skipped, as NumPy is missing" % os.path.basename(sys.argv[0]))
    sys.exit(77)
