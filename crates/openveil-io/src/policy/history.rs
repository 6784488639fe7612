//! The section `[history]`: a table that is published again and again.

use super::check::Check;
use super::document::Role;
use super::{Column, did_you_mean, resolve};
use crate::{Error, Location};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use toml::Spanned;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HistorySection {
    pub(super) state: PathBuf,
    pub(super) person: Spanned<String>,
    #[serde(default)]
    pub(super) changes: Changes,
    pub(super) key: Option<PathBuf>,
}

/// What happens to people who have another value than before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Changes {
    /// They are an error that says how many there are.
    #[default]
    Refuse,
    /// They count as leavers and arrivals: readers are taken to think the new value
    /// independent of the old one.
    NewEpisode,
}

/// How a table is published again and again.
#[derive(Debug, Clone)]
pub struct History {
    /// The file that remembers slots.
    pub state: PathBuf,
    /// The column that tells people apart.
    pub person: String,
    /// What happens to changed values.
    pub changes: Changes,
    /// The file with the key that the state is encrypted with, if it is.
    pub key: Option<PathBuf>,
}

impl Check<'_> {
    /// Reads the section; what it needs of the rest of the policy is checked where the
    /// rest is known ([`Policy::check_history`](super::Policy::check_history)).
    pub(super) fn history(
        &self,
        section: Option<Spanned<HistorySection>>,
        columns: &BTreeMap<String, Column>,
    ) -> Result<Option<History>, Error> {
        let Some(section) = section else {
            return Ok(None);
        };
        let HistorySection {
            state,
            person,
            changes,
            key,
        } = section.into_inner();
        let (place, name) = (self.start_of(&person.span()), person.into_inner());
        let Some(column) = columns.get(&name) else {
            let problem = format!(
                "`person` under [history] names `{name}`, which is no column under [columns]"
            );
            let error = Error::new(place, problem);
            return Err(
                match did_you_mean(&name, columns.keys().map(String::as_str)) {
                    Some(close) => error.help(format!("did you mean `{close}`?")),
                    None => error.help("give the column the role `identifier`"),
                },
            );
        };
        if column.role.is_published() {
            let problem = format!(
                "`person` under [history] names `{name}`, which has the role `{}`: what tells people apart must not be published",
                column.role.name()
            );
            return Err(Error::new(place, problem).help("give the column the role `identifier`"));
        }
        Ok(Some(History {
            state: resolve(self.path, &state),
            person: name,
            changes,
            key: key.map(|key| resolve(self.path, &key)),
        }))
    }
}

impl super::Policy {
    /// Whether the policy is one that a history can have.
    ///
    /// # Errors
    /// What the proof of persistent slots does not cover.
    pub(crate) fn check_history(&self) -> Result<(), Error> {
        if self.history.is_none() {
            return Ok(());
        }
        let mut secret = self.columns.values().filter(|c| c.role == Role::Sensitive);
        let refused = if self.rules.is_some() {
            Some((
                "is not possible with [[rules]]",
                "publish one table, or each release without [history]",
            ))
        } else if !self.strata.is_empty() {
            Some((
                "is not possible with `strata`: people may move from one to another",
                "leave `strata` out",
            ))
        } else if !self.combine.is_empty() {
            Some(("is not possible with `combine`", "protect one column"))
        } else if secret.any(|column| !column.exempt.is_empty()) {
            Some(("is not possible with `exempt` values", "leave `exempt` out"))
        } else if self
            .columns
            .values()
            .any(|c| c.role == Role::Sensitive && c.coarsening.is_some())
        {
            Some((
                "is not possible where the sensitive column is coarsened by the program",
                "coarsen it before",
            ))
        } else if self.model.asked_ratio().is_none() {
            Some((
                "keeps ratio l-diversity only",
                "write `model = \"l-diversity\"` and `l`, without `variant`",
            ))
        } else if !self.algorithm.profile().takes_inside {
            Some(("is kept by `cover`", "leave the algorithm out"))
        } else {
            None
        };
        match refused {
            None => Ok(()),
            Some((problem, help)) => Err(Error::new(
                Location::file(&self.path),
                format!("[history] {problem}"),
            )
            .help(help)),
        }
    }
}
