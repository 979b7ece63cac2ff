#!/usr/bin/env python3
"""Predictions beside native runs on this machine: jobs of one and two ranks, every layer and phase.

One rank tests the prices of computing alone; two ranks on two cores add messages through the node's memory, and two
cores that share it. Nothing is fitted to the jobs: the profile comes from kernels and messages measured alone.

    ./dev validate                                measures a profile first (10 minutes), then the jobs (10 minutes)
    ./dev validate --profile node.json            with a profile of this machine
    ./dev validate --quick                        two small jobs, each once

Prints Markdown (docs/validation.md holds the tables of one machine); --folder keeps profile and results.
"""

import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MPI_ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
BAR = 0.15  # a phase that is off by more is marked
LEAST_SHARE = 0.01  # of the iteration: phases below are in the sums only
PHASES = ("forward", "backward", "update", "all_gather", "reduce_data", "reduce_weights")
NAMES = {"all_gather": "all-gather Y", "reduce_data": "all-reduce dX", "reduce_weights": "all-reduce dW"}
COMPUTING = PHASES[:3]


@dataclasses.dataclass
class Job:
    network: str
    batch: int
    grid: str
    iterations: int

    @property
    def ranks(self):
        rows, columns = map(int, self.grid.split("x"))
        return rows * columns

    @property
    def name(self):
        return f"{self.network}, batch {self.batch}, {self.grid}"

    @property
    def options(self):
        return ["--network", self.network, "--batch", str(self.batch), "--grid", self.grid]


def jobs_of(quick):
    if quick:
        return [Job("mlp", 256, "1x1", 40), Job("lenet", 64, "1x2", 20)]
    sizes = (("alexnet", 32, 8), ("lenet", 256, 20), ("mlp", 256, 100))
    return [Job(network, batch, grid, iterations)
            for grid in ("1x1", "1x2", "2x1") for network, batch, iterations in sizes]


def say(text):
    print(f"one_node.py: {text}", file=sys.stderr, flush=True)


def run(command, status=0):
    done = subprocess.run([str(word) for word in command], env={**os.environ, **MPI_ENVIRONMENT}, capture_output=True,
                          text=True, check=False)
    if done.returncode != status:
        sys.exit(f"one_node.py: error: exit status {done.returncode} of: {' '.join(map(str, command))}\n{done.stderr}")
    return done


def calibrate(build, folder, jobs, minutes):
    """A profile of this machine: kernels alone and on all cores at once, messages through its memory."""
    profile = folder / "profile.json"
    networks = sorted({f"{job.network}:{job.batch}" for job in jobs})
    say(f"measuring kernels ({2 * minutes} minutes)")
    run([build / "bin/calibrate", "kernels", "--budget", 2 * minutes, "--repetitions", 101, "--loaded", "--output", profile,
         *(word for network in networks for word in ("--network", network)),
         *(word for grid in ("1x1", "1x2", "2x1") for word in ("--grid", grid))])
    say(f"measuring messages ({minutes} minutes)")
    run(["mpirun", "-n", "2", build / "bin/calibrate", "network", "--budget", minutes, "--add-to", profile])
    return profile


def simulate(build, folder, profile, job):
    path = folder / f"{job.network}-{job.grid}-simulated.json"
    run([build / "bin/simtrain", "--platform", "node:2", "--network-model", "calibrated", "--profile", profile,
         "--json", path, *job.options])
    return json.loads(path.read_text())


def train(build, folder, job, repeat, reuse):
    path = folder / f"{job.network}-{job.grid}-native-{repeat}.json"
    if reuse:
        return json.loads(path.read_text())
    run(["mpirun", "-n", job.ranks, "--bind-to", "core", build / "bin/mpitrain", "--iterations", job.iterations,
         "--warm-up", 3, "--json", path, *job.options])
    return json.loads(path.read_text())


def phase_s(result, layer, phase):
    """The middle iteration's seconds, mean over ranks; None where the layer has no such phase."""
    entry = result["layers"][layer]["phases"][phase]
    return None if entry is None else entry["median_s"]


def iteration_s(result):
    return result["iteration"]["median_s"]


