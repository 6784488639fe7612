"""``python -m openveil`` is the command ``openveil``."""

from ._command import main

main()
