"""Checks the documentation in CI: the notebooks run, and the site builds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

PACKAGE = Path(__file__).resolve().parent
NOTEBOOKS = PACKAGE.parent / "examples/python"


def main() -> None:
    resources = {"metadata": {"path": str(NOTEBOOKS)}}
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        NotebookClient(notebook, timeout=600, kernel_name="python3", resources=resources).execute()
    site = PACKAGE.parent / "target/python-site"
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    subprocess.run(build, cwd=PACKAGE, check=True)


if __name__ == "__main__":
    main()
