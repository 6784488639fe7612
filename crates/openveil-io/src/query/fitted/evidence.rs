//! A published table in codes of its own: nothing but the release is looked at.

use super::super::scale::{Cell, Kind, Scale};
use super::super::tables::Tables;
use super::secret::SecretColumns;
use crate::load::MISSING_LABEL;
use crate::policy::Role;
use crate::release_dir::read::ReleasedTable;
use crate::release_dir::write::manifest::CellKind;
use crate::source::{RawColumn, RawTable};
use openveil::algorithm::{self, Replay};
use openveil::release::{Cells, Content};
use openveil::table::{Column, Domain};
use openveil_analysis::{Evidence, Meaning};
use std::collections::{BTreeSet, HashMap};

/// Whole numbers between the least and the greatest of a column are listed if there are no more.
const MOST_STEPS: f64 = 4_096.0;

/// A table of a release in codes.
#[derive(Debug)]
pub(in crate::query) struct Coded {
    pub(in crate::query) evidence: Evidence,
    pub(in crate::query) meaning: Meaning,
    /// The secret columns.
    pub(in crate::query) secrets: Vec<String>,
    /// Per value of the secret, the text of each of these columns.
    pub(in crate::query) parts: Vec<Vec<String>>,
    /// Per secret column, the number that each of its texts stands for.
    pub(in crate::query) part_numbers: Vec<HashMap<String, f64>>,
    /// The row of the file for each row of the evidence.
    pub(in crate::query) rows: Vec<u32>,
}

impl Coded {
    /// The table of this number; none if it has no groups. Columns for analysis, which nobody
    /// is taken to know, stand beside the known ones only where they are asked for: what is shown of
    /// them is shuffled, and costs the fit precision. O(rows · columns).
    pub(super) fn of(tables: &Tables, number: usize, with_others: bool) -> Option<Self> {
        let table = &tables.folder().tables[number];
        let groups = table.groups.as_ref()?;
        let mut end = 0;
        let ends: Vec<u32> = groups
            .rows
            .iter()
            .map(|rows| {
                end += rows.len() as u32;
                end
            })
            .collect();
        let rows: Vec<u32> = groups.rows.iter().flatten().copied().collect();
        let is_known = |raw: &RawTable, column: &RawColumn| {
            let entry = tables
                .manifest()
                .columns
                .iter()
                .find(|entry| entry.name == column.name);
            table.is_main(raw)
                && !table.is_secret(&column.name)
                && entry.is_some_and(|entry| with_others || entry.role != Role::Other.name())
        };
        let mut known = Vec::new();
        let (mut cells, mut numbers) = (Vec::new(), Vec::new());
        for (raw, column) in table.columns() {
            if !is_known(raw, column) {
                continue;
            }
            let scale = tables.scale(&column.name)?;
            let levels = Levels::of(scale, column);
            cells.push(levels.cells(scale, column, tables.cell_kind(&column.name), table, &rows));
            numbers.push(levels.numbers.clone());
            known.push(levels.column(&column.name));
        }
        let secret = SecretColumns::of(tables, table);
        let values = secret.by_group(table);
        let content = Content::from_parts(ends, values, cells).ok()?;
        let content = match secret.units(table) {
            None => content,
            Some(units) => content.with_units(units).ok()?,
        };
        let mut evidence = of_algorithm(&content, &tables.manifest().algorithm);
        if (0..groups.rows.len())
            .any(|group| table.people_share(group, groups.rows.get(group).len()) < 1.0)
        {
            let share = |(group, rows): (usize, &[u32])| table.people_share(group, rows.len());
            evidence = evidence.with_weights(groups.rows.iter().enumerate().map(share).collect());
        }
        let meaning = Meaning {
            numbers,
            secret_numbers: secret.numbers(),
            secret: secret.secret(tables.manifest().model.exempt.iter()),
            known,
        };
        Some(Self {
            evidence,
            meaning,
            part_numbers: secret.part_numbers,
            secrets: secret.names,
            parts: secret.parts,
            rows,
        })
    }

    /// The position of a known column.
    pub(in crate::query) fn known(&self, name: &str) -> Option<usize> {
        self.meaning
            .known
            .iter()
            .position(|column| column.name() == name)
    }

    /// The position of a secret column.
    pub(in crate::query) fn secret(&self, name: &str) -> Option<usize> {
        self.secrets.iter().position(|own| own == name)
    }
}

/// The evidence of a release by an algorithm of this name. Releases of earlier versions do not say
/// which values share a column: it is read off their groups, where they show it.
fn of_algorithm(content: &Content, name: &str) -> Evidence {
    let mut evidence = Evidence::new(content);
    let replay = algorithm::named(name).map(|algorithm| algorithm.profile().replay);
    if replay != Some(Replay::Columns) || !evidence.units().is_empty() {
        return evidence;
    }
    let values = content
        .row_values()
        .iter()
        .max()
        .map_or(0, |&last| last as usize + 1);
    evidence.read_columns(values);
    evidence.of_columns()
}

/// The values of a known column that its cells show.
struct Levels {
    labels: Vec<String>,
    numbers: Option<Vec<f64>>,
    is_ordered: bool,
    codes: HashMap<String, u32>,
}

