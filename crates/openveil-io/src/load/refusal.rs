//! Explains in the words of the table why it is not published.

use crate::policy::Policy;
use crate::policy::persons::ROWS;
use crate::spelling::or_meant;
use crate::{Error, ErrorKind, Location, Refusal, Seen, Sight};
use openveil_core::RefusedStratum;
use openveil_core::exact::{Rational, number};
use openveil_core::model::{
    About, Failure, Ineligible, Informed, InvalidModel, Measured, Model, RatioDiversity,
};
use openveil_core::table::View;
use openveil_text::{Text, text};
use std::cmp::Reverse;

/// The name of the measure of models about the size of groups.
const NUMBER_OF_ROWS: &str = "number of rows";

/// Explains in the words of the table why no release is possible.
pub fn explain(policy: &Policy, table: &View, cause: openveil_core::Error) -> Error {
    let place = Location::file(&policy.input.source.path).column(table.secret().name());
    let largest = RatioDiversity::largest_l_of(table);
    let smaller = match largest {
        Some(l) => text!("the largest possible l is {l}"),
        None => text!("no l of 2 or more is possible"),
    };
    let is_of_values = is_of_values(table.rows(), &cause);
    let mut seen = seen(table, &cause);
    let mut refusal = refusal(table, &cause, largest);
    if let (Some(refusal), openveil_core::Error::Ties { .. }, Some(ties)) =
        (&mut refusal, &cause, policy.ties())
    {
        // Sizes of ties act as strata by these columns.
        refusal.strata = vec![ties.id.clone()];
        seen.strata = refusal.strata.clone();
    }
    let explained = match policy.privacy.model.informed() {
        Some(informed) if refusal.is_some() && policy.rules().is_none() => {
            let explained = in_words(policy, table, cause, place, smaller);
            of_readers(policy, table, informed, explained)
        }
        _ => in_words(policy, table, cause, place, smaller),
    };
    let explained = match refusal {
        Some(refusal) => explained.because(refusal),
        None => explained,
    };
    match is_of_values {
        true => explained.of_values(seen),
        false => explained,
    }
}

/// Returns what a refusal was about: the histograms of the protected columns in the strata.
fn seen(table: &View, cause: &openveil_core::Error) -> Seen {
    let mut seen = Seen::of_histograms(Sight::Model, table);
    if !matches!(cause, openveil_core::Error::Strata { .. }) {
        seen.strata.clear();
    }
    seen
}

/// Explains a refusal for informed readers, with the largest odds that the table can satisfy,
/// which follow from histogram and model alone.
fn of_readers(policy: &Policy, table: &View, informed: Informed, explained: Error) -> Error {
    let asked = policy.privacy.model.uninformed();
    let kept = match policy.privacy.model.ratio() {
        Some(ratio) => {
            text!("{} needs groups that satisfy l = {}", policy.privacy.model, ratio.l())
        }
        None => policy.privacy.model.to_string().into(),
    };
    let possible = |model: &Model| policy.method.algorithm.check(table, model).is_ok();
    let help = match largest_odds(informed.about(), |odds| possible(&asked.clone().against(odds))) {
        Some(odds) => text!(
            "the largest odds that the table allows are {} about {:text}",
            number::text(odds.odds()),
            odds.about().in_words()
        ),
        None if possible(&asked) => text!(
            "{asked} is possible without [reader], that is for readers who know no more about one person than about everybody"
        ),
        None => text!("{asked} is not possible either"),
    };
    let problem = text!("{kept:text}: {:text}", explained.problem());
    explained.with_problem(problem).help(text!(
        "{help:text}. Do not drop rows to make it fit: their absence would disclose values"
    ))
}

/// Returns the largest odds that `allows` accepts, in hundredths, in tenths or as a whole number.
fn largest_odds(about: About, allows: impl Fn(Informed) -> bool) -> Option<Informed> {
    const GREATEST: u64 = 1_000;
    let least = |unit: &u64| Informed::new(Rational::new(unit + 1, *unit), about).is_ok();
    let unit = [100, 10, 1].into_iter().find(least)?;
    let of = |steps: u64| Informed::new(Rational::new(steps, unit), about).ok();
    // All odds below `below` are allowed, and none from `refused` on.
    let (mut below, mut refused) = (unit + 1, GREATEST * unit);
    while below < refused {
        let middle = below.midpoint(refused);
        if of(middle).is_some_and(&allows) { below = middle + 1 } else { refused = middle }
    }
    match refused - 1 {
        none if none <= unit => None,
        steps => of(steps),
    }
}

