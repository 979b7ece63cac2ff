"""mpitrain from the command line, and against simtrain: the same program in two worlds."""
import json
import sys
import time
import unittest

from programs import ProgramTest

JOB = ["--network", "mlp", "--batch", "37", "--iterations", "5", "--warm-up", "1"]


class Native(ProgramTest):
    def losses(self, ranks, grid, *arguments):
        self.run_ranks(ranks, "mpitrain", *JOB, "--grid", grid, "--json", "native.json", *arguments)
        return json.loads((self.folder / "native.json").read_text())["losses"]

    def test_the_simulated_network_carries_the_same_numbers(self):
        for ranks, grid, collectives in ((4, "2x2", "auto"), (3, "3x1", "ring"), (4, "1x4", "bruck")):
            native = self.losses(ranks, grid, "--collectives", collectives)
            simulated = self.result(*JOB, "--grid", grid, "--collectives", collectives, "--platform", "torus:2x2",
                                    "--numerics", "real")["losses"]
            self.assertEqual(len(native), 6)
            self.assertEqual(native, simulated)  # bit by bit: the schedules add in the same order

    def test_the_grid_does_not_change_what_is_learned(self):
        for a, b in zip(self.losses(1, "1x1"), self.losses(4, "2x2")):
            self.assertAlmostEqual(a / b, 1, delta=1e-4)

    def test_phases_are_told_alike_in_both_worlds(self):
        start_s = time.monotonic()
        self.losses(4, "2x2", "--collectives", "ring")
        run_s = time.monotonic() - start_s
        native = json.loads((self.folder / "native.json").read_text())
        simulated = self.result(*JOB, "--grid", "2x2", "--collectives", "ring", "--platform", "torus:2x2")
        # A phase's times count from its rank's own begin of the iteration, natively before others have ended the last one:
        # an iteration goes from the end of the last rank to the end of the last rank and may be shorter.
        for result, longest_s in ((native, run_s), (simulated, simulated["iteration"]["max_s"])):
            for layer in result["layers"]:
                for name, phase in layer["phases"].items():
                    if phase is None:
                        continue
                    mean = (layer[name + "_s"] if name + "_s" in layer else layer[name]["seconds"])["mean"]
                    self.assertAlmostEqual(phase["seconds"]["mean"], mean, delta=1e-9 + 1e-9 * mean)
                    self.assertLessEqual(phase["p5_s"], phase["median_s"])
                    self.assertLessEqual(phase["median_s"], phase["p95_s"])
                    self.assertGreaterEqual(phase["begin_s"]["min"], 0)
                    for which in ("min", "mean", "max"):
                        self.assertLessEqual(phase["begin_s"][which], phase["end_s"][which])
                    self.assertLessEqual(phase["end_s"]["max"], longest_s)
            first, last = result["layers"][0]["phases"], result["layers"][-1]["phases"]
            self.assertLess(first["forward"]["end_s"]["min"], last["forward"]["begin_s"]["max"])
            self.assertLess(last["backward"]["begin_s"]["min"], first["backward"]["begin_s"]["max"])
            self.assertLessEqual(result["iteration"]["min_s"], result["iteration"]["median_s"])
            self.assertEqual(result["iteration"]["max_s"], max(result["iteration_seconds"]))

        def which_phases(result):
            return [[name for name, phase in layer["phases"].items() if phase] for layer in result["layers"]]

        self.assertEqual(which_phases(native), which_phases(simulated))
        self.assertEqual(which_phases(native)[0], ["forward", "backward", "update", "all_gather", "reduce_weights"])

    def test_says_where_ranks_ran_and_on_what_data(self):
        self.losses(2, "1x2", "--dropout", "yes", "--learning-rate-schedule", "cosine")
        native = json.loads((self.folder / "native.json").read_text())
        self.assertEqual(native["native"]["hosts"], 1)
        self.assertEqual(native["native"]["threads_per_rank"], 1)
        self.assertGreaterEqual(native["native"]["cores"], 1)
        self.assertIn("bound", native["native"]["binding"])
        job = native["job"]
        self.assertEqual([job[key] for key in ("data", "shuffled", "learning_rate_schedule", "warm_up", "dropout")],
                         ["synthetic", False, "cosine", 1, False])  # the mlp has nothing to drop

    def test_reports_like_simtrain(self):
        out, _ = self.run_ranks(2, "mpitrain", *JOB, "--grid", "1x2")
        for text in ("native", "Open MPI", "OpenBLAS", "images/s", "fc1", "all-reduce"):
            self.assertIn(text, out)

    def test_wrong_input_ends_all_ranks_with_one_message(self):
        for ranks, arguments, *parts in (
            (3, ["--grid", "2x2", "--network", "mlp"], "--grid", "2x2", "4 ranks", "3"),
            (2, ["--grid", "1x2", "--network", "mpl"], "mpl", "did you mean 'mlp'"),
            (2, ["--grid", "1x2", "--netwrk", "mlp"], "--netwrk", "--network"),
            (2, ["--grid", "1x2", "--network", "mlp", "--batch", "1"], "--batch"),
            (2, ["--grid", "1x2", "--network", "mlp", "--learning-rate", "1e39"], "--learning-rate", "1e38"),
            (2, ["--grid", "2x1", "--network", "mlp", "--batch", "2000000000"], "--batch 2000000000", "would need"),
        ):
            _, error = self.run_ranks(ranks, "mpitrain", *arguments, status=2)
            self.assertEqual(error.count("mpitrain: error:"), 1, error)
            for part in parts:
                self.assertIn(part, error)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
