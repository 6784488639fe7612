//! Facts that the groups of a released table show, counted from its files.

use openveil_io::release_dir::read::{GroupedRows, ReleaseFolder, ReleasedTable, members};
use openveil_io::release_dir::write::manifest::{CellKind, ColumnEntry};
use openveil_io::source::{RawColumn, RawTable};
use openveil_text::{Text, text};
use std::collections::{BTreeMap, HashMap};

/// The most bars in a picture of group sizes.
const MOST_SIZES: usize = 12;

/// The most rows shown of the example group.
const MOST_SHOWN: usize = 8;

/// Counts of a table with groups.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GroupFacts {
    /// Ranges of sizes, and the number of groups in each.
    pub(super) sizes: Vec<(Text, usize)>,
    /// Rows of the smallest group, and of the largest.
    pub(super) least: usize,
    pub(super) most: usize,
    /// People of the group with the fewest: in a history, some rows may be filler rows.
    pub(super) fewest: usize,
    /// By tenth, up to the last that occurs: the number of groups whose most frequent protected
    /// value has such a share.
    pub(super) shares: Vec<usize>,
    /// Groups in which all rows have the same protected value.
    pub(super) uniform: usize,
    /// Groups in which all rows have the same exempt value.
    pub(super) uniform_exempt: usize,
    /// The highest share of a protected value in any group: rows with the value, and rows of the
    /// group.
    pub(super) highest: (usize, usize),
    /// The share of the most frequent protected value in the whole table; filler rows are not
    /// counted.
    pub(super) commonest: f64,
    /// A group to look at.
    pub(super) example: ExampleGroup,
}

/// A group as its reader sees it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ExampleGroup {
    /// Its number.
    pub(super) number: usize,
    /// Its rows.
    pub(super) rows: usize,
    pub(super) columns: Vec<String>,
    /// Some of the rows.
    pub(super) shown: Vec<Vec<String>>,
    /// Its values, how many rows have each, and whether it is exempt; the most frequent first.
    pub(super) values: Vec<(String, usize, bool)>,
}

/// The protected values of a table: numbered, with their frequency in each group. If people have
/// several values, each value counts once per person.
struct Secrets {
    labels: Vec<String>,
    exempt: Vec<bool>,
    of_groups: GroupCounts,
}

/// For each group, some numbers in ascending order, with their frequency.
#[derive(Default)]
struct GroupCounts {
    ends: Vec<usize>,
    counts: Vec<(u32, usize)>,
}

impl GroupCounts {
    /// Adds a group; `counts` may name a number several times, and is empty afterwards.
    fn push(&mut self, counts: &mut Vec<(u32, usize)>) {
        counts.sort_unstable();
        for (number, count) in counts.drain(..) {
            let start = self.ends.last().copied().unwrap_or(0);
            match self.counts[start..].last_mut() {
                Some((last, sum)) if *last == number => *sum += count,
                _ => self.counts.push((number, count)),
            }
        }
        self.ends.push(self.counts.len());
    }

    fn counts(&self, group: usize) -> &[(u32, usize)] {
        let start = group.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.counts[start..self.ends[group]]
    }

    fn iter(&self) -> impl Iterator<Item = &[(u32, usize)]> {
        (0..self.ends.len()).map(|group| self.counts(group))
    }
}

/// Counts what the groups of a table show. O(rows log rows). None for a table without groups.
pub(super) fn groups(folder: &ReleaseFolder, table: &ReleasedTable) -> Option<GroupFacts> {
    let grouped = table.groups.as_ref()?;
    let secrets = Secrets::new(folder, table)?;
    let sizes: Vec<usize> = grouped.rows.iter().map(<[u32]>::len).collect();
    let mut total = vec![0f64; secrets.labels.len()];
    let (mut shares, mut highest) = (Vec::new(), (0, 1));
    for (group, (values, &size)) in secrets.of_groups.iter().zip(&sizes).enumerate() {
        let share = table.people_share(group, size);
        values.iter().for_each(|&(value, count)| total[value as usize] += count as f64 * share);
        let most = values
            .iter()
            .filter(|(value, _)| !secrets.exempt[*value as usize])
            .map(|(_, count)| *count)
            .max()
            .unwrap_or(0);
        // A share of 20 % belongs to the range of 10 to 20 %.
        let tenth = (10 * most).div_ceil(size).clamp(1, 10) - 1;
        shares.resize(shares.len().max(tenth + 1), 0);
        shares[tenth] += 1;
        if most * highest.1 > highest.0 * size {
            highest = (most, size);
        }
    }
    let commonest = total
        .iter()
        .zip(&secrets.exempt)
        .filter(|(_, exempt)| !**exempt)
        .map(|(count, _)| *count)
        .fold(0.0, f64::max);
    let people = sizes.iter().enumerate().map(|(group, &rows)| table.people(group, rows));
    let people: Vec<usize> = people.filter(|&people| people > 0).collect();
    let uniform = |exempt: bool| {
        let is = |value: u32| secrets.exempt[value as usize] == exempt;
        secrets
            .of_groups
            .iter()
            .zip(&sizes)
            .filter(|(values, size)| {
                values.iter().any(|(value, count)| count == *size && is(*value))
            })
            .count()
    };
    Some(GroupFacts {
        fewest: people.iter().copied().min()?,
        least: sizes.iter().copied().min()?,
        most: sizes.iter().copied().max()?,
        shares,
        uniform: uniform(false),
        uniform_exempt: uniform(true),
        highest,
        commonest: commonest / people.iter().sum::<usize>().max(1) as f64,
        example: example(table, grouped, &secrets, &sizes),
        sizes: ranges_of(&sizes),
    })
}

