use super::*;
use crate::algorithm::baseline::testing::{hold, is_sound, models, tables};
use openveil_core::model::{DistinctDiversity, KAnonymity, Model, Requirement};
use openveil_core::table::{Domain, Secret};
use proptest::prelude::*;

fn groups(ages: &[u32], k: u32, cut: MedianRows) -> Groups {
    let domain = Domain::integers(0..100);
    let age = Column::new("age", ages.to_vec(), domain);
    let value = Secret::new("value", vec![0; ages.len()], ["any"]);
    let table = View::new(vec![age], value).unwrap();
    let criteria = Model::from(Requirement::KAnonymity(KAnonymity { k })).bind(&table).unwrap();
    mondrian(&table, &criteria, cut).unwrap().sorted()
}

/// More than half of the rows share one value: strict cuts cannot divide it, relaxed cuts can. A
/// median that is the greatest value allows no strict cut at all.
#[test]
fn rows_with_the_median_value_go_where_the_cut_says() {
    let lists = |groups: &[&[u32]]| -> Groups { groups.iter().map(|g| g.to_vec()).collect() };
    let ages = [30, 40, 40, 40, 40, 50];
    let all = lists(&[&[0, 1, 2, 3, 4, 5]]);
    assert_eq!(groups(&ages, 2, MedianRows::Strict), all);
    let strict = lists(&[&[0, 1, 2, 3, 4], &[5]]);
    assert_eq!(groups(&ages, 1, MedianRows::Strict), strict);
    let relaxed = lists(&[&[0, 1, 2], &[3, 4, 5]]);
    assert_eq!(groups(&ages, 2, MedianRows::Relaxed), relaxed);
}

/// The widest column is cut first; if it cannot be cut, the next.
#[test]
fn columns_are_tried_in_order_of_width() {
    let column = |codes: [u32; 4], values: i64| {
        Column::new("q", codes.to_vec(), Domain::integers(0..values))
    };
    let cut = |columns: Vec<Column>, values: [u32; 4]| {
        let value = Secret::new("value", values.to_vec(), ["1", "2"]);
        let table = View::new(columns, value).unwrap();
        let model = Model::from(Requirement::Distinct(DistinctDiversity { l: 2 }));
        let criteria = model.bind(&table).unwrap();
        mondrian(&table, &criteria, MedianRows::Strict).unwrap().sorted()
    };
    let (narrow, wide) = ([0, 1, 0, 1], [0, 0, 9, 9]);
    let lists = |a: [u32; 2], b: [u32; 2]| -> Groups { [a, b].into_iter().collect() };
    let both = || vec![column(narrow, 10), column(wide, 10)];
    assert_eq!(cut(both(), [0, 1, 0, 1]), lists([0, 1], [2, 3]));
    assert_eq!(cut(both(), [0, 0, 1, 1]), lists([0, 2], [1, 3]));
    // Weights multiply widths.
    let heavy = vec![column(narrow, 10).with_weight(10), column(wide, 10)];
    assert_eq!(cut(heavy, [0, 1, 1, 0]), lists([0, 2], [1, 3]));
}

/// Cuts as the text describes it, on sorted lists of rows.
fn naive(
    table: &View,
    criteria: &Criteria,
    cut: MedianRows,
    rows: &[u32],
    found: &mut Vec<Vec<u32>>,
) {
    let mut columns: Vec<(f64, &Column)> = Vec::new();
    for column in table.known() {
        let codes = || rows.iter().map(|&row| column.codes()[row as usize]);
        let width = codes().max().unwrap() - codes().min().unwrap();
        columns.push((f64::from(width) / (column.domain().len() - 1) as f64, column));
    }
    columns.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, column) in columns.into_iter().filter(|(width, _)| *width > 0.0) {
        let code = |row: u32| column.codes()[row as usize];
        let mut sorted = rows.to_vec();
        sorted.sort_by_key(|&row| (code(row), row));
        let mut middle = rows.len().div_ceil(2);
        if cut == MedianRows::Strict {
            while middle < rows.len() && code(sorted[middle]) == code(sorted[middle - 1]) {
                middle += 1;
            }
        }
        let (lower, upper) = sorted.split_at(middle);
        if hold(table, criteria, lower) && hold(table, criteria, upper) {
            naive(table, criteria, cut, lower, found);
            naive(table, criteria, cut, upper, found);
            return;
        }
    }
    found.push(rows.to_vec());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn flat_arrays_do_what_sorted_lists_do(
        table in tables(), model in models(), relaxed: bool,
    ) {
        let cut = if relaxed { MedianRows::Relaxed } else { MedianRows::Strict };
        let criteria = model.bind(&table).unwrap();
        let Ok(groups) = mondrian(&table, &criteria, cut) else {
            prop_assert!(check_whole(&table, &criteria).is_err());
            return Ok(());
        };
        prop_assert!(is_sound(&table, &criteria, &groups));
        let rows: Vec<u32> = (0..table.rows() as u32).collect();
        let mut expected = Vec::new();
        naive(&table, &criteria, cut, &rows, &mut expected);
        let expected: Groups = expected.into_iter().collect();
        prop_assert_eq!(groups.sorted(), expected.sorted());
    }

    #[test]
    fn strict_boxes_do_not_overlap(table in tables(), model in models()) {
        let criteria = model.bind(&table).unwrap();
        let Ok(groups) = mondrian(&table, &criteria, MedianRows::Strict) else { return Ok(()) };
        for a in 0..groups.len() {
            for b in 0..a {
                let apart = table.known().iter().any(|column| {
                    let codes = |group: usize| {
                        groups.get(group).iter().map(|&row| column.codes()[row as usize])
                    };
                    codes(a).max() < codes(b).min() || codes(b).max() < codes(a).min()
                });
                prop_assert!(apart, "{groups:?}");
            }
        }
    }
}
