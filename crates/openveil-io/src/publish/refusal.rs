//! Why a table is not published, in the words of the table.

use super::Options;
use crate::policy::{Policy, did_you_mean};
use crate::{Error, ErrorKind, Location};
use openveil::algorithm::{Adversary, Algorithm};
use openveil::model::{Ineligible, InvalidModel, RatioDiversity};
use openveil::table::View;

/// Algorithms whose groups alone conceal who has which value: exchanging two
/// values of a group can lead to the same release.
const CERTIFIABLE: [Algorithm; 3] = [Algorithm::Cover, Algorithm::Rda, Algorithm::Ria];

/// An algorithm that gives people away needs the owner's consent; one whose promise
/// does not rest on exchanges inside groups cannot be certified.
pub(super) fn refuse_unsafe(policy: &Policy, options: Options) -> Result<(), Error> {
    let name = policy.algorithm.name();
    let error =
        |problem: String| Error::new(Location::default(), problem).of_kind(ErrorKind::Refused);
    let is_safe = policy.algorithm.adversary() == Adversary::KnowsAlgorithm;
    if options.certify && is_safe && !CERTIFIABLE.contains(&policy.algorithm) {
        let problem = format!(
            "the promise of `{name}` does not rest on exchanges inside groups, which is what a certificate shows"
        );
        return Err(error(problem).help("`cover`, `rda` and `ria` can be certified"));
    }
    if is_safe {
        return Ok(());
    }
    if !options.accept_algorithm_disclosure {
        let problem = format!(
            "`{name}` gives people away to a reader who re-runs it; it is here for comparison"
        );
        let help = "use `cover`, or accept the disclosure with `--i-accept-algorithm-disclosure`";
        return Err(error(problem).help(help));
    }
    if options.certify {
        let problem = format!("`{name}` promises nothing that could be certified");
        return Err(error(problem));
    }
    Ok(())
}

/// Says what stands in the way of a release in the words of the table.
pub(super) fn explain(policy: &Policy, table: &View, cause: openveil::Error) -> Error {
    let (histogram, exempt) = (table.histogram(), table.secret().exempt());
    let place = Location::file(&policy.source.path).column(table.secret().name());
    let largest = RatioDiversity::largest_l(&histogram, exempt);
    let smaller = match largest {
        Some(l) => format!("the largest possible is l = {l}"),
        None => "no l of 2 or more is possible".to_owned(),
    };
    match cause {
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
            let which = match shortfall.value.take() {
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

/// A requirement that does not fit the table, with what was probably meant.
fn unfit(policy: &Policy, table: &View, cause: &InvalidModel) -> Error {
    let error = Error::new(Location::file(&policy.path), cause.to_string());
    let sensitive = table.secret();
    let labels: Vec<String> = (0..sensitive.values() as u32)
        .map(|value| sensitive.label(value))
        .collect();
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
