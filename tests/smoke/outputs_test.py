"""--csv, --color and --report from the command line: the same numbers as in the JSON, in forms for people and tools."""
import csv
import html.parser
import json
import os
import pty
import re
import subprocess
import sys
import unittest

import programs
from programs import ProgramTest

JOB = ["--platform", "torus:4x2,bandwidth=1GBps,latency=1us", "--network", "mlp", "--batch", "64", "--grid", "4x2"]
HOSTILE = "</script><img src=x onerror=alert(1)>\"'&,\n<!--"
VOID = {"meta", "hr", "br", "img", "input", "link"}


class Outline(html.parser.HTMLParser):
    """Fails on tags that do not match; collects what tests look at."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.headings, self.texts, self.ids = [], [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        if self.open and re.fullmatch("h[1-6]", self.open[-1]):
            self.headings.append((int(self.open[-1][1]), data))
        if not self.open or self.open[-1] not in ("script", "style"):
            self.texts.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


class Csv(ProgramTest):
    def rows(self):
        with (self.folder / "out.csv").open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_rows_are_the_results_phases(self):
        for options in ((), ("--strategy", "fc1:1x8; *:4x2"), ("--overlap", "all", "--bucket", "100kB")):
            with self.subTest(options=options):
                result = self.result(*JOB, *options, "--csv", "out.csv")
                rows = self.rows()
                for layer in result["layers"]:
                    mine = {row["phase"]: row for row in rows if row["layer"] == layer["name"]}
                    exchanges = {key: one for key, one in layer.items()
                                 if isinstance(one, dict) and one.get("algorithm", "none") != "none"}
                    self.assertEqual(set(mine), {"forward", "backward", "update", *exchanges})
                    for phase in ("forward", "backward", "update"):
                        self.assertEqual(float(mine[phase]["mean_s"]), layer[f"{phase}_s"]["mean"])
                        self.assertEqual(float(mine[phase]["max_s"]), layer[f"{phase}_s"]["max"])
                        self.assertEqual(mine[phase]["algorithm"], "")
                        self.assertEqual(float(mine[phase]["end_s"]), layer["phases"][phase]["end_s"]["mean"])
                    for phase, one in exchanges.items():
                        row = mine[phase]
                        self.assertEqual(float(row["mean_s"]), one["seconds"]["mean"])
                        self.assertEqual(float(row["sent_mean_bytes"]), one["bytes_sent"]["mean"])
                        self.assertEqual((row["algorithm"], int(row["ranks"])), (one["algorithm"], one["group_size"]))
                        self.assertEqual(float(row["exposed_s"]), one.get("exposed_s", one["seconds"]["mean"]))

    def test_names_are_quoted(self):
        self.write("n.json", json.dumps({
            "format": "simtrain-network", "version": 1, "name": "n", "dataset_images": 64, "default_batch": 8,
            "input": {"channels": 4, "height": 1, "width": 1},
            "layers": [{"name": HOSTILE, "type": "linear", "outputs": 8}]}))
        self.run_program("simtrain", "--platform", "torus:2", "--network", "n.json", "--grid", "2x1", "--extrapolate",
                         "--csv", "out.csv")
        rows = self.rows()
        self.assertEqual({row["layer"] for row in rows}, {HOSTILE.replace("\n", " ")})

    def test_nothing_that_a_spreadsheet_would_run(self):
        names = ["=HYPERLINK(1)", "+1", "-1", "@SUM(1)", "\t=1", "a\x1bb"]
        self.write("n.json", json.dumps({
            "format": "simtrain-network", "version": 1, "name": "n", "dataset_images": 64, "default_batch": 8,
            "input": {"channels": 4, "height": 1, "width": 1},
            "layers": [{"name": name, "type": "linear", "outputs": 8} for name in names]}))
        self.run_program("simtrain", "--platform", "torus:2", "--network", "n.json", "--grid", "2x1", "--extrapolate",
                         "--csv", "out.csv")
        self.assertEqual(list(dict.fromkeys(row["layer"] for row in self.rows())),
                         ["'=HYPERLINK(1)", "'+1", "'-1", "'@SUM(1)", " =1", "a b"])


class StandardOutput(ProgramTest):
    def test_an_output_there_has_it_alone(self):
        for arguments, options in (
                (JOB, ("json", "csv", "report", "trace")), (["sweep", *JOB[:-2], "--grids", "4x2,2x4"], ("json", "csv", "report")),
                (["flip", "batch", *JOB[:-4], "--grids", "8x1,1x8", "--from", "64", "--to", "128"], ("json", "report")),
                (["cost", "--processes", "8"], ("json",)), (["describe", "torus:4"], ("json",)),
                (["collective", "all-reduce", "--bytes", "4kB", "--processes", "8", "--platform", "torus:8"], ("json",))):
            for option in options:
                with self.subTest(arguments=arguments, option=option):
                    self.run_program("simtrain", *arguments, f"--{option}", "./-")  # a file of this name
                    expected = (self.folder / "-").read_text()
                    (self.folder / "-").unlink()
                    out, _ = self.run_program("simtrain", *arguments, f"--{option}", "-")
                    self.assertEqual(out, expected.replace("./-", "-"))  # in passports
                    self.assertEqual(list(self.folder.iterdir()), [])
        self.run_program("simtrain", *JOB, "--json", "a.json")
        out, error = self.run_program("simtrain", "rerun", "a.json", "--json", "-")
        self.assertEqual(json.loads(out)["job"], json.loads((self.folder / "a.json").read_text())["job"])
        self.assertIn("The same numbers", error)

    def test_only_one(self):
        self.refuse("simtrain", [*JOB, "--json", "-", "--csv", "-"], "--json", "--csv", "'-'")
        self.refuse("simtrain", ["sweep", *JOB[:-2], "--processes", "8", "--results", "-"], "--results", "./-")
        self.refuse("calibrate", ["kernels", "--output", "-"], "--output", "./-")


class Apart(ProgramTest):
    def test_no_output_is_written_over_another_file_of_the_job(self):
        job = ["--platform", "torus:2", "--grid", "2x1", "--network", "mlp"]
        self.run_program("simtrain", *job, "--json", "r.json")
        before = (self.folder / "r.json").read_bytes()
        (self.folder / "sub").mkdir()
        for arguments, *parts in (
            ([*job, "--json", "x", "--csv", "sub/../x"], "--json", "--csv"),
            ([*job, "--report", "x", "--trace", "x"], "--report", "--trace"),
            ([*job[:5], "r.json", "--json", "r.json"], "network"),
            (["compare", "r.json", "r.json", "--json", "r.json"], "--json", "first result"),
            (["sweep", "--platform", "torus:2", "--processes", "2", "--network", "mlp", "--results", "q", "--json", "./q"],
             "--json", "--results"),
            (["merge", "r.json", "--csv", "r.json"], "--csv", "results"),
        ):
            with self.subTest(arguments=arguments):
                self.refuse("simtrain", arguments, *parts, leaves=["r.json", "sub"])
        self.assertEqual((self.folder / "r.json").read_bytes(), before)
        # Nothing is lost in a device.
        self.run_program("simtrain", *job, "--json", "/dev/null", "--csv", "/dev/null")


class Color(ProgramTest):
    def on_terminal(self, *arguments, **environment):
        """What the program writes to a terminal."""
        main, side = pty.openpty()
        done = subprocess.Popen([programs.BIN / "simtrain", *arguments], stdout=side, cwd=self.folder,
                                env={**os.environ, "TERM": "xterm", **environment})
        os.close(side)
        text = b""
        while True:
            try:
                piece = os.read(main, 65536)
            except OSError:  # the other side is closed
                break
            if not piece:
                break
            text += piece
        self.assertEqual(done.wait(), 0)
        os.close(main)
        return text.decode().replace("\r\n", "\n")

    def test_plain_bytes_but_on_a_terminal(self):
        plain, _ = self.run_program("simtrain", *JOB)
        self.assertNotIn("\x1b", plain)
        self.assertEqual(self.run_program("simtrain", *JOB, "--color", "never")[0], plain)
        self.assertEqual(self.run_program("simtrain", *JOB, "--color", "auto")[0], plain)
        colored, _ = self.run_program("simtrain", *JOB, "--color", "always")
        self.assertIn("\x1b[1mPrediction\x1b[0m", colored)
        self.assertEqual(re.sub("\x1b\\[[0-9]*m", "", colored), plain)
        self.assertEqual(self.on_terminal(*JOB), colored)
        self.assertEqual(self.on_terminal(*JOB, NO_COLOR=""), colored)
        self.assertEqual(self.on_terminal(*JOB, NO_COLOR="1"), plain)
        self.assertEqual(self.on_terminal(*JOB, TERM="dumb"), plain)
        self.assertEqual(self.on_terminal(*JOB, "--color", "never"), plain)
        self.assertEqual(self.on_terminal(*JOB, "--color", "always", NO_COLOR="1"), colored)

    def test_every_command_has_it(self):
        self.run_program("simtrain", *JOB, "--json", "a.json")
        for arguments in (["sweep", *JOB[:-2], "--processes", "4"], ["cost", "--processes", "8"],
                          ["compare", "a.json", "a.json"], ["compare", "--color", "always", "a.json", "a.json"],
                          ["describe", "torus:4x2"],
                          ["collective", "all-reduce", "--bytes", "4kB", "--processes", "8", "--platform", "torus:8"]):
            with self.subTest(arguments=arguments):
                color = [] if "--color" in arguments else ["--color", "always"]
                self.assertIn("\x1b[1m", self.run_program("simtrain", *arguments, *color)[0])
                if color:
                    self.assertNotIn("\x1b", self.run_program("simtrain", *arguments)[0])
        self.refuse("simtrain", [*JOB, "--color", "allways"], "--color", "did you mean 'always'", leaves=["a.json"])


class Page(ProgramTest):
    def check(self, text):
        """What every page keeps; its outline."""
        page = Outline(text)
        self.assertEqual(len(page.ids), len(set(page.ids)))
        self.assertEqual([level for level, _ in page.headings].count(1), 1)
        for (before, _), (after, name) in zip(page.headings, page.headings[1:]):
            self.assertLessEqual(after, before + 1, name)  # no level is left out
        for heading in page.all("th"):
            self.assertIn(heading.get("scope"), ("col", "row", "colgroup"))
        self.assertEqual(len(page.all("table")), len(page.all("caption")))
        for tag, attributes in page.tags:
            self.assertNotIn("src", attributes, tag)
            self.assertFalse(any(name.startswith("on") for name in attributes), (tag, attributes))
        self.assertEqual([link["href"] for link in page.all("a")], ["https://www.chartjs.org"])
        self.assertEqual(page.all("link"), [])
        for canvas in page.all("canvas"):
            self.assertEqual(canvas["role"], "img")
            self.assertTrue(canvas["aria-label"])
        for scroll in page.all("div"):
            if "scroll" in scroll.get("class", ""):
                self.assertEqual((scroll["tabindex"], scroll["role"]), ("0", "region"))
        for label in (attributes["aria-labelledby"] for attributes in page.all("section")):
            self.assertIn(label, page.ids)
        self.assertIn({"name": "viewport", "content": "width=device-width, initial-scale=1"}, page.all("meta"))
        return page

    def data(self, text):
        return json.loads(re.search('<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])

    def test_a_prediction(self):
        result = self.result(*JOB, "--report", "page.html", "--trace-ranks", "0-7")
        text = (self.folder / "page.html").read_text()
        page = self.check(text)
        self.assertEqual(self.result(*JOB), result)  # without a timeline in it
        names = [name for _, name in page.headings]
        for name in ("Prediction", "What some of the ranks do", "Use by place", "Profile of compute times"):
            self.assertIn(name, names)
        layers, timeline, memory = self.data(text)
        forward = next(one for one in layers["series"] if one["name"] == "forward")
        scale = {"s": 1, "ms": 1e3, "µs": 1e6}[layers["unit"]]
        for value, layer in zip(forward["values"], result["layers"]):
            self.assertAlmostEqual(value / scale, layer["forward_s"]["mean"], places=12)
        self.assertEqual(timeline["labels"], [f"rank {rank}" for rank in range(8)])
        bars = sum(end - begin for series in timeline["series"] for _, begin, end, _ in series["bars"])
        scale = {"s": 1, "ms": 1e3, "µs": 1e6}[timeline["unit"]]
        totals = result["totals"]
        self.assertAlmostEqual(bars / scale / 8 / (totals["compute_s"] + totals["communication_s"]), 1, delta=1e-6)
        self.assertEqual(sum(one["values"][0] for one in memory["series"]) * 2**20, result["memory"]["total_bytes"])

    def test_same_input_same_bytes(self):
        texts = []
        for _ in range(2):
            self.run_program("simtrain", *JOB, "--report", "page.html")
            texts.append((self.folder / "page.html").read_bytes())
        self.assertEqual(*texts)

    def test_other_kinds_of_results(self):
        for options in (("--overlap", "all"), ("--replicas", "2"), ("--slow-host", "host-1=0.5"), ("--bounds",),
                        ("--detail", "merged"), ("--placement", "auto"), ("--numerics", "real"), ("--host-memory", "1MB"),
                        ("--strategy", "auto")):
            with self.subTest(options=options):
                self.run_program("simtrain", *JOB, *options, "--report", "page.html")
                self.check((self.folder / "page.html").read_text())

    def test_a_sweep(self):
        self.run_program("simtrain", "sweep", *JOB[:-2], "--processes", "8", "--replicas", "2", "--report", "page.html",
                         "--json", "sweep.json")
        text = (self.folder / "page.html").read_text()
        self.check(text)
        chart, *of_the_fastest = self.data(text)
        self.assertEqual([one["id"] for one in of_the_fastest], ["chart-layers", "chart-timeline", "chart-memory"])
        sweep = json.loads((self.folder / "sweep.json").read_text())
        ranking = sweep["ranking"]
        self.assertEqual(chart["labels"], [f"{one['grid_rows']} x {one['grid_columns']}" for one in ranking])
        scale = {"s": 1, "ms": 1e3, "µs": 1e6}
        for interval, place in zip(chart["intervals"], ranking, strict=True):
            for value, key in zip(interval, ("p5_s", "p95_s"), strict=True):
                self.assertAlmostEqual(value / scale[chart["unit"]], place["replicas"][key], places=12)
        # What the ranks of the fastest point do is what its result says, which has no timeline.
        timeline = of_the_fastest[1]
        fastest = sweep["points"][ranking[0]["point"]]["result"]
        self.assertNotIn("timeline", fastest)
        ranks = [f"rank {rank}" for rank in range(8)]
        self.assertEqual(timeline["labels"], ranks)
        bars = sum(end - begin for series in timeline["series"] for _, begin, end, _ in series["bars"])
        expected = fastest["totals"]["compute_s"] + fastest["totals"]["communication_s"]
        self.assertAlmostEqual(bars / scale[timeline["unit"]] / len(ranks) / expected, 1, delta=1e-6)

    def test_a_sweep_where_the_fastest_point_chose(self):
        """Of what it is simulated once more with, placement and options are those of the sweep."""
        self.run_program("simtrain", "sweep", *JOB[:-2], "--processes", "8", "--placement", "auto", "--iterations", "2",
                         "--slow-host", "host-1=0.5", "--report", "page.html", "--json", "sweep.json")
        text = (self.folder / "page.html").read_text()
        self.check(text)
        self.assertIn("chart-timeline", [one["id"] for one in self.data(text)])
        self.assertIn("Iteration 2 of 2", text)

    def test_hostile_names(self):
        self.write("n.json", json.dumps({
            "format": "simtrain-network", "version": 1, "name": HOSTILE, "dataset_images": 64, "default_batch": 8,
            "input": {"channels": 4, "height": 1, "width": 1},
            "layers": [{"name": HOSTILE, "type": "linear", "outputs": 8}]}))
        self.run_program("simtrain", "--platform", "torus:2", "--network", "n.json", "--grid", "2x1", "--extrapolate",
                         "--report", "page.html")
        text = (self.folder / "page.html").read_text()
        page = self.check(text)
        self.assertEqual(page.all("img"), [])
        self.assertEqual(self.data(text)[0]["labels"], [HOSTILE])
        self.assertIn(HOSTILE.replace("\n", " "), page.texts)

    def test_wrong_input(self):
        self.refuse("simtrain", [*JOB, "--report", "no/page.html"], "--report", "no/page.html")
        self.refuse("simtrain", [*JOB, "--csv", "."], "--csv", "folder")
        self.refuse("simtrain", ["cost", "--processes", "8", "--report", "x.html"], "--report")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
