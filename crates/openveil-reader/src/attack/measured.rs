//! Turns measurements into a report.

use super::composition::{Independent, TogetherFindings};
use super::report::{
    AttackReport, BackgroundEntry, ExactlyKnown, HomogeneityFound, IntersectionEntry, Learner,
    LearningEntry, Measurement, MembersKnown, MinimalityEntry, OwnerRows, Rerun, SimilarityEntry,
};
use super::subject::{RerunFound, promises};
use openveil_core::exact::number;
use openveil_core::table::View;
use openveil_io::release_dir::write::manifest::{Manifest, MeasuredCorrelations, is_within};
use openveil_papers::attack;
use openveil_papers::attack::Homogeneity;
use openveil_papers::attack::beliefs::{Membership, PersonBeliefs};
use openveil_papers::attack::invariance::CheckedInvariance;
use openveil_papers::attack::learning;
use openveil_papers::attack::learning::ROUNDS;
use openveil_papers::attack::minimality;
use openveil_papers::attack::minimality::Applicability;
use openveil_text::{Text, text};

/// Everything measured, before it is put into words.
pub(super) struct AttackMeasures<'a> {
    pub(super) manifest: &'a Manifest,
    pub(super) table: &'a View,
    pub(super) rerun: &'a RerunFound,
    pub(super) minimality: Applicability,
    pub(super) homogeneity: Homogeneity,
    pub(super) similarity: Option<attack::Similarity>,
    pub(super) background: attack::Background,
    /// None without beliefs, or if the columns have too many values.
    pub(super) learned: Option<learning::Learning>,
    pub(super) members_known: Option<learning::Learning>,
    pub(super) learner: Measurement<Learner>,
    pub(super) together: Option<Result<TogetherFindings, String>>,
    pub(super) independent: Vec<Independent>,
    pub(super) beliefs: &'a Result<PersonBeliefs, String>,
    pub(super) categories: Option<&'a [u32]>,
    pub(super) correlations: Option<MeasuredCorrelations>,
}

