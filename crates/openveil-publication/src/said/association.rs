//! Association of known columns with the sensitive one: in a release, in the owner's table, and at
//! best.

use crate::asked::Job;
use crate::made::schema::TablePlans;
use crate::made::table::{Guarded, MadeTable};
use openveil_analysis::{Evidence, Meaning};
use openveil_core::table::View;
use openveil_io::release_dir::write::manifest::{
    Association, AssociationKept, LearnedColumn, LearnedEntry, LinkKept, Strongest,
};
use openveil_measures::utility::{
    BestLinks, CountedPeople, Errors, Index, MeasuredLink, QueryKind, StrengthMeasure, Workload,
    links, links_of_pairs,
};
use openveil_text::{Text, text};

/// The number of rows beyond which tables are measured only on request: it would take longer than
/// publishing them.
const MOST_ROWS: usize = 200_000;

/// The most known columns and rows for which pairs of columns are measured without a request.
const MOST_PAIRED_AT_ONCE: usize = 10;
const MOST_ROWS_AT_ONCE: usize = 100_000;

/// The number of queries that are made on a release.
const QUERIES: usize = 400;

/// An association that is weaker than this at best counts as none: a tenth of the greatest
/// possible.
const HARDLY_ANY: f64 = 0.1;

/// The note to the owner beside the figures.
const NOTE: &str = "Measured with the true values: not for publication. Do not publish again because of these figures: that would be a choice by the true values, and the guarantee against a reader who knows the program would no longer hold. Choose before the run, on another table or on a copy whose sensitive column was freshly shuffled.";

/// Returns the association of columns that every anonymised table still shows. It depends on the
/// release and on the known columns' domains, not on who has which value.
pub(crate) fn shown(tables: &[MadeTable]) -> Vec<Association> {
    guarded(tables)
        .filter(|made| made.view.rows() <= MOST_ROWS)
        .map(|made| Association {
            sensitive: made.view.secret().name().to_owned(),
            measure: StrengthMeasure::new(&made.view).name().to_owned(),
            strength: links(made.released())
                .into_iter()
                .map(|link| (link.columns.concat(), link.strength))
                .collect(),
        })
        .collect()
}

/// Returns what a fit can learn from every anonymised table. It depends on the release and on the
/// known columns' domains. `bound` is the guarantee's bound for a single table.
pub(crate) fn learned(tables: &[MadeTable], job: &Job, bound: Option<f64>) -> Vec<LearnedEntry> {
    guarded(tables).filter_map(|made| learned_of(made, job, bound)).collect()
}

fn learned_of(made: &Guarded, job: &Job, bound: Option<f64>) -> Option<LearnedEntry> {
    if job.algorithm.profile().is_matching() {
        return None;
    }
    let (view, secret) = (&made.view, made.view.secret());
    let evidence = Evidence::new(&made.release);
    let meaning = Meaning::new(view.known(), secret);
    let protected: Vec<bool> = secret.exempt().iter().map(|exempt| !exempt).collect();
    let found =
        openveil_analysis::learned(&evidence, &meaning, &protected, bound.unwrap_or(1.0), SEED)?;
    let column =
        |(column, link): (&openveil_core::table::Column, &openveil_analysis::Link)| LearnedColumn {
            column: column.name().to_owned(),
            recovered: link.recovered,
            // Cells that show ranges hide values, so no value of such a column is named.
            strongest: link
                .strongest
                .filter(|_| !job.policy.output.style.is_range(column.form()))
                .map(|(code, value, difference)| Strongest {
                    known: column.domain().label(code).to_owned(),
                    sensitive: secret.label(value),
                    difference,
                }),
        };
    Some(LearnedEntry {
        sensitive: secret.name().to_owned(),
        believed: found.beliefs.mean,
        outside: Some(found.outside),
        most_frequent: most_frequent(view.histogram().counts()),
        above_bound: bound.map(|_| found.beliefs.above_bound),
        nearly_certain: found.beliefs.nearly_certain,
        columns: view.known().iter().zip(&found.columns).map(column).collect(),
    })
}

/// The share of the most frequent value; none without rows.
fn most_frequent(counts: &[u32]) -> Option<f64> {
    let rows: f64 = counts.iter().copied().map(f64::from).sum();
    let most = counts.iter().max().filter(|_| rows > 0.0)?;
    Some(f64::from(*most) / rows)
}

/// The seed of a fit's random draws, which need not be secret.
const SEED: u64 = 1;

