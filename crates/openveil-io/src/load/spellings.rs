//! Finds values that look alike, which may be spellings of one value or different values.

use crate::policy::{self, Alike, Policy, Role};
use crate::source::INVISIBLE;
use crate::{Error, ErrorKind, Location};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use unicode_normalization::UnicodeNormalization;

/// Groups of two or more labels that look alike, by their positions in a list.
type Spellings = Vec<Vec<usize>>;

/// Returns a label in the form in which people read it: compatible characters unified (NFKC),
/// without case and invisible characters, and with each run of blanks as one blank.
pub fn as_read(label: &str) -> String {
    let visible = label.chars().filter(|&c| !is_ignored(c));
    let compatible: String = visible.nfkc().collect();
    // Upper case first, then lower case: this turns both `ß` and `ss` into `ss`.
    let folded: String = compatible.to_uppercase().to_lowercase().nfkc().collect();
    let words: Vec<&str> = folded.split_whitespace().collect();
    // The lower case of a capital I with a dot keeps the combining dot.
    words.join(" ").replace("i\u{307}", "i")
}

/// Returns whether a character is invisible: [`INVISIBLE`], marks of direction, joiners, variation
/// selectors, tags and controls other than blanks.
fn is_ignored(character: char) -> bool {
    let is_mark = matches!(character, '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}');
    is_mark
        || INVISIBLE.contains(&character)
        || character.is_control() && !character.is_whitespace()
}

/// Returns the number of rows of each value, with spellings of one value counted together; none if
/// no two texts look alike.
pub fn merged_counts<'a>(texts: impl Iterator<Item = (&'a str, usize)>) -> Option<Vec<usize>> {
    let (mut rows, mut spellings) = (BTreeMap::<String, usize>::new(), 0);
    for (text, count) in texts {
        *rows.entry(as_read(text)).or_default() += count;
        spellings += 1;
    }
    (rows.len() < spellings).then(|| rows.into_values().collect())
}

/// Returns the labels of a column that look alike. O(total length · log labels).
fn alike(labels: &[String]) -> Spellings {
    let mut alike: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (place, label) in labels.iter().enumerate() {
        alike.entry(as_read(label)).or_default().push(place);
    }
    alike.retain(|_, places| places.len() > 1);
    alike.into_values().collect()
}

/// Returns the labels of a protected column after the policy's decision about labels that look
/// alike, and for each original label its position among them. `rows` are the rows of each label.
///
/// Merged labels become the most frequent of them; among equally frequent ones, the first in
/// alphabetical order. The choice depends on the histogram, not on the order of rows.
///
/// # Errors
/// Labels that look alike without `merge` or `distinct` in the policy: a group that holds only such
/// labels would count as diverse.
pub(super) fn decided(
    policy: &Policy,
    (name, column): (&str, &policy::ColumnPolicy),
    labels: Vec<String>,
    rows: &[u64],
) -> Result<(Vec<String>, Vec<u32>), Error> {
    let unchanged = |labels: Vec<String>| {
        let places = (0..labels.len() as u32).collect();
        Ok((labels, places))
    };
    if column.alike == Some(Alike::Distinct) || !is_protected(policy, name, column) {
        return unchanged(labels);
    }
    let spellings = alike(&labels);
    if spellings.is_empty() {
        return unchanged(labels);
    }
    if column.alike.is_none() {
        return Err(undecided(policy, name, &labels, &spellings));
    }
    let mut becomes: Vec<usize> = (0..labels.len()).collect();
    for places in &spellings {
        let most = places
            .iter()
            .max_by_key(|&&place| (rows[place], Reverse(&labels[place])));
        let most = *most.expect("two labels or more read alike");
        places.iter().for_each(|&place| becomes[place] = most);
    }
    let is_kept = |place: &usize| becomes[*place] == *place;
    let kept: Vec<usize> = (0..labels.len()).filter(is_kept).collect();
    let place_of = |own: &usize| kept.binary_search(own).expect("it is kept") as u32;
    let places = becomes.iter().map(place_of).collect();
    Ok((
        kept.iter().map(|&own| labels[own].clone()).collect(),
        places,
    ))
}

/// Returns whether a column is sensitive, or protected by a rule.
fn is_protected(policy: &Policy, name: &str, column: &policy::ColumnPolicy) -> bool {
    let rules = policy.rules().into_iter().flat_map(|rules| &rules.rules);
    let mut protected = rules.flat_map(|rule| &rule.protect);
    column.role == Role::Sensitive || protected.any(|own| own == name)
}

fn undecided(policy: &Policy, name: &str, labels: &[String], spellings: &Spellings) -> Error {
    let quoted = |places: &Vec<usize>| {
        let labels = places.iter().map(|&place| format!("{:?}", labels[place]));
        labels.collect::<Vec<String>>().join(", ")
    };
    let problem =
        "has values that read alike: a group that contains only these would count as diverse";
    Error::new(Location::file(&policy.source.path).column(name), problem)
        .of_kind(ErrorKind::Policy)
        .with_parts(spellings.iter().map(quoted).collect())
        .help("if they are spellings of one value, set `merge = true` for the column, or correct the table; if they are different values, set `distinct = true`")
}
