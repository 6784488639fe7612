//! Histories of several releases: persistent groups satisfy their guarantee, and releases made afresh do not.

use super::*;
use crate::algorithm::{Cover, RdaSecondStage};
use openveil_core::Error;
use openveil_core::algorithm::{Algorithm, Halving, Inside, Settings};
use openveil_core::exact::fraction;
use openveil_core::model::RatioDiversity;
use openveil_core::table::{Histogram, histograms};
use std::num::NonZeroU32;

fn ratio(l: u32) -> RatioDiversity {
    RatioDiversity::new(l).unwrap()
}

const LIMIT: u64 = 1_000_000;

fn settings(smallest: u32) -> Settings {
    Settings { smallest_group: NonZeroU32::new(smallest), ..Settings::default() }
}

fn in_groups(history: &History, settings: &Settings) -> Result<HistoryVerification, Error> {
    history.verify(HistoryWay::Groups, (&Halving, settings), LIMIT)
}

/// A release: arrivals, leavers, people who come back, and quasi-identifiers.
type Step<'a> = (&'a [u32], &'a [usize], &'a [usize], &'a [u32]);

fn history(l: u32, steps: &[Step<'_>]) -> History {
    steps.iter().fold(History::new(ratio(l)), |history, (new, leave, back, codes)| {
        history.release(new, leave, back, Some(codes.to_vec())).unwrap()
    })
}

/// Ten families: equal, overlapping and disjoint signatures, leavers, returns, people held back.
fn families() -> Vec<(u32, Vec<Step<'static>>)> {
    vec![
        (2, vec![(&[0, 0, 1, 2], &[], &[], &[3, 0, 2, 1]), (&[], &[0], &[], &[0, 1, 2, 3])]),
        (
            2,
            vec![
                (&[0, 0, 1, 2], &[], &[], &[3, 0, 2, 1]),
                (&[0, 1], &[1], &[], &[0, 1, 2, 3, 1, 2]),
            ],
        ),
        (
            2,
            vec![
                (&[0, 1], &[], &[], &[0, 1]),
                (&[0, 2], &[0], &[], &[5, 1, 2, 3]),
                (&[], &[], &[0], &[1, 1, 4, 0]),
            ],
        ),
        (
            2,
            vec![
                (&[0, 1], &[], &[], &[0, 1]),
                (&[2, 3], &[], &[], &[0, 1, 0, 1]),
                (&[0, 1], &[0, 2], &[], &[0, 1, 2, 3, 4, 5]),
            ],
        ),
        (
            2,
            vec![
                (&[0, 1, 2, 3], &[], &[], &[0, 1, 2, 3]),
                (&[0, 2], &[0, 3], &[], &[3, 2, 1, 0, 1, 2]),
                (&[], &[4], &[0], &[0, 0, 1, 1, 2, 2]),
            ],
        ),
        (3, vec![(&[0, 1, 2], &[], &[], &[2, 1, 0]), (&[0, 1, 3], &[1], &[], &[0, 1, 2, 0, 1, 2])]),
        (2, vec![(&[0, 1, 2], &[], &[], &[0, 1, 2]), (&[0, 1, 2], &[2], &[], &[0, 1, 2, 0, 1, 2])]),
        // One person is held back until others arrive.
        (
            2,
            vec![
                (&[0, 1], &[], &[], &[0, 1]),
                (&[0], &[], &[], &[0, 1, 2]),
                (&[0, 1, 2], &[0], &[], &[0, 1, 2, 3, 4, 5]),
            ],
        ),
        // If nobody arrives or leaves, groups stay as they are.
        (
            2,
            vec![
                (&[0, 0, 1, 2], &[], &[], &[3, 0, 2, 1]),
                (&[], &[], &[], &[0, 1, 2, 3]),
                (&[], &[2], &[], &[0, 1, 2, 3]),
            ],
        ),
        (
            2,
            vec![
                (&[0, 0, 1, 1, 2, 2], &[], &[], &[0, 1, 2, 3, 4, 5]),
                (&[], &[0, 4], &[], &[5, 4, 3, 2, 1, 0]),
                (&[], &[1], &[4], &[0, 0, 1, 1, 2, 2]),
            ],
        ),
    ]
}

#[test]
fn posteriors_stay_below_the_bound_in_ten_families() {
    for (l, steps) in families() {
        let history = history(l, &steps);
        for smallest in [1, 2, 25] {
            let found = in_groups(&history, &settings(smallest)).unwrap();
            assert!(found.is_safe(), "{steps:?}: {found:?}");
            assert!(found.max_posterior <= fraction(1, l.into()), "{steps:?}");
        }
    }
}

/// Groups that persist keep the promise of RDA's second stage, too.
#[test]
fn second_stages_keep_the_promise_over_releases() {
    let second_stage = (&RdaSecondStage as &dyn Algorithm, &Settings::default());
    let small =
        families().into_iter().filter(|(_, steps)| steps.iter().all(|step| step.0.len() < 6));
    for (l, steps) in small {
        let found = history(l, &steps).verify(HistoryWay::Groups, second_stage, LIMIT).unwrap();
        assert!(found.is_safe(), "{steps:?}: {found:?}");
        assert!(found.max_posterior <= fraction(1, l.into()), "{steps:?}");
    }
}

/// Further releases tell nothing that the first one of each cohort did not.
#[test]
fn releases_of_the_same_people_tell_nothing_new() {
    let begun = || History::new(ratio(2)).release(&[0, 0, 1, 1, 2, 2], &[], &[], None).unwrap();
    let once = in_groups(&begun(), &settings(1)).unwrap();
    let more = begun()
        .release(&[], &[0, 3], &[], None)
        .unwrap()
        .release(&[], &[1], &[3], Some(vec![5, 4, 3, 2, 1, 0]))
        .unwrap();
    let more = in_groups(&more, &settings(1)).unwrap();
    assert_eq!((more.histories, &more.max_posterior), (once.histories, &once.max_posterior));
}

/// Covers every way in which up to so many people arrive in up to three cohorts, and any one of
/// them is absent at the second or third release.
#[test]
fn posteriors_stay_below_the_bound_in_every_small_history() {
    let most = 6;
    let mut checked = 0;
    for first in (2..=most).flat_map(histograms) {
        let begun = values(&first, 0);
        let people = begun.len();
        if ratio(2)
            .check_eligible(&Histogram::from_counts(first.clone()), &vec![false; first.len()])
            .is_err()
        {
            continue;
        }
        for more in (0..=(most as usize - people) as u32).flat_map(histograms) {
            // Known values, new values, or one of each.
            for shift in 0..=first.len() as u32 {
                let arrivals = values(&more, shift);
                if arrivals.is_empty() && shift > 0 {
                    continue;
                }
                for away in 0..people {
                    for back in [false, true] {
                        let back = if back { vec![away] } else { Vec::new() };
                        let history = History::new(ratio(2))
                            .release(&begun, &[], &[], None)
                            .unwrap()
                            .release(&arrivals, &[away], &[], None)
                            .unwrap()
                            .release(&[], &[], &back, None)
                            .unwrap();
                        let Ok(found) = in_groups(&history, &settings(1)) else {
                            continue; // the newcomers allow no release
                        };
                        assert!(
                            found.is_safe(),
                            "{begun:?} {arrivals:?} {away} {back:?}: {found:?}"
                        );
                        checked += 1;
                    }
                }
            }
        }
    }
    assert!(checked > 300, "only {checked}");
}

fn values(counts: &[u32], shift: u32) -> Vec<u32> {
    (shift..).zip(counts).flat_map(|(value, &count)| vec![value; count as usize]).collect()
}

/// A control, with the figures of READERS, B1: releases made afresh make values certain.
#[test]
fn releases_made_afresh_give_people_away() {
    let twice = |times: usize| {
        let mut history = History::new(ratio(2)).release(&[0, 0, 1, 2], &[], &[], None).unwrap();
        for _ in 1..times {
            history = history.release(&[], &[], &[], None).unwrap();
        }
        let random = Settings { inside: Inside::Random, effort: 0, ..Settings::default() };
        let cover = (&Cover as &dyn Algorithm, &random);
        history.verify(HistoryWay::Afresh, cover, LIMIT).unwrap()
    };
    assert_eq!(twice(2).chance_of_certainty, fraction(1, 2));
    assert_eq!(twice(3).chance_of_certainty, fraction(3, 4));
    assert!(!twice(2).is_safe());
    let kept = History::new(ratio(2))
        .release(&[0, 0, 1, 2], &[], &[], None)
        .unwrap()
        .release(&[], &[], &[], None)
        .unwrap();
    assert!(in_groups(&kept, &settings(1)).unwrap().is_safe());
}

/// Holding people back because of their values would disclose them: if a cohort allows no release,
/// nothing is released about the people already present, either.
#[test]
fn values_make_nobody_wait() {
    let alike = History::new(ratio(2))
        .release(&[0, 1, 0, 1], &[], &[], None)
        .unwrap()
        .release(&[2, 2], &[], &[], None)
        .unwrap()
        .release(&[3, 4], &[], &[], None)
        .unwrap();
    assert!(matches!(in_groups(&alike, &settings(1)), Err(Error::Ineligible(_))));
}

#[test]
fn what_a_history_cannot_be_is_said() {
    let begun = || History::new(ratio(2)).release(&[0, 1], &[], &[], None).unwrap();
    let problem = |history: Result<History, String>| history.unwrap_err();
    assert!(problem(begun().release(&[], &[7], &[], None)).contains("is not there"));
    assert!(problem(begun().release(&[], &[], &[0], None)).contains("is not away"));
    assert!(problem(begun().release(&[], &[], &[], Some(vec![1]))).contains("2 people"));
    let halving = (&Halving as &dyn Algorithm, &settings(1));
    let many = begun().verify(HistoryWay::Groups, halving, 1).unwrap_err();
    assert!(matches!(many, Error::BeyondLimit { .. }));
    let refused = History::new(ratio(2)).release(&[0, 0], &[], &[], None).unwrap();
    assert!(in_groups(&refused, &settings(1)).is_err());
}
