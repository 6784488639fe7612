use super::*;
use crate::algorithm::Settings;
use crate::coins::SecretCoins;
use crate::model::RatioDiversity;
use crate::table::{Column, Domain, Histogram, Secret, View};
use proptest::prelude::*;

fn ratio(l: u32) -> RatioDiversity {
    RatioDiversity::new(l).unwrap()
}

#[test]
fn one_person_waits_where_nobody_is_there() {
    assert!(waits(false, 1, ratio(2)) && !waits(false, 2, ratio(2)) && !waits(true, 1, ratio(2)));
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

/// People who come later go to a signature in use if they can: signatures with few groups do worse
/// when people leave.
#[test]
fn cohorts_go_to_signatures_in_use() {
    let mut coins = SecretCoins::from_test_seed(0);
    let mut book = Book::of(vec![(vec![0, 1, 2], 1), (vec![0, 3], 2)]).unwrap();
    let cohort = [0, 0, 1, 1, 2, 2, 0, 3];
    let admission = book.admit(&Histogram::of(&cohort, 4), ratio(2)).unwrap();
    book.enter(&admission, &cohort, &mut coins);
    assert_eq!(book.entries(), [(vec![0, 1, 2], 3), (vec![0, 3], 3)]);
    // If two signatures would do, the one with more groups is used.
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

/// The groups of cohorts, case by case: any change to the search shows here, and people decide
/// whether the new result is better. The rules for every admission are tested below.
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

/// Books, cohorts, and the number that draws who stays.
fn cohorts() -> impl Strategy<Value = (u32, Vec<Vec<u32>>, u64)> {
    let cohort = prop::collection::vec(0u32..8, 0..60);
    (2u32..5, prop::collection::vec(cohort, 1..5), any::<u64>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Rounding costs at most one group of each signature.
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

    /// Every slot of a signature gets equally many of every cohort. Everybody gets a slot of the
    /// own value. Every group has people of different slots of one signature.
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
        // Half of them are present.
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
        // No more groups than the fullest slot of each signature needs.
        let fullest = |number: usize| {
            let slots = (0..book.slots()).filter(|&s| book.signature_of(Slot(s)) == number);
            slots.map(|slot| own.iter().filter(|own| own.0 == slot).count()).max().unwrap_or(0)
        };
        let groups: usize = (0..book.signatures().len()).map(fullest).sum();
        prop_assert_eq!(made.len(), groups);
    }
}
