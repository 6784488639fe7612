//! Tests algorithms against a reader who knows them.

mod any_model;
mod baseline;
mod blocks;
mod broken;
mod broken_engines;
mod broken_halving;
mod chunks;
mod claims;
mod counting;
mod cover;
mod each;
mod exchange;
mod halving;
mod history;
mod informed;
mod l_cover;
mod memory;
mod persons;
mod row_order;
mod safe_sets;
mod second_stage;
mod strata;
mod streamliner;
mod styles;
mod symmetry;
mod ties;
mod uniform;

use super::*;
use openveil_core::coins::*;
use openveil_core::model::{Model, RatioDiversity};
use openveil_core::release::Style;
use openveil_core::table::{Worlds, histograms};

/// Whether the run may take minutes, as at night.
fn is_long() -> bool {
    std::env::var_os("OPENVEIL_TRIALS").is_some()
}

/// Every style under both kinds of visibility. A reader who sees who is in which group sees equally
/// much in every style.
const VIEWS: [(Style, Visibility); 5] = [
    (Style::Generalize, Visibility::Membership),
    (Style::Generalize, Visibility::Release),
    (Style::Anatomy, Visibility::Membership),
    (Style::Anatomy, Visibility::Release),
    (Style::Slice, Visibility::Release),
];

fn scenario(values: &[u32], l: u32) -> Scenario {
    let model = RatioDiversity::new(l).unwrap();
    Scenario::of_values(values.iter().copied(), model).unwrap()
}
