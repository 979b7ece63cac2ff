"""simtrain describe from the command line: its figures, its JSON, its picture, and what is refused."""
import json
import os
import pathlib
import subprocess
import sys
import unittest
import xml.etree.ElementTree

import programs
from programs import ProgramTest

SCHEMA = pathlib.Path(sys.argv.pop(1)).resolve()
VALIDATE = pathlib.Path(__file__).parent / "validate_json.py"
TWO_CABINETS = str(pathlib.Path(__file__).resolve().parent.parent / "data/two-cabinets.xml")
SHIPPED = sorted(path.stem for path in (programs.BIN.parent / "share/simtrain/platforms").iterdir())


class Describe(ProgramTest):
    def figures(self, platform, *arguments):
        """Text and JSON, which keeps to its schema."""
        out, error = self.run_program("simtrain", "describe", platform, "--json", "p.json", *arguments)
        self.assertEqual(error, "")
        done = subprocess.run([sys.executable, VALIDATE, SCHEMA, "p.json"], cwd=self.folder, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out, json.loads((self.folder / "p.json").read_text())

    def test_torus(self):
        out, found = self.figures("torus:8x8x4,bandwidth=6GBps,latency=400ns,cores=68,memory=96GiB")
        self.assertEqual((found["hosts"], found["switches"], found["cores"]), (256, 0, 68))
        self.assertEqual(found["memory_bytes"], 96 * 2**30)
        self.assertEqual([links["class"] for links in found["links"]], ["x+", "x-", "y+", "y-", "z+", "z-"])
        self.assertEqual({links["count"] for links in found["links"]}, {256})
        self.assertEqual(found["routes"]["most_links"], 4 + 4 + 2)
        self.assertAlmostEqual(found["routes"]["most_latency_s"], 10 * 400e-9, delta=1e-15)
        self.assertAlmostEqual(found["routes"]["mean_links"], (2 + 2 + 1) * 256 / 255)
        self.assertEqual(found["bisection"], {"one_way_Bps": 64 * 6e9, "both_ways_Bps": 128 * 6e9})
        for part in ("10 links, 4.00 µs", "384 GB/s", "host-0 to host-1", "68 a host"):
            self.assertIn(part, out)

    def test_shipped_files_become_topologies(self):
        _, torus = self.figures("torus.xml")
        self.assertEqual(torus["bisection"]["one_way_Bps"], 64 * 6e9)
        self.assertEqual((torus["cores"], torus["inside"]["bandwidth_Bps"]), (68, 20e9))
        self.assertAlmostEqual(torus["inside"]["latency_s"], 100e-9, delta=1e-18)
        _, tree = self.figures("fat-tree")
        self.assertEqual((tree["hosts"], tree["switches"]), (288, 16 + 9))
        up = tree["links"][2]
        self.assertEqual((up["class"], up["count"], up["bandwidth_Bps"]), ("leaf up", 16 * 9 * 2, 4e9))
        self.assertEqual(tree["bisection"]["one_way_Bps"], 144 * 4e9)

    def test_routes_of_simgrid(self):
        out, found = self.figures(TWO_CABINETS)
        self.assertEqual((found["hosts"], found["switches"], found["bisection"]), (24, None, None))
        self.assertEqual([(links["count"], links["bandwidth_Bps"]) for links in found["links"]],
                         [(1, 1.25e9), (48, 125e6)])
        self.assertEqual(found["routes"]["most_links"], 3)
        # Of all pairs, 16 x 15 + 8 x 7 in one cabinet at 2 links, 2 x 16 x 8 at 3.
        self.assertAlmostEqual(found["routes"]["mean_links"], ((240 + 56) * 2 + 256 * 3) / (24 * 23))
        self.assertIn("not known", out)

    def test_clusters_around_a_switch_become_leaves(self):
        _, found = self.figures("ethernet.xml")
        self.assertEqual((found["hosts"], found["switches"]), (256, 8 + 1))
        self.assertEqual([(links["class"], links["count"], links["bandwidth_Bps"]) for links in found["links"]],
                         [("host up", 256, 125e6), ("host down", 256, 125e6), ("leaf up", 8, 1.25e9),
                          ("leaf down", 8, 1.25e9)])
        # 31 hosts on the own switch at 2 links, 224 at 4.
        self.assertAlmostEqual(found["routes"]["mean_links"], (31 * 2 + 224 * 4) / 255)
        self.assertEqual(found["bisection"]["one_way_Bps"], 4 * 1.25e9)

    def test_every_shipped_platform(self):
        self.assertEqual(SHIPPED, ["alpha-beta", "blue-gene-q", "ethernet", "ethernet-25g", "fat-tree", "frontier",
                                   "torus"])
        for name in SHIPPED:
            _, found = self.figures(name)
            self.assertEqual(found["name"], name)
            self.assertGreater(found["memory_bytes"], 2**30)
            self.assertGreater(found["cores"], 1)
        self.assertEqual(self.figures("frontier")[1]["hosts"], 37888)
        # 74 groups: 37 x 37 pairs of 4 cables.
        self.assertEqual(self.figures("frontier")[1]["bisection"]["one_way_Bps"], 37 * 37 * 4 * 25e9)
        self.assertEqual(self.figures("blue-gene-q.platform")[1]["routes"]["most_links"], 2 + 2 + 2 + 4 + 1)
        self.assertAlmostEqual(self.figures("ethernet-25g")[1]["bisection"]["one_way_Bps"], 8 * 8 * 100e9 / 8)

    def test_picture(self):
        for platform, vertices in (("torus:4x4", 16), ("fat-tree:4x4,up=2,cables=2", 16 + 4 + 2), ("dragonfly:5x2x2", 30),
                                   ("leaf-spine:2x3", 6 + 2 + 1), ("ethernet:5,backbone=1GBps", 6), ("torus.xml", 256)):
            self.run_program("simtrain", "describe", platform, "--svg", "p.svg")
            root = xml.etree.ElementTree.parse(self.folder / "p.svg").getroot()
            groups = root.iter("{http://www.w3.org/2000/svg}g")
            self.assertEqual(sum(group.get("class") == "node" for group in groups), vertices, platform)
        before = (self.folder / "p.svg").read_text()
        self.run_program("simtrain", "describe", "torus.xml", "--svg", "p.svg")
        self.assertEqual((self.folder / "p.svg").read_text(), before)

    def test_without_graphviz(self):
        done = subprocess.run([programs.BIN / "simtrain", "describe", "torus:4", "--svg", "p.svg"], cwd=self.folder,
                              capture_output=True, text=True, check=False, env={**os.environ, "PATH": str(self.folder)})
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("dot is not installed", done.stderr)
        self.assertIn("graphviz", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_file_with_one_word(self):
        self.write("my.platform", "# my cluster\n\n  torus:4x4,bandwidth=1GBps  # measured\n")
        self.assertEqual(self.figures("my.platform")[1]["links"][0]["bandwidth_Bps"], 1e9)
        (self.folder / "p.json").unlink()
        for text, *parts in (("# nothing\n", "holds no platform"), ("", "holds no platform"),
                             ("torus:4\n# more\ntorus:5\n", "line 3", "'torus:5'", "line 1", "one word"),
                             ("#\ntorus:4x1\n", "line 2", "dimension of 1"),
                             ("torus:4,\n", "line 1", "key ''")):
            self.write("my.platform", text)
            self.refuse("simtrain", ["describe", "my.platform"], "platform 'my.platform'", *parts, leaves=["my.platform"])

    def test_refused(self):
        for arguments, *parts in (
            ([], "expected a platform"),
            (["--json", "p.json"], "expected a platform"),
            (["torus:4", "extra"], "stands alone"),
            (["torus:4", "--jsn", "p.json"], "did you mean '--json'"),
            (["torus:4", "--json", "no/p.json"], "--json", "no"),
            (["torus:4", "--svg", "no/p.svg"], "--svg", "no"),
            (["torus:32x32", "--svg", "p.svg"], "1024", "at most 600"),
            ([TWO_CABINETS, "--svg", "p.svg"], "two-cabinets.xml", "SimGrid's own"),
            (["fronteer"], "fronteer", "did you mean 'frontier'", "blue-gene-q"),
            (["dragonfly:9x4x1,global=1"], "key 'global'", "at least 2"),
            (["leaf-spine:9,spines=1"], "shape '9'"),
            (["torus:4,bandwidth=6 GB"], "key 'bandwidth'", "'6 GB'"),
        ):
            self.refuse("simtrain", ["describe", *arguments], *parts)
        self.refuse("simtrain", ["descrbe"], "did you mean 'describe'")


if __name__ == "__main__":
    unittest.main()
