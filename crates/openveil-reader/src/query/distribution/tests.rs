use super::*;
use openveil_io::release_dir::write::manifest::ColumnEntry;

fn parts(value_type: Option<&str>, order: &[&str], cells: &[(&str, f64)]) -> Vec<(String, f64)> {
    let column = ColumnEntry {
        value_type: value_type.map(str::to_owned),
        order: order.iter().map(|text| (*text).to_owned()).collect(),
        ..ColumnEntry::default()
    };
    let texts: Vec<String> = cells.iter().map(|cell| cell.0.to_owned()).collect();
    let scale = Scale::new(&column, &texts);
    let cells = || cells.iter().copied();
    let parts = match scale.kind {
        TextComparison::Text | TextComparison::Order(_) | TextComparison::Bins(_) => {
            values(&scale, &cells, !order.is_empty())
        }
        _ => ranges(&scale, &cells),
    };
    let rows = parts.count(&scale, &cells);
    let rows = rows.into_iter().map(|(rows, _)| rows);
    parts.names(&scale).into_iter().zip(rows).collect()
}

fn named(expected: &[(&str, f64)]) -> Vec<(String, f64)> {
    expected.iter().map(|(name, rows)| ((*name).to_owned(), *rows)).collect()
}

#[test]
fn sets_are_spread_over_their_members() {
    let found = parts(None, &[], &[("{a|b}", 4.0), ("b", 1.0)]);
    assert_eq!(found, named(&[("b", 3.0), ("a", 2.0)]));
    let order = ["low", "middle", "high"];
    let found = parts(None, &order, &[("[middle, high]", 4.0), ("low", 1.0)]);
    assert_eq!(found, named(&[("low", 1.0), ("middle", 2.0), ("high", 2.0)]));
    let names: Vec<String> = (10..40).map(|name| name.to_string() + "x").collect();
    let cells: Vec<(&str, f64)> = names.iter().map(|name| (name.as_str(), 1.0)).collect();
    let found = parts(None, &[], &cells);
    assert_eq!(found.len(), MOST_VALUES + 1);
    assert_eq!(found[MOST_VALUES], ("all others".to_owned(), 18.0));
}

#[test]
fn intervals_are_spread_over_ranges() {
    let cells = [("[0, 9]", 10.0), ("[5, 14]", 10.0), ("(missing)", 3.0), ("20", 1.0)];
    let found = parts(Some("integer"), &[], &cells);
    let all: f64 = found.iter().map(|part| part.1).sum();
    assert!((all - 24.0).abs() < 1e-9, "{found:?}");
    assert_eq!(found[0].0, "below 6");
    assert!((found[0].1 - 7.0).abs() < 1e-9, "{found:?}");
    assert_eq!(found.last().unwrap(), &("(missing)".to_owned(), 3.0));
    let found = parts(Some("integer"), &[], &[("[(missing), 4]", 8.0), ("[2, 4]", 2.0)]);
    assert_eq!(found.last().unwrap(), &("(missing)".to_owned(), 2.0));
    assert_eq!(found.iter().map(|part| part.1).sum::<f64>(), 10.0);
    let days = [("[2020-01-01, 2020-01-04]", 4.0), ("2020-01-10", 1.0)];
    let found = parts(Some("date"), &[], &days);
    assert!((found.iter().map(|part| part.1).sum::<f64>() - 5.0).abs() < 1e-9);
    let one = parts(Some("integer"), &[], &[("7", 2.0)]);
    assert_eq!(one.iter().map(|part| part.1).sum::<f64>(), 2.0);
}
