//! The re-run for algorithms with coins: tests, on the owner's table, the exact invariance on which
//! their safety rests.
//!
//! For a release made with coins, it makes no sense to ask whether an exchange reproduces it: the
//! coins are secret, and other coins make another release. The proofs claim that for *every*
//! outcome of the coins on the owner's table there is an equally likely one on the exchanged table
//! that makes the same release. That can be tested: use coins of our own, exchange, use the
//! corresponding coins, and compare.
//!
//! * `rda` first puts the rows of each value into a random order; everything afterwards depends on
//!   places in these orders, and any two people of one group may be exchanged. The corresponding
//!   coins put the exchanged people into each other's places. Every order of every value is made by
//!   exactly one sequence of coins, and all sequences of one length are equally likely, so the two
//!   outcomes are equally likely, too.
//! * `cover` assigns the rows of each value to columns uniformly at random. Two columns of a unit
//!   exchange their people's values in all groups at once (see
//!   [`crate::algorithm::cover`]). The corresponding assignment puts the people into each
//!   other's columns, and arranging uses the same coins as before.
//! * `ria` draws rows by place throughout, so its corresponding coins cannot be written down
//!   without running it. Instead, its groups are certified: everybody has l − 1 other members of
//!   the group with different other values ([`crate::verify::l_cover::certificate`]). Other
//!   algorithms that are safe against a reader who knows them are certified, too. For models other
//!   than ratio l-diversity, every group is checked against the model instead.
//! * Algorithms that are unsafe against a reader who knows them guarantee no invariance. They are
//!   run again on the exchanged table with the *same* coins, as if the reader knew the coins.

mod dealt;
mod replay;
mod scripted;

use super::{Progress, exchanged};
use crate::verify::l_cover::certificate::{self, Certificate};
use dealt::Dealt;
use openveil_core::Error;
use openveil_core::algorithm::{Algorithm, Replay, Settings};
use openveil_core::coins::{Coins, SecretCoins};
use openveil_core::model::Model;
use openveil_core::release::{Content, Style, check, publish};
use openveil_core::table::{Groups, View};
use rayon::prelude::*;
use scripted::{Recorded, Scripted};

/// The property that is checked of an algorithm with coins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckedInvariance {
    /// Exchanges, each with the corresponding coins.
    Exchanges,
    /// Exchanges, each with the same coins.
    SameCoins,
    /// Everybody has stand-ins in their own group.
    StandIns,
    /// Every group satisfies the model.
    Groups,
}

/// The results for the people of a sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invariance {
    /// The property that was checked.
    pub checked: CheckedInvariance,
    /// Number of people checked.
    pub sampled: usize,
    /// Number of exchanges tried; 0 if groups were checked.
    pub exchanges: u64,
    /// People for whom a check failed: rows, counted from 0.
    pub exposed: Vec<u32>,
}

/// The way in which a release was made.
#[derive(Debug, Clone, Copy)]
pub struct ReleaseMaking<'a> {
    /// The algorithm.
    pub algorithm: &'a dyn Algorithm,
    /// The owner's table.
    pub table: &'a View,
    /// How known columns were published.
    pub style: Style,
    /// The model that every group satisfies.
    pub model: &'a Model,
    /// The algorithm's settings for arranging groups.
    pub settings: &'a Settings,
}

/// Checks the invariance of an algorithm for each person of a sample, with coins from `seed`. They
/// are not the coins of any release.
///
/// Tries at most [`MAX_PARTNERS`] exchanges per person. Each takes one run of the algorithm; for
/// `cover`, one run on the unit that it changes, for all people of two columns together. The check
/// of groups takes one run.
///
/// # Errors
/// Errors of the algorithm on the table.
///
/// # Panics
/// If the algorithm uses no coins, or the sample names a row beyond the table.
pub fn invariance(
    run: &ReleaseMaking<'_>,
    sample: &[u32],
    seed: u64,
    progress: Progress<'_>,
) -> Result<Invariance, Error> {
    let in_strata = run
        .table
        .strata()
        .into_iter()
        .map(|stratum| {
            let part = stratum.view(run.table);
            let own = stratum.positions(sample);
            let run = ReleaseMaking { table: &part, ..*run };
            let found = run.in_stratum(&own, seed, progress)?;
            let exposed = found.exposed.iter().map(|&position| stratum.row(position));
            Ok(Invariance { exposed: exposed.collect(), ..found })
        })
        .collect::<Result<Vec<Invariance>, Error>>()?;
    Ok(in_strata.into_iter().reduce(Invariance::and).expect("a table has a stratum"))
}

