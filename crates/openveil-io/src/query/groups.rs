//! Counts from a table with groups: its values spread over people as is likeliest given
//! all groups, and how far the deal may have moved them.

use super::atoms::{Atoms, Part};
use super::matcher::Matcher;
use super::tables::Tables;
use crate::release_dir::read::ReleasedTable;
use crate::release_dir::write::manifest::CellKind;
use crate::source::{RawColumn, RawTable};
use openveil::schema::estimate::{BlockAtoms, ROUNDS, Shown, Spread};
use std::collections::{BTreeMap, HashMap};

/// Pairs of what a group shows and a value that are spread at most: beyond, values are
/// spread evenly.
const MOST_PAIRS: usize = 1 << 24;

/// Pairs of an atom and a value of which something is learned at most.
const MOST_CELLS: usize = 1 << 22;

/// A count, as a table with groups gives it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Counted {
    /// Values spread as is likeliest; none where nothing can be learned: nothing secret
    /// is asked for beside something known, or the table is too large.
    pub(super) likeliest: Option<f64>,
    /// The standard deviation of the count if inside of every group all is as likely.
    pub(super) standard_error: f64,
}

/// Counts the rows of a table that meet conditions; nothing if it has no groups.
pub(super) fn counted(
    tables: &Tables,
    table: &ReleasedTable,
    matchers: &HashMap<String, Matcher<'_>>,
) -> Option<Counted> {
    let groups = table.groups.as_ref()?;
    let layout = Layout::of(tables, table, matchers);
    let views: Vec<Asked> = groups
        .rows
        .iter()
        .enumerate()
        .map(|(group, rows)| layout.asked(group, rows))
        .collect();
    let variance: f64 = views.iter().map(Asked::variance).sum();
    Some(Counted {
        likeliest: layout.likeliest(views),
        standard_error: variance.sqrt(),
    })
}

/// Which columns are asked about, and how they are published.
struct Layout<'a> {
    table: &'a ReleasedTable,
    blocks: Vec<Block<'a>>,
    /// Where values stand, and the share of each that meets the conditions.
    values: Values,
    asks_for_values: bool,
}

/// Columns whose values stand in the same rows, or one by itself.
struct Block<'a> {
    columns: Vec<&'a RawColumn>,
    atoms: Vec<Atoms>,
    /// Whether one cell stands for all rows of a group.
    is_range: bool,
}

/// The combinations of secret texts.
struct Values {
    /// By row of the main file, or by line of the values' own.
    of_line: Vec<u32>,
    /// By value: the share of it that meets the conditions.
    met: Vec<f64>,
}

impl<'a> Layout<'a> {
    fn of(
        tables: &'a Tables,
        table: &'a ReleasedTable,
        matchers: &HashMap<String, Matcher<'_>>,
    ) -> Self {
        let is_secret = |raw: &RawTable, name: &str| !table.is_main(raw) || table.is_secret(name);
        let known = table
            .columns()
            .filter(|(raw, column)| !is_secret(raw, &column.name));
        let mut blocks = Vec::new();
        let mut rows: Vec<&RawColumn> = Vec::new();
        for (_, column) in known {
            let is_asked = matchers.contains_key(&column.name);
            match tables.cell_kind(&column.name) {
                // Rows teach more than single columns: all of them are looked at.
                CellKind::Value => rows.push(column),
                kind if is_asked => blocks.push((vec![column], kind.is_range())),
                _ => {}
            }
        }
        if rows
            .iter()
            .any(|column| matchers.contains_key(&column.name))
        {
            blocks.push((rows, false));
        }
        let block = |(columns, is_range): (Vec<&'a RawColumn>, bool)| Block {
            atoms: columns
                .iter()
                .map(|column| tables.atoms(column, matchers.get(&column.name)))
                .collect(),
            columns,
            is_range,
        };
        let secret = table
            .columns()
            .filter(|(raw, column)| is_secret(raw, &column.name));
        let secret: Vec<(&RawTable, &RawColumn)> = secret.collect();
        Self {
            table,
            blocks: blocks.into_iter().map(block).collect(),
            asks_for_values: secret
                .iter()
                .any(|(_, column)| matchers.contains_key(&column.name)),
            values: Values::of(&secret, matchers),
        }
    }

    /// What a group shows, and which shares of it are met.
    fn asked(&self, group: usize, rows: &[u32]) -> Asked {
        let (shown, met) = self.blocks.iter().map(|block| block.shown(rows)).unzip();
        let mut values: BTreeMap<u32, f64> = BTreeMap::new();
        let mut add = |line: u32, count: f64| {
            *values
                .entry(self.values.of_line[line as usize])
                .or_insert(0.0) += count;
        };
        match &self.table.values {
            None => rows.iter().for_each(|&row| add(row, 1.0)),
            Some(own) => {
                let lines = own.groups.rows.get(group).iter();
                lines.for_each(|&line| add(line, f64::from(own.counts[line as usize])));
            }
        }
        let is_met = |(value, count): (&u32, &f64)| self.values.met[*value as usize] * count;
        Asked {
            rows: rows.len() as f64,
            values_met: values.iter().map(is_met).sum(),
            is_counted: self.blocks.len() == 1 && !self.blocks[0].is_range,
            shown: Shown {
                blocks: shown,
                values: values.into_iter().collect(),
            },
            met,
        }
    }

