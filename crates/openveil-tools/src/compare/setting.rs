//! Ways of publishing: policies, with some parameters replaced.

use super::{CompareRequest, refused};
use openveil_core::model::{Model, Parameters, Requirement};
use openveil_core::release::Style;
use openveil_io::policy::{Extra, Policy};
use openveil_io::{Error, Location};
use openveil_text::text;
use serde_json::Value;

/// One way of publishing.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The number of the policy in the request.
    pub policy: usize,
    /// The policy with the parameters of this setting.
    pub made: Policy,
    /// The l of its model, if that has one.
    pub l: Option<u32>,
}

/// The greatest l that is tried.
const MOST: u32 = 1_000;

/// Parses values of l: `2..8`, or `2,4,6`; from 2 to 1,000.
///
/// # Errors
/// A text of another form.
pub fn values_of_l(text: &str) -> Result<Vec<u32>, Error> {
    let number = |text: &str| {
        let number = text.trim().parse::<u32>().ok();
        number.filter(|l| (2..=MOST).contains(l))
    };
    let found = match text.split_once("..") {
        Some((first, last)) => match (number(first), number(last.trim_start_matches('='))) {
            (Some(first), Some(last)) if first <= last => Some((first..=last).collect()),
            _ => None,
        },
        None => text.split(',').map(number).collect(),
    };
    found.ok_or_else(|| {
        let problem =
            text!("l = `{text}` is neither a range nor a list of whole numbers from 2 to {MOST}");
        refused(problem, "write a range such as 2..8, or a list such as 2,4,6")
    })
}

/// Returns all requested combinations.
pub(super) fn settings(request: &CompareRequest) -> Result<Vec<Setting>, Error> {
    if request.policies.is_empty() || request.trials == 0 || request.queries == 0 {
        return Err(refused(
            "there is nothing to compare",
            "name a policy, and at least one trial and one query",
        ));
    }
    let mut settings = Vec::new();
    for (number, policy) in request.policies.iter().enumerate() {
        policy.allow(Extra::Compare)?;
        for model in models(policy, &request.l)? {
            for algorithm in or_own(&request.algorithms, policy.method.algorithm) {
                for style in or_own(&request.styles, policy.output.style) {
                    let mut made = policy.clone();
                    made.privacy.model = model.clone();
                    made.method.algorithm = algorithm;
                    made.output.style = style;
                    settings.push(Setting { policy: number, l: l_of(&model), made });
                }
            }
        }
    }
    Ok(settings)
}

fn or_own<T: Copy>(asked: &[T], own: T) -> Vec<T> {
    match asked {
        [] => vec![own],
        _ => asked.to_vec(),
    }
}

/// Returns the policy's model with each of these values of l.
fn models(policy: &Policy, l: &[u32]) -> Result<Vec<Model>, Error> {
    if l.is_empty() {
        return Ok(vec![policy.privacy.model.clone()]);
    }
    if l_of(&policy.privacy.model).is_none() {
        let problem = text!("has {}, which has no whole `l`", policy.privacy.model);
        return Err(Error::new(Location::file(&policy.path), problem)
            .help(text!("leave `--l` out, and name a policy for each set of parameters")));
    }
    l.iter().map(|&l| with_l(policy, l)).collect()
}

/// Returns the `l` of the first requirement that has one, if it is a whole number.
fn l_of(model: &Model) -> Option<u32> {
    model.requirements().iter().find_map(|requirement| {
        let parameters = serde_json::to_value(requirement).ok()?;
        number(parameters.get("l")?)
    })
}

/// Returns a whole number, written as a number or as text.
fn number(value: &Value) -> Option<u32> {
    match value {
        Value::Number(number) => u32::try_from(number.as_u64()?).ok(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// Returns the model with another `l` wherever it has one.
fn with_l(policy: &Policy, l: u32) -> Result<Model, Error> {
    let failed = |cause: String| {
        let problem = text!("does not take l = {l}: {cause}");
        Error::new(Location::file(&policy.path), problem).help(text!("choose another `--l`"))
    };
    let requirements = policy
        .privacy
        .model
        .requirements()
        .iter()
        .map(|requirement| {
            let mut parameters =
                serde_json::to_value(requirement).map_err(|cause| failed(cause.to_string()))?;
            if let Some(own) = parameters.get_mut("l") {
                *own = l.into();
            }
            let parameters: Parameters =
                serde_json::from_value(parameters).map_err(|cause| failed(cause.to_string()))?;
            parameters.requirement().map_err(failed)
        })
        .collect::<Result<Vec<Requirement>, Error>>()?;
    let model = Model::all_of(requirements).map_err(|cause| failed(cause.to_string()))?;
    Ok(model.against(policy.privacy.model.informed()))
}

impl Setting {
    /// The policy's file name without its ending.
    pub fn policy_name(&self) -> String {
        let stem = self.made.path.file_stem();
        stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
    }

    /// The algorithm's name.
    pub fn algorithm(&self) -> &'static str {
        self.made.method.algorithm.name()
    }

    /// The style of the release.
    pub fn style(&self) -> Style {
        self.made.output.style
    }
}
