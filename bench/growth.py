#!/usr/bin/env python3
"""How time and memory of a prediction grow with the ranks: one AlexNet iteration, batch 2048, on a 3-D torus of as many
hosts, on a square grid (or nearly), with every message and with merged rounds.

Prints a table in Markdown; --plot FILE.svg draws it (gnuplot). Needs programs that are built: ./dev bench growth.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

from speed import MIB, fail, print_machine, run_once

# ranks: torus, grid
SIZES = {64: ("4x4x4", "8x8"), 256: ("8x8x4", "16x16"), 1024: ("16x8x8", "32x32"), 4096: ("16x16x16", "64x64"),
         16384: ("32x32x16", "128x128"), 65536: ("64x32x32", "256x256")}
# How a series is simulated, and the largest size of it that is measured unless --largest asks for more.
SERIES = {"messages": (["--collectives", "rabenseifner", "--detail", "messages"], 16384),
          "merged": (["--collectives", "ring", "--detail", "merged"], 65536)}


def measure(build, ranks, series):
    torus, grid = SIZES[ranks]
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result.json"
        command = [build / "bin" / "simtrain", "--platform", f"torus:{torus}", "--grid", grid, "--json", result,
                   *SERIES[series][0]]
        _, cpu_s, peak = run_once(command)
        layers = json.loads(result.read_text())["layers"]
    messages = round(sum(layer[name]["messages"] for layer in layers
                         for name in ("all_gather", "reduce_data", "reduce_weights")))
    return {"ranks": ranks, "detail": series, "torus": torus, "grid": grid, "messages": messages, "cpu_s": cpu_s,
            "peak_mib": peak / MIB}


def thousands(number):
    return f"{number:,}".replace(",", " ")


def print_table(rows):
    print("| ranks | `simtrain` | detail | messages | CPU s | peak MiB |\n|---|---|---|---|---|---|")
    for row in rows:
        collectives = SERIES[row["detail"]][0][1]
        print(f"| {thousands(row['ranks'])} | `--platform torus:{row['torus']} --grid {row['grid']} --collectives "
              f"{collectives}` | {row['detail']} | {thousands(row['messages'])} | {row['cpu_s']:.2f} | "
              f"{thousands(round(row['peak_mib']))} |")


def draw(rows, path):
    data = ""
    for series in SERIES:
        data += f"${series} << EOD\n"
        data += "".join(f"{r['ranks']} {r['cpu_s']:.3f} {r['peak_mib']:.1f}\n" for r in rows if r["detail"] == series)
        data += "EOD\n"
    script = data + f"""
set terminal svg size 720,420 font 'sans,12' background 'white'
set output '{path.name}'
set logscale xy
set xrange [45:90000]
set xlabel 'ranks'
set xtics (64, 256, '1 024' 1024, '4 096' 4096, '16 384' 16384, '65 536' 65536)
set ylabel 'CPU seconds'
set y2label 'peak MiB'
set logscale y2
set y2tics
set ytics nomirror
set key top left
set grid
plot $messages using 1:2 with linespoints lt 1 pt 7 title 'every message, s', \\
     $merged using 1:2 with linespoints lt 2 pt 7 title 'merged, s', \\
     $messages using 1:3 axes x1y2 with linespoints lt 1 dt 2 pt 6 title 'every message, MiB', \\
     $merged using 1:3 axes x1y2 with linespoints lt 2 dt 2 pt 6 title 'merged, MiB'
"""
    try:
        subprocess.run(["gnuplot"], input=script, text=True, check=True, cwd=path.parent)
    except (OSError, subprocess.CalledProcessError) as error:
        fail(f"gnuplot (Debian's gnuplot-nox) could not draw '{path}': {error}")


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=root / "build" / "release", help="build folder")
    parser.add_argument("--largest", type=int, choices=SIZES, help="ranks of the largest (default: 16384 with every "
                        "message, 65536 merged; every message of 65536 takes a quarter of an hour)")
    parser.add_argument("--plot", type=pathlib.Path, metavar="FILE.svg", help="draw it")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    rows = [measure(options.build, ranks, series) for series, (_, usual) in SERIES.items() for ranks in SIZES
            if ranks <= (options.largest or usual)]
    print_table(rows)
    if options.plot:
        draw(rows, options.plot.resolve())
    print_machine(core, load)


if __name__ == "__main__":
    main()
