/// A stage of the attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Reading the owner's table, in bytes.
    Read,
    /// Reading the releases, and running their algorithms once.
    ReadBack,
    /// Re-running, in people.
    Rerun,
    /// Finding everybody in the releases, and learning.
    Learn,
    /// Releases made one after the other and put together.
    Independent,
    /// Fitting the readers who know correlations, in steps.
    Correlate,
    /// Intersecting several tables, in people and rules.
    Intersect,
}

impl Stage {
    /// The name in progress bars.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::ReadBack => "read back",
            Self::Rerun => "re-run",
            Self::Learn => "learn",
            Self::Independent => "releases",
            Self::Correlate => "correlate",
            Self::Intersect => "intersect",
        }
    }
}

/// Somebody who watches the attack: a progress bar, or nobody.
pub trait Observer: Sync {
    /// A stage begins; `total` is its work in bytes or people, if known.
    fn begin(&self, stage: Stage, total: Option<u64>);
    /// Work done since the last call.
    fn advance(&self, work: u64);
}
