//! Minimum values that a table has to reach, for pipelines. They are compared exactly.

use super::report::AuditReport;
use openveil_core::exact::{Rational, number};
use openveil_io::spelling::did_you_mean;
use openveil_text::text;
use serde::Serialize;
use std::str::FromStr;

/// A measure that can be demanded: a whole number or a fraction. A policy decides about the other
/// measures, and defines them exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    K,
    LDistinct,
    LRatio,
}

const MEASURES: [(&str, Measure); 3] =
    [("k", Measure::K), ("l_distinct", Measure::LDistinct), ("l_ratio", Measure::LRatio)];

/// The least value of a measure: `l_ratio=4`, `k=5`, `l_ratio=5/2`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demand {
    measure: Measure,
    least: Rational,
}

impl FromStr for Demand {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, least) = text.split_once('=').ok_or_else(|| {
            format!("`{text}` is not a requirement; write for example `l_ratio=4`")
        })?;
        Self::new(name, least)
    }
}

impl Demand {
    /// Returns the demand that a measure is at least a number, which may be a fraction: `5/2`.
    ///
    /// # Errors
    /// A measure that does not exist or cannot be demanded; text that is no number.
    pub fn new(name: &str, least: &str) -> Result<Self, String> {
        let names = MEASURES.map(|(name, _)| name);
        let known = MEASURES.iter().find(|(own, _)| *own == name.trim());
        let (_, measure) = known.ok_or_else(|| {
            let hint = match did_you_mean(name, names) {
                _ if name.trim() == "l" => {
                    text!("use `l_ratio` (1 / the highest share of a value) or `l_distinct` (the number of different values)")
                }
                Some(close) => text!("did you mean `{close}`?"),
                None => text!("known: {}; for any other model, write a policy and use `--policy`, which decides exactly", names.join(", ")),
            };
            format!("unknown measure `{name}`: {hint}")
        })?;
        let least = number::parse(least).ok_or_else(|| {
            format!(
                "`{least}` is not a number; write a decimal such as 2.5, or a fraction such as 5/2"
            )
        })?;
        Ok(Self { measure: *measure, least })
    }
}

/// The outcome of a demand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Met {
    /// The measure.
    pub measure: &'static str,
    /// The least value demanded.
    pub least: String,
    /// The measured value; with several sensitive columns, the least of them.
    pub found: String,
    /// Whether that is enough.
    pub satisfied: bool,
}

impl Demand {
    /// Compares with the measured value. None of the figures is rounded.
    pub(super) fn met(&self, report: &AuditReport) -> Met {
        let columns = report.columns.values().chain(&report.measures);
        // None satisfies every bound: no row has a protected value.
        let found = match self.measure {
            Measure::K => Some(Rational::from_integer(report.k.into())),
            Measure::LDistinct => {
                columns.map(|c| Rational::from_integer(c.l_distinct.into())).min()
            }
            Measure::LRatio => columns.filter_map(|c| number::parse(&c.l_ratio_exact)).min(),
        };
        let name = MEASURES.iter().find(|(_, own)| *own == self.measure);
        Met {
            measure: name.map_or("", |(name, _)| name),
            least: number::text(self.least),
            found: found.map_or("∞".to_owned(), number::text),
            satisfied: found.is_none_or(|found| found >= self.least),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demands_are_read() {
        let demand: Demand = "l_ratio=5/2".parse().unwrap();
        assert_eq!(demand.least, Rational::new(5, 2));
        let refused = |text: &str| text.parse::<Demand>().unwrap_err();
        assert!(refused("zz=4").contains("known: k, l_distinct, l_ratio"));
        assert!(refused("l-ratio=4").contains("did you mean `l_ratio`?"));
        assert!(refused("k=many").contains("`many` is not a number"));
        assert!(refused("k").contains("is not a requirement"));
        assert!(refused("k=-1").contains("is not a number"));
    }
}
