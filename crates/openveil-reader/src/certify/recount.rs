//! Counts a table of a release from its cells alone.

use crate::query::Reader;
use openveil_core::model::{CountBuffer, Criteria, Model, Requirement};
use openveil_core::release::{Cells, Content};
use openveil_core::table::{Column, Domain, Secret, View};
use openveil_io::policy::Role;
use openveil_io::release_dir::read::ReleasedTable;
use openveil_io::release_dir::write::Manifest;
use openveil_io::release_dir::write::manifest::ModelEntry;
use openveil_io::source::RawColumn;
use openveil_measures::utility::Tally;
use std::collections::BTreeSet;

/// Columns with more values are divided into classes by the owner's order, which a release does not
/// show.
pub(super) const MOST_VALUES: usize = 64;

/// The groups of a table, in separate codes.
pub(super) struct Recount {
    /// Known columns that show values, and the protected one, in the order of groups.
    pub(super) view: View,
    pub(super) content: Content,
    pub(super) tally: Tally,
}

impl Recount {
    /// Counts a table; none if its columns do not form a valid one. O(rows · columns).
    pub(super) fn new(reader: &Reader, number: usize, table: &ReleasedTable) -> Option<Self> {
        let manifest = &reader.release().manifest;
        let groups = table.groups.as_ref()?;
        let rows: Vec<u32> = groups.rows.iter().flatten().copied().collect();
        let strata = table.entry.strata.as_ref();
        let strata = strata.map_or(&[][..], |strata| &strata.columns);
        let shows_values = |column: &RawColumn| {
            let entry = manifest.columns.iter().find(|entry| entry.name == column.name);
            let is_exact = entry.is_some_and(|entry| {
                let kind = entry.cell_kind(reader.release().style);
                !kind.is_range() && entry.role != Role::Other.name()
            });
            is_exact && column.values.len() <= MOST_VALUES
        };
        let codes = |column: &RawColumn| -> Vec<u32> {
            rows.iter().map(|&row| column.codes[row as usize]).collect()
        };
        let known: Vec<Column> = table
            .columns()
            .filter(|(raw, column)| {
                let is_own = table.is_main(raw) && !table.is_secret(&column.name);
                is_own && (shows_values(column) || strata.contains(&column.name))
            })
            .map(|(_, column)| {
                let domain = Domain::unordered(column.values.iter());
                Column::new(column.name.clone(), codes(column), domain)
            })
            .collect();
        let secret = reader.secret(number, &model_of(manifest, table).exempt);
        let (ends, classes) = groups.ends();
        let cells = known.iter().map(|column| Cells::Sliced(column.codes().to_vec()));
        let content =
            Content::from_classes(ends, classes, secret.codes().to_vec(), cells.collect()).ok()?;
        let view = View::new(known, secret).ok()?.with_strata(strata).ok()?;
        Some(Self { tally: Tally::new(&content, &view), view, content })
    }

    /// Returns a model bound to each stratum; none if it needs facts that a release does not show.
    pub(super) fn criteria(&self, model: &Model) -> Option<Vec<Criteria>> {
        let secret = with_named_values(model, self.view.secret());
        let view = self.view.with_secret(secret).ok()?;
        model.bind_strata(&view).ok()
    }

    /// The first group that breaks a model, with the number of such groups.
    pub(super) fn broken(&self, criteria: &[Criteria]) -> Option<(usize, usize)> {
        let mut stratum_of = vec![0; self.view.rows()];
        for (number, stratum) in self.view.strata().iter().enumerate() {
            stratum.rows().into_iter().flatten().for_each(|&row| stratum_of[row as usize] = number);
        }
        let mut buffer = CountBuffer::default();
        let mut breaks = |group: &usize| {
            let own = &criteria[stratum_of[self.content.group_rows(*group).start]];
            let counts = buffer.of_entries(self.content.value_counts(*group));
            !own.hold_on_group(&counts)
        };
        let mut broken = (0..self.content.group_count()).filter(|group| breaks(group));
        broken.next().map(|first| (first, 1 + broken.count()))
    }
}

/// Returns the model of a table: with rules, the model of the first rule that the table protects.
pub(super) fn model_of<'a>(manifest: &'a Manifest, table: &ReleasedTable) -> &'a ModelEntry {
    manifest
        .rules
        .iter()
        .find(|rule| rule.by == table.entry.name)
        .map_or(&manifest.model, |rule| &rule.model)
}

/// Whether a release shows the whole domain of a protected column: distances between values may
/// depend on values that no row has.
pub(super) fn shows_domain(manifest: &Manifest, secret: &Secret) -> bool {
    let labels = secret.labels();
    let own = |name: &String| manifest.columns.iter().find(|entry| entry.name == *name);
    let mut orders = secret.columns().iter().filter_map(own).map(|entry| &entry.order);
    secret.columns().len() > 1 || orders.all(|order| order.iter().all(|own| labels.contains(own)))
}

/// Returns the sensitive column, extended by values that the model names and no row has. A release
/// need not show every value of its policy.
pub fn with_named_values(model: &Model, sensitive: &Secret) -> Secret {
    let labels = sensitive.labels();
    let present: BTreeSet<&str> = labels.iter().map(String::as_str).collect();
    let named = model.requirements().iter().filter_map(|r| match r {
        Requirement::LAlpha(parameters) => Some(parameters.categories.iter().flatten()),
        _ => None,
    });
    let absent: BTreeSet<&str> =
        named.flatten().map(String::as_str).filter(|value| !present.contains(value)).collect();
    if absent.is_empty() || sensitive.columns().len() > 1 {
        return sensitive.clone();
    }
    let mut exempt = sensitive.exempt().to_vec();
    exempt.resize(labels.len() + absent.len(), false);
    let labels = labels.iter().map(String::as_str).chain(absent);
    let codes = sensitive.codes().to_vec();
    let extended = Secret::new(sensitive.name(), codes, labels).with_exempt(exempt);
    match sensitive.hierarchy() {
        Some(tree) => extended.with_hierarchy(tree.clone()),
        None => extended,
    }
}
