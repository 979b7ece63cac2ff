"""How the smoke tests run the programs: as a user would, from an empty folder."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path(sys.argv.pop(1)).resolve()  # build/.../bin
MPI_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "HWLOC_COMPONENTS": "-gl",  # no display on localhost (tests/CMakeLists.txt)
}


# So that documents are the same to the last byte: passport.made tells when they were made.
DATE = {"SOURCE_DATE_EPOCH": "1764512482"}  # 2025-11-30T14:21:22Z


class ProgramTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, program, *arguments, status=0):
        """stdout and stderr of BIN/program; fails unless it exits with `status`."""
        return self._run([str(BIN / program), *map(str, arguments)], status)

    def run_ranks(self, ranks, program, *arguments, status=0, timeout=300):
        command = ["mpirun", "-n", str(ranks), "--oversubscribe", str(BIN / program), *map(str, arguments)]
        return self._run(command, status, timeout)

    def _run(self, command, status, timeout=300):
        done = subprocess.run(command, cwd=self.folder, env={**os.environ, **MPI_ENVIRONMENT, **DATE},
                              capture_output=True, text=True, timeout=timeout, check=False)
        text = f"{' '.join(command)}\nstdout: {done.stdout}\nstderr: {done.stderr}"
        self.assertEqual(done.returncode, status, text)
        return done.stdout, done.stderr

    def refuse(self, program, arguments, *parts, leaves=()):
        """The program exits with 2, one line on stderr that holds all `parts`, and leaves no file but `leaves`."""
        out, error = self.run_program(program, *arguments, status=2)
        self.assertEqual(out, "")
        self.assertEqual(error.count("\n"), 1, error)
        for part in parts:
            self.assertIn(part, error)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), sorted(leaves))

    def result(self, *arguments):
        """The JSON that simtrain writes for these arguments, without the passport."""
        path = self.folder / "result.json"
        self.run_program("simtrain", *arguments, "--json", path)
        result = json.loads(path.read_text())
        del result["passport"]
        return result

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name
