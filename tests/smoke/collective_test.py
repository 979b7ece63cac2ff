"""simtrain collective from the command line: its figures, its JSON, and what is refused."""
import json
import pathlib
import subprocess
import sys
import unittest

from programs import ProgramTest

SCHEMA = pathlib.Path(sys.argv.pop(1)).resolve()
VALIDATE = pathlib.Path(__file__).parent / "validate_json.py"
RING = ["all-reduce", "--bytes", "64MiB", "--processes", "1024", "--algorithm", "ring",
        "--platform", "torus:1024,latency=1us,bandwidth=6GBps"]


class Collective(ProgramTest):
    def figures(self, *arguments):
        """Text and JSON, which keeps to its schema."""
        out, error = self.run_program("simtrain", "collective", *arguments, "--json", "c.json")
        self.assertEqual(error, "")
        done = subprocess.run([sys.executable, VALIDATE, SCHEMA, "c.json"], cwd=self.folder, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out, json.loads((self.folder / "c.json").read_text())

    def test_ring_of_1024(self):
        out, found = self.figures(*RING)
        self.assertEqual(found["detail"], "merged")
        self.assertAlmostEqual(found["alpha_beta_s"], 24.393776e-3, delta=1e-9)
        self.assertAlmostEqual(found["seconds"], 24.393776e-3 + 2046 * 16 / 6e9, delta=1e-9)
        self.assertEqual(found["messages"], 2046 * 1024)
        self.assertEqual(found["bytes_sent"], 2 * 1023 * 2**26)
        self.assertAlmostEqual(found["algorithm_bandwidth_Bps"], 2**26 / found["seconds"], delta=1)
        self.assertAlmostEqual(found["bus_bandwidth_Bps"] / found["algorithm_bandwidth_Bps"], 2 * 1023 / 1024)
        self.assertIn("2 095 104 messages", out)
        again, _ = self.figures(*RING)
        self.assertEqual(out, again)

    def test_every_operation_and_algorithm(self):
        for operation in ("all-reduce", "all-gather", "reduce-scatter"):
            for algorithm in ("ring", "recursive-doubling", "rabenseifner", "bruck", "mpi", "auto"):
                _, found = self.figures(operation, "--bytes", "1MiB", "--processes", "8", "--algorithm", algorithm,
                                        "--platform", "crossbar:8", "--profile", "xeon-openblas-0.3.21-skylakex")
                self.assertEqual(found["detail"], "messages")
                self.assertEqual(found["operation"], operation)
                self.assertGreater(found["seconds"], 2**20 / 6e9 * 7 / 8)
                adds = operation != "all-gather" and algorithm != "mpi"
                self.assertEqual(found["addition_s"] > 0, adds, (operation, algorithm))

    def test_refused(self):
        rest = ["--processes", "8", "--platform", "torus:8"]
        for arguments, *parts in (
            (["all-reduec", "--bytes", "4B", *rest], "all-reduec", "did you mean 'all-reduce'"),
            (["all-reduce", "--bytes", "6B", *rest], "--bytes", "6B", "multiple of 4B"),
            (["all-reduce", *rest], "--bytes", "missing"),
            (["all-reduce", "--bytes", "4B", "--processes", "9", "--platform", "torus:8"], "torus:8", "8 hosts"),
            (["all-reduce", "--bytes", "4B", "--detail", "merge", *rest], "--detail", "did you mean 'merged'"),
            (["all-reduce", "--bytes", "4B", "--detail", "merged", "--algorithm", "mpi", *rest], "--detail", "merged"),
        ):
            self.refuse("simtrain", ["collective", *arguments], *parts)


if __name__ == "__main__":
    unittest.main()