class Comparison:
    def __init__(self, job, natives, simulated):
        self.job = job
        self.native_s = statistics.median(map(iteration_s, natives))
        self.least_s = min(result["iteration"]["p5_s"] for result in natives)
        self.most_s = max(result["iteration"]["p95_s"] for result in natives)
        self.simulated_s = iteration_s(simulated)
        self.phases = []  # (layer, phase, native, simulated)
        for i, layer in enumerate(simulated["layers"]):
            for phase in PHASES:
                predicted = phase_s(simulated, i, phase)
                measured = [phase_s(result, i, phase) for result in natives]
                if predicted is None or None in measured:
                    continue
                self.phases.append((layer["name"], phase, statistics.median(measured), predicted))

    def sums(self, phases):
        chosen = [entry for entry in self.phases if entry[1] in phases]
        return sum(entry[2] for entry in chosen), sum(entry[3] for entry in chosen)

    def telling(self):
        return [entry for entry in self.phases if max(entry[2], entry[3]) >= LEAST_SHARE * self.native_s]


def ms(seconds):
    return f"{1e3 * seconds:.3g}" if seconds < 0.1 else f"{1e3 * seconds:.0f}"


def error(native, simulated):
    return simulated / native - 1 if native > 0 else 0.0


def percent(value):
    return f"{100 * value:+.1f} %"


def pair(native, simulated):
    return "–" if native == simulated == 0 else f"{ms(native)} / {ms(simulated)} ({percent(error(native, simulated))})"


def print_jobs(comparisons):
    print("| job | native iteration, ms: median (5th–95th percentile) | predicted | error | computing, native / predicted "
          "| communication, native / predicted |")
    print("|---|---|---|---|---|---|")
    for one in comparisons:
        print(f"| {one.job.name} | {ms(one.native_s)} ({ms(one.least_s)}–{ms(one.most_s)}) | {ms(one.simulated_s)} | "
              f"{percent(error(one.native_s, one.simulated_s))} | {pair(*one.sums(COMPUTING))} | "
              f"{pair(*one.sums([phase for phase in PHASES if phase not in COMPUTING]))} |")


def print_phases(one):
    print(f"\n**{one.job.name}**\n")
    print("| layer | phase | native, ms | predicted, ms | error | share of iteration |")
    print("|---|---|---|---|---|---|")
    for layer, phase, native, simulated in one.telling():
        off = error(native, simulated)
        print(f"| {layer} | {NAMES.get(phase, phase)} | {ms(native)} | {ms(simulated)} | "
              f"{'**' if abs(off) > BAR else ''}{percent(off)}{'**' if abs(off) > BAR else ''} | "
              f"{100 * native / one.native_s:.1f} % |")


def print_machine(profile):
    certificate = json.loads(profile.read_text())["certificate"]
    now = datetime.datetime.now(datetime.timezone.utc)
    print(f"\n{certificate['cpu']}, {os.cpu_count()} cores; {certificate['blas']}, {certificate['blas_core_type']} "
          f"kernels, {certificate['environment'] or 'no BLAS settings'}; Linux {os.uname().release}; "
          f"{now:%Y-%m-%d %H:%M} UTC")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release", help="build folder")
    parser.add_argument("--profile", type=pathlib.Path, help="profile of this machine (default: measure one)")
    parser.add_argument("--folder", type=pathlib.Path, help="where profile and results are kept (default: nowhere)")
    parser.add_argument("--budget", type=float, default=4, help="minutes of each of the three measurements (default 4)")
    parser.add_argument("--repeats", type=int, default=3, help="native runs of each job (default 3)")
    parser.add_argument("--reuse", action="store_true", help="native results are in --folder: predict and compare only")
    parser.add_argument("--quick", action="store_true", help="two small jobs, each once")
    options = parser.parse_args()
    jobs = jobs_of(options.quick)
    repeats = 1 if options.quick else options.repeats
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        profile = options.profile or calibrate(options.build, folder, jobs, options.budget)
        natives = {job.name: [] for job in jobs}
        for repeat in range(1, repeats + 1):  # a disturbance of the machine must not meet all runs of one job
            for job in jobs:
                say(f"native run {repeat} of {repeats}: {job.name}")
                natives[job.name].append(train(options.build, folder, job, repeat, options.reuse))
        comparisons = [Comparison(job, natives[job.name], simulate(options.build, folder, profile, job)) for job in jobs]
        print_jobs(comparisons)
        for one in comparisons:
            print_phases(one)
        telling = [entry for one in comparisons for entry in one.telling()]
        off = sum(abs(error(native, simulated)) > BAR for _, _, native, simulated in telling)
        errors = [abs(error(one.native_s, one.simulated_s)) for one in comparisons]
        print(f"\n{len(telling)} phases of at least {100 * LEAST_SHARE:.0f} % of their iteration, {off} of them off by more "
              f"than {100 * BAR:.0f} % (bold). Iterations: mean absolute error {100 * statistics.mean(errors):.1f} %, "
              f"worst {100 * max(errors):.1f} %.")
        print_machine(profile)


if __name__ == "__main__":
    main()
