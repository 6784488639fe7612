//! Counts and figures of the manifest, made again from the cells.

use super::recount::{MOST_VALUES, Recount, shows_domain};
use super::{Check, Finding};
use crate::release_dir::read::ReleasedTable;
use crate::release_dir::write::manifest::{Association, StratumEntry, Utility};
use openveil::table::Stratum;
use openveil::utility::{Counted, Strength, links};

/// Two strengths are one if their squares differ by less: these are sums of floating-point numbers,
/// which depend on the order.
const SAME: f64 = 1e-9;

impl Check<'_> {
    /// Compares the manifest's counts.
    pub(super) fn counts(&mut self, recounts: &[(usize, Option<Recount>)]) {
        let manifest = self.manifest;
        let groups = self.reader.release().tables.iter();
        let groups: usize = groups.map(|table| table.entry.groups).sum();
        self.compare("groups", manifest.groups, groups);
        self.people();
        for (number, recount) in recounts {
            let table = &self.reader.release().tables[*number];
            let name = &table.entry.files[0];
            match recount {
                Some(recount) => {
                    self.strata(table, recount);
                    self.layout(table, recount);
                }
                None => self.leaves(format!("figures of {name}: its columns make no table")),
            }
        }
        let known: Option<Vec<&Recount>> = recounts.iter().map(|(_, own)| own.as_ref()).collect();
        if let Some(known) = known {
            self.sizes(&known, &manifest.utility);
            self.extents(&manifest.utility);
            self.associations(&known, &manifest.utility);
        }
        self.leaves("`utility.learned`, which is fitted with the owner's order of values");
    }

    fn sizes(&mut self, recounts: &[&Recount], said: &Utility) {
        let tallies = || recounts.iter().map(|own| &own.tally);
        let smallest = tallies().map(|tally| tally.smallest).min().unwrap_or(0);
        let largest = tallies().map(|tally| tally.largest).max().unwrap_or(0);
        self.compare(
            "utility.groups",
            said.groups as u64,
            tallies().map(|tally| tally.groups).sum(),
        );
        self.compare("utility.smallest_group", said.smallest_group, smallest);
        self.compare("utility.largest_group", said.largest_group, largest);
        let dm = tallies().map(|tally| tally.dm).sum();
        self.compare("utility.dm", said.dm, dm);
    }

    /// Cells that show values span nothing.
    fn extents(&mut self, said: &Utility) {
        let release = self.reader.release();
        let mut hidden = Vec::new();
        for (name, &extent) in &said.mean_extent {
            let mut columns = self.manifest.columns.iter();
            let kind = columns.find(|column| column.name == *name);
            let entry = format!("utility.mean_extent.{name}");
            match kind.map(|column| column.cell_kind(release.style).is_range()) {
                None => self.of_manifest(&entry, "the release has no such column"),
                Some(false) if extent != 0.0 => {
                    self.of_manifest(&entry, format!("says {extent}, exact values span 0"));
                }
                Some(_) if !(0.0..=1.0).contains(&extent) => {
                    self.of_manifest(&entry, format!("says {extent}, which is no share"));
                }
                Some(true) => hidden.push(format!("`{name}`")),
                Some(false) => {}
            }
        }
        if !hidden.is_empty() {
            self.leaves(format!(
                "`mean_extent` and `association` of {}: cells hide how many values the table has",
                hidden.join(", ")
            ));
        }
    }

    fn associations(&mut self, recounts: &[&Recount], said: &Utility) {
        if said.association.len() != recounts.len() {
            return self.leaves("`utility.association`");
        }
        for (recount, said) in recounts.iter().zip(&said.association) {
            self.association(recount, said);
        }
    }

    fn association(&mut self, recount: &Recount, said: &Association) {
        let secret = recount.view.secret();
        let measure = Strength::of(&recount.view).name();
        self.compare(
            "utility.association.sensitive",
            &*said.sensitive,
            secret.name(),
        );
        let can_be_made = measure == said.measure
            && secret.values() <= MOST_VALUES
            && shows_domain(self.manifest, secret);
        if !can_be_made {
            return self.leaves(format!("`utility.association` with `{}`", said.sensitive));
        }
        for link in links(Counted::Release(&recount.view, &recount.content)) {
            let name = link.columns.concat();
            let strength = said.strength.get(&name);
            let differs = |own: &&f64| (own.powi(2) - link.strength.powi(2)).abs() > SAME;
            if let Some(&strength) = strength.filter(differs) {
                let entry = format!("utility.association.{name}");
                let found = link.strength;
                self.of_manifest(&entry, format!("says {strength}, the files give {found}"));
            }
        }
    }

    /// The histograms of strata.
    fn strata(&mut self, table: &ReleasedTable, recount: &Recount) {
        let Some(said) = &table.entry.strata else {
            return;
        };
        let view = &recount.view;
        let fixing: Vec<_> = view.strata_columns().collect();
        let entry = |stratum: &Stratum| {
            let histogram = stratum.view(view).histogram();
            let counts = (0..).zip(histogram.counts());
            let counts = counts.filter(|(_, count)| **count > 0);
            let labels = fixing.iter().zip(stratum.codes());
            StratumEntry {
                values: labels
                    .map(|(column, &code)| column.domain().label(code).to_owned())
                    .collect(),
                rows: histogram.rows(),
                histogram: counts
                    .map(|(value, &count)| (view.secret().label(value), count))
                    .collect(),
            }
        };
        let found: Vec<StratumEntry> = view.strata().iter().map(entry).collect();
        if said.strata.len() != found.len() {
            self.compare("strata", said.strata.len(), found.len());
        } else if let Some(number) = said.strata.iter().position(|own| !found.contains(own)) {
            let problem = format!(
                "the histogram of stratum {} is not that of the cells",
                number + 1
            );
            self.of_manifest("strata", problem);
        }
    }

    /// Groups show values that the manifest's columns of values have.
    fn layout(&mut self, table: &ReleasedTable, recount: &Recount) {
        let Some(layout) = &table.layout else {
            return;
        };
        let labels = recount.view.secret().labels();
        let mut group = 0;
        for unit in &layout.units {
            let own = group..group + unit.groups as usize;
            group = own.end;
            if unit.columns.is_empty() {
                continue;
            }
            let allowed: Vec<&String> = unit
                .columns
                .iter()
                .flatten()
                .map(|&at| &layout.values[at])
                .collect();
            let is_strange = |group: &usize| {
                let mut values = recount.content.value_counts(*group);
                values.any(|(value, _)| !allowed.contains(&&labels[value as usize]))
            };
            if let Some(group) = own.into_iter().find(is_strange) {
                let problem = "shows a value that no column of the manifest's `layout` has there";
                return self.find(Finding {
                    file: table.entry.files.last().cloned().unwrap_or_default(),
                    column: Some(recount.view.secret().name().to_owned()),
                    group: Some(group + 1),
                    row: None,
                    problem: problem.to_owned(),
                });
            }
        }
    }

    /// Rows of a history that stand for nobody.
    fn people(&mut self) {
        let Some(history) = &self.manifest.history else {
            return;
        };
        let fakes = &history.fakes;
        self.compare("history.fakes", fakes.rows, fakes.groups.values().sum());
        let people = self.manifest.rows.saturating_sub(fakes.rows);
        self.compare("history.people", history.people, people);
        let groups = self.manifest.groups;
        if let Some(group) = fakes
            .groups
            .keys()
            .find(|group| !(1..=groups).contains(*group))
        {
            self.of_manifest("history.fakes", format!("names group {group} of {groups}"));
        }
        self.leaves("the history's number of releases, of people who came, left or are held back");
    }
}
