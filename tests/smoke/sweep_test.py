"""simtrain sweep and merge from the command line: every combination, interruptions, shares, pruning, bad input."""
import csv
import hashlib
import itertools
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest

import programs
from programs import MPI_ENVIRONMENT, ProgramTest

SCHEMA = pathlib.Path(sys.argv.pop(1)).resolve()
VALIDATE = pathlib.Path(__file__).parent / "validate_json.py"
SMALL = ["--platform", "torus:2x4,latency=2us", "--network", "mlp", "--extrapolate"]


class SweepTest(ProgramTest):
    def sweep(self, *arguments, status=0):
        """stdout, stderr and the JSON, which keeps to its schema."""
        out, error = self.run_program("simtrain", "sweep", *arguments, "--json", "s.json", status=status)
        self.assertLessEqual(max(len(line) for line in out.splitlines()), 100)
        return out, error, self.read("s.json")

    def read(self, name):
        done = subprocess.run([sys.executable, VALIDATE, SCHEMA, name], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.folder / name).read_text())

    def lines(self, name):
        return (self.folder / name).read_text().splitlines()

    def settled(self, name):
        """Points of a results file that are done."""
        whole = [line for line in (self.folder / name).read_text().split("\n")[1:-1]]
        return {json.loads(line)["point"] for line in whole if {"result", "error"} & set(json.loads(line))}


