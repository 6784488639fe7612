use super::bind::Binding;
use super::ceiling::{STEPS, ceiling};
use super::classes::DiversityClasses;
use super::range::Range;
use super::requirement::ModelParameters;
use super::{Counts, InvalidModel, Measured, Property, Traits};
use crate::exact::number::rational;
use crate::exact::text;
use crate::exact::{Fraction, Rational, approximate, fraction, sign_of_log_sum};
use num_traits::One;
use openveil_text::{Text, text};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::sync::Arc;

/// Parameters of entropy l-diversity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntropyDiversity {
    /// Above 1.
    #[serde(with = "rational")]
    pub l: Rational,
}

impl EntropyDiversity {
    /// The meaning of the property for values or categories, in words.
    pub(super) fn in_words(l: Rational, what: &Text, exempt: bool) -> Text {
        let l = text(l);
        if exempt {
            text!(
                "the entropy of anybody's distribution is at least that of {l} equally probable {what:text} (exempt ones count as far as that helps), or there are none but exempt ones"
            )
        } else {
            text!(
                "the entropy of anybody's distribution is at least that of {l} equally probable {what:text}"
            )
        }
    }
}

impl ModelParameters for EntropyDiversity {
    const MODEL: &'static str = "l-diversity";
    const VARIANT: Option<&'static str> = Some("entropy");
    const IS_DEFAULT: bool = false;
    const COVERS_COMBINATIONS: bool = true;

    fn check(&self) -> Result<(), InvalidModel> {
        let above = self.l > Rational::one();
        Range(Self::MODEL).holds("l", &text(self.l), above, text!("above 1"))
    }

    fn name(&self) -> String {
        format!("entropy {}-diversity", text(self.l))
    }

    fn in_words(&self, exempt: bool) -> Text {
        Self::in_words(self.l, &"values".into(), exempt)
    }

    fn bind(&self, table: &Binding<'_>) -> Result<Vec<Arc<dyn Property>>, InvalidModel> {
        Ok(vec![Arc::new(Entropy { name: self.name(), l: self.l, classes: table.values() })])
    }
}

/// Entropy l-diversity: the entropy of the values, or categories, is at least
/// log l. (Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam: l-diversity, 2006.)
///
/// Convex, since entropy is concave; hence monotone. Decided as
/// N^N ≥ l^N · ∏ cᵢ^cᵢ.
///
/// With exempt values, any number of their rows may be left out of the count, and a multiset
/// without protected values satisfies the property. This is the least convex property that both "no
/// protected value" and "entropy of at least log l" imply: a mixture of the two kinds satisfies it
/// by leaving out the first. (Accepting only the two kinds would not be convex: nine parts of only
/// `none` and one of `flu`, `cold` have little entropy.)
#[derive(Debug, Clone)]
pub(super) struct Entropy {
    pub(super) name: String,
    pub(super) l: Rational,
    pub(super) classes: DiversityClasses,
}

/// Classes whose rows count in full, and the number of others that are cut down to the best count.
#[derive(Default)]
struct Split {
    whole: Vec<u128>,
    total: u128,
    cut: u32,
}

impl Entropy {
    fn suffices(&self, classes: &[(u32, u128)]) -> bool {
        if classes.iter().any(|&(class, _)| self.classes.is_exempt(class)) {
            match self.split(classes) {
                Some(split) => {
                    let counts = split.whole.iter().copied();
                    self.reaches(counts, split.total, split.cut)
                }
                None => true,
            }
        } else {
            let counts = classes.iter().map(|&(_, count)| count);
            let total = counts.clone().sum();
            self.reaches(counts, total, 0)
        }
    }

    /// Whether counts in full, together with `cut` classes at their best count, reach log l.
    ///
    /// A class's rows increase the entropy up to t = (∏ cᵢ^cᵢ)^(1/N), over the counts in full. With
    /// `cut` classes of t rows the entropy is log (N/t + cut).
    fn reaches(&self, counts: impl Iterator<Item = u128> + Clone, total: u128, cut: u32) -> bool {
        let (l, unit) = (u128::from(*self.l.numer()), u128::from(*self.l.denom()));
        let Some(missing @ 1..) = l.checked_sub(u128::from(cut) * unit) else {
            return true;
        };
        if let Some(even) = evenly_spread(counts.clone()) {
            return even * unit >= missing;
        }
        // 0 ≤ N ln N + N ln unit − N ln missing − Σ c ln c
        let n = total as i128;
        let sizes = [(n, total), (n, unit), (-n, missing)].into_iter();
        let counts = counts.map(|count| (-(count as i128), count));
        sign_of_log_sum(sizes.chain(counts), None) != Ordering::Less
    }

