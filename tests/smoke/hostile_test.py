"""Streams that are closed, names that are not text, devices in the place of files: a clear line, and nothing lost."""
import json
import os
import subprocess
import unittest

from programs import BIN, DATE, ProgramTest

JOB = ["--platform", "torus:2x2", "--network", "mlp"]
SWEEP = ["sweep", *JOB, "--processes", "4"]


class ClosedStreams(ProgramTest):
    def run_closed(self, closed, *arguments):
        """The exit status with these of the descriptors 0, 1, 2 closed."""
        def close():
            for descriptor in closed:
                os.close(descriptor)
        return subprocess.run([str(BIN / "simtrain"), *arguments], cwd=self.folder, env={**os.environ, **DATE},
                              stdin=None, preexec_fn=close, timeout=60, check=False).returncode

    def test_nothing_is_printed_into_the_files_that_are_written(self):
        def outputs(name):
            return {part: (self.folder / f"{name}.{part}").read_bytes() for part in ("jsonl", "json", "csv", "trace")}

        def run_both(closed, name):
            return [self.run_closed(closed, *SWEEP, "--jobs", "1", "--results", f"{name}.jsonl", "--csv", f"{name}.csv"),
                    self.run_closed(closed, *JOB, "--grid", "2x2", "--json", f"{name}.json", "--trace", f"{name}.trace")]

        def without_arguments(parts):
            result = json.loads(parts["json"])
            del result["passport"]["arguments"]
            return {**parts, "json": result}

        with open(os.devnull, "w", encoding="utf-8") as nothing:
            kept = os.dup(1), os.dup(2)
            try:
                os.dup2(nothing.fileno(), 1)
                os.dup2(nothing.fileno(), 2)
                statuses = {name: run_both(closed, name) for name, closed in
                            (("open", ()), ("no_in", (0,)), ("no_out", (1,)), ("no_error", (2,)), ("none", (0, 1, 2)))}
            finally:
                os.dup2(kept[0], 1)
                os.dup2(kept[1], 2)
        self.assertEqual(statuses, {"open": [0, 0], "no_in": [0, 0], "no_out": [1, 1], "no_error": [0, 0], "none": [1, 1]})
        expected = without_arguments(outputs("open"))
        for name in ("no_in", "no_out", "no_error", "none"):
            self.assertEqual(without_arguments(outputs(name)), expected, name)


class Names(ProgramTest):
    def test_an_empty_name_of_an_output_is_refused(self):
        for command in (SWEEP, [*JOB, "--grid", "2x2"], ["flip", "batch", *JOB, "--processes", "4"]):
            _, known = self.run_program("simtrain", *command, "--no-such-option", "x", status=2)
            self.assertIn("is not known", known)
            for option in ("--json", "--csv", "--report", "--trace", "--results"):
                help_text = self.run_program("simtrain", *([command[0]] if command[0][0] != "-" else []), "--help")[0]
                if f"  {option} FILE" in help_text:
                    with self.subTest(command=command[0], option=option):
                        self.refuse("simtrain", [*command, option, ""], f"{option} '': is empty; expected the name")

    def test_where_nothing_can_be_written_is_said_before_the_work(self):
        (self.folder / "nowhere").symlink_to("missing/folder")
        (self.folder / "loop").symlink_to("loop")
        for name, why in (("nowhere", "the folder 'missing' does not exist"), ("loop", "symbolic links"),
                          ("n" * 256, "File name too long")):
            for option in ("--json", "--csv", "--report", "--results"):
                self.refuse("simtrain", [*SWEEP, option, name], f"{option} '{name}': ", why, leaves=("nowhere", "loop"))

    def test_a_name_may_be_as_long_as_the_file_system_allows(self):
        name = "n" * 255
        self.run_program("simtrain", *JOB, "--grid", "2x2", "--json", name)
        self.assertEqual([path.name for path in self.folder.iterdir()], [name])
        self.assertEqual(json.loads((self.folder / name).read_text())["schema"], "simtrain-result")

    def test_an_error_is_one_line_without_control_characters(self):
        for value in ("a\x1b[31mb", "new\nline", "\u009b31m", "x" * 100000):
            for option in ("--network", "--platform", "--placement", "--strategy", "--scenario"):
                with self.subTest(option=option, value=value[:20]):
                    job = {"--platform": "torus:2x2", "--network": "mlp", option: value}
                    arguments = [part for pair in job.items() for part in pair]
                    _, error = self.run_program("simtrain", "--grid", "2x2", *arguments, status=2)
                    self.assertEqual(error.count("\n"), 1)
                    self.assertTrue(error.strip().isprintable(), error[:200])
                    self.assertLess(len(error), 5000)

    def test_names_of_files_need_not_be_utf8(self):
        name = os.fsdecode(b"p\xff.xml")
        torus = self.run_program("simtrain", "describe", "torus.xml", "--json", "-")[0]
        self.assertTrue(torus)
        shipped = BIN.parent / "share" / "simtrain" / "platforms" / "torus.xml"
        (self.folder / name).write_bytes(shipped.read_bytes())
        out = self.run_program("simtrain", "describe", name, "--svg", "p.svg")[0]
        self.assertIn("p\ufffd.xml", out)
        self.assertIn("p\ufffd.xml", (self.folder / "p.svg").read_text(encoding="utf-8"))


class Devices(ProgramTest):
    def test_are_no_files_to_read(self):
        for arguments in (["compare", "/dev/zero", "/dev/zero"], ["merge", "/dev/zero"], ["rerun", "/dev/zero"],
                          [*JOB, "--grid", "2x2", "--placement", "/dev/zero"],
                          ["--platform", "torus:2x2", "--grid", "2x2", "--network", "/dev/zero"],
                          ["--platform", "/dev/zero", "--grid", "2x2"], ["--scenario", "/dev/zero"]):
            with self.subTest(arguments=arguments):
                self.refuse("simtrain", arguments, "'/dev/zero'", "expected")

    def test_standard_output_by_its_other_name_is_the_same_one(self):
        grid = [*JOB, "--grid", "2x2"]
        out, _ = self.run_program("simtrain", *grid, "--json", "/dev/stdout")
        self.assertEqual(json.loads(out)["schema"], "simtrain-result")  # and no report around it
        self.refuse("simtrain", [*grid, "--json", "-", "--csv", "/dev/stdout"], "--json: '-' is the file of --csv too")


if __name__ == "__main__":
    unittest.main()
