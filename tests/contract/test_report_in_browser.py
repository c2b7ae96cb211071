"""The report in a real browser: phone and desk, light and dark, no errors, no requests, no scrolling sideways."""

from __future__ import annotations

import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import threading

import numpy as np
import pandas
import pytest
from sklearn.linear_model import LogisticRegression

from drr import DRRClassifier
from drr.report import write_report

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")

# Told to the page around it, which is as wide as a screen is.
PROBE = """<script>
parent.postMessage(JSON.stringify({
  width: innerWidth,
  content: document.documentElement.scrollWidth,
  dark: matchMedia("(prefers-color-scheme: dark)").matches,
  background: getComputedStyle(document.body).backgroundColor,
  smallest: Math.min(...[...document.querySelectorAll("figure svg:not(.key) text")].map(
    each => each.getBoundingClientRect().height)),
  empty: [...document.querySelectorAll("figure svg:not(.key)")].filter(
    each => each.getBoundingClientRect().height < 40).length
}), "*");
</script>"""
FRAME = """<!DOCTYPE html><body style="margin:0">
<iframe src="{page}" style="border:0" width="{width}" height="9000"></iframe>
<pre id="out"></pre>
<script>onmessage = event => {{ document.getElementById("out").textContent = event.data; }};</script>"""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    rng = np.random.default_rng(0)
    y = np.arange(600) % 9 == 0
    X = pandas.DataFrame({f"a column with a long name {k}": rng.normal(size=600) + y for k in range(3)})
    X["levels"] = rng.choice(["one", "another, with a very long name indeed", "third"], size=600)
    numbers = X.drop(columns="levels")
    model = DRRClassifier(LogisticRegression(), random_state=0).fit(numbers[::2], y[::2])
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(path, model, numbers[1::2], y[1::2], details={"donors": [(3, 0.1)]})
    return path


def browse(page, *options):
    """Start the browser next to `page`, on what the options name."""
    command = [
        *(BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"),
        *(
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-extensions",
        ),
        *(
            "--enable-logging=stderr",
            "--virtual-time-budget=3000",
            f"--user-data-dir={page.parent / 'profile'}",
        ),
    ]
    environment = os.environ | {"HOME": str(page.parent)}
    return subprocess.run(
        [
            *command,
            *options,
        ],
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
        env=environment,
    )


@pytest.mark.parametrize(
    ("width", "dark"), [(390, True), (1280, False)], ids=["phone in the dark", "desk by day"]
)
def test_the_report_fits_the_screen(report, width, dark):
    probed = report.with_name("probed.html")
    page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", report.read_text(encoding="utf-8"))
    probed.write_text(page.replace("</body>", f"{PROBE}</body>"), encoding="utf-8")
    frame = report.with_name("frame.html")
    frame.write_text(FRAME.format(page=probed.name, width=width), encoding="utf-8")
    outcome = browse(
        frame,
        frame.as_uri(),
        "--dump-dom",
        "--window-size=1400,1000",
        *(["--force-dark-mode"] if dark else []),
    )
    told = re.search(r'<pre id="out">(\{.*\})</pre>', outcome.stdout)
    assert told, outcome.stderr
    seen = json.loads(told.group(1))
    assert seen["width"] == width
    assert seen["content"] <= width, "the page scrolls sideways"
    assert seen["dark"] is dark
    assert seen["background"] == ("rgb(18, 22, 28)" if dark else "rgb(255, 255, 255)")
    assert seen["smallest"] > 9, "text of figures is too small to read"
    assert seen["empty"] == 0
    assert "CONSOLE" not in outcome.stderr


@pytest.fixture
def address(report):
    """The folder of the report on a server of this machine: what a page of its asks for carries this origin."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=report.parent)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def requests_of(address, name, report, tmp_path):
    """What the page makes the browser ask for, from the browser's own log; the browser also asks on its own behalf."""
    log = tmp_path / f"{name}.json"
    outcome = browse(
        report, f"{address}/{name}", f"--log-net-log={log}", f"--print-to-pdf={tmp_path / name}.pdf"
    )
    events = json.loads(log.read_text(encoding="utf-8", errors="replace"))["events"]
    asked = [event.get("params", {}) for event in events]
    assert any(each.get("url") == f"{address}/{name}" for each in asked), "the page itself was not asked for"
    return {each["url"] for each in asked if each.get("initiator") == address and "url" in each}, outcome


def test_the_report_asks_for_nothing_and_prints(report, address, tmp_path):
    requests, outcome = requests_of(address, "report.html", report, tmp_path)
    assert {url for url in requests if not url.endswith("/favicon.ico")} == set()
    assert "CONSOLE" not in outcome.stderr
    assert (tmp_path / "report.html.pdf").read_bytes().startswith(b"%PDF")
    # The same look at a page that does ask for something sees it.
    report.with_name("asking.html").write_text(
        '<img src="https://example.invalid/picture.png">', encoding="utf-8"
    )
    requests, _ = requests_of(address, "asking.html", report, tmp_path)
    assert "https://example.invalid/picture.png" in requests
