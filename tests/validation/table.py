"""The tables of `./dev validate`: figures of a job out of result files, and Markdown out of figures."""

import datetime
import os
import statistics

PHASES = ("forward", "backward", "update", "all_gather", "reduce_data", "reduce_weights")
COMPUTING = PHASES[:3]
NAMES = {"all_gather": "all-gather Y", "reduce_data": "all-reduce dX", "reduce_weights": "all-reduce dW",
         "exchange": "redistribution, halos", "computing": "computing"}


def machine(kernels):
    certificate = kernels["certificate"]
    now = datetime.datetime.now(datetime.timezone.utc)
    return (f"{certificate['cpu']}, {len(os.sched_getaffinity(0))} cores; {certificate['blas']}, "
            f"{certificate['blas_core_type']} kernels, {certificate['environment'] or 'no BLAS settings'}; "
            f"Linux {os.uname().release}; {now:%Y-%m-%d %H:%M} UTC")


def quantile(values, part):
    ordered = sorted(values)
    place = part * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def phase_seconds(result):
    """By phase: the middle iteration's seconds, mean over ranks, summed over layers."""
    sums = {}
    for layer in result["layers"]:
        for phase, entry in layer["phases"].items():
            if entry is not None:
                name = "computing" if phase in COMPUTING else phase if phase in PHASES else "exchange"
                sums[name] = sums.get(name, 0) + entry["median_s"]
    return sums


def figures(job, predictions, natives):
    """What results.json keeps of a job: of its predictions the mean, each from a calibration of its own."""
    def predicted(seconds):
        return statistics.mean(seconds(prediction) for prediction in predictions)

    predicted_phases = [phase_seconds(prediction) for prediction in predictions]
    seconds = [second for native in natives for second in native["iteration_seconds"]]
    phases = [phase_seconds(native) for native in natives]
    return {"cluster": job.cluster, "group": job.group, "grid": job.grid, "network": job.network, "ranks": job.ranks,
            "collectives": job.collectives, "strategy": job.strategy, "overlap": job.overlap,
            "native_s": statistics.median(seconds), "native_p5_s": quantile(seconds, 0.05),
            "native_p95_s": quantile(seconds, 0.95),
            "native_rounds_s": [statistics.median(native["iteration_seconds"]) for native in natives],
            "native_iterations": len(seconds),
            "predicted_s": predicted(lambda one: one["iteration"]["median_s"]),
            "predicted_p5_s": predicted(lambda one: one["replicas"]["p5_s"]),
            "predicted_p95_s": predicted(lambda one: one["replicas"]["p95_s"]),
            "predicted_rounds_s": [prediction["iteration"]["median_s"] for prediction in predictions],
            "native_phases_s": {name: statistics.median(one.get(name, 0) for one in phases) for name in phases[0]},
            "predicted_phases_s": {name: statistics.mean(one.get(name, 0) for one in predicted_phases)
                                   for name in predicted_phases[0]}}


def error(one):
    return one["predicted_s"] / one["native_s"] - 1


def ms(seconds):
    return f"{1e3 * seconds:.3g}" if seconds < 0.1 else f"{1e3 * seconds:.0f}"


def percent(value):
    return f"{100 * value:+.1f} %"


def inside(one):
    return one["predicted_p5_s"] <= one["native_s"] <= one["predicted_p95_s"]


def print_group(jobs):
    names = [name for name in NAMES if any(name in one["native_phases_s"] for one in jobs)]
    print(f"\n**{jobs[0]['group']}**\n")
    print("| grid | native, ms (5-95 %) | predicted, ms (90 %) | error | "
          + " | ".join(f"{NAMES[name]}, native / predicted" for name in names) + " |")
    print("|---" * (4 + len(names)) + "|")
    for one in jobs:
        cells = []
        for name in names:
            native, predicted = one["native_phases_s"].get(name, 0), one["predicted_phases_s"].get(name, 0)
            cells.append(f"{ms(native)} / {ms(predicted)}" if native or predicted else "–")
        print(f"| {one['grid']} | {ms(one['native_s'])} ({ms(one['native_p5_s'])}-{ms(one['native_p95_s'])}) | "
              f"{ms(one['predicted_s'])} ({ms(one['predicted_p5_s'])}-{ms(one['predicted_p95_s'])}) | {percent(error(one))} | "
              + " | ".join(cells) + " |")
    best, chosen = min(jobs, key=lambda one: one["native_s"]), min(jobs, key=lambda one: one["predicted_s"])
    order = [one["grid"] for one in sorted(jobs, key=lambda one: one["native_s"])]
    predicted = [one["grid"] for one in sorted(jobs, key=lambda one: one["predicted_s"])]
    same = "the same order" if order == predicted else f"predicted {' < '.join(predicted)}"
    print(f"\nNative {' < '.join(order)}; {same}; the predicted best is {percent(chosen['native_s'] / best['native_s'] - 1)} "
          "from the best.")
    return chosen["native_s"] / best["native_s"] - 1


def speed_ups(jobs):
    """(measured, predicted) of one strategy or overlap over another, both as ratio - 1, where measured exceeds 5 %."""
    pairs = []
    alike = ("cluster", "network", "ranks", "grid", "collectives")
    for i, a in enumerate(jobs):
        for b in jobs[:i]:
            if all(a[key] == b[key] for key in alike):
                pairs.append((a["native_s"] / b["native_s"] - 1, a["predicted_s"] / b["predicted_s"] - 1))
    return [pair for pair in pairs if abs(pair[0]) > 0.05]


def show(results):
    jobs = results["jobs"]
    regrets = []
    for group in dict.fromkeys(one["group"] for one in jobs):
        regrets.append(print_group([one for one in jobs if one["group"] == group]))
    print("\n| cluster | jobs | mean absolute error | mean error | worst | native median inside the 90 % interval |\n|---|---|---|---|---|---|")
    for cluster in [*dict.fromkeys(one["cluster"] for one in jobs), "all"]:
        chosen = [one for one in jobs if cluster in ("all", one["cluster"])]
        errors = [error(one) for one in chosen]
        print(f"| {cluster} | {len(chosen)} | {100 * statistics.mean(map(abs, errors)):.1f} % | {percent(statistics.mean(errors))} | "
              f"{percent(max(errors, key=abs))} | {sum(map(inside, chosen))} |")
    pairs = speed_ups(jobs)
    right = sum((native > 0) == (predicted > 0) for native, predicted in pairs)
    print(f"\n{len(regrets)} groups of grids; the predicted best is the best or within 3 % of it in "
          f"{sum(regret <= 0.03 for regret in regrets)}, at worst {percent(max(regrets))} from it. {len(pairs)} pairs of "
          f"strategies that differ by more than 5 %; predicted with the right sign: {right}.")
    print(f"\n{results['machine']}")
