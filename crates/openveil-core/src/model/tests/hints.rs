//! Hints of a model about groups before any is made: how small they may be, which values are alike,
//! and which belong together. Engines rely on these hints; here they are checked on all small
//! groups.

use super::super::{
    AlphaKAnonymity, BetaLikeness, CategoryWeights, DeltaDisclosure, DistinctDiversity,
    EntropyDiversity, GroundDistance, KAnonymity, LAlphaDiversity, Over, PSensitiveKAnonymity,
    RatioDiversity, RecursiveDiversity, TCloseness, Variant,
};
use super::{Counts, Requirement, World, entries, r};
use crate::Error;
use crate::exact::fraction;
use crate::model::{About, Criteria, Informed, Model, Property, Traits};
use crate::table::{Column, Domain, Members, Secret, View};
use std::sync::Arc;

/// All groups with up to `most` rows of each of four values.
fn all_groups(most: u64) -> impl Iterator<Item = Vec<u64>> {
    let base = most + 1;
    (1..base.pow(4)).map(move |number| (0..4).map(|at| number / base.pow(at) % base).collect())
}

/// The number of rows of the smallest group that satisfies a model, among all groups with up to
/// four rows of each value.
fn smallest(criteria: &Criteria) -> Option<u64> {
    let groups = all_groups(4);
    groups
        .filter(|group| criteria.hold_on_group(&Counts::new(&entries(group, 1))))
        .map(|group| group.iter().sum())
        .min()
}

fn l_alpha(variant: Variant, alpha: u64) -> Requirement {
    let label = |value: u32| format!("v{value}");
    Requirement::LAlpha(LAlphaDiversity {
        variant,
        l: 2,
        alpha: r(alpha, 1),
        weights: CategoryWeights::Uniform,
        categories: vec![vec![label(0), label(2)], vec![label(1), label(3)]],
        over: Over::Categories,
    })
}

/// Models whose bound on sizes is attained by some group of four even values, and the bound.
fn bounded() -> Vec<(Requirement, u32)> {
    let l = |l| RatioDiversity::new(l).unwrap();
    let (alpha, c) = (r(2, 5), r(3, 2));
    vec![
        (Requirement::KAnonymity(KAnonymity { k: 5 }), 5),
        (Requirement::Ratio(l(3)), 3),
        (Requirement::Distinct(DistinctDiversity { l: 3 }), 3),
        (Requirement::Entropy(EntropyDiversity { l: r(5, 2) }), 3),
        (Requirement::Recursive(RecursiveDiversity { c, l: 3 }), 3),
        (Requirement::AlphaK(AlphaKAnonymity { alpha, k: 6 }), 6),
        (Requirement::PSensitive(PSensitiveKAnonymity { p: 3, k: 4 }), 4),
        (Requirement::DeltaDisclosure(DeltaDisclosure { delta: r(1, 1) }), 4),
        (l_alpha(Variant::Distinct, 3), 3),
    ]
}

#[test]
fn groups_are_as_small_as_is_said() {
    let world = World::new(&[4; 4]);
    for (requirement, least) in bounded() {
        let criteria = world.bind(&requirement);
        let name = requirement.name();
        assert_eq!(criteria.least_size(), least, "{name}");
        // A row of the least sensitive category has weight 1, and another row is there as well.
        let weighs = u64::from(matches!(requirement, Requirement::LAlpha(_)));
        assert_eq!(smallest(&criteria), Some(u64::from(least) + weighs), "{name}");
    }
}

/// Values that need no protection may make up a group by themselves.
#[test]
fn exempt_values_make_small_groups() {
    let world = World::new(&[4; 4]).with_exempt(&[false, false, false, true]);
    for (requirement, least) in bounded() {
        let name = requirement.name();
        let criteria = world.bind(&requirement);
        match requirement {
            Requirement::Distinct(_) | Requirement::Entropy(_) | Requirement::Recursive(_) => {
                assert_eq!((criteria.least_size(), smallest(&criteria)), (1, Some(1)), "{name}");
            }
            Requirement::DeltaDisclosure(_) => {
                assert_eq!((criteria.least_size(), smallest(&criteria)), (3, Some(3)), "{name}");
            }
            _ => assert!(criteria.least_size() <= least, "{name}"),
        }
    }
}

/// Readers who know more change neither the sizes nor which values are alike.
#[test]
fn what_is_said_of_groups_is_said_for_informed_readers() {
    let world = World::new(&[4; 4]);
    let informed = Informed::new(r(2, 1), About::Few(1)).unwrap();
    let of_categories = [Variant::Entropy, Variant::Recursive { c: r(2, 1) }];
    let of_categories = of_categories.map(|variant| l_alpha(variant, 1));
    let bounded = bounded().into_iter().map(|(requirement, _)| requirement);
    for requirement in bounded.chain(of_categories) {
        if let Requirement::Ratio(_) = requirement {
            continue;
        }
        let model = Model::from(requirement.clone());
        let plain = model.bind(&world.table).unwrap();
        let against = model.against(informed).bind(&world.table).unwrap();
        let said = |criteria: &Criteria| {
            let classes: Vec<Vec<u32>> = criteria.classes().map(<[u32]>::to_vec).collect();
            let alike = criteria.treats_values_alike();
            (criteria.least_size(), classes, alike)
        };
        assert_eq!(said(&plain), said(&against), "{}", requirement.name());
        let least = u64::from(plain.least_size());
        assert!(smallest(&against).is_none_or(|size| size >= least));
        let names = |criteria: &Criteria| -> Vec<String> {
            criteria.properties().map(Property::name).collect()
        };
        for (plain, against) in names(&plain).iter().zip(names(&against)) {
            assert!(
                against == *plain || against == format!("{plain} at odds of 2 about one person")
            );
        }
    }
}

