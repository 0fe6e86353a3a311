"""Tests of mmscan scan: what it computes, reads, writes and shows, and in how little memory."""

import csv
import gzip
import io
import itertools
import lzma
import math
import os
import pty
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy as np

from command_case import BLOCK, MEGABYTES, MMSCAN, TYPES, Case, expected, npy_bytes, npy_with, remark, run, sample


class Values(Case):
    def test_ten_million_doubles(self):
        x = np.random.default_rng(7).standard_normal(10_000_000)
        got = np.frombuffer(self.good("scan", "--type", "f64", self.write("x", x.tobytes())))
        scale = np.cumsum(np.abs(x))
        self.assertTrue(np.all(np.abs(got - np.cumsum(x)) <= 1e-12 * scale))
        x = np.abs(x)
        self.write("x.npy", npy_bytes(x))
        self.good("scan", "-o", self.path("y.npy"), self.path("x.npy"))
        np.testing.assert_allclose(np.load(self.path("y.npy")), np.cumsum(x), rtol=1e-12, atol=0)

    def test_not_finite(self):
        x = np.array([1, 2, np.inf, 3, -np.inf, 4, np.nan, 5])
        for engine in ["auto", "gemm", "simd", "serial"]:
            out = self.good("scan", "--engine", engine, "--type", "f64", "-", data=x.tobytes())
            with np.errstate(invalid="ignore"):
                np.testing.assert_array_equal(np.frombuffer(out), np.cumsum(x))
        text = self.good("scan", "-", data=b"1 inf\n-infinity 2 nan 3").decode().split()
        self.assertEqual(text, ["1", "inf", "nan", "nan", "nan", "nan"])

    def test_other_operators(self):
        for code in ["f4", "f8", "i4", "i8", "u4", "u8"]:
            x = sample(code, 1000)
            path = self.write("x.npy", npy_bytes(x))
            for op, function in [("max", np.maximum), ("min", np.minimum)]:
                self.same(np.load(io.BytesIO(self.good("scan", "--op", op, path))), function.accumulate(x))
        self.bad("scan", "--op", "nor", path, status=2, says=["--op", "nor"])

    def test_operators_of_integers(self):
        for code in ["i4", "i8", "u4", "u8"]:
            x = sample(code, 1000)
            path = self.write("x.npy", npy_bytes(x))
            for op, function in [("mul", np.multiply), ("and", np.bitwise_and), ("or", np.bitwise_or), ("xor", np.bitwise_xor)]:
                self.same(np.load(io.BytesIO(self.good("scan", "--op", op, path))), function.accumulate(x, dtype=x.dtype))
        self.bad("scan", "--op", "logaddexp", path, status=1, says="--op")

    def test_operators_of_floats(self):
        for code, error in [("f4", 1e-3), ("f8", 1e-12)]:
            x = np.cos(np.arange(5000)).astype(code)
            for op, function, data in [("mul", np.multiply, 1 + x / 100), ("logaddexp", np.logaddexp, x)]:
                path = self.write("x.npy", npy_bytes(data))
                got = np.load(io.BytesIO(self.good("scan", "--op", op, path)))
                np.testing.assert_allclose(got, function.accumulate(data), rtol=error)
        self.bad("scan", "--op", "and", path, status=1, says="--op")

    def test_init(self):
        """It comes before the first element of each scan, also where a long row is scanned in blocks."""
        x = sample("i4", (5, 70, 3))
        file = self.write("x.npy", npy_bytes(x))
        for kind, reverse, axis in itertools.product(["inclusive", "exclusive"], [False, True], [None, 0, 1, -1]):
            wanted = expected(x, axis, kind == "exclusive", reverse) + np.int32(-7)
            options = ["--kind", kind, "--init", "-7", *(["--reverse"] if reverse else []),
                       *([] if axis is None else ["--axis", axis])]
            got = np.load(io.BytesIO(self.good("scan", *options, file)))
            self.same(got, wanted, options)
        long = np.ones(BLOCK + 5, "u4")
        got = np.frombuffer(self.good("scan", "--type", "u32", "--init", 2**32 - 1, "-", data=long.tobytes()), "u4")
        self.same(got, np.arange(BLOCK + 5, dtype="u4"))
        self.assertEqual(self.good("scan", "--op", "max", "--init", "2.5", "-", data=b"1\n3\n"), b"2.5\n3\n")
        for value, says in [("x", "is no number of the type i32"), ("1.5", "is no number of the type i32"),
                            ("", "is no number of the type i32"), ("4294967296", "is out of the range of i32")]:
            self.bad("scan", "--init", value, file, status=2, says="--init: '%s' %s" % (value, says))

    def test_engines_agree(self):
        x = sample("f4", 300000)
        outs = [self.good("scan", "--engine", engine, "--type", "f32", "-", data=x.tobytes())
                for engine in ["auto", "gemm", "simd", "serial"]]
        self.assertEqual(outs, outs[:1] * 4)


