"""simtrain --bounds: is each part of an iteration what it says, by figures worked out here?"""
import sys
import unittest

from programs import ProgramTest

ALPHA, BANDWIDTH = 2e-6, 6e9
ENVELOPE = 16  # bytes that SMPI adds to a message


class Bounds(ProgramTest):
    def bounds(self, *options):
        result = self.result(*options, "--bounds")
        self.assertAlmostEqual(sum(result["bounds"].values()) / result["iteration_s"], 1, places=12)
        self.assertEqual({key: value for key, value in result.items() if key != "bounds"}, self.result(*options))
        return result["bounds"], result

    def test_rings_on_a_crossbar(self):
        # Rounds one after the other: 3 all-gathers over 2 ranks, 2 all-reduces of dX over 2, 3 of dW over 4.
        rounds = 3 * 1 + 2 * 2 + 3 * 6
        bounds, result = self.bounds("--platform", f"crossbar:8,bandwidth={BANDWIDTH}Bps,latency={ALPHA}s", "--grid",
                                     "2x4", "--network", "mlp", "--batch", "64", "--collectives", "ring")
        self.assertAlmostEqual(bounds["latency_s"], rounds * ALPHA, delta=1e-12)
        sent = result["totals"]["bytes_sent"] + rounds * ENVELOPE
        self.assertAlmostEqual(bounds["bandwidth_s"] / (sent / BANDWIDTH), 1, delta=1e-4)  # blocks differ by one float
        self.assertAlmostEqual(bounds["adding_s"], result["totals"]["reduction_s"], delta=1e-15)
        self.assertAlmostEqual(bounds["computing_s"], result["totals"]["compute_s"], delta=1e-12)
        self.assertEqual((bounds["contention_s"], bounds["slower_s"]), (0, 0))
        self.assertLess(abs(bounds["waiting_s"]), 1e-4 * result["iteration_s"])

    def test_columns_that_share_an_uplink_contend(self):
        # Two leaf switches of two hosts and one uplink each, columns across: two flows share each uplink. Without
        # sharing, each would take half the time; latencies are next to nothing.
        options = ["--grid", "2x2", "--network", "mlp", "--batch", "64", "--collectives", "ring", "--placement",
                   "row-major"]
        shared, _ = self.bounds("--platform", "leaf-spine:2x2,spines=1,bandwidth=1GBps,latency=1ns,"
                                "uplink-bandwidth=1GBps,uplink-latency=1ns", *options)
        alone, result = self.bounds("--platform", "crossbar:4,bandwidth=1GBps,latency=1ns", *options)
        columns = result["totals"]["alpha_beta_s"] - sum(
            layer["reduce_weights"]["alpha_beta_s"] for layer in result["layers"]) - sum(
            layer[key]["reduction_s"] for layer in result["layers"] for key in ("all_gather", "reduce_data"))
        self.assertAlmostEqual(shared["contention_s"] / columns, 1, delta=0.02)
        self.assertAlmostEqual(shared["bandwidth_s"] / alone["bandwidth_s"], 1, delta=1e-6)
        self.assertEqual(alone["contention_s"], 0)

    def test_a_slow_host_is_waited_for(self):
        # Of two ranks one takes twice as long: the mean rank half a time more, and waits for as much again.
        bounds, _ = self.bounds("--platform", "crossbar:2", "--grid", "1x2", "--network", "mlp", "--slow-host",
                                "host-1=0.5")
        self.assertAlmostEqual(bounds["slower_s"] / bounds["computing_s"], 0.5, delta=1e-9)
        # Less the updates after the last all-reduce, for which nobody waits.
        self.assertAlmostEqual(bounds["waiting_s"] / bounds["slower_s"], 1, delta=0.2)

    def test_calibrated_messages_and_overlap_add_up(self):
        for options in (["--overlap", "all"], ["--detail", "merged", "--collectives", "ring"]):
            with self.subTest(options=options):
                bounds, _ = self.bounds("--platform", "torus:4x2", "--grid", "4x2", "--network", "mlp", *options)
                self.assertGreater(bounds["bandwidth_s"], 0)
                self.assertGreater(bounds["latency_s"], 0)
        bounds, _ = self.bounds("--platform", "node:2", "--grid", "1x2", "--network", "mlp", "--network-model",
                                "calibrated")
        self.assertGreater(bounds["bandwidth_s"] + bounds["latency_s"], 0)

    def test_text(self):
        out, _ = self.run_program("simtrain", "--platform", "torus:8", "--grid", "4x2", "--network", "mlp", "--bounds")
        for part in ("Bounds, and what is beyond them", "mean rank, at the profile's speed", "contention", "100.0 %"):
            self.assertIn(part, out)

    def test_a_sweep_has_none(self):
        self.refuse("simtrain", ["sweep", "--platform", "torus:4", "--processes", "4", "--bounds"], "--bounds")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
