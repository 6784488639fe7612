//! The order of the rows does not affect any result.

use crate::decompose::*;
use crate::estimate::{Estimate, Sampler};
use crate::estimate::{EstimateLimits, SparseMarginal, divergence, entropy};
use crate::normal_form::Schema;
use crate::{Rule, RulesError};
use openveil_core::table::{ColumnSet, Groups, PeopleTable};
use proptest::prelude::*;

type Row = [u32; 4];

fn table(rows: &[Row]) -> PeopleTable {
    let column = |column: usize| rows.iter().map(|row| row[column]).collect();
    PeopleTable::of_codes((0..4).map(column).collect()).unwrap()
}

fn plain(given: &[usize], protect: usize) -> Rule {
    let given = given.iter().copied().collect();
    Rule::new(given, ColumnSet::one(protect)).unwrap()
}

/// Pairs of rows that are half a table apart in the order of their content.
fn pairs(records: &PeopleTable) -> Groups {
    let mut order: Vec<u32> = (0..records.rows() as u32).collect();
    order.sort_by_key(|&row| records.tuple(row as usize, records.all()));
    let half = order.len() / 2;
    let mut groups = Groups::with_capacity(order.len(), half);
    (0..half).for_each(|i| groups.push([order[i], order[i + half]]));
    groups
}

fn histogram_entropies(records: &PeopleTable) -> Vec<f64> {
    records.all().iter().map(ColumnSet::one).map(|one| entropy(records, one).unwrap()).collect()
}

/// The result of every decomposition of a table: GD and the search, with each score.
fn decomposed(
    records: &PeopleTable,
    rules: &[Rule],
) -> Vec<Result<(Schema, Option<SearchResult>), RulesError>> {
    let all = records.all();
    let entropies = histogram_entropies(records);
    let by = |score: &mut Score| {
        let schema = gd(all, rules, &[], score)?;
        let found = search(all, rules, &[], vec![schema.clone()], 500, score)?;
        Ok((schema, Some(found)))
    };
    let groups = |_, _| Ok(pairs(records));
    vec![
        uad(all, rules, &[]).map(|schema| (schema, None)),
        by(&mut potential(&entropies, 3)),
        by(&mut entropy_bound(records, 2)),
        by(&mut estimated_divergence(records, EstimateLimits::default(), groups)),
    ]
}

fn rows(number: std::ops::Range<usize>) -> impl Strategy<Value = (Vec<Row>, Vec<Row>)> {
    let rows = prop::collection::vec(prop::array::uniform4(0u32..4), number);
    let even = rows.prop_map(|rows| rows[..rows.len() / 2 * 2].to_vec());
    even.prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_decomposition_sees_it((rows, shuffled) in rows(4..16)) {
        let rules = [plain(&[1], 2), plain(&[2], 1), plain(&[0], 3)];
        let (one, other) = (table(&rows), table(&shuffled));
        prop_assert_eq!(decomposed(&one, &rules), decomposed(&other, &rules));
    }
}

proptest! {
    #[test]
    fn no_figure_shows_it((rows, shuffled) in rows(4..200)) {
        let figures = |rows: &[Row]| {
            let records = table(rows);
            let (given, protect) = (ColumnSet::first(3), ColumnSet::one(3));
            let groups = pairs(&records);
            let guarded = SparseMarginal::bucketised(&records, given, protect, &groups).unwrap();
            let open = SparseMarginal::exact(&records, ColumnSet::first(2)).unwrap();
            let estimate = Estimate::new(&[guarded.clone(), open], EstimateLimits::default()).unwrap();
            let mut coins = openveil_core::coins::SecretCoins::from_test_seed(7);
            let drawn = Sampler::new(&estimate).draw(&mut coins);
            let lost = divergence(&records, &estimate).unwrap();
            (guarded, lost.to_bits(), entropy(&records, given).unwrap().to_bits(), drawn)
        };
        prop_assert_eq!(figures(&rows), figures(&shuffled));
    }
}

/// Six rows in two orders that once led to two schemas, because the entropies of `a` and `b` were
/// added up in the order of first rows.
#[test]
fn the_last_bit_turns_no_tie() {
    let codes = |text: &str| -> Vec<Row> {
        let code = |letter: u8| "uvxy".bytes().position(|other| other == letter).unwrap() as u32;
        let row = |row: &str| Row::try_from(row.bytes().map(code).collect::<Vec<u32>>()).unwrap();
        text.split(' ').map(row).collect()
    };
    let one = table(&codes("xyyu vxyx uyuy yuvy xxxx yvxv"));
    let other = table(&codes("vxyx uyuy xxxx xyyu yvxv yuvy"));
    let rules = [plain(&[1], 2), plain(&[2], 1)];
    assert_eq!(histogram_entropies(&one), histogram_entropies(&other));
    assert_eq!(decomposed(&one, &rules), decomposed(&other, &rules));
}
