"""What is trained natively and predicted: jobs, in groups of which each asks which of its grids is the fastest."""

import dataclasses

from ethernet import Network

NETWORKS = {"mlp": 128, "lenet": 32}  # and their batch sizes: messages of 1 KiB to 2 MiB, little computing


def grids(ranks):
    return [f"{rows}x{ranks // rows}" for rows in range(1, ranks + 1) if ranks % rows == 0]


@dataclasses.dataclass(frozen=True)
class Job:
    cluster: str  # of CLUSTERS
    network: str
    ranks: int
    grid: str
    collectives: str = "ring"
    strategy: str = "uniform"
    overlap: str = "none"

    @property
    def batch(self):
        return NETWORKS[self.network]

    @property
    def group(self):
        """Jobs that differ by their grid only."""
        kind = [self.collectives] + [word for word in (self.strategy, self.overlap) if word not in ("uniform", "none")]
        if self.overlap != "none":
            kind[-1] = f"overlap {self.overlap}"
        return f"{self.cluster}, {self.network}, {self.ranks} ranks, {', '.join(kind)}"

    @property
    def name(self):
        return f"{self.group}, {self.grid}"

    @property
    def options(self):
        # A second core for each rank, which other ways of progress want, is not there.
        progress = ["--progress", "polling"] if self.overlap != "none" else []
        return ["--network", self.network, "--batch", str(self.batch), "--grid", self.grid, "--collectives", self.collectives,
                "--strategy", self.strategy, "--overlap", self.overlap, *progress]

    def beside(self, other):
        """Whether the two differ by the strategy (or overlap) only."""
        return dataclasses.replace(self, strategy="", overlap="") == dataclasses.replace(other, strategy="", overlap="")


def clusters(ranks):
    """By name; those whose name begins with "star" have the bars."""
    return {"star 100 Mbit/s": Network(ranks, 100), "star 500 Mbit/s": Network(ranks, 500),
            "star 50 Mbit/s": Network(ranks, 50),  # what two cores carry of 16 hosts
            "two switches, trunk 2:1": Network(ranks, 100, trunk_mbit=100 * ranks // 4),
            "star 100 Mbit/s, a slow host": Network(ranks, 100, slow_host=ranks - 1)}


def group(cluster, network, ranks, **choices):
    jobs = [Job(cluster, network, ranks, grid, **choices) for grid in grids(ranks)]
    # On 1xP these strategies are uniform.
    return jobs[1:] if choices.get("strategy") == "conv-batch" else jobs


def all_jobs():
    jobs = []
    for ranks in (4, 8):
        for collectives in ("ring", "rabenseifner", "recursive-doubling", "mpi"):
            jobs += group("star 100 Mbit/s", "mlp", ranks, collectives=collectives)
        for strategy in ("uniform", "conv-batch", "domain"):
            jobs += group("star 100 Mbit/s", "lenet", ranks, strategy=strategy)
        for network in NETWORKS:
            jobs += group("star 100 Mbit/s", network, ranks, overlap="gradients")
        for collectives in ("ring", "rabenseifner"):
            jobs += group("star 500 Mbit/s", "mlp", ranks, collectives=collectives)
        for strategy in ("uniform", "conv-batch"):
            jobs += group("star 500 Mbit/s", "lenet", ranks, strategy=strategy)
        jobs += group("star 100 Mbit/s, a slow host", "mlp", ranks)
    for collectives in ("ring", "rabenseifner"):
        jobs += group("two switches, trunk 2:1", "mlp", 8, collectives=collectives)
    return sorted(jobs, key=lambda job: job.cluster != "star 100 Mbit/s") + group("star 50 Mbit/s", "mlp", 16)


def quick_jobs():
    return group("star 100 Mbit/s", "mlp", 4) + group("star 100 Mbit/s", "lenet", 4, strategy="domain")
