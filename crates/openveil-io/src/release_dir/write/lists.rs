//! Lists of one code per row that are shuffled when they are written.

/// The rows among which a list is shuffled.
#[derive(Clone, Copy)]
pub(super) enum Within {
    /// A class: the list shows known columns, or columns for analysis.
    Classes,
    /// A group: the list shows sensitive values.
    Groups,
}

/// Lists of one code per row. Each list is shuffled by itself: coins decide which row of a class,
/// or of a group, shows which code.
#[derive(Default)]
pub(super) struct Slices<'a>(pub(super) Vec<(&'a [u32], Within)>);

impl<'a> Slices<'a> {
    /// Adds a list and returns its number.
    pub(super) fn add(&mut self, codes: &'a [u32], within: Within) -> usize {
        self.0.push((codes, within));
        self.0.len() - 1
    }
}
