use super::chance::Chance;
use super::reader::{BelievedAbout, InformedReader, Promise};
use crate::algorithm::{Adversary, Inside, Posterior, Profile};
use crate::exact::{Fraction, fraction};
use crate::model::{About, Criteria};
use crate::table::{Histogram, Secret};

/// Releases of people whose slots persist ([`crate::history`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromisedHistory {
    /// The number of releases, including this one.
    pub releases: u32,
    /// Previous runs that were refused because of the values of the people in the table.
    pub refused: u32,
    /// Whether people have episodes, each with its own value, which are assumed to be independent.
    pub has_episodes: bool,
}

/// The basis of a guarantee: the groups of a table, or a histogram.
#[derive(Debug, Clone, Copy)]
pub enum Keeper<'a> {
    /// The groups of a table.
    Groups {
        /// The model's criteria for each stratum of the table; for a table without strata, one
        /// entry.
        criteria: &'a [Criteria],
        /// The columns that fix the strata; empty without strata.
        strata: &'a [String],
        /// The algorithm.
        profile: &'a Profile,
        /// The highest share of a protected value in a group, after groups were made
        /// (`Tally::highest_share` of `openveil-measures`).
        highest: Option<&'a Fraction>,
        /// How people were put into groups.
        inside: Inside,
        /// Earlier releases of the same people, if their slots persist.
        history: Option<PromisedHistory>,
        /// The column by which rows are tied ([`crate::ties`]), if they are.
        ties: Option<&'a str>,
    },
    /// No published table leads to the column: the reader has only its histogram.
    Histogram {
        /// The model's criteria for the column.
        criteria: &'a Criteria,
        /// The algorithm that made the tables.
        profile: &'a Profile,
        /// How many rows carry each value.
        histogram: &'a Histogram,
    },
}

impl<'a> Keeper<'a> {
    /// The model's criteria, one entry for each stratum.
    pub(super) fn criteria(&self) -> &'a [Criteria] {
        match self {
            Self::Groups { criteria, .. } => criteria,
            Self::Histogram { criteria, .. } => std::slice::from_ref(*criteria),
        }
    }

    pub(super) fn strata(&self) -> &'a [String] {
        match self {
            Self::Groups { strata, .. } => strata,
            Self::Histogram { .. } => &[],
        }
    }

    /// The guarantees proved for readers who know more of some people than of all.
    pub(super) fn informed(&self, secret: &Secret, chance: &Chance) -> Vec<Promise> {
        let model = self.criteria()[0].model();
        let Some(informed) = model.informed() else {
            return Vec::new();
        };
        // The l that was asked for, if it is a whole number.
        let asked = model.asked_ratio().map(|ratio| fraction(1, ratio.l().into()));
        let bounded = |tilt: &dyn Fn(&Fraction) -> Fraction| {
            chance.with_bound(|bound| asked.clone().unwrap_or_else(|| tilt(bound)))
        };
        let promise = |reader| Promise {
            reader,
            informed,
            about: BelievedAbout::new(secret),
            chance: match reader {
                InformedReader::Informed => bounded(&|bound| informed.tilted(bound)),
                _ => bounded(&|bound| informed.tilted_in_group(bound)),
            },
        };
        let knows = self.profile().adversary == Adversary::KnowsAlgorithm;
        let mut promises = Vec::new();
        match (informed.about(), self) {
            (About::Few(_), _) if knows => promises.push(promise(InformedReader::Informed)),
            (About::Everybody, Self::Groups { inside: Inside::Random, history: None, .. })
                if knows && self.profile().takes_inside =>
            {
                promises.push(promise(InformedReader::InformedOfAll));
            }
            _ => {}
        }
        match self {
            // The guarantee for readers who ask more covers this reader.
            Self::Groups { .. }
                if promises.iter().any(|p| p.reader == InformedReader::InformedOfAll) => {}
            // The groups of several releases, taken as given, disclose more than those of one.
            Self::Groups { history: None, .. } => promises.push(promise(InformedReader::FaceValue)),
            Self::Groups { .. } | Self::Histogram { .. } => {}
        }
        promises
    }

    pub(super) fn history(&self) -> Option<PromisedHistory> {
        match self {
            Self::Groups { history, .. } => *history,
            Self::Histogram { .. } => None,
        }
    }

    pub(super) fn ties(&self) -> Option<&'a str> {
        match self {
            Self::Groups { ties, .. } => *ties,
            Self::Histogram { .. } => None,
        }
    }

    pub(super) fn profile(&self) -> &'a Profile {
        match self {
            Self::Groups { profile, .. } | Self::Histogram { profile, .. } => profile,
        }
    }

    /// How probable a guess of a value that is not exempt can be.
    pub(super) fn chance(&self, secret: &Secret) -> Chance {
        let exempt = secret.exempt();
        match self {
            Self::Histogram { histogram, .. } => {
                let most = histogram
                    .counts()
                    .iter()
                    .zip(exempt)
                    .filter(|(_, exempt)| !**exempt)
                    .map(|(count, _)| *count)
                    .max()
                    .unwrap_or(0);
                Chance::of_bound(fraction(most.into(), histogram.rows().into()))
            }
            Self::Groups { criteria, profile, highest, .. } => {
                let shown = highest.filter(|_| profile.posterior == Posterior::OfGroups);
                criteria
                    .iter()
                    .map(|own| of_groups(own, shown, secret))
                    .reduce(Chance::or)
                    .expect("a table has a stratum")
            }
        }
    }
}

/// The lesser of the model's own bound in a stratum and the highest share in any group. Ratio
/// l-diversity guarantees 1/l for every result.
fn of_groups(criteria: &Criteria, shown: Option<&Fraction>, secret: &Secret) -> Chance {
    let own = criteria.max_posterior();
    let shown = shown.filter(|_| criteria.ratio().is_none());
    match own.into_iter().chain(shown.cloned()).min() {
        Some(bound) => Chance::of_bound(bound),
        None if criteria.excludes_certainty(secret.exempt()) => Chance::BelowOne,
        None => Chance::MayBeCertain,
    }
}
