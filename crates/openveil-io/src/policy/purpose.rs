//! The purpose of a release: facts for its evidence, without influence on the release.

use super::ColumnPolicy;
use super::written::WrittenPolicy;
use crate::Error;
use crate::spelling::did_you_mean;
use openveil_text::text;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// Figures for which the owner may state a threshold.
pub const RISKS: [&str; 5] =
    ["uniqueness", "prosecutor_highest", "prosecutor_average", "records_at_risk", "highest_share"];

/// The section `[purpose]`: who gets the release, for what, and who decided. It stays with the owner.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Purpose {
    /// The organisation that publishes.
    pub controller: Option<String>,
    /// Why the data are released.
    pub aim: Option<String>,
    /// The recipient: a name, or `public`.
    pub recipient: Option<String>,
    /// The contract that binds the recipient.
    pub contract: Option<String>,
    /// How the recipient protects the data.
    pub safeguards: Option<String>,
    /// The expert who assesses the risk, with their qualification.
    pub expert: Option<String>,
    /// Per column, why it has its role.
    #[serde(default)]
    pub reasons: BTreeMap<String, String>,
    /// Per column, who could know it, and from where.
    #[serde(default)]
    pub known_from: BTreeMap<String, String>,
    /// The greatest risks that the owner accepts, by name ([`RISKS`]), from 0 to 1.
    #[serde(default)]
    pub thresholds: BTreeMap<String, f64>,
    /// Decisions that led to the release.
    #[serde(default)]
    pub decisions: Vec<Decision>,
    /// Names or offices of those who sign, one line each.
    #[serde(default)]
    pub signatures: Vec<String>,
}

/// A decision, and its author.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// The decision.
    pub what: String,
    /// Why.
    pub why: Option<String>,
    /// By whom.
    pub by: Option<String>,
    /// On which day.
    pub on: Option<String>,
}

impl WrittenPolicy<'_> {
    /// Returns the purpose, if the policy states one; checks that its columns exist and that its
    /// figures are from 0 to 1.
    pub(super) fn purpose(
        &self,
        section: Option<Spanned<Purpose>>,
        columns: &BTreeMap<String, ColumnPolicy>,
    ) -> Result<Option<Purpose>, Error> {
        let Some(section) = section else {
            return Ok(None);
        };
        let place = self.start_of(&section.span());
        let purpose = section.into_inner();
        let named = purpose.reasons.keys().chain(purpose.known_from.keys());
        if let Some(name) = named.into_iter().find(|name| !columns.contains_key(*name)) {
            let problem = text!("[purpose] names the column `{name}`, which is not in the policy");
            let close = did_you_mean(name, columns.keys().map(String::as_str));
            let help = close.map_or_else(
                || text!("name a column of [columns]"),
                |close| text!("did you mean `{close}`?"),
            );
            return Err(Error::new(place, problem).help(help));
        }
        for (name, threshold) in &purpose.thresholds {
            if !RISKS.contains(&name.as_str()) {
                let problem = text!("[purpose] has a threshold for `{name}`, which is not a risk");
                return Err(
                    Error::new(place, problem).help(text!("known are {}", RISKS.join(", ")))
                );
            }
            if !(0.0..=1.0).contains(threshold) {
                let problem =
                    text!("[purpose]: the threshold {threshold} of `{name}` is not a share");
                return Err(Error::new(place, problem).help("choose a number from 0 to 1"));
            }
        }
        Ok(Some(purpose))
    }
}
