//! The tables of a release with types, ready for analysis.

use super::Reader;
use super::scale::{CoveredValues, Scale, TextComparison};
use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray,
};
use arrow_schema::{DataType, Field, Schema};
use openveil_io::load::MISSING_LABEL;
use openveil_io::release_dir::read::ReleasedTable;
use openveil_io::release_dir::write::manifest::{CellKind, ColumnEntry};
use openveil_io::source::{Batches, RawColumn, RawTable};
use openveil_io::{Error, Location};
use openveil_text::text;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Rows of a batch, few enough for 32-bit offsets of their texts and lists.
const BATCH: usize = 1 << 16;

/// The form of cells that cover several values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellsGiven {
    /// As texts, like in files: `[17, 24]`, `{a|b}`. Bounds in two columns stay in two columns.
    Text,
    /// Intervals of numbers and days as two columns, `age_min` and `age_max`; other cells as lists
    /// of the values they cover.
    Unpacked,
}

impl Reader {
    /// Returns the tables by name, with typed values and nulls for missing ones. In the anatomy
    /// style the values of groups are a separate table.
    ///
    /// O(rows · columns), and the lengths of all lists.
    ///
    /// # Errors
    /// A cell that does not fit its column's type.
    pub fn tables(&self, cells: CellsGiven) -> Result<Vec<(String, Batches)>, Error> {
        let mut found = Vec::new();
        for table in self.tables.folder().tables.iter() {
            let unpack = |raw| self.unpack(table, raw, cells);
            found.push((table.entry.name.clone(), unpack(&table.main)?));
            if let Some(values) = &table.values {
                let name = format!("{}-values", table.entry.name);
                found.push((name, unpack(&values.lines)?));
            }
        }
        Ok(found)
    }

    /// Returns the type of each column's values: `integer`, `number` or `date`; none for text.
    pub fn types(&self) -> Vec<Option<String>> {
        self.tables.manifest().columns.iter().map(|column| column.value_type.clone()).collect()
    }

    fn unpack(
        &self,
        table: &ReleasedTable,
        raw: &RawTable,
        cells: CellsGiven,
    ) -> Result<Batches, Error> {
        let columns = raw.columns.iter().map(|column| self.column(table, raw, column, cells));
        let columns: Vec<Unpacked<'_>> =
            columns.collect::<Result<Vec<_>, Error>>()?.into_iter().flatten().collect();
        let fields: Vec<Field> = columns.iter().map(Unpacked::field).collect();
        let schema = Arc::new(Schema::new(fields));
        let starts: Vec<usize> = (0..raw.rows).step_by(BATCH).collect();
        let batches: Result<Vec<RecordBatch>, _> = starts
            .par_iter()
            .map(|start| {
                let rows = *start..(*start + BATCH).min(raw.rows);
                let arrays = columns.iter().map(|column| column.array(rows.clone()));
                RecordBatch::try_new(schema.clone(), arrays.collect())
            })
            .collect();
        let batches =
            batches.map_err(|cause| Error::new(Location::default(), cause.to_string()))?;
        Batches::new(schema.clone(), batches)
    }

    /// Turns a column of the files into one column or two.
    fn column<'a>(
        &'a self,
        table: &ReleasedTable,
        raw: &'a RawTable,
        column: &'a RawColumn,
        cells: CellsGiven,
    ) -> Result<Vec<Unpacked<'a>>, Error> {
        let folder = self.tables.folder();
        let entry = folder.manifest.columns.iter().find(|entry| entry.name == column.name);
        let (Some(entry), Some(scale)) = (entry, self.tables.scale(&column.name)) else {
            // Numbers of groups, and counts.
            let known = typed(raw, column, &|text| text.parse().ok())?;
            return Ok(vec![Unpacked::new(column, &column.name, UnpackedValues::Whole(known))]);
        };
        let kind = match table.groups {
            Some(_) => entry.cell_kind(folder.style),
            None => CellKind::Value,
        };
        let unpack = Unpack { raw, column, entry, scale };
        match (kind, cells) {
            (CellKind::Bounds, _) => unpack.bounds(),
            (CellKind::Interval, CellsGiven::Unpacked) if unpack.has_places() => unpack.bounds(),
            (kind, CellsGiven::Unpacked) if kind.is_range() => Ok(vec![unpack.members()]),
            (kind, CellsGiven::Text) if kind.is_range() => {
                Ok(vec![Unpacked::new(column, &column.name, unpack.texts(false))])
            }
            _ => Ok(vec![unpack.values(cells)?]),
        }
    }
}

