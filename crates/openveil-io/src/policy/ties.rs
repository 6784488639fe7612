//! The section `[ties]`: rows that share their sensitive value.

use super::ColumnPolicy;
use super::document::TiesSection;
use super::written::WrittenPolicy;
use crate::Error;
use openveil_text::text;
use std::collections::BTreeMap;
use toml::Spanned;

/// Rows that share their sensitive value, such as the rows of a household, and readers who know
/// which rows belong together.
#[derive(Debug, Clone)]
pub struct TiesPolicy {
    /// The column that names the tie of a row.
    pub id: String,
    /// The largest number of rows of a tie that are published, drawn at random; all rows if none is
    /// given.
    pub largest: Option<u32>,
}

impl WrittenPolicy<'_> {
    /// Reads the section. [`Extra`](super::Extra) states which settings can be combined with it.
    pub(super) fn ties(
        &self,
        section: Option<Spanned<TiesSection>>,
        columns: &BTreeMap<String, ColumnPolicy>,
    ) -> Result<Option<TiesPolicy>, Error> {
        let Some(section) = section else {
            return Ok(None);
        };
        let TiesSection { id, largest } = section.into_inner();
        if let Some(none) = largest.as_ref().filter(|largest| *largest.get_ref() == 0) {
            let place = self.start_of(&none.span());
            return Err(Error::new(place, text!("`largest = 0` under [ties] leaves no rows"))
                .help("write how many rows of a tie are published, at least 1"));
        }
        Ok(Some(TiesPolicy {
            id: self.identity(columns, text!("`id` under [ties]"), id)?,
            largest: largest.map(Spanned::into_inner),
        }))
    }
}
