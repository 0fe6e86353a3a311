#!/usr/bin/env python3
"""Tests of the command mmscan-mpi against mmscan: test/mpi/command_mpi.py MMSCAN MMSCAN_MPI [NAME_OF_A_TEST]...

MPIRUN starts it, by scripts/mpirun. Exit status 0: passed, 77: skipped (no NumPy), else failed."""

import concurrent.futures
import functools
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "command"))
from find_numpy import np
from command_case import Case, npy_bytes, run, sample

MMSCAN_MPI = os.path.abspath(sys.argv[2])
START = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "mpirun")
SECONDS = 60  # far more than anything takes, on a busy machine, too: what takes longer hangs
RANK = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
AT_ONCE = 4  # tests, and programs of one: the time goes into starting and ending processes, which wait a lot
ROUND = 4 << 20  # elements of a row that a process takes at a time

# Ranks, the array in a .npy file or (a name and) the data of another, and options. Results are to have the bits of
# mmscan's: operators are exact, or have --reproducible. SLABS, COLUMNS and LINES: what processes share.
generator = np.random.default_rng(51)
floats = generator.standard_normal
row = floats(3 * 4096 * 20 + 5)
cube = floats((7, 9001, 3)).astype("f4")
infinite = np.where(np.arange(60000) == 45000, np.inf, floats(60000))
halves = floats(50000).astype("f2")
bytes_ = sample("u1", 2 * ROUND + 12345)
CASES = [
    ("LINES", 1, row, "--reproducible"),
    ("LINES", 2, row, "--reproducible --reverse --kind offsets --total"),
    ("LINES", 3, row.astype(">f8"), "--reproducible --kind exclusive --total"),
    ("LINES", 5, row, "--reproducible --accurate --init 3.5"),
    ("LINES", 2, infinite, "--reproducible"),
    ("LINES", 3, 1 + floats(30000) / 9999, "--reproducible --op mul --monotone"),
    ("LINES", 3, np.where(row > 1, np.nan, row), "--op max --skip-nan --kind exclusive"),
    ("LINES", 3, halves, "--reproducible --to f32"),
    ("LINES", 2, halves, "--reproducible --reverse"),
    ("LINES", 2, floats(40000) + 1j * floats(40000), "--reproducible"),
    ("LINES", 3, floats(9000).astype("c8"), "--reproducible --op mul --kind exclusive"),
    ("LINES", 3, sample("i2", 100001), "--to i64 --checked --kind exclusive --total"),
    ("LINES", 5, sample("u8", 3), "--op xor --kind offsets"),
    ("LINES", 2, bytes_, "--kind exclusive"),
    ("LINES", 2, sample("i1", 2 * ROUND + 7), "--op min --reverse --kind offsets --total"),
    ("LINES", 2, floats((2 * ROUND + 9,)).astype("f4"), "--reproducible"),
    ("LINES", 3, cube[:2], "--reproducible --axis 1 --total"),
    ("LINES", 5, sample("u4", (1200001, 3)), "--axis 0 --reverse --kind offsets"),
    ("LINES", 2, sample("i4", (3000, 700)), "--axis 0 --op or --total"),
    ("LINES", 3, np.asfortranarray(cube[:2]), "--reproducible --axis 1"),
    ("SLABS", 3, cube, "--reproducible --axis 1 --kind offsets --total"),
    ("SLABS", 5, cube, "--reproducible --axis -1 --reverse --total"),
    ("SLABS", 2, np.asfortranarray(cube), "--axis 0 --reproducible --total"),
    ("COLUMNS", 3, floats((50, 6001)), "--axis 0 --kind exclusive --total"),
    ("COLUMNS", 2, sample("i8", (3, 5, 20000)), "--axis -2 --kind offsets --reverse"),
    ("none", 2, np.zeros((0, 3)), "--axis 0 --kind offsets --init 2 --total"),
    ("none", 3, np.zeros((3, 0), "i4"), "--axis 1 --kind exclusive"),
    ("one", 3, np.array(7.0), "--kind offsets"),
    ("raw", 3, ("in.raw", floats(70000).astype("f4").tobytes()), "--reproducible --type bf16"),
    ("raw", 2, ("in.bin", b""), "--type f32 --kind offsets"),
    ("raw", 5, ("noname", bytes(range(256)) * 99), "--type u16"),
]