impl AttackMeasures<'_> {
    /// Whether a group shows a protected value with a larger share than the manifest promises.
    fn shows_more(&self) -> bool {
        let promised = self.manifest.guarantee.max_posterior.as_deref();
        let shown = number::parse(&self.homogeneity.highest_share.to_string());
        shown.and_then(|shown| is_within(promised, shown)) == Some(false)
    }

    pub(super) fn report(&self, owner: bool) -> AttackReport {
        let rerun = self.rerun();
        let guarantee = &self.manifest.guarantee;
        AttackReport {
            rows: self.manifest.rows,
            groups: self.manifest.groups,
            algorithm: self.manifest.algorithm.clone(),
            adversary: guarantee.adversary.clone(),
            max_posterior: guarantee.max_posterior.clone(),
            promise_broken: promises(guarantee) && rerun.exposed > 0 || self.shows_more(),
            homogeneity: HomogeneityFound {
                groups: self.homogeneity.groups,
                rows: self.homogeneity.rows,
                highest_share: self.homogeneity.highest_share.to_string(),
            },
            similarity: match &self.similarity {
                Some(found) => Measurement::Measured(SimilarityEntry {
                    groups: found.groups,
                    rows: found.rows,
                }),
                None => Measurement::not_measured(text!(
                    "no categories; name a file with `--categories`"
                )),
            },
            background: BackgroundEntry {
                min: self.background.least,
                mean: self.background.mean,
                rows_by_facts: self.background.rows_by_facts.clone(),
            },
            minimality: self.minimality(),
            learning: self.learning(),
            learner: self.learner.clone(),
            intersection: self.intersection(),
            independent: self.independent.clone(),
            correlations: self.correlations.clone(),
            owner: owner.then(|| self.owner_rows()),
            ties: None,
            rerun,
        }
    }

    fn exposed(&self) -> Vec<u32> {
        match self.rerun {
            RerunFound::NotRun(_) => Vec::new(),
            RerunFound::People(people) => people
                .iter()
                .filter(|person| person.is_exposed())
                .map(|person| person.row)
                .collect(),
            RerunFound::Invariance(found) => found.exposed.clone(),
        }
    }

    fn rerun(&self) -> Rerun {
        let exposed = self.exposed().len();
        let (kind, sampled, undecided, note) = match self.rerun {
            RerunFound::NotRun(why) => ("none", 0, 0, Text::from(*why)),
            RerunFound::People(people) => {
                let undecided = people.iter().filter(|p| !p.is_decided && p.possible == 1);
                let note = text!(
                    "a person is exposed if no exchange of values within the group leads to the same release"
                );
                ("exchanges", people.len(), undecided.count(), note)
            }
            RerunFound::Invariance(found) => {
                let (kind, note) = match found.checked {
                    CheckedInvariance::Exchanges => (
                        "invariance",
                        text!(
                            "the random draws of the release are secret. In runs with our own draws, {} exchanges of values were tried with the corresponding draws; a person is exposed if an exchange leads to another release",
                            found.exchanges
                        ),
                    ),
                    CheckedInvariance::SameCoins => (
                        "same-coins",
                        text!(
                            "the random draws of the release are secret. In runs with our own draws, {} exchanges of values were tried with the same draws; a person is exposed if no exchange leads to the same release",
                            found.exchanges
                        ),
                    ),
                    CheckedInvariance::Groups => (
                        "groups",
                        text!(
                            "the random draws of the release are secret. Runs with our own draws checked that every group satisfies the model"
                        ),
                    ),
                    CheckedInvariance::StandIns => (
                        "stand-ins",
                        text!(
                            "the random draws of the release are secret. Runs with our own draws checked that everybody has l - 1 others with other values in their own group"
                        ),
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

    fn minimality(&self) -> Measurement<MinimalityEntry> {
        match (self.minimality, self.rerun) {
            (Applicability::DoesNotApply { reason }, _) => {
                Measurement::not_measured(text!("does not apply: {reason}"))
            }
            (_, RerunFound::Invariance(_) | RerunFound::NotRun(_)) => {
                Measurement::not_measured(text!(
                    "the algorithm makes random draws; `openveil verify` computes what its stops disclose"
                ))
            }
            (Applicability::StopsAtFirstSuccess, RerunFound::People(people)) => {
                let found = minimality::minimality(people);
                Measurement::Measured(MinimalityEntry {
                    sampled: found.people,
                    affected: found.affected,
                    mean_values: found.mean_values,
                    mean_possible: found.mean_possible,
                })
            }
        }
    }

    fn learning(&self) -> Measurement<LearningEntry> {
        let (found, beliefs) = match (&self.learned, self.beliefs) {
            (Some(found), Ok(beliefs)) => (found, beliefs),
            (None, Ok(_)) => return Measurement::not_measured("the columns have too many values"),
            (_, Err(reason)) => return Measurement::not_measured(reason.clone()),
        };
        let (membership, mean_groups) = match beliefs.membership() {
            Membership::Known => ("known", 1.0),
            Membership::ByCells { mean_groups } => ("by-cells", mean_groups),
        };
        Measurement::Measured(LearningEntry {
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

    fn intersection(&self) -> Measurement<IntersectionEntry> {
        match &self.together {
            None => Measurement::not_measured("there is only one release"),
            Some(Err(reason)) => Measurement::not_measured(reason.clone()),
            Some(Ok(TogetherFindings { found, others, at_most, exact })) => {
                Measurement::Measured(IntersectionEntry {
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
                })
            }
        }
    }

    fn owner_rows(&self) -> OwnerRows {
        let exempt = self.table.secret().exempt();
        let same = |of: &dyn Fn(u32) -> u32, row: u32| match self.beliefs {
            Ok(beliefs) => {
                let mut values = beliefs.chances(row).map(|(value, _)| of(value));
                let first = values.next();
                values.all(|value| Some(value) == first)
            }
            Err(_) => false,
        };
        let rows = 0..self.table.rows() as u32;
        let value_of = self.table.secret().codes();
        let homogeneous =
            |&row: &u32| !exempt[value_of[row as usize] as usize] && same(&|value| value, row);
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
            similarity: numbered(rows.filter(|&row: &u32| match self.categories {
                Some(of) => same(&|value| of[value as usize], row),
                None => false,
            })),
            intersection: numbered(certain),
        }
    }
}

/// Row numbers counted from 1.
fn numbered(rows: impl IntoIterator<Item = u32>) -> Vec<u64> {
    rows.into_iter().map(|row| u64::from(row) + 1).collect()
}
