//! Finds the tables that satisfy rules together, and the models of each of them.

use super::{Guard, NormalForm, RuleKeeper, RulePlan, TablePlan, TablePlans};
use crate::made::strata;
use openveil_core::model::{Model, RatioDiversity, Requirement};
use openveil_core::table::{ColumnSet, Form};
use openveil_io::load::{Loaded, explain};
use openveil_io::policy::{DecompositionChoice, NamedRule, Policy, Rules};
use openveil_io::release_dir::record::Looks;
use openveil_io::{Error, Location};
use openveil_rules::decompose::{Score, gd, potential, search, uad};
use openveil_rules::estimate::entropy;
use openveil_rules::normal_form;
use openveil_rules::normal_form::{RuleVerdict, check};
use openveil_rules::{Dependency, Rule};
use openveil_text::text;

/// The number of schemas that a search may try.
const SEARCH_BUDGET: usize = 20_000;

impl TablePlans {
    /// Checks every rule against the histogram of its protected columns, and splits the columns.
    pub(super) fn of_rules(policy: &Policy, rules: &Rules, table: &Loaded) -> Result<Self, Error> {
        let failed = |cause: openveil_rules::RulesError| {
            Error::new(Location::file(&policy.path), cause.to_string())
        };
        let numbered = rules.numbered(&table.names).map_err(failed)?;
        let possible = numbered
            .iter()
            .enumerate()
            .map(|(index, &rule)| kept_parts(policy, rules, table, index, rule))
            .collect::<Result<Vec<Rule>, Error>>()?;
        let dependencies = rules.known(&table.names).map_err(failed)?;
        let models: Vec<Model> = rules.rules.iter().map(|rule| rule.model.clone()).collect();
        let problem =
            SplitColumns { rules: &possible, dependencies: &dependencies, models: &models };
        let schema = problem
            .decompose(rules.decomposition, table)
            .map_err(|cause| hopeless(policy, rules, table, &numbered, &cause))?;
        let report = check(&schema, &possible, &dependencies).require().map_err(failed)?;
        let form = NormalForm { schema, rules: possible, report };
        let tables = (0..form.schema.tables().len())
            .map(|number| form.table(number, rules, table))
            .collect::<Result<Vec<TablePlan>, Error>>()?;
        refuse_open_ranges(policy, table, &tables)?;
        let rules = form.rules.iter().zip(form.report.verdicts()).zip(models).map(
            |((rule, verdict), model)| RulePlan {
                given: rule.given(),
                protect: rule.protect(),
                model,
                keeper: match verdict {
                    RuleVerdict::Guarded { table } => RuleKeeper::Table(*table),
                    RuleVerdict::Unreachable { columns } => RuleKeeper::Unreachable(*columns),
                    RuleVerdict::Leaks(_) => unreachable!("a schema in normal form has no leaks"),
                },
            },
        );
        Ok(Self {
            rules: rules.collect(),
            tables,
            dependencies,
            looks: Looks::default(),
            history: None,
            normal_form: Some(form),
        })
    }
}

impl NormalForm {
    fn table(&self, number: usize, rules: &Rules, loaded: &Loaded) -> Result<TablePlan, Error> {
        let shape = self.schema.tables()[number];
        let (columns, secret) = (shape.columns(), shape.protects());
        if secret.len() > 1 {
            let problem = "a table guards several columns; no decomposition makes such tables";
            return Err(Error::new(Location::default(), problem));
        }
        let guard = if secret.is_empty() {
            None
        } else {
            let guarded: Vec<&NamedRule> =
                self.guarded(number).into_iter().map(|rule| &rules.rules[rule]).collect();
            let known = columns - secret;
            let strata = strata::common(&guarded, &loaded.table.names_of(known))?;
            let view = loaded.table.view(known, secret).with_strata(strata);
            let models = guarded.iter().map(|rule| &rule.model);
            Some(Guard {
                known,
                other: ColumnSet::EMPTY,
                secret,
                view: view?,
                model: all_of(models)?,
            })
        };
        Ok(TablePlan { name: format!("table-{}", number + 1), columns, guard })
    }

    /// Returns the rules that a guardian stands for: its anonymisation has to satisfy all of their
    /// models.
    fn guarded(&self, number: usize) -> Vec<usize> {
        let rules = self.report.guarded_by(number);
        if !rules.is_empty() {
            return rules;
        }
        // No rule leads to the table any more, but it stays as safe as it was designed to be.
        let protects = self.schema.tables()[number].protects();
        (0..self.rules.len()).filter(|rule| self.rules[*rule].protect().meets(protects)).collect()
    }
}

/// Refuses ranges in a table that no rule needs guarded: it has no groups to show ranges of.
fn refuse_open_ranges(policy: &Policy, loaded: &Loaded, tables: &[TablePlan]) -> Result<(), Error> {
    let names = tables
        .iter()
        .filter(|table| table.guard.is_none())
        .flat_map(|table| loaded.table.names_of(table.columns));
    let range =
        |name: &String| matches!(policy.columns[name].form, Some(Form::Range | Form::Label));
    match names.into_iter().find(range) {
        None => Ok(()),
        Some(name) => {
            let problem = "cannot be published as ranges: the rules leave it in a table whose rows are published exactly";
            let help = "remove `publish` and `lowest-common-ancestor` from the column, or protect another column from it by a rule";
            Err(Error::new(Location::file(&policy.path).column(&name), problem).help(help))
        }
    }
}