class Text(Case):
    def lines(self, *arguments, **options):
        return self.good("scan", *arguments, **options).decode().splitlines()

    def test_csv_by_name_and_number(self):
        path = self.write("x.csv", "year,flow,place\n1871,1120,Aswan\n1872,1160,Aswan\n1873,963,Aswan\n")
        self.assertEqual(self.lines("--column", "flow", path), ["flow", "1120", "2280", "3243"])
        self.assertEqual(self.lines("--column", "2", "--type", "i32", path), ["flow", "1120", "2280", "3243"])
        self.assertEqual(self.lines("--column", "1", "--reverse", path), ["year", "5616", "3745", "1873"])
        self.assertEqual(self.lines("--column=flow", "--kind=exclusive", path), ["flow", "0", "1120", "2280"])
        self.bad("scan", path, says=["x.csv", "year, flow, place"])
        self.bad("scan", "--column", "depth", path, says=["x.csv", "depth", "year, flow, place"])
        for number in ["0", "4", "-1", "18446744073709551617"]:
            self.bad("scan", "--column", number, path, says=["x.csv", number])
        self.bad("scan", "--column", "place", path, says=["x.csv:2", "Aswan"])
        _, _, err = run("scan", "--column", "a", self.write("x.csv", "a,a,a\n1,2,3\n"))
        self.assertEqual((err.count("\n"), "more than one column is called 'a'" in err), (1, True), err)

    def test_csv_forms(self):
        """With and without names, quotes, blanks, line ends, a byte order mark."""
        forms = {b"1\n2\n3\n": ["1", "3", "6"], b"1\n2\n3": ["1", "3", "6"], b"n\r\n1\r\n2\r\n": ["n", "1", "3"],
                 b"n\r1\r2\r": ["n", "1", "3"], b'"n"\n"1"\n 2 \n': ["n", "1", "3"],
                 b"\xef\xbb\xbf1\n2\n": ["1", "3"], b"\xef\xbb\xbfn\n2\n": ["n", "2"], b"1\n2\n\n\n": ["1", "3"],
                 b"": [], b"n\n": ["n"], b"1\r\n2\r\n\r\n": ["1", "3"], b'"a,b"\n1\n': ['"a,b"', "1"],
                 b'"say ""it"""\n1\n': ['"say ""it"""', "1"], b'" a"\n1\n': ['" a"', "1"], b"-1.5e3\n.5\n": ["-1500", "-1499.5"]}
        for text, wanted in forms.items():
            self.assertEqual(self.lines(self.write("x.csv", text)), wanted, text)
        out = self.good("scan", self.write("x.csv", b'"two\nlines"\n1\n2\n'))
        self.assertEqual(list(csv.reader(io.StringIO(out.decode()))), [["two\nlines"], ["1"], ["3"]])

    def test_header(self):
        """--header says whether the first row has names; without it, 2019 and 1.5e are taken for no names."""
        years = self.write("x.csv", "2019,2020\n1,2\n3,4\n")
        self.assertEqual(self.lines("--column", "1", years), ["2019", "2020", "2023"])
        self.assertEqual(self.lines("--column", "2019", "--header", "yes", years), ["2019", "1", "4"])
        self.assertEqual(self.lines("--column", "2", "--header", "yes", "--kind", "exclusive", years), ["2020", "0", "2"])
        self.assertEqual(self.lines("--column", "2", "--header=no", years), ["2020", "2022", "2026"])
        for options in [], ["--header=no"]:
            self.bad("scan", "--column", "2019", *options, years, says="no column '2019'")
        bad = self.write("bad.csv", "1.5e\n2\n")
        self.assertEqual(self.lines("--header=yes", bad), ["1.5e", "2"])
        for options in [], ["--header=no"]:
            self.bad("scan", *options, bad, says=[bad + ":1", "1.5e"])
        self.assertEqual(self.lines("--header=yes", self.write("x.txt", "2019\n1\n2\n")), ["1", "3"])
        self.assertEqual(self.lines("--header=yes", "--column", "b", self.write("x.txt", "a b\n1 2\n")), ["2"])
        self.assertEqual(self.lines("--header=no", self.write("x.txt", "1 2\n3\n")), ["1", "3", "6"])
        self.bad("scan", "--header=yes", self.write("x.txt", "a b\n1 2\n"), says="--column must name one")
        self.assertEqual(self.lines("--header=yes", "--column=2020", "-", data=b"2019,2020\n1,2\n"), ["2020", "2"])
        self.assertEqual(self.lines("--header=no", "--type", "i64", "-", data=b"1\n2\n"), ["1", "3"])
        self.assertEqual(self.lines("--header=yes", self.write("x.csv", "")), [])

    def test_a_row_of_data_is_no_heading(self):
        """Data: words beside the column, what starts like a number, or nothing. An ambiguous row is refused."""
        for text, column, wanted in [("2020-01-01,5\n2020-01-02,6\n", 2, ["5", "11"]), ("5,\n6,x\n", 1, ["5", "11"]),
                                     (",a\n1,2\n", 2, ["a", "2"]),
                                     ("a,1st b\n1,2\n", "1st b", ["1st b", "2"]), ("gr\u00f6\u00dfe\n1\n", 1, ["gr\u00f6\u00dfe", "1"]),
                                     ("\u5024,b\n1,2\n", 1, ["\u5024", "1"])]:
            path = self.write("x.csv", text)
            self.assertEqual(self.lines("--column", column, path), wanted, text)
            self.assertEqual(self.lines("--column", column, "-", data=text.encode()), wanted, text)
        for text, column in ("alice,5\nbob,6\n", 2), ("alice,5\nbob,6\n", 5), ("id,2019\nx,1\n", 2), ("a,5%\n1,2\n", 2), ("a,\n1,2\n", 2), ("a,2\nb,3\n", 2):
            path = self.write("x.csv", text)
            self.bad("scan", "--column", column, path, says=[path + ":1", "--header"])
            self.assertEqual(len(self.lines("--column", column, "--header=yes", path)), 2, text)
        self.assertEqual(self.lines("--column", 2, "--header=no", self.write("x.csv", "alice,5\nbob,6\n")), ["5", "11"])
        for text in "$5\n", "1;2\n", "# c\n", "1 000\n", '"1,000"\n5\n':
            self.bad("scan", self.write("x.csv", text), says="x.csv:1")

    def test_csv_errors_name_the_line(self):
        errors = {b"a,b\n1,2\n3\n": ":3", b"a,b\n1,2\n3,4,5\n": ":3", b"1,2\n3,4\n5,\n6,7\n": None, b"a,b\n1,2\n,4\n": ":3",
                  b"a,b\nx,2\n": ":2", b"a,b\r\n1,2\r\n1x,2\r\n": ":3", b"a,b\r1,2\r1x,2\r": ":3",
                  b"a,b\n1,2\n\n3,4\n": ":3", b'a,"b\nc"\n1,2\n"3 4",5\n': ":4", b'a,b\n1,2\n"3,4\n': None,
                  b'a,b\n1,2\n3"3,4\n': ":3", b"a,b\n1,2\n0x,4\n": ":3", b"a,b\n1 2,4\n": ":2", b"a,b\n1\0,4\n": ":2",
                  b"a,b\n1e999,4\n": ":2", b"a,b\n1,2\n" * 3: ":3", b"a,b\n1,2\n5;,3": ":3"}
        for text, line in errors.items():
            path = self.write("x.csv", text)
            if line is None and text.startswith(b"1"):
                self.bad("scan", "--column", 2, "-o", self.path("y.csv"), path, says=["x.csv:3", "empty"])
            else:
                self.bad("scan", "--column", "a" if b"a" in text else 1, "-o", self.path("y.csv"), path,
                         says="x.csv" + (line or ":"))
        self.bad("scan", self.write("x.csv", "n\n1\n\n2\n"), says="x.csv:3")
        self.bad("scan", self.write("x.csv", 'n\n1\n""\n2\n'), says=["x.csv:3", "empty"])
        self.bad("scan", "--column", "a", self.write("x.csv", "a,a\n1,2\n"), says="more than one")
        self.bad("scan", self.write("x.csv", '"' + "x" * 3000000), says="x.csv")

    def test_delimiters(self):
        """A .tsv file has tabs, with blanks and empty fields between them; --delimiter names any other."""
        tabs = "place name\tflow\nAswan\t2\n\t4\n"
        wanted = ["flow", "2", "6"]
        for name in "x.tsv", "X.TSV":
            self.assertEqual(self.lines("--column", "flow", self.write(name, tabs)), wanted)
        self.assertEqual(self.lines("--column", "flow", "--format", "csv", self.path("x.tsv")), wanted)
        for name, delimiter in itertools.product(["x.csv", "x.txt", "x.dat"], ["tab", "\\t", "\t"]):
            path = self.write(name, tabs)
            self.assertEqual(self.lines("--column", "flow", "--delimiter", delimiter, path), wanted)
            self.assertEqual(self.lines("--column", "flow", "--delimiter", delimiter, "-", data=tabs.encode()), wanted)
        for delimiter in ";|:,_ ":
            text = 'a%sb\n"1"%s2\n3%s4\n'.replace("%s", delimiter)
            for name in "x.csv", "x.txt", "x.tsv":
                self.assertEqual(self.lines("--column", "b", "--delimiter", delimiter, self.write(name, text)), ["b", "2", "6"])
        self.assertEqual(self.lines("--delimiter=;", self.write("x.csv", "1\n2\n")), ["1", "3"])
        self.good("scan", "--column", 2, "-o", self.path("y.tsv"), self.path("x.tsv"), "--delimiter= ")
        self.assertEqual(self.read("y.tsv"), b"b\n2\n6\n")

    def test_wrong_delimiters(self):
        path = self.write("x.csv", "1;2\n")
        for delimiter in "", ";;", "x", "1", ".", "-", "+", '"', "\n", "tabs", "\tx", "\u00b7":
            self.bad("scan", "--delimiter", delimiter, path, status=2, says="--delimiter: '")
        for options, name in ([], "x.raw"), ([], "x.npy"), (["--format", "txt"], "x.csv"), (["--format", "raw"], "x.csv"):
            path = self.write(name, "1;2\n")
            self.bad("scan", "--delimiter", ";", "--type", "f64", *options, path, status=2, says="--delimiter is for tables")

    def test_advice_of_a_delimiter(self):
        """Where a tab or a semicolon would fit, and only there."""
        for mark, named in ("\t", "tab"), (";", "';'"):
            advice = "; --delimiter %s may fit" % named
            text = "a%sb\n1%s2\n" % (mark, mark)
            self.bad("scan", "--column", "b", self.write("x.csv", text), says=["no column 'b'", advice])
            self.bad("scan", "--format", "csv", self.write("x", text), says=["x:2: '", "is not a number", advice])
            self.bad("scan", self.write("x", text), says=["looks like text", advice])
            self.bad("scan", "--header=yes", self.write("x.csv", text.replace("1", "1,5,6")), says=["x.csv:2: 3 fields", advice])
        self.bad("scan", "-", data=b"a;b\n1;2\n", says="; --delimiter ';' may fit")
        self.bad("scan", self.write("x.txt", "1;2\n"), says="; --delimiter ';' may fit")
        table = self.write("x.txt", "a b\tc\n1\t2\n")
        self.bad("scan", "--column", "c", table, says=["2 fields", "; --delimiter tab may fit"])
        self.bad("scan", "--column", "a b", table, says=["no column", "; --delimiter tab may fit"])
        for name, text in [("x.csv", "a;b,c\n1,2,3\n"), ("x.csv", "a,b\n1;2\n"), ("x.txt", "a\tb\n1\tx\n"), ("x.tsv", "a\tb\n1\tx;\n"),
                           ("x.csv", "a\n1e999;\n")]:
            for column in "b", "c", "d":
                status, _, err = run("scan", "--column", column, self.write(name, text))
                self.assertEqual((status, "--delimiter" in err), (1, False), (text, err))

    def test_raw_data_needs_a_type(self):
        """On standard input as in a file."""
        for raw in np.arange(1000.0).tobytes(), np.ones(1).tobytes(), bytes(8), b"\x7fELF", "1 2\n".encode("utf-16"), b"1\n2\0\n":
            _, _, named = run("scan", self.write("x", raw))
            self.bad("scan", "-", data=raw, status=2, says=named.replace(self.path("x"), "standard input"))
            self.assertIn("raw binary data needs --type", named)
        for raw in gzip.compress(b"1 2 3"), lzma.compress(b"1 2 3"):
            self.bad("scan", "-", data=raw, says="unpack it first")
        self.assertEqual(self.good("scan", "-", data=b"gr\xf6\xdfe\n1\n2\n"), b"gr\xf6\xdfe\n1\n3\n")
        self.assertEqual(self.lines("-", data=b"1\t2\v3\f4\r\n"), ["1", "3", "6", "10"])

    def test_txt(self):
        self.assertEqual(self.lines(self.write("x.txt", "1 2\n\n  3\t4\r\n5")), ["1", "3", "6", "10", "15"])
        self.assertEqual(self.lines(self.write("x.txt", "")), [])
        table = self.write("x.txt", "year  flow\n1871  1120\n1872\t1160\n")
        self.assertEqual(self.lines("--column", "flow", table), ["1120", "2280"])
        self.assertEqual(self.lines("--column", "2", self.write("y.txt", "1 2\n3 4\n")), ["2", "6"])
        self.bad("scan", self.write("x.txt", "1 2\n3 four\n"), says=["x.txt:2", "four"])
        self.bad("scan", "--type", "f64", "-", data=b"1e400000", says="out of range")
        self.bad("scan", self.write("x.csv", "1," * (1 << 20) + "1"), says=["x.csv:1", "more than 1048576 columns"])
        self.bad("scan", self.write("x.txt", "1,2\n"), says="x.txt:1")
        self.bad("scan", self.write("x.txt", "1\n2\n" + "9" * 2000), says="x.txt:3")
        self.bad("scan", "--column", "1", self.write("x.txt", "1 2\n3\n"), says="x.txt:2")
        for end in "\n", "\r", "\r\n":
            self.assertEqual(self.lines("--column", "1", self.write("x.txt", end.join(["1 2", "", "3 4", "5 6"]))), ["1", "4", "9"])
            self.bad("scan", self.write("x.txt", end.join(["1", "", "two"])), says="x.txt:3")

    def test_a_quotation_ends_with_a_character(self):
        """Of a long field; a character of UTF-8 is not cut."""
        for blanks in range(4):
            path = self.write("x.txt", ("1\n" + "x" * blanks + "\u20ac" * 30 + "\n").encode())
            err = subprocess.run([MMSCAN, "scan", path], capture_output=True).stderr.decode()
            self.assertIn("\u20ac...", err)

    def test_long_numbers(self):
        """The same in both formats: 600 digits are a number, a megabyte is not."""
        for name in "x.txt", "x.csv":
            path = self.write(name, "0." + "1" * 598 + "\n" + "0" * 100000 + "2\n")
            self.assertEqual(self.lines(path), ["0.1111111111111111", "2.111111111111111"])
            self.bad("scan", self.write(name, "1\n" + "9" * 600 + "\n"), says=[name + ":2", "range"])
            self.bad("scan", self.write(name, "1\n" + "0" * 3000000), says=name + ":2: a field is too long")
            self.bad("scan", self.write(name, "1\n2\0\n"), says=name + ":2: a field holds a zero byte")

    def test_zeros_below(self):
        """-0. + -0. is -0.; an exclusive scan starts at 0."""
        for code in "f4", "f8":
            x = np.full((3, 2), -0.0, code)
            path = self.write("x.npy", npy_bytes(x))
            for options in ((), ("--axis", 0), ("--kind", "exclusive")):
                y = np.load(io.BytesIO(self.good("scan", *options, path)))
                self.assertTrue((np.signbit(y) == (options != ("--kind", "exclusive"))).all(), (code, options))
            y = np.frombuffer(self.good("scan", "--type", "f%d" % (8 * x.itemsize), "-", data=x.tobytes()), code)
            self.assertTrue(np.signbit(y).all(), code)

    def test_standard_input(self):
        self.assertEqual(self.lines("-", data=b"1\n2\n3\n"), ["1", "3", "6"])
        self.assertEqual(self.lines("-", data=b"flow\n1\n2\n"), ["flow", "1", "3"])
        self.assertEqual(self.lines("--column", "b", "-", data=b"a,b\n1,2\n3,4\n"), ["b", "2", "6"])
        self.assertEqual(self.lines("--format", "csv", "--type", "i64", "-", data=b"1\n2\n"), ["1", "3"])
        self.assertEqual(self.lines("-", data=b""), [])

    def test_headings_on_standard_input(self):
        """A bare name, a comma or a quotation mark makes a heading; a mistake in a .txt file is a mistake here too."""
        for name in b"flow", b"_x", b"e5", b"m3/s", b"1871,1120", b'"x 12"', b"\xef\xbb\xbfflow", b"  flow\t", b'"5"':
            as_csv = self.lines("--column", "1", "--format", "csv", "-", data=name + b"\n")
            self.assertEqual(self.lines("--column", "1", "-", data=name + b"\n"), as_csv)
        self.assertEqual(self.lines("-", data=b"n\r1\r2\r"), ["n", "1", "3"])
        self.assertEqual(self.lines("-", data=b"flow"), ["flow"])
        self.assertEqual(self.lines("-", data=b"nan\n1\n"), ["nan", "nan"])
        self.assertEqual(self.lines("-", data=b"\xef\xbb\xbf1\n2\n"), ["1", "3"])
        self.assertEqual(self.lines("--column", "b", "-", data=b"a b\n1 2\n"), ["2"])
        for line in b"1.5e", b"1_000", b"12 x", b"1 # c", b"1;2", b"a b", b"# c", b"-", b"3x", b"\xe2\x88\x925", b"x 1":
            for end in b"\n2\n3\n", b"\r\n2\n", b"\r2\r", b"":
                self.bad("scan", "-", data=line + end, says="standard input:1: '")
                self.bad("scan", self.write("x.txt", line + end), says="x.txt:1: '")

    def test_first_line_longer_than_what_is_looked_at(self):
        """4096 bytes are examined: a number may be cut there, at any digit, and is no heading."""
        for word in b"-1", b"+1e-2", b"infinity", b"nan", b"12345.75":
            for blanks in range(4096 - len(word) - 3, 4096 + 2):
                for rest in b" 5\n6\n", b"\n6\n", b"":
                    text = b" " * blanks + word + rest
                    wanted = np.cumsum([float(each) for each in text.split()])
                    with self.subTest(word=word, blanks=blanks, rest=rest):
                        got = [float(line) for line in self.lines("-", data=text)]
                        np.testing.assert_array_equal(got, wanted)
        self.assertEqual(self.lines("-", data=b"   " + b" ".join([b"-1"] * 2000)), ["%d" % -i for i in range(1, 2001)])
        self.assertEqual(self.lines("-", data=b" ".join([b"-1"] * 30000) + b"\n5\n")[-1], "-29995")
        with open(self.write("x", b" " * 4095 + b"-1\n5\n"), "rb") as file:
            self.assertEqual(self.lines("-", stdin=file), ["-1", "4"])

    def test_text_is_not_taken_for_raw(self):
        """If --type, or a meaningless name, would make it raw: standard input is read as text, a file is refused."""
        for text in b"3\n0\n4\n1\n", b"3 0 4 1", b"12345678", b"12 34 5\r", b"n\n1\n2\n345", b"\xef\xbb\xbf1\n23\n", \
                b"1 " * 5000, "gr\u00f6\u00dfe\n10\n22\n3\n".encode(), "\u5024 ".encode() * 5000:
            named = "csv" if text[:1] in b"ng" else "txt"
            typed, told = (run("scan", "--type", "i64", *options, "-", data=text) for options in ([], ["--format", named]))
            self.assertEqual(typed[:2], told[:2], text)
            for options in [], ["--type", "i64"]:
                self.bad("scan", *options, self.write("x", text), says=[self.path("x"), "text", "--format"])
            raw = text[:len(text) // 8 * 8]
            got = np.frombuffer(self.good("scan", "--type", "i64", "--format", "raw", "-", data=raw), "i8")
            self.same(got, expected(np.frombuffer(raw, "i8")))
            self.good("scan", "--type", "i64", self.write("x.bin", raw))
        self.bad("scan", "--type", "i64", "-", data=b" \n" * 8, says=["text", "--format"])
        as_text = self.lines("--type", "i64", "--kind", "exclusive", "--format", "txt", "-", data=b"3\n0\n4\n1\n")
        self.assertEqual(as_text, ["0", "3", "3", "7"])
        for raw in b"abcdefgh", b"1\n345678\0\0\0\0\0\0\0\0", b"1\n3456\xff8", b"1." * 4:
            self.assertEqual(self.good("scan", "--type", "i64", "-", data=raw)[:8], raw[:8])

    def test_packed_is_not_taken_for_raw(self):
        packed = gzip.compress(b"1 2 3"), lzma.compress(b"1 2 3"), b"PK\x03\x04 2 3 4", b"\x28\xb5\x2f\xfd0123"
        for raw, packer in zip(packed, ("gzip", "xz", "zip", "zstd")):
            raw = raw[:len(raw) // 4 * 4]
            for options in ["--type", "f32", self.write("x.gz", raw)], ["--type", "f32", "-"]:
                self.bad("scan", *options, data=raw, says=[packer, "--format raw"])
            self.good("scan", "--type", "f32", "--format", "raw", "-", data=raw)
            self.good("scan", "--type", "f32", "-", data=raw[:2] * 2)

    def test_integers_that_would_be_rounded(self):
        """Integers that f64, the default, would round are refused."""
        for text in "9007199254740993", "-9007199254740993", "+0009007199254740993", "18446744073709551615", "1" * 300:
            self.bad("scan", "-", data=text.encode(), says=["input:1: '" + text[:40], "--type f64"])
            self.assertEqual(self.lines("--type", "f64", "-", data=text.encode()), ["%.17g" % float(text)])
        self.bad("scan", "-", data=b"x\n1\n9007199254740993\n", says=["input:3: ", "--type i64 keeps"])
        self.bad("scan", "-", data=b"18446744073709551615", says="--type u64 keeps")
        self.assertNotIn("keeps", run("scan", "-", data=b"1" * 30)[2])
        self.assertEqual(self.lines("--type", "i64", "-", data=b"9007199254740993\n"), ["9007199254740993"])
        for text in "9007199254740992", "-9007199254740994", "0009007199254740992", str(2 ** 70), str(10 ** 22), "9007199254740993.0":
            self.assertEqual([float(line) for line in self.lines("-", data=text.encode())], [float(text)])

    def test_npy_is_not_taken_for_raw(self):
        """It is recognised by its beginning, whatever its name, unless the name says that it is raw."""
        x = np.arange(5.0)
        for name in "x", "x.dat", "x.gz":
            self.same(np.load(io.BytesIO(self.good("scan", "--type", "f64", self.write(name, npy_bytes(x))))), expected(x))
        self.assertEqual(len(self.good("scan", "--type", "u64", self.write("x.raw", npy_bytes(x)))), len(npy_bytes(x)))

    def test_files_of_the_system(self):
        """These report a size of zero, and are not empty."""
        name = "/proc/self/auxv"
        if not os.path.exists(name):
            self.skipTest("no " + name)
        with open(name, "rb") as file:
            piped = self.good("scan", "--type", "u64", "-", data=file.read())
        self.assertEqual(len(self.good("scan", "--format", "raw", "--type", "u64", name)), len(piped))
        self.assertEqual(self.good("scan", "--type", "u64", self.write("empty", b"")), b"")

    def test_integers_are_exact(self):
        limits = {code: (np.iinfo(dtype).min, np.iinfo(dtype).max) for code, dtype in TYPES.items() if code[0] != "f"}
        for code, (low, high) in limits.items():
            for value in [low, high, high - 1, 0]:
                out = self.lines("--type", code, self.write("x.txt", str(value)))
                self.assertEqual(out, [str(value)])
            for value in [low - 1, high + 1, 10 ** 30]:
                self.bad("scan", "--type", code, self.write("x.csv", "n\n%d\n" % value), says=["x.csv:2", "range"])
            for text in ["1.0", "1e3", "0x10", "inf", "--1", "+", "1 2", "१"]:
                self.bad("scan", "--type", code, self.write("x.csv", "n\n%s\n" % text), says="x.csv:2")
            self.assertEqual(self.lines("--type", code, self.write("x.txt", "+%d 1" % high)), [str(high), str(low)])
        x = sample("u8", 5000)
        text = "\n".join(map(str, x))
        got = np.array(list(map(int, self.lines("--type", "u64", self.write("x.txt", text)))), "u8")
        self.same(got, expected(x))

    def test_floats_survive(self):
        """Printed numbers read back to the same bits, and have no more digits than they need."""
        bits = np.random.default_rng(3).integers(0, 2 ** 64, 3000, "u8")
        for dtype, code in [("f8", "f64"), ("f4", "f32")]:
            x = bits.astype("u" + dtype[1]).view(dtype)
            x = x[np.isfinite(x)]
            for value in [*x[:20], np.finfo(dtype).max, np.finfo(dtype).tiny, np.finfo(dtype).tiny / 64]:
                text = repr(float(value))
                out = self.lines("--type", code, self.write("x.txt", text))
                self.assertEqual(np.array([float(out[0])]).astype(dtype)[0], value, text)
            small = (x.view("u" + dtype[1]) % 1000 / 7).astype(dtype)
            binary = np.load(io.BytesIO(self.good("scan", self.write("x.npy", npy_bytes(small)))))
            self.good("scan", "-o", self.path("y.csv"), self.path("x.npy"))
            self.same(np.array(self.read("y.csv").split(), dtype=dtype), binary)
        self.assertEqual(self.lines(self.write("x.txt", "0.1")), ["0.1"])
        self.assertEqual(self.lines("--type", "f32", self.write("x.txt", "0.1")), ["0.1"])
        self.assertEqual(self.lines("--type", "f32", self.write("x.txt", "1000.00006")), ["1000.00006"])
        self.bad("scan", "--type", "f32", self.write("x.txt", "1e39"), says="range")

    def test_conversions(self):
        x = np.arange(1000) * 0.25
        self.write("x.csv", "v\n" + "\n".join(map(repr, x.tolist())))
        self.write("x.npy", npy_bytes(x))
        self.write("x.raw", x.tobytes())
        self.write("x.txt", " ".join(map(repr, x.tolist())))
        for source, target in itertools.product(["csv", "npy", "raw", "txt"], repeat=2):
            options = ["--type", "f64"] + ["--reverse", "--kind", "exclusive"]
            self.good("scan", *options, "-o", self.path("y." + target), self.path("x." + source))
            raw = self.read("y." + target)
            if target == "npy":
                got = np.load(io.BytesIO(raw))
            elif target == "raw":
                got = np.frombuffer(raw)
            else:
                words = raw.split()
                self.assertEqual(words[0] == b"v", (source, target) == ("csv", "csv"))
                got = np.array([word for word in words if word != b"v"], dtype="f8")
            self.same(got, expected(x, None, True, True), (source, target))
        self.bad("scan", "--axis", "0", "-o", self.path("y.csv").replace("y.csv", "z.csv"),
                 self.write("m.npy", npy_bytes(np.zeros((2, 2)))), says="m.npy")


class Pipes(Case):
    def test_pipe_to_pipe(self):
        x = sample("i8", BLOCK + 12345)
        for exclusive, reverse in itertools.product([False, True], repeat=2):
            options = ["--kind", "exclusive" if exclusive else "inclusive"] + ["--reverse"] * reverse
            wanted = expected(x, None, exclusive, reverse)
            self.same(np.frombuffer(self.good("scan", *options, "--type", "i64", "-", data=x.tobytes()), "i8"), wanted)
            out = self.good("scan", *options, "-", data=npy_bytes(x))
            self.same(np.load(io.BytesIO(out)), wanted)

    def test_how_bytes_arrive(self):
        """What the data is taken for does not depend on the pieces in which it is written."""
        for first, second, wanted in [(b"\n", b"123456\n", b"123456\n"), (b"123\n", bytes(4), b"123\n123\n"),
                                      (b"\n\n\n\n", b"\1\0\0\0", b"\n\n\n\n\v\n\n\n"), (b"1\n2", b"3\n", b"1\n24\n")]:
            with subprocess.Popen([MMSCAN, "scan", "--type", "i32", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as scan:
                scan.stdin.write(first)
                scan.stdin.flush()
                time.sleep(0.1)
                out, _ = scan.communicate(second)
            self.assertEqual((scan.returncode, out), (0, wanted), (first, second))
            self.assertEqual(self.good("scan", "--type", "i32", "-", data=first + second), wanted)

    def test_pipes_that_do_not_block(self):
        """Another process may have set them so; they are waited for."""
        x = sample("i8", 200_000)
        for options in [], ["--reverse"]:
            (reader, feed), (drain, writer) = os.pipe(), os.pipe()
            os.set_blocking(reader, False)
            os.set_blocking(writer, False)
            with subprocess.Popen([MMSCAN, "scan", "--type", "i64", *options, "-"], stdin=reader, stdout=writer) as scan, \
                    open(feed, "wb") as to, open(drain, "rb") as results:
                os.close(reader)
                os.close(writer)
                time.sleep(0.1)
                to.write(x.tobytes())
                to.close()
                time.sleep(0.1)
                self.same(np.frombuffer(results.read(), "i8"), expected(x, reverse=bool(options)))
            self.assertEqual(scan.returncode, 0)

    def test_matrices(self):
        for order, axis, reverse in itertools.product("CF", [None, 0, 1, 2], [False, True]):
            x = np.array(sample("f4", (30, 70, 11)), order=order, dtype=">f4")
            options = (["--axis", axis] if axis is not None else []) + ["--reverse"] * reverse
            out = self.good("scan", *options, "-", data=npy_bytes(x, (2, 0)))
            self.same(np.load(io.BytesIO(out)), expected(x, axis, False, reverse), (order, axis, reverse))

    def test_forward_needs_no_temporary_file(self):
        x = sample("i8", 100000)
        nowhere = {"TMPDIR": self.path("nowhere")}
        self.good("scan", "--type", "i64", "-", data=x.tobytes(), env=nowhere)
        self.good("scan", "-", data=npy_bytes(x), env=nowhere)
        self.good("scan", "--axis", "1", "-", data=npy_bytes(x.reshape(10, -1)), env=nowhere)
        self.good("scan", "--reverse", "-o", self.path("y.npy"), self.write("x.npy", npy_bytes(x)), env=nowhere)
        self.bad("scan", "--reverse", "--type", "i64", "-", data=x.tobytes(), env=nowhere, says="nowhere")

    def test_standard_input_within_a_file(self):
        """A file as standard input is read from its current position."""
        x = sample("i8", 1000)
        self.write("x", b"junk!" + npy_bytes(x))
        for options in [], ["--reverse"]:
            with open(self.path("x"), "rb") as file:
                file.seek(5)
                os.lseek(file.fileno(), 5, os.SEEK_SET)
                out = self.good("scan", *options, "-", stdin=file)
            self.same(np.load(io.BytesIO(out)), expected(x, reverse=bool(options)))

    def test_append_to_a_file(self):
        x = sample("i8", 1000)
        self.write("y", b"before")
        for options in [], ["--reverse"]:
            with open(self.path("y"), "ab") as file:
                self.good("scan", "--type", "i64", *options, self.write("x", x.tobytes()), stdout=file)
        wanted = b"before" + expected(x).tobytes() + expected(x, reverse=True).tobytes()
        self.assertEqual(self.read("y"), wanted)

    def test_closed_pipe(self):
        """With no reader, as after `| head`: exit status 1, no message, no death by a signal, no file left behind."""
        path = self.write("x", bytes(1 << 22))
        for arguments in [("scan", "--type", "f64", path), ("scan", "--type", "f64", "-o", "/dev/stdout", path), ("scan", "--help"), ("info",), ("info", "--json"), ("--help",),
                          ("--version",), ("scan", self.write("x.txt", "1 2 3")), ("table",), ("table", "--json"),
                          ("scan", "--reverse", path, "--type", "f64"), ("draw", "-o", "-"), ("bench", "--rounds", 1, "-n", "4:20:16")]:
            reader, writer = os.pipe()
            os.close(reader)
            self.assertEqual(run(*arguments, stdout=writer, env={"TMPDIR": self.directory}), (1, None, ""), arguments)
            os.close(writer)
        numbers = self.write("long.txt", "1\n" * 300000)
        process = subprocess.Popen([MMSCAN, "scan", numbers], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(process.stdout.readline(), b"1\n")
        process.stdout.close()
        self.assertEqual((process.stderr.read(), process.wait()), (b"", 1))
        process.stderr.close()
        self.assertEqual(sorted(os.listdir(self.directory)), ["long.txt", "x", "x.txt"])

    def test_closed_standard_files(self):
        def close_output():
            os.close(1)

        path = self.write("x.txt", "1 2 3")
        self.bad("info", preexec_fn=close_output, says="standard output")
        self.bad("scan", path, preexec_fn=close_output, says="standard output")
        self.good("scan", "-o", self.path("y.txt"), path, preexec_fn=close_output)
        self.assertEqual(self.read("y.txt"), b"1\n3\n6\n")
        self.bad("scan", "-", preexec_fn=lambda: os.close(0), stdin=subprocess.DEVNULL, says="standard input")

    def test_raw_that_is_short(self):
        for size in [1, 7, 9, 8 * 1000 + 3]:
            path = self.write("x", bytes(size))
            self.bad("scan", "--type", "f64", "-o", self.path("y"), path, says=[path, "--format"])
            self.bad("scan", "--type", "f64", "-o", self.path("y"), "-", data=bytes(size), says=["standard input", "--format"])
            self.bad("scan", "--type", "f64", "--reverse", "-", data=bytes(size), says="standard input")
        self.assertEqual(self.good("scan", "--type", "f64", "-"), b"")
        self.assertEqual(self.good("scan", "--type", "f64", "/dev/null"), b"")


class Output(Case):
    def test_full_disk(self):
        path = self.write("x.npy", npy_bytes(np.zeros(1000)))
        text = self.write("x.txt", "1 2 3")
        for source in path, text:
            for options in [], ["--reverse"]:
                self.bad("scan", *options, "-o", "/dev/full", source, says=["/dev/full", "space"])
                with open("/dev/full", "wb") as full:
                    self.bad("scan", *options, source, stdout=full, says="standard output")
        with open("/dev/full", "wb") as full:
            for arguments in [("--help",), ("--version",), ("scan", "--help"), ("info", "--help"), ("info",), ("info", "--json"),
                              ("bench", "--help"), ("bench", "--list"), ("tune", "--help"), ("bench", "--rounds", 1, "-n", 4),
                              ("bench", "--rounds", 1, "-n", 4, "--json"),
                              ("table", "--json"), ("model", "-n", 9, "-s", 3, "--json")]:
                self.bad(*arguments, stdout=full, says="mmscan: standard output: No space")

    def example(self, name, *arguments, **options):
        program = os.path.join(os.path.dirname(MMSCAN), "examples", name)
        if not os.path.exists(program):
            self.skipTest("the examples are not built")
        return subprocess.run([program, *arguments], **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})

    def test_examples(self):
        """They fail if their results cannot be written, or their input is cut short."""
        data = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "examples/data")
        nile, rings = os.path.join(data, "nile.csv"), os.path.join(data, "treering.csv")
        diamonds = os.path.join(data, "diamonds.csv")
        with open("/dev/full", "wb") as full:
            for name, arguments in [("cumsum", []), ("nile_cusum", [nile]), ("treering_mean", [rings]), ("blocks", []),
                                    ("best_split", [diamonds, "price"]), ("sample", []), ("nile_decades", [nile]),
                                    ("box_filter", [diamonds])]:
                done = self.example(name, *arguments, input=bytes(24), stdout=full)
                self.assertEqual((done.returncode, done.stderr), (1, b"%s: No space left on device\n" % name.encode()))
        for size, status in [(24, 0), (23, 1), (7, 1), (0, 0), (8 * 8 * 131072 + 1, 1)]:
            done = self.example("blocks", input=bytes(size))
            self.assertEqual((done.returncode, b"within an element" in done.stderr), (status, status == 1), size)
        done = self.example("blocks", input=bytes(24), env={**os.environ, "MMSCAN_ENGINE": "abacus"})
        self.assertEqual((done.returncode, done.stderr[:28]), (1, b"blocks: MMSCAN_ENGINE=abacus"))

    def test_nile(self):
        """A constant level has no turning point; a row that is no number, or is cut short, gives an error."""
        for rows, says in [("1,0.1\n2,0.1\n3,0.1\n", "did not change"), ("1,5\n2,6\n3,9\n", "changed in 2"),
                           ("1,5\n2,nan\n", "row 2"), ("1,5\n2,\n", "row 2"), ("1,5\n2", "row 2"), ("", "row 1"),
                           ("1871,5\n1872,6\n1873,9\n", " 1871 1873\n"), ("1,5\n99999999999,5\n", "row 2"), ("1,5\n1.5,6\n", "row 2"),
                           ("1,1e300\n2,2e300\n", "\n-5000000000"), ("1,1e308\n2,1e308\n3,0\n", "too large"), ("1,1e308\n2,-1e308\n", "changed in 1"),
                           ("1,1.5e308\n2,0\n3,-1.5e308\n4,-1.5e308\n5,1.5e308\n", "too large")]:
            done = self.example("nile_cusum", self.write("n.csv", "year,flow\n" + rows), stderr=subprocess.STDOUT)
            self.assertIn(says, done.stdout.decode(), rows)
            self.assertEqual(done.returncode, int("row" in says or "large" in says), rows)

    def test_radix_sort(self):
        """Numbers below 2^32 are sorted; larger numbers, and what is no number, give an error and no result."""
        random.seed(20)
        for bits, count in [(1, 9), (8, 1000), (17, 20000), (32, 3000), (32, 1), (5, 0)]:
            numbers = [random.getrandbits(bits) for i in range(count)]
            done = self.example("radix_sort", input=" ".join(map(str, numbers)).encode())
            self.assertEqual((done.returncode, list(map(int, done.stdout.split()))), (0, sorted(numbers)), bits)
        self.assertEqual(self.example("radix_sort", input=b"%d\n%019d 0" % (2 ** 32 - 1, 5)).stdout, b"0\n5\n4294967295\n")
        for text in [b"1 -1", b"1 +1", b"1 4294967296", b"1 18446744073709551617", b"1 x", b"1 2.0", b"1 " + b"0" * 20, b"1 2\0", b"1 \0"]:
            done = self.example("radix_sort", input=text)
            self.assertEqual((done.returncode, done.stdout, b"number 2" in done.stderr), (1, b"", True), text)
        self.assertEqual(self.example("radix_sort", "x").returncode, 2)

    @staticmethod
    def splits(rows, told):
        """By brute force: of each other column, how much of the squared error its best split removes, and where."""
        def squares(values):
            return sum((value - sum(values) / len(values)) ** 2 for value in values)
        all_of, found = squares([row[told] for row in rows]), []
        for column in range(len(rows[0])):
            values = sorted({row[column] for row in rows})
            gains = []
            for low, high in zip(values, values[1:]):
                left, right = [row[told] for row in rows if row[column] <= low], [row[told] for row in rows if row[column] > low]
                gains.append((all_of - squares(left) - squares(right), (low + high) / 2))
            if column != told and gains:
                found.append((max(gains)[0] / all_of, column, max(gains)[1]))
        return sorted(found, reverse=True)

    def test_best_split(self):
        """The same as by brute force; rows that are not numbers, and unknown columns, give an error and no result."""
        random.seed(21)
        for told in range(4):
            rows = [[random.randrange(9) / 4, random.random(), random.randrange(3), 0.1] for i in range(60)]
            rows = [row[:2] + [row[2] + row[0] + row[1] ** 2] + row[3:] for row in rows]
            table = self.write("t.csv", "a,b,c,d\n" + "".join("%r,%r,%r,%r\n" % tuple(row) for row in rows))
            done = self.example("best_split", table, "abcd"[told], text=True)
            wanted = self.splits(rows, told) if told < 3 else []
            lines = ["%5.1f %%  %s < %.10g" % (100 * gain, "abcd"[column], at) for gain, column, at in wanted]
            self.assertEqual((done.returncode, done.stdout.splitlines()[1:]), (0, lines))
        for text, says in [("a,b\n1,2\n3\n", "row 2"), ("a,b\n1,2,3\n", "row 1"), ("a,b\n1,x\n", "row 1"), ("a,b\n1,inf\n", "row 1"),
                           ("a,b\n", "row 1"), ("", "row 1"), ("a,b\n1,2\n3,4", ""), ("a,b\r\n1,2\r\n3,4\r\n", ""), ("a,c\n1,2\n", "column b"),
                           ("a,b\n1,2\n3,4\0\n", "row 2"), ("a,b\n1,1e200\n2,-1e200\n", "too large"), ("a,b\n1,1e308\n2,-1e308\n", "too large")]:
            done = self.example("best_split", self.write("t.csv", text), "b", text=True)
            self.assertEqual((done.returncode, says in done.stderr, done.stdout == ""), (int(says != ""), True, says != ""), text)
        for low, high in [("1", "1.0000000000000002"), ("-1e308", "1e308"), ("1000000", "1000001")]:
            out = self.example("best_split", self.write("t.csv", "a,b\n%s,1\n%s,2\n" % (low, high)), "b").stdout
            self.assertRegex(out, rb"\n100.0 %  a < ")
            self.assertTrue(float(low) < float(out.split()[-1]) <= float(high) or high.startswith("1.0"), out)
        self.assertEqual(self.example("best_split", self.path("none"), "b").returncode, 1)
        self.assertEqual(self.example("best_split").returncode, 2)

    def test_tree_rings(self):
        """Rows that are not numbers, and more years than there are, give an error and no result."""
        for text, years, status, says in [("width\n1\n2\n3\n", 2, 0, b""), ("width\n1\n2\n3\n", 3, 0, b""),
                                          ("width\n1\n2", 2, 0, b""), ("width\n1\n2\n", 3, 1, b"only 2 years"),
                                          ("width\n1\nx\n", 1, 1, b"row 2"), ("width\n1\nnan\n2\n", 1, 1, b"row 2"),
                                          ("width\n1\ninf", 1, 1, b"row 2"), ("width\n1\n-", 1, 1, b"row 2"), ("width\n", 1, 1, b"row 1"), ("", 1, 1, b"row 1"),
                                          ("width\n1\n", 0, 2, b"Usage"), ("width\n1\n", "1x", 2, b"Usage"),
                                          ("width\n" + 5000 * "1\n", 5000, 0, b"")]:
            done = self.example("treering_mean", self.write("rings", text.encode()), str(years))
            self.assertEqual((done.returncode, says in done.stderr, done.stdout == b""), (status, True, status > 0),
                             (text[:20], years, done))
        done = self.example("treering_mean", self.path("none"))
        self.assertEqual((done.returncode, b"none" in done.stderr), (1, True))

    def test_full_disk_keeps_what_was_there(self):
        path = self.write("x", bytes(1 << 20))
        self.write("y", b"old")
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 19, 1 << 19))
        for options in [], ["--reverse"]:
            self.bad("scan", "--type", "f64", *options, "-o", self.path("y"), path, preexec_fn=limit, says=self.path("y"))
            self.bad("scan", "--type", "f64", *options, "-o", self.path("z"), path, preexec_fn=limit)
            self.assertEqual(self.read("y"), b"old")
        self.bad("scan", "--type", "f64", "--reverse", "-", data=bytes(1 << 20), preexec_fn=limit, says="temporary file")

    def test_output_is_opened_before_the_input_is_read(self):
        """A result that cannot be written is refused at once: the pipe is never fed, nor closed."""
        raw = ["--type", "f64", "--reverse", "--format", "raw"]
        starts = [(b"1\n", []), (b"1\n", ["--reverse"]), (b"", raw)]
        for (start, options), target in itertools.product(starts, [self.path("nodir/o.npy"), ""]):
            reader, writer = os.pipe()
            os.write(writer, start)
            self.bad("scan", *options, "-o", target, "-", stdin=reader, timeout=10, says=target or "empty")
            os.close(writer)
            os.close(reader)

    def test_failure_keeps_what_was_there(self):
        self.write("y.npy", b"old")
        whole = npy_bytes(np.zeros(1000))
        self.bad("scan", "-o", self.path("y.npy"), "-", data=whole[:-5], says="standard input")
        self.bad("scan", "-o", self.path("y.npy"), self.write("x.npy", whole + b"x"))
        self.assertEqual(self.read("y.npy"), b"old")
        self.bad("scan", "-o", self.path("y.npy"), self.path("missing.npy"), says=["missing.npy", "No such file"])
        self.bad("scan", "-o", self.path("missing/y.npy"), self.write("x.npy", whole), says="missing/y.npy")
        self.bad("scan", "-o", self.directory, self.path("x.npy"), says=[self.directory, "directory"])
        for options in [], ["--type", "f64"]:
            self.bad("scan", *options, self.directory, says=[self.directory, "directory"])

    def test_in_is_out(self):
        x = sample("i8", 10000)
        for options, reverse in [([], False), (["--reverse"], True)]:
            path = self.write("x.npy", npy_bytes(x))
            self.good("scan", *options, "-o", path, path)
            self.same(np.load(path), expected(x, reverse=reverse))

    def test_modes(self):
        path = self.write("x.txt", "1 2")
        for mask in 0o022, 0o077:
            self.good("scan", "-o", self.path("y"), path, preexec_fn=lambda: os.umask(mask))
            self.assertEqual(os.stat(self.path("y")).st_mode & 0o777, 0o666 & ~mask)
            os.remove(self.path("y"))
        self.write("y", b"")
        os.chmod(self.path("y"), 0o640)
        self.good("scan", "-o", self.path("y"), path)
        self.assertEqual(os.stat(self.path("y")).st_mode & 0o777, 0o640)

    def test_symbolic_links(self):
        """The file that the link names is replaced, or made; the link stays."""
        path = self.write("x.txt", "1 2")
        os.mkdir(self.path("d"))
        self.write("d/real", b"old")
        os.symlink("d/real", self.path("link"))
        os.symlink("link", self.path("link2"))
        os.symlink(self.path("d/new"), self.path("dangling"))
        os.symlink("loop", self.path("loop"))
        for link, real in [("link2", "d/real"), ("dangling", "d/new")]:
            self.good("scan", "-o", self.path(link), path)
            self.assertTrue(os.path.islink(self.path(link)))
            self.assertEqual(self.read(real), b"1\n3\n")
        self.assertEqual(sorted(os.listdir(self.path("d"))), ["new", "real"])
        self.bad("scan", "-o", self.path("loop"), path, says="loop")

    def test_descriptors_are_written_where_they_stand(self):
        """The file behind a descriptor is not replaced: what others write there stays, before and after."""
        text = self.write("x.txt", "1 2 3")
        os.symlink("/dev/stdout", self.path("link"))
        for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/dev//stdout", self.path("link")]:
            log = self.write("log", "before\n")
            with open(log, "ab") as stream:
                self.good("scan", "-o", name, text, stdout=stream)
                stream.write(b"after\n")
            self.assertEqual(self.read("log"), b"before\n1\n3\n6\nafter\n", name)
        self.bad("scan", "-o", "/dev/fd/99", text, says="/dev/fd/99")
        self.bad("scan", "", says="mmscan: '': No such file")
        self.bad("scan", self.path("\x1b[31m\x7f"), says="/?[31m?: No such file")

    def test_what_is_no_file_is_written_directly(self):
        path = self.write("x.npy", npy_bytes(np.arange(4.0)))
        self.good("scan", "-o", "/dev/null", path)
        self.assertTrue(not os.path.isfile("/dev/null"))
        os.mkfifo(self.path("fifo.npy"))
        got = []

        def read():
            got.append(self.read("fifo.npy"))

        reader = threading.Thread(target=read)
        reader.start()
        self.good("scan", "--reverse", "-o", self.path("fifo.npy"), path)
        reader.join()
        self.same(np.load(io.BytesIO(got[0])), np.array([6.0, 6.0, 5.0, 3.0]))

    @unittest.skipIf(os.geteuid() == 0 and not shutil.which("setpriv"), "root may write everywhere")
    def test_read_only(self):
        """The message names the file, or the folder in which no file can be made."""
        user = ["setpriv", "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        path = self.write("x.txt", "1 2")
        os.chmod(self.directory, 0o755)
        os.mkdir(self.path("d"))
        for name in "y", "d/y":
            os.chmod(self.write(name, b"old"), 0o444 if name == "y" else 0o666)
        os.chmod(self.path("d"), 0o555)
        for name, says in [("y", self.path("y") + ": Permission denied\n"), ("d/y", " in %s/: Permission" % self.path("d"))]:
            done = subprocess.run([*user, MMSCAN, "scan", "-o", self.path(name), path], stderr=subprocess.PIPE)
            self.assertEqual((done.returncode, self.read(name)), (1, b"old"))
            self.assertIn("mmscan: " + self.path(name), done.stderr.decode())
            self.assertIn(says, done.stderr.decode())
        self.assertEqual(os.listdir(self.path("d")), ["y"])

    def started(self, **options):
        """A scan into the file y that waits for more input, and has made its temporary file."""
        process = subprocess.Popen([MMSCAN, "scan", "--type", "f64", "-o", self.path("y"), "-"],
                                   stdin=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        process.stdin.write(bytes(8000))
        process.stdin.flush()
        deadline = time.time() + 60
        while len(os.listdir(self.directory)) < 2 and time.time() < deadline:
            time.sleep(0.01)
        self.assertEqual(len(os.listdir(self.directory)), 2)
        return process

    def test_ignored_signal(self):
        """A signal that is ignored, as under nohup, ends nothing."""
        self.write("y", b"old")
        process = self.started(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.communicate(timeout=60)[1], b"")
        self.assertEqual((process.returncode, self.read("y")), (0, bytes(8000)))

    def test_signals(self):
        """The temporary file is removed, the process ends by the signal, and the old file stays."""
        for name in "INT", "TERM", "HUP", "QUIT", "XCPU", "ABRT", "ALRM", "USR1", "USR2":
            number = getattr(signal, "SIG" + name)
            self.write("y", b"old")
            process = self.started()
            process.send_signal(number)
            self.assertEqual(process.wait(60), -number)
            process.stdin.close()
            self.assertEqual(process.stderr.read(), b"")
            process.stderr.close()
            self.assertEqual(os.listdir(self.directory), ["y"])
            self.assertEqual(self.read("y"), b"old")


    def test_kill(self):
        """It leaves a file of the name that the man page gives, and the old file."""
        page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../doc/man/mmscan.1")
        with open(page) as file:
            name = re.search(r"(?m)^\.Ql kill -9\n.*\n\.Pa (\S+)$", file.read())[1]
        self.write("y", b"old")
        process = self.started()
        process.kill()
        process.wait(60)
        process.stdin.close()
        process.stderr.close()
        self.assertEqual(self.read("y"), b"old")
        left = sorted(os.listdir(self.directory))
        self.assertEqual((len(left), left[1]), (2, "y"))
        self.assertRegex(left[0], "^%s$" % re.escape(name).replace("X", "[A-Za-z0-9]"))


class Terminal(Case):
    def slow(self, stderr, seconds=1.7, end_by=None):
        """Feeds a scan for some time."""
        process = subprocess.Popen([MMSCAN, "scan", "--type", "f64", "-"], stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stderr=stderr)
        end = time.time() + seconds
        while time.time() < end:
            process.stdin.write(bytes(8000))
            process.stdin.flush()
            time.sleep(0.05)
        if end_by:
            process.send_signal(end_by)
        process.stdin.close()
        self.assertEqual(process.wait(20), -end_by if end_by else 0)

    def open_terminal(self):
        try:
            return pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal to be had: {error}")

    def on_terminal(self, work):
        """Returns what work(terminal) shows on a terminal."""
        master, terminal = self.open_terminal()
        shown = []

        def read():
            try:
                while data := os.read(master, 4096):
                    shown.append(data)
            except OSError:  # the other end is closed
                pass

        reader = threading.Thread(target=read)
        reader.start()
        work(terminal)
        os.close(terminal)
        reader.join()
        os.close(master)
        return b"".join(shown).decode()

    def test_end_of_input(self):
        """It is typed once, at the beginning of a line."""
        for typed, expected in (b"", b""), (b"1 2\n3\n", b"1\n3\n6\n"):
            master, terminal = self.open_terminal()
            os.write(master, typed + b"\4")
            process = subprocess.run([MMSCAN, "scan", "-"], stdin=terminal, stdout=subprocess.PIPE, timeout=20)
            self.assertEqual((process.returncode, process.stdout), (0, expected))
            os.close(terminal)
            os.close(master)

    def test_progress_bar(self):
        shown = self.on_terminal(self.slow)
        self.assertIn("scanning", shown)
        self.assertTrue(shown.endswith("\r\x1b[K"), shown)

    def test_progress_bar_and_signals(self):
        shown = self.on_terminal(lambda terminal: self.slow(terminal, 1.3, signal.SIGINT))
        self.assertIn("scanning", shown)
        self.assertTrue(shown.endswith("\r\x1b[K"), shown)

    def test_progress_is_true(self):
        """The share, the cells and the time left agree with how much is done and how fast, with a slow reader."""
        x = sample("f8", (24, 125000))
        path, read = self.write("x.npy", npy_bytes(x)), []

        def work(terminal):
            process = subprocess.Popen([MMSCAN, "scan", "--axis", "0", path], stdout=subprocess.PIPE, stderr=terminal)
            while data := process.stdout.read(1 << 20):
                read.append(data)
                time.sleep(0.1)
            process.stdout.close()
            self.assertEqual(process.wait(20), 0)

        shown = self.on_terminal(work)
        self.same(np.load(io.BytesIO(b"".join(read))), expected(x, 0))
        bars = re.findall(r"\r\x1b\[K(\w+) \[(#*)\.*\] +(\d+)%  ETA (\d+):(\d\d)  ([0-9.]+ \w*B)  ([0-9.]+ \w*B)/s", shown)
        self.assertEqual(len(bars), shown.count("%"), shown)
        times = {}
        for stage, cells, percent, minutes, seconds, done, speed in bars:
            done, speed = self.bytes_of(done), self.bytes_of(speed)
            self.assertAlmostEqual(int(percent), 100 * done / x.nbytes, delta=1, msg=shown)
            self.assertIn(len(cells), range(math.ceil(int(percent) / 5 - 0.2), math.ceil(int(percent) / 5 + 0.2) + 1), shown)
            left = (x.nbytes - done) / speed
            self.assertAlmostEqual(60 * int(minutes) + int(seconds), left, delta=0.6 + left / 50, msg=shown)
            times.setdefault(stage, []).append(done / speed)
        self.assertGreater(len(times["writing"]), 1, shown)
        for stage in times.values():
            self.assertTrue(all(before < 1.02 * after for before, after in zip(stage, stage[1:])), (times, shown))

    @staticmethod
    def bytes_of(text):
        number, unit = text.split()
        return float(number) * 1000 ** ["B", "kB", "MB", "GB"].index(unit)

    def test_no_progress_bar(self):
        """Neither if standard error is no terminal, nor for short work."""
        path = self.path("messages")
        with open(path, "wb") as file:
            self.slow(file)
        self.assertEqual(os.path.getsize(path), 0)
        self.assertEqual(self.on_terminal(lambda terminal: self.slow(terminal, 0.2)), "")

    def test_binary_is_not_for_terminals(self):
        def work(terminal):
            path = self.write("x.npy", npy_bytes(np.zeros(3)))
            self.bad("scan", path, stdout=terminal, says="terminal")
            self.bad("scan", "-o", "/dev/stdout", path, stdout=terminal, says="terminal")
            self.bad("scan", "-o", os.ttyname(terminal), path, says="terminal")
            self.good("scan", self.write("x.txt", "1 2"), stdout=terminal)

        self.assertEqual(self.on_terminal(work), "1\r\n3\r\n")


MAX_RESIDENT = 100 << 20
# Runs a command from a small process: the peak memory of a child starts at that of its parent.
MEASURE = """
import os, sys
pid = os.fork()
if pid == 0: os.execv(sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(pid, 0)
open(sys.argv[1], "w").write(str(usage.ru_maxrss))
sys.exit(os.waitstatus_to_exitcode(status))
"""


class Streaming(Case):
    """A large file, in little memory."""

    def scan_measured(self, *arguments, **options):
        report = self.path("resident")
        done = subprocess.run([sys.executable, "-c", MEASURE, report, MMSCAN, "scan", *arguments], timeout=600, **options)
        self.assertEqual(done.returncode, 0)
        resident = int(self.read("resident")) * 1024
        self.assertLess(resident, MAX_RESIDENT, arguments)
        return resident

    def make(self, count):
        """x[i] = (i mod 1009) - 300, as i64; its prefix sums have a closed form."""
        with open(self.path("x"), "wb") as file:
            for first in range(0, count, 1 << 20):
                np.add(np.arange(first, min(first + (1 << 20), count), dtype="i8") % 1009, -300).tofile(file)

    @staticmethod
    def prefix(n):
        """The sum of the first n elements."""
        whole, rest = np.divmod(n, 1009)
        return whole * (1009 * 1008 // 2) + rest * (rest - 1) // 2 - 300 * n

    def check(self, name, count, exclusive, reverse):
        self.assertEqual(os.path.getsize(self.path(name)), 8 * count)
        for first in range(0, count, 1 << 20):
            i = np.arange(first, min(first + (1 << 20), count), dtype="i8")
            got = np.fromfile(self.path(name), "i8", len(i), offset=8 * first)
            wanted = self.prefix(count) - self.prefix(i + exclusive) if reverse else self.prefix(i + 1 - exclusive)
            self.assertTrue(np.array_equal(got, wanted), (name, first, exclusive, reverse))

    def test_raw(self):
        count = (MEGABYTES << 17) + 4321
        self.make(count)
        peak = 0
        for exclusive, reverse in [(0, False), (1, True)]:
            options = ["--type", "i64", "--kind", "exclusive" if exclusive else "inclusive"] + ["--reverse"] * reverse
            peak = max(peak, self.scan_measured(*options, "-o", self.path("y"), self.path("x")))
            self.check("y", count, exclusive, reverse)
        for exclusive, reverse in [(1, False), (0, True)]:
            options = ["--type", "i64", "--kind", "exclusive" if exclusive else "inclusive"] + ["--reverse"] * reverse
            with open(self.path("y"), "wb") as file, subprocess.Popen(["cat", self.path("x")], stdout=subprocess.PIPE) as cat:
                peak = max(peak, self.scan_measured(*options, "-", stdin=cat.stdout, stdout=file))
            self.check("y", count, exclusive, reverse)
        remark("%d MB in %d MB" % (count >> 17, peak >> 20))

    def test_axes(self):
        """Matrices: tall, wide and in Fortran order, each about a quarter of the size."""
        elements, peak = MEGABYTES << 15, 0
        for rows in 7, 3000, elements // 5:
            shape = (rows, elements // rows)
            for order, axis in [("C", 0), ("F", 0), ("F", None)]:
                header = "{'descr': '<i8', 'fortran_order': %s, 'shape': %r}" % (order == "F", shape)
                x = np.arange(shape[0] * shape[1], dtype="i8") % 1009
                self.write("x.npy", npy_with(header, x.tobytes()))
                options = [] if axis is None else ["--axis", str(axis)]
                peak = max(peak, self.scan_measured(*options, "--reverse", "-o", self.path("y.npy"), self.path("x.npy")))
                self.same(np.load(self.path("y.npy")), expected(x.reshape(shape, order=order), axis, False, True))
        remark("%d MB in %d MB" % (elements >> 17, peak >> 20))
