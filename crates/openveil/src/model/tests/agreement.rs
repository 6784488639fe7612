//! Every property decides as its definition does, at any scale.

use super::super::{Counts, Scope};
use super::generators::scene;
use super::{Requirement, World};
use super::{entries, r};
use crate::model::{
    AlphaKAnonymity, BetaLikeness, BreachLimit, DeltaDisclosure, DistinctDiversity,
    EntropyDiversity, RecursiveDiversity,
};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6_000))]

    #[test]
    fn decisions_are_those_of_the_definitions((world, requirement, groups) in scene(4)) {
        for group in &groups {
            prop_assert_eq!(
                world.holds(&requirement, group),
                world.defined(&requirement, group),
                "{} on {:?}", requirement.name(), group
            );
        }
    }

    /// Of posteriors in huge weights as of small groups.
    #[test]
    fn distributions_are_judged_alike_at_any_scale((world, requirement, groups) in scene(2)) {
        let criteria = world.bind(&requirement);
        for group in &groups {
            let (small, large) = (entries(group, 1), entries(group, (1 << 119) - 1));
            for property in criteria.properties().filter(|p| p.traits().scope == Scope::Distribution) {
                prop_assert_eq!(
                    property.holds(&Counts::new(&small)),
                    property.holds(&Counts::new(&large)),
                    "{} on {:?}", property.name(), group
                );
            }
        }
    }

    /// A shortfall is reported if and only if something falls short, and in the
    /// right direction.
    #[test]
    fn explanations_go_with_decisions((world, requirement, groups) in scene(4)) {
        let criteria = world.bind(&requirement);
        for group in &groups {
            let counts = entries(group, 1);
            let counts = Counts::new(&counts);
            let explained = criteria.explain(&counts);
            prop_assert_eq!(explained.is_none(), criteria.hold_on_group(&counts));
            if let Some(shortfall) = explained {
                prop_assert!(!shortfall.measured.found.is_nan(), "{shortfall}");
            }
        }
    }

    /// A lower bound on sizes is one.
    #[test]
    fn no_group_that_satisfies_is_smaller_than_said((world, requirement, groups) in scene(4)) {
        // The engines promise l rows under the ratio even of exempt values.
        prop_assume!(!matches!(requirement, Requirement::Ratio(_)));
        let least = u64::from(world.bind(&requirement).least_size());
        for group in &groups {
            let size: u64 = group.iter().sum();
            prop_assert!(size >= least || !world.holds(&requirement, group));
        }
    }
}

/// Bounds met exactly: allowed where the definition says "at most" or "at least",
/// refused where it says "less than".
#[test]
fn bounds_are_met_exactly() {
    let world = World::new(&[4, 4, 4]);
    let recursive = |c| Requirement::Recursive(RecursiveDiversity { c, l: 2 });
    assert!(!world.holds(&recursive(r(1, 1)), &[3, 2, 1]));
    assert!(world.holds(&recursive(r(100_001, 100_000)), &[3, 2, 1]));
    let alpha = |alpha| Requirement::AlphaK(AlphaKAnonymity { alpha, k: 1 });
    assert!(world.holds(&alpha(r(1, 2)), &[3, 2, 1]));
    assert!(!world.holds(&alpha(r(49_999, 100_000)), &[3, 2, 1]));
    let breach = |rho2| {
        Requirement::Breach(BreachLimit {
            rho1: r(1, 3),
            rho2,
        })
    };
    assert!(!world.holds(&breach(r(1, 2)), &[3, 2, 1]));
    assert!(world.holds(&breach(r(50_001, 100_000)), &[3, 2, 1]));
    // No value is as rare as a little less than a third: nothing is asked.
    let rare = Requirement::Breach(BreachLimit {
        rho1: r(33, 100),
        rho2: r(1, 2),
    });
    assert!(world.holds(&rare, &[1, 0, 0]));
    let basic = |beta| {
        Requirement::Likeness(BetaLikeness {
            beta,
            enhanced: false,
        })
    };
    assert!(world.holds(&basic(r(1, 2)), &[3, 2, 1]));
    assert!(!world.holds(&basic(r(49_999, 100_000)), &[3, 2, 1]));
    // ln 2 = 0.693147…: the share 1/6 is half of 1/3.
    let disclosure = |delta| Requirement::DeltaDisclosure(DeltaDisclosure { delta });
    assert!(world.holds(&disclosure(r(693_148, 1_000_000)), &[3, 2, 1]));
    assert!(!world.holds(&disclosure(r(693_147, 1_000_000)), &[3, 2, 1]));
    assert!(!world.holds(&disclosure(r(1_000, 1)), &[3, 3, 0]));
}

#[test]
fn exempt_values_may_have_any_share() {
    let world = World::new(&[90, 5, 5]).with_exempt(&[true, false, false]);
    let free = [
        Requirement::AlphaK(AlphaKAnonymity {
            alpha: r(1, 10),
            k: 1,
        }),
        Requirement::Breach(BreachLimit {
            rho1: r(1, 2),
            rho2: r(6, 10),
        }),
        Requirement::Likeness(BetaLikeness {
            beta: r(1, 1),
            enhanced: true,
        }),
        Requirement::Entropy(EntropyDiversity { l: r(2, 1) }),
        Requirement::Distinct(DistinctDiversity { l: 2 }),
        Requirement::Recursive(RecursiveDiversity { c: r(1, 2), l: 2 }),
    ];
    for requirement in free {
        assert!(
            world.holds(&requirement, &[98, 1, 1]),
            "{}",
            requirement.name()
        );
        assert!(
            world.holds(&requirement, &[1, 0, 0]),
            "{}",
            requirement.name()
        );
    }
}