class Points(SweepTest):
    def test_every_combination_is_that_prediction(self):
        platforms = ["torus:2x4,latency=2us", "crossbar:8,bandwidth=1GBps"]
        strategies = ["uniform", "fc1:1x8; fc*:8x1"]
        out, _, found = self.sweep("--network", "mlp", "--extrapolate", "--platform", " | ".join(platforms), "--batch",
                                   "64,128", "--strategy", strategies[0], "--strategy", strategies[1], "--processes", "8",
                                   "--grids", "*x4,8x*")
        self.assertEqual(found["dimensions"], {"batch": ["64", "128"], "platform": platforms, "strategy": strategies})
        keys = [(p["batch"], p["platform"], p["strategy"], p["grid_rows"], p["grid_columns"]) for p in found["points"]]
        self.assertEqual(keys, [(*others, *grid) for *others, grid in
                                itertools.product((64, 128), platforms, strategies, ((2, 4), (8, 1)))])
        for point in found["points"][::5]:
            alone = self.result("--network", "mlp", "--extrapolate", "--platform", point["platform"], "--batch",
                                point["batch"], "--strategy", point["strategy"], "--grid",
                                f"{point['grid_rows']}x{point['grid_columns']}")
            self.assertEqual(point["result"], alone)
        seconds = [found["points"][place["point"]]["result"]["iteration_s"] / place["batch"] for place in found["ranking"]]
        self.assertEqual(seconds, sorted(seconds))
        self.assertEqual(len(seconds), 16)
        self.assertIn("ranked by images/s", " ".join(out.split()))
        header = next(line for line in out.splitlines() if line.split()[:1] == ["#"])
        self.assertEqual(header.split()[:5], ["#", "batch", "platform", "strategy", "grid"])

    def test_a_scenario_says_the_same(self):
        arguments = ["--processes", "4,8", "--collectives", "ring", "--collectives", "bruck", "--batch", "32"]
        expected = self.sweep(*SMALL, *arguments)[2]
        self.write("mine.ini", "platform = torus:2x4,latency=2us\nnetwork = mlp\nextrapolate = yes\nprocesses = 4\n"
                   "processes = 8\ncollectives = ring | bruck\nbatch = 999\n")
        self.assertEqual(self.sweep("--scenario", "mine.ini", "--batch", "32")[2], expected)
        self.assertEqual({(p["collectives"], p["grid_rows"] * p["grid_columns"]) for p in expected["points"]},
                         set(itertools.product(("ring", "bruck"), (4, 8))))

    def test_what_makes_no_sense_is_listed(self):
        out, _, found = self.sweep("--platform", "torus:2x4 | torus:2x2", "--network", "alexnet", "--extrapolate",
                                   "--processes", "4,8", "--batch", "4,64", "--strategy", "uniform|conv*:domain:8x1",
                                   "--host-memory", "800MiB", "--grids", "1x*,4x*")
        errors = [point["error"] for point in found["points"] if "error" in point]
        flat = " ".join(out.split())
        for part in ("more than the 4 hosts", "--batch: 4", "8x1", "host memory: 800 MiB does not hold"):
            self.assertTrue(any(part in error for error in errors), part)
            self.assertIn(part, flat)
        self.assertEqual(len(found["ranking"]) + len(errors), len(found["points"]))
        self.assertTrue(found["ranking"])
        for place in found["ranking"]:
            self.assertTrue(place["fits_memory"])

    def test_networks_are_ranked_apart(self):
        out, _, found = self.sweep("--platform", "torus:2x2", "--network", "mlp", "--network", "lenet", "--extrapolate",
                                   "--grids", "2x2")
        self.assertIn("Fastest of mlp: mlp", out)
        self.assertIn("Fastest of lenet: lenet", out)
        self.assertEqual([point["network"] for point in found["points"]], ["mlp", "lenet"])

    def test_csv(self):
        _, _, found = self.sweep(*SMALL, "--processes", "8", "--batch", "4,64", "--csv", "s.csv")
        with open(self.folder / "s.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), len(found["points"]))
        for row, place in zip(rows, found["ranking"]):
            self.assertEqual((int(row["batch"]), int(row["grid_rows"])), (place["batch"], place["grid_rows"]))
            self.assertEqual(float(row["iteration_s"]), place["iteration_s"])
            self.assertEqual(row["platform"], SMALL[1])
        self.assertEqual([row["outcome"] for row in rows[len(found["ranking"]):]], ["impossible"])
        self.assertIn("--batch: 4", rows[-1]["reason"])

    def test_refuses(self):
        for arguments, *parts in (
                (["--platform", "torus:8"], "--processes", "missing"),
                (["--platform", "torus:8", "--grids", "*x8"], "--grids", "--processes"),
                (["--platform", "torus:8", "--processes", "8", "--grids", "3x*"], "--grids", "3x*"),
                (["--platform", "torus:8 | torus:8", "--processes", "8"], "--platform", "twice"),
                (["--platform", "torus:8 |", "--processes", "8"], "--platform", "empty"),
                (["--platform", "torus:8 | tours:8", "--processes", "8"], "tours"),
                (["--platform", "torus:8", "--processes", "9,10"], "9", "8 hosts", "nor can any other of the 7 points"),
                (["--platform", "torus:8", "--processes", "8", "--share", "0/2"], "--share", "--results"),
                (["--platform", "torus:8", "--processes", "8", "--results", "r", "--share", "2/2"], "--share", "'2/2'",
                 "counted from 0", "0/2 to 1/2"),
                (["--platform", "torus:8", "--processes", "8", "--results", "r", "--share", "0/2", "--json", "j"], "--json",
                 "merge"),
                (["--platform", "torus:8", "--processes", "8", "--prune", "--replicas", "2"], "--prune", "--replicas"),
                (["--platform", "torus:8", "--processes", "8", "--csv", "none/x"], "--csv", "none"),
                (["--platform", "torus:8", "--processes", "8", "--results", "none/x"], "--results", "none"),
                (["--platform", "torus:8", "--processes", "8", "--results", "/dev/full"], "--results", "/dev/full"),
                (["--platform", "torus:8", "--grid", "2x2"], "--grid"),
        ):
            with self.subTest(arguments=arguments):
                self.refuse("simtrain", ["sweep", *arguments], *parts)


# Enough points that something is left whenever it is interrupted, each of them as short as can be.
MANY = [*SMALL, "--processes", "8", "--batch", "32,64", "--collectives", "ring,bruck", "--jobs", "2"]


class Interruptions(SweepTest):
    def start(self, *arguments, **more):
        return subprocess.Popen([programs.BIN / "simtrain", "sweep", *map(str, arguments)], cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)

    def wait_for_points(self, name, count, sweep):
        deadline = time.monotonic() + 120
        path = self.folder / name
        while time.monotonic() < deadline and sweep.poll() is None:
            if path.exists() and path.read_text().count("\n") > count:
                return
            time.sleep(0.002)

    def children(self, sweep):
        return [int(pid) for pid in pathlib.Path(f"/proc/{sweep.pid}/task/{sweep.pid}/children").read_text().split()]

    def assert_same(self, expected, out):
        """The outputs of another sweep of MANY."""
        self.assertEqual(out, expected["out"])
        for name in ("s.json", "s.csv"):
            self.assertEqual((self.folder / name).read_bytes(), expected[name])

    def uninterrupted(self, *more):
        out, _, _ = self.sweep(*MANY, *more, "--csv", "s.csv")
        return {"out": out, **{name: (self.folder / name).read_bytes() for name in ("s.json", "s.csv")}}

    def test_a_killed_sweep_goes_on_where_it_was(self):
        expected = self.uninterrupted()
        done = set()
        for count in (1, 4, 9):
            sweep = self.start(*MANY, "--results", "r.jsonl")
            self.wait_for_points("r.jsonl", max(count, len(done) + 1), sweep)
            children = self.children(sweep) if sweep.poll() is None else []
            sweep.kill()
            _, error = sweep.communicate()
            if done:
                self.assertIn(f"{len(done)} of 16 points are in 'r.jsonl' already", error)
            after = self.settled("r.jsonl")
            self.assertLessEqual(done, after, "no finished point is lost")
            done = after
            self.assert_gone(children)
        self.assertTrue(done)
        out, error, _ = self.sweep(*MANY, "--csv", "s.csv", "--results", "r.jsonl")
        self.assert_same(expected, out)
        self.assertIn(f"{len(done)} of 16", error)
        # Once more, with nothing left to do.
        out, error, _ = self.sweep(*MANY, "--csv", "s.csv", "--results", "r.jsonl")
        self.assert_same(expected, out)
        self.assertIn("16 of 16", error)
        self.assertEqual(len(self.settled("r.jsonl")), 16)

    def assert_gone(self, pids):
        def runs(pid):
            try:
                return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
            except (FileNotFoundError, ProcessLookupError):
                return False

        deadline = time.monotonic() + 60
        while any(map(runs, pids)) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertFalse([pid for pid in pids if runs(pid)])

    def test_a_killed_child_costs_its_point_until_the_next_time(self):
        expected = self.uninterrupted()
        sweep = self.start(*MANY, "--iterations", "30", "--results", "r.jsonl")
        self.wait_for_points("r.jsonl", 2, sweep)
        killed = 0
        while sweep.poll() is None and killed == 0:
            for pid in self.children(sweep):
                try:
                    os.kill(pid, signal.SIGKILL)
                    killed += 1
                except ProcessLookupError:
                    pass
        out, error = sweep.communicate()
        self.assertGreater(killed, 0)
        lost = error.count("the same command tries it again")
        if lost:  # a child may have answered already when it was killed
            self.assertEqual(sweep.returncode, 1)
            self.assertIn("Killed (signal 9)", " ".join(out.split()))  # lines are broken where two are lost
        self.assertEqual(len(self.settled("r.jsonl")), 16 - lost)
        again, error = self.run_program("simtrain", "sweep", *MANY, "--iterations", "30", "--results", "r.jsonl")
        self.assertNotIn("Killed", again)
        self.assertEqual(len(self.settled("r.jsonl")), 16)
        self.assertEqual(len(expected["out"].splitlines()), len(again.splitlines()))

    def test_half_a_line_is_cut_off(self):
        expected = self.uninterrupted("--results", "r.jsonl")
        whole = (self.folder / "r.jsonl").read_bytes()
        for size in (10, len(self.lines("r.jsonl")[0]), len(whole) // 2, len(whole) - 1):
            (self.folder / "r.jsonl").write_bytes(whole[:size])
            out, error, _ = self.sweep(*MANY, "--csv", "s.csv", "--results", "r.jsonl")
            self.assertIn("'r.jsonl' ended in half a line", error)
            self.assert_same(expected, out)

    def test_one_sweep_at_a_time(self):
        sweep = self.start(*SMALL, "--processes", "8", "--iterations", "20000", "--results", "r.jsonl")
        self.wait_for_points("r.jsonl", 0, sweep)
        self.refuse("simtrain", ["sweep", *SMALL, "--processes", "8", "--iterations", "20000", "--results", "r.jsonl"],
                    "r.jsonl", "being written by another sweep", leaves=["r.jsonl"])
        sweep.kill()
        sweep.communicate()

    def test_refuses_other_files(self):
        self.run_program("simtrain", "sweep", *SMALL, "--processes", "4", "--results", "r.jsonl")
        before = (self.folder / "r.jsonl").read_bytes()
        for arguments, *parts in (
                ([*SMALL, "--processes", "8"], "another sweep", "grids are 1x4"),
                ([*SMALL, "--processes", "4", "--batch", "64"], "--batch"),
                ([*SMALL, "--processes", "4", "--seed", "2"], "--seed is '1' there and '2' here"),
                ([*SMALL, "--processes", "4", "--compute-scale", "2"], "--compute-scale"),
        ):
            self.refuse("simtrain", ["sweep", *arguments, "--results", "r.jsonl"], "r.jsonl", *parts, leaves=["r.jsonl"])
        self.write("other.jsonl", before.decode().replace('"version":1', '"version":7', 1))
        self.refuse("simtrain", ["sweep", *SMALL, "--processes", "4", "--results", "other.jsonl"], "version 7",
                    leaves=["r.jsonl", "other.jsonl"])
        self.write("other.jsonl", "something else\n")
        self.refuse("simtrain", ["sweep", *SMALL, "--processes", "4", "--results", "other.jsonl"], "other.jsonl", "none of",
                    leaves=["r.jsonl", "other.jsonl"])
        self.assertEqual((self.folder / "other.jsonl").read_text(), "something else\n")
        self.assertEqual((self.folder / "r.jsonl").read_bytes(), before)
        # Jobs and memory are no inputs.
        self.run_program("simtrain", "sweep", *SMALL, "--processes", "4", "--jobs", "1", "--memory", "4GiB", "--results",
                         "r.jsonl")

    def test_the_header_has_the_hashes_that_sha256sum_prints(self):
        self.run_program("simtrain", "sweep", "--platform", "torus.xml", "--network", "mlp", "--grids", "2x1", "--extrapolate",
                         "--results", "r.jsonl")
        header = json.loads(self.lines("r.jsonl")[0])
        share = programs.BIN.parent / "share" / "simtrain"
        self.assertEqual(header["files"], {
            f"{option} '{name}'": hashlib.sha256((share / path).read_bytes()).hexdigest() for option, name, path in (
                ("network", "mlp", "scenarios/networks/mlp.json"), ("platform", "torus.xml", "platforms/torus.xml"),
                ("profile", "xeon-openblas-0.3.21-skylakex", "profiles/xeon-openblas-0.3.21-skylakex.json"))})
        self.assertEqual(header["grids"], ["2x1"])
        self.assertEqual(header["options"]["iterations"], "1")
        self.assertNotIn("jobs", header["options"])

    def test_a_file_that_has_changed(self):
        network = json.loads((programs.BIN.parent / "share" / "simtrain" / "scenarios" / "networks" / "mlp.json").read_text())
        self.write("mine.json", json.dumps(network))
        arguments = ["sweep", "--platform", "torus:4", "--network", "mine.json", "--processes", "4", "--extrapolate",
                     "--results", "r.jsonl"]
        self.run_program("simtrain", *arguments)
        network["layers"][1]["outputs"] += 1
        self.write("mine.json", json.dumps(network))
        self.refuse("simtrain", arguments, "network 'mine.json' has other contents now", leaves=["mine.json", "r.jsonl"])

    def test_a_full_disk_loses_nothing(self):
        expected = self.uninterrupted("--results", "whole.jsonl")
        room = len(self.lines("whole.jsonl")[0]) + 3 * (self.folder / "whole.jsonl").stat().st_size // 16

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

        sweep = self.start(*MANY, "--results", "r.jsonl", preexec_fn=limit)
        out, error = sweep.communicate()
        self.assertEqual(sweep.returncode, 1)
        self.assertEqual(out, expected["out"], "what could not be stored is shown all the same")
        self.assertIn("results cannot be written: File too large", error)
        self.assertIn("those before them are in it", error)
        self.assertTrue((self.folder / "r.jsonl").read_bytes().endswith(b"\n"))
        kept = self.settled("r.jsonl")
        self.assertTrue(kept)
        out, error, _ = self.sweep(*MANY, "--csv", "s.csv", "--results", "r.jsonl")
        self.assertIn(f"{len(kept)} of 16", error)
        self.assert_same(expected, out)

    def test_replicas_go_on_too(self):
        arguments = [*SMALL, "--processes", "4", "--replicas", "4", "--jobs", "2"]
        expected = self.sweep(*arguments)
        sweep = self.start(*arguments, "--results", "r.jsonl")
        self.wait_for_points("r.jsonl", 5, sweep)
        sweep.kill()
        sweep.communicate()
        out, _, found = self.sweep(*arguments, "--results", "r.jsonl")
        self.assertEqual((out, found), (expected[0], expected[2]))
        replicas = [json.loads(line) for line in self.lines("r.jsonl")[1:] if '"replica":' in line]
        self.assertEqual(len({(one["point"], one["replica"]) for one in replicas}), 12)
        self.assertEqual(len(replicas), 12, "none twice")


class Pruning(SweepTest):
    TABLES = (
        ["--platform", "torus:4x4", "--network", "alexnet", "--batch", "256", "--processes", "16", "--extrapolate"],
        ["--platform", "fat-tree:4x2,up=1", "--network", "lenet", "--batch", "64,256", "--processes", "8",
         "--collectives", "ring|rabenseifner", "--extrapolate"],
        ["--platform", "torus:2x4,bandwidth=1GBps", "--network", "mlp|lenet", "--processes", "8", "--overlap",
         "gradients", "--extrapolate"],
    )

    def test_nothing_that_is_skipped_would_have_won(self):
        for table in self.TABLES:
            with self.subTest(table=table):
                everything = self.sweep(*table)[2]
                out, _, found = self.sweep(*table, "--prune")
                self.assertEqual(len(found["points"]), len(everything["points"]))
                by_network = {}
                for whole in everything["points"]:
                    if "result" in whole:
                        by_network.setdefault(whole.get("network"), []).append(self.cost(whole, everything))
                skipped = 0
                for point, whole in zip(found["points"], everything["points"]):
                    if "error" in point:
                        self.assertEqual(point, whole)
                        continue
                    simulated = whole["result"]["iteration_s"]
                    self.assertLessEqual(point["lower_bound_s"], simulated)
                    self.assertGreater(point["lower_bound_s"], 0)
                    if "skipped" in point:
                        skipped += 1
                        self.assertGreater(self.cost(whole, everything), min(by_network[whole.get("network")]))
                    else:
                        self.assertEqual(point["result"], whole["result"])
                self.assertEqual(found["ranking"][0]["point"], everything["ranking"][0]["point"])
                print(f"  {len(found['points'])} points, {skipped} skipped")
                self.assertGreater(skipped, 0)
                self.assertIn("Skipped, since they cannot be the fastest", out)

    @staticmethod
    def cost(point, sweep):
        return point["result"]["iteration_s"] / (point["batch"] if "batch" in sweep.get("dimensions", {}) else 1)

    def test_results_do_not_depend_on_who_was_first(self):
        table = self.TABLES[1]
        expected = [self.sweep(*table, "--prune", "--csv", "s.csv")[0], (self.folder / "s.json").read_bytes(),
                    (self.folder / "s.csv").read_bytes()]
        for jobs in ("1", "5"):
            for _ in range(2):  # the second time from the file
                found = [self.sweep(*table, "--prune", "--csv", "s.csv", "--jobs", jobs, "--results", f"r{jobs}")[0],
                         (self.folder / "s.json").read_bytes(), (self.folder / "s.csv").read_bytes()]
                self.assertEqual(found, expected)
        for share in range(3):
            self.run_program("simtrain", "sweep", *table, "--prune", "--results", "p.jsonl", "--share", f"{share}/3")
        out, _ = self.run_program("simtrain", "merge", *(f"p.{i}-of-3.jsonl" for i in range(3)), "--json", "s.json",
                                  "--csv", "s.csv")
        self.assertEqual([out, (self.folder / "s.json").read_bytes(), (self.folder / "s.csv").read_bytes()], expected)


class Shares(SweepTest):
    def expected(self, *arguments):
        return self.sweep(*arguments, "--report", "s.html")[0], *self.written("s.json", "s.html")

    def merged(self, *files, status=0):
        out, error = self.run_program("simtrain", "merge", *files, "--json", "m.json", "--report", "m.html", status=status)
        return (out, *self.written("m.json", "m.html")), error

    def written(self, *names):
        return tuple((self.folder / name).read_bytes() for name in names)

    def test_merge_gives_what_one_process_gives(self):
        arguments = [*SMALL, "--processes", "4,8", "--batch", "4", "--replicas", "2"]
        expected = self.expected(*arguments)
        for share in range(3):
            out, _ = self.run_program("simtrain", "sweep", *arguments, "--results", "r.jsonl", "--share", f"{share}/3")
            self.assertIn(f"Share {share} of 3: ", out)
            self.assertIn(f"r.{share}-of-3.jsonl", out)
        files = [f"r.{share}-of-3.jsonl" for share in range(3)]
        points = [self.settled(name) for name in files]
        self.assertEqual(sum(map(len, points)), 7)
        self.assertEqual(len(set.union(*points)), 7)
        self.assertEqual(self.merged(*files)[0], expected)
        self.assertEqual(self.merged(*reversed(files), files[0])[0], expected, "order and repetition do not matter")
        (out, document, _), error = self.merged(files[0], files[2], status=1)
        missing = [point for point in json.loads(document)["points"] if "missing" in point.get("error", "")]
        self.assertEqual(len(missing), len(points[1]))
        self.assertIn(f"{len(points[1])} of 7 points are missing", error)
        self.assertIn("missing: no results file has it", " ".join(out.split()))
        self.assertNotIn("one of", error)
        self.run_program("simtrain", "sweep", *arguments, "--results", "r.jsonl", "--share", "1/2")
        _, error = self.merged(files[0], "r.1-of-2.jsonl", status=1)
        self.assertIn("'r.0-of-3.jsonl' is one of 3 shares, 'r.1-of-2.jsonl' one of 2", error)

    def test_mpirun(self):
        arguments = [*SMALL, "--processes", "8", "--batch", "32,64"]
        expected = self.expected(*arguments)
        out, _ = self.run_ranks(3, "simtrain", "sweep", *arguments, "--results", "r.jsonl", "--share", "auto")
        self.assertEqual(sorted(line.split(":")[0] for line in out.splitlines()), [f"Share {i} of 3" for i in range(3)])
        self.assertEqual(self.merged(*(f"r.{i}-of-3.jsonl" for i in range(3)))[0], expected)

    @unittest.skipUnless(shutil.which("parallel"), "no GNU parallel here (Debian's package parallel)")
    def test_gnu_parallel(self):
        """As docs/sweeps.md has it, with a list of one machine, this one; a list of strategies has to survive its shell."""
        arguments = [*SMALL, "--processes", "8", "--grids", "*x4,8x1", "--strategy", "uniform | fc1:1x8; fc*:8x1"]
        expected = self.expected(*arguments)
        self.write("nodes", ":\n")
        self._run(["parallel", "--quote", "--sshloginfile", "nodes", "--jobs", "1", "--workdir", ".", str(programs.BIN / "simtrain"),
                   "sweep", *arguments, "--results", "points.jsonl", "--share", "{}/3", ":::", "0", "1", "2"], 0)
        files = sorted(path.name for path in self.folder.glob("points.*-of-3.jsonl"))
        self.assertEqual(len(files), 3)
        self.assertEqual(self.merged(*files)[0], expected)

    def test_a_job_array(self):
        arguments = [*SMALL, "--processes", "4"]
        expected = self.expected(*arguments)
        for task in (5, 7):
            environment = {**os.environ, **MPI_ENVIRONMENT, "SLURM_ARRAY_TASK_ID": str(task), "SLURM_ARRAY_TASK_MIN": "5",
                           "SLURM_ARRAY_TASK_STEP": "2", "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_PROCID": "0",
                           "SLURM_NTASKS": "1"}
            subprocess.run([programs.BIN / "simtrain", "sweep", *arguments, "--results", "r", "--share", "auto"],
                           cwd=self.folder, env=environment, check=True, capture_output=True)
        self.assertEqual(self.merged("r.0-of-2", "r.1-of-2")[0], expected)

    def test_a_page_where_the_inputs_are_gone_says_so(self):
        network = (programs.BIN.parent / "share" / "simtrain" / "scenarios" / "networks" / "mlp.json").read_text()
        self.write("mine.json", network)
        arguments = ["--platform", "torus:4", "--network", "mine.json", "--processes", "4", "--extrapolate", "--placement", "auto"]
        expected = self.expected(*arguments, "--results", "r.jsonl")
        self.assertEqual(self.merged("r.jsonl")[0], expected)
        self.assertIn(b"chart-timeline", expected[2])
        for change, why in ((lambda: self.write("mine.json", network.replace("512", "256")), "has other contents now"),
                            ((self.folder / "mine.json").unlink, "mine.json")):
            change()
            (out, document, page), _ = self.merged("r.jsonl")
            self.assertEqual((out, document), expected[:2])
            self.assertNotIn(b"chart-timeline", page)
            self.assertIn("What its ranks do is not known here: ", page.decode())
            self.assertIn(why, page.decode())

    def test_merge_refuses(self):
        self.run_program("simtrain", "sweep", *SMALL, "--processes", "4", "--results", "a")
        self.run_program("simtrain", "sweep", *SMALL, "--processes", "4", "--batch", "64", "--results", "b")
        self.write("c", "something\n")
        self.write("d", "")
        first = self.lines("a")
        changed = json.loads(first[1])
        changed["result"]["seed"] = 7
        self.write("e", "\n".join([first[0], first[1].replace('"iterations":1', '"iterations":2'), ""]))
        self.write("f", first[0] + "\n{\"point\": nul}\n")
        self.write("g", first[0] + "\n{\"point\":99,\"skipped\":true}\n")
        self.run_program("simtrain", "sweep", *SMALL, "--processes", "4", "--prune", "--results", "h")
        for arguments, *parts in (([], "results files"), (["none"], "none", "cannot be read"), (["a", "b"], "b", "--batch", "'a'"),
                                  (["a", "c"], "'c'", "none of"), (["d"], "'d'", "empty"), (["a", "--colour", "red"], "--colour"),
                                  (["a", "e"], "'e'"), (["f"], "'f', line 2", "not what simtrain sweep wrote", "it is no JSON"),
                                  (["g"], "'g', line 2", "key 'point'"), (["a", "h"], "'h'", "--prune is given there and not in 'a'")):
            with self.subTest(arguments=arguments):
                self.refuse("simtrain", ["merge", *arguments], *parts, leaves=list("abcdefgh"))


class Names(SweepTest):
    def test_hostile_names(self):
        network = json.loads((programs.BIN.parent / "share" / "simtrain" / "scenarios" / "networks" / "mlp.json").read_text())
        names = ["<script>alert(1)<", "two\nlines", "$(touch broken)", "; touch broken", "'\"", "\x1b[31mred"]
        for name in names:
            network["name"] = name + "/script>" if name.startswith("<") else name
            (self.folder / f"net {name}").write_text(json.dumps(network))
        files = [f"net {name}" for name in names]
        out, _, found = self.sweep("--platform", "torus:4", "--grids", "2x2", "--extrapolate", "--results", "r.jsonl", "--csv",
                                   "s.csv", *itertools.chain(*(["--network", name] for name in files)))
        self.assertEqual([point["network"] for point in found["points"]], files)
        self.assertEqual([point["result"]["job"]["network"] for point in found["points"]],
                         [name + "/script>" if name.startswith("<") else name for name in names])
        self.assertNotIn("\x1b", out)
        self.assertFalse((self.folder / "broken").exists())
        with open(self.folder / "s.csv", newline="", encoding="utf-8") as file:
            self.assertEqual(sorted(row["network"] for row in csv.DictReader(file)),
                             sorted(name.replace("\n", " ").replace("\x1b", " ") for name in files))
        again, error, _ = self.sweep("--platform", "torus:4", "--grids", "2x2", "--extrapolate", "--results", "r.jsonl",
                                     *itertools.chain(*(["--network", name] for name in files)))
        self.assertEqual(again, out)
        self.assertIn("6 of 6", error)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
