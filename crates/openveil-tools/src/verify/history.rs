//! Parses histories, and enumerates them.

use super::report::as_text;
use openveil_core::algorithm::{Algorithm, Halving, Inside, Settings};
use openveil_core::exact::Fraction;
use openveil_core::model::RatioDiversity;
use openveil_io::{Error, Location};
use openveil_papers::algorithm::Cover;
use openveil_papers::verify::{History, HistoryWay};
use openveil_text::text;
use serde::Serialize;
use std::collections::BTreeMap;
use std::num::NonZeroU32;

/// Conclusions of a reader from several releases of a table that changes.
#[derive(Debug, Clone, Serialize)]
pub struct HistoryReport {
    /// The bound.
    pub l: u32,
    /// Whether every release is made independently, for comparison.
    pub afresh: bool,
    /// Number of releases.
    pub releases: usize,
    /// Assignments of values that the reader considers.
    pub tables: u64,
    /// Distinguishable sequences of releases.
    pub histories: u64,
    /// Sequences after which some posterior is above 1/l.
    pub unsafe_histories: u64,
    /// The chance that a person's value becomes certain.
    #[serde(serialize_with = "as_text")]
    pub chance_of_certainty: Fraction,
    /// The highest posterior of any value of any person.
    #[serde(serialize_with = "as_text")]
    pub max_posterior: Fraction,
    /// Whether no posterior is ever above 1/l.
    pub safe: bool,
}

/// Enumerates a history: releases separated by `;`. The first lists the values of the people
/// present. Later ones list who joins (`+2,3`: two people with these values), who leaves (`-0`:
/// person 0) and who returns (`^0`). People are numbered in the order in which they join.
///
/// # Errors
/// Text that is not a history; values that allow no release; too much to enumerate.
pub fn history(text: &str, l: u32, afresh: bool, limit: u64) -> Result<HistoryReport, Error> {
    let ratio = RatioDiversity::new(l)?;
    let mut codes = BTreeMap::new();
    let mut history = History::new(ratio);
    let steps: Vec<&str> = text.split(';').map(str::trim).collect();
    for (number, step) in steps.iter().enumerate() {
        let misfit = |problem: String| {
            let problem = text!("release {} of --history: {problem}", number + 1);
            Error::new(Location::default(), problem)
                .help("write for example \"1,1,2,3; +1,2 -0; ^0\": values of four people; two more come and person 0 leaves; person 0 comes back")
        };
        let step = HistoryStep::new(step, number == 0).map_err(&misfit)?;
        let arrivals: Vec<u32> = step
            .arrivals
            .iter()
            .map(|&value| {
                let next = codes.len() as u32;
                *codes.entry(value.to_owned()).or_insert(next)
            })
            .collect();
        history = history.release(&arrivals, &step.leave, &step.back, None).map_err(misfit)?;
    }
    // Groups as small as the model allows. Releases made afresh are by coins, which show most.
    let settings = Settings {
        effort: 0,
        inside: if afresh { Inside::Random } else { Inside::Arranged },
        smallest_group: NonZeroU32::new(1),
        ..Settings::default()
    };
    let (way, algorithm): (_, &dyn Algorithm) =
        if afresh { (HistoryWay::Afresh, &Cover) } else { (HistoryWay::Groups, &Halving) };
    let found =
        history.verify(way, (algorithm, &settings), limit).map_err(|cause| match cause {
            openveil_core::Error::BeyondLimit { .. } => {
                Error::from(cause).help(text!("`--limit N` raises the number of tables"))
            }
            other => other.into(),
        })?;
    Ok(HistoryReport {
        l,
        afresh,
        releases: steps.len(),
        tables: found.tables,
        histories: found.histories,
        unsafe_histories: found.unsafe_histories,
        safe: found.is_safe(),
        chance_of_certainty: found.chance_of_certainty,
        max_posterior: found.max_posterior,
    })
}

/// Events at a release.
#[derive(Default)]
struct HistoryStep<'a> {
    arrivals: Vec<&'a str>,
    leave: Vec<usize>,
    back: Vec<usize>,
}

impl<'a> HistoryStep<'a> {
    fn new(text: &'a str, is_first: bool) -> Result<Self, String> {
        let mut step = Self::default();
        for word in text.split_whitespace() {
            let (sign, list) = match word.chars().next() {
                Some(sign @ ('+' | '-' | '^')) => (sign, &word[1..]),
                _ if is_first => ('+', word),
                _ => return Err(format!("`{word}` does not begin with +, - or ^")),
            };
            let entries = list.split(',').map(str::trim);
            if entries.clone().any(str::is_empty) {
                return Err(format!("`{word}` contains an empty entry"));
            }
            let people = || {
                entries
                    .clone()
                    .map(|entry| {
                        entry.parse().map_err(|_| format!("`{entry}` is not a person's number"))
                    })
                    .collect::<Result<Vec<usize>, String>>()
            };
            match sign {
                '+' => step.arrivals.extend(entries),
                '-' => step.leave.extend(people()?),
                _ => step.back.extend(people()?),
            }
        }
        Ok(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histories_are_read_and_enumerated() {
        let found = history("a,a,b,c; +a,b -0; ^0", 2, false, 1_000).unwrap();
        assert!(found.safe && found.releases == 3);
        assert_eq!(found.max_posterior.to_string(), "1/2");
        let afresh = history("a,a,b,c;;", 2, true, 1_000).unwrap();
        assert_eq!(afresh.chance_of_certainty.to_string(), "3/4");
    }

    #[test]
    fn what_is_no_history_is_said() {
        let refused = |text: &str| history(text, 2, false, 1_000).unwrap_err().to_string();
        assert!(refused("a,b; 3").contains("does not begin with"));
        assert!(refused("a,b; -x").contains("is not a person's number"));
        assert!(refused("a,b; -7").contains("person 7 leaves, but is not there"));
        assert!(refused("a,a,b").contains("more than 1/2"));
        assert!(refused("a,,b").contains("contains an empty entry"));
    }
}
