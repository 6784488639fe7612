//! Random worlds, groups and requirements.

use super::super::{
    AlphaKAnonymity, BetaLikeness, BreachLimit, CategoryWeights, DeltaDisclosure, Distance,
    DistinctDiversity, EntropyDiversity, GenericDistance, GroundDistance, KAnonymity,
    LAlphaDiversity, Over, PSensitiveKAnonymity, RatioDiversity, RecursiveDiversity, Requirement,
    TCloseness, Variant,
};
use super::{Rational, World};
use crate::hierarchy::Hierarchy;
use proptest::prelude::*;

/// A world of up to six values, some of them exempt, with a hierarchy, and groups of the values
/// that occur in it.
pub(super) fn world_and_groups(groups: usize) -> impl Strategy<Value = (World, Vec<Vec<u64>>)> {
    let counts = prop::collection::vec(0u64..8, 1..=6)
        .prop_filter("rows", |counts| counts.iter().sum::<u64>() > 0);
    (counts, any::<[u8; 6]>(), any::<[u8; 6]>(), 0..3u8).prop_flat_map(
        move |(counts, above, exempt, exempting)| {
            let present: Vec<bool> = counts.iter().map(|&count| count > 0).collect();
            let exempt: Vec<bool> = exempt[..counts.len()]
                .iter()
                .map(|&byte| exempting == 0 && byte % 3 == 0)
                .collect();
            let world = World::new(&counts)
                .with_exempt(&exempt)
                .with_hierarchy(hierarchy(&above[..counts.len()]));
            let own = move || group(present.clone());
            (Just(world), prop::collection::vec(own(), groups))
        },
    )
}

/// Few rows, so that bounds are often met exactly.
fn group(present: Vec<bool>) -> impl Strategy<Value = Vec<u64>> {
    let counts = prop::collection::vec(prop_oneof![Just(0), 0u64..5, 0u64..12], present.len());
    counts.prop_map(move |counts| {
        let mut counts: Vec<u64> =
            counts.iter().zip(&present).map(|(&count, &here)| count * u64::from(here)).collect();
        if counts.iter().all(|&count| count == 0) {
            counts.iter_mut().zip(&present).for_each(|(c, &here)| *c = here.into());
        }
        counts
    })
}

/// Paths of up to three steps; a value may stand above others.
fn hierarchy(above: &[u8]) -> Hierarchy {
    let path = |(value, byte): (usize, &u8)| {
        let mut path = vec![format!("v{value}")];
        match byte % 5 {
            0 => {}
            1 => path.push("g0".to_owned()),
            branch => path.extend([format!("h{branch}"), format!("g{}", branch % 2)]),
        }
        // The first value is itself the branch above some of the others.
        if value > 0 && byte % 7 == 0 {
            path = vec![format!("v{value}"), "v0".to_owned()];
        }
        path.push("*".to_owned());
        path
    };
    let mut paths: Vec<Vec<String>> = above.iter().enumerate().map(path).collect();
    paths[0] = vec!["v0".to_owned(), "*".to_owned()];
    Hierarchy::from_paths(paths).unwrap()
}

/// A fraction with a small denominator, at least `least` and below `below`.
fn rational(least: u64, below: u64) -> impl Strategy<Value = Rational> {
    (1u64..=12).prop_flat_map(move |denominator| {
        let numerators = (least * denominator + 1)..=(below * denominator);
        numerators.prop_map(move |numerator| Rational::new(numerator, denominator))
    })
}

fn proper() -> impl Strategy<Value = Rational> {
    (2u64..=12).prop_flat_map(|d| (1..d).prop_map(move |n| Rational::new(n, d)))
}

fn plain() -> BoxedStrategy<Requirement> {
    let ground = prop_oneof![
        Just(GroundDistance::Equal),
        Just(GroundDistance::Ordered),
        Just(GroundDistance::Hierarchical)
    ];
    let distance = prop_oneof![
        Just(Distance::TotalVariation),
        Just(Distance::Maximum),
        Just(Distance::Euclidean),
        Just(Distance::KullbackLeibler)
    ];
    prop_oneof![
        (1u32..20).prop_map(|k| Requirement::KAnonymity(KAnonymity { k })),
        (2u32..6).prop_map(|l| Requirement::Ratio(RatioDiversity::new(l).unwrap())),
        (2u32..6).prop_map(|l| Requirement::Distinct(DistinctDiversity { l })),
        rational(1, 5).prop_map(|l| Requirement::Entropy(EntropyDiversity { l })),
        (rational(0, 4), 2u32..5)
            .prop_map(|(c, l)| Requirement::Recursive(RecursiveDiversity { c, l })),
        (proper(), 1u32..9)
            .prop_map(|(alpha, k)| Requirement::AlphaK(AlphaKAnonymity { alpha, k })),
        (2u32..5, 5u32..9)
            .prop_map(|(p, k)| Requirement::PSensitive(PSensitiveKAnonymity { p, k })),
        (proper(), ground).prop_map(|(t, ground)| Requirement::Closeness(TCloseness { t, ground })),
        (proper(), rational(0, 1))
            .prop_filter("a rise", |(rho1, rho2)| rho1 < rho2)
            .prop_map(|(rho1, rho2)| Requirement::Breach(BreachLimit { rho1, rho2 })),
        (distance, rational(0, 1)).prop_map(|(distance, bound)| Requirement::Generic(
            GenericDistance { distance, bound }
        )),
        (rational(0, 4), any::<bool>())
            .prop_map(|(beta, enhanced)| Requirement::Likeness(BetaLikeness { beta, enhanced })),
        rational(0, 4).prop_map(|delta| Requirement::DeltaDisclosure(DeltaDisclosure { delta })),
    ]
    .boxed()
}

fn l_alpha(values: usize) -> BoxedStrategy<Requirement> {
    let variant = prop_oneof![
        Just(Variant::Distinct),
        Just(Variant::Entropy),
        rational(0, 4).prop_map(|c| Variant::Recursive { c })
    ];
    let weights = prop_oneof![
        Just(CategoryWeights::Uniform),
        (1u32..4).prop_map(|beta| CategoryWeights::Sensitivity { beta })
    ];
    let over = prop_oneof![Just(Over::Categories), Just(Over::Values)];
    let categories = prop::collection::vec(0usize..4, values);
    (variant, 2u32..5, rational(0, 5), weights, categories, over)
        .prop_map(|(variant, l, alpha, weights, of, over)| {
            let mut categories = vec![Vec::new(); 4];
            for (value, category) in of.into_iter().enumerate() {
                categories[category].push(format!("v{value}"));
            }
            categories.retain(|category| !category.is_empty());
            Requirement::LAlpha(LAlphaDiversity { variant, l, alpha, weights, categories, over })
        })
        .prop_filter("several categories", |requirement| requirement.check().is_ok())
        .boxed()
}

/// Any requirement that fits the world.
pub(super) fn requirement(world: &World) -> BoxedStrategy<Requirement> {
    match world.counts.len() {
        1 => plain(),
        values => prop_oneof![3 => plain(), 1 => l_alpha(values)].boxed(),
    }
}

/// A world, a requirement, and groups.
pub(super) fn scene(groups: usize) -> impl Strategy<Value = (World, Requirement, Vec<Vec<u64>>)> {
    world_and_groups(groups).prop_flat_map(|(world, groups)| {
        let requirement = requirement(&world);
        (Just(world), requirement, Just(groups))
    })
}
