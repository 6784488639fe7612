//! Decompositions for any model.

mod layouts;

use super::in_turn::most_in_turn;
use super::*;
use openveil_core::exact::Rational;
use openveil_core::model::{
    BetaLikeness, CountBuffer, Criteria, DeltaDisclosure, DistinctDiversity, EntropyDiversity,
    GroundDistance, LAlphaDiversity, Model, Over, RecursiveDiversity, Requirement, TCloseness,
};
use openveil_core::model::{CategoryWeights, Ineligible, RatioDiversity, Variant};
use openveil_core::table::Members;
use openveil_core::table::{Histogram, Secret, View};
use proptest::prelude::*;

/// A model for a table with these counts.
fn criteria(model: &Model, counts: &[u32]) -> (Criteria, View) {
    let codes = (0u32..).zip(counts).flat_map(|(value, &count)| vec![value; count as usize]);
    let labels = (0..counts.len()).map(|value| value.to_string());
    let table = View::new(vec![], Secret::new("s", codes.collect(), labels)).unwrap();
    (model.bind(&table).unwrap(), table)
}

/// (l, α)-diversity over four categories of two values each.
fn l_alpha(variant: Variant, l: u32) -> Requirement {
    let label = |value: u32| value.to_string();
    Requirement::LAlpha(LAlphaDiversity {
        variant,
        l,
        alpha: Rational::new(2, 1),
        weights: CategoryWeights::Uniform,
        categories: (0..4).map(|first| vec![label(first), label(first + 4)]).collect(),
        over: Over::Categories,
    })
}

fn models() -> Vec<Model> {
    let share = Rational::new;
    let closeness = |ground| Requirement::Closeness(TCloseness { t: share(1, 5), ground });
    let all = [
        Requirement::Distinct(DistinctDiversity { l: 3 }),
        Requirement::Entropy(EntropyDiversity { l: share(3, 1) }),
        Requirement::Recursive(RecursiveDiversity { c: share(2, 1), l: 3 }),
        closeness(GroundDistance::Equal),
        closeness(GroundDistance::Ordered),
        Requirement::Likeness(BetaLikeness { beta: share(1, 1), enhanced: true }),
        Requirement::DeltaDisclosure(DeltaDisclosure { delta: share(1, 1) }),
        l_alpha(Variant::Distinct, 3),
        l_alpha(Variant::Entropy, 3),
        l_alpha(Variant::Recursive { c: share(3, 1) }, 3),
    ];
    all.into_iter().map(Model::from).collect()
}

/// Asserts that every value is used up, and that every choice of one value per column satisfies the
/// model.
fn assert_decomposes(found: &Decomposition, counts: &[u32], criteria: &Criteria) {
    assert_is_a_line(found, counts);
    let mut tally = CountBuffer::default();
    for unit in found.units() {
        let choices = found.all_values(unit).into_iter().fold(
            vec![vec![]],
            |choices: Vec<Vec<u32>>, column| {
                choices
                    .iter()
                    .flat_map(|choice| {
                        column.iter().map(|&(value, _)| [&choice[..], &[value]].concat())
                    })
                    .collect()
            },
        );
        for choice in choices.into_iter().take(2_000) {
            assert!(criteria.hold_on_group(&tally.of_codes(choice.iter().copied())), "{choice:?}");
        }
    }
}

