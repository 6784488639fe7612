//! Answers to R: a value, or a list of class `openveil_failure` from which R makes a condition.
//!
//! Errors are never thrown here, because R would jump over destructors.

use extendr_api::prelude::*;
use openveil_bindings::work::{run, Failure};
use openveil_bindings::{speak, voice, Package};
use openveil_io::{Error, ErrorKind, Refusal};
use openveil_tools::watch::Watch;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Returns the result of a work, or its failure.
pub(crate) fn answer<T: Into<Robj>>(work: impl FnOnce() -> Result<T, Failure>) -> Robj {
    // The package has no other place that every call passes.
    speak(Package::R);
    match catch_unwind(AssertUnwindSafe(|| work().map(Into::into))) {
        Ok(Ok(value)) => value,
        Ok(Err(failure)) => failed(failure),
        Err(_) => failed(Failure::Defect),
    }
}

/// Runs a work that R watches. `tick` is a function of the stage, the work done and the total work
/// (NA if it is not known). If it returns FALSE, the work ends at its next step.
pub(crate) fn watched<T: Send>(
    tick: &Robj,
    work: impl FnOnce(&Watch) -> Result<T, Error> + Send,
) -> Result<T, Failure> {
    run(ticking(tick), work)
}

/// Returns a function that asks R whether to go on.
pub(crate) fn ticking(tick: &Robj) -> impl FnMut(&Watch) -> bool + '_ {
    move |watch| {
        let seen = watch.seen();
        let stage = seen.map_or("", |seen| seen.stage);
        let done = seen.map_or(0.0, |seen| seen.done as f64);
        let total = seen.and_then(|seen| seen.total).map(|total| total as f64);
        let asked = tick.as_function().map(|function| function.call(pairlist!(stage, done, total)));
        match asked {
            Some(Ok(goes_on)) => goes_on.as_bool() != Some(false),
            // An interrupt that the function did not catch.
            Some(Err(_)) => false,
            None => true,
        }
    }
}

fn failed(failure: Failure) -> Robj {
    let list = match failure {
        Failure::Error(error) => described(&error),
        Failure::Stopped => list!(kind = "interrupt", message = "the work was interrupted"),
        Failure::Defect => list!(kind = "defect", message = Failure::DEFECT),
    };
    let mut robj = Robj::from(list);
    let classed = robj.set_class(["openveil_failure"]);
    classed.map_or_else(|_| ().into(), |own| own.clone())
}

fn described(error: &Error) -> List {
    let kind = match (error.refusal(), error.kind()) {
        (Some(_), _) => "ineligible",
        (None, ErrorKind::Policy) => "policy",
        (None, ErrorKind::Io) => "file",
        (None, ErrorKind::Refused) => "refused",
        (None, _) => "input",
    };
    // Rows are counted from 1 in R.
    let rows: Vec<i32> = error.rows().iter().map(|&row| row as i32 + 1).collect();
    let message = error.say(voice(false));
    let by_arguments = error.say(voice(true));
    let column = error.location().column.as_deref();
    match error.refusal() {
        None => list!(
            kind = kind,
            message = message,
            by_arguments = by_arguments,
            column = column,
            rows = rows
        ),
        Some(refusal) => {
            let Refusal { value, share, largest_l, strata, .. } = refusal;
            list!(
                kind = kind,
                message = message,
                by_arguments = by_arguments,
                column = column,
                rows = rows,
                value = value.as_deref(),
                share = *share,
                largest_l = largest_l.map(|l| l as i32),
                strata = strata.clone()
            )
        }
    }
}
