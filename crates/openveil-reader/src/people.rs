//! The people that a policy's release is about.

use openveil_core::coins::SecretCoins;
use openveil_io::load::{self, Loaded};
use openveil_io::policy::Policy;
use openveil_io::source::BytesRead;
use openveil_io::{Error, Location};

/// Reads the policy's table, with one row per person.
///
/// # Errors
/// Bad input; people with more rows than count: the release shows a secret draw of these rows.
pub fn loaded(policy: &Policy, progress: BytesRead<'_>) -> Result<Loaded, Error> {
    let loaded = load::load(policy, progress)?;
    // Without rows beyond those that count, nothing is drawn.
    let people = load::by_person(policy, loaded, &mut SecretCoins::from_test_seed(0))?;
    if people.omitted.beyond_rows == 0 {
        return Ok(people);
    }
    let problem = format!(
        "{} rows of people with many rows were left out by secret random draws, so it is not known which values the release shows of them",
        people.omitted.beyond_rows
    );
    Err(Error::new(Location::file(&policy.source.path), problem)
        .help("raise `rows` under [persons], and publish again"))
}
