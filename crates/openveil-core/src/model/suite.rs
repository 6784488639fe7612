//! The models that tests of the engines iterate over.

use super::*;
use crate::exact::Rational;

/// Every kind of model, with parameters that small tables can satisfy; their values are labelled 0,
/// 1, 2, ….
pub fn models(values: u32) -> Vec<Model> {
    let ratio = |l| Requirement::Ratio(RatioDiversity::new(l).unwrap());
    let share = Rational::new;
    let closeness = |ground| Requirement::Closeness(TCloseness { t: share(2, 5), ground });
    let l_alpha = |variant| {
        // Values 0 and 3, 1 and 4, 2 and 5 and so on share a category.
        let category = |first: u32| (first..values).step_by(3).map(|value| value.to_string());
        let categories = (0..values.min(3)).map(|first| category(first).collect());
        Requirement::LAlpha(LAlphaDiversity {
            variant,
            l: 2,
            alpha: share(1, 1),
            weights: CategoryWeights::Sensitivity { beta: 2 },
            categories: categories.collect(),
            over: Over::Categories,
        })
    };
    let single = vec![
        ratio(2),
        ratio(3),
        Requirement::KAnonymity(KAnonymity { k: 2 }),
        Requirement::Distinct(DistinctDiversity { l: 2 }),
        Requirement::Distinct(DistinctDiversity { l: 3 }),
        Requirement::Entropy(EntropyDiversity { l: share(9, 5) }),
        Requirement::Entropy(EntropyDiversity { l: share(2, 1) }),
        Requirement::Recursive(RecursiveDiversity { c: share(3, 2), l: 2 }),
        Requirement::AlphaK(AlphaKAnonymity { alpha: share(3, 5), k: 2 }),
        Requirement::PSensitive(PSensitiveKAnonymity { p: 2, k: 3 }),
        closeness(GroundDistance::Equal),
        closeness(GroundDistance::Ordered),
        Requirement::Breach(BreachLimit { rho1: share(1, 3), rho2: share(3, 5) }),
        Requirement::Generic(GenericDistance {
            distance: Distance::KullbackLeibler,
            bound: share(1, 2),
        }),
        Requirement::Likeness(BetaLikeness { beta: share(1, 1), enhanced: false }),
        Requirement::Likeness(BetaLikeness { beta: share(1, 1), enhanced: true }),
        Requirement::DeltaDisclosure(DeltaDisclosure { delta: share(7, 10) }),
        l_alpha(Variant::Distinct),
        l_alpha(Variant::Entropy),
        l_alpha(Variant::Recursive { c: share(2, 1) }),
    ];
    let both = vec![
        Requirement::KAnonymity(KAnonymity { k: 3 }),
        Requirement::Distinct(DistinctDiversity { l: 2 }),
    ];
    let mut models: Vec<Model> = single.into_iter().map(Model::from).collect();
    models.push(Model::all_of(both).unwrap());
    models
}
