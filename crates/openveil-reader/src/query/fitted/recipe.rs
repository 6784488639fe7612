//! How a release was made, from its manifest: enough to publish another table the same way.

use openveil_analysis::Recipe;
use openveil_core::algorithm::{Inside, Settings};
use openveil_core::release::Style;
use openveil_io::release_dir::read::ReleaseFolder;
use openveil_papers::algorithm;
use std::num::NonZeroU32;

/// The recipe of a release.
///
/// # Errors
/// The reason in words, if the recipe is not known.
pub(super) fn of(folder: &ReleaseFolder) -> Result<Recipe, String> {
    let manifest = &folder.manifest;
    if !manifest.tables.is_empty() {
        return Err(
            "the release has several rules, and its tables cannot be published again".to_owned(),
        );
    }
    if manifest.history.is_some() {
        return Err("the release belongs to a history, which cannot be published again".to_owned());
    }
    if manifest.ties.is_some() {
        return Err("rows of the release are tied, and it does not show which".to_owned());
    }
    if manifest.each.is_some() {
        return Err(
            "several columns are each protected, and it is not known how their values go together"
                .to_owned(),
        );
    }
    if manifest.reader.is_some() {
        return Err(
            "the release was made for informed readers, and cannot be published again".to_owned(),
        );
    }
    let name = &manifest.algorithm;
    let unknown = || format!("this version does not know the algorithm `{name}`");
    let algorithm = algorithm::named(name).ok_or_else(unknown)?;
    if algorithm.profile().takes_trials {
        return Err(format!("the attempts of `{name}` cannot be repeated"));
    }
    let mut settings = Settings {
        keeps_marginals: folder.style == Style::Generalize,
        ..Settings::default()
    };
    let missing = || format!("the manifest does not give the parameters of `{name}`");
    let parameters = manifest.parameters.clone().unwrap_or_default();
    if algorithm.profile().takes_smallest_group {
        // Before format 2, the model alone decided.
        let before = (manifest.format < 2).then_some(NonZeroU32::MIN);
        let smallest = parameters.smallest_group.and_then(NonZeroU32::new);
        settings.smallest_group = Some(smallest.or(before).ok_or_else(missing)?);
    }
    if parameters.inside.as_deref() == Some(Inside::Random.name()) {
        settings.inside = Inside::Random;
    }
    Ok(Recipe {
        algorithm,
        model: manifest
            .model
            .model()
            .ok_or("this version does not know the manifest's model")?,
        settings,
        style: folder.style,
        class: parameters.class.and_then(NonZeroU32::new),
        strata: manifest
            .strata
            .iter()
            .flat_map(|strata| strata.columns.clone())
            .collect(),
    })
}

/// Whether a manifest of a single table lacks its algorithm's parameters. It was then edited, or an
/// earlier version wrote it.
pub(super) fn lacks_parameters(folder: &ReleaseFolder) -> bool {
    let manifest = &folder.manifest;
    let algorithm = algorithm::named(&manifest.algorithm);
    let takes = algorithm.is_some_and(|algorithm| {
        let profile = algorithm.profile();
        profile.takes_smallest_group && manifest.format >= 2
    });
    takes
        && manifest.parameters.is_none()
        && manifest.history.is_none()
        && manifest.ties.is_none()
        && manifest.tables.is_empty()
}
