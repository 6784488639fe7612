use super::{Counts, Tilts};
use crate::exact::Fraction;
use openveil_text::{Text, text};
use std::fmt;

/// The subject of a privacy property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The distribution of values alone: the property holds on a multiset if and only if it holds
    /// on every multiple of it. It applies to a group and to a person's posterior alike.
    Distribution,
    /// Sizes or totals of a published group. The property does not apply to a posterior.
    Group,
}

/// Facts about a property that need no multiset. Each property states them, and tests verify them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traits {
    /// The subject of the property.
    pub scope: Scope,
    /// Whether a mixture of multisets that satisfy the property satisfies it, at any weights. The
    /// safe engines need this for every distribution property, because their posteriors are
    /// mixtures.
    pub is_convex: bool,
    /// Whether the union of two groups that satisfy the property satisfies it.
    pub is_monotone: bool,
}

impl Traits {
    /// About distributions, convex and monotone.
    pub const OF_DISTRIBUTIONS: Self =
        Self { scope: Scope::Distribution, is_convex: true, is_monotone: true };

    /// About the size or the total of a group, convex and monotone.
    pub const OF_GROUPS: Self = Self { scope: Scope::Group, ..Self::OF_DISTRIBUTIONS };
}

/// A privacy property of one multiset of sensitive values, fixed for one table:
/// shares of the whole table, exempt values and categories are part of it.
///
/// Decided exactly, whatever the size of the counts.
pub trait Property: fmt::Debug + Send + Sync {
    /// The property with its parameters, in the words of messages: `distinct 3-diversity`.
    fn name(&self) -> String;

    /// The property's subject, whether it is convex, and whether it is monotone.
    fn traits(&self) -> Traits;

    /// A bound below 1 on the share of any protected value in a distribution that satisfies the
    /// property; `None` if it implies no such bound, or none is known.
    fn max_posterior(&self) -> Option<Fraction> {
        None
    }

    /// Whether the property holds on a multiset with at least one value.
    fn holds(&self, counts: &Counts<'_>) -> bool;

    /// A lower bound on the number of rows of a multiset that satisfies the property, and so on the
    /// size of groups.
    fn least_size(&self) -> u32 {
        1
    }

    /// Whether the property treats all values alike: it holds on a multiset if and only if it holds
    /// on the multiset with its values renamed.
    fn treats_values_alike(&self) -> bool {
        false
    }

    /// The tilts of a distribution that must be tested to decide whether the property holds for
    /// every [informed](super::Informed) reader.
    fn worst_tilts(&self) -> Tilts {
        Tilts::All
    }

    /// The class of each value, if the property is about classes rather than values: groups should
    /// have values of many classes. This is a hint for the search for good groups; decisions do not
    /// depend on it.
    fn classes(&self) -> Option<&[u32]> {
        None
    }

    /// The figure of a multiset in the property's own terms. `audit` reports it, and it explains a
    /// failure. It is for display: decisions do not use it.
    fn measure(&self, counts: &Counts<'_>) -> Measured;

    /// Why the property does not hold; `None` if it holds.
    fn explain(&self, counts: &Counts<'_>) -> Option<Failure> {
        (!self.holds(counts))
            .then(|| Failure { property: self.name(), measured: self.measure(counts) })
    }
}

/// The figure of a multiset in a property's terms, and its bound. Both numbers are for display.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// The name of the figure: `share of one value`.
    pub what: &'static str,
    /// The sensitive value that stands out most, if a single value determines the figure.
    pub value: Option<u32>,
    /// The number found.
    pub found: f64,
    /// The bound.
    pub bound: f64,
}

/// How a multiset breaks a property, and by how much. The decision itself was exact.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The property with its parameters.
    pub property: String,
    /// The figure that breaks it.
    pub measured: Measured,
}

/// A figure with up to four decimals.
fn four_digits(figure: f64) -> String {
    let text = format!("{figure:.4}");
    let text = text.trim_end_matches('0');
    text.strip_suffix('.').unwrap_or(text).to_owned()
}

impl Failure {
    /// Returns it in words.
    pub fn in_words(&self) -> Text {
        let Measured { what, value, found, bound } = self.measured;
        let (what, property) = (Text::from(what), &self.property);
        let (found, bound) = (Text::number(four_digits(found)), Text::number(four_digits(bound)));
        let fails =
            text!("{property} fails: {what:text} is {found:text}, but the bound is {bound:text}");
        match value {
            Some(value) => fails.and(text!(" (value number {value})")),
            None => fails,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.in_words().fmt(f)
    }
}
