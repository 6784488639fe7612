//! Where the rows of each value go, in all strata of a table.

use super::super::{Decomposition, decomposition};
use super::allotment::{Allotment, Share};
use crate::Error;
use crate::model::Criteria;
use crate::table::View;

/// What *decompose* makes of a table's histograms: the columns of all units of all strata,
/// numbered one after the other, and how many rows of each value go into each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    units: Vec<Unit>,
    /// A lot for every value in every stratum; its places are columns.
    values: Allotment,
    /// Values in the secret's domain.
    domain: usize,
}

/// Groups that take one row from each of the same columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    /// The stratum, by its position among the table's.
    pub stratum: u32,
    /// Number of groups, at least one: the rows of each column.
    pub groups: u32,
    /// Its first column.
    pub first: u32,
    /// Number of columns.
    pub columns: u32,
}

impl Layout {
    /// The layout of a table, of which only counts are needed ([`View::counted`]): that of
    /// [`cover`](super::super::cover) on the same counts. `criteria` are those of its strata,
    /// in their order. O(strata · that of decompose).
    ///
    /// # Errors
    /// As [`cover`](super::super::cover).
    pub fn of(table: &View, criteria: &[Criteria]) -> Result<Self, Error> {
        super::super::check_width(table)?;
        let domain = table.secret().values();
        let (mut units, mut lots, mut next) = (Vec::new(), Vec::new(), 0);
        for (stratum, (part, criteria)) in (0..).zip(table.strata().iter().zip(criteria)) {
            let decomposition = decomposition(&part.view(table), criteria)?;
            let mut own = vec![Vec::new(); domain];
            for unit in decomposition.units() {
                let columns = unit.columns.len() as u32;
                units.push(Unit {
                    stratum,
                    groups: unit.groups,
                    first: next,
                    columns,
                });
                add_places(&mut own, &decomposition, unit, next);
                next += columns;
            }
            lots.append(&mut own);
        }
        Ok(Self {
            units,
            values: Allotment::new(lots),
            domain,
        })
    }

    /// The units, stratum by stratum.
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// Number of columns in all units.
    pub fn columns(&self) -> usize {
        let last = self.units.last();
        last.map_or(0, |unit| (unit.first + unit.columns) as usize)
    }

    /// How many rows of each value go into each column: the lots are those of
    /// [`Layout::lot`].
    pub fn values(&self) -> &Allotment {
        &self.values
    }

    /// The lot of a value in a stratum.
    #[inline]
    pub fn lot(&self, stratum: usize, value: u32) -> usize {
        stratum * self.domain + value as usize
    }
}

/// Adds the columns of a unit to the places of their values.
fn add_places(
    lots: &mut [Vec<Share>],
    decomposition: &Decomposition,
    unit: &super::super::Unit,
    first: u32,
) {
    for (to, values) in (first..).zip(decomposition.all_values(unit)) {
        for (value, rows) in values {
            lots[value as usize].push(Share { to, rows });
        }
    }
}
