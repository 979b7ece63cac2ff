"""simtrain compare from the command line: native against simulated, and what is refused."""
import json
import pathlib
import subprocess
import sys
import unittest

from programs import ProgramTest

SCHEMA = pathlib.Path(sys.argv.pop(1)).resolve()
VALIDATE = pathlib.Path(__file__).parent / "validate_json.py"
JOB = ["--network", "mlp", "--batch", "37", "--iterations", "3", "--warm-up", "1"]
FILES = ["native.json", "simulated.json"]


class Compare(ProgramTest):
    def setUp(self):
        super().setUp()
        self.run_ranks(2, "mpitrain", *JOB, "--grid", "1x2", "--json", "native.json")
        self.simulate("simulated.json", "--grid", "1x2", "--numerics", "real")

    def simulate(self, name, *arguments):
        self.run_program("simtrain", *JOB, "--platform", "torus:2", *arguments, "--json", name)

    def load(self, name):
        return json.loads((self.folder / name).read_text())

    def compare(self, *files):
        """Text and JSON of the comparison; the JSON keeps to its schema."""
        out, error = self.run_program("simtrain", "compare", *files, "--json", "c.json")
        self.assertEqual(error, "")
        done = subprocess.run([sys.executable, VALIDATE, SCHEMA, "c.json"], cwd=self.folder, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out, self.load("c.json")

    def test_native_against_simulated(self):
        out, comparison = self.compare(*FILES)
        native, simulated = map(self.load, FILES)
        self.assertEqual(comparison["iteration"]["mean"]["reference_s"], native["iteration_s"])
        self.assertEqual(comparison["iteration"]["mean"]["other_s"], simulated["iteration_s"])
        self.assertEqual(comparison["iteration"]["median"]["reference_s"], sorted(native["iteration_seconds"])[1])
        self.assertEqual(comparison["compared_by"], "median")
        layers = {layer["name"]: layer for layer in native["layers"]}
        for row in comparison["differences"]:
            if row["phase"] in ("forward", "backward", "update"):
                self.assertEqual(row["reference_s"], layers[row["layer"]]["phases"][row["phase"]]["median_s"])
        sizes = [abs(row["difference_s"]) for row in comparison["differences"]]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        difference = simulated["iteration"]["median_s"] - native["iteration"]["median_s"]
        self.assertAlmostEqual(sum(row["difference_s"] for row in comparison["differences"]), difference, delta=1e-9)
        for text in ("fc1", "backward", "all-reduce dW", "neither", "Where it comes from", "against",
                     "placement mpirun / column-major"):
            self.assertIn(text, out)
        self.assertLessEqual(max(map(len, out.splitlines())), 100)

        swapped, _ = self.compare(*reversed(FILES))
        self.assertEqual(swapped, out)

    def test_two_predictions(self):
        self.simulate("rows.json", "--grid", "2x1")
        out, comparison = self.compare("simulated.json", "rows.json")
        simulated, rows = self.load("simulated.json"), self.load("rows.json")
        self.assertEqual([(one["what"], one["reference"], one["other"]) for one in comparison["job_differences"]],
                         [("grid", "1x2", "2x1")])
        self.assertEqual((comparison["reference"]["label"], comparison["other"]["label"]), ("1x2", "2x1"))
        difference = rows["iteration_s"] - simulated["iteration_s"]
        self.assertAlmostEqual(sum(row["difference_s"] for row in comparison["differences"]), difference, delta=1e-9)
        weights = next(one for one in comparison["collectives"] if one["phase"] == "reduce_weights")
        self.assertEqual(weights["alpha_beta"]["other_s"], 0)  # one column: nothing to reduce
        self.assertGreater(weights["alpha_beta"]["reference_s"], 0)
        self.assertEqual({one["class"] for one in comparison["links"]}, {"x+", "x-"})
        for text in ("2x1 takes", "than 1x2", "grid 1x2 / 2x1", "beyond", "in use"):
            self.assertIn(text, out)
        self.assertLessEqual(max(map(len, out.splitlines())), 100)

    def test_a_file_with_itself(self):
        out, comparison = self.compare("simulated.json", "simulated.json")
        self.assertEqual(comparison["absolute_difference_s"], 0)
        self.assertIn("do not differ", out)

    def test_help(self):
        self.assertIn("--json", self.run_program("simtrain", "compare", "--help")[0])
        self.assertIn("simtrain compare", self.run_program("simtrain", "--help")[0])

    def test_refuses_other_jobs(self):
        for name, arguments, *parts in (
            ("grid.json", ["--grid", "2x1"], "grid '1x2' and '2x1'"),
            ("ring.json", ["--grid", "1x2", "--collectives", "ring"], "collectives 'auto' and 'ring'"),
            ("plain.json", ["--grid", "1x2", "--momentum", "0"], "momentum 'used' and 'none'"),
        ):
            self.simulate(name, *arguments)
            self.refuse("simtrain", ["compare", "native.json", name, "--json", "c.json"], "native.json", name, *parts,
                        leaves=[*FILES, name])
            (self.folder / name).unlink()

    def test_refuses_files_that_are_no_results(self):
        whole = (self.folder / "native.json").read_text()
        edited = json.loads(whole)
        edited["iteration_s"] *= 2
        self.write("half.json", whole[:len(whole) // 2])
        self.write("edited.json", json.dumps(edited))
        self.write("profile.json", '{"format": "simtrain-profile"}')
        leaves = sorted([*FILES, "half.json", "edited.json", "profile.json"])
        for name, part in (("half.json", "not valid JSON"), ("edited.json", "iteration_s"), ("profile.json", "schema"),
                           ("missing.json", "cannot be read"), (".", "is a folder")):
            self.refuse("simtrain", ["compare", "native.json", name], name, part, leaves=leaves)

    def test_refuses_wrong_arguments(self):
        for arguments, *parts in (
            ([], "two result files", "found none"),
            (["native.json"], "two result files", "'native.json'"),
            ([*FILES, "third.json"], "two result files", "'third.json'"),
            ([*FILES, "--jsn", "c.json"], "--jsn", "--json"),
            ([*FILES, "--json", "nowhere/c.json"], "--json", "nowhere"),
            ([*FILES, "--json"], "--json"),
        ):
            self.refuse("simtrain", ["compare", *arguments], *parts, leaves=FILES)
        self.refuse("simtrain", ["compair", *FILES], "compair", "did you mean 'compare'", leaves=FILES)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
