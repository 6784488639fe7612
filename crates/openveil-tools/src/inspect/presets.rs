//! Presets: the columns that a starter policy leaves out or coarsens, apart from its model.
//!
//! | preset | ages | dates | postal codes | l |
//! | --- | --- | --- | --- | --- |
//! | `hipaa-safe-harbor` | 90 and over as one | years; births of 90 years ago and before as one | three digits, `000` where few people live | 4 |
//! | `public-file` | in steps of 5, 85 and over as one | years | two characters | 5 |
//! | `teaching-file` | in steps of 10, 80 and over as one | years | left out | 5 |
//!
//! Safe Harbor is a rule of law (45 CFR 164.514(b)(2)). The other two are our own choices, for a
//! public file and for a file for students: archives coarsen age, time and place before anything
//! else.

use super::choice::with_slack;
use super::names::speaks_of;
use super::profile::{RARE, RareTexts};
use super::roles::words;
use super::starter::quoted;
use super::words::{AGES, DATES, KNOWN, SAFE_HARBOR_KINDS};
use super::{ColumnProfile, Inspection};
use openveil_text::{Text, text};
use std::fmt::Write;

/// Rules for a starter policy in addition to its model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// The 18 kinds of identifiers of HIPAA's Safe Harbor, 45 CFR 164.514(b)(2).
    HipaaSafeHarbor,
    /// A file for public download.
    PublicFile,
    /// A file for teaching.
    TeachingFile,
}

/// The rule of a preset for a column.
pub(super) enum PresetRule {
    /// The column is left out, for this reason.
    LeftOut(Text),
    /// The column is published with these keys, if it is published.
    Coarsened {
        /// Its type, if not the guessed one.
        value_type: Option<&'static str>,
        keys: String,
    },
}

/// The age from which Safe Harbor requires one common category.
const OLDEST: i16 = 90;

impl Preset {
    /// Returns the l of a policy, given the largest possible one.
    pub(super) fn l(self, usual: u32, largest: u32) -> u32 {
        match self {
            Self::HipaaSafeHarbor => usual,
            Self::PublicFile | Self::TeachingFile => with_slack(largest, 5),
        }
    }

    /// Returns the rule for a column, if there is one.
    pub(super) fn rule(self, column: &ColumnProfile) -> Option<PresetRule> {
        let coarsened = |keys: String| Some(PresetRule::Coarsened { value_type: None, keys });
        let known = speaks_of(&words(column), &KNOWN);
        let (is_date, is_whole) = (column.value_type == "date", column.value_type == "integer");
        match self {
            Self::HipaaSafeHarbor => {
                let kind = column.safe_harbor?;
                if kind == AGES && is_whole {
                    return coarsened(format!("top = {OLDEST}"));
                }
                if kind == DATES && is_date && known == Some("birth") {
                    let year = jiff::Zoned::now().year() - OLDEST;
                    return coarsened(format!("floor = \"year\", bottom = {year}"));
                }
                if kind == DATES && is_date {
                    return coarsened("floor = \"year\"".to_owned());
                }
                if column.is_us_zip {
                    return Some(PresetRule::Coarsened {
                        value_type: Some("text"),
                        keys: "floor = \"us-zip-3\"".to_owned(),
                    });
                }
                Some(PresetRule::LeftOut(text!("Safe Harbor, {kind}")))
            }
            _ if is_date => coarsened("floor = \"year\"".to_owned()),
            _ if known == Some("age") && is_whole => coarsened(match self {
                Self::TeachingFile => "floor = 10, top = 80".to_owned(),
                _ => "floor = 5, top = 85".to_owned(),
            }),
            _ if column.is_postal() => match self {
                Self::TeachingFile => Some(PresetRule::LeftOut(text!("a postal code"))),
                _ => Some(PresetRule::Coarsened {
                    value_type: Some("text"),
                    keys: "floor = 2".to_owned(),
                }),
            },
            _ => None,
        }
    }

    /// Returns the comments at the head of a policy.
    pub(super) fn head(self, inspection: &Inspection) -> String {
        match self {
            Self::HipaaSafeHarbor => checklist(self, inspection),
            Self::PublicFile => "# Preset public-file: ages in steps of 5 up to 85, dates as years, two characters of postal codes.\n".to_owned(),
            Self::TeachingFile => "# Preset teaching-file: ages in steps of 10 up to 80, dates as years, no postal codes.\n".to_owned(),
        }
    }
}

