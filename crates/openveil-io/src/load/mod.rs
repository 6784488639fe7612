//! Turns text and a policy into a table that algorithms understand.

mod alike;
mod coarsen;
mod column;
mod dates;
mod decimal;
mod floor;
mod header;
pub mod hierarchy;
mod missing;
mod omitted;
mod persons;
mod prints;
mod refusal;
pub mod tied;
mod value;
mod values;
mod warnings;

pub use alike::{first_alike, merged_counts, readings};
pub use coarsen::parts_of;
pub use dates::{Written, iso_date, read as read_date, written_date};
pub(crate) use dates::{is_format, period_of};
pub use header::CLASS_COLUMN;
pub use missing::MISSING_LABEL;
pub use missing::{MissingTexts, is_missing, reads_missing};
pub use omitted::{MissingCount, Omitted};
pub use persons::by_person;
pub use refusal::explain;
pub use value::number;
pub use values::recode;

use crate::policy::persons::ROWS;
use crate::policy::{ColumnPolicy, Policy, Role, ValueType};
use crate::prints::{RowPrints, Watched};
use crate::source::{BytesRead, FirstSeen, RawColumn, RawTable};
use crate::{Error, ErrorKind, Location, Seen, Sight};
use openveil_core::table::{ColumnSet, Histogram, PeopleTable, Secret, View};
use openveil_rules::ColumnNames;
use openveil_text::{Text, text};
use prints::Prints;

/// A table with all published columns, and a record of what was left out.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The published columns in the order of the file.
    pub table: PeopleTable,
    /// The names of these columns, for rules.
    pub names: ColumnNames,
    /// The person in each row, if a history identifies people.
    pub person: Option<RawColumn>,
    /// The episode of the person in each row, if a history has episodes.
    pub episode: Option<RawColumn>,
    /// For a table whose rows lie elsewhere: the histogram of the sensitive values per stratum,
    /// with the stratum's codes of the columns that fix it.
    pub counts: Option<Vec<(Vec<u32>, Histogram)>>,
    /// Rows and columns left out, for the manifest.
    pub omitted: Omitted,
    /// Fingerprints of the rows that were kept.
    pub prints: RowPrints,
    /// Warnings about the input, for the owner.
    pub warnings: Vec<Text>,
}

/// Reads the table that a policy describes.
///
/// # Errors
/// Any problem with the input: its place, the problem and the remedy.
pub fn load(policy: &Policy, progress: BytesRead<'_>) -> Result<Loaded, Error> {
    load_watched(policy, &Watched::nothing(), progress)
}

/// Like [`load`], for a run that is compared with earlier ones.
///
/// # Errors
/// As [`load`].
pub fn load_watched(
    policy: &Policy,
    watched: &Watched,
    progress: BytesRead<'_>,
) -> Result<Loaded, Error> {
    loaded(policy, read(policy, watched, progress)?, watched)
}

/// Like [`load`], but appends one filler row for each value in `values`, so that a release can
/// show it even if nobody has it. Also returns the number of filler rows.
pub fn load_with_values(
    policy: &Policy,
    values: &[String],
    watched: &Watched,
    progress: BytesRead<'_>,
) -> Result<(Loaded, usize), Error> {
    let raw = read(policy, watched, progress)?;
    let (mut raw, omitted, input) = accepted(policy, raw, watched, missing::drop_rows)?;
    let rows = raw.rows;
    let mut roles = raw.columns.iter().map(|column| policy.columns[&column.name].role);
    if let Some(secret) = roles.position(|role| role == Role::Sensitive) {
        let column = &policy.columns[&raw.columns[secret].name];
        let values = values.iter().map(|value| written(column, value));
        add_values(&mut raw, secret, &values.collect::<Vec<String>>());
    }
    let ghosts = raw.rows - rows;
    Ok((typed(policy, raw, omitted, (input, watched))?.0, ghosts))
}

/// Returns a published value as it is written in the input.
fn written(column: &ColumnPolicy, label: &str) -> String {
    let label = &floor::as_written(column, label);
    let date = || label.parse::<jiff::civil::Date>().ok();
    match (&column.date_format, column.value_type) {
        _ if label == MISSING_LABEL => String::new(),
        (Some(format), ValueType::Date) => {
            date().map_or(label.clone(), |date| dates::write(date, format))
        }
        (_, ValueType::Number) if column.decimal_comma => label.replace('.', ","),
        _ => label.clone(),
    }
}

/// Appends copies of the first row with these values in a column.
fn add_values(raw: &mut RawTable, column: usize, values: &[String]) {
    for value in values {
        for (number, own) in raw.columns.iter_mut().enumerate() {
            let Some(&first) = own.codes.first() else {
                continue;
            };
            let code = if number == column {
                own.values
                    .intern(value.as_bytes(), || FirstSeen { file: 0, line: 0 })
                    .expect("texts are UTF-8")
            } else {
                first
            };
            own.codes.push(code);
        }
        raw.rows += 1;
    }
}

