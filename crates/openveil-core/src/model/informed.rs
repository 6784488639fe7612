//! Readers who know something about a few people, and the condition on groups that makes a model
//! hold for them as well.
//!
//! # Guarantee, and why it holds
//! A reader is *informed* about `people` persons with `odds` Γ if the reader's beliefs about each
//! of them beforehand differ from the beliefs about everybody else by odds of at most Γ. That is,
//! P(v)/P(w) for the person is at most Γ times that of others, for all values v and w. Such beliefs
//! multiply the weight of every table by a number for each of these t people, and for one person
//! the greatest of these numbers is at most Γ times the least. So the chances of any two values of
//! any person change by at most Γ^t against each other. Let q be the posterior of a reader who is
//! not informed, and p that of an informed one; then p(v) q(w) ≤ Γ^t p(w) q(v). This holds for
//! every algorithm, whatever its decisions depend on.
//!
//! These p are a polytope; its vertices are the *tilts* of q, which multiply the weights of some
//! set of values by Γ^t. A convex model holds for every informed reader if and only if it holds on
//! all tilts of q. Tilting turns mixtures into mixtures, so "the model holds on all tilts" is again
//! a convex property. If a safe algorithm makes groups that satisfy it, posteriors satisfy it as
//! well. For ratio l-diversity it is ratio diversity with ⌈1 + Γ^t (l − 1)⌉.
//!
//! If people are put into groups independently of their quasi-identifiers, every grouping with the
//! same groups' values is equally likely, whoever has which value. So the way groups came about
//! discloses nothing, and exchanging two people's values inside a group changes the weight by at
//! most Γ, the odds between any two people. Then the bound for one person holds for readers
//! informed about [everybody](About::Everybody).
//!
//! READERS: theorems A2 to A4 and A6b; the argument above replaces A4's exchange of slots, which
//! applied to one algorithm only.

use super::bind::Binding;
use super::{Counts, InvalidModel, Measured, Property, RatioDiversity, Requirement, Scope, Traits};
use crate::exact::{Fraction, Rational, fraction, text};
use num_integer::Integer;
use num_traits::One;
use openveil_text::{Text, text};
use std::fmt;
use std::sync::Arc;

/// With more values in a group than this, not all sets of them are tried.
pub(super) const MOST_VALUES: usize = 12;

/// Odds^people must be a fraction of numbers up to this.
const GREATEST: u64 = 1 << 31;

/// The people about whom a reader is informed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// This many people, at least one.
    Few(u32),
    /// Everybody. A guarantee is possible only if groups are formed independently of
    /// quasi-identifiers.
    Everybody,
}

impl About {
    /// Returns it in words.
    pub fn in_words(self) -> Text {
        match self {
            Self::Few(1) => text!("one person"),
            Self::Few(people) => text!("{people} people"),
            Self::Everybody => text!("everybody"),
        }
    }
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.in_words().fmt(f)
    }
}

/// A reader whose beliefs about some people differ from those about everybody else by odds of at
/// most `odds`. If the reader is informed about everybody, the beliefs about any two people differ
/// by at most these odds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Informed {
    odds: Rational,
    about: About,
    factor: Rational,
}

impl Informed {
    /// Builds a reader with odds above 1, informed about at least one person.
    ///
    /// # Errors
    /// A text that says which argument is out of range.
    ///
    /// ```
    /// use openveil_core::exact::Rational;
    /// use openveil_core::model::{About, Informed, l_diversity};
    ///
    /// let reader = Informed::new(Rational::from_integer(3), About::Few(1)).unwrap();
    /// let model = l_diversity(4)?.against(reader);
    /// assert_eq!(model.ratio().unwrap().l(), 10);
    /// # Ok::<(), openveil_core::Error>(())
    /// ```
    pub fn new(odds: Rational, about: About) -> Result<Self, String> {
        if odds <= Rational::one() {
            let odds = text(odds);
            return Err(format!(
                "`odds = {odds}` must be above 1: at 1 nothing is known about one person that is not known about everybody"
            ));
        }
        let people = match about {
            About::Few(0) => return Err("`people = 0` must be at least 1".to_owned()),
            About::Few(people) => people,
            About::Everybody => 1,
        };
        let power = |number: u64| number.checked_pow(people).filter(|&n| n <= GREATEST);
        let factor = power(*odds.numer()).zip(power(*odds.denom()));
        let (up, down) = factor.ok_or_else(|| {
            format!(
                "odds of {} about {about} are too high to compute with: their power needs numbers above {GREATEST}",
                text(odds)
            )
        })?;
        Ok(Self { odds, about, factor: Rational::new(up, down) })
    }

