//! The number of lots that a table is divided into.

use super::*;
use openveil_core::algorithm::Lots;
use std::num::NonZeroU32;

fn with(algorithm: &str) -> Result<Policy, Error> {
    parse(&format!("{SMALLEST}[algorithm]\n{algorithm}\n"))
}

#[test]
fn a_rule_decides_unless_a_number_is_written() {
    assert_eq!(parse(SMALLEST).unwrap().settings().lots, Lots::ByRule);
    let many = |lots: u32| Lots::Number(NonZeroU32::new(lots).unwrap());
    assert_eq!(with("lots = 1").unwrap().lots, many(1));
    let cover = with("name = \"cover\"\nlots = 10_000").unwrap();
    assert_eq!(cover.settings().lots, many(10_000));
}

#[test]
fn lots_are_refused_where_they_mean_nothing() {
    for (algorithm, words) in [
        ("lots = 0", "`lots = 0` under [algorithm] is out of range"),
        ("lots = 10_001", "is out of range"),
        ("name = \"halving\"\nlots = 3", "has no effect on `halving`"),
        ("name = \"rda\"\nlots = 3", "has no effect on `rda`"),
    ] {
        let message = with(algorithm).unwrap_err().to_string();
        assert!(message.contains(words), "{message}");
        assert!(message.contains("help:"), "{message}");
    }
}

#[test]
fn lots_do_not_go_with_a_history() {
    let text = SMALLEST.replace(
        "note = { role = \"drop\" }",
        "id = { role = \"identifier\" }",
    );
    let text = format!(
        "{text}[history]\nstate = \"state.json\"\nperson = \"id\"\n[algorithm]\nlots = 3\n"
    );
    let message = parse(&text).unwrap_err().to_string();
    assert!(
        message.contains("is not possible with [history]"),
        "{message}"
    );
}
