//! A user's choices about what is tried in a block.

/// People in a block, unless the user says otherwise.
pub const BLOCK_SIZE: usize = 8;

/// Sets what a block's strategy tries, in which order. Public, as all parameters are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Trials {
    /// People in a block, at most: 2 to [`Trials::MOST_PEOPLE`]. A whole table is one block if it has
    /// no more.
    pub block: usize,
    /// The functions, the finest first, up to [`Trials::MOST_FUNCTIONS`]; the block as one group
    /// comes last by itself. None: runs along the order of the quasi-identifiers.
    pub functions: Vec<Function>,
    /// How far `k-jump` jumps where a function's disclosure set lacks the property, by function,
    /// at least 1; 1 where there are more functions. None: what suits a block's multiset best.
    pub jump: Option<Vec<u32>>,
}

/// A generalisation function: people are one group if they are alike on every column that is
/// named, at the level that is named.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Function(
    /// Columns with levels of their taxonomies: 0 are the values themselves, and each level is
    /// coarser than the one before. A column with a hierarchy has its levels; one whose values are
    /// ordered has intervals of 2, 4, 8 … neighbouring values; any other has values and everything.
    pub Vec<(String, u32)>,
);

impl Trials {
    /// Functions that may be given: every selection of them may be a plan.
    pub const MOST_FUNCTIONS: usize = 5;

    /// People that a block may have: whatever their values, counts of their tables times squares of
    /// their number fit into 128 bits.
    pub const MOST_PEOPLE: usize = 32;
}

impl Default for Trials {
    fn default() -> Self {
        Self {
            block: BLOCK_SIZE,
            functions: Vec::new(),
            jump: None,
        }
    }
}
