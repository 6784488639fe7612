//! Regression formulas: `occupation ~ age + sex`.

use super::answer::{CheckEntry, FigureEntry};
use super::{Fitted, refused};
use openveil_analysis::{Analysis, References, RegressionError, ResponseKind, Term};
use openveil_core::table::Column;
use openveil_io::load::MISSING_LABEL;
use openveil_io::spelling::or_meant;
use openveil_io::{Error, Location};
use openveil_text::{Text, text};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;

/// Help text on the syntax of formulas.
fn help() -> Text {
    text!(
        "write the secret column, `~`, and known columns: 'job ~ age + sex'. Write `a:b` for an interaction, `a*b` for both columns and their interaction, `.` for all known columns; put names with blanks or signs in quotes"
    )
}

/// Help text on functions and signs that other packages have.
fn understood() -> Text {
    text!(
        "formulas have names of columns, `+`, `:`, `*` and `.`, always with an intercept. For `C()`, `log()`, `poly()` and the like, complete the release (`openveil complete`), analyse each table and pool the results"
    )
}

/// The most combinations of values of an interaction.
const MOST_PAIR: usize = 1_000;

/// The most columns that are multiplied with `*`.
const MOST_FACTORS: usize = 5;

/// A regression of the secret on known columns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Regression {
    /// The formula, as it was asked.
    pub formula: String,
    /// `multinomial-logit` or `linear`.
    pub kind: &'static str,
    /// In a logit, the baseline value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// Known columns of the formula that are not numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<LevelsEntry>,
    /// People of the release: its rows without fillers.
    pub rows: usize,
    /// Groups of the release.
    pub groups: usize,
    /// The coefficients, value after value.
    pub coefficients: Vec<CoefficientEntry>,
    /// Covariances of the coefficients, row after row. Documents leave them out because of their
    /// size, the square of the number of coefficients.
    #[serde(skip)]
    pub covariance: Vec<f64>,
    /// How far the release shows the association with each known column of the formula.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub check: Vec<CheckEntry>,
    /// Notes for the reader.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Text>,
}

/// Returns the name of a term.
fn term(of: &[(String, Option<String>)]) -> String {
    if of.is_empty() {
        return "(Intercept)".to_owned();
    }
    let parts: Vec<String> = of
        .iter()
        .map(|(column, value)| match value {
            None => column.clone(),
            Some(value) => format!("{column}={value}"),
        })
        .collect();
    parts.join(":")
}

/// A known column of a regression that is not a number.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LevelsEntry {
    /// The column.
    pub column: String,
    /// Its values; the first is the baseline.
    pub values: Vec<String>,
}

/// A coefficient.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CoefficientEntry {
    /// In a logit, the value that the coefficient belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Its term: `(Intercept)`, `age`, `sex=Male`, `age:sex=Male`.
    pub term: String,
    /// The columns of its term, with a value for each column that is not a number.
    #[serde(skip)]
    pub of: Vec<(String, Option<String>)>,
    /// The figure.
    #[serde(flatten)]
    pub figure: FigureEntry,
    /// The standard error: from sampling people (a sample as large as the table), and from the
    /// release.
    pub std_error: f64,
}

impl Fitted {
    /// Estimates a regression. `references` names columns with the values that others are compared
    /// with.
    ///
    /// # Errors
    /// A formula that cannot be read, columns that are not known or not the secret, references
    /// that no row has, more coefficients than groups, no fit.
    pub(in crate::query) fn regression(
        &self,
        formula: &str,
        references: &[(String, String)],
    ) -> Result<Regression, Error> {
        let (response, terms) = self.read(formula)?;
        self.check()?;
        let kind = match self.coded.meaning.secret_numbers {
            Some(_) => ResponseKind::Linear,
            None => ResponseKind::Logit,
        };
        let pairs = self.pairs(&terms)?;
        let without = |why: &Text| {
            refused(
                text!("no regression: {why:text}"),
                text!("publish by `halving` in more groups, and show known columns"),
            )
        };
        let with_pairs;
        let analysis = if pairs.is_empty() {
            self.analysis().map_err(without)?
        } else {
            with_pairs = self.fit(&pairs).map_err(|why| without(&why))?;
            &with_pairs
        };
        let references = self.references(analysis, references)?;
        let found = analysis.regression(kind, &terms, &references).map_err(|cause| {
            let help = match cause {
                RegressionError::TooFewGroups { .. } | RegressionError::TooMany(_) => {
                    text!("name fewer columns, or columns with fewer values")
                }
                RegressionError::Singular => text!("leave out columns that follow from others"),
                RegressionError::NoNumber => text!("name a numeric secret column"),
            };
            refused(text!("no regression of `{response}`: {:text}", cause.in_words()), help)
        })?;
        let label = |value: u32| self.coded.meaning.secret.label(value);
        let levels = found
            .levels
            .iter()
            .map(|(column, codes)| {
                let column = &self.coded.meaning.known[*column];
                LevelsEntry {
                    column: column.name().to_owned(),
                    values: codes
                        .iter()
                        .map(|&code| column.domain().label(code).to_owned())
                        .collect(),
                }
            })
            .collect();
        let columns: BTreeSet<usize> = terms.iter().flatten().copied().collect();
        let check = self.checks(analysis, columns.into_iter());
        let mut notes = self.notes(
            analysis,
            text!(
                "intervals contain the sampling error of people only, not the error of the release"
            ),
        );
        notes.extend(CheckEntry::note(&check));
        let evidence = &self.coded.evidence;
        Ok(Regression {
            formula: formula.to_owned(),
            kind: match kind {
                ResponseKind::Logit => "multinomial-logit",
                ResponseKind::Linear => "linear",
            },
            baseline: (kind == ResponseKind::Logit).then(|| label(references.secret)),
            levels,
            rows: evidence.people(),
            groups: evidence.groups(),
            coefficients: found
                .coefficients
                .iter()
                .map(|own| {
                    let of = self.parts(&own.of);
                    CoefficientEntry {
                        value: own.value.map(label),
                        term: term(&of),
                        of,
                        std_error: own.figure.error,
                        figure: own.figure.into(),
                    }
                })
                .collect(),
            covariance: found.covariance,
            check,
            notes,
        })
    }

