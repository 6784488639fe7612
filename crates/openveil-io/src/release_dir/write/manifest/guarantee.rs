//! Guarantees: for which readers, and by what means.

use openveil_core::algorithm::{Algorithm, Function, Inside, Trials};
use openveil_core::exact::{Rational, number, text};
use openveil_core::guarantee::{InformedReader, Promise};
use openveil_core::model::{About, Informed, Model, Parameters, Requirement};
use openveil_core::table::Secret;
use openveil_text::{Language, Text, Voice};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// A privacy model with its parameters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelEntry {
    /// `l-diversity`; `all` for several models at once.
    pub name: String,
    /// `ratio`, if the model has variants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The parameters, as in the policy.
    #[serde(flatten)]
    pub parameters: BTreeMap<String, serde_json::Value>,
    /// Values that need no protection.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exempt: Vec<String>,
}

impl ModelEntry {
    /// Returns the entry of a model: its parameters, as in the policy, and the values that it
    /// exempts.
    pub fn new(model: &Model, secret: &Secret) -> Self {
        let entry = match model.requirements() {
            [one] => Self::one(one),
            several => {
                let all = several.iter().map(Self::one).map(|entry| {
                    serde_json::to_value(entry).expect("texts and numbers have a JSON form")
                });
                Self {
                    name: "all".to_owned(),
                    parameters: BTreeMap::from([("all".to_owned(), all.collect())]),
                    ..Self::default()
                }
            }
        };
        Self { exempt: secret.exempt_labels(), ..entry }
    }

    fn one(requirement: &Requirement) -> Self {
        let parameters = serde_json::to_value(requirement).expect("parameters have a JSON form");
        let mut parameters: BTreeMap<String, serde_json::Value> =
            serde_json::from_value(parameters).expect("parameters have names");
        parameters.remove("model");
        let variant = parameters.remove("variant");
        Self {
            name: requirement.model().to_owned(),
            variant: variant.and_then(|variant| variant.as_str().map(str::to_owned)),
            parameters,
            exempt: Vec::new(),
        }
    }

    /// Returns the model of the entry; none if this program does not know it.
    pub fn model(&self) -> Option<Model> {
        if self.name == "all" {
            let all = self.parameters.get("all")?.as_array()?;
            return Model::all_of(
                all.iter()
                    .map(|value| serde_json::from_value::<Self>(value.clone()).ok()?.requirement())
                    .collect::<Option<_>>()?,
            )
            .ok();
        }
        Some(Model::from(self.requirement()?))
    }

    fn requirement(&self) -> Option<Requirement> {
        let mut parameters: serde_json::Map<String, serde_json::Value> =
            self.parameters.clone().into_iter().collect();
        parameters.insert("model".to_owned(), self.name.clone().into());
        if let Some(variant) = &self.variant {
            parameters.insert("variant".to_owned(), variant.clone().into());
        }
        let parameters: Parameters = serde_json::from_value(parameters.into()).ok()?;
        parameters.requirement().ok()
    }
}

impl fmt::Display for ModelEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameters = self.parameters.iter().map(|(name, value)| format!("{name} = {value}"));
        let said: Vec<String> = self.variant.iter().cloned().chain(parameters).collect();
        write!(f, "{} ({})", self.name, said.join(", "))
    }
}

/// Readers with inside knowledge, as in the policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReaderEntry {
    /// The odds by which their beliefs may differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub odds: Option<String>,
    /// The number of people whom they know about: a number, or `everybody`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub people: Option<String>,
    /// `arranged` or `random`.
    pub inside: String,
    /// In releases of format 1: the strength with which positions were blurred before people were
    /// arranged, if they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter: Option<String>,
}

impl ReaderEntry {
    /// Returns the entry for a model and the way groups are formed; none for readers without inside
    /// knowledge.
    pub fn new(model: &Model, inside: Inside) -> Option<Self> {
        let informed = model.informed();
        if informed.is_none() && inside == Inside::Arranged {
            return None;
        }
        Some(Self {
            odds: informed.map(|informed| text(informed.odds())),
            people: informed.map(|informed| people(informed.about())),
            inside: inside.name().to_owned(),
            jitter: None,
        })
    }

    /// Returns how people were put into groups; none if this program does not know it.
    pub fn inside(&self) -> Option<Inside> {
        Inside::ALL
            .into_iter()
            .find(|own| own.name() == self.inside)
            .filter(|_| self.jitter.is_none())
    }

