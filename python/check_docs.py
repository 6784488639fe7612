"""What CI checks of the documentation: the notebook runs, and the site builds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

PACKAGE = Path(__file__).resolve().parent
NOTEBOOK = PACKAGE.parent / "examples/python/quickstart.ipynb"


def main() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    resources = {"metadata": {"path": str(NOTEBOOK.parent)}}
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources=resources).execute()
    site = PACKAGE.parent / "target/python-site"
    build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(site)]
    subprocess.run(build, cwd=PACKAGE, check=True)


if __name__ == "__main__":
    main()
