"""simtrain from the command line: does each option do what it says, and is each wrong input refused?"""
import json
import os
import pathlib
import subprocess
import sys
import time
import unittest

import programs
from programs import ProgramTest

JOB = ["--platform", "torus:4x2,bandwidth=1GBps,latency=1us", "--network", "mlp", "--batch", "64"]


class Prediction(ProgramTest):
    def test_a_grid_that_no_layer_is_on(self):
        out, _ = self.run_program("simtrain", "--platform", "torus:4", "--network", "mlp", "--grid", "2x2", "--strategy",
                                  "fc1:1x4; fc*:4x1")
        self.assertIn("  ranks        4; no layer is on 2 x 2\n", out)
        self.assertNotIn("tensor parallel", out)

    def test_the_main_job(self):
        out, error = self.run_program("simtrain", "--platform", "torus.xml", "--grid", "32x8")
        self.assertEqual(error, "")
        for text in ("alexnet", "2 048", "32 x 8", "per rank", "images/s", "conv1", "fc8", "all-gather", "formula (8)",
                     "96.0 GiB", "measured"):
            self.assertIn(text, out)

    def test_same_input_same_bytes(self):
        texts = []
        for name in ("a.json", "b.json"):
            self.run_program("simtrain", *JOB, "--grid", "4x2", "--json", name)
            text, made = (self.folder / name).read_text().split('"made": {')
            texts.append(text.replace(name, "r.json"))  # the argument
            self.assertEqual(set(json.loads("{" + made[:made.index("}")] + "}")), {"host", "date"})
        self.assertEqual(texts[0], texts[1])

    def test_every_grid_of_a_prime_number_of_processes_and_odd_sizes(self):
        for grid in ("1x1", "1x7", "7x1", "5x1", "1x5", "3x2", "2x3"):
            result = self.result("--platform", "torus:7", "--network", "mlp", "--batch", "13", "--grid", grid)
            self.assertGreater(result["iteration_s"], 0, grid)

    def test_tp_and_dp_are_the_grid(self):
        a = self.result(*JOB, "--grid", "4x2")
        b = self.result(*JOB, "--tp", "4", "--dp", "2")
        self.assertEqual(a, b)

    def test_every_collective_runs_and_differs(self):
        names = ("ring", "recursive-doubling", "rabenseifner", "bruck", "mpi")
        seconds = [self.result(*JOB, "--grid", "2x4", "--collectives", name)["iteration_s"] for name in names]
        self.assertGreaterEqual(len(set(seconds)), 4, dict(zip(names, seconds)))