impl Invariance {
    /// Adds the results of two strata.
    fn and(mut self, other: Self) -> Self {
        self.sampled += other.sampled;
        self.exchanges += other.exchanges;
        self.exposed.extend(other.exposed);
        self.exposed.sort_unstable();
        self
    }
}

/// The largest number of exchanges tried for one person.
pub const MAX_PARTNERS: usize = 64;

/// Two rows that exchange their values.
type Pair = (u32, u32);

/// Partners for an exchange: members of the same group with different values.
struct Partners<'a> {
    codes: &'a [u32],
    groups: &'a Groups,
    group_of: Vec<u32>,
}

impl<'a> Partners<'a> {
    fn new(table: &'a View, groups: &'a Groups) -> Self {
        let mut group_of = vec![0u32; table.rows()];
        for (number, rows) in groups.iter().enumerate() {
            rows.iter().for_each(|&row| group_of[row as usize] = number as u32);
        }
        Self { codes: table.secret().codes(), groups, group_of }
    }

    /// Returns the members that give a person another value.
    fn of_row(&self, row: u32) -> impl Iterator<Item = u32> {
        let others = self.groups.get(self.group_of[row as usize] as usize).iter();
        let value = |row: u32| self.codes[row as usize];
        others.copied().filter(move |&other| value(other) != value(row))
    }
}

