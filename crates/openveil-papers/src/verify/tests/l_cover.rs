//! Searches and checks covers on the papers' examples.

use super::scenario;
use crate::algorithm::Cover;
use crate::algorithm::streamliner::colours::Colours;
use crate::algorithm::{Rda, Ria};
use crate::disclosure::RatioBound;
use crate::verify::l_cover::certificate::Certificate;
use crate::verify::l_cover::{
    Breach, CoverColours, CoverCondition, CoverFound, CoverStrength, Covers, SEARCH_LIMIT, find,
};
use crate::verify::safe_sets::{is_strongly_globally_safe, locally_safe_set};
use openveil_core::Error;
use openveil_core::algorithm::Algorithm;
use openveil_core::coins::{SecretCoins, shuffle};
use openveil_core::model::{Criteria, EntropyDiversity, Model, RatioDiversity, Requirement};
use openveil_core::table::Groups;
use proptest::prelude::*;

pub(super) const READINGS: [CoverColours; 2] = [CoverColours::LCover, CoverColours::Streamliner];
const STRENGTHS: [CoverStrength; 2] = [CoverStrength::Weak, CoverStrength::Full];

pub(super) fn weak(l: u32) -> CoverCondition {
    condition(l, CoverStrength::Weak, CoverColours::LCover)
}

pub(super) fn full(l: u32) -> CoverCondition {
    condition(l, CoverStrength::Full, CoverColours::LCover)
}

pub(super) fn condition(l: u32, strength: CoverStrength, reading: CoverColours) -> CoverCondition {
    CoverCondition { model: RatioDiversity::new(l).unwrap(), strength, reading }
}

pub(super) fn partition(groups: &[&[u32]]) -> Groups {
    groups.iter().map(|group| group.iter().copied()).collect()
}

fn lss(values: &[u32], l: u32) -> Vec<Groups> {
    locally_safe_set(values, &ratio(l)).unwrap()
}

/// No value above 1/l: the bound of the Streamliner paper.
pub(super) fn ratio(l: u32) -> RatioBound {
    RatioDiversity::new(l).unwrap().into()
}

/// The property of the L-Cover paper.
pub(super) fn entropy(values: &[u32], l: u32) -> Criteria {
    let entropy = EntropyDiversity { l: u64::from(l).into() };
    let model: Model = Requirement::Entropy(entropy).into();
    model.bind(scenario(values, 2).table()).unwrap()
}

pub(super) fn is_covered(values: &[u32], set: &[Groups], condition: CoverCondition) -> bool {
    let found = find(values, set, condition).unwrap().covers();
    if let Some(covers) = &found {
        assert_eq!(covers.check(set), Ok(()));
    }
    found.is_some()
}

#[test]
fn figures_2_and_3_are_weak_covers_and_figure_1_is_not() {
    let figure_1 = [0, 0, 1, 2, 3, 4];
    let found = find(&figure_1, &lss(&figure_1, 2), weak(2)).unwrap();
    assert_eq!(found, CoverFound::Uncovered { value: 0 });
    let figure_2 = [0, 0, 1, 2, 3, 1];
    let found = find(&figure_2, &lss(&figure_2, 2), weak(2)).unwrap();
    let covers = found.covers().unwrap();
    let mut of_s1 = covers.per_colour()[0].images[0].clone();
    of_s1.sort_unstable();
    assert_eq!(of_s1, [2, 5], "q3 and q6 cover q1 and q2");
    let figure_3 = [0, 0, 1, 2];
    let found = find(&figure_3, &lss(&figure_3, 2), weak(2)).unwrap();
    let covers = found.covers().unwrap();
    let mut of_s1 = covers.per_colour()[0].images[0].clone();
    of_s1.sort_unstable();
    assert_eq!(of_s1, [2, 3]);
}

