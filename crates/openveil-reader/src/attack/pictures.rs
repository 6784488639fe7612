//! The findings of attacks, as bars.

use super::{AttackReport, Measurement};
use crate::correlations;
use crate::picture::{Bars, Picture, Series};
use crate::report::words::share;
use openveil_io::release_dir::write::manifest::MeasuredCorrelations;

/// Returns the pictures of a report: how many facts a reader needs about people to be certain, and
/// how well the groups predict values. The names of the pictures begin with the column, if it is one
/// of several.
pub fn pictures(column: Option<&str>, report: &AttackReport) -> Vec<Picture> {
    let mut pictures = drawn(report);
    if let Some(column) = column {
        let named = |name: &str| format!("{}-{name}", as_file_name(column));
        pictures.iter_mut().for_each(|own| own.name = named(&own.name));
    }
    pictures
}

/// A column's name with letters and digits only.
fn as_file_name(column: &str) -> String {
    column.chars().map(|sign: char| if sign.is_alphanumeric() { sign } else { '_' }).collect()
}

fn drawn(report: &AttackReport) -> Vec<Picture> {
    let facts = &report.background.rows_by_facts;
    let mut pictures = vec![Picture::from((
        "facts-to-certainty",
        Bars {
            title: "People by the number of facts “not this value” that make their value certain"
                .to_owned(),
            names: facts.keys().map(u32::to_string).collect(),
            series: vec![Series {
                name: "people".to_owned(),
                values: facts.values().map(|&rows| rows as f64).collect(),
                texts: facts.values().map(u64::to_string).collect(),
            }],
            most: None,
        },
    ))];
    if let Measurement::Measured(learned) = &report.learning {
        let mut shares = vec![
            ("most frequent value".to_owned(), learned.majority),
            ("learned".to_owned(), learned.accuracy),
        ];
        if let Some(known) = &learned.members_known {
            shares.push(("learned, groups known".to_owned(), known.accuracy));
        }
        let values: Vec<f64> = shares.iter().map(|(_, share)| *share).collect();
        pictures.push(Picture::from((
            "values-predicted",
            Bars {
                title: "Share of people whose value is predicted correctly".to_owned(),
                names: shares.into_iter().map(|(name, _)| name).collect(),
                series: vec![Series {
                    name: "share".to_owned(),
                    texts: values.iter().map(|&own| share(own).to_string()).collect(),
                    values,
                }],
                most: Some(1.0),
            },
        )));
    }
    if let Some(MeasuredCorrelations::Found(found)) = &report.correlations {
        pictures.push(Picture::from(("correlations", correlations::guesses(found))));
        pictures.push(Picture::from(("calibration", correlations::calibration(found))));
    }
    pictures
}
