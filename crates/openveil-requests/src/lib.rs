//! States the options of each command as the fields of one structure.
//!
//! An option is a field: its type, default and documentation are stated there and nowhere else. The
//! command line is derived from the structure. Python and R pass values by name
//! ([`Request::from_values`]), and their signatures and help pages are written from [`fields`]. Pages
//! send texts ([`Request::from_texts`]).
//!
//! Tables, policies and releases are not options: each front has its own form of them, a file or an
//! object, and passes them to the methods that answer a request. Neither are pictures and other files
//! that only the command writes.

mod attack;
mod audit;
mod compare;
mod explain;
mod field;
mod inspect;
mod publish;
mod query;
mod report;
pub mod value;
mod verify;

pub use attack::Attack;
pub use audit::{Audit, Scheme};
pub use compare::Compare;
pub use explain::Explain;
pub use field::{Field, Kind, fields};
pub use inspect::{AimName, Inspect, StarterRules};
pub use publish::Publish;
pub use query::{Answered, Complete, Fit, FitWork, Query, Sampled};
pub use report::{Layout, MetadataName, Report, Tongue};
pub use verify::{Found, SizesFound, Verify};

use openveil_io::spelling::did_you_mean;
use openveil_io::{Error, Location};
use openveil_text::{Text, text};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The options of a command.
pub trait Request: clap::Args + DeserializeOwned + Default {
    /// The command's name.
    const COMMAND: &'static str;

    /// Returns the request with these options; options that are not given have their defaults.
    /// Names are those of the fields: `sample_rows`.
    ///
    /// # Errors
    /// An option that the command does not have; a value of another kind.
    fn from_values(values: Map<String, Value>) -> Result<Self, Error> {
        let fields = fields::<Self>();
        for (name, value) in &values {
            let Some(field) = fields.iter().find(|field| field.name == *name) else {
                let error = refused(text!("unknown option `--{}`", name.replace('_', "-")));
                let near = did_you_mean(name, fields.iter().map(|field| &*field.name));
                return Err(match near {
                    Some(near) => error.help(text!("did you mean `--{}`?", near.replace('_', "-"))),
                    None => error,
                });
            };
            let alone = Map::from_iter([(name.clone(), value.clone())]);
            if let Err(cause) = serde_json::from_value::<Self>(alone.into()) {
                return Err(field.refuse(value, &cause.to_string()));
            }
        }
        serde_json::from_value(values.into()).map_err(|cause| refused(cause.to_string()))
    }

    /// Like [`Self::from_values`], but takes texts, as forms send them: the values of a list are
    /// separated by commas. An option whose text is empty is not given.
    ///
    /// # Errors
    /// As [`Self::from_values`].
    fn from_texts<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, Error> {
        let fields = fields::<Self>();
        let given = texts.into_iter().map(|(name, text)| (name, text.trim()));
        let values = given.filter(|(_, text)| !text.is_empty()).map(|(name, text)| {
            let field = fields.iter().find(|field| field.name == name);
            (name.to_owned(), field.map_or_else(|| text.into(), |field| field.value(text)))
        });
        Self::from_values(values.collect())
    }
}

/// Makes structures requests: their defaults are those of their fields.
macro_rules! requests {
    ($($request:ident $command:literal),+ $(,)?) => {
        $(
            impl Default for $request {
                fn default() -> Self {
                    field::defaults()
                }
            }

            impl Request for $request {
                const COMMAND: &'static str = $command;
            }
        )+
    };
}

requests!(
    Attack "attack",
    Audit "audit",
    Compare "compare",
    Complete "complete",
    Explain "explain",
    Fit "fit",
    Inspect "inspect",
    Publish "publish",
    Query "query",
    Report "report",
    Verify "verify",
);

fn refused(problem: impl Into<Text>) -> Error {
    Error::new(Location::default(), problem)
}

/// Relations between options, checked in the same way for all fronts.
struct Given {
    /// Options by name, without hyphens, and whether they were given.
    options: Vec<(&'static str, bool)>,
}

impl Given {
    fn new<const N: usize>(options: [(&'static str, bool); N]) -> Self {
        Self { options: options.to_vec() }
    }

    fn is_given(&self, name: &str) -> bool {
        let own = self.options.iter().find(|(own, _)| *own == name);
        own.unwrap_or_else(|| panic!("`{name}` is not listed")).1
    }

    /// Refuses `option` without the one that it belongs to.
    fn needs(self, option: &str, needed: &str) -> Result<Self, Error> {
        if self.is_given(option) && !self.is_given(needed) {
            let problem = text!("`--{option}` has no effect without `--{needed}`");
            return Err(refused(problem).help("give both, or leave it out"));
        }
        Ok(self)
    }

    /// Refuses `option` together with any of `others`.
    fn excludes(self, option: &str, others: &[&str]) -> Result<Self, Error> {
        match others.iter().find(|own| self.is_given(option) && self.is_given(own)) {
            None => Ok(self),
            Some(other) => {
                let problem = text!("`--{option}` and `--{other}` cannot be given together");
                Err(refused(problem).help("leave one of them out"))
            }
        }
    }
}

/// Refuses a number outside of a range.
fn within<T: PartialOrd + std::fmt::Display>(
    option: &str,
    value: T,
    range: std::ops::RangeInclusive<T>,
) -> Result<(), Error> {
    if range.contains(&value) {
        return Ok(());
    }
    let problem = text!("`--{option} {value}` is not from {} to {}", range.start(), range.end());
    Err(refused(problem).help("choose a number of this range"))
}

/// Refuses 0.
fn positive(option: &str, value: impl Into<u64>) -> Result<(), Error> {
    if value.into() > 0 {
        return Ok(());
    }
    Err(refused(text!("`--{option} 0` is too small")).help("choose 1 or more"))
}

/// Refuses a list with an empty value, such as two commas in a row or a comma at the end.
fn refuse_empty(option: &str, values: &[String]) -> Result<(), Error> {
    match values.iter().position(|value| value.trim().is_empty()) {
        None => Ok(()),
        Some(place) => Err(refused(text!("value {} of `--{option}` is empty", place + 1))
            .help("write a value between any two commas")),
    }
}

#[cfg(test)]
mod tests;
