//! Several rules at once: what must not be inferred from what.

use super::document::{DependencySection, Document, Role};
use super::written::WrittenPolicy;
use super::{Coarsening, ColumnPolicy, model, strata};
use crate::spelling::or_meant;
use crate::{Error, Location};
use openveil_core::model::{
    GroundDistance, Informed, Model, Parameters, Requirement, TCloseness, Value as Parameter,
};
use openveil_core::table::ColumnSet;
use openveil_rules::{ColumnNames, Dependency, Rule, expansion, refuse_determined};
use openveil_text::{Text, text};
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::{Spanned, Table, Value};

/// Settings of a policy with `[[rules]]`.
#[derive(Debug, Clone)]
pub struct Rules {
    /// The rules, in the order of the file.
    pub rules: Vec<NamedRule>,
    /// Dependencies between columns that the reader knows.
    pub dependencies: Vec<NamedDependency>,
    /// How columns are split over tables.
    pub decomposition: DecompositionChoice,
}

/// A rule, by the names of its columns.
#[derive(Debug, Clone)]
pub struct NamedRule {
    /// Columns that the reader knows of everybody.
    pub given: Vec<String>,
    /// Columns that must not be inferred; several count as a combination.
    pub protect: Vec<String>,
    /// The model that inferences have to satisfy.
    pub model: Model,
    /// Columns of `given` that fix strata; the model holds in each stratum by itself.
    pub strata: Vec<String>,
    /// Where the rule stands.
    pub place: Location,
}

/// A dependency, by the names of its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedDependency {
    /// The columns that determine.
    pub given: Vec<String>,
    /// The columns that are determined.
    pub determines: Vec<String>,
}

/// How columns are split over tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DecompositionChoice {
    /// By colours of the rules' graph; uses the rules only.
    #[default]
    Uad,
    /// Splits by rules, then adds columns.
    Gd,
    /// Small changes to the results of the other two.
    Search,
    /// Every column in its own table, for comparison.
    SingleAttribute,
}

impl DecompositionChoice {
    /// All choices, the default first.
    pub const ALL: [Self; 4] = [Self::Uad, Self::Gd, Self::Search, Self::SingleAttribute];

    /// Returns the name in policies and manifests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uad => "uad",
            Self::Gd => "gd",
            Self::Search => "search",
            Self::SingleAttribute => "single-attribute",
        }
    }
}

impl Rules {
    /// Returns the rules for readers who are informed about some people.
    pub(super) fn against(mut self, informed: Option<Informed>) -> Self {
        for rule in &mut self.rules {
            rule.model = rule.model.clone().against(informed);
        }
        self
    }

    /// Returns the rules by the numbers of columns.
    ///
    /// # Errors
    /// A name that is not among the columns; the attributes of a checked policy contain all names.
    pub fn numbered(&self, columns: &ColumnNames) -> Result<Vec<Rule>, openveil_rules::RulesError> {
        self.rules
            .iter()
            .map(|rule| {
                let given = set(columns, &rule.given)?;
                Rule::new(given, set(columns, &rule.protect)?)
            })
            .collect()
    }

    /// Returns the dependencies by the numbers of columns.
    ///
    /// # Errors
    /// As [`Self::numbered`].
    pub fn known(
        &self,
        columns: &ColumnNames,
    ) -> Result<Vec<Dependency>, openveil_rules::RulesError> {
        self.dependencies
            .iter()
            .map(|known| {
                let given = set(columns, &known.given)?;
                Dependency::new(given, set(columns, &known.determines)?)
            })
            .collect()
    }
}

fn set(columns: &ColumnNames, names: &[String]) -> Result<ColumnSet, openveil_rules::RulesError> {
    columns.set(names.iter().map(String::as_str))
}

/// The number of determining sets of a protected column beyond which a rule is refused.
const MAX_DERIVED: usize = 10_000;

/// The sections that rules are made of, and the names that they may use.
pub(super) struct Sections<'a> {
    pub(super) check: &'a WrittenPolicy<'a>,
    pub(super) columns: &'a BTreeMap<String, ColumnPolicy>,
}

