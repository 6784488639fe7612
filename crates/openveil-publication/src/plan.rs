use crate::asked::{Job, Options};
use crate::made::Clock;
use crate::made::history::Continued;
use crate::made::read::read;
use crate::made::sample;
use crate::made::schema::TablePlans;
use crate::said::forecast::{self, GroupForecast, forecast};
use crate::said::{association, columns, manifest, owner};
use openveil_core::model::{Model, RatioDiversity};
use openveil_core::release::Style;
use openveil_core::table::{Histogram, View};
use openveil_io::load::Loaded;
use openveil_io::policy::Policy;
use openveil_io::progress::{Observer, Stage};
use openveil_io::release_dir::record;
use openveil_io::release_dir::write;
use openveil_io::release_dir::write::manifest::{
    Association, ColumnEntry, GuaranteeEntry, OmittedEntry, RuleEntry, TableEntry,
};
use openveil_io::{Error, Seen};
use openveil_measures::audit::{ColumnCodes, combine, uniqueness};
use openveil_measures::utility::discernability_bound;
use openveil_text::Text;

/// The outcome of a run, as far as policy, quasi-identifiers and histogram decide it.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Plan {
    /// Number of rows that would be released.
    pub rows: usize,
    /// The algorithm's name.
    pub algorithm: String,
    /// The algorithm that would choose it, if one would.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen_by: Option<String>,
    /// The guarantee.
    pub guarantee: GuaranteeEntry,
    /// Number of groups and their sizes, if the algorithm fixes them beforehand.
    pub groups: Option<u32>,
    /// Otherwise about how many groups there will be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups_forecast: Vec<GroupForecast>,
    /// The share of rows whose known values, in their finest published form, no other row has. Without
    /// rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alone: Option<f64>,
    /// A lower bound of the discernability of any release with this model.
    pub dm_lower_bound: u64,
    /// The least discernability that a release can have, if it is known for certain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dm_optimal: Option<u64>,
    /// The largest l that the table allows.
    pub largest_l: Option<u32>,
    /// Entries of the published columns.
    pub columns: Vec<ColumnEntry>,
    /// With rules: the tables that would be published.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableEntry>,
    /// With rules: the reason why each rule holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleEntry>,
    /// Columns and rows that would be left out.
    pub omitted: OmittedEntry,
    /// Things about the input that the owner should know.
    pub warnings: Vec<Text>,
    /// Questions that only the owner can answer; equal for every table with these columns.
    pub checklist: Vec<Text>,
    /// The greatest association of known columns with each sensitive one that can remain, from
    /// model, layout and histogram alone, whatever the rows are.
    pub association_at_best: Vec<Association>,
    /// Which style suits which study; equal for every table. Empty with rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub styles: Vec<StyleAdvice>,
    /// The folder of the release.
    pub out: std::path::PathBuf,
}

impl Plan {
    /// Returns the number of groups: exact if the algorithm fixes it beforehand, else the forecast.
    pub fn about_groups(&self) -> Option<u64> {
        let forecast = self.groups_forecast.first().map(|found| found.groups as u64);
        self.groups.map(u64::from).or(forecast)
    }
}

/// Uses and costs of a style.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct StyleAdvice {
    /// The style.
    pub style: &'static str,
    /// Whether the policy uses it.
    pub chosen: bool,
    /// The uses that it suits.
    pub suits: &'static str,
    /// Its costs.
    pub costs: &'static str,
}

/// Returns the advice for all styles. It depends on nothing but the style, so following it
/// discloses nothing.
fn style_advice(chosen: Style) -> Vec<StyleAdvice> {
    let advice = |style: Style| {
        let (suits, costs) = match style {
            Style::Generalize => (
                "tables of counts, files for the public",
                "associations with the sensitive column come back in part, with wide intervals",
            ),
            Style::Slice => (
                "counts by one column, teaching files that look like the table",
                "known columns are published exactly; associations come back nearly in full",
            ),
            Style::Anatomy => (
                "association studies: cross-tables, regressions, models",
                "known columns are published exactly, row by row; readers learn most",
            ),
        };
        StyleAdvice { style: style.name(), chosen: style == chosen, suits, costs }
    };
    Style::ALL.map(advice).to_vec()
}

/// Returns what [`run`](super::run) would do, without random draws and without writing a file. The
/// exception is the draw of rows under `[persons]`, which is made once and stored for the run.
///
/// # Errors
/// Everything that [`run`](super::run) would refuse before anonymising.
pub fn plan(policy: &Policy, options: Options, observer: &dyn Observer) -> Result<Plan, Error> {
    let planned = Job::checked(policy, options).and_then(|job| {
        write::check_folder(&policy.output.dir)?;
        sample::check_left_out(policy)?;
        observer.begin(Stage::Read, policy.input.source.total_bytes());
        let (loaded, history) = read(&job, &mut Clock::default(), observer)?;
        let planned = plan_after(job, &loaded, history.as_ref());
        planned.map_err(|error| error.with_prints(&loaded.prints))
    });
    let (plan, seen) = planned.map_err(|error| record::recorded(policy, error))?;
    // That a release is possible depends on who has which value, too.
    seen.iter().try_for_each(|seen| record::look_at(policy, seen))?;
    Ok(plan)
}