/// Asserts that all columns of all units together are the line, which holds every row of every
/// value.
pub(super) fn assert_is_a_line(found: &Decomposition, counts: &[u32]) {
    let mut used = vec![0; counts.len()];
    found.line().for_each(|(value, count)| used[value as usize] += count);
    assert_eq!(used, counts);
    let mut used = vec![0; counts.len()];
    let mut places = Vec::new();
    for unit in found.units() {
        assert!(unit.groups > 0);
        for (column, &start) in unit.columns.iter().enumerate() {
            places.push((start, start + unit.groups));
            found
                .values(unit, column)
                .iter()
                .for_each(|&(value, count)| used[value as usize] += count);
        }
    }
    assert_eq!(used, counts);
    places.sort_unstable();
    let rows: u32 = counts.iter().sum();
    assert_eq!((places[0].0, places.last().unwrap().1), (0, rows));
    assert!(places.windows(2).all(|pair| pair[0].1 == pair[1].0), "{places:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A histogram is decomposed if and only if the whole table satisfies the model.
    #[test]
    fn every_model_decomposes_what_it_allows(
        counts in prop::collection::vec(1u32..200, 8), number in 0usize..10,
    ) {
        let (criteria, table) = criteria(&models()[number], &counts);
        let found = decompose_any(&table.histogram(), &criteria, None);
        prop_assert_eq!(found.is_some(), criteria.check_whole(&table).is_ok());
        if let Some(found) = found {
            assert_decomposes(&found, &counts, &criteria);
        }
    }

    /// With distinct diversity no decomposition has more groups: a group takes l
    /// values, and a value is in at most as many groups as it has rows.
    #[test]
    fn distinct_diversity_is_decomposed_optimally(
        counts in prop::collection::vec(1u32..60, 2..12), l in 2u32..5,
    ) {
        prop_assume!(counts.len() >= l as usize);
        let (criteria, table) = criteria(&Requirement::Distinct(DistinctDiversity { l }).into(), &counts);
        let found = decompose_any(&table.histogram(), &criteria, None).unwrap();
        assert_decomposes(&found, &counts, &criteria);
        let fits = |groups: u32| {
            let slots: u32 = counts.iter().map(|&count| count.min(groups)).sum();
            slots >= l * groups
        };
        let most = (1..=table.rows() as u32).filter(|&groups| fits(groups)).max();
        prop_assert_eq!(Some(found.groups()), most);
    }
}

/// If dealt in turn, every group gets the frequent value in the same proportion, so groups are
/// large. A mixture of small and large signatures gives a third more groups.
#[test]
fn the_linear_program_mixes_signatures() {
    let counts = [55, 24, 23, 28];
    let entropy = Requirement::Entropy(EntropyDiversity { l: Rational::new(3, 1) });
    let (criteria, table) = criteria(&entropy.into(), &counts);
    let in_turn = most_in_turn(&table.histogram(), &criteria).unwrap();
    let found = decompose_any(&table.histogram(), &criteria, None).unwrap();
    assert_decomposes(&found, &counts, &criteria);
    assert_eq!((in_turn.groups(), found.groups()), (23, 31));
}

/// One row from each category: dealing in turn has to know which values are similar.
#[test]
fn categories_are_kept_apart() {
    let counts = [100; 8];
    let all_four = l_alpha(Variant::Distinct, 4).into();
    let (criteria, table) = criteria(&all_four, &counts);
    let found = decompose_any(&table.histogram(), &criteria, None).unwrap();
    assert_decomposes(&found, &counts, &criteria);
    assert_eq!(found.groups(), 200);
}

/// If values are laid end to end by their codes, groups get two values of one category. Laid by
/// categories, no group does, and there are equally many groups.
#[test]
fn of_equally_many_groups_those_that_mix_categories_are_preferred() {
    let labels = |values: &[u32]| values.iter().map(u32::to_string).collect::<Vec<_>>();
    let model = Model::from(Requirement::LAlpha(LAlphaDiversity {
        variant: Variant::Distinct,
        l: 2,
        alpha: Rational::new(1, 4),
        weights: CategoryWeights::Uniform,
        categories: vec![labels(&[0]), labels(&[1, 5]), labels(&[2, 6]), labels(&[3, 7, 4])],
        over: Over::Values,
    }));
    for counts in [[100; 8], [101, 100, 100, 99, 101, 100, 100, 99]] {
        let (criteria, table) = criteria(&model, &counts);
        let found = decompose_any(&table.histogram(), &criteria, None).unwrap();
        assert_eq!(found.groups(), 400);
        assert_eq!(super::choices::are_mixed(&found, &criteria), 400, "{found:?}");
    }
}

fn plain(counts: &[u32], l: u32) -> Result<Decomposition, Ineligible> {
    let histogram = Histogram::from_counts(counts.to_vec());
    let exempt = vec![false; counts.len()];
    decompose(&histogram, &exempt, None, RatioDiversity::new(l).unwrap())
}

/// Asserts the guarantee of the ratio layout: q groups of the optimal sizes in at most l + 2 units,
/// in which no protected value lies in two columns.
fn assert_keeps_ratio(found: &Decomposition, counts: &[u32], exempt: &[bool], l: u32) {
    assert_is_a_line(found, counts);
    let n: u32 = counts.iter().sum();
    let q = n / l;
    assert_eq!(found.groups(), q);
    assert!(found.units().len() as u32 <= n / q + 2, "{found:?}");
    let mut long = 0;
    for unit in found.units() {
        let size = unit.columns.len() as u32;
        assert!(size == n / q || size == n.div_ceil(q), "size {size} of n = {n}, q = {q}");
        if size != n / q {
            long += unit.groups;
        }
        let mut seen = vec![false; counts.len()];
        for (value, _) in (0..unit.columns.len()).flat_map(|column| found.values(unit, column)) {
            assert!(!seen[value as usize] || exempt[value as usize], "{value} in two columns");
            seen[value as usize] = true;
        }
    }
    assert_eq!(long, n % q);
}

#[test]
fn values_that_fill_columns_make_one_unit() {
    let found = plain(&[10, 10, 10, 10], 2).unwrap();
    assert_eq!(found.units().len(), 1);
    assert_eq!(found.units()[0].groups, 20);
    assert_eq!(found.values(&found.units()[0], 0).len(), 2);
}

/// The counts of Adult's occupations: nearly all groups are in one unit.
#[test]
fn few_values_nearly_fill_columns() {
    let counts = [5540, 14, 6020, 5984, 1480, 2046, 2970, 4808, 232, 6008, 976, 5408, 1420, 2316];
    for (l, percent) in [(4, 97), (6, 95), (7, 92)] {
        let found = plain(&counts, l).unwrap();
        let largest = found.units().iter().map(|unit| unit.groups).max().unwrap();
        assert!(largest * 100 >= found.groups() * percent, "{found:?}");
    }
}

#[test]
fn the_histogram_on_which_rda_misses_the_optimum() {
    let counts = [2, 2, 2, 1, 1];
    assert_keeps_ratio(&plain(&counts, 3).unwrap(), &counts, &[false; 5], 3);
}

/// Deciles of wages: each of five columns has one from the lower and one from the upper half.
#[test]
fn columns_span_the_order_that_was_declared() {
    let histogram = Histogram::from_counts(vec![100; 10]);
    let order: Vec<u32> = (0..10).collect();
    let ratio = RatioDiversity::new(5).unwrap();
    let found = decompose(&histogram, &[false; 10], Some(&order), ratio).unwrap();
    let [unit] = found.units() else {
        panic!("one unit: {found:?}");
    };
    for column in 0..5 {
        let values = found.values(unit, column);
        assert!(values.iter().any(|&(value, _)| value < 5), "{values:?}");
        assert!(values.iter().any(|&(value, _)| value >= 5), "{values:?}");
    }
}

/// Any four of Adult's occupations have an entropy of ln 4, so columns work as well as single
/// values.
#[test]
fn models_that_treat_values_alike_get_several_values_per_column() {
    let counts = [50, 40, 40, 30, 30, 30, 20, 20, 10, 10];
    let l = Rational::new(4, 1);
    for requirement in [
        Requirement::Distinct(DistinctDiversity { l: 4 }),
        Requirement::Entropy(EntropyDiversity { l }),
    ] {
        let (criteria, table) = criteria(&requirement.into(), &counts);
        let found = decompose_any(&table.histogram(), &criteria, None).unwrap();
        assert_decomposes(&found, &counts, &criteria);
        assert_eq!(found.groups(), 70);
        assert!(found.units().iter().any(|unit| found.values(unit, 0).len() > 1));
    }
}

proptest! {
    #[test]
    fn every_eligible_histogram_is_used_up_optimally(
        counts in prop::collection::vec(0u32..60, 2..30), l in 2u32..8,
    ) {
        let n: u32 = counts.iter().sum();
        let eligible = n >= l && counts.iter().all(|&count| count <= n / l);
        match plain(&counts, l) {
            Ok(found) => {
                prop_assert!(eligible);
                assert_keeps_ratio(&found, &counts, &vec![false; counts.len()], l);
            }
            Err(_) => prop_assert!(!eligible),
        }
    }

    #[test]
    fn a_declared_order_costs_no_privacy(
        counts in prop::collection::vec(1u32..60, 8..30), l in 2u32..8, turn in 0usize..8,
    ) {
        let histogram = Histogram::from_counts(counts.clone());
        let none = vec![false; counts.len()];
        let mut order: Vec<u32> = (0..counts.len() as u32).collect();
        order.rotate_left(turn);
        let ratio = RatioDiversity::new(l).unwrap();
        if let Ok(found) = decompose(&histogram, &none, Some(&order), ratio) {
            assert_keeps_ratio(&found, &counts, &none, l);
        }
    }

    #[test]
    fn exempt_values_lie_in_several_columns(
        common in 1u32..400, counts in prop::collection::vec(0u32..20, 1..8), l in 2u32..12,
    ) {
        let mut all = counts.clone();
        all.push(common);
        let n: u32 = all.iter().sum();
        prop_assume!(n >= l && counts.iter().all(|&count| count <= n / l));
        let mut exempt = vec![false; all.len()];
        *exempt.last_mut().unwrap() = true;
        let histogram = Histogram::from_counts(all.clone());
        let ratio = RatioDiversity::new(l).unwrap();
        let found = decompose(&histogram, &exempt, None, ratio).unwrap();
        assert_keeps_ratio(&found, &all, &exempt, l);
    }
}

/// Sets of up to three of nine values, and how many people have each set.
fn sets() -> impl Strategy<Value = (Vec<Vec<u32>>, Vec<u32>, u32)> {
    let set = prop::collection::btree_set(0u32..9, 1..=3);
    let sets = prop::collection::btree_set(set, 2..20);
    (sets, 2u32..4).prop_flat_map(|(sets, l)| {
        let sets: Vec<Vec<u32>> = sets.into_iter().map(|set| set.into_iter().collect()).collect();
        let counts = prop::collection::vec(1u32..40, sets.len());
        (Just(sets), counts, Just(l))
    })
}

proptest! {
    /// No member is in more sets of a group than allowed, and nobody is left over; also with a
    /// separate l for each member.
    #[test]
    fn sets_that_share_a_member_hardly_meet((sets, counts, l) in sets(), own in prop::collection::vec(2u32..5, 9), has_own: bool) {
        let labels = (0..9).map(|value| value.to_string()).collect();
        let mut members = Members::new(labels, vec![false; 9], sets.clone());
        if has_own {
            members = members.with_l(own);
        }
        let histogram = Histogram::from_counts(counts.clone());
        let Some(found) = decompose_sets(&histogram, &members, l) else { return Ok(()) };
        let mut used = vec![0; counts.len()];
        for unit in found.units() {
            let slots = found.all_values(unit);
            let size = slots.len() as u32;
            let mut seen = [0; 9];
            for slot in slots {
                // One set per slot.
                prop_assert_eq!(slot.len(), 1);
                let (set, groups) = slot[0];
                prop_assert_eq!(groups, unit.groups);
                used[set as usize] += groups;
                sets[set as usize].iter().for_each(|&member| seen[member as usize] += 1);
            }
            for (member, &sets) in (0..).zip(&seen) {
                prop_assert!(sets * members.l_of(member, l) <= size);
            }
        }
        prop_assert_eq!(used, counts);
    }
}
