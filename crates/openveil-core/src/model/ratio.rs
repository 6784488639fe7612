use super::bind::Binding;
use super::members::MemberShare;
use super::range::Range;
use super::requirement::{ModelParameters, protected_value};
use super::{InvalidModel, Property};
use crate::Error;
use crate::exact::Rational;
use crate::exact::number::whole;
use crate::exact::share_at_most;
use crate::table::{Histogram, View};
use openveil_text::{Text, text};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Ratio l-diversity: no protected value has a share of more than 1/l.
///
/// Convex (a mixture of distributions that satisfy it satisfies it) and monotone (so does a union
/// of groups). The Privacy Streamliner paper calls it l-diversity with the highest ratio (section
/// 1), and (1/l) in its Lemma 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatioDiversity {
    #[serde(with = "whole")]
    l: u32,
}

impl RatioDiversity {
    /// The property with parameter `l`, at least 2.
    ///
    /// # Errors
    /// [`Error::LBelowTwo`].
    pub fn new(l: u32) -> Result<Self, Error> {
        if l < 2 {
            return Err(Error::LBelowTwo { l });
        }
        Ok(Self { l })
    }

    /// The parameter: no protected value may be guessed with a chance above 1/l.
    pub fn l(self) -> u32 {
        self.l
    }

    /// Whether a protected value with `count` of `size` rows satisfies the bound.
    #[inline]
    pub fn allows(self, count: u64, size: u64) -> bool {
        share_at_most(count, size, self.l)
    }

    /// Checks that some release of a table with this histogram satisfies the
    /// property: every protected count is at most ⌊n/l⌋.
    ///
    /// `exempt[v]` says that the value `v` needs no protection. O(values).
    ///
    /// # Errors
    /// [`Ineligible`] names the value that is too frequent, its share and the largest `l` that the
    /// histogram allows.
    pub fn check_eligible(self, histogram: &Histogram, exempt: &[bool]) -> Result<(), Ineligible> {
        let rows = histogram.rows();
        let values = histogram.distinct() as u32;
        if values < self.l && !exempt.contains(&true) {
            return Err(Ineligible::TooFewValues { l: self.l, values });
        }
        if rows < self.l {
            return Err(Ineligible::TooFewRows { l: self.l, rows });
        }
        let quota = rows / self.l;
        let worst = (0..histogram.counts().len())
            .filter(|&value| !exempt[value])
            .max_by_key(|&value| (histogram.counts()[value], std::cmp::Reverse(value)));
        match worst {
            Some(value) if histogram.counts()[value] > quota => Err(Ineligible::TooFrequent {
                l: self.l,
                value: value as u32,
                count: histogram.counts()[value],
                rows,
            }),
            _ => Ok(()),
        }
    }

    /// The largest `l` that a table allows, if any. If values are sets, it is judged by their
    /// members. O(rows + values).
    pub fn largest_l_of(table: &View) -> Option<u32> {
        let (histogram, secret) = (table.histogram(), table.secret());
        let Some(members) = secret.members() else {
            return Self::largest_l(&histogram, secret.exempt());
        };
        let mut people = vec![0u32; members.count()];
        for (set, &count) in (0..).zip(histogram.counts()) {
            members.members(set).iter().for_each(|&own| people[own as usize] += count);
        }
        let most = people
            .iter()
            .zip(members.exempt())
            .filter(|(_, exempt)| !**exempt)
            .map(|(&count, _)| count)
            .max();
        histogram
            .rows()
            .checked_div(most.unwrap_or(0))
            .or(Some(histogram.rows()))
            .filter(|&l| l >= 2)
    }

    /// The largest `l` for which a histogram is eligible, if any.
    pub fn largest_l(histogram: &Histogram, exempt: &[bool]) -> Option<u32> {
        let worst = (0..histogram.counts().len())
            .filter(|&value| !exempt[value])
            .map(|value| histogram.counts()[value])
            .max()
            .unwrap_or(0);
        let largest = histogram.rows().checked_div(worst).unwrap_or(histogram.rows());
        (largest >= 2).then_some(largest)
    }
}

