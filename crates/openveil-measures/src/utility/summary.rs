use super::extent::extents;
use super::{ColumnExtent, least_discernability, normalized_average_size};
use crate::utility::Tally;
use openveil_core::model::Criteria;
use openveil_core::table::View;

/// Public figures about the precision of a release.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Number of groups.
    pub groups: usize,
    /// Rows of the smallest group.
    pub smallest: u32,
    /// Rows of the largest group.
    pub largest: u32,
    /// [`discernability`](super::discernability) of the release.
    pub dm: u64,
    /// The lower bound of `dm` over releases of equally many rows that satisfy the model, see
    /// [`least_discernability`].
    pub dm_lower_bound: u64,
    /// The least possible `dm`, if it is known for certain: for ratio l-diversity, which reaches
    /// the lower bound for every eligible table, and if the release itself reaches the bound.
    pub dm_optimal: Option<u64>,
    /// [`normalized_average_size`] of the groups.
    pub cavg: f64,
    /// [`mean_extents`](super::mean_extents) of the quasi-identifiers, in the table's order.
    pub mean_extents: Vec<ColumnExtent>,
}

impl Summary {
    /// Measures a release made for a model. O(strata).
    ///
    /// The result is published, so it must be a function of the release and of public facts. The
    /// only facts read from the table are the names and domains of its quasi-identifiers and the
    /// number of people in each stratum.
    ///
    /// # Panics
    /// If `criteria` does not have one entry for each stratum of the table;
    /// [`Model::bind_strata`](openveil_core::model::Model::bind_strata) returns them.
    pub fn new(tally: &Tally, table: &View, criteria: &[Criteria]) -> Self {
        let l = criteria.iter().map(Criteria::least_size).min().expect("a table has a stratum");
        let dm_lower_bound = discernability_bound(table, criteria);
        let protects_all = !table.secret().exempt().contains(&true);
        let is_reached = criteria.iter().all(|own| own.ratio().is_some()) && protects_all
            || tally.dm == dm_lower_bound;
        Self {
            groups: tally.groups as usize,
            smallest: tally.smallest,
            largest: tally.largest,
            dm: tally.dm,
            dm_lower_bound,
            dm_optimal: is_reached.then_some(dm_lower_bound),
            cavg: normalized_average_size(tally.rows, tally.groups, l),
            mean_extents: extents(&tally.steps, tally.rows, table),
        }
    }
}

/// A lower bound on the discernability of any release of a table with a model: the sum over its
/// strata, each with its own criteria. Groups of exempt values only may have any size, whatever the
/// model.
pub fn discernability_bound(table: &View, criteria: &[Criteria]) -> u64 {
    let may_be_small = table.secret().exempt().contains(&true);
    table
        .strata()
        .into_iter()
        .zip(criteria)
        .map(|(stratum, criteria)| {
            let rows = stratum.size(table);
            let least = if may_be_small { 1 } else { criteria.least_size() };
            least_discernability(rows as u32, least)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_core::model::{Model, RatioDiversity};
    use openveil_core::release::{Style, publish};
    use openveil_core::table::{Column, Domain, Groups, Secret};

    fn table(ages: [u32; 5], ills: [u32; 5]) -> View {
        let ages = Column::new("age", ages.to_vec(), Domain::integers([20, 30, 40]));
        let ills = Secret::new("ill", ills.to_vec(), ["flu", "cold"]);
        View::new(vec![ages], ills).unwrap()
    }

    #[test]
    fn a_summary_reads_no_row_of_the_table() {
        let original = table([0, 1, 1, 1, 2], [0, 1, 0, 1, 0]);
        let groups: Groups = [vec![0, 1], vec![2, 3, 4]].into_iter().collect();
        let (release, _) = publish(&original, &groups, Style::Generalize);
        let criteria = Model::from(RatioDiversity::new(2).unwrap()).bind_strata(&original).unwrap();
        let summary = Summary::new(&Tally::new(&release, &original), &original, &criteria);
        let expected = Summary {
            groups: 2,
            smallest: 2,
            largest: 3,
            dm: 13,
            dm_lower_bound: 13,
            dm_optimal: Some(13),
            cavg: 1.25,
            mean_extents: vec![ColumnExtent { column: "age".into(), mean: 0.5 }],
        };
        assert_eq!(summary, expected);
        let other_people = table([2, 2, 0, 0, 0], [1, 1, 1, 0, 0]);
        let tally = Tally::new(&release, &other_people);
        assert_eq!(Summary::new(&tally, &other_people, &criteria), expected);
    }
}
