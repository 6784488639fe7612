//! Privacy models in words, and with their parameters.

use openveil::exact::{Rational, text};
use openveil::model::{GroundDistance, LAlpha, Over, Requirement, Variant, Weights};
use serde_json::{Value, json};

/// What a requirement means for the people of a release.
pub(super) fn in_words(requirement: &Requirement) -> String {
    match requirement {
        Requirement::KAnonymity { k } => at_least(*k),
        Requirement::Ratio(ratio) => {
            format!("no value is more probable than 1/{} for anybody", ratio.l())
        }
        Requirement::Distinct { l } => {
            format!("at least {l} values remain possible for everybody")
        }
        Requirement::Entropy { l } => format!(
            "what is unknown of anybody's value is as much as among {} equally probable ones",
            text(*l)
        ),
        Requirement::Recursive { c, l } => format!(
            "the most probable value of anybody is less probable than {} times all but the {} most probable ones together",
            text(*c),
            l - 1
        ),
        Requirement::AlphaK { alpha, k } => format!(
            "no value is more probable than {} for anybody, and {}",
            text(*alpha),
            at_least(*k)
        ),
        Requirement::PSensitive { p, k } => format!(
            "at least {p} values remain possible for everybody, and {}",
            at_least(*k)
        ),
        Requirement::Closeness { t, ground } => closeness(*t, *ground),
        Requirement::Breach { rho1, rho2 } => format!(
            "no value with a share of at most {} in the whole table is as probable as {} for anybody",
            text(*rho1),
            text(*rho2)
        ),
        Requirement::Generic { distance, bound } => format!(
            "what can be learned of anybody is within {} of the whole table's distribution ({} distance)",
            text(*bound),
            distance.name()
        ),
        Requirement::Likeness { beta, enhanced } => likeness(*beta, *enhanced),
        Requirement::DeltaDisclosure { delta } => format!(
            "no value is more or less probable for anybody than in the whole table by a factor of e^{}",
            text(*delta)
        ),
        Requirement::LAlpha(parameters) => l_alpha(parameters),
    }
}

fn at_least(k: u32) -> String {
    format!("every group has at least {k} people")
}

fn closeness(t: Rational, ground: GroundDistance) -> String {
    let ground = match ground {
        GroundDistance::Equal => "all values equally far apart",
        GroundDistance::Ordered => "values as far apart as their ranks",
        GroundDistance::Hierarchical => "values as far apart as their hierarchy says",
    };
    format!(
        "what can be learned of anybody is within {} of the whole table's distribution, with {ground}",
        text(t)
    )
}

fn likeness(beta: Rational, enhanced: bool) -> String {
    let limit = match enhanced {
        true => format!("{}, or −ln of that share if it is less", text(beta)),
        false => text(beta),
    };
    format!(
        "no value is more probable for anybody than its share in the whole table by more than that share times {limit}"
    )
}

fn l_alpha(parameters: &LAlpha) -> String {
    let what = match parameters.over {
        Over::Categories => "categories",
        Over::Values => "values",
    };
    let l = parameters.l;
    let diverse = match parameters.variant {
        Variant::Distinct => format!("at least {l} {what} remain possible for everybody"),
        Variant::Entropy => {
            format!("what is unknown of anybody is as much as among {l} equally probable {what}")
        }
        Variant::Recursive { c } => format!(
            "the most probable of anybody's {what} is less probable than {} times all but the {} most probable ones together",
            text(c),
            l - 1
        ),
    };
    let alpha = text(parameters.alpha);
    format!("{diverse}, and the values of every group weigh at least {alpha}")
}

/// The name, the variant and the parameters of a requirement, as in policies.
pub(super) fn parameters(
    requirement: &Requirement,
) -> (
    &'static str,
    Option<&'static str>,
    Vec<(&'static str, Value)>,
) {
    let exact = |parameter: &Rational| Value::from(text(*parameter));
    let (variant, parameters) = match requirement {
        Requirement::KAnonymity { k } => (None, vec![("k", json!(k))]),
        Requirement::Ratio(ratio) => (Some("ratio"), vec![("l", json!(ratio.l()))]),
        Requirement::Distinct { l } => (Some("distinct"), vec![("l", json!(l))]),
        Requirement::Entropy { l } => (Some("entropy"), vec![("l", exact(l))]),
        Requirement::Recursive { c, l } => {
            (Some("recursive"), vec![("c", exact(c)), ("l", json!(l))])
        }
        Requirement::AlphaK { alpha, k } => (None, vec![("alpha", exact(alpha)), ("k", json!(k))]),
        Requirement::PSensitive { p, k } => (None, vec![("p", json!(p)), ("k", json!(k))]),
        Requirement::Closeness { t, ground } => (
            None,
            vec![("t", exact(t)), ("distance", json!(ground.name()))],
        ),
        Requirement::Breach { rho1, rho2 } => {
            (None, vec![("rho1", exact(rho1)), ("rho2", exact(rho2))])
        }
        Requirement::Generic { distance, bound } => (
            None,
            vec![
                ("distance", json!(distance.name())),
                ("bound", exact(bound)),
            ],
        ),
        Requirement::Likeness { beta, enhanced } => {
            let variant = if *enhanced { "enhanced" } else { "basic" };
            (Some(variant), vec![("beta", exact(beta))])
        }
        Requirement::DeltaDisclosure { delta } => (None, vec![("delta", exact(delta))]),
        Requirement::LAlpha(parameters) => {
            let (variant, parameters) = of_l_alpha(parameters);
            (Some(variant), parameters)
        }
    };
    (requirement.model(), variant, parameters)
}

fn of_l_alpha(parameters: &LAlpha) -> (&'static str, Vec<(&'static str, Value)>) {
    let mut list = vec![
        ("l", json!(parameters.l)),
        ("alpha", text(parameters.alpha).into()),
        ("categories", json!(parameters.categories)),
    ];
    let over = match parameters.over {
        Over::Categories => "categories",
        Over::Values => "values",
    };
    list.push(("over", over.into()));
    match parameters.weights {
        Weights::Uniform => list.push(("weights", "uniform".into())),
        Weights::Sensitivity { beta } => {
            list.extend([("weights", "sensitivity".into()), ("beta", beta.into())]);
        }
    }
    let variant = match parameters.variant {
        Variant::Distinct => "distinct",
        Variant::Entropy => "entropy",
        Variant::Recursive { c } => {
            list.push(("c", text(c).into()));
            "recursive"
        }
    };
    (variant, list)
}
