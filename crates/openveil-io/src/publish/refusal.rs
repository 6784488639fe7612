//! Why a table is not published, in the words of the table.

use super::Options;
use crate::policy::{Policy, did_you_mean};
use crate::{Error, ErrorKind, Location, Refusal};
use openveil::RefusedStratum;
use openveil::algorithm::{self, Algorithm, Auto};
use openveil::model::{Failure, Ineligible, InvalidModel, Measured, RatioDiversity};
use openveil::table::View;

/// Refuses what cannot be done, or needs consent, before anything is read: an algorithm
/// that gives people away, a certificate of one whose promise does not rest on exchanges
/// inside groups, and for several tables what is of one.
pub(super) fn refuse_options(policy: &Policy, options: Options) -> Result<(), Error> {
    let (profile, name) = (policy.algorithm.profile(), policy.algorithm.name());
    let error =
        |problem: String| Error::new(Location::default(), problem).of_kind(ErrorKind::Refused);
    if policy.rules.is_some() {
        refuse_for_several(options)?;
    }
    if !profile.is_safe() && !options.accept_algorithm_disclosure {
        let problem = format!(
            "`{name}` gives people away to a reader who re-runs it; it is here for comparison"
        );
        let help = "use `cover`, or accept the disclosure with `--i-accept-algorithm-disclosure`";
        return Err(error(problem).help(help));
    }
    // What an algorithm will choose is not known before a table is read.
    let is_open = name == Auto.name() && policy.chosen_by.is_none();
    if !options.certify {
        return Ok(());
    }
    if policy.rules.is_none() && policy.model.ratio().is_none() {
        let problem = format!(
            "there are certificates for ratio l-diversity, not for {}",
            policy.model
        );
        return Err(error(problem).help("leave `--certify` out"));
    }
    if profile.is_certifiable || is_open {
        return Ok(());
    }
    if !profile.is_safe() {
        let problem = format!("`{name}` promises nothing that could be certified");
        return Err(error(problem));
    }
    let certifiable = algorithm::ALL.iter().map(|algorithm| algorithm.profile());
    let certifiable = certifiable.filter(|profile| profile.is_certifiable);
    let names: Vec<String> = certifiable
        .map(|known| format!("`{}`", known.name))
        .collect();
    let problem = format!(
        "the promise of `{name}` does not rest on exchanges inside groups, which is what a certificate shows"
    );
    Err(error(problem).help(format!("{} can be certified", names.join(", "))))
}

/// What makes sense for a single table only.
fn refuse_for_several(options: Options) -> Result<(), Error> {
    let stray = match options {
        Options { certify: true, .. } => "an l-cover is of one table: there is no `--certify`",
        Options { measure: true, .. } => {
            "ask `openveil query` with `--policy` for estimates beside true counts: there is no `--measure`"
        }
        _ => return Ok(()),
    };
    let problem = format!("the policy has [[rules]]; {stray} for several tables");
    Err(Error::new(Location::default(), problem))
}

/// Says what stands in the way of a release in the words of the table.
pub(crate) fn explain(policy: &Policy, table: &View, cause: openveil::Error) -> Error {
    let place = Location::file(&policy.source.path).column(table.secret().name());
    let largest = RatioDiversity::largest_l(&table.histogram(), table.secret().exempt());
    let smaller = match largest {
        Some(l) => format!("the largest possible is l = {l}"),
        None => "no l of 2 or more is possible".to_owned(),
    };
    let refusal = refusal(table, &cause, largest);
    let explained = in_words(policy, table, cause, place, smaller);
    match refusal {
        Some(refusal) => explained.because(refusal),
        None => explained,
    }
}

/// The same for programs, where the table cannot keep the model.
fn refusal(table: &View, cause: &openveil::Error, largest_l: Option<u32>) -> Option<Refusal> {
    let label = |value: u32| table.secret().label(value).to_owned();
    let (value, share, largest_l) = match cause {
        openveil::Error::Ineligible(Ineligible::TooFrequent {
            value, count, rows, ..
        }) => {
            let share = f64::from(*count) / f64::from(*rows);
            (Some(label(*value)), Some(share), largest_l)
        }
        openveil::Error::Unsatisfiable(shortfall) => {
            (shortfall.measured.value.map(label), None, largest_l)
        }
        openveil::Error::Strata { refused, .. } => {
            let largest = refused.iter().map(|stratum| stratum.largest_l);
            (None, None, largest.min().flatten())
        }
        openveil::Error::Ineligible(_) => (None, None, largest_l),
        _ => return None,
    };
    Some(Refusal {
        value,
        share,
        largest_l,
    })
}

