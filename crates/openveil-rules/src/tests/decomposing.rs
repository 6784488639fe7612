//! UAD, GD and the search: their results are in normal form, and as good as documented.

use super::fixtures::*;
use crate::decompose::*;
use crate::estimate::EstimateLimits;
use crate::normal_form::{Schema, SubTable, check};
use crate::*;
use openveil_core::table::{Groups, PeopleTable};
use proptest::prelude::*;

fn of(columns: &[usize]) -> ColumnSet {
    columns.iter().copied().collect()
}

fn plain(given: &[usize], protect: usize) -> Rule {
    Rule::new(of(given), of(&[protect])).unwrap()
}

/// A score that prefers schemas with many columns together.
fn togetherness(schema: &Schema) -> Result<f64, RulesError> {
    let pairs = schema.tables().iter().map(|table| {
        let (given, protect) = (table.columns() - table.protects(), table.protects());
        (given.len() * given.len() + protect.len()) as f64
    });
    Ok(-pairs.sum::<f64>())
}

#[test]
fn uad_on_the_running_example() {
    let schema = uad(ColumnSet::first(6), &rules(), &[]).unwrap();
    assert!(check(&schema, &rules(), &[]).normal_form());
    // Colours: hospital, gender, race; age, zipcode; icd. Extended as far as possible, the third is
    // icd, hospital, age, gender; zipcode joins it, guarded.
    let expected = [
        SubTable::guarding(set("hospital age gender icd zipcode"), set("zipcode")).unwrap(),
        SubTable::open(set("race")).unwrap(),
    ];
    assert_eq!(schema.tables(), expected);
}

#[test]
fn gd_on_the_running_example() {
    let skeleton = gd_skeleton(ColumnSet::first(6), &rules(), &[]).unwrap();
    assert!(check(&skeleton, &rules(), &[]).normal_form());
    let mut score = togetherness;
    let schema = gd(ColumnSet::first(6), &rules(), &[], &mut score).unwrap();
    assert!(togetherness(&schema).unwrap() <= togetherness(&skeleton).unwrap());
}

#[test]
fn gd_ends_on_rules_that_undo_each_other() {
    // As printed, step 4 would put 0 and 1 together again and again, without end.
    let rules = [plain(&[0], 1), plain(&[1], 0)];
    let skeleton = gd_skeleton(of(&[0, 1, 2]), &rules, &[]).unwrap();
    assert!(check(&skeleton, &rules, &[]).normal_form());
    assert_eq!(skeleton.columns(), of(&[0, 1, 2]));
}

#[test]
fn no_rules_no_decomposition() {
    let all = ColumnSet::first(5);
    let whole = Schema::new(vec![SubTable::open(all).unwrap()]);
    assert_eq!(uad(all, &[], &[]).unwrap(), whole);
    assert_eq!(gd_skeleton(all, &[], &[]).unwrap(), whole);
}

#[test]
fn hopeless_rules_are_refused() {
    let known = [
        Dependency::new(of(&[0]), of(&[2])).unwrap(),
        Dependency::new(of(&[1]), of(&[2])).unwrap(),
    ];
    let all = ColumnSet::first(4);
    let rules = [plain(&[3], 0), plain(&[0], 1)];
    let linked = RulesError::LinkedByDependencies { rule: 1 };
    assert_eq!(uad(all, &rules, &known).unwrap_err(), linked);
    let rules = [plain(&[3], 0), plain(&[0], 2)];
    let determined = RulesError::Determined { rule: 1 };
    assert_eq!(gd_skeleton(all, &rules, &known).unwrap_err(), determined);
}

#[test]
fn a_search_checks_its_starts() {
    let mut score = togetherness;
    let all = ColumnSet::first(6);
    let leaky = search(all, &rules(), &[], vec![table_4()], 100, &mut score);
    assert_eq!(leaky.unwrap_err(), RulesError::NotNormalForm { rule: 1 });
    let lost = Schema::new(vec![SubTable::open(set("age")).unwrap()]);
    let lost = search(all, &rules(), &[], vec![lost], 100, &mut score);
    assert_eq!(lost.unwrap_err(), RulesError::NotPublished { column: 0 });
}

