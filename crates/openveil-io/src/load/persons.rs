//! Turns rows into people: the values of a person's rows become one set.

use super::Loaded;
use super::missing::is_missing;
use crate::policy::persons::ROWS;
use crate::policy::{Persons, Policy, Role, Varying};
use crate::{Error, ErrorKind, Location, Seen, Sight};
use openveil_core::coins;
use openveil_core::coins::{CoinKey, Coins, SecretCoins};
use openveil_core::table::{Column, Domain, Members, PeopleTable};
use openveil_rules::ColumnNames;
use openveil_text::text;
use sha2::{Digest, Sha256};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Returns the table with one row per person: the quasi-identifiers, the person's number of rows,
/// and the set of the sensitive values. If a person has more rows than count, the rows that count
/// are drawn at random, independently of their values. With the same coins, the same rows of a
/// person are drawn, regardless of the order of rows and of other people in the table. O(rows · log
/// rows).
///
/// # Errors
/// A row without a person; people whose rows differ on a quasi-identifier, unless the policy draws
/// one of them.
pub fn by_person(
    policy: &Policy,
    mut loaded: Loaded,
    coins: &mut dyn Coins,
) -> Result<Loaded, Error> {
    let Some(persons) = policy.persons() else {
        return Ok(loaded);
    };
    refuse_signs(policy, &loaded)?;
    let people = rows_of_people(policy, &loaded)?;
    let before = loaded.table.rows();
    let draw = RowDraw::new(persons, &loaded.table, coins);
    let rows_of: Vec<Vec<u32>> = people.into_iter().map(|(id, rows)| draw.kept(id, rows)).collect();
    let kept: usize = rows_of.iter().map(Vec::len).sum();
    loaded.omitted.beyond_rows = before - kept;
    let columns =
        loaded.table.columns().iter().map(|column| match policy.columns[column.name()].role {
            Role::Sensitive => Ok(sets(column, &rows_of)),
            _ => known(policy, persons, column, &rows_of),
        });
    let mut columns = columns.collect::<Result<Vec<Column>, Error>>()?;
    columns.push(numbers(&rows_of));
    let failed = |cause: &dyn std::fmt::Display| {
        Error::new(Location::file(&policy.input.source.path), cause.to_string())
    };
    let names = columns.iter().map(Column::name);
    loaded.names = ColumnNames::new(names).map_err(|cause| failed(&cause))?;
    loaded.table = PeopleTable::new(columns).map_err(|cause| failed(&cause))?;
    Ok(loaded)
}

/// Refuses values that contain the characters of sets, because they could be read as several
/// values.
fn refuse_signs(policy: &Policy, loaded: &Loaded) -> Result<(), Error> {
    let found = loaded
        .table
        .columns()
        .iter()
        .filter(|column| policy.columns[column.name()].role == Role::Sensitive)
        .find_map(|column| {
            let mut labels = column.domain().labels();
            Some((column, labels.find(|label| label.contains(['{', '|', '}']))?))
        });
    match found {
        None => Ok(()),
        Some((column, label)) => {
            let place = Location::file(&policy.input.source.path).column(column.name());
            let problem = text!(
                "has the value `{label}`, which contains a sign that is used to write sets of a person's values"
            );
            Err(Error::new(place, problem)
                .help("write it without `{`, `|` and `}`")
                .of_values(Seen::new(Sight::Cells))
                .with_prints(&loaded.prints))
        }
    }
}

/// Returns each person, as written, with their rows; in the order of first appearance.
fn rows_of_people<'a>(
    policy: &Policy,
    loaded: &'a Loaded,
) -> Result<Vec<(&'a str, Vec<u32>)>, Error> {
    let person = loaded.person.as_ref().expect("whose a row is was read");
    let nobody: Vec<bool> =
        person.values.iter().map(|text| is_missing(policy, &person.name, text.trim())).collect();
    if person.codes.iter().any(|&code| nobody[code as usize]) {
        let place = Location::file(&policy.input.source.path).column(&person.name);
        return Err(Error::new(
            place,
            text!("is empty in some rows, but [persons] states that it identifies people"),
        )
        .help("fill in the values, or remove those rows before"));
    }
    let mut rows_of = vec![Vec::new(); person.values.len()];
    for (row, &code) in (0..).zip(&person.codes) {
        rows_of[code as usize].push(row);
    }
    Ok(person.values.iter().zip(rows_of).filter(|(_, rows)| !rows.is_empty()).collect())
}

/// The draw of rows: for each person, coins choose among the rows, sorted by their contents.
struct RowDraw<'a> {
    persons: &'a Persons,
    /// Sorted by name, so that the order of columns in the file has no influence.
    columns: Vec<&'a Column>,
    /// The key from which the coins of each person are derived.
    secret: [u8; 32],
}