#[test]
fn categories_are_known_to_those_who_look_at_them() {
    let world = World::new(&[4; 4]);
    let of_model = |requirement: &Requirement| -> Vec<Vec<u32>> {
        let criteria = world.bind(requirement);
        criteria.classes().map(<[u32]>::to_vec).collect()
    };
    for variant in [Variant::Distinct, Variant::Entropy, Variant::Recursive { c: r(2, 1) }] {
        // The classes of the diversity, and of the weights.
        assert_eq!(of_model(&l_alpha(variant, 1)), [[0, 1, 0, 1], [0, 1, 0, 1]]);
    }
    for (requirement, _) in bounded() {
        let is_of_categories = matches!(requirement, Requirement::LAlpha(_));
        assert_eq!(!of_model(&requirement).is_empty(), is_of_categories);
        let is_about_the_table = matches!(requirement, Requirement::DeltaDisclosure(_));
        assert_eq!(
            world.bind(&requirement).treats_values_alike(),
            !is_of_categories && !is_about_the_table,
            "{}",
            requirement.name()
        );
    }
}

/// For sets of values, only the ratio of their members matters.
#[test]
fn of_sets_the_ratio_is_that_of_their_members() {
    let labels = ["a", "b", "c"].map(str::to_owned).to_vec();
    let of = vec![vec![0], vec![1, 2], vec![0, 1]];
    let members = Members::new(labels, vec![false; 3], of);
    let sets = Column::new("s", vec![0, 1, 2], Domain::unordered(["a", "b and c", "a and b"]));
    let sets = Secret::from_column(&sets.with_members(members));
    let table = View::new(vec![], sets).unwrap();
    let model = Model::from(RatioDiversity::new(2).unwrap());
    let criteria = model.bind(&table).unwrap();
    assert!(criteria.is_of_sets() && criteria.ratio().is_none());
    assert_eq!(criteria.ratio_of_members().map(RatioDiversity::l), Some(2));
    assert_eq!(criteria.least_size(), 2);
    assert_eq!(criteria.max_posterior(), Some(fraction(1, 2)));
    let property = criteria.properties().next().unwrap();
    assert_eq!(property.name(), "ratio 2-diversity");
    // Three of four people have `a`, though no set occurs more than twice.
    let (refused, kept) = ([(0, 1), (1, 1), (2, 2)], [(0, 2), (1, 2)]);
    assert!(!property.holds(&Counts::new(&refused)) && property.holds(&Counts::new(&kept)));
    let measured = property.measure(&Counts::new(&refused));
    assert_eq!((measured.found, measured.bound), (0.75, 0.5));
    let plain = model.bind(&World::new(&[2, 2]).table).unwrap();
    assert!(!plain.is_of_sets() && plain.ratio_of_members().is_none());
}

/// A property that no model has: not convex, not monotone.
#[derive(Debug)]
struct Crooked;

impl Property for Crooked {
    fn name(&self) -> String {
        "crooked".to_owned()
    }

    fn traits(&self) -> Traits {
        Traits { is_convex: false, is_monotone: false, ..Traits::OF_DISTRIBUTIONS }
    }

    fn holds(&self, _: &Counts<'_>) -> bool {
        true
    }

    fn measure(&self, _: &Counts<'_>) -> super::super::Measured {
        unreachable!("it always holds")
    }
}

/// A future model may not be convex: then the engines must be told.
#[test]
fn what_is_not_convex_is_refused() {
    let straight = World::new(&[2, 2]).bind(&RatioDiversity::new(2).unwrap().into());
    assert!(straight.is_convex() && straight.is_monotone());
    assert_eq!(straight.check_convex(), Ok(()));
    let crooked = straight.beside(Arc::new(Crooked));
    assert!(!crooked.is_convex() && !crooked.is_monotone());
    assert!(matches!(crooked.check_convex(), Err(Error::NotConvex { .. })));
    // Facts that a property does not state default to the weakest claim.
    let property = crooked.properties().last().unwrap();
    assert_eq!((property.least_size(), property.max_posterior()), (1, None));
    assert!(!property.treats_values_alike() && property.classes().is_none());
}

