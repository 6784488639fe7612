//! Attacks several tables that should satisfy rules together: intersects them.

use super::AttackOptions;
use crate::query::published;
use openveil_core::algorithm::{Adversary, Algorithm, Posterior};
use openveil_core::exact::{Fraction, fraction};
use openveil_core::model::{Counts, Model};
use openveil_core::table::ColumnSet;
use openveil_io::load::{self, Loaded};
use openveil_io::policy::{Policy, Rules};
use openveil_io::progress::{Observer, Stage};
use openveil_io::release_dir::ReleasePlace;
use openveil_io::release_dir::read::{ReleaseFolder, needs_owners};
use openveil_io::release_dir::write::manifest::Manifest;
use openveil_io::{Error, Location};
use openveil_papers::{algorithm, attack};
use openveil_rules::worlds::{Posteriors, PublicationReader, PublishedTable, candidates};
use openveil_rules::{Dependency, Rule};
use serde::Serialize;

/// Partial arrangements that the exact reader may look at.
const WORLDS: usize = 1_000_000;

/// The most rows for which the exact reader is tried: every arrangement has this length.
const EXACT_ROWS: usize = 12;

/// The findings of a reader of all tables, rule by rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RulesReport {
    /// Rows of the release.
    pub rows: usize,
    /// Its tables.
    pub tables: usize,
    /// Whether some rule is broken.
    pub promise_broken: bool,
    /// The algorithm that made the groups.
    pub algorithm: String,
    /// Whether groups disclose as much as the algorithm does, so that the reader need not run it.
    /// Otherwise `worlds` are weighed by groups alone, and further conclusions from the algorithm
    /// are left out.
    pub groups_tell_all: bool,
    /// One entry per rule.
    pub rules: Vec<RuleFound>,
}

/// The findings about a rule's protected columns by a reader who knows its given columns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RuleFound {
    /// The columns that the reader knows of everybody.
    pub given: Vec<String>,
    /// The columns that should stay protected.
    pub protect: Vec<String>,
    /// `worlds`: all tables that fit the release were enumerated, weighed by how often they lead to
    /// it. `candidates`: values were ruled out person by person.
    pub method: String,
    /// People who were attacked.
    pub people: usize,
    /// People for whom a single value is left that needs protection.
    pub certain: usize,
    /// People for whom a single value is left that needs no protection.
    pub certain_exempt: usize,
    /// People whose distribution of values breaks the rule's model; only by `worlds`.
    pub above_bound: Option<usize>,
    /// The highest chance of any protected value of anybody; only by `worlds`.
    pub highest: Option<String>,
    /// Values left per person on average; only by `candidates`.
    pub mean_values: Option<f64>,
    /// The rows of the people who are certain, from 1; for the owner.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<u32>,
}

/// Intersects the tables of a release, for the reader of every rule.
///
/// # Errors
/// Bad input; a release that is not of this table; generalised tables.
pub fn run_rules(
    policy: &Policy,
    rules: &Rules,
    release: impl Into<ReleasePlace>,
    options: &AttackOptions,
    observer: &dyn Observer,
) -> Result<RulesReport, Error> {
    observer.begin(Stage::Read, policy.input.source.total_bytes());
    let table = load::load(policy, &|bytes| observer.advance(bytes))?;
    let failed = |cause: openveil_rules::RulesError| {
        Error::new(Location::file(&policy.path), cause.to_string())
    };
    let numbered = rules.numbered(&table.names).map_err(failed)?;
    let dependencies = rules.known(&table.names).map_err(failed)?;
    observer.begin(Stage::ReadBack, None);
    let release = &release.into();
    let tables = published(release, &table)?;
    let people = attack::sample(table.table.rows(), options.sample, options.seed);
    let total = people.len() * numbered.len();
    observer.begin(Stage::Intersect, Some(total as u64));
    let subject = AttackedTables {
        table: &table,
        tables: &tables,
        dependencies: &dependencies,
        people: &people,
        owner: options.owner,
        observer,
    };
    let found = numbered
        .iter()
        .zip(&rules.rules)
        .map(|(&rule, named)| subject.attack(rule, &named.model))
        .collect::<Result<Vec<RuleFound>, Error>>()?;
    // Only a promise of the manifest can be broken.
    let manifest = ReleaseFolder::read(release)?.manifest;
    let promised = promised(&manifest, numbered.len());
    Ok(RulesReport {
        rows: table.table.rows(),
        tables: tables.len(),
        promise_broken: found.iter().zip(&promised).any(|(rule, promised)| {
            *promised && rule.above_bound.map_or(rule.certain > 0, |above| above > 0)
        }),
        groups_tell_all: algorithm::named(&manifest.algorithm).is_some_and(groups_tell_all),
        algorithm: manifest.algorithm,
        rules: found,
    })
}

/// For each rule, whether the manifest promises that something stays uncertain to a
/// reader who knows the algorithm.
fn promised(manifest: &Manifest, rules: usize) -> Vec<bool> {
    let knows = manifest.guarantee.adversary == Adversary::KnowsAlgorithm.name();
    (0..rules)
        .map(|rule: usize| {
            let entry = manifest.rules.get(rule);
            knows && entry.is_none_or(|rule| rule.max_posterior.as_deref() != Some("1"))
        })
        .collect()
}

/// Whether a reader who knows the algorithm can conclude no more from a release than from its
/// groups.
fn groups_tell_all(algorithm: &dyn Algorithm) -> bool {
    let profile = algorithm.profile();
    profile.is_safe() && profile.posterior == Posterior::OfGroups
}