    /// The pairs of columns that a regression's interactions need in the fit.
    ///
    /// # Errors
    /// A pair with too many combinations of values.
    fn pairs(&self, terms: &[Term]) -> Result<Vec<(usize, usize)>, Error> {
        let mut pairs = BTreeSet::new();
        for term in terms {
            for (at, &a) in term.iter().enumerate() {
                pairs.extend(term[at + 1..].iter().map(|&b| (a, b)));
            }
        }
        let width = |&(a, b): &(usize, usize)| {
            let meaning = &self.coded.meaning;
            // Numbers have few features.
            let codes = |column: usize| match meaning.numbers[column] {
                Some(_) => 1,
                None => meaning.known[column].domain().len(),
            };
            codes(a) * codes(b)
        };
        if let Some(pair) = pairs.iter().find(|pair| width(pair) > MOST_PAIR) {
            let name = |column: usize| self.coded.meaning.known[column].name();
            return Err(refused(
                text!(
                    "the interaction of `{}` and `{}` has more than {MOST_PAIR} combinations of values",
                    name(pair.0),
                    name(pair.1)
                ),
                text!("name columns with fewer values"),
            ));
        }
        Ok(pairs.into_iter().collect())
    }

    /// The codes that others are compared with: those of `asked`, else the first that rows have.
    /// Missing values come last.
    fn references(
        &self,
        analysis: &Analysis,
        asked: &[(String, String)],
    ) -> Result<References, Error> {
        let meaning = &self.coded.meaning;
        let mut references = analysis.references(MISSING_LABEL);
        for (name, value) in asked {
            let secret = &meaning.secret;
            let (labels, is_number, slot): (Vec<(u32, String)>, bool, &mut u32) =
                match self.coded.known(name) {
                    Some(at) => {
                        let label =
                            |code| (code, meaning.known[at].domain().label(code).to_owned());
                        let labels = analysis.codes(at).into_iter().map(label).collect();
                        (labels, meaning.numbers[at].is_some(), &mut references.known[at])
                    }
                    None if self.coded.secrets == [name.as_str()] => {
                        let labels = analysis
                            .values()
                            .into_iter()
                            .map(|value| (value, secret.label(value)))
                            .collect();
                        (labels, meaning.secret_numbers.is_some(), &mut references.secret)
                    }
                    None => {
                        let names: Vec<&str> = meaning
                            .known
                            .iter()
                            .map(Column::name)
                            .chain(self.coded.secrets.iter().map(String::as_str))
                            .collect();
                        let problem = text!("there is no column `{name}` to compare values of");
                        let error = Error::new(Location::default(), problem);
                        return Err(or_meant(error, name, names.iter().copied(), || {
                            format!("these are {}", names.join(", "))
                        }));
                    }
                };
            if is_number {
                return Err(refused(
                    text!("`{name}` is numeric, so it has no value that others are compared with"),
                    text!("leave the reference out"),
                ));
            }
            let found = labels.iter().find(|(_, label)| label == value);
            *slot = found.map(|(code, _)| *code).ok_or_else(|| {
                let labels: Vec<&str> = labels.iter().map(|(_, label)| label.as_str()).collect();
                let problem = text!("no row of the release has the value `{value}` of `{name}`");
                let error = Error::new(Location::default(), problem);
                or_meant(error, value, labels.iter().copied(), || {
                    format!("its values are {}", labels.join(", "))
                })
            })?;
        }
        Ok(references)
    }

    fn parts(&self, of: &[(usize, Option<u32>)]) -> Vec<(String, Option<String>)> {
        of.iter()
            .map(|&(column, code)| {
                let column = &self.coded.meaning.known[column];
                let value = code.map(|code| column.domain().label(code).to_owned());
                (column.name().to_owned(), value)
            })
            .collect()
    }

