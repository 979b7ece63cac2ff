#!/usr/bin/env python3
"""Predictions beside native runs on this machine: jobs of one and two ranks, every layer and phase.

One rank tests the prices of computing alone; two ranks on two cores add messages through the node's memory, and two
cores that share it. Nothing is fitted to the jobs: the profile comes from kernels and messages measured alone.

    ./dev validate node                                5 rounds of 5 minutes
    ./dev validate node --rounds 1 --profile node.json with a profile of this machine
    ./dev validate node --quick                        two small jobs, one round

A shared machine is a third slower in one quarter of an hour than in the next, so profile and jobs take turns: each round
measures a profile, trains every job and predicts it with that profile. Tables show medians over rounds, errors those of
the rounds, not of the medians. Prints Markdown (docs/validation.md holds the tables of one machine); --folder keeps
profiles and results.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from table import COMPUTING, NAMES, PHASES, machine, ms, percent

ROOT = pathlib.Path(__file__).resolve().parents[2]
MPI_ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
BAR = 0.15  # a phase that is off by more is marked
LEAST_SHARE = 0.01  # of the iteration: phases below are in the sums only


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


def measure_messages(build, folder, reuse):
    """Once: messages through this machine's memory drift little, and the largest ones take long."""
    profile = folder / "messages.json"
    if not reuse:
        say("measuring messages (2 minutes)")
        profile.unlink(missing_ok=True)
        run([build / "bin/calibrate", "kernels", "--budget", 0.05, "--repetitions", 1, "--network", "mlp", "--grid", "1x1",
             "--output", profile])
        run(["mpirun", "-n", "2", build / "bin/calibrate", "network", "--budget", 2, "--largest", "128MiB", "--add-to",
             profile])
    return json.loads(profile.read_text())["network"]


def calibrate(build, folder, jobs, number, minutes, reuse):
    """A round's profile: kernels alone and on all cores at once, as these jobs meet them, and the messages."""
    profile = folder / f"profile-{number}.json"
    if not reuse:
        networks = sorted({f"{job.network}:{job.batch}" for job in jobs})
        run([build / "bin/calibrate", "kernels", "--budget", minutes, "--repetitions", 31, "--loaded", "--output", profile,
             "--seed", number, *(word for network in networks for word in ("--network", network)),
             *(word for grid in sorted({job.grid for job in jobs}) for word in ("--grid", grid))])
        value = json.loads(profile.read_text())
        value["network"] = measure_messages(build, folder, True)
        profile.write_text(json.dumps(value, indent=1))
    return profile


def simulate(build, folder, profile, job, number):
    path = folder / f"{job.network}-{job.grid}-simulated-{number}.json"
    run([build / "bin/simtrain", "--platform", "node:2", "--network-model", "calibrated", "--profile", profile,
         "--json", path, *job.options])
    return json.loads(path.read_text())


def train(build, folder, job, number, reuse):
    path = folder / f"{job.network}-{job.grid}-native-{number}.json"
    if not reuse:
        run(["mpirun", "-n", job.ranks, "--bind-to", "core", build / "bin/mpitrain", "--iterations", job.iterations,
             "--warm-up", 3, "--json", path, *job.options])
    return json.loads(path.read_text())


def phase_s(result, layer, phase):
    """The middle iteration's seconds, mean over ranks; None where the layer has no such phase."""
    entry = result["layers"][layer]["phases"][phase]
    return None if entry is None else entry["median_s"]


def iteration_s(result):
    return result["iteration"]["median_s"]


class Rounds:
    """A figure of each round: native and predicted seconds."""

    def __init__(self, pairs):
        self.pairs = list(pairs)
        self.native_s = statistics.median(native for native, _ in self.pairs)
        self.simulated_s = statistics.median(simulated for _, simulated in self.pairs)

    @property
    def errors(self):
        return sorted(simulated / native - 1 if native > 0 else 0.0 for native, simulated in self.pairs)

    @property
    def error(self):
        return statistics.median(self.errors)


class Comparison:
    def __init__(self, job, natives, simulations):
        self.job = job
        rounds = list(zip(natives, simulations))
        self.iteration = Rounds((iteration_s(native), iteration_s(simulated)) for native, simulated in rounds)
        self.phases = {}  # (layer, phase): Rounds
        for i, layer in enumerate(simulations[0]["layers"]):
            for phase in PHASES:
                pairs = [(phase_s(native, i, phase), phase_s(simulated, i, phase)) for native, simulated in rounds]
                if not any(None in one for one in pairs):
                    self.phases[layer["name"], phase] = Rounds(pairs)

    def sum_of(self, phases):
        chosen = [rounds.pairs for (_, phase), rounds in self.phases.items() if phase in phases]
        return Rounds((sum(pairs[number][0] for pairs in chosen), sum(pairs[number][1] for pairs in chosen))
                      for number in range(len(self.iteration.pairs)))

    def telling(self):
        least_s = LEAST_SHARE * self.iteration.native_s
        return {key: rounds for key, rounds in self.phases.items() if max(rounds.native_s, rounds.simulated_s) >= least_s}


