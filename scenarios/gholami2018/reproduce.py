#!/usr/bin/env python3
"""The evaluation of Gholami et al., arXiv 1712.04432, by simtrain: figures 4 and 6 to 10, panel by panel.

Each grid's communication three ways: the formula as printed, the exact alpha-beta cost of the plan's own messages, and
their simulation on a crossbar of 2 us and 6 GB/s. Expected values are the figure-*.json beside this file. Prints
Markdown (docs/gholami2018.md holds the tables). A figure that does not come out is a finding, not an error: the exit
status is 1 only when a program fails. Needs programs that are built: ./dev reproduce gholami2018 does all of it.
"""

import argparse
import concurrent.futures
import dataclasses
import datetime
import json
import os
import pathlib
import sys
import time

sys.dont_write_bytecode = True  # this folder is data, and installed as it is
from experiment import (FIGURES, HERE, HIDING, IMAGES, PROFILE, READINGS, WAYS, Panel, Simtrain,  # noqa: E402
                        data_of, overlapped_s, panels_of, priced, rows_by_reading, say, scenario_of, simulate,
                        simulated_overlap, sums_of)

TITLES = {6: "one grid for all layers", 7: "convolutions on 1xP, fully connected layers on the grid",
          9: "weak scaling, convolutions on 1xP", 10: "more processes than samples, convolutions in strips"}


def ratio(value):
    return "–" if value is None else f"{value:.2f}"


def printed(value):
    return "–" if value is None else f"{value:g}"


def percent(value):
    return "–" if value is None else f"{100 * value:+.1f} %"


def ms(seconds):
    return "–" if seconds is None else f"{1e3 * seconds:.2f}"


def table(head, rows):
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def best_text(found, way):
    best = found.best(way)
    return "–" if best is None else best.grid + ("" if found.priced_all(way) else "*")


def print_summary(all_findings, ways):
    """Best grids; speed-ups of communication, then of the epoch, of each way's own best grid over its own baseline."""
    table(["P", "B", "best grid: paper", *ways, "printed grid behind (formula)"],
          [[str(found.panel.processes), str(found.panel.batch), found.panel.best_grid,
            *(best_text(found, way) for way in ways), percent(found.behind("formula"))] for found in all_findings])
    table(["P", "baseline", "communication: paper", *ways, "formula / paper", "epoch: paper", *ways],
          [[str(found.panel.processes), found.panel.baseline, printed(found.panel.communication_speed_up),
            *(ratio(found.speed_up(way, found.best(way))) for way in ways), percent(off_by(found)),
            printed(found.panel.speed_up),
            *(ratio(found.total_speed_up(way, found.best(way))) for way in ways)] for found in all_findings])


def off_by(found):
    """Of the best grid's communication speed-up by formula, how far it is from the printed one."""
    expected = found.panel.communication_speed_up
    return None if expected is None else found.speed_up("formula", found.best("formula")) / expected - 1


def print_panel(figure, found, ways):
    panel = found.panel
    title = f"Figure {figure}, P = {panel.processes}, B = {panel.batch}"
    print(f"**{title}**: ms an iteration, times less than {panel.baseline}\n")
    cells = []
    for row in found.rows:
        mark = "**" if row.grid == panel.best_grid else ""
        cells.append([f"{mark}{row.grid}{mark}"])
        for way in ways:
            star = "†" if way == "simulated" and row.detail == "merged" else ""
            cells[-1] += [ms(row.seconds(way)) + star, ratio(found.speed_up(way, row))]
    table(["Pr x Pc", *(text for way in ways for text in (f"{way}, ms", "times less"))], cells)


def compare(simtrain, figure, options):
    """The panels of figures 6, 7, 9 and 10; returns findings."""
    scenario = scenario_of(figure)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as workers:
        all_findings = list(workers.map(lambda panel: priced(simtrain, panel, scenario), panels_of(figure)))
    if options.simulation:
        simulate(simtrain, all_findings, scenario, options.jobs)
    ways = WAYS if options.simulation else WAYS[:2]
    print(f"## Figure {figure}: {TITLES[figure]}\n")
    print_summary(all_findings, ways)
    if figure == 6:
        print_readings(simtrain, scenario)
    for found in all_findings:
        print_panel(figure, found, ways)
    return [outcome(found) for found in all_findings]


def outcome(found):
    """Of a panel, for programs."""
    return {"expected": dataclasses.asdict(found.panel),
            "ways": {way: None if found.best(way) is None else
                     {"best_grid": found.best(way).grid,
                      "communication_speed_up": found.speed_up(way, found.best(way)),
                      "speed_up": found.total_speed_up(way, found.best(way)), "printed_grid_behind": found.behind(way)}
                     for way in WAYS},
            "grids": [{"grid": row.grid, **{f"{way}_s": row.seconds(way) for way in WAYS}, "detail": row.detail}
                      for row in found.rows]}


def print_readings(simtrain, scenario):
    """Which sizes of a convolution's output figure 6 follows from."""
    panels = panels_of(6)
    sums = sums_of(simtrain, panels[0], scenario)
    print("Best grids by formula (8), and communication times less than pure batch, by what a convolution's d is taken "
          "for; last, at the printed grid:\n")
    rows = [["printed", "", *(f"{panel.best_grid}, {printed(panel.communication_speed_up)}" for panel in panels)]]
    for reading in READINGS:
        cells = [reading, f"{sums.convolution_d[reading]:,.0f}".replace(",", " ")]
        for panel in panels:
            found = rows_by_reading(sums, reading, panel)
            best, at = found.best("formula"), found.at(panel.best_grid)
            cells.append(f"{best.grid}, {ratio(found.speed_up('formula', best))}; "
                         f"{ratio(found.speed_up('formula', at))}")
        rows.append(cells)
    table(["reading", "sum of d, convolutions", *(f"P = {panel.processes}" for panel in panels)], rows)