impl<'a> RowDraw<'a> {
    fn new(persons: &'a Persons, table: &'a PeopleTable, coins: &mut dyn Coins) -> Self {
        let mut columns: Vec<&Column> = table.columns().iter().collect();
        columns.sort_unstable_by_key(|column| column.name());
        Self { persons, columns, secret: std::array::from_fn(|_| coins.below(1 << 8) as u8) }
    }

    /// Returns as many rows as count, in the order drawn. If the rows of a person differ, the first
    /// row is published for the person.
    fn kept(&self, id: &str, mut rows: Vec<u32>) -> Vec<u32> {
        let most = self
            .persons
            .rows
            .map(|most| most as usize)
            .map_or(rows.len(), |most| rows.len().min(most));
        let drawn = match self.persons.varying {
            Varying::Draw => most,
            Varying::Refuse if most < rows.len() => most,
            Varying::Refuse => 0,
        };
        if drawn > 0 && rows.len() > 1 {
            rows.sort_unstable_by(|&one, &other| self.compare(one, other));
            coins::draw(&mut rows, drawn, &mut self.coins_of(id));
        }
        rows.truncate(most);
        rows
    }

    /// Rows that compare equal have equal contents, so their order does not matter.
    fn compare(&self, one: u32, other: u32) -> Ordering {
        let label = |column: &'a Column, row: u32| {
            let code = column.codes()[row as usize];
            column.domain().label(code)
        };
        self.columns
            .iter()
            .find_map(|column| {
                let order = label(column, one).cmp(label(column, other));
                order.is_ne().then_some(order)
            })
            .unwrap_or(Ordering::Equal)
    }

    fn coins_of(&self, id: &str) -> SecretCoins {
        let digest = Sha256::new_with_prefix(self.secret).chain_update(id);
        CoinKey::of_secret(digest.finalize().into()).coins()
    }
}

/// Returns a known column of people: the value of all their rows, or of the first if rows differ.
fn known(
    policy: &Policy,
    persons: &Persons,
    column: &Column,
    rows_of: &[Vec<u32>],
) -> Result<Column, Error> {
    let codes = column.codes();
    let differing = match persons.varying {
        Varying::Refuse => rows_of
            .iter()
            .filter(|rows| {
                let first = codes[rows[0] as usize];
                rows.iter().any(|&row| codes[row as usize] != first)
            })
            .count(),
        Varying::Draw => 0,
    };
    if differing > 0 {
        let problem = text!(
            "differs between the rows of one person, for {differing} of {} people",
            rows_of.len()
        );
        return Err(Error::new(Location::file(&policy.input.source.path).column(column.name()), problem)
            .of_kind(ErrorKind::Refused)
            .help(text!("reduce the table to one value per person, or set `varying = \"draw\"` under [persons]: the value of one of the person's rows, chosen by a random draw, is then published")));
    }
    let first = rows_of.iter().map(|rows| codes[rows[0] as usize]);
    Ok(column.clone().with_codes(first.collect()))
}

/// Returns the number of rows that count for each person.
fn numbers(rows_of: &[Vec<u32>]) -> Column {
    let counts: Vec<u32> = rows_of.iter().map(|rows| rows.len() as u32).collect();
    let most = i64::from(counts.iter().copied().max().unwrap_or(1));
    let codes = counts.iter().map(|count| count - 1).collect();
    Column::new(ROWS, codes, Domain::integers(1..=most))
}

/// Returns the sets of values of people's rows: smaller sets first, each in the order of the
/// column's values.
fn sets(column: &Column, rows_of: &[Vec<u32>]) -> Column {
    let codes = column.codes();
    let set = |rows: &Vec<u32>| {
        let mut set: Vec<u32> = rows.iter().map(|&row| codes[row as usize]).collect();
        set.sort_unstable();
        set.dedup();
        set
    };
    let own: Vec<Vec<u32>> = rows_of.iter().map(set).collect();
    let mut numbers: BTreeMap<(usize, &Vec<u32>), u32> =
        own.iter().map(|set| ((set.len(), set), 0)).collect();
    (0..).zip(numbers.values_mut()).for_each(|(next, number)| *number = next);
    let domain = column.domain();
    let text = |set: &Vec<u32>| match set[..] {
        [one] => domain.label(one).to_owned(),
        _ => {
            let labels: Vec<&str> = set.iter().map(|&value| domain.label(value)).collect();
            format!("{{{}}}", labels.join("|"))
        }
    };
    let labels: Vec<String> = numbers.keys().map(|(_, set)| text(set)).collect();
    let exempt = |set: &Vec<u32>| set.iter().all(|&value| column.exempt()[value as usize]);
    let exempt: Vec<bool> = numbers.keys().map(|(_, set)| exempt(set)).collect();
    let members = Members::new(
        domain.labels().map(str::to_owned).collect(),
        column.exempt().to_vec(),
        numbers.keys().map(|(_, set)| (*set).clone()).collect(),
    );
    let codes = own.iter().map(|set| numbers[&(set.len(), set)]).collect();
    Column::new(column.name(), codes, Domain::unordered(labels))
        .with_exempt(exempt)
        .with_members(members)
}
