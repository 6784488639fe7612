//! Tests of the guarantees of the whole module, and helpers for the tests of its parts.

use super::candidates::*;
use super::colours::Colours;
use super::{RiaColours, gda, rda, rda_file_order, ria};
use openveil_core::coins::{Coins, SecretCoins, shuffle};
use openveil_core::model::RatioDiversity;
use openveil_core::table::{Column, Domain, Groups, Secret, View};
use proptest::prelude::*;

pub(super) fn model(l: u32) -> RatioDiversity {
    RatioDiversity::new(l).unwrap()
}

/// Returns a table of sensitive values, with one quasi-identifier.
pub(super) fn table(values: &[u32], ranks: &[u32]) -> View {
    let domain = ranks.iter().max().map_or(0, |&rank| i64::from(rank) + 1);
    let column = Column::new("q", ranks.to_vec(), Domain::integers(0..domain));
    let labels = (0..=*values.iter().max().unwrap()).map(|value| value.to_string());
    let sensitive = Secret::new("s", values.to_vec(), labels.collect::<Vec<_>>());
    View::new(vec![column], sensitive).unwrap()
}

/// Returns a table whose quasi-identifier is the row number.
pub(super) fn numbered(values: &[u32]) -> View {
    table(values, &(0..values.len() as u32).collect::<Vec<_>>())
}

/// Returns whether every row is in one group, and every group is l-diverse.
pub(super) fn is_safe_partition(values: &[u32], groups: &Groups, l: u32) -> bool {
    let is_diverse = |group: &[u32]| {
        group.iter().all(|&row| {
            let same = |&&other: &&u32| values[other as usize] == values[row as usize];
            group.iter().filter(same).count() * l as usize <= group.len()
        })
    };
    groups.check_partition(values.len()).is_ok() && groups.iter().all(is_diverse)
}

/// Returns every distinct order of a multiset.
pub(super) fn arrangements(multiset: &[u32]) -> Vec<Vec<u32>> {
    if multiset.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (place, &value) in multiset.iter().enumerate() {
        if multiset[..place].contains(&value) {
            continue;
        }
        let mut rest = multiset.to_vec();
        rest.remove(place);
        for mut tail in arrangements(&rest) {
            tail.insert(0, value);
            all.push(tail);
        }
    }
    all
}

/// Returns values (0-based codes) of an eligible table in random order, with l.
pub(super) fn eligible() -> impl Strategy<Value = (Vec<u32>, u32)> {
    let counts = prop::collection::vec(0u32..9, 2..9);
    (counts, 2u32..6, any::<u64>()).prop_filter_map("eligible", |(counts, l, seed)| {
        let rows: u32 = counts.iter().sum();
        if rows < l || counts.iter().any(|&count| count > rows / l) {
            return None;
        }
        let each = (0u32..).zip(counts);
        let mut values: Vec<u32> =
            each.flat_map(|(value, count)| std::iter::repeat_n(value, count as usize)).collect();
        shuffle(&mut values, &mut SecretCoins::from_test_seed(seed));
        Some((values, l))
    })
}

fn groups(lists: &[&[u32]]) -> Groups {
    lists.iter().map(|list| list.iter().copied()).collect()
}

/// Returns the colours {id₁, id₂} and {id₃, id₄} of Example 1.
fn example() -> Colours {
    Colours::of_codes(&[0, 0, 1, 1])
}

#[test]
fn example_1_has_two_colours() {
    let colours = example();
    assert_eq!(colours.iter().collect::<Vec<_>>(), [[0, 1], [2, 3]]);
    assert!(colours.is_eligible(2) && !colours.is_eligible(3));
}

#[test]
fn example_3_both_colours_are_one_2_candidate() {
    let colours = example();
    assert!(are_candidates(&colours, &[0, 1], &[2, 3]));
    assert!(!are_candidates(&colours, &[0], &[1]));
    for (colour, other) in [(0, 1), (1, 0)] {
        let set = colours.get(other).to_vec();
        let found = LCandidate::from_sets(&colours, colour, &[set]).unwrap();
        let mut image = found.images()[0].clone();
        image.sort_unstable();
        assert_eq!(image, colours.get(other));
    }
}