impl ModelParameters for RatioDiversity {
    const MODEL: &'static str = "l-diversity";
    const VARIANT: Option<&'static str> = Some("ratio");
    const COVERS_COMBINATIONS: bool = true;

    fn check(&self) -> Result<(), InvalidModel> {
        Range(Self::MODEL).at_least("l", self.l, 2)
    }

    fn name(&self) -> String {
        format!("ratio {}-diversity", self.l)
    }

    fn in_words(&self, exempt: bool) -> Text {
        let value = protected_value(exempt);
        text!("no {value:text} is more probable than 1/{} for anybody", self.l)
    }

    /// The engines make groups of at least l rows even if values are exempt.
    fn bind(&self, table: &Binding<'_>) -> Result<Vec<Arc<dyn Property>>, InvalidModel> {
        if let Some(members) = table.members() {
            return Ok(vec![Arc::new(MemberShare {
                name: self.name(),
                l: self.l,
                members: members.clone(),
            })]);
        }
        let bound = Rational::new(1, self.l.into());
        Ok(vec![Arc::new(table.share(self.name(), bound, self.l))])
    }
}

/// Why no release of a table can satisfy [`RatioDiversity`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ineligible {
    /// A protected value is more frequent than one row in l.
    TooFrequent {
        /// The parameter asked for.
        l: u32,
        /// Code of the value.
        value: u32,
        /// Rows that carry it.
        count: u32,
        /// Rows of the table.
        rows: u32,
    },
    /// The sensitive column has fewer distinct values than l.
    TooFewValues {
        /// The parameter asked for.
        l: u32,
        /// Distinct values.
        values: u32,
    },
    /// The table has fewer rows than l.
    TooFewRows {
        /// The parameter asked for.
        l: u32,
        /// Rows of the table.
        rows: u32,
    },
}

impl Ineligible {
    /// Returns it in words.
    pub fn in_words(&self) -> Text {
        match self {
            Self::TooFrequent { l, value, count, rows } => text!(
                "value number {value} appears in {count} of {rows} rows, more than 1/{l} of them"
            ),
            Self::TooFewValues { l, values } => text!(
                "l = {l} needs {l} different values in every group, but the sensitive column has only {values}"
            ),
            Self::TooFewRows { l, rows } => {
                text!("l = {l} needs groups of at least {l} rows, but the table has only {rows}")
            }
        }
    }
}

impl fmt::Display for Ineligible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.in_words().fmt(f)
    }
}

impl std::error::Error for Ineligible {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eligibility_turns_at_the_quota() {
        let model = RatioDiversity::new(3).unwrap();
        let eligible = Histogram::from_counts(vec![3, 3, 2, 2]);
        assert_eq!(model.check_eligible(&eligible, &[false; 4]), Ok(()));
        let worst = Histogram::from_counts(vec![4, 3, 2, 2]);
        assert_eq!(
            model.check_eligible(&worst, &[false; 4]),
            Err(Ineligible::TooFrequent { l: 3, value: 0, count: 4, rows: 11 })
        );
        assert_eq!(RatioDiversity::largest_l(&worst, &[false; 4]), Some(2));
        let exempt = [true, false, false, false];
        assert_eq!(model.check_eligible(&worst, &exempt), Ok(()));
    }

    #[test]
    fn too_little_of_anything_is_named() {
        assert_eq!(RatioDiversity::new(1), Err(Error::LBelowTwo { l: 1 }));
        let model = RatioDiversity::new(5).unwrap();
        let few = Histogram::from_counts(vec![9, 9, 9]);
        assert_eq!(
            model.check_eligible(&few, &[false; 3]),
            Err(Ineligible::TooFewValues { l: 5, values: 3 })
        );
    }
}
