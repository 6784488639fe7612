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

/// The columns by whose counts a partition of the family set is chosen.
#[derive(Clone, Copy)]
enum Chosen {
    /// None: the minimal partition.
    Minimal,
    ByAgeAndGender,
    ByAllColumns,
}

impl Chosen {
    fn in_words(self) -> &'static str {
        match self {
            Self::Minimal => "",
            Self::ByAgeAndGender => " + second stage",
            Self::ByAllColumns => " + second stage by all columns",
        }
    }
}

/// Returns RDA, RIA and GDA without and with the second stage, and `cover` without it.
pub(super) fn figures(effort: &ExperimentEffort, asked: PartitionMeasure) -> FigureLines {
    let table = census::skewed(ROWS, SEED);
    let weighted = table.known().iter().enumerate();
    let known: Vec<_> =
        weighted.map(|(axis, own)| own.clone().with_weight(u32::from(axis < 2))).collect();
    let by_two = Family::new(&known, table.rows());
    let by_all = Family::new(table.known(), table.rows());
    let ways: [(&dyn Algorithm, Chosen); 8] = [
        (&Rda, Chosen::Minimal),
        (&Rda, Chosen::ByAgeAndGender),
        (&Rda, Chosen::ByAllColumns),
        (&Ria, Chosen::Minimal),
        (&Ria, Chosen::ByAgeAndGender),
        (&Gda, Chosen::Minimal),
        (&Gda, Chosen::ByAgeAndGender),
        (&Cover, Chosen::Minimal),
    ];
    let line = |(way, chosen): (&dyn Algorithm, Chosen)| {
        let own = given(way, &table);
        let at = |l: u32| {
            point(l.into(), coins(way, effort.seeds), |seed| {
                let mut coins = SecretCoins::from_test_seed(seed);
                let minimal = way.partition(&own, &l_diversity(l)?, &mut coins)?;
                let groups = match chosen {
                    Chosen::Minimal => minimal,
                    Chosen::ByAgeAndGender => by_two.best(&minimal, &mut coins),
                    Chosen::ByAllColumns => by_all.best(&minimal, &mut coins),
                };
                Ok(measure(&table, &groups, asked))
            })
        };
        let mark = if way.profile().is_safe() { "" } else { " (unsafe)" };
        Line {
            name: format!("{}{}{mark}", way.name(), chosen.in_words()),
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
