//! Parses people.

use super::Question;
use openveil_core::model::Model;
use openveil_io::{Error, Location};
use openveil_papers::verify::{Limits, Scenario, Visibility};
use openveil_text::text;

impl Question {
    /// Returns people with these values, and with quasi-identifiers by the layout.
    pub(super) fn scenario(
        &self,
        values: &[String],
        layout: Option<&str>,
    ) -> Result<Scenario, Error> {
        let limits = Limits { tables: self.limit, ..Limits::default() };
        let seen = if self.cells_only { Visibility::Release } else { Visibility::Membership };
        let values = values.iter().map(|value| value.trim());
        let scenario = people_with(values, self.model.clone())?.with_limits(limits).with_seen(seen);
        let scenario = match self.informed {
            Some(informed) => scenario.with_informed(informed),
            None => scenario,
        };
        let Some(layout) = layout else {
            return Ok(scenario);
        };
        let columns: Vec<Vec<i64>> = layout.split(';').map(column).collect::<Result<_, _>>()?;
        let columns: Vec<&[i64]> = columns.iter().map(Vec::as_slice).collect();
        let scenario = scenario.with_numbers(&columns)?;
        Ok(scenario.with_strata(&self.strata)?)
    }
}

/// Returns people with these values, distinguished only by their number.
pub(crate) fn people_with<'a>(
    values: impl Iterator<Item = &'a str> + Clone,
    model: Model,
) -> Result<Scenario, Error> {
    // Numbers in the order of numbers: algorithms may break ties by label.
    let numbers: Result<Vec<i64>, _> = values.clone().map(str::parse).collect();
    let scenario = match numbers {
        Ok(numbers) => Scenario::of_values(numbers, model),
        Err(_) => Scenario::of_values(values, model),
    };
    Ok(scenario?)
}

fn column(text: &str) -> Result<Vec<i64>, Error> {
    text.split(',')
        .map(|text| {
            text.trim().parse().map_err(|_| {
                let problem = text!("`{text}` in --qi is not a whole number");
                Error::new(Location::default(), problem)
                    .help("give one number per person and separate columns by `;`")
            })
        })
        .collect()
}
