//! Describes each column in the manifest: enough for a program to read the release without
//! guessing.

use crate::made::schema::TablePlans;
use crate::made::table::MadeTable;
use openveil_core::release::{LeafRange, Style};
use openveil_core::table;
use openveil_core::table::{Domain, Form, Generalization};
use openveil_io::load::{Loaded, MISSING_LABEL};
use openveil_io::policy::{ColumnPolicy, HierarchyBuilder, HierarchySection, Policy, ValueType};
use openveil_io::release_dir::read::members;
use openveil_io::release_dir::write::manifest::{CellKind, ColumnEntry, PREFIXES};
use openveil_io::source::Codebook;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the entries of the published columns; `tables` is empty before they are made.
pub(crate) fn columns(
    policy: &Policy,
    schema: &TablePlans,
    loaded: &Loaded,
    tables: &[MadeTable],
) -> Vec<ColumnEntry> {
    let entry = |(number, column): (usize, &table::Column)| {
        let described = &policy.columns[column.name()];
        let cells = kind(policy, schema, number, column, described.bounds);
        let order = order(described, column.domain());
        // For a rule, listing the covered values would disclose values of people that cells hide.
        let covers = match rule(described) {
            None => covers(tables, column.name()),
            Some(_) => BTreeMap::new(),
        };
        ColumnEntry {
            name: column.name().to_owned(),
            names: match cells {
                CellKind::Bounds => described.shape(column.name()).bound_names().to_vec(),
                _ => Vec::new(),
            },
            role: described.role.name().to_owned(),
            value_type: value_type(described),
            cells: Some(cells),
            sets: described.is_set,
            missing: column
                .domain()
                .labels()
                .find(|&label| label == MISSING_LABEL)
                .map(str::to_owned),
            top: described.top.map(|limit| limit.to_string()),
            bottom: described.bottom.map(|limit| limit.to_string()),
            floor: described.floor.clone(),
            codes: codes(described, column, cells, &order, &covers),
            order,
            rule: rule(described)
                .filter(|_| matches!(cells, CellKind::Label | CellKind::Labels))
                .map(str::to_owned),
            covers,
        }
    };
    loaded.table.columns().iter().enumerate().map(entry).collect()
}

/// Returns the form of the column's cells: the form where it is known, or else where it is secret,
/// or else in tables that are published unchanged.
fn kind(
    policy: &Policy,
    schema: &TablePlans,
    number: usize,
    column: &table::Column,
    bounds: bool,
) -> CellKind {
    let guards = || schema.tables.iter().filter_map(|table| table.guard.as_ref());
    if guards().any(|guard| guard.known.contains(number)) {
        let range = policy.output.style.is_range(column.form());
        return match (range, column.domain().generalization()) {
            (true, Generalization::Interval) if bounds => CellKind::Bounds,
            (true, Generalization::Interval) => CellKind::Interval,
            (true, Generalization::Set) => CellKind::Set,
            (true, Generalization::Tree(_)) if column.form() == Some(Form::Label) => {
                CellKind::Label
            }
            (true, Generalization::Tree(_)) => CellKind::Labels,
            (false, _) if policy.output.style == Style::Anatomy => CellKind::Value,
            (false, _) => CellKind::Sliced,
        };
    }
    let is_secret = guards().any(|guard| guard.secret.contains(number));
    let is_other = guards().any(|guard| guard.other.contains(number));
    match (is_secret, is_other) {
        (true, _) if policy.output.style == Style::Anatomy => CellKind::Counted,
        (true, _) | (_, true) => CellKind::Sliced,
        _ => CellKind::Value,
    }
}

/// Returns the rule that makes a column's tree from the values that occur; none if the policy lists
/// them.
fn rule(column: &ColumnPolicy) -> Option<&'static str> {
    let Some(HierarchySection::Built(builder)) = &column.hierarchy else {
        return None;
    };
    match builder {
        HierarchyBuilder::File { .. } | HierarchyBuilder::Tree(_) => None,
        HierarchyBuilder::Intervals(_) => Some("intervals"),
        HierarchyBuilder::Dates(_) => Some("dates"),
        HierarchyBuilder::Prefixes(_) => Some(PREFIXES),
    }
}

fn covers(tables: &[MadeTable], name: &str) -> BTreeMap<String, Vec<String>> {
    let mut covers = BTreeMap::new();
    for made in tables {
        let (Some(view), Some(tally)) = (made.view(), made.tally()) else {
            continue;
        };
        for (column, nodes) in view.known().iter().zip(&tally.nodes) {
            if column.name() == name {
                covers.extend(covered(column.domain(), nodes));
            }
        }
    }
    covers
}

/// Returns the type of a column's published values, if it is not text.
fn value_type(column: &ColumnPolicy) -> Option<String> {
    let published = column.published_type();
    (published != ValueType::Text).then(|| published.name().to_owned())
}

/// Returns the order of texts that have one: the policy's order, or the order of bins.
fn order(column: &ColumnPolicy, domain: &Domain) -> Vec<String> {
    // The order of periods is evident, and a list would name periods that cells hide.
    let are_periods = column.floor.as_ref().is_some_and(|floor| floor.period().is_some());
    let ordered = matches!(domain.generalization(), Generalization::Interval) && !are_periods;
    if ordered && value_type(column).is_none() {
        domain.labels().map(str::to_owned).collect()
    } else {
        Vec::new()
    }
}

/// Returns the codebook of the codes that a reader sees. A label of any other code would tell that
/// somebody has it.
fn codes(
    described: &ColumnPolicy,
    column: &table::Column,
    cells: CellKind,
    order: &[String],
    covers: &BTreeMap<String, Vec<String>>,
) -> Option<Codebook> {
    let codebook = described.codes.as_ref()?;
    // Coarser values may look like other codes.
    let is_limited = described.top.is_some() || described.bottom.is_some();
    if described.coarsening.is_some() || described.floor.is_some() || is_limited {
        return codebook.of_codes(|_| false);
    }
    let mut shown: BTreeSet<&str> = order.iter().map(String::as_str).collect();
    shown.extend(covers.values().flatten().map(String::as_str));
    let shows_values = match cells {
        CellKind::Interval | CellKind::Bounds | CellKind::Label | CellKind::Labels => false,
        CellKind::Set | CellKind::Value | CellKind::Sliced | CellKind::Counted => true,
    };
    if shows_values {
        let domain = column.domain();
        let codes: BTreeSet<u32> = column.codes().iter().copied().collect();
        for label in codes.into_iter().map(|code| domain.label(code)) {
            match members(label).filter(|_| described.is_set) {
                Some(members) => shown.extend(members),
                None => drop(shown.insert(label)),
            }
        }
    }
    codebook.of_codes(|code| shown.contains(code))
}

/// Returns the labels of a tree's nodes that cover several values, with these values.
fn covered(domain: &Domain, nodes: &BTreeSet<LeafRange>) -> BTreeMap<String, Vec<String>> {
    let Some(tree) = domain.hierarchy() else {
        return BTreeMap::new();
    };
    nodes
        .iter()
        .map(|&((low, high), node)| {
            let leaves = (low..=high).map(|code| domain.label(code).to_owned());
            (tree.label(node).to_owned(), leaves.collect())
        })
        .collect()
}
