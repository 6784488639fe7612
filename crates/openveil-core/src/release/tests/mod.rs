mod violations;

use super::*;
use crate::exact::Rational;
use crate::hierarchy::{Hierarchy, intervals};
use crate::model::{About, EntropyDiversity, GroundDistance, Informed, Model, RatioDiversity};
use crate::model::{Requirement, TCloseness};
use crate::release::check::Violation;
use crate::table::{Column, Domain, Members, Secret};

fn table() -> View {
    let tree = Hierarchy::from_paths(intervals(&[20, 23, 31, 38], &[10])).unwrap();
    let columns = vec![
        Column::new("age", vec![3, 0, 2, 1], Domain::integers([20, 23, 31, 38])),
        Column::new("decade", vec![3, 0, 2, 1], Domain::tree(tree)),
        Column::new("sex", vec![0, 1, 1, 1], Domain::unordered(["f", "m"])),
    ];
    View::new(columns, Secret::new("ill", vec![0, 1, 1, 0], ["flu", "cold"])).unwrap()
}

fn groups() -> Groups {
    [vec![0, 2], vec![3, 1]].into_iter().collect()
}

/// The labels of a group's nodes.
fn labels<'a>(column: &'a Column, cells: &Cells, group: usize) -> Vec<&'a str> {
    let tree = column.domain().hierarchy().unwrap();
    cells.nodes(group).iter().map(|&(_, node)| tree.label(node)).collect()
}

fn checked(release: &Content, membership: &Groups, style: Style) -> Result<(), Violation> {
    check::release(release, &table(), membership, &RatioDiversity::new(2).unwrap().into(), style)
}

/// A release that was tampered with must be refused.
fn refused(style: Style, tamper: impl FnOnce(&mut Content)) -> Violation {
    let (mut release, membership) = publish(&table(), &groups(), style);
    assert_eq!(checked(&release, &membership, style), Ok(()));
    tamper(&mut release);
    checked(&release, &membership, style).unwrap_err()
}

#[test]
fn groups_are_sorted_by_content_and_generalized() {
    let (release, membership) = publish(&table(), &groups(), Style::Generalize);
    assert_eq!(release.cells()[0], Cells::Intervals(vec![(0, 1), (2, 3)]));
    assert_eq!(release.cells()[2].members(0), [1]);
    assert_eq!(release.cells()[2].members(1), [0, 1]);
    assert_eq!(release.values(0), [0, 1]);
    assert_eq!(membership.get(0), [3, 1]);
    assert_eq!(labels(&table().known()[1], &release.cells()[1], 0), ["[20, 29]"]);
}

#[test]
fn the_order_of_groups_and_rows_leaves_no_trace() {
    let turned: Groups = [vec![1, 3], vec![2, 0]].into_iter().collect();
    for style in Style::ALL {
        assert_eq!(publish(&table(), &groups(), style).0, publish(&table(), &turned, style).0);
    }
}

#[test]
fn exact_rows_are_whole_people_in_the_order_of_their_content() {
    let mixed = refused(Style::Anatomy, |release| {
        if let Cells::Exact(codes) = &mut release.cells[2] {
            codes.swap(2, 3);
        }
    });
    assert!(matches!(mixed, Violation::Cell { group: 2, .. }));
    let swapped = refused(Style::Anatomy, |release| {
        for cells in &mut release.cells {
            if let Cells::Exact(codes) = cells {
                codes.swap(0, 1);
            }
        }
    });
    assert!(matches!(swapped, Violation::Cell { group: 1, .. }));
}

fn jobs() -> Hierarchy {
    let paths = [
        "nurse,health,public",
        "doctor,health,public",
        "judge,law,public",
        "smith,craft",
        "mason,craft",
        "craft",
    ];
    let path = |path: &str| path.split(',').map(str::to_owned).collect();
    Hierarchy::from_paths(paths.map(path) as [Vec<String>; 6]).unwrap()
}

/// One group of people with these jobs.
fn one_group(of: &[&str], form: Option<Form>) -> (View, Content, Groups) {
    let domain = Domain::tree(jobs());
    let position = |job: &&str| domain.labels().position(|label| label == *job).unwrap() as u32;
    let codes: Vec<u32> = of.iter().map(position).collect();
    let column = Column::new("job", codes, domain);
    let column = match form {
        Some(form) => column.with_form(form),
        None => column,
    };
    let values = (0..of.len() as u32).collect();
    let ills = (0..of.len()).map(|value| value.to_string());
    let table = View::new(vec![column], Secret::new("ill", values, ills)).unwrap();
    let groups: Groups = std::iter::once(0..of.len() as u32).collect();
    let (release, groups) = publish(&table, &groups, Style::Generalize);
    (table, release, groups)
}

