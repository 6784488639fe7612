use super::*;
use crate::algorithm::{Inside, Settings};
use crate::coins::SecretCoins;
use crate::exact::fraction;
use crate::model::RatioDiversity;
use crate::table::{Column, Domain, Histogram, Secret, View, histograms};
use crate::verify::{History, Way};
use proptest::prelude::*;

const LIMIT: u64 = 1_000_000;

fn ratio(l: u32) -> RatioDiversity {
    RatioDiversity::new(l).unwrap()
}

fn settings() -> Settings {
    Settings {
        effort: 0,
        ..Settings::default()
    }
}

/// A release: arrivals, leavers, people who come back, and quasi-identifiers.
type Step<'a> = (&'a [u32], &'a [usize], &'a [usize], &'a [u32]);

fn history(l: u32, steps: &[Step<'_>]) -> History {
    steps.iter().fold(
        History::new(ratio(l)),
        |history, (new, leave, back, codes)| {
            history
                .release(new, leave, back, Some(codes.to_vec()))
                .unwrap()
        },
    )
}

/// Ten families: equal, overlapping and disjoint signatures, leavers, returns, waiting.
fn families() -> Vec<(u32, Vec<Step<'static>>)> {
    vec![
        (
            2,
            vec![
                (&[0, 0, 1, 2], &[], &[], &[3, 0, 2, 1]),
                (&[], &[0], &[], &[0, 1, 2, 3]),
            ],
        ),
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
        (
            3,
            vec![
                (&[0, 1, 2], &[], &[], &[2, 1, 0]),
                (&[0, 1, 3], &[1], &[], &[0, 1, 2, 0, 1, 2]),
            ],
        ),
        (
            2,
            vec![
                (&[0, 1, 2], &[], &[], &[0, 1, 2]),
                (&[0, 1, 2], &[2], &[], &[0, 1, 2, 0, 1, 2]),
            ],
        ),
        // One person waits for others.
        (
            2,
            vec![
                (&[0, 1], &[], &[], &[0, 1]),
                (&[0], &[], &[], &[0, 1, 2]),
                (&[0, 1, 2], &[0], &[], &[0, 1, 2, 3, 4, 5]),
            ],
        ),
        // The same people keep their groups.
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
fn posteriors_stay_the_signatures_in_ten_families() {
    for (l, steps) in families() {
        let history = history(l, &steps);
        for inside in Inside::ALL {
            let settings = Settings {
                inside,
                ..settings()
            };
            let found = history.verify(Way::Slots, &settings, LIMIT).unwrap();
            assert!(found.is_safe(), "{steps:?}: {found:?}");
            // The smallest signature: three people who come together make up one of three.
            let smallest = if steps[0].0.len() == 3 { 3 } else { l };
            assert_eq!(
                found.max_posterior,
                fraction(1, smallest.into()),
                "{steps:?}"
            );
        }
    }
}

/// Every way in which up to so many people come in up to three cohorts, and any one of them
/// is away at the second or third release.
#[test]
fn posteriors_stay_below_the_bound_in_every_small_history() {
    let most = 6;
    let mut checked = 0;
    for first in (2..=most).flat_map(histograms) {
        let begun = values(&first, 0);
        let people = begun.len();
        if ratio(2)
            .check_eligible(
                &Histogram::from_counts(first.clone()),
                &vec![false; first.len()],
            )
            .is_err()
        {
            continue;
        }
        for more in (0..=(most as usize - people) as u32).flat_map(histograms) {
            // Values that are known, values that are new, or one of each.
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
                        let Ok(found) = history.verify(Way::Slots, &settings(), LIMIT) else {
                            continue; // those who come allow no release
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
    let values = (shift..).zip(counts);
    values
        .flat_map(|(value, &count)| vec![value; count as usize])
        .collect()
}

/// A control, with the figures of READERS, B1: releases made afresh make values certain.
#[test]
fn releases_made_afresh_give_people_away() {
    let twice = |times: usize| {
        let mut history = History::new(ratio(2))
            .release(&[0, 0, 1, 2], &[], &[], None)
            .unwrap();
        for _ in 1..times {
            history = history.release(&[], &[], &[], None).unwrap();
        }
        history
            .verify(
                Way::Afresh,
                &Settings {
                    inside: Inside::Random,
                    ..settings()
                },
                LIMIT,
            )
            .unwrap()
    };
    assert_eq!(twice(2).chance_of_certainty, fraction(1, 2));
    assert_eq!(twice(3).chance_of_certainty, fraction(3, 4));
    assert!(!twice(2).is_safe());
    let kept = History::new(ratio(2))
        .release(&[0, 0, 1, 2], &[], &[], None)
        .unwrap()
        .release(&[], &[], &[], None)
        .unwrap();
    assert!(
        kept.verify(Way::Slots, &settings(), LIMIT)
            .unwrap()
            .is_safe()
    );
}

/// A wait because of values would tell them: a cohort that allows no release allows none of
/// those who are there, either.
#[test]
fn values_make_nobody_wait() {
    let alike = History::new(ratio(2))
        .release(&[0, 1, 0, 1], &[], &[], None)
        .unwrap()
        .release(&[2, 2], &[], &[], None)
        .unwrap()
        .release(&[3, 4], &[], &[], None)
        .unwrap();
    assert!(matches!(
        alike.verify(Way::Slots, &settings(), LIMIT),
        Err(crate::Error::Ineligible(_))
    ));
    assert!(waits(false, 1, ratio(2)) && !waits(false, 2, ratio(2)) && !waits(true, 1, ratio(2)));
}

#[test]
fn what_a_history_cannot_be_is_said() {
    let begun = || {
        History::new(ratio(2))
            .release(&[0, 1], &[], &[], None)
            .unwrap()
    };
    let problem = |history: Result<History, String>| history.unwrap_err();
    assert!(problem(begun().release(&[], &[7], &[], None)).contains("is not there"));
    assert!(problem(begun().release(&[], &[], &[0], None)).contains("is not away"));
    assert!(problem(begun().release(&[], &[], &[], Some(vec![1]))).contains("2 people"));
    let many = begun().verify(Way::Slots, &settings(), 1).unwrap_err();
    assert!(matches!(many, crate::Error::BeyondLimit { .. }));
    let refused = History::new(ratio(2))
        .release(&[0, 0], &[], &[], None)
        .unwrap();
    assert!(refused.verify(Way::Slots, &settings(), LIMIT).is_err());
}

#[test]
fn a_book_keeps_its_signatures() {
    let book = Book::of(vec![(vec![0, 2], 1), (vec![1, 2, 3], 4)]).unwrap();
    assert_eq!(book.slots(), 5);
    assert_eq!(
        (0..5)
            .map(|slot| book.value_of(Slot(slot)))
            .collect::<Vec<_>>(),
        [0, 2, 1, 2, 3]
    );
    assert_eq!(book.signature_of(Slot(2)), 1);
    assert_eq!(Book::of(book.entries()).unwrap(), book);
    assert!(Book::of(vec![(vec![0, 2], 1), (vec![0, 2], 1)]).is_err());
    for signature in [vec![2, 0], vec![1, 1], vec![]] {
        assert!(Book::of(vec![(signature, 1)]).is_err());
    }
}

/// People who come later go to a signature in use if they can: other signatures are weaker
/// where people leave.
#[test]
fn cohorts_go_to_signatures_in_use() {
    let mut coins = SecretCoins::from_test_seed(0);
    let mut book = Book::of(vec![(vec![0, 1, 2], 1), (vec![0, 3], 2)]).unwrap();
    let cohort = [0, 0, 1, 1, 2, 2, 0, 3];
    let admission = book.admit(&Histogram::of(&cohort, 4), ratio(2)).unwrap();
    book.enter(&admission, &cohort, &mut coins);
    assert_eq!(book.entries(), [(vec![0, 1, 2], 3), (vec![0, 3], 3)]);
    // Of two that would do, the one that has more people; its groups are what counts.
    let book = Book::of(vec![(vec![0, 1], 1), (vec![0, 2], 5), (vec![0, 3], 2)]).unwrap();
    let admission = book.admit(&Histogram::from_counts(vec![2, 1, 1, 1, 1]), ratio(2));
    let admission = admission.unwrap();
    assert!(
        admission
            .groups()
            .any(|(signature, _)| *signature == [0, 2]),
        "{admission:?}"
    );
}

/// The groups of cohorts, case by case: a change to the search shows here, and people decide
/// whether it is better. The rules for every admission are tested below.
#[test]
fn admissions_are_those_that_were_agreed_on() {
    let mut coins = SecretCoins::from_test_seed(3);
    let mut text = String::new();
    for case in 0..24u32 {
        let (values, l) = (4 + case % 4, 2 + case % 3);
        let signatures: std::collections::BTreeSet<Vec<u32>> = (0..case % 6)
            .map(|_| {
                let mut own: Vec<u32> = (0..values).filter(|_| coins.below(2) == 0).collect();
                own.extend(own.is_empty().then_some(0));
                own
            })
            .collect();
        let signatures = signatures.into_iter().map(|own| (own, 1 + coins.below(40)));
        let book = Book::of(signatures.collect()).unwrap();
        let counts: Vec<u32> = (0..values).map(|_| 6 + coins.below(9)).collect();
        let found = book.admit(&Histogram::from_counts(counts.clone()), ratio(l));
        text += &format!("l = {l}, {counts:?}, in use {:?}\n", book.entries());
        let groups: Vec<String> = match &found {
            Ok(found) => found
                .groups()
                .map(|(own, groups)| format!("{groups} × {own:?}"))
                .collect(),
            Err(refused) => vec![refused.to_string()],
        };
        text += &format!("  {}\n", groups.join(", "));
    }
    assert_eq!(text, include_str!("admissions.txt"), "{text}");
}

/// The most rows that fit on signatures in use, by trying everything.
fn most_rows(counts: &mut [u32], signatures: &[Vec<u32>], l: u32) -> Option<u32> {
    let Some((first, others)) = signatures.split_first() else {
        let rows: u32 = counts.iter().sum();
        let is_eligible = counts.iter().all(|&count| count * l <= rows);
        return is_eligible.then_some(0);
    };
    let can_be_used = first.len() >= l as usize;
    let most = first.iter().map(|&value| counts[value as usize]).min();
    let mut best = None;
    for groups in 0..=most.filter(|_| can_be_used).unwrap_or(0) {
        let own = |counts: &mut [u32], by: u32| {
            (first.iter()).for_each(|&value| counts[value as usize] -= by);
        };
        own(counts, groups);
        let rest = most_rows(counts, others, l);
        best = best.max(rest.map(|rest| rest + groups * first.len() as u32));
        first
            .iter()
            .for_each(|&value| counts[value as usize] += groups);
    }
    best
}

/// Books, cohorts and who of them stays.
fn cohorts() -> impl Strategy<Value = (u32, Vec<Vec<u32>>, u64)> {
    let cohort = prop::collection::vec(0u32..8, 0..60);
    (2u32..5, prop::collection::vec(cohort, 1..5), any::<u64>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Rounding costs a group of each signature at most.
    #[test]
    fn nearly_as_many_as_possible_are_on_signatures_in_use(
        counts in prop::collection::vec(0u32..12, 5),
        signatures in prop::collection::btree_set(prop::collection::btree_set(0u32..5, 2..5), 1..4),
        l in 2u32..4,
    ) {
        let signatures: Vec<Vec<u32>> = signatures.into_iter().map(|own| own.into_iter().collect()).collect();
        let book = Book::of(signatures.iter().map(|own| (own.clone(), 1)).collect()).unwrap();
        let Ok(admission) = book.admit(&Histogram::from_counts(counts.clone()), ratio(l)) else {
            return Ok(());
        };
        let on = |own: &(&Vec<u32>, u32)| if signatures.contains(own.0) { own.0.len() as u32 * own.1 } else { 0 };
        let placed: u32 = admission.groups().map(|own| on(&own)).sum();
        let slack: u32 = signatures.iter().map(|own| own.len() as u32).sum();
        let most = most_rows(&mut counts.clone(), &signatures, l).expect("it is eligible");
        prop_assert!(placed <= most && most <= placed + slack, "{placed} of {most}: {admission:?}");
    }

    /// Every slot of a signature gets equally many of every cohort, everybody a slot of the
    /// own value, and every group the people of different slots of one signature.
    #[test]
    fn slots_and_groups_are_what_they_should_be((l, cohorts, seed) in cohorts()) {
        let mut coins = SecretCoins::from_test_seed(seed);
        let (mut book, mut slots, mut people) = (Book::default(), Vec::new(), Vec::new());
        for cohort in cohorts {
            let histogram = Histogram::of(&cohort, 8);
            let Ok(admission) = book.admit(&histogram, ratio(l)) else { continue };
            let known = book.signatures().to_vec();
            let dealt = book.enter(&admission, &cohort, &mut coins);
            prop_assert_eq!(&book.signatures()[..known.len()], &known[..]);
            prop_assert!(book.signatures().iter().all(|s| s.len() >= l as usize));
            for (&slot, &value) in dealt.iter().zip(&cohort) {
                prop_assert_eq!(book.value_of(slot), value);
            }
            for number in 0..book.signatures().len() {
                let of = |slot: u32| dealt.iter().filter(|own| own.0 == slot).count();
                let own: Vec<u32> = (0..book.slots()).filter(|&s| book.signature_of(Slot(s)) == number).collect();
                prop_assert!(own.iter().all(|&slot| of(slot) == of(own[0])));
            }
            slots.extend(dealt);
            people.extend(cohort);
        }
        // Half of them are there.
        let present: Vec<usize> = (0..people.len()).filter(|_| coins.below(2) == 0).collect();
        prop_assume!(!present.is_empty());
        let own: Vec<Slot> = present.iter().map(|&person| slots[person]).collect();
        let codes: Vec<u32> = present.iter().map(|&person| person as u32 % 7).collect();
        let secret = Secret::new("value", vec![0; own.len()], ["?"]);
        let known = Column::new("q", codes, Domain::integers(0..=6));
        let table = View::new(vec![known], secret).unwrap();
        let made = book.groups(&table, &own, &Settings::default(), &mut coins).unwrap();
        prop_assert!(made.check_partition(own.len()).is_ok());
        for rows in made.iter() {
            let signature = book.signature_of(own[rows[0] as usize]);
            let mut taken: Vec<Slot> = rows.iter().map(|&row| own[row as usize]).collect();
            prop_assert!(taken.iter().all(|&slot| book.signature_of(slot) == signature));
            let of_rows: Vec<Slot> = rows.iter().map(|&row| own[row as usize]).collect();
            let fakes = book.missing(&of_rows);
            prop_assert_eq!(fakes.len() + taken.len(), book.signatures()[signature].len());
            taken.sort_unstable();
            taken.dedup();
            prop_assert_eq!(taken.len(), rows.len());
        }
        // As few groups as the fullest slot of each signature asks for.
        let fullest = |number: usize| {
            let slots = (0..book.slots()).filter(|&s| book.signature_of(Slot(s)) == number);
            slots.map(|slot| own.iter().filter(|own| own.0 == slot).count()).max().unwrap_or(0)
        };
        let groups: usize = (0..book.signatures().len()).map(fullest).sum();
        prop_assert_eq!(made.len(), groups);
    }
}
