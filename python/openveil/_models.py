"""Privacy models, by the names and parameters of policies (docs/reference/policy.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class Model:
    """A privacy model: the section ``[privacy]`` of a policy, which a release must satisfy.

    >>> l_diversity(5)
    l_diversity(l=5)
    >>> l_diversity(5) & t_closeness(0.3)
    all_of(l_diversity(l=5), t_closeness(t=0.3, distance='equal'))
    """

    __slots__ = ("requirements",)

    def __init__(self, requirements: Sequence[Mapping[str, Any]]) -> None:
        self.requirements = [dict(requirement) for requirement in requirements]

    @property
    def section(self) -> dict[str, Any]:
        """The model as a section of a policy."""
        if len(self.requirements) == 1:
            return dict(self.requirements[0])
        return {"all": self.requirements}

    def __and__(self, other: Model) -> Model:
        return all_of(self, other)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self.requirements == other.requirements

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        one = [_repr(requirement) for requirement in self.requirements]
        return one[0] if len(one) == 1 else f"all_of({', '.join(one)})"


def _repr(requirement: Mapping[str, Any]) -> str:
    name = requirement["model"].replace("-", "_")
    rest = [f"{key}={value!r}" for key, value in requirement.items() if key != "model"]
    return f"{name}({', '.join(rest)})"


def _model(model: str, **parameters: Any) -> Model:
    given = {key: value for key, value in parameters.items() if value is not None}
    return Model([{"model": model, **given}])


def l_diversity(l: float, variant: str | None = None, c: float | None = None) -> Model:  # noqa: E741
    """Returns l-diversity: a value is guessed with a chance of at most 1/l (``variant="ratio"``).

    :param l: At least 2 (entropy: above 1).
    :param variant: ``"ratio"`` (default); ``"distinct"``: at least l values in a group; ``"entropy"``:
        an entropy of at least log l; ``"recursive"``: needs ``c``.
    :param c: Factor of recursive diversity, above 0.
    """
    return _model("l-diversity", variant=variant, l=l, c=c)


def k_anonymity(k: int) -> Model:
    """Returns k-anonymity: groups of at least k rows. It protects no value by itself."""
    return _model("k-anonymity", k=k)


def alpha_k_anonymity(alpha: float, k: int) -> Model:
    """Returns (α, k)-anonymity: groups of at least k rows, no value with a share above ``alpha`` (0 to 1)."""
    return _model("alpha-k-anonymity", alpha=alpha, k=k)


def p_sensitive_k_anonymity(p: int, k: int) -> Model:
    """Returns p-sensitive k-anonymity: groups of at least k rows with at least p values; 2 ≤ p ≤ k."""
    return _model("p-sensitive-k-anonymity", p=p, k=k)


def t_closeness(t: float, distance: str = "equal") -> Model:
    """Returns t-closeness: groups at an earth mover's distance of at most t (0 to 1) from the whole table.

    :param distance: ``"equal"``, ``"ordered"`` or ``"hierarchical"``.
    """
    return _model("t-closeness", t=t, distance=distance)


def rho1_rho2(rho1: float, rho2: float) -> Model:
    """Returns ρ1-ρ2 privacy: a value's share in a group is below rho2 if it is at most rho1 in the table."""
    return _model("rho1-rho2", rho1=rho1, rho2=rho2)


def kifer(bound: float, distance: str) -> Model:
    """Returns Kifer's model: groups at a distance of at most ``bound`` from the whole table.

    :param distance: ``"total-variation"``, ``"maximum"``, ``"euclidean"`` or
        ``"kullback-leibler"`` (in nats).
    """
    return _model("kifer", bound=bound, distance=distance)


def beta_likeness(beta: float, variant: str | None = None) -> Model:
    """Returns β-likeness: a value's share grows by at most ``beta`` times its share in the table.

    :param variant: ``"basic"`` (default) or ``"enhanced"``.
    """
    return _model("beta-likeness", beta=beta, variant=variant)


def delta_disclosure(delta: float) -> Model:
    """Returns δ-disclosure: the logarithms of a value's shares in group and table differ by < delta."""
    return _model("delta-disclosure", delta=delta)


def l_alpha_diversity(
    l: float,  # noqa: E741
    alpha: float,
    categories: Mapping[str, Sequence[str]] | Sequence[Sequence[str]],
    variant: str | None = None,
    weights: str | None = None,
    beta: int | None = None,
    c: float | None = None,
    over: str | None = None,
) -> Model:
    """Returns (l, α)-diversity: diversity, and a total weight of at least ``alpha`` in each group.

    :param categories: All values of the column by category, the most sensitive category first: lists, or
        a mapping from names of categories to lists. The names are for you; they are not used.
    :param variant: As in :func:`l_diversity`; ``recursive`` needs ``c``.
    :param weights: ``"uniform"`` or ``"sensitivity"``, whose exponent is ``beta``.
    :param over: See docs/reference/policy.md.
    """
    lists = categories.values() if isinstance(categories, Mapping) else categories
    return _model(
        "l-alpha-diversity",
        variant=variant,
        l=l,
        alpha=alpha,
        categories=[list(values) for values in lists],
        weights=weights,
        beta=beta,
        c=c,
        over=over,
    )


def all_of(*models: Model) -> Model:
    """Returns a model that requires several models at once."""
    return Model([requirement for model in models for requirement in model.requirements])
