//! Additions for the owner's page: figures measured with the true values, not for publication.

use super::Page;
use super::page::{Pictures, frame, said, table};
use super::public::{association_title, rounded, strengths};
use super::words::{number, share};
use crate::attack::{self, AttackFindings};
use crate::correlations;
use crate::picture::Bars;
use crate::query::{ColumnDistribution, Reader};
use maud::{Markup, html};
use openveil_io::load::Loaded;
use openveil_io::release_dir::write::Owner;
use openveil_io::release_dir::write::manifest::MeasuredCorrelations;
use openveil_io::release_dir::write::manifest::{AssociationKept, TrueCounts};
use openveil_text::{Language, Text, Voice, text};

/// Findings of attacks.
#[derive(Debug, Clone, PartialEq)]
pub enum Attacked {
    /// Attacks were made, with these findings.
    Found(AttackFindings),
    /// No attack was tried, with the reason.
    NotPossible(Text),
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

/// Returns the owner's page in a language, with the findings of attacks if there were any.
pub fn owner(owner: &Owner, attacked: Option<&Attacked>, language: Language) -> Page {
    Voice::Page(language).speak(|| page(owner, attacked, language))
}

fn page(owner: &Owner, attacked: Option<&Attacked>, language: Language) -> Page {
    let mut pictures = Pictures::default();
    let body = html! {
        h1 { (text!("Owner's report: measured with the true values")) }
        p.warning { (text!("Not for publication: this page was made with knowledge of the true values. Do not publish again because of these figures: you would choose by the true values, and the guarantee against a reader who knows the program would no longer hold.")) }
        p { (said(text!("The public report is {}. This page adds figures that only you may see.", "`release/report.html`"))) }
        (input(owner))
        (distributions(&mut pictures, owner))
        (associations(&mut pictures, owner))
        (errors(owner))
        (attacks(attacked))
        (correlations(&mut pictures, owner, attacked))
    };
    Page { html: frame(text!("For the owner only"), language, &body), pictures: pictures.0 }
}

fn input(owner: &Owner) -> Markup {
    let missing: Vec<Vec<Text>> = owner
        .missing
        .iter()
        .map(|(column, rows)| vec![column.clone().into(), number(rows)])
        .collect();
    html! {
        h2 { (text!("Input")) }
        dl {
            dt { (text!("Policy")) } dd { code { (owner.policy) } }
            dt { (text!("Files")) } dd { @for file in &owner.input { code { (file) } " " } }
            dt { (text!("Rows")) } dd { (number(owner.input_rows)) }
        }
        @if !missing.is_empty() { (table(text!("Missing values"), &[text!("column"), text!("rows")], &missing, &[1])) }
        @if !owner.warnings.is_empty() { h3 { (text!("Warnings")) } (as_recorded(&owner.warnings)) }
        @if !owner.checklist.is_empty() { h3 { (text!("Check by hand")) } (as_recorded(&owner.checklist)) }
    }
}

/// Lists messages in the words of the owner's file, which are English in every language: the page
/// says the same when it is made again from this file.
fn as_recorded(messages: &[Text]) -> Markup {
    html! { ul lang="en" { @for message in messages { li { (message.say(Voice::Command, None)) } } } }
}

fn distributions(pictures: &mut Pictures, owner: &Owner) -> Markup {
    html! {
        h2 { (text!("Columns before and after")) }
        @if owner.distributions.is_empty() { p { (text!("Not measured.")) } }
        @for found in &owner.distributions {
            (pictures.bars(&format!("owner-column-{}", found.column), &found.column, &Bars {
                title: text!("{}: rows per value in the table and in the release", found.column).to_string(),
                names: found.parts.clone(),
                series: vec![rounded(&text!("table"), &found.table), rounded(&text!("release"), &found.release)],
                most: None,
            }))
        }
    }
}

fn associations(pictures: &mut Pictures, owner: &Owner) -> Markup {
    html! {
        h2 { (text!("Associations with sensitive columns before and after")) }
        @if owner.association.is_empty() { p { (text!("Not measured.")) } }
        @for (number, kept) in owner.association.iter().enumerate() {
            (association(pictures, number, kept))
            p { (text!("Counts by one column and {} have an average error of {:text}.", kept.sensitive, share(kept.query_error))) }
        }
    }
}

fn association(pictures: &mut Pictures, number: usize, kept: &AssociationKept) -> Markup {
    let table = kept.columns.iter().map(|link| link.table).collect();
    let release = kept.columns.iter().map(|link| link.release).collect();
    pictures.bars(
        &format!("owner-association-{}", number + 1),
        text!("column"),
        &Bars {
            title: association_title(&kept.sensitive, &kept.measure).to_string(),
            names: kept.columns.iter().map(|link| link.columns.join(" + ")).collect(),
            series: vec![strengths(&text!("table"), table), strengths(&text!("release"), release)],
            most: Some(1.0),
        },
    )
}

fn errors(owner: &Owner) -> Markup {
    let rows = owner
        .query_errors
        .iter()
        .map(|error| vec![error.predicate.clone().into(), share(error.mean)]);
    let rows: Vec<Vec<Text>> = rows.collect();
    html! {
        h2 { (text!("Errors of count queries")) }
        @if rows.is_empty() { p { (said(text!("Not measured. `openveil publish --measure` measures them."))) } }
        @else { (table(text!("Mean error of 1,000 random queries each"), &[text!("queries on"), text!("mean error")], &rows, &[1])) }
        @if let Some(divergence) = owner.divergence {
            p { (text!("The estimate that a reader makes from all tables is {:text} nats from the true table (Kullback–Leibler divergence).", Text::number(format!("{divergence:.3}")))) }
        }
    }
}

fn attacks(attacked: Option<&Attacked>) -> Markup {
    let found = match attacked {
        Some(Attacked::Found(found)) => found,
        Some(Attacked::NotPossible(why)) => {
            return html! { h2 { (text!("Attacks")) } p { (text!("Not tried: {why:text}.")) } };
        }
        None => {
            return html! {
                h2 { (text!("Attacks")) }
                p { (said(text!("Not tried. Run `openveil report DIR --policy POLICY.toml` to attack the release and write this page again."))) }
            };
        }
    };
    let head = [text!("attack"), text!("result"), text!("meaning")];
    html! {
        h2 { (text!("Attacks")) }
        @if found.promise_broken() { p.warning { (text!("The guarantee is broken. Do not publish this release.")) } }
        @if let AttackFindings::Several(report) = found {
            (table(text!("Results of the attacks"), &head[..2], &on_rules(report), &[]))
        }
        @for (column, report) in found.of_columns() {
            @if let Some(column) = column { h3 { (column) } }
            (table(text!("Results of the attacks"), &head, &report.lines().into_iter().map(Vec::from).collect::<Vec<_>>(), &[]))
            p { (said(&report.rerun.note)) }
        }
    }
}

/// Shows the latest measurement of guesses by readers who know correlations.
fn correlations(pictures: &mut Pictures, owner: &Owner, attacked: Option<&Attacked>) -> Markup {
    let again = match attacked {
        Some(Attacked::Found(AttackFindings::Single(found))) => found.correlations.as_ref(),
        _ => None,
    };
    let heading = html! { h2 { (text!("Readers who know correlations")) } };
    let found = match again.or(owner.correlations.as_ref()) {
        Some(MeasuredCorrelations::Found(found)) => found,
        Some(MeasuredCorrelations::Not(why)) => {
            return html! { (heading) p { (text!("Not measured.")) } (as_recorded(std::slice::from_ref(&why.not_measured))) };
        }
        None => {
            return html! {
                (heading)
                p { (said(text!("Not measured. Set `measure = true` under [reader], or run `openveil attack --correlations`."))) }
            };
        }
    };
    let rows: Vec<Vec<Text>> = found
        .readers()
        .into_iter()
        .map(|(name, reading)| {
            vec![
                name.into(),
                share(reading.accuracy),
                reading.above_bound.map(share).unwrap_or_default(),
                share(reading.nearly_certain),
                share(reading.mean_belief),
            ]
        })
        .collect();
    let beyond = match &found.bound {
        Some(bound) => text!("certainty above {bound}"),
        None => text!("certainty above the limit"),
    };
    let head = [
        text!("reader"),
        text!("correct guesses"),
        beyond,
        text!("certainty above 90 %"),
        text!("mean certainty"),
    ];
    let (known, guessed) = (number(found.public.rows), number(found.people));
    html! {
        (heading)
        p { (said(text!("These readers know the values of {known:text} people ({}) and who is in which group. They guess the values of {guessed:text} other people. No limit exists for them, unless groups are formed by random draws; then the limit holds within the odds. Compare their guesses with the guesses they would make without the release.", format!("`{}`", found.public.source)))) }
        (table(text!("Their guesses"), &head, &rows, &[1, 2, 3, 4]))
        (pictures.bars("owner-correlations", text!("reader"), &correlations::guesses(found)))
        (pictures.bars("owner-calibration", text!("certainty"), &correlations::calibration(found)))
    }
}

/// Returns a row for each rule: the findings of its reader, who puts all tables together.
fn on_rules(found: &attack::RulesReport) -> Vec<Vec<Text>> {
    found
        .rules
        .iter()
        .map(|rule| {
            let (certain, people) = (number(rule.certain), number(rule.people));
            let result = match &rule.highest {
                Some(chance) => text!(
                    "certain about {certain:text} of {people:text} people; the highest chance is {chance}"
                ),
                None => text!(
                    "certain about {certain:text} of {people:text} people; the highest chance is unknown"
                ),
            };
            vec![format!("{} → {}", rule.given.join(", "), rule.protect.join(", ")).into(), result]
        })
        .collect()
}