/// Section 4.2: the release of Table 5 breaks the cover of Figure 2; that of
/// Table 4 leaves the cover of the only repeated value of Figure 3.
#[test]
fn l_cover_refuses_the_release_of_table_5() {
    let figure_2 = [0, 0, 1, 2, 3, 1];
    let set = lss(&figure_2, 2);
    let table_5 = partition(&[&[0, 2], &[1, 3], &[4, 5]]);
    assert!(!is_covered(&figure_2, &set, full(2)));
    let covers = find(&figure_2, &set, weak(2)).unwrap().covers().unwrap();
    let stronger = Covers::new(
        &figure_2,
        full(2),
        covers.per_colour().iter().map(|c| c.images.clone()).collect(),
    )
    .unwrap();
    let without: Vec<Groups> = set.iter().filter(|p| **p != table_5).cloned().collect();
    assert_eq!(covers.admit(&without, &table_5), Ok(()));
    assert!(matches!(stronger.admit(&without, &table_5), Err(Breach::Unbalanced { value: 0, .. })));
    let figure_3 = [0, 0, 1, 2];
    let table_4 = partition(&[&[0, 2], &[1, 3]]);
    assert!(is_covered(&figure_3, &[table_4], full(2)));
}

#[test]
fn example_5_of_the_streamliner_paper() {
    let values = [0, 0, 1, 1];
    let p1 = partition(&[&[0, 2], &[1, 3]]);
    let p2 = partition(&[&[0, 3], &[1, 2]]);
    let p3 = partition(&[&[0, 1, 2, 3]]);
    for strength in STRENGTHS {
        let condition = condition(2, strength, CoverColours::Streamliner);
        let with = |f1: [u32; 2], f2: [u32; 2]| {
            let images = vec![vec![f1.to_vec()], vec![f2.to_vec()]];
            Covers::new(&values, condition, images).unwrap()
        };
        let straight = with([2, 3], [0, 1]);
        let crossed = with([3, 2], [1, 0]);
        assert_eq!(straight.check(&[p1.clone(), p3.clone()]), Ok(()));
        assert_eq!(crossed.check(&[p2.clone(), p3.clone()]), Ok(()));
        // P₂ turns into itself under f(id₁) = id₃ as well: 14|23 becomes 32|41.
        assert_eq!(straight.admit(std::slice::from_ref(&p1), &p2), Ok(()));
        let p4 = partition(&[&[0, 1], &[2, 3]]);
        assert_eq!(
            straight.admit(std::slice::from_ref(&p1), &p4).is_ok(),
            strength == CoverStrength::Weak
        );
    }
}

#[test]
fn the_readings_differ_in_the_colours_of_images() {
    let values = [0, 0, 1, 1, 2, 2];
    let images = |of_0: [[u32; 2]; 2]| {
        let others = [[[0, 1], [4, 5]], [[0, 1], [2, 3]]];
        std::iter::once(of_0).chain(others).map(|covers| covers.map(Vec::from).to_vec()).collect()
    };
    let streamliner = condition(3, CoverStrength::Full, CoverColours::Streamliner);
    // Rows 2 and 3 have one value, so in the second paper's sense they cannot both stand for row 0;
    // in the first paper's sense they can.
    let shared = [[2, 4], [3, 5]];
    assert!(Covers::new(&values, full(3), images(shared)).is_ok());
    let refused = Covers::new(&values, streamliner, images(shared));
    assert_eq!(refused, Err(Breach::SharedColour { value: 0, row: 0 }));
    assert!(Covers::new(&values, streamliner, images([[2, 4], [5, 3]])).is_ok());
    let meeting = Covers::new(&values, full(3), images([[2, 4], [4, 5]]));
    assert_eq!(meeting, Err(Breach::Meeting { value: 0 }));
    let missing = Covers::new(&values, full(2), images(shared));
    assert_eq!(missing, Err(Breach::Missing { value: 0 }));
}

