use rand::Rng;

/// Draws from a fixed distribution in constant time (Walker's alias method).
pub(crate) struct Alias {
    /// Per column: the 32-bit fraction below which it stands for itself, and the value for the
    /// rest.
    columns: Vec<(u32, u32)>,
}

impl Alias {
    /// Makes a distribution in proportion to weights, some of which must be positive.
    pub(crate) fn new(weights: &[f64]) -> Self {
        let total: f64 = weights.iter().sum();
        let mut shares: Vec<f64> =
            weights.iter().map(|weight| weight / total * weights.len() as f64).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..shares.len()).partition(|&value| shares[value] < 1.0);
        let mut columns: Vec<(u32, u32)> =
            (0..shares.len() as u32).map(|value| (u32::MAX, value)).collect();
        while let (Some(poor), Some(&rich)) = (small.pop(), large.last()) {
            columns[poor] = ((shares[poor] * 2f64.powi(32)) as u32, rich as u32);
            shares[rich] -= 1.0 - shares[poor];
            if shares[rich] < 1.0 {
                small.extend(large.pop());
            }
        }
        Self { columns }
    }

    #[inline]
    pub(crate) fn draw(&self, generator: &mut impl Rng) -> u32 {
        let bits = generator.next_u64();
        let column = ((bits >> 32) * self.columns.len() as u64) >> 32;
        let (threshold, other) = self.columns[column as usize];
        if (bits as u32) < threshold { column as u32 } else { other }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    #[test]
    fn draws_follow_the_weights() {
        let weights = [4.0, 0.0, 1.0, 3.0, 2.0];
        let (alias, mut generator) = (Alias::new(&weights), StdRng::seed_from_u64(1));
        let mut counts = [0.0; 5];
        for _ in 0..100_000 {
            counts[alias.draw(&mut generator) as usize] += 1e-4;
        }
        for (count, weight) in counts.into_iter().zip(weights) {
            assert!((count - weight).abs() < 0.1, "{count} is far from {weight}");
        }
        assert_eq!(counts[1], 0.0);
    }
}