impl Levels {
    fn of(scale: &Scale, column: &RawColumn) -> Self {
        let mut texts: BTreeSet<String> = BTreeSet::new();
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut ends: Vec<f64> = Vec::new();
        let mut has_missing = false;
        for text in column.values.iter() {
            match scale.read(text) {
                Cell::Value | Cell::Begins(_) => {
                    has_missing |= text == MISSING_LABEL;
                    texts.insert(text.to_owned());
                }
                Cell::Members(members) => texts.extend(members.into_iter().map(str::to_owned)),
                Cell::Interval(from, to) => ends.extend([from, to]),
                Cell::UpTo(from, to) => {
                    has_missing = true;
                    ends.extend([from, to]);
                }
            }
        }
        for text in &texts {
            ends.extend(scale.place(text).filter(|_| text != MISSING_LABEL));
        }
        for &end in &ends {
            (low, high) = (low.min(end), high.max(end));
        }
        let is_ordered = !matches!(scale.kind, Kind::Text | Kind::Sets(_) | Kind::Bins(_));
        if !is_ordered {
            let labels: Vec<String> = texts.into_iter().collect();
            return Self::new(labels, None, false);
        }
        let has_steps = !matches!(scale.kind, Kind::Real(_)) && high - low <= MOST_STEPS;
        let mut places = match has_steps && low <= high {
            true => (low as i64..=high as i64)
                .map(|place| place as f64)
                .collect(),
            false => ends,
        };
        places.sort_by(f64::total_cmp);
        places.dedup();
        let mut labels: Vec<String> = places.iter().map(|&place| scale.text(place)).collect();
        if has_missing && !labels.iter().any(|label| label == MISSING_LABEL) {
            labels.insert(0, MISSING_LABEL.to_owned());
            places.insert(0, f64::NAN);
        }
        let numbers = matches!(scale.kind, Kind::Whole | Kind::Real(_) | Kind::Day);
        let enough = places.iter().filter(|place| !place.is_nan()).count() >= 2;
        Self::new(labels, (numbers && enough).then_some(places), true)
    }

    fn new(labels: Vec<String>, numbers: Option<Vec<f64>>, is_ordered: bool) -> Self {
        let codes = labels.iter().cloned().zip(0..).collect();
        Self {
            labels,
            numbers,
            is_ordered,
            codes,
        }
    }

    fn column(self, name: &str) -> Column {
        let domain = match self.is_ordered {
            true => Domain::ordered(self.labels),
            false => Domain::unordered(self.labels),
        };
        Column::new(name, Vec::new(), domain)
    }

    /// The code of a value; numbers may be written in several ways.
    fn code(&self, scale: &Scale, text: &str) -> u32 {
        let place = || {
            scale
                .place(text)
                .and_then(|place| self.codes.get(&scale.text(place)))
        };
        self.codes.get(text).or_else(place).copied().unwrap_or(0)
    }

    /// What the release shows, in codes.
    fn cells(
        &self,
        scale: &Scale,
        column: &RawColumn,
        kind: CellKind,
        table: &ReleasedTable,
        rows: &[u32],
    ) -> Cells {
        if !kind.is_range() {
            let codes: Vec<u32> = column
                .values
                .iter()
                .map(|text| self.code(scale, text))
                .collect();
            let own = rows
                .iter()
                .map(|&row| codes[column.codes[row as usize] as usize])
                .collect();
            return match kind {
                CellKind::Sliced => Cells::Sliced(own),
                _ => Cells::Exact(own),
            };
        }
        let place = |place: f64| self.codes.get(&scale.text(place)).copied().unwrap_or(0);
        let covered = |text: &str| -> Vec<(u32, u32)> {
            match scale.read(text) {
                Cell::Value | Cell::Begins(_) => {
                    let code = self.code(scale, text);
                    vec![(code, code)]
                }
                Cell::Members(members) => {
                    let codes = members.into_iter().map(|member| self.code(scale, member));
                    let codes: BTreeSet<u32> = codes.collect();
                    codes.into_iter().map(|code| (code, code)).collect()
                }
                Cell::Interval(low, high) => {
                    let (low, high) = (place(low), place(high));
                    vec![(low.min(high), low.max(high))]
                }
                Cell::UpTo(_, high) => vec![(0, place(high))],
            }
        };
        let read: Vec<Vec<(u32, u32)>> = column.values.iter().map(covered).collect();
        let groups = table.groups.iter().flat_map(|groups| groups.rows.iter());
        let own = groups.map(|rows| &read[column.codes[rows[0] as usize] as usize]);
        if self.is_ordered {
            // Sets of an ordered column are rare: their ends stand for them.
            let ends = own.map(|ranges| {
                let first = ranges.first().map_or(0, |range| range.0);
                (first, ranges.last().map_or(first, |range| range.1))
            });
            return Cells::Intervals(ends.collect());
        }
        let (mut ends, mut members) = (Vec::new(), Vec::new());
        for ranges in own {
            members.extend(ranges.iter().map(|range| range.0));
            ends.push(members.len() as u32);
        }
        Cells::Sets { ends, members }
    }
}
