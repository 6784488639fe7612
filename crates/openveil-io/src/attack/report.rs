//! What was found, for programs and for people. Keys are stable.

use super::composition::{Independent, Together};
use super::{RerunFound, promises};
use crate::correlations;
use crate::release_dir::write::Manifest;
use openveil::attack::beliefs::{Beliefs, Membership};
use openveil::attack::invariance::Checked;
use openveil::attack::learning::{self, ROUNDS};
use openveil::attack::minimality::{self, Applicability};
use openveil::attack::{self, Homogeneity};
use openveil::table::View;
use serde::Serialize;
use std::collections::BTreeMap;

/// What the attacks found. The owner's: measured with the true values.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Rows of the release.
    pub rows: usize,
    /// Groups of the release.
    pub groups: usize,
    /// The algorithm's name.
    pub algorithm: String,
    /// The reader against whom the release promises something.
    pub adversary: String,
    /// The promised bound, a fraction.
    pub max_posterior: Option<String>,
    /// Attack 1.
    pub rerun: Rerun,
    /// Attack 2.
    pub homogeneity: HomogeneityFound,
    /// Attack 3.
    pub similarity: Outcome<Similarity>,
    /// Attack 4.
    pub background: Background,
    /// Attack 5.
    pub minimality: Outcome<Minimality>,
    /// Attack 6.
    pub learning: Outcome<Learning>,
    /// Attack 7.
    pub intersection: Outcome<Intersection>,
    /// What releases would say together that are made one after the other, if it was asked
    /// for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub independent: Vec<Independent>,
    /// Attack 8, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlations: Option<correlations::Measured>,
    /// Whether the release promises something that re-running found broken.
    pub promise_broken: bool,
    /// The rows of the people found, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<OwnerRows>,
}

/// A measurement, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Outcome<T> {
    /// What was measured.
    Measured(T),
    /// Nothing was.
    NotMeasured {
        /// Why not.
        not_measured: String,
    },
}

impl<T> Outcome<T> {
    fn not_measured(reason: impl Into<String>) -> Self {
        Self::NotMeasured {
            not_measured: reason.into(),
        }
    }
}

/// What re-running found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rerun {
    /// `exchanges` (no coins), `invariance` (exchanges with corresponding coins) or
    /// `stand-ins` (a certificate).
    pub kind: String,
    /// People attacked.
    pub sampled: usize,
    /// People for whom no exchange reproduces the release; with coins: for whom some
    /// exchange does not.
    pub exposed: usize,
    /// People in groups too large to try every exchange, none of which reproduced
    /// the release.
    pub undecided: usize,
    /// `exposed` of `sampled`.
    pub share: f64,
    /// What was done, in words.
    pub note: String,
}

/// Groups of one value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HomogeneityFound {
    /// Groups in which everybody has the same protected value.
    pub groups: usize,
    /// Their rows.
    pub rows: usize,
    /// The greatest share of a protected value in a group, a fraction.
    pub highest_share: String,
}

/// Groups of one category.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Similarity {
    /// Groups all of whose values are of one category.
    pub groups: usize,
    /// Their rows.
    pub rows: usize,
}

/// Facts of the kind "not this value" to certainty.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Background {
    /// The fewest for anybody.
    pub min: u32,
    /// The mean over rows.
    pub mean: f64,
    /// How many rows need how many.
    pub rows_by_facts: BTreeMap<u32, u64>,
}

/// What a stop at the first success rules out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Minimality {
    /// People attacked.
    pub sampled: usize,
    /// People for whom a value of their group is ruled out.
    pub affected: usize,
    /// Values in their groups, on average.
    pub mean_values: f64,
    /// Values that are left, on average.
    pub mean_possible: f64,
}

/// What a reader predicts who learns from the groups.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Learning {
    /// Share of people whose value is predicted.
    pub accuracy: f64,
    /// Share of people whose value is the most frequent one of their groups.
    pub majority: f64,
    /// Hits per hundred people beyond the majority's.
    pub gain: f64,
    /// Rounds of learning.
    pub rounds: usize,
    /// `known`, or `by-cells`: how people were found in their groups.
    pub membership: String,
    /// Groups that come into question for a person, on average.
    pub mean_groups: f64,
    /// The same for a reader who knows everybody's group, measured on a release made
    /// with coins of our own; for algorithms with coins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub members_known: Option<MembersKnown>,
}

/// What a reader predicts who learns from the groups and knows who is in which.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MembersKnown {
    /// Share of people whose value is predicted.
    pub accuracy: f64,
    /// Share of people whose value is the most frequent one of their group.
    pub majority: f64,
    /// Hits per hundred people beyond the majority's.
    pub gain: f64,
}

