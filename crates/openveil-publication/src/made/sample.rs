//! Checks rows that are left out because parameters were chosen on them.

use crate::asked::{Job, Options};
use crate::made::schema::TablePlans;
use openveil_io::load;
use openveil_io::policy::{Policy, ReadRows};
use openveil_io::{Error, ErrorKind, Location, Seen, Sight};
use openveil_text::text;

/// Checks that the rows of samples satisfy the model by themselves. A reader who knows how often
/// each value occurs in the whole table learns by subtraction how often it occurs among them.
///
/// The check depends on how often each value occurs among these rows, and on nothing else about who
/// has which value. Reads the table once more if a sample is left out.
///
/// # Errors
/// Rows that do not satisfy the model; an input that cannot be read.
pub fn check_left_out(policy: &Policy) -> Result<(), Error> {
    let ReadRows::Without(samples) = &policy.input.part else {
        return Ok(());
    };
    let mut sampled = policy.clone();
    sampled.input.part = ReadRows::Only(samples.clone());
    let loaded = load::load(&sampled, &|_| {})?;
    let job = Job::new(&sampled, Options::default());
    let checked = TablePlans::new(&sampled, &loaded).and_then(|schema| schema.resolved(job));
    let Err(cause) = checked else {
        return Ok(());
    };
    if cause.refusal().is_none() {
        return Err(cause);
    }
    // Values are not named, because the message reaches more people than the sample.
    let problem = text!(
        "the rows that are left out as a sample ({}) do not satisfy the model by themselves",
        loaded.table.rows()
    );
    Err(Error::new(Location::file(&policy.input.source.path), problem)
        .of_kind(ErrorKind::Refused)
        .of_values(Seen::new(Sight::Sample))
        .help(text!("draw a larger sample (`openveil compare --sample`), and leave both out. A reader who knows how often each value occurs in the whole table can subtract and learn how often it occurs among these rows")))
}