REFUSED = [
    ("--bogus in.npy -o out.npy", "--bogus"),
    ("in.npy", "standard output: only a regular file is written"),
    ("- --format raw --type f32 -o out.raw", "standard input: only a regular file is read"),
    ("in.npy -o /dev/null", "/dev/null: only a regular file is written"),
    ("in.txt -o out.npy", "in.txt: text is"),
    ("in.npy --axis 0 -o out.csv", "out.csv: text is"),
    ("in.npy -o out.npy", "Fortran order"),
    ("nothing.npy -o out.npy", "nothing.npy: No such file"),
    ("in.npy --axis 0 --decay 0.5 -o out.npy", "--decay is done by one process"),
    ("in.npy --axis 0 --keys keys.npy -o out.npy", "--keys is done by one process"),
]


def start(ranks, *arguments, before=(), **options):
    words = [START, ranks, *before, MMSCAN_MPI, *arguments]
    return subprocess.Popen(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **options)


class MpiCase(Case):
    def mpi(self, ranks, *arguments, **options):
        """Its exit status, standard output, and lines of the command on standard error, where mpirun has its own."""
        process = start(ranks, *arguments, **options)
        try:
            out, err = process.communicate(timeout=SECONDS)
        finally:
            process.terminate()
        said = [line for line in err.decode(errors="replace").splitlines() if line.startswith("mmscan-mpi: ")]
        return process.returncode, out, said

    def scan(self, ranks, *arguments, **options):
        return self.mpi(ranks, "scan", *arguments, cwd=self.directory, **options)

    def told(self, ranks, *arguments, **options):
        """The same of a scan that fails, once more if nothing was said: Open MPI's mpirun may lose what a process says
        right before it ends, which was seen once."""
        outcome = self.scan(ranks, *arguments, **options)
        return outcome if outcome[2] else self.scan(ranks, *arguments, **options)

    def fails(self, ranks, *arguments, says, **options):
        """It says so once, and leaves nothing behind."""
        before = sorted(os.listdir(self.directory))
        begin = time.monotonic()
        status, out, said = self.told(ranks, *arguments, **options)
        self.assertLess(time.monotonic() - begin, SECONDS)
        self.assertNotEqual(status, 0, arguments)
        self.assertEqual(len(said), 1, said)
        self.assertIn(says, said[0])
        self.assertEqual(sorted(os.listdir(self.directory)), before)
        return out

    def on_rank(self, rank, what):
        """The words before a program whose process of that rank does something first."""
        return ["sh", "-c", '[ "%s" != %d ] || { %s; }; exec "$@"' % (RANK, rank, what), "sh"]


