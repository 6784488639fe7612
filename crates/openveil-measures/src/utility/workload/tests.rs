use super::*;
use openveil_core::hierarchy::{Hierarchy, intervals};
use openveil_core::release::{Cells, Style, publish};
use openveil_core::table::{Column, Domain, Groups, Secret};
use proptest::prelude::*;

const AGES: [i64; 7] = [20, 23, 31, 38, 44, 47, 52];
const TOWNS: [&str; 5] = ["a", "b", "c", "d", "e"];

/// People with the same domain size on age and decade, towns and a disease.
fn table(people: &[(u32, u32, u32, u32)]) -> View {
    let tree = Hierarchy::from_paths(intervals(&AGES, &[10])).unwrap();
    let column = |of: fn(&(u32, u32, u32, u32)) -> u32| people.iter().map(of).collect();
    let columns = vec![
        Column::new("age", column(|p| p.0), Domain::integers(AGES)),
        Column::new("decade", column(|p| p.1), Domain::tree(tree)),
        Column::new("town", column(|p| p.2), Domain::unordered(TOWNS)),
    ];
    let ills = Secret::new("ill", column(|p| p.3), ["flu", "cold", "cough"]);
    View::new(columns, ills).unwrap()
}

fn people() -> impl Strategy<Value = Vec<(u32, u32, u32, u32)>> {
    prop::collection::vec((0u32..7, 0u32..7, 0u32..5, 0u32..3), 1..40)
}

/// The possible codes of a row, given its group; all are equally likely.
fn possible(release: &Content, axis: usize, group: usize, row: usize) -> Vec<u32> {
    let cells = &release.cells()[axis];
    match cells {
        Cells::Intervals(bounds) => (bounds[group].0..=bounds[group].1).collect(),
        Cells::Nodes { .. } => {
            cells.nodes(group).iter().flat_map(|node| node.0.0..=node.0.1).collect()
        }
        Cells::Sets { .. } => cells.members(group).to_vec(),
        Cells::Exact(codes) => vec![codes[row]],
        Cells::Sliced(codes) => codes[release.group_rows(group)].to_vec(),
    }
}

fn asks_for(query: &Query, axis: usize, code: u32) -> bool {
    query.ranges.iter().filter(|range| range.axis == axis).all(|range| range.codes.contains(&code))
}

/// Visits every cell of every row's box, and every pairing of the group's rows with its sensitive
/// values.
fn estimate_cell_by_cell(query: &Query, release: &Content) -> f64 {
    let mut total = 0.0;
    for group in 0..release.group_count() {
        let size = release.group_rows(group).len() as f64;
        for row in release.group_rows(group) {
            let [ages, decades, towns] = [0, 1, 2].map(|axis| possible(release, axis, group, row));
            let cells = (ages.len() * decades.len() * towns.len()) as f64;
            for (&age, &decade, &town) in ages.iter().flat_map(|age| {
                let towns = &towns;
                decades
                    .iter()
                    .flat_map(move |decade| towns.iter().map(move |town| (age, decade, town)))
            }) {
                let inside = asks_for(query, 0, age)
                    && asks_for(query, 1, decade)
                    && asks_for(query, 2, town);
                for &value in release.values(group) {
                    if inside && query.values.as_ref().is_none_or(|asked| asked.contains(&value)) {
                        total += 1.0 / cells / size;
                    }
                }
            }
        }
    }
    total
}

fn count_row_by_row(query: &Query, table: &View) -> u64 {
    let meets = |&row: &usize| {
        let mut inside =
            table.known().iter().enumerate().map(|(axis, c)| asks_for(query, axis, c.codes()[row]));
        inside.all(|inside| inside)
            && query
                .values
                .as_ref()
                .is_none_or(|asked| asked.contains(&table.secret().codes()[row]))
    };
    (0..table.rows()).filter(meets).count() as u64
}

fn kind(axes: &[usize], with_sensitive: bool) -> QueryKind {
    if with_sensitive { QueryKind::on(axes).with_sensitive() } else { QueryKind::on(axes) }
}

const KINDS: [(&[usize], bool); 5] =
    [(&[0], false), (&[2], true), (&[0, 1, 2], false), (&[2, 0, 1], true), (&[], true)];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn answers_are_those_of_the_definition(
        people in people(), groups in 1usize..6, seed in any::<u64>(),
    ) {
        let table = table(&people);
        let mut lists = vec![Vec::new(); groups];
        (0..table.rows()).for_each(|row| lists[row * 7 % groups].push(row as u32));
        let groups: Groups = lists.into_iter().collect();
        for style in Style::ALL {
            let (release, _) = publish(&table, &groups, style);
            for (axes, with_sensitive) in KINDS {
                let workload = Workload::random(&table, &kind(axes, with_sensitive), 12, seed);
                let estimates = workload.estimates(&Index::new(&release));
                let counts = workload.true_counts(&table);
                for (query, (estimate, count)) in
                    workload.queries().iter().zip(estimates.into_iter().zip(counts))
                {
                    let slow = estimate_cell_by_cell(query, &release);
                    // Shares are multiplied in another order, which changes the last digits.
                    prop_assert!((estimate - slow).abs() < 1e-6, "{estimate} is not {slow}");
                    prop_assert_eq!(count, count_row_by_row(query, &table));
                }
            }
        }
    }

    #[test]
    fn a_group_per_person_answers_exactly(people in people(), seed in any::<u64>()) {
        let table = table(&people);
        let alone: Groups = (0..table.rows() as u32).map(|row| [row]).collect();
        let together = Groups::from_labels(&vec![0; table.rows()], 1);
        for (axes, with_sensitive) in [(&[0, 2][..], true), (&[1, 2][..], false)] {
            let workload = Workload::random(&table, &kind(axes, with_sensitive), 50, seed);
            // A tree's leaf is a single value too.
            let (release, _) = publish(&table, &alone, Style::Generalize);
            prop_assert_eq!(workload.mean_error(&table, &release), 0.0);
            let (release, _) = publish(&table, &together, Style::Anatomy);
            if !with_sensitive {
                prop_assert_eq!(workload.mean_error(&table, &release), 0.0);
            }
        }
    }
}

