//! What the requirements of a model mean, word by word.
//!
//! The check's own reading of the definitions: it shares no code with
//! [`crate::model`], computes in fractions of any size, and spares no effort. The
//! tests of [`crate::model`] hold it against the fast decisions.

mod distances;
mod diversity;
mod powers;

use crate::exact::{Fraction, Rational};
use crate::hierarchy::Hierarchy;
use crate::model::{
    AlphaKAnonymity, BetaLikeness, BreachLimit, DeltaDisclosure, Distance, DistinctDiversity,
    EntropyDiversity, GenericDistance, GroundDistance, KAnonymity, LAlphaDiversity, Over,
    PSensitiveKAnonymity, RecursiveDiversity, Requirement, TCloseness, Variant,
};
use crate::table::Secret;
use diversity::Kind;
use num_bigint::BigInt;
use num_traits::{One, Zero};
use powers::compare_with_exp;
use std::cmp::Ordering;

/// What is known of the whole table. Values are numbered in their order.
pub(crate) struct Whole<'a> {
    /// Whether a value needs protection.
    pub(crate) protected: &'a [bool],
    /// How many rows have a value.
    pub(crate) counts: &'a [u64],
    /// The sensitive column, for its labels and its hierarchy.
    pub(crate) sensitive: &'a Secret,
}

impl Whole<'_> {
    fn rows(&self) -> u64 {
        self.counts.iter().sum()
    }

    fn share(&self, value: usize) -> Fraction {
        ratio(self.counts[value], self.rows())
    }

    /// Values that occur, in their order.
    fn values(&self) -> Vec<usize> {
        let occurs = |&value: &usize| self.counts[value] > 0;
        (0..self.counts.len()).filter(occurs).collect()
    }

    fn label(&self, value: usize) -> String {
        self.sensitive.label(value as u32)
    }

    fn hierarchy(&self) -> Option<&Hierarchy> {
        self.sensitive.hierarchy()
    }
}

/// A group: its values with their positive counts.
struct Group<'a> {
    counts: &'a [(usize, u64)],
    size: u64,
}

impl Group<'_> {
    fn count(&self, value: usize) -> u64 {
        let found = self.counts.iter().find(|entry| entry.0 == value);
        found.map_or(0, |entry| entry.1)
    }

    fn share(&self, value: usize) -> Fraction {
        ratio(self.count(value), self.size)
    }
}

fn ratio(numerator: u64, denominator: u64) -> Fraction {
    Fraction::new(numerator.into(), denominator.into())
}

fn exact(parameter: Rational) -> Fraction {
    ratio(*parameter.numer(), *parameter.denom())
}

