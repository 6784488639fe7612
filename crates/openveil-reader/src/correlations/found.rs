//! The written form of measurements.

use openveil_core::table::View;
use openveil_io::release_dir::write::manifest::{
    Correlations, PublicTable, ReadingEntry, SliceEntry,
};
use openveil_papers::attack::correlations as attack;
use std::path::Path;

/// Describes half of the owner's table as the table that readers know.
pub(super) fn half(table: &View) -> PublicTable {
    PublicTable {
        source: "half of the table".to_owned(),
        rows: table.rows(),
        matched: table.rows(),
    }
}

/// Describes a file as the table that readers know.
pub(super) fn public_table(path: &Path, table: &View, matched: usize) -> PublicTable {
    PublicTable { source: path.display().to_string(), rows: table.rows(), matched }
}

/// Returns the findings of the attack. The bound is 1/l, with the requested l.
pub(super) fn correlations(
    found: &attack::CorrelationGuesses,
    public: PublicTable,
    asked: Option<u32>,
) -> Correlations {
    let reading = |of: &attack::Reading| ReadingEntry {
        accuracy: of.accuracy,
        gain: 100.0 * (of.accuracy - found.prior.accuracy),
        mean_belief: of.mean,
        highest_belief: of.highest,
        above_bound: asked.map(|_| of.above_bound),
        nearly_certain: of.nearly_certain,
        calibration: of.calibration.iter().map(slice).collect(),
    };
    Correlations {
        public,
        people: found.people,
        bound: asked.map(|l| format!("1/{l}")),
        most_frequent: found.most_frequent,
        prior: reading(&found.prior),
        one: reading(&found.one),
        face: reading(&found.face),
        simulating: found.simulating.as_ref().map(reading),
        learned: reading(&found.learned),
    }
}

fn slice(slice: &attack::Slice) -> SliceEntry {
    SliceEntry { people: slice.people, believed: slice.believed, right: slice.right }
}