class Options(ProgramTest):
    """Each option has its visible effect."""

    def test_bandwidth_and_compute_speed(self):
        def at(bandwidth, scale):
            platform = f"crossbar:16,bandwidth={bandwidth},latency=0s"
            return self.result("--platform", platform, "--grid", "4x4", "--batch", "256", "--collectives", "ring",
                               "--compute-scale", scale)["totals"]

        base, slow, fast = at("6GBps", 1), at("3GBps", 1), at("6GBps", 2)

        def wire(totals):
            return totals["communication_s"] - totals["reduction_s"]

        self.assertAlmostEqual(wire(slow) / wire(base), 2, delta=0.01)
        self.assertAlmostEqual(slow["compute_s"] / base["compute_s"], 1, delta=1e-6)
        self.assertAlmostEqual(fast["compute_s"] / base["compute_s"], 0.5, delta=1e-6)
        self.assertAlmostEqual(fast["reduction_s"] / base["reduction_s"], 0.5, delta=1e-6)

    def test_gather_before_pooling_moves_more(self):
        job = ["--platform", "crossbar:8", "--grid", "8x1", "--batch", "64"]
        late = self.result(*job)["layers"][0]["all_gather"]["bytes_sent"]["mean"]
        early = self.result(*job, "--gather", "before-pooling")["layers"][0]["all_gather"]["bytes_sent"]["mean"]
        self.assertAlmostEqual(early / late, 290400 / 69984, places=6)  # 55x55 against 27x27 pixels

    def test_placement(self):
        job = ["--platform", "torus:8x8", "--grid", "16x4", "--batch", "256"]
        near = self.result(*job)["iteration_s"]
        far = self.result(*job, "--placement", "row-major")["iteration_s"]
        self.assertNotEqual(near, far)

    def test_detail(self):
        job = ["--platform", "torus:4x4", "--grid", "4x4", "--batch", "64", "--collectives", "ring"]
        automatic, messages, merged = (self.result(*job, *detail) for detail in
                                       ((), ("--detail", "messages"), ("--detail", "merged")))
        self.assertEqual(automatic, messages)  # cheap at this size
        self.assertEqual(messages["job"]["detail"], "messages")
        self.assertEqual(merged["job"]["detail"], "merged")
        self.assertNotEqual(merged["iteration_s"], messages["iteration_s"])
        self.assertAlmostEqual(merged["iteration_s"] / messages["iteration_s"], 1, delta=0.01)
        for ours, theirs in zip(merged["layers"], messages["layers"]):
            for collective in ("all_gather", "reduce_data", "reduce_weights"):
                for key in ("messages", "bytes_sent"):
                    self.assertEqual(ours[collective][key], theirs[collective][key])

    def test_strategy(self):
        job = ["--platform", "torus:4x2", "--network", "lenet", "--batch", "64", "--grid", "4x2", "--extrapolate"]
        uniform = self.result(*job)
        self.assertEqual(self.result(*job, "--strategy", "uniform"), uniform)
        mixed = self.result(*job, "--strategy", "conv-batch")
        self.assertEqual(mixed["job"]["strategy"], "conv-batch")
        for layer in mixed["layers"]:
            on_batch = layer["kind"].startswith("convolution")
            self.assertEqual((layer.get("grid_rows"), layer.get("grid_columns")), (1, 8) if on_batch else (None, None))
            self.assertEqual(layer["all_gather"]["algorithm"] == "none", on_batch)
            self.assertEqual(layer["reduce_weights"]["group_size"], 8 if on_batch else 2)
        moved = [layer for layer in mixed["layers"] if "redistribute" in layer]
        self.assertEqual([layer["name"] for layer in moved],
                         [next(layer["name"] for layer in mixed["layers"] if layer["kind"].startswith("linear"))])
        self.assertEqual(moved[0]["redistribute"]["group_size"], 8)
        # 64 samples on 1 x 8 are 8 a rank, which the other 3 ranks of a column of 4 x 2 lack; the gradient stays.
        self.assertEqual(moved[0]["redistribute"]["messages"], 8 * 3)
        named = self.result(*job, "--strategy", " conv*:1x8 ;")
        self.assertEqual(named["job"]["strategy"], "conv*:1x8")
        self.assertEqual(named["layers"], mixed["layers"])
        merged = self.result(*job, "--strategy", "conv-batch", "--detail", "merged", "--collectives", "ring")
        every = self.result(*job, "--strategy", "conv-batch", "--detail", "messages", "--collectives", "ring")
        self.assertAlmostEqual(merged["iteration_s"] / every["iteration_s"], 1, delta=0.01)
        self.run_program("simtrain", "sweep", *job[:6], "--extrapolate", "--processes", "8", "--strategy", "conv-batch",
                         "--json", "s.json")
        points = json.loads((self.folder / "s.json").read_text())["points"]
        self.assertEqual([point["result"] for point in points if point["grid_rows"] == 4], [mixed])
        (self.folder / "s.json").unlink()
        (self.folder / "result.json").unlink()
        for wrong, *parts in (("conv-bach", "did you mean 'conv-batch'"), ("cnv1:1x8", "did you mean 'conv1'"),
                              ("conv*:1x7", "1x7", "8"), ("conv*", "conv*"), ("conv*:8", "ROWSxCOLUMNS")):
            self.refuse("simtrain", [*job, "--strategy", wrong], "--strategy", *parts)
        self.refuse("simtrain", [*job[:4], "--batch", "7", *job[6:], "--strategy", "conv-batch"],
                    "--batch: 7", "1x8", "conv1")

    def test_pairs(self):
        job = ["--platform", "torus:4x2", "--network", "lenet", "--batch", "64", "--grid", "4x2", "--extrapolate"]
        pair, batch = (self.result(*job, "--strategy", strategy) for strategy in ("pair", "conv-batch"))
        self.assertEqual(pair["job"]["strategy"], "pair")
        linear = [layer["name"] for layer in pair["layers"] if layer["kind"].startswith("linear")]
        first, second = (next(layer for layer in pair["layers"] if layer["name"] == name) for name in linear[:2])
        self.assertEqual([layer["name"] for layer in pair["layers"] if "reduce_output" in layer], linear[1::2])
        self.assertEqual(first["all_gather"]["algorithm"], "none")
        self.assertEqual((second["all_gather"]["algorithm"], second["reduce_data"]["algorithm"]), ("none", "none"))
        self.assertEqual(second["reduce_output"]["group_size"], 4)
        self.assertGreater(second["reduce_output"]["reduction_s"], 0)
        # 10 values of 32 samples, so few bytes that each of four ranks sends all of them to two others.
        self.assertEqual(second["reduce_output"]["bytes_sent"]["mean"], 2 * 4 * 10 * 32)
        self.assertLess(pair["totals"]["bytes_sent"], batch["totals"]["bytes_sent"])
        self.assertLess(pair["totals"]["paper_s"], batch["totals"]["paper_s"])
        rules = f"conv*:1x8; {linear[1]}:columns:4x2"
        self.assertEqual(self.result(*job, "--strategy", rules)["layers"], pair["layers"])
        merged = self.result(*job, "--strategy", "pair", "--detail", "merged", "--collectives", "ring")
        every = self.result(*job, "--strategy", "pair", "--detail", "messages", "--collectives", "ring")
        self.assertAlmostEqual(merged["iteration_s"] / every["iteration_s"], 1, delta=0.01)
        for ours, theirs in zip(merged["layers"], every["layers"]):
            self.assertEqual(ours.get("reduce_output", {}).get("bytes_sent"),
                             theirs.get("reduce_output", {}).get("bytes_sent"))
        (self.folder / "result.json").unlink()
        self.refuse("simtrain", [*job, "--strategy", "conv*:columns:4x2"], "--strategy", "conv1", "linear layers")
        self.refuse("simtrain", [*job, "--strategy", "*:columns:4x2"], "--strategy", "conv1")
        self.refuse("simtrain", [*job, "--strategy", f"{linear[0]}:columns:4x2; {linear[1]}:columns:4x2"], "--strategy",
                    f"'{linear[1]}'", f"'{linear[0]}'")

    def test_iterations_batch_and_momentum(self):
        self.assertEqual(len(self.result(*JOB, "--grid", "2x2", "--iterations", "3")["iteration_seconds"]), 3)
        once = self.result(*JOB, "--grid", "2x2")
        twice = self.result(*JOB[:-1], "128", "--grid", "2x2")
        self.assertGreater(twice["totals"]["compute_s"], once["totals"]["compute_s"])
        self.assertGreater(once["memory"]["momentum_bytes"], 0)
        self.assertEqual(self.result(*JOB, "--grid", "2x2", "--momentum", "0")["memory"]["momentum_bytes"], 0)

    def test_host_memory(self):
        self.assertIsNone(self.result(*JOB, "--grid", "2x2")["memory"].get("host_bytes"))
        out, _ = self.run_program("simtrain", *JOB, "--grid", "2x2", "--host-memory", "1MiB")
        self.assertIn("not fit", out)

    def test_formula_network(self):
        result = self.result(*JOB, "--grid", "2x2", "--formula-latency", "1ms", "--formula-bandwidth", "1MBps")
        self.assertEqual(result["platform"]["latency_s"], 1e-3)
        self.assertEqual(result["platform"]["bandwidth_Bps"], 1e6)
        plain = self.result(*JOB, "--grid", "2x2")
        self.assertGreater(result["totals"]["alpha_beta_s"], 10 * plain["totals"]["alpha_beta_s"])
        self.assertEqual(result["iteration_s"], plain["iteration_s"])

    def test_seed_and_learning_rate(self):
        job = ["--platform", "torus:2", "--network", "mlp", "--batch", "8", "--grid", "1x2", "--numerics", "real",
               "--iterations", "4"]
        losses = self.result(*job)["losses"]
        self.assertEqual(len(losses), 4)
        self.assertNotEqual(losses, self.result(*job, "--seed", "2")["losses"])
        self.assertEqual(losses[0], self.result(*job, "--learning-rate", "0.1")["losses"][0])
        self.assertNotEqual(losses[1], self.result(*job, "--learning-rate", "0.1")["losses"][1])
        self.assertNotEqual(losses[2], self.result(*job, "--momentum", "0.5")["losses"][2])
        self.assertNotEqual(losses[2], self.result(*job, "--weight-decay", "0.1")["losses"][2])
        self.assertEqual(len(self.result(*job, "--warm-up", "2")["losses"]), 6)


