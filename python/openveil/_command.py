"""The command ``openveil``."""

from __future__ import annotations

import signal
import sys

from . import _openveil
from ._read import of_place


def main() -> None:
    """Run the command with the arguments of this process, and exit with its code."""
    # The command handles interrupts itself, and leaves nothing half-written.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_openveil.main(["openveil", *sys.argv[1:]], of_place))