/// Returns all requirements of some models: the strictest ratio bound, and each other requirement
/// once.
fn all_of<'a>(models: impl Iterator<Item = &'a Model>) -> Result<Model, openveil_core::Error> {
    let mut requirements: Vec<Requirement> = Vec::new();
    let mut models = models.peekable();
    // All rules of a policy are for the same readers.
    let informed = models.peek().and_then(|model| model.informed());
    let mut strictest: Option<RatioDiversity> = None;
    for requirement in models.flat_map(Model::requirements) {
        match requirement {
            Requirement::Ratio(ratio) => {
                let stricter = strictest.is_none_or(|known| known.l() < ratio.l());
                strictest = if stricter { Some(*ratio) } else { strictest };
            }
            other if !requirements.contains(other) => requirements.push(other.clone()),
            _ => {}
        }
    }
    requirements.extend(strictest.map(Requirement::Ratio));
    Ok(Model::all_of(requirements)?.against(informed))
}

/// Returns the rule for those of its protected columns whose own histogram satisfies its model;
/// protecting one of them protects the combination.
fn kept_parts(
    policy: &Policy,
    rules: &Rules,
    table: &Loaded,
    index: usize,
    rule: Rule,
) -> Result<Rule, Error> {
    let named = &rules.rules[index];
    let mut possible = ColumnSet::EMPTY;
    let mut refusal = None;
    let strata: ColumnSet =
        named.strata.iter().filter_map(|name| table.table.number(name)).collect();
    for column in rule.protect().iter() {
        let alone = table
            .table
            .view(strata, ColumnSet::one(column))
            .with_strata(&named.strata)
            .map_err(|cause| Error::new(named.place.clone(), cause.in_words()))?;
        match policy.method.algorithm.check(&alone, &named.model) {
            Ok(()) => possible = possible | ColumnSet::one(column),
            Err(cause) => {
                let problem = explain(policy, &alone, cause);
                let words = format!(
                    "the rule `{}` cannot be satisfied, because everybody may know the histogram of `{}`: {}",
                    rule.describe(&table.names),
                    table.names.name(column),
                    problem.problem()
                );
                refusal = Some(problem.with_problem(words).at_place(named.place.clone()));
            }
        }
    }
    match (Rule::new(rule.given(), possible), refusal) {
        (Ok(rule), _) => Ok(rule),
        (Err(_), Some(refusal)) => Err(refusal),
        (Err(cause), None) => Err(Error::new(named.place.clone(), cause.to_string())),
    }
}

/// Explains in the words of the policy why columns could not be split.
fn hopeless(
    policy: &Policy,
    rules: &Rules,
    table: &Loaded,
    numbered: &[Rule],
    cause: &openveil_rules::RulesError,
) -> Error {
    match *cause {
        openveil_rules::RulesError::Determined { rule }
        | openveil_rules::RulesError::LinkedByDependencies { rule } => {
            let problem = text!(
                "the rule `{}` cannot be satisfied by any choice of tables: the [[dependencies]] connect the given columns with the protected ones",
                numbered[rule].describe(&table.names)
            );
            Error::new(rules.rules[rule].place.clone(), problem)
                .help("drop a column of the dependency, or give less in the rule")
        }
        ref other => Error::new(Location::file(&policy.path), other.to_string()),
    }
}

/// The columns to split, and the rules that the split has to satisfy.
struct SplitColumns<'a> {
    rules: &'a [Rule],
    dependencies: &'a [Dependency],
    models: &'a [Model],
}

impl SplitColumns<'_> {
    fn decompose(
        &self,
        decomposition: DecompositionChoice,
        table: &Loaded,
    ) -> Result<normal_form::Schema, openveil_rules::RulesError> {
        let (rules, known) = (self.rules, self.dependencies);
        let columns = table.table.all();
        match decomposition {
            DecompositionChoice::Uad => uad(columns, rules, known),
            DecompositionChoice::SingleAttribute => {
                let schema = normal_form::Schema::single_columns(columns);
                check(&schema, rules, known).require()?;
                Ok(schema)
            }
            DecompositionChoice::Gd => {
                self.scored(table, &mut |score| gd(columns, rules, known, score))
            }
            DecompositionChoice::Search => self.scored(table, &mut |score| {
                let starts = vec![gd(columns, rules, known, score)?];
                let found = search(columns, rules, known, starts, SEARCH_BUDGET, score)?;
                Ok(found.schema)
            }),
        }
    }

    /// Scores schemas by the columns' histograms. A score that used how columns are related would
    /// make the choice of tables disclose something about it.
    fn scored(
        &self,
        table: &Loaded,
        split: &mut dyn FnMut(
            &mut Score,
        ) -> Result<normal_form::Schema, openveil_rules::RulesError>,
    ) -> Result<normal_form::Schema, openveil_rules::RulesError> {
        let entropies = table
            .table
            .all()
            .iter()
            .map(|column| entropy(&table.table, ColumnSet::one(column)))
            .collect::<Result<Vec<f64>, _>>()?;
        let l =
            self.models.iter().filter_map(Model::ratio).map(|ratio| ratio.l()).max().unwrap_or(2);
        split(&mut potential(&entropies, l))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_core::model::KAnonymity;

    #[test]
    fn the_strictest_of_several_models_counts() {
        let ratio = |l| Model::from(RatioDiversity::new(l).unwrap());
        let k = Model::from(Requirement::KAnonymity(KAnonymity { k: 7 }));
        let both = [ratio(2), k.clone(), ratio(5), k];
        let all = all_of(both.iter()).unwrap();
        assert_eq!(all.requirements().len(), 2);
        let only = all_of([ratio(2), ratio(5)].iter()).unwrap();
        assert_eq!(only.ratio().map(|ratio| ratio.l()), Some(5));
    }
}
