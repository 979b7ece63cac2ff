"""Do documents tell the truth? Their commands are run, and what is printed below them is compared, line by line.

A command is indented by four blanks; a block of ```text after it is what it prints, where a line with … alone stands for
lines that are left out. In the tutorial all commands are run, in docs/sweeps.md and the README those with such a block.
"""
import os
import pathlib
import re
import shlex
import sys
import unittest

import programs
from programs import ProgramTest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent


def examples(path):
    """[(command, lines that it prints or None)]; a command that goes on after a backslash is one."""
    found, command, output = [], "", None
    for line in path.read_text(encoding="utf-8").splitlines():
        if output is not None:
            if line == "```":
                output = None
            else:
                output.append(line)
        elif line == "```text":
            output = []
            found[-1] = (found[-1][0], output)
        elif line.startswith("    ") and (command or re.match("    (simtrain|mpirun|./dev) ", line)):
            command += line.strip().removesuffix("\\")
            if not line.endswith("\\"):
                found.append((command, None))
                command = ""
    return found


class Documents(ProgramTest):
    def setUp(self):
        super().setUp()
        os.environ["PATH"] = f"{programs.BIN}:{os.environ['PATH']}"

    def check(self, command, lines):
        """Runs it, in this test's folder; lines: what it prints, in this order."""
        words = shlex.split(command.replace("./dev run ", "simtrain "), comments=True)
        if words[0] == "mpirun":
            words.insert(1, "--oversubscribe")
        out, _ = self._run(words, 0)
        printed = out.splitlines()
        if words[0] == "mpirun":  # who is ready first is chance
            printed, lines = sorted(printed), sorted(lines or [])
        at, skipping = 0, False
        for line in lines or []:
            if line == "…":
                skipping = True
                continue
            while skipping and at < len(printed) and printed[at] != line:
                at += 1
            self.assertLess(at, len(printed), f"{command}\ndoes not print: {line}\nbut:\n{out}")
            self.assertEqual(printed[at], line, command)
            at, skipping = at + 1, False

    def check_all(self, name, only_with_output):
        found = examples(SOURCE / name)
        ran = 0
        for command, lines in found:
            if lines is None and only_with_output:
                continue
            with self.subTest(command=command):
                self.check(command, lines)
                ran += 1
        self.assertGreater(ran, 0)

    def test_the_tutorial(self):
        self.check_all("docs/tutorial.md", False)
        text = (SOURCE / "docs/tutorial.md").read_text(encoding="utf-8")
        for picture in re.findall(r"!\[[^]]+\]\(([^)]+)\)", text):
            size = (SOURCE / "docs" / picture).stat().st_size
            self.assertTrue(0 < size <= 150_000, (picture, size))

    def test_sweeps(self):
        self.check_all("docs/sweeps.md", True)

    def test_the_readme(self):
        self.check_all("README.md", True)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
