"""The printed evidence, and the pictures in the docs."""

import os
import shutil

import pytest
from playwright.sync_api import expect
from conftest import REPOSITORY
from test_page import PATIENCE, bring, publish

PICTURES = REPOSITORY / "docs/steward/pictures"

# An A4 page has this much room between margins of 14 mm, in points of the screen.
WIDTH, HEIGHT = round(182 * 96 / 25.4), round(269 * 96 / 25.4)

# The four answers for a board.
PARTS = {
    "en": ["Who is protected", "Against whom", "The bound", "Not covered", "Not ready for a signature", "Data protection officer"],
    "de": ["Wer geschützt ist", "Gegenüber wem", "Die Schranke", "Nicht abgedeckt", "Noch nicht zur Unterschrift bereit", "Datenschutzbeauftragte Person"],
}


@pytest.fixture
def root(tmp_path):
    """The patients of the tutorial."""
    folder = tmp_path / "root"
    folder.mkdir()
    shutil.copy(REPOSITORY / "examples/hospital/stays.csv", folder)
    return folder


def evidence(page, base):
    page.goto(base + "/publish")
    page.locator("form[action$='/evidence'] button").click()
    page.locator(".annexes").wait_for(timeout=PATIENCE)


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_first_printed_page_answers_a_board(page, served, language):
    bring(page, "stays.csv")
    publish(page, served.base)
    if language == "de":
        page.get_by_role("button", name="Deutsch").click()
    evidence(page, served.base)
    assert page.locator("html").get_attribute("lang") == language
    page.emulate_media(media="print")
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    for part in PARTS[language]:
        box = page.get_by_text(part).first.bounding_box()
        assert box["y"] + box["height"] <= HEIGHT, part
    # The next page begins with the annexes.
    assert page.locator(".annexes").bounding_box()["y"] <= HEIGHT


def picture(page, name, parts):
    """Checks a page that the docs show, and its picture; OPENVEIL_WRITE=1 takes the picture anew."""
    for part in parts:
        expect(page.get_by_text(part).first).to_be_in_viewport()
    path = PICTURES / name
    if os.environ.get("OPENVEIL_WRITE") == "1":
        PICTURES.mkdir(exist_ok=True)
        page.screenshot(path=path)
    assert 0 < path.stat().st_size < 150_000, name


def test_the_pictures_in_the_docs(page, served):
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 640})
    bring(page, "stays.csv")
    page.goto(served.base + "/promise", wait_until="networkidle")
    page.locator("#gauge").evaluate("gauge => gauge.scrollIntoView()")
    picture(page, "guarantee.png", ["What a reader gets", "What an analyst gets"])
    publish(page, served.base)
    picture(page, "published.png", ["Download the release"])
    evidence(page, served.base)
    picture(page, "evidence.png", PARTS["en"][:3])
