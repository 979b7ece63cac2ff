"""simtrain flip: is the value right at which another grid becomes the best?"""
import json
import pathlib
import subprocess
import sys
import unittest

from programs import ProgramTest

SCHEMA = pathlib.Path(sys.argv.pop(1)).resolve()
VALIDATE = pathlib.Path(__file__).parent / "validate_json.py"
JOB = ["--platform", "crossbar:8", "--network", "mlp", "--batch", "2048", "--collectives", "ring"]
GRIDS = ["1x8", "2x4", "4x2", "8x1"]


class Flip(ProgramTest):
    def flip(self, *arguments):
        out, _ = self.run_program("simtrain", "flip", *arguments, "--json", "f.json")
        done = subprocess.run([sys.executable, VALIDATE, SCHEMA, "f.json"], cwd=self.folder, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out, json.loads((self.folder / "f.json").read_text())

    def fastest(self, *options):
        times = {grid: self.result(*JOB, "--grid", grid, *options)["iteration_s"] for grid in GRIDS}
        return min(times, key=times.get)

    def test_bandwidth(self):
        out, found = self.flip("bandwidth", *JOB, "--processes", "8", "--from", "50MBps", "--to", "50GBps")
        self.assertEqual(found["as_given"], 6e9)
        self.assertTrue(found["changes"], found)
        for change in found["changes"]:
            self.assertLessEqual(change["above"] / change["below"], 1.01)
            for value, grid in ((change["below"], change["grid_below"]), (change["above"], change["grid_above"])):
                self.assertEqual(self.fastest("--bandwidth-scale", value / 6e9), grid)
        self.assertIn(found["verdict"].split(";")[0], " ".join(out.split()))
        self.assertLessEqual(max(map(len, out.splitlines())), 100)
        for point in found["points"]:
            times = sorted(zip(point["iteration_s"], found["grids"]))
            self.assertEqual((point["fastest"], point["second"]), (times[0][1], times[1][1]))
            self.assertAlmostEqual(point["margin"], times[1][0] / times[0][0] - 1, places=12)

    def test_a_page(self):
        out, _ = self.run_program("simtrain", "flip", "batch", *JOB[:4], "--grids", "1x8,8x1", "--from", "64", "--to", "256",
                                  "--report", "f.html")
        text = (self.folder / "f.html").read_text()
        for part in ("at which batch the best grid changes", "Where it comes from", 'id="chart-flip"', "margin"):
            self.assertIn(part, text)
        self.assertIn("margin", out)

    def test_batch_is_whole(self):
        _, found = self.flip("batch", *JOB[:4], "--collectives", "ring", "--grids", "1x8,8x1", "--from", "8", "--to", "4096")
        for point in found["points"]:
            self.assertEqual(point["value"], round(point["value"]))
        self.assertEqual([point["value"] for point in found["points"]][::len(found["points"]) - 1], [8, 4096])

    def test_latency_and_compute(self):
        for quantity in ("latency", "compute"):
            _, found = self.flip(quantity, *JOB, "--grids", "1x8,8x1")
            self.assertEqual(found["quantity"], quantity)
            self.assertGreaterEqual(len(found["points"]), 5)
            self.assertAlmostEqual(found["points"][-1]["value"] / found["points"][0]["value"], 256, places=6)

    def test_refused(self):
        for arguments, *parts in (
            ([], "bandwidth, latency, compute or batch"),
            (["bandwith", *JOB, "--processes", "8"], "did you mean 'bandwidth'"),
            (["bandwidth", *JOB], "--processes", "--grids"),
            (["bandwidth", *JOB, "--processes", "8", "--grids", "1x8"], "--processes"),
            (["bandwidth", *JOB, "--processes", "8", "--from", "6"], "--from", "'6'"),
            (["bandwidth", *JOB, "--processes", "8", "--from", "6GBps", "--to", "1GBps"], "--from", "--to"),
            (["batch", *JOB, "--grids", "1x8,2x"], "--grids", "2x"),
            (["batch", *JOB, "--grids", "1x8,2x4", "--from", "2", "--to", "3"], "no grid can be had"),
            (["bandwidth", *JOB, "--grids", "1x8"], "one grid"),
            (["compute", *JOB, "--processes", "8", "--to", "2e6"], "--to", "2e+06x", "1e-06x to 1e+06x", "--compute-scale"),
            (["latency", *JOB, "--processes", "8", "--from", "1e-9us"], "--from", "--latency-scale"),
            (["bandwidth", *JOB, "--processes", "8", "--strategy", "auto"], "--strategy", "rules"),
        ):
            with self.subTest(arguments=arguments):
                _, error = self.run_program("simtrain", "flip", *arguments, status=2)
                for part in parts:
                    self.assertIn(part, error)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
