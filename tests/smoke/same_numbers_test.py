"""Are the losses of `simtrain --numerics real` those of `mpirun mpitrain`, to the last bit? On every grid of up to 8
ranks, with every collective algorithm of ours, for a convolutional, a residual and a batch-normalised network, and linear
layers."""
import itertools
import json
import pathlib
import re
import sys
import unittest

from programs import ProgramTest

NETWORKS = pathlib.Path(__file__).resolve().parent.parent / "support" / "small_networks.hpp"
GRIDS = [(rows, ranks // rows) for ranks in range(1, 9) for rows in range(1, ranks + 1) if ranks % rows == 0]
ITERATIONS = 12
JOB = ["--iterations", ITERATIONS - 2, "--warm-up", 2, "--learning-rate", "0.05", "--weight-decay", "0.001",
       "--dropout", "yes", "--seed", 7]


class SameNumbers(ProgramTest):
    def setUp(self):
        super().setUp()
        for text in re.findall(r'R"\((\{.*?\})\)"', NETWORKS.read_text(), re.DOTALL):
            self.write(json.loads(text)["name"] + ".json", text)

    def compare(self, network, batch, grids):
        # 5 algorithms and 2 moments to gather: a grid has one of the 10 pairs, and grids in a row have all of them.
        choices = zip(itertools.cycle(["ring", "recursive-doubling", "rabenseifner", "bruck", "auto"]),
                      itertools.cycle(["after-pooling", "before-pooling"]))
        for (rows, columns), (collectives, gather) in zip(grids, choices):
            self.compare_one(network, batch, (rows, columns), gather, collectives, "uniform")

    def compare_one(self, network, batch, grid, gather, collectives, strategy):
        rows, columns = grid
        with self.subTest(network=network, grid=f"{rows}x{columns}", collectives=collectives, gather=gather,
                          strategy=strategy):
            job = [*JOB, "--network", network + ".json", "--batch", batch, "--grid", f"{rows}x{columns}",
                   "--collectives", collectives, "--gather", gather, "--strategy", strategy]
            self.run_ranks(rows * columns, "mpitrain", *job, "--json", "native.json")
            native = json.loads((self.folder / "native.json").read_text())["losses"]
            simulated = self.result(*job, "--platform", "torus:4x2", "--numerics", "real", "--extrapolate")["losses"]
            self.assertEqual(len(set(native)), ITERATIONS)  # it trains: no two are alike
            self.assertEqual(native, simulated)

    def test_several_grids(self):
        # Convolutions on 1xP; layers in turn on the grid, on it the other way round, and on 1xP and Px1.
        collectives = itertools.cycle(["ring", "recursive-doubling", "rabenseifner", "bruck", "auto"])
        for rows, columns in GRIDS:
            turned, ranks = f"{columns}x{rows}", rows * columns
            mixes = {"small-cnn": ["conv-batch", f"conv1:{turned}; conv2:{ranks}x1; fc3:1x{ranks}"],
                     "joins": [f"b:{turned}; c:1x{ranks}", f"a:1x{ranks}; fc:{ranks}x1; *:{turned}"]}
            for network, strategies in mixes.items():
                for strategy in strategies:
                    self.compare_one(network, 10, (rows, columns), "after-pooling", next(collectives), strategy)

    def test_images_in_strips(self):
        # Images in strips as far as the convolutions' lines and the batch allow, the rest on grids of as many ranks.
        collectives = itertools.cycle(["ring", "recursive-doubling", "rabenseifner", "bruck", "auto"])
        gathers = itertools.cycle(["after-pooling", "before-pooling"])
        cuts = {"tall": (5, ["?:domain:SxC", "a:domain:SxC; c:domain:SxC; ?:CxS", "domain"]),
                "joins": (8, ["?:domain:SxC", "b:domain:SxC; fc:PxI; *:CxS"]),
                "small-cnn": (8, ["conv1:domain:SxC; conv2:CxS", "conv1:1xP; conv2:domain:SxC"])}
        lines = {"tall": 8, "joins": 5, "small-cnn": 3}
        for strips, columns in GRIDS:
            ranks = strips * columns
            for network, (batch, strategies) in cuts.items():
                if strips == 1 or strips > lines[network] or max(strips, columns) > batch:
                    continue
                for strategy in strategies:
                    for letter, number in {"S": strips, "C": columns, "P": ranks, "I": 1}.items():
                        strategy = re.sub(rf"(?<=:|x){letter}(?=x|;|$)", str(number), strategy)
                    self.compare_one(network, batch, (ranks, 1), next(gathers), next(collectives), strategy)

    def test_layers_split_by_columns(self):
        # Pairs, and layers split by columns whose input comes from another grid or is read by others too.
        collectives = itertools.cycle(["ring", "recursive-doubling", "rabenseifner", "bruck", "auto"])
        gathers = itertools.cycle(["after-pooling", "before-pooling"])
        splits = itertools.cycle([("pairs", "pair"), ("small-cnn", "conv*:1xP; fc3:columns:G"),
                                  ("odd-mlp", "fc1:columns:G; fc3:columns:T"), ("small-cnn", "pair"),
                                  ("pairs", "b:columns:G; e:columns:T")])
        for rows, columns in GRIDS:
            for _ in range(0 if rows == 1 else 2):
                network, strategy = next(splits)
                for letter, text in {"G": f"{rows}x{columns}", "T": f"{columns}x{rows}", "1xP": f"1x{rows * columns}"}.items():
                    strategy = strategy.replace(letter, text)
                self.compare_one(network, 9, (rows, columns), next(gathers), next(collectives), strategy)

    def test_convolutions(self):
        self.compare("small-cnn", 9, GRIDS)

    def test_joins_and_dropout(self):
        self.compare("joins", 10, GRIDS)

    def test_batch_normalisation(self):
        self.compare("small-resnet", 8, [(ranks, 1) for ranks in range(1, 9)])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
