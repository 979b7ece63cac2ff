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

    def test_measures_what_a_strategy_needs(self):
        """Shapes of the definition (train/columns.hpp, train/strategy.hpp), by hand, that no uniform grid has."""
        self.write("n.json", json.dumps({
            "format": "simtrain-network", "version": 1, "name": "n", "dataset_images": 64, "default_batch": 6,
            "input": {"channels": 3, "height": 8, "width": 8},
            "layers": [{"name": "c", "type": "convolution", "filters": 10, "kernel": 1}, {"type": "flatten"},
                       {"name": "f1", "type": "linear", "outputs": 22},
                       {"name": "f2", "type": "linear", "outputs": 14}]}))

        def products(*more):
            self.run_program("calibrate", *QUICK[:5], "--network", "n.json", "--grid", "2x3", *more, "--output", "p.json")
            profile = json.loads((self.folder / "p.json").read_text())
            return {(row["m"], row["n"], row["k"]) for row in profile["kernels"]["gemm_nn"]["samples"]}

        pair = (14, 2, 11)  # f2 by columns of W: all 14 outputs of half of the 22 inputs, two samples
        by_batch = (10, 64, 3)  # c on 1x6: all 10 channels, the 64 pixels of one sample
        strip = (10, 3 * 3 * 8, 3)  # c in three strips on 3x2: three lines of eight pixels, of three samples
        self.assertFalse({pair, by_batch, strip} & products())
        self.assertLessEqual({pair, by_batch, strip}, products("--strategy", "pair | c:domain:3x2", "--strategy", "conv-batch"))
        for arguments, *parts in (
                (["--strategy", "auto"], "--strategy", "auto", "simtrain"),
                (["--strategy", "pairs"], "--strategy", "pairs", "did you mean 'pair'"),
                (["--strategy", "fc*:2x3"], "--strategy", "--grid"),
                (["--grid", "2x3", "--strategy", "fc*:2x2"], "--strategy", "2x2"),
        ):
            with self.subTest(arguments=arguments):
                self.refuse("calibrate", ["kernels", "--network", "mlp", "--batch", "24", *arguments], *parts,
                            leaves=["n.json", "p.json"])

    def test_shipped_profiles(self):
        profiles = sorted((programs.BIN.parent / "share/simtrain/profiles").glob("*.json"))
        self.assertTrue(profiles)
        for path in profiles:
            done = self.validate(path)
            self.assertEqual(done.returncode, 0, done.stderr)
            shown, _ = self.run_program("calibrate", "show", path.stem)
            self.assertIn(json.loads(path.read_text())["certificate"]["date"], shown)
            self.assertLess(path.stat().st_size, 1536 * 1024)  # every prediction reads it

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
        self.run_program("calibrate", "show", name, "--plot-messages", "m.svg")
        for kind in ("local, one way, measured", "local, exchange, measured"):
            self.assertIn(kind, (self.folder / "m.svg").read_text())
        text, _ = self.run_program("calibrate", "show", name, "--plot", "-")
        self.assertIn("million multiply-adds", text)
        self.assertNotIn("\f", text)

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
        self.assertIn("All that was measured is within", out)

    def test_measures_messages_under_mpirun(self):
        self.run_ranks(2, "calibrate", "network", "--budget", "0.05", "--largest", "64KiB", "--output", "net.json")
        out, _ = self.run_ranks(2, "calibrate", "check", "net.json", "--threshold", "1000000", "--seconds", "4")
        self.assertIn("It has no kernels, only messages.", out)
        self.assertRegex(out, "messages, local, measured .*\n")
        for timing in ("one_way_idle", "exchange_idle", "one_way_computing", "exchange_computing"):
            self.assertRegex(out, rf"{timing} +\d+ +[+-]")
        self.assertIn("All that was measured is within", out)
        out, _ = self.run_program("calibrate", "check", "net.json", "--threshold", "1000000", "--seconds", "1")
        self.assertIn("its messages were not measured again; mpirun -n 2 calibrate check does that", out)
        _, error = self.run_ranks(2, "calibrate", "check", "nowhere.json", status=2)
        self.assertEqual(error.count("calibrate: error:"), 1, error)

    def test_kernels_start_their_own_companions(self):
        _, error = self.run_ranks(2, "calibrate", "kernels", "--output", "p.json", status=2)
        self.assertIn("2 processes", error)
        self.assertFalse((self.folder / "p.json").exists())

    def test_wrong_input(self):
        self.refuse("calibrate", ["check"], "no profile")
        self.refuse("calibrate", ["check", "nowhere.json"], "profile 'nowhere.json'")
        self.refuse("calibrate", ["check", "nowhere.json", "--threshold", "0"], "--threshold", "'0'")


