"""The experiments of Gholami et al., arXiv 1712.04432: their panels as data, and simtrain's word on each."""

import concurrent.futures
import dataclasses
import json
import math
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
IMAGES = 1_200_000  # of an epoch
LATENCY_S, BANDWIDTH_BPS = 2e-6, 6e9  # alpha, 1/beta
NETWORK_OPTIONS = ("--latency", "2us", "--bandwidth", "6GBps")
WORD_BYTES = 4
# Schedules of grids are priced up to so many messages a panel: some seconds.
MOST_PRICED = 30_000_000
# Grids that send more messages are simulated only where the figure names them, and the one of least exact cost;
# 600 000 take 10 to 20 s.
MOST_SIMULATED = 600_000
# The figures are of communication alone: computing is made so fast that simulated time is that of messages.
NO_COMPUTING = ("--compute-scale", "1000000", "--extrapolate")
PROFILE = "xeon-openblas-0.3.21-skylakex"
FIGURES = (4, 6, 7, 8, 9, 10)


def say(text):
    print(f"reproduce.py: {text}", file=sys.stderr, flush=True)


def fail(text):
    sys.exit(f"reproduce.py: error: {text}")


@dataclasses.dataclass
class Panel:
    """What a figure shows for one number of processes; speed-ups are over `baseline`, a grid."""
    processes: int
    batch: int
    baseline: str
    best_grid: str
    speed_up: float
    communication_speed_up: float  # None: not printed
    compute_s_per_epoch: float

    @property
    def compute_s(self):
        return self.compute_s_per_epoch * self.batch / IMAGES

    def total_s(self, communication_s):
        return self.compute_s + communication_s


def data_of(figure):
    return json.loads((HERE / f"figure-{figure}.json").read_text())


def panels_of(figure):
    return [Panel(**panel) for panel in data_of(figure)["panels"]]


def scenario_of(figure):
    """The keys of figure-N.ini that all its panels share."""
    lines = (HERE / f"figure-{figure}.ini").read_text().splitlines()
    pairs = dict(map(str.strip, line.split("=", 1)) for line in lines if line and not line.startswith("#"))
    return {key: value for key, value in pairs.items() if key not in ("platform", "batch", "grid")}


def options_of(scenario):
    return [word for key, value in scenario.items() for word in (f"--{key}", value)]


