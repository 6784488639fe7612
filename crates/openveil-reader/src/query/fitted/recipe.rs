//! How a release was made, from its manifest: enough to publish another table the same way.

use openveil_analysis::Recipe;
use openveil_core::algorithm::{Inside, Settings};
use openveil_core::model::{Model, l_diversity};
use openveil_core::release::Style;
use openveil_io::release_dir::read::ReleaseFolder;
use openveil_papers::algorithm;
use openveil_text::{Text, text};
use std::num::NonZeroU32;

/// How uneven groups may be, if completed tables are only published in a similar way. Measured: at 3, 97
/// to 100 % of the intervals held; at 19, 52 to 90 %.
const MOST_UNEVEN: f64 = 8.0;

/// The recipe of a release, for the secret column `only` if several are published apart.
///
/// # Errors
/// The reason in words, if the recipe is not known.
pub(super) fn read(folder: &ReleaseFolder, only: Option<&str>) -> Result<Recipe, Text> {
    let manifest = &folder.manifest;
    if !manifest.tables.is_empty() {
        return Err(text!(
            "the release has several rules, and its tables cannot be published again"
        ));
    }
    if is_alike(folder) && unevenness(folder) > MOST_UNEVEN {
        return Err(text!(
            "most people are in few large groups, which cannot be made again without the table"
        ));
    }
    if manifest.reader.is_some() {
        return Err(text!(
            "the release was made for informed readers, and cannot be published again"
        ));
    }
    let name = &manifest.algorithm;
    let algorithm = algorithm::named(name)
        .ok_or_else(|| text!("this version does not know the algorithm `{name}`"))?;
    if algorithm.profile().takes_trials {
        return Err(text!("the attempts of `{name}` cannot be repeated"));
    }
    let mut settings =
        Settings { keeps_marginals: folder.style == Style::Generalize, ..Settings::default() };
    let parameters = manifest.parameters.clone().unwrap_or_default();
    if algorithm.profile().takes_smallest_group {
        // Before format 2, the model alone decided.
        let before = (manifest.format < 2).then_some(NonZeroU32::MIN);
        let stated = parameters.smallest_group.and_then(NonZeroU32::new);
        let smallest = match is_alike(folder) {
            true => as_many_groups(folder),
            false => stated.or(before),
        };
        settings.smallest_group = Some(
            smallest
                .ok_or_else(|| text!("the manifest does not give the parameters of `{name}`"))?,
        );
    }
    if parameters.inside.as_deref() == Some(Inside::Random.name()) {
        settings.inside = Inside::Random;
    }
    Ok(Recipe {
        algorithm,
        model: model(folder, only)
            .ok_or_else(|| text!("this version does not know the manifest's model"))?,
        settings,
        style: folder.style,
        class: parameters.class.and_then(NonZeroU32::new),
        strata: manifest.strata.iter().flat_map(|strata| strata.columns.clone()).collect(),
    })
}

/// Whether a completed table can only be published in a similar way: which rows are tied, how the values
/// of several columns go together, and who came together, is not published. Its groups are then as
/// large as those of the release, so they hide about as much.
pub(super) fn is_alike(folder: &ReleaseFolder) -> bool {
    let manifest = &folder.manifest;
    manifest.history.is_some() || manifest.ties.is_some() || manifest.each.is_some()
}

/// The mean size of the groups that people are in, over the mean size of groups.
fn unevenness(folder: &ReleaseFolder) -> f64 {
    let manifest = &folder.manifest;
    let rows = manifest.rows as f64;
    manifest.utility.dm as f64 / rows / (rows / manifest.groups.max(1) as f64)
}

/// The smallest group with which halving makes about as many groups of the release's rows. Where
/// sizes are evenly spread from the smallest to twice that, the mean is ln 4 times the smallest.
fn as_many_groups(folder: &ReleaseFolder) -> Option<NonZeroU32> {
    let mean = folder.manifest.rows as f64 / folder.manifest.groups.max(1) as f64;
    NonZeroU32::new((mean / 4.0f64.ln()).round().max(1.0) as u32)
}

/// The model of the release, or of one of several columns that are each protected.
fn model(folder: &ReleaseFolder, only: Option<&str>) -> Option<Model> {
    let manifest = &folder.manifest;
    let each = manifest.each.as_ref().zip(only);
    match each.and_then(|(each, name)| each.l.get(name)) {
        Some(&l) => l_diversity(l).ok(),
        None => manifest.model.model(),
    }
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
    takes && manifest.parameters.is_none() && !is_alike(folder) && manifest.tables.is_empty()
}