def spread(rounds):
    """The median error, and that of the least and the most favourable round."""
    if len(rounds.pairs) == 1:
        return percent(rounds.error)
    return f"{percent(rounds.error)} ({100 * rounds.errors[0]:+.0f} to {100 * rounds.errors[-1]:+.0f})"


def pair(rounds):
    if rounds.native_s == rounds.simulated_s == 0:
        return "–"
    return f"{ms(rounds.native_s)} / {ms(rounds.simulated_s)} ({percent(rounds.error)})"


def print_jobs(comparisons):
    print("| job | native iteration, ms (of each round) | predicted, ms | error (of rounds) | computing, native / predicted "
          "| communication, native / predicted |")
    print("|---|---|---|---|---|---|")
    for one in comparisons:
        natives = ", ".join(ms(native) for native, _ in one.iteration.pairs)
        print(f"| {one.job.name} | {ms(one.iteration.native_s)} ({natives}) | {ms(one.iteration.simulated_s)} | "
              f"{spread(one.iteration)} | {pair(one.sum_of(COMPUTING))} | "
              f"{pair(one.sum_of([phase for phase in PHASES if phase not in COMPUTING]))} |")


def print_phases(one):
    print(f"\n**{one.job.name}**\n")
    print("| layer | phase | native, ms | predicted, ms | error (of rounds) | share of iteration |")
    print("|---|---|---|---|---|---|")
    for (layer, phase), rounds in one.telling().items():
        bold = "**" if abs(rounds.error) > BAR else ""
        print(f"| {layer} | {NAMES.get(phase, phase)} | {ms(rounds.native_s)} | {ms(rounds.simulated_s)} | "
              f"{bold}{spread(rounds)}{bold} | {100 * rounds.native_s / one.iteration.native_s:.1f} % |")


def main():
    parser = argparse.ArgumentParser(prog="./dev validate node", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release", help="build folder")
    parser.add_argument("--profile", type=pathlib.Path, help="profile of this machine for all rounds, a file or a shipped one's name (default: measure)")
    parser.add_argument("--folder", type=pathlib.Path, help="where profiles and results are kept (default: nowhere)")
    parser.add_argument("--budget", type=float, default=3, help="minutes of each profile's kernels (default 3)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of profile and jobs (default 5)")
    parser.add_argument("--reuse", action="store_true", help="all is in --folder: predict and compare only")
    parser.add_argument("--quick", action="store_true", help="two small jobs, one round")
    options = parser.parse_args()
    if options.profile and not options.profile.is_file():  # a shipped one by its name
        shipped = options.build / "share/simtrain/profiles" / f"{options.profile}.json"
        if not shipped.is_file():
            parser.error(f"--profile: '{options.profile}' is neither a file nor the name of a shipped profile")
        options.profile = shipped
    jobs = jobs_of(options.quick)
    rounds = 1 if options.quick else options.rounds
    budget = 0.5 if options.quick else options.budget
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        natives = {job.name: [] for job in jobs}
        simulations = {job.name: [] for job in jobs}
        if not options.profile:
            measure_messages(options.build, folder, options.reuse)
        for number in range(1, rounds + 1):
            say(f"round {number} of {rounds}")
            profile = options.profile or calibrate(options.build, folder, jobs, number, budget, options.reuse)
            for job in jobs:
                natives[job.name].append(train(options.build, folder, job, number, options.reuse))
                simulations[job.name].append(simulate(options.build, folder, profile, job, number))
        comparisons = [Comparison(job, natives[job.name], simulations[job.name]) for job in jobs]
        print_jobs(comparisons)
        for one in comparisons:
            print_phases(one)
        errors = [abs(rounds.error) for one in comparisons for rounds in one.telling().values()]
        off = sum(error > BAR for error in errors)
        iterations = [abs(one.iteration.error) for one in comparisons]
        print(f"\n{len(errors)} phases of at least {100 * LEAST_SHARE:.0f} % of their iteration, {off} of them off by more "
              f"than {100 * BAR:.0f} % (bold). Iterations: mean absolute error {100 * statistics.mean(iterations):.1f} %, "
              f"worst {100 * max(iterations):.1f} %.")
        print(f"\n{machine(json.loads(profile.read_text()))}")


if __name__ == "__main__":
    main()