/// The table of Theorem 5.1's reduction: m rows, with all columns equal in each.
fn diagonal(columns: usize, m: u32) -> PeopleTable {
    PeopleTable::of_codes(vec![(0..m).collect(); columns]).unwrap()
}

fn chromatic_number(columns: usize, edges: &[(usize, usize)]) -> usize {
    (1..=columns)
        .find(|&most| {
            (0..most.pow(columns as u32))
                .map(|number| {
                    let colour = move |column: usize| number / most.pow(column as u32) % most;
                    edges.iter().all(|&(a, b)| colour(a) != colour(b))
                })
                .into_iter()
                .any(|proper| proper)
        })
        .unwrap()
}

#[test]
fn theorem_5_1_utility_is_the_number_of_colours() {
    let (columns, m) = (4, 3);
    let pairs: Vec<(usize, usize)> =
        (0..columns).flat_map(|a| (0..a).map(move |b| (b, a))).collect();
    let records = diagonal(columns, m);
    let whole = || -> Result<Groups, RulesError> { Ok(groups(&[&[0, 1, 2]])) };
    for chosen in 0u32..1 << pairs.len() {
        let edges: Vec<(usize, usize)> =
            (0..pairs.len()).filter(|i| chosen >> i & 1 == 1).map(|i| pairs[i]).collect();
        let rules: Vec<Rule> =
            edges.iter().flat_map(|&(a, b)| [plain(&[a], b), plain(&[b], a)]).collect();
        // m-diversity of m rows needs one group, so a guarded column shows nothing.
        let mut score = estimated_divergence(&records, EstimateLimits::default(), |_, _| whole());
        let all = ColumnSet::first(columns);
        let found = search(all, &rules, &[], Vec::new(), 5_000, &mut score).unwrap();
        let colours = found.score / f64::from(m).ln() + 1.0;
        let least = chromatic_number(columns, &edges) as f64;
        assert!((colours - least).abs() < 1e-6, "{edges:?}: {found:?}");
    }
}

/// Rows with associated columns: each column copies an earlier one, or half of it.
fn correlated(columns: usize, rows: u32) -> PeopleTable {
    let code = |column: usize, row: u32| {
        let mixed = row.wrapping_mul(2_654_435_761).rotate_right(7) ^ row;
        match column % 3 {
            0 => mixed >> (column * 2) & 3,
            1 => mixed >> ((column - 1) * 2) & 3,
            _ => (mixed >> ((column - 2) * 2) & 3) / 2 + 2 * (row & 1),
        }
    };
    let column = |column| (0..rows).map(|row| code(column, row)).collect();
    PeopleTable::of_codes((0..columns).map(column).collect()).unwrap()
}

/// Groups of two rows that differ on the protected columns, as many as there are.
fn pairs_of(records: &PeopleTable, protect: ColumnSet) -> Groups {
    let (classes, _) = records.classes(protect);
    let mut order: Vec<u32> = (0..records.rows() as u32).collect();
    order.sort_by_key(|&row| classes[row as usize]);
    let half = order.len() / 2;
    let mut groups = Groups::with_capacity(order.len(), half);
    for i in 0..half {
        groups.push([order[i], order[i + half]]);
    }
    groups
}

#[test]
fn the_search_beats_gd_and_uad() {
    let records = correlated(6, 200);
    let all = records.all();
    let rules = [plain(&[0, 3], 1), plain(&[1, 4], 5), plain(&[2], 3)];
    let mut score = estimated_divergence(&records, EstimateLimits::default(), |_, protect| {
        Ok(pairs_of(&records, protect))
    });
    let by_uad = score(&uad(all, &rules, &[]).unwrap()).unwrap();
    let gd = gd(all, &rules, &[], &mut score).unwrap();
    let by_gd = score(&gd).unwrap();
    let alone = score(&Schema::single_columns(all)).unwrap();
    let found = search(all, &rules, &[], vec![gd], 20_000, &mut score).unwrap();
    assert!(found.score <= by_gd + 1e-9 && found.score <= by_uad + 1e-9);
    assert!(by_gd < alone && by_uad < alone, "{by_gd} {by_uad} {alone}");
}