/// Like [`load`], but takes a table that was read already, with all columns of the policy.
pub fn load_raw(policy: &Policy, raw: RawTable) -> Result<Loaded, Error> {
    loaded(policy, raw, &Watched::nothing())
}

fn loaded(policy: &Policy, raw: RawTable, watched: &Watched) -> Result<Loaded, Error> {
    let (raw, omitted, input) = accepted(policy, raw, watched, missing::drop_rows)?;
    Ok(typed(policy, raw, omitted, (input, watched))?.0)
}

/// Like [`load`], but takes a table whose rows lie elsewhere; `drop_rows` leaves out the rows with
/// missing values. Also returns, per published column, the code in the table of each text of its
/// dictionary. The table does not hold the sensitive values of single rows: see [`Loaded::counts`].
pub fn load_elsewhere(
    policy: &Policy,
    raw: RawTable,
    watched: &Watched,
    drop_rows: impl FnOnce(&mut RawTable, &MissingTexts) -> Result<(), Error>,
) -> Result<(Loaded, Vec<Vec<u32>>), Error> {
    let (raw, omitted, input) = accepted(policy, raw, watched, drop_rows)?;
    let (mut loaded, codes_of) = typed(policy, raw, omitted, (input, watched))?;
    loaded.omitted.unread_identifiers = !loaded.omitted.identifiers.is_empty();
    loaded.warnings.extend(unread_names(&loaded));
    Ok((loaded, codes_of))
}

/// Returns a warning about identifiers that were not read.
fn unread_names(loaded: &Loaded) -> Option<Text> {
    let names: Vec<String> =
        loaded.omitted.identifiers.iter().map(|name| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| {
        text!(
            "{} was not checked for duplicates because the table is larger than memory. If a person has several rows, the guarantee covers rows, not people",
            names.join(", ")
        )
    })
}

fn typed(
    policy: &Policy,
    mut raw: RawTable,
    omitted: Omitted,
    (input, watched): (Option<RowPrints>, &Watched),
) -> Result<(Loaded, Vec<Vec<u32>>), Error> {
    let is_elsewhere = raw.columns.iter().any(|column| column.elsewhere.is_some());
    let mut prints = Prints::new(policy, &raw, watched);
    let (mut columns, mut codes_of, mut warned) = (Vec::new(), Vec::new(), Vec::new());
    for index in 0..raw.columns.len() {
        let column = &policy.columns[&raw.columns[index].name];
        if column.role.is_published() {
            warned.extend(warnings::left_out_times(column, &raw.columns[index]));
            let counts = raw.columns[index].counts().into_owned();
            let (made, code_of) =
                column::column(policy, column, &mut raw, index).map_err(|error| {
                    match policy.protects(&raw.columns[index].name) {
                        true => error.of_values(Seen::new(Sight::Cells)).with_prints(prints.rows()),
                        false => error,
                    }
                })?;
            prints.add(&counts, &code_of, &made);
            columns.push(made);
            codes_of.push(code_of);
        }
    }
    let names = columns.iter().map(openveil_core::table::Column::name);
    let failed = |cause: &dyn std::fmt::Display| {
        Error::new(Location::file(&policy.input.source.path), cause.to_string())
    };
    let names = ColumnNames::new(names).map_err(|cause| failed(&cause))?;
    let table = if is_elsewhere {
        PeopleTable::elsewhere(columns, raw.rows)
    } else {
        PeopleTable::new(columns)
    };
    let table = table.map_err(|cause| failed(&cause))?;
    let identity = policy.identity();
    let mut take = |name: Option<&str>| {
        let place = raw.columns.iter().position(|column| Some(&*column.name) == name)?;
        Some(raw.columns.swap_remove(place))
    };
    warned.extend(warnings::warnings(policy, &table, &omitted));
    let loaded = Loaded {
        warnings: warned,
        counts: None,
        person: take(identity),
        episode: take(policy.episode()),
        table,
        names,
        omitted,
        prints: prints.after(input),
    };
    Ok((loaded, codes_of))
}

