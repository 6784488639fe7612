//! The section `[privacy]`: parameters become a model, or an error with its line.

use super::errors;
use super::written::WrittenPolicy;
use crate::Error;
use crate::spelling::{did_you_mean, not_here};
use openveil_core::model::{Model, Parameters, Requirement, Value};
use openveil_text::{Text, text};
use std::ops::Range;
use toml::Spanned;

/// Keys of the section that belong to no model.
const OF_SECTION: [&str; 5] = ["strata", "combine", "protect", "link", "smallest-group"];

/// Makes the model of a `[privacy]` section.
pub(super) fn model(
    check: &WrittenPolicy<'_>,
    section: &Spanned<Parameters>,
) -> Result<Model, Error> {
    let reader = ParameterReader { check, span: section.span() };
    reader.model(section.get_ref().clone())
}

/// Reads the parameters at one place of the policy.
struct ParameterReader<'a> {
    check: &'a WrittenPolicy<'a>,
    span: Range<usize>,
}

impl ParameterReader<'_> {
    fn model(&self, mut section: Parameters) -> Result<Model, Error> {
        OF_SECTION.into_iter().for_each(|key| {
            section.take(key);
        });
        let Some(all) = section.take("all") else {
            return Ok(self.requirement(section)?.into());
        };
        if let Some(key) = section.names().next() {
            let problem = format!("`{key}` appears beside `all`");
            let help = "write each model of `all` with its own parameters, in its own braces";
            return Err(self.error(&problem).help(help));
        }
        let help = || text!("list models, as in `all = [{{ model = \"k-anonymity\", k = 5 }}]`");
        let Value::List(all) = all else {
            return Err(self.error("`all` is not a list").help(help()));
        };
        let requirements = all
            .into_iter()
            .map(|entry| match entry {
                Value::Table(parameters) => self.inside(parameters),
                _ => Err(self.error("`all` lists something that is not a model").help(help())),
            })
            .collect::<Result<Vec<Requirement>, Error>>()?;
        Model::all_of(requirements).map_err(|_| self.error("`all` is empty").help(help()))
    }

    /// Reads one model of several.
    fn inside(&self, parameters: Parameters) -> Result<Requirement, Error> {
        if let Some(key) =
            parameters.names().find(|name| *name == "all" || OF_SECTION.contains(name))
        {
            return Err(self.error(&format!("`{key}` is not allowed inside `all`")));
        }
        self.requirement(parameters)
    }

    fn requirement(&self, parameters: Parameters) -> Result<Requirement, Error> {
        let has_model = parameters.get("model").is_some();
        let names: Vec<String> = parameters.names().map(str::to_owned).collect();
        parameters.requirement().map_err(|message| {
            if has_model {
                let error = self.error(&message);
                return match help_for_stranger(&message, &names) {
                    Some(help) => error.help(help),
                    None => error,
                };
            }
            let meant = names.iter().map(String::as_str);
            if let Some(close) = did_you_mean("model", meant.filter(|name| name.len() > 2)) {
                let problem = format!("unknown key `{close}`");
                return self.error(&problem).help("did you mean `model`?");
            }
            let mut known: Vec<&str> = Requirement::ALL.iter().map(|entry| entry.0).collect();
            known.dedup();
            self.error("[privacy] names no `model`").help(text!("known: {}", known.join(", ")))
        })
    }

    /// Returns an error at the line of the parameter that the message names first.
    fn error(&self, message: &str) -> Error {
        let place = message
            .split('`')
            .skip(1)
            .step_by(2)
            .map(|name| name.split(" =").next().unwrap_or_default())
            .find_map(|key| self.check.line_of(&self.span, key))
            .unwrap_or_else(|| self.check.start_of(&self.span));
        let error = errors::explain(place, message);
        if message.contains("is not a whole number") {
            return error.help(text!(
                "write a whole number; the l of `variant = \"entropy\"` may be a fraction"
            ));
        }
        if message.contains("` needs `") {
            return error
                .help(text!("add it under [privacy]; docs/reference/policy.md lists the parameters of every model"));
        }
        error
    }
}

/// Returns the help for a key that a model does not take: suggests a key of the section, or, if all
/// keys of the model are given already, explains how models are combined.
fn help_for_stranger(message: &str, given: &[String]) -> Option<Text> {
    let listed = message.strip_prefix("unknown field ")?;
    let mut quoted = listed.split('`').skip(1).step_by(2);
    let stranger = quoted.next().filter(|name| not_here(name).is_none())?;
    let own: Vec<&str> = quoted.collect();
    if let Some(meant) = did_you_mean(stranger, OF_SECTION) {
        return Some(text!("did you mean `{meant}`?"));
    }
    own.iter().all(|name| given.iter().any(|given| given == name)).then(|| {
        let own = own.join(", ");
        text!("this model takes only {own}; to require several models together, list them: `all = [{{ model = \"k-anonymity\", k = 5 }}, …]`")
    })
}