    /// The odds, above 1.
    pub fn odds(self) -> Rational {
        self.odds
    }

    /// The people about whom the reader is informed.
    pub fn about(self) -> About {
        self.about
    }

    /// The factor by which the chances of two values of a person can change against each other.
    pub fn factor(self) -> Rational {
        self.factor
    }

    /// The bound on a chance for this reader, if the bound for a reader who is not informed is
    /// `chance`.
    pub fn tilted(self, chance: &Fraction) -> Fraction {
        tilted(chance, self.factor)
    }

    /// Like [`Self::tilted`], but for groups that are taken as given, or whose origin discloses
    /// nothing. Then only the odds between two people of a group matter.
    pub fn tilted_in_group(self, chance: &Fraction) -> Fraction {
        tilted(chance, self.odds)
    }

    /// The ratio diversity that groups must have: ⌈1 + odds^people · (l − 1)⌉. Saturates.
    pub(super) fn ratio(self, asked: RatioDiversity) -> RatioDiversity {
        let (up, down) = (u128::from(*self.factor.numer()), *self.factor.denom());
        let beside = (up * u128::from(asked.l() - 1)).div_ceil(down.into());
        let l = u32::try_from(beside + 1).unwrap_or(u32::MAX);
        RatioDiversity::new(l).expect("it is at least what was asked")
    }

    /// The properties that a requirement means for a table if it must hold for these readers.
    pub(super) fn bind(
        self,
        requirement: &Requirement,
        table: &Binding<'_>,
    ) -> Result<Vec<Arc<dyn Property>>, InvalidModel> {
        if let Requirement::Ratio(asked) = requirement {
            return Requirement::Ratio(self.ratio(*asked)).bind(table);
        }
        requirement.bind(table)?.into_iter().map(|property| self.tilt(property, table)).collect()
    }

    /// Returns a property that holds if the given one holds on all tilts. Conditions on sizes stay
    /// as they are.
    fn tilt(
        self,
        property: Arc<dyn Property>,
        table: &Binding<'_>,
    ) -> Result<Arc<dyn Property>, InvalidModel> {
        let tilts = property.worst_tilts();
        if property.traits().scope == Scope::Group || tilts == Tilts::None {
            return Ok(property);
        }
        if tilts == Tilts::All && table.present() > MOST_VALUES {
            return Err(InvalidModel::TooManyValues {
                property: property.name(),
                values: table.present(),
                most: MOST_VALUES,
            });
        }
        Ok(Arc::new(Tilted {
            name: format!("{} at {self}", property.name()),
            property,
            factor: self.factor,
        }))
    }
}

impl fmt::Display for Informed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "odds of {} about {}", text(self.odds), self.about)
    }
}

/// The greatest share that odds of `factor` can turn a share into.
fn tilted(share: &Fraction, factor: Rational) -> Fraction {
    let up = share * fraction((*factor.numer()).into(), (*factor.denom()).into());
    &up / (&up + Fraction::one() - share)
}

/// The sets of values that must be tilted to decide whether a property holds on all tilts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tilts {
    /// None: the property depends only on which values occur.
    None,
    /// Single values: the property bounds shares of values from above, or compares a
    /// value with others.
    Singles,
    /// Single values, and all but one: it bounds shares from below as well.
    SinglesAndRests,
    /// All sets: nothing narrower is proved for the property.
    All,
}

/// A set of values whose weights are multiplied, by their positions in a multiset.
#[derive(Clone, Copy)]
enum Tilt {
    Only(usize),
    AllBut(usize),
    Set(u32),
}