#[test]
fn the_error_is_relative_to_the_truth_or_to_its_floor() {
    // One box over two ages: each is estimated to have half of the 400 people.
    let people: Vec<_> = (0..400).map(|person| (u32::from(person < 1), 0, 0, 0)).collect();
    let table = table(&people);
    let groups = Groups::from_labels(&[0; 400], 1);
    let (release, _) = publish(&table, &groups, Style::Generalize);
    let only = |code| {
        let ranges = vec![AxisRange { axis: 0, codes: code..=code }];
        Workload::new(vec![Query { ranges, values: None }])
    };
    assert_eq!(only(0).mean_error(&table, &release), 199.0 / 399.0);
    // One person is below the floor of 0.5 %, which is two people.
    assert_eq!(only(1).mean_error(&table, &release), 199.0 / 2.0);
    assert_eq!(only(2).mean_error(&table, &release), 0.0);
    assert_eq!(Workload::new(vec![]).mean_error(&table, &release), 0.0);
}

#[test]
fn blocks_of_rows_are_added_up() {
    let people: Vec<_> = (0..9_000).map(|person| (person % 7, 0, person % 5, person % 3)).collect();
    let table = table(&people);
    let workload = Workload::random(&table, &kind(&[0, 2], true), 20, 5);
    let slow = workload.queries().iter().map(|query| count_row_by_row(query, &table));
    assert_eq!(workload.true_counts(&table), slow.collect::<Vec<_>>());
}

#[test]
fn ranges_cover_a_tenth_to_a_half_everywhere() {
    let mut generator = StdRng::seed_from_u64(3);
    for (size, lengths) in [(1, 1..=1), (2, 1..=1), (3, 1..=1), (17, 2..=8), (79, 8..=39)] {
        let mut seen = vec![false; size as usize];
        let (mut shortest, mut longest) = (u32::MAX, 0);
        for _ in 0..4_000 {
            let range = kind::range_of(size, None, &mut generator);
            let length = range.end() - range.start() + 1;
            (shortest, longest) = (shortest.min(length), longest.max(length));
            range.for_each(|code| seen[code as usize] = true);
        }
        assert_eq!(shortest..=longest, lengths);
        assert!(seen.into_iter().all(|seen| seen));
    }
}

#[test]
fn a_seed_repeats_the_queries() {
    let table = table(&[(0, 0, 0, 0), (1, 1, 1, 1)]);
    let draw = |seed| Workload::random(&table, &kind(&[0, 2], true), 10, seed);
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
    assert!(draw(1).queries().iter().all(|query| query.ranges.len() == 2));
    assert!(draw(1).queries().iter().any(|query| query.values == Some(2..=2)));
}

#[test]
fn kinds_say_how_many_columns_and_how_much_is_selected() {
    let table = table(&[(0, 0, 0, 0), (1, 1, 1, 1)]);
    let draw = |kind: QueryKind| Workload::random(&table, &kind, 200, 7).queries().to_vec();
    let pairs = draw(QueryKind::of_dimension(2));
    let seen: std::collections::BTreeSet<Vec<usize>> = pairs
        .iter()
        .map(|query| {
            let mut axes: Vec<usize> = query.ranges.iter().map(|range| range.axis).collect();
            axes.sort_unstable();
            axes
        })
        .collect();
    assert_eq!(seen, [vec![0, 1], vec![0, 2], vec![1, 2]].into());
    assert!(draw(QueryKind::of_dimension(9)).iter().all(|query| query.ranges.len() == 3));
    // A fifth of seven times seven: each range spans the square root of a fifth, 3 of 7 codes.
    for query in draw(QueryKind::on([0, 1]).selecting(0.2)) {
        assert!(query.ranges.iter().all(|range| range.codes.clone().count() == 3));
    }
}

/// Many groups, so that there are many blocks. Ranges cut some blocks, contain some, and miss
/// others.
#[test]
fn blocks_of_groups_are_added_up() {
    let people: Vec<_> = (0..900u32)
        .map(|person| (person * 7 / 31 % 7, person / 150 % 7, person * person % 5, person % 3))
        .collect();
    let table = table(&people);
    let groups: Groups = (0..300u32).map(|group| 3 * group..3 * group + 3).collect();
    for style in Style::ALL {
        let (release, _) = publish(&table, &groups, style);
        let index = Index::new(&release);
        for (axes, with_sensitive) in KINDS {
            let workload = Workload::random(&table, &kind(axes, with_sensitive), 4, 2);
            for query in workload.queries() {
                let (fast, slow) = (index.count(query), estimate_cell_by_cell(query, &release));
                assert!((fast - slow).abs() < 1e-8, "{fast} is not {slow}");
            }
        }
    }
}

#[test]
fn errors_are_those_of_both_papers() {
    let errors = Errors::new(&[10, 0, 1], &[12.0, 3.0, 0.5], 400);
    assert_eq!(errors.floored, (0.2 + 1.5 + 0.25) / 3.0);
    assert_eq!(errors.relative, Some((0.2 + 0.5) / 2.0));
    assert_eq!(Errors::new(&[0], &[1.0], 400).relative, None);
    assert_eq!(Errors::new(&[], &[], 400), Errors { floored: 0.0, relative: None });
}
