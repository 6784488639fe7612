//! Pictures of readers' guesses, as bars.

use crate::picture::{Bars, Series};
use crate::report::words::{PEOPLE, counted_in, share};
use openveil_io::release_dir::write::manifest::{Correlations, ReadingEntry, SliceEntry};
use openveil_text::{Text, text};

/// How many people's values each reader guesses.
pub(crate) fn guesses(found: &Correlations) -> Bars {
    let readers = found.readers();
    let series = |name: Text, of: fn(&ReadingEntry) -> f64| {
        let values: Vec<f64> = readers.iter().map(|(_, reading)| of(reading)).collect();
        Series {
            name: name.to_string(),
            texts: values.iter().map(|&own| share(own).to_string()).collect(),
            values,
        }
    };
    Bars {
        title: text!("Readers who know correlations: correct guesses and mean certainty")
            .to_string(),
        names: readers.iter().map(|(name, _)| Text::from(*name).to_string()).collect(),
        series: vec![
            series(text!("correct guesses"), |reading| reading.accuracy),
            series(text!("mean certainty"), |reading| reading.mean_belief),
        ],
        most: Some(1.0),
    }
}

/// How often the strongest reader is right, by how sure it is.
pub(crate) fn calibration(found: &Correlations) -> Bars {
    let (name, reading) = found.readers().pop().expect("there are several");
    let slices = &reading.calibration;
    let series = |name: Text, of: fn(&SliceEntry) -> f64| Series {
        name: name.to_string(),
        values: slices.iter().map(of).collect(),
        texts: slices.iter().map(|slice| share(of(slice)).to_string()).collect(),
    };
    Bars {
        title: text!(
            "Certainty and correct guesses of the strongest reader ({:text})",
            Text::from(name)
        )
        .to_string(),
        names: slices
            .iter()
            .map(|slice| counted_in(slice.people as u128, PEOPLE).to_string())
            .collect(),
        series: vec![
            series(text!("certainty"), |slice| slice.believed),
            series(text!("correct guesses"), |slice| slice.right),
        ],
        most: Some(1.0),
    }
}
