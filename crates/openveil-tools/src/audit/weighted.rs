//! Risks by survey weights, row by row and household by household.

use super::report::{FoundChances, chances};
use super::target::AuditTarget;
use super::{AuditRequest, GroupedTable};
use openveil_core::table::Groups;
use openveil_io::source::{RawColumn, RawTable};
use openveil_io::{Error, Location};
use openveil_measures::audit::Reidentification;
use openveil_measures::audit::disclosure::{household_risk, individual_risk};
use openveil_text::text;
use serde::Serialize;
use std::collections::HashMap;

/// Risks by survey weights.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IndividualReport {
    /// The column of weights.
    pub weight: String,
    /// The number of people that all rows represent.
    pub people: f64,
    /// How many rows are expected to be found.
    pub expected: f64,
    /// The chances of rows.
    #[serde(flatten)]
    pub chances: FoundChances,
    /// The chances that a member of a row's household is found; null without a column of
    /// households.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub households: Option<FoundChances>,
    /// Rows in classes whose weights add up to less than their number of rows.
    pub underweight: u64,
}

/// Risks by survey weights, row by row.
pub(super) struct Individual {
    pub(super) risks: Vec<f64>,
    pub(super) households: Option<Vec<f64>>,
    pub(super) report: IndividualReport,
}

impl Individual {
    pub(super) fn new(
        request: &AuditRequest,
        target: &AuditTarget,
        grouped: &GroupedTable,
        classes: &Groups,
        weight: &str,
    ) -> Result<Self, Error> {
        let raw = &grouped.raw;
        let named = |name: &str| {
            raw.columns.iter().find(|column| column.name == name).ok_or_else(|| {
                Error::new(Location::file(&target.path), text!("has no column `{name}`"))
            })
        };
        let column = named(weight)?;
        let weights = weights(raw, column)?;
        let threshold = request.risk_threshold;
        let mut risks = vec![0.0; raw.rows];
        let mut underweight = 0;
        for members in classes.iter() {
            let people: f64 =
                members.iter().map(|&row| weights[column.codes[row as usize] as usize]).sum();
            let rows = members.len() as u32;
            // Sums of decimals are not exact.
            if people < f64::from(rows) * (1.0 - 1e-9) {
                underweight += u64::from(rows);
            }
            let risk = individual_risk(rows, people);
            members.iter().for_each(|&row| risks[row as usize] = risk);
        }
        let households =
            request.disclosure.household.as_deref().map(named).transpose()?.map(|ids| {
                // Rows without a household do not form one together.
                let is_missing = |id: u32| ["", "NA"].contains(&ids.values.get(id));
                let mut members: HashMap<u32, Vec<f64>> = HashMap::new();
                for (&id, &risk) in ids.codes.iter().zip(&risks) {
                    members.entry(id).or_default().push(risk);
                }
                let of_id = members.into_iter();
                let of_id: HashMap<u32, f64> =
                    of_id.map(|(id, risks)| (id, household_risk(risks.into_iter()))).collect();
                ids.codes
                    .iter()
                    .zip(&risks)
                    .map(|(&id, &risk)| if is_missing(id) { risk } else { of_id[&id] })
                    .collect::<Vec<f64>>()
            });
        let report = IndividualReport {
            weight: weight.to_owned(),
            people: column.codes.iter().map(|&code| weights[code as usize]).sum(),
            expected: risks.iter().sum(),
            chances: chances(of_rows(&risks, threshold)),
            households: households.as_ref().map(|own| chances(of_rows(own, threshold))),
            underweight,
        };
        Ok(Self { risks, households, report })
    }
}

/// Returns the weight that each value of a column denotes.
fn weights(raw: &RawTable, column: &RawColumn) -> Result<Vec<f64>, Error> {
    column
        .values
        .iter()
        .zip(0..)
        .map(|(text, code)| {
            let read = text.trim().parse().ok();
            read.filter(|weight: &f64| *weight > 0.0 && weight.is_finite()).ok_or_else(|| {
                Error::new(raw.place_of(column, code), text!("`{text}` is not a weight")).help(
                    "a weight is the number of people that a row stands for: a number above 0",
                )
            })
        })
        .collect()
}

/// Summarises the individual chances of rows.
pub(super) fn of_rows(risks: &[f64], threshold: f64) -> Reidentification {
    let crowds = risks.iter().map(|risk| (1, 1.0 / risk));
    Reidentification::journalist(crowds, threshold)
}