/// Returns a floor for a column by whose exact values people are found, with the reason; none if a preset
/// has other rules.
pub(super) fn usual_floor(column: &ColumnProfile) -> Option<(PresetRule, &'static str)> {
    let parts = words(column);
    let has_days =
        || column.date_format.is_none_or(|format| format.contains("%d") || !format.contains('%'));
    let is_birth = speaks_of(&parts, &KNOWN) == Some("birth");
    let is_coordinate = || {
        // `how_long` is none.
        parts == ["long"] || parts.iter().any(|part| COORDINATES.contains(&&**part))
    };
    let (value_type, keys, why) = match column.value_type {
        "date" if column.date_format == Some("quarter") => return None,
        "date" if is_birth => {
            (None, "floor = \"year\"", "`floor`: a date of birth identifies most people")
        }
        "date" if has_days() => {
            (None, "floor = \"month\"", "`floor`: who knows a day finds the person")
        }
        "number" if is_coordinate() => {
            (None, "floor = 0.1", "`floor`: an exact place identifies a household")
        }
        "text" | "integer" if column.is_postal() && column.distinct > FEW_PLACES => {
            (Some("text"), "floor = 3", "`floor`: the first characters of a postal code")
        }
        _ => return None,
    };
    Some((PresetRule::Coarsened { value_type, keys: keys.to_owned() }, why))
}

/// Says how to publish the rare texts of a column as one; nothing if none is rare.
pub(super) fn joined(column: &ColumnProfile) -> Option<String> {
    let RareTexts { joined, left } = column.rare.as_ref()?;
    if joined.len() + left.len() > MOST_LISTED {
        return Some(format!(
            "people are found by values of fewer than {RARE} rows: join these by a file for `hierarchy`, with `floor = 1`"
        ));
    }
    let mut name = "other".to_owned();
    while joined.iter().chain(left).any(|text| *text == name) {
        name.push_str(" values");
    }
    let joined: Vec<String> = joined.iter().map(|text| quoted(text)).collect();
    let left = left.iter().map(|text| format!(", {0} = [{0}]", quoted(text)));
    Some(format!(
        "people are found by values of fewer than {RARE} rows; to join these, add `hierarchy = {{ tree = {{ {} = [{}]{} }} }}, floor = 1`",
        quoted(&name),
        joined.join(", "),
        left.collect::<String>()
    ))
}

/// The most texts of a column whose hierarchy is written out.
const MOST_LISTED: usize = 20;

/// Names of coordinates on the earth.
const COORDINATES: [&str; 6] = ["lat", "lon", "lng", "latitude", "longitude", "coord"];

/// Number of postal codes from which only their beginnings are published.
const FEW_PLACES: usize = 20;

/// Returns a checklist of the 18 kinds of identifiers of Safe Harbor, and the treatment of their
/// columns.
fn checklist(preset: Preset, inspection: &Inspection) -> String {
    let mut text = String::from(
        "# Preset hipaa-safe-harbor: the 18 kinds of identifiers of 45 CFR 164.514(b)(2), and how each is handled.\n",
    );
    for (letter, kind) in ('A'..).zip(SAFE_HARBOR_KINDS) {
        let becomes: Vec<String> = inspection
            .columns
            .iter()
            .filter(|column| {
                let own = column.safe_harbor.unwrap_or_default();
                own.starts_with(letter)
            })
            .map(|column| {
                let outcome = match preset.rule(column) {
                    Some(PresetRule::Coarsened { keys, .. }) => keys,
                    _ => "left out".to_owned(),
                };
                format!("{} ({outcome})", column.name.replace(['\n', '\r'], " "))
            })
            .collect();
        let becomes =
            if becomes.is_empty() { "no column found".to_owned() } else { becomes.join(", ") };
        writeln!(text, "#   {letter}  {kind}: {becomes}")
            .expect("writing to a string does not fail");
    }
    text.push_str("# Columns are recognised by their names and values: read every line. Check yourself whether anything else\n# identifies people: Safe Harbor also requires that you know of nothing that does.\n");
    text
}

impl ColumnProfile {
    /// Whether its name suggests postal codes.
    fn is_postal(&self) -> bool {
        const WORDS: [&str; 6] = ["zip", "postal", "postcode", "postleit", "plz", "postnummer"];
        let parts = words(self);
        parts.iter().any(|part| WORDS.iter().any(|word| part.starts_with(word)))
    }
}
