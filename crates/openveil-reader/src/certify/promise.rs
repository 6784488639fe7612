//! Derives the promise of a release again from its model, its algorithm and its groups.

use super::RunningCheck;
use super::recount::{Recount, model_of, shows_domain};
use openveil_core::algorithm::{Algorithm, Inside, Profile};
use openveil_core::guarantee::{Guarantee, Keeper, PromisedHistory, in_present_words};
use openveil_core::model::{Criteria, Model};
use openveil_core::table::{Secret, View};
use openveil_io::release_dir::write::manifest::{
    GuaranteeEntry, ModelEntry, NO_ALGORITHM, ReaderEntry, ReaderPromise, RuleEntry, SEEDED,
};
use openveil_measures::utility::Summary;
use openveil_papers::algorithm;
use openveil_papers::algorithm::Auto;

impl RunningCheck<'_> {
    /// Compares guarantee, model and algorithm.
    pub(super) fn promise(&mut self, recounts: &[(usize, Option<Recount>)]) {
        let has_groups = self.manifest.algorithm != NO_ALGORITHM;
        let algorithm = if has_groups {
            algorithm::named(&self.manifest.algorithm)
        } else {
            Some(&Auto as &dyn Algorithm)
        };
        let Some(algorithm) = algorithm else {
            let name = &self.manifest.algorithm;
            if self.is_own_version() {
                return self.of_manifest("algorithm", format!("`{name}` is not an algorithm"));
            }
            return self.leaves(format!("the guarantee: this version has no algorithm `{name}`"));
        };
        self.models(recounts);
        if !self.is_own_version() {
            let version = self.manifest.openveil.clone();
            return self.leaves(format!(
                "the guarantee's sentence and the figures that follow from the model: they were written by version {version}"
            ));
        }
        if has_groups {
            self.parameters(algorithm);
        }
        let mut profile = algorithm.profile();
        if self.manifest.uncovered_outputs {
            profile = profile.after_looks();
        }
        self.compare(
            "guarantee.adversary",
            &*self.manifest.guarantee.adversary,
            profile.adversary.name(),
        );
        if self.manifest.rules.is_empty() {
            self.of_table(algorithm, &profile, recounts)
        } else {
            self.of_rules(&profile, recounts)
        }
    }

    /// Checks that the groups of every table satisfy its model.
    fn models(&mut self, recounts: &[(usize, Option<Recount>)]) {
        for (number, recount) in recounts {
            let table = &self.reader.release().tables[*number];
            let name = &table.entry.files[0];
            let entry = model_of(self.manifest, table);
            let bound = self.bound(entry, recount.as_ref());
            let (Some(recount), Some((model, criteria))) = (recount, bound) else {
                self.leaves(format!("whether the groups of {name} satisfy the model: this needs facts that are not in the release"));
                continue;
            };
            if let Some((group, groups)) = recount.broken(&criteria) {
                let many = match groups {
                    1 => "1 group does".to_owned(),
                    groups => format!("{groups} groups do"),
                };
                self.of_manifest(
                    "model",
                    format!("{many} not satisfy {model}; group {} is the first", group + 1),
                );
            }
        }
    }

    /// Returns the model of an entry, bound to a table.
    fn bound(
        &self,
        entry: &ModelEntry,
        recount: Option<&Recount>,
    ) -> Option<(Model, Vec<Criteria>)> {
        let recount = recount?;
        let secret = recount.view.secret();
        let is_shown = shows_domain(self.manifest, secret);
        // Exempt members are visible only through sets whose members are all exempt.
        let is_vague = secret.members().is_some() && !entry.exempt.is_empty();
        let model = entry.model()?.against(match &self.manifest.reader {
            None => None,
            Some(reader) => reader.informed().ok()?,
        });
        let criteria = recount.criteria(&model)?;
        (is_shown && !is_vague).then_some((model, criteria))
    }

    /// The guarantee of a single table.
    fn of_table(
        &mut self,
        algorithm: &'static dyn Algorithm,
        profile: &Profile,
        recounts: &[(usize, Option<Recount>)],
    ) {
        let [(number, Some(recount))] = recounts else {
            return self.leaves("the guarantee's sentence");
        };
        let table = &self.reader.release().tables[*number];
        let Some((model, criteria)) = self.bound(&self.manifest.model, Some(recount)) else {
            return self.leaves("the guarantee's sentence and bound, and `utility.cavg`");
        };
        self.summary(recount, &criteria);
        self.choice(algorithm, recount, &model);
        let Some(inside) = self.inside() else {
            return self.leaves("the guarantee's sentence: the manifest does not say how people were put into groups");
        };
        let strata = table.entry.strata.as_ref();
        let highest = recount.tally.highest_share();
        let of = |has_episodes: bool| {
            let history = self.manifest.history.as_ref().map(|history| PromisedHistory {
                releases: history.release as u32,
                refused: history.refused as u32,
                has_episodes,
            });
            let keeper = Keeper::Groups {
                criteria: &criteria,
                strata: strata.map_or(&[], |strata| &strata.columns),
                profile,
                highest: Some(&highest),
                inside,
                history,
                ties: self.manifest.ties.as_ref().map(|ties| &*ties.id),
            };
            Guarantee::of_table(recount.view.secret(), keeper)
        };
        // A manifest does not state separately whether people of a history have episodes.
        let with_episodes = of(true);
        if are_alike(&with_episodes.statement.to_string(), &self.manifest.guarantee.statement) {
            self.guarantee(&with_episodes)
        } else {
            self.guarantee(&of(false))
        }
    }

    /// How people were assigned to groups; none if the manifest words it differently.
    pub(super) fn inside(&self) -> Option<Inside> {
        let reader = self.manifest.reader.as_ref();
        reader.map_or(Some(Inside::Arranged), ReaderEntry::inside)
    }

    fn guarantee(&mut self, made: &Guarantee) {
        let (said, made) = (&self.manifest.guarantee, GuaranteeEntry::new(made));
        let bound = |bound: &Option<String>| bound.clone().unwrap_or("no bound".to_owned());
        self.compare(
            "guarantee.max_posterior",
            bound(&said.max_posterior),
            bound(&made.max_posterior),
        );
        self.compare("guarantee.protects", said.protects.join(", "), made.protects.join(", "));
        if !are_alike(&said.statement, &made.statement)
            || !is_translated(&said.statement_de, &made.statement_de)
        {
            let statement = made.statement;
            self.of_manifest(
                "guarantee.statement",
                format!(
                    "is not the sentence that follows from model, algorithm and groups: {statement}"
                ),
            );
        }
        let is_kept = |(said, made): (&ReaderPromise, &ReaderPromise)| {
            is_translated(&said.statement_de, &made.statement_de)
                && reworded(said) == reworded(made)
        };
        let are_as_many = said.readers.len() == made.readers.len();
        if !are_as_many || !said.readers.iter().zip(&made.readers).all(is_kept) {
            let problem = "is not what follows from the model for readers who know more";
            self.of_manifest("guarantee.readers", problem);
        }
    }

    /// Checks the guarantees of rules, of each and of all together.
    fn of_rules(&mut self, profile: &Profile, recounts: &[(usize, Option<Recount>)]) {
        let rules = &self.manifest.rules;
        let made: Vec<Option<Guarantee>> =
            rules.iter().map(|rule| self.of_rule(rule, profile, recounts)).collect();
        for (number, (rule, made)) in (1..).zip(rules.iter().zip(&made)) {
            let bound = |bound: Option<String>| bound.unwrap_or("no bound".to_owned());
            match made {
                None => self.leaves(format!("the bound of rule {number}")),
                Some(made) => self.compare(
                    &format!("rules, max_posterior of rule {number}"),
                    bound(rule.max_posterior.clone()),
                    bound(made.chance.bound().map(|bound| bound.to_string())),
                ),
            }
        }
        match made.into_iter().collect::<Option<Vec<Guarantee>>>() {
            Some(all) if !all.is_empty() => self.guarantee(&Guarantee::of_rules(&all)),
            _ => self.leaves("the guarantee's sentence"),
        }
    }

    fn of_rule(
        &self,
        rule: &RuleEntry,
        profile: &Profile,
        recounts: &[(usize, Option<Recount>)],
    ) -> Option<Guarantee> {
        let tables = &self.reader.release().tables;
        let own = |(number, _): &&(usize, Option<Recount>)| tables[*number].entry.name == rule.by;
        if let Some((number, recount)) = recounts.iter().find(own) {
            let recount = recount.as_ref()?;
            let (_, criteria) = self.bound(&rule.model, Some(recount))?;
            let strata = tables[*number].entry.strata.as_ref();
            let keeper = Keeper::Groups {
                criteria: &criteria,
                strata: strata.map_or(&[], |strata| &strata.columns),
                profile,
                highest: Some(&recount.tally.highest_share()),
                inside: self.inside()?,
                history: None,
                ties: None,
            };
            return Some(Guarantee::of_rule(&rule.given, recount.view.secret(), keeper));
        }
        let [column] = &rule.protect[..] else {
            return None;
        };
        let secret = self.histogram_of(column, &rule.model)?;
        let view = View::new(Vec::new(), secret).ok()?;
        let keeper = Keeper::Histogram {
            criteria: &rule.model.model()?.bind(&view).ok()?,
            profile,
            histogram: &view.histogram(),
        };
        Some(Guarantee::of_rule(&rule.given, view.secret(), keeper))
    }

    /// Returns a column that is not in a table with groups, from a table that shows its values.
    fn histogram_of(&self, name: &str, model: &ModelEntry) -> Option<Secret> {
        let release = self.reader.release();
        for (number, table) in release.tables.iter().enumerate() {
            if table.entry.columns.iter().all(|own| own != name) {
                continue;
            }
            if table.is_secret(name) {
                let secret = self.reader.secret(number, &model.exempt);
                return (secret.columns() == [name]).then_some(secret);
            }
            let is_shown =
                table.groups.is_none() || self.kind(name).is_some_and(|kind| !kind.is_range());
            let mut columns = table.columns().filter(|_| is_shown);
            if let Some((_, column)) = columns.find(|(_, column)| column.name == name) {
                let labels: Vec<&str> = column.values.iter().collect();
                let exempt = labels
                    .iter()
                    .map(|label| model.exempt.iter().any(|own| own == label))
                    .collect();
                let secret = Secret::new(name, column.codes.clone(), labels);
                return Some(secret.with_exempt(exempt));
            }
        }
        None
    }

    /// Figures that depend on the model.
    fn summary(&mut self, recount: &Recount, criteria: &[Criteria]) {
        let made = Summary::new(&recount.tally, &recount.view, criteria);
        let said = &self.manifest.utility;
        let optimal = |dm: Option<u64>| dm.map_or("none".to_owned(), |dm| dm.to_string());
        // Early releases lack this figure.
        if said.dm_lower_bound > 0 {
            self.compare("utility.dm_lower_bound", said.dm_lower_bound, made.dm_lower_bound);
        }
        self.compare("utility.dm_optimal", optimal(said.dm_optimal), optimal(made.dm_optimal));
        self.compare("utility.cavg", said.cavg, made.cavg);
    }

    /// Checks that exactly the releases made with a test seed are marked.
    pub(super) fn fitness(&mut self) {
        let is_seeded = self.manifest.notes.iter().any(|note| note == SEEDED);
        if is_seeded == self.manifest.fit_for_publication {
            let problem = if is_seeded {
                "says that the release is fit, but a note says that it was made with a test seed"
            } else {
                "says that the release is unfit, but no note says why"
            };
            self.of_manifest("fit_for_publication", problem);
        }
    }
}

/// Whether two statements differ at most in phrases that earlier versions worded otherwise.
fn are_alike(one: &str, other: &str) -> bool {
    in_present_words(one) == in_present_words(other)
}

/// Whether the German words follow, if there are some: releases of earlier builds lack them.
fn is_translated(said: &Option<String>, made: &Option<String>) -> bool {
    said.is_none() || said == made
}

/// The promise in present English words alone.
fn reworded(promise: &ReaderPromise) -> ReaderPromise {
    let statement = in_present_words(&promise.statement);
    ReaderPromise { statement, statement_de: None, ..promise.clone() }
}