    /// Counts exempt classes in full as long as their rows are below t, the least first; `None` if
    /// there are no protected classes.
    fn split(&self, classes: &[(u32, u128)]) -> Option<Split> {
        let mut split = Split::default();
        let mut exempt = Vec::new();
        for &(class, count) in classes {
            if self.classes.is_exempt(class) { exempt.push(count) } else { split.take(count) }
        }
        if split.whole.is_empty() {
            return None;
        }
        exempt.sort_unstable();
        let full = exempt
            .iter()
            .take_while(|&&count| {
                let below = split.is_below_best(count);
                if below {
                    split.take(count);
                }
                below
            })
            .count();
        split.cut = (exempt.len() - full) as u32;
        Some(split)
    }

    /// Entropy as a number of equally frequent classes, for display.
    fn perplexity(&self, classes: &[(u32, u128)]) -> f64 {
        let split = self.split(classes).unwrap_or_else(|| Split {
            whole: classes.iter().map(|&(_, count)| count).collect(),
            total: classes.iter().map(|&(_, count)| count).sum(),
            cut: 0,
        });
        let total = split.total as f64;
        let entropy: f64 =
            split.whole.iter().map(|&count| count as f64 / total).map(|p| -p * p.ln()).sum();
        entropy.exp() + f64::from(split.cut)
    }
}

impl Split {
    fn take(&mut self, count: u128) {
        self.whole.push(count);
        self.total += count;
    }

    /// Whether a count is below t: N ln count < Σ c ln c.
    fn is_below_best(&self, count: u128) -> bool {
        let sum = self.whole.iter().map(|&c| (-(c as i128), c));
        let terms = std::iter::once((self.total as i128, count)).chain(sum);
        sign_of_log_sum(terms, None) == Ordering::Less
    }
}

/// The number of classes, if all are equally frequent.
fn evenly_spread(mut counts: impl Iterator<Item = u128>) -> Option<u128> {
    let first = counts.next()?;
    counts.try_fold(1, |number, count| (count == first).then_some(number + 1))
}

impl Property for Entropy {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn traits(&self) -> Traits {
        Traits::OF_DISTRIBUTIONS
    }

    /// For a given share of one class, the entropy is greatest if all others are equally frequent.
    /// Returns the greatest such share that reaches log l, rounded up.
    fn max_posterior(&self) -> Option<Fraction> {
        let others = self.classes.present().checked_sub(1).filter(|&n| n > 0)?;
        let others = others as u128;
        let whole = Rational::from_integer(others as u64 + 1);
        if self.l >= whole {
            return Some(fraction(1, others + 1));
        }
        ceiling(STEPS / (others as u32 + 1) + 1, |steps| {
            let one = u128::from(steps) * others;
            let rest = std::iter::repeat_n(u128::from(STEPS - steps), others as usize);
            let counts = std::iter::once(one).chain(rest.filter(|&count| count > 0));
            self.reaches(counts, u128::from(STEPS) * others, 0)
        })
        .filter(|bound| *bound < Fraction::one())
    }

    fn holds(&self, counts: &Counts<'_>) -> bool {
        self.classes.read(counts, |classes| self.suffices(classes))
    }

    fn treats_values_alike(&self) -> bool {
        self.classes.are_alike()
    }

    fn least_size(&self) -> u32 {
        if self.classes.any_exempt() {
            1
        } else {
            let least = self.l.numer().div_ceil(*self.l.denom());
            least.try_into().unwrap_or(u32::MAX)
        }
    }

    fn classes(&self) -> Option<&[u32]> {
        self.classes.of_value()
    }

    fn measure(&self, counts: &Counts<'_>) -> Measured {
        self.classes.read(counts, |classes| Measured {
            what: "entropy, as a number of equally frequent ones,",
            value: most_frequent(&self.classes, classes),
            found: self.perplexity(classes),
            bound: approximate(&self.l),
        })
    }
}

/// The most frequent protected class, if classes are values.
pub(super) fn most_frequent(kind: &DiversityClasses, classes: &[(u32, u128)]) -> Option<u32> {
    classes
        .iter()
        .filter(|&&(class, _)| !kind.is_exempt(class))
        .max_by_key(|&&(class, count)| (count, std::cmp::Reverse(class)))
        .and_then(|&(class, _)| kind.value(class))
}
