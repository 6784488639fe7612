# %% [markdown]
# # Who has affairs? A logit, from a release
#
# Fair (1978) asked 6,366 married women about affairs. Nobody may learn a person's answer from the table that is published. Does
# a happy marriage go with fewer affairs, and is that more than age? The table ships with *statsmodels*.
#
# `test_seed` repeats the random draws, so that the notebook shows the same every time. Such releases are marked as unfit for
# publication.

# %%
import matplotlib.pyplot as plt
import pandas as pd
import statsmodels.api as sm
import statsmodels.formula.api as smf

import openveil as ov
from openveil import plots

table = sm.datasets.fair.load_pandas().data
table["affair"] = table["affairs"].gt(0).map({True: "yes", False: "no"})
known = ["rate_marriage", "age", "religious", "educ"]
table = table[[*known, "affair"]]
table["affair"].value_counts(normalize=True).round(3)

# %% [markdown]
# ## Publish
#
# "No" is the answer of two thirds, and nothing to hide: it is exempt. Nobody can be said to have had an affair with a chance
# above 1/2, by a reader who knows all other columns of everybody.

# %%
release = ov.publish(table, known=known, secret={"affair": {"exempt": ["no"]}}, model=ov.l_diversity(2), style="anatomy", test_seed=1)
release

# %%
ax = plots.learned(release)

# %% [markdown]
# ## The logit of the release, and of the table
#
# Only the owner can make the second fit. The release shows the association with the marriage, in a wider interval.

# %%
formula = "affair ~ rate_marriage + age + religious"
fit = release.fit(formula, reference={"affair": "no"}, worlds=4)
truth = smf.logit("answer ~ rate_marriage + age + religious", table.assign(answer=table["affair"].eq("yes").astype(int))).fit(disp=0)
terms = ["rate_marriage", "age", "religious"]
beside = pd.DataFrame(
    {
        "table": truth.params[terms],
        "release": [fit.params["yes", term] for term in terms],
        "low": [fit.conf_int()["yes", term][0] for term in terms],
        "high": [fit.conf_int()["yes", term][1] for term in terms],
        "check": [fit.check[term] for term in terms],
    },
    index=terms,
)
beside.round(3)

# %%
own = beside.iloc[::-1]
fig, ax = plt.subplots(layout="constrained")
ax.errorbar(own["release"], own.index, xerr=[own["release"] - own["low"], own["high"] - own["release"]], fmt="o", capsize=3, label="release")
ax.plot(own["table"], own.index, "k|", markersize=16, label="table")
ax.axvline(0, color="0.7")
ax.set_xlabel("log odds of an affair")
ax.legend()

# %% [markdown]
# Each step of a happier marriage lowers the odds, and so does religion. The sign agrees with the table.

# %%
assert (beside["release"] * beside["table"])[["rate_marriage", "religious"]].gt(0).all()
