//! Items in descending order of a count that only decreases.

/// Items `0..m`, with the greatest counts first.
///
/// Items of equal count form a block. Decreasing an item's count moves the item to the end of its
/// block and the border in front of it: O(1).
pub(super) struct ItemBlocks {
    order: Vec<u32>,
    /// The position of each item in `order`.
    position: Vec<u32>,
    counts: Vec<u32>,
    /// `at_least[c]`: number of items with a count of at least c.
    at_least: Vec<u32>,
}

impl ItemBlocks {
    /// Sorts items by their counts (counting sort), in O(items + greatest count).
    pub(super) fn new(counts: Vec<u32>) -> Self {
        let greatest = counts.iter().max().map_or(0, |&count| count as usize);
        let mut at_least = vec![0; greatest + 2];
        for &count in &counts {
            at_least[count as usize] += 1;
        }
        for count in (0..=greatest).rev() {
            at_least[count] += at_least[count + 1];
        }
        let mut next = at_least.clone();
        let mut order = vec![0; counts.len()];
        let mut position = vec![0; counts.len()];
        for (item, &count) in counts.iter().enumerate() {
            let place = &mut next[count as usize + 1];
            order[*place as usize] = item as u32;
            position[item] = *place;
            *place += 1;
        }
        Self { order, position, counts, at_least }
    }

    /// Returns the count of an item.
    pub(super) fn count(&self, item: u32) -> u32 {
        self.counts[item as usize]
    }

    /// Returns the number of items whose count is above 0.
    pub(super) fn open(&self) -> usize {
        self.at_least.get(1).map_or(0, |&items| items as usize)
    }

    /// Decreases an item's count by one; it must be above 0.
    pub(super) fn decrement(&mut self, item: u32) {
        let count = &mut self.counts[item as usize];
        let border = &mut self.at_least[*count as usize];
        *count -= 1;
        *border -= 1;
        let last = *border as usize;
        self.swap(self.position[item as usize] as usize, last);
    }

    /// Sets an item's count to 0, in O(count).
    pub(super) fn use_up(&mut self, item: u32) {
        for _ in 0..self.count(item) {
            self.decrement(item);
        }
    }

    /// Returns the `wanted` items with the greatest counts; at least `wanted` counts have to be
    /// above 0. Among items of equal count, `choose` picks one at a time: it receives at least two
    /// items, and returns a position.
    pub(super) fn leaders(
        &mut self,
        wanted: usize,
        mut choose: impl FnMut(&[u32]) -> usize,
    ) -> &[u32] {
        let least = self.counts[self.order[wanted - 1] as usize] as usize;
        let start = self.at_least[least + 1] as usize;
        let end = self.at_least[least] as usize;
        if end > wanted {
            for place in start..wanted {
                let chosen = place + choose(&self.order[place..end]);
                self.swap(place, chosen);
            }
        }
        &self.order[..wanted]
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.order.swap(a, b);
        self.position[self.order[a] as usize] = a as u32;
        self.position[self.order[b] as usize] = b as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn leaders_have_the_greatest_counts(
            counts in prop::collection::vec(0u32..6, 1..12),
            steps in prop::collection::vec((0usize..12, 1usize..12), 0..40),
        ) {
            let mut blocks = ItemBlocks::new(counts.clone());
            let mut counts = counts;
            for (item, wanted) in steps {
                let item = item % counts.len();
                if counts[item] > 0 {
                    counts[item] -= 1;
                    blocks.decrement(item as u32);
                }
                let open = counts.iter().filter(|&&count| count > 0).count();
                prop_assert_eq!(blocks.open(), open);
                if wanted <= open {
                    let leaders = blocks.leaders(wanted, |items| items.len() - 1).to_vec();
                    let mut expected = counts.clone();
                    expected.sort_unstable_by_key(|&count| std::cmp::Reverse(count));
                    let mut found: Vec<u32> =
                        leaders.iter().map(|&item| counts[item as usize]).collect();
                    found.sort_unstable_by_key(|&count| std::cmp::Reverse(count));
                    prop_assert_eq!(&found[..], &expected[..wanted]);
                    let mut distinct = leaders;
                    distinct.sort_unstable();
                    distinct.dedup();
                    prop_assert_eq!(distinct.len(), wanted);
                }
            }
        }
    }
}
