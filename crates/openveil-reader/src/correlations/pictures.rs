//! Pictures of readers' guesses, as bars.

use crate::picture::{Bars, Series, percent};
use openveil_io::release_dir::write::manifest::{Correlations, ReadingEntry, SliceEntry};

/// How many people's values each reader guesses.
pub(crate) fn guesses(found: &Correlations) -> Bars {
    let readers = found.readers();
    let series = |name: &str, of: fn(&ReadingEntry) -> f64| {
        let values: Vec<f64> = readers.iter().map(|(_, reading)| of(reading)).collect();
        Series {
            name: name.to_owned(),
            texts: values.iter().map(|&share| percent(share)).collect(),
            values,
        }
    };
    Bars {
        title: "Readers who know correlations: correct guesses and mean certainty".to_owned(),
        names: readers.iter().map(|(name, _)| (*name).to_owned()).collect(),
        series: vec![
            series("correct guesses", |reading| reading.accuracy),
            series("mean certainty", |reading| reading.mean_belief),
        ],
        most: Some(1.0),
    }
}

/// How often the strongest reader is right, by how sure it is.
pub(crate) fn calibration(found: &Correlations) -> Bars {
    let (name, reading) = found.readers().pop().expect("there are several");
    let slices = &reading.calibration;
    let series = |name: &str, of: fn(&SliceEntry) -> f64| Series {
        name: name.to_owned(),
        values: slices.iter().map(of).collect(),
        texts: slices.iter().map(|slice| percent(of(slice))).collect(),
    };
    Bars {
        title: format!("Certainty and correct guesses of the strongest reader ({name})"),
        names: slices.iter().map(|slice| format!("{} people", slice.people)).collect(),
        series: vec![
            series("certainty", |slice| slice.believed),
            series("correct guesses", |slice| slice.right),
        ],
        most: Some(1.0),
    }
}
