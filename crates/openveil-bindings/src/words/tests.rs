//! Messages of the engine in the words of Python and of R.

use super::Language::{Python, R};

#[test]
fn options_are_arguments() {
    let both = [
        (
            "leave `--certify` out",
            "leave `certify` out",
            "leave `certify` out",
        ),
        (
            "ask by `--worlds 0`",
            "ask by `worlds=0`",
            "ask by `worlds = 0`",
        ),
        (
            "say `--sensitive COLUMN` or `--policy FILE`",
            "say `sensitive=COLUMN` or `policy=FILE`",
            "say `secret = COLUMN` or `policy = FILE`",
        ),
        (
            "write for example `--odds 3 --informed 1`",
            "write for example `odds=3, informed=1`",
            "write for example `odds = 3, informed = 1`",
        ),
        (
            "counts: `--by a-b`",
            "counts: `by=\"a-b\"`",
            "counts: `by = \"a-b\"`",
        ),
        (
            "(`openveil compare --true-values`)",
            "(`ov.compare(true_values=True)`)",
            "(`ov_compare(true_values = TRUE)`)",
        ),
        (
            "(`openveil compare --sample`)",
            "(`ov.compare(sample=…)`)",
            "(`ov_compare(sample = …)`)",
        ),
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
            "say `missing = \"keep\"` under [input], or",
            "say `missing=\"keep\"`, or",
            "say `missing = \"keep\"`, or",
        ),
        (
            "under [input], say `trim = true`",
            "say `input={\"trim\": True}`",
            "say `input = list(trim = TRUE)`",
        ),
        (
            "say `varying = \"draw\"` under [persons]: one",
            "say `persons={\"varying\": \"draw\"}`: one",
            "say `persons = list(varying = \"draw\")`: one",
        ),
        (
            "`odds` under [reader] is not",
            "`odds` in `reader` is not",
            "`odds` in `reader` is not",
        ),
        (
            "`effort` under [algorithm] means",
            "`effort` means",
            "`effort` means",
        ),
        (
            "the policy has [[rules]]; no [history]",
            "the policy has `rules`; no `history`",
            "the policy has `rules`; no `history`",
        ),
        (
            "say `model = \"k-anonymity\"`",
            "say `model=ov.k_anonymity(…)`",
            "say `model = ov_k_anonymity(…)`",
        ),
        (
            "say so in [[dependencies]]",
            "say so in `dependencies`",
            "say so in `dependencies`",
        ),
        (
            "give `b` the role `sensitive`",
            "give `b` the role `secret`",
            "give `b` the role `secret`",
        ),
        (
            "say `exempt = [\"a\"]` for the column",
            "say `{\"b\": {\"exempt\": [\"a\"]}}` for the column",
            "say `list(b = list(exempt = c(\"a\")))` for the column",
        ),
        (
            "use `distance = \"equal\"`",
            "use `distance=\"equal\"`",
            "use `distance = \"equal\"`",
        ),
        (
            "say `rows-are-people = true` under [input]",
            "say `rows_are_people=True`",
            "say `rows_are_people = TRUE`",
        ),
        (
            "add `\"name\" = { role = \"drop\" }`",
            "add `drop=\"name\"`",
            "add `drop = \"name\"`",
        ),
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
