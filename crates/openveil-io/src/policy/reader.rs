//! The section `[reader]`: readers with inside knowledge.

use super::written::WrittenPolicy;
use crate::spelling::{did_you_mean, not_here};
use crate::{Error, Location};
use openveil_core::algorithm::{Algorithm, Inside};
use openveil_core::exact::number;
use openveil_core::model::{About, Informed, Parameters, Value};
use openveil_text::{Text, text};
use std::ops::Range;
use std::path::PathBuf;
use toml::Spanned;

const KEYS: [&str; 5] = ["odds", "people", "inside", "measure", "public"];

/// The readers for whom the model holds, and how people are put into groups for that.
#[derive(Debug, Clone, Default)]
pub(super) struct Readers {
    pub(super) informed: Option<Informed>,
    pub(super) inside: Inside,
    /// Whether the risk from readers with other knowledge is measured.
    pub(super) measures: bool,
    pub(super) public: Option<PathBuf>,
}

/// Reads the section.
pub(super) fn readers(
    check: &WrittenPolicy<'_>,
    section: Option<&Spanned<Parameters>>,
    algorithm: &dyn Algorithm,
    with_rules: bool,
) -> Result<Readers, Error> {
    let Some(section) = section else {
        return Ok(Readers::default());
    };
    let reader = Section { check, span: section.span(), parameters: section.get_ref() };
    reader.refuse_unknown()?;
    let inside = reader.inside(algorithm, with_rules)?;
    let informed = reader.informed(inside)?;
    let measures = reader.measures(with_rules)?;
    let public = reader.public()?;
    if informed.is_none() && inside == Inside::Arranged && !measures && public.is_none() {
        return Err(reader.error("odds", text!("[reader] does not describe a reader")).help(
            text!("write how much a reader may know about a person: `odds = 3`, or leave the section out"),
        ));
    }
    Ok(Readers { informed, inside, measures, public })
}

struct Section<'a> {
    check: &'a WrittenPolicy<'a>,
    span: Range<usize>,
    parameters: &'a Parameters,
}

impl Section<'_> {
    fn place(&self, key: &str) -> Location {
        self.check.place_of(&self.span, key)
    }

    fn error(&self, key: &str, problem: impl Into<Text>) -> Error {
        Error::new(self.place(key), problem)
    }

    fn refuse_unknown(&self) -> Result<(), Error> {
        let mut names = self.parameters.names();
        let Some(stranger) = names.find(|name| !KEYS.contains(name)) else {
            return Ok(());
        };
        let error = self.error(stranger, text!("unknown key `{stranger}` under [reader]"));
        if let Some(help) = not_here(stranger) {
            return Err(error.help(help));
        }
        Err(match (stranger, did_you_mean(stranger, KEYS)) {
            ("cells" | "strata", _) => {
                error.help(text!("strata belong under [privacy]: `strata = [\"sex\"]`"))
            }
            (_, Some(close)) => error.help(text!("did you mean `{close}`?")),
            (_, None) => error.help(text!("known: {}", KEYS.join(", "))),
        })
    }

    fn inside(&self, algorithm: &dyn Algorithm, with_rules: bool) -> Result<Inside, Error> {
        let inside = match self.parameters.get("inside") {
            None => return Ok(Inside::Arranged),
            Some(Value::Text(name)) if name == Inside::Random.name() => Inside::Random,
            Some(_) => {
                return Err(self
                    .error("inside", text!("`inside` under [reader] is not \"random\""))
                    .help("\"random\" forms groups by random draws within every stratum, for readers who know something about everybody; without it, groups are formed by known columns (\"arranged\" before 2.0)"));
            }
        };
        if !algorithm.profile().takes_inside {
            let problem = text!("`inside = \"random\"` has no effect on `{}`", algorithm.name());
            return Err(self
                .error("inside", problem)
                .help("use `cover`, or leave the algorithm out"));
        }
        if with_rules {
            return Err(self
                .error(
                    "inside",
                    text!(
                        "`inside = \"random\"` works with a single table only, not with [[rules]]"
                    ),
                )
                .help("leave it out, or publish the table without rules"));
        }
        Ok(inside)
    }

    fn measures(&self, with_rules: bool) -> Result<bool, Error> {
        match self.parameters.get("measure") {
            None => Ok(false),
            Some(Value::Text(said)) if said == "false" => Ok(false),
            Some(Value::Text(said)) if said == "true" && with_rules => Err(self
                .error(
                    "measure",
                    text!("`measure` under [reader] works with a single table only, not with [[rules]]"),
                )
                .help("leave it out, or publish the table without rules")),
            Some(Value::Text(said)) if said == "true" => Ok(true),
            Some(_) => Err(self
                .error("measure", text!("`measure` under [reader] is neither true nor false"))
                .help(text!("write `measure = true`, or leave it out"))),
        }
    }

    fn public(&self) -> Result<Option<PathBuf>, Error> {
        match self.parameters.get("public") {
            None => Ok(None),
            Some(Value::Text(path)) if !path.is_empty() => Ok(Some(path.into())),
            Some(_) => Err(self
                .error("public", text!("`public` under [reader] does not name a table"))
                .help(text!("name a file with the same columns about people whose values are public: `public = \"census.csv\"`"))),
        }
    }

    fn informed(&self, inside: Inside) -> Result<Option<Informed>, Error> {
        let Some(odds) = self.parameters.get("odds") else {
            return match self.parameters.get("people") {
                None => Ok(None),
                Some(_) => Err(self
                    .error("people", text!("[reader] names `people`, but no `odds`"))
                    .help(text!("write how much is known about them: `odds = 3`"))),
            };
        };
        let odds = match odds {
            Value::Text(text) => number::parse(text),
            _ => None,
        };
        let odds = odds.ok_or_else(|| {
            self.error("odds", text!("`odds` under [reader] is not a number"))
                .help("write a number such as 3 or 1.5, or a fraction in quotes such as \"4/3\"")
        })?;
        let about = self.about(inside)?;
        Informed::new(odds, about)
            .map(Some)
            .map_err(|problem| self.error("odds", text!("{problem} (under [reader])")))
    }

    /// Returns whom the reader knows about: one person if people are arranged, everybody if not,
    /// unless the policy states otherwise.
    fn about(&self, inside: Inside) -> Result<About, Error> {
        let about = match (self.parameters.get("people"), inside) {
            (None, Inside::Arranged) => Some(About::Few(1)),
            (None, Inside::Random) => Some(About::Everybody),
            (Some(Value::Text(text)), _) if text == "everybody" => Some(About::Everybody),
            (Some(Value::Text(text)), _) => text.parse().ok().map(About::Few),
            _ => None,
        };
        match about {
            None => Err(self
                .error("people", text!("`people` under [reader] is neither a number of people nor \"everybody\""))
                .help(text!("write for example `people = 1`"))),
            Some(About::Everybody) if inside != Inside::Random => Err(self
                .error("people", text!("`people = \"everybody\"` is not possible where groups are formed by known columns: every person of a group then tells something about all others, and no bound exists"))
                .help(text!("form groups by random draws, `inside = \"random\"` with `strata`, or name a number of people (docs/theory/readers.md)"))),
            Some(about) => Ok(about),
        }
    }
}
