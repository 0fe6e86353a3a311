"""Tests of mmscan info, mmscan tune and wrong usage."""

import json
import os
import re
import resource
import signal
import subprocess

import numpy as np

from command_case import MMSCAN, Case, expected, npy_bytes, remark, run, sample, toy


class InfoAndUsage(Case):
    def test_info(self):
        report = json.loads(self.good("info", "--json"))
        text = self.good("info").decode()
        self.assertEqual(text.splitlines()[0].split(), ["version", report["version"]])
        self.assertLessEqual({"gemm", "simd", "serial"}, {engine["name"] for engine in report["engines"]})
        self.assertIn("cblas", [unit["name"] for unit in report["units"]])
        for key in "version", "cpu", "isa":
            self.assertIsInstance(report[key], str)
            self.assertIn(report[key], text)
        for part in report["engines"] + report["units"] + report["isas"]:
            self.assertIn(part["name"], text)
            self.assertIn(part["description"], text)
        self.assertIn("wisdom       none", text)
        here = {unit["name"]: unit["here"] for unit in report["units"]}
        self.assertTrue(here["cblas"] and here["model"])
        self.assertEqual(text.count("cannot be used here"), list(here.values()).count(False))
        self.assertGreaterEqual(report["threads"], 1)
        self.assertIn("threads      3\n", self.good("info", env={"MMSCAN_NUM_THREADS": "3"}).decode())
        self.assertIsNone(report["wisdom"])
        self.assertIsNone(report["environment_error"])

    def test_what_a_terminal_would_obey(self):
        _, out, err = run("info", env={"MMSCAN_WISDOM": self.path("a\x1b[31mb")})
        self.assertIn("a?[31mb, 0 shapes\n", out.decode())
        self.assertRegex(out.decode(), r"environment is illegal: .*a\?\[31mb: No such file")
        self.assertNotIn("\x1b", out.decode() + err)

    def test_instruction_sets(self):
        """Each that runs here can be chosen, and gives the same whole numbers; the others are refused by name."""
        path = self.write("x", sample("f4", 100000).tobytes())
        isas = json.loads(self.good("info", "--json"))["isas"]
        self.assertEqual([isa["name"] for isa in isas], ["avx512", "avx512vl", "avx2", "neon", "portable"])
        wanted = self.good("scan", "--type", "f32", path)
        for isa in isas:
            env = {"MMSCAN_ISA": isa["name"]}
            if isa["description"] == "runs here":
                self.assertEqual(json.loads(self.good("info", "--json", env=env))["isa"], isa["name"])
                self.assertEqual(self.good("scan", "--type", "f32", path, env=env), wanted)
            else:
                self.bad("info", env=env, says=["MMSCAN_ISA", isa["name"], "does not have it"])
                self.bad("scan", "--type", "f32", path, env=env, says=["MMSCAN_ISA", isa["name"]])
        self.bad("info", env={"MMSCAN_ISA": "abacus"}, says=["MMSCAN_ISA", "abacus", "avx512, avx512vl, avx2, neon, portable"])
        remark("of %s" % ", ".join(isa["name"] for isa in isas if isa["description"] == "runs here"))

    def test_illegal_environment(self):
        path = self.write("x.txt", "1 2")
        wrong = {"MMSCAN_ENGINE": "abacus"}
        self.bad("scan", "-o", self.path("y.txt"), path, env=wrong, says=["mmscan: MMSCAN_ENGINE=abacus"])
        self.good("scan", "--engine", "serial", path, env=wrong)
        for options in ["info"], ["info", "--json"]:
            status, out, err = run(*options, env=wrong)
            self.assertEqual(status, 1)
            self.assertIn("MMSCAN_ENGINE", err)
            self.assertIn("abacus", out.decode())
        report = json.loads(out)
        self.assertEqual(report["environment"], wrong)
        self.assertIn("MMSCAN_ENGINE", report["environment_error"])
        status, out, _ = run("info", "--json", env={"MMSCAN_ENGINE": b"\xff\xfe".decode("utf-8", "surrogateescape")})
        self.assertEqual((status, len(json.loads(out)["environment"])), (1, 1))
        report = json.loads(self.good("info", "--json", env={"MMSCAN_NUM_THREADS": "1"}))
        self.assertEqual((report["threads"], report["environment"]), (1, {"MMSCAN_NUM_THREADS": "1"}))

    def test_help(self):
        for arguments in ["--help"], ["-h"], ["scan", "--help"], ["info", "--help"], ["bench", "--help"], \
                ["tune", "--help"], ["table", "--help"], ["draw", "--help"], ["model", "--help"], ["help", "--help"], ["version", "--help"]:
            self.assertIn("Usage: mmscan", self.good(*arguments).decode())
        self.assertEqual(self.good("--version").decode().split()[0], "mmscan")
        self.assertEqual(self.good("version"), self.good("--version"))
        self.assertEqual(self.good("help"), self.good("--help"))
        rows = re.findall("(?m)^([a-z]+) +([fiu][0-9]+) ", self.good("info", "--kernels").decode())
        names = {name for row in rows for name in row} | {"i8", "u8", "i16", "u16", "f16", "bf16", "c32", "c64"}
        self.assertLess({"plus", "max", "u64"}, names)
        for subcommand in "scan", "bench", "tune":
            text = self.good(subcommand, "--help").decode()
            self.assertLessEqual(names, set(re.findall("[a-z]+[0-9]*", text)), subcommand)
            self.assertNotIn("{", text)
            self.assertLess(max(map(len, text.splitlines())), 90)
        self.assertEqual(self.good("help", "tune"), self.good("tune", "--help"))
        self.assertEqual(self.good("help", "help"), self.good("help", "--help"))
        self.assertEqual(self.good("help", "version"), self.good("version", "--help"))
        self.bad("version", "junk", status=2, says="junk")
        self.bad("--version", "junk", status=2, says="junk")
        self.bad("help", "abacus", status=2, says="abacus")
        self.bad("help", "scan", "tune", status=2, says="one subcommand")

    def test_values_that_are_not_there(self):
        """The message names the values that exist."""
        for arguments, names in [(["scan", "--kind", "x"], "inclusive, exclusive"), (["scan", "--op", "x"], "plus, max, min"), (["tune", "--op", "x"], "plus, max, min"),
                                 (["scan", "--type", "x"], "u64"), (["tune", "--type", "x"], "u64"), (["bench", "--type", "x"], "bf16, all"),
                                 (["bench", "-n", "2^20"], "--length"), (["draw", "--figure", "x"], "segments"), (["draw", "--algorithm", "x"], "'x' is not one of sklansky, "),
                                 (["draw", "-n", "3^20"], "-n: '3^20' is not from 1 to 1024\n"), (["draw", "-n", "5000"], "-n: '5000' is not from 1 to 1024\n"),
                                 (["draw", "-n", "9" * 30], "is not from 1 to 1024\n"), (["draw", "-n", "2^x"], "'2^x' is neither"),
                                 (["tune", "--try", "cblas"], "--try takes two arguments, UNIT ROUTINE"), (["scan"], "standard input")]:
            self.bad(*arguments, status=2, says=names)

    def test_wrong_options(self):
        for arguments, says in [(["--sing"], "unknown or ambiguous option '--sing'"), (["--\x1b[31mx"], "unknown or ambiguous option '--?[31mx'"),
                                (["--type"], "option '--type' lacks its value"),
                                (["--reverse=yes"], "option '--reverse=yes' takes no value"), (["-x"], "option '-x' is unknown or lacks its value"),
                                (["--reverse", "-xh"], "option '-x' is unknown or lacks its value"), (["-o"], "option '-o' is unknown or lacks its value")]:
            self.bad("scan", *arguments, status=2, says=says)
            err = run("scan", *arguments)[2]
            self.assertEqual((err.count("\n"), "\x1b" in err), (2, False), err)

    def test_order_of_messages(self):
        """Where both streams go to one place, the earlier message comes first."""
        status, out, _ = run("info", stderr=subprocess.STDOUT, env={"MMSCAN_ENGINE": "abacus"})
        self.assertEqual((status, out.decode().splitlines()[-1][:7]), (1, "mmscan:"))

    def test_variables_that_forge_lines(self):
        lines = self.good("info", env={"MMSCAN_X": "a\nISA bogus\x1b[1m"}).decode().splitlines()
        self.assertIn("  MMSCAN_X=a?ISA bogus?[1m", lines)
        names = {"MMSCAN_\x1b[1m": "b", os.fsdecode(b"MMSCAN_\xff"): "c"}
        lines = self.good("info", env=names).decode().splitlines()
        self.assertTrue({"  MMSCAN_?[1m=b", "  MMSCAN_?=c"} <= set(lines), lines)
        self.assertEqual(json.loads(self.good("info", "--json", env=names))["environment"], {"MMSCAN_\x1b[1m": "b", "MMSCAN_?": "c"})

    def test_little_address_space(self):
        """What needs no BLAS opens none, whose threads might find no memory and delay the exit."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (160 << 20, 160 << 20))
        for command in ["--version"], ["scan", self.write("x.txt", "1 2 3")]:
            self.assertEqual(run(*command, preexec_fn=limit, timeout=20)[:2], (0, self.good(*command)))

    def test_wrong_usage(self):
        path, raw = self.write("x.txt", "1 2"), self.write("x.dat", bytes(8))
        npy = self.write("x.npy", npy_bytes(np.zeros(2)))
        for arguments in [[], ["sing"], ["--sing"], ["scan"], ["scan", "--sing", path], ["scan", path, path],
                          ["scan", "--type", "f8", path], ["scan", "--type", path], ["scan", "--kind", "both", path],
                          ["scan", "--op", "minus", path], ["scan", "--axis", "x", path], ["scan", "--axis", "1.5", path],
                          ["scan", "--axis", "", path], ["scan", "--axis", " 0", path], ["scan", "--axis", "-", path], ["scan", "--format", "xls", path], ["scan", path, "-o"],
                          ["scan", "--engine", "abacus", path], ["scan", raw], ["scan", "--column", "1", npy],
                          ["scan", "--type", "f64", "--column", "1", raw], ["scan", "--header", "maybe", path],
                          ["scan", "--header", "no", npy], ["scan", "--type", "f64", "--header", "no", raw], ["scan", "--format", "raw", path],
                          ["scan", "--reverse=yes", path], ["info", "x"], ["info", "--sing"]]:
            _, out, err = run(*arguments)
            self.assertEqual(self.bad(*arguments, status=2), b"")
            self.assertIn("--help", err)


class Tune(Case):
    """What it writes, never how fast anything is."""

    QUICK = ["tune", "--quick", "--type"]

    def test_wisdom(self):
        """The file is made, MMSCAN_WISDOM accepts it, and info reports it."""
        path = self.path("w")
        text = self.good(*self.QUICK, "f32", "-o", path).decode()
        shapes = [line.split()[:3] for line in text.splitlines()[:-1] if line.startswith("plus")]
        self.assertEqual(shapes, [["plus", "f32", "2^16"], ["plus", "f32", "2^20"]])
        self.assertIn("written to " + path, text.splitlines()[-1])
        self.assertEqual(os.listdir(self.directory), ["w"])
        self.assertIn("wisdom       %s, 2 shapes" % path, self.good("info", env={"MMSCAN_WISDOM": path}).decode())
        report = json.loads(self.good("info", "--json", env={"MMSCAN_WISDOM": path}))
        self.assertEqual(report["wisdom"], {"file": path, "shapes": 2})
        x = sample("f4", 100000)
        out = self.good("scan", "--type", "f32", "-", data=x.tobytes(), env={"MMSCAN_WISDOM": path})
        self.same(np.frombuffer(out, "f4"), expected(x))

    def test_json(self):
        path = self.write("w", b"old, and no wisdom")
        report = json.loads(self.good(*self.QUICK, "i64", "-o", path, "--json"))
        self.assertEqual((report["file"], report["version"]), (path, json.loads(self.good("info", "--json"))["version"]))
        self.assertEqual([(row["op"], row["type"], row["log2_n"]) for row in report["choices"]],
                         [("plus", "i64", 16), ("plus", "i64", 20)])
        info = json.loads(self.good("info", "--json", env={"MMSCAN_WISDOM": path}))
        for row in report["choices"]:
            self.assertIn(row["engine"], [engine["name"] for engine in info["engines"]])
            self.assertGreaterEqual(row["threads"], 1)
            self.assertEqual(row["unit"] is None, row["engine"] != "gemm")
        self.assertEqual(info["wisdom"]["shapes"], 2)
        odd = self.good(*self.QUICK, "i64", "-o", self.path(os.fsdecode(b"\xff")), "--json")
        self.assertEqual(json.loads(odd)["file"], self.path("?"))

    def test_old_wisdom_is_measured_again(self):
        """It is not believed, and not in the way if it is invalid."""
        self.write("w", b"no wisdom")
        self.good(*self.QUICK, "f32", "-o", self.path("new"), env={"MMSCAN_WISDOM": self.path("w")})
        self.assertEqual(self.read("w"), b"no wisdom")

    def test_all_types_and_lengths(self):
        """Each type, and every length from 2^16 to 2^24; with --quick, two of these lengths."""
        rows = json.loads(self.good("tune", "--quick", "-o", self.path("w"), "--json"))["choices"]
        self.assertEqual([(row["type"], row["log2_n"]) for row in rows],
                         [(kind, k) for kind in ("f32", "f64", "i32", "i64", "u32", "u64") for k in (16, 20)])
        rows = json.loads(self.good("tune", "--type", "u32", "-o", self.path("w"), "--json"))["choices"]
        self.assertEqual([row["log2_n"] for row in rows], list(range(16, 25)))
        lines = [line.split() for line in self.read("w").decode().splitlines() if line.startswith("plus u32 ")]
        self.assertEqual(sorted((int(line[2]), line[4], *map(int, line[6:9])) for line in lines),
                         [(row["log2_n"], row["engine"], row["s"], row["tile"], row["threads"]) for row in rows])

    def test_operator(self):
        path = self.path("w")
        text = self.good(*self.QUICK, "f32", "--op", "max", "-o", path).decode()
        shapes = [line.split()[:3] for line in text.splitlines() if line.startswith("max")]
        self.assertEqual(shapes, [["max", "f32", "2^16"], ["max", "f32", "2^20"]])
        self.assertEqual(self.read("w").count(b"\nmax f32 "), 2)
        self.assertNotIn(b"plus", self.read("w"))
        x = sample("f4", 100000)
        out = self.good("scan", "--op", "max", "--type", "f32", "-", data=x.tobytes(), env={"MMSCAN_WISDOM": path})
        self.same(np.frombuffer(out, "f4"), np.maximum.accumulate(x))
        rows = json.loads(self.good(*self.QUICK, "u32", "--op", "min", "-o", path, "--json"))["choices"]
        self.assertEqual([(row["op"], row["type"], row["log2_n"]) for row in rows], [("min", "u32", 16), ("min", "u32", 20)])

    def test_default_file(self):
        self.good(*self.QUICK, "f32", cwd=self.directory)
        self.assertEqual(os.listdir(self.directory), ["mmscan.wisdom"])

    def test_wisdom_that_cannot_be_used(self):
        path = self.write("x.txt", "1 2")
        files = {self.path("missing"): "No such file", self.directory: "read", self.write("w", b"x"): "not wisdom"}
        for name, reason in files.items():
            env = {"MMSCAN_WISDOM": name}
            self.bad("info", env=env, says=["mmscan: MMSCAN_WISDOM=", name, reason])
            self.bad("scan", "-o", self.path("y"), path, env=env, says=["mmscan: MMSCAN_WISDOM=", name, reason])
            status, out, _ = run("info", "--json", env=env)
            self.assertEqual((status, json.loads(out)["wisdom"]), (1, {"file": name, "shapes": 0}))

    def test_failures(self):
        limit = lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.setrlimit(resource.RLIMIT_FSIZE, (9, 9)))
        old = self.write("w", b"old")
        for name, reason in [("missing/w", "No such file"), (self.directory, "directory"), ("/dev/full", "not a regular file")]:
            self.assertEqual(self.bad(*self.QUICK, "f32", "-o", self.path(name), says=[name, reason]), b"")  # not measured
        self.assertEqual(self.bad(*self.QUICK, "f32", "-o", "", cwd=self.directory, says="empty"), b"")
        self.bad("tune", "--unit", self.path("libx.so"), says="mmscan: %s: cannot open" % self.path("libx.so"))
        self.assertEqual(self.good("tune", "--unit", self.path("libx.so"), "--help"), self.good("tune", "--help"))
        self.bad("tune", "--unit", self.path("libx.so"), "--sing", status=2)
        self.bad("tune", "--try", "xsmm", "foo", says="mmscan: xsmm: there is no routine 'foo'")
        self.bad("draw", "--algorithm", "dakkak-warp", "-n", 100, "-o", self.path("x.svg"), says="dakkak-warp: n = 100 is more than s^2 = 16\n")
        self.bad("tune", "--try", "cblas", "sgemv", says="no routine 'sgemv'")
        self.bad(*self.QUICK, "f32", "-o", old, preexec_fn=limit, says=[old, "too large"])
        os.mkfifo(self.path("pipe"))
        self.bad(*self.QUICK, "f32", "-o", self.path("pipe"), says="pipe")
        self.assertEqual(self.read("w"), b"old")

    def test_environment(self):
        """Settings that exclude its candidates are reported: nothing is measured, and no file is made."""
        self.bad(*self.QUICK, "f32", "-o", self.path("w"), env={"MMSCAN_ENGINE": "abacus"}, says=["MMSCAN_ENGINE", "abacus"])
        self.bad(*self.QUICK, "f32", "-o", self.path("w"), env={"MMSCAN_ENGINE": "serial"}, says=["MMSCAN_ENGINE", "serial"])
        self.bad(*self.QUICK, "f32", "-o", self.path("w"), env={"MMSCAN_UNIT": "cblas"}, says=["MMSCAN_UNIT", "--unit"])
        self.bad(*self.QUICK, "f32", "-o", self.path("w"), env={"MMSCAN_NUM_THREADS": "2"}, says=["MMSCAN_NUM_THREADS"])
        self.good(*self.QUICK, "f32", "-o", self.path("w"), env={"MMSCAN_ENGINE": "auto", "MMSCAN_ISA": "portable"})
        self.good("info", env={"MMSCAN_WISDOM": self.path("w"), "MMSCAN_ISA": "portable"})

    def test_descriptors(self):
        """They are refused as descriptors, whether a pipe or a file is behind them."""
        self.bad(*self.QUICK, "f32", "-o", "/dev/stdout", says=["/dev/stdout", "replaced as a whole"])
        with open(self.path("out"), "wb") as out:
            process = subprocess.run([MMSCAN, *self.QUICK, "f32", "-o", "/dev/fd/1"], stdout=out, stderr=subprocess.PIPE)
        self.assertEqual(process.returncode, 1)
        self.assertIn(b"replaced as a whole", process.stderr)

    def test_links(self):
        """Links stay, and the files they lead to are replaced."""
        self.write("target", b"old")
        os.chmod(self.path("target"), 0o640)
        os.symlink("target", self.path("link"))
        self.good(*self.QUICK, "f32", "-o", self.path("link"))
        self.assertEqual(os.readlink(self.path("link")), "target")
        self.assertIn(b"mmscan-wisdom", self.read("target"))
        self.assertEqual(os.stat(self.path("target")).st_mode & 0o777, 0o640)

    def test_libraries(self):
        """A named library is measured too; routines that may crash are tried apart, and the file says which passed."""
        sound, crashes, exits = toy("sound"), toy("crashes"), toy("exits")
        if not os.path.exists(sound) or not os.path.exists(crashes):
            self.skipTest("the toy libraries of the unit tests are not built")
        path = self.path("w")
        report = json.loads(self.good(*self.QUICK, "f32", "--unit", sound, "--unit", crashes, "--unit", exits, "-o", path, "--json"))
        outcomes = {(row["unit"], row["routine"]): row["outcome"] for row in report["routines"]}
        self.assertEqual(outcomes[sound, "sgemm_batch"], "passed")
        self.assertEqual(outcomes[crashes, "sgemm_batch"], "crashed")
        self.assertEqual(outcomes[exits, "sgemm_batch"], "crashed")
        self.assertIn("good sgemm_batch", self.read("w").decode())
        states = {}
        for wisdom in {}, {"MMSCAN_WISDOM": path}:
            info = json.loads(self.good("info", "--json", env={"MMSCAN_UNIT": sound, **wisdom}))
            unit = next(unit for unit in info["units"] if unit["name"] == sound)
            states[bool(wisdom)] = next(r for r in unit["routines"] if r["name"] == "sgemm_batch")
            text = self.good("info", env={"MMSCAN_UNIT": sound, **wisdom}).decode()
            [lines] = [part for part in re.split(r"\n(?! {3})", text) if part.startswith("  " + sound)]  # not of the BLAS that is linked
            self.assertEqual(("sgemm_batch: off" in lines, ", sgemm_batch" in lines), (not wisdom, bool(wisdom)), lines)
        self.assertEqual([states[known]["used"] for known in (False, True)], [False, True])
        self.assertEqual(run("tune", "--try", sound, "sgemm_batch")[:2], (0, b"passed\n"))
        self.assertEqual(run("tune", "--try", toy("sly"), "sgemm_batch", env={"TOY_FAULT": "talks"})[:2], (0, b"passed\n"))
        self.assertNotIn(run("tune", "--try", crashes, "sgemm_batch")[0], (0, 1, 2))
        self.bad("tune", "--try", sound, "sgesv")
        self.bad("tune", "--unit", toy("drops"), says=["toy_drops.so", "wrong products"])
        self.bad("info", env={"MMSCAN_UNIT": toy("drops")}, says=["MMSCAN_UNIT", "wrong products"])

    def test_wrong_usage(self):
        for arguments in [["x"], ["--sing"], ["--unit"], ["--try", "cblas"], ["--try", "cblas", "a", "b"], ["--type", "f8"], ["--type", ""], ["--type"], ["--op", "minus"], ["--op"], ["-o"], ["-o", "-"],
                          ["--quick=1"], ["--json=1"], ["--quick", "--type", "f32", "x"]]:
            self.assertEqual(self.bad("tune", *arguments, status=2), b"")