impl Loaded {
    /// Returns the view of a policy without rules, in the policy's strata: quasi-identifiers are
    /// known, sensitive columns are secret (several count as one), and other columns are neither.
    ///
    /// # Errors
    /// A policy with rules, in which columns have no roles; a secret with exempt values only;
    /// strata by a column that is not known.
    pub fn view(&self, policy: &Policy) -> Result<View, Error> {
        if policy.rules().is_some() {
            let place = Location::file(&policy.path);
            let problem = text!("has [[rules]], so it has no single sensitive column");
            let help = "policies with rules work with `publish`, `query` and `attack` only; for this command, write a policy with `quasi-identifier` and `sensitive` columns";
            return Err(Error::new(place, problem).help(help));
        }
        if policy.persons().is_some() && self.table.number(ROWS).is_none() {
            let place = Location::file(&policy.path);
            let problem = text!("has [persons], but this works with one row per person only");
            return Err(Error::new(place, problem));
        }
        let secret = self.with_role(policy, Role::Sensitive);
        let other = self
            .with_role(policy, Role::Other)
            .iter()
            .map(|number| self.table.columns()[number].clone());
        let view = self
            .table
            .view(self.with_role(policy, Role::QuasiIdentifier), secret)
            .with_other(other.collect())
            .expect("the columns are those of one table");
        let view = match policy.each() {
            None => view,
            Some(each) => {
                let secrets: Vec<Secret> = secret
                    .iter()
                    .map(|number| &self.table.columns()[number])
                    .map(Secret::from_column)
                    .collect();
                let l: Vec<u32> = secrets.iter().map(|own| each.l[own.name()]).collect();
                view.with_secret(Secret::of_each(&secrets, &l, each.linked))
                    .expect("the columns are those of one table")
            }
        };
        if view.secret().exempt().iter().all(|&exempt| exempt) {
            Err(Error::new(
                Location::file(&policy.path).column(view.secret().name()),
                "every value is exempt; there is nothing left to protect",
            )
            .of_values(Seen::new(Sight::Cells)))
        } else {
            self.in_strata(view, &policy.privacy.strata)
                .map_err(|cause| Error::new(Location::file(&policy.path), cause.in_words()))
        }
    }

    /// Returns the view once for each of several sensitive columns that are protected by themselves,
    /// with this column alone. Empty if one column is protected, or all as one.
    pub fn by_column(&self, view: &View) -> Vec<View> {
        if view.secret().each().is_none() {
            return Vec::new();
        }
        view.secret()
            .columns()
            .iter()
            .map(|name| {
                let number = self.table.number(name).expect("a protected column is one");
                let secret = Secret::from_column(&self.table.columns()[number]);
                view.with_secret(secret).expect("the rows are the same")
            })
            .collect()
    }

    /// Returns the view in strata; for a table without rows, with the counts of the strata.
    fn in_strata(&self, view: View, strata: &[String]) -> Result<View, openveil_core::Error> {
        match &self.counts {
            Some(counts) => view.counted(strata, counts.clone()),
            None => view.with_strata(strata),
        }
    }

    /// Returns the columns of a role.
    pub fn with_role(&self, policy: &Policy, role: Role) -> ColumnSet {
        self.table
            .columns()
            .iter()
            .enumerate()
            .filter(|(_, column)| policy.columns[column.name()].role == role)
            .map(|(number, _)| number)
            .collect()
    }
}

/// Reads the needed columns of the table as text.
fn read(policy: &Policy, watched: &Watched, progress: BytesRead<'_>) -> Result<RawTable, Error> {
    let looked_at = &watched.columns;
    let choose = |names: &[String]| {
        let wanted = wanted(policy, names)?.into_iter().zip(names);
        // Columns that earlier runs looked at show whether the rows are the same.
        let is_read = |(wanted, name): (bool, &String)| {
            wanted || looked_at.iter().flatten().any(|own| own == name)
        };
        Ok(wanted.map(is_read).collect())
    };
    policy.input.source.read(&choose, progress)
}

/// Returns for each column of a header whether it is needed.
///
/// # Errors
/// A header that does not fit the policy.
pub fn wanted(policy: &Policy, names: &[String]) -> Result<Vec<bool>, Error> {
    header::check(policy, names).map_err(|error| error.of_kind(ErrorKind::Policy))?;
    Ok(names
        .iter()
        .map(|name| {
            policy.columns[name].role != Role::Drop || policy.people().any(|known| known == name)
        })
        .collect())
}

