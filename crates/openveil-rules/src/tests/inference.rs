//! Rules that follow from rules and from dependencies.

use super::fixtures::*;
use crate::worlds::{Posteriors, PublicationReader, PublishedTable};
use crate::*;
use openveil_core::exact::share_at_most;
use openveil_core::table::PeopleTable;
use proptest::prelude::*;

fn of(columns: &[usize]) -> ColumnSet {
    columns.iter().copied().collect()
}

fn plain(given: &[usize], protect: &[usize]) -> Rule {
    Rule::new(of(given), of(protect)).unwrap()
}

#[test]
fn rules_are_checked() {
    assert_eq!(Rule::new(of(&[]), of(&[1])), Err(RulesError::EmptyGiven));
    assert_eq!(Rule::new(of(&[1]), of(&[])), Err(RulesError::EmptyProtect));
    let twice = Rule::new(of(&[0, 1]), of(&[1]));
    assert_eq!(twice, Err(RulesError::BothSides { column: 1 }));
    assert_eq!(rules()[0].describe(&columns()), "age, icd → race");
}

#[test]
fn inference_is_trivial() {
    let (narrow, wide) = (plain(&[0], &[2]), plain(&[0, 1], &[2]));
    assert!(wide.implies(narrow) && !narrow.implies(wide));
    assert_eq!(irreducible(&[narrow, wide]), [wide]);
    assert!(!is_irreducible(&[narrow, wide]) && is_irreducible(&rules()));
    assert_eq!(irreducible(&[wide, wide]), [wide], "one of two equal rules stays");
    // Protecting one column protects every combination that contains it, but not the reverse.
    let combination = plain(&[0], &[2, 3]);
    assert!(wide.implies(combination) && !combination.implies(narrow));
    assert_eq!(inferred_from(narrow, &[combination, wide]), Some(1));
}

/// The table in the proof of Theorem 3.1 for m columns, k of them on the left
/// side: 2^(m+k−1) rows (the paper says 2^(m+k)).
fn theorem_3_1(m: usize, k: usize) -> PeopleTable {
    let domains: Vec<u32> = (0..m - 1).map(|i| if i < k { 4 } else { 2 }).collect();
    let rows: u32 = domains.iter().product();
    let mut columns = vec![Vec::new(); m];
    for row in 0..rows {
        let mut left = row;
        let mut parity = 0;
        for (i, domain) in domains.iter().enumerate() {
            let value = left % domain; // 0, 1, a, b
            left /= domain;
            columns[i].push(value);
            parity ^= if i < k { value & 1 } else { 0 };
        }
        columns[m - 1].push(parity);
    }
    PeopleTable::of_codes(columns).unwrap()
}

/// Whether no value of the protected columns has a share above 1/2 among the
/// rows that agree on the left side.
fn holds_on(records: &PeopleTable, rule: Rule) -> bool {
    let (left, count) = records.classes(rule.given());
    let (both, combinations) = records.classes(rule.given() | rule.protect());
    let mut sizes = vec![0; count];
    let mut counts = vec![(0, 0); combinations];
    for (&left, &both) in left.iter().zip(&both) {
        sizes[left as usize] += 1;
        counts[both as usize].0 += 1;
        counts[both as usize].1 = left as usize;
    }
    counts.iter().all(|&(count, left)| share_at_most(count, sizes[left], 2))
}

#[test]
fn the_proof_of_theorem_3_1_separates_rules() {
    let (m, k) = (4, 2);
    let records = theorem_3_1(m, k);
    assert_eq!(records.rows(), 1 << (m + k - 1));
    let refuted = plain(&[0, 1], &[3]);
    let mut kept = Vec::new();
    for given in 1u32..1 << m {
        let given: ColumnSet = (0..m).filter(|i| given >> i & 1 == 1).collect();
        for protect in (ColumnSet::first(m) - given).iter() {
            let rule = Rule::new(given, ColumnSet::one(protect)).unwrap();
            assert_eq!(holds_on(&records, rule), !rule.implies(refuted), "{rule:?}");
            if holds_on(&records, rule) {
                kept.push(rule);
            }
        }
    }
    assert_eq!(inferred_from(refuted, &kept), None);
    assert!(kept.len() > 20);
}

fn dependency(given: &[usize], determines: &[usize]) -> Dependency {
    Dependency::new(of(given), of(determines)).unwrap()
}

