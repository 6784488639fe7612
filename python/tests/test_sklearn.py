"""A step of a scikit-learn pipeline."""

from __future__ import annotations

import pickle
from typing import Any

import openveil as ov
import pytest
from conftest import PACKAGES, frame, people

pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import FunctionTransformer  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402


def step(**more: object) -> ov.Anonymizer:
    return ov.Anonymizer(known=["age", "sex"], secret="job", model=ov.l_diversity(3), **more)


@pytest.mark.parametrize("package", [*PACKAGES, "dict"])
def test_fit_transform(package: str) -> None:
    given = frame(package, people())
    made = step(random_state=1).fit_transform(given)
    assert type(made) is type(given)
    fitted = step().fit(given)
    assert fitted.release_.guarantee["max_posterior"] == "1/3"
    assert list(fitted.get_feature_names_out()) == ["age", "sex", "job", "group"]
    assert fitted.n_features_in_ == 4


def test_in_a_pipeline() -> None:
    pandas = pytest.importorskip("pandas")
    given = pandas.DataFrame(people())
    count = FunctionTransformer(lambda table: table.groupby("job").size())
    assert list(make_pipeline(step(), count).fit_transform(given)) == [25] * 4


def test_what_makes_no_sense_is_refused() -> None:
    given = people()
    with pytest.raises(ov.InputError, match="another order"):
        step().fit(given, [1] * 100)
    fitted = step().fit(given)
    with pytest.raises(ov.InputError, match="another release"):
        fitted.transform(people())


class OfMatrices(ov.Anonymizer):
    """Names the columns of scikit-learn's matrices, and leaves `y` out: `Anonymizer` refuses both."""

    def fit(self, X: Any, y: Any = None) -> OfMatrices:
        if getattr(X, "ndim", 0) != 2 or type(X).__module__.startswith("scipy"):
            return super().fit(X)
        import pandas as pd

        super().fit(pd.DataFrame(X, columns=[f"x{at}" for at in range(X.shape[1])]))
        self._table = X
        return self


_OTHER = "a release is of one table: another one, a part of it, or a copy is not transformed"
_COLUMNS = "roles need a known and a secret column, and a model needs several rows"
_WORDS = "it is refused, in other words than scikit-learn's"

#: Checks that do not apply, and why.
REASONS = {
    "check_complex_data": _COLUMNS,
    "check_dtype_object": _WORDS,
    "check_estimators_empty_data_messages": _WORDS,
    "check_estimators_nan_inf": _WORDS,
    "check_estimators_pickle": "a pickle does not hold the table, so nothing is transformed after it",
    "check_fit2d_1feature": _COLUMNS,
    "check_fit2d_1sample": _COLUMNS,
    "check_fit2d_predict1d": _WORDS,
    "check_fit_idempotent": _OTHER,
    "check_methods_sample_order_invariance": _OTHER,
    "check_methods_subset_invariance": _OTHER,
    "check_transformer_data_not_an_array": "tables have Arrow streams and names of columns; other objects are refused",
    "check_transformer_preserve_dtypes": "a frame comes back, in which each column has its own type",
}


@pytest.mark.filterwarnings("ignore")
def test_the_checks_of_scikit_learn() -> None:
    step = OfMatrices(known="x1", secret="x0", style="anatomy", smallest_group=2)
    found = check_estimator(step, on_fail=None, on_skip=None)
    failed = {own["check_name"] for own in found if own["status"] == "failed"}
    assert failed == set(REASONS)
    assert sum(own["status"] == "passed" for own in found) >= 20


def test_random_state_repeats_a_release_and_warns() -> None:
    given = people()
    with pytest.warns(ov.OpenveilWarning, match="unfit for publication"):
        made = step(random_state=7).fit_transform(given)
    assert made == ov.publish(given, known=["age", "sex"], secret="job", drop=True, model=ov.l_diversity(3), test_seed=7).table


def test_a_pickle_does_not_hold_the_table() -> None:
    fitted = step().fit(people())
    held = pickle.dumps(fitted)
    assert b"p17" not in held
    with pytest.raises(ov.InputError, match="another release"):
        pickle.loads(held).transform(people())
    assert pickle.loads(held).release_.manifest == fitted.release_.manifest
