//! The schema of published tables that satisfies a policy.

mod rules;

use crate::asked::Job;
use crate::made::history::Continued;
use crate::made::ties::TiedTable;
use openveil_core::algorithm::Algorithm;
use openveil_core::guarantee;
use openveil_core::model::Model;
use openveil_core::table::{ColumnSet, View};
use openveil_io::load::{Loaded, explain};
use openveil_io::policy::{Policy, Role};
use openveil_io::release_dir::record::Looks;
use openveil_io::release_dir::write::manifest::NO_ALGORITHM;
use openveil_io::{Error, Location, Seen, Sight};
use openveil_papers::algorithm::{Auto, Cover};
use openveil_rules::normal_form;
use openveil_rules::normal_form::{NormalFormReport, check};
use openveil_rules::{Dependency, Rule};

/// The tables to publish: one table, or several that satisfy rules.
#[derive(Debug, Clone)]
pub(crate) struct TablePlans {
    /// The tables.
    pub(crate) tables: Vec<TablePlan>,
    /// The rules that they satisfy; for a single table, one rule about all its columns.
    pub(crate) rules: Vec<RulePlan>,
    /// Dependencies between columns that readers are assumed to know.
    pub(crate) dependencies: Vec<Dependency>,
    /// Outputs of earlier runs that the guarantee of this release does not cover.
    pub(crate) looks: Looks,
    /// Earlier releases of the same people, if their slots persist.
    pub(crate) history: Option<guarantee::PromisedHistory>,
    /// How several tables satisfy the rules.
    normal_form: Option<NormalForm>,
}

/// A table to be published.
#[derive(Debug, Clone)]
pub(crate) struct TablePlan {
    /// Name of its files.
    pub(crate) name: String,
    /// Its columns.
    pub(crate) columns: ColumnSet,
    /// How it is anonymised; none if its rows are published unchanged.
    pub(crate) guard: Option<Guard>,
}

/// Requirements on the anonymisation of a table.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    /// All of its other columns.
    pub(crate) known: ColumnSet,
    /// Columns for analysis.
    pub(crate) other: ColumnSet,
    /// The columns that it protects; several count as one.
    pub(crate) secret: ColumnSet,
    /// The table as this guard sees it.
    pub(crate) view: View,
    /// The models of all rules that it has to satisfy.
    pub(crate) model: Model,
}

/// A rule, and the reason why it holds.
#[derive(Debug, Clone)]
pub(crate) struct RulePlan {
    /// The columns that the reader knows.
    pub(crate) given: ColumnSet,
    /// Columns that stay protected.
    pub(crate) protect: ColumnSet,
    pub(crate) model: Model,
    pub(crate) keeper: RuleKeeper,
}

/// The reason why a rule holds.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RuleKeeper {
    /// The anonymisation of a table.
    Table(usize),
    /// Nothing that is published leads to these columns.
    Unreachable(ColumnSet),
}

/// A schema of several tables, and the verdicts on its rules.
#[derive(Debug, Clone)]
struct NormalForm {
    schema: normal_form::Schema,
    rules: Vec<Rule>,
    report: NormalFormReport,
}

impl TablePlans {
    /// Returns the tables that a policy publishes. Uses the policy and the columns' histograms, and
    /// nothing about how columns are related.
    ///
    /// # Errors
    /// A model that the table cannot satisfy, a rule that no tables can satisfy.
    pub(crate) fn new(policy: &Policy, loaded: &Loaded) -> Result<Self, Error> {
        let schema = match policy.rules() {
            None => Self::single(policy, loaded)?,
            Some(rules) => Self::of_rules(policy, rules, loaded)?,
        };
        let guards = schema.tables.iter().filter_map(|table| table.guard.as_ref());
        let looks = Looks::new(policy, loaded, guards.map(|guard| &guard.view))?;
        Ok(Self { looks, ..schema })
    }

    /// Returns what a plan of these tables depends on.
    pub(crate) fn seen(&self, policy: &Policy, loaded: &Loaded) -> Vec<Seen> {
        self.tables
            .iter()
            .filter_map(|table| table.guard.as_ref())
            .map(|guard| {
                let mut seen = Seen::of_histograms(Sight::Plan, &guard.view);
                seen.strata.extend(policy.ties().map(|ties| ties.id.clone()));
                seen.prints = Some(loaded.prints.clone());
                seen
            })
            .collect()
    }

