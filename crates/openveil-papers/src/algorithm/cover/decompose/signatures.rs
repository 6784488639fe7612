//! One value per slot: which values share a group, and how often.

/// The values of a group, one per slot, and the number of groups that carry them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Signature {
    /// Ascending; a value may fill several slots where the model allows it.
    pub(super) values: Vec<u32>,
    /// At least one.
    pub(super) groups: u32,
}

/// Signatures that together use up every value of a histogram exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Signatures(Vec<Signature>);

impl Signatures {
    pub(super) fn new(mut signatures: Vec<Signature>) -> Self {
        for signature in &mut signatures {
            signature.values.sort_unstable();
        }
        signatures.sort_unstable_by(|a, b| a.values.cmp(&b.values));
        signatures.dedup_by(|later, kept| {
            let same = later.values == kept.values;
            if same {
                kept.groups += later.groups;
            }
            same
        });
        Self(signatures)
    }

    /// The different signatures, in the order of their values.
    pub(super) fn iter(&self) -> std::slice::Iter<'_, Signature> {
        self.0.iter()
    }

    /// Number of groups of all signatures.
    pub(super) fn groups(&self) -> u32 {
        self.iter().map(|signature| signature.groups).sum()
    }

    /// The sum, over groups, of how many groups share their signature. The greater it is, the more
    /// freedom *arrange* has.
    pub(super) fn freedom(&self) -> u128 {
        self.iter().map(|one| u128::from(one.groups).pow(2)).sum()
    }
}