    /// Parses a formula into its response and its terms.
    fn read(&self, formula: &str) -> Result<(String, Vec<Term>), Error> {
        let wrong = |problem: Text| refused(text!("the formula {problem:text}"), help());
        let words = words(formula).map_err(wrong)?;
        let mut sides = words.split(|word| *word == Word::Sign('~'));
        let (Some(left), Some(right), None) = (sides.next(), sides.next(), sides.next()) else {
            return Err(wrong(text!("has no `~`, or several")));
        };
        let [Word::Name(response)] = left else {
            return Err(wrong(text!("does not name a single column before the `~`")));
        };
        let secrets = &self.coded.secrets;
        match &secrets[..] {
            [only] if only == response => {}
            [only] => {
                let problem = text!("explains `{response}`; only `{only}` can be explained");
                return Err(wrong(problem));
            }
            _ => {
                return Err(refused(
                    text!("the release has several secret columns: {}", secrets.join(", ")),
                    text!("a regression explains one; for several, ask for counts with `--by`"),
                ));
            }
        }
        let known = &self.coded.meaning.known;
        let column = |name: &str| {
            self.coded.known(name).ok_or_else(|| {
                if name.contains(['(', ')', '^', '-', '/', '|']) || name == "0" {
                    let problem = text!("contains `{name}`, which is not understood");
                    return refused(text!("the formula {problem:text}"), understood());
                }
                let names = known.iter().map(|column| column.name());
                let problem = text!("names `{name}`, which is not a known column");
                or_meant(wrong(problem), name, names.clone(), || {
                    let names: Vec<&str> = names.collect();
                    format!("these are {}", names.join(", "))
                })
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
        for part in right.split(|word| *word == Word::Sign('+')) {
            if let [Word::Sign('.')] = part {
                (0..known.len()).for_each(|own| add(vec![own]));
                continue;
            }
            if let [Word::Sign('1')] = part {
                continue;
            }
            let (names, sign) = product(part).ok_or_else(|| {
                let part: Vec<String> = part.iter().map(ToString::to_string).collect();
                wrong(if part.is_empty() {
                    text!("lacks a column beside an operator")
                } else {
                    text!("has the part `{}`", part.join(" "))
                })
            })?;
            let names = names.into_iter().map(column).collect::<Result<Term, Error>>()?;
            match sign {
                ':' => add(names),
                _ if names.len() > MOST_FACTORS => {
                    return Err(wrong(text!("multiplies more than {MOST_FACTORS} columns")));
                }
                // `a*b*c` stands for every non-empty subset of its columns.
                _ => (1u32..1 << names.len()).for_each(|chosen| {
                    let own = names.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1);
                    add(own.map(|(_, &name)| name).collect());
                }),
            }
        }
        terms.sort_by_key(Vec::len);
        Ok((response.clone(), terms))
    }
}

/// Parses names joined by one sign, `:` or `*`; for a single name the sign is `:`.
fn product(part: &[Word]) -> Option<(Vec<&str>, char)> {
    let sign = match part.get(1) {
        None => ':',
        Some(Word::Sign(sign @ (':' | '*'))) => *sign,
        Some(_) => return None,
    };
    let names = part
        .chunks(2)
        .map(|pair| match pair {
            [Word::Name(name)] => Some(name.as_str()),
            [Word::Name(name), Word::Sign(own)] if *own == sign => Some(name.as_str()),
            _ => None,
        })
        .collect::<Option<Vec<&str>>>()?;
    (part.len() % 2 == 1).then_some((names, sign))
}

/// A word of a formula.
#[derive(Debug, Clone, PartialEq)]
enum Word {
    /// A column.
    Name(String),
    /// `~ + : *`, or `.` or `1` as a separate word.
    Sign(char),
}

impl fmt::Display for Word {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => out.write_str(name),
            Self::Sign(sign) => write!(out, "{sign}"),
        }
    }
}

/// Returns the response column of a formula; none if it cannot be read.
pub(in crate::query) fn response(formula: &str) -> Option<String> {
    match &words(formula).ok()?[..] {
        [Word::Name(response), Word::Sign('~'), ..] => Some(response.clone()),
        _ => None,
    }
}

/// Splits a formula into words. Names with blanks or signs are quoted.
fn words(formula: &str) -> Result<Vec<Word>, Text> {
    const SIGNS: &str = "~+:*";
    const QUOTES: &str = "\"'`";
    let mut words = Vec::new();
    let mut rest = formula.trim_start();
    while let Some(first) = rest.chars().next() {
        if SIGNS.contains(first) {
            words.push(Word::Sign(first));
            rest = &rest[1..];
        } else if QUOTES.contains(first) {
            let (name, after) = rest[1..]
                .split_once(first)
                .ok_or_else(|| text!("has a quote {first} that is never closed"))?;
            words.push(Word::Name(name.to_owned()));
            rest = after;
        } else {
            let (name, after) = rest.split_at(
                rest.find(|c: char| c.is_whitespace() || SIGNS.contains(c) || QUOTES.contains(c))
                    .unwrap_or(rest.len()),
            );
            words.push(match name {
                "." => Word::Sign('.'),
                "1" => Word::Sign('1'),
                _ => Word::Name(name.to_owned()),
            });
            rest = after;
        }
        rest = rest.trim_start();
    }
    Ok(words)
}

#[cfg(test)]
mod tests;
