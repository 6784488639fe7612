//! Checks the algorithm's settings, as far as they follow from the rest of a release.

use super::RunningCheck;
use super::recount::Recount;
use openveil_core::algorithm::{Algorithm, Inside, Settings};
use openveil_core::model::Model;
use openveil_io::policy::Role;
use openveil_io::release_dir::write::manifest::{ColumnEntry, ParametersEntry, accepted};
use openveil_papers::algorithm::{Auto, Cover};
use openveil_text::text;

impl RunningCheck<'_> {
    /// Checks that the manifest has exactly the parameters that the algorithm takes.
    pub(super) fn parameters(&mut self, algorithm: &'static dyn Algorithm) {
        let profile = algorithm.profile();
        let name = profile.name;
        let manifest = self.manifest;
        if manifest.parameters.is_none() && profile.takes_smallest_group {
            self.leaves("the algorithm's parameters, which the manifest lacks");
        }
        if let Some(own) = &manifest.parameters {
            let problem = match (own.smallest_group.is_some(), profile.takes_smallest_group) {
                (true, false) => Some("takes none"),
                // The sizes of ties, and people who come together, have their own.
                (false, true) if manifest.format >= 2 => {
                    let has_own = manifest.ties.is_some() || manifest.history.is_some();
                    (!has_own).then_some("takes one")
                }
                _ => None,
            };
            if let Some(problem) = problem {
                let problem = text!("`{}` {problem}", profile.name);
                self.of_manifest("parameters.smallest_group", problem);
            }
            self.sizes_of_parts(own);
            let is_random = self.inside() == Some(Inside::Random);
            if is_random != (own.inside.as_deref() == Some(Inside::Random.name())) {
                self.of_manifest("parameters", "`inside` differs from that of `reader`");
            }
        }
        let is_csv = manifest.files.iter().any(|name| name.contains(".csv"));
        match is_csv {
            true => self.leaves("`spreadsheet_safe`"),
            false if manifest.spreadsheet_safe => {
                self.of_manifest("spreadsheet_safe", "is about CSV files, and there are none")
            }
            false => {}
        }
        if manifest.chosen_by.is_none() {
            self.leaves(
                "whether the algorithm named in the manifest made the groups: `chosen_by` is missing",
            );
        }
        if manifest.trials.is_some() != profile.takes_trials {
            self.of_manifest("trials", format!("is not what `{name}` writes"));
        }
        if !profile.is_safe() && !manifest.notes.contains(&accepted(name)) {
            self.of_manifest("notes", format!("lacks the note that `{name}` discloses people"));
        }
    }

    /// Checks that groups and classes have at least the rows that the manifest says.
    fn sizes_of_parts(&mut self, said: &ParametersEntry) {
        let tables = self.reader.release().tables.iter();
        let mut findings = Vec::new();
        for (table, groups) in tables.filter_map(|table| Some((table, table.groups.as_ref()?))) {
            let smallest = groups.rows.iter().map(<[u32]>::len).min().unwrap_or(0);
            if said.smallest_group.is_some_and(|least| smallest < least as usize) {
                findings.push((table, "smallest_group", smallest));
            }
            let classes = (0..groups.rows.len())
                .map(|group| groups.classes_of(group))
                .filter(|classes| classes.len() > 1)
                .flatten();
            let smallest =
                classes.map(|class| groups.classes().get(class).len()).min().unwrap_or(usize::MAX);
            if said.class.is_none_or(|least| smallest < least as usize) && smallest < usize::MAX {
                findings.push((table, "class", smallest));
            }
        }
        for (table, name, rows) in findings {
            let file = &table.entry.files[0];
            let problem = text!("is above the {rows} rows that {file} has");
            self.of_manifest(&format!("parameters.{name}"), problem);
        }
    }

    /// The columns that others know.
    fn known(&self) -> impl Iterator<Item = &ColumnEntry> {
        let manifest = self.manifest;
        manifest.columns.iter().filter(|own| {
            own.role != Role::Other.name() && !manifest.guarantee.protects.contains(&own.name)
        })
    }

    /// Whether a known column shows ranges.
    fn shows_ranges(&self) -> bool {
        let style = self.reader.release().style;
        self.known().any(|own| own.cell_kind(style).is_range())
    }

    /// Checks that the engine is the one that `auto` chooses by public facts.
    pub(super) fn choice(
        &mut self,
        algorithm: &'static dyn Algorithm,
        recount: &Recount,
        model: &Model,
    ) {
        let manifest = self.manifest;
        if manifest.chosen_by.as_deref() != Some(Auto.name()) {
            return;
        }
        if algorithm.name() == Cover.name() && self.inside() == Some(Inside::Arranged) {
            // Files do not show whether the table was published chunk by chunk.
            return self.leaves("which algorithm `auto` had to choose");
        }
        let Some(inside) = self.inside() else {
            return self.leaves("which algorithm `auto` had to choose");
        };
        let settings =
            Settings { keeps_marginals: self.shows_ranges(), inside, ..Settings::default() };
        let chosen = Auto.chosen(&[(&recount.view, model)], &settings).ok().flatten();
        if let Some(chosen) = chosen {
            self.compare("algorithm", algorithm.name(), chosen.name());
        }
    }
}
