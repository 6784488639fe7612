use super::*;
use crate::hierarchy::intervals;
use crate::privacy::RatioDiversity;
use crate::release::check::Violation;
use crate::table::{Domain, QuasiIdentifier, Sensitive};

fn table() -> Table {
    let tree = intervals(&[20, 23, 31, 38], &[10]).unwrap();
    let columns = vec![
        QuasiIdentifier::new("age", vec![3, 0, 2, 1], Domain::integers([20, 23, 31, 38])),
        QuasiIdentifier::new("decade", vec![3, 0, 2, 1], Domain::tree(tree)),
        QuasiIdentifier::new("sex", vec![0, 1, 1, 1], Domain::unordered(["f", "m"])),
    ];
    Table::new(
        columns,
        Sensitive::new("ill", vec![0, 1, 1, 0], ["flu", "cold"]),
    )
    .unwrap()
}

fn groups() -> Groups {
    [vec![0, 2], vec![3, 1]].into_iter().collect()
}

#[test]
fn groups_are_sorted_by_content_and_generalized() {
    let (release, membership) = publish(&table(), &groups(), Style::Generalize);
    assert_eq!(release.cells()[0], Cells::Intervals(vec![(0, 1), (2, 3)]));
    assert_eq!(release.cells()[2].members(0), [1]);
    assert_eq!(release.cells()[2].members(1), [0, 1]);
    assert_eq!(release.values(0), [0, 1]);
    assert_eq!(membership.get(0), [3, 1]);
    let Cells::Nodes(nodes) = &release.cells()[1] else {
        panic!("a tree is published as nodes")
    };
    let table = table();
    let tree = table.quasi_identifiers()[1].domain().hierarchy().unwrap();
    assert_eq!(tree.label(nodes[0].1), "[20, 29]");
}

#[test]
fn the_order_of_groups_and_rows_leaves_no_trace() {
    let turned: Groups = [vec![1, 3], vec![2, 0]].into_iter().collect();
    for style in [Style::Generalize, Style::Anatomy] {
        assert_eq!(
            publish(&table(), &groups(), style).0,
            publish(&table(), &turned, style).0
        );
    }
}

#[test]
fn the_check_passes_what_is_right_and_refuses_the_rest() {
    let (table, model) = (table(), RatioDiversity::new(2).unwrap());
    for style in [Style::Generalize, Style::Anatomy] {
        let (release, membership) = publish(&table, &groups(), style);
        assert_eq!(check::release(&release, &table, &membership, model), Ok(()));
        let mut forged = release.clone();
        forged.values.swap(0, 2);
        forged.values.swap(1, 3);
        forged.values[0] = forged.values[1];
        let refused = check::release(&forged, &table, &membership, model);
        assert_eq!(refused, Err(Violation::Values { group: 1 }));
        let strict = RatioDiversity::new(3).unwrap();
        assert_eq!(
            check::release(&release, &table, &membership, strict),
            Err(Violation::Model {
                group: 1,
                count: 1,
                size: 2,
                l: 3
            })
        );
    }
    let (mut release, membership) = publish(&table, &groups(), Style::Generalize);
    release.cells[0] = Cells::Intervals(vec![(0, 1), (1, 3)]);
    assert_eq!(
        check::release(&release, &table, &membership, model),
        Err(Violation::Cell {
            group: 2,
            column: "age".into()
        })
    );
}

#[test]
fn exact_rows_must_be_whole_people() {
    let (table, model) = (table(), RatioDiversity::new(2).unwrap());
    let (mut release, membership) = publish(&table, &groups(), Style::Anatomy);
    if let Cells::Exact(codes) = &mut release.cells[2] {
        codes.swap(2, 3);
    }
    assert!(matches!(
        check::release(&release, &table, &membership, model),
        Err(Violation::Cell { group: 2, .. })
    ));
}
