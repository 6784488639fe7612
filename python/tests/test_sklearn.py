"""A step of a scikit-learn pipeline."""

from __future__ import annotations

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
    made = step(test_seed=1).fit_transform(given)
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


def test_the_checks_of_scikit_learn() -> None:
    """Only the checks that fit nothing. The others pass matrices without names, and a `y`."""
    about = ("init", "get_params", "set_params", "repr", "cloneable", "unfitted", "constructible")
    found = check_estimator(ov.Anonymizer(), on_fail=None, on_skip=None)
    own = [check for check in found if any(part in check["check_name"] for part in about)]
    assert len(own) >= 6
    assert [check["check_name"] for check in own if check["status"] == "failed"] == []
    assert clone(step()).get_params()["secret"] == "job"
