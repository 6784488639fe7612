//! Releases that the check refuses.

use super::*;

/// A part of a release is refused for the same reasons as a whole one.
#[test]
fn a_part_is_checked_as_a_whole_is() {
    let (release, membership) = publish(&table(), &groups(), Style::Generalize);
    let checked = |l: u32, style: Style| {
        let model = RatioDiversity::new(l).unwrap().into();
        check::part(&release, &table(), &membership, &model, style, &table())
    };
    assert_eq!(checked(2, Style::Generalize), Ok(()));
    assert!(matches!(checked(3, Style::Generalize), Err(Violation::Model { .. })));
    assert_eq!(checked(2, Style::Slice), Err(Violation::Shape));
}

/// One group of people without known columns, who have these codes of two values.
fn alike(codes: &[u32]) -> (View, Groups) {
    let known = Column::new("q", vec![0; codes.len()], Domain::integers([1]));
    let secret = Secret::new("s", codes.to_vec(), ["a", "b"]);
    let groups = std::iter::once(0..codes.len() as u32).collect();
    (View::new(vec![known], secret).unwrap(), groups)
}

/// Comparisons of a model with the whole table do not use the part instead.
#[test]
fn a_part_is_held_against_the_whole_table() {
    let (part, groups) = alike(&[0, 1]);
    let (release, membership) = publish(&part, &groups, Style::Generalize);
    let model = Model::from(Requirement::Closeness(TCloseness {
        t: Rational::new(1, 10),
        ground: GroundDistance::Equal,
    }));
    let checked = |whole: &[u32]| {
        let (whole, _) = alike(whole);
        check::part(&release, &part, &membership, &model, Style::Generalize, &whole)
    };
    assert_eq!(checked(&[0, 1, 1, 0, 1, 0]), Ok(()));
    for whole in [&[0, 0, 0, 1], &[1, 1, 0, 1]] {
        assert!(matches!(checked(whole), Err(Violation::Requirement { group: 1, .. })));
    }
}

/// For people with several rows, sets of values are published, and every value of a set counts.
#[test]
fn a_value_in_too_many_sets_is_refused() {
    let checked = |sets: &[&[u32]], l: u32, odds: Option<Rational>, exempt: bool| {
        let mut distinct: Vec<Vec<u32>> = sets.iter().map(|set| set.to_vec()).collect();
        distinct.sort();
        distinct.dedup();
        let code = |set: &&[u32]| distinct.iter().position(|own| own == set).unwrap() as u32;
        let codes: Vec<u32> = sets.iter().map(code).collect();
        let labels = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        let members = Members::new(labels, vec![exempt, false, false, false], distinct.clone());
        let texts = distinct.iter().map(|set| format!("{set:?}"));
        let secret = Column::new("s", codes, Domain::unordered(texts)).with_members(members);
        let known = Column::new("q", vec![0; sets.len()], Domain::integers([1]));
        let table = View::new(vec![known], Secret::from_column(&secret)).unwrap();
        let groups = std::iter::once(0..sets.len() as u32).collect();
        let (release, membership) = publish(&table, &groups, Style::Generalize);
        let informed = odds.map(|odds| Informed::new(odds, About::Few(1)).unwrap());
        let model = Model::from(RatioDiversity::new(l).unwrap()).against(informed);
        check::release(&release, &table, &membership, &model, Style::Generalize)
    };
    let refused = |count, size, l| {
        let group = 1;
        Err(Violation::Model { group, count, size, l })
    };
    assert_eq!(checked(&[&[0], &[1]], 2, None, false), Ok(()));
    assert_eq!(checked(&[&[0], &[1]], 3, None, false), refused(1, 2, 3));
    assert_eq!(checked(&[&[0], &[1], &[2, 3]], 3, None, false), Ok(()));
    // Different sets, with one value in two of the three.
    let overlapping: [&[u32]; 3] = [&[0], &[0, 1], &[2]];
    assert_eq!(checked(&overlapping, 2, None, false), refused(2, 3, 2));
    assert_eq!(checked(&overlapping, 2, None, true), Ok(()));
    // Readers for whom a value may be twice as likely, or one and a half times.
    let (twice, less) = (Some(Rational::from_integer(2)), Some(Rational::new(3, 2)));
    let three: [&[u32]; 3] = [&[0], &[1], &[2]];
    assert_eq!(checked(&three[..2], 2, twice, false), refused(1, 2, 2));
    assert_eq!(checked(&three, 2, twice, false), Ok(()));
    assert_eq!(checked(&three[..2], 2, less, false), refused(1, 2, 2));
    assert_eq!(checked(&three, 2, less, false), Ok(()));
    assert_eq!(checked(&three, 3, less, false), refused(1, 3, 3));
    let four: [&[u32]; 4] = [&[0], &[1], &[2], &[3]];
    assert_eq!(checked(&four, 3, less, false), Ok(()));
    assert_eq!(checked(&four, 3, twice, false), refused(1, 4, 3));
}

