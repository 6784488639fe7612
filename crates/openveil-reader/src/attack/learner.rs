//! The reader who learns from the release by the same fit that analysts use.
//!
//! The fit uses the release alone. Only the owner can measure how often it is right. If running the
//! algorithm again does not show who is in which group, two readers are simulated: a reader who
//! finds people by their published values, and a reader who knows everybody's group, on another
//! release of the same kind.

use super::report::Learner;
use openveil_analysis::{Evidence, Fit, Meaning, RowPosterior};
use openveil_core::coins::SecretCoins;
use openveil_core::release::Content;
use openveil_core::table::{Groups, View};
use openveil_papers::attack::beliefs::PersonBeliefs;

/// A fitted release.
pub(super) struct FittedRelease {
    evidence: Evidence,
    fit: Fit,
    posterior: RowPosterior,
}

impl FittedRelease {
    /// Fits a release. None if it has too few groups.
    pub(super) fn new(release: &Content, table: &View, seed: u64) -> Option<Self> {
        let evidence = Evidence::new(release);
        if !evidence.says_enough() {
            return None;
        }
        let meaning = Meaning::new(table.known(), table.secret());
        let fit = Fit::new(&evidence, &meaning, &mut SecretCoins::from_test_seed(seed))
            .calibrated(&evidence);
        let posterior = fit.posteriors(&evidence).swap_remove(0);
        Some(Self { evidence, fit, posterior })
    }

    /// Measures such a reader. `beliefs` are used to find people in the release; `members` is a
    /// release of the same kind with the rows of each group.
    pub(super) fn report(
        &self,
        table: &View,
        beliefs: Option<&PersonBeliefs>,
        bound: Option<f64>,
        members: Option<(&FittedRelease, &Groups)>,
    ) -> Learner {
        let protected: Vec<bool> = table.secret().exempt().iter().map(|exempt| !exempt).collect();
        let believed = self.posterior.beliefs(&protected, bound.unwrap_or(1.0));
        Learner {
            believed: believed.mean,
            above_bound: bound.map(|_| believed.above_bound),
            nearly_certain: believed.nearly_certain,
            accuracy: beliefs.map(|beliefs| self.accuracy(table, beliefs)),
            accuracy_members_known: members
                .map(|(learned, groups)| learned.fit.guessed(&learned.evidence, table, groups)),
            accuracy_of_model: self.by_model(table),
        }
    }

    /// The share of people whose value is guessed by the model and by the groups that they may be
    /// in.
    fn accuracy(&self, table: &View, beliefs: &PersonBeliefs) -> f64 {
        let chances = self.fit.chances(&codes(table), table.secret().values());
        let shares = self.shares(table.secret().values());
        let truth = table.secret().codes();
        let is_hit = |row: usize| {
            let own = &chances[row * shares.len()..(row + 1) * shares.len()];
            let weighed = beliefs.chances(row as u32).map(|(value, belief)| {
                // The share in the groups, times the value's likelihood ratio for this person
                // against everybody.
                let value_of = value as usize;
                (value, belief * own[value_of] / shares[value_of].max(1e-12))
            });
            let likeliest = weighed.max_by(|a, b| a.1.total_cmp(&b.1));
            likeliest.is_some_and(|(value, _)| value == truth[row])
        };
        (0..table.rows()).filter(|&row| is_hit(row)).count() as f64 / table.rows() as f64
    }

    /// The share of people whose value the model alone guesses, as if they were in no group.
    fn by_model(&self, table: &View) -> f64 {
        let values = table.secret().values();
        let chances = self.fit.chances(&codes(table), values);
        let is_hit = |(own, truth): (&[f64], &u32)| {
            let likeliest = (0..values).max_by(|&a, &b| own[a].total_cmp(&own[b]));
            likeliest == Some(*truth as usize)
        };
        chances.chunks_exact(values).zip(table.secret().codes()).filter(|own| is_hit(*own)).count()
            as f64
            / table.rows() as f64
    }

    /// The share of all rows with each value.
    fn shares(&self, values: usize) -> Vec<f64> {
        let mut shares = vec![0.0; values];
        let each = 1.0 / self.evidence.rows() as f64;
        self.evidence.values().iter().for_each(|&value| shares[value as usize] += each);
        shares
    }
}

fn codes(table: &View) -> Vec<&[u32]> {
    table.known().iter().map(|column| column.codes()).collect()
}
