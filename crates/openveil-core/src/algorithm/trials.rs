//! A user's choices about the trials in a block.

/// People in a block, unless the user says otherwise.
pub const BLOCK_SIZE: usize = 8;

/// The trials of a block's strategy, in their order. Public, like all parameters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Trials {
    /// The most people in a block: 2 to [`Trials::MOST_PEOPLE`]. A table that has no more is one
    /// block.
    pub block: usize,
    /// The functions, finest first, up to [`Trials::MOST_FUNCTIONS`]; the block as one group is
    /// always tried last. If empty, the functions are runs along the order of the
    /// quasi-identifiers.
    pub functions: Vec<Function>,
    /// How far `k-jump` jumps if a function's disclosure set lacks the property: one number of at
    /// least 1 for each function, and 1 for functions beyond the list. If `None`, the jumps that
    /// suit a block's multiset best.
    pub jump: Option<Vec<u32>>,
}

/// A generalisation function: people are in one group if they are alike on every named column, at
/// the named level.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Function(
    /// Columns with levels of their taxonomies: level 0 has the values themselves, and each level
    /// is coarser than the one before. A column with a hierarchy has its levels. A column with
    /// ordered values has intervals of 2, 4, 8 … neighbouring values. Any other column has two
    /// levels: values, and everything.
    pub Vec<(String, u32)>,
);

impl Trials {
    /// The most functions that may be given, since any selection of them may be a plan.
    pub const MOST_FUNCTIONS: usize = 5;

    /// The most people of a block. Up to this number, counts of tables times the square of the
    /// number of people fit into 128 bits, whatever the values.
    pub const MOST_PEOPLE: usize = 32;
}

impl Default for Trials {
    fn default() -> Self {
        Self { block: BLOCK_SIZE, functions: Vec::new(), jump: None }
    }
}
