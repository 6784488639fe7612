use super::*;
use openveil_core::hierarchy::{Hierarchy, intervals};
use openveil_core::release::{Cells, Content, Style, publish};
use openveil_core::table::{Column, Domain, Groups, Secret};
use proptest::prelude::*;

/// A tree column, an integer column and a set column with a number, in up to five groups.
fn scene() -> impl Strategy<Value = (View, Groups)> {
    let row = (prop::array::uniform3(0u32..6), 0u32..4, 0u32..5);
    prop::collection::vec(row, 1..50).prop_map(|rows| {
        let column = |index: usize, domain| {
            let codes = rows.iter().map(|row| row.0[index]).collect();
            Column::new(["tree", "age", "town"][index], codes, domain)
        };
        let tree = Hierarchy::from_paths(intervals(&[0, 1, 2, 3, 4, 5], &[2])).unwrap();
        let columns = vec![
            column(0, Domain::tree(tree)),
            column(1, Domain::integers(0..6)),
            column(2, Domain::unordered(["a", "b", "c", "d", "e", "f"])),
        ];
        let values = rows.iter().map(|row| row.1).collect();
        let secret = Secret::new("ill", values, ["w", "x", "y", "z"]);
        let labels: Vec<u32> = rows.iter().map(|row| row.2).collect();
        let groups: Vec<Vec<u32>> = (0..5)
            .map(|group| {
                (0..)
                    .zip(&labels)
                    .filter(|(_, label)| **label == group)
                    .map(|(row, _): (u32, _)| row)
                    .collect()
            })
            .collect();
        (View::new(columns, secret).unwrap(), groups.into_iter().collect())
    })
}

/// The codes that a row may have; all are equally likely.
fn possible(release: &Content, axis: usize, group: usize, row: usize) -> Vec<u32> {
    let cells = &release.cells()[axis];
    match cells {
        Cells::Exact(codes) => vec![codes[row]],
        _ => {
            let spans = cells.spans(group, release.group_rows(group));
            spans.flat_map(|(low, high)| low..=high).collect()
        }
    }
}

/// Row by row, code by code, value by value.
fn naive(view: &View, release: &Content, axes: &[usize], width: u32) -> Vec<Vec<f64>> {
    let classes = 6u32.div_ceil(width) as usize;
    let mut counts = vec![vec![0.0; view.secret().values()]; classes.pow(axes.len() as u32)];
    for group in 0..release.group_count() {
        let values = release.values(group);
        for row in release.group_rows(group) {
            let mut places = vec![(0, 1.0)];
            for &axis in axes {
                let codes = possible(release, axis, group, row);
                let one = 1.0 / codes.len() as f64;
                let further = places.iter().flat_map(|&(place, share)| {
                    let place = move |&code: &u32| place * classes + (code / width) as usize;
                    codes.iter().map(move |code| (place(code), share * one))
                });
                places = further.collect();
            }
            for &value in values {
                for &(place, share) in &places {
                    counts[place][value as usize] += share / values.len() as f64;
                }
            }
        }
    }
    counts
}

