//! Additions for the owner's page: figures measured with the true values, not for publication.

use super::Page;
use super::page::{Pictures, frame, table};
use super::public::rounded;
use super::words::thousands;
use crate::attack::{self, AttackFindings};
use crate::correlations;
use crate::picture::percent;
use crate::picture::{Bars, Series};
use crate::query::{ColumnDistribution, Reader};
use maud::{Markup, html};
use openveil_io::load::Loaded;
use openveil_io::release_dir::write::Owner;
use openveil_io::release_dir::write::manifest::MeasuredCorrelations;
use openveil_io::release_dir::write::manifest::{AssociationKept, TrueCounts};
use openveil_text::Text;

/// Findings of attacks.
#[derive(Debug, Clone, PartialEq)]
pub enum Attacked {
    /// Attacks were made, with these findings.
    Found(AttackFindings),
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
    distributions
        .iter()
        .filter_map(|found| {
            let column =
                loaded.table.columns().iter().find(|column| column.name() == found.column)?;
            let mut rows = vec![0.0; column.domain().len()];
            column.codes().iter().for_each(|&code| rows[code as usize] += 1.0);
            let labels: Vec<&str> = column.domain().labels().collect();
            let values = labels.iter().copied().zip(rows.iter().copied());
            Some(TrueCounts {
                table: reader.beside(found, values),
                column: found.column.clone(),
                parts: found.names.clone(),
                release: found.rows.clone(),
            })
        })
        .collect()
}

/// Returns the owner's page, with the findings of attacks if there were any.
pub fn owner(owner: &Owner, attacked: Option<&Attacked>) -> Page {
    let mut pictures = Pictures::default();
    let body = html! {
        h1 { "Owner's report: measured with the true values" }
        p.warning { (owner.warning) " Do not publish again because of these figures: you would choose by the true values, and the guarantee against a reader who knows the program would no longer hold." }
        p { "The public report is " code { "release/report.html" } ". This page adds figures that only you may see." }
        (input(owner))
        (distributions(&mut pictures, owner))
        (associations(&mut pictures, owner))
        (errors(owner))
        (attacks(attacked))
        (correlations(&mut pictures, owner, attacked))
        (timings(owner))
    };
    Page { html: frame("For the owner only", "en", &body), pictures: pictures.0 }
}

fn input(owner: &Owner) -> Markup {
    let missing: Vec<Vec<String>> =
        owner.missing.iter().map(|(column, rows)| vec![column.clone(), thousands(*rows)]).collect();
    html! {
        h2 { "Input" }
        dl {
            dt { "Policy" } dd { code { (owner.policy) } }
            dt { "Files" } dd { @for file in &owner.input { code { (file) } " " } }
            dt { "Rows" } dd { (thousands(owner.input_rows)) }
        }
        @if !missing.is_empty() { (table("Missing values", &["column", "rows"], &missing, &[1])) }
        @if !owner.warnings.is_empty() {
            h3 { "Warnings" }
            ul { @for warning in &owner.warnings { li { (warning) } } }
        }
        @if !owner.checklist.is_empty() {
            h3 { "Check by hand" }
            ul { @for line in &owner.checklist { li { (line) } } }
        }
    }
}

fn distributions(pictures: &mut Pictures, owner: &Owner) -> Markup {
    html! {
        h2 { "Columns before and after" }
        @if owner.distributions.is_empty() { p { "Not measured." } }
        @for found in &owner.distributions {
            (pictures.bars(&format!("owner-column-{}", found.column), &found.column, &Bars {
                title: format!("{}: rows per value in the table and in the release", found.column),
                names: found.parts.clone(),
                series: vec![rounded("table", &found.table), rounded("release", &found.release)],
                most: None,
            }))
        }
    }
}

fn associations(pictures: &mut Pictures, owner: &Owner) -> Markup {
    html! {
        h2 { "Associations with sensitive columns before and after" }
        @if owner.association.is_empty() { p { "Not measured." } }
        @for (number, kept) in owner.association.iter().enumerate() {
            (association(pictures, number, kept))
            p { "Counts by one column and " (kept.sensitive) " have an average error of " (percent(kept.query_error)) "." }
        }
    }
}

fn association(pictures: &mut Pictures, number: usize, kept: &AssociationKept) -> Markup {
    let series = |name: &str, values: Vec<f64>| Series {
        name: name.to_owned(),
        texts: values.iter().map(|strength| format!("{strength:.3}")).collect(),
        values,
    };
    let table = kept.columns.iter().map(|link| link.table).collect();
    let release = kept.columns.iter().map(|link| link.release).collect();
    pictures.bars(
        &format!("owner-association-{}", number + 1),
        "column",
        &Bars {
            title: format!("Association of columns with {} ({})", kept.sensitive, kept.measure),
            names: kept.columns.iter().map(|link| link.columns.join(" and ")).collect(),
            series: vec![series("table", table), series("release", release)],
            most: Some(1.0),
        },
    )
}

fn errors(owner: &Owner) -> Markup {
    let rows =
        owner.query_errors.iter().map(|error| vec![error.predicate.clone(), percent(error.mean)]);
    let rows: Vec<Vec<String>> = rows.collect();
    html! {
        h2 { "Errors of count queries" }
        @if rows.is_empty() { p { "Not measured. The option " code { "--measure" } " of " code { "openveil publish" } " measures them." } }
        @else { (table("Mean error of 1,000 random queries each", &["queries on", "mean error"], &rows, &[1])) }
        @if let Some(divergence) = owner.divergence {
            p { "The estimate that a reader makes from all tables is " (format!("{divergence:.3}")) " nats from the true table (Kullback–Leibler divergence)." }
        }
    }
}