impl Tilt {
    fn raises(self, position: usize) -> bool {
        match self {
            Self::Only(one) => position == one,
            Self::AllBut(one) => position != one,
            Self::Set(bits) => bits >> position & 1 == 1,
        }
    }
}

impl Tilts {
    /// The sets to tilt of a multiset with this many values; `None` if there are too many to try.
    fn listed(self, values: usize) -> Option<Vec<Tilt>> {
        let singles = (0..values).map(Tilt::Only);
        match self {
            Self::None => Some(vec![Tilt::Set(0)]),
            Self::Singles => Some(singles.collect()),
            Self::SinglesAndRests => Some(singles.chain((0..values).map(Tilt::AllBut)).collect()),
            Self::All if values > MOST_VALUES => None,
            Self::All => Some((0..1 << values).map(Tilt::Set).collect()),
        }
    }
}

/// A property that holds on all tilts of a distribution.
#[derive(Debug)]
struct Tilted {
    name: String,
    property: Arc<dyn Property>,
    factor: Rational,
}

impl Tilted {
    /// Calls a function with one tilt after the other until it returns a result. Returns an error,
    /// without trying any tilt, if a multiset has too many values, or counts that do not fit into
    /// 128 bits once tilted.
    fn find<R>(
        &self,
        counts: &Counts<'_>,
        mut look: impl FnMut(&Counts<'_>) -> Option<R>,
    ) -> Result<Option<R>, TooLarge> {
        let entries = counts.entries();
        let common = entries.iter().fold(0, |common, entry| entry.1.gcd(&common));
        let (up, down) = (u128::from(*self.factor.numer()), u128::from(*self.factor.denom()));
        let fits =
            (counts.total() / common.max(1)).checked_mul(up).is_some_and(|total| total < 1 << 127);
        let tilts =
            self.property.worst_tilts().listed(entries.len()).filter(|_| fits).ok_or(TooLarge)?;
        let mut tilted = entries.to_vec();
        Ok(tilts.into_iter().find_map(|tilt| {
            for (position, (entry, own)) in tilted.iter_mut().zip(entries).enumerate() {
                let weight = if tilt.raises(position) { up } else { down };
                entry.1 = own.1 / common * weight;
            }
            look(&Counts::new(&tilted))
        }))
    }
}

/// There are more values than are tried, or counts beyond 128 bits.
struct TooLarge;

impl Property for Tilted {
    fn name(&self) -> String {
        self.name.clone()
    }

    /// The tilt of a mixture is a mixture of tilts.
    fn traits(&self) -> Traits {
        self.property.traits()
    }

    /// The share that odds turn the property's own bound into.
    fn max_posterior(&self) -> Option<Fraction> {
        let bound = self.property.max_posterior()?;
        Some(tilted(&bound, self.factor.recip()))
    }

    fn holds(&self, counts: &Counts<'_>) -> bool {
        let broken = self.find(counts, |tilted| (!self.property.holds(tilted)).then_some(()));
        matches!(broken, Ok(None))
    }

    fn least_size(&self) -> u32 {
        self.property.least_size()
    }

    fn treats_values_alike(&self) -> bool {
        self.property.treats_values_alike()
    }

    fn classes(&self) -> Option<&[u32]> {
        self.property.classes()
    }

    /// The measure of the first tilt that breaks the property, or else of the tilt whose measure
    /// differs most from that of the distribution itself.
    fn measure(&self, counts: &Counts<'_>) -> Measured {
        let broken = self.find(counts, |tilted| {
            (!self.property.holds(tilted)).then(|| self.property.measure(tilted))
        });
        if let Ok(Some(measured)) = broken {
            return measured;
        }
        let own = self.property.measure(counts);
        let mut furthest = own;
        let _ = self.find(counts, |tilted| {
            let measured = self.property.measure(tilted);
            let change = |measured: &Measured| (measured.found - own.found).abs();
            if change(&measured) > change(&furthest) {
                furthest = measured;
            }
            None::<()>
        });
        furthest
    }
}
