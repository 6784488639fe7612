//! The section `[history]`: a table that is published repeatedly.

use super::document::{Changes, HistorySection};
use super::written::WrittenPolicy;
use super::{Alike, ColumnPolicy, resolve};
use crate::Error;
use openveil_text::text;
use std::collections::BTreeMap;
use std::path::PathBuf;
use toml::Spanned;

/// How a table is published repeatedly.
#[derive(Debug, Clone)]
pub struct HistoryPolicy {
    /// The file that stores who is in which group.
    pub state: PathBuf,
    /// The column that tells people apart.
    pub person: String,
    /// The column that names a person's episode; none if values must not change. Values may change
    /// between episodes. Each episode gets a new place, whether or not its value differs.
    pub episode: Option<String>,
    /// The file with the key that encrypts the state, if it is encrypted.
    pub key: Option<PathBuf>,
    /// Whether identifiers that read alike are different people, or different episodes.
    pub is_distinct: bool,
}

impl WrittenPolicy<'_> {
    /// Reads the section. [`Extra`](super::Extra) states which settings can be combined with it.
    pub(super) fn history(
        &self,
        section: Option<Spanned<HistorySection>>,
        columns: &BTreeMap<String, ColumnPolicy>,
    ) -> Result<Option<HistoryPolicy>, Error> {
        let Some(section) = section else {
            return Ok(None);
        };
        let place = self.start_of(&section.span());
        let HistorySection { state, person, changes, episode, key } = section.into_inner();
        let person = self.identity(columns, text!("`person` under [history]"), person)?;
        let episode = episode
            .map(|name| self.identity(columns, text!("`episode` under [history]"), name))
            .transpose()?;
        if episode.is_some() != (changes == Changes::NewEpisode) {
            let problem = match episode {
                Some(_) => text!("[history] names an `episode`, but changed values are refused"),
                None => {
                    text!(
                        "`changes = \"new-episode\"` under [history] needs a column that names the episode of each row"
                    )
                }
            };
            return Err(Error::new(place, problem).help(text!("set both: `changes = \"new-episode\"` and `episode = \"year\"`. New places only for people whose value changed would disclose the change")));
        }
        let is_distinct = |name: &String| columns[name].alike == Some(Alike::Distinct);
        Ok(Some(HistoryPolicy {
            is_distinct: is_distinct(&person) || episode.as_ref().is_some_and(is_distinct),
            state: resolve(self.path, &state),
            person,
            episode,
            key: key.map(|key| resolve(self.path, &key)),
        }))
    }
}