impl ReleaseMaking<'_> {
    /// Checks the invariance of a table that is one stratum.
    fn in_stratum(
        &self,
        sample: &[u32],
        seed: u64,
        progress: Progress<'_>,
    ) -> Result<Invariance, Error> {
        let profile = self.algorithm.profile();
        assert!(profile.is_randomized(), "there are coins to exchange");
        if profile.replay == Replay::Columns {
            let tried = replay::exchanges(self, sample, seed, progress)?;
            return Ok(self.found(CheckedInvariance::Exchanges, sample, &tried));
        }
        let mut coins = Recorded::new(SecretCoins::from_test_seed(seed));
        let groups = self.partition(self.table, &mut coins)?;
        match profile.replay {
            Replay::Members => {
                let dealt = Dealt::new(self.table, coins.tossed());
                let tried =
                    self.members(&groups, sample, progress, &|pair| dealt.corresponding(&[pair]))?;
                // All exchanges have to work …
                let all = tried.into_iter().map(|(tried, work)| (tried, tried == work));
                Ok(self.found(CheckedInvariance::Exchanges, sample, &all.collect::<Vec<_>>()))
            }
            Replay::SameCoins => {
                let tried =
                    self.members(&groups, sample, progress, &|_: Pair| coins.tossed().to_vec())?;
                // … whereas here one that works suffices as an alternative.
                let any = tried.into_iter().map(|(tried, work)| (tried, work > 0));
                Ok(self.found(CheckedInvariance::SameCoins, sample, &any.collect::<Vec<_>>()))
            }
            _ => self.groups_hold(&groups, sample, progress),
        }
    }

    /// Summarises exchanges: for each person of a sample, how many were tried, and whether the
    /// required property holds.
    fn found(
        &self,
        checked: CheckedInvariance,
        sample: &[u32],
        tried: &[(u64, bool)],
    ) -> Invariance {
        // A person who can be exchanged with nobody has no alternative, which is only acceptable if
        // the value needs no protection.
        let secret = self.table.secret();
        let is_exempt = |row: u32| secret.exempt()[secret.codes()[row as usize] as usize];
        let is_exposed =
            |&(row, (tried, holds)): &(u32, (u64, bool))| !holds || (tried == 0 && !is_exempt(row));
        let found = sample.iter().copied().zip(tried.iter().copied());
        Invariance {
            checked,
            sampled: sample.len(),
            exchanges: tried.iter().map(|(exchanges, _)| exchanges).sum(),
            exposed: found.filter(is_exposed).map(|(row, _)| row).collect(),
        }
    }

    fn partition(&self, table: &View, coins: &mut dyn Coins) -> Result<Groups, Error> {
        self.algorithm.partition_with(table, self.model, self.settings, coins)
    }

    /// Exchanges each person of a sample with the members of their group that have other values.
    /// Returns how many exchanges were tried, and how many lead to the same release with the coins
    /// of `coins_after`.
    fn members(
        &self,
        groups: &Groups,
        sample: &[u32],
        progress: Progress<'_>,
        coins_after: &(dyn Fn(Pair) -> Vec<u32> + Sync),
    ) -> Result<Vec<(u64, u64)>, Error> {
        let (release, _) = publish(self.table, groups, self.style);
        let partners = Partners::new(self.table, groups);
        sample
            .par_iter()
            .with_max_len(1)
            .map(|&row: &u32| -> Result<(u64, u64), Error> {
                let (mut tried, mut work) = (0, 0);
                for other in partners.of_row(row).take(MAX_PARTNERS) {
                    let pair = (row, other);
                    tried += 1;
                    work += u64::from(self.reproduces(coins_after(pair), &[pair], &release)?);
                }
                progress(1);
                Ok((tried, work))
            })
            .collect()
    }

    /// Returns whether the exchanged table, with these coins, leads to the same release.
    fn reproduces(
        &self,
        coins: Vec<u32>,
        pairs: &[(u32, u32)],
        release: &Content,
    ) -> Result<bool, Error> {
        let table = exchanged(self.table, pairs.iter().copied())?;
        let mut coins = Scripted::new(coins);
        let groups = self.partition(&table, &mut coins)?;
        // Coins that do not fit the questions are not corresponding ones.
        Ok(coins.was_followed() && publish(&table, &groups, self.style).0 == *release)
    }

    fn groups_hold(
        &self,
        groups: &Groups,
        sample: &[u32],
        progress: Progress<'_>,
    ) -> Result<Invariance, Error> {
        let (checked, holds) =
            match self.model.ratio().filter(|_| self.table.secret().members().is_none()) {
                Some(ratio) => {
                    let certificate = Certificate::new(self.table, groups, ratio)?;
                    let found = certificate::check(&certificate, self.table, groups, ratio);
                    (CheckedInvariance::StandIns, found.is_ok())
                }
                None => {
                    let (release, membership) = publish(self.table, groups, self.style);
                    let found =
                        check::release(&release, self.table, &membership, self.model, self.style);
                    (CheckedInvariance::Groups, found.is_ok())
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
    pub(crate) use super::replay::testing::replayed;
    use super::*;

    /// Exchanges any two people of a group made by `rda`. Returns how many exchanges lead to the
    /// same release with the corresponding coins, how many with the old ones, and how many there
    /// are.
    pub(crate) fn reproduced(table: &View) -> (usize, usize, usize) {
        let ratio = openveil_core::model::RatioDiversity::new(3).expect("3 is at least 2");
        let model = &Model::from(ratio);
        let run = ReleaseMaking {
            algorithm: &crate::algorithm::Rda,
            table,
            style: Style::Anatomy,
            model,
            settings: &Settings::default(),
        };
        let mut coins = Recorded::new(SecretCoins::from_test_seed(1));
        let groups = run.partition(table, &mut coins).unwrap();
        let (release, _) = publish(table, &groups, run.style);
        let dealt = Dealt::new(table, coins.tossed());
        let partners = Partners::new(table, &groups);
        let with_coins = |pair: Pair, coins| run.reproduces(coins, &[pair], &release).unwrap();
        let (mut with, mut without, mut all) = (0, 0, 0);
        for row in 0..table.rows() as u32 {
            for pair in partners.of_row(row).map(|other| (row, other)) {
                all += 1;
                with += usize::from(with_coins(pair, dealt.corresponding(&[pair])));
                without += usize::from(with_coins(pair, coins.tossed().to_vec()));
            }
        }
        (with, without, all)
    }
}
