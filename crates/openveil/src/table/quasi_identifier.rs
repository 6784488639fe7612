use super::Domain;

/// A column that an adversary knows for everybody: codes into a [`Domain`].
#[derive(Debug, Clone)]
pub struct QuasiIdentifier {
    name: String,
    codes: Vec<u32>,
    domain: Domain,
    weight: u32,
}

impl QuasiIdentifier {
    /// A column of weight 1. `codes[row]` is a position in `domain`.
    pub fn new(name: impl Into<String>, codes: Vec<u32>, domain: Domain) -> Self {
        Self {
            name: name.into(),
            codes,
            domain,
            weight: 1,
        }
    }

    /// Says how much the column's precision matters beside the others'.
    #[must_use]
    pub fn with_weight(mut self, weight: u32) -> Self {
        self.weight = weight;
        self
    }

    /// The column's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One code per row.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The values that codes stand for.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// How much the column's precision matters beside the others'.
    pub fn weight(&self) -> u32 {
        self.weight
    }
}
