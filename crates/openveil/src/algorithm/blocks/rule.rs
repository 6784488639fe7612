//! The privacy model as blocks see it: the only file here that names it.

use crate::model::RatioDiversity;
use crate::table::Secret;
use crate::verify::disclosure::Predicate;

/// Decides about sets of rows of one table, in O(rows of the set).
pub(super) struct Rule<'a> {
    model: RatioDiversity,
    sensitive: &'a Secret,
    /// By value; all 0 between two questions.
    counts: Vec<u32>,
}

impl<'a> Rule<'a> {
    pub(super) fn new(model: RatioDiversity, sensitive: &'a Secret) -> Self {
        Self {
            model,
            sensitive,
            counts: vec![0; sensitive.values()],
        }
    }

    /// Whether rows may be published as one group of which nothing else is known.
    pub(super) fn allows(&mut self, rows: impl ExactSizeIterator<Item = u32> + Clone) -> bool {
        let (codes, exempt) = (self.sensitive.codes(), self.sensitive.exempt());
        let size = rows.len() as u64;
        let mut highest = 1;
        for row in rows.clone() {
            let value = codes[row as usize] as usize;
            self.counts[value] += 1;
            if !exempt[value] {
                highest = highest.max(self.counts[value]);
            }
        }
        for row in rows {
            self.counts[codes[row as usize] as usize] = 0;
        }
        self.model.allows(highest.into(), size)
    }
}

/// The model on what a reader concludes about a person of a block, whose values
/// have canonical names: those that need protection come first.
pub(super) struct Protected {
    pub(super) l: u32,
    pub(super) values: usize,
}

impl Predicate for Protected {
    /// For integers, count · l > total means count > ⌊total / l⌋, which cannot
    /// overflow.
    fn holds(&self, counts: &[u128]) -> bool {
        let bound = counts.iter().sum::<u128>() / u128::from(self.l);
        counts[..self.values].iter().all(|&count| count <= bound)
    }
}
