//! How known columns go with the sensitive one: in a release, in the owner's table, and
//! at best.

use super::schema::Schema;
use super::table::{Guarded, Made};
use crate::policy::Policy;
use crate::release_dir::write::manifest::{Association, AssociationKept, LinkKept};
use openveil::table::View;
use openveil::utility::{BestLinks, Counted, Errors, Index, Kind, Link, Strength, Workload, links};

/// Tables of more rows are measured only if it is asked for: it would take longer than
/// to publish them.
const MOST_ROWS: usize = 1_000_000;

/// Of more known columns no pairs are looked at, unless it is asked for.
const MOST_PAIRED: usize = 10;

/// Queries that are asked of a release.
const QUERIES: usize = 400;

/// A link so weak at best counts as none: a tenth of the greatest there is.
const HARDLY_ANY: f64 = 0.1;

/// What the owner is told beside the figures.
const NOTE: &str = "Measured with the true values: not for publication. Whoever publishes again because of these figures has chosen on the true values, and what is promised to a reader who knows the program no longer holds. Choose before, on another table or on a copy whose sensitive column was freshly shuffled.";

/// What every anonymised table still shows of how its columns go together: functions of
/// the release.
pub(super) fn shown(tables: &[Made]) -> Vec<Association> {
    let small = guarded(tables).filter(|made| made.view.rows() <= MOST_ROWS);
    small
        .map(|made| {
            let links = links(Counted::Release(&made.view, &made.release), false);
            let strengths = links.single.iter();
            Association {
                sensitive: made.view.secret().name().to_owned(),
                measure: links.measure.name().to_owned(),
                strength: strengths
                    .map(|link| (link.columns[0].clone(), link.strength))
                    .collect(),
            }
        })
        .collect()
}

/// How much of the owner's table's links the release keeps.
pub(super) fn kept(tables: &[Made], measure: bool) -> Vec<AssociationKept> {
    let chosen = guarded(tables).filter(|made| measure || made.view.rows() <= MOST_ROWS);
    chosen.map(|made| kept_by(made, measure)).collect()
}

fn kept_by(made: &Guarded, measure: bool) -> AssociationKept {
    let (view, release) = (&made.view, &made.release);
    let with_pairs = measure || view.known().len() <= MOST_PAIRED;
    let of_table = links(Counted::Table(view), with_pairs);
    let of_release = links(Counted::Release(view, release), with_pairs);
    AssociationKept {
        note: NOTE.to_owned(),
        sensitive: view.secret().name().to_owned(),
        measure: of_table.measure.name().to_owned(),
        columns: beside(&of_table.single, &of_release.single),
        pairs: beside(&of_table.pairs, &of_release.pairs),
        query_error: errors(made).floored,
    }
}

fn beside(table: &[Link], release: &[Link]) -> Vec<LinkKept> {
    let kept = |(table, release): (&Link, &Link)| LinkKept {
        columns: table.columns.clone(),
        table: table.strength,
        release: release.strength,
    };
    table.iter().zip(release).map(kept).collect()
}

/// The error of queries on one known column and the sensitive one.
fn errors(made: &Guarded) -> Errors {
    let kind = Kind::of_dimension(1).with_sensitive();
    let workload = Workload::random(&made.view, &kind, QUERIES, 0);
    workload.errors(&made.view, &Index::of(&made.release))
}

fn guarded(tables: &[Made]) -> impl Iterator<Item = &Guarded> {
    tables.iter().filter_map(|made| match made {
        Made::Open { .. } => None,
        Made::Guarded(made) => Some(&**made),
    })
}

/// For every anonymised table, what can remain of the links at best: from model, layout
/// and histogram alone. Nothing is known of strata, each of which has its own histogram.
pub(super) fn at_best(policy: &Policy, schema: &Schema) -> Vec<Association> {
    let guards = schema
        .tables
        .iter()
        .filter_map(|table| table.guard.as_ref());
    let guards = guards.filter(|guard| guard.view.strata_columns().len() == 0);
    let bound = |guard: &super::schema::Guard| {
        let criteria = guard.model.bind(&guard.view).ok()?;
        let mut best = BestLinks::of_model(&guard.view, &criteria);
        if let Some(units) = policy.algorithm.layout(&guard.view, &criteria) {
            best = best.with_layout(&guard.view, &units);
        }
        Some(of_bound(&guard.view, best))
    };
    guards.filter_map(bound).collect()
}

fn of_bound(view: &View, best: BestLinks) -> Association {
    let measure = Strength::of(view);
    let strength = |column: &openveil::table::Column| {
        let strength = best.strength(measure, column.domain().len());
        (column.name().to_owned(), strength)
    };
    Association {
        sensitive: view.secret().name().to_owned(),
        measure: measure.name().to_owned(),
        strength: view.known().iter().map(strength).collect(),
    }
}

/// Says in plain words where hardly anything can remain.
pub(super) fn warnings(policy: &Policy, schema: &Schema) -> Vec<String> {
    let weak = at_best(policy, schema).into_iter().filter_map(|best| {
        let strongest = best.strength.values().copied().fold(0.0, f64::max);
        (!best.strength.is_empty() && strongest < HARDLY_ANY).then(|| {
            format!(
                "next to nothing of how the known columns go with `{}` will remain, whatever the data: where 1 is the closest link there is, {} can at best be {} with this model and algorithm. That is by design: whoever may not learn a person's value from the group may not learn it of groups of people either",
                best.sensitive,
                measure_in_words(&best.measure),
                up(strongest),
            )
        })
    });
    weak.collect()
}

/// The name of a measure in a sentence.
fn measure_in_words(name: &str) -> &'static str {
    match name == Strength::CramersV.name() {
        true => "Cramér's V",
        false => "the correlation ratio",
    }
}

/// Two digits, rounded up: a bound must not look less than it is.
fn up(strength: f64) -> String {
    format!("{:.2}", (strength * 100.0).ceil() / 100.0)
}
