//! A published table in codes, from the release alone.

use super::super::scale::{CoveredValues, Scale, TextComparison};
use super::super::tables::TextTables;
use super::secret::SecretColumns;
use openveil_analysis::{Evidence, Meaning};
use openveil_core::release::{Cells, Content};
use openveil_core::table::{Column, Domain};
use openveil_io::load::MISSING_LABEL;
use openveil_io::policy::Role;
use openveil_io::release_dir::read::ReleasedTable;
use openveil_io::release_dir::write::manifest::CellKind;
use openveil_io::source::{RawColumn, RawTable};
use std::collections::{BTreeSet, HashMap};

/// The most whole numbers between the least and the greatest of a column that are listed.
const MOST_STEPS: f64 = 4_096.0;

/// A table of a release in codes.
#[derive(Debug)]
pub(in crate::query) struct CodedTable {
    pub(in crate::query) evidence: Evidence,
    pub(in crate::query) meaning: Meaning,
    /// The secret columns.
    pub(in crate::query) secrets: Vec<String>,
    /// Per known column, a value that each code stands for.
    pub(in crate::query) texts: Vec<Vec<String>>,
    /// Per value of the secret, the text of each of these columns.
    pub(in crate::query) parts: Vec<Vec<String>>,
    /// Per secret column, the number that each of its texts stands for.
    pub(in crate::query) part_numbers: Vec<HashMap<String, f64>>,
    /// The row of the file for each row of the evidence.
    pub(in crate::query) rows: Vec<u32>,
}

impl CodedTable {
    /// Returns the table of this number; none if it has no groups. Columns for analysis are added
    /// to the known columns only on request: readers are assumed not to know them, and since they
    /// are shuffled they make the fit less precise. Several secret columns are taken as one, or
    /// `only` one of them is used. O(rows · columns).
    pub(super) fn new(
        tables: &TextTables,
        number: usize,
        with_others: bool,
        only: Option<&str>,
    ) -> Option<Self> {
        let table = &tables.folder().tables[number];
        let groups = table.groups.as_ref()?;
        let (ends, classes) = groups.ends();
        let rows: Vec<u32> = groups.rows.iter().flatten().copied().collect();
        let is_known = |raw: &RawTable, column: &RawColumn| {
            let entry = tables.manifest().columns.iter().find(|entry| entry.name == column.name);
            table.is_main(raw)
                && !table.is_secret(&column.name)
                && entry.is_some_and(|entry| with_others || entry.role != Role::Other.name())
        };
        let mut known = Vec::new();
        let (mut cells, mut numbers, mut texts) = (Vec::new(), Vec::new(), Vec::new());
        for (raw, column) in table.columns() {
            if !is_known(raw, column) {
                continue;
            }
            let scale = tables.scale(&column.name)?;
            let levels = ShownValues::from_column(scale, column);
            cells.push(levels.cells(scale, column, tables.cell_kind(&column.name), table, &rows));
            numbers.push(levels.numbers.clone());
            texts.push(levels.values(scale));
            known.push(levels.column(&column.name));
        }
        let secret = SecretColumns::new(tables, table, only);
        let values = secret.by_group(table);
        let content = Content::from_classes(ends, classes, values, cells).ok()?;
        let mut evidence = Evidence::new(&content);
        if (0..groups.rows.len())
            .any(|group| table.people_share(group, groups.rows.get(group).len()) < 1.0)
        {
            evidence = evidence.with_weights(
                groups
                    .rows
                    .iter()
                    .enumerate()
                    .map(|(group, rows)| table.people_share(group, rows.len()))
                    .collect(),
            );
        }
        let meaning = Meaning {
            numbers,
            secret_numbers: secret.numbers(),
            secret: secret.secret(tables.manifest().model.exempt.iter()),
            known,
            pairs: Vec::new(),
        };
        Some(Self {
            evidence,
            meaning,
            part_numbers: secret.part_numbers,
            texts,
            secrets: secret.names,
            parts: secret.parts,
            rows,
        })
    }

    /// The position of a known column.
    pub(in crate::query) fn known(&self, name: &str) -> Option<usize> {
        self.meaning.known.iter().position(|column| column.name() == name)
    }

    /// The position of a secret column.
    pub(in crate::query) fn secret(&self, name: &str) -> Option<usize> {
        self.secrets.iter().position(|own| own == name)
    }
}

