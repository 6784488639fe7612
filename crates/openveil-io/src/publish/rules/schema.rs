//! From rules to a schema in guardian normal form.

use crate::load::Loaded;
use crate::policy::{Decomposition, Policy, Rules};
use crate::publish::refusal::explain;
use crate::{Error, Location};
use openveil::model::{Model, RatioDiversity, Requirement};
use openveil::schema::decompose::{Score, gd, potential, search, uad};
use openveil::schema::estimate::entropy;
use openveil::schema::normal_form::{Report, Schema, Verdict, check};
use openveil::schema::{Dependency, Rule};
use openveil::table::ColumnSet;

/// Schemas that a search may look at.
const SEARCH_BUDGET: usize = 20_000;

/// A schema with what it has to keep.
#[derive(Debug)]
pub(super) struct Prepared {
    /// The rules, by the numbers of columns, as the policy writes them.
    pub(super) rules: Vec<Rule>,
    /// Each rule's model.
    pub(super) models: Vec<Model>,
    pub(super) dependencies: Vec<Dependency>,
    /// The published tables.
    pub(super) schema: Schema,
    /// How each rule is kept.
    pub(super) report: Report,
}

impl Prepared {
    /// Checks every rule against the histogram of what it protects, and splits the
    /// columns. Reads rules and histograms, nothing of how columns hang together.
    ///
    /// # Errors
    /// A rule that no tables can keep.
    pub(super) fn new(policy: &Policy, rules: &Rules, table: &Loaded) -> Result<Self, Error> {
        let failed = |cause: openveil::schema::Error| {
            Error::new(Location::file(&policy.path), cause.to_string())
        };
        let numbered = rules.numbered(&table.names).map_err(failed)?;
        let possible = numbered.iter().enumerate();
        let possible = possible.map(|(index, &rule)| kept_parts(policy, rules, table, index, rule));
        let possible = possible.collect::<Result<Vec<Rule>, Error>>()?;
        let dependencies = rules.known(&table.names).map_err(failed)?;
        let models: Vec<Model> = rules.rules.iter().map(|rule| rule.model.clone()).collect();
        let problem = Problem {
            rules: &possible,
            dependencies: &dependencies,
            models: &models,
        };
        let schema = problem
            .decompose(rules.decomposition, table)
            .map_err(|cause| hopeless(policy, rules, table, &numbered, &cause))?;
        let report = check(&schema, &possible, &dependencies)
            .require()
            .map_err(failed)?;
        Ok(Self {
            rules: possible,
            models,
            dependencies,
            schema,
            report,
        })
    }

    /// The last look at the schema of what is about to leave: it publishes what it
    /// should, and keeps every rule.
    ///
    /// # Errors
    /// [`openveil::schema::Error::NotNormalForm`], in words.
    pub(super) fn verify(&self) -> Result<(), Error> {
        let report = check(&self.schema, &self.rules, &self.dependencies).require();
        let report = report.map_err(|cause| Error::new(Location::default(), cause.to_string()))?;
        match report == self.report {
            true => Ok(()),
            false => Err(Error::new(
                Location::default(),
                "the schema was refused by its check and nothing was written",
            )),
        }
    }

    /// What the anonymisation of a guardian has to satisfy: the models of all the
    /// rules that it stands for.
    pub(super) fn model(&self, number: usize) -> Result<Model, Error> {
        let protects = self.schema.tables()[number].protects();
        let mut rules = self.report.guarded_by(number);
        if rules.is_empty() {
            // Nothing leads to it now; it stays as safe as it was made to be.
            let about = |rule: &usize| self.rules[*rule].protect().meets(protects);
            rules = (0..self.rules.len()).filter(about).collect();
        }
        let models = rules.iter().map(|&rule| &self.models[rule]);
        all_of(models).map_err(|cause| Error::new(Location::default(), cause.to_string()))
    }

    /// The rule's guardian, if it has one.
    pub(super) fn guardian(&self, rule: usize) -> Option<usize> {
        match self.report.verdicts()[rule] {
            Verdict::Guarded { table } => Some(table),
            _ => None,
        }
    }
}

