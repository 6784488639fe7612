use super::*;
use crate::load::{MissingCount, Omitted};
use openveil_core::algorithm::Inside;
use openveil_core::exact::Rational;
use openveil_core::model::{About, Informed, Model, RatioDiversity};
use openveil_core::release::Style;

fn missing(column: &str, sensitive: bool) -> MissingCount {
    MissingCount { column: column.to_owned(), sensitive, rows: 1 }
}

#[test]
fn each_reason_for_rows_left_out_is_said_where_it_holds() {
    let of = |beyond_rows, sampled, rows, missing: Vec<MissingCount>| {
        OmittedEntry::new(&Omitted { beyond_rows, sampled, rows, missing, ..Omitted::default() })
    };
    let known = || missing("age", false);
    let secret = || missing("ill", true);
    for (beyond, sampled, rows, columns, expected) in [
        (0, 0, 0, vec![], vec![]),
        // The table also has rows without a value.
        (0, 0, 0, vec![known(), secret()], vec![]),
        (2, 0, 0, vec![], vec!["2 rows belong to people"]),
        (0, 3, 0, vec![], vec!["3 rows are a sample"]),
        (0, 0, 4, vec![known()], vec!["a value of age was missing"]),
        (0, 0, 5, vec![secret()], vec!["the sensitive value (ill) was"]),
        (
            1,
            2,
            4,
            vec![known(), secret(), missing("sex", false)],
            vec![
                "1 rows belong to people",
                "2 rows are a sample",
                "a value of age or sex was missing",
                "the sensitive value (ill) was",
            ],
        ),
    ] {
        let found = of(beyond, sampled, rows, columns);
        assert_eq!(found.rows, beyond + sampled + rows);
        assert_eq!(found.reasons.len(), expected.len(), "{:?}", found.reasons);
        for (reason, expected) in found.reasons.iter().zip(expected) {
            assert!(reason.starts_with(expected), "{reason}");
        }
    }
}

#[test]
fn a_reader_is_named_who_knows_more_or_for_whom_coins_form_groups() {
    let model = Model::from(RatioDiversity::new(2).unwrap());
    let few = Informed::new(Rational::from_integer(2), About::Few(1)).unwrap();
    let of = |informed: Option<Informed>, inside| {
        let found = ReaderEntry::new(&model.clone().against(informed), inside);
        found.map(|reader| (reader.odds.is_some(), reader.inside))
    };
    assert_eq!(of(None, Inside::Arranged), None);
    let random = || "random".to_owned();
    assert_eq!(of(None, Inside::Random), Some((false, random())));
    assert_eq!(of(Some(few), Inside::Random), Some((true, random())));
    let arranged = Some((true, "arranged".to_owned()));
    assert_eq!(of(Some(few), Inside::Arranged), arranged);
}

#[test]
fn kinds_of_cells_have_their_names_in_files() {
    for kind in [
        CellKind::Interval,
        CellKind::Bounds,
        CellKind::Set,
        CellKind::Label,
        CellKind::Labels,
        CellKind::Value,
        CellKind::Sliced,
        CellKind::Counted,
    ] {
        let written = serde_json::to_value(kind).unwrap();
        assert_eq!(written, kind.name());
    }
}

#[test]
fn columns_that_do_not_say_what_their_cells_are_have_those_of_the_style() {
    let column =
        |role: &str, cells| ColumnEntry { role: role.to_owned(), cells, ..ColumnEntry::default() };
    let (known, secret) = (column("quasi-identifier", None), column("sensitive", None));
    for (style, of_known, of_secret) in [
        (Style::Generalize, CellKind::Interval, CellKind::Sliced),
        (Style::Slice, CellKind::Sliced, CellKind::Sliced),
        (Style::Anatomy, CellKind::Value, CellKind::Value),
    ] {
        assert_eq!(known.cell_kind(style), of_known);
        assert_eq!(secret.cell_kind(style), of_secret);
        let said = column("sensitive", Some(CellKind::Counted));
        assert_eq!(said.cell_kind(style), CellKind::Counted);
    }
}

#[test]
fn a_comma_goes_without_saying() {
    assert!(is_comma(&comma()) && !is_comma(&';'));
}
