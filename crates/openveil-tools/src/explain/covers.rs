//! Covers: which people could stand for each other, whichever grouping is released.

use super::ExplanationBasis;
use openveil_core::model::RatioDiversity;
use openveil_core::table::Groups;
use openveil_io::Error;
use openveil_papers::algorithm::streamliner::candidates::Candidates;
use openveil_papers::algorithm::streamliner::colours::Colours;
use openveil_papers::verify::l_cover::{
    COVERED_PEOPLE, CoverColours, CoverCondition, CoverFound, CoverStrength, Covers, find,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// Whether the functions satisfy a cover property, with a witness.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CoversReport {
    /// `weak l-cover` or `l-cover`, and of which paper.
    pub property: String,
    /// The l: every value needs l − 1 covers.
    pub l: u32,
    /// The outcome of the search.
    #[serde(flatten)]
    pub outcome: CoverSearch,
}

/// The outcome of a search for covers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CoverSearch {
    /// The covers of every value.
    Covers {
        /// By value.
        values: Vec<CoversOfValue>,
        /// Whether and how the candidate breaks them; null without a candidate.
        candidate: Option<String>,
    },
    /// A value without covers.
    Uncovered(String),
    /// Too many people, or too many ways.
    NotSearched(String),
}

/// The covers of one value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CoversOfValue {
    /// The value.
    pub value: String,
    /// Each cover: for every person with the value, the person who stands for them.
    pub covers: Vec<BTreeMap<String, String>>,
}

pub(super) fn explain(
    job: &ExplanationBasis<'_>,
    candidate: Option<&Groups>,
) -> Result<Vec<CoversReport>, Error> {
    let l = job.asked.l.filter(|&l| l >= 2 && !job.functions.is_empty());
    let Some(l) = l else {
        return Ok(Vec::new());
    };
    let model = RatioDiversity::new(l)?;
    let kinds = [
        (CoverStrength::Weak, CoverColours::LCover, "weak l-cover (L-Cover)"),
        (CoverStrength::Full, CoverColours::LCover, "l-cover (L-Cover)"),
        (CoverStrength::Full, CoverColours::Streamliner, "l-cover (Privacy Streamliner)"),
    ];
    let report =
        |(strength, reading, property): (CoverStrength, CoverColours, &str)| CoversReport {
            property: property.to_owned(),
            l,
            outcome: searched(job, CoverCondition { model, strength, reading }, candidate),
        };
    let mut reports = kinds.map(report).to_vec();
    reports.push(CoversReport {
        property: "self-contained (Privacy Streamliner)".to_owned(),
        l,
        outcome: self_contained(job, l, candidate),
    });
    Ok(reports)
}

/// Whether the functions are a family set of some l-candidates: no mapping leaves a group.
fn self_contained(job: &ExplanationBasis<'_>, l: u32, candidate: Option<&Groups>) -> CoverSearch {
    let scene = job.scene();
    let colours = Colours::of_codes(&scene.table);
    let cells = Groups::from_labels(job.known.cell_of(), job.known.cells());
    let found = match Candidates::within(&colours, &cells, l) {
        Ok(found) => found,
        Err(colour) => {
            return CoverSearch::Uncovered(scene.label(colours.value(colour)).to_owned());
        }
    };
    let name = |person: &u32| scene.people[*person as usize].clone();
    let values = found.per_colour().iter().map(|own| CoversOfValue {
        value: scene.label(colours.value(own.colour())).to_owned(),
        covers: own
            .images()
            .iter()
            .map(|images| {
                let rows = colours.get(own.colour()).iter().map(name);
                rows.zip(images.iter().map(name)).collect()
            })
            .collect(),
    });
    let candidate = candidate.map(|grouping| match found.is_self_contained(grouping) {
        true => "keeps them".to_owned(),
        false => "breaks them: it separates people from those who stand for them".to_owned(),
    });
    CoverSearch::Covers { values: values.collect(), candidate }
}

fn searched(
    job: &ExplanationBasis<'_>,
    condition: CoverCondition,
    candidate: Option<&Groups>,
) -> CoverSearch {
    let scene = job.scene();
    if scene.people.len() > COVERED_PEOPLE {
        return CoverSearch::NotSearched(format!(
            "covers can be searched for up to {COVERED_PEOPLE} people"
        ));
    }
    match find(&scene.table, job.functions, condition) {
        Err(cause) => CoverSearch::NotSearched(cause.to_string()),
        Ok(CoverFound::Uncovered { value }) => {
            CoverSearch::Uncovered(scene.label(value).to_owned())
        }
        Ok(CoverFound::Covered(covers)) => CoverSearch::Covers {
            values: named(job, &covers),
            candidate: candidate.map(|grouping| admitted(job, &covers, grouping)),
        },
    }
}

fn named(job: &ExplanationBasis<'_>, covers: &Covers) -> Vec<CoversOfValue> {
    let scene = job.scene();
    let name = |person: &u32| scene.people[*person as usize].clone();
    let of_colour = covers.per_colour().iter().map(|colour| CoversOfValue {
        value: scene.label(colour.value).to_owned(),
        covers: colour
            .images
            .iter()
            .map(|images| colour.rows.iter().map(name).zip(images.iter().map(name)).collect())
            .collect(),
    });
    of_colour.collect()
}

/// Describes whether one more grouping preserves the covers, with names of people and values.
fn admitted(job: &ExplanationBasis<'_>, covers: &Covers, candidate: &Groups) -> String {
    use openveil_papers::verify::l_cover::Breach;
    let scene = job.scene();
    let group = |people: &[u32]| {
        let names: Vec<&str> = people.iter().map(|&p| &*scene.people[p as usize]).collect();
        names.join(" ")
    };
    match covers.admit(job.functions, candidate) {
        Ok(()) => "keeps them".to_owned(),
        Err(Breach::Distinguishable { value, group: own, .. }) => format!(
            "breaks them: exchanging {} with its cover turns a group into {}, which does not occur",
            scene.label(value),
            group(&own)
        ),
        Err(Breach::Unbalanced { value, group: own, .. }) => format!(
            "breaks them: the group {} has different numbers of people with {} and with its cover",
            group(&own),
            scene.label(value)
        ),
        Err(other) => format!("breaks them: {other}"),
    }
}
