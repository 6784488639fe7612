//! A reader who knows which rows share their value, and intersects their groups.

use super::subject::by_cells;
use openveil_core::exact::{approximate, number, widen};
use openveil_core::release::Cells;
use openveil_core::table::View;
use openveil_io::load::{self, Loaded};
use openveil_io::policy::{Policy, PublicationKind, Role, TiesPolicy};
use openveil_io::progress::{Observer, Stage};
use openveil_io::release_dir::ReleasePlace;
use openveil_io::release_dir::read::Released;
use openveil_io::spelling::or_meant;
use openveil_io::{Error, Location};
use openveil_papers::attack::beliefs::{PersonBeliefs, Uncovered};
use openveil_text::text;
use serde::Serialize;
use std::collections::BTreeMap;

/// The findings on rows that share their value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TiesReport {
    /// The column that says which rows belong together.
    pub column: String,
    /// Ties of two rows or more.
    pub ties: usize,
    /// Ties whose rows have several values, so that one row shows nothing about the others.
    pub differing: usize,
    /// Ties without a row that can certainly be found in the release.
    pub not_found: usize,
    /// Ties for which a single value is left.
    pub certain: usize,
    /// Ties for which fewer values are left than the groups of one row have at least.
    pub fewer_than_a_row: usize,
    /// By number of rows.
    pub sizes: Vec<TiesOfSize>,
    /// The highest chance that a value of a single row may have by the release's guarantee.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// Ties with a value above it.
    pub above_bound: usize,
    /// Whether the release promises something about ties that was found broken.
    pub promise_broken: bool,
}

/// The findings on ties of one size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TiesOfSize {
    /// Rows of each.
    pub rows: usize,
    /// How many there are.
    pub ties: usize,
    /// Ties for which a single value is left.
    pub certain: usize,
    /// Values left, on average.
    pub mean_values: f64,
    /// The highest chance of a value, on average: the chances of rows whose group is known,
    /// multiplied.
    pub mean_highest_posterior: f64,
}

/// Simulates a reader who knows, by a column of the table, which rows belong together, and that
/// they share their value.
///
/// # Errors
/// Bad input; no such column; a release that is not of this table.
pub fn run_ties(
    policy: &Policy,
    column: Option<&str>,
    release: &ReleasePlace,
    observer: &dyn Observer,
) -> Result<TiesReport, Error> {
    let promised = policy.ties();
    let policy = &with_ties(policy, column)?;
    observer.begin(Stage::Read, policy.input.source.total_bytes());
    let loaded = load::load(policy, &|bytes| observer.advance(bytes))?;
    let table = &loaded.view(policy)?;
    observer.begin(Stage::ReadBack, None);
    let released = Released::read(release, table)?;
    of_release(policy, promised, &loaded, (table, &released))
}

/// Returns what such a reader finds in a release that was read. `promised` are the ties that it was
/// made for, if any; the policy's ties are those that the reader knows.
pub(super) fn of_release(
    policy: &Policy,
    promised: Option<&TiesPolicy>,
    loaded: &Loaded,
    (table, released): (&View, &Released),
) -> Result<TiesReport, Error> {
    let largest = promised.and_then(|ties| ties.largest);
    let column = &policy.ties().expect("the policy has ties").id;
    let tie_of = &loaded.person.as_ref().expect("the column was read").codes;
    let manifest = released.folder.join("manifest.json");
    let beliefs = by_cells(&released.release, table, &manifest, Uncovered::NothingSaid)?
        .map_err(|why| Error::new(Location::file(&manifest), why))?;
    let chance = released.manifest.guarantee.max_posterior.as_deref().and_then(number::parse);
    let bound = chance.map(|bound| approximate(&widen(bound)));
    let mut rows_of: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (row, &tie) in (0..).zip(tie_of) {
        rows_of.entry(tie).or_default().push(row);
    }
    let groups = 0..released.release.group_count();
    let fewest =
        groups.map(|group| released.release.value_counts(group).count()).min().unwrap_or(0);
    let codes = table.secret().codes();
    let reader = TyingReader { alike: beliefs.people_alike(), beliefs };
    let are_exact = released.release.cells().iter().all(|cells| matches!(cells, Cells::Exact(_)));
    let mut report = TiesReport {
        column: column.clone(),
        ties: 0,
        differing: 0,
        not_found: 0,
        certain: 0,
        fewer_than_a_row: 0,
        sizes: Vec::new(),
        bound,
        above_bound: 0,
        promise_broken: false,
    };
    let mut sizes: BTreeMap<usize, TiesOfSize> = BTreeMap::new();
    for rows in rows_of.into_values().filter(|rows| rows.len() > 1) {
        report.ties += 1;
        if rows.iter().any(|&row| codes[row as usize] != codes[rows[0] as usize]) {
            report.differing += 1;
            continue;
        }
        // If cells are exact, they show which rows of a larger tie were drawn.
        let is_drawn = largest.is_some_and(|largest| rows.len() > largest as usize);
        let left = reader.left(&rows, is_drawn).filter(|_| are_exact || !is_drawn);
        let Some(left) = left else {
            report.not_found += 1;
            continue;
        };
        let all: f64 = left.values().sum();
        let highest = left.values().copied().fold(0.0, f64::max) / all;
        let own = sizes.entry(rows.len()).or_insert(TiesOfSize {
            rows: rows.len(),
            ties: 0,
            certain: 0,
            mean_values: 0.0,
            mean_highest_posterior: 0.0,
        });
        own.ties += 1;
        own.certain += usize::from(left.len() == 1);
        own.mean_values += left.len() as f64;
        own.mean_highest_posterior += highest;
        report.certain += usize::from(left.len() == 1);
        let is_fewer = left.len() < fewest;
        report.fewer_than_a_row += usize::from(is_fewer);
        // A tolerance for the rounding of sums of chances.
        report.above_bound += usize::from(bound.is_some_and(|bound| highest > bound + 1e-9));
    }
    report.sizes = sizes.into_values().map(TiesOfSize::averaged).collect();
    report.promise_broken = promised.is_some() && report.above_bound + report.fewer_than_a_row > 0;
    Ok(report)
}

