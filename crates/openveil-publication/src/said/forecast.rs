//! How many groups the engine leaves, forecast from what is public before the run.

use crate::asked::Job;
use openveil_core::algorithm::{Algorithm, Halving};
use openveil_core::coins::{SecretCoins, shuffle};
use openveil_core::model::{Model, l_diversity};
use openveil_core::table::View;
use openveil_text::{Text, text};

/// Beyond so many rows a forecast would take longer than people wait for a plan.
const MOST_ROWS: usize = 1_000_000;

/// The seed of the shuffle, which need not be secret.
const SEED: u64 = 1;

/// The number of groups by a model.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct GroupForecast {
    /// The l of ratio l-diversity, if this is the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l: Option<u32>,
    /// The number of groups of the table with its sensitive values shuffled.
    pub groups: usize,
    /// Whether the model leaves no cut, so that only totals can be shown.
    pub only_totals: bool,
}

/// Forecasts the number of groups. If the model leaves no cut, also with the greatest smaller l
/// that leaves one. Empty for other engines than halving and for large tables. Depends on known
/// columns and on the histogram of each stratum. Time: one run for each l.
pub(crate) fn forecast(job: &Job, view: &View, model: &Model) -> Vec<GroupForecast> {
    let is_fit = job.algorithm.name() == Halving.name() && view.rows() <= MOST_ROWS;
    if !is_fit || view.secret().members().is_some() || view.secret().each().is_some() {
        return Vec::new();
    }
    let Ok(shuffled) = view.with_secret_codes(shuffled(view)) else {
        return Vec::new();
    };
    let strata = view.strata().len();
    let of = |model: &Model| {
        let mut coins = SecretCoins::from_test_seed(SEED);
        let groups =
            Halving.partition_with(&shuffled, model, &job.settings, &mut coins).ok()?.len();
        Some(GroupForecast {
            l: model.ratio().map(|ratio| ratio.l()),
            groups,
            only_totals: groups <= strata,
        })
    };
    let Some(own) = of(model) else {
        return Vec::new();
    };
    let more = own
        .l
        .filter(|_| own.only_totals && model.informed().is_none())
        .into_iter()
        .flat_map(|l| (2..l).rev())
        .filter_map(|l| of(&l_diversity(l).ok()?))
        .into_iter()
        .find(|found| !found.only_totals);
    [Some(own), more].into_iter().flatten().collect()
}

/// The values of each stratum in random order. They are sorted first, so that the order does not
/// depend on who has which value.
fn shuffled(view: &View) -> Vec<u32> {
    let mut coins = SecretCoins::from_test_seed(SEED);
    let mut codes = view.secret().codes().to_vec();
    for stratum in view.strata() {
        let rows = 0..stratum.size(view) as u32;
        let rows: Vec<usize> = rows.map(|position| stratum.row(position) as usize).collect();
        let mut own: Vec<u32> = rows.iter().map(|&row| codes[row]).collect();
        own.sort_unstable();
        shuffle(&mut own, &mut coins);
        rows.iter().zip(own).for_each(|(&row, code)| codes[row] = code);
    }
    codes
}

/// Says in words that only totals can be shown.
pub(crate) fn warnings(forecast: &[GroupForecast]) -> Vec<Text> {
    match forecast {
        [own, more @ ..] if own.only_totals => {
            let lower = match more {
                [more] => text!(
                    "with l = {} there would be about {} groups",
                    more.l.unwrap_or_default(),
                    more.groups
                ),
                _ => text!("take a lower l, or distinct l-diversity"),
            };
            vec![text!(
                "only totals can be shown: the most frequent values are so frequent that the model leaves no cut of this table with its values shuffled; {lower}"
            )]
        }
        _ => Vec::new(),
    }
}
