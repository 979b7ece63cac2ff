"""simtrain cost from the command line: its figures, its JSON, and what is refused."""
import json
import pathlib
import subprocess
import sys
import unittest

from programs import ProgramTest

SCHEMA = pathlib.Path(sys.argv.pop(1)).resolve()
VALIDATE = pathlib.Path(__file__).parent / "validate_json.py"


class Cost(ProgramTest):
    def figures(self, *arguments):
        """Text and JSON, which keeps to its schema."""
        out, error = self.run_program("simtrain", "cost", *arguments, "--json", "c.json")
        self.assertEqual(error, "")
        self.assertLessEqual(max(len(line) for line in out.splitlines()), 100)
        done = subprocess.run([sys.executable, VALIDATE, SCHEMA, "c.json"], cwd=self.folder, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out, json.loads((self.folder / "c.json").read_text())

    @staticmethod
    def grids(found):
        return {(grid["grid_rows"], grid["grid_columns"]): grid for grid in found["grids"]}

    def test_figure_7(self):
        # Its best grids, and its speed-ups of communication over pure batch within a tenth.
        for processes, rows, columns, speed_up in ((8, 4, 2, 2.5), (32, 8, 4, 3.9), (128, 16, 8, 6.4), (512, 32, 16, 9.7)):
            out, found = self.figures("--network", "alexnet", "--batch", "2048", "--processes", processes,
                                      "--latency", "2us", "--bandwidth", "6GBps", "--strategy", "conv-batch")
            self.assertEqual(found["best"]["formula_8_before_pooling"], f"{rows}x{columns}")
            first = found["grids"][0]
            self.assertEqual((first["grid_rows"], first["grid_columns"]), (rows, columns))
            batch = self.grids(found)[1, processes]["formula_8_before_pooling_s"]
            self.assertAlmostEqual(batch / first["formula_8_before_pooling_s"] / speed_up, 1, delta=0.1)
            self.assertIn(f"Best by formula (8), d before pooling: {rows}x{columns}", out)
            self.assertEqual(out, self.figures("--processes", processes, "--strategy", "conv-batch")[0])  # the defaults

    def test_what_is_printed(self):
        # P = 8, 1 x 8, formula (4): 2 (8 x 3 x 2 us + 60 954 656 words x 4 B / 6 GB/s x 7/8).
        out, found = self.figures("--processes", "8")
        batch = 2 * (8 * 3 * 2e-6 + 60954656 * 4 / 6e9 * 7 / 8)
        self.assertAlmostEqual(found["formula_4_s"], batch, delta=1e-12)
        self.assertAlmostEqual(self.grids(found)[1, 8]["schedule_s"] / batch, 1, delta=1e-3)
        # 8 x 1 is formula (3): 3 (8 x 3 x 2 us + 2048 x 7/8 x 659 272 words).
        self.assertAlmostEqual(self.grids(found)[8, 1]["formula_8_before_pooling_s"],
                               3 * (48e-6 + 2048 * 7 / 8 * 659272 * 4 / 6e9), delta=1e-9)
        self.assertEqual([layer["d_after_pooling"] for layer in found["layers"]][:2], [69984, 43264])
        self.assertIn("290 400", out)
        self.assertIn("69 984", out)

    def test_a_million_processes(self):
        out, found = self.figures("--processes", 2**20)
        self.assertEqual(len(found["grids"]), 21)
        self.assertTrue(all(grid["schedule_s"] is None for grid in found["grids"]))
        self.assertIsNone(found["best"]["schedule"])
        self.assertIn("are not priced", out)
        self.assertIn("not possible", out)
        # 512 x 2048: one sample a column, 9 and 11 steps.
        grid = self.grids(found)[512, 2048]
        self.assertAlmostEqual(grid["formula_8_before_pooling_s"],
                               3 * (8 * 9 * 2e-6 + 511 / 512 * 659272 * 4 / 6e9) +
                               2 * (8 * 11 * 2e-6 + 2047 / 2048 * 60954656 / 512 * 4 / 6e9), delta=1e-12)
        _, found = self.figures("--processes", 2**20, "--strategy", "conv-batch")
        self.assertTrue(all(grid["impossible"] for grid in found["grids"]))

    def test_options_have_their_effect(self):
        _, plain = self.figures("--processes", "16")
        for option in (("--latency", "1ms"), ("--bandwidth", "1GBps"), ("--batch", "64"), ("--network", "lenet")):
            _, other = self.figures("--processes", "16", *option)
            self.assertNotEqual(other["formula_3_before_pooling_s"], plain["formula_3_before_pooling_s"], option)
        for option in (("--collectives", "ring"), ("--gather", "before-pooling")):
            _, other = self.figures("--processes", "16", *option)
            self.assertNotEqual(self.grids(other)[4, 4]["schedule_s"], self.grids(plain)[4, 4]["schedule_s"], option)
            self.assertEqual(other["formula_3_before_pooling_s"], plain["formula_3_before_pooling_s"])
        _, rules = self.figures("--processes", "16", "--strategy", "conv*:1x16")
        _, named = self.figures("--processes", "16", "--strategy", "conv-batch")
        self.assertEqual(rules["grids"], named["grids"])

    def test_pairs(self):
        out, found = self.figures("--processes", "16", "--strategy", "pair")
        _, batch = self.figures("--processes", "16", "--strategy", "conv-batch")
        self.assertIn("Layers split by columns", out)
        for grid, one in self.grids(found).items():
            for parts in (one["formula_8_before_pooling_parts_s"], one["schedule_parts_s"]):
                self.assertEqual("reduce_output" in parts, grid[0] > 1)
            if grid[0] > 1:
                self.assertLess(one["schedule_s"], self.grids(batch)[grid]["schedule_s"])
            self.assertNotIn("reduce_output", self.grids(batch)[grid]["schedule_parts_s"])
        # fc7's 4 096 values of 512 samples on 4 x 4: 2 (2 x 2 us + 3/4 of them).
        self.assertAlmostEqual(self.grids(found)[4, 4]["formula_8_before_pooling_parts_s"]["reduce_output"],
                               2 * (4e-6 + 4096 * 512 * 3 / 4 * 4 / 6e9), delta=1e-12)

    def test_computing_by_a_profile(self):
        out, found = self.figures("--processes", "256", "--profile", "xeon-openblas-0.3.21-skylakex")
        self.assertEqual(found["profile"], "xeon-openblas-0.3.21-skylakex.json")
        grids = self.grids(found)
        # 0.724 GMAC forward a sample, three times but for conv1's data gradient, 8 samples a rank, whatever the grid.
        for grid in ((1, 256), (4, 64), (32, 8)):
            gflop = grids[grid]["computing"]["gemm_flops"] / 1e9
            self.assertAlmostEqual(gflop, 8 * 2 * (3 * 0.724407 - 0.105415), delta=1e-3)
        rate = {grid: one["computing"]["gemm_flops"] / one["computing"]["mean_s"] for grid, one in grids.items()}
        self.assertGreater(rate[2, 128], rate[1, 256])  # fatter products ...
        self.assertGreater(rate[1, 256], rate[32, 8])  # ... than a few rows of weights
        for one in grids.values():
            self.assertGreaterEqual(one["iteration_s"], one["computing"]["longest_s"])
        self.assertIn("Fastest iteration", out)
        self.assertNotIn("computing", self.figures("--processes", "4")[1]["grids"][0])

    def test_schedules_are_priced_up_to_a_number_of_messages(self):
        _, found = self.figures("--processes", "64", "--most-messages", "0")
        self.assertTrue(all(grid["schedule_s"] is None for grid in found["grids"]))
        _, found = self.figures("--processes", "64")
        self.assertTrue(all(grid["schedule_s"] for grid in found["grids"]))

    def test_refused(self):
        for arguments, *parts in (
            ([], "--processes", "missing"),
            (["--processes", "0"], "--processes", "0"),
            (["--processes", "2000000"], "--processes", "1048576"),
            (["--processes", "8", "--latency", "2"], "--latency", "2"),
            (["--processes", "8", "--bandwidth", "6"], "--bandwidth", "6"),
            (["--processes", "8", "--strategy", "conv*:1x4"], "--strategy", "1x4"),
            (["--processes", "8", "--platform", "torus:8"], "--platform"),
            (["--processes", "8", "--profile", "xeon-openblas-0.3.21-skylakez"], "xeon-openblas-0.3.21-skylakex"),
            (["--processes", "8", "--most-messages", "-1"], "--most-messages", "-1"),
            (["--processes", "8", "--json", "none/c.json"], "--json", "none"),
        ):
            self.refuse("simtrain", ["cost", *arguments], *parts)


if __name__ == "__main__":
    unittest.main()