#[test]
fn what_is_determined_is_refused() {
    let known = [dependency(&[0], &[1]), dependency(&[1, 2], &[3])];
    assert_eq!(closure(of(&[0, 2]), &known), of(&[0, 1, 2, 3]));
    let listed = plain(&[0], &[1]);
    assert_eq!(refuse_determined(&[listed], &known), Err(RulesError::Determined { rule: 0 }));
    // The paper would miss this case: no dependency {0, 2} → 3 is listed.
    let rules = [plain(&[0], &[3]), plain(&[0, 2], &[3])];
    assert_eq!(refuse_determined(&rules, &known), Err(RulesError::Determined { rule: 1 }));
    assert_eq!(Dependency::new(of(&[1]), of(&[1])), Err(RulesError::EmptyDependency));
}

#[test]
fn what_determines_has_to_be_protected() {
    // 2 → 1 → 0: protecting 0 means protecting 1 and 2.
    let known = [dependency(&[1], &[0]), dependency(&[2], &[1])];
    let derived = expansion(plain(&[3], &[0]), &known, 100).unwrap();
    assert_eq!(derived, [plain(&[3], &[1]), plain(&[3], &[2])]);
    // {1, 2} → 0, and the reader knows 2: then 1 alone discloses 0.
    let known = [dependency(&[1, 2], &[0])];
    let derived = expansion(plain(&[2], &[0]), &known, 100).unwrap();
    assert_eq!(derived, [plain(&[2], &[1])]);
    let hopeless = expansion(plain(&[1, 2], &[0]), &known, 100);
    assert_eq!(hopeless, Err(RulesError::Determined { rule: 0 }));
    let known: Vec<Dependency> = (1..9).map(|i| dependency(&[i], &[0])).collect();
    assert!(matches!(
        expansion(plain(&[9], &[0]), &known, 5),
        Err(RulesError::BeyondLimit { limit: 5, .. })
    ));
}

#[test]
fn the_ternary_example_of_section_3() {
    // A1 → A2 is known, and both are published alone. Every 2-diversity rule holds, and yet
    // everything is certain.
    let records =
        PeopleTable::of_codes(vec![vec![0, 0, 0, 1, 1, 2], vec![2, 2, 2, 1, 1, 0]]).unwrap();
    let tables = [
        PublishedTable::open(&records, of(&[0])).unwrap(),
        PublishedTable::open(&records, of(&[1])).unwrap(),
    ];
    let known = [dependency(&[0], &[1])];
    let reader = PublicationReader::new(&records, &tables, of(&[0])).unwrap();
    let blind = Posteriors::new(&reader, of(&[1]), 10_000).unwrap();
    assert_eq!(blind.highest(), openveil_core::exact::fraction(1, 2));
    let seeing = Posteriors::new(&reader.knowing(&known), of(&[1]), 10_000).unwrap();
    assert_eq!(seeing.worlds(), 1);
    let rules = [plain(&[0], &[1])];
    assert!(refuse_determined(&rules, &known).is_err());
    let alone = normal_form::Schema::single_columns(of(&[0, 1]));
    assert!(normal_form::check(&alone, &rules, &[]).normal_form());
    assert!(!normal_form::check(&alone, &rules, &known).normal_form());
}

prop_compose! {
    fn some_columns(most: usize)(bits in 1u8..255) -> ColumnSet {
        (0..8usize).filter(|i| bits >> i & 1 == 1).take(most).collect()
    }
}

proptest! {
    #[test]
    fn an_irreducible_set_says_the_same(
        sides in prop::collection::vec((some_columns(4), some_columns(2)), 1..12)
    ) {
        let rules: Vec<Rule> = sides
            .into_iter()
            .filter_map(|(given, protect)| Rule::new(given - protect, protect).ok())
            .collect();
        let reduced = irreducible(&rules);
        prop_assert!(is_irreducible(&reduced));
        for rule in rules {
            prop_assert!(inferred_from(rule, &reduced).is_some());
        }
    }

    #[test]
    fn expansion_refuses_exactly_what_is_determined(
        sides in prop::collection::vec((some_columns(2), some_columns(1)), 0..6),
        given in some_columns(3),
        protect in some_columns(2),
    ) {
        let known: Vec<Dependency> = sides
            .into_iter()
            .filter_map(|(given, determines)| Dependency::new(given, determines).ok())
            .collect();
        let Ok(rule) = Rule::new(given - protect, protect) else { return Ok(()) };
        let determined = refuse_determined(&[rule], &known).is_err();
        match expansion(rule, &known, 10_000) {
            Err(RulesError::Determined { .. }) => prop_assert!(determined),
            Err(error) => prop_assert!(false, "{error}"),
            Ok(derived) => {
                prop_assert!(!determined);
                for other in derived {
                    // The columns that a derived rule protects determine the columns that the rule
                    // protects.
                    let told = closure(other.given() | other.protect(), &known);
                    prop_assert!(rule.protect().is_subset(told));
                }
            }
        }
    }
}
