//! The section `[privacy]`: parameters become a model, or an error with its line.

use super::check::Check;
use super::suggest;
use crate::{Error, Location};
use openveil::model::{Model, Parameters, Requirement, Value};
use std::ops::Range;
use toml::Spanned;

/// Makes the model of a `[privacy]` section.
pub(super) fn model(check: &Check<'_>, section: &Spanned<Parameters>) -> Result<Model, Error> {
    let reader = Reader {
        check,
        span: section.span(),
    };
    reader.model(section.get_ref().clone())
}

/// Reads the parameters that stand at some place of the policy.
struct Reader<'a> {
    check: &'a Check<'a>,
    span: Range<usize>,
}

impl Reader<'_> {
    fn model(&self, mut section: Parameters) -> Result<Model, Error> {
        section.take("combine");
        let Some(all) = section.take("all") else {
            return Ok(self.requirement(section)?.into());
        };
        if let Some(key) = section.names().next() {
            let problem = format!("`{key}` stands beside `all`");
            let help = "every model of `all` has its own parameters, in its own braces";
            return Err(self.error(&problem).help(help));
        }
        let help = "list models, as in `all = [{ model = \"k-anonymity\", k = 5 }]`";
        let Value::List(all) = all else {
            return Err(self.error("`all` is not a list").help(help));
        };
        let requirements = all.into_iter().map(|entry| match entry {
            Value::Table(parameters) => self.inside(parameters),
            _ => Err(self
                .error("`all` lists something that is no model")
                .help(help)),
        });
        let requirements = requirements.collect::<Result<Vec<Requirement>, Error>>()?;
        Model::all_of(requirements).map_err(|_| self.error("`all` is empty").help(help))
    }

    /// One of several models.
    fn inside(&self, parameters: Parameters) -> Result<Requirement, Error> {
        let outside = ["all", "combine"];
        if let Some(key) = parameters.names().find(|name| outside.contains(name)) {
            return Err(self.error(&format!("`{key}` must not stand inside of `all`")));
        }
        self.requirement(parameters)
    }

    fn requirement(&self, parameters: Parameters) -> Result<Requirement, Error> {
        let has_model = parameters.get("model").is_some();
        parameters.requirement().map_err(|message| {
            if has_model {
                return self.error(&message);
            }
            let mut known: Vec<&str> = Requirement::ALL.iter().map(|entry| entry.0).collect();
            known.dedup();
            self.error("[privacy] names no `model`")
                .help(format!("known: {}", known.join(", ")))
        })
    }

    /// An error at the line of the parameter that it names first.
    fn error(&self, message: &str) -> Error {
        let named = message.split('`').nth(1).unwrap_or_default();
        let key = named.split(" =").next().unwrap_or_default();
        suggest::explain(self.check.place_of(&self.span, key), message)
    }
}

impl Check<'_> {
    /// Where a key stands inside of a part of the policy, or where the part begins.
    pub(super) fn place_of(&self, part: &Range<usize>, key: &str) -> Location {
        let start = part.start.min(self.text.len());
        let first = self.text[..start].matches('\n').count() as u64 + 1;
        let begins = |line: &str| {
            let rest = line.trim_start().strip_prefix(key);
            rest.is_some_and(|rest| rest.trim_start().starts_with('='))
        };
        let inside = |(number, line): &(usize, &str)| *number == 0 || !line.starts_with('[');
        let mut lines = self.text[start..].lines().enumerate().take_while(inside);
        let found = lines.find(|(_, line)| !key.is_empty() && begins(line));
        let line = first + found.map_or(0, |(number, _)| number as u64);
        Location::file(self.path).line(line)
    }
}
