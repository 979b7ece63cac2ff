"""Pages in a headless Chromium: are charts drawn, without a complaint, a request or a sideways scroll, on wide and narrow
screens, light and dark? With --screenshots FOLDER the pages' pictures are kept for people to look at.

Says "no Chromium" and ends well where none is installed: it is half a gigabyte that no other test needs.
"""
import json
import pathlib
import sys
import unittest

import browser

SCREENSHOTS = None
if "--screenshots" in sys.argv:
    at = sys.argv.index("--screenshots")
    SCREENSHOTS = pathlib.Path(sys.argv[at + 1]).resolve()
    del sys.argv[at:at + 2]

from programs import ProgramTest  # noqa: E402  (takes its argument)

TORUS = ["--platform", "torus:4x2x2", "--batch", "64", "--extrapolate"]
# Pixels of a canvas that have a colour of their own.
DRAWN = """[...document.querySelectorAll("canvas")].map(canvas => {
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  const colours = new Set();
  let filled = 0;
  for (let i = 0; i < pixels.length; i += 4)
    if (pixels[i + 3] === 255) { ++filled; colours.add(pixels.slice(i, i + 3).join()); }
  return {filled, colours: colours.size, all: canvas.width * canvas.height};
})"""


class Pages(ProgramTest):
    def setUp(self):
        super().setUp()
        self.browser = browser.Browser(browser.find_chromium())
        self.addCleanup(self.browser.__exit__)

    def check(self, name, charts, **how):
        """Opens the page; how: as for Browser.open."""
        url = (self.folder / f"{name}.html").as_uri()
        self.browser.open(url, **how)
        label = f"{name}-{how.get('width', 1280)}{'-dark' if how.get('dark') else ''}"
        if SCREENSHOTS:
            self.browser.screenshot(SCREENSHOTS / f"{label}.png")
        drawn = self.browser.evaluate(DRAWN)
        self.assertEqual(self.browser.complaints(), [], label)
        self.assertEqual(self.browser.requests(), [url], label)
        self.assertEqual(len(drawn), charts, label)
        for canvas in drawn:
            self.assertGreater(canvas["filled"], 0.02 * canvas["all"], (label, drawn))
            self.assertGreaterEqual(canvas["colours"], 2, (label, drawn))
        overflow = self.browser.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        self.assertLessEqual(overflow, 0, label)

    def test_a_prediction(self):
        self.run_program("simtrain", *TORUS, "--grid", "8x2", "--report", "prediction.html")
        for width in (1280, 360):
            for dark in (False, True):
                self.check("prediction", 3, width=width, dark=dark)
        background = "getComputedStyle(document.body).backgroundColor"
        dark = self.browser.evaluate(background)
        self.browser.open((self.folder / "prediction.html").as_uri())
        self.assertNotEqual(self.browser.evaluate(background), dark)

    def test_overlap_and_hostile_names(self):
        name = "</script><img src=x onerror=alert(1)>\"'&"
        self.write("n.json", json.dumps({
            "format": "simtrain-network", "version": 1, "name": name, "dataset_images": 64, "default_batch": 16,
            "input": {"channels": 4, "height": 1, "width": 1},
            "layers": [{"name": name, "type": "linear", "outputs": 4096},
                       {"name": "x" * 300, "type": "linear", "outputs": 4}]}))
        self.run_program("simtrain", "--platform", "torus:4", "--network", "n.json", "--grid", "2x2", "--extrapolate",
                         "--overlap", "all", "--report", "hostile.html")
        for width in (1280, 360):
            self.check("hostile", 3, width=width)
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('img, script[src]').length"), 0)
        self.assertIn(name, self.browser.evaluate("document.title"))
        self.assertIn(name, self.browser.evaluate("document.querySelector('tbody th').textContent"))

    def test_a_sweep(self):
        self.run_program("simtrain", "sweep", *TORUS, "--processes", "16", "--replicas", "3", "--report", "sweep.html")
        for width in (1280, 360):
            self.check("sweep", 4, width=width)
        # Each bar has its interval, which ends in two strokes of the text's colour.
        strokes = self.browser.evaluate("""(() => {
          const figure = document.querySelector("#chart-sweep"), canvas = figure.querySelector("canvas");
          const color = getComputedStyle(document.documentElement).getPropertyValue("--text").trim();
          const [r, g, b] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
          const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
          let rows = 0;
          for (let y = 0; y < canvas.height; ++y) {
            let any = false;
            for (let x = 0; x < canvas.width; ++x) {
              const i = 4 * (y * canvas.width + x);
              any ||= pixels[i] === r && pixels[i + 1] === g && pixels[i + 2] === b;
            }
            rows += any;
          }
          return rows;
        })()""")
        self.assertGreaterEqual(strokes, 5 * 5)

    def test_a_search_for_changes(self):
        self.run_program("simtrain", "flip", "batch", "--platform", "torus:8", "--grids", "8x1,1x8", "--network", "mlp", "--from",
                         "16", "--to", "4096", "--report", "flip.html")
        for width in (1280, 360):
            self.check("flip", 1, width=width)

    def test_by_the_keyboard(self):
        self.run_program("simtrain", *TORUS, "--grid", "8x2", "--report", "prediction.html")
        self.check("prediction", 3)
        focused = "document.activeElement.outerHTML.slice(0, 60)"
        seen = []
        for _ in range(60):
            self.browser.press("Tab")
            seen.append(self.browser.evaluate(focused))
        for what in ("<button", "<summary", "<div class=\"scroll\""):
            self.assertTrue(any(one.startswith(what) for one in seen), (what, seen))
        # A button of a legend takes its series out of the chart.
        self.browser.evaluate("document.querySelector('#chart-layers button').focus()")
        color = self.browser.evaluate("getComputedStyle(document.querySelector('#chart-layers .swatch')).backgroundColor")
        self.assertGreater(self.pixels_of(color), 100)
        self.browser.press(" ")
        self.assertEqual(self.browser.evaluate("document.activeElement.getAttribute('aria-pressed')"), "false")
        self.assertEqual(self.pixels_of(color), 0)
        self.browser.press(" ")
        self.assertGreater(self.pixels_of(color), 100)

    def pixels_of(self, color):
        """Of the layers' chart, in exactly this colour: "rgb(1, 2, 3)"."""
        return self.browser.evaluate("""(color => {
          const canvas = document.querySelector("#chart-layers canvas");
          const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
          let count = 0;
          for (let i = 0; i < pixels.length; i += 4)
            if (`rgb(${pixels[i]}, ${pixels[i + 1]}, ${pixels[i + 2]})` === color && pixels[i + 3] === 255) ++count;
          return count;
        })(""" + json.dumps(color) + ")")


if __name__ == "__main__":
    if browser.find_chromium() is None:
        print("no Chromium here (Debian's package chromium): pages are not looked at")
        sys.exit(0)
    unittest.main(argv=[sys.argv[0], "-v"])
