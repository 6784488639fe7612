//! Cases to enumerate for so many people.

use openveil_core::table::histograms;
use serde::{Deserialize, Serialize};

/// Settings that every multiset is crossed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Crossed {
    /// Nothing.
    #[default]
    Nothing,
    /// Every way to have two strata of people.
    Strata,
    /// Every one of its values, as the one that needs no protection.
    Exempt,
    /// Both: in every way to have two strata, every one of the values.
    StrataExempt,
}

/// In how many orders the values of a multiset stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Orders {
    /// In every one: algorithms may break ties by the labels of values.
    #[default]
    All,
    /// In one, which stands for the others where it makes no difference which value is which.
    One,
}

impl Crossed {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Nothing,
        Self::Strata,
        Self::Exempt,
        Self::StrataExempt,
    ];

    /// The name in commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Strata => "strata",
            Self::Exempt => "exempt",
            Self::StrataExempt => "strata-exempt",
        }
    }

    /// Returns the words after "every multiset of up to … people".
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Strata => " in two strata",
            Self::Exempt => " with a value that needs no protection",
            Self::StrataExempt => " in two strata, with a value that needs no protection",
        }
    }

    /// Whether some value needs no protection.
    pub fn has_exempt(self) -> bool {
        matches!(self, Self::Exempt | Self::StrataExempt)
    }

    /// All multisets of so many people, crossed. Values are told apart.
    ///
    /// In all orders there are 2ⁿ⁻¹ of n people; with a value exempt (n + 1) 2ⁿ⁻²; of two
    /// strata some thousands for n = 8.
    pub fn cases(self, rows: u32, orders: Orders) -> Vec<SweepCase> {
        let mut cases = match self {
            Self::Nothing | Self::Exempt => whole(rows),
            Self::Strata | Self::StrataExempt => in_strata(rows),
        };
        if self.has_exempt() {
            cases = cases.iter().flat_map(SweepCase::with_each_exempt).collect();
        }
        if orders == Orders::One {
            cases.retain(SweepCase::stands_for_all_orders);
        }
        cases
    }
}

/// All multisets of so many people.
fn whole(rows: u32) -> Vec<SweepCase> {
    let case = |counts: Vec<u32>| SweepCase {
        counts: vec![counts],
        exempt: None,
    };
    histograms(rows).into_iter().map(case).collect()
}

/// Like [`whole`], but in two strata, the smaller first: which one is, is nothing to an engine.
fn in_strata(rows: u32) -> Vec<SweepCase> {
    let all = (1..=rows / 2).flat_map(|first| pairs(first, rows - first));
    let case = |columns: Vec<[u32; 2]>| SweepCase {
        counts: (0..2)
            .map(|stratum| columns.iter().map(|column| column[stratum]).collect())
            .collect(),
        exempt: None,
    };
    all.map(case).collect()
}

/// All ways in which values fall on so many people of one stratum and so many of another: by
/// value, how many of each have it; nobody's values are left out.
fn pairs(first: u32, second: u32) -> Vec<Vec<[u32; 2]>> {
    if (first, second) == (0, 0) {
        return vec![Vec::new()];
    }
    let columns = (0..=first).flat_map(|one| (0..=second).map(move |other| [one, other]));
    let columns = columns.filter(|column| *column != [0, 0]);
    columns
        .flat_map(|column| {
            let rest = pairs(first - column[0], second - column[1]);
            rest.into_iter()
                .map(move |rest| [vec![column], rest].concat())
        })
        .collect()
}

/// One multiset, and what it is crossed with.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SweepCase {
    /// How many people have each value, by stratum; one without strata.
    pub counts: Vec<Vec<u32>>,
    /// The value that needs no protection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exempt: Option<u32>,
}

impl SweepCase {
    /// Everybody's value, one stratum after the other. Values are 1, 2, 3, …
    pub(super) fn values(&self) -> Vec<String> {
        let of_stratum = |counts: &Vec<u32>| {
            let values = (1u32..).zip(counts.clone());
            values.flat_map(|(value, count)| vec![value.to_string(); count as usize])
        };
        self.counts.iter().flat_map(of_stratum).collect()
    }

