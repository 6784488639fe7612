//! Readers who know something about a few people, and what a model asks of groups to
//! hold for them as well.
//!
//! # What is promised, and why
//! A reader is *informed* about `people` persons with `odds` Γ if what is believed of each
//! of them beforehand differs from what is believed of everybody else by odds of at most Γ:
//! P(v)/P(w) for the person is at most Γ times that of others, for all values v and w.
//! Such beliefs multiply the weight of every table by a number for each of those t people,
//! and for one person the greatest of these numbers is at most Γ times the least. So the
//! chances of any two values of any person change by at most Γ^t against each other: with
//! the posterior q of a reader who is not informed, the posterior p of one who is has
//! p(v) q(w) ≤ Γ^t p(w) q(v). This holds for every algorithm, whatever it looked at.
//!
//! These p are a polytope; its vertices are the *tilts* of q, which multiply the weights of
//! some set of values by Γ^t. A convex model holds for every informed reader if and only if
//! it holds on all tilts of q. Tilting turns mixtures into mixtures, so "the model holds on
//! all tilts" is a convex property again, and a safe algorithm that keeps it on groups keeps
//! it on posteriors. For ratio l-diversity it is ratio diversity with ⌈1 + Γ^t (l − 1)⌉.
//!
//! If people are put into groups without a look at their quasi-identifiers, every grouping
//! of the same groups' values is equally likely, whoever has which value; so nothing is
//! learned from how groups came about, and inside of a group exchanging two people's values
//! changes the weight by at most Γ, the odds between any two people. Then the bound for one
//! person holds for readers informed about [everybody](About::Everybody).
//!
//! READERS: theorems A2 to A4 and A6b; the argument above replaces A4's exchange of slots,
//! which was about one algorithm.

use super::bind::Binding;
use super::{Counts, InvalidModel, Measured, Property, RatioDiversity, Requirement, Scope, Traits};
use crate::exact::{Fraction, Rational, fraction, text};
use num_integer::Integer;
use num_traits::One;
use std::fmt;
use std::sync::Arc;

/// With more values in a group, not all sets of them are tried.
pub(super) const MOST_VALUES: usize = 12;

/// Odds^people is written with numbers up to this.
const GREATEST: u64 = 1 << 31;

/// About whom a reader is informed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// So many people, at least one.
    Few(u32),
    /// Everybody. It can be promised only where groups are formed without a look at
    /// quasi-identifiers.
    Everybody,
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Few(1) => f.write_str("one person"),
            Self::Few(people) => write!(f, "{people} people"),
            Self::Everybody => f.write_str("everybody"),
        }
    }
}

/// A reader whose beliefs about some people differ from those about everybody else by odds
/// of at most a number; about everybody: whose beliefs about any two people differ by no
/// more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Informed {
    odds: Rational,
    about: About,
    factor: Rational,
}