class Simtrain:
    """The program, and what it has been asked already: figures share panels."""

    def __init__(self, build):
        self.program = build / "bin" / "simtrain"
        if not self.program.exists():
            fail(f"no {self.program}; build it: ./dev build, or name a build folder: --build")
        self.answers = {}

    def run(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            fail(f"exit status {done.returncode} of: simtrain {' '.join(map(str, arguments))}\n{done.stderr}")
        return done.stdout

    def json(self, *arguments):
        if arguments not in self.answers:
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "answer.json"
                self.run(*arguments, "--json", path)
                self.answers[arguments] = json.loads(path.read_text())
        return self.answers[arguments]

    def cost(self, panel, scenario, *options):
        return self.json("cost", "--processes", panel.processes, "--batch", panel.batch, *NETWORK_OPTIONS,
                         "--most-messages", MOST_PRICED, *options_of(scenario), *options)

    def simulated(self, panel, scenario, grid, *options):
        hosts = f"crossbar:{panel.processes},bandwidth=6GBps,latency=2us"
        platform = "alpha-beta" if panel.processes <= 512 else hosts
        return self.json("--platform", platform, "--batch", panel.batch, "--grid", grid, *options_of(scenario),
                         *(options or NO_COMPUTING))

    def overlaps(self):
        """Whether this version of the program has --overlap."""
        return "--overlap" in self.run("--help")


@dataclasses.dataclass
class Row:
    """One grid of a panel: seconds of communication an iteration by each way; None: impossible or too many messages."""
    grid: str
    formula_s: float
    exact_s: float
    formula_parts: dict
    exact_parts: dict
    messages: float
    simulated_s: float = None
    detail: str = None

    def seconds(self, way):
        return getattr(self, f"{way}_s")


WAYS = ("formula", "exact", "simulated")


class Findings:
    """A panel with the three ways' prices of its grids, cheapest by formula first."""

    def __init__(self, panel, rows):
        self.panel = panel
        self.rows = sorted((row for row in rows if row.formula_s is not None), key=lambda row: row.formula_s)

    def at(self, grid):
        return next((row for row in self.rows if row.grid == grid), None)

    def best(self, way):
        priced = [row for row in self.rows if row.seconds(way) is not None]
        return min(priced, key=lambda row: row.seconds(way), default=None)

    def priced_all(self, way):
        return all(row.seconds(way) is not None for row in self.rows)

    def speed_up(self, way, row):
        """Of communication over the baseline; None where either has no price."""
        base = self.at(self.panel.baseline)
        if row is None or row.seconds(way) is None or base.seconds(way) is None:
            return None
        return base.seconds(way) / row.seconds(way)

    def total_speed_up(self, way, row):
        base = self.at(self.panel.baseline)
        if row is None or row.seconds(way) is None or base.seconds(way) is None:
            return None
        return self.panel.total_s(base.seconds(way)) / self.panel.total_s(row.seconds(way))

    def behind(self, way):
        """By how much the printed grid's communication is longer than that of the best."""
        printed, best = self.at(self.panel.best_grid), self.best(way)
        if printed is None or printed.seconds(way) is None or best is None:
            return None
        return printed.seconds(way) / best.seconds(way) - 1


def priced(simtrain, panel, scenario):
    """Formula as printed, d before pooling ((9) with layers in strips), and the exact cost of the plan's messages."""
    table = simtrain.cost(panel, scenario)
    return Findings(panel, [Row(f"{grid['grid_rows']}x{grid['grid_columns']}", grid["formula_8_before_pooling_s"],
                                grid["schedule_s"], grid["formula_8_before_pooling_parts_s"], grid["schedule_parts_s"],
                                grid["messages"]) for grid in table["grids"]])


def simulate(simtrain, all_findings, scenario, jobs):
    """Fills in simulated_s, the largest jobs first, `jobs` at a time."""
    work = []
    for found in all_findings:
        named = (found.panel.baseline, found.panel.best_grid, found.best("exact").grid)
        work += [(found.panel, row) for row in found.rows
                 if row.messages and (row.messages <= MOST_SIMULATED or row.grid in named)]
    work.sort(key=lambda item: -item[1].messages)

    def one(item):
        panel, row = item
        say(f"simulating P = {panel.processes}, {row.grid}: {row.messages:.0f} messages")
        result = simtrain.simulated(panel, scenario, row.grid)
        row.simulated_s, row.detail = result["iteration_s"], result["job"]["detail"]

    with concurrent.futures.ThreadPoolExecutor(jobs) as workers:
        list(workers.map(one, work))


@dataclasses.dataclass
class Sums:
    """Of the network's layers with weights, what formula (8) depends on."""
    layers: int
    other_d: float  # of the fully connected layers
    convolution_weights: float
    other_weights: float
    convolution_d: dict  # by name of the reading


# How a convolution's d_i might be read. The third is the number of filters, with weights that are all-reduced whole.
# The last is no size of the network's, but what figures 6 and 8 ask for (docs/gholami2018.md).
READINGS = ("d before pooling", "d after pooling", "d = filters", "sum of d = 70 000")


def sums_of(simtrain, panel, scenario):
    network = json.loads((HERE.parent / "networks" / f"{scenario['network']}.json").read_text())
    filters = {layer.get("name"): layer.get("filters") for layer in network["layers"]}
    layers = simtrain.cost(panel, scenario)["layers"]
    convolutions = [layer for layer in layers if filters[layer["name"]]]
    others = [layer for layer in layers if not filters[layer["name"]]]
    return Sums(len(layers), sum(layer["d_before_pooling"] for layer in others),
                sum(layer["weights"] for layer in convolutions), sum(layer["weights"] for layer in others),
                dict(zip(READINGS, (sum(layer["d_before_pooling"] for layer in convolutions),
                                    sum(layer["d_after_pooling"] for layer in convolutions),
                                    sum(filters[layer["name"]] for layer in convolutions), 70_000))))


def formula_8(sums, reading, batch, rows, columns):
    """Formula (8) with one grid for all layers, in seconds: gathers and all-reduces of data, all-reduces of weights."""
    beta = WORD_BYTES / BANDWIDTH_BPS
    steps_s = [LATENCY_S * sums.layers * math.ceil(math.log2(n)) for n in (rows, columns)]
    d = sums.convolution_d[reading] + sums.other_d
    share = sums.other_weights / rows + sums.convolution_weights / (1 if reading == "d = filters" else rows)
    return (3 * (steps_s[0] + beta * batch / columns * (rows - 1) / rows * d),
            2 * (steps_s[1] + beta * (columns - 1) / columns * share))


def grids_of(processes):
    return [(rows, processes // rows) for rows in range(1, processes + 1) if processes % rows == 0]


def rows_by_reading(sums, reading, panel):
    """The panel's findings as formula (8) has them with this reading."""
    rows = []
    for grid in grids_of(panel.processes):
        data_s, weights_s = formula_8(sums, reading, panel.batch, *grid)
        rows.append(Row(f"{grid[0]}x{grid[1]}", data_s + weights_s, None, {"reduce_weights": weights_s}, None, None))
    return Findings(panel, rows)


# Figure 8: behind which part of computing the all-reduces of weights may hide. Backward are two of three products.
HIDING = {"all computing": 1, "backward": 2 / 3}


def overlapped_s(compute_s, communication_s, weights_s, part):
    """An iteration whose all-reduces of weights take place beside `part` of its computing, all else one by one."""
    return communication_s - weights_s + compute_s * (1 - part) + max(compute_s * part, weights_s)


def simulated_overlap(simtrain, panel, scenario, grid):
    """The same simulated: the profile's kernels, scaled so that computing takes as long as the paper's bar."""
    computed = simtrain.cost(panel, scenario, "--profile", PROFILE)["grids"]
    mean_s = next(one["computing"]["mean_s"] for one in computed if f"{one['grid_rows']}x{one['grid_columns']}" == grid)
    return simtrain.simulated(panel, scenario, grid, "--overlap", "gradients", "--compute-scale",
                              f"{mean_s / panel.compute_s:.6g}")["iteration_s"]