/// Whether a group may be published regardless of conclusions: this depends on its size and weight,
/// not on its values.
#[test]
fn groups_are_admitted_by_size_and_weight() {
    let world = World::new(&[4; 4]);
    let admits = |requirement: Requirement, group: [u64; 4]| {
        let criteria = world.bind(&requirement);
        criteria.admit_group(&Counts::new(&entries(&group, 1)))
    };
    let anonymous = || Requirement::KAnonymity(KAnonymity { k: 3 });
    assert!(!admits(anonymous(), [1, 1, 0, 0]) && admits(anonymous(), [3, 0, 0, 0]));
    let distinct = || Requirement::Distinct(DistinctDiversity { l: 3 });
    assert!(!admits(distinct(), [1, 1, 0, 0]) && admits(distinct(), [3, 0, 0, 0]));
    // Large enough, but too light: values 0 and 2 have weight 0.
    let weighed = || l_alpha(Variant::Distinct, 2);
    assert!(!admits(weighed(), [3, 1, 0, 0]) && admits(weighed(), [0, 2, 0, 0]));
}

/// Measures name the value that stands out: the most frequent one that needs protection, the first
/// of equals; for categories, none.
#[test]
fn the_value_that_stands_out_is_named() {
    let plain = World::new(&[6; 4]);
    let exempt = World::new(&[6; 4]).with_exempt(&[false, true, false, false]);
    let named = |world: &World, requirement: &Requirement, group: [u64; 4]| {
        let criteria = world.bind(requirement);
        let measured = criteria.properties().next().unwrap();
        measured.measure(&Counts::new(&entries(&group, 1))).value
    };
    let entropy = Requirement::Entropy(EntropyDiversity { l: r(2, 1) });
    let recursive = Requirement::Recursive(RecursiveDiversity { c: r(2, 1), l: 2 });
    for requirement in [&entropy, &recursive] {
        assert_eq!(named(&plain, requirement, [1, 5, 2, 2]), Some(1));
        assert_eq!(named(&exempt, requirement, [1, 5, 2, 2]), Some(2));
    }
    assert_eq!(named(&plain, &l_alpha(Variant::Entropy, 1), [1, 5, 2, 2]), None);
    // The value whose share changes most, though it needs no protection.
    let disclosure = Requirement::DeltaDisclosure(DeltaDisclosure { delta: r(3, 1) });
    assert_eq!(named(&plain, &disclosure, [4, 12, 4, 3]), Some(1));
    assert_eq!(named(&exempt, &disclosure, [4, 12, 4, 3]), Some(3));
}

/// The measure shows the tilt that breaks a model, or else the tilt that changes it most, the first
/// of equals.
#[test]
fn the_worst_tilt_is_shown() {
    let world = World::new(&[1, 1]);
    let odds = Informed::new(r(3, 1), About::Few(1)).unwrap();
    let shown = |requirement: Requirement, world: &World, group: &[u64]| {
        let model = Model::from(requirement).against(odds);
        let criteria = model.bind(&world.table).unwrap();
        let property = criteria.properties().next().unwrap();
        property.measure(&Counts::new(&entries(group, 1)))
    };
    let ground = GroundDistance::Equal;
    let close = |t| Requirement::Closeness(TCloseness { t, ground });
    // Three to one is 1/4 away from one to one. Nine to one is 2/5 away and three to three is 0
    // away; the latter differs more from the 1/4 of three to one.
    assert_eq!(shown(close(r(1, 2)), &world, &[1, 1]).found, 0.25);
    assert_eq!(shown(close(r(1, 2)), &world, &[3, 1]).found, 0.0);
    assert_eq!(shown(close(r(3, 10)), &world, &[3, 1]).found, 0.4);
    // All values rise alike, so the first is named.
    let even = World::new(&[1, 1, 1]);
    let likeness = Requirement::Likeness(BetaLikeness { beta: r(5, 1), enhanced: false });
    assert_eq!(shown(likeness, &even, &[1, 1, 1]).value, Some(0));
}

/// A group has no more values than the table. If it had, there would be no guarantee.
#[test]
fn of_more_values_than_are_tried_nothing_is_said() {
    let counts: Vec<u64> = (0..13).map(|value| u64::from(value < 12)).collect();
    let world = World::new(&counts);
    let odds = Informed::new(r(2, 1), About::Few(1)).unwrap();
    let l = r(3, 2);
    let model = Model::from(Requirement::Entropy(EntropyDiversity { l })).against(odds);
    let criteria = model.bind(&world.table).unwrap();
    let holds = |group: &[u64]| criteria.hold_on_group(&Counts::new(&entries(group, 1)));
    assert!(holds(&counts));
    assert!(!holds(&[1; 13]));
}

/// Categories need not name values that nobody has.
#[test]
fn values_without_rows_need_no_category() {
    let bound = |counts: &[u64]| {
        let world = World::new(counts);
        Model::from(l_alpha(Variant::Distinct, 1)).bind(&world.table)
    };
    assert!(bound(&[1, 1, 1, 1, 0]).is_ok());
    let refused = bound(&[1, 1, 1, 1, 1]).unwrap_err().to_string();
    assert!(refused.contains("`v4` is in none"), "{refused}");
}