/// Returns the rows that are published, and a record of what was left out; also the fingerprints of
/// all rows, if an earlier run stopped at missing values.
fn accepted(
    policy: &Policy,
    mut raw: RawTable,
    watched: &Watched,
    drop_rows: impl FnOnce(&mut RawTable, &MissingTexts) -> Result<(), Error>,
) -> Result<(RawTable, Omitted, Option<RowPrints>), Error> {
    let input_rows = raw.rows;
    let sampled = policy.input.part.apply(&policy.input.source, &mut raw)?;
    let names_of = |role: Role| -> Vec<String> {
        raw.columns
            .iter()
            .filter(|column| policy.columns[&column.name].role == role)
            .map(|column| column.name.clone())
            .collect()
    };
    let mut omitted = Omitted {
        identifiers: names_of(Role::Identifier),
        dropped: names_of(Role::Drop),
        input_rows,
        sampled,
        ..Omitted::default()
    };
    let prints = |raw: &RawTable| Prints::new(policy, raw, watched).rows().clone();
    let input = watched.has_missing.then(|| prints(&raw));
    let handled = missing::handle(policy, &mut raw, &mut omitted, drop_rows);
    handled.map_err(|error| match error.seen() {
        Some(_) if raw.rows > 0 => error.with_prints(&prints(&raw)),
        _ => error,
    })?;
    alike::identify(policy, &mut raw)?;
    policy.people().try_for_each(|person| one_row_each(policy, person, &raw))?;
    omitted.repeated_identifiers = repeated_identifiers(policy, &raw)?;
    omitted.tied = tied::pairs(policy, &raw);
    Ok((raw, omitted, input))
}

/// Checks that no two rows have the same person, if the owner named the column of persons. O(rows).
fn one_row_each(policy: &Policy, person: &str, raw: &RawTable) -> Result<(), Error> {
    let mut columns = raw.columns.iter();
    let Some(column) = columns.find(|column| column.name == person) else {
        return Ok(());
    };
    let name = &column.name;
    let (mut repeated, mut first) = (0, None);
    for (code, (text, &rows)) in (0..).zip(column.values.iter().zip(&*column.counts())) {
        if rows > 0 && missing::is_missing(policy, &column.name, text) {
            let problem =
                text!("is empty here, but `person = {name:?}` states that it identifies people");
            return Err(Error::new(raw.place_of(column, code), problem)
                .help("fill the value in, or leave `person` out of the policy"));
        }
        if rows > 1 {
            repeated += 1;
            first = first.or(Some(code));
        }
    }
    let Some(first) = first else { return Ok(()) };
    let follows = policy.history().is_some_and(|own| own.person == *name);
    let (setting, help) = if follows {
        (
            text!("`person = {name:?}` under [history]"),
            text!(
                "reduce the table to one row per person: the history follows people by this column"
            ),
        )
    } else {
        (
            text!("`person = {name:?}`"),
            text!(
                "if a person has several rows, set `id = {name:?}` under [persons] instead; or reduce the table to one row per person; or leave `person` out: the guarantee then covers rows, not people"
            ),
        )
    };
    let problem = text!(
        "{setting:text} states that every row is another person, but {repeated} of its values appear in several rows; the first is `{}`",
        column.values.get(first)
    );
    let rows = raw.rows_with(column, |code| code == first);
    Err(Error::new(raw.place_of(column, first), problem).with_rows(rows).help(help))
}

/// Returns the identifiers that some rows share, if the policy says that rows are people
/// nevertheless.
///
/// # Errors
/// An identifier that repeats without a statement in the policy: the guarantee would cover rows,
/// although a person may have several.
fn repeated_identifiers(policy: &Policy, raw: &RawTable) -> Result<Vec<String>, Error> {
    // With [persons] the guarantee covers people, who may have several rows. If one column was
    // checked to tell people apart, other identifiers may repeat.
    if policy.persons().is_some() || policy.people().next().is_some() {
        return Ok(Vec::new());
    }
    let repeated = |column: &RawColumn| {
        let counts = column.counts();
        column
            .values
            .iter()
            .zip(&*counts)
            .filter(|&(text, &rows)| rows > 1 && !missing::is_missing(policy, &column.name, text))
            .count()
    };
    let identifiers: Vec<&RawColumn> = raw
        .columns
        .iter()
        .filter(|column| {
            policy.columns[&column.name].role == Role::Identifier
            && policy.identity() != Some(&column.name)
            // Many people share an episode, such as a year.
            && policy.episode() != Some(&column.name)
            && repeated(column) > 0
        })
        .collect();
    match identifiers.first() {
        Some(first) if !policy.input.rows_are_people => {
            let (name, values) = (&first.name, repeated(first));
            let problem = text!(
                "has the role `identifier`, but {values} of its values appear in several rows: if those rows belong to one person, the guarantee would not cover that person"
            );
            let place = Location::file(&policy.input.source.path).column(name);
            let counts = first.counts();
            let rows = raw.rows_with(first, |code| counts[code as usize] > 1);
            let error = Error::new(place, problem).with_rows(rows);
            Err(error.of_kind(ErrorKind::Policy).help(text!(
                "if a person has several rows, set `id = {name:?}` under [persons]; if the rows of one value are several people who share the sensitive value, as in a household, set `id = {name:?}` under [ties]; if every row is another person nevertheless, set `rows-are-people = true` under [input]; or reduce the table to one row per person"
            )))
        }
        _ => Ok(identifiers.iter().map(|own| own.name.clone()).collect()),
    }
}

#[cfg(test)]
mod tests;
