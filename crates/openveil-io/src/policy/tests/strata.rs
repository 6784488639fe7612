//! The key `strata`, and mistakes in it.

use super::*;

const RULES: &str = r#"
[input]
path = "a.csv"
[columns]
age = { role = "attribute", type = "integer" }
sex = { role = "attribute" }
job = { role = "attribute" }
[privacy]
model = "l-diversity"
l = 2
strata = ["sex"]
[[rules]]
given = ["age", "sex"]
protect = "job"
[[rules]]
given = "age"
protect = "sex"
strata = []
"#;

#[test]
fn strata_are_quasi_identifiers() {
    let with = |strata: &str| refused("l = 6", &format!("l = 6\nstrata = {strata}"));
    let policy = parse(&SMALLEST.replace("l = 6", "l = 6\nstrata = [\"age\"]")).unwrap();
    assert_eq!(policy.privacy.strata, ["age"]);
    assert!(parse(SMALLEST).unwrap().privacy.strata.is_empty());
    for (strata, problem) in [
        ("[\"job\"]", "names `job`, which has the role `sensitive`"),
        ("[\"note\"]", "names `note`, which has the role `drop`"),
        ("[\"agee\"]", "names `agee`, which is not a column"),
        ("[\"agee\"]", "did you mean `age`?"),
        ("[\"age\", \"age\"]", "names `age` twice"),
        ("\"age\"", "`strata` is not a list of columns"),
        ("[3.5, {}]", "`strata` is not a list of columns"),
    ] {
        let message = with(strata);
        assert!(message.contains(problem), "{strata}: {message}");
        assert!(message.contains("some/policy.toml, line 11"), "{message}");
    }
}

#[test]
fn strata_stand_beside_models_not_inside() {
    let all = "all = [{ model = \"k-anonymity\", k = 2 }]\nstrata = [\"age\"]";
    let text = SMALLEST.replace("model = \"l-diversity\"\nl = 6", all);
    assert_eq!(parse(&text).unwrap().privacy.strata, ["age"]);
    let inside = "all = [{ model = \"k-anonymity\", k = 2, strata = [\"age\"] }]";
    let message = refused("model = \"l-diversity\"\nl = 6", inside);
    assert!(message.contains("`strata` is not allowed inside `all`"), "{message}");
}

#[test]
fn a_rule_has_strata_among_what_its_reader_knows() {
    let rules = parse(RULES).unwrap().rules().unwrap().clone().rules;
    assert_eq!(rules[0].strata, ["sex"]);
    assert!(rules[1].strata.is_empty());
    let message = parse(&RULES.replace("strata = []\n", "")).unwrap_err().to_string();
    assert!(
        message.contains("line 15: `strata` names `sex`, which is not given in the rule"),
        "{message}"
    );
    assert!(message.contains("set `strata = []` in the rule"), "{message}");
}