/// All requirements of some models: of ratio bounds the strictest, of others each once.
fn all_of<'a>(models: impl Iterator<Item = &'a Model>) -> Result<Model, openveil::Error> {
    let mut requirements: Vec<Requirement> = Vec::new();
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
    Model::all_of(requirements)
}

/// The rule on those of its protected columns whose own histogram satisfies its
/// model; protecting one of them protects the combination.
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
    for column in rule.protect().iter() {
        let alone = table.table.view(ColumnSet::EMPTY, ColumnSet::one(column));
        match policy.algorithm.check(&alone, &named.model) {
            Ok(()) => possible = possible | ColumnSet::one(column),
            Err(cause) => {
                let problem = explain(policy, &alone, cause);
                let words = format!(
                    "the rule `{}` cannot be kept, since everybody may know the histogram of `{}`: {}",
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

/// Why columns could not be split, in the words of the policy.
fn hopeless(
    policy: &Policy,
    rules: &Rules,
    table: &Loaded,
    numbered: &[Rule],
    cause: &openveil::schema::Error,
) -> Error {
    match *cause {
        openveil::schema::Error::Determined { rule }
        | openveil::schema::Error::LinkedByDependencies { rule } => {
            let problem = format!(
                "the rule `{}` cannot be kept by any choice of tables: the [[dependencies]] connect what is given with what is protected",
                numbered[rule].describe(&table.names)
            );
            Error::new(rules.rules[rule].place.clone(), problem)
                .help("drop a column of the dependency, or give less in the rule")
        }
        ref other => Error::new(Location::file(&policy.path), other.to_string()),
    }
}

/// Columns to split, and what must hold.
struct Problem<'a> {
    rules: &'a [Rule],
    dependencies: &'a [Dependency],
    models: &'a [Model],
}

impl Problem<'_> {
    fn decompose(
        &self,
        decomposition: Decomposition,
        table: &Loaded,
    ) -> Result<Schema, openveil::schema::Error> {
        let (rules, known) = (self.rules, self.dependencies);
        let columns = table.table.all();
        match decomposition {
            Decomposition::Uad => uad(columns, rules, known),
            Decomposition::SingleAttribute => {
                let schema = Schema::single_columns(columns);
                check(&schema, rules, known).require()?;
                Ok(schema)
            }
            Decomposition::Gd => self.scored(table, &mut |score| gd(columns, rules, known, score)),
            Decomposition::Search => self.scored(table, &mut |score| {
                let starts = vec![gd(columns, rules, known, score)?];
                let found = search(columns, rules, known, starts, SEARCH_BUDGET, score)?;
                Ok(found.schema)
            }),
        }
    }

    /// Scores schemas by the columns' histograms: a score that saw how columns hang
    /// together would make the choice of tables tell something about it.
    fn scored(
        &self,
        table: &Loaded,
        split: &mut dyn FnMut(&mut Score) -> Result<Schema, openveil::schema::Error>,
    ) -> Result<Schema, openveil::schema::Error> {
        let all = table.table.all().iter();
        let entropies = all.map(|column| entropy(&table.table, ColumnSet::one(column)));
        let entropies = entropies.collect::<Result<Vec<f64>, _>>()?;
        let ratios = self.models.iter().filter_map(Model::ratio);
        let l = ratios.map(|ratio| ratio.l()).max().unwrap_or(2);
        split(&mut potential(&entropies, l))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strictest_of_several_models_counts() {
        let ratio = |l| Model::from(RatioDiversity::new(l).unwrap());
        let k = Model::from(Requirement::KAnonymity { k: 7 });
        let both = [ratio(2), k.clone(), ratio(5), k];
        let all = all_of(both.iter()).unwrap();
        assert_eq!(all.requirements().len(), 2);
        let only = all_of([ratio(2), ratio(5)].iter()).unwrap();
        assert_eq!(only.ratio().map(|ratio| ratio.l()), Some(5));
    }
}
