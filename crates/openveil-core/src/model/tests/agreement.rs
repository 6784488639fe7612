//! Every property decides as its definition does, at any scale.

use super::super::{
    CategoryWeights, Counts, Distance, Failure, GroundDistance, LAlphaDiversity, Over, Scope,
    Variant,
};
use super::generators::scene;
use super::{Requirement, World, entries, r};
use crate::exact::{Rational, approximate};
use crate::model::{
    About, AlphaKAnonymity, BetaLikeness, BreachLimit, Criteria, DeltaDisclosure,
    DistinctDiversity, EntropyDiversity, GenericDistance, Informed, KAnonymity, Model,
    PSensitiveKAnonymity, Property, RecursiveDiversity, TCloseness,
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

    /// Posteriors in huge weights are decided like small groups: numbers of any length are exact.
    #[test]
    fn distributions_are_judged_alike_at_any_scale(
        (world, requirement, groups) in scene(2),
        length in prop_oneof![Just(119u32), 30..=119u32],
    ) {
        let criteria = world.bind(&requirement);
        for group in &groups {
            let (small, large) = (entries(group, 1), entries(group, (1 << length) - 1));
            for property in criteria.properties().filter(|p| p.traits().scope == Scope::Distribution) {
                prop_assert_eq!(
                    property.holds(&Counts::new(&small)),
                    property.holds(&Counts::new(&large)),
                    "{} on {:?}", property.name(), group
                );
            }
        }
    }

    /// Remembered answers are the answers that were computed, and only for the same question.
    #[test]
    fn what_is_kept_is_what_was_decided(
        (world, requirement, groups) in scene(4),
        odds in prop_oneof![Just(None), (2u64..4).prop_map(Some)],
    ) {
        let odds = odds.map(|odds| Informed::new(Rational::from_integer(odds), About::Few(1)).unwrap());
        let model = Model::from(requirement).against(odds);
        let criteria = model.bind(&world.table).unwrap();
        let kept = criteria.clone().remembering();
        for group in groups.iter().chain(&groups) {
            let counts = entries(group, 1);
            let counts = Counts::new(&counts);
            prop_assert_eq!(kept.hold_on_group(&counts), criteria.hold_on_group(&counts));
            prop_assert_eq!(kept.hold_on_posterior(&counts), criteria.hold_on_posterior(&counts));
            let explained = |criteria: &Criteria| criteria.explain(&counts).map(|found| format!("{found:?}"));
            prop_assert_eq!(explained(&kept), explained(&criteria));
        }
        let said = |criteria: &Criteria| (
            criteria.is_convex(),
            criteria.is_monotone(),
            criteria.max_posterior(),
            criteria.treats_values_alike(),
            criteria.least_size(),
            criteria.classes().map(<[u32]>::to_vec).collect::<Vec<_>>(),
            criteria.properties().map(Property::name).collect::<Vec<_>>(),
        );
        prop_assert_eq!(said(&kept), said(&criteria));
    }

    /// A shortfall is reported if and only if the definition is broken, with the
    /// numbers that a plain sum over all values gives.
    #[test]
    fn explanations_say_what_the_definitions_find((world, requirement, groups) in scene(4)) {
        let criteria = world.bind(&requirement);
        for group in &groups {
            let counts = entries(group, 1);
            let explained = criteria.explain(&Counts::new(&counts));
            prop_assert_eq!(explained.is_none(), world.defined(&requirement, group));
            let Some(shortfall) = explained else { continue };
            let (found, bound) = measured(&world, &requirement, group, &shortfall);
            prop_assert!(is_near(shortfall.measured.found, found), "{shortfall}, not {found}");
            prop_assert!(is_near(shortfall.measured.bound, bound), "{shortfall}, not {bound}");
        }
    }

    /// The lower bound on sizes holds.
    #[test]
    fn no_group_that_satisfies_is_smaller_than_said((world, requirement, groups) in scene(4)) {
        // Under the ratio, the engines guarantee l rows even if values are exempt.
        prop_assume!(!matches!(requirement, Requirement::Ratio(_)));
        let least = u64::from(world.bind(&requirement).least_size());
        for group in &groups {
            let size: u64 = group.iter().sum();
            prop_assert!(size >= least || !world.holds(&requirement, group));
        }
    }
}

