//! The meaning of a column of codes.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The codebook of a column whose values are codes, as statistics packages have it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Codebook {
    /// The column's label: a question of a survey.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Labels by code.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Codes that stand for a missing answer, such as a refusal. They are values nevertheless.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub missing: BTreeSet<String>,
    /// Whether the codes are texts even if they look like numbers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub text: bool,
}

impl Codebook {
    /// Returns the part about codes that meet a condition; none if nothing is left.
    #[must_use]
    pub fn of_codes(&self, is_shown: impl Fn(&str) -> bool) -> Option<Self> {
        let shown = |code: &&String| is_shown(code);
        let own = Self {
            label: self.label.clone(),
            labels: self.labels.iter().filter(|(code, _)| is_shown(code)).map(owned).collect(),
            missing: self.missing.iter().filter(shown).cloned().collect(),
            text: self.text,
        };
        let is_empty = own.labels.is_empty() && own.missing.is_empty() && own.label.is_none();
        (!is_empty).then_some(own)
    }
}

fn owned((code, label): (&String, &String)) -> (String, String) {
    (code.clone(), label.clone())
}