/// Whether a group satisfies a requirement; `counts` lists values with their
/// positive counts.
pub(crate) fn is_satisfied(
    requirement: &Requirement,
    counts: &[(usize, u64)],
    whole: &Whole<'_>,
) -> bool {
    let size = counts.iter().map(|&(_, count)| count).sum();
    let group = Group { counts, size };
    let protected = |value: &usize| whole.protected[*value];
    // Protected values: those of the group, and those of the whole table.
    let here = || counts.iter().map(|entry| entry.0).filter(protected);
    let all = || whole.values().into_iter().filter(protected);
    match requirement {
        Requirement::KAnonymity(KAnonymity { k }) => size >= u64::from(*k),
        Requirement::Ratio(l) => here().all(|value| group.share(value) <= ratio(1, l.l().into())),
        Requirement::Distinct(DistinctDiversity { l }) => {
            diversity::distinct(&values(&group, whole), *l)
        }
        Requirement::Entropy(EntropyDiversity { l }) => {
            diversity::entropy(&values(&group, whole), *l)
        }
        Requirement::Recursive(RecursiveDiversity { c, l }) => {
            diversity::recursive(&values(&group, whole), exact(*c), *l)
        }
        Requirement::AlphaK(AlphaKAnonymity { alpha, k }) => {
            let few = here().all(|value| group.share(value) <= exact(*alpha));
            few && size >= u64::from(*k)
        }
        Requirement::PSensitive(PSensitiveKAnonymity { p, k }) => {
            diversity::distinct(&values(&group, whole), *p) && size >= u64::from(*k)
        }
        Requirement::Closeness(TCloseness { t, ground }) => {
            let distance = match ground {
                GroundDistance::Equal => Some(distances::total_variation(&group, whole)),
                GroundDistance::Ordered => Some(distances::ordered(&group, whole)),
                GroundDistance::Hierarchical => distances::hierarchical(&group, whole),
            };
            distance.is_some_and(|distance| distance <= exact(*t))
        }
        Requirement::Breach(BreachLimit { rho1, rho2 }) => here()
            .filter(|&value| whole.share(value) <= exact(*rho1))
            .all(|value| group.share(value) < exact(*rho2)),
        Requirement::Generic(GenericDistance { distance, bound }) => match distance {
            Distance::TotalVariation => distances::total_variation(&group, whole) <= exact(*bound),
            Distance::Maximum => distances::maximum(&group, whole) <= exact(*bound),
            Distance::Euclidean => {
                distances::squared(&group, whole) <= exact(*bound) * exact(*bound)
            }
            Distance::KullbackLeibler => {
                distances::diverges_by_at_most(&group, whole, &exact(*bound))
            }
        },
        Requirement::Likeness(BetaLikeness { beta, enhanced }) => here()
            .filter(|&value| group.share(value) > whole.share(value))
            .all(|value| {
                let (p, q) = (group.share(value), whole.share(value));
                let gain = (p - &q) / &q;
                // gain ≤ −ln q: e^gain ≤ 1/q
                let below = || compare_with_exp(&q.recip(), &gain) != Ordering::Less;
                gain <= exact(*beta) && (!enhanced || below())
            }),
        Requirement::DeltaDisclosure(DeltaDisclosure { delta }) => all().all(|value| {
            let (p, q) = (group.share(value), whole.share(value));
            let below =
                |ratio: Fraction| compare_with_exp(&ratio, &exact(*delta)) == Ordering::Less;
            !p.is_zero() && below(&p / &q) && below(q / p)
        }),
        Requirement::LAlpha(parameters) => l_alpha(parameters, &group, whole),
    }
}

/// The group's values as kinds.
fn values(group: &Group<'_>, whole: &Whole<'_>) -> Vec<Kind> {
    let kind = |&(value, count): &(usize, u64)| Kind {
        count,
        protected: whole.protected[value],
    };
    group.counts.iter().map(kind).collect()
}

/// The group's categories as kinds: protected if a value of theirs is, be it in
/// the group or not.
fn categories(categories: &[Vec<String>], group: &Group<'_>, whole: &Whole<'_>) -> Vec<Kind> {
    let kind = |labels: &Vec<String>| {
        let within = |&value: &usize| labels.contains(&whole.label(value));
        let members: Vec<usize> = (0..whole.counts.len()).filter(within).collect();
        Kind {
            count: members.iter().map(|&value| group.count(value)).sum(),
            protected: members.iter().any(|&value| whole.protected[value]),
        }
    };
    let kinds = categories.iter().map(kind);
    kinds.filter(|kind| kind.count > 0).collect()
}

fn l_alpha(parameters: &LAlphaDiversity, group: &Group<'_>, whole: &Whole<'_>) -> bool {
    let kinds = match parameters.over {
        Over::Values => values(group, whole),
        Over::Categories => categories(&parameters.categories, group, whole),
    };
    let l = parameters.l;
    let diverse = match parameters.variant {
        Variant::Distinct => diversity::distinct(&kinds, l),
        Variant::Entropy => diversity::entropy(&kinds, Rational::from_integer(l.into())),
        Variant::Recursive { c } => diversity::recursive(&kinds, exact(c), l),
    };
    let weights = diversity::weights(parameters.weights, parameters.categories.len());
    let total: Fraction = group
        .counts
        .iter()
        .map(|&(value, count)| {
            let label = whole.label(value);
            let category = parameters
                .categories
                .iter()
                .position(|c| c.contains(&label));
            let weight = category.map_or(Fraction::zero(), |category| weights[category].clone());
            weight * BigInt::from(count)
        })
        .sum();
    let nothing_to_learn = group.counts.iter().all(|entry| !whole.protected[entry.0]);
    diverse && (total >= exact(parameters.alpha) || nothing_to_learn)
}

/// 1/2, for distances.
fn half() -> Fraction {
    Fraction::new(BigInt::one(), 2.into())
}
