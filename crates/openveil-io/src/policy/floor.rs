//! Floors: the finest form in which the values of a column may be published.

use super::document::{ColumnSection, DateCut, HierarchyBuilder, HierarchySection, ValueType};
use super::written::WrittenPolicy;
use crate::Error;
use openveil_text::{Text, text};
use serde::{Deserialize, Serialize};

/// The finest form in which the values of a column are published, in every style and file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Floor {
    /// Multiples of a width; each stands for the numbers up to the next multiple: 20 for 20 to 24.
    Width(String),
    /// The period in which a date lies.
    Period(Period),
    /// The first characters of a text.
    Characters(usize),
    /// The area of a US ZIP code: its first three digits, or `000` for an area with few people.
    UsZip3,
    /// Labels of this level of the column's hierarchy; level 0 is the values themselves.
    Level(usize),
}

/// Areas of ZIP codes, by their first three digits, with 20,000 people or fewer. Source: US Census
/// Bureau, 2020 Census, population of ZIP Code Tabulation Areas (table P1), summed by their first
/// three digits.
const SPARSE_ZIPS: [&str; 18] = [
    "036", "059", "102", "202", "203", "204", "205", "369", "556", "692", "753", "772", "821",
    "823", "878", "879", "884", "893",
];

/// The text that stands for all of these areas.
const SPARSE: &str = "000";

/// The largest number of people in such an area.
const SPARSE_PEOPLE: u32 = 20_000;

/// Returns the area of a ZIP code as HIPAA's Safe Harbor allows it to be published (45 CFR
/// 164.514(b)(2)(i)(B)), for `02139`, `02139-4307` or an area itself; none if a text is no ZIP
/// code.
pub fn us_zip_area(text: &str) -> Option<&str> {
    let (code, more) = text.split_once('-').unwrap_or((text, ""));
    let has_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_code = matches!((code.len(), more.len()), (5, 0 | 4) | (3, 0));
    let area = (is_code && has_digits(code) && has_digits(more)).then(|| &code[..3])?;
    Some(if SPARSE_ZIPS.contains(&area) { SPARSE } else { area })
}

/// A period of dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Period {
    /// `2020-03`
    Month,
    /// `2020-Q1`
    Quarter,
    /// `2020`, a whole number.
    Year,
}

impl Period {
    /// All periods, the finest first.
    pub const ALL: [Self; 3] = [Self::Month, Self::Quarter, Self::Year];

    /// Returns its name in policies and manifests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Year => "year",
        }
    }

    /// Returns the text of the period that contains a month of a year.
    pub fn text(self, year: i16, month: i8) -> String {
        match self {
            Self::Month => format!("{year:04}-{month:02}"),
            Self::Quarter => format!("{year:04}-Q{}", (month - 1) / 3 + 1),
            Self::Year => year.to_string(),
        }
    }
}

impl Floor {
    /// The name of [`Floor::UsZip3`] in policies.
    pub const US_ZIP_3: &str = "us-zip-3";

    /// Returns the type that values of a type have at the floor.
    pub fn published_type(&self, value_type: ValueType) -> ValueType {
        match self {
            Self::Width(_) | Self::Characters(_) | Self::UsZip3 => value_type,
            Self::Period(Period::Year) => ValueType::Integer,
            Self::Period(_) | Self::Level(_) => ValueType::Text,
        }
    }

    /// Returns the period, if the floor is one that is written as text.
    pub fn period(&self) -> Option<Period> {
        match self {
            Self::Period(period) if *period != Period::Year => Some(*period),
            _ => None,
        }
    }

    /// Returns whether a published value is no finer than the floor, as far as the value itself
    /// shows.
    pub fn allows(&self, value: &str) -> bool {
        match self {
            Self::Width(width) => value.parse().is_ok_and(|number| is_multiple(number, width)),
            Self::Period(Period::Year) => value.parse::<i16>().is_ok(),
            Self::Period(period) => {
                let (year, part) = value.rsplit_once('-').unwrap_or(("", ""));
                let is_period = year.parse::<i16>().is_ok() && part.len() == 2;
                is_period && part.starts_with('Q') == (*period == Period::Quarter)
            }
            Self::Characters(kept) => value.chars().count() <= *kept,
            Self::UsZip3 => value.len() == 3,
            Self::Level(_) => true,
        }
    }

    /// Describes the values in words: `multiples of 5, each for the numbers up to the next`.
    pub fn in_words(&self) -> Text {
        match self {
            Self::Width(width) => {
                text!("multiples of {width}, each of which stands for the numbers up to the next")
            }
            Self::Period(Period::Month) => text!("no finer than the month"),
            Self::Period(Period::Quarter) => text!("no finer than the quarter"),
            Self::Period(Period::Year) => text!("no finer than the year"),
            Self::Characters(kept) => text!("the first {kept} characters"),
            Self::UsZip3 => text!(
                "the first three digits of a ZIP code, or {SPARSE} where {SPARSE_PEOPLE} people or fewer live"
            ),
            Self::Level(level) => text!("labels of level {level} of a hierarchy"),
        }
    }
}

