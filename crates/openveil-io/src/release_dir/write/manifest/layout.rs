//! Entries about which values share a column: an analyst needs them to fit a model to the groups.

use openveil_core::algorithm::{Algorithm, Inside, Settings};
use openveil_core::table::{Secret, UnitLayout};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::num::NonZeroU32;

/// The columns of values from which the groups of a table took one value each, unit by unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayoutEntry {
    /// The values that columns name by their position, from 0.
    pub values: Vec<String>,
    /// Units in the order of group numbers: groups 1 to `groups` of the first unit, and so on.
    pub units: Vec<UnitEntry>,
}

/// Consecutive groups that took one value from each of the same columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitEntry {
    /// The number of groups.
    pub groups: u32,
    /// Positions of values, with ` | ` between columns: `0 3 9 | 1 7 | 2 4 5`. Absent if no column
    /// has several values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<String>,
}

impl LayoutEntry {
    /// Returns the layout of a table's groups; none if no column has several values.
    pub fn of(units: &[UnitLayout], secret: &Secret) -> Option<Self> {
        if units.iter().all(|unit| unit.columns().is_empty()) {
            return None;
        }
        let used: BTreeSet<u32> = units
            .iter()
            .flat_map(|unit| unit.columns().concat())
            .collect();
        let codes: Vec<u32> = used.into_iter().collect();
        let number = |code: &u32| {
            let at = codes.binary_search(code).expect("every code was collected");
            at.to_string()
        };
        let column = |column: &Vec<u32>| column.iter().map(number).collect::<Vec<_>>().join(" ");
        let unit = |unit: &UnitLayout| UnitEntry {
            groups: unit.groups(),
            columns: (!unit.columns().is_empty()).then(|| {
                let columns: Vec<String> = unit.columns().iter().map(column).collect();
                columns.join(" | ")
            }),
        };
        Some(Self {
            values: codes.iter().map(|&code| secret.label(code)).collect(),
            units: units.iter().map(unit).collect(),
        })
    }
}

/// Other parameters of the algorithm: with the rest of the manifest, they suffice to run it on
/// another table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParametersEntry {
    /// The fewest rows that were left in a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smallest_group: Option<u32>,
    /// The fewest rows of a class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<u32>,
    /// `random` if people are put into groups by random draws alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
}

impl ParametersEntry {
    /// Returns the parameters of an algorithm; none for algorithms without any. `class` is the
    /// fewest rows of a class, if groups are divided.
    pub fn of(algorithm: &dyn Algorithm, settings: &Settings, class: Option<u32>) -> Option<Self> {
        let profile = algorithm.profile();
        let is_random = profile.takes_inside && settings.inside == Inside::Random;
        let entry = Self {
            smallest_group: settings
                .smallest_group
                .filter(|_| profile.takes_smallest_group)
                .map(NonZeroU32::get),
            class,
            inside: is_random.then(|| settings.inside.name().to_owned()),
        };
        (entry != Self::default()).then_some(entry)
    }
}
