use super::*;
use crate::algorithm::streamliner::tests::{
    arrangements, eligible, is_safe_partition, model, numbered, table,
};
use proptest::prelude::*;
use std::collections::HashMap;

/// Table 7, taken literally, without any index.
struct Literal<'a> {
    values: &'a [u32],
    ranks: &'a [u64],
    l: usize,
    /// Incomplete rows of each colour, by weighted rank, then row.
    colours: Vec<Vec<u32>>,
    groups: Vec<Vec<u32>>,
    without_compatible: usize,
}

impl<'a> Literal<'a> {
    fn run(values: &'a [u32], ranks: &'a [u64], l: usize) -> Self {
        let mut colours = vec![Vec::new(); *values.iter().max().unwrap() as usize + 1];
        for row in 0..values.len() as u32 {
            colours[values[row as usize] as usize].push(row);
        }
        for colour in &mut colours {
            colour.sort_by_key(|&row| (ranks[row as usize], row));
        }
        let mut this =
            Self { values, ranks, l, colours, groups: Vec::new(), without_compatible: 0 };
        this.form();
        while let Some(colour) = this.largest() {
            for row in std::mem::take(&mut this.colours[colour]) {
                this.place(row);
            }
        }
        this
    }

    fn incomplete(&self) -> Vec<usize> {
        let all = 0..self.colours.len();
        all.filter(|&colour| !self.colours[colour].is_empty()).collect()
    }

    fn largest(&self) -> Option<usize> {
        let size = |colour: usize| self.colours[colour].len();
        let first = |colour: usize| self.colours[colour][0];
        self.incomplete().into_iter().min_by_key(|&c| (std::cmp::Reverse(size(c)), first(c)))
    }

    fn form(&mut self) {
        while let Some(current) = self.largest() {
            while !self.colours[current].is_empty() {
                if self.incomplete().len() < self.l {
                    return;
                }
                let row = self.colours[current].remove(0);
                let mut others = self.incomplete();
                others.retain(|&colour| colour != current);
                let rank = |row: u32| self.ranks[row as usize];
                others.sort_by_key(|&colour| {
                    let first = self.colours[colour][0];
                    (rank(row).abs_diff(rank(first)), first)
                });
                let mut group = vec![row];
                for colour in others.into_iter().take(self.l - 1) {
                    group.push(self.colours[colour].remove(0));
                }
                self.groups.push(group);
            }
        }
    }

    /// Returns groups from the nearest to the farthest.
    fn by_distance(&self, row: u32) -> Vec<usize> {
        let total = |group: usize| -> u64 {
            let ranks = self.groups[group].iter().map(|&r| self.ranks[r as usize]);
            ranks.map(|rank| rank.abs_diff(self.ranks[row as usize])).sum()
        };
        let mut order: Vec<usize> =
            (0..self.groups.len()).filter(|&g| !self.groups[g].is_empty()).collect();
        order.sort_by(|&a, &b| {
            let left = total(a) * self.groups[b].len() as u64;
            left.cmp(&(total(b) * self.groups[a].len() as u64)).then(a.cmp(&b))
        });
        order
    }

    fn place(&mut self, row: u32) {
        let order = self.by_distance(row);
        let same = |&other: &u32| self.values[other as usize] == self.values[row as usize];
        let compatible = order.iter().find(|&&group| !self.groups[group].iter().any(same));
        if let Some(&group) = compatible {
            self.groups[group].push(row);
            return;
        }
        self.without_compatible += 1;
        let mut merged = vec![row];
        let mut oldest = usize::MAX;
        for group in order {
            merged.append(&mut self.groups[group]);
            oldest = oldest.min(group);
            let count =
                |value| merged.iter().filter(|&&r| self.values[r as usize] == value).count();
            let most = self.values.iter().map(|&value| count(value)).max().unwrap();
            if most * self.l <= merged.len() {
                break;
            }
        }
        self.groups[oldest] = merged;
    }

    fn groups(&self) -> Groups {
        self.groups.iter().map(|group| group.iter().copied()).collect()
    }
}

fn ranks(table: &View) -> Vec<u64> {
    weighted_ranks(table)
}

/// The rows of a group, and its values.
type PublishedGroup = (Vec<u32>, Vec<u32>);

