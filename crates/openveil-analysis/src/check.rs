//! A check of the fit: for each known column, whether the release tells how the secret depends on it.

use crate::learned::{by_column, link, slope};
use crate::worlds::Analysis;

/// From this share of an association on, figures show it nearly as it is …
const MOSTLY: f64 = 0.8;

/// … and below this one, they do not show it. Measured on thirteen tables: 42 of 44 associations
/// found to less than half were below it.
const HALF: f64 = 0.5;

/// How far figures by a known column can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Figures show the association nearly as it is.
    Usable,
    /// The association is there, but its size is uncertain.
    WithCare,
    /// The release does not show the association, or half of it may be missing.
    DoNotCross,
}

impl Verdict {
    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Usable => "usable",
            Self::WithCare => "with care",
            Self::DoNotCross => "do not cross",
        }
    }

    /// Returns the verdict on figures that show this share of an association: 0 to 1.
    pub fn of(share: f64) -> Self {
        if share >= MOSTLY {
            Self::Usable
        } else if share >= HALF {
            Self::WithCare
        } else {
            Self::DoNotCross
        }
    }
}

/// The check of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnCheck {
    /// The share of the column's squared deviations from independence that error does not explain: 0
    /// to 1.
    pub certain: f64,
    /// The share of the association that is found in worlds, where the truth is known.
    pub found: f64,
    /// The conclusion.
    pub verdict: Verdict,
}

impl Analysis {
    /// Checks how far figures of the secret by a known column can be used; `None` without worlds.
    /// O(rows · worlds).
    pub fn check(&self, column: usize) -> Option<ColumnCheck> {
        if self.worlds.len() < 2 {
            return None;
        }
        let values = self.meaning.secret.values();
        let ask = by_column(&self.meaning, column, values);
        let worlds = self.in_worlds(&ask);
        let figures = self.counts_by(&ask, &worlds);
        let (estimates, squares): (Vec<f64>, Vec<f64>) =
            figures.iter().map(|own| (own.estimate, own.error.powi(2))).unzip();
        let certain = link(&estimates, &squares, values, |part| part).recovered;
        let slopes: Vec<f64> = worlds
            .iter()
            .filter_map(|(estimated, truth)| slope(estimated, truth, values))
            .collect();
        let found = slopes.iter().sum::<f64>() / slopes.len().max(1) as f64;
        Some(ColumnCheck { certain, found, verdict: Verdict::of(certain.min(found)) })
    }
}