class Machine(ProgramTest):
    """Where ranks sit, what they share, and what slow parts cost."""
    TREE = ["--platform", "fat-tree:4x4,up=1,bandwidth=1GBps", "--network", "mlp", "--batch", "64", "--grid", "4x4",
            "--collectives", "ring"]

    def test_each_placement_is_one(self):
        job = ["--platform", "torus:8x4,bandwidth=1GBps", "--network", "mlp", "--batch", "64", "--grid", "8x4"]
        seconds = {}
        for placement in ("column-major", "row-major", "blocks", "row-blocks", "snake", "random:7", "random:8"):
            result = self.result(*job, "--placement", placement)
            self.assertEqual(result["job"]["placement"], placement)
            seconds[placement] = result["iteration_s"]
        self.assertGreaterEqual(len(set(seconds.values())), 5, seconds)
        self.assertEqual(self.result(*job, "--placement", "random:7")["iteration_s"], seconds["random:7"])
        out, _ = self.run_program("simtrain", *job, "--placement", "random")
        self.assertIn("random:1", out)

    def test_auto_takes_the_fastest(self):
        result = self.result(*self.TREE, "--placement", "auto")
        trials = {one["placement"]: one["iteration_s"] for one in result["placement_trials"]}
        self.assertEqual(list(trials), ["column-major", "row-major", "blocks", "row-blocks", "snake"])
        self.assertIsNone(trials.pop("snake"))  # no torus
        self.assertEqual(result["job"]["placement"], min(trials, key=trials.get))
        # Of 64 samples the activations are few beside the weights, which rows sum.
        self.assertGreater(trials["column-major"], 1.1 * trials["row-major"])
        # Of convolutions' activations in a batch of 2048 they are many: columns.
        alexnet = self.result("--platform", "fat-tree:4x4,up=1", "--grid", "4x4", "--placement", "auto",
                              "--compute-scale", "20")
        trials_of_alexnet = {one["placement"]: one["iteration_s"] for one in alexnet["placement_trials"]}
        self.assertGreater(trials_of_alexnet["row-major"], 1.1 * trials_of_alexnet["column-major"])
        alone = self.result(*self.TREE, "--placement", result["job"]["placement"])
        self.assertEqual(alone["iteration_s"], result["iteration_s"])
        out, _ = self.run_program("simtrain", *self.TREE, "--placement", "auto")
        for text in ("Placements tried", "row-major", "vs best", "no torus"):
            self.assertIn(text, out)

    def test_auto_in_sweeps_and_replicas(self):
        job = [*self.TREE[:6], "--placement", "auto"]
        out, _ = self.run_program("simtrain", "sweep", *job, "--processes", "8", "--json", "s.json")
        points = json.loads((self.folder / "s.json").read_text())["points"]
        self.assertEqual(len(points), 4)
        for point in points:
            self.assertIn(point["result"]["job"]["placement"], out)
            self.assertEqual(len(point["result"]["placement_trials"]), 5)
        result = self.result(*job, "--grid", "2x2", "--replicas", "2")
        self.assertEqual(result["replicas"]["count"], 2)

    def test_a_hostfile(self):
        self.write("hosts", "host-15 slots=2\nhost-14:2  # the last leaf\n" +
                   "".join(f"host-{i}\n" for i in range(12)))
        result = self.result(*self.TREE, "--placement", "hosts")
        self.assertEqual(result["job"]["placement"], "hostfile hosts")
        self.assertEqual(result["memory"]["ranks_on_host"], 2)
        for text, *parts in (("host-0\nhots-1\n", "line 2", "'hots-1'", "did you mean 'host-1'"),
                             ("host-0 slots=1x\n", "line 1", "'1x'"), ("host-0\nhost-0\n", "line 2", "line 1 already"),
                             ("host-0 slots=3\n", "3 slots", "at least 16"), ("", "names no host")):
            self.write("hosts", text)
            (self.folder / "result.json").unlink(missing_ok=True)
            self.refuse("simtrain", [*self.TREE, "--placement", "hosts"], "hostfile 'hosts'", *parts, leaves=["hosts"])

    def test_ranks_that_share_a_host(self):
        job = ["--platform", "ethernet:8,memory=64MiB", "--network", "mlp", "--batch", "64", "--grid", "4x2"]
        alone, shared = self.result(*job), self.result(*job, "--ranks-per-host", "2")
        self.assertEqual(shared["job"]["ranks_per_host"], 2)
        self.assertEqual((alone["memory"]["ranks_on_host"], shared["memory"]["ranks_on_host"]), (1, 2))
        self.assertEqual(alone["memory"]["on_host_bytes"], alone["memory"]["total_bytes"])
        self.assertAlmostEqual(shared["memory"]["on_host_bytes"] / alone["memory"]["on_host_bytes"], 2, delta=0.05)
        self.assertEqual(shared["profile"]["processes_per_node"], 2)
        out, _ = self.run_program("simtrain", *job, "--ranks-per-host", "2", "--host-memory", "4MiB")
        self.assertIn("does not fit: 2 ranks of a host need", " ".join(out.split()))
        self.refuse("simtrain", ["--platform", "torus:4", "--grid", "3x3", "--ranks-per-host", "2"], "4 hosts",
                    "9 processes", "2 on each", leaves=["result.json"])
        self.refuse("simtrain", [*job, "--ranks-per-host", "0"], "--ranks-per-host", "'0'", leaves=["result.json"])
        self.refuse("simtrain", ["sweep", *job[:-2], "--processes", "17", "--ranks-per-host", "2"], "--processes", "17",
                    "2 on each", leaves=["result.json"])

    def test_links_do_not_count_what_is_warmed_up(self):
        cold = self.result(*self.TREE)["links"]
        self.assertEqual(cold["count"], 40)  # 16 up, 16 down, 4 up, 4 down
        self.assertEqual(cold["used"], len(cold["busiest"]))
        for warm_up, iterations in ((2, 1), (0, 3), (3, 2)):
            warm = self.result(*self.TREE, "--warm-up", warm_up, "--iterations", iterations)["links"]
            self.assertEqual({one["name"]: one["bytes"] for one in warm["busiest"]},
                             {one["name"]: one["bytes"] for one in cold["busiest"]})
        merged = self.result(*self.TREE, "--detail", "merged")["links"]
        self.assertEqual([one["bytes"] for one in merged["classes"]], [one["bytes"] for one in cold["classes"]])
        out, _ = self.run_program("simtrain", *self.TREE)
        self.assertIn(cold["busiest"][0]["name"], out)
        self.assertNotIn("Busiest", self.run_program("simtrain", "--platform", "torus:2", "--network", "mlp", "--grid",
                                                     "1x1")[0])

    def test_slow_hosts(self):
        job = ["--platform", "torus:4x2", "--network", "mlp", "--batch", "64", "--grid", "4x2"]
        usual = self.result(*job)
        self.assertNotIn("slow_parts", usual)
        slow = self.result(*job, "--slow-host", "host-3=0.25")
        parts = slow["slow_parts"]
        self.assertGreater(slow["iteration_s"], usual["iteration_s"])
        # One of eight ranks computes four times as long.
        self.assertAlmostEqual(self.compute_s(slow) / self.compute_s(usual), (7 + 4) / 8, delta=0.01)
        self.assertEqual(parts["healed_s"], usual["iteration_s"])
        self.assertEqual((parts["slow_hosts"], parts["slow_hosts_used"], parts["healthy_slots"]), (1, 1, 7))
        self.assertEqual([(one["grid_rows"], one["grid_columns"]) for one in parts["without"]], [(3, 2), (4, 1)])
        self.assertEqual(slow["platform"], usual["platform"], "the formulas are those of the healthy cluster")
        # A platform with room to spare: the same grid elsewhere, as fast as ever on this torus.
        spare = self.result(*job[2:], "--platform", "torus:4x4", "--slow-host", "host-0=0.5")["slow_parts"]
        self.assertEqual([(one["grid_rows"], one["grid_columns"]) for one in spare["without"]], [(4, 2)])
        out, _ = self.run_program("simtrain", *job, "--slow-host", "host-3=0.25")
        for text in ("Slow parts", "host-3 at 25.0 %", "3 x 2 on other hosts", "4 x 1 on other hosts", "longer)"):
            self.assertIn(text, out)

    @staticmethod
    def compute_s(result):
        return sum(layer[f"{work}_s"]["mean"] for layer in result["layers"] for work in ("forward", "backward", "update"))

    def test_drawn_and_degraded_parts(self):
        job = ["--platform", "torus:4x2", "--network", "mlp", "--batch", "64", "--grid", "4x2"]
        usual = self.result(*job)["iteration_s"]
        one, same, other = (self.result(*job, "--slow-hosts", "2=0.5", "--slow-seed", seed) for seed in (1, 1, 2))
        self.assertEqual(one, same)
        self.assertNotEqual(one["slow_parts"]["hosts"], other["slow_parts"]["hosts"])
        self.assertIn("seed 2", other["slow_parts"]["description"])
        cable = self.result(*job, "--degrade-link", "x+ of (1,*)=0.01")
        self.assertEqual([part["name"] for part in cable["slow_parts"]["links"]], ["x+ of (1,0)", "x+ of (1,1)"])
        self.assertGreater(cable["iteration_s"], usual)
        self.assertEqual(cable["slow_parts"]["without"], [])
        self.assertEqual(cable["slow_parts"]["healed_s"], usual)
        self.assertEqual(self.result(*job, "--degrade-link", "*=1")["iteration_s"], usual)
        self.assertEqual(len(self.result(*job, "--degrade-links", "3=0.5")["slow_parts"]["links"]), 3)

    def test_slow_parts_that_are_refused(self):
        job = ["--platform", "torus:4x2", "--network", "mlp", "--grid", "4x2"]
        for arguments, *parts in ((["--slow-host", "hots-3=0.5"], "--slow-host", "did you mean 'host-3'"),
                                  (["--slow-host", "host-3"], "--slow-host", "NAME=FACTOR"),
                                  (["--slow-host", "host-3=1.5"], "--slow-host", "to 1"),
                                  (["--slow-host", "host-3=1e-300"], "--slow-host", "from 0.000001"),
                                  (["--slow-hosts", "9=0.5"], "--slow-hosts", "8 hosts"),
                                  (["--degrade-link", "x+ of (9,0)=0.5"], "--degrade-link", "x+ of (0,0)"),
                                  (["--degrade-links", "33=0.5"], "--degrade-links", "32 links"),
                                  (["--slow-seed", "3"], "--slow-seed", "without")):
            with self.subTest(arguments=arguments):
                self.refuse("simtrain", [*job, *arguments], *parts)


