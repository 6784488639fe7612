//! Checks the algorithm's settings, as far as they follow from the rest of a release.

use super::RunningCheck;
use super::recount::Recount;
use openveil_core::algorithm::cover::MAX_QUASI_IDENTIFIERS;
use openveil_core::algorithm::{Algorithm, Auto, Cover, Inside, Lots, Settings};
use openveil_core::model::Model;
use openveil_io::policy::Role;
use openveil_io::release_dir::write::manifest::{ColumnEntry, accepted};

impl RunningCheck<'_> {
    /// Checks that the manifest has exactly the parameters that the algorithm takes.
    pub(super) fn parameters(&mut self, algorithm: &'static dyn Algorithm) {
        let profile = algorithm.profile();
        let name = profile.name;
        let manifest = self.manifest;
        let is_said = manifest.parameters.is_some();
        let takes = profile.takes_effort && manifest.history.is_none();
        match (takes, is_said) {
            (false, true) => self.of_manifest("parameters", format!("`{name}` takes none")),
            (true, false) => self.leaves("the algorithm's parameters, which the manifest lacks"),
            _ => {}
        }
        if let Some(own) = &manifest.parameters {
            let has_lots = own.lots.is_some() != own.lots_rule.is_some();
            let per_lot = Lots::groups_per_lot(self.shows_ranges());
            // With rules, some columns of the policy are in no table with groups.
            let is_other = |own: u32| own != per_lot && manifest.rules.is_empty();
            if has_lots != profile.takes_lots || own.lots_rule.is_some_and(is_other) {
                self.of_manifest(
                    "parameters",
                    format!("has lots that `{name}` does not make"),
                );
            }
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
            self.of_manifest(
                "notes",
                format!("lacks the note that `{name}` discloses people"),
            );
        }
    }

    /// The columns that others know.
    fn known(&self) -> impl Iterator<Item = &ColumnEntry> {
        let manifest = self.manifest;
        let is_known = |own: &&ColumnEntry| {
            own.role != Role::Other.name() && !manifest.guarantee.protects.contains(&own.name)
        };
        manifest.columns.iter().filter(is_known)
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
        if manifest.chosen_by.as_deref() != Some(Auto.name()) || manifest.history.is_some() {
            return;
        }
        if manifest.ties.is_some() {
            // Only `cover` makes groups for ties.
            return self.compare("algorithm", algorithm.name(), Cover.name());
        }
        if manifest.each.is_some() {
            // `auto` chose by combinations, which files do not show if columns are shuffled
            // separately.
            return self.leaves("which algorithm `auto` had to choose");
        }
        let known = self.known().count();
        let Some(inside) = self.inside().filter(|_| known <= MAX_QUASI_IDENTIFIERS) else {
            return self.leaves("which algorithm `auto` had to choose");
        };
        let settings = Settings {
            keeps_marginals: self.shows_ranges(),
            inside,
            ..Settings::default()
        };
        let chosen = Auto
            .chosen(&[(&recount.view, model)], &settings)
            .ok()
            .flatten();
        if let Some(chosen) = chosen {
            self.compare("algorithm", algorithm.name(), chosen.name());
        }
    }
}
