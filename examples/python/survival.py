# %% [markdown]
# # How long until the first affair? A survival model, from a release
#
# Fair's survey (6,366 married women, from *statsmodels*) says how long each has been married, and whether there was an affair so
# far: *current status data*. If the hazard grows as in a Weibull model, then the share with an affair after t years is
# 1 - exp(-exp(a + b log t + x)): a binomial regression with the link cloglog. Do religious women wait longer?
#
# The built-in regression has no such link. So the release is completed several times, the model is fitted to each table, and
# the results are pooled (Rubin's rules).

# %%
import numpy as np
import pandas as pd
import statsmodels.api as sm
import statsmodels.formula.api as smf

import openveil as ov

table = sm.datasets.fair.load_pandas().data
table["affair"] = table["affairs"].gt(0).map({True: "yes", False: "no"})
known = ["yrs_married", "rate_marriage", "religious"]
table = table[[*known, "affair"]]

release = ov.publish(table, known=known, secret={"affair": {"exempt": ["no"]}}, model=ov.l_diversity(2), style="anatomy", test_seed=1)
release


# %%
def model(own):
    own = own.assign(event=own["affair"].eq("yes").astype(int), log_years=np.log(own["yrs_married"]))
    family = sm.families.Binomial(sm.families.links.CLogLog())
    return smf.glm("event ~ log_years + rate_marriage + religious", own, family=family).fit()


pooled = ov.pool([model(own) for own in release.samples(8, worlds=4)])
pooled

# %% [markdown]
# Beside the model of the table, which only the owner can fit:

# %%
truth = model(table)
terms = ["log_years", "rate_marriage", "religious"]
beside = pd.DataFrame(
    {
        "table": truth.params[terms],
        "release": [pooled.params[term] for term in terms],
        "low": [pooled.conf_int()[term][0] for term in terms],
        "high": [pooled.conf_int()[term][1] for term in terms],
    },
    index=terms,
)
beside.round(3)

# %% [markdown]
# A negative coefficient means a lower hazard at every time. Intervals of models on completed tables contain the differences
# between the tables, but not the bias of the fitted model: take them as a guide.

# %%
assert pooled.params["religious"] < 0 and pooled.params["log_years"] > 0
