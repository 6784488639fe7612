use super::*;
use crate::exact::Rational;
use crate::model::{CategoryWeights, Distance, GroundDistance, Over, Value, Variant};
use num_traits::One;

fn refused(requirement: Requirement) -> String {
    requirement.check().unwrap_err().to_string()
}

#[test]
fn parameters_out_of_range_are_named() {
    let r = Rational::new;
    let ground = GroundDistance::Equal;
    let cases = [
        (Requirement::KAnonymity(KAnonymity { k: 0 }), "`k = 0`"),
        (Requirement::Distinct(DistinctDiversity { l: 1 }), "`l = 1`"),
        (Requirement::Entropy(EntropyDiversity { l: r(1, 1) }), "`l = 1`"),
        (Requirement::Recursive(RecursiveDiversity { c: r(0, 1), l: 2 }), "`c = 0`"),
        (Requirement::Recursive(RecursiveDiversity { c: r(1, 1), l: 1 }), "`l = 1`"),
        (Requirement::AlphaK(AlphaKAnonymity { alpha: r(1, 1), k: 2 }), "`alpha = 1`"),
        (Requirement::PSensitive(PSensitiveKAnonymity { p: 3, k: 2 }), "`p = 3`"),
        (Requirement::Closeness(TCloseness { t: r(0, 1), ground }), "`t = 0`"),
        (Requirement::Breach(BreachLimit { rho1: r(1, 2), rho2: r(1, 2) }), "`rho2 = 0.5`"),
        (Requirement::Likeness(BetaLikeness { beta: r(0, 1), enhanced: true }), "`beta = 0`"),
        (Requirement::DeltaDisclosure(DeltaDisclosure { delta: r(0, 1) }), "`delta = 0`"),
        (
            Requirement::Generic(GenericDistance { distance: Distance::Maximum, bound: r(0, 1) }),
            "`bound = 0`",
        ),
    ];
    for (requirement, parameter) in cases {
        let message = refused(requirement);
        assert!(message.contains(parameter), "{message}");
    }
}

#[test]
fn categories_are_at_least_two_and_disjoint() {
    let with = |categories: &[&[&str]]| {
        let list = |values: &&[&str]| values.iter().map(|value| value.to_string()).collect();
        Requirement::LAlpha(LAlphaDiversity {
            variant: Variant::Distinct,
            l: 2,
            alpha: Rational::one(),
            weights: CategoryWeights::Uniform,
            categories: categories.iter().map(list).collect(),
            over: Over::Values,
        })
    };
    assert_eq!(with(&[&["a"], &["b", "c"]]).check(), Ok(()));
    assert!(refused(with(&[&["a"]])).contains("at least two lists"));
    assert!(refused(with(&[&["a"], &[]])).contains("at least two lists"));
    assert!(refused(with(&[&["a"], &["b", "a"]])).contains("two of the"));
}

/// Parameters from the text of each, as a policy has it.
fn parameters(entries: &[(&str, &str)]) -> Parameters {
    let mut parameters = Parameters::default();
    for (name, value) in entries {
        parameters.set(name, Value::Text((*value).to_owned()));
    }
    parameters
}

#[test]
fn a_variant_that_is_not_named_is_the_ratio() {
    let plain = parameters(&[("model", "l-diversity"), ("l", "3")]);
    let ratio = RatioDiversity::new(3).unwrap();
    assert_eq!(plain.requirement(), Ok(Requirement::Ratio(ratio)));
    let entropy = parameters(&[("model", "l-diversity"), ("variant", "entropy"), ("l", "5/2")]);
    let l = Rational::new(5, 2);
    assert_eq!(entropy.requirement(), Ok(EntropyDiversity { l }.into()));
}

#[test]
fn what_is_wrong_with_parameters_is_said() {
    let cases: [(&[(&str, &str)], &str); 7] = [
        (&[("l", "3")], "names no `model`"),
        (&[("model", "k-anonymity")], "the model `k-anonymity` needs `k`"),
        (&[("model", "k-anonymity"), ("k", "2.5")], "`k = 2.5` is not a whole number"),
        (&[("model", "k-anonymity"), ("k", "2"), ("l", "2")], "unknown field `l`, expected `k`"),
        (
            &[("model", "l-diversity"), ("variant", "entrpy"), ("l", "2")],
            "unknown variant `entrpy`, expected one of `ratio`, `distinct`",
        ),
        // For an unknown model the variant is ignored.
        (
            &[("model", "k-anonimity"), ("variant", "entropy")],
            "unknown variant `k-anonimity`, expected one of `l-diversity`, `k-anonymity`",
        ),
        (
            &[("model", "k-anonimity")],
            "unknown variant `k-anonimity`, expected one of `l-diversity`, `k-anonymity`",
        ),
    ];
    for (entries, expected) in cases {
        let message = parameters(entries).requirement().unwrap_err();
        assert!(message.contains(expected), "{message}");
    }
}
