"""Does mpitrain learn real images from the command line? LeNet on Fashion-MNIST, from the files of Debian's package."""
import json
import os
import pathlib
import sys
import unittest

from programs import ProgramTest

FOLDER = pathlib.Path("/usr/share/datasets/fashion-mnist")  # dpkg -L dataset-fashion-mnist
JOB = ["--network", "lenet", "--data", FOLDER, "--epochs", 1, "--learning-rate", "0.02"]

# On a processor newer than itself OpenBLAS takes its oldest kernels, which are right but slow.
if " avx2 " in pathlib.Path("/proc/cpuinfo").read_text():
    os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")


@unittest.skipUnless((FOLDER / "train-images-idx3-ubyte.gz").exists(),
                     f"no Fashion-MNIST in {FOLDER}: install the Debian package dataset-fashion-mnist (./dev setup)")
class RealData(ProgramTest):
    def train(self, grid):
        self.run_ranks(2, "mpitrain", *JOB, "--grid", grid, "--json", "result.json", timeout=1200)
        result = json.loads((self.folder / "result.json").read_text())
        self.assertEqual(len(result["losses"]), 60000 // 64)
        return result["losses"], result["epochs"][0]

    def test_two_grids_learn_the_same(self):
        (split_batch, a), (split_model, b) = self.train("1x2"), self.train("2x1")
        for epoch in (a, b):
            self.assertGreaterEqual(epoch["test_accuracy"], 0.88)
        # The grids add in different orders. At first the losses differ by the rounding of float, 2^-24 = 6e-8, of a few
        # numbers; then inputs of a ReLU or a maximum that are equal but for rounding send a gradient another way on one
        # grid than on the other, and training amplifies that up to a hundredfold in ten iterations (seen: 1e-7 in the
        # first 20, 5e-4 after 40), until single batches differ by some percent. What is learned stays the same: seen
        # were 0.6 % of the mean loss and 0.05 points of accuracy.
        for x, y in zip(split_batch[:10], split_model[:10]):
            self.assertAlmostEqual(x / y, 1, delta=1e-5)
        self.assertAlmostEqual(a["loss"] / b["loss"], 1, delta=0.02)
        self.assertAlmostEqual(a["test_accuracy"], b["test_accuracy"], delta=0.015)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
