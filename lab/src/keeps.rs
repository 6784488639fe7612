//! Measures the usefulness of releases of a table.

use crate::tables::RegressedTable;
use openveil_core::algorithm::{Algorithm, Settings};
use openveil_core::coins::SecretCoins;
use openveil_core::model::Model;
use openveil_core::release::{CLASS_SIZE, Content, Style, publish_in_classes};
use openveil_core::table::View;
use openveil_measures::utility::{
    Errors, Index, QueryKind, Workload, discernability, kl_divergence,
};
use openveil_papers::algorithm::Gda;
use std::num::NonZeroU32;
use std::time::Instant;

/// The seed of queries and of random draws, so that figures are reproducible.
pub const SEED: u64 = 1;

/// The weight of gender for GDA in the Privacy Streamliner paper, with 1 for other columns.
const GENDER: u32 = 10_000;

/// Returns a table as an algorithm gets it: with equal weights for all columns, GDA's groups would
/// show nothing about genders.
pub fn given(algorithm: &dyn Algorithm, table: &View) -> View {
    if algorithm.name() != Gda.name() {
        return table.clone();
    }
    let columns = table
        .known()
        .iter()
        .map(|column| match column.name() {
            "sex" | "gender" => column.clone().with_weight(GENDER),
            _ => column.clone(),
        })
        .collect();
    table.clone().with_known(columns).expect("the same columns")
}

/// A table with queries on it.
#[derive(Debug)]
pub struct QueriedTable<'a> {
    table: &'a RegressedTable,
    /// The queries of each kind, and the true counts.
    kinds: Vec<(Workload, Vec<u64>)>,
}

/// Parameters of a release.
#[derive(Debug, Clone, Copy)]
pub struct ReleaseParameters<'a> {
    /// Algorithm that makes the groups.
    pub algorithm: &'a dyn Algorithm,
    /// Model that they satisfy.
    pub model: &'a Model,
    /// How quasi-identifiers are published.
    pub style: Style,
}

impl<'a> ReleaseParameters<'a> {
    /// Sets a generalised release.
    pub fn new(algorithm: &'a dyn Algorithm, model: &'a Model) -> Self {
        Self { algorithm, model, style: Style::Generalize }
    }
}

/// Means over seeds.
#[derive(Debug, Clone, Default)]
pub struct KeptMeans {
    /// Milliseconds for the groups alone.
    pub milliseconds: f64,
    /// Number of groups.
    pub groups: f64,
    /// Discernability.
    pub dm: f64,
    /// Divergence of the release from the table, in nats.
    pub kl: f64,
    /// Errors of each kind of queries.
    pub errors: Vec<f64>,
    /// The slope of the first regressor, and R².
    pub regression: [f64; 2],
}

impl<'a> QueriedTable<'a> {
    /// Makes a table with so many random queries of each kind, with their true counts.
    pub fn new(table: &'a RegressedTable, kinds: &[QueryKind], queries: usize) -> Self {
        let draw = |kind: &QueryKind| {
            let workload = Workload::random(&table.view, kind, queries, SEED);
            let counts = workload.true_counts(&table.view);
            (workload, counts)
        };
        Self { table, kinds: kinds.iter().map(draw).collect() }
    }

    /// Returns the means over `seeds` runs.
    ///
    /// # Errors
    /// Errors of the algorithm about the table.
    pub fn kept(
        &self,
        way: ReleaseParameters<'_>,
        seeds: u64,
    ) -> Result<KeptMeans, openveil_core::Error> {
        let view = &self.table.view;
        let settings =
            Settings { keeps_marginals: way.style == Style::Generalize, ..Settings::default() };
        let least = NonZeroU32::new(CLASS_SIZE.max(way.model.least_class()));
        let mut sum = KeptMeans { errors: vec![0.0; self.kinds.len()], ..KeptMeans::default() };
        for seed in SEED..SEED + seeds {
            let start = Instant::now();
            let mut coins = SecretCoins::from_test_seed(seed);
            let groups = way.algorithm.partition_with(view, way.model, &settings, &mut coins)?;
            sum.milliseconds += start.elapsed().as_secs_f64() * 1e3;
            self.add(&publish_in_classes(view, &groups, way.style, least).0, &mut sum);
        }
        let mean = |sum: f64| sum / seeds as f64;
        Ok(KeptMeans {
            milliseconds: mean(sum.milliseconds),
            groups: mean(sum.groups),
            dm: mean(sum.dm),
            kl: mean(sum.kl),
            errors: sum.errors.into_iter().map(mean).collect(),
            regression: sum.regression.map(mean),
        })
    }

    fn add(&self, release: &Content, sum: &mut KeptMeans) {
        let view = &self.table.view;
        sum.groups += release.group_count() as f64;
        sum.dm += discernability(release) as f64;
        sum.kl += kl_divergence(view, release);
        let index = Index::new(release);
        for ((workload, counts), error) in self.kinds.iter().zip(&mut sum.errors) {
            let estimates = workload.estimates(&index);
            *error += Errors::new(counts, &estimates, view.rows()).floored;
        }
        let regression = self.table.regression.as_ref();
        if let Some(fit) = regression.and_then(|own| own.on_release(release)) {
            sum.regression[0] += fit.slopes[0];
            sum.regression[1] += fit.r_squared;
        }
    }
}
