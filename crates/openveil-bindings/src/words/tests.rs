//! Messages of the engine in the words of Python and of R.

use super::Language::{Python, R};

#[test]
fn options_are_arguments() {
    let both = [
        ("leave `--certify` out", "leave `certify` out", "leave `certify` out"),
        ("ask by `--worlds 0`", "ask by `worlds=0`", "ask by `worlds = 0`"),
        (
            "use `--sensitive COLUMN` or `--policy FILE`",
            "use `sensitive=COLUMN` or `policy=FILE`",
            "use `secret = COLUMN` or `policy = FILE`",
        ),
        (
            "write for example `--odds 3 --informed 1`",
            "write for example `odds=3, informed=1`",
            "write for example `odds = 3, informed = 1`",
        ),
        ("counts: `--by a-b`", "counts: `by=\"a-b\"`", "counts: `by = \"a-b\"`"),
        (
            "(`openveil compare --true-values`)",
            "(`ov.compare(true_values=True)`)",
            "(`ov_compare(true_values = TRUE)`)",
        ),
        ("(`openveil compare --sample`)", "(`ov.compare(sample=…)`)", "(`ov_compare(sample = …)`)"),
        (
            "`openveil query` with `--policy`",
            "`Release.query` with `policy`",
            "`ov_query` with `policy`",
        ),
        (
            "--where, character 6: a value; --sampling-fraction 2",
            "`where`, character 6: a value; `sampling_fraction` 2",
            "`where`, character 6: a value; `sampling_fraction` 2",
        ),
        (
            "a column `--`, `openveil`, `age`",
            "a column `--`, `openveil`, `age`",
            "a column `--`, `openveil`, `age`",
        ),
    ];
    for (said, python, r) in both {
        assert_eq!(Python.of_options(said), python);
        assert_eq!(R.of_options(said), r);
    }
}

#[test]
fn keys_are_arguments() {
    let both = [
        (
            "set `missing = \"keep\"` under [input], or",
            "set `missing=\"keep\"`, or",
            "set `missing = \"keep\"`, or",
        ),
        (
            "under [input], set `trim = true`",
            "set `input={\"trim\": True}`",
            "set `input = list(trim = TRUE)`",
        ),
        (
            "set `varying = \"draw\"` under [persons]: one",
            "set `persons={\"varying\": \"draw\"}`: one",
            "set `persons = list(varying = \"draw\")`: one",
        ),
        ("`odds` under [reader] is not", "`odds` in `reader` is not", "`odds` in `reader` is not"),
        ("`decomposition` under [algorithm] has", "`decomposition` has", "`decomposition` has"),
        (
            "the policy has [[rules]]; no [history]",
            "the policy has `rules`; no `history`",
            "the policy has `rules`; no `history`",
        ),
        (
            "set `model = \"k-anonymity\"`",
            "set `model=ov.k_anonymity(…)`",
            "set `model = ov_k_anonymity(…)`",
        ),
        (
            "write it under [[dependencies]]",
            "write it under `dependencies`",
            "write it under `dependencies`",
        ),
        (
            "give `b` the role `sensitive`",
            "give `b` the role `secret`",
            "give `b` the role `secret`",
        ),
        (
            "set `exempt = [\"a\"]` for the column",
            "set `{\"b\": {\"exempt\": [\"a\"]}}` for the column",
            "set `list(b = list(exempt = c(\"a\")))` for the column",
        ),
        ("use `distance = \"equal\"`", "use `distance=\"equal\"`", "use `distance = \"equal\"`"),
        (
            "set `rows-are-people = true` under [input]",
            "set `rows_are_people=True`",
            "set `rows_are_people = TRUE`",
        ),
        ("add `\"name\" = { role = \"drop\" }`", "add `drop=\"name\"`", "add `drop = \"name\"`"),
        (
            "write `model = \"l-diversity\"`, `l = 5`",
            "write `model=ov.l_diversity(5)`",
            "write `model = ov_l_diversity(5)`",
        ),
        (
            "a value `x = y` and `[z]` stay",
            "a value `x = y` and `[z]` stay",
            "a value `x = y` and `[z]` stay",
        ),
    ];
    for (said, python, r) in both {
        assert_eq!(Python.of_keys(said, Some("b")), python);
        assert_eq!(R.of_keys(said, Some("b")), r);
    }
}
