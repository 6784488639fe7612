//! Finds the classes that cover a person, with a bit per class, column and value.

use super::BeliefError;
use openveil_core::release::Content;
use openveil_core::table::View;

/// The largest number of stored words of 64 classes: 512 MiB.
const MAX_WORDS: u64 = 1 << 26;

/// For each code of each quasi-identifier, the classes whose cell covers it.
pub(super) struct Covering {
    classes: usize,
    /// The number of words of 64 classes per code.
    words: usize,
    /// Per column, the words of all its codes, concatenated.
    columns: Vec<Vec<u64>>,
}

impl Covering {
    /// Reads the cells of a release.
    pub(super) fn new(release: &Content, table: &View) -> Result<Self, BeliefError> {
        let words = release.class_count().div_ceil(64);
        let columns = table.known().iter();
        let codes: u64 = columns.map(|column| column.domain().len() as u64).sum();
        if codes * words as u64 > MAX_WORDS {
            return Err(BeliefError::TooLarge {
                what: "words of 64 classes for all values of quasi-identifiers",
                needed: codes * words as u64,
                limit: MAX_WORDS,
            });
        }
        let columns = table.known().iter().zip(release.cells()).map(|(column, cells)| {
            let mut bits = vec![0u64; column.domain().len() * words];
            for class in 0..release.class_count() {
                let mut mark =
                    |code: u32| bits[code as usize * words + class / 64] |= 1 << (class % 64);
                let rows = release.class_rows(class);
                let spans = cells.spans(class, rows);
                spans.for_each(|(low, high)| (low..=high).for_each(&mut mark));
            }
            bits
        });
        Ok(Self { classes: release.class_count(), words, columns: columns.collect() })
    }

    /// Starts a search for people in sequence.
    pub(super) fn search(&self) -> Search<'_> {
        let all = |word: usize| u64::MAX >> (64 - (self.classes - word * 64).min(64));
        let words = (0..self.words).map(|word| (word as u32, all(word)));
        Search { covering: self, codes: Vec::new(), found: vec![words.collect()] }
    }
}

/// The classes that cover the last person looked up, column by column. In the order of their codes,
/// most people share all columns except the last ones with the person before.
pub(super) struct Search<'a> {
    covering: &'a Covering,
    /// The person's codes.
    codes: Vec<u32>,
    /// After each number of columns: the words that are not empty, with their positions.
    found: Vec<Vec<(u32, u64)>>,
}

impl Search<'_> {
    /// Calls `call` for each class that covers a person with these codes, ascending. Without
    /// quasi-identifiers, every class does.
    pub(super) fn each_class(&mut self, codes: &[u32], mut call: impl FnMut(usize)) {
        let shared =
            self.codes.iter().zip(codes).take_while(|(before, code)| before == code).count();
        self.codes.truncate(shared);
        self.found.truncate(shared + 1);
        for &code in &codes[shared..] {
            let column = self.codes.len();
            let words = self.covering.words;
            let bits = &self.covering.columns[column][code as usize * words..][..words];
            let left = self.found[column]
                .iter()
                .map(|&(word, classes)| (word, classes & bits[word as usize]))
                .filter(|&(_, classes)| classes != 0)
                .collect();
            self.found.push(left);
            self.codes.push(code);
        }
        for &(word, mut bits) in &self.found[codes.len()] {
            while bits != 0 {
                call(word as usize * 64 + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
        }
    }
}
