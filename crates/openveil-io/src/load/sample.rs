//! A sample of an input's rows, drawn by coins: what parameters may be chosen on, if
//! nothing of it is published.

use super::missing::keep_rows;
use crate::policy::{Part, Policy, Sample};
use crate::source::{RawTable, Source};
use crate::{Error, Location};
use openveil::coins::Coins;

impl Sample {
    /// Draws `wanted` rows of a policy's input, every choice of so many being equally likely.
    /// O(input).
    ///
    /// # Errors
    /// An input that cannot be read, or does not have more rows than are wanted.
    pub fn draw(policy: &Policy, wanted: usize, coins: &mut dyn Coins) -> Result<Self, Error> {
        let source = &policy.source;
        let is_published = |name: &String| {
            let column = policy.columns.get(name);
            column.is_some_and(|column| column.role.is_published())
        };
        let raw = source.read(
            &|names| Ok(names.iter().map(is_published).collect()),
            &|_| {},
        )?;
        if wanted == 0 || wanted >= raw.rows || raw.rows > u32::MAX as usize {
            let problem = format!(
                "has {} rows: no sample of {wanted} can be left out",
                raw.rows
            );
            return Err(Error::new(Location::file(&source.path), problem)
                .help("draw fewer rows, such as a tenth of them"));
        }
        // The first places of a shuffle.
        let mut rows: Vec<usize> = (1..=raw.rows).collect();
        for place in 0..wanted {
            let chosen = place + coins.below((raw.rows - place) as u32) as usize;
            rows.swap(place, chosen);
        }
        rows.truncate(wanted);
        rows.sort_unstable();
        Ok(Self {
            warning: "Not for publication: who is in the sample is part of what keeps parameters chosen on it from telling anything.".to_owned(),
            fingerprint: source.fingerprint()?,
            input_rows: raw.rows,
            rows,
        })
    }
}

impl Part {
    /// Leaves out the rows that are not read; how many of them a sample takes away.
    pub(super) fn apply(&self, source: &Source, raw: &mut RawTable) -> Result<usize, Error> {
        let (sample, kept) = match self {
            Self::Everybody => return Ok(0),
            Self::Only(sample) => (sample, true),
            Self::Without(sample) => (sample, false),
        };
        sample.check(source)?;
        let mut keep = vec![!kept; raw.rows];
        for &row in &sample.rows {
            match keep.get_mut(row - 1) {
                Some(keep) => *keep = kept,
                None => {
                    return Err(Error::new(
                        Location::file(&source.path),
                        "has fewer rows than the sample names",
                    ));
                }
            }
        }
        keep_rows(raw, &keep);
        Ok(if kept { 0 } else { sample.rows.len() })
    }
}
