//! Ways to publish a table under several rules.

use super::Dataset;
use openveil_core::algorithm::Algorithm;
use openveil_core::coins::{Coins, SecretCoins};
use openveil_core::model::RatioDiversity;
use openveil_core::table::{Column, ColumnSet, Domain, Groups, PeopleTable, Secret, View};
use openveil_papers::algorithm::Cover;
use openveil_rules::baseline::multi_sa;
use openveil_rules::decompose::{entropy_bound, estimated_divergence, gd, potential, search, uad};
use openveil_rules::estimate::{Estimate, EstimateLimits, SparseMarginal, entropy};
use openveil_rules::normal_form::{Schema, SubTable};
use openveil_rules::{Dependency, Rule, RulesError};
use std::time::Duration;

/// The number of schemas that a search scores.
const BUDGET: usize = 4_000;

/// A way to publish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublishingWay {
    /// Every column in its own table.
    Single,
    /// One table with several sensitive columns.
    MultiSa(Duration),
    /// By colours.
    Uad,
    /// Guardian decomposition, scored by public histograms.
    Gd,
    /// Local search, scored by public histograms.
    Search,
    /// Guardian decomposition, scored by the true columns as in the paper. Unsafe.
    GdTrue,
    /// Local search by a bound on the true columns. Unsafe.
    SearchTrue,
}

impl PublishingWay {
    /// Returns the heading in tables; a star marks ways that use true columns.
    pub fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::MultiSa(_) => "multi-SA",
            Self::Uad => "UAD",
            Self::Gd => "GD",
            Self::Search => "search",
            Self::GdTrue => "GD*",
            Self::SearchTrue => "search*",
        }
    }

    /// Publishes, and estimates the joint distribution from the published tables; the flag says
    /// whether a solver's time ran out.
    ///
    /// # Errors
    /// A rule that no tables can satisfy, tables too large to be joined.
    pub fn estimate(
        self,
        data: &Dataset,
        rules: &[Rule],
        l: u32,
        seed: u64,
    ) -> Result<(Estimate, bool), RulesError> {
        if let Self::MultiSa(limit) = self {
            let mut coins = SecretCoins::from_test_seed(seed);
            return one_table(data, rules, l, limit, &mut coins);
        }
        let schema = self.schema(data, rules, &[], l, seed)?;
        Ok((Self::published(data, &schema, l, seed)?, false))
    }

    /// Returns the tables that are published if readers know some dependencies; one table for
    /// multi-SA, which takes no dependencies into account.
    ///
    /// # Errors
    /// A rule that no tables can satisfy.
    pub fn schema(
        self,
        data: &Dataset,
        rules: &[Rule],
        dependencies: &[Dependency],
        l: u32,
        seed: u64,
    ) -> Result<Schema, RulesError> {
        let records = &data.records;
        let columns = records.all();
        match self {
            Self::MultiSa(_) => Ok(Schema::new(vec![SubTable::open(columns)?])),
            Self::Single => Ok(Schema::single_columns(columns)),
            Self::Uad => uad(columns, rules, dependencies),
            Self::Gd => {
                let entropies = entropies(records)?;
                let mut score = potential(&entropies, l);
                gd(columns, rules, dependencies, &mut score)
            }
            Self::Search => {
                let entropies = entropies(records)?;
                let mut score = potential(&entropies, l);
                let starts = vec![gd(columns, rules, dependencies, &mut score)?];
                Ok(search(columns, rules, dependencies, starts, BUDGET, &mut score)?.schema)
            }
            Self::GdTrue => {
                let mut own = SecretCoins::from_test_seed(seed);
                let group = |given, protect| groups(data, given, protect, l, &mut own);
                let mut score = estimated_divergence(records, EstimateLimits::default(), group);
                gd(columns, rules, dependencies, &mut score)
            }
            Self::SearchTrue => {
                let mut score = entropy_bound(records, l);
                let starts = vec![gd(columns, rules, dependencies, &mut score)?];
                Ok(search(columns, rules, dependencies, starts, BUDGET, &mut score)?.schema)
            }
        }
    }

    /// Returns the joint distribution as the tables of a schema show it.
    ///
    /// # Errors
    /// Tables too large to be joined.
    pub fn published(
        data: &Dataset,
        schema: &Schema,
        l: u32,
        seed: u64,
    ) -> Result<Estimate, RulesError> {
        let mut coins = SecretCoins::from_test_seed(seed);
        let records = &data.records;
        let marginals = schema.tables().iter().map(|table| {
            let (protect, columns) = (table.protects(), table.columns());
            if protect.is_empty() {
                return SparseMarginal::exact(records, columns);
            }
            let groups = groups(data, columns - protect, protect, l, &mut coins)?;
            SparseMarginal::bucketised(records, columns - protect, protect, &groups)
        });
        let marginals = marginals.collect::<Result<Vec<_>, RulesError>>()?;
        Estimate::new(&marginals, EstimateLimits::default())
    }
}

