//! Regressions as they are written: `occupation ~ age + sex`.

use super::answer::FigureEntry;
use super::{Fitted, refused};
use crate::Error;
use openveil_analysis::{Kind, RegressionError, Term};
use serde::Serialize;

/// A regression of the secret on known columns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Regression {
    /// The formula, as it was asked.
    pub formula: String,
    /// `multinomial-logit` or `linear`.
    pub kind: &'static str,
    /// In a logit, the value that others are measured beside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// Rows of the release.
    pub rows: usize,
    /// Groups of the release.
    pub groups: usize,
    /// The coefficients, value after value.
    pub coefficients: Vec<CoefficientEntry>,
    /// What a reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A coefficient.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CoefficientEntry {
    /// In a logit, the value that it is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What it is of: `(Intercept)`, `age`, `sex=Male`, `age:sex=Male`.
    pub term: String,
    /// The figure.
    #[serde(flatten)]
    pub figure: FigureEntry,
    /// The standard error: of a sample of people as large as the table, and of the release.
    pub std_error: f64,
}

impl Fitted {
    /// A regression.
    ///
    /// # Errors
    /// A formula that cannot be read, columns that are not known or not the secret, more coefficients than
    /// groups, no fit.
    pub(in crate::query) fn regression(&self, formula: &str) -> Result<Regression, Error> {
        let (response, terms) = self.read(formula)?;
        let kind = match self.coded.meaning.secret_numbers {
            Some(_) => Kind::Linear,
            None => Kind::Logit,
        };
        let analysis = self.analysis().map_err(|why| {
            refused(
                format!("no regression: {why}"),
                "publish a table with more groups, or show known columns",
            )
        })?;
        let found = analysis.regression(kind, &terms).map_err(|cause| {
            let help = match cause {
                RegressionError::TooFewGroups { .. } | RegressionError::TooMany(_) => {
                    "name fewer columns, or columns with fewer values"
                }
                RegressionError::Singular => "leave out columns that follow from others",
                RegressionError::NoNumber => "name a secret column of numbers",
            };
            refused(format!("no regression of `{response}`: {cause}"), help)
        })?;
        let label = |value: u32| self.coded.meaning.secret.label(value);
        let coefficient = |own: &openveil_analysis::Coefficient| CoefficientEntry {
            value: own.value.map(label),
            term: self.term(&own.of),
            std_error: own.figure.error,
            figure: own.figure.into(),
        };
        let evidence = &self.coded.evidence;
        let first = evidence.values().iter().min().copied();
        Ok(Regression {
            formula: formula.to_owned(),
            kind: match kind {
                Kind::Logit => "multinomial-logit",
                Kind::Linear => "linear",
            },
            baseline: first.filter(|_| kind == Kind::Logit).map(label),
            rows: evidence.rows(),
            groups: evidence.groups(),
            coefficients: found.iter().map(coefficient).collect(),
            notes: self.notes(),
        })
    }

    fn term(&self, of: &[(usize, Option<u32>)]) -> String {
        let part = |&(column, code): &(usize, Option<u32>)| {
            let column = &self.coded.meaning.known[column];
            match code {
                None => column.name().to_owned(),
                Some(code) => format!("{}={}", column.name(), column.domain().label(code)),
            }
        };
        let parts: Vec<String> = of.iter().map(part).collect();
        match parts.is_empty() {
            true => "(Intercept)".to_owned(),
            false => parts.join(":"),
        }
    }

    /// The response, and the terms.
    fn read(&self, formula: &str) -> Result<(String, Vec<Term>), Error> {
        let help = "write the secret column, `~`, and known columns: 'job ~ age + sex', with `a:b` for a pair and `a*b` for both and their pair; `.` is all known columns";
        let wrong = |problem: String| refused(format!("the formula {problem}"), help);
        let words = words(formula).map_err(wrong)?;
        let Some(at) = words.iter().position(|word| word == "~") else {
            return Err(wrong("has no `~`".to_owned()));
        };
        let [response] = &words[..at] else {
            return Err(wrong("names no single column before the `~`".to_owned()));
        };
        if self.coded.secrets.len() != 1 || self.coded.secret(response).is_none() {
            let secrets = self.coded.secrets.join(", ");
            return Err(wrong(format!(
                "explains `{response}`; what can be explained is {secrets}"
            )));
        }
        let column = |name: &String| {
            self.coded.known(name).ok_or_else(|| {
                let names: Vec<&str> = self
                    .coded
                    .meaning
                    .known
                    .iter()
                    .map(|column| column.name())
                    .collect();
                wrong(format!(
                    "names `{name}`, and the known columns are {}",
                    names.join(", ")
                ))
            })
        };
        let mut terms: Vec<Term> = Vec::new();
        let mut add = |mut term: Term| {
            term.sort_unstable();
            term.dedup();
            if !terms.contains(&term) {
                terms.push(term);
            }
        };
        for part in words[at + 1..].split(|word| word == "+") {
            match part {
                [all] if all == "." => {
                    (0..self.coded.meaning.known.len()).for_each(|own| add(vec![own]))
                }
                [one] if one == "1" => {}
                [one] => add(vec![column(one)?]),
                [rest @ ..] if rest.len() % 2 == 1 && rest.len() > 1 => {
                    let names = rest
                        .iter()
                        .step_by(2)
                        .map(column)
                        .collect::<Result<Vec<usize>, Error>>()?;
                    let mut signs = rest.iter().skip(1).step_by(2);
                    match signs.clone().all(|sign| sign == ":") {
                        true => add(names),
                        false if signs.all(|sign| sign == "*") => {
                            names.iter().for_each(|&own| add(vec![own]));
                            add(names);
                        }
                        false => return Err(wrong(format!("has the part `{}`", rest.join(" ")))),
                    }
                }
                other => return Err(wrong(format!("has the part `{}`", other.join(" ")))),
            }
        }
        terms.sort_by_key(Vec::len);
        Ok((response.clone(), terms))
    }
}

/// Names and signs. Names with blanks or signs stand in quotes.
fn words(formula: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut rest = formula.trim_start();
    while let Some(first) = rest.chars().next() {
        if "~+:*".contains(first) {
            words.push(first.to_string());
            rest = rest[1..].trim_start();
            continue;
        }
        if "\"'`".contains(first) {
            let inside = &rest[1..];
            let end = inside
                .find(first)
                .ok_or_else(|| format!("has a quote {first} that is never closed"))?;
            words.push(inside[..end].to_owned());
            rest = inside[end + 1..].trim_start();
            continue;
        }
        let end = rest
            .find(|c: char| c.is_whitespace() || "~+:*\"'`".contains(c))
            .unwrap_or(rest.len());
        words.push(rest[..end].to_owned());
        rest = rest[end..].trim_start();
    }
    Ok(words)
}