impl WrittenPolicy<'_> {
    /// Reads the floor of a column, and checks it against the column's other keys.
    pub(super) fn floor(
        &self,
        name: &str,
        section: &ColumnSection,
    ) -> Result<Option<Floor>, Error> {
        let Some(written) = &section.floor else {
            return Ok(None);
        };
        let place = self.start_of(&written.span()).column(name);
        let refuse = |problem: Text, help: Text| Err(Error::new(place.clone(), problem).help(help));
        let given = written.get_ref();
        let as_given = &self.text[written.span()];
        if section.prefix.is_some() || section.bins.is_some() || section.quantiles.is_some() {
            return refuse(
                text!("has a `floor` and one of `prefix`, `bins` and `quantiles`"),
                text!("remove one of them: each sets how fine values are"),
            );
        }
        let is_listed = section.hierarchy.as_ref().is_some_and(|own| match own {
            HierarchySection::Path(_) => true,
            HierarchySection::Built(builder) => {
                matches!(builder, HierarchyBuilder::File { .. } | HierarchyBuilder::Tree(_))
            }
        });
        let none = |what, help| refuse(text!("`floor = {as_given}` is not a {what}"), help);
        let count =
            given.as_integer().and_then(|own| usize::try_from(own).ok()).filter(|&own| own > 0);
        let floor = match section.value_type {
            _ if is_listed => match count {
                Some(level) => Floor::Level(level),
                None => {
                    return none(
                        "level of its hierarchy",
                        text!(
                            "write a whole number: 1 for the labels right above the values, 2 for those above them"
                        ),
                    );
                }
            },
            ValueType::Text if given.as_str() == Some(Floor::US_ZIP_3) => Floor::UsZip3,
            ValueType::Text => match count {
                Some(kept) => Floor::Characters(kept),
                None => {
                    return none(
                        "number of characters",
                        text!(
                            "write how many characters to keep; for dates set `type = \"date\"`, for numbers `type = \"integer\"`"
                        ),
                    );
                }
            },
            ValueType::Date => {
                let mut all = Period::ALL.into_iter();
                match all.find(|period| given.as_str() == Some(period.name())) {
                    Some(period) => Floor::Period(period),
                    None => {
                        return none(
                            "period of dates",
                            text!("write \"month\", \"quarter\" or \"year\""),
                        );
                    }
                }
            }
            ValueType::Boolean => {
                return none("floor for `true` and `false`", text!("leave it out"));
            }
            _ if given.as_str() == Some(Floor::US_ZIP_3) => {
                return none(
                    "floor for this type",
                    text!("set `type = \"text\"`: ZIP codes may begin with zeros"),
                );
            }
            ValueType::Integer => match count {
                Some(width) => Floor::Width(width.to_string()),
                None => {
                    return none(
                        "width",
                        text!("write a whole number, for example 5: 23 becomes 20"),
                    );
                }
            },
            ValueType::Number => {
                let width = given.as_float().or(count.map(|own| own as f64));
                match width.filter(|own| own.is_finite() && *own > 0.0) {
                    Some(width) => Floor::Width(width.to_string()),
                    None => {
                        return none("width", text!("write a number above 0, for example 0.5"));
                    }
                }
            }
        };
        if let Some(finer) = finer(&floor, section) {
            return refuse(
                text!("has a `floor` that is coarser than {finer}"),
                text!(
                    "remove the finer levels of the `hierarchy`; each must be a whole multiple of the floor"
                ),
            );
        }
        for (key, limit) in [("top", &section.top), ("bottom", &section.bottom)] {
            if let (Floor::Width(width), Some(limit)) = (&floor, limit)
                && !is_multiple(*limit.get_ref(), width)
            {
                return refuse(
                    text!("has a `{key}` that is not a multiple of its `floor`"),
                    text!(
                        "numbers are published as multiples of the floor: choose a limit that is one of them"
                    ),
                );
            }
        }
        Ok(Some(floor))
    }
}

/// Returns whether a number is a multiple of a width, to the precision of an `f64`.
fn is_multiple(number: f64, width: &str) -> bool {
    let times = number / width.parse::<f64>().expect("a width is a number");
    (times - times.round()).abs() < 1e-9 * times.abs().max(1.0)
}

/// Describes a level of a rule that is finer than a floor or does not consist of whole floors.
fn finer(floor: &Floor, section: &ColumnSection) -> Option<String> {
    let HierarchySection::Built(builder) = section.hierarchy.as_ref()? else {
        return None;
    };
    match (floor, builder) {
        (Floor::Width(floor), HierarchyBuilder::Intervals(widths)) => {
            let width = widths.iter().find(|own| !is_multiple(**own, floor))?;
            Some(format!("intervals of the width {width}"))
        }
        (Floor::Period(floor), HierarchyBuilder::Dates(cuts)) => {
            let cut = cuts.iter().find(|cut| match cut {
                DateCut::Day => true,
                DateCut::Month => *floor != Period::Month,
                DateCut::Year => false,
            })?;
            Some(match cut {
                DateCut::Day => "days".to_owned(),
                _ => "months".to_owned(),
            })
        }
        (Floor::Characters(floor), HierarchyBuilder::Prefixes(kept)) => {
            let kept = kept.iter().find(|kept| *kept > floor)?;
            Some(format!("prefixes of {kept} characters"))
        }
        _ => None,
    }
}
