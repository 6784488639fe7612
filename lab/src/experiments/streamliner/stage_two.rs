//! The second stage: the best of a family set.

use super::super::{ExperimentEffort, FigureLines, SEED, point};
use super::coins;
use crate::census;
use crate::keeps::given;
use openveil_core::algorithm::Algorithm;
use openveil_core::coins::SecretCoins;
use openveil_core::model::l_diversity;
use openveil_core::release::{Style, publish};
use openveil_core::table::{Groups, View};
use openveil_measures::utility::{Index, QueryKind, Workload, discernability};
use openveil_papers::algorithm::streamliner::second_stage::Family;
use openveil_papers::algorithm::{Cover, Gda, Rda, Ria};
use openveil_reader::picture::Line;

/// The number of rows of the census: every merge is tried against every query.
const ROWS: usize = 20_000;

/// The number of queries of each kind by which partitions are compared. The second stage chooses by
/// other ones.
const QUERIES: usize = 1_000;

/// Questions about the chosen partition.
#[derive(Clone, Copy)]
pub(super) enum PartitionMeasure {
    /// Errors of counts by age.
    Age,
    /// Errors of counts by gender.
    Gender,
    /// Errors of counts by all quasi-identifiers.
    All,
    /// Discernability per row.
    Discernability,
}

const KINDS: [&[usize]; 3] = [&[0], &[1], &[0, 1, 2, 3]];

/// Returns RDA, RIA and GDA without and with the second stage, and `cover` without it.
pub(super) fn figures(effort: &ExperimentEffort, asked: PartitionMeasure) -> FigureLines {
    let table = census::skewed(ROWS, SEED);
    // Counts by age and gender decide: other columns have no weight.
    let weighted = table.known().iter().enumerate();
    let known: Vec<_> =
        weighted.map(|(axis, own)| own.clone().with_weight(u32::from(axis < 2))).collect();
    let family = Family::new(&known, table.rows());
    let ways: [(&dyn Algorithm, bool); 7] = [
        (&Rda, false),
        (&Rda, true),
        (&Ria, false),
        (&Ria, true),
        (&Gda, false),
        (&Gda, true),
        (&Cover, false),
    ];
    let line = |(way, is_chosen): (&dyn Algorithm, bool)| {
        let own = given(way, &table);
        let at = |l: u32| {
            point(l.into(), coins(way, effort.seeds), |seed| {
                let mut coins = SecretCoins::from_test_seed(seed);
                let groups = way.partition(&own, &l_diversity(l)?, &mut coins)?;
                let groups = if is_chosen { family.best(&groups, &mut coins) } else { groups };
                Ok(measure(&table, &groups, asked))
            })
        };
        let second = if is_chosen { " and the best of its family" } else { "" };
        let mark = if way.profile().is_safe() { "" } else { " (unsafe)" };
        Line {
            name: format!("{}{second}{mark}", way.name()),
            points: (2..=10).step_by(2).filter_map(at).collect(),
        }
    };
    Ok(ways.into_iter().map(line).collect())
}

fn measure(table: &View, groups: &Groups, asked: PartitionMeasure) -> f64 {
    let (content, _) = publish(table, groups, Style::Generalize);
    let kind = match asked {
        PartitionMeasure::Age => 0,
        PartitionMeasure::Gender => 1,
        PartitionMeasure::All => 2,
        PartitionMeasure::Discernability => {
            return discernability(&content) as f64 / table.rows() as f64;
        }
    };
    let workload = Workload::random(table, &QueryKind::on(KINDS[kind]), QUERIES, SEED);
    workload.errors(table, &Index::new(&content)).floored
}
