//! Additions for the owner's page: figures measured with the true values, not for publication.

use super::Page;
use super::page::{Pictures, frame, table};
use super::public::rounded;
use super::words::thousands;
use crate::attack;
use crate::correlations;
use crate::picture::percent;
use crate::picture::{Bars, Series};
use crate::query::{ColumnDistribution, Reader};
use maud::{Markup, html};
use openveil_io::load::Loaded;
use openveil_io::release_dir::write::Owner;
use openveil_io::release_dir::write::manifest::MeasuredCorrelations;
use openveil_io::release_dir::write::manifest::{AssociationKept, TrueCounts};

/// Findings of attacks.
#[derive(Debug, Clone, PartialEq)]
pub enum Attacked {
    /// On a single table.
    Table(Box<attack::AttackReport>),
    /// On the tables that satisfy rules together.
    Rules(attack::RulesReport),
    /// No attack was tried, with the reason.
    NotPossible(String),
}

/// Returns the columns of the owner's table compared with the release, whose distributions are
/// known. O(rows · columns).
pub fn true_counts(
    reader: &Reader,
    distributions: &[ColumnDistribution],
    loaded: &Loaded,
) -> Vec<TrueCounts> {
    let counts = distributions.iter().filter_map(|found| {
        let mut columns = loaded.table.columns().iter();
        let column = columns.find(|column| column.name() == found.column)?;
        let mut rows = vec![0.0; column.domain().len()];
        column
            .codes()
            .iter()
            .for_each(|&code| rows[code as usize] += 1.0);
        let labels: Vec<&str> = column.domain().labels().collect();
        let values = labels.iter().copied().zip(rows.iter().copied());
        Some(TrueCounts {
            table: reader.beside(found, values),
            column: found.column.clone(),
            parts: found.names.clone(),
            release: found.rows.clone(),
        })
    });
    counts.collect()
}

/// Returns the owner's page, with the findings of attacks if there were any.
pub fn owner(owner: &Owner, attacked: Option<&Attacked>) -> Page {
    let mut pictures = Pictures::default();
    let body = html! {
        h1 { "For the owner: what was measured with the true values" }
        p.warning { (owner.warning) " Whoever publishes again because of these figures has chosen on the true values, and what is promised to a reader who knows the program no longer holds." }
        p { "The public page is " code { "release/report.html" } "; this one adds what only you may see." }
        (input(owner))
        (distributions(&mut pictures, owner))
        (associations(&mut pictures, owner))
        (errors(owner))
        (attacks(attacked))
        (correlations(&mut pictures, owner, attacked))
        (timings(owner))
    };
    Page {
        html: frame("For the owner only", "en", &body),
        pictures: pictures.0,
    }
}

fn input(owner: &Owner) -> Markup {
    let missing = owner
        .missing
        .iter()
        .map(|(column, rows)| vec![column.clone(), thousands(*rows)]);
    let missing: Vec<Vec<String>> = missing.collect();
    html! {
        h2 { "The input" }
        dl {
            dt { "Policy" } dd { code { (owner.policy) } }
            dt { "Files" } dd { @for file in &owner.input { code { (file) } " " } }
            dt { "Rows" } dd { (thousands(owner.input_rows)) }
        }
        @if !missing.is_empty() { (table("Rows without a value", &["column", "rows"], &missing, &[1])) }
        @if !owner.warnings.is_empty() {
            h3 { "What to look at" }
            ul { @for warning in &owner.warnings { li { (warning) } } }
        }
        @if !owner.checklist.is_empty() {
            h3 { "To check by hand" }
            ul { @for line in &owner.checklist { li { (line) } } }
        }
    }
}

fn distributions(pictures: &mut Pictures, owner: &Owner) -> Markup {
    html! {
        h2 { "Every column, before and after" }
        @if owner.distributions.is_empty() { p { "Not measured." } }
        @for found in &owner.distributions {
            (pictures.bars(&format!("owner-column-{}", found.column), &found.column, &Bars {
                title: format!("{}: rows of the table and of the release", found.column),
                names: found.parts.clone(),
                series: vec![rounded("table", &found.table), rounded("release", &found.release)],
                most: None,
            }))
        }
    }
}

fn associations(pictures: &mut Pictures, owner: &Owner) -> Markup {
    html! {
        h2 { "How columns go with what is protected, before and after" }
        @if owner.association.is_empty() { p { "Not measured." } }
        @for (number, kept) in owner.association.iter().enumerate() {
            (association(pictures, number, kept))
            p { "Counts by one column and " (kept.sensitive) " are " (percent(kept.query_error)) " off on average." }
        }
    }
}

fn association(pictures: &mut Pictures, number: usize, kept: &AssociationKept) -> Markup {
    let series = |name: &str, values: Vec<f64>| Series {
        name: name.to_owned(),
        texts: values
            .iter()
            .map(|strength| format!("{strength:.3}"))
            .collect(),
        values,
    };
    let table = kept.columns.iter().map(|link| link.table).collect();
    let release = kept.columns.iter().map(|link| link.release).collect();
    pictures.bars(
        &format!("owner-association-{}", number + 1),
        "column",
        &Bars {
            title: format!("How columns go with {} ({})", kept.sensitive, kept.measure),
            names: kept
                .columns
                .iter()
                .map(|link| link.columns.join(" and "))
                .collect(),
            series: vec![series("table", table), series("release", release)],
            most: Some(1.0),
        },
    )
}