/// Returns whether an error depends on values: a table with the same number of rows and other
/// values might be published.
fn is_of_values(rows: usize, cause: &openveil_core::Error) -> bool {
    match cause {
        openveil_core::Error::Ineligible(Ineligible::TooFewRows { .. }) => false,
        openveil_core::Error::Ineligible(Ineligible::TooFrequent { l, rows, .. }) => rows >= l,
        openveil_core::Error::Ineligible(Ineligible::TooFewValues { l, .. }) => rows >= *l as usize,
        openveil_core::Error::Unsatisfiable(failure) => failure.measured.what != NUMBER_OF_ROWS,
        openveil_core::Error::Strata { refused, .. }
        | openveil_core::Error::Ties { refused, .. } => {
            refused.iter().any(|stratum| is_of_values(rows, &stratum.cause))
        }
        openveil_core::Error::InvalidModel(
            InvalidModel::Parameter { .. }
            | InvalidModel::TwoCategories { .. }
            | InvalidModel::NoHierarchy { .. },
        )
        | openveil_core::Error::EmptyTable
        | openveil_core::Error::TooManyRows { .. }
        | openveil_core::Error::TooManyColumns { .. }
        | openveil_core::Error::SmallestGroup { .. }
        | openveil_core::Error::TooManyQuasiIdentifiers { .. }
        | openveil_core::Error::NotConvex { .. }
        | openveil_core::Error::ModelUnsupported { .. }
        | openveil_core::Error::SetsUnsupported { .. }
        | openveil_core::Error::NoSuchLevel { .. }
        | openveil_core::Error::BlockTooLarge { .. } => false,
        _ => true,
    }
}

/// Returns the refusal for programs, if the table cannot satisfy the model.
fn refusal(table: &View, cause: &openveil_core::Error, largest_l: Option<u32>) -> Option<Refusal> {
    let label = |value: u32| table.secret().label(value).to_owned();
    let (value, share, largest_l) = match cause {
        openveil_core::Error::Ineligible(Ineligible::TooFrequent {
            value, count, rows, ..
        }) => {
            let share = f64::from(*count) / f64::from(*rows);
            (Some(label(*value)), Some(share), largest_l)
        }
        openveil_core::Error::Unsatisfiable(shortfall) => {
            (shortfall.measured.value.map(label), None, largest_l)
        }
        openveil_core::Error::Strata { refused, .. }
        | openveil_core::Error::Ties { refused, .. } => {
            let largest = refused.iter().map(|stratum| stratum.largest_l);
            (None, None, largest.min().flatten())
        }
        openveil_core::Error::Ineligible(_) => (None, None, largest_l),
        _ => return None,
    };
    Some(Refusal { value, share, largest_l, strata: seen(table, cause).strata })
}

fn in_words(
    policy: &Policy,
    table: &View,
    cause: openveil_core::Error,
    place: Location,
    smaller: Text,
) -> Error {
    match cause {
        openveil_core::Error::Strata { refused, strata } => {
            of_strata(table, place, &refused, strata)
        }
        openveil_core::Error::Ties { refused, sizes } => {
            of_ties(policy, table, place, &refused, sizes)
        }
        openveil_core::Error::SmallestGroup { most, .. } => {
            let help = text!("lower `smallest-group` under [privacy] to {most} at most");
            Error::new(Location::file(&policy.input.source.path), cause.in_words()).help(help)
        }
        openveil_core::Error::Ineligible(Ineligible::TooFrequent { l, value, count, rows }) => {
            let share = 100.0 * f64::from(count) / f64::from(rows);
            let label = table.secret().label(value);
            // If several values are too frequent, exempting one of them would not help.
            let protected = protected_counts(table).into_iter();
            let too_frequent =
                protected.filter(|&count| u64::from(count) * u64::from(l) > u64::from(rows));
            let several = too_frequent.count() > 1;
            let exempt = match table.secret().columns() {
                _ if several => Text::default(),
                [_] => text!(
                    "; or, if `{label}` needs no protection, set `exempt = [{label:?}]` for the column"
                ),
                _ => text!(
                    "; or, if values of the combined columns need no protection, list them as `exempt`"
                ),
            };
            Error::new(
                place,
                text!("l = {l} is not possible: the value `{label}` appears in {count} of {rows} rows ({share:.1} %), and l = {l} allows at most {}", rows / l),
            )
            .of_kind(ErrorKind::Refused)
            .help(text!("{smaller:text}{exempt:text}. Do not drop rows to make it fit: their absence would disclose values"))
        }
        openveil_core::Error::Unsatisfiable(_) if table.secret().each().is_some() => {
            of_each(table, place)
        }
        openveil_core::Error::Unsatisfiable(shortfall) => {
            let mut shortfall = *shortfall;
            let which = match shortfall.measured.value.take() {
                Some(value) => text!(" (the value `{}`)", table.secret().label(value)),
                None => Text::default(),
            };
            Error::new(place, text!("no release can satisfy the model: over the whole table, {:text}{which:text}", shortfall.in_words()))
                .of_kind(ErrorKind::Refused)
                .help("lower the requirement, or list values that need no protection as `exempt`. Do not drop rows to make it fit: their absence would disclose values")
        }
        openveil_core::Error::InvalidModel(cause) => unfit(policy, table, &cause),
        openveil_core::Error::Ineligible(cause) => Error::new(place, cause.in_words())
            .of_kind(ErrorKind::Refused)
            .help(smaller.and(what_limits(table))),
        cause @ openveil_core::Error::NoSuchLevel { .. } => {
            Error::new(Location::file(&policy.path), cause.in_words())
                .help(text!("write a lower level in `functions` under [algorithm], or `\"*\"`"))
        }
        cause @ openveil_core::Error::BlockTooLarge { .. } => {
            Error::new(Location::file(&policy.path), cause.in_words())
                .help(text!("write a smaller `block` under [algorithm]; the usual size is 8"))
        }
        other => Error::new(Location::file(&policy.input.source.path), other.in_words()),
    }
}

