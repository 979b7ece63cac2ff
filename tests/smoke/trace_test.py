"""--trace: does the file hold what the result says, in a form that viewers of the Trace Event Format take?"""
import collections
import json
import sys
import unittest

from programs import ProgramTest

JOB = ["--platform", "torus:4x2,bandwidth=1GBps,latency=1us", "--network", "mlp", "--batch", "64"]
EXCHANGES = ("all_gather", "reduce_data", "reduce_weights", "redistribute", "halo")
NS = 1e-9


class Trace:
    """A trace's events by what they are; times in whole nanoseconds."""

    def __init__(self, text):
        self.document = json.loads(text)
        self.meta = self.document["otherData"]
        events = self.document["traceEvents"]
        self.threads = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
        self.slices = [e for e in events if e["ph"] == "X"]
        for event in events:
            for key in ("ts", "dur"):
                if key in event:
                    event[key] = int(event[key] * 1000)  # cut off, as Perfetto does
        self.arrows = collections.defaultdict(dict)
        for event in events:
            if event["ph"] in "sf":
                assert event["ph"] not in self.arrows[event["id"]]
                self.arrows[event["id"]][event["ph"]] = event

    def rank_of(self, event):
        return int(self.threads[event["tid"]].split()[1])

    def of_rank(self, rank, category):
        return [e for e in self.slices if self.rank_of(e) == rank and e["cat"] == category]

    def seconds(self, rank):
        """(layer, phase) -> seconds of its slices."""
        sums = collections.defaultdict(float)
        for event in self.slices:
            if self.rank_of(event) == rank and event["cat"] != "message":
                sums[event["args"]["layer"], event["args"]["phase"]] += event["dur"] * NS
        return sums

    def bytes_sent(self, rank):
        return sum(e["args"]["bytes"] for e in self.of_rank(rank, "message") if "to" in e["args"])


class TraceTest(ProgramTest):
    def trace(self, *arguments, ranks=None):
        """The trace, of ranks 0 to ranks - 1 or those that the program chooses, and the result of simtrain."""
        chosen = [] if ranks is None else ["--trace-ranks", f"0-{ranks - 1}"]
        _, error = self.run_program("simtrain", *arguments, *chosen, "--trace", "trace.json", "--json", "result.json")
        self.assertEqual(error, "")
        return self.read()

    def read(self):
        result = json.loads((self.folder / "result.json").read_text())
        del result["passport"]  # which says when
        return Trace((self.folder / "trace.json").read_text()), result

    def check_tracks(self, trace):
        """On every track slices are disjoint, or one lies within the other."""
        by_thread = collections.defaultdict(list)
        for event in trace.slices:
            self.assertGreaterEqual(event["ts"], 0)
            self.assertGreaterEqual(event["dur"], 0)
            by_thread[event["tid"]].append((event["ts"], event["ts"] + event["dur"], event["name"]))
        self.assertLessEqual(set(by_thread), set(trace.threads))
        for thread, events in by_thread.items():
            open_ends = []
            for begin, end, name in events:  # as they stand in the file
                while open_ends and open_ends[-1] <= begin:
                    open_ends.pop()
                self.assertTrue(not open_ends or end <= open_ends[-1], (trace.threads[thread], name))
                open_ends.append(end)
            self.assertEqual([e[0] for e in events], sorted(e[0] for e in events))

    def check_phases(self, trace, result, ranks):
        """Mean over ranks of the slices' sums: the seconds of each phase of each layer, to the rounding of slices."""
        sums = [trace.seconds(rank) for rank in range(ranks)]
        for layer in result["layers"]:
            for phase in ("forward", "backward", "update", *EXCHANGES):
                if phase in EXCHANGES:
                    expected = layer[phase]["seconds"]["mean"] if phase in layer else 0
                else:
                    expected = layer[f"{phase}_s"]["mean"]
                found = sum(one[layer["name"], phase] for one in sums) / ranks
                self.assertAlmostEqual(found, expected, delta=50 * NS, msg=(layer["name"], phase))

    def check_bytes(self, trace, result, ranks):
        sent = sum(layer[e]["bytes_sent"]["mean"] for layer in result["layers"] for e in EXCHANGES if e in layer)
        self.assertAlmostEqual(sum(trace.bytes_sent(rank) for rank in range(ranks)) / ranks, sent, delta=1e-6 * sent)
        received = sum(e["args"]["bytes"] for e in trace.slices if e["cat"] == "message" and "from" in e["args"])
        self.assertEqual(received, sum(trace.bytes_sent(rank) for rank in range(ranks)))


