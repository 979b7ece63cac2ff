#!/usr/bin/env python3
"""Speed and memory of predictions on one core, beside the naive SMPI program with the same traffic.

Prints a table: each case several times, median with its range, peak resident memory (the largest of all runs), the
ratio to the naive program, and whether the case keeps within its bars. A bar that is not met is a finding, not an
error: the exit status is 1 only when a program fails. Needs programs that are built: ./dev bench does all of it.
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
import time

MIB = 1 << 20
# Peak of the naive program at 32x8 grew by this much per sample of the batch (3.3 GiB at 128, 6.6 at 256, 13.3 at 512):
# at 2048 it would need 53 GiB.
NAIVE_BYTES_PER_SAMPLE = 27 * MIB
NAIVE_BATCHES = (2048, 1024, 512, 256, 128)
NAIVE_GRID = (32, 8)
NAIVE_PLATFORM = "torus.xml"


@dataclasses.dataclass
class Case:
    grid: tuple
    platform: str
    collectives: str
    batch: int
    runs: int
    most_seconds: float = 0  # the bars; 0: none
    most_mib: float = 0


# Of the naive program over this one, at the same grid and batch.
LEAST_RATIO, LEAST_MEMORY_RATIO = 50, 100


@dataclasses.dataclass
class Measured:
    seconds: list  # wall clock, of each run
    cpu_seconds: list  # what of them the program had the core
    peak_bytes: int  # the largest of all runs
    messages: int = 0  # of one iteration; 0: not known


def fail(text):
    sys.exit(f"speed.py: error: {text}")


def run_once(command):
    """Wall-clock and CPU seconds and peak resident bytes of the command and the processes that it waits for."""
    with tempfile.TemporaryFile() as output:
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            output.seek(0)
            sys.stderr.buffer.write(output.read()[-4000:])
            fail(f"exit status {process.returncode} of: {' '.join(map(str, command))}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def repeat(what, runs, command):
    seconds, cpu_seconds, peaks = [], [], []
    for run in range(runs):
        print(f"{what}: run {run + 1} of {runs}", file=sys.stderr)
        elapsed, cpu, peak = run_once(command)
        seconds.append(elapsed)
        cpu_seconds.append(cpu)
        peaks.append(peak)
    return Measured(seconds, cpu_seconds, max(peaks))


def grid_text(grid):
    return f"{grid[0]}x{grid[1]}"


def measure_simtrain(build, folder, case):
    result_file = folder / "result.json"
    command = [build / "bin" / "simtrain", "--platform", case.platform, "--grid", grid_text(case.grid),
               "--collectives", case.collectives, "--batch", str(case.batch), "--json", result_file]
    measured = repeat(f"simtrain {grid_text(case.grid)} {case.collectives}, batch {case.batch}", case.runs, command)
    layers = json.loads(result_file.read_text())["layers"]
    collectives = ("all_gather", "reduce_data", "reduce_weights")
    measured.messages = round(sum(layer[name]["messages"] for layer in layers for name in collectives))
    return measured


def measure_naive(build, batch, runs):
    ranks = NAIVE_GRID[0] * NAIVE_GRID[1]
    # As simtrain does: the selector that it calls "mpi", and no real time of this machine in the simulated time.
    command = ["smpirun", "-np", str(ranks), "-platform", build / "share" / "simtrain" / "platforms" / NAIVE_PLATFORM,
               "--cfg=smpi/coll-selector:ompi", "--cfg=smpi/simulate-computation:no", "--log=root.thresh:warning",
               build / "bench" / "naive_smpi", grid_text(NAIVE_GRID), str(batch)]
    return repeat(f"naive {grid_text(NAIVE_GRID)}, batch {batch} (minutes)", runs, command)


def memory_bytes(key):
    for line in pathlib.Path("/proc/meminfo").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    return 0


def naive_batch(asked):
    """The batch to run the naive program with: the one asked for, or the largest that fits; 0 for none."""
    if asked == "0":
        return 0
    batches = NAIVE_BATCHES if asked == "auto" else (int(asked),)
    available = memory_bytes("MemAvailable")
    for batch in batches:
        if batch * NAIVE_BYTES_PER_SAMPLE <= 0.85 * available:
            return batch
    print(f"naive: skipped, batch {batches[-1]} needs about {batches[-1] * NAIVE_BYTES_PER_SAMPLE / 2**30:.1f} GiB; "
          f"{available / 2**30:.1f} GiB are available", file=sys.stderr)
    return 0


def ratio_text(naive, measured):
    median = statistics.median(naive.seconds) / statistics.median(measured.seconds)
    least = min(naive.seconds) / max(measured.seconds)
    most = max(naive.seconds) / min(measured.seconds)
    memory = naive.peak_bytes / measured.peak_bytes
    met = median >= LEAST_RATIO and memory >= LEAST_MEMORY_RATIO
    return (f"{median:.0f} ({least:.0f}..{most:.0f}); memory {memory:.0f}; >= {LEAST_RATIO} and {LEAST_MEMORY_RATIO}: "
            f"{'met' if met else 'NOT MET'}")


def bar_text(case, measured):
    if not case.most_seconds:
        return "-"
    met = statistics.median(measured.seconds) <= case.most_seconds and measured.peak_bytes <= case.most_mib * MIB
    return f"<= {case.most_seconds:g} s, {case.most_mib:g} MiB: {'met' if met else 'NOT MET'}"


def row(name, grid, batch, measured, ratio, bar):
    seconds = measured.seconds
    return (name, grid_text(grid), str(grid[0] * grid[1]), str(batch),
            f"{measured.messages:,}".replace(",", " ") if measured.messages else "-", str(len(seconds)),
            f"{statistics.median(seconds):.2f} ({min(seconds):.2f}..{max(seconds):.2f})",
            f"{statistics.median(measured.cpu_seconds):.2f}", f"{measured.peak_bytes / MIB:.0f}", ratio, bar)


def print_table(rows):
    head = ("program", "grid", "ranks", "batch", "messages", "runs", "seconds, median (range)", "CPU s",
            "peak MiB", "naive / this", "bars")
    widths = [max(len(line[i]) for line in (head, *rows)) for i in range(len(head))]
    for line in (head, tuple("-" * width for width in widths), *rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


def print_machine(core, load):
    cpu = "unknown CPU"
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            cpu = line.split(":", 1)[1].strip()
            break
    now = datetime.datetime.now(datetime.timezone.utc)
    print(f"\n{cpu}, {os.cpu_count()} cores, pinned to core {core}; {memory_bytes('MemTotal') / 2**30:.0f} GiB; "
          f"Linux {os.uname().release}; load average before: {load:.1f}; {now:%Y-%m-%d %H:%M} UTC")


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=root / "build" / "release", help="build folder")
    parser.add_argument("--runs", type=int, default=5, help="runs of each simtrain case (default 5)")
    parser.add_argument("--large", action="store_true", help="also 128x128 = 16 384 ranks (minutes)")
    parser.add_argument("--naive-batch", default="auto", metavar="N",
                        help="batch of the naive program; 0: do not run it; auto: the largest that memory holds")
    parser.add_argument("--naive-runs", type=int, default=1, help="runs of the naive program (default 1)")
    options = parser.parse_args()
    if not options.naive_batch.isdigit() and options.naive_batch != "auto":
        parser.error(f"--naive-batch: '{options.naive_batch}'; expected a number or auto")
    if options.runs < 1 or options.naive_runs < 1:
        parser.error("--runs and --naive-runs: expected at least 1")

    for program in ("bin/simtrain", "bench/naive_smpi"):
        if not (options.build / program).is_file():
            fail(f"no program '{options.build / program}'; ./dev bench builds it")

    load = os.getloadavg()[0]
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    batch = naive_batch(options.naive_batch)

    cases = [Case(NAIVE_GRID, NAIVE_PLATFORM, "ring", 2048, options.runs, most_seconds=5, most_mib=100)]
    if batch not in (0, 2048):
        cases.append(Case(NAIVE_GRID, NAIVE_PLATFORM, "ring", batch, options.runs))
    if batch:  # ring: as many messages as the naive program's library sends; auto: what a user gets
        cases.append(Case(NAIVE_GRID, NAIVE_PLATFORM, "auto", batch, options.runs))
    cases.append(Case((64, 64), "torus:16x16x16", "rabenseifner", 2048, options.runs, most_seconds=30, most_mib=150))
    if options.large:
        cases.append(Case((128, 128), "torus:32x32x16", "rabenseifner", 2048, 1, most_seconds=300, most_mib=600))

    with tempfile.TemporaryDirectory() as folder:
        measured = [measure_simtrain(options.build, pathlib.Path(folder), case) for case in cases]
    naive = measure_naive(options.build, batch, options.naive_runs) if batch else None

    rows = []
    for case, result in zip(cases, measured):
        comparable = naive and (case.grid, case.batch) == (NAIVE_GRID, batch)
        rows.append(row(f"simtrain {case.collectives}", case.grid, case.batch, result,
                        ratio_text(naive, result) if comparable else "-", bar_text(case, result)))
    if naive:
        rows.append(row("naive", NAIVE_GRID, batch, naive, "1", "-"))
    print_table(rows)
    print("messages: of one iteration. CPU s: median; less than seconds where other programs took the core.\n"
          "naive / this: seconds (range), then memory, at the same grid and batch.")
    if batch not in (0, 2048):
        print(f"naive at batch {batch}: at 2048 it would need about {2048 * NAIVE_BYTES_PER_SAMPLE / 2**30:.0f} GiB.")
    print_machine(core, load)


if __name__ == "__main__":
    main()
