use crate::hierarchy::Hierarchy;

/// The values of a quasi-identifier in their order, and how a range of them is published. The
/// *code* of a row is the position of its value in this order.
#[derive(Debug, Clone)]
pub struct Domain {
    labels: Vec<Box<str>>,
    generalization: Generalization,
}

/// How the values of a group are published together.
#[derive(Debug, Clone)]
pub enum Generalization {
    /// Ordered values: the closed interval from the least to the greatest.
    Interval,
    /// Unordered values: the set of the values that occur.
    Set,
    /// A generalisation tree: the label of the lowest common ancestor.
    Tree(Hierarchy),
}

impl Domain {
    /// Values with a meaningful order, least first; published as intervals.
    pub fn ordered<L: Into<Box<str>>>(labels: impl IntoIterator<Item = L>) -> Self {
        Self::with(labels, Generalization::Interval)
    }

    /// Values without a meaningful order; published as sets. The order given
    /// still decides which values count as close when groups are arranged.
    pub fn unordered<L: Into<Box<str>>>(labels: impl IntoIterator<Item = L>) -> Self {
        Self::with(labels, Generalization::Set)
    }

    /// Integers in ascending order; published as intervals.
    pub fn integers(values: impl IntoIterator<Item = i64>) -> Self {
        Self::ordered(values.into_iter().map(|value| value.to_string()))
    }

    /// The leaves of a generalisation tree, in its order.
    pub fn tree(hierarchy: Hierarchy) -> Self {
        let labels: Vec<Box<str>> = hierarchy.leaf_labels().map(Box::from).collect();
        Self::with(labels, Generalization::Tree(hierarchy))
    }

    fn with<L: Into<Box<str>>>(
        labels: impl IntoIterator<Item = L>,
        generalization: Generalization,
    ) -> Self {
        Self { labels: labels.into_iter().map(Into::into).collect(), generalization }
    }

    /// The domain with only the values for which `kept[code]` is true.
    pub(super) fn pruned(&self, kept: &[bool]) -> Self {
        let labels = self.labels.iter().zip(kept).filter(|(_, kept)| **kept);
        Self {
            labels: labels.map(|(label, _)| label.clone()).collect(),
            generalization: match &self.generalization {
                Generalization::Tree(tree) => Generalization::Tree(tree.pruned(kept)),
                other => other.clone(),
            },
        }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are no values at all.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The published text of one value.
    pub fn label(&self, code: u32) -> &str {
        &self.labels[code as usize]
    }

    /// All values in order.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = &str> {
        self.labels.iter().map(|label| &**label)
    }

    /// How a range of values is published.
    pub fn generalization(&self) -> &Generalization {
        &self.generalization
    }

    /// Whether the order of the values is meaningful.
    pub fn is_ordered(&self) -> bool {
        matches!(self.generalization, Generalization::Interval)
    }

    /// The tree, if there is one.
    pub fn hierarchy(&self) -> Option<&Hierarchy> {
        match &self.generalization {
            Generalization::Tree(hierarchy) => Some(hierarchy),
            Generalization::Interval | Generalization::Set => None,
        }
    }

    /// The cost of publishing the codes `low..=high` as one: the steps between them, or with a tree
    /// the number of leaves under their common ancestor minus one. Between 0 and
    /// [`Domain::full_extent`].
    #[inline]
    pub fn extent(&self, low: u32, high: u32) -> u32 {
        match &self.generalization {
            Generalization::Tree(hierarchy) => hierarchy.extent(low, high),
            Generalization::Interval | Generalization::Set => high - low,
        }
    }

    /// The extent of the whole domain: its size minus one.
    pub fn full_extent(&self) -> u32 {
        (self.labels.len() as u32).saturating_sub(1)
    }
}