    fn likeliest(&self, views: Vec<Asked>) -> Option<f64> {
        if self.blocks.is_empty() || !self.asks_for_values {
            return None;
        }
        let values = self.values.met.len();
        let atoms = |block: &Block<'_>| block.atoms.iter().map(|atoms| atoms.count).collect();
        let atoms: Vec<BlockAtoms> = self.blocks.iter().map(atoms).collect();
        let pairs = |view: &Asked| {
            let shown = view.shown.blocks.iter().map(|(_, rows)| rows.len());
            shown.sum::<usize>() * view.shown.values.len()
        };
        let cells: usize = atoms
            .iter()
            .flatten()
            .map(|atoms| atoms.saturating_mul(values))
            .sum();
        if views.iter().map(pairs).sum::<usize>() > MOST_PAIRS || cells > MOST_CELLS {
            return None;
        }
        let sizes: Vec<usize> = views.iter().map(|view| view.rows as usize).collect();
        let (shown, met): (Vec<Shown>, Vec<Vec<Vec<f64>>>) =
            views.into_iter().map(|view| (view.shown, view.met)).unzip();
        let spread = Spread::fit(shown, &atoms, values, ROUNDS);
        let is_met = |value: u32| self.values.met[value as usize];
        let counts = met.iter().enumerate().map(|(group, met)| {
            let people = self.table.people_share(group, sizes[group]);
            people * spread.count(group, &is_met, met)
        });
        Some(counts.sum())
    }
}

/// A group as far as it is asked about.
struct Asked {
    rows: f64,
    /// Rows whose value meets the conditions.
    values_met: f64,
    /// Whether the rows that meet the other conditions can be counted.
    is_counted: bool,
    shown: Shown,
    /// Per block and combination, the share that is met.
    met: Vec<Vec<f64>>,
}

impl Asked {
    /// The variance of the count of rows if everything that the group does not show is as
    /// likely: of drawing without replacement where the rows that meet the conditions on
    /// known columns can be counted, otherwise as if each met them by itself.
    fn variance(&self) -> f64 {
        let shares = self
            .shown
            .blocks
            .iter()
            .zip(&self.met)
            .map(|((_, rows), met)| {
                let weighed = rows.iter().zip(met).map(|(rows, met)| rows * met);
                weighed.sum::<f64>() / self.rows
            });
        // Rounding may bring a whole a little beyond 1.
        let share = shares.product::<f64>().min(1.0);
        let alone = self.values_met * share * (1.0 - share);
        if !self.is_counted {
            return alone;
        }
        if self.rows > 1.0 {
            alone * (self.rows - self.values_met) / (self.rows - 1.0)
        } else {
            0.0
        }
    }
}

impl Block<'_> {
    /// What a group shows in the block, as combinations of atoms with their rows, and the
    /// share of each combination that is met.
    fn shown(&self, rows: &[u32]) -> ((Vec<u32>, Vec<f64>), Vec<f64>) {
        let mut counts: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
        let seen = if self.is_range { &rows[..1] } else { rows };
        for &row in seen {
            let texts = self.columns.iter().map(|column| column.codes[row as usize]);
            *counts.entry(texts.collect()).or_insert(0) += 1;
        }
        let each = rows.len() as f64 / seen.len() as f64;
        let ((mut atoms, mut weights), mut met) = ((Vec::new(), Vec::new()), Vec::new());
        for (texts, count) in counts {
            for parts in self.combinations(&texts) {
                atoms.extend(parts.iter().map(|part| part.atom));
                let share: f64 = parts.iter().map(|part| part.share).product();
                weights.push(count as f64 * each * share);
                met.push(parts.iter().map(|part| part.met).product());
            }
        }
        ((atoms, weights), met)
    }

    /// The combinations of parts of a row's cells.
    fn combinations(&self, texts: &[u32]) -> Vec<Vec<Part>> {
        let cells = texts.iter().zip(&self.atoms);
        cells.fold(vec![Vec::new()], |before, (&text, atoms)| {
            let further = before.iter().flat_map(|parts| {
                let next = atoms.cells[text as usize].iter();
                next.map(|part| [&parts[..], &[*part]].concat())
            });
            further.collect()
        })
    }
}

impl Values {
    fn of(secret: &[(&RawTable, &RawColumn)], matchers: &HashMap<String, Matcher<'_>>) -> Self {
        let lines = secret.first().map_or(0, |(raw, _)| raw.rows);
        let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
        let (mut of_line, mut met) = (Vec::with_capacity(lines), Vec::new());
        for line in 0..lines {
            let texts: Vec<u32> = secret
                .iter()
                .map(|(_, column)| column.codes[line])
                .collect();
            let next = numbers.len() as u32;
            let number = *numbers.entry(texts.clone()).or_insert(next);
            if number == next {
                let shares = secret.iter().zip(&texts).map(|((_, column), &text)| {
                    let matcher = matchers.get(&column.name);
                    matcher.map_or(1.0, |matcher| matcher.share_of(column.values.get(text)))
                });
                met.push(shares.product());
            }
            of_line.push(number);
        }
        Self { of_line, met }
    }
}
