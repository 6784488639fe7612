//! The re-run for algorithms that toss coins: the exact invariance on which their
//! safety rests, tried on the owner's table.
//!
//! Of a release made with coins one cannot ask whether an exchange reproduces it:
//! the coins are secret, and other coins make another release. What the proofs
//! claim is that for *every* outcome of the coins on the owner's table there is an
//! equally likely one on the exchanged table that makes the same release. That can
//! be tried: toss coins of our own, exchange, toss the corresponding coins, compare.
//!
//! * `rda` and `cover` put the rows of each value into an order set by coins
//!   before anything else; what comes after depends on places in these orders. The
//!   corresponding coins put the exchanged people into each other's places. As
//!   every order of every value is tossed by exactly one sequence of coins, and all
//!   sequences of one length are equally likely, so are the two outcomes.
//! * In `rda` any two people of one group may be exchanged; in `cover` everybody of
//!   a slot with everybody of another slot of the bucket (see [`crate::algorithm::cover`]).
//! * `ria` draws rows by place all along, so its corresponding coins cannot be
//!   written down without running it. Its groups are certified instead: everybody
//!   has l − 1 others with other values in the own group
//!   ([`crate::verify::l_cover::certificate`]); so are those of other algorithms
//!   that are safe to know. For models other than ratio l-diversity, every
//!   group is checked against the model instead.
//! * Algorithms that are not safe to know promise no invariance. They are run again
//!   on the exchanged table with the *same* coins, as if the reader knew them.

mod dealt;
mod scripted;

use super::{Progress, exchanged};
use crate::Error;
use crate::algorithm::cover::decomposition;
use crate::algorithm::{Algorithm, Replay};
use crate::coins::SecretCoins;
use crate::model::Model;
use crate::release::{Release, Style, check, publish};
use crate::table::{Groups, View};
use crate::verify::l_cover::certificate::{self, Certificate};
use dealt::{Dealt, Slots};
use rayon::prelude::*;
use scripted::{Recorded, Scripted};

/// What was checked of an algorithm that tosses coins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checked {
    /// Exchanges, each with the corresponding coins.
    Exchanges,
    /// Exchanges, each with the same coins.
    SameCoins,
    /// That everybody has stand-ins in the own group.
    StandIns,
    /// That every group satisfies the model.
    Groups,
}

/// What came out for the people of a sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invariance {
    /// What was checked.
    pub checked: Checked,
    /// People looked at.
    pub sampled: usize,
    /// Exchanges tried; 0 where groups were checked.
    pub exchanges: u64,
    /// People for whom something failed: rows, counted from 0.
    pub exposed: Vec<u32>,
}

/// Checks the invariance of an algorithm for each person of a sample, with coins
/// tossed from `seed`. They are not the coins of any release.
///
/// One run of the algorithm per exchange, at most [`MAX_PARTNERS`] per person; the
/// check of groups takes one run.
///
/// # Errors
/// What the algorithm says of the table.
///
/// # Panics
/// If the algorithm tosses no coins, or the sample names a row beyond the table.
pub fn invariance(
    algorithm: &dyn Algorithm,
    (table, style): (&View, Style),
    model: &Model,
    sample: &[u32],
    seed: u64,
    progress: Progress<'_>,
) -> Result<Invariance, Error> {
    assert!(
        algorithm.profile().is_randomized(),
        "there are coins to exchange"
    );
    let mut coins = Recorded::new(SecretCoins::from_test_seed(seed));
    let groups = algorithm.partition(table, model, &mut coins)?;
    let run = Run {
        algorithm,
        table,
        style,
        model,
    };
    let replay = algorithm.profile().replay;
    let checked = match replay {
        Replay::Slots | Replay::Members => Checked::Exchanges,
        Replay::SameCoins => Checked::SameCoins,
        _ => return run.groups_hold(&groups, sample, progress),
    };
    let dealt = (checked == Checked::Exchanges).then(|| Dealt::of(table, coins.tossed()));
    let partners = match replay {
        Replay::Slots => {
            let histogram = table.histogram();
            let decomposition = decomposition(table, &histogram, &model.bind(table)?)?;
            Partners::Slots(Slots::of(&decomposition, &histogram))
        }
        _ => Partners::members(table, &groups),
    };
    let coins_after = |pairs: &Pairs| match &dealt {
        Some(dealt) => dealt.corresponding(pairs),
        None => coins.tossed().to_vec(),
    };
    let (release, _) = publish(table, &groups, style);
    let attack = |&row: &u32| -> Result<(u64, bool), Error> {
        let (mut exchanges, mut holds, mut works) = (0, true, false);
        for pairs in partners.of(table, dealt.as_ref(), row).take(MAX_PARTNERS) {
            exchanges += 1;
            let reproduces = run.reproduces(coins_after(&pairs), &pairs, &release)?;
            match checked {
                // One that works is enough to hide behind …
                Checked::SameCoins => works |= reproduces,
                // … where all of them have to.
                _ => holds &= reproduces,
            }
        }
        holds &= checked == Checked::Exchanges || works;
        progress(1);
        // Whoever can be exchanged with nobody has nobody to hide behind, which only
        // values that need no protection can do without.
        let sensitive = table.secret();
        let is_exempt = sensitive.exempt()[sensitive.codes()[row as usize] as usize];
        Ok((exchanges, holds && (exchanges > 0 || is_exempt)))
    };
    let found: Result<Vec<(u64, bool)>, Error> =
        sample.par_iter().with_max_len(1).map(attack).collect();
    let found = found?;
    let failed = sample.iter().zip(&found).filter(|(_, (_, holds))| !holds);
    Ok(Invariance {
        checked,
        sampled: sample.len(),
        exchanges: found.iter().map(|(exchanges, _)| exchanges).sum(),
        exposed: failed.map(|(&row, _)| row).collect(),
    })
}

