"""Communication behind computing, from the command line: that it hides what it should, natively and simulated alike."""
import json
import sys
import unittest

from programs import ProgramTest

SPLIT = ["--grid", "2x4", "--batch", "64", "--extrapolate"]
JOB = ["--platform", "crossbar:8", *SPLIT]


class Overlap(ProgramTest):
    def seconds(self, *options):
        return self.result(*JOB, *options)["iteration_s"]

    def test_more_real_progress_hides_less(self):
        without = self.seconds()
        for overlap in ("gradients", "all"):
            ideal, polling, none = (self.seconds("--overlap", overlap, "--progress", progress)
                                    for progress in ("ideal", "polling", "none"))
            self.assertLess(ideal, polling)
            self.assertLessEqual(polling, none)
            self.assertLess(none, without)
        self.assertLess(self.seconds("--overlap", "all"), self.seconds("--overlap", "gradients"))

    def test_without_overlap_nothing_changes(self):
        self.assertEqual(self.result(*JOB), self.result(*JOB, "--overlap", "none"))
        self.assertNotIn("overlap", self.result(*JOB)["job"])

    def test_result_says_what_was_hidden(self):
        for progress in ("ideal", "polling", "none"):
            with self.subTest(progress=progress):
                options = [*JOB, "--overlap", "all", "--bucket", "1MiB", "--progress", progress]
                result = self.result(*options)
                self.assertEqual((result["job"]["overlap"], result["job"]["progress"], result["job"]["bucket_bytes"]),
                                 ("all", progress, 1 << 20))
                self.assertEqual(result["job"]["detail"], "messages")
                totals = result["totals"]
                self.assertAlmostEqual(totals["exposed_s"] + totals["hidden_s"], totals["communication_s"], places=9)
                self.assertAlmostEqual((totals["compute_s"] + totals["exposed_s"]) / result["iteration_s"], 1, delta=0.01)
                self.assertGreater(totals["hidden_s"], 0)
                self.assertEqual(result, self.result(*options))  # the same again

    def test_the_same_bytes_are_sent(self):
        # By the ring every all-reduce sends 2 n (p-1)/p bytes a rank on average, in however many buckets.
        sent = [self.result(*JOB, "--collectives", "ring", *options)["totals"]["bytes_sent"]
                for options in ((), ("--overlap", "all"), ("--overlap", "gradients", "--bucket", "1GiB"))]
        for one in sent[1:]:
            self.assertAlmostEqual(one / sent[0], 1, places=6)

    def test_native_and_simulated_numbers_are_the_same(self):
        job = ["--network", "mlp", "--batch", "24", "--iterations", "4", "--warm-up", "1", "--seed", "7"]
        for ranks, grid, options in ((2, "1x2", ["--overlap", "gradients"]),
                                     (4, "2x2", ["--overlap", "all", "--bucket", "100kB"]),
                                     (4, "2x2", ["--overlap", "all", "--progress", "polling", "--bucket", "100kB"]),
                                     (3, "1x3", ["--overlap", "gradients", "--progress", "none", "--bucket", "1B"]),
                                     (6, "3x2", ["--overlap", "all", "--strategy", "fc1:1x6; *:3x2"])):
            with self.subTest(grid=grid, options=options):
                self.run_ranks(ranks, "mpitrain", *job, "--grid", grid, *options, "--json", "native.json")
                native = json.loads((self.folder / "native.json").read_text())
                simulated = self.result(*job, "--grid", grid, *options, "--platform", f"torus:{ranks}", "--numerics",
                                        "real", "--extrapolate")
                self.assertEqual(native["losses"], simulated["losses"])
                self.assertGreaterEqual(native["totals"]["exposed_s"], 0)
                out, _ = self.run_program("simtrain", "compare", "native.json", "result.json")
                self.assertIn("Hidden communication, in addition", out)

    def test_library_collectives_natively(self):
        self.run_ranks(2, "mpitrain", "--network", "mlp", "--grid", "1x2", "--iterations", 2, "--overlap", "gradients",
                       "--collectives", "mpi", "--json", "native.json")
        layer = json.loads((self.folder / "native.json").read_text())["layers"][0]
        self.assertEqual(layer["reduce_weights"]["algorithm"], "mpi")

    def test_scenario_files(self):
        self.write("job.ini", "overlap = gradients\nprogress = polling\nbucket = 2MiB\n")
        job = self.result(*JOB, "--scenario", "job.ini")["job"]
        self.assertEqual((job["overlap"], job["progress"], job["bucket_bytes"]), ("gradients", "polling", 2 << 20))

    def test_ranks_that_share_a_host(self):
        job = [*SPLIT, "--platform", "crossbar:8,cores=1", "--overlap", "all"]
        for progress in ("ideal", "polling"):
            one = self.result(*job, "--progress", progress)
            two = self.result(*job, "--ranks-per-host", "2", "--progress", progress)
            # On one core two ranks compute at half the speed, beside what is communicated as well.
            self.assertAlmostEqual(two["totals"]["compute_s"] / one["totals"]["compute_s"], 2, delta=0.1)

    def test_wrong_input(self):
        for options, *parts in (
            (["--overlap", "gradient"], "--overlap", "did you mean 'gradients'"),
            (["--overlap", "all", "--progress", "polled"], "--progress", "polled"),
            (["--overlap", "all", "--bucket", "25"], "--bucket", "'25'"),
            (["--overlap", "all", "--bucket", "0B"], "--bucket", "0B"),
            (["--bucket", "25MiB"], "--bucket", "without --overlap"),
            (["--progress", "ideal"], "--progress", "without --overlap"),
            (["--overlap", "all", "--detail", "merged"], "--detail", "--overlap"),
            (["--overlap", "all", "--collectives", "mpi"], "--overlap", "--collectives mpi"),
        ):
            with self.subTest(options=options):
                self.refuse("simtrain", [*JOB, *options], *parts)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
