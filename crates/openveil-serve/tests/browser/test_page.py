"""Every step with the keyboard alone, every page with an accessibility checker, and forbidden requests."""

import http.server
import threading
import zipfile

import pytest
from axe_playwright_python.sync_playwright import Axe

PAGES = ["", "columns", "promise", "ahead", "hierarchies", "hierarchies/edit?column=educcat", "publish", "check", "policy", "rules"]

# Milliseconds that the slowest machine may take for one second's work.
PATIENCE = 300_000


def bring(page, name="census.csv"):
    page.get_by_role("button", name=name).click()
    page.get_by_role("link", name="Next: describe the columns").wait_for(timeout=PATIENCE)


def publish(page, base):
    page.goto(base + "/publish")
    page.get_by_role("button", name="Publish", exact=True).click()
    page.locator("#published").wait_for(timeout=PATIENCE)


class Keyboard:
    """A person without a mouse. Counts the keys pressed other than Tab."""

    def __init__(self, page):
        self.page = page
        self.actions = 0

    def at(self):
        """The focused element: its kind and its name."""
        return self.page.evaluate(
            "(() => { const e = document.activeElement; const l = e.labels && e.labels[0];"
            " return [e.tagName, (l ? l.innerText : e.innerText || '').trim()]; })()"
        )

    def reach(self, name, kind="A BUTTON INPUT SELECT"):
        for _ in range(80):
            self.page.keyboard.press("Tab")
            own_kind, own_name = self.at()
            if own_kind in kind and own_name.startswith(name):
                return
        pytest.fail(f"Tab never comes to {name}")

    def press(self, key):
        self.actions += 1
        self.page.keyboard.press(key)

    def follow(self, name, kind="A BUTTON"):
        self.reach(name, kind)
        self.press("Enter")


def test_from_the_start_to_a_release_with_the_keyboard_alone(page):
    keys = Keyboard(page)
    keys.follow("census.csv")
    page.get_by_role("link", name="Next: describe the columns").wait_for(timeout=PATIENCE)
    keys.follow("Next: describe the columns")
    page.wait_for_url("**/columns")
    keys.follow("Save and choose the guarantee")
    page.wait_for_url("**/promise")
    page.get_by_text("chance above 1/4").wait_for(timeout=PATIENCE)
    keys.reach("l", "INPUT")
    keys.press("ArrowRight")
    page.get_by_text("chance above 1/5").wait_for(timeout=PATIENCE)
    assert page.evaluate("document.activeElement.id") == "p-l", "the keyboard stays where it was"
    page.reload()
    assert page.get_by_text("chance above 1/5").count() == 1, "nothing is lost by a reload"
    keys.follow("Next: publish")
    page.wait_for_url("**/publish")
    keys.follow("Publish", "BUTTON")
    page.locator("#published").wait_for(timeout=PATIENCE)
    assert "1/5" in page.locator("#published blockquote").inner_text()
    with page.expect_download() as download:
        keys.follow("Download the release")
    with zipfile.ZipFile(download.value.path()) as archive:
        names = set(archive.namelist())
    assert {"release/release.csv", "release/manifest.json", "release/report.html"} <= names
    assert not any("owner" in name for name in names)
    assert keys.actions <= 15, keys.actions


def test_every_page_is_for_everybody(context, page, served):
    bring(page)
    publish(page, served.base)
    page.goto(served.base + "/check")
    page.get_by_label("Condition").fill("age >= 30")
    page.get_by_role("button", name="Ask").click()
    page.locator("#answer").wait_for()
    for scheme in ["light", "dark"]:
        page.emulate_media(color_scheme=scheme)
        for width in [400, 1280]:
            page.set_viewport_size({"width": width, "height": 900})
            for name in PAGES:
                page.goto(f"{served.base}/{name}")
                found = Axe().run(page)
                assert found.violations_count == 0, (name, width, scheme, found.generate_report())
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
                if width == 1280:
                    assert page.evaluate("document.querySelector('nav').offsetHeight") < 50, "the steps are in one line"


def test_pages_are_light_and_ask_nobody_else(page, served):
    bring(page)
    asked = []
    page.on("response", lambda answer: asked.append((answer.url, len(answer.body()))))
    for name in PAGES:
        asked.clear()
        page.goto(f"{served.base}/{name}", wait_until="networkidle")
        assert all(url.startswith((served.base, "data:")) for url, _ in asked), asked
        assert sum(size for _, size in asked) <= 300_000


def test_everything_is_there_in_german(page, served):
    bring(page)
    page.get_by_role("button", name="Deutsch").click()
    assert page.locator("html").get_attribute("lang") == "de"
    for name in PAGES:
        page.goto(f"{served.base}/{name}")
        assert page.locator("h1").inner_text()
        assert page.get_by_role("link", name="Veröffentlichen", exact=True).count() == 1


