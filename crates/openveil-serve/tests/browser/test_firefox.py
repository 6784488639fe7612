"""The page in Firefox: every step to a release, and every page with a checker of accessibility. Needs
`selenium` (PyPI), Firefox (Debian's `firefox-esr`) and `geckodriver` (crates.io: `cargo install geckodriver`)."""

import shutil
from pathlib import Path

import axe_playwright_python
import pytest

from test_page import PAGES

webdriver = pytest.importorskip("selenium.webdriver")
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()

# Seconds that the slowest machine may take.
PATIENCE = 300


@pytest.fixture(scope="module")
def firefox():
    browser = shutil.which("firefox-esr") or shutil.which("firefox")
    driver = shutil.which("geckodriver")
    if browser is None or driver is None:
        pytest.skip("Firefox or geckodriver is not there")
    options = webdriver.FirefoxOptions()
    options.add_argument("-headless")
    options.binary_location = browser
    own = webdriver.Firefox(options=options, service=webdriver.FirefoxService(executable_path=driver))
    yield own
    own.quit()


@pytest.fixture
def entered(firefox, served):
    firefox.get(served.way_in)
    served.base = firefox.current_url.rstrip("/")
    return firefox


def wait(browser, how, what):
    return WebDriverWait(browser, PATIENCE).until(lambda own: own.find_element(how, what))


def button(browser, name):
    return browser.find_element(By.XPATH, f"//button[normalize-space()='{name}']")


def released(browser, base):
    button(browser, "census.csv").click()
    wait(browser, By.PARTIAL_LINK_TEXT, "describe the columns").click()
    wait(browser, By.CSS_SELECTOR, "fieldset.column svg rect")
    browser.get(base + "/publish")
    button(browser, "Try on a shuffled copy").click()
    wait(browser, By.ID, "beside")
    button(browser, "Publish").click()
    wait(browser, By.ID, "published")


def test_from_a_table_to_a_release_in_firefox(entered, served):
    released(entered, served.base)
    entered.get(served.base + "/check")
    entered.find_element(By.ID, "where").send_keys("age >= 30")
    button(entered, "Ask").click()
    wait(entered, By.ID, "answer")
    button(entered, "Measure").click()
    wait(entered, By.XPATH, "//*[contains(@class, 'document')][contains(., 'The smallest group has')]")


def test_every_page_is_for_everybody_in_firefox(entered, served):
    released(entered, served.base)
    for width in [400, 1280]:
        entered.set_window_size(width, 900)
        for name in PAGES:
            entered.get(f"{served.base}/{name}")
            # The window's frame takes some of the width.
            inside = entered.execute_script("return window.innerWidth")
            assert entered.execute_script("return document.documentElement.scrollWidth") <= inside, (name, width)
            entered.execute_script(AXE)
            found = entered.execute_async_script("axe.run().then(arguments[0])")
            assert found["violations"] == [], (name, width, [own["id"] for own in found["violations"]])
