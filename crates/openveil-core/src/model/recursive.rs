use super::bind::Binding;
use super::classes::DiversityClasses;
use super::entropy::most_frequent;
use super::range::Range;
use super::requirement::ModelParameters;
use super::{Counts, InvalidModel, Measured, Property, Tilts, Traits};
use crate::exact::number::{rational, whole};
use crate::exact::text;
use crate::exact::{Fraction, Rational, approximate, compare_products, fraction, widen};
use num_traits::{One, Signed};
use openveil_text::{Text, text};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::sync::Arc;

/// Parameters of recursive (c, l)-diversity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecursiveDiversity {
    /// Above 0.
    #[serde(with = "rational")]
    pub c: Rational,
    /// At least 2.
    #[serde(with = "whole")]
    pub l: u32,
}

impl RecursiveDiversity {
    /// The meaning of the property for values or categories, in words.
    pub(super) fn in_words(c: Rational, l: u32, what: &Text, exempt: bool) -> Text {
        let (c, more) = (text(c), l - 1);
        if exempt {
            text!(
                "the most probable of anybody's {what:text} that is not exempt is less probable than {c} times all but the {more} most probable ones together, or there are none but exempt ones"
            )
        } else {
            text!(
                "the most probable of anybody's {what:text} is less probable than {c} times all but the {more} most probable ones together"
            )
        }
    }
}

impl ModelParameters for RecursiveDiversity {
    const MODEL: &'static str = "l-diversity";
    const VARIANT: Option<&'static str> = Some("recursive");
    const IS_DEFAULT: bool = false;
    const COVERS_COMBINATIONS: bool = true;

    fn check(&self) -> Result<(), InvalidModel> {
        let range = Range(Self::MODEL);
        range.positive("c", &self.c)?;
        range.at_least("l", self.l, 2)
    }

    fn name(&self) -> String {
        format!("recursive ({}, {})-diversity", text(self.c), self.l)
    }

    fn in_words(&self, exempt: bool) -> Text {
        Self::in_words(self.c, self.l, &"values".into(), exempt)
    }

    fn bind(&self, table: &Binding<'_>) -> Result<Vec<Arc<dyn Property>>, InvalidModel> {
        Ok(vec![Arc::new(Recursive {
            name: self.name(),
            c: self.c,
            l: self.l,
            classes: table.values(),
        })])
    }
}

/// Counts of up to this many classes are sorted on the stack.
const FEW: usize = 64;

/// Recursive (c, l)-diversity: r₁ < c · (r_l + … + r_m) for the counts r₁ ≥ … ≥ r_m.
/// (Machanavajjhala et al., 2006; Definition 6 of the (l, α)-diversity paper.)
///
/// Convex: with N rows, r_l + … + r_m is N minus the l − 1 greatest counts, so the condition is
/// r₁ + c · (r₁ + … + r_{l−1}) < c · N. The greatest count, and the sum of the l − 1 greatest
/// counts, are maxima of linear functions, hence convex. The set on which a convex function is
/// below a bound is convex. Hence monotone.
///
/// With exempt values it is the paper's *positive disclosure-recursive* diversity: for the most
/// frequent protected value, with count r, and the sum s of the l − 2 greatest other counts, r < c
/// · (N − r − s). Convex for the same reason, since the condition then also holds for every other
/// protected value. (A value that does not occur in one part of a mixture has 0 ≤ c · (N − s)
/// there, with s the sum of the l − 2 greatest counts, which suffices.)
#[derive(Debug, Clone)]
pub(super) struct Recursive {
    pub(super) name: String,
    pub(super) c: Rational,
    pub(super) l: u32,
    pub(super) classes: DiversityClasses,
}

impl Recursive {
    /// The greatest protected count, and the number of rows outside it and outside the l − 2
    /// greatest other counts. `None` if there are no protected classes.
    fn head_and_tail(&self, classes: &[(u32, u128)]) -> Option<(u128, u128)> {
        let head = classes
            .iter()
            .filter(|&&(class, _)| !self.classes.is_exempt(class))
            .max_by_key(|entry| entry.1)?;
        let (mut stack, mut heap) = ([0; FEW], Vec::new());
        let room = if classes.len() <= FEW {
            &mut stack[..classes.len()]
        } else {
            heap.resize(classes.len(), 0);
            &mut heap[..]
        };
        let others = classes.iter().filter(|entry| entry.0 != head.0);
        let mut number = 0;
        for (place, entry) in room.iter_mut().zip(others) {
            *place = entry.1;
            number += 1;
        }
        let others = &mut room[..number];
        others.sort_unstable();
        let tail = number.saturating_sub(self.l as usize - 2);
        Some((head.1, others[..tail].iter().sum()))
    }

    fn suffices(&self, classes: &[(u32, u128)]) -> bool {
        let Some((head, tail)) = self.head_and_tail(classes) else {
            return true;
        };
        let (c, unit) = (*self.c.numer(), *self.c.denom());
        compare_products(&[head, unit.into()], &[tail, c.into()]) == Ordering::Less
    }
}

impl Property for Recursive {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn traits(&self) -> Traits {
        Traits::OF_DISTRIBUTIONS
    }

    /// If a value has the share p, the next l − 2 classes take least if the other m − 1 classes are
    /// equally frequent: p < c · (1 − p) · (1 − (l − 2)/(m − 1)).
    fn max_posterior(&self) -> Option<Fraction> {
        let others = self.classes.present().checked_sub(1)? as u128;
        let tail = (others + 2).checked_sub(self.l.into()).filter(|&n| n > 0)?;
        let factor = widen(self.c) * fraction(tail, others.max(1));
        let bound = &factor / (Fraction::one() + &factor);
        bound.is_positive().then_some(bound)
    }

    fn holds(&self, counts: &Counts<'_>) -> bool {
        self.classes.read(counts, |classes| self.suffices(classes))
    }

    fn treats_values_alike(&self) -> bool {
        self.classes.are_alike()
    }

    fn least_size(&self) -> u32 {
        if self.classes.any_exempt() { 1 } else { self.l }
    }

    fn classes(&self) -> Option<&[u32]> {
        self.classes.of_value()
    }

    /// The condition is that r < c · (N − r − s) for every protected value with count r and every s
    /// that is the sum of l − 2 other counts. The tilt of that value alone makes r greatest
    /// compared with the rest. For categories nothing is proved, because a value is only a part of
    /// a category.
    fn worst_tilts(&self) -> Tilts {
        match self.classes.of_value() {
            None => Tilts::Singles,
            Some(_) => Tilts::All,
        }
    }

    fn measure(&self, counts: &Counts<'_>) -> Measured {
        self.classes.read(counts, |classes| {
            let (head, tail) = self.head_and_tail(classes).unwrap_or((0, 1));
            Measured {
                what: "count of the most frequent one over that of the rare ones",
                value: most_frequent(&self.classes, classes),
                found: head as f64 / tail as f64,
                bound: approximate(&self.c),
            }
        })
    }
}
