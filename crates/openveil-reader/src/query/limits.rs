//! Numbers that stand for all beyond them, and conditions that divide these.

use super::parse::{Condition, Test};
use super::scale::TextComparison;
use super::tables::TextTables;
use std::collections::BTreeMap;

/// By column, conditions that divide what is published as one number.
pub(super) fn beyond_limits(
    tables: &TextTables,
    conditions: &[Condition],
) -> BTreeMap<String, Vec<String>> {
    let mut notes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for condition in conditions {
        let mut entries = tables.manifest().columns.iter();
        let entry = entries.find(|entry| entry.name == condition.column);
        let (Some(entry), Some(scale)) = (entry, tables.scale(&condition.column)) else {
            continue;
        };
        // Bins show that they go on.
        if matches!(scale.kind, TextComparison::Bins(_)) {
            continue;
        }
        let limit = |limit: &Option<String>| limit.as_deref().and_then(|text| scale.place(text));
        let divides = |side: Side, limit: f64| {
            let place = |text: &String| scale.place(text);
            side.is_divided(limit, &condition.test, &place)
        };
        let mut say = |ends: &str, limit: f64| {
            let name = &entry.name;
            let words = format!(
                "all numbers of `{name}` {ends} are published as {limit}: the condition divides them, and the release cannot"
            );
            notes.entry(name.clone()).or_default().push(words);
        };
        if let Some(top) = limit(&entry.top).filter(|&top| divides(Side::From, top)) {
            say(&format!("from {top} on"), top);
        }
        if let Some(least) = limit(&entry.bottom).filter(|&least| divides(Side::UpTo, least)) {
            say(&format!("up to {least}"), least);
        }
    }
    notes
}

/// The numbers that one number stands for: all from it on, or all up to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    From,
    UpTo,
}

impl Side {
    /// Whether a condition is met by some of these numbers, perhaps, and not by others.
    fn is_divided(self, limit: f64, test: &Test, place: &dyn Fn(&String) -> Option<f64>) -> bool {
        let beyond = |place: f64| match self {
            Self::From => place > limit,
            Self::UpTo => place < limit,
        };
        // A bound at the limit divides if the limit itself is on the other side than the rest.
        let at_limit = match test {
            Test::Above(_, included) => (self == Self::From) != *included,
            Test::Below(_, included) => (self == Self::UpTo) != *included,
            Test::Among(_) | Test::Not(_) => true,
        };
        let texts = match test {
            Test::Among(texts) => &texts[..],
            Test::Not(text) | Test::Below(text, _) | Test::Above(text, _) => {
                std::slice::from_ref(text)
            }
        };
        let mut places = texts.iter().filter_map(place);
        places.any(|place| beyond(place) || place == limit && at_limit)
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;

    /// A condition divides the numbers that one stands for if some may meet it and some not.
    #[test]
    fn limits_are_divided_where_numbers_beyond_differ() {
        let place = |text: &String| text.parse().ok();
        let divided = |side: Side, conditions: &str| {
            let parsed = parse(conditions).unwrap();
            side.is_divided(50.0, &parsed[0].test, &place)
        };
        for (conditions, from, up_to) in [
            ("x > 50", true, false),
            ("x >= 50", false, true),
            ("x < 50", false, true),
            ("x <= 50", true, false),
            ("x = 50", true, true),
            ("x != 50", true, true),
            ("x in (20, 60)", true, true),
            ("x < 60", true, false),
            ("x > 60", true, false),
            ("x < 20", false, true),
            ("x >= 20", false, true),
            ("x = 20", false, true),
        ] {
            let found = (
                divided(Side::From, conditions),
                divided(Side::UpTo, conditions),
            );
            assert_eq!(found, (from, up_to), "{conditions}");
        }
    }
}