/// The most exchanges tried for one person.
pub const MAX_PARTNERS: usize = 64;

/// Pairs of rows that exchange their values together.
type Pairs = Vec<(u32, u32)>;

/// Who may be exchanged with whom.
enum Partners<'a> {
    /// In `cover`: whole slots of one bucket.
    Slots(Slots),
    /// Any two members of a group, given with the group of each row.
    Members(&'a Groups, Vec<u32>),
}

impl<'a> Partners<'a> {
    fn members(table: &View, groups: &'a Groups) -> Self {
        let mut group_of = vec![0u32; table.rows()];
        for (number, rows) in groups.iter().enumerate() {
            rows.iter()
                .for_each(|&row| group_of[row as usize] = number as u32);
        }
        Self::Members(groups, group_of)
    }

    /// The exchanges that give a person another value.
    fn of(&self, table: &View, dealt: Option<&Dealt>, row: u32) -> impl Iterator<Item = Pairs> {
        let exchanges: Vec<Pairs> = match (self, dealt) {
            (Self::Slots(slots), Some(dealt)) => slots.exchanges(dealt, row),
            (Self::Slots(_), None) => Vec::new(),
            (Self::Members(groups, group_of), _) => {
                let codes = table.secret().codes();
                let others = groups.get(group_of[row as usize] as usize).iter();
                let others = others.filter(|&&r| codes[r as usize] != codes[row as usize]);
                others.map(|&other| vec![(row, other)]).collect()
            }
        };
        exchanges.into_iter()
    }
}

/// An algorithm with its parameters and a table.
struct Run<'a> {
    algorithm: &'a dyn Algorithm,
    table: &'a View,
    style: Style,
    model: &'a Model,
}

impl Run<'_> {
    /// Whether the exchanged table, with these coins, leads to the same release.
    fn reproduces(
        &self,
        coins: Vec<u32>,
        pairs: &[(u32, u32)],
        release: &Release,
    ) -> Result<bool, Error> {
        let table = exchanged(self.table, pairs.iter().copied())?;
        let mut coins = Scripted::new(coins);
        let groups = self.algorithm.partition(&table, self.model, &mut coins)?;
        // Coins that do not fit the questions are not corresponding ones.
        Ok(coins.was_followed() && publish(&table, &groups, self.style).0 == *release)
    }

    fn groups_hold(
        &self,
        groups: &Groups,
        sample: &[u32],
        progress: Progress<'_>,
    ) -> Result<Invariance, Error> {
        let (checked, holds) = match self.model.ratio() {
            Some(ratio) => {
                let certificate = Certificate::of(self.table, groups, ratio)?;
                let found = certificate::check(&certificate, self.table, groups, ratio);
                (Checked::StandIns, found.is_ok())
            }
            None => {
                let (release, membership) = publish(self.table, groups, self.style);
                let found =
                    check::release(&release, self.table, &membership, self.model, self.style);
                (Checked::Groups, found.is_ok())
            }
        };
        progress(sample.len() as u64);
        Ok(Invariance {
            checked,
            sampled: sample.len(),
            exchanges: 0,
            exposed: if holds { Vec::new() } else { sample.to_vec() },
        })
    }
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    /// Exchanges any two people of a group made by `rda`: how many exchanges lead to
    /// the same release with the corresponding coins, with the old ones, and how
    /// many there are.
    pub(crate) fn reproduced(table: &View) -> (usize, usize, usize) {
        let ratio = crate::model::RatioDiversity::new(3).expect("3 is at least 2");
        let model = &Model::from(ratio);
        let run = Run {
            algorithm: &crate::algorithm::Rda,
            table,
            style: Style::Anatomy,
            model,
        };
        let mut coins = Recorded::new(SecretCoins::from_test_seed(1));
        let groups = run.algorithm.partition(table, model, &mut coins).unwrap();
        let (release, _) = publish(table, &groups, run.style);
        let dealt = Dealt::of(table, coins.tossed());
        let partners = Partners::members(table, &groups);
        let with_old_coins = |pairs: &Pairs| {
            let exchanged = exchanged(table, pairs.iter().copied()).unwrap();
            let mut old = Scripted::new(coins.tossed().to_vec());
            let groups = run
                .algorithm
                .partition(&exchanged, model, &mut old)
                .unwrap();
            publish(&exchanged, &groups, run.style).0 == release
        };
        let (mut with, mut without, mut all) = (0, 0, 0);
        for row in 0..table.rows() as u32 {
            for pairs in partners.of(table, Some(&dealt), row) {
                all += 1;
                let corresponding = dealt.corresponding(&pairs);
                with += usize::from(run.reproduces(corresponding, &pairs, &release).unwrap());
                without += usize::from(with_old_coins(&pairs));
            }
        }
        (with, without, all)
    }
}
