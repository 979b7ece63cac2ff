"""calibrate from the command line: does it measure, show and refuse?"""
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import time
import unittest

import programs
from programs import ProgramTest

SCHEMA = pathlib.Path(sys.argv.pop(1)).resolve()
VALIDATE = pathlib.Path(__file__).parent / "validate_json.py"
QUICK = ["kernels", "--budget", "0.01", "--repetitions", "2", "--network", "mlp", "--batch", "24", "--grid", "2x3"]


def catches_interrupts(pid):
    """Whether the process has a handler for SIGINT."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    caught = int(re.search(r"^SigCgt:\s*(\w+)$", status, re.MULTILINE).group(1), 16)
    return caught >> (signal.SIGINT - 1) & 1 == 1


class Kernels(ProgramTest):
    def validate(self, name):
        return subprocess.run([sys.executable, VALIDATE, SCHEMA, name], cwd=self.folder, capture_output=True,
                              text=True, check=False)

    def test_measures_what_a_plan_needs_and_shows_it(self):
        out, error = self.run_program("calibrate", *QUICK, "--seed", "5", "--machine", "a node", "--output", "node.json")
        self.assertEqual(out, "")
        self.assertIn("gemm_nn", error)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["node.json"])
        done = self.validate("node.json")
        self.assertEqual(done.returncode, 0, done.stderr)

        profile = json.loads((self.folder / "node.json").read_text())
        certificate = profile["certificate"]
        self.assertEqual(certificate["machine"], "a node")
        self.assertEqual(certificate["command"], shlex.join(
            ["calibrate", *QUICK, "--seed", "5", "--machine", "a node", "--output", "node.json"]))
        self.assertEqual((certificate["seed"], certificate["threads"]), (5, 1))
        self.assertRegex(certificate["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual(certificate["environment"], " ".join(sorted(
            f"{name}={value}" for name, value in os.environ.items()
            if name.startswith("OPENBLAS_") or name in ("GOTO_NUM_THREADS", "OMP_NUM_THREADS"))))
        self.assertEqual(len(profile["kernels"]), 20)
        # The first layer of the MLP on 2 x 3 processes: 256 of 512 outputs, 8 of 24 samples, 784 inputs.
        for kernel, shape in (("gemm_nn", (256, 8, 784)), ("gemm_nt", (256, 784, 8))):
            shapes = {(row["m"], row["n"], row["k"]) for row in profile["kernels"][kernel]["samples"]}
            self.assertIn(shape, shapes)
            self.assertGreaterEqual(len(shapes), 15, "shapes around those needed")
        for kernel, entry in profile["kernels"].items():
            aside = sum(row.get("kept_aside", False) for row in entry["samples"])
            self.assertEqual(aside, len(entry["samples"]) // 5, kernel)
            for candidate in entry["fit"]["candidates"]:
                self.assertEqual(candidate["samples"], aside)

        shown, _ = self.run_program("calibrate", "show", "node.json")
        self.assertEqual(shown, error[error.index("machine"):])
        for text in ("a node", certificate["cpu"], "gemm_tn", "kept aside"):
            self.assertIn(text, shown)

        self.write("broken.json", (self.folder / "node.json").read_text().replace('"seconds":[', '"seconds":[-1,', 1))
        done = self.validate("broken.json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("seconds[0]", done.stderr)
        self.refuse("calibrate", ["show", "broken.json"], "broken.json", "seconds", "-1",
                    leaves=["node.json", "broken.json"])

    def test_shipped_profiles(self):
        profiles = sorted((programs.BIN.parent / "share/simtrain/profiles").glob("*.json"))
        self.assertTrue(profiles)
        for path in profiles:
            done = self.validate(path)
            self.assertEqual(done.returncode, 0, done.stderr)
            shown, _ = self.run_program("calibrate", "show", path.stem)
            self.assertIn(json.loads(path.read_text())["certificate"]["date"], shown)
            self.assertLess(path.stat().st_size, 600 * 1024)

    def test_an_interrupt_leaves_nothing(self):
        with subprocess.Popen([programs.BIN / "calibrate", "kernels", "--budget", "60", "--output", "node.json"],
                              cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            while not catches_interrupts(process.pid):
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            out, error = process.communicate(timeout=300)
        self.assertEqual((process.returncode, out), (130, ""))
        self.assertIn("nothing was written", error)
        self.assertEqual(list(self.folder.iterdir()), [])


class Help(ProgramTest):
    def test_help_has_examples(self):
        for arguments in (["--help"], ["kernels", "--help"], ["show", "--help"]):
            out, error = self.run_program("calibrate", *arguments)
            self.assertIn("node.json", out)
            self.assertEqual(error, "")


class WrongInput(ProgramTest):
    def test_commands_and_options(self):
        self.refuse("calibrate", [], "no command", "kernels")
        self.refuse("calibrate", ["kernel"], "'kernel'", "did you mean 'kernels'")
        self.refuse("calibrate", ["kernels", "--repetition", "3"], "'--repetition'", "did you mean '--repetitions'")
        self.refuse("calibrate", ["show"], "expected one")
        self.refuse("calibrate", ["show", "a", "b"], "expected one")

    def test_values(self):
        for option, value in (("--budget", "0"), ("--budget", "long"), ("--repetitions", "0"), ("--seed", "-1"),
                              ("--batch", "1.5"), ("--grid", "2by3")):
            self.refuse("calibrate", ["kernels", option, value], option, f"'{value}'")
        self.refuse("calibrate", ["kernels", "--network", "alexnt"], "'alexnt'", "alexnet")
        self.refuse("calibrate", ["kernels", "--network", "mlp", "--batch", "2", "--grid", "1x4"], "batch", "2", "4")
        self.refuse("calibrate", ["kernels", "--output", "missing/node.json"], "--output", "missing")

    def test_profiles(self):
        self.refuse("calibrate", ["show", "nowhere.json"], "profile 'nowhere.json'")
        self.write("cut.json", '{"format": "simtrain-profile",\n"version": 1,')
        self.refuse("calibrate", ["show", "cut.json"], "profile 'cut.json', line 2", "ends early", leaves=["cut.json"])


if __name__ == "__main__":
    unittest.main()
