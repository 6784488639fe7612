//! Symmetric matrices.

use rayon::prelude::*;

/// A symmetric matrix, or its Cholesky factor: the lower triangle, row after row.
#[derive(Debug, Clone)]
pub(super) struct Matrix {
    size: usize,
    pub(super) entries: Vec<f64>,
}

impl Matrix {
    pub(super) fn zero(size: usize) -> Self {
        Self { size, entries: vec![0.0; size * (size + 1) / 2] }
    }

    fn place(row: usize, column: usize) -> usize {
        row * (row + 1) / 2 + column
    }

    pub(super) fn get(&self, row: usize, column: usize) -> f64 {
        self.entries[Self::place(row, column)]
    }

    /// Adds to an entry. Entries above the diagonal are not stored.
    pub(super) fn add(&mut self, row: usize, column: usize, by: f64) {
        if column <= row {
            self.entries[Self::place(row, column)] += by;
        }
    }

    /// The factor L of L Lᵀ; `None` if the matrix is not positive definite. O(size³).
    pub(super) fn cholesky(&self) -> Option<Self> {
        let mut factor = self.clone();
        for row in 0..self.size {
            let (above, own) = factor.entries.split_at_mut(Self::place(row, 0));
            for column in 0..row {
                let other = &above[Self::place(column, 0)..=Self::place(column, column)];
                let sum: f64 = own[..column].iter().zip(other).map(|(a, b)| a * b).sum();
                own[column] = (own[column] - sum) / other[column];
            }
            let rest = own[row] - own[..row].iter().map(|own| own * own).sum::<f64>();
            if rest <= 1e-12 * own[row].abs() || !rest.is_finite() {
                return None;
            }
            own[row] = rest.sqrt();
        }
        Some(factor)
    }

    /// Solves L Lᵀ x = right.
    pub(super) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut x = right.to_vec();
        for row in 0..self.size {
            let own = &self.entries[Self::place(row, 0)..=Self::place(row, row)];
            let sum: f64 = own[..row].iter().zip(&x).map(|(a, b)| a * b).sum();
            x[row] = (x[row] - sum) / own[row];
        }
        for row in (0..self.size).rev() {
            let own = &self.entries[Self::place(row, 0)..=Self::place(row, row)];
            x[row] /= own[row];
            let scale = x[row];
            x[..row].iter_mut().zip(own).for_each(|(x, own)| *x -= scale * own);
        }
        x
    }

    /// The inverse of L Lᵀ, row after row. O(size³).
    pub(super) fn inverse(&self) -> Vec<f64> {
        (0..self.size)
            .into_par_iter()
            .flat_map_iter(|at| {
                let mut unit = vec![0.0; self.size];
                unit[at] = 1.0;
                self.solve(&unit)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_solves_and_inverts() {
        let mut matrix = Matrix::zero(3);
        let full = [[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]];
        for (i, row) in full.iter().enumerate() {
            row.iter().enumerate().for_each(|(j, x)| matrix.add(i, j, *x));
        }
        let factor = matrix.cholesky().unwrap();
        let x = factor.solve(&[1.0, 2.0, 3.0]);
        for (row, right) in full.iter().zip([1.0, 2.0, 3.0]) {
            let left: f64 = row.iter().zip(&x).map(|(a, b)| a * b).sum();
            assert!((left - right).abs() < 1e-12);
        }
        let inverse = factor.inverse();
        for (i, row) in full.iter().enumerate() {
            for j in 0..3 {
                let own: f64 = (0..3).map(|k| row[k] * inverse[3 * k + j]).sum();
                assert!((own - f64::from(u8::from(i == j))).abs() < 1e-12);
            }
        }
        matrix.add(2, 2, -10.0);
        assert!(matrix.cholesky().is_none());
    }
}
