"""Publishes tables about people without disclosing sensitive values.

    >>> import openveil as ov
    >>> people = {
    ...     "age": [31, 34, 45, 52, 38, 29],
    ...     "job": ["nurse", "clerk", "nurse", "judge", "judge", "clerk"],
    ... }
    >>> release = ov.publish(people, known=["age"], secret="job", model=ov.l_diversity(3))
    >>> release.manifest["rows"]
    6
    >>> release.guarantee["max_posterior"]
    '1/3'

Functions take tables of any package with Arrow streams (pyarrow, polars, pandas, DuckDB, ibis), and
paths. They return tables as the kind that was given. Names and defaults are the same as in the
command ``openveil``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._audit import Audit
from ._check import check, checked
from ._commands import attack, audit, check_schema, compare, explain, inspect, report, verify
from ._documents import Document
from ._errors import (
    CheckError,
    FileError,
    FileMissingError,
    IneligibleError,
    InputError,
    InputTypeError,
    OpenveilError,
    PolicyError,
    RefusedError,
)
from ._fit import Fit
from ._models import (
    Model,
    all_of,
    alpha_k_anonymity,
    beta_likeness,
    delta_disclosure,
    k_anonymity,
    kifer,
    l_alpha_diversity,
    l_diversity,
    p_sensitive_k_anonymity,
    rho1_rho2,
    t_closeness,
)
from ._openveil import __version__, set_threads
from ._policy import Policy
from ._pool import Pooled, pool
from ._publish import plan, publish
from ._read import read
from ._release import Release, read_release
from ._warnings import OpenveilWarning

if TYPE_CHECKING:
    from . import plots as plots
    from . import risks as risks
    from ._sklearn import Anonymizer

__all__ = [
    "Anonymizer",
    "Audit",
    "CheckError",
    "Document",
    "FileError",
    "FileMissingError",
    "Fit",
    "IneligibleError",
    "InputError",
    "InputTypeError",
    "Model",
    "OpenveilError",
    "OpenveilWarning",
    "Policy",
    "PolicyError",
    "Pooled",
    "RefusedError",
    "Release",
    "__version__",
    "all_of",
    "alpha_k_anonymity",
    "attack",
    "audit",
    "beta_likeness",
    "check",
    "check_schema",
    "checked",
    "compare",
    "delta_disclosure",
    "explain",
    "inspect",
    "k_anonymity",
    "kifer",
    "l_alpha_diversity",
    "l_diversity",
    "p_sensitive_k_anonymity",
    "plan",
    "pool",
    "publish",
    "read",
    "read_release",
    "report",
    "rho1_rho2",
    "set_threads",
    "t_closeness",
    "verify",
]


def __getattr__(name: str) -> object:
    # Modules that need other packages are imported on first use.
    if name == "Anonymizer":
        from ._sklearn import Anonymizer

        return Anonymizer
    if name in ("plots", "risks"):
        import importlib

        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
