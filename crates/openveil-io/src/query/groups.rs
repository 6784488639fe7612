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
        let mut weights = Vec::with_capacity(self.blocks.len() + 2);
        let blocks = self.blocks.iter().map(|block| {
            let (shown, met, own) = block.shown(rows);
            weights.push(own);
            (shown, met)
        });
        let (shown, met) = blocks.unzip();
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
        let of_values = values
            .iter()
            .map(|(value, &count)| (self.values.met[*value as usize], count));
        weights.push(Weights::of(of_values));
        let people = self.table.people(group, rows.len()) as f64;
        weights.push(Weights::of([(1.0, people)].into_iter()));
        Asked {
            rows: rows.len() as f64,
            weights,
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
    /// Of each thing that is dealt by itself: the blocks, the values, and who is somebody.
    weights: Vec<Weights>,
    shown: Shown,
    /// Per block and combination, the share that is met.
    met: Vec<Vec<f64>>,
}

/// To which share the rows of a group meet a condition, added up.
#[derive(Debug, Clone, Copy, Default)]
struct Weights {
    sum: f64,
    squares: f64,
}

impl Weights {
    /// Shares, and how many rows have each.
    fn of(shares: impl Iterator<Item = (f64, f64)>) -> Self {
        shares.fold(Self::default(), |all, (share, rows)| Self {
            sum: all.sum + rows * share,
            squares: all.squares + rows * share * share,
        })
    }

    /// The same over pairs of different rows.
    fn of_pairs(self) -> f64 {
        self.sum * self.sum - self.squares
    }
}

/// Variances below this share of the square of the mean are what rounding leaves of none.
const ROUNDING: f64 = 1e-12;

impl Asked {
    /// The variance of the count of rows if everything that the group does not show is as
    /// likely: whatever is dealt by itself is put to the rows in an order of its own, and a row that
    /// meets a condition to a share meets it with that chance.
    ///
    /// Of X = ∑ of rows, E\[X\] is n · ∏ (∑ w / n) and E\[X(X − 1)\] is n(n − 1) · ∏ (∑∑ w w′ / n(n − 1)).
    fn variance(&self) -> f64 {
        let (rows, pairs) = (self.rows, self.rows * (self.rows - 1.0));
        // Multiplied first: whole numbers stay whole.
        let weights = self.weights.iter();
        let mean = weights.fold(rows, |mean, own| mean * own.sum / rows);
        let of_pairs = match pairs > 0.0 {
            true => {
                let weights = self.weights.iter();
                weights.fold(pairs, |all, own| all * own.of_pairs() / pairs)
            }
            false => 0.0,
        };
        let variance = mean + of_pairs - mean * mean;
        match variance > ROUNDING * mean * mean {
            true => variance,
            false => 0.0,
        }
    }
}

impl Block<'_> {
    /// What a group shows in the block, as combinations of atoms with their rows, the share of each
    /// combination that is met, and those of whole rows.
    fn shown(&self, rows: &[u32]) -> ((Vec<u32>, Vec<f64>), Vec<f64>, Weights) {
        let mut counts: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
        let seen = if self.is_range { &rows[..1] } else { rows };
        for &row in seen {
            let texts = self.columns.iter().map(|column| column.codes[row as usize]);
            *counts.entry(texts.collect()).or_insert(0) += 1;
        }
        let each = rows.len() as f64 / seen.len() as f64;
        let ((mut atoms, mut weights), mut met) = ((Vec::new(), Vec::new()), Vec::new());
        let mut of_rows = Vec::with_capacity(counts.len());
        for (texts, count) in counts {
            let mut whole = 0.0;
            for parts in self.combinations(&texts) {
                atoms.extend(parts.iter().map(|part| part.atom));
                let share: f64 = parts.iter().map(|part| part.share).product();
                let own: f64 = parts.iter().map(|part| part.met).product();
                weights.push(count as f64 * each * share);
                met.push(own);
                whole += share * own;
            }
            // Rounding may bring a whole a little beyond 1.
            of_rows.push((whole.min(1.0), count as f64 * each));
        }
        ((atoms, weights), met, Weights::of(of_rows.into_iter()))
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

#[cfg(test)]
mod tests {
    use super::*;
    use openveil::coins::{Coins, SecretCoins};

    fn orders(rows: usize) -> Vec<Vec<usize>> {
        let further = |before: Vec<Vec<usize>>, next: usize| {
            let put = |order: &Vec<usize>| {
                let put = |at| [&order[..at], &[next], &order[at..]].concat();
                (0..=order.len()).map(put).collect::<Vec<_>>()
            };
            before.iter().flat_map(put).collect()
        };
        (0..rows).fold(vec![Vec::new()], further)
    }

    /// Mean and variance over all ways to put shares to rows, each row meeting its share by chance.
    fn over_all_orders(dealt: &[Vec<f64>]) -> (f64, f64) {
        let rows = dealt[0].len();
        let mut chances = vec![vec![1.0; rows]];
        for shares in dealt {
            let orders = orders(rows);
            let with = |own: &Vec<f64>| {
                let put = |order: &Vec<usize>| {
                    let both = own.iter().zip(order);
                    both.map(|(chance, &at)| chance * shares[at]).collect()
                };
                orders.iter().map(put).collect::<Vec<Vec<f64>>>()
            };
            chances = chances.iter().flat_map(with).collect();
        }
        let ways = chances.len() as f64;
        let counts: Vec<f64> = chances.iter().map(|own| own.iter().sum()).collect();
        let mean = counts.iter().sum::<f64>() / ways;
        let between: f64 = counts.iter().map(|count| (count - mean).powi(2)).sum();
        let within = chances.iter().flatten().map(|p| p * (1.0 - p)).sum::<f64>();
        (mean, (between + within) / ways)
    }

    #[test]
    fn variances_are_those_of_all_orders() {
        let mut coins = SecretCoins::from_test_seed(7);
        for round in 0..300 {
            let rows = 1 + coins.below(4) as usize;
            let conditions = 1 + coins.below(3) as usize;
            // Whole shares are what most conditions leave; cut cells leave others.
            let parts = if round % 2 == 0 { 1 } else { 4 };
            let mut shares = || {
                (0..rows)
                    .map(|_| coins.below(parts + 1) as f64 / parts as f64)
                    .collect()
            };
            let dealt: Vec<Vec<f64>> = (0..conditions).map(|_| shares()).collect();
            let of = |shares: &Vec<f64>| Weights::of(shares.iter().map(|&share| (share, 1.0)));
            let asked = Asked {
                rows: rows as f64,
                weights: dealt.iter().map(of).collect(),
                shown: Shown {
                    blocks: Vec::new(),
                    values: Vec::new(),
                },
                met: Vec::new(),
            };
            let (_, expected) = over_all_orders(&dealt);
            assert!((asked.variance() - expected).abs() < 1e-9, "{dealt:?}");
            if parts == 1 && conditions == 1 {
                assert_eq!(asked.variance(), 0.0, "what is shown is counted");
            }
        }
    }
}