/// Returns the histograms' entropies, which are all that the safe scores use.
fn entropies(records: &PeopleTable) -> Result<Vec<f64>, RulesError> {
    records.all().iter().map(|column| entropy(records, ColumnSet::one(column))).collect()
}

/// Returns the groups of a guardian, made by the project's own engine.
fn groups(
    data: &Dataset,
    given: ColumnSet,
    protect: ColumnSet,
    l: u32,
    coins: &mut dyn Coins,
) -> Result<Groups, RulesError> {
    let failed = |cause: openveil_core::Error| RulesError::Anonymise(cause.to_string());
    let labels = |column: usize| (0..data.domains[column]).map(|code| code.to_string());
    let known = given.iter().map(|column| {
        let codes = data.records.codes(column).to_vec();
        let domain = Domain::unordered(labels(column));
        Column::new(&*data.names[column], codes, domain)
    });
    let column = protect.least().unwrap_or_default();
    let codes = data.records.codes(column).to_vec();
    let secret = Secret::new(&*data.names[column], codes, labels(column));
    let table = View::new(known.collect(), secret).map_err(failed)?;
    let model = RatioDiversity::new(l).map_err(failed)?;
    Cover.partition(&table, &model.into(), coins).map_err(failed)
}

/// Publishes everything in one table. One sensitive column is anonymised like a guardian's; several
/// by multi-SA. Its suppressed rows disclose nothing about them, so they are spread over all
/// combinations of values.
fn one_table(
    data: &Dataset,
    rules: &[Rule],
    l: u32,
    limit: Duration,
    coins: &mut dyn Coins,
) -> Result<(Estimate, bool), RulesError> {
    let records = &data.records;
    let secret = rules.iter().fold(ColumnSet::EMPTY, |all, rule| all | rule.protect());
    let given = records.all() - secret;
    if secret.len() == 1 {
        let groups = groups(data, given, secret, l, coins)?;
        let marginal = SparseMarginal::bucketised(records, given, secret, &groups)?;
        return Ok((Estimate::new(&[marginal], EstimateLimits::default())?, false));
    }
    let found = multi_sa(records, secret, l, limit, coins)?;
    let known = |rows: &[u32]| -> Vec<Vec<u32>> {
        rows.iter().map(|&row| records.tuple(row as usize, given)).collect()
    };
    let mut cells: Vec<(Vec<u32>, f64)> = Vec::new();
    let mut spread = |rows: &[u32], values: Vec<(Vec<u32>, f64)>| {
        // Equal rows are counted once: the domain is small, but groups are not.
        let mut counts: std::collections::BTreeMap<Vec<u32>, f64> = Default::default();
        known(rows).into_iter().for_each(|row| *counts.entry(row).or_default() += 1.0);
        for (row, count) in counts {
            for (value, share) in &values {
                let (mut row, mut value) = (row.iter(), value.iter());
                let codes = records.all().iter().filter_map(|column| {
                    let part = if secret.contains(column) { &mut value } else { &mut row };
                    part.next().copied()
                });
                cells.push((codes.collect(), count * share));
            }
        }
    };
    let mut shares: std::collections::BTreeMap<Vec<u32>, f64> = Default::default();
    for &row in &found.group {
        let value = records.tuple(row as usize, secret);
        *shares.entry(value).or_default() += 1.0 / found.group.len() as f64;
    }
    spread(&found.group, shares.into_iter().collect());
    spread(&found.suppressed, everything(data, secret));
    let marginal = SparseMarginal::new(records.all(), cells)?;
    Ok((Estimate::new(&[marginal], EstimateLimits::default())?, found.timed_out))
}

/// Returns all combinations of values, each with the same share. For small domains.
fn everything(data: &Dataset, columns: ColumnSet) -> Vec<(Vec<u32>, f64)> {
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for column in columns.iter() {
        let longer = all.into_iter().flat_map(|row| {
            (0..data.domains[column]).map(move |code| [&row[..], &[code]].concat())
        });
        all = longer.collect();
    }
    let share = 1.0 / all.len() as f64;
    all.into_iter().map(|row| (row, share)).collect()
}