def test_a_table_with_errors(page, served, root):
    (root / "broken.csv").write_text("age,job\n30,nurse\n31\n")
    page.goto(served.base + "/")
    page.get_by_role("button", name="broken.csv").click()
    alert = page.get_by_role("alert").filter(has_text="Something went wrong")
    alert.wait_for(timeout=PATIENCE)
    assert "line 3" in alert.inner_text()
    # The error disappears once it is corrected.
    bring(page)
    assert page.get_by_text("Something went wrong").count() == 0


def test_what_the_table_does_not_allow_is_said(page, served):
    bring(page)
    page.goto(served.base + "/promise")
    page.get_by_role("slider").fill("5")
    page.get_by_text("chance above 1/5").wait_for(timeout=PATIENCE)
    page.get_by_role("checkbox", name="gender").check()
    alert = page.get_by_role("alert").filter(has_text="strata")
    alert.wait_for(timeout=PATIENCE)
    assert "the largest possible l is 4" in alert.inner_text()
    page.go_back()
    page.goto(served.base + "/promise")
    assert page.get_by_role("checkbox", name="gender").is_checked()


def test_several_secrets(page, served):
    bring(page)
    page.goto(served.base + "/rules")
    page.get_by_role("button", name="Add a rule").click()
    given = page.get_by_role("group", name="A reader who knows")
    given.get_by_label("age").check()
    given.get_by_label("gender").check()
    page.get_by_role("group", name="must not find out").get_by_label("occrecode").check()
    page.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="Back to the guarantee").click()
    page.locator("#statement").wait_for(timeout=PATIENCE)
    publish(page, served.base)
    # Without rules, columns have their earlier roles again.
    page.goto(served.base + "/rules")
    page.get_by_role("button", name="Remove this rule").click()
    page.goto(served.base + "/policy")
    text = page.get_by_label("Policy").input_value()
    assert "attribute" not in text and "quasi-identifier" in text


def test_a_hierarchy_by_hand(page, served):
    bring(page)
    page.goto(served.base + "/hierarchies/edit?column=educcat")
    page.get_by_label("High School", exact=True).check()
    page.get_by_label("Less Than High School").check()
    page.get_by_label("Name of the branch").fill("School")
    page.get_by_role("button", name="Group", exact=True).click()
    page.get_by_role("button", name="Ungroup School").wait_for(timeout=PATIENCE)
    page.locator("li", has_text="Junior College").last.drag_to(page.locator("li[data-branch=School] > label"))
    page.locator("li[data-branch=School] li", has_text="Junior College").wait_for(timeout=PATIENCE)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download this hierarchy").click()
    lines = open(download.value.path(), encoding="utf-8").read().splitlines()
    assert "High School;School;*" in lines and "Junior College;School;*" in lines
    # The file for ARX can be read again.
    page.get_by_label("One line per value").fill("\n".join(lines))
    page.get_by_role("button", name="Use it").click()
    page.get_by_role("button", name="Ungroup School").wait_for(timeout=PATIENCE)
    page.get_by_label("One line per value").fill("Bachelor;x;*")
    page.get_by_role("button", name="Use it").click()
    page.get_by_role("alert").filter(has_text="Something went wrong").wait_for(timeout=PATIENCE)
    page.get_by_role("button", name="Remove the hierarchy").click()
    page.goto(served.base + "/hierarchies/edit?column=age")
    page.get_by_label("Widths of intervals").fill("5, 10")
    page.get_by_role("button", name="Make the hierarchy").click()
    page.get_by_text("[20, 24]").first.wait_for(timeout=PATIENCE)


def test_looking_ahead_and_checking(page, served):
    bring(page)
    page.goto(served.base + "/ahead")
    page.get_by_label("Values of l").fill("2, 4")
    page.get_by_role("button", name="Compare").click()
    page.locator("#comparison svg").first.wait_for(timeout=2 * PATIENCE)
    publish(page, served.base)
    page.goto(served.base + "/check")
    page.get_by_label("Condition").fill("gender = Female")
    page.get_by_role("button", name="Ask").click()
    page.get_by_text("true count (owner only)").wait_for()
    page.get_by_role("button", name="Measure").click()
    page.locator(".document").wait_for(timeout=PATIENCE)
    page.get_by_role("button", name="Attack").click()
    page.get_by_text("No attack broke the guarantee.").wait_for(timeout=2 * PATIENCE)


def test_two_tabs_at_once(context, page, served):
    bring(page)
    other = context.new_page()
    for own in [page, other]:
        own.goto(served.base + "/columns")
    page.locator("#role-0").select_option("drop")
    page.get_by_text("year is left out").wait_for()
    other.locator("#role-1").select_option("drop")
    other.get_by_text("The policy was changed meanwhile").wait_for()
    # Now it shows the current state, and accepts the change.
    assert other.locator("#role-0").input_value() == "drop"
    other.locator("#role-1").select_option("drop")
    other.get_by_text("age is left out").wait_for()


