#!/usr/bin/env python3
"""Time a whole release, from CSV to published files, beside polars.

    cargo build --release -p openveil -p openveil-lab
    python3 crates/openveil-lab/whole_process.py --rows 600000 --rows 10000000

For each number of rows the made-up census is generated into a temporary
folder; then `openveil publish` and a plain read and write of the same file
with polars take turns. Times are wall-clock seconds, memory is the peak
resident set of the process (never below this script's own, which a child
starts with). polars is timed inside its process, so that importing it does
not count; `openveil` is timed from start to exit.

Nothing is built here: target/release/openveil and target/release/generate
have to exist.
"""

import argparse
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BINARIES = Path(__file__).resolve().parents[2] / "target" / "release"
SEED = 1

POLICY = """\
[input]
path = {input}

[columns]
age = {{ role = "quasi-identifier", type = "integer" }}
gender = {{ role = "quasi-identifier" }}
education = {{ role = "quasi-identifier" }}
birthplace = {{ role = "quasi-identifier" }}
occupation = {{ role = "sensitive" }}

[privacy]
model = "l-diversity"
l = 8

[algorithm]
name = "cover"

[output]
dir = {output}
"""

POLARS = """\
import sys, time
import polars
start = time.perf_counter()
polars.read_csv(sys.argv[1]).write_csv(sys.argv[2])
print(time.perf_counter() - start)
"""


class Failed(Exception):
    """A command that did not succeed, with what it said."""


def measure(command):
    """Runs a command: its output, wall time in seconds, peak memory in MiB."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            err.seek(0)
            said = err.read().decode(errors="replace").strip()
            raise Failed(f"{' '.join(map(str, command))}\n{said}")
        out.seek(0)
        # Kilobytes on Linux, bytes on macOS.
        unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
        return out.read().decode(), seconds, usage.ru_maxrss / unit


def generate(rows, path):
    with open(path, "wb") as file:
        subprocess.run(
            [BINARIES / "generate", str(rows), str(SEED)], stdout=file, check=True
        )


def run_openveil(folder, people, run):
    """A release into a folder of its own, which must not exist before."""
    policy = folder / f"policy-{run}.toml"
    output = folder / f"release-{run}"
    # A JSON string is a TOML string.
    text = POLICY.format(input=json.dumps(str(people)), output=json.dumps(str(output)))
    policy.write_text(text)
    _, seconds, memory = measure([BINARIES / "openveil", "publish", policy])
    shutil.rmtree(output, ignore_errors=True)
    return seconds, memory


def run_polars(folder, people):
    command = [sys.executable, "-c", POLARS, people, folder / "polars.csv"]
    inside, _, memory = measure(command)
    return float(inside), memory


def medians(runs):
    seconds, memory = zip(*runs)
    return {
        "seconds": statistics.median(seconds),
        "memory_mib": statistics.median(memory),
        "runs": list(seconds),
    }


def compare(rows, repeats, with_polars):
    with tempfile.TemporaryDirectory(prefix="openveil-lab-") as name:
        folder = Path(name)
        people = folder / "people.csv"
        generate(rows, people)
        openveil, polars = [], []
        for run in range(repeats):
            openveil.append(run_openveil(folder, people, run))
            if with_polars:
                polars.append(run_polars(folder, people))
        result = {
            "rows": rows,
            "input_mib": people.stat().st_size / (1 << 20),
            "openveil": medians(openveil),
            "polars": None,
            "ratio": None,
        }
        if polars:
            result["polars"] = medians(polars)
            result["ratio"] = (
                result["openveil"]["seconds"] / result["polars"]["seconds"]
            )
        return result


def cell(measured, key, digits):
    return "-" if measured is None else f"{measured[key]:.{digits}f}"


def table(results):
    heading = ["rows", "openveil s", "MiB", "polars s", "MiB", "ratio"]
    lines = [heading]
    for result in results:
        openveil, polars = result["openveil"], result["polars"]
        lines.append(
            [
                f"{result['rows']:,}",
                cell(openveil, "seconds", 3),
                cell(openveil, "memory_mib", 0),
                cell(polars, "seconds", 3),
                cell(polars, "memory_mib", 0),
                "-" if result["ratio"] is None else f"{result['ratio']:.2f}",
            ]
        )
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join(
        "  ".join(text.rjust(width) for text, width in zip(line, widths))
        for line in lines
    )


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return number


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--rows", type=positive, action="append", help="table size; may be repeated"
    )
    parser.add_argument(
        "--repeats", type=positive, default=5, help="runs of each (default 5)"
    )
    parser.add_argument(
        "--json", action="store_true", help="print JSON instead of a table"
    )
    return parser.parse_args()


def main():
    options = arguments()
    for binary in ["openveil", "generate"]:
        if not (BINARIES / binary).exists():
            return (
                f"{BINARIES / binary} is missing; run "
                "`cargo build --release -p openveil -p openveil-lab` first"
            )
    with_polars = importlib.util.find_spec("polars") is not None
    if not with_polars:
        print(
            "polars is not installed (`pip install polars`); going on without it",
            file=sys.stderr,
        )
    try:
        results = [
            compare(rows, options.repeats, with_polars)
            for rows in options.rows or [600_000]
        ]
    except (Failed, subprocess.CalledProcessError) as failure:
        return str(failure)
    print(json.dumps(results, indent=2) if options.json else table(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