#[test]
fn example_4_bijections_decide_which_partitions_are_self_contained() {
    let colours = example();
    let p1 = groups(&[&[0, 2], &[1, 3]]);
    let p2 = groups(&[&[0, 3], &[1, 2]]);
    let p3 = groups(&[&[0, 1, 2, 3]]);
    // f₁ and f₂, then which of P₁, P₂, P₃ are self-contained, and the minimal one.
    let cases = [
        ([2, 3], [0, 1], [true, false, true], &p1),
        ([3, 2], [1, 0], [false, true, true], &p2),
        ([2, 3], [1, 0], [false, false, true], &p3),
    ];
    for (f1, f2, contained, minimal) in cases {
        let candidate = |colour, f: [u32; 2]| LCandidate::new(&colours, colour, vec![f.to_vec()]);
        let per_colour = vec![candidate(0, f1).unwrap(), candidate(1, f2).unwrap()];
        let all = Candidates::new(&colours, per_colour).unwrap();
        let partitions = [&p1, &p2, &p3];
        assert_eq!(partitions.map(|p| all.is_self_contained(p)), contained);
        assert_eq!(all.minimal_partition().sorted(), minimal.sorted());
        assert!(all.is_family_set(&[minimal.clone(), p3.clone()]));
        assert_eq!(all.is_family_set(&[p1.clone(), p3.clone()]), contained[0]);
    }
}

#[test]
fn images_of_one_row_must_differ_in_colour() {
    let colours = Colours::of_codes(&[0, 0, 1, 1, 2, 2]);
    let shared = LCandidate::new(&colours, 0, vec![vec![2, 4], vec![3, 5]]);
    assert_eq!(shared, Err(NotCandidates::ImagesShareColour { row: 0 }));
    assert!(LCandidate::new(&colours, 0, vec![vec![2, 4], vec![5, 3]]).is_ok());
    let own = LCandidate::new(&colours, 0, vec![vec![1, 2], vec![3, 4]]);
    assert_eq!(own, Err(NotCandidates::Sets { colour: 0 }));
    let found = LCandidate::from_sets(&colours, 0, &[vec![2, 4], vec![3, 5]]);
    assert!(found.is_ok(), "other mappings of the same sets will do");
    assert_eq!(
        Candidates::new(&colours, vec![found.unwrap()]).unwrap_err(),
        NotCandidates::Missing { expected: 3, found: 1 }
    );
}

/// Returns whether some one-to-one mapping changes every colour, by trying all.
fn some_mapping_changes_colours(codes: &[u32], a: &[u32], b: &[u32]) -> bool {
    let Some((&first, rest)) = a.split_first() else {
        return b.is_empty();
    };
    (0..b.len()).any(|place| {
        let mut others = b.to_vec();
        let image = others.remove(place);
        codes[first as usize] != codes[image as usize]
            && some_mapping_changes_colours(codes, rest, &others)
    })
}

/// Returns the candidates that RIA chooses.
fn chosen_by_ria(values: &[u32], l: u32, seed: u64) -> (Colours, Candidates) {
    let ria = RiaColours::new(&numbered(values), model(l));
    let mut coins = SecretCoins::from_test_seed(seed);
    let per_colour = (0..ria.len()).map(|colour| {
        let links = ria.links(colour, &mut coins).unwrap();
        let images = (0..l as usize - 1).map(|w| {
            links.iter().skip(w).step_by(l as usize - 1).map(|&(_, image)| image).collect()
        });
        LCandidate::new(ria.colours(), colour, images.collect()).unwrap()
    });
    let all = Candidates::new(ria.colours(), per_colour.collect()).unwrap();
    (ria.colours().clone(), all)
}

