"""Anonymisation as a step of a scikit-learn pipeline."""

from __future__ import annotations

import numbers
from typing import Any, Literal

from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ._frames import take
from ._models import Model, l_diversity
from ._errors import InputError
from ._policy import Columns, Policy, Style
from ._publish import publish
from ._warnings import warn


class Anonymizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A step that publishes the table it is fitted on; ``fit_transform`` returns the release's table.

    The rows of a release have another order, and no row belongs to one person. Therefore ``y`` is not
    accepted: make the target a column of ``X``. Another table cannot be transformed, because it would be
    another release.

    Parameters are those of :class:`openveil.Policy`; ``policy`` replaces all of them. The fitted attribute
    ``release_`` is the :class:`openveil.Release`.

    ``random_state`` is for tests: it repeats the random draws, and the release is marked as unfit for
    publication, with a warning.
    """

    def __init__(
        self,
        *,
        known: Columns = (),
        secret: Columns = (),
        other: Columns = (),
        drop: Columns | bool = True,
        model: Model | None = None,
        strata: Any = None,
        style: Style | None = None,
        algorithm: str | None = None,
        smallest_group: int | None = None,
        missing: Literal["error", "keep", "drop-rows"] | None = None,
        policy: Policy | None = None,
        random_state: Any = None,
    ) -> None:
        self.known = known
        self.secret = secret
        self.other = other
        self.drop = drop
        self.model = model
        self.strata = strata
        self.style = style
        self.algorithm = algorithm
        self.smallest_group = smallest_group
        self.missing = missing
        self.policy = policy
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Anonymizer:  # noqa: N803
        """Publish a table."""
        if y is not None:
            raise InputError(
                "the rows of a release are in another order than the rows of `y`"
                "\n  help: make the target a column of X"
            )
        policy = self.policy
        if policy is None:
            policy = Policy(
                known=self.known,
                secret=self.secret,
                other=self.other,
                drop=self.drop,
                model=self.model or l_diversity(2),
                strata=self.strata,
                style=self.style,
                algorithm=self.algorithm,
                smallest_group=self.smallest_group,
                missing=self.missing,
            )
        seed = None
        if self.random_state is not None:
            is_seed = isinstance(self.random_state, numbers.Integral)
            seed = int(self.random_state if is_seed else check_random_state(self.random_state).randint(2**31))
            warn(["`random_state` repeats the random draws: this release is unfit for publication"], stacklevel=2)
        self.release_ = publish(X, policy, test_seed=seed)
        self.feature_names_in_ = take(X)[0].columns
        self.n_features_in_ = len(self.feature_names_in_)
        self._table = X
        return self

    def __getstate__(self) -> dict[str, Any]:
        """A pickle holds the release, and not the table."""
        return {name: value for name, value in super().__getstate__().items() if name != "_table"}

    def transform(self, X: Any) -> Any:  # noqa: N803
        """Returns the release of the table that was fitted."""
        check_is_fitted(self, "release_")
        if X is not self.__dict__.get("_table", self):
            if hasattr(X, "shape"):
                validate_data(self, X, reset=False, skip_check_array=True)
            raise InputError("another table would be another release\n  help: fit on it")
        return self.release_.table

    def fit_transform(self, X: Any, y: Any = None, **_: Any) -> Any:  # noqa: N803
        """Publish a table, and return the published table."""
        return self.fit(X, y).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Returns the names of the released columns."""
        import numpy as np

        check_is_fitted(self, "release_")
        return np.asarray(take(self.release_.table)[0].columns, dtype=object)
