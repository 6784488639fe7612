//! Computes counts and figures of the manifest again from the cells.

use super::RunningCheck;
use super::recount::{MOST_VALUES, Recount, shows_domain};
use openveil_io::release_dir::read::ReleasedTable;
use openveil_io::release_dir::write::manifest::{Association, StrataEntry, Utility};
use openveil_measures::utility::{CountedPeople, StrengthMeasure, links};
use openveil_text::text;

/// Two strengths are equal if their squares differ by less: they are sums of floating-point
/// numbers, which depend on the order.
const SAME: f64 = 1e-9;

impl RunningCheck<'_> {
    /// Compares the manifest's counts.
    pub(super) fn counts(&mut self, recounts: &[(usize, Option<Recount>)]) {
        let manifest = self.manifest;
        let groups: usize =
            self.reader.release().tables.iter().map(|table| table.entry.groups).sum();
        self.compare("groups", manifest.groups, groups);
        self.people();
        if let Some(unrefused) = manifest.unrefused {
            if unrefused > manifest.rows as u64 {
                self.of_manifest("unrefused", "is more than there are people");
            }
            self.leaves("`unrefused`: the files do not show where cuts were refused");
        }
        for (number, recount) in recounts {
            let table = &self.reader.release().tables[*number];
            let name = &table.entry.files[0];
            match recount {
                Some(recount) => self.strata(table, recount),
                None => self.leaves(format!("figures of {name}: its columns make no table")),
            }
        }
        let known: Option<Vec<&Recount>> = recounts.iter().map(|(_, own)| own.as_ref()).collect();
        if let Some(known) = known {
            self.sizes(&known, &manifest.utility);
            self.extents(&manifest.utility);
            self.associations(&known, &manifest.utility);
        }
        if manifest.each.is_some() {
            self.leaves("the bounds in `each.l`, where the groups keep greater ones");
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

    /// Checks that cells with single values have no extent.
    fn extents(&mut self, said: &Utility) {
        let release = self.reader.release();
        let mut hidden = Vec::new();
        for (name, &extent) in &said.mean_extent {
            let kind = self.manifest.columns.iter().find(|column| column.name == *name);
            let entry = format!("utility.mean_extent.{name}");
            match kind.map(|column| column.cell_kind(release.style).is_range()) {
                None => self.of_manifest(&entry, "the release has no such column"),
                Some(false) if extent != 0.0 => {
                    self.of_manifest(&entry, format!("says {extent}, exact values span 0"));
                }
                Some(_) if !(0.0..=1.0).contains(&extent) => {
                    self.of_manifest(&entry, format!("says {extent}, which is not a share"));
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
        let measure = StrengthMeasure::new(&recount.view).name();
        self.compare("utility.association.sensitive", &*said.sensitive, secret.name());
        let can_be_made = measure == said.measure
            && secret.values() <= MOST_VALUES
            && shows_domain(self.manifest, secret);
        if !can_be_made {
            return self.leaves(format!("`utility.association` with `{}`", said.sensitive));
        }
        for link in links(CountedPeople::Release(&recount.view, &recount.content)) {
            let name = link.columns.concat();
            let strength = said.strength.get(&name);
            if let Some(&strength) =
                strength.filter(|own| (own.powi(2) - link.strength.powi(2)).abs() > SAME)
            {
                let entry = format!("utility.association.{name}");
                let found = link.strength;
                self.of_manifest(&entry, format!("says {strength}, but the files give {found}"));
            }
        }
    }

    /// The histograms of strata.
    fn strata(&mut self, table: &ReleasedTable, recount: &Recount) {
        let Some(said) = &table.entry.strata else {
            return;
        };
        if self.manifest.each.as_ref().is_some_and(|each| !each.linked) {
            return self.leaves("the histograms of strata, which count each column by itself");
        }
        let found = StrataEntry::new(&recount.view).map_or_else(Vec::new, |own| own.strata);
        if said.strata.len() != found.len() {
            self.compare("strata", said.strata.len(), found.len());
        } else if let Some(number) = said.strata.iter().position(|own| !found.contains(own)) {
            let problem = text!("the histogram of stratum {} is not that of the cells", number + 1);
            self.of_manifest("strata", problem);
        }
    }

    /// Checks the filler rows of a history.
    fn people(&mut self) {
        let Some(history) = &self.manifest.history else {
            return;
        };
        let fakes = &history.fakes;
        self.compare("history.fakes", fakes.rows, fakes.groups.values().sum());
        let people = self.manifest.rows.saturating_sub(fakes.rows);
        self.compare("history.people", history.people, people);
        let table = self.reader.release().tables.first();
        let groups = table.and_then(|table| table.groups.as_ref());
        let rows =
            |group: usize| {
                groups.map_or(0, |own| {
                    if own.rows.len() < group { 0 } else { own.rows.get(group - 1).len() }
                })
            };
        let is_impossible =
            // A group of which nobody is there is not published.
            |(group, fakes): &(&usize, &usize)| **group == 0 || **fakes >= rows(**group);
        if let Some((group, fakes)) = fakes.groups.iter().find(is_impossible) {
            let problem = text!("says that {fakes} rows of group {group} are filler rows");
            self.of_manifest("history.fakes", problem);
        }
        self.leaves("which groups have filler rows; the history's number of releases, of people who came, left or are held back");
    }
}