/// A column and its description.
struct Unpack<'a> {
    raw: &'a RawTable,
    column: &'a RawColumn,
    entry: &'a ColumnEntry,
    scale: &'a Scale,
}

impl<'a> Unpack<'a> {
    /// Whether values are numbers or days.
    fn has_places(&self) -> bool {
        matches!(
            self.scale.kind,
            TextComparison::Whole | TextComparison::Real(_) | TextComparison::Day
        )
    }

    fn named(&self, name: &str, values: UnpackedValues<'a>) -> Unpacked<'a> {
        Unpacked::new(self.column, name, values)
    }

    /// A value per row.
    fn values(&self, cells: CellsGiven) -> Result<Unpacked<'a>, Error> {
        let values = match self.entry.value_type.as_deref() {
            _ if self.entry.sets => self.texts(cells == CellsGiven::Unpacked),
            Some("integer") => UnpackedValues::Whole(self.typed(&|text| text.parse().ok())?),
            Some("number") => UnpackedValues::Real(self.typed(&|text| text.parse().ok())?),
            Some("boolean") => UnpackedValues::Booleans(self.typed(&|text| text.parse().ok())?),
            Some("date") => UnpackedValues::Days(self.typed(&|text| day(self.scale, text))?),
            _ => self.texts(cells == CellsGiven::Unpacked),
        };
        Ok(self.named(&self.column.name, values))
    }

    /// Returns texts; with `missing`, the label of missing values becomes null.
    fn texts(&self, missing: bool) -> UnpackedValues<'a> {
        let is_missing = |text: &str| missing && self.entry.missing.as_deref() == Some(text);
        let texts = self.column.values.iter();
        UnpackedValues::Texts(texts.map(|text| (!is_missing(text)).then_some(text)).collect())
    }

    /// The least and the greatest value of every cell.
    fn bounds(&self) -> Result<Vec<Unpacked<'a>>, Error> {
        let ends: Vec<(Option<f64>, Option<f64>)> =
            self.column.values.iter().map(|text| self.ends(text)).collect();
        let (low, high): (Vec<_>, Vec<_>) = ends.into_iter().unzip();
        let names = match &self.entry.names[..] {
            [least, greatest] => [least.clone(), greatest.clone()],
            _ => ["min", "max"].map(|end| format!("{}_{end}", self.column.name)),
        };
        let values = |ends: Vec<Option<f64>>| match self.scale.kind {
            TextComparison::Real(_) => UnpackedValues::Real(ends),
            TextComparison::Day => {
                UnpackedValues::Days(ends.into_iter().map(|end| Some(end? as i32)).collect())
            }
            _ => UnpackedValues::Whole(ends.into_iter().map(|end| Some(end? as i64)).collect()),
        };
        Ok(names
            .iter()
            .zip([low, high])
            .map(|(name, ends)| self.named(name, values(ends)))
            .collect())
    }

    fn ends(&self, text: &str) -> (Option<f64>, Option<f64>) {
        match self.scale.read(text) {
            CoveredValues::Interval(low, high) => (Some(low), Some(high)),
            // A missing value is less than all others.
            CoveredValues::UpTo(_, high) => (None, Some(high)),
            _ => (self.scale.place(text), self.scale.place(text)),
        }
    }

    /// The values that every cell covers.
    fn members(&self) -> Unpacked<'a> {
        let lists = self
            .column
            .values
            .iter()
            .map(|text: &'a str| -> Vec<String> {
                match self.scale.read(text) {
                    CoveredValues::Value | CoveredValues::Begins(_) => vec![text.to_owned()],
                    CoveredValues::Members(members) => {
                        members.into_iter().map(str::to_owned).collect()
                    }
                    CoveredValues::Interval(low, high) => self.scale.texts(low, high).collect(),
                    CoveredValues::UpTo(low, high) => [MISSING_LABEL.to_owned()]
                        .into_iter()
                        .chain(self.scale.texts(low, high))
                        .collect(),
                }
            })
            .collect();
        self.named(&self.column.name, UnpackedValues::Lists(lists))
    }

    fn typed<T>(&self, read: &dyn Fn(&str) -> Option<T>) -> Result<Vec<Option<T>>, Error> {
        typed(self.raw, self.column, read)
    }
}

