"""A headless Chromium, driven over its debugging pipe (https://chromedevtools.github.io/devtools-protocol)."""
import base64
import json
import os
import shutil
import subprocess
import tempfile

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find_chromium():
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """with Browser(program) as browser: browser.open(url, width=360); browser.evaluate("document.title")"""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory()
        to_browser, self.commands = os.pipe()
        self.answers, from_browser = os.pipe()

        def hand_over():  # Chromium reads from 3 and writes to 4
            read_end, write_end = os.dup(to_browser), os.dup(from_browser)
            os.dup2(read_end, 3)
            os.dup2(write_end, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             f"--user-data-dir={self.profile.name}"],
            preexec_fn=hand_over, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.sent = 0
        self.session = None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close")
        except (EOFError, OSError):
            pass
        self.process.wait(timeout=60)
        os.close(self.commands)
        os.close(self.answers)
        self.profile.cleanup()

    def receive(self):
        while b"\0" not in self.buffer:
            chunk = os.read(self.answers, 1 << 20)
            if not chunk:
                raise EOFError("the browser has gone")
            self.buffer += chunk
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.sent += 1
        message = {"id": self.sent, "method": method, "params": parameters}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.sent:
                assert "error" not in answer, (method, answer)
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.receive())

    def open(self, url, width=1280, height=900, dark=False):
        """Returns when all is loaded and drawn."""
        self.events = []
        self.resize(width, height)
        scheme = "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")
        self.wait_until_drawn()

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.wait_until_drawn()

    def wait_until_drawn(self):
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key):
        codes = {"Tab": 9, "Enter": 13, " ": 32}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code="Space" if key == " " else key,
                      windowsVirtualKeyCode=codes[key], **({"text": key} if key == " " and kind == "keyDown" else {}))

    def complaints(self):
        """What the console and the loader had to say since open()."""
        texts = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                texts.append(parameters["exceptionDetails"]["text"])
            elif method == "Runtime.consoleAPICalled":
                texts.append(str(parameters["args"]))
            elif method == "Log.entryAdded":
                texts.append(parameters["entry"]["text"])
        return texts

    def requests(self):
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]

    def screenshot(self, path, part=None):
        """Of the whole page, or of the element that a selector names."""
        how = {"captureBeyondViewport": True}
        if part is not None:
            width, height = self.evaluate("[innerWidth, document.documentElement.scrollHeight]")
            self.resize(width, height)  # without a scroll bar, which would be in the way of the picture too
            box = self.evaluate(f"""(() => {{
              const box = document.querySelector("{part}").getBoundingClientRect(), edge = 10;
              return {{x: box.x - edge, y: box.y - edge, width: box.width + 2 * edge, height: box.height + 2 * edge,
                       scale: 1}};
            }})()""")
            how = {"clip": box}
        data = self.call("Page.captureScreenshot", format="png", **how)["data"]
        path.write_bytes(base64.b64decode(data))
