//! Warnings about the input that the owner should read before publishing.

use super::missing::MISSING_LABEL;
use super::omitted::Omitted;
use crate::formulas::is_marked;
use crate::policy::{ColumnPolicy, Policy, Role, ValueType};
use crate::source::{Format, RawColumn};
use jiff::civil::Time;
use jiff::fmt::temporal::Pieces;
use openveil_core::table::{Column, Form, Generalization, PeopleTable};
use openveil_text::{Text, text};

/// Returns all warnings about a table.
pub(super) fn warnings(policy: &Policy, table: &PeopleTable, omitted: &Omitted) -> Vec<Text> {
    let mut warnings = repeated_people(omitted);
    warnings.extend(tied(omitted));
    warnings.extend(merged_missing(omitted));
    for column in table.columns() {
        let role = policy.columns[column.name()].role;
        if role != Role::Sensitive {
            known(policy, (column, table.rows()), role, &mut warnings);
        }
        formulas(policy, column, &mut warnings);
        if !policy.privacy.combine.is_empty() && role == Role::Sensitive {
            weak_part(policy, column, &mut warnings);
        }
    }
    warnings
}

/// Warns if a column holds points in time of which only the day is published.
pub(super) fn left_out_times(column: &ColumnPolicy, raw: &RawColumn) -> Option<Text> {
    let time = |text: &str| Pieces::parse(text).ok()?.time();
    let is_cut = column.value_type == ValueType::Date
        && column.date_format.is_none()
        && column.floor.is_none()
        && raw.values.iter().any(|text| time(text).is_some_and(|time| time != Time::midnight()));
    is_cut.then(|| {
        text!(
            "`{}` contains points in time: dates are published, without the time of day",
            raw.name
        )
    })
}

fn merged_missing(omitted: &Omitted) -> Vec<Text> {
    omitted.merged.iter().map(|column| {
        text!(
            "in `{column}`, some values read {MISSING_LABEL} and others are missing: both are published as {MISSING_LABEL} and count as one value"
        )
    }).collect()
}

/// Warns of rows that share their sensitive value: a reader who knows which rows belong together
/// can intersect their groups.
fn tied(omitted: &Omitted) -> Vec<Text> {
    omitted.tied.iter().map(|(id, secret)| {
        text!(
            "rows with the same value of `{id}` nearly always have the same value of `{secret}`: a reader who knows which rows belong together can intersect their groups and may learn it. Set `id = {id:?}` under [ties]"
        )
    }).collect()
}

fn repeated_people(omitted: &Omitted) -> Vec<Text> {
    omitted.repeated_identifiers.iter().map(|column| {
        text!(
            "the identifier `{column}` repeats, and `rows-are-people = true` states that every row is another person: the guarantee covers rows. If a person has several rows, set `id = {column:?}` under [persons]"
        )
    }).collect()
}

/// Warns of anything that makes a known column less useful, or its cells ambiguous.
fn known(policy: &Policy, (column, rows): (&Column, usize), role: Role, warnings: &mut Vec<Text>) {
    let (name, domain) = (column.name(), column.domain());
    let is_range = role != Role::Other && policy.output.style.is_range(column.form());
    // Survey weights differ from row to row, too, but they are decimals.
    let may_identify = || {
        role == Role::QuasiIdentifier
            || role == Role::Other && !domain.labels().any(|label| label.contains('.'))
    };
    let nearly_unique = domain.len() > 20 && domain.len() * 10 > rows * 9;
    if domain.len() == 1 {
        warnings.push(text!("the column `{name}` has the same value in every row"));
    } else if nearly_unique && domain.hierarchy().is_none() && may_identify() {
        warnings.push(text!(
            "the column `{name}` has {} values in {rows} rows; is it an identifier?",
            domain.len()
        ));
    }
    let ambiguous = |label: &&str| label.contains(['|', '{', '}']);
    let label = match domain.generalization() {
        Generalization::Interval => None,
        _ if !is_range || column.form() == Some(Form::Label) => None,
        Generalization::Set => domain.labels().find(ambiguous),
        Generalization::Tree(tree) => {
            let nodes = 0..tree.node_count() as u32;
            nodes.map(|node| tree.label(node)).find(ambiguous)
        }
    };
    if let Some(label) = label {
        warnings.push(text!(
            "labels of `{name}` such as `{label}` make published sets {{a|b}} ambiguous; give the column an `order`, or a `hierarchy` with `lowest-common-ancestor = true`"
        ));
    }
}

/// Warns of texts that spreadsheets run when they open a CSV file, if the policy publishes them
/// unchanged.
fn formulas(policy: &Policy, column: &Column, warnings: &mut Vec<Text>) {
    let is_text = policy.columns[column.name()].published_type() == ValueType::Text;
    let found = column.domain().labels().find(|label| is_marked(label));
    let as_they_are =
        policy.output.format.format == Format::Csv && !policy.output.format.spreadsheet_safe;
    if let Some(label) = found.filter(|_| is_text && as_they_are) {
        warnings.push(text!(
            "values of `{}` such as {label:?} begin like formulas, which spreadsheets execute when they open a CSV file; `spreadsheet-safe = false` publishes them unchanged",
            column.name()
        ));
    }
}

/// Warns of a column of a combination that could not be protected by itself.
fn weak_part(policy: &Policy, column: &Column, warnings: &mut Vec<Text>) {
    let Some(ratio) = policy.privacy.model.ratio() else {
        return;
    };
    let mut counts = vec![0u64; column.domain().len()];
    for &code in column.codes() {
        counts[code as usize] += 1;
    }
    let rows = column.codes().len() as u64;
    let frequent = |&(_, &count): &(u32, &u64)| count * u64::from(ratio.l()) > rows;
    if let Some((code, count)) = (0..).zip(&counts).find(frequent) {
        warnings.push(text!(
            "only the combination is protected: for `{}` alone, `{}` appears in {count} of {rows} rows, more than 1/{}",
            column.name(),
            column.domain().label(code),
            ratio.l()
        ));
    }
}
