#!/usr/bin/python3
"""docs/pictures.py BIN: the tutorial's pictures, out of the pages that its own commands write (needs Chromium).

    ./dev build && docs/pictures.py build/release/bin
"""
import pathlib
import shlex
import subprocess
import sys
import tempfile

DOCS = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "tests/smoke"))
import browser  # noqa: E402

# Of which command's page, which part, to which file.
PICTURES = (("simtrain sweep --platform ethernet-25g --processes 64 --report grids.html", "#chart-sweep", "grids.png"),
            ("simtrain --platform ethernet-25g --processes 64 --strategy auto --report auto.html", "#chart-layers", "layers.png"),
            ("simtrain --platform ethernet-25g --processes 64 --strategy auto --report auto.html", "#chart-timeline",
             "timeline.png"))


def main():
    programs = pathlib.Path(sys.argv[1]).resolve()
    tutorial = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder, browser.Browser(browser.find_chromium()) as window:
        for command, part, name in PICTURES:
            page = pathlib.Path(folder) / command.split()[-1]
            assert page.name in tutorial, page.name
            if not page.exists():
                subprocess.run([programs / "simtrain", *shlex.split(command)[1:]], cwd=folder, check=True, capture_output=True)
            window.open(page.as_uri(), width=900)
            window.screenshot(DOCS / "tutorial" / name, part)
            print(DOCS / "tutorial" / name)


if __name__ == "__main__":
    main()