/// Returns values of a type, with nulls for missing ones.
fn typed<T>(
    raw: &RawTable,
    column: &RawColumn,
    read: &dyn Fn(&str) -> Option<T>,
) -> Result<Vec<Option<T>>, Error> {
    (0..)
        .zip(column.values.iter())
        .map(|(code, text)| match read(text) {
            None if text != MISSING_LABEL => {
                let problem = text!("`{text}` is not of the column's type");
                Err(Error::new(raw.place_of(column, code), problem))
            }
            known => Ok(known),
        })
        .collect()
}

fn day(scale: &Scale, text: &str) -> Option<i32> {
    scale.place(text).map(|day| day as i32)
}

/// A column to be made, by the codes of one of the files.
struct Unpacked<'a> {
    name: String,
    codes: &'a [u32],
    values: UnpackedValues<'a>,
}

/// By code, the values of cells.
enum UnpackedValues<'a> {
    Texts(Vec<Option<&'a str>>),
    Whole(Vec<Option<i64>>),
    Real(Vec<Option<f64>>),
    Booleans(Vec<Option<bool>>),
    Days(Vec<Option<i32>>),
    Lists(Vec<Vec<String>>),
}

impl<'a> Unpacked<'a> {
    fn new(column: &'a RawColumn, name: &str, values: UnpackedValues<'a>) -> Self {
        Self { name: name.to_owned(), codes: &column.codes, values }
    }

    fn field(&self) -> Field {
        fn misses<T>(known: &[Option<T>]) -> bool {
            known.iter().any(Option::is_none)
        }
        let (data_type, optional) = match &self.values {
            UnpackedValues::Texts(known) => (DataType::Utf8, misses(known)),
            UnpackedValues::Whole(known) => (DataType::Int64, misses(known)),
            UnpackedValues::Real(known) => (DataType::Float64, misses(known)),
            UnpackedValues::Booleans(known) => (DataType::Boolean, misses(known)),
            UnpackedValues::Days(known) => (DataType::Date32, misses(known)),
            UnpackedValues::Lists(_) => {
                let members = Field::new_list_field(DataType::Utf8, true);
                (DataType::List(Arc::new(members)), false)
            }
        };
        Field::new(&self.name, data_type, optional)
    }

    fn array(&self, rows: Range<usize>) -> ArrayRef {
        fn of<A: FromIterator<Option<T>> + Array + 'static, T: Copy>(
            codes: &[u32],
            known: &[Option<T>],
        ) -> ArrayRef {
            Arc::new(codes.iter().map(|&code| known[code as usize]).collect::<A>())
        }
        let codes = &self.codes[rows];
        match &self.values {
            UnpackedValues::Texts(known) => of::<StringArray, _>(codes, known),
            UnpackedValues::Whole(known) => of::<Int64Array, _>(codes, known),
            UnpackedValues::Real(known) => of::<Float64Array, _>(codes, known),
            UnpackedValues::Booleans(known) => of::<BooleanArray, _>(codes, known),
            UnpackedValues::Days(known) => of::<Date32Array, _>(codes, known),
            UnpackedValues::Lists(known) => {
                let mut lists = ListBuilder::new(StringBuilder::new());
                for &code in codes {
                    let members = known[code as usize].iter();
                    lists.append_value(members.map(Some));
                }
                Arc::new(lists.finish())
            }
        }
    }
}