CERTIFICATE = ["--machine", "a node", "--cpu", "GPU, 80 GB", "--blas", "vendor BLAS 12", "--measured-on", "2026-11-30",
               "--memory-bandwidth", "2TBps"]


class Domain(ProgramTest):
    def test_a_prediction_far_outside_the_profile_is_refused(self):
        self.run_program("calibrate", *QUICK, "--output", "node.json")
        job = ["--platform", "torus:2x3", "--grid", "2x3", "--network", "alexnet", "--batch", "6", "--profile", "node.json"]
        self.refuse("simtrain", job, "'node.json'", "outside what was measured", "at most 50", "--extrapolate",
                    leaves=["node.json"])
        out, _ = self.run_program("simtrain", *job, "--extrapolate")
        self.assertRegex(out, r"WARNING: \d.* % of the compute time lies outside")

    def test_loads_and_threads(self):
        self.run_program("calibrate", *QUICK, "--loaded", "--output", "node.json")
        job = ["--network", "mlp", "--batch", "24", "--profile", "node.json"]
        alone = self.result(*job, "--platform", "torus:2x3", "--grid", "2x3")
        self.assertEqual((alone["profile"]["processes_per_node"], alone["profile"]["threads_per_rank"]), (1, 1))
        self.assertEqual(alone["totals"]["extrapolated_s"], 0)
        shared = self.result(*job, "--platform", "node:2", "--grid", "1x2")
        self.assertEqual(shared["profile"]["processes_per_node"], 2)
        # More ranks on the node than there were cores to measure with, and threads that were not measured.
        more = 1 + os.cpu_count()
        self.refuse("simtrain", [*job, "--platform", f"node:{more}", "--grid", f"1x{more}"], "100.0 %", "--loaded",
                    leaves=["node.json", "result.json"])
        self.refuse("simtrain", [*job, "--platform", "torus:2x3", "--grid", "2x3", "--threads", "3"],
                    "3 threads were not measured", leaves=["node.json", "result.json"])


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
        for date in ("yesterday", "2026-02-30", "2026-11", "2026-11-30x"):
            words = [date if word == "2026-11-30" else word for word in CERTIFICATE]
            self.refuse("calibrate", ["import", self.table([good]), *words], "--measured-on", date, leaves=["gemms.csv"])

    def test_a_spreadsheet_s_table_and_what_cannot_be_checked_here(self):
        self.table(["8,8,8,N,N,1e-6"], header="\ufeffm,n,k,transa,transb,seconds")
        out, shown = self.run_program("calibrate", "import", "gemms.csv", *CERTIFICATE, "--alike", "--output", "gpu.json")
        self.assertRegex(shown, r"gemm_nn +1 +- ")  # measured once: nobody knows how it varies
        self.refuse("calibrate", ["check", "gpu.json"], "'gpu.json' was imported", "GPU, 80 GB",
                    leaves=["gemms.csv", "gpu.json"])


NETWORK = ["network", "--budget", "0.1", "--largest", "1MiB", "--seed", "3"]


