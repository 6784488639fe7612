"""Cases that the command refuses: the change, the exception, and a part of the message.

:mod:`test_refusals` tests both the command and the package with this list.
"""

from __future__ import annotations

#: name, (old, new) in the policy, (old, new) in the table, exception, part of the message
REFUSALS = [
    ("unknown key", ("l = 3", "l = 3\nfoo = 1"), None, "PolicyError", "foo"),
    ("unknown model", ('"l-diversity"', '"l-diversty"'), None, "PolicyError", "l-diversity"),
    ("no model", ('model = "l-diversity"\nl = 3', ""), None, "PolicyError", "model"),
    ("l too small", ("l = 3", "l = 1"), None, "PolicyError", "at least 2"),
    ("not TOML", ("[privacy]", "[privacy"), None, "PolicyError", "policy.toml, line"),
    ("no role", ('name = { role = "identifier" }', ""), None, "PolicyError", "name"),
    ("a column that is not there", ("sex =", "sexx ="), None, "PolicyError", "sexx"),
    ("unknown role", ('"identifier"', '"identifyer"'), None, "PolicyError", "identifyer"),
    ("ineligible", ("l = 3", "l = 5"), None, "IneligibleError", "largest possible l is 4"),
    ("too frequent", None, ("nurse", "clerk"), "IneligibleError", "in 50 of 100"),
    ("unsatisfiable", ("l = 3", 'l = 5\nvariant = "distinct"'), None, "IneligibleError", "4"),
    ("not a number", None, ("p3,23", "p3,abc"), "InputError", "`abc`"),
    ("missing", None, ("p3,23", "p3,"), "InputError", "age"),
    ("unknown algorithm", ("[privacy]", '[algorithm]\nname = "coverr"\n[privacy]'), None, "PolicyError", "cover"),
    ("unsafe", ("[privacy]", '[algorithm]\nname = "gda"\n[privacy]'), None, "RefusedError", "gda"),
    ("unknown style", ("[privacy]", '[output]\nstyle = "slices"\n[privacy]'), None, "PolicyError", "slice"),
    ("bounds on text", ('sex = { role = "quasi-identifier" }', 'sex = { role = "quasi-identifier", cells = "bounds" }'), None, "PolicyError", "bounds"),
    ("strata that are not known", ("l = 3", 'l = 3\nstrata = ["job"]'), None, "PolicyError", "job"),
    ("no rows", None, ("ALL", ""), "InputError", "no rows"),
    ("no table", ('"people.csv"', '"nobody.csv"'), None, "FileMissingError", "nobody.csv"),
]
