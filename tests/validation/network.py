#!/usr/bin/env python3
"""Predictions beside native runs over a real, slow network on this machine: namespaces are hosts, shaped links cables.

Measures kernels and messages between the hosts, predicts every job from these alone, trains it natively with a rank on each
host, and prints the tables (docs/validation.md explains them). As root; leaves nothing behind but --folder.

    ./dev validate network --folder results      all jobs, about an hour
    ./dev validate network --quick               a few jobs, two minutes
    ./dev validate network --folder results --reuse     measure nothing, predict and compare again
    ./dev validate network --show tests/validation/ethernet-2026-12-01.json     tables of a run that is kept

A run that was interrupted goes on where it was with the same --folder.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import ethernet
import jobs as job_list
import table

ROOT = pathlib.Path(__file__).resolve().parents[2]
NATIVE_S = 2.0  # of every round of a job, about
LEAST_ITERATIONS, MOST_ITERATIONS = 8, 60
REPLICAS = 40
LARGEST, LARGEST_QUICK = "2MiB", "512KiB"  # message of these jobs
# Above 64 KiB Open MPI asks the receiver first, over the connection that carries data the other way: of two ranks that
# exchange large messages one mostly waits for the other (docs/validation.md). With a limit above all messages none is asked.
EAGER = {"btl_tcp_eager_limit": str(4 << 20), "btl_tcp_rndv_eager_limit": str(4 << 20)}


def say(text):
    print(f"validate: {text}", file=sys.stderr, flush=True)


def fail(text, status=1):
    say(f"error: {text}")
    sys.exit(status)


def checked(done, what):
    if done.returncode != 0:
        fail(f"exit status {done.returncode} of {what}:\n{done.stdout}{done.stderr}")
    return done


def run(command):
    words = [str(word) for word in command]
    return checked(subprocess.run(words, capture_output=True, text=True, check=False), " ".join(words))


def file_name(text):
    return re.sub("[^A-Za-z0-9]+", "-", text).strip("-")


def write_json(path, value):
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(value, indent=1) + "\n")
    unfinished.replace(path)


class Validation:
    """Everything that is measured or predicted is a file in `folder`, written whole; what is there is not done again."""

    def __init__(self, options, folder):
        self.bin = options.build / "bin"
        self.options = options
        self.folder = folder
        self.mpi_settings = EAGER if options.eager else {}

    def missing(self, path):
        if path.exists():
            return False
        if self.options.reuse:
            fail(f"--reuse: {path} is not there; expected a --folder of a run that was finished", 2)
        return True

    # ---- calibration ----

    def kernels(self, jobs, rate_mbit, ranks, number):
        """Kernels with all cores busy, the shapes of these jobs among them."""
        path = self.folder / f"kernels-{rate_mbit}-{ranks}-{number}.json"
        if self.missing(path):
            say(f"measuring kernels, {self.options.kernel_budget} minutes")
            networks = sorted({f"{job.network}:{job.batch}" for job in jobs})
            run([self.bin / "calibrate", "kernels", "--loaded", "--budget", self.options.kernel_budget, "--output", path,
                 *(word for network in networks for word in ("--network", network)),
                 *(word for grid in sorted({job.grid for job in jobs}) for word in ("--grid", grid))])
        return json.loads(path.read_text())

    def profile(self, jobs, rate_mbit, ranks, number):
        """Of the kernels, and the messages of so many hosts on one switch; for every round anew, just before the first jobs
        that need it, since a machine that others use too is not the same a quarter of an hour later."""
        path = self.folder / f"profile-{rate_mbit}-{ranks}-{number}.json"
        if self.missing(path):
            kernels = self.kernels(jobs, rate_mbit, ranks, number)
            say(f"{ranks} hosts, {rate_mbit} Mbit/s: measuring messages, {self.options.message_budget} minutes")
            unfinished = path.with_suffix(".measuring")
            unfinished.write_text(json.dumps(kernels))
            with ethernet.Ethernet(ethernet.Network(ranks, rate_mbit), self.mpi_settings) as hosts:
                checked(hosts.mpirun(ranks, [self.bin / "calibrate", "network", "--loaded", "--budget",
                                             self.options.message_budget, "--largest", self.options.largest, "--add-to", unfinished]),
                        "calibrate network")
            unfinished.replace(path)
        return path

    # ---- one job ----

    def predict(self, job, network, profile, number):
        path = self.folder / f"{file_name(job.name)}-predicted-{number}.json"
        run([self.bin / "simtrain", *platform(network, profile), *job.options, "--profile", profile, "--network-model",
             "calibrated", *turns(job.ranks), "--extrapolate", "--replicas", REPLICAS, "--json", path])
        return json.loads(path.read_text())

    def train(self, job, hosts, number, iterations):
        path = self.folder / f"{file_name(job.name)}-native-{number}.json"
        if self.missing(path):
            unfinished = path.with_suffix(".training")
            checked(hosts.mpirun(job.ranks, [self.bin / "mpitrain", *job.options, "--iterations", iterations, "--warm-up", 2,
                                             "--json", unfinished]), f"mpitrain, {job.name}")
            unfinished.replace(path)
        return json.loads(path.read_text())

    # ---- all of them ----

    def cluster(self, name, ranks, jobs, all_jobs):
        network = job_list.clusters(ranks)[name]
        alike = [job for job in all_jobs if job.ranks == ranks]
        predictions, natives = {job: [] for job in jobs}, {job: [] for job in jobs}
        for number in range(1, self.options.rounds + 1):
            profile = self.profile(alike, network.rate_mbit, ranks, number)
            for job in jobs:
                predictions[job].append(self.predict(job, network, profile, number))
            say(f"{name}, {ranks} hosts: {len(jobs)} jobs, round {number} of {self.options.rounds}")
            # What is compared follows each other, and every second round goes backwards: a machine that others use too is
            # faster and slower by a tenth from one quarter of an hour to the next.
            compared = sorted(jobs, key=lambda job: (job.network, job.grid, job.collectives))
            with ethernet.Ethernet(network, self.mpi_settings) as hosts:
                for job in compared if number % 2 == 1 else reversed(compared):
                    iterations = round(NATIVE_S / predictions[job][-1]["iteration"]["median_s"])
                    natives[job].append(
                        self.train(job, hosts, number, min(MOST_ITERATIONS, max(LEAST_ITERATIONS, iterations))))
        figures = [table.figures(job, predictions[job], natives[job]) for job in jobs]
        return figures, table.machine(json.loads(profile.read_text()))

    def run(self, jobs):
        results = []
        path = self.folder / "results.json"
        for name, ranks in dict.fromkeys((job.cluster, job.ranks) for job in jobs):
            figures, machine = self.cluster(name, ranks, [job for job in jobs if (job.cluster, job.ranks) == (name, ranks)], jobs)
            results += figures
            write_json(path, {"machine": machine, "jobs": results})
        return path


def turns(ranks):
    """Speeds of ranks that share this machine's cores: in a phase of computing the first ranks are done as if they were alone,
    the next ones when these and they are done. Kernels are shorter than a scheduler's turn."""
    cores = len(os.sched_getaffinity(0))
    return [word for rank in range(cores, ranks) for word in ("--slow-host", f"host-{rank}={1 / (1 + rank // cores):.6g}")]