def figure_8(simtrain, options):
    """All-reduces of weights' gradients behind computing: iteration by formula and exact cost, each over pure batch."""
    scenario, (panel,) = scenario_of(8), panels_of(8)
    sums = sums_of(simtrain, panel, scenario)
    cases = [(reading, "formula", rows_by_reading(sums, reading, panel)) for reading in READINGS]
    for gather in ("before-pooling", "after-pooling"):
        cases.append((f"exact, gathered {gather}", "exact", priced(simtrain, panel, {**scenario, "gather": gather})))
    print(f"## Figure 8: as figure 6, P = {panel.processes}, the weights' all-reduces hidden behind computing\n")
    print(f"Printed: {panel.best_grid}, {panel.speed_up:g} times faster than pure batch. Best grid, and how many times "
          "faster its iteration is than that of 1xP hidden alike; last, at the printed grid:\n")
    rows, findings = [], []
    for name, way, found in cases:
        cells = [name]
        for part in HIDING:
            seconds = {row.grid: overlapped_s(panel.compute_s, row.seconds(way), row_parts(row, way)["reduce_weights"],
                                              HIDING[part]) for row in found.rows if row.seconds(way) is not None}
            cells.append(best_and_printed(panel, seconds))
            findings.append({"case": name, "hidden_behind": part, "iteration_s": seconds,
                             "best_grid": min(seconds, key=seconds.get)})
        rows.append(cells)
    table(["communication", *(f"hidden behind {part}" for part in HIDING)], rows)
    if options.simulation and simtrain.overlaps():
        # The grid in question, its neighbours, and the baseline.
        seconds = {grid: simulated_overlap(simtrain, panel, scenario, grid)
                   for grid in (panel.baseline, "2x256", panel.best_grid, "8x64")}
        print("Simulated (--overlap gradients, computing scaled to the paper's): "
              f"{best_and_printed(panel, seconds)}.\n")
        findings.append({"case": "simulated", "hidden_behind": "gradients", "iteration_s": seconds,
                         "best_grid": min(seconds, key=seconds.get)})
    return findings


def row_parts(row, way):
    return row.formula_parts if way == "formula" else row.exact_parts


def best_and_printed(panel, seconds):
    best = min(seconds, key=seconds.get)
    base = seconds[panel.baseline]
    return f"{best}, {base / seconds[best]:.2f}; {base / seconds[panel.best_grid]:.2f}"


def figure_4(simtrain):
    """One node by batch size: the paper's KNL, and one core of the shipped profile."""
    print("## Figure 4: one node alone, by batch size\n")
    scenario, rows, findings = scenario_of(4), [], []
    for point in data_of(4)["panels"]:
        panel = Panel(1, point["batch"], "1x1", "1x1", None, None, None)
        computing = simtrain.cost(panel, scenario, "--profile", PROFILE)["grids"][0]["computing"]
        epoch_s = computing["mean_s"] * IMAGES / panel.batch
        findings.append({"batch": panel.batch, "expected_epoch_s": point["epoch_s"], "epoch_s": epoch_s,
                         "gemm_flops_per_s": computing["gemm_flops"] / computing["mean_s"],
                         "extrapolated": computing["extrapolated_s"] / computing["mean_s"]})
    at_256 = next(one for one in findings if one["batch"] == 256)
    for one in findings:
        rows.append([str(one["batch"]), f"{one['expected_epoch_s']:.0f}",
                     ratio(one["expected_epoch_s"] / at_256["expected_epoch_s"]), f"{one['epoch_s']:.0f}",
                     ratio(one["epoch_s"] / at_256["epoch_s"]), f"{one['gemm_flops_per_s'] / 1e9:.1f}",
                     f"{100 * one['extrapolated']:.0f} %"])
    table(["batch", "KNL (paper), s an epoch", "to batch 256", "one core (profile), s an epoch", "to batch 256",
           "Gflop/s", "outside the measured range"], rows)
    return findings


def run(simtrain, options):
    findings = {}
    for figure in options.figure or FIGURES:
        say(f"figure {figure}")
        if figure == 4:
            findings["4"] = figure_4(simtrain)
        elif figure == 8:
            findings["8"] = figure_8(simtrain, options)
        else:
            findings[str(figure)] = compare(simtrain, figure, options)
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parents[1] / "build" / "release",
                        help="build folder, or where simtrain is installed")
    parser.add_argument("--figure", type=int, choices=FIGURES, action="append",
                        help="this one; may be given several times")
    parser.add_argument("--no-simulation", dest="simulation", action="store_false",
                        help="formulas and exact costs only: seconds instead of minutes")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="simulations at a time (default: cores)")
    parser.add_argument("--json", type=pathlib.Path, help="write what was found to this file too")
    options = parser.parse_args()
    start = time.monotonic()
    findings = run(Simtrain(options.build), options)
    print("Bold: the printed best grid. *: of the grids with that figure, since others send too many messages. "
          "†: simulated with rounds that repeat merged.\n")
    now = datetime.datetime.now(datetime.timezone.utc)
    print(f"{now:%Y-%m-%d}, {time.monotonic() - start:.0f} s.")
    if options.json:
        options.json.write_text(json.dumps(findings, indent=1) + "\n")


if __name__ == "__main__":
    main()
