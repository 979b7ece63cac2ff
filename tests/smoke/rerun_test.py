"""Passports of results, and simtrain rerun: the same numbers again, and what is refused."""
import hashlib
import json
import re
import sys
import unittest

import programs
from programs import ProgramTest

JOB = ["--platform", "torus:4x2", "--grid", "4x2", "--network", "mlp", "--batch", "64"]
SHARE = programs.BIN.parent / "share/simtrain"


class Rerun(ProgramTest):
    def predict(self, name, *arguments):
        self.run_program("simtrain", *arguments, "--json", name)
        return json.loads((self.folder / name).read_text())

    def test_passport(self):
        passport = self.predict("r.json", *JOB)["passport"]
        self.assertEqual(passport["program"], "simtrain")
        self.assertEqual(passport["arguments"], [*JOB, "--json", "r.json"])
        self.assertIn("SimGrid", passport["versions"])
        self.assertEqual(set(passport["made"]), {"host", "date"})
        hashes = {one["option"]: one["sha256"] for one in passport["inputs"]}
        self.assertEqual(set(hashes), {"network", "profile"})  # the platform is a word
        network = (SHARE / "scenarios/networks/mlp.json").read_bytes()
        self.assertEqual(hashes["network"], hashlib.sha256(network).hexdigest())
        passport = self.predict("t.json", "--platform", "torus.xml", "--grid", "2x2", "--network", "mlp")["passport"]
        self.assertIn({"option": "platform", "name": "torus.xml",
                       "sha256": hashlib.sha256((SHARE / "platforms/torus.xml").read_bytes()).hexdigest()},
                      passport["inputs"])

    def test_the_same_again(self):
        for options in ([], ["--replicas", "3"], ["--bounds"], ["--overlap", "all"],
                        ["--numerics", "real", "--iterations", "2", "--seed", "7"]):
            with self.subTest(options=options):
                first = self.predict("r.json", *JOB, *options, "--csv", "r.csv")
                (self.folder / "r.csv").unlink()
                out, error = self.run_program("simtrain", "rerun", "r.json", "--json", "again.json")
                self.assertIn("The same numbers", out)
                self.assertEqual(error, "")
                again = json.loads((self.folder / "again.json").read_text())
                self.assertFalse((self.folder / "r.csv").exists())
                del first["passport"], again["passport"]
                self.assertEqual(again, first)

    # Of every command: what --json writes is had again from its passport, and a figure that was changed is seen.
    COMMANDS = (
        (["sweep", *JOB[:2], *JOB[4:], "--grids", "1x8,8x1", "--replicas", "2", "--collectives", "ring,bruck", "--slow-host",
          "host-1=0.5", "--slow-host", "host-2=0.5"], "iteration_s"),
        (["sweep", *JOB[:2], *JOB[4:], "--processes", "8", "--prune", "--results", "points.jsonl"], "lower_bound_s"),
        (["flip", "batch", *JOB[:2], *JOB[4:6], "--grids", "1x8,8x1", "--from", "64", "--to", "128"], "margin"),
        (["cost", "--network", "mlp", "--processes", "8"], "formula_4_s"),
        (["collective", "all-reduce", "--bytes", "4kB", "--processes", "8", "--platform", "torus.xml"], "seconds"),
        (["describe", "torus.xml"], "mean_links"),
        (["compare", "a.json", "b.json"], "difference_s"),
    )

    def test_every_command(self):
        for name, batch in (("a.json", "64"), ("b.json", "128")):
            self.predict(name, *JOB[:6], "--batch", batch)
        for arguments, figure in self.COMMANDS:
            with self.subTest(arguments=arguments):
                first = self.predict("r.json", *arguments, "--color", "never")
                self.assertEqual(first["passport"]["arguments"][0], arguments[0])
                for one in first["passport"]["inputs"]:
                    self.assertRegex(one["sha256"], "^[0-9a-f]{64}$")
                out, _ = self.run_program("simtrain", "rerun", "r.json", "--json", "again.json")
                self.assertIn("The same numbers", out)
                again = json.loads((self.folder / "again.json").read_text())
                del first["passport"], again["passport"]
                self.assertEqual(again, first)
                text = (self.folder / "r.json").read_text()
                self.write("r.json", re.sub(f'"{figure}": ([0-9])', f'"{figure}": 1\\1', text, count=1))
                out, _ = self.run_program("simtrain", "rerun", "r.json", status=1)
                self.assertIn("Other numbers", out)
                self.assertIn(figure, out)

    def test_a_sweep_says_all_that_it_depends_on(self):
        self.write("s.ini", "platform = torus:4 | torus.xml\ngrids = 2x1,1x2\nseed = 5\nextrapolate = yes\n")
        passport = self.predict("r.json", "sweep", "--scenario", "s.ini", "--network", "mlp")["passport"]
        arguments = passport["arguments"]
        for option, value in (("--platform", "torus:4"), ("--platform", "torus.xml"), ("--grids", "2x1,1x2"), ("--seed", "5")):
            self.assertIn((option, value), list(zip(arguments, arguments[1:])))
        self.assertIn("--extrapolate", arguments)
        self.assertEqual({(one["option"], one["name"]) for one in passport["inputs"]},
                         {("network", "mlp"), ("platform", "torus.xml"), ("profile", "xeon-openblas-0.3.21-skylakex")})

    def test_other_numbers(self):
        result = self.predict("r.json", *JOB)
        text = (self.folder / "r.json").read_text()
        self.write("r.json", text.replace('"64"', '"32"'))
        self.assertEqual(result["job"]["batch"], 64)
        out, _ = self.run_program("simtrain", "rerun", "r.json", status=1)
        self.assertIn("Other numbers", out)
        self.assertIn("batch 64", out)

    def test_refused(self):
        network = json.loads((SHARE / "scenarios/networks/mlp.json").read_text())
        self.write("mine.json", json.dumps(network))
        self.run_program("simtrain", "--platform", "torus:2", "--grid", "2x1", "--network", "mine.json", "--json", "r.json")
        network["layers"][1]["outputs"] = 128
        self.write("mine.json", json.dumps(network))
        leaves = ["mine.json", "r.json"]
        self.refuse("simtrain", ["rerun", "r.json", "--json", "n.json"], "network 'mine.json' is not what it was",
                    leaves=leaves)
        (self.folder / "mine.json").unlink()
        self.refuse("simtrain", ["rerun", "r.json"], "mine.json", leaves=["r.json"])
        bare = json.loads((self.folder / "r.json").read_text())
        del bare["passport"]
        self.write("bare.json", json.dumps(bare))
        self.refuse("simtrain", ["rerun", "bare.json"], "bare.json", "no passport", leaves=["bare.json", "r.json"])
        self.refuse("simtrain", ["rerun"], "result file", leaves=["bare.json", "r.json"])
        foreign = json.loads((self.folder / "r.json").read_text())
        foreign["passport"]["program"] = "reboot"  # nothing that one might run is made of it
        self.write("bare.json", json.dumps(foreign))
        self.refuse("simtrain", ["rerun", "bare.json"], "is of 'reboot'; expected one that simtrain or mpitrain wrote",
                    leaves=["bare.json", "r.json"])

    def test_native(self):
        self.run_ranks(2, "mpitrain", "--grid", "1x2", "--network", "mlp", "--iterations", "2", "--json", "n.json")
        passport = json.loads((self.folder / "n.json").read_text())["passport"]
        self.assertEqual(passport["program"], "mpitrain")
        self.assertEqual(set(passport["versions"]), {"BLAS", "MPI"})
        self.refuse("simtrain", ["rerun", "n.json"], "mpirun -n 2 mpitrain --grid 1x2", leaves=["n.json"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
