//! Tables of counts for print: small cells suppressed, others rounded, totals of the printed cells.

use super::{Cell, CrossTable, FigureEntry};
use openveil_text::{Text, text};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::Value;
use std::collections::HashMap;

/// The word for all values of a column.
const TOTAL: &str = "total";

/// The key of a count in documents.
const COUNT: &str = "count";

/// Rules for printing counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rounding {
    /// Counts below this are suppressed; 0 for none.
    pub least: u64,
    /// Counts are multiples of this; 1 for whole numbers.
    pub base: u64,
}

impl Rounding {
    /// Returns a count as it is printed, none if it is suppressed: the nearest multiple, halves up.
    pub fn count(self, figure: Option<&FigureEntry>) -> Option<u64> {
        let (estimate, base) = (figure.map_or(0.0, |own| own.estimate), self.base.max(1));
        // An estimate below one half rounds to no person.
        let is_small = estimate >= 0.5 && estimate < self.least as f64;
        (!is_small).then(|| (estimate / base as f64 + 0.5).floor() as u64 * base)
    }
}

/// A table of counts for print.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RoundedTable {
    /// The columns that make cells.
    pub by: Vec<String>,
    /// The conditions, as they were asked.
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    pub conditions: Option<String>,
    /// Counts below this are suppressed.
    pub min: u64,
    /// Counts are multiples of this.
    pub round: u64,
    /// The cells, the last column running fastest.
    pub cells: Vec<RoundedCell>,
    /// Sums of the printed counts: by each column alone, and of all cells.
    pub totals: Vec<RoundedCell>,
    /// Cells that are suppressed.
    pub suppressed: usize,
    /// Notes for the reader.
    pub notes: Vec<Text>,
}

/// A cell: the columns with their values, and the count; none if it is suppressed. As a document:
/// the columns' values by their names, and `count`.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundedCell {
    /// The columns with their values: texts or numbers.
    pub of: Vec<(String, Value)>,
    /// The rounded count.
    pub count: Option<u64>,
}

impl Serialize for RoundedCell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in &self.of {
            let taken = name.trim_end_matches('_') == COUNT;
            let key = if taken { format!("{name}_") } else { name.clone() };
            map.serialize_entry(&key, value)?;
        }
        map.serialize_entry(COUNT, &self.count)?;
        map.end()
    }
}

impl RoundedTable {
    /// Rounds a table of counts ([`Rounding::count`]). Totals are sums of the printed cells only, so suppressed counts cannot be found by subtraction. O(cells).
    pub fn new(table: &CrossTable, rounding: Rounding) -> Self {
        let round = |cell: &Cell| RoundedCell {
            of: cell.of.clone(),
            count: rounding.count(cell.figure.as_ref()),
        };
        let cells: Vec<RoundedCell> = table.cells.iter().map(round).collect();
        let suppressed = cells.iter().filter(|cell| cell.count.is_none()).count();
        let mut notes = table.notes.clone();
        notes.push(text!(
            "counts are estimates from the release, rounded; totals are sums of the counts that are printed"
        ));
        Self {
            by: table.by.clone(),
            conditions: table.conditions.clone(),
            min: rounding.least,
            round: rounding.base.max(1),
            totals: totals(&table.by, &cells),
            cells,
            suppressed,
            notes,
        }
    }
}

/// Returns sums by each column, if there are several, and of all cells.
fn totals(by: &[String], cells: &[RoundedCell]) -> Vec<RoundedCell> {
    let mut all = Vec::new();
    for at in (0..by.len()).filter(|_| by.len() > 1) {
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut sums: Vec<RoundedCell> = Vec::new();
        for cell in cells {
            let value = &cell.of[at].1;
            let place = *places.entry(value.to_string()).or_insert_with(|| {
                let of = by.iter().enumerate().map(|(other, name)| {
                    let value = if other == at { value.clone() } else { TOTAL.into() };
                    (name.clone(), value)
                });
                sums.push(RoundedCell { of: of.collect(), count: Some(0) });
                sums.len() - 1
            });
            let count = sums[place].count.unwrap_or(0) + cell.count.unwrap_or(0);
            sums[place].count = Some(count);
        }
        all.append(&mut sums);
    }
    let sum = cells.iter().filter_map(|cell| cell.count).sum();
    all.push(RoundedCell {
        of: by.iter().map(|name| (name.clone(), TOTAL.into())).collect(),
        count: Some(sum),
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(estimates: &[[f64; 2]; 2]) -> CrossTable {
        CrossTable {
            by: vec!["sex".to_owned(), "count".to_owned()],
            statistic: "count".to_owned(),
            conditions: None,
            rows: 100,
            cells: [(0, 0), (0, 1), (1, 0), (1, 1)]
                .map(|(row, column): (usize, usize)| Cell {
                    of: vec![
                        ("sex".to_owned(), ["f", "m"][row].into()),
                        ("count".to_owned(), column.into()),
                    ],
                    figure: Some(FigureEntry {
                        estimate: estimates[row][column],
                        interval: [0.0, 100.0],
                        method: "bounds",
                        deal_error: None,
                    }),
                })
                .to_vec(),
            independence: None,
            check: Vec::new(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn small_cells_go_and_totals_are_of_what_is_printed() {
        let rounding = Rounding { least: 10, base: 5 };
        let found = RoundedTable::new(&table(&[[12.4, 9.9], [0.2, 77.6]]), rounding);
        let counts: Vec<Option<u64>> = found.cells.iter().map(|cell| cell.count).collect();
        assert_eq!(counts, [Some(10), None, Some(0), Some(80)]);
        let totals: Vec<Option<u64>> = found.totals.iter().map(|cell| cell.count).collect();
        // By sex, by the other column, and of all cells.
        assert_eq!(totals, [10, 80, 10, 80, 90].map(Some));
        assert_eq!(found.suppressed, 1);
        let json = serde_json::to_value(&found).unwrap();
        assert_eq!(
            (&json["cells"][1]["count_"], &json["cells"][1]["count"]),
            (&1.into(), &Value::Null)
        );
        assert_eq!(json["totals"][4]["sex"], "total");
    }

    #[test]
    fn without_a_threshold_all_is_rounded() {
        let rounding = Rounding { least: 0, base: 1 };
        let found = RoundedTable::new(&table(&[[12.4, 9.9], [0.2, 77.6]]), rounding);
        let counts: Vec<Option<u64>> = found.cells.iter().map(|cell| cell.count).collect();
        assert_eq!(counts, [12, 10, 0, 78].map(Some));
    }
}
