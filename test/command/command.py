#!/usr/bin/env python3
"""Tests of the command mmscan against NumPy: test/command/command.py PATH_TO_MMSCAN [NAME_OF_A_TEST]...

The tests are in the files command_*.py, by subject. Exit status 0: passed, 77: skipped (no NumPy), else failed.
MMSCAN_TEST_MB is the size of the large file (128)."""

import os
import signal
import sys
import unittest

from find_numpy import np

if len(sys.argv) < 2:
    sys.exit("usage: command.py PATH_TO_MMSCAN [NAME_OF_A_TEST]...")

# Every class in these modules is tested.
from command_accuracy import *
from command_ab import *
from command_bench import *
from command_case import MMSCAN
from command_every import *
from command_loggp import *
from command_npy import *
from command_operations import *
from command_paper import *
from command_plots import *
from command_scan import *
from command_segments import *
from command_tune import *
from command_units import *

if __name__ == "__main__":
    del sys.argv[1]
    # A shell starts what it puts in the background with these ignored, which commands would inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    for variable in [name for name in os.environ if name.startswith("MMSCAN_")]:
        del os.environ[variable]
    os.environ["PYTHON"] = sys.executable  # for the command: some tests change PATH
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # its idle threads sleep after microseconds, not after 20 ms
    print("command.py: %s, NumPy %s" % (MMSCAN, np.__version__), file=sys.stderr)
    unittest.main(verbosity=2)
