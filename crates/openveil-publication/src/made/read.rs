//! Reads the people of a policy.

use super::Clock;
use super::history::{Continued, Opened};
use super::ties::drawn_of_ties;
use crate::asked::{CoinsOf, Job};
use openveil_io::Error;
use openveil_io::load;
use openveil_io::load::Loaded;
use openveil_io::progress::{Observer, Stage};
use openveil_io::release_dir::record;

/// Reads the table; for a history, the people who are published, with their groups.
pub(crate) fn read(
    job: &Job,
    clock: &mut Clock,
    observer: &dyn Observer,
) -> Result<(Loaded, Option<Continued>), Error> {
    let policy = &job.policy;
    let progress = |bytes| observer.advance(bytes);
    let watched = record::watched(policy)?;
    if policy.history().is_none() {
        let loaded = clock.time(Stage::Read, || {
            let mut coins = job.coins_of_draw()?;
            let loaded = load::load_watched(policy, &watched, &progress)?;
            let loaded = load::by_person(policy, loaded, &mut coins)?;
            drawn_of_ties(policy, loaded, &mut job.coins(CoinsOf::Ties))
        })?;
        return Ok((loaded, None));
    }
    let opened = Opened::new(policy)?;
    let (loaded, ghosts) = clock.time(Stage::Read, || {
        load::load_with_values(policy, opened.values(), &watched, &progress)
    })?;
    observer.begin(Stage::Anonymize, None);
    let seeded = job.options.test_seed.is_some();
    let mut coins = job.coins(CoinsOf::History);
    let (loaded, continued) = clock.time(Stage::Anonymize, || {
        Continued::new(opened, policy, loaded, ghosts, seeded, &mut coins)
    })?;
    Ok((loaded, Some(continued)))
}
