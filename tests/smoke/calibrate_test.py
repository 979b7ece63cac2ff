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

    def test_draws_what_was_kept_aside(self):
        name = sorted((programs.BIN.parent / "share/simtrain/profiles").glob("*.json"))[0].stem
        for picture, beginning in (("a.svg", b"<?xml"), ("a.png", b"\x89PNG")):
            self.run_program("calibrate", "show", name, "--plot", picture)
            self.assertTrue((self.folder / picture).read_bytes().startswith(beginning))
        aside = sum(row.get("kept_aside", False)
                    for row in json.loads((programs.BIN.parent / f"share/simtrain/profiles/{name}.json").read_text())
                    ["kernels"]["gemm_nn"]["samples"])
        # gnuplot draws a marker as a reference to its shape: one for each product, one for the key.
        svg = (self.folder / "a.svg").read_text()
        for kind in ("NN measured", "NN fitted", "TN fitted"):
            self.assertIn(kind.lower(), svg.lower())
        self.assertGreater(svg.count("<use"), 2 * aside)
        text, _ = self.run_program("calibrate", "show", name, "--plot", "-")
        self.assertIn("Gflop/s", text)

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


class Check(ProgramTest):
    def test_finds_a_kernel_that_changed_and_no_other(self):
        self.run_program("calibrate", *QUICK, "--output", "node.json")
        profile = json.loads((self.folder / "node.json").read_text())
        for row in profile["kernels"]["update"]["samples"]:
            row["seconds"] = [100 * seconds for seconds in row["seconds"]]
        self.write("slow.json", json.dumps(profile))
        # The threshold lets the noise of a shared machine through, and not a factor of a hundred.
        out, _ = self.run_program("calibrate", "check", "slow.json", "--threshold", "95", "--seconds", "3", status=1)
        self.assertRegex(out, r"update +\d+ +-\d+\S* % .* differs\n")
        self.assertIn("update of all weights: update takes", out)
        out, _ = self.run_program("calibrate", "check", "node.json", "--threshold", "1000000", "--seconds", "3")
        self.assertIn("Every kernel is within", out)

    def test_wrong_input(self):
        self.refuse("calibrate", ["check"], "no profile")
        self.refuse("calibrate", ["check", "nowhere.json"], "profile 'nowhere.json'")
        self.refuse("calibrate", ["check", "nowhere.json", "--threshold", "0"], "--threshold", "'0'")


CERTIFICATE = ["--machine", "a node", "--cpu", "GPU, 80 GB", "--blas", "vendor BLAS 12", "--measured-on", "2026-11-30",
               "--memory-bandwidth", "2TBps"]


class Import(ProgramTest):
    def table(self, rows, header="m,n,k,transa,transb,seconds"):
        return self.write("gemms.csv", "\n".join([header, *rows]) + "\n")

    def test_prices_are_those_of_the_table(self):
        # 1 Tflop/s: seconds are 2 m n k * 1e-12.
        sizes = [(m, n, k) for m in (1, 64, 512, 4096) for n in (1, 64, 512) for k in (1, 64, 784)]
        table = self.table([f"{m},{n},{k},{t},{2e-12 * m * n * k + 1e-6}" for t in ("N,N", "N,T", "T,N")
                            for m, n, k in sizes])
        _, shown = self.run_program("calibrate", "import", table, *CERTIFICATE, "--launch", "1us", "--output", "gpu.json")
        self.assertIn("GPU, 80 GB", shown)
        done = subprocess.run([sys.executable, VALIDATE, SCHEMA, "gpu.json"], cwd=self.folder, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        # The first layer of the MLP, 512 x 784 outputs x inputs, of 64 samples: product, bias, ReLU, flattening.
        result = self.result("--platform", "torus:2x2", "--grid", "1x1", "--network", "mlp", "--batch", "64",
                             "--profile", "gpu.json")
        outputs, inputs = 512 * 64, 784 * 64
        launches = 4 * 1e-6
        expected = 2e-12 * 512 * 64 * 784 + launches + 4 * (2 * outputs + 2 * outputs + 2 * inputs) / 2e12
        self.assertAlmostEqual(result["layers"][0]["forward_s"]["mean"] / expected, 1, delta=0.02)

    def test_wrong_tables(self):
        good = "8,8,8,N,N,1e-6"
        for rows, header, *parts in (
            ([good], "m,n,k,transa,seconds", "line 1", "transb"),
            ([], "m,n,k,transa,transb,seconds", "no products"),
            (["8,8,N,N,1e-6"], "m,n,k,transa,transb,seconds", "line 2", "5 fields"),
            ([good, "8,0,8,N,N,1e-6"], "m,n,k,transa,transb,seconds", "line 3", "n", "'0'"),
            (["8,8,8,N,X,1e-6"], "m,n,k,transa,transb,seconds", "line 2", "transb", "'X'", "N or T"),
            (["8,8,8,N,N,-1"], "m,n,k,transa,transb,seconds", "line 2", "seconds", "'-1'"),
            ([good], "m,n,k,transa,transb,seconds", "gemm_nt", "--alike"),
        ):
            table = self.table(rows, header)
            self.refuse("calibrate", ["import", table, *CERTIFICATE, "--output", "gpu.json"], *parts, leaves=[table])
        self.refuse("calibrate", ["import", self.table([good])], "--machine", "missing", leaves=["gemms.csv"])


class Help(ProgramTest):
    def test_help_has_examples(self):
        for arguments in (["--help"], ["kernels", "--help"], ["show", "--help"], ["check", "--help"]):
            out, error = self.run_program("calibrate", *arguments)
            self.assertIn("node.json", out)
            self.assertEqual(error, "")


class WrongInput(ProgramTest):
    def test_commands_and_options(self):
        self.refuse("calibrate", [], "no command", "kernels")
        self.refuse("calibrate", ["kernel"], "'kernel'", "did you mean 'kernels'")
        self.refuse("calibrate", ["kernels", "--repetition", "3"], "'--repetition'", "did you mean '--repetitions'")
        self.refuse("calibrate", ["show"], "no profile")
        self.refuse("calibrate", ["show", "a", "b"], "'b'")
        self.refuse("calibrate", ["show", "a", "--plot", "a.gif"], "--plot", "'a.gif'", ".svg")

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