impl Secrets {
    fn new(folder: &ReleaseFolder, table: &ReleasedTable) -> Option<Self> {
        let grouped = table.groups.as_ref()?;
        let own = |(raw, column): &(&RawTable, &RawColumn)| {
            !table.is_main(raw) || table.is_secret(&column.name)
        };
        let columns: Vec<&RawColumn> = table.columns().filter(own).map(|(_, c)| c).collect();
        // Columns that are protected each by itself are counted each by itself.
        let (of_lines, labels) = match &folder.manifest.each {
            Some(_) => each_numbered(&columns),
            None => {
                let (of_line, labels) = numbered(&columns);
                (vec![of_line], labels)
            }
        };
        let (lines, counts): (&GroupedRows, Option<&[u32]>) = match &table.values {
            Some(values) => (&values.groups, Some(&values.counts)),
            None => (grouped, None),
        };
        let mut of_groups = GroupCounts::default();
        let mut values = Vec::new();
        for rows in lines.rows.iter() {
            for of_line in &of_lines {
                values.extend(rows.iter().map(|&line| {
                    let count = counts.map_or(1, |counts| counts[line as usize] as usize);
                    (of_line[line as usize], count)
                }));
            }
            of_groups.push(&mut values);
        }
        let (mut labels, mut of_groups) = (labels, of_groups);
        let mut known = folder.manifest.columns.iter();
        if known.any(|own| own.sets && columns.iter().any(|column| column.name == own.name)) {
            (labels, of_groups) = of_members(&labels, &of_groups);
        }
        // With rules, each model names its exempt values; a value that is exempt in any rule is not
        // counted.
        let models: Vec<_> = folder
            .manifest
            .rules
            .iter()
            .map(|rule| &rule.model)
            .chain([&folder.manifest.model])
            .collect();
        Some(Self {
            exempt: labels
                .iter()
                .map(|label| models.iter().any(|model| model.exempt.contains(label)))
                .collect(),
            labels,
            of_groups,
        })
    }
}

/// Returns the values of lines in each of some columns, with their column's name, as in the list of
/// exempt values: for each column, a number for each line; and the value of each number.
fn each_numbered(columns: &[&RawColumn]) -> (Vec<Vec<u32>>, Vec<String>) {
    let (mut of_lines, mut labels) = (Vec::new(), Vec::new());
    for column in columns {
        let first = labels.len() as u32;
        of_lines.push(column.codes.iter().map(|&code| first + code).collect());
        let values = column.values.iter();
        labels.extend(values.map(|value| format!("{} = {value}", column.name)));
    }
    (of_lines, labels)
}

/// Returns the values of lines in some columns: a number for each line, and the value of each
/// number.
fn numbered(columns: &[&RawColumn]) -> (Vec<u32>, Vec<String>) {
    if let [only] = columns {
        let labels = only.values.iter().map(str::to_owned);
        return (only.codes.clone(), labels.collect());
    }
    let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
    let lines = 0..columns.first().map_or(0, |column| column.codes.len());
    let of_line = lines
        .map(|line| {
            let key: Vec<u32> = columns.iter().map(|column| column.codes[line]).collect();
            let next = numbers.len() as u32;
            *numbers.entry(key).or_insert(next)
        })
        .collect();
    let mut labels = vec![String::new(); numbers.len()];
    for (key, number) in numbers {
        let parts: Vec<&str> =
            columns.iter().zip(&key).map(|(own, &code)| own.values.get(code)).collect();
        labels[number as usize] = parts.join(" + ");
    }
    (of_line, labels)
}

