use crate::model::RatioDiversity;

/// A bound on the share of a value in a group, or in what is known of a person.
///
/// The highest ratio of the Privacy Streamliner paper's motivating example;
/// ratio l-diversity is the bound 1/l. Decided in integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HighestRatio {
    numerator: u32,
    denominator: u32,
}

impl HighestRatio {
    /// The bound `numerator / denominator`.
    ///
    /// # Panics
    /// If the denominator is 0.
    pub fn new(numerator: u32, denominator: u32) -> Self {
        assert!(denominator > 0, "a share has a denominator");
        Self {
            numerator,
            denominator,
        }
    }

    /// Whether `count` of `size` is within the bound.
    pub fn allows(self, count: u64, size: u64) -> bool {
        u128::from(count) * u128::from(self.denominator)
            <= u128::from(size) * u128::from(self.numerator)
    }
}

impl From<RatioDiversity> for HighestRatio {
    fn from(model: RatioDiversity) -> Self {
        Self::new(1, model.l())
    }
}