/// What several releases say together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Intersection {
    /// Releases.
    pub releases: usize,
    /// Those of them that are of other people, or by other programs: whoever of the table they
    /// cover is taken to stand in them.
    pub others: usize,
    /// People for whom a single value is left that needs protection: at least so many are certain.
    pub certain: usize,
    /// At most so many are certain: people whose value nobody has otherwise who is known by
    /// the same quasi-identifiers; with `exact`, those who are.
    pub certain_at_most: usize,
    /// All there is to know, on tables of up to ten people and 5,040 possible tables, if all
    /// releases were made as the policy says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<ExactlyKnown>,
    /// People for whom a single value is left that needs none.
    pub certain_exempt: usize,
    /// People for whom none is, or only one that is not theirs: some release is not of them.
    pub contradicted: usize,
    /// Values left, on average.
    pub mean_values: f64,
    /// The highest combined probability of a protected value.
    pub highest_posterior: f64,
    /// The highest of each person, on average.
    pub mean_highest_posterior: f64,
    /// People with a protected value above the bound that one release promises.
    pub above_bound: usize,
}

/// What a reader knows who weighs every table by how often it leads to all releases.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExactlyKnown {
    /// People of whom a protected value is certain.
    pub certain: usize,
    /// The highest probability of a protected value, a fraction.
    pub max_posterior: String,
    /// People with a protected value above the bound that one release promises.
    pub above_bound: usize,
}

/// Rows of the table, counted from 1 after those left out for missing values.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OwnerRows {
    /// Exposed by re-running (of the sample).
    pub rerun: Vec<u64>,
    /// With a single possible value in all groups that cover them.
    pub homogeneity: Vec<u64>,
    /// With values of one category in all groups that cover them.
    pub similarity: Vec<u64>,
    /// With a single value in the intersection.
    pub intersection: Vec<u64>,
}

/// Everything measured, before it is put into words.
pub(super) struct Measured<'a> {
    pub(super) manifest: &'a Manifest,
    pub(super) table: &'a View,
    pub(super) rerun: RerunFound,
    pub(super) minimality: Applicability,
    pub(super) homogeneity: Homogeneity,
    pub(super) similarity: Option<attack::Similarity>,
    pub(super) background: attack::Background,
    /// None without beliefs, or if the columns have too many values.
    pub(super) learned: Option<learning::Learning>,
    pub(super) members_known: Option<learning::Learning>,
    pub(super) together: Option<Result<Together, String>>,
    pub(super) independent: Vec<Independent>,
    pub(super) beliefs: &'a Result<Beliefs, String>,
    pub(super) categories: Option<&'a [u32]>,
    pub(super) correlations: Option<correlations::Measured>,
}

