//! *decompose*: from the histogram alone, which values go together in a group
//! and how many groups carry them.

mod any;
mod in_turn;
mod program;
mod ratio;
mod runs;

pub use any::decompose_any;
pub use ratio::decompose;

/// A signature and the number of groups that will carry it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    /// The sensitive values of each group, one per slot, ascending. A value
    /// that needs no protection may occur more than once.
    pub signature: Vec<u32>,
    /// Groups with this signature, at least one.
    pub groups: u32,
}

/// Buckets that together use up every value of a histogram exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decomposition {
    buckets: Vec<Bucket>,
}

impl Decomposition {
    /// The buckets, by signature.
    pub fn buckets(&self) -> &[Bucket] {
        &self.buckets
    }

    /// Number of groups in all buckets.
    pub fn groups(&self) -> u32 {
        self.buckets.iter().map(|bucket| bucket.groups).sum()
    }

    fn new(mut buckets: Vec<Bucket>) -> Self {
        for bucket in &mut buckets {
            bucket.signature.sort_unstable();
        }
        buckets.sort_unstable_by(|a, b| a.signature.cmp(&b.signature));
        buckets.dedup_by(|later, kept| {
            let same = later.signature == kept.signature;
            if same {
                kept.groups += later.groups;
            }
            same
        });
        Self { buckets }
    }

    /// How many bucket-mates the groups have, summed: larger buckets leave
    /// *arrange* more freedom.
    fn freedom(&self) -> u128 {
        let squares = self
            .buckets
            .iter()
            .map(|bucket| u128::from(bucket.groups).pow(2));
        squares.sum()
    }
}

#[cfg(test)]
mod tests;