/// Returns how much of the association in the owner's table the release retains; `shown` is the
/// result of [`shown`].
pub(crate) fn kept(
    tables: &[MadeTable],
    shown: &[Association],
    measure: bool,
) -> Vec<AssociationKept> {
    let mut shown = shown.iter();
    guarded(tables)
        .map(|made| {
            let is_shown = made.view.rows() <= MOST_ROWS;
            (made, if is_shown { shown.next() } else { None })
        })
        .filter(|(_, shown)| measure || shown.is_some())
        .map(|(made, shown)| kept_by(made, shown, measure))
        .collect()
}

fn kept_by(made: &Guarded, shown: Option<&Association>, measure: bool) -> AssociationKept {
    let view = &made.view;
    let is_small = view.known().len() <= MOST_PAIRED_AT_ONCE && view.rows() <= MOST_ROWS_AT_ONCE;
    let pairs = |counted| {
        if measure || is_small { links_of_pairs(counted) } else { Vec::new() }
    };
    let (table, released) = (CountedPeople::Table(view), made.released());
    let columns = match shown {
        Some(shown) => beside_shown(links(table), shown),
        None => LinkKept::beside(&links(table), &links(released)),
    };
    AssociationKept {
        note: NOTE.to_owned(),
        sensitive: view.secret().name().to_owned(),
        measure: StrengthMeasure::new(view).name().to_owned(),
        columns,
        pairs: LinkKept::beside(&pairs(table), &pairs(released)),
        query_error: errors(made).floored,
    }
}

fn beside_shown(table: Vec<MeasuredLink>, shown: &Association) -> Vec<LinkKept> {
    table
        .into_iter()
        .map(|link: MeasuredLink| LinkKept {
            table: link.strength,
            release: shown.strength[&link.columns.concat()],
            columns: link.columns,
        })
        .collect()
}

/// Returns the errors of queries on one known column and the sensitive one.
fn errors(made: &Guarded) -> Errors {
    let kind = QueryKind::of_dimension(1).with_sensitive();
    let workload = Workload::random(&made.view, &kind, QUERIES, 0);
    workload.errors(&made.view, &Index::new(&made.release))
}

impl Guarded {
    fn released(&self) -> CountedPeople<'_> {
        CountedPeople::Release(&self.view, &self.release)
    }
}

fn guarded(tables: &[MadeTable]) -> impl Iterator<Item = &Guarded> {
    tables.iter().filter_map(|made| match made {
        MadeTable::Open { .. } | MadeTable::Chunked(_) => None,
        MadeTable::Guarded(made) => Some(&**made),
    })
}

/// Returns, for every anonymised table, the greatest association that can remain, from model
/// and histogram alone. Tables in strata are left out, since each stratum has its own
/// histogram.
pub(crate) fn at_best(schema: &TablePlans) -> Vec<Association> {
    let guards = schema.tables.iter().filter_map(|table| table.guard.as_ref());
    // No bound is known for several columns that are each protected by themselves.
    guards
        .filter(|guard| {
            guard.view.strata_columns().len() == 0 && guard.view.secret().each().is_none()
        })
        .filter_map(|guard| {
            let criteria = guard.model.bind(&guard.view).ok()?;
            Some(of_bound(&guard.view, BestLinks::of_model(&guard.view, &criteria)))
        })
        .collect()
}

fn of_bound(view: &View, best: BestLinks) -> Association {
    let measure = StrengthMeasure::new(view);
    let strength = |column: &openveil_core::table::Column| {
        let strength = best.strength(measure, column.domain().len());
        (column.name().to_owned(), strength)
    };
    Association {
        sensitive: view.secret().name().to_owned(),
        measure: measure.name().to_owned(),
        strength: view.known().iter().map(strength).collect(),
    }
}

/// Warns in plain words if hardly any association can remain.
pub(crate) fn warnings(at_best: &[Association]) -> Vec<Text> {
    at_best.iter().filter_map(|best| {
        let strongest = best.strength.values().copied().fold(0.0, f64::max);
        (!best.strength.is_empty() && strongest < HARDLY_ANY).then(|| {
            text!(
                "next to nothing of how the known columns go with `{}` can remain, whatever the data: on a scale where 1 is the closest association, {} can at best be {} with this model and algorithm. This is by design: if a reader may not learn a person's value from the group, analysts cannot learn it for groups of people either",
                best.sensitive,
                measure_in_words(&best.measure),
                up(strongest),
            )
        })
    }).collect()
}

/// Returns the name of a measure for a sentence.
fn measure_in_words(name: &str) -> &'static str {
    if name == StrengthMeasure::CramersV.name() { "Cramér's V" } else { "the correlation ratio" }
}

/// Returns two digits, rounded up: a bound must not look lower than it is.
fn up(strength: f64) -> String {
    format!("{:.2}", (strength * 100.0).ceil() / 100.0)
}