/// Checks Definitions 4 and 5 literally: exchanging a colour for each of its images in every group
/// of every partition gives a group of some partition again, and every group has as many rows of
/// the colour as of each image.
fn is_l_cover(colours: &Colours, all: &Candidates, partitions: &[Groups]) -> bool {
    let sorted = |mut rows: Vec<u32>| {
        rows.sort_unstable();
        rows
    };
    let known: Vec<Vec<u32>> = partitions
        .iter()
        .flat_map(|partition| partition.iter().map(|group| sorted(group.to_vec())))
        .collect();
    all.per_colour().iter().all(|candidate| {
        let rows = colours.get(candidate.colour());
        candidate.images().iter().all(|image| {
            known.iter().all(|group| {
                let exchanged = group.iter().map(|&row| {
                    let forth = rows.iter().position(|&r| r == row).map(|a| image[a]);
                    let back = image.iter().position(|&r| r == row).map(|a| rows[a]);
                    forth.or(back).unwrap_or(row)
                });
                let inside = |set: &[u32]| set.iter().filter(|row| group.contains(row)).count();
                inside(rows) == inside(image) && known.contains(&sorted(exchanged.collect()))
            })
        })
    })
}

proptest! {
    #[test]
    fn lemma_3_and_4_agree_with_definition_1(
        codes in prop::collection::vec(0u32..4, 2..11), picks in prop::collection::vec(0u8..3, 11),
    ) {
        let colours = Colours::of_codes(&codes);
        let picks = &picks;
        let side =
            |wanted| (0..codes.len() as u32).filter(move |&row| picks[row as usize] == wanted);
        let a: Vec<u32> = side(0).collect();
        let b: Vec<u32> = side(1).take(a.len()).collect();
        let a: Vec<u32> = a.into_iter().take(b.len()).collect();
        let expected = some_mapping_changes_colours(&codes, &a, &b);
        prop_assert_eq!(are_candidates(&colours, &a, &b), expected);
        prop_assert_eq!(share_no_majority(&colours, &a, &b), expected, "Lemma 4, both ways");
        prop_assert!(a.is_empty() || !share_no_majority(&colours, &a, &a));
        for colour in 0..colours.len() {
            if fits_colour(&colours, colour, &b) {
                prop_assert!(are_candidates(&colours, colours.get(colour), &b), "Lemma 3");
            }
        }
    }

    #[test]
    fn theorem_2_sets_have_bijections((values, l) in eligible(), seed: u64) {
        let colours = Colours::of_codes(&values);
        let mut coins = SecretCoins::from_test_seed(seed);
        let colour = coins.below(colours.len() as u32) as usize;
        let size = colours.get(colour).len();
        // The other rows are in random order, with no colour more often than allowed.
        let mut others: Vec<u32> = (0..values.len() as u32).collect();
        shuffle(&mut others, &mut coins);
        let mut seen = vec![0; colours.len()];
        others.retain(|&row| {
            let other = colours.colour_of(row) as usize;
            seen[other] += 1;
            other != colour && seen[other] <= size
        });
        prop_assume!(others.len() >= size * (l as usize - 1));
        let sets: Vec<Vec<u32>> =
            others.chunks(size).take(l as usize - 1).map(<[u32]>::to_vec).collect();
        prop_assert!(satisfy_theorem_2(&colours, colour, &sets));
        let found = LCandidate::from_sets(&colours, colour, &sets);
        prop_assert!(found.is_ok());
        for (set, image) in sets.iter().zip(found.unwrap().images()) {
            let (mut set, mut image) = (set.clone(), image.clone());
            set.sort_unstable();
            image.sort_unstable();
            prop_assert_eq!(set, image);
        }
        let mut repeated = sets.clone();
        repeated[0] = colours.get(colour).to_vec();
        prop_assert!(!satisfy_theorem_2(&colours, colour, &repeated));
        prop_assert!(LCandidate::from_sets(&colours, colour, &repeated).is_err());
    }

    #[test]
    fn self_contained_partitions_are_l_covers((values, l) in eligible(), seed: u64) {
        let (colours, all) = chosen_by_ria(&values, l, seed);
        let minimal = all.minimal_partition();
        prop_assert!(is_safe_partition(&values, &minimal, l));
        prop_assert!(all.is_self_contained(&minimal));
        prop_assert!(is_l_cover(&colours, &all, std::slice::from_ref(&minimal)), "Lemma 1");
        // Lemma 2: a proper part of a minimal group is not self-contained, ...
        for group in minimal.iter() {
            prop_assert!(!all.is_self_contained_group(&group[1..]));
        }
        // ... but unions of minimal groups are, so Theorem 1 applies to these:
        let mut coins = SecretCoins::from_test_seed(seed);
        let union_of: Vec<u32> = minimal.iter().map(|_| coins.below(3)).collect();
        let mut lists = vec![Vec::new(); 3];
        for (group, &union) in minimal.iter().zip(&union_of) {
            lists[union as usize].extend_from_slice(group);
        }
        let coarser: Groups = lists.into_iter().collect();
        let family = [minimal, coarser];
        prop_assert!(all.is_family_set(&family));
        prop_assert!(is_safe_partition(&values, &family[1], l));
        prop_assert!(is_l_cover(&colours, &all, &family), "Theorem 1");
    }

    #[test]
    fn every_algorithm_cuts_eligible_tables_into_diverse_groups(
        (values, l) in eligible(), seed: u64, spread in 1u32..20,
    ) {
        let mut coins = SecretCoins::from_test_seed(seed);
        let ranks: Vec<u32> = values.iter().map(|_| coins.below(spread)).collect();
        let table = table(&values, &ranks);
        let all = [
            ria(&table, model(l), &mut coins),
            rda(&table, model(l), &mut coins),
            rda_file_order(&table, model(l)),
            gda(&table, model(l)),
        ];
        for groups in all {
            let groups = groups.unwrap();
            prop_assert!(is_safe_partition(&values, &groups, l), "{:?}", groups);
        }
    }
}

