"""Runs the program, and opens its page in Chromium."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

REPOSITORY = Path(__file__).parents[4]
CENSUS = REPOSITORY / "examples/census/census.csv"


def program():
    named = os.environ.get("OPENVEIL_PROGRAM")
    return Path(named) if named else REPOSITORY / "target/debug/openveil"


class Served:
    """A running program; `enter` lets a browser in."""

    def __init__(self, root, scratch):
        self.scratch = scratch
        self.process = subprocess.Popen(
            [program(), "serve", "--no-browser", "--root", root],
            stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            env=os.environ | {"TMPDIR": str(scratch)},
        )
        self.way_in = self.process.stdout.readline().strip()
        #: Where pages are; known to who has entered.
        self.base = self.way_in.split("/enter")[0]

    def end(self):
        self.process.terminate()
        assert self.process.wait(timeout=20) == 0
        assert not list(self.scratch.iterdir()), "nothing is left"


@pytest.fixture(scope="session")
def browser():
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("Chromium is not there")
    with sync_playwright() as playwright:
        own = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield own
        own.close()


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    shutil.copy(CENSUS, folder)
    return folder


@pytest.fixture
def served(root, tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    own = Served(root, scratch)
    yield own
    own.end()


@pytest.fixture
def context(browser, served):
    own = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-GB")
    page = own.new_page()
    page.goto(served.way_in)
    served.base = page.url.rstrip("/")
    page.close()
    yield own
    own.close()


@pytest.fixture
def page(context, served):
    own = context.new_page()
    # The slowest machine may take this long: it fits answers while other jobs compile.
    own.set_default_timeout(300_000)
    problems = []
    own.on("pageerror", lambda error: problems.append(str(error)))
    # Status 422 reports a form that could not be applied; any other error is a defect.
    own.on("console", lambda line: problems.append(line.text) if line.type == "error" and "422" not in line.text else None)
    own.goto(served.base + "/")
    yield own
    assert not problems