/// Turns counts of sets into counts of their members: a person with a set has all of its members.
fn of_members<'a>(sets: &'a [String], of_groups: &GroupCounts) -> (Vec<String>, GroupCounts) {
    let mut numbers: HashMap<&'a str, u32> = HashMap::new();
    let mut of_set = |set: &'a String| -> Vec<u32> {
        let mut number = |value: &'a str| {
            let next = numbers.len() as u32;
            *numbers.entry(value).or_insert(next)
        };
        match members(set) {
            Some(members) => members.map(&mut number).collect(),
            None => vec![number(set)],
        }
    };
    let of_sets: Vec<Vec<u32>> = sets.iter().map(&mut of_set).collect();
    let mut of_values = GroupCounts::default();
    let mut values = Vec::new();
    for sets in of_groups.iter() {
        for &(set, count) in sets {
            let own = of_sets[set as usize].iter();
            values.extend(own.map(|&value| (value, count)));
        }
        of_values.push(&mut values);
    }
    let mut labels = vec![String::new(); numbers.len()];
    for (value, number) in numbers {
        labels[number as usize] = value.to_owned();
    }
    (labels, of_values)
}

/// Returns the first group of median size, which is a function of the release.
fn example(
    table: &ReleasedTable,
    grouped: &GroupedRows,
    secrets: &Secrets,
    sizes: &[usize],
) -> ExampleGroup {
    let mut ordered: Vec<usize> = sizes.to_vec();
    ordered.sort_unstable();
    let middle = ordered[ordered.len() / 2];
    let group = sizes.iter().position(|&size| size == middle).unwrap_or(0);
    let columns: Vec<(&RawTable, &RawColumn)> = table.columns().collect();
    let own: Vec<&RawColumn> =
        columns.iter().filter(|(raw, _)| table.is_main(raw)).map(|(_, c)| *c).collect();
    let rows = grouped.rows.get(group);
    let shown = rows.iter().take(MOST_SHOWN).map(|&row| {
        own.iter()
            .map(|column| column.values.get(column.codes[row as usize]))
            .map(str::to_owned)
            .collect()
    });
    let mut values: Vec<(String, usize, bool)> = secrets
        .of_groups
        .counts(group)
        .iter()
        .map(|&(value, count)| {
            let value = value as usize;
            (secrets.labels[value].clone(), count, secrets.exempt[value])
        })
        .collect();
    values.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    ExampleGroup {
        number: group + 1,
        rows: rows.len(),
        columns: own.iter().map(|column| column.name.clone()).collect(),
        shown: shown.collect(),
        values,
    }
}

/// Returns sizes, or ranges of sizes if there are many.
fn ranges_of(sizes: &[usize]) -> Vec<(Text, usize)> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    sizes.iter().for_each(|&size| *counts.entry(size).or_default() += 1);
    if counts.len() <= MOST_SIZES {
        return counts
            .into_iter()
            .map(|(size, groups)| (size.to_string().into(), groups))
            .collect();
    }
    // Each range twice as long as the one before it.
    let mut ranges: BTreeMap<u32, usize> = BTreeMap::new();
    for (size, groups) in counts {
        *ranges.entry(size.ilog2()).or_default() += groups;
    }
    let name = |power: u32| text!("{} to {}", 1usize << power, (2usize << power) - 1);
    ranges.into_iter().map(|(power, groups)| (name(power), groups)).collect()
}

/// Counts rows whose exact known values are unique; none if known values are not published in whole
/// rows. O(rows · columns).
pub(super) fn unique_rows(folder: &ReleaseFolder, table: &ReleasedTable) -> Option<usize> {
    let columns: Vec<&RawColumn> = table
        .main
        .columns
        .iter()
        .filter(|column| {
            let entry: Option<&ColumnEntry> =
                folder.manifest.columns.iter().find(|entry| entry.name == column.name);
            entry.is_some_and(|entry| entry.cell_kind(folder.style) == CellKind::Value)
                && !table.is_secret(&column.name)
        })
        .collect();
    if columns.is_empty() {
        return None;
    }
    let mut rows: HashMap<Vec<u32>, usize> = HashMap::new();
    for row in 0..table.main.rows {
        let key = columns.iter().map(|column| column.codes[row]).collect();
        *rows.entry(key).or_default() += 1;
    }
    Some(rows.values().filter(|&&count| count == 1).count())
}
