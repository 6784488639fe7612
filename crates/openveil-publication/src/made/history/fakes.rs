//! Filler rows: a group continues to show the values of people who left it.

use super::state::HistoryState;
use openveil_core::coins::Coins;
use openveil_core::history::Presence;
use openveil_core::table::{Groups, PeopleTable};
use openveil_io::load::{Loaded, MISSING_LABEL};
use openveil_io::policy::Policy;
use openveil_io::{Error, Location};
use openveil_text::text;
use std::collections::HashMap;

/// Rows for values that no person of the group has any more. Each copies a random member of the
/// group, with the value.
pub(super) struct Fakes {
    /// The state's code of the value, and the member whose quasi-identifiers the row shows.
    rows: Vec<(u32, u32)>,
    /// The group of each row.
    groups: Vec<usize>,
}

impl Fakes {
    pub(super) fn new(presence: &Presence, coins: &mut dyn Coins) -> Self {
        let mut fakes = Self { rows: Vec::new(), groups: Vec::new() };
        for (group, (rows, missing)) in presence.groups.iter().zip(&presence.missing).enumerate() {
            for &value in missing {
                let member = rows[coins.below(rows.len() as u32) as usize];
                fakes.rows.push((value, member));
                fakes.groups.push(group);
            }
        }
        fakes
    }

    /// Returns the groups with their filler rows, whose numbers follow those of `people`.
    pub(super) fn join(&self, groups: Groups, people: usize) -> Groups {
        let mut of_group: HashMap<usize, Vec<u32>> = HashMap::new();
        for (number, &group) in self.groups.iter().enumerate() {
            of_group.entry(group).or_default().push((people + number) as u32);
        }
        let mut all = Groups::with_capacity(people + self.rows.len(), groups.len());
        for (group, rows) in groups.iter().enumerate() {
            let fakes = of_group.get(&group).into_iter().flatten();
            all.push(rows.iter().chain(fakes).copied());
        }
        all
    }
}

/// Returns the table of the people who are published and of the filler rows. Its domains hold only
/// their values: a published column must not disclose values of people who are held back or have
/// left.
pub(super) fn extended(
    policy: &Policy,
    loaded: Loaded,
    published: &[u32],
    fakes: &Fakes,
    state: &HistoryState,
) -> Result<Loaded, Error> {
    let columns = loaded.table.columns().iter().map(|column| {
        let codes = column.codes();
        let own = published.iter().map(|&row| codes[row as usize]);
        let is_secret = column.name() == state.header.sensitive;
        let codes = own
            .map(Ok)
            .chain(fakes.rows.iter().map(|&(value, member)| {
            if !is_secret {
                return Ok(codes[published[member as usize] as usize]);
            }
            let label = &state.header.values[value as usize];
            column.domain().labels().position(|known| known == label).map(|code| code as u32).ok_or_else(|| {
                let problem =
                    text!("does not contain `{label}`, which a release of this history must be able to show");
                Error::new(
                    Location::file(&policy.input.source.path).column(column.name()),
                    problem,
                )
                .help("read the column as it was read at earlier releases: type, order, hierarchy")
            })
        }))
            .collect::<Result<Vec<u32>, Error>>()?;
        let described = &policy.columns[column.name()];
        let extended = column.clone().with_codes(codes);
        Ok::<_, Error>(
            extended.with_domain_of_rows(|value| value != MISSING_LABEL && described.gives(value)),
        )
    });
    let table = PeopleTable::new(columns.collect::<Result<_, _>>()?)?;
    Ok(Loaded { table, ..loaded })
}