class Scenarios(ProgramTest):
    def test_the_command_line_wins(self):
        self.write("my.ini", "# comment\nplatform = torus:4x2\nnetwork = mlp\nbatch = 64\ngrid = 4x2\n")
        self.assertEqual(self.result("--scenario", "my.ini")["job"]["grid_rows"], 4)
        self.assertEqual(self.result("--scenario", "my.ini", "--grid", "2x4")["job"]["grid_rows"], 2)
        self.assertEqual(self.result("--scenario", "my.ini", "--tp", "1", "--dp", "8")["job"]["grid_rows"], 1)

    def test_shipped_scenarios_run(self):
        figures = [f"gholami2018/figure-{number}" for number in (4, 6, 7, 8, 9)]  # 10 takes longest
        for name in ("alexnet-torus", "alexnet-ethernet", *figures, "mlp-real-numbers"):
            self.assertGreater(self.result("--scenario", name)["iteration_s"], 0)

    def test_wrong_files(self):
        self.write("s.ini", "platform = torus.xml\ngird = 2x2\n")
        self.refuse("simtrain", ["--scenario", "s.ini"], "s.ini", "line 2", "gird", "grid", leaves=["s.ini"])
        self.write("s.ini", "platform torus.xml\n")
        self.refuse("simtrain", ["--scenario", "s.ini"], "s.ini", "line 1", leaves=["s.ini"])
        self.write("s.ini", "grid = 2x2\ngrid = 4x4\n")
        self.refuse("simtrain", ["--scenario", "s.ini"], "s.ini", "line 2", "twice", leaves=["s.ini"])
        self.refuse("simtrain", ["--scenario", "alexnet-tours"], "alexnet-torus", leaves=["s.ini"])


