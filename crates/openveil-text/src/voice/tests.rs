//! Messages of the engine in the words of Python and of R.

use super::{Package, Voice};
use crate::{Text, text};

/// Says a message in Python and in R.
fn both(text: &Text, by_arguments: bool) -> [String; 2] {
    [Package::Python, Package::R]
        .map(|package| text.say(Voice::Package { package, by_arguments }, Some("b")))
}

#[test]
fn options_are_arguments() {
    for (said, python, r) in [
        (text!("leave `--certify` out"), "leave `certify` out", "leave `certify` out"),
        (text!("ask by `--worlds 0`"), "ask by `worlds=0`", "ask by `worlds = 0`"),
        (
            text!("use `--sensitive COLUMN` or `--policy FILE`"),
            "use `sensitive=COLUMN` or `policy=FILE`",
            "use `secret = COLUMN` or `policy = FILE`",
        ),
        (
            text!("write for example `--odds 3 --informed 1`"),
            "write for example `odds=3, informed=1`",
            "write for example `odds = 3, informed = 1`",
        ),
        (text!("counts: `--by a-b`"), "counts: `by=\"a-b\"`", "counts: `by = \"a-b\"`"),
        (
            text!("(`openveil compare --true-values`)"),
            "(`ov.compare(true_values=True)`)",
            "(`ov_compare(true_values = TRUE)`)",
        ),
        (
            text!("(`openveil compare --sample`)"),
            "(`ov.compare(sample=…)`)",
            "(`ov_compare(sample = …)`)",
        ),
        (
            text!("`openveil query` with `--policy`"),
            "`Release.query` with `policy`",
            "`ov_query` with `policy`",
        ),
        (
            text!("--where, character 6: a value; --sampling-fraction 2"),
            "`where`, character 6: a value; `sampling_fraction` 2",
            "`where`, character 6: a value; `sampling_fraction` 2",
        ),
        (
            text!("a column `--`, `openveil`, `age`"),
            "a column `--`, `openveil`, `age`",
            "a column `--`, `openveil`, `age`",
        ),
    ] {
        assert_eq!(both(&said, false), [python, r]);
    }
}

#[test]
fn keys_are_arguments() {
    for (said, python, r) in [
        (
            text!("set `missing = \"keep\"` under [input], or"),
            "set `missing=\"keep\"`, or",
            "set `missing = \"keep\"`, or",
        ),
        (
            text!("under [input], set `trim = true`"),
            "set `input={\"trim\": True}`",
            "set `input = list(trim = TRUE)`",
        ),
        (
            text!("set `varying = \"draw\"` under [persons]: one"),
            "set `persons={\"varying\": \"draw\"}`: one",
            "set `persons = list(varying = \"draw\")`: one",
        ),
        (
            text!("`odds` under [reader] is not"),
            "`odds` in `reader` is not",
            "`odds` in `reader` is not",
        ),
        (
            text!("`decomposition` under [algorithm] has"),
            "`decomposition` has",
            "`decomposition` has",
        ),
        (
            text!("the policy has [[rules]]; no [history]"),
            "the policy has `rules`; no `history`",
            "the policy has `rules`; no `history`",
        ),
        (
            text!("set `model = \"k-anonymity\"`"),
            "set `model=ov.k_anonymity(…)`",
            "set `model = ov_k_anonymity(…)`",
        ),
        (
            text!("write it under [[dependencies]]"),
            "write it under `dependencies`",
            "write it under `dependencies`",
        ),
        (
            text!("give `b` the role `sensitive`"),
            "give `b` the role `secret`",
            "give `b` the role `secret`",
        ),
        (
            text!("set `exempt = [\"a\"]` for the column"),
            "set `{\"b\": {\"exempt\": [\"a\"]}}` for the column",
            "set `list(b = list(exempt = c(\"a\")))` for the column",
        ),
        (
            text!("use `distance = \"equal\"`"),
            "use `distance=\"equal\"`",
            "use `distance = \"equal\"`",
        ),
        (
            text!("set `rows-are-people = true` under [input]"),
            "set `rows_are_people=True`",
            "set `rows_are_people = TRUE`",
        ),
        (
            text!("add `\"name\" = {{ role = \"drop\" }}`"),
            "add `drop=\"name\"`",
            "add `drop = \"name\"`",
        ),
        (
            text!("write `model = \"l-diversity\"`, `l = 5`"),
            "write `model=ov.l_diversity(5)`",
            "write `model = ov_l_diversity(5)`",
        ),
        (
            text!("a value `x = y` and `[z]` stay"),
            "a value `x = y` and `[z]` stay",
            "a value `x = y` and `[z]` stay",
        ),
        (
            text!("list them: `all = [{{ model = \"k-anonymity\", k = 5 }}]`"),
            "list them: `model=ov.all_of(…)`",
            "list them: `model = ov_all_of(…)`",
        ),
        (
            text!("`timezone = \"x\"` under [input] is not known"),
            "`timezone = \"x\"` is not known",
            "`timezone = \"x\"` is not known",
        ),
    ] {
        assert_eq!(both(&said, true), [python, r]);
    }
}

#[test]
fn the_command_speaks_as_policies_are_written() {
    let label = "`odds = 3` under [reader]";
    let said =
        text!("set `missing = \"keep\"` under [input], or leave `{label}` out: `--in {0}`", 7);
    let as_written = "set `missing = \"keep\"` under [input], or leave ``odds = 3` under [reader]` out: `--in 7`";
    assert_eq!(said.to_string(), as_written);
    assert_eq!(said.say(Voice::Command, None), as_written);
    // A value that was filled in is no name.
    let python = "set `missing=\"keep\"`, or leave ``odds = 3` under [reader]` out: `in=7`";
    assert_eq!(both(&said, true)[0], python);
    // A policy that was read from a file has keys.
    assert_eq!(both(&said, false)[0], as_written.replace("--in 7", "in=7"));
}

#[test]
fn messages_are_parts_of_messages() {
    let inner = text!("`odds = 3`");
    let said = text!("{} {inner:text}, {0} times", 2);
    assert_eq!(said.to_string(), "2 `odds = 3`, 2 times");
    assert_eq!(both(&said, true)[0], "2 `reader={\"odds\": 3}`, 2 times");
}

#[test]
fn other_words_may_be_better_for_arguments() {
    let said =
        text!("give it a role").or_by_arguments(text!("name it in `known`")).and(". Then go on");
    assert_eq!(said.to_string(), "give it a role. Then go on");
    assert_eq!(both(&said, false)[0], "give it a role. Then go on");
    assert_eq!(both(&said, true)[1], "name it in `known`. Then go on");
}

#[test]
fn placeholders_are_numbered_and_filled_in_as_often_as_they_stand() {
    let name = "a";
    let said = text!("{{a}} {} is {name:?}, {:.2} and {name:?}: {0}", 7, 0.125);
    assert_eq!(said.to_string(), "{a} 7 is \"a\", 0.12 and \"a\": 7");
}