    /// Returns the readers of the entry, if it has any.
    ///
    /// # Errors
    /// Readers that this program does not know.
    pub fn informed(&self) -> Result<Option<Informed>, UnknownReader> {
        let Some((odds, people)) = self.odds.as_deref().zip(self.people.as_deref()) else {
            return Ok(None);
        };
        let about = match people {
            "everybody" => About::Everybody,
            people => About::Few(people.parse().map_err(|_| UnknownReader)?),
        };
        let odds = number::parse(odds).ok_or(UnknownReader)?;
        Informed::new(odds, about).map(Some).map_err(|_| UnknownReader)
    }
}

/// A manifest describes readers in a way that this program does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the manifest speaks of readers that this program does not know")]
pub struct UnknownReader;

fn people(about: About) -> String {
    match about {
        About::Few(people) => people.to_string(),
        _ => "everybody".to_owned(),
    }
}

/// The guarantee for a reader with inside knowledge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReaderPromise {
    /// `informed`, `informed-about-everybody`, or `face-value`: a reader who takes the groups as
    /// given.
    pub reader: String,
    /// The odds by which beliefs about people may differ.
    pub odds: String,
    /// The number of people whom the reader knows about: a number, or `everybody`.
    pub people: String,
    /// As in [`GuaranteeEntry`].
    pub max_posterior: Option<String>,
    /// The guarantee in words.
    pub statement: String,
    /// The guarantee in German; absent as in [`GuaranteeEntry`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement_de: Option<String>,
}

impl ReaderPromise {
    fn new(promise: &Promise) -> Self {
        let about = match promise.reader {
            InformedReader::Informed => promise.informed.about(),
            _ => About::Everybody,
        };
        Self {
            reader: promise.reader.name().to_owned(),
            odds: text(promise.informed.odds()),
            people: people(about),
            max_posterior: promise.chance.bound().map(|bound| bound.to_string()),
            statement: promise.to_string(),
            statement_de: Some(in_german(&promise.statement())),
        }
    }
}

/// The guarantee, and against which readers it holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuaranteeEntry {
    /// `knows-algorithm` or `sees-release`.
    pub adversary: String,
    /// The highest chance that a guess of anybody's protected value is right, as a fraction. It is
    /// 1 if values may become certain. It is absent if they may not, but no bound is guaranteed.
    pub max_posterior: Option<String>,
    /// The column that the bound protects, or a combination of several; empty if values may become
    /// certain.
    pub protects: Vec<String>,
    /// The guarantee in words.
    pub statement: String,
    /// The guarantee in German, for people who sign; the English words are binding. Early releases
    /// lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement_de: Option<String>,
    /// Guarantees for readers with inside knowledge.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readers: Vec<ReaderPromise>,
}

impl GuaranteeEntry {
    /// Returns the entry of a guarantee.
    pub fn new(guarantee: &openveil_core::guarantee::Guarantee) -> Self {
        Self {
            adversary: guarantee.adversary.name().to_owned(),
            max_posterior: guarantee.chance.bound().map(|bound| bound.to_string()),
            protects: guarantee.protects.clone(),
            statement: guarantee.statement.to_string(),
            statement_de: Some(in_german(&guarantee.statement)),
            readers: guarantee.readers.iter().map(ReaderPromise::new).collect(),
        }
    }
}

fn in_german(statement: &Text) -> String {
    statement.clone().into_sentence().say(Voice::Page(Language::German), None)
}

/// Returns whether a share in a group is within a guaranteed bound; none if there is no bound, or
/// one that cannot be read.
pub fn is_within(promised: Option<&str>, shown: Rational) -> Option<bool> {
    let bound = promised.and_then(number::parse)?;
    Some(shown <= bound)
}

/// Groupings that were tried in turn, as in the policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialsEntry {
    /// The number of people in a block.
    pub block: usize,
    /// The columns and their levels, by function; if there are none, runs were tried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<BTreeMap<String, u32>>,
    /// The jump after each function; if the policy sets none, the jump is chosen for each block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jump: Option<Vec<u32>>,
}

impl TrialsEntry {
    /// Returns the groupings that an algorithm tries, if it tries any.
    pub fn new(algorithm: &dyn Algorithm, trials: &Trials) -> Option<Self> {
        let functions = trials.functions.iter();
        algorithm.profile().takes_trials.then(|| Self {
            block: trials.block,
            functions: functions.map(|Function(levels)| levels.iter().cloned().collect()).collect(),
            jump: trials.jump.clone(),
        })
    }
}
