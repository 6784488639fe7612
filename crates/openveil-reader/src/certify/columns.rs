//! Checks the entries of columns: they fit one another, and the cells fit them.

use super::RunningCheck;
use openveil_core::hierarchy::ROOT;
use openveil_io::load::MISSING_LABEL;
use openveil_io::policy::Role;
use openveil_io::release_dir::read::members;
use openveil_io::release_dir::write::manifest::{CellKind, ColumnEntry};
use std::collections::BTreeSet;

impl RunningCheck<'_> {
    /// Checks the entries of all columns.
    pub(super) fn columns(&mut self) {
        self.leaves("the parts of `columns` that cells do not show, and the values that labels and `*` stand for: these come from the policy");
        if !self.is_own_version() {
            return;
        }
        for entry in &self.manifest.columns {
            if let Some(problem) = self.misfit(entry) {
                self.of_manifest(&format!("columns.{}", entry.name), problem);
            }
            self.shown(entry);
        }
    }

    /// Keys of an entry that exclude each other.
    fn misfit(&self, entry: &ColumnEntry) -> Option<String> {
        let kind = entry.cell_kind(self.reader.release().style);
        let is_label = matches!(kind, CellKind::Label | CellKind::Labels);
        let (rule, value_type) = (entry.rule.as_deref(), entry.value_type.as_deref());
        let has_numbers = matches!(value_type, Some("integer" | "number"));
        let is_period = entry.floor.as_ref().is_some_and(|floor| floor.period().is_some());
        let has_order = !entry.order.is_empty() || is_period;
        let is_measured = self.manifest.utility.mean_extent.contains_key(&entry.name);
        let has_role = |role: Role| entry.role == role.name();
        let is_role = match self.manifest.rules.is_empty() {
            false => has_role(Role::Attribute),
            true if is_measured => has_role(Role::QuasiIdentifier),
            true if kind == CellKind::Sliced => has_role(Role::Sensitive) || has_role(Role::Other),
            true => kind == CellKind::Counted && has_role(Role::Sensitive),
        };
        let checks = [
            (is_role, "role"),
            (matches!(value_type, None | Some("integer" | "number" | "date" | "boolean")), "type"),
            (value_type.is_none() || !has_order, "order"),
            (
                !matches!(kind, CellKind::Interval | CellKind::Bounds)
                    || value_type.is_some()
                    || has_order,
                "type",
            ),
            (
                kind != CellKind::Set || matches!(value_type, None | Some("boolean")) && !has_order,
                "type",
            ),
            (matches!(rule, None | Some("intervals" | "dates" | "prefixes")), "rule"),
            (is_label || rule.is_none(), "rule"),
            (rule != Some("dates") || value_type == Some("date") || entry.floor.is_some(), "type"),
            (rule != Some("intervals") || has_numbers, "type"),
            (is_label && rule.is_none() || entry.covers.is_empty(), "covers"),
            (entry.missing.as_deref().is_none_or(|text| text == MISSING_LABEL), "missing"),
            (entry.top.is_none() || has_numbers || has_order, "top"),
            (entry.bottom.is_none() || has_numbers || has_order, "bottom"),
        ];
        let (_, key) = checks.into_iter().find(|(holds, _)| !holds)?;
        Some(format!("`{key}` does not fit the other keys of the column"))
    }

    /// Compares an entry with the cells of its column.
    fn shown(&mut self, entry: &ColumnEntry) {
        let name = format!("columns.{}", entry.name);
        let own = self
            .reader
            .release()
            .tables
            .iter()
            .flat_map(|table| table.columns())
            .filter(|(_, column)| column.name == entry.name);
        let texts: BTreeSet<&str> = own.flat_map(|(_, column)| column.values.iter()).collect();
        let parts: BTreeSet<&str> = texts.iter().flat_map(|text| parts(entry, text)).collect();
        let from_missing = format!("[{MISSING_LABEL}, ");
        if entry.missing.is_none()
            && parts.iter().any(|text| *text == MISSING_LABEL || text.starts_with(&from_missing))
        {
            self.of_manifest(&name, "cells show missing values, but `missing` does not mention it");
        }
        let is_shown = |label: &String| texts.iter().any(|text| text.contains(&**label));
        if let Some(label) = entry.covers.keys().find(|label| !is_shown(label)) {
            self.of_manifest(&name, format!("`covers` has `{label}`, which no cell shows"));
        }
        if let Some(codes) = &entry.codes {
            let listed = entry.covers.values().flatten().chain(&entry.order);
            let mut known: BTreeSet<&str> = listed.map(String::as_str).collect();
            known.extend(parts.iter().flat_map(|text| inside(entry, text)));
            let mut own = codes.labels.keys().chain(&codes.missing);
            if let Some(code) = own.find(|code| !known.contains(code.as_str())) {
                self.of_manifest(&name, format!("`codes` has `{code}`, which no cell shows"));
            }
        }
        if are_leaves_known(entry) {
            let known: BTreeSet<&str> = entry
                .covers
                .values()
                .flatten()
                .chain(entry.covers.keys())
                .map(String::as_str)
                .collect();
            if !parts.is_subset(&known) {
                self.of_manifest(&name, "a cell shows a value that `*` in `covers` does not cover");
            }
        }
        let is_finer = |text: &&&str| match &entry.floor {
            Some(floor) if entry.sets => match members(text) {
                Some(mut members) => members.any(|member| !floor.allows(member)),
                None => !floor.allows(text) && **text != MISSING_LABEL,
            },
            Some(floor) if **text != MISSING_LABEL => ends_of(text).any(|end| !floor.allows(end)),
            _ => false,
        };
        if entry.rule.is_none() && parts.iter().any(|text| is_finer(&text)) {
            self.of_manifest(&name, "a cell shows a value that is finer than `floor`");
        }
        let limit = |limit: &Option<String>| limit.as_ref().and_then(|own| own.parse::<f64>().ok());
        let ends = self
            .reader
            .ends(&entry.name)
            .filter(|_| entry.rule.is_none() && entry.order.is_empty());
        if let Some((least, greatest)) = ends {
            let is_beyond = limit(&entry.top).is_some_and(|top| greatest > top)
                || limit(&entry.bottom).is_some_and(|bottom| least < bottom);
            if is_beyond {
                self.of_manifest(&name, "cells show numbers beyond `top` or `bottom`");
            }
        }
    }
}