/// Contents of the cells of a column.
#[derive(Default)]
struct CellContents {
    /// Values.
    texts: BTreeSet<String>,
    /// Ends of intervals.
    ends: Vec<f64>,
    /// Whether some interval has values between its ends.
    is_wide: bool,
    /// Whether some cell hides everything.
    hides_all: bool,
    /// Whether some cell hides where its values begin.
    hides_least: bool,
    has_missing: bool,
}

impl CellContents {
    fn add(&mut self, scale: &Scale, text: &str) {
        match scale.read(text) {
            CoveredValues::Begins("") if scale.has_places() => self.hides_all = true,
            CoveredValues::Value | CoveredValues::Begins(_) => {
                self.has_missing |= text == MISSING_LABEL;
                self.texts.insert(text.to_owned());
            }
            CoveredValues::Members(members) => {
                for member in members {
                    match scale.read(member) {
                        // A value that looks like a set counts as a set.
                        CoveredValues::Members(_) => drop(self.texts.insert(member.to_owned())),
                        _ => self.add(scale, member),
                    }
                }
            }
            CoveredValues::Interval(from, to) => {
                self.is_wide |= from < to;
                self.ends.extend([from, to]);
            }
            CoveredValues::UpTo(from, to) => {
                self.has_missing = true;
                self.hides_least = true;
                self.is_wide |= from < to;
                self.ends.extend([from, to]);
            }
        }
    }
}

/// The values of a known column that its cells show, and the intervals between them.
struct ShownValues {
    labels: Vec<String>,
    numbers: Option<Vec<f64>>,
    is_ordered: bool,
    codes: HashMap<String, u32>,
}

impl ShownValues {
    fn from_column(scale: &Scale, column: &RawColumn) -> Self {
        let mut shown = CellContents::default();
        column.values.iter().for_each(|text| shown.add(scale, text));
        if !scale.has_places() {
            return Self::new(shown.texts.into_iter().collect(), None, false);
        }
        let CellContents { texts, mut ends, is_wide, hides_all, hides_least, has_missing } = shown;
        ends.extend(texts.iter().filter_map(|text| scale.place(text)));
        ends.sort_by(f64::total_cmp);
        ends.dedup();
        let (low, high) = match &ends[..] {
            [] => (f64::INFINITY, f64::NEG_INFINITY),
            [first, .., last] => (*first, *last),
            [only] => (*only, *only),
        };
        let is_counted = !matches!(scale.kind, TextComparison::Real(_));
        let has_steps = is_counted && high - low <= MOST_STEPS;
        let places: Vec<f64> = if has_steps && low <= high {
            let step = (scale.standing.width as usize).max(1);
            let steps = (low as i64..=high as i64).step_by(step);
            steps.map(|place| place as f64).collect()
        } else {
            ends
        };
        let mut levels: Vec<(String, f64)> = Vec::new();
        if has_missing || hides_all {
            levels.push((MISSING_LABEL.to_owned(), f64::NAN));
        }
        // A cell that hides where it begins may stand for values below all shown ones; a cell that
        // hides everything may stand for values above them, too.
        let outside = |from: f64, to: f64, number: f64| (scale.between_places(from, to), number);
        let mut before = f64::NEG_INFINITY;
        for &place in &places {
            let is_first = before == f64::NEG_INFINITY;
            let is_gap = !is_counted || place - before > scale.standing.width.max(1.0);
            if is_first && (hides_all || hides_least) {
                levels.push(outside(before, place, place));
            } else if !is_first && (is_wide || hides_all) && is_gap {
                levels.push(outside(before, place, f64::midpoint(before, place)));
            }
            levels.push((scale.text(place), place));
            before = place;
        }
        if hides_all {
            let number = if places.is_empty() { 0.0 } else { before };
            levels.push(outside(before, f64::INFINITY, number));
        }
        let numbers = matches!(
            scale.kind,
            TextComparison::Whole | TextComparison::Real(_) | TextComparison::Day
        );
        let enough = places.len() >= 2;
        let (labels, places): (Vec<String>, Vec<f64>) = levels.into_iter().unzip();
        Self::new(labels, (numbers && enough).then_some(places), true)
    }

    fn new(labels: Vec<String>, numbers: Option<Vec<f64>>, is_ordered: bool) -> Self {
        let codes = labels.iter().cloned().zip(0..).collect();
        Self { labels, numbers, is_ordered, codes }
    }

