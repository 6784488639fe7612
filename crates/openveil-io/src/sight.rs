//! Outputs that depend on who has which value: errors, plans and comparisons.

use crate::prints::RowPrints;
use openveil_core::table::View;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What an output depended on, if it depended on who has which value. This is the only type for
/// such outputs: an error without it is equal for all values of the protected columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sight {
    /// The model asks more than the values allow, or does not fit them.
    Model,
    /// Protected cells cannot be read, read alike, or are not those that the policy names.
    Cells,
    /// Protected cells are empty.
    Missing,
    /// Tied rows have several values.
    Ties,
    /// The rows of a sample cannot be left out.
    Sample,
    /// The table does not continue its history.
    History,
    /// A plan was printed.
    Plan,
    /// Settings were compared.
    Comparison,
}

impl Sight {
    /// Every kind of output that depends on who has which value.
    pub const ALL: [Self; 8] = [
        Self::Model,
        Self::Cells,
        Self::Missing,
        Self::Ties,
        Self::Sample,
        Self::History,
        Self::Plan,
        Self::Comparison,
    ];

    /// Returns whether the output depends on what the rows are, and not on how often values occur.
    pub(crate) fn is_of_rows(self) -> bool {
        matches!(self, Self::Cells | Self::Missing)
    }

    /// Returns whether the output depends on how often each value occurs, so that a release that
    /// shows this discloses as much.
    pub(crate) fn is_of_histograms(self) -> bool {
        matches!(self, Self::Model | Self::Plan | Self::Comparison)
    }
}

/// Returns the sets of protected columns whose values a release of a table shows together.
pub(crate) fn published_together(view: &View) -> Vec<Vec<String>> {
    let secret = view.secret();
    let columns = secret.columns();
    match secret.each() {
        Some(each) if !each.linked => columns.iter().map(|own| vec![own.clone()]).collect(),
        _ => vec![columns.to_vec()],
    }
}

/// An output that depended on who has which value: what it was about.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The kind of output.
    pub sight: Sight,
    /// The columns that fixed the strata.
    pub strata: Vec<String>,
    /// The protected columns; those of one set together.
    pub protects: Vec<Vec<String>>,
    /// The history whose state records it, too.
    pub history: Option<PathBuf>,
    /// The fingerprints of the rows; none if they are not known.
    pub prints: Option<RowPrints>,
}

impl Seen {
    /// An output about how often each value occurs in a table's strata.
    pub fn of_histograms(sight: Sight, view: &View) -> Self {
        let strata = view.strata_columns().map(|own| own.name().to_owned());
        Self { strata: strata.collect(), protects: published_together(view), ..Self::new(sight) }
    }

    /// An output about whole rows.
    pub fn new(sight: Sight) -> Self {
        Self { sight, strata: Vec::new(), protects: Vec::new(), history: None, prints: None }
    }
}