/// Whether a colour has l−1 images in different colours for each row, none of them twice and all in
/// the row's cell: by trying.
fn has_images(
    codes: &[u32],
    cell_of: &[u32],
    open: &[u32],
    used: &mut Vec<usize>,
    images: usize,
) -> bool {
    let Some((&row, rest)) = open.split_first() else {
        return true;
    };
    let row = row as usize;
    let fits: Vec<usize> = (0..codes.len())
        .filter(|&other| codes[other] != codes[row] && cell_of[other] == cell_of[row])
        .filter(|other| !used.contains(other))
        .collect();
    (0u32..1 << fits.len()).filter(|chosen| chosen.count_ones() as usize == images).any(|chosen| {
        let own: Vec<usize> =
            (0..fits.len()).filter(|i| chosen >> i & 1 == 1).map(|i| fits[i]).collect();
        let mut colours: Vec<u32> = own.iter().map(|&other| codes[other]).collect();
        colours.sort_unstable();
        colours.dedup();
        if colours.len() < images {
            return false;
        }
        let before = used.len();
        used.extend(own);
        let found = has_images(codes, cell_of, rest, used, images);
        used.truncate(before);
        found
    })
}

proptest! {
    /// Images inside of cells are found whenever there are some.
    #[test]
    fn candidates_within_cells(
        codes in prop::collection::vec(0u32..4, 2..8),
        cells in prop::collection::vec(0u32..3, 8),
        l in 2u32..4,
    ) {
        let mut values = codes.clone();
        values.sort_unstable();
        values.dedup();
        let codes: Vec<u32> =
            codes.iter().map(|code| values.iter().position(|own| own == code).unwrap() as u32).collect();
        let cell_of = &cells[..codes.len()];
        let colours = Colours::of_codes(&codes);
        let images = l as usize - 1;
        let exist = (0..colours.len())
            .all(|colour| has_images(&codes, cell_of, colours.get(colour), &mut Vec::new(), images));
        let cells = Groups::from_labels(cell_of, 3);
        let found = Candidates::within(&colours, &cells, l);
        prop_assert_eq!(found.is_ok(), exist);
        if let Ok(found) = found {
            prop_assert!(found.is_self_contained(&cells));
        }
    }
}