/// The values of a person in a column of sets; in another column, the value.
fn inside<'a>(entry: &ColumnEntry, text: &'a str) -> Vec<&'a str> {
    match members(text).filter(|_| entry.sets) {
        Some(members) => members.collect(),
        None => vec![text],
    }
}

/// Whether all values of a tree are listed, since a cell shows its root, and none has bars or
/// braces, which divide sets.
pub(super) fn are_leaves_known(entry: &ColumnEntry) -> bool {
    let all = entry.covers.values().flatten().chain(entry.covers.keys());
    entry.covers.contains_key(ROOT) && !all.into_iter().any(|text| text.contains(['{', '|', '}']))
}

/// The ends of an interval; of another cell, itself.
fn ends_of(text: &str) -> impl Iterator<Item = &str> {
    let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let ends = inside.and_then(|inside| inside.split_once(", "));
    let (first, second) = ends.map_or((text, None), |(low, high)| (low, Some(high)));
    [first].into_iter().chain(second).filter(|end| *end != MISSING_LABEL)
}

/// The members of a set of values or labels; of another cell, itself.
pub(super) fn parts<'a>(entry: &ColumnEntry, text: &'a str) -> Vec<&'a str> {
    let has_sets = matches!(entry.cells, Some(CellKind::Set | CellKind::Labels));
    match members(text).filter(|_| has_sets) {
        Some(members) => members.collect(),
        None => vec![text],
    }
}
