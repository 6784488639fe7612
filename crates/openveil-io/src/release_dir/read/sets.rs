//! The sets of a person's values, as a release shows them.

use openveil_core::table::Members;
use std::collections::{BTreeSet, HashMap};

/// Returns the members of a set as it is written, `{a|b}`; none if the text is no set.
pub fn members(text: &str) -> Option<std::str::Split<'_, char>> {
    let inside = text.strip_prefix('{')?.strip_suffix('}')?;
    Some(inside.split('|'))
}

/// Whether a set, as it is written, is exempt: all of its members are.
pub fn is_exempt_set(label: &String, exempt: &BTreeSet<&String>) -> bool {
    match members(label) {
        Some(mut members) => members.all(|member| exempt.contains(&member.to_owned())),
        None => exempt.contains(label),
    }
}

/// Returns the members of sets.
pub fn members_of(labels: &[String], exempt: &BTreeSet<&String>) -> Members {
    let of = |label: &String| -> Vec<String> {
        match members(label) {
            Some(members) => members.map(str::to_owned).collect(),
            None => vec![label.clone()],
        }
    };
    let all: BTreeSet<String> = labels.iter().flat_map(of).collect();
    let codes: HashMap<&String, u32> = all.iter().zip(0..).collect();
    let of_value = labels
        .iter()
        .map(|label| {
            let codes: BTreeSet<u32> = of(label).iter().map(|member| codes[member]).collect();
            codes.into_iter().collect()
        })
        .collect();
    Members::new(
        all.iter().cloned().collect(),
        all.iter().map(|member| exempt.contains(member)).collect(),
        of_value,
    )
}