impl Measured<'_> {
    pub(super) fn report(&self, owner: bool) -> Report {
        let rerun = self.rerun();
        let guarantee = &self.manifest.guarantee;
        Report {
            rows: self.manifest.rows,
            groups: self.manifest.groups,
            algorithm: self.manifest.algorithm.clone(),
            adversary: guarantee.adversary.clone(),
            max_posterior: guarantee.max_posterior.clone(),
            promise_broken: promises(guarantee) && rerun.exposed > 0,
            homogeneity: HomogeneityFound {
                groups: self.homogeneity.groups,
                rows: self.homogeneity.rows,
                highest_share: self.homogeneity.highest_share.to_string(),
            },
            similarity: match &self.similarity {
                Some(found) => Outcome::Measured(Similarity {
                    groups: found.groups,
                    rows: found.rows,
                }),
                None => Outcome::not_measured("no categories; name a file with `--categories`"),
            },
            background: Background {
                min: self.background.least,
                mean: self.background.mean,
                rows_by_facts: self.background.rows_by_facts.clone(),
            },
            minimality: self.minimality(),
            learning: self.learning(),
            intersection: self.intersection(),
            independent: self.independent.clone(),
            correlations: self.correlations.clone(),
            owner: owner.then(|| self.owner_rows()),
            rerun,
        }
    }

    fn exposed(&self) -> Vec<u32> {
        match &self.rerun {
            RerunFound::People(people) => {
                let exposed = people.iter().filter(|person| person.is_exposed());
                exposed.map(|person| person.row).collect()
            }
            RerunFound::Invariance(found) => found.exposed.clone(),
        }
    }

    fn rerun(&self) -> Rerun {
        let exposed = self.exposed().len();
        let (kind, sampled, undecided, note) = match &self.rerun {
            RerunFound::People(people) => {
                let undecided = people.iter().filter(|p| !p.is_decided && p.possible == 1);
                let note = "people for whom no exchange of values inside the group leads to the same release";
                (
                    "exchanges",
                    people.len(),
                    undecided.count(),
                    note.to_owned(),
                )
            }
            RerunFound::Invariance(found) => {
                let (kind, note) = match found.checked {
                    Checked::Exchanges => (
                        "invariance",
                        format!(
                            "the algorithm tosses coins, and the release's are secret: with coins of our own, {} exchanges were tried with the corresponding coins; exposed are people for whom one leads to another release",
                            found.exchanges
                        ),
                    ),
                    Checked::SameCoins => (
                        "same-coins",
                        format!(
                            "the algorithm tosses coins, and the release's are secret: with coins of our own, kept the same, {} exchanges were tried; exposed are people for whom none leads to the same release",
                            found.exchanges
                        ),
                    ),
                    Checked::Groups => (
                        "groups",
                        "the algorithm tosses coins, and the release's are secret: with coins of our own, it was checked that every group satisfies the model".to_owned(),
                    ),
                    Checked::StandIns => (
                        "stand-ins",
                        "the algorithm tosses coins, and the release's are secret: with coins of our own, it was checked that everybody has l - 1 others with other values in the own group".to_owned(),
                    ),
                };
                (kind, found.sampled, 0, note)
            }
        };
        Rerun {
            kind: kind.to_owned(),
            sampled,
            exposed,
            undecided,
            share: exposed as f64 / sampled.max(1) as f64,
            note,
        }
    }

    fn minimality(&self) -> Outcome<Minimality> {
        match (self.minimality, &self.rerun) {
            (Applicability::DoesNotApply { reason }, _) => {
                Outcome::not_measured(format!("does not apply: {reason}"))
            }
            (_, RerunFound::Invariance(_)) => Outcome::not_measured(
                "the algorithm tosses coins: `openveil verify` computes what its stops give away",
            ),
            (Applicability::StopsAtFirstSuccess, RerunFound::People(people)) => {
                let found = minimality::minimality(people);
                Outcome::Measured(Minimality {
                    sampled: found.people,
                    affected: found.affected,
                    mean_values: found.mean_values,
                    mean_possible: found.mean_possible,
                })
            }
        }
    }

    fn learning(&self) -> Outcome<Learning> {
        let (found, beliefs) = match (&self.learned, self.beliefs) {
            (Some(found), Ok(beliefs)) => (found, beliefs),
            (None, Ok(_)) => return Outcome::not_measured("the columns have too many values"),
            (_, Err(reason)) => return Outcome::not_measured(reason),
        };
        let (membership, mean_groups) = match beliefs.membership() {
            Membership::Known => ("known", 1.0),
            Membership::ByCells { mean_groups } => ("by-cells", mean_groups),
        };
        Outcome::Measured(Learning {
            accuracy: found.accuracy,
            majority: found.majority,
            gain: found.gain(),
            rounds: ROUNDS,
            membership: membership.to_owned(),
            mean_groups,
            members_known: self.members_known.map(|found| MembersKnown {
                accuracy: found.accuracy,
                majority: found.majority,
                gain: found.gain(),
            }),
        })
    }

    fn intersection(&self) -> Outcome<Intersection> {
        match &self.together {
            None => Outcome::not_measured("there is one release only"),
            Some(Err(reason)) => Outcome::not_measured(reason),
            Some(Ok(Together {
                found,
                others,
                at_most,
                exact,
            })) => Outcome::Measured(Intersection {
                releases: found.releases,
                others: *others,
                certain: found.certain.len(),
                certain_at_most: *at_most,
                exact: exact.as_ref().map(|exact| ExactlyKnown {
                    certain: exact.certain.len(),
                    max_posterior: exact.max_posterior.to_string(),
                    above_bound: exact.above_bound,
                }),
                certain_exempt: found.certain_exempt,
                contradicted: found.contradicted.len(),
                mean_values: found.mean_values,
                highest_posterior: found.highest,
                mean_highest_posterior: found.mean_highest,
                above_bound: found.above_bound,
            }),
        }
    }

    fn owner_rows(&self) -> OwnerRows {
        let exempt = self.table.secret().exempt();
        let same = |of: &dyn Fn(u32) -> u32, row: u32| match self.beliefs {
            Ok(beliefs) => {
                let mut values = beliefs.of(row).map(|(value, _)| of(value));
                let first = values.next();
                values.all(|value| Some(value) == first)
            }
            Err(_) => false,
        };
        let rows = 0..self.table.rows() as u32;
        let value_of = self.table.secret().codes();
        let homogeneous =
            |&row: &u32| !exempt[value_of[row as usize] as usize] && same(&|value| value, row);
        let similar = |&row: &u32| match self.categories {
            Some(of) => same(&|value| of[value as usize], row),
            None => false,
        };
        let certain = match &self.together {
            Some(Ok(together)) => match &together.exact {
                Some(exact) => exact.certain.clone(),
                None => together.found.certain.clone(),
            },
            _ => Vec::new(),
        };
        OwnerRows {
            rerun: numbered(self.exposed()),
            homogeneity: numbered(rows.clone().filter(homogeneous)),
            similarity: numbered(rows.filter(similar)),
            intersection: numbered(certain),
        }
    }
}

/// Rows as people count them.
fn numbered(rows: impl IntoIterator<Item = u32>) -> Vec<u64> {
    rows.into_iter().map(|row| u64::from(row) + 1).collect()
}