/// Returns in how many tables of a multiset GDA's release makes a value certain, and how many
/// tables there are.
fn disclosing_tables(multiset: &[u32], l: u32) -> (usize, usize) {
    let tables = arrangements(multiset);
    let mut by_release: HashMap<Vec<PublishedGroup>, Vec<&Vec<u32>>> = HashMap::new();
    for values in &tables {
        let groups = gda(&numbered(values), model(l)).unwrap().sorted();
        let release = groups.iter().map(|group| {
            let mut inside: Vec<u32> = group.iter().map(|&row| values[row as usize]).collect();
            inside.sort_unstable();
            (group.to_vec(), inside)
        });
        by_release.entry(release.collect()).or_default().push(values);
    }
    let is_certain = |set: &&Vec<&Vec<u32>>| {
        (0..multiset.len()).any(|row| set.iter().all(|values| values[row] == set[0][row]))
    };
    let disclosing = by_release.values().filter(is_certain).map(Vec::len).sum();
    (disclosing, tables.len())
}

#[test]
fn gda_makes_values_certain() {
    assert_eq!(disclosing_tables(&[0, 0, 1, 1, 2, 2], 2), (48, 90));
    assert_eq!(disclosing_tables(&[0, 0, 1, 1, 2, 2, 3, 3], 2), (1_272, 2_520));
}

#[test]
fn a_left_over_may_find_no_compatible_group() {
    let tables = arrangements(&[0, 0, 1, 1, 2, 3]);
    let mut without = 0;
    for values in &tables {
        let table = numbered(values);
        let ranks = ranks(&table);
        let literal = Literal::run(values, &ranks, 3);
        without += usize::from(literal.without_compatible > 0);
        let groups = gda(&table, model(3)).unwrap();
        assert!(is_safe_partition(values, &groups, 3));
        assert_eq!(groups.sorted(), literal.groups().sorted());
    }
    assert_eq!((without, tables.len()), (40, 180));
}

#[test]
fn ranks_are_weighted_and_counted_from_one() {
    use openveil_core::table::{Column, Domain, Secret};
    let ages = Column::new("age", vec![0, 2], Domain::integers([20, 30, 40]));
    let sexes = Column::new("sex", vec![1, 0], Domain::unordered(["f", "m"]));
    let table =
        View::new(vec![ages, sexes.with_weight(10_000)], Secret::new("s", vec![0, 1], ["a", "b"]));
    assert_eq!(weighted_ranks(&table.unwrap()), [20_001, 10_003]);
}

#[test]
fn crowds_of_left_overs_are_placed_like_in_table_7() {
    use openveil_core::coins::{Coins, SecretCoins, shuffle};
    let (mut largest_crowd, mut largest_group) = (0, 0);
    for (seed, spread) in (0..40).zip([1, 3, 40, 1_000].into_iter().cycle()) {
        let mut coins = SecretCoins::from_test_seed(seed);
        let counts = [(0u32, 60), (1, 60), (2, 30), (3, 30)];
        let mut values: Vec<u32> = counts
            .into_iter()
            .flat_map(|(value, count)| std::iter::repeat_n(value, count))
            .collect();
        shuffle(&mut values, &mut coins);
        let codes: Vec<u32> = values.iter().map(|_| coins.below(spread)).collect();
        let table = table(&values, &codes);
        let ranks = ranks(&table);
        let literal = Literal::run(&values, &ranks, 3);
        largest_crowd = largest_crowd.max(literal.without_compatible);
        let groups = gda(&table, model(3)).unwrap();
        largest_group = groups.iter().map(<[u32]>::len).fold(largest_group, usize::max);
        assert!(is_safe_partition(&values, &groups, 3));
        assert_eq!(groups.sorted(), literal.groups().sorted());
    }
    assert!(largest_crowd > 12 && largest_group > 150, "{largest_crowd}, {largest_group}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn gda_is_table_7(
        (values, l) in eligible(),
        spread in 1u32..40,
        seed: u64,
    ) {
        use openveil_core::coins::Coins;
        let mut coins = openveil_core::coins::SecretCoins::from_test_seed(seed);
        let codes: Vec<u32> = values.iter().map(|_| coins.below(spread)).collect();
        let table = table(&values, &codes);
        let ranks = ranks(&table);
        let literal = Literal::run(&values, &ranks, l as usize);
        let groups = gda(&table, model(l)).unwrap();
        prop_assert_eq!(groups.sorted(), literal.groups().sorted());
    }
}