/// Bounds that are met exactly: allowed if the definition says "at most" or "at least", refused if
/// it says "less than".
#[test]
fn bounds_are_met_exactly() {
    let world = World::new(&[4, 4, 4]);
    let recursive = |c| Requirement::Recursive(RecursiveDiversity { c, l: 2 });
    assert!(!world.holds(&recursive(r(1, 1)), &[3, 2, 1]));
    assert!(world.holds(&recursive(r(100_001, 100_000)), &[3, 2, 1]));
    let alpha = |alpha| Requirement::AlphaK(AlphaKAnonymity { alpha, k: 1 });
    assert!(world.holds(&alpha(r(1, 2)), &[3, 2, 1]));
    assert!(!world.holds(&alpha(r(49_999, 100_000)), &[3, 2, 1]));
    let breach = |rho2| Requirement::Breach(BreachLimit { rho1: r(1, 3), rho2 });
    assert!(!world.holds(&breach(r(1, 2)), &[3, 2, 1]));
    assert!(world.holds(&breach(r(50_001, 100_000)), &[3, 2, 1]));
    // No value is rarer than a little less than a third, so nothing is required.
    let rare = Requirement::Breach(BreachLimit { rho1: r(33, 100), rho2: r(1, 2) });
    assert!(world.holds(&rare, &[1, 0, 0]));
    let basic = |beta| Requirement::Likeness(BetaLikeness { beta, enhanced: false });
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
        Requirement::AlphaK(AlphaKAnonymity { alpha: r(1, 10), k: 1 }),
        Requirement::Breach(BreachLimit { rho1: r(1, 2), rho2: r(6, 10) }),
        Requirement::Likeness(BetaLikeness { beta: r(1, 1), enhanced: true }),
        Requirement::Entropy(EntropyDiversity { l: r(2, 1) }),
        Requirement::Distinct(DistinctDiversity { l: 2 }),
        Requirement::Recursive(RecursiveDiversity { c: r(1, 2), l: 2 }),
    ];
    for requirement in free {
        assert!(world.holds(&requirement, &[98, 1, 1]), "{}", requirement.name());
        assert!(world.holds(&requirement, &[1, 0, 0]), "{}", requirement.name());
    }
}

fn is_near(found: f64, expected: f64) -> bool {
    found == expected || (found - expected).abs() <= 1e-9 * expected.abs().max(1.0)
}

/// The figure of a broken requirement, and its bound, by its definition in floats.
fn measured(
    world: &World,
    requirement: &Requirement,
    group: &[u64],
    shortfall: &Failure,
) -> (f64, f64) {
    let size = group.iter().sum::<u64>() as f64;
    let least = |k: u32, otherwise: (f64, f64)| {
        let is_small = size < f64::from(k);
        if is_small { (size, k.into()) } else { otherwise }
    };
    let kinds = values(world, group);
    let is_protected = |&value: &usize| world.protected[value];
    let protected = || (0..group.len()).filter(is_protected);
    let share = |value: usize| group[value] as f64 / size;
    let prior = |value: usize| world.counts[value] as f64 / world.counts.iter().sum::<u64>() as f64;
    let highest = |values: &mut dyn Iterator<Item = usize>| values.map(share).fold(0.0, f64::max);
    let blamed = || shortfall.measured.value.expect("one value's fault") as usize;
    match requirement {
        Requirement::KAnonymity(KAnonymity { k }) => (size, f64::from(*k)),
        Requirement::Ratio(ratio) => (highest(&mut protected()), 1.0 / f64::from(ratio.l())),
        Requirement::Distinct(DistinctDiversity { l }) => (kinds.len() as f64, f64::from(*l)),
        Requirement::Entropy(EntropyDiversity { l }) => (perplexity(&kinds), approximate(l)),
        Requirement::Recursive(RecursiveDiversity { c, l }) => {
            (head_over_tail(&kinds, *l), approximate(c))
        }
        Requirement::AlphaK(AlphaKAnonymity { alpha, k }) => {
            least(*k, (highest(&mut protected()), approximate(alpha)))
        }
        Requirement::PSensitive(PSensitiveKAnonymity { p, k }) => {
            least(*k, (kinds.len() as f64, f64::from(*p)))
        }
        Requirement::Closeness(TCloseness { t, ground }) => {
            (moved(world, group, *ground), approximate(t))
        }
        Requirement::Breach(BreachLimit { rho1, rho2 }) => {
            let all: u64 = world.counts.iter().sum();
            let is_rare = |&value: &usize| Rational::new(world.counts[value], all) <= *rho1;
            (highest(&mut protected().filter(is_rare)), approximate(rho2))
        }
        Requirement::Generic(GenericDistance { distance, bound }) => {
            let pairs = (0..group.len()).map(|value| (share(value), prior(value)));
            let apart = pairs.clone().map(|(p, q)| (p - q).abs());
            let found = match distance {
                Distance::TotalVariation => apart.sum::<f64>() / 2.0,
                Distance::Maximum => apart.fold(0.0, f64::max),
                Distance::Euclidean => apart.map(|d| d * d).sum::<f64>().sqrt(),
                Distance::KullbackLeibler => {
                    pairs.filter(|&(p, _)| p > 0.0).map(|(p, q)| p * (p.ln() - q.ln())).sum()
                }
            };
            (found, approximate(bound))
        }
        Requirement::Likeness(BetaLikeness { beta, enhanced }) => {
            let (value, beta) = (blamed(), approximate(beta));
            let most = -prior(value).ln();
            let bound = if *enhanced { beta.min(most) } else { beta };
            assert!(world.protected[value]);
            (share(value) / prior(value) - 1.0, bound)
        }
        Requirement::DeltaDisclosure(DeltaDisclosure { delta }) => {
            assert!(world.protected[blamed()]);
            let ratio = share(blamed()) / prior(blamed());
            (ratio.ln().abs(), approximate(delta))
        }
        Requirement::LAlpha(parameters) => {
            let kinds = match parameters.over {
                Over::Values => kinds,
                Over::Categories => categories(world, group, parameters),
            };
            let l = f64::from(parameters.l);
            match parameters.variant {
                _ if shortfall.measured.what.contains("weight") => {
                    (weight(group, parameters), approximate(&parameters.alpha))
                }
                Variant::Distinct => (kinds.len() as f64, l),
                Variant::Entropy => (perplexity(&kinds), l),
                Variant::Recursive { c } => (head_over_tail(&kinds, parameters.l), approximate(&c)),
            }
        }
    }
}