/// A reader who knows which rows belong together, and looks for them in the release.
struct TyingReader {
    beliefs: PersonBeliefs,
    /// By row, how many rows look like it.
    alike: Vec<u32>,
}

impl TyingReader {
    /// Returns the values that are left for a tie, with the product of the chances of rows whose
    /// group is known. A row that may be in several groups rules out the values that none of these
    /// groups has. This holds only if the row is certainly in the release, which it is not if rows
    /// were drawn. None if nothing is known about any row.
    fn left(&self, rows: &[u32], is_drawn: bool) -> Option<BTreeMap<u32, f64>> {
        let mut left: Option<BTreeMap<u32, f64>> = None;
        for &row in rows {
            let is_placed = self.beliefs.groups(row) == 1 && self.alike[row as usize] == 1;
            if self.beliefs.groups(row) == 0 || is_drawn && !is_placed {
                continue;
            }
            let chance = |(value, chance)| (value, if is_placed { chance } else { 1.0 });
            let own: BTreeMap<u32, f64> = self.beliefs.chances(row).map(chance).collect();
            left = Some(match left {
                None => own,
                Some(mut left) => {
                    left.retain(|value, chance| {
                        *chance *= own.get(value).copied().unwrap_or(0.0);
                        *chance > 0.0
                    });
                    left
                }
            });
        }
        left.filter(|left| !left.is_empty())
    }
}

impl TiesOfSize {
    fn averaged(mut self) -> Self {
        let ties = self.ties as f64;
        self.mean_values /= ties;
        self.mean_highest_posterior /= ties;
        self
    }
}

/// Returns the policy with this column as the one that ties rows, whatever its role was.
fn with_ties(policy: &Policy, column: Option<&str>) -> Result<Policy, Error> {
    let mut policy = policy.clone();
    let id = match (column, policy.ties()) {
        (Some(column), _) => column.to_owned(),
        (None, Some(ties)) => ties.id.clone(),
        (None, None) => {
            let problem =
                text!("the policy has no [ties], so it is not known which rows belong together");
            return Err(Error::new(Location::file(&policy.path), problem)
                .help(text!("name the column: `--ties hhid`")));
        }
    };
    if !matches!(policy.kind, PublicationKind::Single | PublicationKind::Ties(_)) {
        let section = policy.kind.name().section();
        let problem = text!(
            "`--ties` works with releases of a single table, but the policy has {section:text}"
        );
        return Err(
            Error::new(Location::file(&policy.path), problem).help(text!("leave `--ties` out"))
        );
    }
    let Some(described) = policy.columns.get_mut(&id) else {
        let error = Error::new(
            Location::file(&policy.path),
            text!("`--ties {id}` is not a column of the policy"),
        );
        let names = policy.columns.keys().map(String::as_str);
        return Err(or_meant(error, &id, names, || {
            "name the column that identifies rows that belong together".to_owned()
        }));
    };
    if described.role.is_published() {
        let role = described.role.name();
        let problem = text!("`--ties {id}` is a column with the role `{role}`");
        return Err(Error::new(Location::file(&policy.path), problem).help(text!(
            "name a column that is not published: one with the role `identifier` or `drop`"
        )));
    }
    described.role = Role::Identifier;
    policy.kind = PublicationKind::Ties(TiesPolicy { id, largest: None });
    Ok(policy)
}