    /// Everybody's stratum, if there are several.
    pub(super) fn strata(&self) -> Option<Vec<u32>> {
        let of_stratum = |(stratum, counts): (u32, &Vec<u32>)| {
            vec![stratum; counts.iter().sum::<u32>() as usize]
        };
        let strata = (0..).zip(&self.counts).flat_map(of_stratum);
        (self.counts.len() > 1).then(|| strata.collect())
    }

    /// Returns the case with every one of its values exempt in turn.
    fn with_each_exempt(&self) -> impl Iterator<Item = Self> {
        (0..self.counts[0].len() as u32).map(|value| Self {
            exempt: Some(value),
            ..self.clone()
        })
    }

    /// Whether the exempt value comes first, then those that more people have, stratum by
    /// stratum: of all orders of the values this is so in one.
    fn stands_for_all_orders(&self) -> bool {
        let rank = |value: usize| {
            let people: Vec<u32> = self.counts.iter().map(|own| own[value]).collect();
            (self.exempt == Some(value as u32), people)
        };
        (1..self.counts[0].len()).all(|value| rank(value - 1) >= rank(value))
    }

    /// Which of so many values need no protection, if one needs none.
    pub(super) fn exempt(&self, values: usize) -> Option<Vec<bool>> {
        let exempt = self.exempt?;
        Some((0..values as u32).map(|value| value == exempt).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn there_are_as_many_cases_as_there_should_be() {
        let count = |crossed: Crossed, rows| crossed.cases(rows, Orders::All).len();
        assert_eq!([3, 4, 8].map(|n| count(Crossed::Nothing, n)), [4, 8, 128]);
        // A composition of n has (n + 1) / 2 parts on the average.
        assert_eq!([3, 4, 8].map(|n| count(Crossed::Exempt, n)), [8, 20, 576]);
        // Vector compositions: of (1, 1) three, of (1, 2) eight, of (2, 2) twenty-six.
        assert_eq!([2, 3].map(|n| count(Crossed::Strata, n)), [3, 8]);
        // With an exempt one of two values, or of one: of (1, 1) five.
        assert_eq!(count(Crossed::StrataExempt, 2), 5);
        assert_eq!(pairs(2, 2).len(), 26);
        assert_eq!(pairs(4, 4).len(), 2_568);
    }

    /// By the values' ranks in any case, there is one of the same in one order.
    #[test]
    fn one_order_stands_for_all() {
        let sorted = |case: &SweepCase| {
            let values = 0..case.counts[0].len();
            let rank = |value: usize| {
                let people: Vec<u32> = case.counts.iter().map(|own| own[value]).collect();
                (case.exempt == Some(value as u32), people)
            };
            let mut ranks: Vec<_> = values.map(rank).collect();
            ranks.sort();
            ranks
        };
        for (crossed, partitions) in [
            (Crossed::Nothing, 15),
            (Crossed::Strata, 134),
            (Crossed::Exempt, 30),
            (Crossed::StrataExempt, 354),
        ] {
            let one = crossed.cases(7, Orders::One);
            let of_all: BTreeSet<_> = crossed.cases(7, Orders::All).iter().map(sorted).collect();
            let of_one: BTreeSet<_> = one.iter().map(sorted).collect();
            assert_eq!((one.len(), of_one.len()), (partitions, partitions));
            assert_eq!(of_one, of_all);
        }
    }

    #[test]
    fn people_have_the_values_of_their_stratum() {
        let case = SweepCase {
            counts: vec![vec![1, 0, 1], vec![0, 2, 1]],
            exempt: None,
        };
        assert_eq!(case.values(), ["1", "3", "2", "2", "3"]);
        assert_eq!(case.strata(), Some(vec![0, 0, 1, 1, 1]));
        assert_eq!(case.exempt(3), None);
    }
}
