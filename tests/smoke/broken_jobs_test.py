"""What ends an mpitrain job before its time: wrong data, a wrong number of ranks, a rank that dies, a signal. All ranks
end, somebody says why, nothing is half-written."""
import gzip
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import unittest

import programs
from programs import BIN, MPI_ENVIRONMENT, ProgramTest

SECONDS = 60  # a job that hangs is ended then, and the test fails
JOB = ["--batch", "8", "--json", "result.json"]


def idx(dimensions, data, kind=8):
    return (bytes([0, 0, kind, len(dimensions)]) + b"".join(n.to_bytes(4, "big") for n in dimensions) + data)


def images(count, height=28, width=28):
    return idx([count, height, width], bytes(i % 251 for i in range(count * height * width)))


def labels(count):
    return idx([count], bytes(i % 10 for i in range(count)))


def ranks_of(mpirun):
    return [int(pid) for pid in pathlib.Path(f"/proc/{mpirun.pid}/task/{mpirun.pid}/children").read_text().split()]


def running(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


class JobTest(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "data").mkdir()
        for prefix, count in (("train", 32), ("t10k", 16)):
            self.put(f"{prefix}-images-idx3-ubyte", images(count))
            self.put(f"{prefix}-labels-idx1-ubyte", labels(count))

    def put(self, name, content):
        (self.folder / "data" / name).write_bytes(content)

    def expect_nothing_written(self):
        self.assertEqual([path.name for path in self.folder.iterdir()], ["data"])


class WrongInput(JobTest):
    def refuse(self, ranks, arguments, *parts):
        arguments = [*JOB, "--iterations", 2, *arguments]
        out, error = self.run_ranks(ranks, "mpitrain", *arguments, status=2, timeout=SECONDS)
        self.assertEqual(out.count("simtrain"), 0, out)
        self.assertEqual(error.count("mpitrain: error:"), 1, error)
        for part in parts:
            self.assertIn(part, error)
        self.expect_nothing_written()

    def refuse_data(self, numbers_of_ranks, *parts):
        for ranks in numbers_of_ranks:
            with self.subTest(parts=parts, ranks=ranks):
                self.refuse(ranks, ["--network", "mlp", "--grid", f"1x{ranks}", "--data", "data"], "data/", *parts)

    def test_broken_data_files(self):
        good = images(32)
        packed = gzip.compress(good, mtime=0)
        damaged = bytearray(packed)
        damaged[len(damaged) // 2] ^= 0xFF
        wrong_sum = bytearray(packed)
        wrong_sum[-8] ^= 0xFF
        everywhere, pixels, classes = (1, 2, 3), "train-images-idx3-ubyte", "train-labels-idx1-ubyte"
        for ranks, name, content, *parts in (
            (everywhere, pixels, idx([32, 28, 28], good[16:], kind=13), "unsigned bytes"),
            ([1], pixels, good[:-1], "ends after 25087 of the 25088 bytes"),
            ([2], pixels, good[:9], "ends within its header"),
            ([3], pixels, b"", "ends within its header"),
            ([1], pixels, good + b"x", "goes on after"),
            ([2], pixels, idx([2**23, 28, 28], b"few"), "ends after 3 of the 6576668672 bytes"),  # that nobody allocates
            ([3], pixels, images(32, 28, 27), "1x28x27", "1x28x28"),
            ([1], classes, labels(31), "31 labels for 32 images"),
            ([2], "t10k-labels-idx1-ubyte", labels(17), "17 labels for 16 images"),
            (everywhere, classes, idx([32], bytes([3] * 31 + [10])), "label 31 is 10", "0 to 9"),
            ([3], pixels + ".gz", packed[:-200], "corrupt or truncated"),
            (everywhere, pixels + ".gz", bytes(damaged), "corrupt or truncated"),
            ([2], pixels + ".gz", bytes(wrong_sum), "corrupt or truncated"),
        ):
            whole = self.folder / "data" / name.removesuffix(".gz")
            before = whole.read_bytes()
            whole.unlink()
            self.put(name, content)
            self.refuse_data(ranks, name, *parts)
            (self.folder / "data" / name).unlink()
            whole.write_bytes(before)

    def test_missing_data_and_a_network_of_another_shape(self):
        job = ["--grid", "1x2", "--network"]
        self.refuse(2, [*job, "alexnet", "--data", "data"], "train-images-idx3-ubyte", "1x28x28", "3x227x227")
        (self.folder / "data" / "t10k-images-idx3-ubyte").unlink()
        self.refuse(2, [*job, "mlp", "--data", "data"], "'data'", "t10k-images-idx3-ubyte")
        self.refuse(2, [*job, "mlp", "--data", "nowhere"], "'nowhere'", "train-images-idx3-ubyte")

    def test_a_number_of_ranks_that_is_not_the_grid_s(self):
        for ranks, grid in ((1, "1x2"), (3, "2x1"), (3, "2x2"), (2, "1x1")):
            rows, columns = map(int, grid.split("x"))
            with self.subTest(ranks=ranks, grid=grid):
                self.refuse(ranks, ["--network", "mlp", "--grid", grid], f"{grid} needs {rows * columns} ranks", f"mpirun started {ranks}")


    def refuse_together(self, one, other, part):
        """Two ranks, each started with options of its own."""
        command = ["mpirun", "--oversubscribe"]
        for words in (one, other):
            command += ["-n", "1", str(BIN / "mpitrain"), *map(str, words)] + ([":"] if words is one else [])
        _, error = self._run(command, 2, SECONDS)
        self.assertEqual(error.count("mpitrain: error:"), 1, error)
        self.assertIn(part, error)
        self.expect_nothing_written()

    def test_ranks_that_were_asked_for_different_things(self):
        job = [*JOB, "--network", "mlp", "--grid", "1x2"]
        for one, other, part in (
            (job, [*job[:-1], "2x1"], "--grid: rank 1 has '2x1', rank 0 '1x2'"),
            ([*job, "--seed", 3], job, "--seed: rank 1 has '1', rank 0 '3'"),
            (job, [*job, "--epochs", 1], "--epochs: rank 1 has '1', rank 0 nothing"),
            (job, ["--help"], "--help or --version: rank 1 has 'given', rank 0 nothing"),
            ([*job, "--data", "data"], job, "training samples: rank 1 has '60000', rank 0 '32'"),
        ):
            with self.subTest(part=part):
                self.refuse_together(one, other, part)


class Interrupted(JobTest):
    RANKS = 3

    def interrupt(self, act):
        """What mpirun says once `act(mpirun, ranks)` has been done to a job that trains; nothing of it must be left."""
        command = ["mpirun", "-n", str(self.RANKS), "--oversubscribe", str(programs.BIN / "mpitrain"), *JOB,
                   "--grid", "1x3", "--network", "mlp", "--data", "data", "--epochs", "100000"]
        with subprocess.Popen(command, cwd=self.folder, env={**os.environ, **MPI_ENVIRONMENT}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as mpirun:
            watchdog = threading.Timer(SECONDS, mpirun.kill)  # its ranks notice that it is gone, and end
            watchdog.start()
            try:
                said = ""
                while "epoch 2 of" not in said:
                    line = mpirun.stderr.readline()
                    self.assertTrue(line, f"the job ended before it trained: {said}")
                    said += line
                ranks = ranks_of(mpirun)
                self.assertEqual(len(ranks), self.RANKS)
                act(mpirun, ranks)
                out, error = mpirun.communicate()
                self.assertTrue(watchdog.is_alive(), f"the job did not end within {SECONDS} s")
            finally:
                watchdog.cancel()
                mpirun.kill()
        for _ in range(10 * SECONDS):
            left = [pid for pid in ranks if running(pid)]
            if not left:
                break
            time.sleep(0.1)
        self.assertEqual(left, [])
        self.expect_nothing_written()
        self.assertEqual(out, "")
        self.assertGreater(mpirun.returncode, 0)  # it ended by itself
        return error

    def test_a_rank_that_dies_ends_the_job(self):
        for victim in (0, 1):
            with self.subTest(victim=victim):
                error = self.interrupt(lambda _, ranks, v=victim: os.kill(ranks[v], signal.SIGKILL))
                self.assertIn("signal 9 (Killed)", error)

    def test_a_signal_to_mpirun_ends_the_job(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number.name):
                self.interrupt(lambda mpirun, _, n=number: mpirun.send_signal(n))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
