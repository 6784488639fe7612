# %% [markdown]
# # "The file is 5-anonymous." May we hand it out?
#
# Somebody recoded a survey and dropped the rows that remained rare, so that no combination of age, degree and marital state has
# fewer than five people. What does the file disclose? The data is the General Social Survey (NORC, by way of the R package
# *stevedata*).

# %%
from pathlib import Path

import pandas as pd

import openveil as ov

here = next(p for p in [Path.cwd(), *Path.cwd().parents] if (p / "examples/census/census.csv").exists())
survey = pd.read_csv(here / "examples/census/census.csv").dropna()
survey = survey[survey["year"] >= 2012].drop(columns="year")

known = ["age", "gender", "educcat", "maritalcat"]
recoded = survey.assign(age=(survey["age"] // 5 * 5).astype(int).astype(str) + " and 4 more years")
file = recoded[recoded.groupby(known)["age"].transform("size") >= 5]
len(survey), len(file)

# %% [markdown]
# ## Measure
#
# `k` is what was promised. The other measures say what a reader who finds a person's class learns about the occupation.

# %%
audit = ov.audit(file, qi=known, sensitive="occrecode")
pd.Series(
    {
        "smallest class (k)": audit.k_anonymity,
        "fewest different occupations": audit.l_diversity,
        "highest share of an occupation in a class": audit.alpha_k_anonymity[0],
        "largest distance from the table (t)": audit.t_closeness,
    }
).round(2)

# %% [markdown]
# In some class most people share one occupation: whoever knows the four columns of such a person guesses it nearly surely,
# although every class has five people or more. k-anonymity hides rows, not values.

# %%
shares = file.groupby(known)["occrecode"].value_counts(normalize=True)
worst = shares.sort_values(ascending=False).head(5)
worst.round(2)

# %%
people = file.groupby(known)["occrecode"].agg(lambda own: own.value_counts(normalize=True).iloc[0] > 1 / 3)
exposed = file.set_index(known).index.map(people).to_numpy().mean()
f"{exposed:.0%} of the people are in a class in which one occupation has more than a third"

# %% [markdown]
# ## Ask for a bound instead
#
# The same table, published so that nobody's occupation can be guessed with a chance above 1/3:

# %%
release = ov.publish(survey, known=known, secret="occrecode", model=ov.l_diversity(3), test_seed=1)
own = ov.audit(release)
own.alpha_k_anonymity[0], own.l_diversity

# %%
assert audit.k_anonymity >= 5 and audit.alpha_k_anonymity[0] > 1 / 3 >= own.alpha_k_anonymity[0]