def platform(network, profile):
    """Of the calibration alone, and of what the cables are said to be in proportion to each other."""
    place = json.loads(profile.read_text())["network"]["remote"]
    bandwidth, latency = place["bandwidth_Bps"], place["latency_s"]
    cable = f"bandwidth={bandwidth:.9g}Bps,latency={latency / 2:.9g}s"
    if network.trunk_mbit:
        trunk = bandwidth * network.trunk_mbit / network.rate_mbit
        return ["--platform", f"leaf-spine:2x{network.hosts // 2},spines=1,{cable},uplink-bandwidth={trunk:.9g}Bps,"
                              "uplink-latency=1ns"]
    words = ["--platform", f"ethernet:{network.hosts},{cable}"]
    if network.slow_host >= 0:
        words += ["--degrade-link", f"host * of host {network.slow_host}=0.5"]
    return words


def read_options():
    parser = argparse.ArgumentParser(prog="./dev validate network", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release", help="build folder")
    parser.add_argument("--folder", type=pathlib.Path, help="where measurements are kept (default: nowhere)")
    parser.add_argument("--rounds", type=int, default=2,
                        help="calibrations, and native runs of every job after each, one after all others' (default 2)")
    parser.add_argument("--kernel-budget", type=float, default=1,
                        help="minutes for the kernels of each number of hosts, rate and round (default 1)")
    parser.add_argument("--message-budget", type=float, default=2.5,
                        help="minutes for the messages of each number of hosts, rate and round (default 2.5)")
    parser.add_argument("--only", default="", help="jobs with this text in their name")
    parser.add_argument("--eager", action="store_true", help="Open MPI with a limit for eager messages above all messages")
    parser.add_argument("--quick", action="store_true", help="a few jobs, half a minute of kernels, one of messages")
    parser.add_argument("--reuse", action="store_true", help="measure nothing: all is in --folder")
    parser.add_argument("--show", type=pathlib.Path, metavar="FILE", help="print the tables of a results.json, and end")
    options = parser.parse_args()
    options.largest = LARGEST
    if options.quick:
        options.kernel_budget, options.message_budget, options.largest, options.rounds = 0.5, 1.0, LARGEST_QUICK, 1
    if options.rounds < 1:
        parser.error(f"--rounds: '{options.rounds}' is not valid; expected 1 or more")
    if options.reuse and not options.folder:
        parser.error("--reuse: needs the --folder of the run")
    return options


def main():
    options = read_options()
    if options.show:
        try:
            table.show(json.loads(options.show.read_text()))
        except (OSError, ValueError, KeyError, TypeError) as error:
            fail(f"--show: '{options.show}' cannot be read ({type(error).__name__}: {error}); expected a results.json", 2)
        return
    jobs = [job for job in (job_list.quick_jobs() if options.quick else job_list.all_jobs()) if options.only in job.name]
    if not jobs:
        fail(f"--only: no job has '{options.only}' in its name; they are named as {job_list.all_jobs()[0].name}", 2)
    if not os.environ.get(ethernet.SANDBOX) and (reason := ethernet.missing()):
        fail(f"{reason}. What works anywhere: ./dev validate node, one and two ranks through this machine's memory", 2)
    ethernet.enter_sandbox()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.folder or pathlib.Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        table.show(json.loads(Validation(options, folder).run(jobs).read_text()))


if __name__ == "__main__":
    main()