class Simulated(TraceTest):
    def test_phases_and_bytes_are_those_of_the_result(self):
        for grid in ("1x1", "2x1", "1x2", "3x1", "1x3", "2x2", "4x1", "1x4"):
            with self.subTest(grid=grid):
                ranks = int(grid[0]) * int(grid[2])
                trace, result = self.trace(*JOB, "--grid", grid, ranks=ranks)
                self.check_tracks(trace)
                self.check_phases(trace, result, ranks)
                self.check_bytes(trace, result, ranks)
                self.assertEqual(len(trace.arrows), sum("to" in e["args"] for e in trace.slices))
                self.assertEqual(trace.meta["left_out"], "")

    def test_layers_on_several_grids_and_in_strips(self):
        for strategy in ("conv-batch", "conv*:domain:4x2", "conv1:domain:2x4; *:4x2"):
            with self.subTest(strategy=strategy):
                trace, result = self.trace("--platform", "torus:4x2", "--network", "lenet", "--batch", "64", "--grid",
                                           "4x2", "--extrapolate", "--strategy", strategy, ranks=8)
                self.check_tracks(trace)
                self.check_phases(trace, result, 8)
                self.check_bytes(trace, result, 8)

    def test_arrows_lead_from_a_send_to_the_receive_of_the_same_bytes(self):
        trace, _ = self.trace(*JOB, "--grid", "4x2", "--collectives", "ring", ranks=8)

        def slice_at(end):
            at = [e for e in trace.slices if e["tid"] == end["tid"] and e["ts"] <= end["ts"] < e["ts"] + e["dur"]]
            self.assertEqual(len(at), 1)
            return at[0]

        self.assertGreater(len(trace.arrows), 100)
        for arrow in trace.arrows.values():
            begin, end = slice_at(arrow["s"]), slice_at(arrow["f"])
            self.assertLess(arrow["s"]["ts"], arrow["f"]["ts"])
            self.assertEqual(begin["args"]["bytes"], end["args"]["bytes"])
            self.assertEqual((begin["args"]["to"], end["args"]["from"]), (trace.rank_of(end), trace.rank_of(begin)))

    def test_overlap(self):
        for progress in ("ideal", "polling", "none"):
            with self.subTest(progress=progress):
                trace, result = self.trace(*JOB, "--grid", "2x4", "--overlap", "all", "--bucket", "100kB", "--progress",
                                           progress, ranks=8)
                self.check_tracks(trace)
                self.check_bytes(trace, result, 8)
                # A bucket's slice stands with its first layer, and its seconds are of all its layers.
                for phase in EXCHANGES[:3]:
                    found = sum(seconds for rank in range(8) for (_, one), seconds in trace.seconds(rank).items()
                                if one == phase) / 8
                    expected = sum(layer[phase]["seconds"]["mean"] for layer in result["layers"])
                    self.assertAlmostEqual(found, expected, delta=100 * NS)
                beside = [e for e in trace.slices if "beside" in trace.threads[e["tid"]]]
                self.assertTrue(any(e["args"].get("layers") == ["fc2", "fc1"] or len(e["args"].get("layers", [])) > 0
                                    for e in beside))

    def test_which_ranks(self):
        trace, _ = self.trace("--platform", "torus:4x4", "--network", "mlp", "--batch", "64", "--grid", "8x2")
        self.assertEqual(trace.meta["ranks"], "0, 1, 2, 3, 4, 5, 6, 8")  # the first column's, and rank 8 of the first row
        trace, _ = self.trace(*JOB, "--grid", "4x2", "--trace-ranks", "6,1-2,2")
        self.assertEqual({trace.rank_of(e) for e in trace.slices}, {1, 2, 6})
        self.assertEqual(sorted({name for name in trace.threads.values() if "(" in name}),
                         ["rank 1 (row 1, column 0)", "rank 2 (row 2, column 0)", "rank 6 (row 2, column 1)"])

    def test_a_grid_that_is_chosen(self):
        job = [*JOB, "--strategy", "auto", "--processes", "8", "--try", "1"]
        trace, result = self.trace(*job, ranks=8)
        self.check_phases(trace, result, 8)
        default, _ = self.trace(*job)
        self.assertLessEqual({trace.rank_of(e) for e in default.slices}, set(range(8)))
        self.refuse("simtrain", [*job, "--trace", "t", "--trace-ranks", "8"], "--trace-ranks", "rank 8 of 8",
                    leaves=["result.json", "trace.json"])

    def test_which_iteration(self):
        # Nodes are the same in each, so that iterations are alike; the first of them is warmed up.
        job = [*JOB, "--grid", "2x2", "--iterations", "3", "--warm-up", "1"]
        last, _ = self.trace(*job)
        third, _ = self.trace(*job, "--trace-iteration", "3")
        first, _ = self.trace(*job, "--trace-iteration", "1")
        self.assertEqual(last.document, third.document)
        self.assertEqual((first.meta["iteration"], last.meta["iteration"]), ("1 of 3", "3 of 3"))
        self.assertEqual(len(first.slices), len(last.slices))
        self.assertEqual(min(e["ts"] for e in first.slices), 0)

    def test_same_input_same_bytes_and_the_same_times(self):
        self.trace(*JOB, "--grid", "4x2")
        before = (self.folder / "trace.json").read_bytes()
        _, traced = self.trace(*JOB, "--grid", "4x2")
        self.assertEqual((self.folder / "trace.json").read_bytes(), before)
        self.assertEqual(traced, self.result(*JOB, "--grid", "4x2"))

    def test_merged_detail_has_phases_alone(self):
        trace, result = self.trace(*JOB, "--grid", "4x2", "--detail", "merged", "--collectives", "ring", ranks=8)
        self.check_phases(trace, result, 8)
        self.assertFalse([e for e in trace.slices if e["cat"] == "message"])
        self.assertIn("none", trace.meta["messages"])

    def test_from_a_child_process(self):
        plain, _ = self.trace(*JOB, "--grid", "2x2")
        replicas, _ = self.trace(*JOB, "--grid", "2x2", "--replicas", "2")
        self.assertEqual(plain.document, replicas.document)
        slow, result = self.trace(*JOB, "--grid", "2x2", "--slow-host", "host-3=0.25", ranks=4)
        self.check_phases(slow, result, 4)

    def test_messages_are_left_out_before_ranks(self):
        # Every rank sends to each of the others in each of many collectives.
        _, error = self.run_program("simtrain", "--platform", "torus:16x8", "--network", "mlp", "--batch", "64", "--grid",
                                    "128x1", "--collectives", "ring", "--detail", "messages", "--extrapolate",
                                    "--trace", "trace.json", "--trace-ranks", "0-127")
        trace = Trace((self.folder / "trace.json").read_text())
        self.assertLessEqual(len(trace.slices), 200_000)
        self.assertEqual(trace.meta["ranks"], ", ".join(map(str, range(128))))
        self.assertIn("messages of ranks ", error)
        self.assertIn(", 127 left out", error)
        self.assertIn(trace.meta["left_out"], error)
        self.assertTrue(trace.of_rank(0, "message"))
        self.assertFalse(trace.of_rank(127, "message"))

    def test_names_are_escaped(self):
        name = "<script>\"\n\\u0000 µ"
        self.write("n.json", json.dumps({
            "format": "simtrain-network", "version": 1, "name": name, "dataset_images": 64, "default_batch": 8,
            "input": {"channels": 4, "height": 1, "width": 1},
            "layers": [{"name": name, "type": "linear", "outputs": 8}, {"name": "x", "type": "linear", "outputs": 4}]}))
        trace, result = self.trace("--platform", "torus:2", "--network", "n.json", "--grid", "2x1", "--extrapolate")
        self.assertIn(name, {e["args"].get("layer") for e in trace.slices})
        self.assertIn(f"{name} forward", {e["name"] for e in trace.slices})
        self.check_phases(trace, result, 2)

    def test_wrong_input(self):
        job = [*JOB, "--grid", "2x2"]
        for options, *parts in (
            (["--trace", "no/folder.json"], "--trace", "no"),
            (["--trace", "t", "--trace-ranks", "4"], "--trace-ranks", "rank 4 of 4", "from 0 to 3"),
            (["--trace", "t", "--trace-ranks", "3-1"], "--trace-ranks", "3-1"),
            (["--trace", "t", "--trace-ranks", "1,,2"], "--trace-ranks", "'1,,2'"),
            (["--trace", "t", "--trace-ranks", "one"], "--trace-ranks", "'one'"),
            (["--trace", "t", "--trace-iteration", "2"], "--trace-iteration", "'2'", "from 1 to 1"),
            (["--trace-ranks", "1"], "--trace-ranks", "without --trace"),
            (["--trace-iteration", "1"], "--trace-iteration", "without --trace"),
        ):
            with self.subTest(options=options):
                self.refuse("simtrain", [*job, *options], *parts)
        self.refuse("simtrain", ["sweep", *JOB, "--processes", "4", "--trace", "t"], "--trace")


class Native(TraceTest):
    def test_native_ranks(self):
        for options in ((), ("--overlap", "all", "--progress", "ideal", "--bucket", "100kB")):
            with self.subTest(options=options):
                self.run_ranks(2, "mpitrain", "--network", "mlp", "--batch", "64", "--grid", "2x1", "--iterations", "3",
                               *options, "--trace", "trace.json", "--json", "result.json")
                trace, result = self.read()
                self.check_tracks(trace)
                self.assertEqual(trace.meta["iteration"], "3 of 3")
                self.assertEqual(trace.meta["ranks"], "0, 1")
                self.check_bytes(trace, result, 2)
                self.assertTrue(trace.arrows)
                layers = {layer["name"] for layer in result["layers"]}
                self.assertEqual({layer for layer, _ in trace.seconds(0)}, layers)

    def test_one_iteration_has_the_seconds_of_its_phases(self):
        self.run_ranks(2, "mpitrain", "--network", "mlp", "--batch", "64", "--grid", "2x1", "--iterations", "1",
                       "--trace", "trace.json", "--json", "result.json")
        self.check_phases(*self.read(), 2)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
