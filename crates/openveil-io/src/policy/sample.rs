//! Which rows of a table are read: all, a sample, or all but a sample.

use crate::source::Source;
use crate::{Error, Location};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Rows of an input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// Why the file must not be published.
    pub(crate) warning: String,
    /// Tells whether the input was changed since.
    pub(crate) fingerprint: String,
    /// Rows of the input.
    pub(crate) input_rows: usize,
    /// Those in the sample, counted from 1, ascending.
    pub(crate) rows: Vec<usize>,
}

/// Which rows of the input are read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Part {
    /// All.
    #[default]
    Everybody,
    /// Those of a sample.
    Only(Sample),
    /// Those that are not in a sample.
    Without(Sample),
}

impl Sample {
    /// Reads a sample that was drawn before.
    ///
    /// # Errors
    /// A file that cannot be read, or is no sample.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path)
            .map_err(|cause| Error::io(path, "read the sample", &cause))?;
        let misfit = |problem: String| {
            Error::new(Location::file(path), problem)
                .help("name the file that `openveil compare --sample FILE` wrote")
        };
        let sample: Self = serde_json::from_str(&text)
            .map_err(|cause| misfit(format!("is not a sample of rows: {cause}")))?;
        let ascending = sample.rows.windows(2).all(|pair| pair[0] < pair[1]);
        let inside = sample.rows.first().is_some_and(|&first| first > 0)
            && sample
                .rows
                .last()
                .is_some_and(|&last| last <= sample.input_rows);
        match ascending && inside && sample.rows.len() < sample.input_rows {
            true => Ok(sample),
            false => Err(misfit(
                "is not a sample of rows: its numbers are not".to_owned(),
            )),
        }
    }

    /// Rows in the sample, at least 1.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Checks that the input is the one that the sample was drawn from.
    ///
    /// # Errors
    /// Another input, or one that was changed.
    pub(crate) fn check(&self, source: &Source) -> Result<(), Error> {
        if source.fingerprint()? == self.fingerprint {
            return Ok(());
        }
        let problem = "is not the input that the sample was drawn from, or was changed since";
        Err(Error::new(Location::file(&source.path), problem)
            .help("a sample leaves out rows by their place: draw another one"))
    }
}