/// In content that was read back, all parts have the same length and no group is empty.
#[test]
fn parts_that_do_not_fit_are_refused() {
    let of = |ends: &[u32], cells| Content::from_parts(ends.to_vec(), vec![0, 1, 0, 1], cells);
    let sliced = |rows| Cells::Sliced(vec![0; rows]);
    let intervals = |groups| Cells::Intervals(vec![(0, 1); groups]);
    let sets =
        |ends: &[u32], members| Cells::Sets { ends: ends.to_vec(), members: vec![0; members] };
    let fitting = of(&[2, 4], vec![sliced(4), intervals(2), sets(&[1, 3], 3)]).unwrap();
    let wrong_ends: [&[u32]; 5] = [&[0, 4], &[2, 2, 4], &[4, 2], &[3], &[2, 5]];
    for ends in wrong_ends {
        assert_eq!(of(ends, vec![]), Err(Violation::Shape), "{ends:?}");
    }
    let wrong_cells = [sliced(3), intervals(3), sets(&[1], 1), sets(&[3, 1], 1), sets(&[1, 3], 2)];
    for cells in wrong_cells {
        let found = of(&[2, 4], vec![sliced(4), cells.clone()]);
        assert_eq!(found, Err(Violation::Shape), "{cells:?}");
    }
    // Columns for analysis are sliced.
    assert!(fitting.clone().with_others(vec![sliced(4)]).is_ok());
    for cells in [sliced(3), intervals(2)] {
        let found = fitting.clone().with_others(vec![cells]);
        assert_eq!(found, Err(Violation::Shape));
    }
}

#[test]
fn wrong_values_are_refused() {
    for style in Style::ALL {
        let wrong = refused(style, |release| release.values[0] = release.values[1]);
        assert_eq!(wrong, Violation::Values { group: 1 });
        let unknown = refused(style, |release| release.values[0] = 9);
        assert_eq!(unknown, Violation::Shape);
        let unsorted = refused(style, |release| release.values.swap(0, 1));
        assert_eq!(unsorted, Violation::Order { group: 1 });
    }
}

#[test]
fn a_broken_model_is_refused() {
    for style in Style::ALL {
        let (release, membership) = publish(&table(), &groups(), style);
        let strict = RatioDiversity::new(3).unwrap();
        assert_eq!(
            check::release(&release, &table(), &membership, &strict.into(), style),
            Err(Violation::Model { group: 1, count: 1, size: 2, l: 3 })
        );
    }
}

/// Two rows of two values per group are entropy 2-diverse, and not more.
#[test]
fn other_models_are_checked_by_their_definitions() {
    let (release, membership) = publish(&table(), &groups(), Style::Generalize);
    let checked = |numerator| {
        let l = crate::exact::Rational::new(numerator, 1_000);
        let model = Model::from(Requirement::Entropy(EntropyDiversity { l }));
        check::release(&release, &table(), &membership, &model, Style::Generalize)
    };
    assert_eq!(checked(2_000), Ok(()));
    let requirement = "entropy 2.001-diversity".to_owned();
    let group = 1;
    assert_eq!(checked(2_001), Err(Violation::Requirement { group, requirement }));
}

#[test]
fn values_with_one_text_are_one_value() {
    let columns = vec![Column::new("q", vec![0, 0, 0, 0], Domain::integers([1]))];
    let twins = Secret::new("s", vec![0, 1, 0, 1], ["same", "same"]);
    let table = View::new(columns, twins).unwrap();
    let groups: Groups = [vec![0, 1], vec![2, 3]].into_iter().collect();
    let (release, membership) = publish(&table, &groups, Style::Generalize);
    let model = RatioDiversity::new(2).unwrap();
    assert_eq!(
        check::release(&release, &table, &membership, &model.into(), Style::Generalize),
        Err(Violation::Model { group: 1, count: 2, size: 2, l: 2 })
    );
}