#[test]
fn the_bound_is_below_the_divergence() {
    let records = correlated(5, 120);
    let rules = [plain(&[0], 1), plain(&[3], 4)];
    let mut score = estimated_divergence(&records, EstimateLimits::default(), |_, protect| {
        Ok(pairs_of(&records, protect))
    });
    let mut bound = entropy_bound(&records, 2);
    let mut seen = 0;
    // The search visits many schemas, with and without cycles.
    let mut both = |schema: &Schema| {
        let (low, high) = (bound(schema)?, score(schema)?);
        assert!(low <= high + 1e-9, "{low} above {high}: {schema:?}");
        seen += 1;
        Ok(high)
    };
    let alone = vec![Schema::single_columns(records.all())];
    search(records.all(), &rules, &[], alone, 2_000, &mut both).unwrap();
    assert!(seen > 20, "only {seen} schemas");
    let exact = Schema::new(vec![
        SubTable::open(of(&[0, 1, 2])).unwrap(),
        SubTable::open(of(&[2, 3, 4])).unwrap(),
    ]);
    let (low, high) = (bound(&exact).unwrap(), score(&exact).unwrap());
    assert!((low - high).abs() < 1e-9, "equal without anonymisation");
}

prop_compose! {
    fn a_rule(columns: usize)(bits in 1u8..255, protect in 0..columns, more in 0..columns, two: bool)
        -> Option<Rule>
    {
        let protect = if two { of(&[protect, more]) } else { of(&[protect]) };
        let given: ColumnSet = (0..columns).filter(|i| bits >> i & 1 == 1).collect();
        Rule::new(given - protect, protect).ok()
    }
}

proptest! {
    #[test]
    fn decompositions_keep_every_rule(
        rules in prop::collection::vec(a_rule(8), 0..10),
        known in prop::collection::vec((0usize..8, 0usize..8), 0..3),
    ) {
        let rules: Vec<Rule> = rules.into_iter().flatten().collect();
        let known: Vec<Dependency> = known
            .into_iter()
            .filter_map(|(a, b)| Dependency::new(of(&[a]), of(&[b])).ok())
            .collect();
        let all = ColumnSet::first(8);
        let refused = |error: &RulesError| {
            matches!(error, RulesError::Determined { .. } | RulesError::LinkedByDependencies { .. })
        };
        let mut score = togetherness;
        let schemas = [
            uad(all, &rules, &known),
            gd_skeleton(all, &rules, &known),
            gd(all, &rules, &known, &mut score),
            search(all, &rules, &known, Vec::new(), 300, &mut score).map(|found| found.schema),
        ];
        let hopeless = schemas[0].is_err();
        for schema in schemas {
            match schema {
                Err(error) => prop_assert!(hopeless && refused(&error), "{error}"),
                Ok(schema) => {
                    prop_assert!(!hopeless);
                    prop_assert_eq!(schema.columns(), all);
                    prop_assert!(check(&schema, &rules, &known).normal_form());
                    for table in schema.tables() {
                        let given = table.columns() - table.protects();
                        prop_assert!(table.enforces().is_none_or(|own| own.given() == given));
                    }
                }
            }
        }
    }

    #[test]
    fn uad_puts_every_column_in_one_table(rules in prop::collection::vec(a_rule(8), 0..10)) {
        let rules: Vec<Rule> = rules.into_iter().flatten().collect();
        let schema = uad(ColumnSet::first(8), &rules, &[]).unwrap();
        let widths = schema.tables().iter().map(|table| table.columns().len());
        prop_assert_eq!(widths.sum::<usize>(), 8);
    }
}