impl Informed {
    /// Odds above 1, about at least one person.
    ///
    /// # Errors
    /// In words: what is out of range.
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
        Ok(Self {
            odds,
            about,
            factor: Rational::new(up, down),
        })
    }

    /// The odds, above 1.
    pub fn odds(self) -> Rational {
        self.odds
    }

    /// About whom.
    pub fn about(self) -> About {
        self.about
    }

    /// How much the chances of two values of a person can change against each other.
    pub fn factor(self) -> Rational {
        self.factor
    }

    /// The bound on a chance, where it is `chance` for a reader who is not informed.
    pub fn tilted(self, chance: &Fraction) -> Fraction {
        tilted(chance, self.factor)
    }

    /// Like [`Self::tilted`], but only the odds between two people of a group matter: groups
    /// are taken as given, or say nothing beyond themselves.
    pub fn tilted_in_group(self, chance: &Fraction) -> Fraction {
        tilted(chance, self.odds)
    }

    /// Like [`Self::tilted_in_group`], but how the groups came about tells people of a group
    /// apart as well, by these odds.
    pub fn tilted_further(self, chance: &Fraction, by: &Fraction) -> Fraction {
        let up = chance * by * fraction((*self.odds.numer()).into(), (*self.odds.denom()).into());
        &up / (&up + Fraction::one() - chance)
    }

    /// The ratio diversity that groups must have: ⌈1 + odds^people · (l − 1)⌉. Saturates.
    pub(super) fn ratio(self, asked: RatioDiversity) -> RatioDiversity {
        let (up, down) = (u128::from(*self.factor.numer()), *self.factor.denom());
        let beside = (up * u128::from(asked.l() - 1)).div_ceil(down.into());
        let l = u32::try_from(beside + 1).unwrap_or(u32::MAX);
        RatioDiversity::new(l).expect("it is at least what was asked")
    }

    /// The properties that a requirement means for a table if it is to be met for such
    /// readers.
    pub(super) fn bind(
        self,
        requirement: &Requirement,
        table: &Binding<'_>,
    ) -> Result<Vec<Arc<dyn Property>>, InvalidModel> {
        if let Requirement::Ratio(asked) = requirement {
            return Requirement::Ratio(self.ratio(*asked)).bind(table);
        }
        let properties = requirement.bind(table)?.into_iter();
        properties
            .map(|property| self.tilt(property, table))
            .collect()
    }

    /// A property that holds if the given one holds on all tilts. Sizes are what they are.
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

/// The greatest share that odds of `factor` can make of a share.
fn tilted(share: &Fraction, factor: Rational) -> Fraction {
    let up = share * fraction((*factor.numer()).into(), (*factor.denom()).into());
    &up / (&up + Fraction::one() - share)
}

/// Which sets of values have to be tilted to know whether a property holds on all tilts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tilts {
    /// None: the property looks only at which values there are.
    None,
    /// Single values: the property bounds shares of values from above, or compares a
    /// value with others.
    Singles,
    /// Single values, and all but one: it bounds shares from below as well.
    SinglesAndRests,
    /// All sets: nothing is proved of the property.
    All,
}

/// A set of values, by their positions in a multiset, whose weights are multiplied.
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
    /// The sets of so many values; none if they are too many to be tried.
    fn of(self, values: usize) -> Option<Vec<Tilt>> {
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
    /// Calls a function with tilt after tilt until it answers; nothing is tried of
    /// multisets with too many values, or with counts that do not fit 128 bits once tilted.
    fn find<R>(
        &self,
        counts: &Counts<'_>,
        mut look: impl FnMut(&Counts<'_>) -> Option<R>,
    ) -> Result<Option<R>, TooLarge> {
        let entries = counts.entries();
        let common = entries.iter().fold(0, |common, entry| entry.1.gcd(&common));
        let (up, down) = (
            u128::from(*self.factor.numer()),
            u128::from(*self.factor.denom()),
        );
        let fits = (counts.total() / common.max(1)).checked_mul(up);
        let fits = fits.is_some_and(|total| total < 1 << 127);
        let tilts = self.property.worst_tilts().of(entries.len());
        let tilts = tilts.filter(|_| fits).ok_or(TooLarge)?;
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

/// More values than are tried, or counts beyond 128 bits.
struct TooLarge;

impl Property for Tilted {
    fn name(&self) -> String {
        self.name.clone()
    }

    /// The tilt of a mixture is a mixture of tilts.
    fn traits(&self) -> Traits {
        self.property.traits()
    }

    /// The share that odds turn into the property's own bound.
    fn max_posterior(&self) -> Option<Fraction> {
        let bound = self.property.max_posterior()?;
        Some(tilted(&bound, self.factor.recip()))
    }

    fn holds(&self, counts: &Counts<'_>) -> bool {
        let broken = self.find(counts, |tilted| {
            (!self.property.holds(tilted)).then_some(())
        });
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

    /// The measure of the first tilt that breaks the property, or else of the one that is
    /// furthest from where the distribution is.
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
