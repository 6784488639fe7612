//! Fingerprints of a table's rows, which show whether two runs read the same people.
//!
//! Rows are a multiset: their order, the format of the file, blank lines and the spelling of a
//! cell do not count. Only who has the key can test a guess about the rows.

use openveil_core::coins::{Coins, SecretCoins};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The key of fingerprints: with it, a guess about the rows can be tested.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrintKey([u8; 32]);

impl std::fmt::Debug for PrintKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("PrintKey")
    }
}

impl PrintKey {
    /// Draws a key from the operating system.
    pub(crate) fn drawn() -> Self {
        let mut coins = SecretCoins::from_os();
        Self(std::array::from_fn(|_| coins.below(256) as u8))
    }

    /// Returns the keyed hash of some texts.
    pub(crate) fn hash(&self, texts: &[&str]) -> u64 {
        let mut digest = Sha256::new_with_prefix(self.0);
        for text in texts {
            digest.update((text.len() as u64).to_le_bytes());
            digest.update(text);
        }
        let digest = digest.finalize();
        u64::from_le_bytes(digest[..8].try_into().expect("8 bytes"))
    }
}

/// What a run has to take fingerprints of, to be compared with earlier looks.
#[derive(Debug)]
pub struct Watched {
    pub(crate) key: PrintKey,
    /// The sets of columns of which a fingerprint is recorded.
    pub(crate) columns: Vec<Vec<String>>,
    /// Whether an earlier run stopped at missing values.
    pub(crate) has_missing: bool,
}

impl Watched {
    /// For a run that is not compared with others.
    pub(crate) fn nothing() -> Self {
        Self { key: PrintKey::drawn(), columns: Vec::new(), has_missing: false }
    }
}

/// Fingerprints of the rows that a run kept.
#[derive(Debug, Clone)]
pub struct RowPrints {
    pub(crate) key: PrintKey,
    /// The columns of the run, and those of them that are not protected; sorted.
    pub(crate) columns: Vec<String>,
    pub(crate) open: Vec<String>,
    /// The sum over all rows, by the columns that count.
    pub(crate) sums: BTreeMap<Vec<String>, u64>,
    /// Whether a sum is over rows, or over columns of a table whose rows lie elsewhere.
    pub(crate) is_by_row: bool,
    pub(crate) rows: usize,
    /// How each published column was cut: which cells have which label.
    pub(crate) cuts: BTreeMap<String, u64>,
    /// The fingerprints before rows with missing values were left out, if they count.
    pub(crate) input: Option<Box<Self>>,
}

impl RowPrints {
    /// Returns the fingerprint of the rows by some columns, together with how columns were cut and
    /// which rows of people were drawn; none if a column was not read.
    pub(crate) fn print<'a>(
        &self,
        columns: &[String],
        cut: impl Iterator<Item = &'a String>,
        drawn: &str,
    ) -> Option<String> {
        let sum = self.sums.get(columns)?;
        let mut parts = vec![format!("{} {} {sum}", self.is_by_row, self.rows), drawn.to_owned()];
        for name in cut {
            parts.push(format!("{} {name}", self.cuts.get(name)?));
        }
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        Some(format!("{:016x}", self.key.hash(&parts)))
    }
}
