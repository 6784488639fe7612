//! Joins intervals that are published as two columns back into one column of texts.

use crate::load::MISSING_LABEL;
use crate::release_dir::write::Manifest;
use crate::source::{Dictionary, RawColumn, RawTable};
use crate::{Error, Location};
use openveil_text::text;
use std::collections::HashMap;

/// Joins the bounds of every column that has bounds in a file: `[17, 24]`, or one value.
pub(super) fn join(raw: &mut RawTable, manifest: &Manifest) -> Result<(), Error> {
    for entry in &manifest.columns {
        let [least, greatest] = &entry.names[..] else {
            continue;
        };
        let position = |name: &String| raw.columns.iter().position(|column| column.name == *name);
        match (position(least), position(greatest)) {
            (None, None) => {}
            (Some(low), Some(high)) => {
                let joined = Bounds { raw, low: &raw.columns[low], high: &raw.columns[high] };
                let column = joined.column(&entry.name)?;
                raw.columns[low] = column;
                raw.columns.remove(high);
            }
            (low, _) => {
                let absent = if low.is_none() { least } else { greatest };
                let problem = text!("has no column `{absent}`, which its manifest names");
                return Err(Error::new(Location::file(&raw.files[0]), problem));
            }
        }
    }
    Ok(())
}

/// The two columns that hold the bounds of one.
struct Bounds<'a> {
    raw: &'a RawTable,
    low: &'a RawColumn,
    high: &'a RawColumn,
}

impl Bounds<'_> {
    fn column(&self, name: &str) -> Result<RawColumn, Error> {
        let mut values = Dictionary::default();
        let mut known: HashMap<(u32, u32), u32> = HashMap::new();
        let codes = self
            .low
            .codes
            .iter()
            .zip(&self.high.codes)
            .map(|(&low, &high)| {
                if let Some(&code) = known.get(&(low, high)) {
                    return Ok(code);
                }
                let text = self.text(low, high)?;
                let code = values
                    .intern(text.as_bytes(), || self.low.values.first_seen(low))
                    .expect("texts are UTF-8");
                known.insert((low, high), code);
                Ok(code)
            })
            .collect::<Result<Vec<u32>, Error>>()?;
        Ok(RawColumn { name: name.to_owned(), codes, values, elsewhere: None })
    }

    /// Returns the cell of two bounds. An empty bound is a missing value, which sorts before all
    /// others.
    fn text(&self, low: u32, high: u32) -> Result<String, Error> {
        match (self.low.values.get(low), self.high.values.get(high)) {
            ("", "") => Ok(MISSING_LABEL.to_owned()),
            (_, "") => {
                let problem = "has a least value but no greatest one";
                Err(Error::new(self.raw.place_of(self.low, low), problem))
            }
            ("", greatest) => Ok(format!("[{MISSING_LABEL}, {greatest}]")),
            (least, greatest) if least == greatest => Ok(least.to_owned()),
            (least, greatest) => Ok(format!("[{least}, {greatest}]")),
        }
    }
}
