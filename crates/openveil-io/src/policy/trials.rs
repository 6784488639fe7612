//! Settings of an algorithm that tries groupings in turn.

use super::document::{AlgorithmSection, ColumnLevels, Level};
use super::written::WrittenPolicy;
use super::{ColumnPolicy, Role};
use crate::Error;
use crate::spelling;
use openveil_core::algorithm::{Algorithm, Function, Trials};
use openveil_text::text;
use std::collections::BTreeMap;

/// Returns the groupings to try, if the algorithm tries any.
pub(super) fn trials(
    check: &WrittenPolicy<'_>,
    section: &AlgorithmSection,
    algorithm: &dyn Algorithm,
    columns: &BTreeMap<String, ColumnPolicy>,
) -> Result<Trials, Error> {
    let usual = Trials::default();
    let keys = [
        ("block", section.block.is_some(), algorithm.profile().takes_trials),
        ("functions", section.functions.is_some(), algorithm.profile().takes_trials),
        ("jump", section.jump.is_some(), algorithm.name() == "k-jump"),
    ];
    if let Some((key, ..)) = keys.iter().find(|(_, is_written, is_taken)| *is_written && !is_taken)
    {
        let problem = text!("`{key}` under [algorithm] has no effect on `{}`", algorithm.name());
        return Err(check.error(problem).help("leave it out; `k-jump` uses it"));
    }
    let functions = section.functions.as_deref().unwrap_or_default();
    if functions.len() > Trials::MOST_FUNCTIONS {
        let problem = text!("has {} `functions` under [algorithm]", functions.len());
        let most = Trials::MOST_FUNCTIONS;
        return Err(check.error(problem).help(text!("name at most {most}")));
    }
    let functions: Vec<Function> = functions
        .iter()
        .map(|levels| function(check, levels, columns))
        .collect::<Result<_, Error>>()?;
    Ok(Trials {
        block: block(check, section.block)?.unwrap_or(usual.block),
        jump: jump(check, section.jump.as_deref(), functions.len())?,
        functions,
    })
}

fn block(check: &WrittenPolicy<'_>, people: Option<usize>) -> Result<Option<usize>, Error> {
    match people {
        Some(people) if people < 2 => Err(check
            .error(text!("`block = {people}` under [algorithm] is not a block size"))
            .help("write how many people are in a block, 2 or more; the usual number is 8")),
        other => Ok(other),
    }
}

fn function(
    check: &WrittenPolicy<'_>,
    levels: &ColumnLevels,
    columns: &BTreeMap<String, ColumnPolicy>,
) -> Result<Function, Error> {
    let is_known =
        |column: &ColumnPolicy| matches!(column.role, Role::QuasiIdentifier | Role::Attribute);
    let mut own = Vec::new();
    for (name, level) in levels {
        if !columns.get(name).is_some_and(is_known) {
            let known: Vec<&str> = columns
                .iter()
                .filter(|(_, column)| is_known(column))
                .map(|(name, _)| name.as_str())
                .collect();
            let error = spelling::unknown("quasi-identifier", name, &known);
            return Err(error.at(check.path));
        }
        match level {
            Level::Number(level) => own.push((name.clone(), *level)),
            // At `*` all values are equal, as in columns that are not named.
            Level::Name(all) if all == "*" => {}
            Level::Name(other) => {
                let problem = text!("`{name} = \"{other}\"` in `functions` is not a level");
                return Err(check.error(problem).help(
                    "levels are numbers: 0 for the values, 1 for the level above them, and so on; \"*\" puts everybody into one group",
                ));
            }
        }
    }
    Ok(Function(own))
}

/// Reads the distances: at most one per function, and one for everybody as the last.
fn jump(
    check: &WrittenPolicy<'_>,
    distances: Option<&[u32]>,
    functions: usize,
) -> Result<Option<Vec<u32>>, Error> {
    let Some(distances) = distances else {
        return Ok(None);
    };
    if let Some(step) = distances.iter().position(|&distance| distance == 0) {
        let problem = text!("`jump` under [algorithm] has the distance 0 at step {}", step + 1);
        return Err(check.error(problem).help("a distance must be 1 or more"));
    }
    if functions > 0 && distances.len() > functions + 1 {
        let problem = text!(
            "`jump` under [algorithm] has {} distances, for {functions} functions and everybody as one group",
            distances.len()
        );
        return Err(check.error(problem).help("write one distance for each function"));
    }
    Ok(Some(distances.to_vec()))
}