fn attacks(attacked: Option<&Attacked>) -> Markup {
    let Some(found) = attacked else {
        return html! {
            h2 { "Attacks" }
            p { "Not tried. Run " code { "openveil report DIR --policy POLICY.toml" } " to attack the release and write this page again." }
        };
    };
    let found = match found {
        Attacked::Found(found) => found,
        Attacked::NotPossible(why) => {
            return html! { h2 { "Attacks" } p { "Not tried: " (why) "." } };
        }
    };
    let mut tables = Vec::new();
    if let AttackFindings::Several(report) = found {
        tables.push((None, on_rules(report)));
    }
    for (column, report) in found.of_columns() {
        tables.push((column, on_a_table(report)));
    }
    html! {
        h2 { "Attacks" }
        @if found.promise_broken() { p.warning { "The guarantee is broken. Do not publish this release." } }
        @for (column, rows) in tables {
            @if let Some(column) = column { h3 { (column) } }
            (table("Results of the attacks", &["attack", "result"], &rows, &[]))
        }
    }
}

/// Shows the latest measurement of guesses by readers who know correlations.
fn correlations(pictures: &mut Pictures, owner: &Owner, attacked: Option<&Attacked>) -> Markup {
    let again = match attacked {
        Some(Attacked::Found(AttackFindings::Single(found))) => found.correlations.as_ref(),
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
                p { "Not measured. Set " code { "measure = true" } " under " code { "[reader]" } " or run " code { "openveil attack --correlations" } "." }
            };
        }
    };
    let rows: Vec<Vec<String>> = found
        .readers()
        .into_iter()
        .map(|(name, reading)| {
            vec![
                name.to_owned(),
                percent(reading.accuracy),
                reading.above_bound.map(percent).unwrap_or_default(),
                percent(reading.nearly_certain),
                percent(reading.mean_belief),
            ]
        })
        .collect();
    let beyond = found.bound.as_deref().unwrap_or("the limit");
    let header = [
        "reader",
        "correct guesses",
        &format!("certainty above {beyond}"),
        "certainty above 0.9",
        "mean certainty",
    ];
    html! {
        h2 { "Readers who know correlations" }
        p { "These readers know the values of " (thousands(found.public.rows)) " people (" (found.public.source) ") and who is in which group. They guess the values of " (thousands(found.people)) " other people. No limit exists for them, unless groups are formed by random draws; then the limit holds within the odds. Compare their guesses with the guesses they would make without the release." }
        (table("Their guesses", &header, &rows, &[1, 2, 3, 4]))
        (pictures.bars("owner-correlations", "reader", &correlations::guesses(found)))
        (pictures.bars("owner-calibration", "certainty", &correlations::calibration(found)))
    }
}

/// Returns a row for each rule: the findings of its reader, who puts all tables together.
fn on_rules(found: &attack::RulesReport) -> Vec<Vec<String>> {
    found
        .rules
        .iter()
        .map(|rule| {
            let chance = rule.highest.as_deref().unwrap_or("unknown");
            vec![
                format!("{} → {}", rule.given.join(", "), rule.protect.join(", ")),
                format!(
                    "certain about {} of {} people; the highest chance is {chance}",
                    thousands(rule.certain),
                    thousands(rule.people)
                ),
            ]
        })
        .collect()
}

fn on_a_table(found: &attack::AttackReport) -> Vec<Vec<String>> {
    let rerun = &found.rerun;
    let mut rows = vec![
        vec![
            "run the program again".to_owned(),
            format!(
                "{} of {} people exposed: {}",
                thousands(rerun.exposed),
                thousands(rerun.sampled),
                rerun.note
            ),
        ],
        vec![
            "look for groups with only one value".to_owned(),
            format!(
                "{} groups found; the highest share of a protected value is {}",
                thousands(found.homogeneity.groups),
                found.homogeneity.highest_share
            ),
        ],
        vec![
            "count the facts of the kind “not this value” that make a value certain".to_owned(),
            format!("at least {}, {:.1} on average", found.background.min, found.background.mean),
        ],
    ];
    let outcome = |name: &str, words: Result<String, &Text>| {
        vec![name.to_owned(), words.unwrap_or_else(|why| format!("not measured: {why}"))]
    };
    rows.push(outcome("learn from the groups", match &found.learning {
        attack::Measurement::Measured(learned) => Ok(format!(
            "predicts {} of the values; guessing the most frequent value of each person's groups predicts {}",
            percent(learned.accuracy), percent(learned.majority)
        )),
        attack::Measurement::NotMeasured { not_measured } => Err(not_measured),
    }));
    rows.push(outcome(
        "use that the algorithm stops at the first success",
        match &found.minimality {
            attack::Measurement::Measured(found) => Ok(format!(
                "rules out a value for {} of {} people",
                thousands(found.affected),
                thousands(found.sampled)
            )),
            attack::Measurement::NotMeasured { not_measured } => Err(not_measured),
        },
    ));
    rows
}

fn timings(owner: &Owner) -> Markup {
    let rows =
        owner.timings_ms.iter().map(|(stage, ms)| vec![stage.clone(), format!("{ms:.0} ms")]);
    let rows: Vec<Vec<String>> = rows.collect();
    html! {
        h2 { "Run time" }
        (table("Stages", &["stage", "time"], &rows, &[1]))
        p { "Do not publish these times: they depend on who has which value." }
    }
}