/// Rows of a value or category that occurs, and whether it needs protection.
type Kind = (f64, bool);

fn values(world: &World, group: &[u64]) -> Vec<Kind> {
    group
        .iter()
        .zip(&world.protected)
        .filter(|&(&count, _)| count > 0)
        .map(|(&count, &own)| (count as f64, own))
        .collect()
}

fn members(labels: &[String], values: usize) -> impl Iterator<Item = usize> {
    (0..values).filter(move |value| labels.contains(&format!("v{value}")))
}

fn categories(world: &World, group: &[u64], parameters: &LAlphaDiversity) -> Vec<Kind> {
    let kind = |labels: &Vec<String>| -> Kind {
        let members = || members(labels, group.len());
        let rows: u64 = members().map(|value| group[value]).sum();
        (rows as f64, members().any(|value| world.protected[value]))
    };
    parameters.categories.iter().map(kind).filter(|kind| kind.0 > 0.0).collect()
}

/// e to the entropy: the greatest over all choices of exempt kinds that count in full, with the
/// others cut down to the best level t.
fn perplexity(kinds: &[Kind]) -> f64 {
    let exempt: Vec<f64> = kinds.iter().filter(|kind| !kind.1).map(|kind| kind.0).collect();
    let with = |chosen: u32| {
        let is_chosen = |index: &usize| chosen >> index & 1 == 1;
        let protected = kinds.iter().filter(|kind| kind.1).map(|kind| kind.0);
        let taken = (0..exempt.len()).filter(is_chosen).map(|index| exempt[index]);
        let full: Vec<f64> = protected.chain(taken).collect();
        let rows: f64 = full.iter().sum();
        let t = (full.iter().map(|count| count * count.ln()).sum::<f64>() / rows).exp();
        let mut cut = (0..exempt.len()).filter(|index| !is_chosen(index));
        let is_possible = cut.clone().all(|index| exempt[index] >= t - 1e-9);
        let found = rows / t + cut.by_ref().count() as f64;
        if is_possible { found } else { 0.0 }
    };
    (0..1 << exempt.len()).map(with).fold(0.0, f64::max)
}

/// Definition 4.4 of the l-diversity paper: r_y divided by the tail that it is compared with.
fn head_over_tail(kinds: &[Kind], l: u32) -> f64 {
    let mut ranked = kinds.to_vec();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let y = ranked.iter().position(|kind| kind.1).expect("a protected kind") + 1;
    let l = l as usize;
    let in_tail = |&j: &usize| if y < l { j >= l } else { j >= l - 1 && j != y };
    let tail: f64 = (1..=ranked.len()).filter(in_tail).map(|j| ranked[j - 1].0).sum();
    ranked[y - 1].0 / tail
}