#[test]
fn cells_that_say_too_much_or_too_little_are_refused() {
    let cell = |group, column: &str| Violation::Cell { group, column: column.into() };
    let wide = refused(Style::Generalize, |release| {
        release.cells[0] = Cells::Intervals(vec![(0, 1), (1, 3)]);
    });
    assert_eq!(wide, cell(2, "age"));
    let root = refused(Style::Generalize, |release| {
        if let Cells::Nodes { nodes, .. } = &mut release.cells[1] {
            nodes[0] = ((0, 3), 0);
        }
    });
    assert_eq!(root, cell(1, "decade"));
    let exact = refused(Style::Generalize, |release| {
        release.cells[0] = Cells::Exact(vec![0, 1, 2, 3]);
    });
    assert_eq!(exact, Violation::Shape);
    let short = refused(Style::Generalize, |release| {
        release.cells[0] = Cells::Intervals(vec![(0, 1)]);
    });
    assert_eq!(short, Violation::Shape);
}

/// Each condition on the shape by itself: everything else is correct, so that only this condition
/// can refuse.
#[test]
fn every_condition_of_the_shape_is_asked_for() {
    type Change = fn(&mut Content);
    // For two groups: one end too few, one at the beginning, one twice, one behind the last part.
    let of_ends: [fn(&mut Vec<u32>); 4] = [
        |ends| {
            ends.remove(0);
        },
        |ends| ends[0] = 0,
        |ends| ends[0] = ends[1],
        |ends| ends[1] += 1,
    ];
    for change in of_ends {
        for column in [1, 2] {
            let found = refused(Style::Generalize, |release| match &mut release.cells[column] {
                Cells::Nodes { ends, .. } | Cells::Sets { ends, .. } => change(ends),
                other => panic!("{other:?} has no ends"),
            });
            assert_eq!(found, Violation::Shape, "column {column}");
        }
    }
    // The least code that does not exist, not one far beyond it.
    let cases: [(Style, Change); 12] = [
        (Style::Anatomy, |r| r.cells[0] = Cells::Intervals(vec![(0, 1), (2, 3)])),
        (Style::Slice, |r| r.cells[0] = Cells::Intervals(vec![(0, 1), (2, 3)])),
        (Style::Slice, |r| r.cells[0] = Cells::Exact(vec![0, 1, 2, 3])),
        (Style::Anatomy, |r| r.cells[0] = Cells::Sliced(vec![0, 1, 2, 3])),
        (Style::Generalize, |r| r.cells[0] = Cells::Sliced(vec![0, 1, 2, 3])),
        (Style::Slice, |r| r.cells[0] = Cells::Sliced(vec![0, 1, 2])),
        (Style::Slice, |r| r.cells[0] = Cells::Sliced(vec![0, 1, 2, 4])),
        (Style::Anatomy, |r| r.cells[0] = Cells::Exact(vec![0, 1, 2, 4])),
        (Style::Generalize, |r| r.values[0] = 2),
        (Style::Generalize, |r| {
            r.values.pop();
        }),
        (Style::Generalize, |r| r.ends[0] = 1),
        (Style::Generalize, |r| drop(r.cells.pop())),
    ];
    for (number, (style, change)) in cases.into_iter().enumerate() {
        assert_eq!(refused(style, change), Violation::Shape, "case {number}");
    }
}

#[test]
fn orders_that_could_tell_are_refused() {
    let (table, groups) = (table(), groups());
    let turned: Groups = [groups.get(0).to_vec(), groups.get(1).to_vec()].into_iter().collect();
    let (unsorted, _) = Draft::new(&table, None, Style::Generalize).of_groups(&turned);
    assert_eq!(checked(&unsorted, &turned, Style::Generalize), Err(Violation::Order { group: 2 }));
}

#[test]
fn slices_in_an_order_of_their_own_are_refused() {
    let swapped = refused(Style::Slice, |release| {
        if let Cells::Sliced(codes) = &mut release.cells[2] {
            codes.swap(2, 3);
        }
    });
    assert!(matches!(swapped, Violation::Cell { group: 2, .. }));
    let other = refused(Style::Slice, |release| {
        if let Cells::Sliced(codes) = &mut release.cells[0] {
            codes[1] = 2;
        }
    });
    assert!(matches!(other, Violation::Cell { group: 1, .. }));
}
