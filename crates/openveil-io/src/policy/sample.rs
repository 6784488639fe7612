//! The rows of a table that are read: all, a random sample, or all but a sample. Parameters may be
//! chosen on a sample, if nothing of the sample is published.

use super::Policy;
use crate::source::{RawTable, Source};
use crate::{Error, Location};
use openveil_core::coins;
use openveil_core::coins::Coins;
use openveil_text::text;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Rows of an input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// Why the sample's file must not be published.
    warning: String,
    /// The fingerprint of the input, which shows later changes.
    fingerprint: String,
    /// Rows of the input.
    input_rows: usize,
    /// The rows in the sample, counted from 1, ascending.
    rows: Vec<usize>,
}

/// The rows of the input that are read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ReadRows {
    /// All rows.
    #[default]
    Everybody,
    /// The rows of at least one of the samples.
    Only(Vec<Sample>),
    /// The rows that are in none of the samples.
    Without(Vec<Sample>),
}

impl Sample {
    /// Draws `wanted` rows of a policy's input; every set of so many rows is equally likely.
    /// O(input).
    ///
    /// # Errors
    /// An input that cannot be read, or that has no more rows than wanted.
    pub fn draw(policy: &Policy, wanted: usize, coins: &mut dyn Coins) -> Result<Self, Error> {
        let source = &policy.input.source;
        let raw = source.read(
            &|names| {
                Ok(names
                    .iter()
                    .map(|name| {
                        let column = policy.columns.get(name);
                        column.is_some_and(|column| column.role.is_published())
                    })
                    .collect())
            },
            &|_| {},
        )?;
        if wanted == 0 || wanted >= raw.rows || raw.rows > u32::MAX as usize {
            let problem = text!("has {} rows, so no sample of {wanted} can be left out", raw.rows);
            return Err(Error::new(Location::file(&source.path), problem)
                .help("draw fewer rows, such as a tenth of them"));
        }
        let mut rows: Vec<usize> = (1..=raw.rows).collect();
        coins::draw(&mut rows, wanted, coins);
        rows.truncate(wanted);
        rows.sort_unstable();
        Ok(Self {
            warning: "Not for publication: this file shows who is in the sample. Keep it secret, so that parameters chosen on the sample disclose nothing.".to_owned(),
            fingerprint: source.fingerprint()?,
            input_rows: raw.rows,
            rows,
        })
    }

    /// Reads a sample that was drawn before.
    ///
    /// # Errors
    /// A file that cannot be read, or is no sample.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path)
            .map_err(|cause| Error::io(path, "read the sample", &cause))?;
        let misfit = |problem: String| {
            Error::new(Location::file(path), problem)
                .help(text!("name the file that `openveil compare --sample FILE` wrote"))
        };
        let sample: Self = serde_json::from_str(&text)
            .map_err(|cause| misfit(format!("is not a sample of rows: {cause}")))?;
        let ascending = sample.rows.windows(2).all(|pair| pair[0] < pair[1]);
        let inside = sample.rows.first().is_some_and(|&first| first > 0)
            && sample.rows.last().is_some_and(|&last| last <= sample.input_rows);
        if ascending && inside && sample.rows.len() < sample.input_rows {
            Ok(sample)
        } else {
            Err(misfit("is not a sample of rows: its row numbers are wrong".to_owned()))
        }
    }

    /// Returns the number of rows in the sample, at least 1.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Checks that the input is the one from which the sample was drawn.
    ///
    /// # Errors
    /// Another input, or an input that was changed.
    pub fn check(&self, source: &Source) -> Result<(), Error> {
        if source.fingerprint()? == self.fingerprint {
            return Ok(());
        }
        let problem = "is not the table that the sample was drawn from, or has changed since";
        Err(Error::new(Location::file(&source.path), problem)
            .help("a sample leaves out rows by their position: draw another sample"))
    }
}

impl ReadRows {
    /// Returns the samples whose rows are left out.
    pub(crate) fn left_out(&self) -> &[Sample] {
        match self {
            Self::Without(samples) => samples,
            Self::Everybody | Self::Only(_) => &[],
        }
    }

    /// Removes the rows that are not read. Returns the number of rows that samples take away.
    pub(crate) fn apply(&self, source: &Source, raw: &mut RawTable) -> Result<usize, Error> {
        let (samples, kept) = match self {
            Self::Everybody => return Ok(0),
            Self::Only(samples) => (samples, true),
            Self::Without(samples) => (samples, false),
        };
        samples.iter().try_for_each(|sample| sample.check(source))?;
        let mut keep = vec![!kept; raw.rows];
        for &row in samples.iter().flat_map(|sample| &sample.rows) {
            match keep.get_mut(row - 1) {
                Some(keep) => *keep = kept,
                None => {
                    return Err(Error::new(
                        Location::file(&source.path),
                        "has fewer rows than the sample names",
                    ));
                }
            }
        }
        raw.keep(&keep);
        let sampled = keep.iter().filter(|&&is_kept| !is_kept).count();
        Ok(if kept { 0 } else { sampled })
    }
}