/// Ten rows of a value among twenty have 10! bijections.
#[test]
fn searches_beyond_their_limits_are_refused() {
    let many = [0; 33];
    assert!(matches!(find(&many, &[], weak(2)), Err(Error::BeyondLimit { limit: 32, .. })));
    let long: Vec<u32> = (0..20).map(|row| row % 2).collect();
    let everybody: Vec<u32> = (0..20).collect();
    let found = find(&long, &[partition(&[&everybody])], weak(2));
    assert!(matches!(found, Err(Error::BeyondLimit { limit: SEARCH_LIMIT, .. })));
    let lacking = find(&[0, 1], &[partition(&[&[0]])], weak(2));
    assert!(matches!(lacking, Err(Error::Violation(_))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The claim that does hold (see this module's proof): a family set with its minimal
    /// self-contained partition is strongly globally safe.
    #[test]
    fn family_sets_with_their_minimal_partition_are_strongly_safe(
        values in prop::collection::vec(0u32..4, 4..8),
        unions in prop::collection::vec(prop::collection::vec(0u32..3, 4), 1..4),
        seed: u64,
    ) {
        let model = RatioDiversity::new(2).unwrap();
        let scenario = scenario(&values, 2);
        let table = scenario.table();
        let exempt = table.secret().exempt();
        prop_assume!(model.check_eligible(&table.histogram(), exempt).is_ok());
        let mut coins = SecretCoins::from_test_seed(seed);
        let minimal = Ria.partition(table, &model.into(), &mut coins).unwrap();
        let mut set = vec![minimal.clone()];
        for union in unions {
            let mut lists = vec![Vec::new(); 3];
            for (group, union) in minimal.iter().zip(union) {
                lists[union as usize].extend_from_slice(group);
            }
            set.push(lists.into_iter().collect());
        }
        let codes = table.secret().codes();
        prop_assert!(is_strongly_globally_safe(codes, &set, &ratio(2)).unwrap());
    }

    /// Certificates are l-covers in the sense of both papers.
    #[test]
    fn certificates_are_l_covers(
        values in prop::collection::vec(0u32..5, 4..12), l in 2u32..4, seed: u64,
    ) {
        let scenario = scenario(&values, l);
        let (table, model) = (scenario.table(), scenario.model().ratio().unwrap());
        let exempt = table.secret().exempt();
        prop_assume!(model.check_eligible(&table.histogram(), exempt).is_ok());
        for algorithm in [&Cover as &dyn Algorithm, &Ria, &Rda] {
            let mut coins = SecretCoins::from_test_seed(seed);
            let groups = algorithm.partition(table, &model.into(), &mut coins).unwrap();
            let certificate = Certificate::new(table, &groups, model).unwrap();
            let codes = table.secret().codes();
            let colours = Colours::new(table);
            let images = colours.iter().map(|rows| {
                let cover = |w: usize| rows.iter().map(move |&row| (row, w));
                (0..certificate.covers()).map(cover).map(|pairs| {
                    pairs.map(|(row, w)| certificate.images(row)[w]).collect()
                }).collect::<Vec<Vec<u32>>>()
            });
            let condition = condition(l, CoverStrength::Full, CoverColours::Streamliner);
            let covers = Covers::new(codes, condition, images.collect()).unwrap();
            prop_assert_eq!(covers.check(std::slice::from_ref(&groups)), Ok(()));
        }
    }

    /// The search by bits and the check by lists agree: covers that are found pass, and covers that
    /// pass are found.
    #[test]
    fn search_and_check_agree(
        values in prop::collection::vec(0u32..3, 2..7),
        labels in prop::collection::vec(prop::collection::vec(0u32..3, 6), 1..3),
        image_seed: u64, full: bool,
    ) {
        let set: Vec<Groups> = labels
            .iter()
            .map(|labels| Groups::from_labels(&labels[..values.len()], 3))
            .collect();
        let strength = STRENGTHS[usize::from(full)];
        let condition = condition(2, strength, CoverColours::LCover);
        let is_found = is_covered(&values, &set, condition);
        let mut coins = SecretCoins::from_test_seed(image_seed);
        for _ in 0..20 {
            let colours = Colours::of_codes(&values);
            let mut image_of = |rows: &[u32]| {
                let mut others: Vec<u32> = (0..values.len() as u32).collect();
                others.retain(|row| !rows.contains(row));
                shuffle(&mut others, &mut coins);
                vec![others.into_iter().take(rows.len()).collect::<Vec<u32>>()]
            };
            let images = colours.iter().map(&mut image_of).collect();
            if Covers::new(&values, condition, images).is_ok_and(|c| c.check(&set).is_ok()) {
                prop_assert!(is_found);
            }
        }
    }
}
