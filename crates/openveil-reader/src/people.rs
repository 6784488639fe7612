//! The people that a policy's release is about.

use openveil_core::coins::SecretCoins;
use openveil_io::load::{self, Loaded};
use openveil_io::policy::{Policy, Varying};
use openveil_io::source::BytesRead;
use openveil_io::{Error, Location};
use openveil_text::{Text, text};

/// Reads the policy's table, with one row per person.
///
/// # Errors
/// Bad input; people of whom the release shows a secret draw: some of their rows, or one of their
/// differing known values.
pub fn loaded(policy: &Policy, progress: BytesRead<'_>) -> Result<Loaded, Error> {
    let refused = |problem: Text, help: Text| {
        Err(Error::new(Location::file(&policy.input.source.path), problem).help(help))
    };
    if policy.persons().is_some_and(|persons| persons.varying == Varying::Draw) {
        let problem = "known values of people whose rows differ were drawn at random, so it is not known which of them the release shows";
        return refused(
            problem.into(),
            text!(
                "reduce the table to one value per person, leave `varying` out, and publish again"
            ),
        );
    }
    let loaded = load::load(policy, progress)?;
    // Without rows beyond those that count, nothing is drawn.
    let people = load::by_person(policy, loaded, &mut SecretCoins::from_test_seed(0))?;
    match people.omitted.beyond_rows {
        0 => Ok(people),
        rows => refused(
            text!(
                "{rows} rows of people with many rows were left out by secret random draws, so it is not known which values the release shows of them"
            ),
            text!("raise `rows` under [persons], and publish again"),
        ),
    }
}
