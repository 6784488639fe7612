"""The page in the browser: its database query, which only Python offers, and its releases beside those of other fronts."""

import http.client
import io
import re
import sqlite3
import subprocess
import sys
import time
import zipfile
from contextlib import contextmanager
from urllib.parse import urlencode

import openveil as ov
import pytest
from conftest import csv_of, run


@contextmanager
def serving(tmp_path, *arguments):
    command = "import sys; from openveil._command import main; sys.argv[0] = 'openveil'; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", command, "serve", "--no-browser", *arguments],
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        cwd=tmp_path,
    )
    yield process.stdout.readline().strip()
    process.terminate()
    assert process.wait(timeout=20) == 0


@pytest.fixture
def way_in(tmp_path):
    with serving(tmp_path) as address:
        yield address


class Browser:
    def __init__(self, way_in):
        self.host, _, path = way_in.removeprefix("http://").partition("/")
        answer = self.send("GET", "/" + path, {})
        assert answer.status == 303
        self.prefix = answer.getheader("location").rstrip("/")
        self.cookie = answer.getheader("set-cookie").split(";")[0]

    def send(self, method, path, headers, body=None):
        connection = http.client.HTTPConnection(self.host, timeout=30)
        connection.request(method, path, body, headers)
        return connection.getresponse()

    def file(self, path):
        return self.send("GET", self.prefix + path, {"cookie": self.cookie}).read()

    def get(self, path):
        return self.file(path).decode()

    def bring(self, name, content):
        headers = {"cookie": self.cookie, "origin": f"http://{self.host}"}
        assert self.send("PUT", f"{self.prefix}/upload?name={name}", headers, content).status == 204
        return self.settled()

    def post(self, path, **fields):
        headers = {"cookie": self.cookie, "origin": f"http://{self.host}"}
        assert self.send("POST", self.prefix + path, headers, urlencode(fields)).status == 303

    def settled(self, path="/"):
        for _ in range(300):
            page = self.get(path)
            if 'id="progress"' not in page:
                return page
            time.sleep(0.1)
        raise AssertionError("it never ends")


def test_a_query_becomes_a_table(tmp_path, way_in):
    path = tmp_path / "people.db"
    with sqlite3.connect(path) as connection:
        connection.execute("create table people (age integer, job text)")
        people = [(20 + i % 40, "abcde"[i % 5]) for i in range(100)]
        connection.executemany("insert into people values (?, ?)", people)
    connection.close()
    browser = Browser(way_in)
    assert '/ask"' in browser.get("/")
    browser.post("/ask", place="sqlite:///people.db", query="select * from people")
    page = browser.settled()
    assert "query: 100 rows, 2 columns." in page, page
    assert "blockquote" in browser.get("/promise")
    browser.post("/publish")
    for _ in range(100):
        page = browser.get("/publish")
        if 'id="published"' in page:
            break
        time.sleep(0.1)
    else:
        raise AssertionError(page)


def test_what_a_database_cannot_answer_is_said(way_in):
    browser = Browser(way_in)
    for place, said in [
        ("sqlite:///nowhere.db", "there is no such file"),
        ("ftp://x", "not the address of a database"),
    ]:
        browser.post("/ask", place=place, query="select 1")
        page = ""
        # The page may still show the previous message.
        for _ in range(100):
            page = browser.settled()
            if said in page:
                break
            time.sleep(0.1)
        assert said in page


def _twelve():
    """The policies of r/tests/testthat/test-same-as-command.R, in its order."""
    model = ov.l_diversity(2)
    each = [
        {}, {"style": "slice"}, {"style": "anatomy"}, {"cells": "bounds"}, {"algorithm": "cover"}, {"algorithm": "halving"},
        {"algorithm": "rda"}, {"model": ov.l_diversity(3, variant="distinct"), "style": "slice"}, {"model": ov.t_closeness(0.5)},
        {"strata": "sex"}, {"smallest_group": 10}, {"model": ov.all_of(model, ov.k_anonymity(8))},
    ]
    return [{"model": model, **own} for own in each]


def test_releases_are_those_of_the_command_and_the_package_byte_for_byte(tmp_path):
    rows = range(1, 301)
    people = {
        "age": [20 + row * 7 % 41 for row in rows],
        "sex": ["mf"[row % 2 == 0] for row in rows],
        "job": [["nurse", "clerk", "judge", "smith", "cook"][row * 13 % 5] for row in rows],
        "pay": [1000 + row * 37 % 400 for row in rows],
    }
    (tmp_path / "people.csv").write_text(csv_of(people))
    with serving(tmp_path, "--test-seed", "7") as address:
        browser = Browser(address)
        browser.bring("people.csv", (tmp_path / "people.csv").read_bytes())
        for at, keywords in enumerate(_twelve()):
            policy = ov.Policy(known={"age": "integer", "sex": "text"}, secret="job", drop="pay", input="people.csv", **keywords)
            (tmp_path / "policy.toml").write_text(policy.toml)
            run(tmp_path, "publish", "policy.toml", "--out", f"theirs-{at}", "--test-seed", "7")
            files = {path.name: path.read_bytes() for path in (tmp_path / f"theirs-{at}/release").glob("*.csv")}
            assert files
            ov.publish(people, policy, test_seed=7).save(f"ours-{at}")
            assert {name: (tmp_path / f"ours-{at}/release" / name).read_bytes() for name in files} == files
            version = re.search('name="version" value="([0-9]+)"', browser.get("/policy")).group(1)
            browser.post("/policy", version=version, text=policy.toml)
            browser.post("/publish")
            assert 'id="unfit"' in browser.settled("/publish")
            with zipfile.ZipFile(io.BytesIO(browser.file("/files/release.zip"))) as packed:
                made = {name.rpartition("/")[2]: packed.read(name) for name in packed.namelist()}
            assert {name: made.get(name) for name in files} == files