class WrongInput(ProgramTest):
    def test_options(self):
        for arguments, *parts in (
            (["--platfrom", "torus.xml"], "--platfrom", "did you mean '--platform'"),
            (["--platform", "torus.xml", "--grid", "32"], "--grid", "'32'", "ROWSxCOLUMNS"),
            (["--platform", "torus.xml", "--grid", "0x8"], "--grid", "'0x8'"),
            (["--platform", "torus.xml", "--grid", "32x16"], "256 hosts", "512"),
            (["--platform", "torus.xml"], "--grid", "missing"),
            (["--grid", "2x2"], "--platform", "missing"),
            (["--platform", "torus.xml", "--grid", "2x2", "--tp", "2"], "--grid", "--tp"),
            ([*JOB, "--grid", "1x2", "--batch", "1"], "--batch"),
            (["--platform", "torus:8", "--network", "mlp", "--batch", "4", "--grid", "1x8"], "--batch", "4", "Pc = 8"),
            (["--platform", "torus:8", "--batch", "many", "--grid", "1x8"], "--batch", "'many'", "whole number"),
            (["--platform", "torus:8", "--grid", "2x2", "--network", "alexnt"], "alexnt", "did you mean 'alexnet'"),
            (["--platform", "torus:8", "--grid", "2x2", "--collectives", "rings"], "rings", "did you mean 'ring'"),
            (["--platform", "torus:8", "--grid", "2x2", "--gather", "late"], "--gather", "late"),
            (["--platform", "torus:8", "--grid", "2x2", "--placement", "row-majr"], "--placement", "row-major"),
            (["--platform", "torus:8", "--grid", "2x2", "--placement", "random:x"], "--placement", "random:x"),
            (["--platform", "ethernet:8", "--grid", "2x2", "--placement", "snake"], "snake", "no torus"),
            (["--platform", "torus:8", "--grid", "2x2", "--detail", "merged", "--numerics", "real"], "--detail", "merged"),
            (["--platform", "torus:8", "--grid", "2x2", "--numerics", "reel"], "--numerics", "did you mean 'real'"),
            (["--platform", "torus:8", "--grid", "2x2", "--compute-scale", "-1"], "--compute-scale", "-1"),
            (["--platform", "torus:8", "--grid", "2x2", "--json", "no/folder/x.json"], "--json", "no/folder"),
            (["--platform", "toris:8", "--grid", "2x2"], "toris", "torus"),
            (["--platform", "tours.xml", "--grid", "2x2"], "tours", "torus"),
            (["--platform", "torus:4x0", "--grid", "2x2"], "torus:4x0"),
            (["--platform", "torus:8,bandwidth=6 GB", "--grid", "2x2"], "bandwidth", "6 GB"),
            (["--platform", "torus:8,bandwith=6GBps", "--grid", "2x2"], "bandwith", "bandwidth"),
            (["swep"], "swep", "sweep"),
            (["torus.xml"], "torus.xml"),
        ):
            with self.subTest(arguments=arguments):
                self.refuse("simtrain", arguments, *parts)

    def test_files(self):
        job = ["--platform", "torus:8", "--grid", "2x2"]
        self.write("f", '{"format": "simtrain-network", "version": 1,')
        self.refuse("simtrain", [*job, "--network", "f"], "network 'f'", "line 1", "ends early", leaves=["f"])
        self.refuse("simtrain", [*job, "--profile", "f"], "profile 'f'", "line 1", "ends early", leaves=["f"])
        self.refuse("simtrain", ["--grid", "2x2", "--platform", "./f"], "platform './f'", "line 1", leaves=["f"])
        self.write("f", "<platform version='4.1'>\n<zone id='z' routing='Full'>\n<host id='h'/>\n")
        self.refuse("simtrain", ["--grid", "1x1", "--platform", "./f"], "platform './f'", "line", leaves=["f"])
        self.refuse("simtrain", [*job, "--network", "."], "network '.'", leaves=["f"])

    def test_a_profile_that_lacks_a_kernel(self):
        _, _ = self.run_program("simtrain", *JOB, "--grid", "2x2")
        shipped = json.loads((BIN_DATA / "profiles" / "xeon-openblas-0.3.21-skylakex.json").read_text())
        del shipped["kernels"]["gemm_nt"]
        self.write("p.json", json.dumps(shipped))
        self.refuse("simtrain", [*JOB, "--grid", "2x2", "--profile", "p.json"], "p.json", "gemm_nt", leaves=["p.json"])

    def test_an_unwritable_result_leaves_nothing(self):
        (self.folder / "taken").mkdir()
        self.refuse("simtrain", [*JOB, "--grid", "2x2", "--json", "taken"], "--json", "taken", leaves=["taken"])


    def test_platforms_that_cannot_be(self):
        self.refuse("simtrain", ["--platform", "torus:4x1", "--grid", "1x1"], "torus:4x1", "dimension of 1")
        self.refuse("simtrain", ["describe", "torus:1048576"], "torus:1048576", "at most 16384")
        self.refuse("simtrain", ["--platform", "torus:4,bandwidth=1e300GBps", "--grid", "1x4"], "'bandwidth'", "at most")
        self.refuse("simtrain", ["--platform", "torus:4,latency=1e30s", "--grid", "1x4"], "'latency'", "1e9 s")
        for wrong, *parts in (("bandwidth='0Bps' latency='1us'", "bandwidth", "above 0"),
                              ("bandwidth='-1GBps' latency='1us'", "bandwidth", "above 0"),
                              ("bandwidth='1GBps' latency='-1s'", "latency", "at least 0")):
            self.write("p.xml", f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version='4.1'><zone id='z' routing='Full'>
<host id='a' speed='1Gf'/><host id='b' speed='1Gf'/><link id='l' {wrong}/>
<route src='a' dst='b'><link_ctn id='l'/></route></zone></platform>
""")
            self.refuse("simtrain", ["--platform", "p.xml", "--network", "mlp", "--grid", "2x1"], "p.xml", "'l'", *parts,
                        leaves=["p.xml"])

    def test_sizes_beyond_any_machine(self):
        self.refuse("simtrain", ["--platform", "torus:2x2", "--grid", "2x2", "--batch", "10000000"], "--batch 10000000",
                    "would need", "at most 8.00 TiB")
        self.write("n.json", json.dumps({
            "format": "simtrain-network", "version": 1, "name": "n", "dataset_images": 1, "default_batch": 1,
            "input": {"channels": 1 << 24, "height": 1 << 24, "width": 1 << 24},
            "layers": [{"type": "flatten"}, {"type": "linear", "outputs": 10}]}))
        self.refuse("simtrain", ["--platform", "torus:2x2", "--grid", "2x2", "--network", "n.json"], "n.json", "input",
                    leaves=["n.json"])


class Output(ProgramTest):
    ARGUMENTS = [*JOB, "--grid", "2x2"]

    def test_a_full_disk_is_a_failure(self):
        for arguments in (self.ARGUMENTS, ["--help"], ["sweep", "--help"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([programs.BIN / "simtrain", *arguments], stdout=full, stderr=subprocess.PIPE,
                                      text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("standard output could not be written", done.stderr)

    def test_a_link_stays_a_link(self):
        target = self.folder / "target.json"
        (self.folder / "link.json").symlink_to(target)
        self.run_program("simtrain", *self.ARGUMENTS, "--json", "link.json")
        self.assertTrue((self.folder / "link.json").is_symlink())
        self.assertEqual(json.loads(target.read_text())["kind"], "simulated")

    def test_a_pipe_stays_a_pipe(self):
        os.mkfifo(self.folder / "pipe")
        with subprocess.Popen(["cat", "pipe"], cwd=self.folder, stdout=subprocess.PIPE, text=True) as reader:
            self.run_program("simtrain", *self.ARGUMENTS, "--json", "pipe")
            self.assertEqual(json.loads(reader.communicate(timeout=60)[0])["kind"], "simulated")
        self.assertTrue((self.folder / "pipe").is_fifo())


class Replicas(ProgramTest):
    """--replicas: the interval of an iteration, and of the ranking of grids."""

    def bytes_of(self, *arguments):
        out, error = self.run_program("simtrain", *JOB, "--grid", "4x2", *arguments, "--json", "r.json")
        self.assertEqual(error, "")
        return out, (self.folder / "r.json").read_text().split('"passport":')[0].rstrip().rstrip(",") + "}"

    def test_the_interval_follows_from_the_seed(self):
        out, one = self.bytes_of("--replicas", 6, "--jobs", 1)
        _, same = self.bytes_of("--replicas", 6, "--jobs", 3)
        self.assertEqual(one, same)
        result, alone = json.loads(one), json.loads(self.bytes_of()[1])
        replicas = result.pop("replicas")
        self.assertEqual(result, alone, "the prediction itself is undisturbed")
        self.assertEqual((replicas["count"], replicas["seed"], replicas["node_spread"]), (6, 1, 0.01))
        self.assertEqual(len(set(replicas["iteration_seconds"])), 6)
        for text in ("90 % of 6 replicas: ", ", median ", "differ by 1.00 %"):
            self.assertIn(text, out)
        other = json.loads(self.bytes_of("--replicas", 6, "--seed", 2)[1])
        self.assertNotEqual(other["replicas"]["iteration_seconds"], replicas["iteration_seconds"])
        wider = json.loads(self.bytes_of("--replicas", 6, "--node-spread", 30)[1])["replicas"]
        self.assertGreater(wider["p95_s"] - wider["p5_s"], replicas["p95_s"] - replicas["p5_s"])

    def test_a_sweep_has_those_of_each_grid(self):
        out, _ = self.run_program("simtrain", "sweep", *JOB, "--processes", 8, "--replicas", 4, "--json", "s.json")
        sweep = json.loads((self.folder / "s.json").read_text())
        self.assertAlmostEqual(sum(place["replicas"]["fastest_share"] for place in sweep["ranking"]), 1)
        alone = json.loads(self.bytes_of("--replicas", 4)[1])["replicas"]
        self.assertIn(alone, [point["result"]["replicas"] for point in sweep["points"]])
        best, second = (sweep["points"][place["point"]]["result"]["replicas"]["iteration_seconds"]
                        for place in sweep["ranking"][:2])
        share = sum(a < b for a, b in zip(best, second)) / 4
        self.assertEqual(sweep["best_against_second"]["win_share"], share)
        self.assertIn(f"in {100 * share:.0f} % of 4 replicas", " ".join(out.split()))

    def test_refuses(self):
        job = [*JOB, "--grid", "4x2"]
        for wrong in ("0", "-3", "2.5", "many"):
            self.refuse("simtrain", [*job, "--replicas=" + wrong], "--replicas", wrong)
        for wrong in ("-1", "101", "much"):
            self.refuse("simtrain", [*job, "--replicas", "2", "--node-spread=" + wrong], "--node-spread", wrong)
        self.refuse("simtrain", [*job, "--node-spread", "2"], "--node-spread", "without --replicas")
        self.refuse("simtrain", [*job, "--jobs", "2"], "--jobs", "without --replicas")
        self.refuse("simtrain", [*job, "--replicas", "2", "--profile", "none.json"], "none.json")
        self.refuse("mpitrain", ["--grid", "1x1", "--replicas", "2"], "--replicas", "not known")


class Sweep(ProgramTest):
    def start_a_long_one(self):
        """A sweep of minutes, and the processes of its simulations."""
        sweep = subprocess.Popen([programs.BIN / "simtrain", "sweep", "--platform", "torus:16x16", "--processes", "256",
                                  "--iterations", "100"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        children = []
        deadline = time.monotonic() + 60
        while not children and time.monotonic() < deadline:
            children = pathlib.Path(f"/proc/{sweep.pid}/task/{sweep.pid}/children").read_text().split()
            time.sleep(0.05)
        self.assertTrue(children)
        return sweep, children

    def test_a_killed_sweep_leaves_no_simulation(self):
        sweep, children = self.start_a_long_one()
        sweep.kill()
        sweep.communicate()
        deadline = time.monotonic() + 60

        def runs(pid):
            try:
                return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
            except FileNotFoundError:
                return False

        while any(map(runs, children)) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertFalse([pid for pid in children if runs(pid)])

    def test_a_missing_profile_is_said_once(self):
        self.refuse("simtrain", ["sweep", *JOB, "--processes", "8", "--profile", "none.json"], "none.json")

    def test_ranks_every_grid(self):
        out, error = self.run_program("simtrain", "sweep", *JOB, "--processes", "8", "--json", "s.json")
        grids = {(p["grid_rows"], p["grid_columns"]): p for p in json.loads((self.folder / "s.json").read_text())["points"]}
        self.assertEqual(set(grids), {(1, 8), (2, 4), (4, 2), (8, 1)})
        for (rows, columns), point in grids.items():
            alone = self.result(*JOB, "--grid", f"{rows}x{columns}")
            self.assertEqual(point["result"]["iteration_s"], alone["iteration_s"])
        best = min(grids.values(), key=lambda p: p["result"]["iteration_s"])
        lines = [line for line in out.splitlines() if line.split()[:1] == ["1"]]
        self.assertEqual(len(lines), 1, out)
        self.assertIn(f"{best['grid_rows']} x {best['grid_columns']}", lines[0].replace("x", " x ").replace("  ", " "))
        self.assertIn("4 of 4", error)

    def test_points_that_cannot_be_are_named(self):
        out, _ = self.run_program("simtrain", "sweep", "--platform", "torus:8", "--network", "mlp", "--batch", "4",
                                  "--processes", "8")
        self.assertIn("--batch: 4", out)

    def test_refuses(self):
        self.refuse("simtrain", ["sweep", "--platform", "torus:8", "--processes", "9"], "--processes", "9", "8")
        self.refuse("simtrain", ["sweep", "--platform", "torus:8"], "--processes", "missing")
        self.refuse("simtrain", ["sweep", "--platform", "torus:8", "--processes", "8", "--memory", "1MiB"], "--memory",
                    "8 ranks", "at least")
        self.refuse("simtrain", ["sweep", "--platform", "torus:8", "--grid", "2x2"], "--grid")


if __name__ == "__main__":
    from programs import BIN

    BIN_DATA = BIN.parent / "share" / "simtrain"
    unittest.main(argv=[sys.argv[0], "-v"])
