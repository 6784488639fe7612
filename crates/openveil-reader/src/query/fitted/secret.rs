//! The secret columns of a published table, in codes.

use super::super::bins::Bin;
use super::super::scale::{Scale, TextComparison};
use super::super::tables::TextTables;
use openveil_core::table::{Column, Domain, Secret};
use openveil_io::release_dir::read::{ReleasedTable, is_exempt_set, members_of};
use openveil_io::source::{RawColumn, RawTable};
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

/// A text of a secret column, with its position in the order if there is one.
type SecretText = (Option<f64>, String);

/// The secret columns of a table, whose combinations are its values.
pub(in crate::query) struct SecretColumns {
    pub(in crate::query) names: Vec<String>,
    pub(in crate::query) parts: Vec<Vec<String>>,
    pub(super) part_numbers: Vec<HashMap<String, f64>>,
    /// By line of the file with the values.
    pub(super) of_line: Vec<u32>,
    is_ordered: bool,
    has_sets: bool,
}

impl SecretColumns {
    /// Reads the secret columns of a table, or one of them. O(lines · columns · log).
    pub(in crate::query) fn new(
        tables: &TextTables,
        table: &ReleasedTable,
        only: Option<&str>,
    ) -> Self {
        let own: Vec<(&RawTable, &RawColumn)> = table
            .columns()
            .filter(|(raw, column)| {
                let is_secret = !table.is_main(raw) || table.is_secret(&column.name);
                is_secret && only.is_none_or(|only| only == column.name)
            })
            .collect();
        let scales: Vec<Option<&Scale>> =
            own.iter().map(|(_, column)| tables.scale(&column.name)).collect();
        let place = |number: usize, text: &str| match scales[number]? {
            Scale { kind: TextComparison::Bins(_), .. } => Bin::read(text).map(|bin| bin.low),
            scale => scale.place(text),
        };
        let lines = own.first().map_or(0, |(raw, _)| raw.rows);
        let tuple =
            |line: usize| own.iter().map(|(_, column)| column.codes[line]).collect::<Vec<u32>>();
        let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut tuples: Vec<Vec<u32>> = Vec::new();
        let mut of_line = Vec::with_capacity(lines);
        for line in 0..lines {
            let key = tuple(line);
            let next = tuples.len() as u32;
            let code = *known.entry(key.clone()).or_insert(next);
            if code == next {
                tuples.push(key);
            }
            of_line.push(code);
        }
        let part =
            |(number, (own, &code)): (usize, (&(&RawTable, &RawColumn), &u32))| -> SecretText {
                let text = own.1.values.get(code);
                (place(number, text), text.to_owned())
            };
        let parts = |tuple: &Vec<u32>| own.iter().zip(tuple).enumerate().map(part).collect();
        let mut order: Vec<(Vec<SecretText>, usize)> = tuples.iter().map(parts).zip(0..).collect();
        order.sort_by(|(a, _), (b, _)| {
            a.iter()
                .zip(b)
                .map(|((a, text), (b, other))| {
                    let [a, b] = [a, b].map(|place| place.unwrap_or(f64::NEG_INFINITY));
                    a.total_cmp(&b).then_with(|| text.cmp(other))
                })
                .fold(Ordering::Equal, Ordering::then)
        });
        let mut new = vec![0u32; tuples.len()];
        for (code, (_, old)) in (0..).zip(&order) {
            new[*old] = code;
        }
        of_line.iter_mut().for_each(|code| *code = new[*code as usize]);
        let kind = |is: &dyn Fn(&TextComparison) -> bool| matches!(&scales[..], [Some(scale)] if is(&scale.kind));
        let part_numbers = (0..own.len()).map(|number| {
            let is_number = scales[number].is_some_and(|scale| {
                matches!(
                    scale.kind,
                    TextComparison::Whole | TextComparison::Real(_) | TextComparison::Day
                )
            });
            let numbers = order
                .iter()
                .map(|(parts, _)| &parts[number])
                .filter_map(|(place, text)| Some((text.clone(), (*place)?)));
            if is_number { numbers.collect() } else { HashMap::new() }
        });
        Self {
            part_numbers: part_numbers.collect(),
            parts: order
                .into_iter()
                .map(|(parts, _)| parts.into_iter().map(|part| part.1).collect())
                .collect(),
            names: own.iter().map(|(_, column)| column.name.clone()).collect(),
            of_line,
            is_ordered: kind(&|kind| {
                !matches!(kind, TextComparison::Text | TextComparison::Sets(_))
            }),
            has_sets: kind(&|kind| matches!(kind, TextComparison::Sets(_))),
        }
    }

    fn labels(&self) -> Vec<String> {
        self.parts.iter().map(|parts| parts.join(" + ")).collect()
    }

    /// Returns the number of each value, if there is a single column of numbers.
    pub(super) fn numbers(&self) -> Option<Vec<f64>> {
        let [numbers] = &self.part_numbers[..] else {
            return None;
        };
        let own =
            self.parts.iter().map(|parts| numbers.get(&parts[0]).copied().unwrap_or(f64::NAN));
        (numbers.len() >= 3).then(|| own.collect())
    }

    /// Returns the values, without rows.
    pub(in crate::query) fn secret<'a>(&self, exempt: impl Iterator<Item = &'a String>) -> Secret {
        let labels = self.labels();
        let exempt: BTreeSet<&String> = exempt.collect();
        let is_exempt = |label: &String| match self.has_sets {
            true => is_exempt_set(label, &exempt),
            false => exempt.contains(label),
        };
        let is_exempt = labels.iter().map(is_exempt).collect();
        let domain = if self.is_ordered {
            Domain::ordered(labels.clone())
        } else {
            Domain::unordered(labels.clone())
        };
        let mut column = Column::new(self.names.join(" + "), Vec::new(), domain);
        if self.has_sets {
            column = column.with_members(members_of(&labels, &exempt));
        }
        Secret::from_column(&column).with_exempt(is_exempt)
    }

    /// The value of each row of a table with groups, one group after the other.
    pub(in crate::query) fn by_group(&self, table: &ReleasedTable) -> Vec<u32> {
        let of_line = |line: u32| self.of_line[line as usize];
        match (&table.values, &table.groups) {
            (Some(values), _) => values
                .groups
                .rows
                .iter()
                .flatten()
                .flat_map(|&line| {
                    std::iter::repeat_n(of_line(line), values.counts[line as usize] as usize)
                })
                .collect(),
            (None, Some(groups)) => groups.rows.iter().flatten().map(|&row| of_line(row)).collect(),
            (None, None) => self.of_line.clone(),
        }
    }
}