class Results(MpiCase):
    def all_of(self, folder):
        return {name: self.read(os.path.join(folder, name)) for name in os.listdir(folder)}

    def outcomes(self, case):
        """What mmscan does, and what mmscan-mpi: status, output, messages, files."""
        _, ranks, data, options = case
        name, content = data if isinstance(data, tuple) else ("in.npy", npy_bytes(data))
        options = [*options.split(), "-o", "out" + (os.path.splitext(name)[1] or ".raw"), name]
        for program in run, functools.partial(self.mpi, ranks):
            with tempfile.TemporaryDirectory(dir=self.directory) as folder:
                self.write(os.path.join(folder, name), content)
                status, out, said = program("scan", *options, cwd=folder)
                yield status, out, list(said), self.all_of(folder)

    def test_bits(self):
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for case, (wanted, got) in zip(CASES, pool.map(lambda case: list(self.outcomes(case)), CASES)):
                with self.subTest(shared=case[0], ranks=case[1], options=case[3]):
                    self.assertEqual(wanted[0], 0)
                    self.assertEqual(got[:3], wanted[:3])
                    self.assertEqual(sorted(got[3]), sorted(wanted[3]))
                    self.assertTrue(got[3] == wanted[3])

    def test_sums(self):
        """Without --reproducible, sums of floats are as near as they should be."""
        np.save(self.path("in.npy"), row)
        self.assertEqual(self.scan(3, "in.npy", "-o", "out.npy")[0], 0)
        got = np.load(self.path("out.npy"))
        self.assertLess(np.max(np.abs(got - np.cumsum(row.astype("g")))), 1e-13 * np.sum(np.abs(row)))

    def test_engine(self):
        """All processes take the one that the first reads from the command line."""
        np.save(self.path("in.npy"), row)
        other = self.on_rank(1, "export MMSCAN_ENGINE=none")
        self.fails(3, "in.npy", "-o", "out.npy", says="MMSCAN_ENGINE", before=other)
        self.assertEqual(self.scan(3, "in.npy", "-o", "out.npy", "--engine", "serial", before=other), (0, b"", []))


class Memory(MpiCase):
    MEGABYTES, MOST = 300, 100

    def test_blocks(self):
        """Of a large file each process holds a block."""
        measure = ("import resource, subprocess, sys; status = subprocess.call(sys.argv[1:], close_fds=False); "
                   "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(status)")
        with open(self.path("in.raw"), "wb") as file:
            file.truncate(self.MEGABYTES << 20)
        status, out, said = self.scan(2, "--type", "u8", "--op", "max", "in.raw", "-o", "out.raw",
                                      before=[sys.executable, "-c", measure])
        self.assertEqual((status, said), (0, []))
        self.assertEqual(len(out.split()), 2)
        self.assertLess(max(map(int, out.split())), self.MOST << 10)


class Refused(MpiCase):
    def test_options(self):
        np.save(self.path("in.npy"), np.asfortranarray(np.ones((3, 4))))
        self.write("in.txt", "1 2 3")
        before = sorted(os.listdir(self.directory))
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for (arguments, says), (status, _, said) in zip(REFUSED, pool.map(lambda row: self.told(2, *row[0].split()),
                                                                              REFUSED)):
                with self.subTest(arguments=arguments):
                    self.assertNotEqual(status, 0)
                    self.assertEqual(len(said), 1, said)
                    self.assertIn(says, said[0])
        self.assertEqual(sorted(os.listdir(self.directory)), before)

    def test_overflow(self):
        """Of one process alone, where each has a row of its own; and of a part."""
        matrix = np.ones((3, 4), "i1")
        matrix[2] = 100
        np.save(self.path("in.npy"), matrix)
        self.fails(3, "in.npy", "--axis", "1", "--checked", "-o", "out.npy", says="in.npy: ")
        self.fails(3, "in.npy", "--checked", "-o", "out.npy", says="in.npy: ")


