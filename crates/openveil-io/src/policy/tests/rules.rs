//! Policies with rules, and mistakes in them.

use super::*;

const HOSPITAL: &str = r#"
[input]
path = "a.csv"
[columns]
age = { role = "attribute", type = "integer" }
icd = { role = "attribute" }
race = { role = "attribute" }
zip = { role = "attribute", prefix = 3 }
name = { role = "identifier" }
[privacy]
model = "l-diversity"
l = 2
[[rules]]
given = ["age", "icd"]
protect = "race"
[[rules]]
given = "icd"
protect = ["zip", "race"]
l = 5
"#;

fn refused(from: &str, to: &str) -> String {
    assert!(HOSPITAL.contains(from), "{from:?} is in the policy");
    match parse(&HOSPITAL.replacen(from, to, 1)) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("{to} is a mistake"),
    }
}

#[test]
fn rules_have_columns_models_and_places() {
    let policy = parse(HOSPITAL).unwrap();
    let rules = policy.rules().unwrap();
    assert_eq!(policy.output.style, Style::Anatomy);
    assert_eq!(rules.decomposition, DecompositionChoice::Uad);
    assert_eq!(rules.rules[0].given, ["age", "icd"]);
    assert_eq!(rules.rules[1].protect, ["zip", "race"]);
    assert_eq!(rules.rules[1].place.line, Some(16));
    let l = |rule: usize| rules.rules[rule].model.ratio().unwrap().l();
    assert_eq!((l(0), l(1)), (2, 5));
}

#[test]
fn a_rule_may_have_a_model_of_its_own() {
    let closeness = "protect = \"race\"\nmodel = \"t-closeness\"\nt = 0.2\ndistance = \"equal\"";
    let text = HOSPITAL.replacen("protect = \"race\"", closeness, 1);
    let rules = parse(&text).unwrap().rules().unwrap().clone();
    assert!(rules.rules[0].model.to_string().contains("closeness"));
    let without = HOSPITAL.replace("[privacy]\nmodel = \"l-diversity\"\nl = 2\n", "");
    let message = parse(&without).unwrap_err().to_string();
    assert!(message.contains("line 10: the rule names no privacy model"), "{message}");
    let own = without.replace("protect = \"race\"", "protect = \"race\"\nl = 3");
    let rules = parse(&own).unwrap().rules().unwrap().clone();
    assert_eq!(rules.rules[0].model.ratio().unwrap().l(), 3);
}

#[test]
fn mistakes_in_rules_are_named_with_their_line() {
    let cases = [
        ("protect = \"race\"", "protect = \"rase\"", "line 13: unknown column `rase`"),
        ("protect = \"race\"", "protect = \"rase\"", "did you mean `race`?"),
        ("protect = \"race\"", "protect = \"age\"", "`age` appears in both `given` and `protect`"),
        ("protect = \"race\"", "protect = \"name\"", "`name` has the role `identifier`"),
        ("protect = \"race\"", "protect = []", "`protect` of the rule is empty"),
        ("protect = \"race\"", "protect = 3", "`protect` is not a column's name"),
        ("protect = \"race\"", "protects = \"race\"", "`protect` is missing"),
        ("given = [\"age\", \"icd\"]", "given = []", "`given` of the rule is empty"),
        (
            "given = [\"age\", \"icd\"]",
            "given = [\"age\", \"age\"]",
            "`age` appears in `given` twice",
        ),
        ("l = 5", "ll = 5", "line 19: unknown key `ll`"),
        ("l = 5", "l = 1", "line 19: l-diversity: `l = 1` must be"),
        (
            "l = 5",
            "model = \"t-closeness\"\nt = 0.2\ndistance = \"equal\"",
            "does not imply it for a combination of columns",
        ),
        (
            "icd = { role = \"attribute\" }",
            "icd = { role = \"sensitive\" }",
            "column `icd`: has the role `sensitive`, but the policy has [[rules]]",
        ),
        (
            "icd = { role = \"attribute\" }",
            "icd = { role = \"quasi-identifier\" }",
            "set `role = \"attribute\"`",
        ),
        ("l = 2", "l = 2\ncombine = [\"race\"]", "`combine` is for policies without [[rules]]"),
        ("prefix = 3", "prefix = 3, exempt = [\"123\"]", "`zip` has exempt values"),
        ("prefix = 3", "prefix = 3, order = [\"123\"]", "is coarsened and has an `order`"),
        ("[privacy]", "[algorithm]\ndecomposition = \"uda\"\n[privacy]", "did you mean `uad`?"),
    ];
    for (from, to, expected) in cases {
        let message = refused(from, to);
        assert!(message.contains(expected), "{to}: {message}");
        assert!(message.starts_with("some/policy.toml"), "{message}");
    }
}

#[test]
fn dependencies_can_rule_rules_out() {
    let with = |lines: &str| parse(&format!("{HOSPITAL}[[dependencies]]\n{lines}"));
    let fine = with("given = \"zip\"\ndetermines = [\"age\"]").unwrap();
    assert_eq!(fine.rules().unwrap().clone().dependencies[0].determines, ["age"]);
    let closed = "given = \"icd\"\ndetermines = \"age\"\n[[dependencies]]\ngiven = \"age\"\ndetermines = \"race\"";
    let message = with(closed).unwrap_err().to_string();
    assert!(
        message.contains("line 13: the rule `age, icd → race` cannot be satisfied"),
        "{message}"
    );
    let message = with("given = \"icd\"\ndetermines = \"icd\"").unwrap_err();
    assert!(message.to_string().contains("the dependency is empty"));
}

#[test]
fn attributes_need_rules() {
    let start = HOSPITAL.find("[[rules]]").unwrap();
    let message = parse(&HOSPITAL[..start]).unwrap_err().to_string();
    assert!(message.contains("`attribute`, which is for policies with [[rules]]"), "{message}");
    let message = parse(&format!("{SMALLEST}[algorithm]\ndecomposition = \"uad\""));
    assert!(message.unwrap_err().to_string().contains("for policies with [[rules]]"));
}

#[test]
fn the_example_and_the_documentation_are_policies() {
    let example = include_str!("../../../../../examples/rules/policy.toml");
    assert_eq!(parse(example).unwrap().rules().unwrap().clone().rules.len(), 2);
    let page = include_str!("../../../../../docs/reference/rules.md");
    let documented = page
        .split("```toml\n")
        .find(|text| text.starts_with("[input]"))
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    let rules = parse(documented).unwrap().rules().unwrap().clone();
    assert_eq!(rules.rules[1].model.ratio().unwrap().l(), 3);
}
