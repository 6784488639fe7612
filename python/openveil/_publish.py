"""Publishing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from . import _openveil, _progress
from ._documents import Document, document
from ._frames import TableLike, to_polars
from ._policy import Policy, PolicyKeywords, of_table, resolved
from ._release import Release, checked_seed
from ._types import Back
from ._warnings import warn
from ._words import plain

if TYPE_CHECKING:
    from typing_extensions import Unpack


def publish(
    table: TableLike | None = None,
    policy: Policy | str | os.PathLike[str] | None = None,
    *,
    to: Any = None,
    out: str | os.PathLike[str] | None = None,
    test_seed: int | None = None,
    i_accept_algorithm_disclosure: bool = False,
    certify: bool = False,
    measure: bool = False,
    without_sample: Sequence[str | os.PathLike[str]] = (),
    progress: bool | None = None,
    **keywords: Unpack[PolicyKeywords],
) -> Release:
    """Anonymise a table and check the result.

    The release is written only if ``out`` or ``to`` is given. Publish once: each run makes another release,
    and the guarantee covers one. A run that is refused because of values discloses something about them, so it is
    recorded in ``owner/`` of the policy's ``output`` (by default the folder ``out``), and later releases of policies
    with this ``output`` mention it. Give each table an ``output`` of its own.

    :param table: A table of any Arrow package, a ``dict`` of lists, or a path; by default the policy's
        file.
    :param policy: A policy, or the path of a policy file.
    :param to: A connection and a name, ``(connection, "people")``: the table is made there, completely
        or not at all.
    :param out: A folder that gets ``release/`` (may be published) and ``owner/`` (may not).
    :param test_seed: Repeats the random draws, for tests. The release is marked as unfit for
        publication.
    :param i_accept_algorithm_disclosure: Allow an algorithm that is known to disclose values.
    :param certify: Add a certificate for each person to the owner's part.
    :param measure: Measure errors with the true values, for the owner's part.
    :param without_sample: Files of samples from :func:`compare`. Their rows are left out.
    :param progress: Show progress; by default on a terminal or in a notebook, if tqdm is installed.
    :param keywords: The keywords of :class:`Policy`, instead of ``policy``:
        ``ov.publish(people, known=["age"], secret="job", model=ov.l_diversity(5))``.
    :returns: The release.
    :raises PolicyError: If the policy is not valid.
    :raises InputError: If the table does not fit the policy.
    :raises IneligibleError: If the model asks more than the table allows.
    :raises FileError: If a file cannot be read or written.

    ``out`` and ``to`` are checked before the release is made. If writing fails all the same, the
    exception has the release as ``release``. Warns (:class:`OpenveilWarning`) as the command does;
    :attr:`Release.warnings` has the same notes.
    """
    from ._read import check_writable, write

    made = resolved(policy, keywords)
    if to is not None:
        check_writable(to, several="[[rules]]" in made.toml)
    with made._spoken(), _progress.bars(progress) as tell:
        native, give = of_table(made, table)
        native = native.with_(without_sample=[os.fspath(file) for file in without_sample])
        published = _openveil.publish(
            native,
            out=out,
            test_seed=checked_seed(test_seed),
            accept_algorithm_disclosure=i_accept_algorithm_disclosure,
            certify=certify,
            measure=measure,
            views=isinstance(give, Back) and give.to is to_polars,
            progress=tell,
        )
    release = Release(published, give)
    with _kept(release):
        # First: the release is measured while it is written.
        if out is not None:
            release.save(out)
        owner, warnings = published.owner(made._by_keywords)
        release._owner = document(owner)
        release.warnings = [plain(note) for note in warnings]
        release.checklist = list(release.owner["checklist"])
        if to is not None:
            write(release, to)
        warn(release.warnings, stacklevel=2)
    return release


@contextmanager
def _kept(release: Release) -> Iterator[None]:
    """Attaches the release to an exception: another run would be another release."""
    try:
        yield
    except BaseException as error:
        with suppress(AttributeError, TypeError):
            error.release = release  # type: ignore[attr-defined]
        raise


def plan(
    table: TableLike | None = None,
    policy: Policy | str | os.PathLike[str] | None = None,
    **keywords: Unpack[PolicyKeywords],
) -> Document:
    """Returns what :func:`publish` would do, without doing it.

    It uses the policy, the histogram and other public facts; if these refuse it, that is recorded as in
    :func:`publish`. Warns as :func:`publish` does; the document
    has ``warnings`` and ``checklist``.
    """
    made = resolved(policy, keywords)
    with made._spoken():
        native, _ = of_table(made, table)
        planned = document(_openveil.plan(native, made._by_keywords))
    warn([plain(note) for note in planned["warnings"]], stacklevel=2)
    return planned