/// The tables and people under attack.
struct AttackedTables<'a> {
    table: &'a Loaded,
    tables: &'a [PublishedTable],
    dependencies: &'a [Dependency],
    people: &'a [u32],
    owner: bool,
    observer: &'a dyn Observer,
}

impl AttackedTables<'_> {
    /// Uses the exact reader if there are few enough worlds, and rules out values otherwise.
    fn attack(&self, rule: Rule, model: &Model) -> Result<RuleFound, Error> {
        let failed = |cause: openveil_rules::RulesError| {
            let error = Error::new(Location::default(), cause.to_string());
            error.help(needs_owners())
        };
        let records = &self.table.table;
        if records.rows() > EXACT_ROWS {
            return Ok(self.by_candidates(rule));
        }
        let reader = PublicationReader::new(records, self.tables, rule.given())
            .map_err(failed)?
            .knowing(self.dependencies);
        match Posteriors::new(&reader, rule.protect(), WORLDS) {
            Ok(posteriors) => self.by_worlds(rule, model, &posteriors),
            Err(openveil_rules::RulesError::BeyondLimit { .. }) => Ok(self.by_candidates(rule)),
            Err(cause) => Err(failed(cause)),
        }
    }

    fn names(&self, columns: ColumnSet) -> Vec<String> {
        self.table.table.names_of(columns)
    }

    /// Whether none of the values that a rule protects needs it.
    fn is_exempt(&self, rule: Rule, codes: &[u32]) -> bool {
        let columns = self.table.table.columns();
        rule.protect()
            .iter()
            .zip(codes)
            .all(|(column, &code)| columns[column].exempt()[code as usize])
    }

    fn found(&self, rule: Rule, method: &str, people: usize, mut certain: Vec<u32>) -> RuleFound {
        let all = certain.len();
        // A person whose value is certain has the value that is left.
        let own = |row: u32| self.table.table.tuple(row as usize, rule.protect());
        certain.retain(|&row| !self.is_exempt(rule, &own(row)));
        let count = certain.len();
        if !self.owner {
            certain.clear();
        }
        RuleFound {
            given: self.names(rule.given()),
            protect: self.names(rule.protect()),
            method: method.to_owned(),
            people,
            certain: count,
            certain_exempt: all - count,
            above_bound: None,
            highest: None,
            mean_values: None,
            rows: certain.into_iter().map(|row| row + 1).collect(),
        }
    }

    fn by_worlds(
        &self,
        rule: Rule,
        model: &Model,
        posteriors: &Posteriors,
    ) -> Result<RuleFound, Error> {
        let rows = self.table.table.rows();
        let one: Fraction = fraction(1, 1);
        let certain: Vec<u32> = (0..rows)
            .filter(|&row| posteriors.likeliest(row).1 == one)
            .map(|row| row as u32)
            .collect();
        let above = match rule.protect().iter().collect::<Vec<_>>()[..] {
            [column] => Some(self.above(column, model, posteriors)?),
            // A combination of columns has no model of its own.
            _ => None,
        };
        self.observer.advance(self.people.len() as u64);
        let found = self.found(rule, "worlds", rows, certain);
        Ok(RuleFound {
            above_bound: above.or(Some(found.certain)),
            highest: self.highest(rule, posteriors).map(|chance| chance.to_string()),
            ..found
        })
    }

    /// The highest chance of a value that needs protection.
    fn highest(&self, rule: Rule, posteriors: &Posteriors) -> Option<Fraction> {
        (0..self.table.table.rows())
            .filter_map(|row: usize| {
                let total: u128 = posteriors.weights(row).map(|(_, weight)| weight).sum();
                let protected = posteriors.weights(row);
                protected
                    .filter(|(codes, _)| !self.is_exempt(rule, codes))
                    .map(|(_, weight)| weight)
                    .max()
                    .map(|weight| fraction(weight, total))
            })
            .max()
    }

    /// People whose posterior of one column breaks a model.
    fn above(&self, column: usize, model: &Model, posteriors: &Posteriors) -> Result<usize, Error> {
        let alone = self.table.table.view(ColumnSet::EMPTY, ColumnSet::one(column));
        let criteria = model.bind(&alone)?;
        Ok((0..self.table.table.rows())
            .filter(|row| {
                let weights: Vec<(u32, u128)> =
                    posteriors.weights(*row).map(|(codes, w)| (codes[0], w)).collect();
                !criteria.hold_on_posterior(&Counts::new(&weights))
            })
            .count())
    }

    fn by_candidates(&self, rule: Rule) -> RuleFound {
        let (mut certain, mut values, mut reached) = (Vec::new(), 0, 0);
        for &person in self.people {
            let code = |column: usize| self.table.table.codes(column)[person as usize];
            // A combination is certain if each of its columns is.
            let left: Option<Vec<usize>> = rule
                .protect()
                .iter()
                .map(|column| {
                    let left = candidates(self.tables, rule.given(), code, column);
                    left.map(|left| left.len())
                })
                .collect();
            self.observer.advance(1);
            let Some(left) = left else {
                continue;
            };
            let left: usize = left.into_iter().product();
            reached += 1;
            values += left;
            if left == 1 {
                certain.push(person);
            }
        }
        let mean = (reached > 0).then(|| values as f64 / f64::from(reached));
        RuleFound {
            mean_values: mean,
            ..self.found(rule, "candidates", self.people.len(), certain)
        }
    }
}
