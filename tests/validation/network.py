#!/usr/bin/env python3
"""Predictions beside native runs on a real, slow network of this machine: namespaces as hosts, shaped links as cables.

For every cluster: measures messages between its hosts and kernels on this machine, predicts every job from these alone,
then trains it natively, a rank on each host, and prints the table. As root; leaves nothing behind but --folder.

    ./dev validate network --folder results      all jobs, about half an hour
    ./dev validate network --quick               a few jobs, some minutes
    ./dev validate network --folder results --reuse     predict and compare only; all is in the folder

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
NATIVE_S = 4.0  # of every round of a job, about
LEAST_ITERATIONS, MOST_ITERATIONS = 8, 60
REPLICAS = 40
# Above 64 KiB Open MPI asks the receiver first, over the connection that carries data the other way: of two that exchange
# large messages one waits for the other, and mostly both take twice as long. Larger than any message here, this limit has
# every message sent at once. docs/validation.md has figures with and without.
TUNED = {"btl_tcp_eager_limit": str(4 << 20), "btl_tcp_rndv_eager_limit": str(4 << 20)}


def say(text):
    print(f"validate: {text}", file=sys.stderr, flush=True)


def fail(text):
    sys.exit(f"validate: error: {text}")


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
    unfinished.write_text(json.dumps(value, indent=1))
    unfinished.replace(path)


class Validation:
    def __init__(self, options, folder):
        self.bin = options.build / "bin"
        self.options = options
        self.folder = folder
        self.mpi_settings = {} if options.mpi_defaults else TUNED

    # ---- calibration ----

    def kernels(self, jobs):
        """Kernels with all cores busy, the shapes of these jobs among them."""
        path = self.folder / "kernels.json"
        if not path.exists() and not self.options.reuse:
            say(f"measuring kernels, {self.options.kernel_budget} minutes")
            networks = sorted({f"{job.network}:{job.batch}" for job in jobs})
            run([self.bin / "calibrate", "kernels", "--loaded", "--budget", self.options.kernel_budget, "--output", path,
                 *(word for network in networks for word in ("--network", network)),
                 *(word for grid in sorted({job.grid for job in jobs}) for word in ("--grid", grid))])
        return json.loads(path.read_text())

    def profile(self, rate_mbit, ranks, kernels):
        """Of the kernels, and the messages of so many hosts on one switch."""
        path = self.folder / f"profile-{rate_mbit}-{ranks}.json"
        if path.exists() or self.options.reuse:
            return path
        say(f"{ranks} hosts, {rate_mbit} Mbit/s: measuring messages, {self.options.message_budget} minutes")
        unfinished = path.with_suffix(".measuring")
        unfinished.write_text(json.dumps(kernels))
        with ethernet.Ethernet(ethernet.Network(ranks, rate_mbit), self.mpi_settings) as hosts:
            checked(hosts.mpirun(ranks, [self.bin / "calibrate", "network", "--loaded", "--budget", self.options.message_budget,
                                         "--largest", "2MiB", "--add-to", unfinished]), "calibrate network")
        unfinished.replace(path)
        return path

    # ---- one job ----

    def predict(self, job, network, profile):
        path = self.folder / f"{file_name(job.name)}-predicted.json"
        cores = len(os.sched_getaffinity(0))
        progress = ["--progress", "polling"] if job.overlap != "none" else []
        run([self.bin / "simtrain", *platform(network, profile), *job.options, "--profile", profile, "--network-model",
             "calibrated", "--compute-scale", min(1, cores / job.ranks), *progress, "--replicas", REPLICAS, "--json", path])
        return json.loads(path.read_text())

    def train(self, job, hosts, number, iterations):
        path = self.folder / f"{file_name(job.name)}-native-{number}.json"
        if not path.exists() and not self.options.reuse:
            unfinished = path.with_suffix(".training")
            checked(hosts.mpirun(job.ranks, [self.bin / "mpitrain", *job.options, "--iterations", iterations, "--warm-up", 2,
                                             "--json", unfinished]), f"mpitrain, {job.name}")
            unfinished.replace(path)
        return json.loads(path.read_text())

    # ---- all of them ----

    def cluster(self, name, ranks, jobs, kernels):
        network = job_list.clusters(ranks)[name]
        results = []
        profile = self.profile(network.rate_mbit, ranks, kernels)
        with ethernet.Ethernet(network, self.mpi_settings) as hosts:
            predictions = [self.predict(job, network, profile) for job in jobs]
            natives = {job: [] for job in jobs}
            for number in range(1, self.options.rounds + 1):
                say(f"{name}, {ranks} hosts: {len(jobs)} jobs, round {number} of {self.options.rounds}")
                for job, prediction in zip(jobs, predictions):
                    iterations = round(NATIVE_S / prediction["iteration"]["median_s"])
                    iterations = min(MOST_ITERATIONS, max(LEAST_ITERATIONS, iterations))
                    natives[job].append(self.train(job, hosts, number, iterations))
        for job, prediction in zip(jobs, predictions):
            results.append(table.figures(job, prediction, natives[job]))
        return results

    def run(self, jobs):
        kernels = self.kernels(jobs)
        results = []
        for name, ranks in sorted({(job.cluster, job.ranks) for job in jobs}):
            results += self.cluster(name, ranks, [job for job in jobs if (job.cluster, job.ranks) == (name, ranks)], kernels)
            write_json(self.folder / "results.json", {"machine": table.machine(kernels), "jobs": results})
        return self.folder / "results.json"


def platform(network, profile):
    """Of the calibration alone, and of what the cables are said to be in proportion to each other."""
    place = json.loads(profile.read_text())["network"]["remote"]
    bandwidth, latency = place["bandwidth_Bps"], place["latency_s"]
    cable = f"bandwidth={bandwidth:.9g}Bps,latency={latency / 2:.9g}s"
    if network.trunk_mbit:
        trunk = bandwidth * network.trunk_mbit / network.rate_mbit
        return ["--platform", f"leaf-spine:2x{network.hosts // 2},spines=1,{cable},up-bandwidth={trunk:.9g}Bps,up-latency=0s"]
    words = ["--platform", f"ethernet:{network.hosts},{cable}"]
    if network.slow_host >= 0:
        words += ["--degrade-link", f"host * of host {network.slow_host}=0.5"]
    return words


def read_options():
    parser = argparse.ArgumentParser(prog="./dev validate network", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release", help="build folder")
    parser.add_argument("--folder", type=pathlib.Path, help="where measurements are kept (default: nowhere)")
    parser.add_argument("--rounds", type=int, default=2, help="native runs of every job (default 2)")
    parser.add_argument("--kernel-budget", type=float, default=2, help="minutes for the kernels (default 2)")
    parser.add_argument("--message-budget", type=float, default=3, help="minutes for the messages of each cluster (default 3)")
    parser.add_argument("--only", default="", help="jobs with this text in their name")
    parser.add_argument("--mpi-defaults", action="store_true", help="Open MPI as it is: large messages by rendezvous")
    parser.add_argument("--quick", action="store_true", help="a few jobs, one round")
    parser.add_argument("--reuse", action="store_true", help="measure nothing: all is in --folder")
    return parser.parse_args()


def main():
    options = read_options()
    if (reason := ethernet.missing()) and not os.environ.get(ethernet.SANDBOX):
        fail(f"{reason}. What works anywhere: ./dev validate node, one and two ranks through this machine's memory")
    ethernet.enter_sandbox()
    jobs = job_list.quick_jobs() if options.quick else job_list.all_jobs()
    jobs = [job for job in jobs if options.only in job.name]
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.folder or pathlib.Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        table.show(Validation(options, folder).run(jobs))


if __name__ == "__main__":
    main()
