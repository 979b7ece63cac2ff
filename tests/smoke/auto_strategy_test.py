"""simtrain --strategy auto: is what it chooses as fast as any plain strategy, and reproducible by its rules?"""
import unittest

from programs import ProgramTest

AUTO = ["--strategy", "auto"]
PROCESSES = 8
GRIDS = ["1x8", "2x4", "4x2", "8x1"]


class Auto(ProgramTest):
    def at_least_as_fast(self, *job):
        chosen = self.result(*job, "--processes", PROCESSES, *AUTO)
        plain = ("uniform", "domain") if int(job[-1]) < PROCESSES else ("uniform", "conv-batch", "domain")
        for strategy in plain:
            for grid in GRIDS:
                if int(grid.split("x")[1]) > int(job[-1]):
                    continue  # fewer samples than columns
                other = self.result(*job, "--grid", grid, "--strategy", strategy)
                self.assertLessEqual(chosen["iteration_s"], other["iteration_s"] * (1 + 1e-9), (strategy, grid))
        return chosen

    def test_no_plain_strategy_is_faster(self):
        torus, slow = "torus:4x2,bandwidth=1GBps,latency=1us", "crossbar:8,bandwidth=100MBps,latency=20us"
        for network, batch, platform in (("lenet", 64, torus), ("mlp", 8, slow), ("alexnet", 6, torus)):
            self.at_least_as_fast("--platform", platform, "--network", network, "--batch", batch)

    def test_rules_give_the_same_prediction(self):
        job = ["--platform", "torus:4x2", "--network", "lenet", "--batch", 64]
        chosen = self.result(*job, "--processes", 8, *AUTO)
        search = chosen.pop("strategy_search")
        trial = search["trials"][search["chosen"]]
        self.assertEqual(chosen["job"]["strategy"], trial["rules"])
        again = self.result(*job, "--grid", f"{trial['grid_rows']}x{trial['grid_columns']}", "--strategy",
                            trial["rules"])
        self.assertEqual(again, chosen)
        self.assertEqual([layer["name"] for layer in search["layers"]], [layer["name"] for layer in chosen["layers"]])
        fastest = min(one["iteration_s"] for one in search["trials"])
        self.assertEqual(trial["iteration_s"], fastest)
        for other in search["trials"][1:]:
            self.assertLessEqual(search["trials"][0]["formula_s"], other["formula_s"])
        # Nothing is forced to be better than what is the best.
        if search["chosen"] == 0:
            for layer in search["layers"]:
                self.assertGreaterEqual(sum(layer["other"]["more"].values()), -1e-12)

    def test_on_a_crossbar_formula_and_simulation_agree(self):
        search = self.result("--platform", "crossbar:8,latency=2us", "--network", "mlp", "--batch", 64, "--processes", 8,
                             *AUTO, "--try", 8)["strategy_search"]
        self.assertGreaterEqual(len(search["trials"]), 5)
        for trial in search["trials"]:
            self.assertAlmostEqual(trial["iteration_s"] / trial["formula_s"], 1, delta=0.01, msg=trial)

    def test_the_report_says_how(self):
        out, error = self.run_program("simtrain", "--platform", "torus:4x2", "--network", "lenet", "--processes", 8,
                                      *AUTO, "--try", 2)
        self.assertEqual(error, "")
        for text in ("strategy auto: ", "Strategy: how it was chosen", "least by the formulas", "chosen",
                     "best otherwise"):
            self.assertIn(text, out)
        self.assertIn("2 were simulated", " ".join(out.split()))

    def test_a_grid_gives_the_number_and_stays_the_jobs(self):
        result = self.result("--platform", "torus:4x2", "--network", "mlp", "--batch", 64, "--grid", "4x2", *AUTO)
        self.assertEqual((result["job"]["grid_rows"], result["job"]["grid_columns"]), (4, 2))
        self.assertEqual(result["strategy_search"]["processes"], 8)

    def test_placement_is_chosen_for_the_rules(self):
        result = self.result("--platform", "torus:4x2", "--network", "mlp", "--batch", 64, "--processes", 8, *AUTO,
                             "--placement", "auto", "--try", 2)
        self.assertEqual(len(result["placement_trials"]), 5)
        self.assertEqual(len(result["strategy_search"]["trials"]), 2)
        fastest = min(one["iteration_s"] for one in result["strategy_search"]["trials"])
        self.assertLessEqual(result["iteration_s"], fastest * 1.001)  # trials merge rounds

    def test_together_with_replicas_and_overlap(self):
        result = self.result("--platform", "torus:4x2", "--network", "mlp", "--batch", 64, "--processes", 8, *AUTO,
                             "--overlap", "gradients", "--replicas", 2, "--try", 1)
        self.assertEqual(result["replicas"]["count"], 2)
        self.assertEqual(len(result["strategy_search"]["trials"]), 1)

    def test_what_does_not_fit_is_left_out(self):
        job = ["--platform", "torus:4x2", "--network", "mlp", "--batch", 64, "--processes", 8, *AUTO]
        most = self.result(*job)["memory"]["total_bytes"] - 1
        result = self.result(*job, "--host-memory", f"{most:.0f}B", "--try", 3)
        self.assertLessEqual(result["memory"]["total_bytes"], most)
        trials = result["strategy_search"]["trials"]
        self.assertIsNotNone(trials[result["strategy_search"]["chosen"]]["iteration_s"])
        left_out = [one for one in trials if one["iteration_s"] is None]
        self.assertTrue(left_out)
        for one in left_out:
            self.assertIn("on a host, which has", one["error"])
        self.refuse("simtrain", [*job, "--host-memory", "1kB"], "--strategy", "'auto'", "needs", leaves=["result.json"])


class Refusals(ProgramTest):
    def test_wrong_input(self):
        job = ["--platform", "torus:4x2", "--network", "mlp"]
        self.refuse("simtrain", [*job, *AUTO], "--processes", "missing")
        self.refuse("simtrain", [*job, *AUTO, "--processes", 8, "--grid", "4x2"], "--processes", "--grid")
        self.refuse("simtrain", [*job, *AUTO, "--processes", 0], "--processes", "0")
        self.refuse("simtrain", [*job, *AUTO, "--processes", 9], "9", "8")
        self.refuse("simtrain", [*job, *AUTO, "--processes", 8, "--try", 0], "--try", "0")
        self.refuse("simtrain", [*job, "--processes", 8], "--processes", "--strategy auto")
        self.refuse("simtrain", [*job, "--grid", "4x2", "--try", 3], "--try", "--strategy auto")
        self.refuse("simtrain", [*job, "--grid", "4x2", "--strategy", "autom"], "'autom'", "did you mean 'auto'")
        self.refuse("simtrain", [*job, *AUTO, "--processes", 8, "--batch", "x"], "--batch")

    def test_who_cannot_search(self):
        self.refuse("simtrain", ["sweep", "--platform", "torus:4x2", "--processes", 8, *AUTO], "--strategy",
                    "simtrain --strategy auto --processes P")
        self.refuse("simtrain", ["cost", "--processes", 8, *AUTO], "--strategy", "simtrain --strategy auto")
        self.refuse("mpitrain", ["--grid", "1x1", "--network", "mlp", *AUTO], "--strategy", "rules")


if __name__ == "__main__":
    unittest.main()