    /// Takes over the guarantee and the counts of a history, if there is one.
    pub(crate) fn continues(&mut self, history: Option<&Continued>) {
        if let Some(history) = history {
            self.history = Some(history.claim());
            let looks = std::mem::take(&mut self.looks);
            self.looks = looks.with_refused_runs(history.entry().refused);
        }
    }

    /// Returns the ties of the one table, if the policy has any.
    ///
    /// # Errors
    /// As for [`TiedTable::new`].
    pub(crate) fn ties(
        &self,
        policy: &Policy,
        loaded: &Loaded,
    ) -> Result<Option<TiedTable>, Error> {
        match &self.tables[..] {
            [only] => match &only.guard {
                Some(guard) => TiedTable::new(policy, loaded, &guard.view),
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// Returns the job with the engine that its algorithm chooses for all tables together, from
    /// public facts.
    ///
    /// # Errors
    /// A model that does not fit a table.
    pub(crate) fn resolved(&self, job: Job) -> Result<Job, Error> {
        let guards = self.tables.iter().filter_map(|table| table.guard.as_ref());
        let tables: Vec<(&View, &Model)> =
            guards.map(|guard| (&guard.view, &guard.model)).collect();
        if job.options.certify && job.algorithm.name() == Auto.name() {
            // Only groups of `cover` have the exchanges that a certificate shows.
            return Ok(job.with_engine(Some(&Cover)));
        }
        let chosen =
            job.algorithm.chosen(&tables, &job.settings).map_err(|cause| match tables.first() {
                Some((view, _)) => explain(&job.policy, view, cause),
                None => Error::new(Location::file(&job.policy.path), cause.in_words()),
            })?;
        let mut job = job.with_engine(chosen);
        // Ties of each size, and people who come together, have their own smallest group.
        let has_own = job.policy.ties().is_some() || self.history.is_some();
        if job.algorithm.profile().takes_smallest_group && !tables.is_empty() && !has_own {
            let views: Vec<&View> = tables.iter().map(|(view, _)| *view).collect();
            job.settings = job.settings.of_tables(&views);
        }
        // A single table was checked when it was read.
        let of_rules = if job.policy.rules().is_some() { tables } else { Vec::new() };
        for (view, model) in of_rules {
            let checked = job.algorithm.check_with(view, model, &job.settings);
            checked.map_err(|cause| explain(&job.policy, view, cause))?;
        }
        Ok(job)
    }

    /// Returns whether some table is published in groups.
    pub(crate) fn has_groups(&self) -> bool {
        self.tables.iter().any(|table| table.guard.is_some())
    }

    /// Returns the name of the algorithm that makes groups; a fixed name if there are no groups.
    pub(crate) fn algorithm(&self, job: &Job) -> &'static str {
        if self.has_groups() { job.algorithm.name() } else { NO_ALGORITHM }
    }

    /// Returns one table that protects its sensitive columns from a reader who knows all others.
    fn single(policy: &Policy, loaded: &Loaded) -> Result<Self, Error> {
        let view = loaded.view(policy)?;
        policy
            .method
            .algorithm
            .check_with(&view, &policy.privacy.model, &policy.settings())
            .map_err(|cause| explain(policy, &view, cause))?;
        let known = loaded.with_role(policy, Role::QuasiIdentifier);
        let other = loaded.with_role(policy, Role::Other);
        let secret = loaded.with_role(policy, Role::Sensitive);
        let model = policy.privacy.model.clone();
        Ok(Self {
            rules: vec![RulePlan {
                given: known,
                protect: secret,
                model: model.clone(),
                keeper: RuleKeeper::Table(0),
            }],
            tables: vec![TablePlan {
                name: "release".to_owned(),
                columns: known | other | secret,
                guard: Some(Guard { known, other, secret, view, model }),
            }],
            dependencies: Vec::new(),
            looks: Looks::default(),
            history: None,
            normal_form: None,
        })
    }

    /// Checks the schema of the release a last time: it satisfies every rule.
    ///
    /// # Errors
    /// [`openveil_rules::Error::NotNormalForm`]. The error is a message.
    pub(crate) fn verify(&self) -> Result<(), Error> {
        let Some(form) = &self.normal_form else {
            return Ok(());
        };
        let report = check(&form.schema, &form.rules, &self.dependencies)
            .require()
            .map_err(|cause| Error::new(Location::default(), cause.to_string()))?;
        if report == form.report {
            return Ok(());
        }
        let problem = "the check rejected the schema. Nothing was written";
        Err(Error::new(Location::default(), problem))
    }
}