    /// Returns a value for each level: for an interval its middle.
    fn values(&self, scale: &Scale) -> Vec<String> {
        let value = |label: &String| match scale.open_interval(label) {
            None => label.clone(),
            Some((low, high)) if low.is_finite() && high.is_finite() => {
                let middle = f64::midpoint(low, high);
                match scale.kind {
                    TextComparison::Real(_) => scale.text(middle),
                    _ => scale.text(middle.floor()),
                }
            }
            Some((low, _)) if low.is_finite() => scale.text(low),
            Some((_, high)) if high.is_finite() => scale.text(high),
            // A cell that hides everything keeps its label.
            Some(_) => label.clone(),
        };
        self.labels.iter().map(value).collect()
    }

    fn column(self, name: &str) -> Column {
        let domain = if self.is_ordered {
            Domain::ordered(self.labels)
        } else {
            Domain::unordered(self.labels)
        };
        Column::new(name, Vec::new(), domain)
    }

    /// Returns the code of a value; numbers may be written in several ways.
    fn code(&self, scale: &Scale, text: &str) -> u32 {
        self.codes
            .get(text)
            .or_else(|| scale.place(text).and_then(|place| self.codes.get(&scale.text(place))))
            .copied()
            .unwrap_or(0)
    }

    /// Returns ranges of the codes that a cell, or a member of a cell, may stand for; for a prefix
    /// one by one.
    fn range(&self, scale: &Scale, text: &str) -> Vec<(u32, u32)> {
        let place = |place: f64| self.codes.get(&scale.text(place)).copied().unwrap_or(0);
        match scale.read(text) {
            CoveredValues::Begins(start) if scale.has_places() || start.is_empty() => {
                vec![(0, self.labels.len().saturating_sub(1) as u32)]
            }
            CoveredValues::Begins(start) => (0..)
                .zip(&self.labels)
                .filter(|(_, label)| label.starts_with(start))
                .map(|(code, _)| (code, code))
                .collect(),
            CoveredValues::Interval(low, high) => {
                let (low, high) = (place(low), place(high));
                vec![(low.min(high), low.max(high))]
            }
            CoveredValues::UpTo(_, high) => vec![(0, place(high))],
            CoveredValues::Value | CoveredValues::Members(_) => {
                let code = self.code(scale, text);
                vec![(code, code)]
            }
        }
    }

    /// Returns the cells that the release shows, in codes.
    fn cells(
        &self,
        scale: &Scale,
        column: &RawColumn,
        kind: CellKind,
        table: &ReleasedTable,
        rows: &[u32],
    ) -> Cells {
        if !kind.is_range() {
            let codes: Vec<u32> = column.values.iter().map(|text| self.code(scale, text)).collect();
            let own = rows.iter().map(|&row| codes[column.codes[row as usize] as usize]).collect();
            return match kind {
                CellKind::Sliced => Cells::Sliced(own),
                _ => Cells::Exact(own),
            };
        }
        let covered = |text: &str| -> Vec<(u32, u32)> {
            let mut codes: BTreeSet<(u32, u32)> = BTreeSet::new();
            match scale.read(text) {
                CoveredValues::Members(members) => {
                    for member in members {
                        codes.extend(self.range(scale, member));
                    }
                }
                _ => codes.extend(self.range(scale, text)),
            }
            codes.into_iter().collect()
        };
        let read: Vec<Vec<(u32, u32)>> = column.values.iter().map(covered).collect();
        let own = table
            .groups
            .iter()
            .flat_map(|groups| groups.classes().iter())
            .map(|rows| &read[column.codes[rows[0] as usize] as usize]);
        if self.is_ordered {
            // Sets of an ordered column are rare, so they are represented by their ends.
            let ends = own.map(|ranges| {
                let first = ranges.first().map_or(0, |range| range.0);
                let last = ranges.iter().map(|range| range.1).max();
                (first, last.unwrap_or(first))
            });
            return Cells::Intervals(ends.collect());
        }
        let (mut ends, mut members) = (Vec::new(), Vec::new());
        for ranges in own {
            members.extend(ranges.iter().flat_map(|&(first, last)| first..=last));
            ends.push(members.len() as u32);
        }
        Cells::Sets { ends, members }
    }
}