/// Returns how many rows hold each protected value.
fn protected_counts(table: &View) -> Vec<u32> {
    let histogram = table.histogram();
    histogram
        .counts()
        .iter()
        .zip(table.secret().exempt())
        .filter(|(_, exempt)| !**exempt)
        .map(|(&count, _)| count)
        .collect()
}

/// Returns a help text if a frequent value limits l, rather than the number of values. The text
/// does not name the value, because a comparison prints it about its sample, too.
fn what_limits(table: &View) -> Text {
    let (histogram, secret) = (table.histogram(), table.secret());
    let protected = protected_counts(table);
    let most = protected.iter().copied().max().unwrap_or(0).max(1);
    let are_several = protected.iter().filter(|&&count| count == most).count() > 1;
    if are_several
        || secret.columns().len() > 1
        || histogram.rows() / most >= histogram.distinct() as u32
    {
        return Text::default();
    }
    let share = 100.0 * f64::from(most) / f64::from(histogram.rows());
    text!(
        ", because one value appears in {share:.1} % of the rows; if it needs no protection, list it as `exempt` for the column"
    )
}

/// The number of strata that are listed; further strata are only counted.
const NAMED_STRATA: usize = 100;

/// Returns the parts of a table in which no release is possible, one line each, and the largest l
/// that is possible in all of them.
fn of_parts(table: &View, refused: &[RefusedStratum], unit: &'static str) -> (Vec<Text>, Text) {
    let mut parts: Vec<Text> = refused
        .iter()
        .take(NAMED_STRATA)
        .map(|refused| {
            let largest = match refused.largest_l {
                Some(l) => text!("the largest possible l is {l}"),
                None => text!("no l of 2 or more is possible"),
            };
            let reason = reason(table, &refused.cause, unit);
            text!("{}: {reason:text}; {largest:text}", refused.stratum)
        })
        .collect();
    if let more @ 1.. = refused.len().saturating_sub(NAMED_STRATA) {
        parts.push(text!("and {more} more"));
    }
    let least = refused.iter().map(|refused| refused.largest_l).min().flatten();
    let smaller = match least {
        Some(l) => text!("l = {l} is possible in all of them"),
        None => text!("in some of them no l of 2 or more is possible"),
    };
    (parts, smaller)
}

/// Lists the columns, each protected by itself, that have a value that is too frequent: one line
/// each.
fn of_each(table: &View, place: Location) -> Error {
    let (secret, histogram) = (table.secret(), table.histogram());
    let each = secret.each().expect("columns are protected each by itself");
    let members = secret.members().expect("parts are members");
    let mut people = vec![0u32; members.count()];
    for (value, &count) in (0..).zip(histogram.counts()) {
        members.members(value).iter().for_each(|&member| people[member as usize] += count);
    }
    let rows = histogram.rows();
    let line = |(column, (name, &l)): (usize, (&String, &u32))| {
        let worst = (0..secret.values() as u32)
            .map(|value| members.members(value)[column])
            .filter(|&member| !members.exempt()[member as usize])
            .max_by_key(|&member| (people[member as usize], Reverse(member)))?;
        let count = people[worst as usize];
        let label = members.label(worst).strip_prefix(&format!("{name} = "))?;
        let largest = match rows / count.max(1) {
            0 | 1 => text!("no l of 2 or more is possible"),
            largest => text!("the largest possible l is {largest}"),
        };
        let share = 100.0 * f64::from(count) / f64::from(rows);
        (u64::from(count) * u64::from(l) > u64::from(rows)).then(|| {
            text!(
                "{name}: the value `{label}` appears in {count} of {rows} rows ({share:.1} %), and l = {l} allows at most {}; {largest:text}",
                rows / l
            )
        })
    };
    let parts: Vec<Text> =
        secret.columns().iter().zip(&each.l).enumerate().filter_map(line).collect();
    let number = parts.len();
    let problem = if number == 0 {
        text!("no release can satisfy the bounds of all sensitive columns together")
    } else {
        text!("{number} of {} sensitive columns cannot be published:", secret.columns().len())
    };
    Error::new(place, problem)
        .with_parts(parts)
        .of_kind(ErrorKind::Refused)
        .help(text!("give such a column its own `l`, coarsen it, list values that need no protection as `exempt`, or give it the role `drop`. Do not drop rows to make it fit: their absence would disclose values"))
}

