//! People from text.

use super::{Question, plain};
use crate::{Error, Location};
use openveil::verify::{Limits, Scenario, Visibility};

/// The greatest number in a layout: a column's domain has all numbers up to it.
const GREATEST_CODE: u32 = 65_535;

impl Question {
    /// People with these values, and with quasi-identifiers by the layout.
    pub(super) fn scenario(
        &self,
        values: &[String],
        layout: Option<&str>,
    ) -> Result<Scenario, Error> {
        let limits = Limits {
            tables: self.limit,
            ..Limits::default()
        };
        let seen = if self.cells_only {
            Visibility::Release
        } else {
            Visibility::Membership
        };
        let values = || values.iter().map(|value| value.trim());
        // Numbers in the order of numbers: algorithms may break ties by label.
        let numbers: Result<Vec<i64>, _> = values().map(str::parse).collect();
        let scenario = match numbers {
            Ok(numbers) => Scenario::of_values(numbers, self.model.clone()),
            Err(_) => Scenario::of_values(values(), self.model.clone()),
        };
        let scenario = scenario.map_err(plain)?.with_limits(limits).with_seen(seen);
        let scenario = match self.informed {
            Some(informed) => scenario.with_informed(informed),
            None => scenario,
        };
        let Some(layout) = layout else {
            return Ok(scenario);
        };
        let columns: Vec<Vec<u32>> = layout.split(';').map(column).collect::<Result<_, _>>()?;
        let columns: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
        let scenario = scenario.with_codes(&columns).map_err(plain)?;
        scenario.with_strata(&self.strata).map_err(plain)
    }
}

fn column(text: &str) -> Result<Vec<u32>, Error> {
    let code = |code: &str| {
        let number = code.trim().parse().ok();
        let number = number.filter(|&number| number <= GREATEST_CODE);
        number.ok_or_else(|| {
            let problem = format!("`{code}` in --qi is not a whole number of 0 to {GREATEST_CODE}");
            Error::new(Location::default(), problem)
                .help("give one number per person and separate columns by `;`")
        })
    };
    text.split(',').map(code).collect()
}
