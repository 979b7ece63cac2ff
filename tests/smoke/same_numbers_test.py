"""Are the losses of `simtrain --numerics real` those of `mpirun mpitrain`, to the last bit? On every grid of up to 8
ranks, with every collective algorithm of ours, for a convolutional, a residual and a batch-normalised network."""
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
            with self.subTest(network=network, grid=f"{rows}x{columns}", collectives=collectives, gather=gather):
                job = [*JOB, "--network", network + ".json", "--batch", batch, "--grid", f"{rows}x{columns}",
                       "--collectives", collectives, "--gather", gather]
                self.run_ranks(rows * columns, "mpitrain", *job, "--json", "native.json")
                native = json.loads((self.folder / "native.json").read_text())["losses"]
                simulated = self.result(*job, "--platform", "torus:4x2", "--numerics", "real", "--extrapolate")["losses"]
                self.assertEqual(len(set(native)), ITERATIONS)  # it trains: no two are alike
                self.assertEqual(native, simulated)

    def test_convolutions(self):
        self.compare("small-cnn", 9, GRIDS)

    def test_joins_and_dropout(self):
        self.compare("joins", 10, GRIDS)

    def test_batch_normalisation(self):
        self.compare("small-resnet", 8, [(ranks, 1) for ranks in range(1, 9)])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
