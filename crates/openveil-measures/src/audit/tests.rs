//! Compares measures with their definitions, computed the slow way.

mod naive;
mod published;

use super::*;
use openveil_core::hierarchy::Hierarchy;
use openveil_core::model::CategoryWeights;
use openveil_core::table::Groups;
use proptest::prelude::*;

/// Groups given as lists of values.
pub(super) fn counted(groups: &[Vec<u32>], values: usize) -> GroupCounts {
    let codes: Vec<u32> = groups.concat();
    let labels: Vec<u32> =
        (0..).zip(groups).map(|(n, group)| vec![n; group.len()]).collect::<Vec<_>>().concat();
    GroupCounts::count(&Groups::from_labels(&labels, groups.len()), &codes, values)
}

/// Groups over values that all occur.
fn tables() -> impl Strategy<Value = (Vec<Vec<u32>>, usize)> {
    (1usize..7).prop_flat_map(|values| {
        let group = prop::collection::vec(0..values as u32, 1..8);
        let groups = prop::collection::vec(group, 1..6);
        groups.prop_map(move |mut groups| {
            groups.push((0..values as u32).collect());
            (groups, values)
        })
    })
}

/// A tree over seven values, with one value above another and paths of different length.
fn tree(values: usize) -> (Hierarchy, GroundTree) {
    let paths = [
        vec!["v0", "a", "top", "*"],
        vec!["v1", "a", "top", "*"],
        vec!["v2", "b", "top", "*"],
        vec!["v3", "top", "*"],
        vec!["v4", "*"],
        vec!["v5", "v4", "*"],
        vec!["v6", "c", "*"],
    ];
    let hierarchy = Hierarchy::from_paths(paths.map(|path| path.to_vec())).unwrap();
    let leaf = |value| {
        let name = format!("v{value}");
        hierarchy.leaf_labels().position(|l| l == name).unwrap() as u32
    };
    let leaf_of: Vec<u32> = (0..values).map(leaf).collect();
    let ground = GroundTree::new(&hierarchy, &leaf_of);
    (hierarchy, ground)
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * expected.abs().max(1.0)
}

proptest! {
    #[test]
    fn measures_are_what_their_definitions_say((groups, values) in tables()) {
        let counts = counted(&groups, values);
        let (hierarchy, ground) = tree(values);
        let knowledge = Knowledge { ordered: true, tree: Some(ground), categories: None };
        let found = Measures::new(&counts, &knowledge, &[3, 2]);
        let naive = naive::Table::new(&groups, values);

        prop_assert_eq!(found.diversity.distinct as usize, naive.distinct());
        prop_assert!(close(found.diversity.entropy, naive.entropy()));
        let (share, rows) = naive.highest_share();
        let ratio = found.diversity.highest_share;
        prop_assert_eq!(u128::from(*ratio.numer()) * rows, share * u128::from(*ratio.denom()));
        for (l, infimum) in &found.diversity.recursive {
            let infimum = infimum.map(|c| *c.numer() as f64 / *c.denom() as f64);
            prop_assert_eq!(infimum, naive.recursive(*l as usize));
        }
        prop_assert!(close(found.closeness.equal, naive.total_variation()));
        prop_assert!(close(found.closeness.ordered.unwrap(), naive.ordered()));
        prop_assert!(close(found.closeness.hierarchical.unwrap(), naive.hierarchical(&hierarchy)));
        prop_assert!(close(found.likeness.beta_basic, naive.beta_basic()));
        prop_assert_eq!(found.likeness.beta_enhanced().is_some(), naive.enhanced_holds());
        prop_assert_eq!(found.likeness.delta().is_some(), naive.delta().is_finite());
        prop_assert!(found.likeness.delta().is_none_or(|delta| close(delta, naive.delta())));
    }

    #[test]
    fn categories_are_coarser_values((groups, values) in tables(), beta in 1u32..4) {
        let counts = counted(&groups, values);
        let category_of: Vec<u32> = (0..values as u32).map(|value| value / 2).collect();
        let kinds = values.div_ceil(2);
        let scheme = CategoryWeights::Sensitivity { beta };
        let naive_weight = |value: u32| naive::weight(value / 2, kinds, beta);
        let categories = Some(Categories::new(category_of, kinds, scheme));
        let knowledge = Knowledge { categories, ..Knowledge::default() };
        let found = Measures::new(&counts, &knowledge, &[2]).categorised.unwrap();

        let coarse: Vec<Vec<u32>> =
            groups.iter().map(|group| group.iter().map(|value| value / 2).collect()).collect();
        let direct = Measures::new(&counted(&coarse, kinds), &Knowledge::default(), &[2]);
        prop_assert_eq!(found.diversity.distinct, direct.diversity.distinct);
        prop_assert_eq!(&found.diversity.recursive, &direct.diversity.recursive);
        prop_assert!(close(found.diversity.entropy, direct.diversity.entropy));
        let weigh = |group: &Vec<u32>| group.iter().map(|&value| naive_weight(value)).sum::<f64>();
        let least = groups.iter().map(weigh).fold(f64::INFINITY, f64::min);
        prop_assert!(close(found.least_weight, least));
        let similar = coarse.iter().filter(|group| group.iter().all(|kind| *kind == group[0]));
        prop_assert_eq!(found.similar_rows as usize, similar.map(Vec::len).sum::<usize>());
    }
}

#[test]
fn even_groups_are_exactly_as_diverse_as_they_have_values() {
    for values in [2u32, 3, 7, 100, 1_000] {
        let group: Vec<u32> = (0..values).flat_map(|value| [value; 3]).collect();
        let found = Measures::new(&counted(&[group], values as usize), &Knowledge::default(), &[]);
        assert_eq!(found.diversity.entropy, f64::from(values));
        assert_eq!(found.diversity.ratio(), (u64::from(values)).into());
        assert_eq!(found.likeness.delta(), Some(0.0), "the group is the table");
    }
}

#[test]
fn many_groups_are_counted_in_stretches() {
    let groups: Vec<Vec<u32>> = (0..20_000).map(|n| vec![n % 5, n % 3, n % 2]).collect();
    let counts = counted(&groups, 5);
    assert_eq!((counts.len(), counts.rows()), (20_000, 60_000));
    for (n, group) in groups.iter().enumerate() {
        let mut sorted = group.clone();
        sorted.sort_unstable();
        let entries = counts.group(n).entries().iter();
        let flat: Vec<u32> =
            entries.flat_map(|&(value, count)| vec![value; count as usize]).collect();
        assert_eq!(flat, sorted);
    }
}

#[test]
fn risks_follow_from_sizes() {
    let sizes = [1, 1, 4, 6];
    let risk = Reidentification::prosecutor(&sizes, 0.2);
    assert_eq!((risk.highest, risk.average), (1.0, 4.0 / 12.0));
    assert_eq!(risk.at_risk, 6.0 / 12.0, "1, 1 and 4 rows are below five");
    assert_eq!(uniqueness(&sizes), 2.0 / 12.0);
    // A chance of one in five is not above 0.2.
    assert_eq!(Reidentification::prosecutor(&[5], 0.2).at_risk, 0.0);
    let twice = sizes.map(|size| (u64::from(size), 2.0 * f64::from(size)));
    let journalist = Reidentification::journalist(twice.into_iter(), 0.2);
    assert_eq!((journalist.highest, journalist.average), (0.5, 2.0 / 12.0));
    assert_eq!(journalist.at_risk, 2.0 / 12.0);
}