/// Total weight: w(1) = 0, steps of 1 or 1/i^β, the last weight 1.
fn weight(group: &[u64], parameters: &LAlphaDiversity) -> f64 {
    let step = |i: usize| match parameters.weights {
        CategoryWeights::Uniform => 1.0,
        CategoryWeights::Sensitivity { beta } => (i as f64).powi(beta as i32).recip(),
    };
    let height = |category: usize| (1..=category).map(step).sum::<f64>();
    let last = height(parameters.categories.len() - 1);
    let rows = |labels: &Vec<String>| -> u64 {
        members(labels, group.len()).map(|value| group[value]).sum()
    };
    parameters
        .categories
        .iter()
        .map(rows)
        .enumerate()
        .map(|(category, rows)| height(category) / last * rows as f64)
        .sum()
}

/// The cost of turning the table's distribution into the group's.
fn moved(world: &World, group: &[u64], ground: GroundDistance) -> f64 {
    let (size, rows) = (group.iter().sum::<u64>(), world.counts.iter().sum::<u64>());
    let surplus: Vec<f64> = (0..group.len())
        .map(|value| group[value] as f64 / size as f64 - world.counts[value] as f64 / rows as f64)
        .collect();
    match ground {
        GroundDistance::Equal => surplus.iter().map(|extra| extra.abs()).sum::<f64>() / 2.0,
        GroundDistance::Ordered => {
            let occurring = (0..group.len()).filter(|&value| world.counts[value] > 0);
            let steps = occurring.clone().count().saturating_sub(1).max(1) as f64;
            let mut upto = 0.0;
            occurring
                .map(|value| {
                    upto += surplus[value];
                    f64::abs(upto)
                })
                .sum::<f64>()
                / steps
        }
        GroundDistance::Hierarchical => moved_in_tree(world, &surplus),
    }
}

/// The distance of two values is the height of their common ancestor, half of it up and half of it
/// down. The surplus or deficit below a node moves over the edge above it.
fn moved_in_tree(world: &World, surplus: &[f64]) -> f64 {
    let tree = world.table.secret().hierarchy().expect("a hierarchy");
    let mut height = vec![0.0; tree.node_count()];
    for node in (1..tree.node_count()).rev() {
        let above = tree.parent(node as u32).expect("not the root") as usize;
        height[above] = f64::max(height[above], height[node] + 1.0);
    }
    let (mut below, mut cost) = (vec![0.0; tree.node_count()], 0.0);
    for (leaf, label) in (0..).zip(tree.leaf_labels()) {
        let value = (0..surplus.len()).find(|value| label == format!("v{value}"));
        let (node, extra) =
            (tree.common_ancestor(leaf, leaf) as usize, surplus[value.expect("a value")]);
        // A value that stands above others hangs below its own node.
        cost += extra.abs() * height[node] / 2.0;
        below[node] += extra;
    }
    for node in (1..tree.node_count()).rev() {
        let above = tree.parent(node as u32).expect("not the root") as usize;
        cost += f64::abs(below[node]) * (height[above] - height[node]) / 2.0;
        below[above] += below[node];
    }
    cost / height[0].max(1.0)
}

/// e lies between two fractions that floats cannot tell apart, so the decision must be exact.
#[test]
fn limits_are_exact_where_floats_see_nothing() {
    let above = (22_526_049_624_551u128, 8_286_870_547_680u128);
    let below = (23_624_177_026_682u128, 8_690_849_042_711u128);
    assert_eq!(above.0 as f64 / above.1 as f64, below.0 as f64 / below.1 as f64);
    let delta = Requirement::DeltaDisclosure(DeltaDisclosure { delta: r(1, 1) });
    let holds = |whole: [u64; 2], counts: [u128; 2]| {
        let entries = [(0, counts[0]), (1, counts[1])];
        World::new(&whole).bind(&delta).hold_on_group(&Counts::new(&entries))
    };
    for ((up, down), is_below) in [(above, false), (below, true)] {
        // A value with a fourth of the table has nearly e times that share in the group; then the
        // opposite.
        assert_eq!(holds([2, 6], [up, 4 * down - up]), is_below);
        assert_eq!(holds([2, 2], [down, 2 * up - down]), is_below);
    }
}

/// More values than are sorted on the stack.
#[test]
fn many_values_are_recursively_diverse_like_few() {
    for values in [3u32, 63, 64, 65, 70] {
        let world = World::new(&vec![1; values as usize]);
        let even = vec![1; values as usize];
        let holds =
            |l: u32, c| world.holds(&Requirement::Recursive(RecursiveDiversity { c, l }), &even);
        // The most frequent compared with the two, or the one, that the l − 1 most frequent leave.
        assert!(holds(values - 1, r(1, 1)) && !holds(values - 1, r(1, 2)), "{values}");
        assert!(!holds(values, r(1, 1)) && holds(values, r(3, 2)), "{values}");
    }
}