class Faults(MpiCase):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("here"))
        os.mkdir(self.path("there"))
        np.save(self.path("here/in.npy"), row)
        self.directory = self.path("here")
        self.write("out.npy", b"old")

    def tearDown(self):
        self.assertEqual(self.read("out.npy"), b"old")

    def test_unreadable(self):
        """On one rank."""
        for rank in (1, 2):
            self.fails(3, "in.npy", "-o", self.path("out.npy"), says="in.npy: No such file",
                       before=self.on_rank(rank, "cd ../there"))

    def test_other_file(self):
        """One rank has another file under the name."""
        np.save(self.path("../there/in.npy"), row[:-1])
        self.fails(3, "in.npy", "-o", self.path("out.npy"), says="bytes of data instead of",
                   before=self.on_rank(2, "cd ../there"))

    def test_unwritable(self):
        """One rank does not find the folder of the output."""
        self.fails(3, os.path.join(self.directory, "in.npy"), "-o", "out.npy", says="out.npy: No such file",
                   before=self.on_rank(1, "cd ../there"))

    def test_full(self):
        """One rank cannot write past some megabytes; MPI needs some, too, so that it may say more."""
        with open(self.path("in.raw"), "wb") as file:
            file.truncate(24 << 20)
        self.fails(3, "--type", "u8", "--to", "i64", "in.raw", "-o", self.path("out.npy"), says="out.npy: ",
                   before=self.on_rank(1, "ulimit -f 140000"))

    def end_by(self, number, victim):
        """While it scans, a process of that rank, or mpirun, gets a signal. Where one is killed, some MPIs kill the
        others, and nobody is left to remove the temporary file."""
        folder = tempfile.mkdtemp(dir=self.directory)
        ids = tempfile.mkdtemp(dir=self.directory)
        self.write(os.path.join(folder, "out.npy"), b"old")
        process = start(3, "scan", "--type", "u8", "../large.raw", "-o", "out.npy", cwd=folder,
                        before=["sh", "-c", 'echo $$ >"$0/%s"; exec "$@"' % RANK, ids])
        self.addCleanup(process.terminate)
        def is_written(name):  # some MPIs have files of their own beside it, whose names go on
            return (name.startswith(".mmscan-") and "." not in name[1:] and
                    os.path.getsize(os.path.join(folder, name)) > 1 << 25)

        while process.poll() is None and not any(map(is_written, os.listdir(folder))):
            time.sleep(0.02)
        self.assertIsNone(process.returncode, process.returncode and process.communicate())
        begin = time.monotonic()
        of_rank = [int(self.read(os.path.join(ids, str(rank)))) for rank in range(3)]
        os.kill(process.pid if victim is None else of_rank[victim], number)
        process.communicate(timeout=SECONDS)
        while any(os.path.exists("/proc/%d" % each) for each in of_rank):
            self.assertLess(time.monotonic() - begin, SECONDS)
            time.sleep(0.02)
        if number == signal.SIGKILL:
            for name in set(os.listdir(folder)) - {"out.npy"}:
                self.assertTrue(name.startswith(".mmscan-"), name)
                os.remove(os.path.join(folder, name))
        self.assertEqual(os.listdir(folder), ["out.npy"])
        self.assertEqual(self.read(os.path.join(folder, "out.npy")), b"old")
        if victim is not None:  # what mpirun ends with by a signal of its own is its business: MPICH's has 0 at times
            self.assertNotEqual(process.returncode, 0)

    def test_killed(self):
        with open(self.path("large.raw"), "wb") as file:
            file.truncate(4 << 30)
        ends = [(signal.SIGKILL, 1), (signal.SIGTERM, 0), (signal.SIGTERM, None), (signal.SIGINT, None)]
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for end, outcome in [(end, pool.submit(self.end_by, *end)) for end in ends]:
                with self.subTest(number=end[0], victim=end[1]):
                    outcome.result()


def cases_of(suite):
    return [suite] if isinstance(suite, unittest.TestCase) else [case for part in suite for case in cases_of(part)]


def run_alone(case):
    begin, result = time.monotonic(), unittest.TestResult()
    case.run(result)
    return result, time.monotonic() - begin


def run_at_once(cases, result):
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for case, (own, seconds) in zip(cases, pool.map(run_alone, cases)):
            verdict = "skipped" if own.skipped else "ok" if own.wasSuccessful() else "FAILED"
            result.stream.writeln("%s ... %s, %.0f s" % (case.id(), verdict, seconds))
            result.testsRun += own.testsRun
            result.failures += own.failures
            result.errors += own.errors
            result.skipped += own.skipped


class AtOnce(unittest.TextTestRunner):
    def run(self, suite):
        return super().run(functools.partial(run_at_once, cases_of(suite)))


if __name__ == "__main__":
    del sys.argv[1:3]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    unittest.main(testRunner=AtOnce)