#[test]
fn a_group_that_straddles_branches_shows_the_part_of_each() {
    let model = RatioDiversity::new(2).unwrap();
    for (of, expected, single) in [
        (&["nurse", "doctor"][..], &["health"][..], "health"),
        (&["nurse", "judge"], &["nurse", "judge"], "public"),
        (&["nurse", "doctor", "judge"], &["public"], "public"),
        (&["doctor", "mason"], &["doctor", "mason"], "*"),
        (&["nurse", "judge", "smith"], &["public", "smith"], "*"),
        // Only its own node covers a value that stands above others.
        (&["craft", "mason"], &["craft"], "craft"),
        (&["nurse", "craft"], &["nurse", "craft"], "*"),
        // One value is shown as itself.
        (&["nurse", "nurse"], &["nurse"], "nurse"),
        (&["craft", "craft"], &["craft"], "craft"),
    ] {
        for (form, expected) in [(None, expected), (Some(Form::Label), &[single][..])] {
            let (table, release, groups) = one_group(of, form);
            assert_eq!(labels(&table.known()[0], &release.cells()[0], 0), expected);
            let model = &model.into();
            let checked =
                |release| check::release(release, &table, &groups, model, Style::Generalize);
            assert_eq!(checked(&release), Ok(()), "{of:?}");
            let other = if form.is_some() { None } else { Some(Form::Label) };
            let (_, wrong, _) = one_group(of, other);
            assert_eq!(checked(&wrong).is_err(), wrong != release, "{of:?}");
        }
    }
}

fn with_forms(forms: [Option<Form>; 3]) -> View {
    let table = table();
    let columns = table.known().iter().cloned().zip(forms).map(|(column, form)| match form {
        Some(form) => column.with_form(form),
        None => column,
    });
    table.clone().with_known(columns.collect()).unwrap()
}

/// Every column is published in its own form, or else in the form of the style.
#[test]
fn a_column_may_differ_from_the_style() {
    let model = Model::from(RatioDiversity::new(2).unwrap());
    let is_range = |cells: &Cells| cells.is_shared();
    for style in Style::ALL {
        let own = style == Style::Generalize;
        let table = with_forms([Some(Form::Values), Some(Form::Range), None]);
        let (release, membership) = publish(&table, &groups(), style);
        let ranges: Vec<bool> = release.cells().iter().map(is_range).collect();
        assert_eq!(ranges, [false, true, own]);
        let exact = matches!(release.cells()[0], Cells::Exact(_));
        assert_eq!(exact, style == Style::Anatomy);
        let checked = |table: &View| check::release(&release, table, &membership, &model, style);
        assert_eq!(checked(&table), Ok(()));
        let left = [None, Some(Form::Range), None];
        let otherwise = if own { left } else { [Some(Form::Range); 3] };
        assert_eq!(checked(&with_forms(otherwise)), Err(Violation::Shape));
    }
}

/// Columns for analysis are sliced in every style, and checked like the others.
#[test]
fn other_columns_are_sliced_whatever_the_style() {
    let weights = Column::new("weight", vec![2, 0, 1, 1], Domain::integers([7, 8, 9]));
    let table = table().with_other(vec![weights]).unwrap();
    let model = Model::from(RatioDiversity::new(2).unwrap());
    for style in Style::ALL {
        let (mut release, membership) = publish(&table, &groups(), style);
        let turned: Groups = [vec![1, 3], vec![2, 0]].into_iter().collect();
        assert_eq!(publish(&table, &turned, style).0, release);
        assert_eq!(release.others(), [Cells::Sliced(vec![0, 1, 1, 2])]);
        let checked =
            |release: &Content| check::release(release, &table, &membership, &model, style);
        assert_eq!(checked(&release), Ok(()));
        release.others[0] = Cells::Sliced(vec![0, 1, 2, 1]);
        let column = "weight".to_owned();
        assert_eq!(checked(&release), Err(Violation::Cell { group: 2, column }));
        release.others.clear();
        assert_eq!(checked(&release), Err(Violation::Shape));
    }
}
