/// The chances that people can be found in a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reidentification {
    /// The highest chance of any person.
    pub highest: f64,
    /// The mean over all rows.
    pub average: f64,
    /// The share of the rows whose chance is above the threshold.
    pub at_risk: f64,
}

impl Reidentification {
    /// The prosecutor's chances: a reader who knows that a person is in the table finds the row
    /// among the rows of the person's group.
    pub fn prosecutor(sizes: &[u32], threshold: f64) -> Self {
        let rows: u64 = sizes.iter().copied().map(u64::from).sum();
        let at_risk: u64 = sizes
            .iter()
            .filter(|size| 1.0 / f64::from(**size) > threshold)
            .copied()
            .map(u64::from)
            .sum();
        let least = sizes.iter().copied().min().unwrap_or(1);
        Self {
            highest: 1.0 / f64::from(least),
            average: sizes.len() as f64 / rows as f64,
            at_risk: at_risk as f64 / rows as f64,
        }
    }

    /// The journalist's chances: the table is a sample, and a row may belong to any person of the
    /// population who looks like it. `crowds` has, for each set of equal rows, their number and the
    /// number of people in the population who look like them.
    pub fn journalist(crowds: impl Iterator<Item = (u64, f64)>, threshold: f64) -> Self {
        let (mut highest, mut sum, mut at_risk, mut rows) = (0f64, 0.0, 0, 0);
        for (count, people) in crowds {
            let chance = 1.0 / people;
            highest = highest.max(chance);
            sum += count as f64 * chance;
            at_risk += if chance > threshold { count } else { 0 };
            rows += count;
        }
        Self { highest, average: sum / rows as f64, at_risk: at_risk as f64 / rows as f64 }
    }
}

/// The share of the rows that are the only row of their group.
pub fn uniqueness(sizes: &[u32]) -> f64 {
    let rows: u64 = sizes.iter().copied().map(u64::from).sum();
    sizes.iter().filter(|&&size| size == 1).count() as f64 / rows as f64
}

/// The share of all pairs of rows that are in different groups; 1 if there are no pairs. A set of
/// columns with a separation near 1 is nearly a key. Source: Motwani and Xu (2007), *Efficient
/// algorithms for masking and finding quasi-identifiers*, definition 2. Their distinction is groups
/// / rows.
pub fn separation(sizes: &[u32]) -> f64 {
    let pairs = |rows: u64| u128::from(rows) * u128::from(rows.saturating_sub(1)) / 2;
    let rows: u64 = sizes.iter().copied().map(u64::from).sum();
    let alike: u128 = sizes.iter().map(|&size| pairs(size.into())).sum();
    match pairs(rows) {
        0 => 1.0,
        all => (all - alike) as f64 / all as f64,
    }
}
