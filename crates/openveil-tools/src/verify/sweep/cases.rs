//! Cases to enumerate for a number of people.

use openveil_core::table::histograms;
use serde::{Deserialize, Serialize};

/// Settings to combine with every multiset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Crossed {
    /// Nothing.
    #[default]
    Nothing,
    /// Every division of people into two strata.
    Strata,
    /// Each value in turn as the exempt one.
    Exempt,
    /// Both: every division into two strata, with each value as the exempt one.
    StrataExempt,
}

/// The orders of the values of a multiset that are enumerated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Orders {
    /// Every order, because algorithms may break ties by the labels of values.
    #[default]
    All,
    /// One order, which represents the others if labels of values make no difference.
    One,
}

impl Crossed {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Nothing, Self::Strata, Self::Exempt, Self::StrataExempt];

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

    /// Whether some value is exempt.
    pub fn has_exempt(self) -> bool {
        matches!(self, Self::Exempt | Self::StrataExempt)
    }

    /// Returns all multisets of this number of people, combined with the settings. Values are
    /// distinguished.
    ///
    /// For n people in all orders there are 2ⁿ⁻¹; with an exempt value (n + 1) 2ⁿ⁻²; with two
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

/// Returns all multisets of this number of people.
fn whole(rows: u32) -> Vec<SweepCase> {
    histograms(rows)
        .into_iter()
        .map(|counts: Vec<u32>| SweepCase { counts: vec![counts], exempt: None })
        .collect()
}

/// Like [`whole`], but in two strata, the smaller first, because engines do not depend on the order
/// of strata.
fn in_strata(rows: u32) -> Vec<SweepCase> {
    (1..=rows / 2)
        .flat_map(|first| pairs(first, rows - first))
        .map(|columns: Vec<[u32; 2]>| SweepCase {
            counts: (0..2)
                .map(|stratum| columns.iter().map(|column| column[stratum]).collect())
                .collect(),
            exempt: None,
        })
        .collect()
}

/// Returns all distributions of values over the people of two strata: for each value, the number of
/// people of each stratum who have it. Values that nobody has are left out.
fn pairs(first: u32, second: u32) -> Vec<Vec<[u32; 2]>> {
    if (first, second) == (0, 0) {
        return vec![Vec::new()];
    }
    (0..=first)
        .flat_map(|one| (0..=second).map(move |other| [one, other]))
        .filter(|column| *column != [0, 0])
        .flat_map(|column| {
            let rest = pairs(first - column[0], second - column[1]);
            rest.into_iter().map(move |rest| [vec![column], rest].concat())
        })
        .collect()
}

/// One multiset with its settings.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SweepCase {
    /// How many people have each value, by stratum; one without strata.
    pub counts: Vec<Vec<u32>>,
    /// The value that needs no protection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exempt: Option<u32>,
}

impl SweepCase {
    /// Returns everybody's value, stratum by stratum. Values are 1, 2, 3, … …
    pub(super) fn values(&self) -> Vec<String> {
        self.counts
            .iter()
            .flat_map(|counts| {
                (1u32..)
                    .zip(counts.clone())
                    .flat_map(|(value, count)| vec![value.to_string(); count as usize])
            })
            .collect()
    }

    /// Returns everybody's stratum, if there are several.
    pub(super) fn strata(&self) -> Option<Vec<u32>> {
        let strata = (0..)
            .zip(&self.counts)
            .flat_map(|(stratum, counts)| vec![stratum; counts.iter().sum::<u32>() as usize]);
        (self.counts.len() > 1).then(|| strata.collect())
    }

    /// Returns the case with every one of its values exempt in turn.
    fn with_each_exempt(&self) -> impl Iterator<Item = Self> {
        (0..self.counts[0].len() as u32).map(|value| Self { exempt: Some(value), ..self.clone() })
    }

    /// Whether values are in the representative order: the exempt value first, then values by
    /// descending number of people, stratum by stratum. Exactly one order satisfies this.
    fn stands_for_all_orders(&self) -> bool {
        let rank = |value: usize| {
            let people: Vec<u32> = self.counts.iter().map(|own| own[value]).collect();
            (self.exempt == Some(value as u32), people)
        };
        (1..self.counts[0].len()).all(|value| rank(value - 1) >= rank(value))
    }

    /// Returns which values are exempt, if one is.
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
        // A composition of n has (n + 1) / 2 parts on average.
        assert_eq!([3, 4, 8].map(|n| count(Crossed::Exempt, n)), [8, 20, 576]);
        // Vector compositions: of (1, 1) three, of (1, 2) eight, of (2, 2) twenty-six.
        assert_eq!([2, 3].map(|n| count(Crossed::Strata, n)), [3, 8]);
        // With one exempt of two values, or of one value: of (1, 1) five.
        assert_eq!(count(Crossed::StrataExempt, 2), 5);
        assert_eq!(pairs(2, 2).len(), 26);
        assert_eq!(pairs(4, 4).len(), 2_568);
    }

    /// For each case there is one with the same ranks of values in the representative order.
    #[test]
    fn one_order_stands_for_all() {
        let sorted = |case: &SweepCase| {
            let values = 0..case.counts[0].len();
            let mut ranks: Vec<_> = values
                .map(|value: usize| {
                    let people: Vec<u32> = case.counts.iter().map(|own| own[value]).collect();
                    (case.exempt == Some(value as u32), people)
                })
                .collect();
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
        let case = SweepCase { counts: vec![vec![1, 0, 1], vec![0, 2, 1]], exempt: None };
        assert_eq!(case.values(), ["1", "3", "2", "2", "3"]);
        assert_eq!(case.strata(), Some(vec![0, 0, 1, 1, 1]));
        assert_eq!(case.exempt(3), None);
    }
}
