//! The section `[history]`: a table that is published again and again.

use super::document::{Changes, HistorySection};
use super::written::WrittenPolicy;
use super::{ColumnPolicy, resolve};
use crate::Error;
use std::collections::BTreeMap;
use std::path::PathBuf;
use toml::Spanned;

/// How a table is published again and again.
#[derive(Debug, Clone)]
pub struct HistoryPolicy {
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

impl WrittenPolicy<'_> {
    /// Reads the section. [`Extra`](super::Extra) says what goes with it.
    pub(super) fn history(
        &self,
        section: Option<Spanned<HistorySection>>,
        columns: &BTreeMap<String, ColumnPolicy>,
    ) -> Result<Option<HistoryPolicy>, Error> {
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
                Some(_) => "[history] names an `episode`, but changed values are refused",
                None => {
                    "`changes = \"new-episode\"` under [history] needs a column that names the episode of each row"
                }
            };
            return Err(Error::new(place, problem).help("set both: `changes = \"new-episode\"` and `episode = \"year\"`. New slots only for people whose value changed would disclose the change"));
        }
        Ok(Some(HistoryPolicy {
            state: resolve(self.path, &state),
            person,
            episode,
            key: key.map(|key| resolve(self.path, &key)),
        }))
    }
}