/// Like [`plan`], but for a table that is already loaded, without a history.
///
/// # Errors
/// As for [`plan`], except for errors in reading.
pub fn plan_of(policy: &Policy, options: Options, loaded: &Loaded) -> Result<Plan, Error> {
    Ok(plan_after(Job::checked(policy, options)?, loaded, None)?.0)
}

/// Plans a loaded table, after the releases of its history. Also returns what the plan depends on.
fn plan_after(
    job: Job,
    loaded: &Loaded,
    history: Option<&Continued>,
) -> Result<(Plan, Vec<Seen>), Error> {
    let mut schema = TablePlans::new(&job.policy, loaded)?;
    schema.continues(history);
    let job = &schema.resolved(job)?;
    job.check()?;
    schema.ties(&job.policy, loaded)?;
    let policy = &job.policy;
    let several = policy.rules().is_some();
    let guarantees = schema.guarantees(job, loaded, None);
    let single = match &schema.tables[..] {
        [only] if !several => only.guard.as_ref(),
        _ => None,
    };
    let groups_forecast =
        single.map_or_else(Vec::new, |guard| forecast(job, &guard.view, &guard.model));
    let single =
        single.map(|guard| Single::new(job, &guard.view, &guard.model)).unwrap_or_default();
    let at_best = association::at_best(&schema);
    let mut warnings = owner::warnings(policy, loaded, &schema, &at_best)?;
    warnings.extend(forecast::warnings(&groups_forecast));
    let seen = schema.seen(policy, loaded);
    let plan = Plan {
        rows: loaded.table.rows(),
        algorithm: schema.algorithm(job).to_owned(),
        chosen_by: job.chosen_by.map(str::to_owned),
        guarantee: GuaranteeEntry::new(&TablePlans::together(policy, &guarantees)),
        groups: single.groups,
        groups_forecast,
        alone: single.alone,
        dm_lower_bound: single.dm_lower_bound,
        dm_optimal: single.dm_optimal,
        largest_l: single.largest_l,
        columns: columns::columns(policy, &schema, loaded, &[]),
        tables: if several {
            manifest::table_entries(policy, &schema, loaded, None, &[])
        } else {
            Vec::new()
        },
        rules: if several {
            manifest::rule_entries(&schema, loaded, &guarantees)
        } else {
            Vec::new()
        },
        omitted: OmittedEntry::new(&loaded.omitted),
        warnings,
        checklist: owner::checklist(loaded, &schema),
        association_at_best: at_best,
        styles: if several { Vec::new() } else { style_advice(policy.output.style) },
        out: policy.output.dir.clone(),
    };
    Ok((plan, seen))
}

/// The share of rows whose known values no other row has. O(rows · columns).
fn alone(view: &View) -> f64 {
    let columns: Vec<ColumnCodes<'_>> =
        view.known().iter().map(|own| (own.codes(), own.domain().len() as u64)).collect();
    let found = combine(&columns, view.rows());
    let mut sizes = vec![0; found.first_rows.len()];
    found.ids.iter().for_each(|&id| sizes[id as usize] += 1);
    uniqueness(&sizes)
}

/// Facts about a single table's groups that are known beforehand.
#[derive(Default)]
struct Single {
    groups: Option<u32>,
    alone: Option<f64>,
    dm_lower_bound: u64,
    dm_optimal: Option<u64>,
    largest_l: Option<u32>,
}

impl Single {
    fn new(job: &Job, view: &View, model: &Model) -> Self {
        let ratio = model.ratio().filter(|_| view.secret().members().is_none());
        let bound =
            model.bind_strata(view).map_or(0, |criteria| discernability_bound(view, &criteria));
        let exempt = view.secret().exempt();
        let protects_all = !exempt.contains(&true);
        let fixed = job.algorithm.profile().is_matching();
        let strata = view.strata();
        let histograms: Vec<Histogram> =
            strata.iter().map(|stratum| stratum.view(view).histogram()).collect();
        let largest = histograms.iter().map(|own| RatioDiversity::largest_l(own, exempt));
        Self {
            groups: ratio
                .filter(|_| fixed)
                .map(|ratio| -> u32 { histograms.iter().map(|own| own.rows() / ratio.l()).sum() }),
            alone: Some(alone(view)),
            dm_lower_bound: bound,
            dm_optimal: ratio.filter(|_| protects_all).map(|_| bound),
            largest_l: ratio.and_then(|_| largest.min().flatten()),
        }
    }
}
