"""simtrain help and doctor, completion, manual pages: do the examples run, and does what is said hold?"""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import unittest

import programs
from programs import ProgramTest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
TOPICS = sorted(path.stem for path in (SOURCE / "docs/help").iterdir())


class Help(ProgramTest):
    def test_topics(self):
        out, _ = self.run_program("simtrain", "help")
        for topic in TOPICS:
            self.assertIn(f"  {topic} ", out)
            text, _ = self.run_program("simtrain", "help", topic)
            self.assertEqual(text, (SOURCE / "docs/help" / (topic + ".txt")).read_text())
            for line in text.splitlines():  # commands are for copying, whole
                self.assertLessEqual(len(line), 130 if line.startswith("  simtrain ") else 100)
        self.refuse("simtrain", ["help", "platfroms"], "did you mean 'platforms'")
        self.refuse("simtrain", ["help", "platforms", "results"], "one topic")

    def test_examples_run(self):
        for topic in TOPICS:
            if topic in ("calibration", "native"):  # other tests have their programs
                continue
            for line in (SOURCE / "docs/help" / (topic + ".txt")).read_text().splitlines():
                if not line.startswith("  simtrain "):
                    continue
                with self.subTest(topic=topic, line=line):
                    if "--svg" in line and shutil.which("dot") is None:
                        continue
                    self.run_program(*shlex.split(line))

    def test_doctor(self):
        out, error = self.run_program("simtrain", "doctor")
        platforms = programs.BIN.parent / "share" / "simtrain" / "platforms"
        self.assertRegex(out, rf"(?m)^  platforms +{len(list(platforms.iterdir()))} files$")
        for part in ("SimGrid", "BLAS", "mpirun", "simulation", "native run", "agree to the last bit", "All is well."):
            self.assertIn(part, out)
        self.assertEqual(error, "")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_doctor_finds_what_is_missing(self):
        environment = {**os.environ, "SIMTRAIN_DATA": str(self.folder), "PATH": str(self.folder)}
        done = subprocess.run([str(programs.BIN / "simtrain"), "doctor"], env=environment, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        for part in ("MISSING: expected files", "MISSING: for native runs (Debian package openmpi-bin)",
                     "Something is missing"):
            self.assertIn(part, " ".join(done.stdout.split()))

    def complete(self, *words):
        script = (f'source {shlex.quote(str(SOURCE / "completions/simtrain.bash"))}; COMP_WORDS=({shlex.join(words)}); '
                  'COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _simtrain; printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True, text=True, check=True,
                              env={**os.environ, "PATH": f"{programs.BIN}:{os.environ['PATH']}"})
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_completion(self):
        self.assertEqual(self.complete("simtrain", "fl"), ["flip"])
        self.assertEqual(self.complete("simtrain", "flip", "ba"), ["bandwidth", "batch"])
        self.assertEqual(self.complete("simtrain", "--platform", "fat"), ["fat-tree.xml"])
        self.assertEqual(self.complete("simtrain", "--network", "alex"), ["alexnet"])
        self.assertIn("--placement", self.complete("simtrain", "--pl"))
        self.assertEqual(self.complete("simtrain", "collective", "all-reduce", "--by"), ["--bytes"])
        self.assertEqual(self.complete("calibrate", "ker"), ["kernels"])

    def test_manual_pages(self):
        for program in ("simtrain", "mpitrain", "calibrate"):
            page = (programs.BIN.parent / "share/man/man1" / (program + ".1")).read_text()
            self.assertIn(f".TH {program.upper()}", page.upper())
            self.assertIn("kernels" if program == "calibrate" else "platform" if program == "simtrain" else "grid", page.lower())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
