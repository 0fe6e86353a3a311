"""Tests of mmscan model --mpi, without any MPI."""

import functools
import json
import math
import os

from command_case import Case


class Network:
    """The times of parts of a scan over ranks, each computed from when its messages arrive, by recursion."""

    def __init__(self, loggp, memory, ranks, rank_memory=math.inf, per_node=1, combine=0, carry=64, element=8):
        self.latency, self.overhead, self.gap, self.byte = loggp
        self.memory, self.rank_memory, self.per_node = memory, rank_memory, per_node
        self.ranks, self.combine, self.carry, self.element = ranks, combine, carry, element

    def arrival(self, ready, size):
        return ready + self.overhead + (size - 1) * self.byte + self.latency

    def received(self, own, other, size, work=0):
        """When a rank that sent at `own` has what was sent at `other`."""
        return max(own + self.overhead, self.arrival(other, size)) + self.overhead + work

    def moved(self, rank, n, transfers):
        on_node = min(self.per_node, self.ranks - rank // self.per_node * self.per_node)
        part = len(range(rank, n, self.ranks))
        return transfers * self.element * part / min(self.rank_memory, self.memory / on_node)

    def allgather(self):
        """All ranks do the same."""
        rounds = [2 ** k for k in range(32) if 2 ** k < self.ranks]
        return sum(self.received(0, 0, 16 * min(step, self.ranks - step)) for step in rounds)

    def exscan(self, begin):
        """When each rank has its carry."""
        @functools.lru_cache(maxsize=None)
        def after(rank, rounds):
            if rounds == 0:
                return begin[rank]
            peer, own = rank ^ 2 ** (rounds - 1), after(rank, rounds - 1)
            if peer >= self.ranks:
                return own
            return self.received(own, after(peer, rounds - 1), self.carry, self.combine * (2 if rank > peer else 1))
        return [after(rank, (self.ranks - 1).bit_length()) for rank in range(self.ranks)]

    def linear_exscan(self, begin):
        ends = [begin[0] + self.overhead]
        for rank in range(1, self.ranks):
            sent = ends[-1] - self.overhead
            is_last = rank == self.ranks - 1
            has = max(begin[rank], self.arrival(sent, self.carry)) + self.overhead + (0 if is_last else self.combine)
            ends.append(has if is_last else has + self.overhead)
        return ends

    def allreduce(self, begin):
        """When each rank is done: those beyond a power of two leave their neighbours to it."""
        power = 2 ** (self.ranks.bit_length() - 1)
        beyond = self.ranks - power
        times = [max(begin[2 * i + 1], self.arrival(begin[2 * i], 4)) + self.overhead for i in range(beyond)] + begin[2 * beyond:]
        for bit in (2 ** k for k in range(32) if 2 ** k < power):
            times = [self.received(times[i], times[i ^ bit], 4) for i in range(power)]
        pairs = [[self.arrival(time, 4) + self.overhead, time + self.overhead] for time in times[:beyond]]
        return sum(pairs, []) + times[beyond:]

    def whole(self, n, exscan=None):
        if self.ranks == 1:
            return self.moved(0, n, 2)
        begin = [self.allgather() + self.moved(rank, n, 1) for rank in range(self.ranks)]
        carried = self.allreduce((exscan or self.exscan)(begin))
        return max(self.allreduce([time + self.moved(rank, n, 2) for rank, time in enumerate(carried)]))


class ModelMpi(Case):
    """Figures of the formula and of the simulation, against those of Network."""

    LOGGP, MEMORY = (3553, 1153, 991, 0.497), 40
    OPTIONS = ["--loggp", "3553,1153,991,0.497", "--memory", 40]

    def report(self, *options):
        return json.loads(self.good("model", "--mpi", *options, "--json"))

    def check_time(self, got, wanted, note):
        self.assertAlmostEqual(got / wanted, 1, 9, note)

    def test_simulation(self):
        """Of every number of ranks to 17, and some larger ones; uneven parts and nodes."""
        more = ["--rank-memory", 12, "--ranks-per-node", 6, "--combine", 150, "--carry", 80, "--type", "f32"]
        for ranks in [*range(1, 18), 24, 33, 1000, 4096, 5000]:
            for n in 0, 7, 10 ** 13 + 5:
                row = self.report("-n", n, "-p", ranks, *self.OPTIONS, *more)["rows"][-1]
                network = Network(self.LOGGP, self.MEMORY, ranks, 12, 6, 150, 80, 4)
                self.assertEqual(row["ranks"], ranks)
                if ranks == 1 and n == 0:
                    self.assertEqual(row["simulated"], 0)
                else:
                    self.check_time(row["simulated"], network.whole(n), (ranks, n))

    def test_formula(self):
        """That of the simulation, where p is a power of two and divides n; else no earlier, by some carries and elements."""
        options = [*self.OPTIONS, "--combine", 200]
        for n in 2 ** 24, 10 ** 13:
            for row in self.report("-n", n, "-p", 100000, *options)["rows"][1:]:
                ranks = row["ranks"]
                rounds = math.ceil(math.log2(ranks))
                if ranks & (ranks - 1) == 0 and n % ranks == 0:
                    self.check_time(row["simulated"], row["whole"], ranks)
                self.assertLessEqual(row["simulated"], row["whole"] * (1 + 1e-12))
                self.assertLessEqual(row["whole"] - row["simulated"], 2 * 200 * rounds + 4 * (3553 + 2 * 1153) + 3 * 8 / self.MEMORY, ranks)
                message = 3553 + 2 * 1153 + 63 * 0.497
                self.check_time(row["exscan"], rounds * (message + 400), ranks)
                self.check_time(row["total"] + row["scan"], 3 * 8 * -(-n // ranks) / self.MEMORY, ranks)
                self.check_time(row["whole"], sum(row[part] for part in ("allgather", "total", "exscan", "scan", "allreduce")), ranks)
                status = (ranks.bit_length() - 1 + 2 * (ranks & (ranks - 1) > 0)) * (3553 + 2 * 1153 + 3 * 0.497)
                self.check_time(row["allreduce"], 2 * status, ranks)
                self.check_time(row["in_turn"], row["allgather"] + 2 * 8 * n / self.MEMORY + (ranks - 1) * message + status, ranks)

    def test_other_algorithms(self):
        """Carries, and then records, that go from rank to rank."""
        for ranks in 2, 3, 8, 100:
            row = self.report("-n", 10 ** 6, "-p", ranks, *self.OPTIONS, "--exscan", "linear", "--combine", 70)["rows"][-1]
            network = Network(self.LOGGP, self.MEMORY, ranks, combine=70)
            self.check_time(row["simulated"], network.whole(10 ** 6, network.linear_exscan), ranks)
            self.check_time(row["exscan"], (ranks - 1) * (3553 + 2 * 1153 + 63 * 0.497 + 70), ranks)
            ring = self.report("-n", 10 ** 6, "-p", ranks, *self.OPTIONS, "--allgather", "ring", "--combine", 70)["rows"][-1]
            self.check_time(ring["allgather"], (ranks - 1) * (3553 + 2 * 1153 + 15 * 0.497), ranks)
            network.allgather = lambda: ring["allgather"]
            self.check_time(ring["simulated"], network.whole(10 ** 6), ranks)

    def test_gap(self):
        """A gap longer than a message takes its place in every round; the simulation need not wait for the last one."""
        row = self.report("-n", 0, "-p", 1024, "--loggp", "100,10,500,0", "--memory", 1)["rows"][-1]
        self.assertEqual(row["exscan"], 10 * 500)
        self.assertEqual(row["whole"], 4 * 10 * 500)
        self.assertEqual(row["simulated"], 39 * 500 + 120)

    def test_balance(self):
        for n in 10 ** 6, 10 ** 9, 10 ** 13:
            report = self.report("-n", n, "-p", 1, *self.OPTIONS)
            rows = {row["ranks"]: row for row in self.report("-n", n, "-p", report["balance"], *self.OPTIONS)["rows"]}
            sides = {ranks: (row["allgather"] + row["exscan"] + row["allreduce"], row["total"] + row["scan"]) for ranks, row in rows.items()}
            self.assertGreaterEqual(*sides[report["balance"]])
            for ranks in sides:
                if 1 < ranks < report["balance"]:
                    self.assertLess(*sides[ranks])
        self.assertIsNone(self.report("-n", 10 ** 18, "-p", 1, "--loggp", "0,0,0,0", "--memory", 1)["balance"])

    def test_defaults(self):
        given = ["--rank-memory", 40, "--ranks-per-node", 1, "--combine", 0, "--carry", 64, "--type", "f64", "--exscan", "doubling",
                 "--allgather", "bruck", "-p", 100000]
        self.assertEqual(self.good("model", "--mpi", "-n", "10^9", *self.OPTIONS), self.good("model", "--mpi", "-n", 10 ** 9, *self.OPTIONS, *given))

    def test_text_says_what_json_says(self):
        options = ["-n", 12345678, "-p", 24, *self.OPTIONS, "--ranks-per-node", 4, "--combine", 90]
        text, report = self.good("model", "--mpi", *options).decode(), self.report(*options)
        lines = [line.split() for line in text.splitlines()]
        heads = next(line for line in lines if line[:1] == ["ranks"])
        self.assertEqual([row["ranks"] for row in report["rows"]], [1, 2, 4, 8, 16, 24])
        for row in report["rows"]:
            cells = next(line for line in lines if line[:1] == [str(row["ranks"])])
            for name, cell in zip(heads[1:], cells[1:]):
                self.assertAlmostEqual(float(cell), row[name] * (1 if name == "speedup" else 1e-3), delta=1e-4 * float(cell), msg=name)
            self.assertAlmostEqual(row["speedup"], report["rows"][0]["whole"] / row["whole"])
        self.assertIn("From %d ranks on" % report["balance"], text)
        self.assertIn("L = 3553 ns, o = 1153 ns, g = 991 ns, G = 0.497 ns", text)
        self.assertIn("memory: 40 GB/s for the 4 ranks of a node, 40 GB/s for one", text)

    def test_wrong_usage(self):
        good = ["-n", 10, *self.OPTIONS]
        for options in [[], ["-n", 10], ["-n", 10, "--memory", 1], ["-n", 10, "--loggp", "1,1,1,1"], self.OPTIONS, [*good, "x"], [*good, "-s", 4],
                        [*good, "--loggp", "1,2,3"], [*good, "--loggp", "1,2,3,4,5"], [*good, "--loggp", "1,2,3,x"], [*good, "--loggp", "1,2,-3,4"],
                        [*good, "--loggp", "1,2,inf,4"], [*good, "--loggp", "nan,2,3,4"], [*good, "--loggp", ""], [*good, "--memory", 0],
                        [*good, "--memory", -1], [*good, "--memory", "x"], [*good, "--memory", "1x"], [*good, "--rank-memory", 0],
                        [*good, "--ranks-per-node", 0], [*good, "--combine", -1], [*good, "--combine", "1,2"], [*good, "--carry", 0],
                        [*good, "--type", "f65"], [*good, "--exscan", "tree"], [*good, "--allgather", ""], [*good, "-p", 0], [*good, "-p", 2 ** 24 + 1],
                        [*good, "-n", 2 ** 63], [*good, "--fit"], ["--fit", "--memory", 1], ["--fit", "--loggp", "1,1,1,1"], ["--fit", "--combine", 0], ["--fit", "--rank-memory", 1],
                        ["--fit", "--ranks-per-node", 1]]:
            self.assertEqual(self.bad("model", "--mpi", *options, status=2), b"", options)


class FitMpi(Case):
    """What the command makes of what a program prints that mpirun starts."""

    def fit(self, lines, status=0):
        """MPIRUN as a script that notes its arguments and prints lines."""
        script = self.write("mpirun", "#!/bin/sh\nprintf '%%s\\n' \"$*\" >'%s'\n%s\nexit %d\n" % (self.path("seen"), "\n".join("echo '%s'" % line for line in lines), status))
        os.chmod(script, 0o755)
        self.write("seen", "")
        return {"MPIRUN": script}

    LINE = "--loggp 300,100,50,0.125 --memory 20 --rank-memory 12.5 --ranks-per-node 2 --combine 75"

    def test_fit(self):
        environment = self.fit([self.LINE])
        got = json.loads(self.good("model", "--mpi", "--fit", "--json", env=environment))
        self.assertEqual(got, {"latency": 300, "overhead": 100, "gap": 50, "byte": 0.125, "memory": 20, "rank_memory": 12.5,
                               "ranks_per_node": 2, "combine": 75})
        seen = self.read("seen").decode().split()
        self.assertEqual((seen[:2], os.path.basename(seen[2]), seen[3:]), (["-n", "2"], "mmscan-mpi-bench", ["fit"]))
        self.assertIn("\n%s\n" % self.LINE, self.good("model", "--mpi", "--fit", env=environment).decode())
        for more in [], ["--json"]:
            self.assertEqual(self.good("model", "--mpi", "--fit", "-n", 1000, *more, env=environment),
                             self.good("model", "--mpi", "-n", 1000, *more, *self.LINE.split()))

    def test_failures(self):
        for lines, status, says in [([self.LINE], 3, "fit failed"), ([], 0, "fit failed"), ([""], 0, "measured nothing"), (["--json"], 0, "measured nothing"),
                                    (["x"], 0, "unexpected argument"), (["--memory 0"], 0, "--memory"), (["--loggp 1,2,3,4"], 0, "measured nothing")]:
            self.assertEqual(self.bad("model", "--mpi", "--fit", env=self.fit(lines, status), says=says), b"", lines)
        self.assertEqual(self.bad("model", "--mpi", "--fit", env={"MPIRUN": self.path("none")}, says="none: No such file"), b"")
