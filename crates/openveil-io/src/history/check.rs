//! Which policies a history can have.

use crate::policy::{Alike, History, Policy, Role};
use crate::release_dir::MANIFEST;
use crate::{Error, Location};
use openveil::algorithm::Inside;
use openveil::model::About;
use std::path::Path;

impl Policy {
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
        } else if self.columns.values().any(|c| c.alike == Some(Alike::Merge)) {
            Some((
                "is not possible with `merge`: which spelling stands for a value may change",
                "write each value in one way before",
            ))
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