impl Sections<'_> {
    /// Returns the rules of a policy, if it has any.
    pub(super) fn rules(&self, document: &Document) -> Result<Option<Rules>, Error> {
        let algorithm = document.algorithm.as_ref();
        let decomposition = algorithm.and_then(|section| section.decomposition.as_deref());
        let Some(sections) = &document.rules else {
            self.refuse_without_rules(document, decomposition)?;
            return Ok(None);
        };
        self.refuse_roles()?;
        let privacy = document.privacy.as_ref().map(Spanned::get_ref);
        if privacy.is_some_and(|section| section.get("combine").is_some()) {
            let help =
                text!("to protect a combination, list its columns in a rule: `protect = [...]`");
            let problem = text!("`combine` is for policies without [[rules]]");
            return Err(self.check.error(problem).help(help));
        }
        if sections.is_empty() {
            let help = text!("write `[[rules]]`, `given = [\"...\"]`, `protect = \"...\"`");
            return Err(self.check.error("`rules` is empty").help(help));
        }
        let names = self.attributes();
        let columns = ColumnNames::new(names)
            .map_err(|cause| self.check.error(cause.to_string()).help("drop some"))?;
        let rules = sections.iter().map(|section| self.rule(&columns, section, privacy));
        let rules = Rules {
            rules: rules.collect::<Result<_, Error>>()?,
            dependencies: self.dependencies(&columns, document)?,
            decomposition: self.decomposition(decomposition)?,
        };
        self.refuse_hopeless(&columns, &rules)?;
        Ok(Some(rules))
    }

    fn attributes(&self) -> Vec<&str> {
        self.columns
            .iter()
            .filter(|(_, column)| column.role == Role::Attribute)
            .map(|(name, _)| &**name)
            .collect()
    }

    /// Refuses keys that make sense with rules only.
    fn refuse_without_rules(
        &self,
        document: &Document,
        decomposition: Option<&str>,
    ) -> Result<(), Error> {
        let help = text!(
            "add `[[rules]]`, `given = [\"...\"]`, `protect = \"...\"`, or give columns the roles `quasi-identifier` and `sensitive`"
        );
        if let Some(name) = self.attributes().first() {
            let place = Location::file(self.check.path).column(name);
            let problem = text!("has the role `attribute`, which is for policies with [[rules]]");
            return Err(Error::new(place, problem).help(help));
        }
        let stray = match decomposition {
            Some(_) => Some(text!("`decomposition` under [algorithm] is")),
            None => document.dependencies.as_ref().map(|_| text!("[[dependencies]] are")),
        };
        match stray {
            Some(what) => {
                let problem = text!("{what:text} for policies with [[rules]]");
                Err(self.check.error(problem))
            }
            None => Ok(()),
        }
    }

    /// Refuses roles beside rules: each rule states for itself what is known and what is secret.
    fn refuse_roles(&self) -> Result<(), Error> {
        let columns: Vec<_> = self.columns.iter().collect();
        let fixed = columns.iter().find(|column| {
            let roles = [Role::QuasiIdentifier, Role::Sensitive, Role::Other];
            roles.contains(&column.1.role)
        });
        match fixed {
            None => Ok(()),
            Some((name, column)) => {
                let problem = text!(
                    "has the role `{}`, but the policy has [[rules]]: each rule states which columns are known and which are secret",
                    column.role.name()
                );
                let place = Location::file(self.check.path).column(name);
                Err(Error::new(place, problem).help(text!("set `role = \"attribute\"`")))
            }
        }
    }

    fn decomposition(&self, name: Option<&str>) -> Result<DecompositionChoice, Error> {
        let Some(name) = name else {
            return Ok(DecompositionChoice::default());
        };
        DecompositionChoice::ALL.into_iter().find(|known| known.name() == name).ok_or_else(|| {
            let names = DecompositionChoice::ALL.map(DecompositionChoice::name);
            self.check.unknown("decomposition", name, &names)
        })
    }

    fn rule(
        &self,
        columns: &ColumnNames,
        section: &Spanned<Table>,
        default: Option<&Parameters>,
    ) -> Result<NamedRule, Error> {
        let place = self.check.start_of(&section.span());
        let mut own = section.get_ref().clone();
        let given = self.names(&place, columns, "given", own.remove("given"))?;
        let protect = self.names(&place, columns, "protect", own.remove("protect"))?;
        let error = |problem: Text, help: Text| Err(Error::new(place.clone(), problem).help(help));
        if given.is_empty() {
            let help = text!(
                "name the columns that the reader knows about everybody, such as `given = [\"age\"]`"
            );
            return error(text!("`given` of the rule is empty"), help);
        }
        if protect.is_empty() {
            let help = text!("name the columns to protect, such as `protect = \"diagnosis\"`");
            return error(text!("`protect` of the rule is empty"), help);
        }
        if let Some(both) = given.iter().find(|name| protect.contains(name)) {
            let problem = text!("`{both}` appears in both `given` and `protect` of one rule");
            let help = "a reader who knows a column need not infer it; remove it from one side";
            return error(problem, Text::from(help));
        }
        let section = Spanned::new(section.span(), self.privacy(&place, own, default)?);
        let rule = NamedRule {
            strata: strata::of_rule(&place, section.get_ref(), &given)?,
            model: model::model(self.check, &section)?,
            given,
            protect,
            place,
        };
        self.refuse_unfit(&rule)?;
        Ok(rule)
    }

    /// Returns a rule's own model, or `[privacy]` with the rule's own parameters.
    fn privacy(
        &self,
        place: &Location,
        own: Table,
        default: Option<&Parameters>,
    ) -> Result<Parameters, Error> {
        let own = Parameters::deserialize(Value::Table(own))
            .map_err(|cause| Error::new(place.clone(), cause.message().to_owned()))?;
        let mut section = match default {
            Some(default) if own.get("model").is_none() => default.clone(),
            _ => Parameters::default(),
        };
        if section.is_empty() && own.get("l").is_some() && own.get("model").is_none() {
            section.set("model", Parameter::Text("l-diversity".to_owned()));
        }
        let section = section.with(own);
        if section.is_empty() {
            let help = text!("add a section [privacy], or set for example `l = 5` in the rule");
            let problem = text!("the rule names no privacy model, and there is no [privacy]");
            return Err(Error::new(place.clone(), problem).help(help));
        }
        Ok(section)
    }

    /// Refuses models that rules cannot guarantee. A property of distributions over all values does
    /// not hold for a combination just because a part of it is protected, and an order has to be
    /// known.
    fn refuse_unfit(&self, rule: &NamedRule) -> Result<(), Error> {
        let error =
            |problem: Text, help: Text| Err(Error::new(rule.place.clone(), problem).help(help));
        for requirement in rule.model.requirements() {
            if rule.protect.len() > 1 && !requirement.covers_combinations() {
                let problem = text!(
                    "{} of one column does not imply it for a combination of columns",
                    requirement.name()
                );
                let help =
                    "use l-diversity for combinations, or write a rule for each of the columns";
                return error(problem, Text::from(help));
            }
            let Requirement::Closeness(TCloseness { ground, .. }) = requirement else {
                continue;
            };
            let column = &self.columns[&rule.protect[0]];
            let binned =
                matches!(column.coarsening, Some(Coarsening::Bins(_) | Coarsening::Quantiles(_)));
            let ordered = column.order.is_some() || column.value_type.is_ordered() || binned;
            if *ground == GroundDistance::Ordered && !ordered {
                let problem = text!(
                    "`{}` contains text, which has no order for measuring distances",
                    rule.protect[0]
                );
                let help = text!("list the values of the column, lowest first, as `order = [...]`");
                return error(problem, help);
            }
        }
        match rule.protect.iter().find(|name| !self.columns[*name].exempt.is_empty()) {
            Some(name) if rule.protect.len() > 1 => {
                let problem = text!(
                    "`{name}` has exempt values, which a rule about a combination cannot leave out"
                );
                error(problem, text!("write a rule for this column alone"))
            }
            _ => Ok(()),
        }
    }

    /// Reads one name or a list of names, each of them an attribute.
    fn names(
        &self,
        place: &Location,
        columns: &ColumnNames,
        key: &str,
        value: Option<Value>,
    ) -> Result<Vec<String>, Error> {
        let Some(value) = value else {
            let problem = text!("`{key}` is missing");
            return Err(Error::new(place.clone(), problem).help(text!("set `{key} = [\"...\"]`")));
        };
        let names: Option<Vec<&str>> = match &value {
            Value::String(name) => Some(vec![name]),
            Value::Array(names) => names.iter().map(Value::as_str).collect(),
            _ => None,
        };
        let names = names.ok_or_else(|| {
            Error::new(place.clone(), text!("`{key}` is not a column's name"))
                .help(text!("write `{key} = \"name\"`, or a list of names"))
        })?;
        let mut known: Vec<String> = Vec::new();
        for name in names {
            self.attribute(place, columns, name)?;
            if known.iter().any(|earlier| earlier == name) {
                let problem = text!("`{name}` appears in `{key}` twice");
                return Err(Error::new(place.clone(), problem).help("remove one of them"));
            }
            known.push(name.to_owned());
        }
        Ok(known)
    }

    fn attribute(&self, place: &Location, columns: &ColumnNames, name: &str) -> Result<(), Error> {
        if columns.number(name).is_ok() {
            return Ok(());
        }
        let error = |problem: Text| Error::new(place.clone(), problem);
        Err(match self.columns.get(name) {
            Some(column) => error(text!(
                "`{name}` has the role `{}` and is never published, so no rule needs it",
                column.role.name()
            ))
            .help(text!("remove it from the rule, or set `role = \"attribute\"` to publish it")),
            None => {
                let error = error(text!("unknown column `{name}`"));
                let names = columns.names().iter().map(String::as_str);
                or_meant(error, name, names, || format!("known: {}", columns.names().join(", ")))
            }
        })
    }

    fn dependencies(
        &self,
        columns: &ColumnNames,
        document: &Document,
    ) -> Result<Vec<NamedDependency>, Error> {
        let sections = document.dependencies.iter().flatten();
        let dependency = |section: &Spanned<DependencySection>| {
            let place = self.check.start_of(&section.span());
            let DependencySection { given, determines } = section.get_ref().clone();
            let known = NamedDependency {
                given: self.names(&place, columns, "given", Some(given))?,
                determines: self.names(&place, columns, "determines", Some(determines))?,
            };
            if known.given.is_empty()
                || !known.determines.iter().any(|name| !known.given.contains(name))
            {
                Err(Error::new(place, "the dependency is empty")
                    .help("name at least one column in `given`, and another one in `determines`"))
            } else {
                Ok(known)
            }
        };
        sections.map(dependency).collect()
    }

    /// Refuses rules that known dependencies break: no tables can satisfy them.
    fn refuse_hopeless(&self, columns: &ColumnNames, rules: &Rules) -> Result<(), Error> {
        let failed = |cause: openveil_rules::RulesError| self.check.error(cause.to_string());
        let known = rules.known(columns).map_err(failed)?;
        let numbered = rules.numbered(columns).map_err(failed)?;
        for (named, rule) in rules.rules.iter().zip(numbered) {
            refuse_determined(&[rule], &known)
                .and_then(|()| expansion(rule, &known, MAX_DERIVED).map(drop)).map_err(|cause| match cause {
                openveil_rules::RulesError::Determined { .. } => {
                    let problem = text!(
                        "the rule `{}` cannot be satisfied: by the dependencies, the given columns determine the protected ones",
                        rule.describe(columns)
                    );
                    let help = "remove columns from `given`, or drop the protected column";
                    Error::new(named.place.clone(), problem).help(help)
                }
                other => Error::new(named.place.clone(), other.to_string()),
            })?;
        }
        Ok(())
    }
}