fn in_words(
    policy: &Policy,
    table: &View,
    cause: openveil::Error,
    place: Location,
    smaller: String,
) -> Error {
    match cause {
        openveil::Error::Strata { refused, strata } => of_strata(table, place, &refused, strata),
        openveil::Error::Ineligible(Ineligible::TooFrequent {
            l,
            value,
            count,
            rows,
        }) => {
            let share = 100.0 * f64::from(count) / f64::from(rows);
            let label = table.secret().label(value);
            let exempt = match table.secret().columns() {
                [_] => format!("or, if `{label}` needs no protection, say `exempt = [{label:?}]` for the column"),
                _ => "or, if values of the combined columns need no protection, list them as `exempt`".to_owned(),
            };
            Error::new(
                place,
                format!("l = {l} is not possible: the value `{label}` stands in {count} of {rows} rows ({share:.1} %), and l = {l} allows {} of them at most", rows / l),
            )
            .of_kind(ErrorKind::Refused)
            .help(format!("{smaller}; {exempt}. Never drop rows to fit: who is missing would tell"))
        }
        openveil::Error::Unsatisfiable(shortfall) => {
            let mut shortfall = *shortfall;
            let which = match shortfall.measured.value.take() {
                Some(value) => format!(" (the value `{}`)", table.secret().label(value)),
                None => String::new(),
            };
            Error::new(place, format!("no release can satisfy the model: over the whole table, {shortfall}{which}"))
                .of_kind(ErrorKind::Refused)
                .help("ask for less, or list values that need no protection as `exempt`. Never drop rows to fit: who is missing would tell")
        }
        openveil::Error::InvalidModel(cause) => unfit(policy, table, &cause),
        openveil::Error::Ineligible(cause) => Error::new(place, cause.to_string())
            .of_kind(ErrorKind::Refused)
            .help(smaller),
        other => Error::new(Location::file(&policy.source.path), other.to_string()),
    }
}

/// Strata that are named one by one; the others are counted.
const NAMED_STRATA: usize = 100;

/// All strata that cannot be published, each with what stands in the way and with the
/// largest l that it allows.
fn of_strata(table: &View, place: Location, refused: &[RefusedStratum], strata: usize) -> Error {
    let line = |refused: &RefusedStratum| {
        let largest = match refused.largest_l {
            Some(l) => format!("the largest possible l is {l}"),
            None => "no l of 2 or more is possible".to_owned(),
        };
        let reason = reason(table, &refused.cause);
        format!("\n    {}: {reason}; {largest}", refused.stratum)
    };
    let named: String = refused.iter().take(NAMED_STRATA).map(line).collect();
    let rest = match refused.len().saturating_sub(NAMED_STRATA) {
        0 => String::new(),
        more => format!("\n    and {more} more"),
    };
    let columns: Vec<&str> = table.strata_columns().map(|column| column.name()).collect();
    let problem = format!(
        "{} of {strata} strata by {} cannot be published:{named}{rest}",
        refused.len(),
        columns.join(", ")
    );
    let least = refused
        .iter()
        .map(|refused| refused.largest_l)
        .min()
        .flatten();
    let smaller = match least {
        Some(l) => format!("l = {l} is possible in all of them"),
        None => "in some of them no l is possible".to_owned(),
    };
    Error::new(place, problem)
        .of_kind(ErrorKind::Refused)
        .help(format!("{smaller}. Ask for less in the same strata, whose histograms are published anyway; whoever goes on with other strata because of this refusal tells that these were refused"))
}

/// What stands in the way in a stratum.
fn reason(table: &View, cause: &openveil::Error) -> String {
    let label = |value: u32| table.secret().label(value);
    match cause {
        openveil::Error::Ineligible(Ineligible::TooFrequent {
            value, count, rows, ..
        }) => format!("`{}` stands in {count} of {rows} rows", label(*value)),
        openveil::Error::Ineligible(Ineligible::TooFewValues { values, .. }) => {
            format!("only {values} values occur")
        }
        openveil::Error::Ineligible(Ineligible::TooFewRows { rows, .. }) => {
            format!("it has only {rows} rows")
        }
        openveil::Error::Unsatisfiable(shortfall) => {
            let which = shortfall.measured.value;
            let which = which.map(|value| format!(" (the value `{}`)", label(value)));
            let shortfall = Failure {
                measured: Measured {
                    value: None,
                    ..shortfall.measured
                },
                ..(**shortfall).clone()
            };
            format!(
                "over the whole stratum, {shortfall}{}",
                which.unwrap_or_default()
            )
        }
        other => other.to_string(),
    }
}

/// A requirement that does not fit the table, with what was probably meant.
fn unfit(policy: &Policy, table: &View, cause: &InvalidModel) -> Error {
    let error = Error::new(Location::file(&policy.path), cause.to_string());
    let sensitive = table.secret();
    let labels = sensitive.labels();
    match cause {
        InvalidModel::UnknownValue { value } => {
            match did_you_mean(value, labels.iter().map(String::as_str)) {
                Some(close) => error.help(format!("did you mean `{close}`?")),
                None => error.help("name values as they are published"),
            }
        }
        InvalidModel::NoCategory { .. } => error.help("every value belongs to one category"),
        _ => error,
    }
}
