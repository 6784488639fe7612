"""Every refusal of the command has its exception, with the same words."""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import openveil as ov
import pytest
from conftest import csv_of, people, policy, run
from refusals import REFUSALS


@pytest.mark.parametrize("case", REFUSALS, ids=lambda case: case[0])
def test_refusals(case: tuple[str, tuple[str, str] | None, tuple[str, str] | None, str, str], folder: Path) -> None:
    _, said, changed, exception, part = case
    file, table = folder / "policy.toml", folder / "people.csv"
    if said is not None:
        text = file.read_text()
        assert said[0] in text
        file.write_text(text.replace(*said))
    if changed is not None:
        text = table.read_text()
        new = text.splitlines()[0] + "\n" if changed[0] == "ALL" else text.replace(*changed)
        table.write_text(new)
    told = run(folder, "publish", str(file), code=2)
    with pytest.raises(ov.OpenveilError) as caught:
        ov.publish(policy=file)
    assert type(caught.value).__name__ == exception, caught.value
    assert part in str(caught.value)
    # Options of the command are arguments here.
    told = told.replace("--i-accept-algorithm-disclosure", "i_accept_algorithm_disclosure=True")
    assert told == f"error: {caught.value}\n"
    assert not (folder / "out/release").exists()


def test_what_an_ineligible_table_allows() -> None:
    given = people()
    given["job"] = ["clerk"] * 60 + ["nurse"] * 40
    with pytest.raises(ov.IneligibleError) as caught:
        ov.publish(given, policy(model=ov.l_diversity(2)))
    assert (caught.value.value, caught.value.share, caught.value.largest_l) == ("clerk", 0.6, None)
    assert isinstance(caught.value, ov.RefusedError)


def test_errors_say_where_and_what_helps(folder: Path) -> None:
    given = people()
    given["age"][3] = given["age"][5] = None
    with pytest.raises(ov.InputError) as caught:
        ov.publish(given, policy())
    assert (caught.value.column, caught.value.rows) == (None, [3, 5])
    given["age"] = [*people()["age"][:-1], "old"]
    for table in (given, folder / "people.csv"):
        (folder / "people.csv").write_text(csv_of(given))
        with pytest.raises(ov.InputError) as caught:
            ov.publish(table, policy(known={"age": "integer", "sex": "text"}))
        assert (caught.value.column, caught.value.rows) == ("age", [99])
        assert (caught.value.help or "").startswith("correct the value, list it as `missing_values=")
    with pytest.raises(ov.IneligibleError) as ineligible:
        ov.publish(policy=policy(input=folder / "people.csv", output=folder / "out", strata="sex"))
    assert (ineligible.value.column, ineligible.value.strata) == ("job", ["sex"])
    with pytest.raises(ov.InputError) as caught:
        ov.publish({"age": [1, [2]], "job": ["a", "b"]}, policy())
    assert (caught.value.column, caught.value.rows) == ("age", [1])
    with pytest.raises(ov.OpenveilError) as other:
        ov.publish([1], policy())
    assert (other.value.column, other.value.rows) == (None, [])
    assert (other.value.help or "").startswith("pass a table")


def test_errors_are_of_the_kinds_that_python_expects(folder: Path) -> None:
    for kind, call in [
        (ValueError, lambda: ov.publish({"age": [1, None], "job": ["a", "b"]}, known="age", secret="job", model=ov.l_diversity(2))),
        (ValueError, lambda: ov.publish(people(), policy(model=ov.l_diversity(1)))),
        (ValueError, lambda: ov.audit(people(), sensitive="jobb")),
        (TypeError, lambda: ov.publish([1], policy())),
        (TypeError, lambda: ov.inspect(3)),
        (TypeError, lambda: ov.publish(people(), policy()).crosstab("age", bins=[0, 30])),
        (TypeError, lambda: ov.attack({"age": [1]}, folder / "policy.toml")),
        (OSError, lambda: ov.publish(people(), policy(), out=folder / "people.csv/out")),
    ]:
        with pytest.raises(kind) as caught:
            call()
        assert isinstance(caught.value, ov.OpenveilError) and str(caught.value)
        again = pickle.loads(pickle.dumps(caught.value))
        assert (type(again), str(again), again.rows) == (type(caught.value), str(caught.value), caught.value.rows)


def test_tables_have_as_many_columns_as_they_can() -> None:
    given = {f"c{number}": [0, 1] * 20 for number in range(300)}
    with pytest.raises(ov.PolicyError, match="publishes 301 columns, and a table can have 128") as caught:
        ov.publish({**given, "job": ["a", "b"] * 20}, known=list(given), secret="job", model=ov.l_diversity(2))
    assert caught.value.help == "give at least 173 of them the role `drop`"


def test_other_refusals(folder: Path, tmp_path: Path) -> None:
    for call in (
        lambda: ov.read_release(tmp_path / "nothing"),
        lambda: ov.audit(tmp_path / "nothing.csv", sensitive="job"),
        lambda: ov.Policy.read(tmp_path / "nothing.toml"),
        lambda: ov.inspect(tmp_path / "nothing.csv"),
        lambda: ov.check_schema(tmp_path / "nothing.toml"),
        lambda: ov.attack(tmp_path / "nothing", folder / "policy.toml"),
    ):
        with pytest.raises(FileNotFoundError, match="nothing") as missing:
            call()
        assert isinstance(missing.value, ov.FileError)
    for refused in (
        lambda: ov.verify(algorithm="covr", sensitive="1,1,2,2", l=2),
        lambda: ov.verify(algorithm="cover", sensitive="1,1,2,2", l=3),
        lambda: ov.compare(policy(), people(), trials=0),
        lambda: ov.audit(people(), sensitive="jobb"),
        lambda: ov.audit(people(), sensitive="job", risk_threshold=2),
        lambda: ov.set_threads(0),
        lambda: ov.publish(people(), policy()).query("agee > 3"),
        lambda: ov.publish(people(), policy()).query("age >"),
    ):
        with pytest.raises(ov.OpenveilError):
            refused()


def test_interrupts_end_the_work(tmp_path: Path) -> None:
    script = textwrap.dedent(
        """
        import openveil as ov
        rows = 600_000
        people = {"a": [i * 7919 % 9973 for i in range(rows)], "b": [i * 31 % 991 for i in range(rows)],
                  "s": [i % 50 for i in range(rows)]}
        table = ov._frames.take(people)[0]
        policy = ov.Policy(known=["a", "b"], secret="s", model=ov.l_diversity(8), algorithm="cover")
        try:
            print("ready", flush=True)
            while True:
                ov.publish(table, policy)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        """
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert out == "interrupted\n"
    assert child.returncode == 0


def test_threads() -> None:
    ov.set_threads(1)
    one = ov.publish(people(), policy(), test_seed=4)
    ov.set_threads(None)
    assert ov.publish(people(), policy(), test_seed=4).table == one.table


def test_forks_have_threads_of_their_own(tmp_path: Path) -> None:
    script = textwrap.dedent(
        """
        import os, sys
        import openveil as ov
        people = {"a": list(range(40)), "s": ["x", "y"] * 20}
        keywords = dict(known="a", secret="s", model=ov.l_diversity(2), test_seed=1)
        expected = ov.publish(people, **keywords).table
        child = os.fork()
        if child == 0:
            os._exit(0 if ov.publish(people, **keywords).table == expected else 1)
        _, status = os.waitpid(child, 0)
        sys.exit(os.waitstatus_to_exitcode(status))
        """
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], timeout=60, cwd=tmp_path)
    assert done.returncode == 0
