//! The section `[history]`: a table that is published again and again.

use super::check::Check;
use super::document::Role;
use super::{Column, resolve};
use crate::release_dir::MANIFEST;
use crate::{Error, Location};
use openveil::algorithm::Inside;
use openveil::model::About;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::Spanned;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HistorySection {
    pub(super) state: PathBuf,
    pub(super) person: Spanned<String>,
    #[serde(default)]
    pub(super) changes: Changes,
    pub(super) episode: Option<Spanned<String>>,
    pub(super) key: Option<PathBuf>,
}

/// What happens to people who have another value than before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Changes {
    /// They are an error that says how many there are.
    #[default]
    Refuse,
    /// Values may change from one episode to the next, for which everybody gets a new place:
    /// readers are taken to think values of different episodes independent.
    NewEpisode,
}

/// How a table is published again and again.
#[derive(Debug, Clone)]
pub struct History {
    /// The file that remembers slots.
    pub state: PathBuf,
    /// The column that tells people apart.
    pub person: String,
    /// Values may change between episodes, if there are any: the column that says which episode of a person it is: another one is a new place,
    /// whether or not the value is another.
    pub episode: Option<String>,
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
        let place = self.start_of(&section.span());
        let HistorySection {
            state,
            person,
            changes,
            episode,
            key,
        } = section.into_inner();
        let person = self.identity(columns, "person` under [history]", person)?;
        let episode = episode.map(|name| self.identity(columns, "episode` under [history]", name));
        let episode = episode.transpose()?;
        if episode.is_some() != (changes == Changes::NewEpisode) {
            let problem = match episode {
                Some(_) => "[history] names an `episode`, and changed values are refused",
                None => {
                    "`changes = \"new-episode\"` under [history] needs a column that says which episode of a person it is"
                }
            };
            return Err(Error::new(place, problem).help("say both: `changes = \"new-episode\"` and `episode = \"year\"`. A new place only for those whose value differs would tell that it does"));
        }
        Ok(Some(History {
            state: resolve(self.path, &state),
            person,
            episode,
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
        let Some(history) = &self.history else {
            return Ok(());
        };
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
        } else if self
            .model
            .informed()
            .is_some_and(|known| known.about() == About::Everybody)
        {
            Some((
                "promises nothing to readers informed about everybody: groups of several releases show who shares a place",
                "name a number of people under [reader]",
            ))
        } else if matches!(self.inside, Inside::Jittered(_)) {
            Some((
                "is not possible with `jitter`: its bound is about one release",
                "leave `jitter` out",
            ))
        } else if history.episode.is_some() && self.model.informed().is_some() {
            Some((
                "with an `episode` promises nothing to informed readers, who may know something of every episode",
                "leave [reader] out",
            ))
        } else if self.is_in_release(history) {
            Some((
                "keeps its `state` in a folder of releases, which may be published or replaced",
                "keep it elsewhere: `state = \"secret/people.state\"`",
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

    /// Whether the state would stand where releases do, of this run or of another.
    fn is_in_release(&self, history: &History) -> bool {
        let folder = history.state.parent().unwrap_or(Path::new(""));
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or(path.to_owned());
        let parts = ["release", "owner"].map(|part| absolute(&self.out).join(part));
        let is_inside = parts.iter().any(|part| absolute(folder).starts_with(part));
        is_inside || folder.join(MANIFEST).exists()
    }
}
