"""./dev reproduce gholami2018, formulas and exact costs: what it finds against the figures' data files."""
import json
import pathlib
import subprocess
import sys
import unittest

from programs import BIN, ProgramTest

FOLDER = pathlib.Path(sys.argv.pop(1)).resolve()
NEAR = 0.1  # of a printed speed-up


class Reproduce(ProgramTest):
    def reproduce(self, *arguments, status=0):
        command = [sys.executable, FOLDER / "reproduce.py", "--build", BIN.parent, *map(str, arguments)]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout, done.stderr

    def findings(self, figure):
        out, _ = self.reproduce("--figure", figure, "--no-simulation", "--json", "found.json")
        found = json.loads((self.folder / "found.json").read_text())
        self.assertEqual(list(found), [str(figure)])
        self.assertIn(f"## Figure {figure}", out)
        return found[str(figure)]

    @staticmethod
    def panels(figure):
        return json.loads((FOLDER / f"figure-{figure}.json").read_text())["panels"]

    def check_ratios(self, figure):
        """Communication and epoch speed-ups by formula; yields each panel with what was found."""
        panels, found = self.panels(figure), self.findings(figure)
        self.assertEqual(len(panels), len(found))
        for panel, one in zip(panels, found):
            by_formula = one["ways"]["formula"]
            what = f"figure {figure}, P = {panel['processes']}"
            self.assertAlmostEqual(by_formula["communication_speed_up"] / panel["communication_speed_up"], 1, delta=NEAR,
                                   msg=what)
            yield panel, one, what

    def test_figures_7_and_9(self):
        for figure in (7, 9):
            for panel, one, what in self.check_ratios(figure):
                self.assertEqual(one["ways"]["formula"]["best_grid"], panel["best_grid"], what)
                self.assertAlmostEqual(one["ways"]["formula"]["speed_up"] / panel["speed_up"], 1, delta=NEAR, msg=what)
                exact = {grid["grid"]: grid["exact_s"] for grid in one["grids"]}
                formula = {grid["grid"]: grid["formula_s"] for grid in one["grids"]}
                # Pure batch parallelism by Rabenseifner's algorithm is formula (4); all other grids move more.
                self.assertAlmostEqual(exact[panel["baseline"]] / formula[panel["baseline"]], 1, delta=1e-3, msg=what)
                self.assertGreater(exact[panel["best_grid"]], formula[panel["best_grid"]], what)
                self.assertIsNone(one["ways"]["simulated"])

    def test_figure_10(self):
        for panel, one, what in self.check_ratios(10):
            self.assertLess(one["ways"]["formula"]["printed_grid_behind"], 0.005, what)  # the winner, or as good

    def test_figure_8(self):
        (panel,) = self.panels(8)
        cases = {(one["case"], one["hidden_behind"]): one for one in self.findings(8)}
        for case in ("d before pooling", "exact, gathered before-pooling"):
            self.assertEqual(cases[case, "backward"]["best_grid"], panel["best_grid"])
        # By hand: 38.06 ms of computing, two thirds of them backward; pure batch 81.4 ms of all-reduces.
        pure = cases["d before pooling", "backward"]["iteration_s"]["1x512"]
        self.assertAlmostEqual(pure, 22.3 / 3 * 2048 / 1.2e6 + 81.402e-3, delta=1e-5)

    def test_figure_6(self):
        # Pure batch is as fast as printed at P = 8, and neither pure way is best from P = 128 on.
        found = self.findings(6)
        self.assertEqual(found[0]["ways"]["formula"]["best_grid"], "1x8")
        for one in found[2:]:
            rows, columns = map(int, one["ways"]["formula"]["best_grid"].split("x"))
            self.assertGreater(min(rows, columns), 1)

    def test_figure_4(self):
        found = {one["batch"]: one for one in self.findings(4)}
        for panel in self.panels(4):
            self.assertEqual(found[panel["batch"]]["expected_epoch_s"], panel["epoch_s"])
        # Small batches make thin products, on both machines.
        for small, large in ((1, 4), (4, 32), (32, 256)):
            self.assertGreater(found[small]["epoch_s"], found[large]["epoch_s"])

    def test_refused(self):
        _, error = self.reproduce("--figure", "5", status=2)
        self.assertIn("invalid choice: 5", error)
        _, error = self.reproduce("--build", self.folder / "none", status=1)
        self.assertIn("--build", error)


if __name__ == "__main__":
    unittest.main()