def test_files_that_are_dropped(page, served, tmp_path):
    hostile = tmp_path / "bomb.xlsx"
    hostile.write_bytes(b"PK\x03\x04" + b"\0" * 1000)
    page.set_input_files("#file", hostile)
    page.get_by_role("alert").filter(has_text="Something went wrong").wait_for(timeout=PATIENCE)
    fine = tmp_path / "<img src=x onerror=alert(1)>.csv"
    fine.write_text("age,job\n" + "".join(f"{20 + i % 40},{'abcde'[i % 5]}<b>\n" for i in range(100)))
    page.set_input_files("#file", fine)
    page.get_by_text("100 rows, 2 columns").wait_for(timeout=PATIENCE)
    assert page.locator("main img, main b").count() == 0


def test_a_million_rows_can_be_stopped_and_published(page, served, tmp_path):
    large = tmp_path / "million.csv"
    jobs = ["nurse", "clerk", "judge", "cook", "smith", "baker", "pilot", "tailor", "miner", "poet"]
    with open(large, "w", encoding="utf-8") as file:
        file.write("age,zip,sex,job\n")
        file.writelines(f"{18 + i * 7 % 73},{10000 + i * 7919 % 89999},{'fm'[i % 2]},{jobs[i * 31 % 10]}\n" for i in range(1_000_000))
    page.set_input_files("#file", large)
    page.get_by_text("1,000,000 rows").wait_for(timeout=4 * PATIENCE)
    page.goto(served.base + "/publish")
    page.get_by_role("button", name="Publish", exact=True).click()
    # After a reload the same job is shown.
    page.goto(served.base + "/publish")
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("Stopped").wait_for(timeout=2 * PATIENCE)
    publish(page, served.base)


def test_what_is_typed_fast_is_kept(page, served):
    bring(page)
    page.goto(served.base + "/promise")
    # Enter submits a form that is just being saved.
    page.locator("#odds").fill("1.2")
    page.keyboard.press("Enter")
    page.locator("#odds[value='1.2']").wait_for(timeout=PATIENCE)
    assert page.get_by_text("changed meanwhile").count() == 0
    page.goto(served.base + "/columns")
    page.get_by_text("More about this sensitive column").click()
    page.locator("#exempt-5").fill("Professional")
    page.get_by_role("button", name="Save and choose").click()
    page.wait_for_url("**/promise")
    assert page.get_by_text("changed meanwhile").count() == 0
    page.goto(served.base + "/policy")
    text = page.get_by_label("Policy").input_value()
    assert "Professional" in text and "odds = 1.2" in text


def test_another_port_does_not_get_the_cookie(context, page, served):
    """A page of another server that redirects to itself: cookies do not distinguish ports."""
    seen = []

    class Evil(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            seen.append(self.headers.get("cookie"))
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(b"<script>if (location.pathname === '/one') location = '/two'</script>")

        def log_message(self, *_):
            pass

    evil = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Evil)
    threading.Thread(target=evil.serve_forever, daemon=True).start()
    other = context.new_page()
    other.goto(f"http://127.0.0.1:{evil.server_port}/one")
    other.wait_for_url("**/two")
    evil.shutdown()
    assert len(seen) >= 2 and set(seen) == {None}


def test_another_site_gets_nothing(context, page, served):
    """A page of the same machine: cookies do not distinguish ports, but the server does."""
    bring(page)
    version = page.goto(served.base + "/policy").text().split('name="version" value="')[1].split('"')[0]
    attack = f"""<!doctype html><body>
      <form id=f method=post action="{served.base}/columns"><input name=version value={version}><input name=role-0 value=drop></form>
      <iframe id=i src="{served.base}/"></iframe><img id=m src="{served.base}/assets/style.css">
      <script>
        const tries = [fetch("{served.base}/", {{credentials: "include"}}), fetch("{served.base}/stop", {{method: "POST", mode: "no-cors", credentials: "include"}}).then((r) => {{ if (r.type === "opaque") throw 0; }})];
        Promise.allSettled(tries).then((all) => {{ document.title = all.map((one) => one.status).join(" "); }});
      </script>"""

    class Evil(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(attack.encode())

        def log_message(self, *_):
            pass

    evil = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Evil)
    threading.Thread(target=evil.serve_forever, daemon=True).start()
    other = context.new_page()
    answers = []
    other.on("response", lambda answer: answers.append((answer.url, answer.status)))
    other.goto(f"http://127.0.0.1:{evil.server_port}/")
    other.wait_for_function("document.title !== ''")
    assert other.title() == "rejected rejected"
    ours = [status for url, status in answers if url.startswith(served.base)]
    assert ours and set(ours) <= {403}, answers
    with other.expect_navigation() as sent:
        other.evaluate("document.getElementById('f').submit()")
    assert sent.value.status == 403
    evil.shutdown()
    page.goto(served.base + "/columns")
    assert page.locator("#role-0").input_value() == "quasi-identifier"


def test_a_browser_without_the_way_in_gets_nothing(browser, context, served):
    stranger = browser.new_context()
    page = stranger.new_page()
    server = served.way_in.split("/enter")[0]
    for name in ["", "columns", "files/policy.toml", "progress", "enter?token=0"]:
        assert page.goto(f"{server}/{name}").status == 401
        assert page.goto(f"{served.base}/{name}").status == 401
    # The first browser has already used the one-time link.
    assert page.goto(served.way_in).status == 401
    stranger.close()