class Network(ProgramTest):
    """Under mpirun with two ranks of this machine."""

    def test_measures_messages_that_simtrain_uses(self):
        self.run_program("calibrate", *QUICK, "--output", "kernels.json")
        kernels = (self.folder / "kernels.json").read_text()
        out, error = self.run_ranks(2, "calibrate", *NETWORK, "--add-to", "kernels.json", "--output", "node.json",
                                    "--platform-output", "node.xml", "--platform-hosts", "6")
        self.assertEqual(out, "")
        self.assertIn("seed 3", error)
        self.assertEqual((self.folder / "kernels.json").read_text(), kernels)
        done = subprocess.run([sys.executable, VALIDATE, SCHEMA, "node.json"], cwd=self.folder, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

        profile = json.loads((self.folder / "node.json").read_text())
        self.assertEqual(profile["kernels"], json.loads(kernels)["kernels"])
        self.assertEqual(list(profile["network"]), ["local"])
        local = profile["network"]["local"]
        self.assertEqual(set(local["curves"]), {"one_way_idle", "one_way_by_clock", "one_way_computing", "exchange_idle",
                                                "exchange_computing", "send_call", "isend_call", "late_receive"})
        self.assertEqual(local["certificate"]["command"], "mpirun -n 2 calibrate " + shlex.join(
            [*NETWORK, "--add-to", "kernels.json", "--output", "node.json", "--platform-output", "node.xml",
             "--platform-hosts", "6"]))
        self.assertIn("Open MPI", local["certificate"]["mpi"])
        for name, curve in local["curves"].items():
            sizes = [sample["bytes"] for sample in curve["samples"]]
            self.assertEqual((sizes[0], sizes), (0, sorted(set(sizes))), name)
            self.assertLessEqual(sizes[-1], 1 << 20)
            self.assertTrue({1, 1024, 4096} <= set(sizes), name)
            self.assertTrue(all(len(sample["seconds"]) >= 3 for sample in curve["samples"]), name)
            self.assertEqual(sum(sample.get("kept_aside", False) for sample in curve["samples"]), len(sizes) // 5, name)
            self.assertEqual(curve["error"]["samples"], len(sizes) // 5, name)
            self.assertEqual((curve["segments"][0]["from"], curve["segments"][-1]["to"]), (0, sizes[-1]), name)

        shown, _ = self.run_program("calibrate", "show", "node.json")
        for text in ("gemm_nn", "two processes of one node", "exchange_computing", "1.00 MiB", "node:2,bandwidth="):
            self.assertIn(text, shown)
        self.assertIn(shown[shown.index("network  "):], error)

        job = ["--network", "mlp", "--batch", "24", "--grid", "2x3", "--profile", "node.json", "--collectives", "ring",
               "--extrapolate"]  # six ranks on a node: kernels were measured alone
        linear = self.result(*job, "--platform", "node.xml")
        self.assertEqual(linear["platform"]["network_model"], "linear")
        calibrated = [self.result(*job, "--platform", name, "--network-model", "calibrated")
                      for name in ("node.xml", "node:6")]
        for result in calibrated:
            self.assertEqual(result["platform"]["network_model"], "calibrated")
            self.assertIn("Open MPI", result["platform"]["network_source"])
            self.assertEqual(result["platform"]["network_outside_share"], 0)
            self.assertEqual(result["totals"]["compute_s"], linear["totals"]["compute_s"])
        self.assertNotEqual(calibrated[0]["iteration_s"], linear["iteration_s"])
        # A node's memory belongs to the profile, not to the platform.
        self.assertAlmostEqual(calibrated[0]["iteration_s"] / calibrated[1]["iteration_s"], 1, delta=1e-6)

        out, _ = self.run_program("simtrain", "--network", "mlp", "--grid", "1x2", "--platform", "node:2", "--profile",
                                  "node.json", "--batch", "24", "--network-model", "calibrated",
                                  "--extrapolate")
        self.assertIn("calibrated: local messages up to 1.00 MiB, after computing", out)
        self.assertNotIn("not measured", out)

    def test_a_profile_of_messages_alone(self):
        out, _ = self.run_ranks(3, "calibrate", "network", "--budget", "0.02", "--largest", "4KiB", "--idle-only", "yes")
        self.write("net.json", out)
        profile = json.loads(out)
        self.assertEqual((profile["version"], profile["kernels"]), (2, {}))
        self.assertNotIn("one_way_computing", profile["network"]["local"]["curves"])
        shown, _ = self.run_program("calibrate", "show", "net.json")
        self.assertIn("no kernels were measured", shown)

    def test_all_processes_at_once(self):
        out, _ = self.run_ranks(3, "calibrate", "network", "--budget", "0.02", "--largest", "4KiB", "--idle-only", "yes",
                                "--loaded")
        self.write("net.json", out)
        curves = json.loads(out)["network"]["local"]["curves"]
        for timing in ("exchange_loaded", "shift_loaded", "pair_loaded", "rotation_loaded"):
            self.assertEqual(curves[timing]["samples"][-1]["bytes"], 4096)
        done = subprocess.run([sys.executable, VALIDATE, SCHEMA, "net.json"], cwd=self.folder, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_simtrain_needs(self):
        job = ["--network", "mlp", "--grid", "1x2", "--network-model"]
        self.refuse("simtrain", [*job, "kalibrated", "--platform", "node:2"], "did you mean 'calibrated'")
        out, _ = self.run_ranks(2, "calibrate", "network", "--budget", "0.02", "--largest", "4KiB", "--idle-only", "yes")
        local = json.loads(out)["network"]
        shipped = json.loads((programs.BIN.parent / "share/simtrain/profiles/"
                              "xeon-openblas-0.3.21-skylakex.json").read_text())
        shipped.pop("network", None)
        self.write("none.json", json.dumps(shipped))
        self.refuse("simtrain", [*job, "calibrated", "--platform", "node:2", "--profile", "none.json"], "'none.json'",
                    "no network section", leaves=["none.json"])
        self.write("local.json", json.dumps({**shipped, "version": 2, "network": local}))
        self.refuse("simtrain", [*job, "calibrated", "--platform", "torus:2", "--profile", "local.json"],
                    "'local.json'", "no remote messages", "--host", leaves=["none.json", "local.json"])
        self.refuse("simtrain", [*job, "calibrated", "--platform", "node:2,latency=0s", "--profile", "local.json"],
                    "no latency", "host-0", leaves=["none.json", "local.json"])
        beyond = [*job, "calibrated", "--platform", "node:2", "--profile", "local.json"]
        self.refuse("simtrain", beyond, "messages' time", "at most 50", "--extrapolate", leaves=["none.json", "local.json"])
        out, _ = self.run_program("simtrain", *beyond, "--extrapolate")
        self.assertRegex(out, r"WARNING: \d.* % of the messages' time is of sizes that were not measured")


class Help(ProgramTest):
    def test_help_has_examples(self):
        for arguments in (["--help"], ["kernels", "--help"], ["network", "--help"], ["show", "--help"],
                          ["check", "--help"]):
            out, error = self.run_program("calibrate", *arguments)
            self.assertIn("node.json", out)
            self.assertEqual(error, "")


class WrongInput(ProgramTest):
    def test_commands_and_options(self):
        self.refuse("calibrate", [], "no command", "kernels")
        self.refuse("calibrate", ["kernel"], "'kernel'", "did you mean 'kernels'")
        self.refuse("calibrate", ["kernels", "--repetition", "3"], "'--repetition'", "did you mean '--repetitions'")
        self.refuse("calibrate", ["show"], "no profile")
        self.refuse("calibrate", ["show", "a", "b"], "stands alone")
        self.refuse("calibrate", ["show", "a", "--plot", "a.gif"], "--plot", "'a.gif'", ".svg")

    def test_values(self):
        for option, value in (("--budget", "0"), ("--budget", "long"), ("--repetitions", "0"), ("--seed", "-1"),
                              ("--batch", "1.5"), ("--grid", "2by3")):
            self.refuse("calibrate", ["kernels", option, value], option, f"'{value}'")
        self.refuse("calibrate", ["kernels", "--network", "alexnt"], "'alexnt'", "alexnet")
        self.refuse("calibrate", ["kernels", "--network", "mlp", "--batch", "2", "--grid", "1x4"], "batch", "2", "4")
        self.refuse("calibrate", ["kernels", "--output", "missing/node.json"], "--output", "missing")

    def test_network(self):
        self.refuse("calibrate", ["network"], "1 process", "mpirun -n 2")
        for option, value in (("--budget", "0"), ("--largest", "2GiB"), ("--largest", "4"), ("--seed", "-1"),
                              ("--idle-only", "maybe"), ("--platform-output", "a.txt"), ("--platform-hosts", "1"),
                              ("--output", "missing/net.json"), ("--add-to", "nowhere.json")):
            out, error = self.run_ranks(2, "calibrate", "network", option, value, status=2)
            self.assertEqual(out, "")
            self.assertEqual(error.count("calibrate: error: "), 1, error)
            self.assertIn(option if option != "--add-to" else "nowhere.json", error)
        _, error = self.run_ranks(2, "calibrate", "network", "--loaded", status=2)
        self.assertIn("--loaded: runs on 1 nodes, with 2 processes on the first; expected three or more", error)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_profiles(self):
        self.refuse("calibrate", ["show", "nowhere.json"], "profile 'nowhere.json'")
        self.write("cut.json", '{"format": "simtrain-profile",\n"version": 2,')
        self.refuse("calibrate", ["show", "cut.json"], "profile 'cut.json', line 2", "ends early", leaves=["cut.json"])


if __name__ == "__main__":
    unittest.main()