/// Lists the sizes of ties that cannot be published by themselves.
fn of_ties(
    policy: &Policy,
    table: &View,
    place: Location,
    refused: &[RefusedStratum],
    sizes: usize,
) -> Error {
    let id = policy.ties().map_or("", |ties| &ties.id);
    let (parts, smaller) = of_parts(table, refused, "ties");
    let problem = text!("{} of {sizes} sizes of ties by {id} cannot be published:", refused.len());
    Error::new(place, problem)
        .with_parts(parts)
        .of_kind(ErrorKind::Refused)
        .help(text!("{smaller:text}. `largest = N` under [ties] merges all sizes from N on and publishes N rows of each tie; setting it because of this refusal discloses that these sizes were refused. Do not drop rows to make it fit: their absence would disclose values"))
}

/// Lists the strata that cannot be published, each with the reason and the largest l that it
/// allows.
fn of_strata(table: &View, place: Location, refused: &[RefusedStratum], strata: usize) -> Error {
    let (parts, smaller) = of_parts(table, refused, "rows");
    let columns: Vec<&str> = table.strata_columns().map(|column| column.name()).collect();
    let problem = text!(
        "{} of {strata} strata by {} cannot be published:",
        refused.len(),
        columns.join(", ")
    );
    let error = Error::new(place, problem).with_parts(parts).of_kind(ErrorKind::Refused);
    if columns == [ROWS] {
        return error.help(text!("{smaller:text}. Lower the requirement and keep the rows: the number of rows that count per person fixes strata, whose histograms are published anyway; lowering `rows` under [persons] because of this refusal discloses that it was refused"));
    }
    error.help(text!("{smaller:text}. Lower the requirement and keep the strata, whose histograms are published anyway; choosing other strata because of this refusal discloses that these were refused"))
}

/// Returns the reason for a refusal in a part of the table; `unit` names what is counted: rows, ….
fn reason(table: &View, cause: &openveil_core::Error, unit: &'static str) -> Text {
    let (label, unit) = (|value: u32| table.secret().label(value), Text::from(unit));
    match cause {
        openveil_core::Error::Ineligible(Ineligible::TooFrequent {
            value, count, rows, ..
        }) => text!("`{}` appears in {count} of {rows} {unit:text}", label(*value)),
        openveil_core::Error::Ineligible(Ineligible::TooFewValues { values, .. }) => match values {
            1 => text!("only 1 value occurs"),
            _ => text!("only {values} values occur"),
        },
        openveil_core::Error::Ineligible(Ineligible::TooFewRows { rows, .. }) => {
            text!("it has only {rows} {unit:text}")
        }
        openveil_core::Error::Unsatisfiable(shortfall) => {
            let which =
                shortfall.measured.value.map(|value| text!(" (the value `{}`)", label(value)));
            let which = which.unwrap_or_default();
            let shortfall = Failure {
                measured: Measured { value: None, ..shortfall.measured },
                ..(**shortfall).clone()
            };
            text!("over the whole stratum, {:text}{which:text}", shortfall.in_words())
        }
        other => other.to_string().into(),
    }
}

/// Explains a requirement that does not fit the table, and suggests what was probably meant.
fn unfit(policy: &Policy, table: &View, cause: &InvalidModel) -> Error {
    let error = Error::new(Location::file(&policy.path), cause.in_words());
    let sensitive = table.secret();
    let labels = sensitive.labels();
    match cause {
        InvalidModel::UnknownValue { value } => or_meant(
            error,
            value,
            labels.iter().map(String::as_str),
            || "name values as they are published",
        ),
        InvalidModel::NoCategory { .. } => error.help("every value belongs to one category"),
        _ => error,
    }
}