proptest! {
    #[test]
    fn counts_are_those_of_the_definition((view, groups) in scene(), width in 1u32..4) {
        let most = 6usize.div_ceil(width as usize);
        prop_assume!(6u32.div_ceil(most as u32) == width);
        for style in Style::ALL {
            let (release, _) = publish(&view, &groups, style);
            for axes in [&[][..], &[0], &[2], &[0, 1], &[2, 1]] {
                let counted = CountedPeople::Release(&view, &release);
                let found = Contingency::new(counted, axes, most, 64);
                for (found, expected) in found.combinations().zip(naive(&view, &release, axes, width)) {
                    for (found, expected) in found.iter().zip(expected) {
                        prop_assert!((found - expected).abs() < 1e-9);
                    }
                }
            }
        }
        // A table equals a release that discloses everything.
        let alone: Groups = (0..view.rows() as u32).map(|row| [row]).collect();
        let (release, _) = publish(&view, &alone, Style::Anatomy);
        let of = |counted| Contingency::new(counted, &[0, 2], 3, 2);
        prop_assert_eq!(of(CountedPeople::Table(&view)), of(CountedPeople::Release(&view, &release)));
    }

    #[test]
    fn strengths_are_those_of_their_definitions((view, _) in scene()) {
        let table = Contingency::new(CountedPeople::Table(&view), &[1], 64, 64);
        let count = |code: Option<u32>, value: Option<u32>| {
            view.known()[1].codes().iter().zip(view.secret().codes()).filter(|(c, v)| code.is_none_or(|code| code == **c) && value.is_none_or(|value| value == **v)).count() as f64
        };
        let n = count(None, None);
        let (mut chi, mut explained, mut variance) = (0.0, 0.0, 0.0);
        let mean: f64 = (0..4).map(|v| f64::from(v) * count(None, Some(v))).sum::<f64>() / n;
        for code in 0..6 {
            let people = count(Some(code), None);
            let sum: f64 = (0..4).map(|v| f64::from(v) * count(Some(code), Some(v))).sum();
            if people > 0.0 {
                explained += people * (sum / people - mean).powi(2);
            }
            for value in 0..4 {
                let expected = people * count(None, Some(value)) / n;
                if expected > 0.0 {
                    chi += (count(Some(code), Some(value)) - expected).powi(2) / expected;
                }
            }
        }
        (0..4).for_each(|v| variance += count(None, Some(v)) * (f64::from(v) - mean).powi(2));
        let present = |margin: Vec<f64>| margin.into_iter().filter(|&m| m > 0.0).count();
        let degrees = present(table.margin()).min(present(table.value_margin()));
        let v = if degrees > 1 { (chi / n / (degrees - 1) as f64).sqrt() } else { 0.0 };
        prop_assert!((table.cramers_v() - v).abs() < 1e-9);
        let eta = if variance > 0.0 { (explained / variance).sqrt() } else { 0.0 };
        prop_assert!((table.correlation_ratio(&[0.0, 1.0, 2.0, 3.0]) - eta).abs() < 1e-9);
    }
}

/// Two towns that determine the illness, and an age that is independent of it.
fn determined() -> View {
    let codes = |of: fn(u32) -> u32| (0..40).map(of).collect::<Vec<u32>>();
    let columns = vec![
        Column::new("town", codes(|row| row % 2), Domain::unordered(["a", "b"])),
        Column::new("age", codes(|row| row / 2 % 2), Domain::integers([30, 40])),
    ];
    View::new(columns, Secret::new("ill", codes(|row| row % 2), ["flu", "cold"])).unwrap()
}

#[test]
fn links_are_kept_or_lost_with_the_groups() {
    let view = determined();
    let table = CountedPeople::Table(&view);
    let strengths = |links: &[MeasuredLink]| links.iter().map(|l| l.strength).collect::<Vec<_>>();
    assert_eq!(StrengthMeasure::new(&view), StrengthMeasure::CramersV);
    assert_eq!(strengths(&links(table)), [1.0, 0.0]);
    assert_eq!(links_of_pairs(table)[0].columns, ["town", "age"]);
    assert_eq!(strengths(&links_of_pairs(table)), [1.0]);
    assert_eq!(strengths(&links_of_known(CountedPeople::Table(&view))), [0.0]);
    let all = Groups::from_labels(&[0; 40], 1);
    let (release, _) = publish(&view, &all, Style::Generalize);
    let lost = links(CountedPeople::Release(&view, &release));
    assert_eq!(strengths(&lost), [0.0, 0.0]);
    assert_eq!(changes_of_margins(&view, &release), [0.0, 0.0]);
    let towns: Groups = (0..2).map(|town| (0..40).filter(move |row| row % 2 == town)).collect();
    let (release, _) = publish(&view, &towns, Style::Generalize);
    let kept = links(CountedPeople::Release(&view, &release));
    assert_eq!(strengths(&kept), [1.0, 0.0]);
}

#[test]
fn numbers_are_linked_by_the_correlation_ratio() {
    let ages = Column::new("age", vec![0, 0, 1, 1], Domain::integers([30, 40]));
    let wages = Column::new("wage", vec![0, 1, 1, 2], Domain::integers([10, 20, 30]));
    let view = View::new(vec![ages], Secret::from_column(&wages)).unwrap();
    assert_eq!(StrengthMeasure::new(&view), StrengthMeasure::CorrelationRatio);
    // Means 15 and 25, with a variance of 50: half of it is explained.
    let links = links(CountedPeople::Table(&view));
    assert!((links[0].strength - 0.5f64.sqrt()).abs() < 1e-12);
}
