//! Progress of long work: stages, their units, and observers.

use std::path::Path;

/// A stage of a work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Reading the input, in bytes.
    Read,
    /// Splitting columns, and cutting tables into groups.
    Anonymize,
    /// Generalising and sorting the groups.
    Release,
    /// Recounting the release.
    Verify,
    /// Writing, in rows.
    Write,
    /// Measuring with the true values, for the owner.
    Measure,
    /// Reading the release back and describing it.
    Report,
    /// Publishing and measuring for a comparison, counted in trials over all settings of a policy.
    Compare,
    /// Reading the releases that are attacked, and running their algorithms once.
    ReadBack,
    /// Re-running an algorithm for an attack, in people.
    Rerun,
    /// Finding everybody in the releases, and learning.
    Learn,
    /// Making independent releases and combining them.
    Independent,
    /// Fitting the models of readers who know correlations, in steps.
    Correlate,
    /// Intersecting several tables, in people and rules.
    Intersect,
    /// Enumerating multisets.
    Enumerate,
}

/// A unit that stages count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StageUnit {
    /// Bytes of a file.
    Bytes,
    /// Rows of a table.
    Rows,
    /// People.
    People,
    /// Trials of a comparison.
    Trials,
    /// Multisets of values.
    Multisets,
}

impl Stage {
    /// The name in timings and progress bars.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Anonymize => "anonymize",
            Self::Release => "release",
            Self::Verify => "verify",
            Self::Write => "write",
            Self::Measure => "measure",
            Self::Report => "report",
            Self::Compare => "compare",
            Self::ReadBack => "read back",
            Self::Rerun => "re-run",
            Self::Learn => "learn",
            Self::Independent => "releases",
            Self::Correlate => "correlate",
            Self::Intersect => "intersect",
            Self::Enumerate => "enumerate",
        }
    }

    /// The unit of its work.
    pub fn unit(self) -> StageUnit {
        match self {
            Self::Read => StageUnit::Bytes,
            Self::Anonymize
            | Self::Release
            | Self::Verify
            | Self::Write
            | Self::Measure
            | Self::Report => StageUnit::Rows,
            Self::Compare => StageUnit::Trials,
            Self::Enumerate => StageUnit::Multisets,
            Self::ReadBack
            | Self::Rerun
            | Self::Learn
            | Self::Independent
            | Self::Correlate
            | Self::Intersect => StageUnit::People,
        }
    }
}

/// An observer of work, such as a progress bar.
pub trait Observer: Sync {
    /// A stage begins; `total` is its work in its unit, if known.
    fn begin(&self, _stage: Stage, _total: Option<u64>) {}
    /// Work done since the last call.
    fn advance(&self, _work: u64) {}
    /// A folder to delete if the program is interrupted from now on; none while a release is moved
    /// into place, which must not be interrupted.
    fn staging(&self, _path: Option<&Path>) {}
}

/// An observer that ignores everything.
#[derive(Debug, Clone, Copy)]
pub struct Nobody;

impl Observer for Nobody {}
