//! Facts about a release that its own check needs.

use super::Reader;
use super::fitted::SecretColumns;
use super::scale::{CoveredValues, Scale, TextComparison, number};
use openveil_core::hierarchy::ROOT;
use openveil_core::table::Secret;
use openveil_io::load::MISSING_LABEL;
use openveil_io::release_dir::read::ReleaseFolder;
use std::collections::{BTreeSet, HashMap};

impl Reader {
    /// Returns the release itself.
    pub fn into_release(self) -> ReleaseFolder {
        self.tables.into_folder()
    }

    /// Returns the protected values of a table, in the order of its groups. Values in `exempt` need
    /// no protection. O(rows).
    pub(crate) fn secret(&self, number: usize, exempt: &[String]) -> Secret {
        let table = &self.tables.folder().tables[number];
        let columns = SecretColumns::new(&self.tables, table, None);
        let codes = columns.by_group(table);
        if columns.names.len() == 1 {
            return columns.secret(exempt.iter()).with_codes(codes);
        }
        let part = |(part, name): (usize, &String)| {
            let texts = columns.parts.iter().map(|parts| &parts[part]);
            let labels: BTreeSet<&String> = texts.clone().collect();
            let places: HashMap<&String, u32> = labels.iter().copied().zip(0..).collect();
            let of_value: Vec<u32> = texts.map(|text| places[text]).collect();
            let own = codes.iter().map(|&code| of_value[code as usize]).collect();
            let needs_none =
                labels.iter().map(|label| exempt.contains(&format!("{name} = {label}"))).collect();
            Secret::new(name.clone(), own, labels.into_iter().map(String::as_str))
                .with_exempt(needs_none)
        };
        let parts: Vec<Secret> = columns.names.iter().enumerate().map(part).collect();
        if let Some(each) = &self.tables.manifest().each {
            let l = columns.names.iter().map(|name| each.l.get(name).copied().unwrap_or(2));
            return Secret::of_each(&parts, &l.collect::<Vec<u32>>(), each.linked);
        }
        let combined = Secret::combination(&parts);
        let labels = combined.labels();
        combined.with_exempt(labels.iter().map(|label| exempt.contains(label)).collect())
    }

    /// Whether a text is valid in a column, by the type or order in the manifest. A column without
    /// either accepts every text.
    pub(crate) fn takes(&self, column: &str, text: &str, is_range: bool) -> bool {
        let Some(scale) = self.tables.scale(column) else {
            return true;
        };
        if !scale.has_places() || text == MISSING_LABEL {
            return true;
        }
        match scale.read(text) {
            CoveredValues::Value => scale.is_written(text),
            CoveredValues::Members(_) => true,
            CoveredValues::Interval(..) if text == ROOT => is_range,
            CoveredValues::Interval(low, high) => {
                is_range && low < high && scale.are_ends_written(text)
            }
            CoveredValues::UpTo(..) | CoveredValues::Begins(_) => is_range,
        }
    }

    /// Returns the least and the greatest position that the cells of a column show; none if they
    /// have no positions.
    pub(crate) fn ends(&self, column: &str) -> Option<(f64, f64)> {
        self.tables.scale(column)?.span()
    }
}

impl Scale {
    /// Whether a value is in canonical form: `7`, not `007`.
    fn is_written(&self, text: &str) -> bool {
        let is_same = |own: Option<String>| own.is_some_and(|own| own == text);
        match &self.kind {
            TextComparison::Whole => is_same(text.parse().ok().map(|own: i64| own.to_string())),
            TextComparison::Real(_) => is_same(number(text).map(|own| own.to_string())),
            TextComparison::Day => is_same(self.place(text).map(|place| self.text(place))),
            _ => self.place(text).is_some(),
        }
    }

    /// Whether the ends of an interval `[a, b]` are in canonical form. Labels of a tree have the
    /// ends of its rule.
    fn are_ends_written(&self, text: &str) -> bool {
        let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        let ends = inside.and_then(|inside| inside.split_once(", "));
        match (&self.kind, ends) {
            (
                TextComparison::Whole | TextComparison::Real(_) | TextComparison::Day,
                Some((low, high)),
            ) => self.is_written(low) && self.is_written(high),
            _ => true,
        }
    }
}