fn errors(owner: &Owner) -> Markup {
    let rows = owner
        .query_errors
        .iter()
        .map(|error| vec![error.predicate.clone(), percent(error.mean)]);
    let rows: Vec<Vec<String>> = rows.collect();
    html! {
        h2 { "Errors of count queries" }
        @if rows.is_empty() { p { "Not measured: " code { "openveil publish --measure" } " does." } }
        @else { (table("Mean error, a thousand random queries each", &["queries on", "mean error"], &rows, &[1])) }
        @if let Some(divergence) = owner.divergence {
            p { "What a reader of all tables estimates is " (format!("{divergence:.3}")) " nats from the table (Kullback–Leibler divergence)." }
        }
    }
}

fn attacks(attacked: Option<&Attacked>) -> Markup {
    let Some(found) = attacked else {
        return html! {
            h2 { "Attacks" }
            p { "Not tried: " code { "openveil report DIR --policy POLICY.toml" } " attacks the release and writes this page anew." }
        };
    };
    let (broken, rows) = match found {
        Attacked::Table(found) => (found.promise_broken, on_a_table(found)),
        Attacked::Rules(found) => (found.promise_broken, on_rules(found)),
        Attacked::NotPossible(why) => {
            return html! { h2 { "Attacks" } p { "Not tried: " (why) "." } };
        }
    };
    html! {
        h2 { "Attacks" }
        @if broken { p.warning { "The promise is broken: do not publish this release." } }
        (table("What attacks found", &["attack", "found"], &rows, &[]))
    }
}

/// Shows the latest measurement of guesses by readers who know correlations.
fn correlations(pictures: &mut Pictures, owner: &Owner, attacked: Option<&Attacked>) -> Markup {
    let again = match attacked {
        Some(Attacked::Table(found)) => found.correlations.as_ref(),
        _ => None,
    };
    let found = match again.or(owner.correlations.as_ref()) {
        Some(MeasuredCorrelations::Found(found)) => found,
        Some(MeasuredCorrelations::Not(why)) => {
            return html! { h2 { "Readers who know correlations" } p { "Not measured: " (why.not_measured) "." } };
        }
        None => {
            return html! {
                h2 { "Readers who know correlations" }
                p { "Not measured: " code { "measure = true" } " under " code { "[reader]" } " or " code { "openveil attack --correlations" } " does." }
            };
        }
    };
    let rows = found.readers().into_iter().map(|(name, reading)| {
        vec![
            name.to_owned(),
            percent(reading.accuracy),
            reading.above_bound.map(percent).unwrap_or_default(),
            percent(reading.nearly_certain),
            percent(reading.mean_belief),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let beyond = found.bound.as_deref().unwrap_or("the bound");
    let header = [
        "reader",
        "guesses right",
        &format!("beyond {beyond}"),
        "beyond 0.9",
        "believes",
    ];
    html! {
        h2 { "Readers who know correlations" }
        p { "They know " (thousands(found.public.rows)) " people with their values (" (found.public.source) ") and who is in which group, and guess the values of " (thousands(found.people)) " others. No bound exists for them, unless groups are formed by coins, and then within the odds; what can be judged is what they guess beyond what they would without the release." }
        (table("What they guess", &header, &rows, &[1, 2, 3, 4]))
        (pictures.bars("owner-correlations", "reader", &correlations::guesses(found)))
        (pictures.bars("owner-calibration", "certainty", &correlations::calibration(found)))
    }
}

/// Returns a row for each rule: the findings of its reader, who puts all tables together.
fn on_rules(found: &attack::RulesReport) -> Vec<Vec<String>> {
    let rules = found.rules.iter().map(|rule| {
        let chance = rule.highest.as_deref().unwrap_or("unknown");
        vec![
            format!("{} → {}", rule.given.join(", "), rule.protect.join(", ")),
            format!(
                "{} of {} people certain; the highest chance is {chance}",
                thousands(rule.certain),
                thousands(rule.people)
            ),
        ]
    });
    rules.collect()
}

fn on_a_table(found: &attack::AttackReport) -> Vec<Vec<String>> {
    let rerun = &found.rerun;
    let mut rows = vec![
        vec![
            "running the program again".to_owned(),
            format!(
                "{} of {} people exposed: {}",
                thousands(rerun.exposed),
                thousands(rerun.sampled),
                rerun.note
            ),
        ],
        vec![
            "groups of one value".to_owned(),
            format!(
                "{} groups; the highest share of a protected value is {}",
                thousands(found.homogeneity.groups),
                found.homogeneity.highest_share
            ),
        ],
        vec![
            "facts of the kind \"not this value\" to certainty".to_owned(),
            format!(
                "at least {}, {:.1} on average",
                found.background.min, found.background.mean
            ),
        ],
    ];
    let outcome = |name: &str, words: Result<String, &str>| {
        vec![
            name.to_owned(),
            words.unwrap_or_else(|why| format!("not measured: {why}")),
        ]
    };
    rows.push(outcome("learning from the groups", match &found.learning {
        attack::Measurement::Measured(learned) => Ok(format!(
            "predicts {} of the values; the most frequent value of each person's groups would give {}",
            percent(learned.accuracy), percent(learned.majority)
        )),
        attack::Measurement::NotMeasured { not_measured } => Err(not_measured),
    }));
    rows.push(outcome(
        "stops at the first success",
        match &found.minimality {
            attack::Measurement::Measured(found) => Ok(format!(
                "a value is ruled out for {} of {} people",
                thousands(found.affected),
                thousands(found.sampled)
            )),
            attack::Measurement::NotMeasured { not_measured } => Err(not_measured),
        },
    ));
    rows
}

fn timings(owner: &Owner) -> Markup {
    let rows = owner
        .timings_ms
        .iter()
        .map(|(stage, ms)| vec![stage.clone(), format!("{ms:.0} ms")]);
    let rows: Vec<Vec<String>> = rows.collect();
    html! {
        h2 { "How long it took" }
        (table("Stages", &["stage", "time"], &rows, &[1]))
        p { "Times depend on who has which value: they are not for publication either." }
    }
}
