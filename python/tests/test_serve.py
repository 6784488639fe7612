"""The page in the browser with its database query, which only Python offers."""

import http.client
import sqlite3
import subprocess
import sys
import time
from urllib.parse import urlencode

import pytest


@pytest.fixture
def way_in(tmp_path):
    command = "import sys; from openveil._command import main; sys.argv[0] = 'openveil'; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", command, "serve", "--no-browser"],
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        cwd=tmp_path,
    )
    yield process.stdout.readline().strip()
    process.terminate()
    assert process.wait(timeout=20) == 0


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

    def get(self, path):
        return self.send("GET", self.prefix + path, {"cookie": self.cookie}).read().decode()

    def post(self, path, **fields):
        headers = {"cookie": self.cookie, "origin": f"http://{self.host}"}
        assert self.send("POST", self.prefix + path, headers, urlencode(fields)).status == 303

    def settled(self):
        for _ in range(300):
            page = self.get("/")
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
