//! People and values by name, and the syntax of groups.

use openveil_core::table::Groups;
use openveil_io::source::{Source, likely_delimiter};
use openveil_io::{Error, Location};
use openveil_text::{Text, text};
use std::collections::BTreeSet;
use std::path::Path;

/// The most people.
const MOST_PEOPLE: usize = 64;

/// A few people, each with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scene {
    pub(super) people: Vec<String>,
    /// The value of each person, as a code.
    pub(super) table: Vec<u32>,
    /// The values, in their order.
    pub(super) labels: Vec<String>,
    /// The column that has the values, if they were read.
    pub(super) sensitive: String,
    /// The other columns that were read, by name.
    pub(super) known: Vec<(String, Vec<String>)>,
}

/// People, and their published values, ascending.
pub(super) type GroupWithValues = (Vec<u32>, Vec<u32>);

impl Scene {
    /// Returns people with their values. Without names they are called A, B, C, …, or 1, 2, 3, … if
    /// there are more than 26.
    ///
    /// # Errors
    /// No people or too many, a number of names that differs from the number of people, or a name
    /// that occurs twice.
    pub fn new(values: &[String], people: &[String]) -> Result<Self, Error> {
        let n = values.len();
        if n == 0 || n > MOST_PEOPLE {
            let words = format!("there are {n} people, but at most {MOST_PEOPLE} can be explained");
            return Err(
                problem(words).help(text!("name the value of each: `--sensitive flu,flu,cold`"))
            );
        }
        let people: Vec<String> = match people {
            [] if n <= 26 => ('A'..='Z').take(n).map(String::from).collect(),
            [] => (1..=n).map(|number| number.to_string()).collect(),
            named => named.iter().map(|name| name.trim().to_owned()).collect(),
        };
        if people.len() != n {
            let words = format!("{} people have {n} values", people.len());
            return Err(problem(words));
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = people.iter().find(|name| !seen.insert(*name)) {
            return Err(problem(format!("two people are called `{twice}`")));
        }
        let values: Vec<&str> = values.iter().map(|value| value.trim()).collect();
        // In the order of first mention, as in the papers.
        let mut labels: Vec<String> = Vec::new();
        let mut code = |value: &str| {
            labels.iter().position(|label| label == value).unwrap_or_else(|| {
                labels.push(value.to_owned());
                labels.len() - 1
            }) as u32
        };
        let table = values.into_iter().map(&mut code).collect();
        Ok(Self { people, table, labels, sensitive: String::new(), known: Vec::new() })
    }

    /// Reads the people of a file: the value of each is in the column `sensitive`, the name in
    /// `person`, if there is such a column.
    ///
    /// # Errors
    /// A file that cannot be read, or has no such column; as [`Scene::new`].
    pub fn read(path: &Path, sensitive: &str, person: Option<&str>) -> Result<Self, Error> {
        let source = Source::new(path);
        let wanted = [Some(sensitive), person];
        let raw = source.read(&|names: &[String]| {
            for name in wanted.into_iter().flatten() {
                if !names.iter().any(|own| own == name) {
                    let words = format!("has no column `{name}`");
                    let help = match names {
                        [only] if likely_delimiter(only).is_some() => {
                            text!(
                                "fields must be separated by commas; the file has one column, `{only}`"
                            )
                        }
                        names => text!("it has {}", names.join(", ")),
                    };
                    return Err(Error::new(Location::file(path), words).help(help));
                }
            }
            Ok(vec![true; names.len()])
        }, &|_| {})?;
        let (mut values, mut people, mut known) = (Vec::new(), Vec::new(), Vec::new());
        for column in &raw.columns {
            let texts = column.codes.iter().map(|&code| column.values.get(code).to_owned());
            match &*column.name {
                name if name == sensitive => values = texts.collect(),
                name if Some(name) == person => people = texts.collect(),
                name => known.push((name.to_owned(), texts.collect())),
            }
        }
        Ok(Self { sensitive: sensitive.to_owned(), known, ..Self::new(&values, &people)? })
    }

    /// The value of each person.
    pub(super) fn values(&self) -> impl Iterator<Item = &str> + Clone {
        self.table.iter().map(|&code| self.label(code))
    }

    pub(super) fn label(&self, code: u32) -> &str {
        &self.labels[code as usize]
    }

    /// Returns the code of a value; none if nobody has it.
    pub(super) fn code(&self, value: &str) -> Option<u32> {
        self.labels.iter().position(|label| label == value).map(|code| code as u32)
    }

    /// Counts the people with each value.
    pub(super) fn counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.labels.len()];
        self.table.iter().for_each(|&code| counts[code as usize] += 1);
        counts
    }

    /// Parses groupings separated by `;`.
    pub(crate) fn groupings(&self, text: &str) -> Result<Vec<Groups>, Error> {
        text.split(';')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(|part| self.grouping(part))
            .collect()
    }

    /// Parses a grouping: groups separated by `|`.
    pub(super) fn grouping(&self, text: &str) -> Result<Groups, Error> {
        let groups: Vec<Vec<u32>> =
            text.split('|').map(|group| self.group(group)).collect::<Result<_, Error>>()?;
        let groups: Groups = groups.into_iter().collect();
        groups.check_partition(self.people.len()).map_err(|_| {
            problem(format!("`{text}` does not put every person into exactly one group"))
                .help(text!("the people are {}", self.people.join(", ")))
        })?;
        Ok(groups.sorted())
    }

    /// Parses people separated by blanks or commas; names of one character need no separator.
    fn group(&self, text: &str) -> Result<Vec<u32>, Error> {
        let words = text.split([' ', ',']).filter(|word| !word.is_empty());
        let mut found = Vec::new();
        for word in words {
            match self.person(word) {
                Some(person) => found.push(person),
                None => {
                    let letters: Option<Vec<u32>> =
                        word.chars().map(|letter| self.person(&letter.to_string())).collect();
                    found.extend(letters.ok_or_else(|| {
                        problem(format!("no one is called `{word}`"))
                            .help(text!("the people are {}", self.people.join(", ")))
                    })?);
                }
            }
        }
        Ok(found)
    }

    /// Finds a person by name, or by number from 0 if no name is a number.
    fn person(&self, name: &str) -> Option<u32> {
        let number = |text: &str| text.parse::<u32>().ok();
        let named = self.people.iter().position(|own| own == name).map(|person| person as u32);
        named.or_else(|| {
            let is_free = !self.people.iter().any(|own| number(own).is_some());
            number(name).filter(|&person| is_free && (person as usize) < self.people.len())
        })
    }

    /// Parses groups with their values: `A B: flu, cold | C D: flu, flu`.
    pub(super) fn groups_with_values(&self, text: &str) -> Result<Vec<GroupWithValues>, Error> {
        let mut groups = Vec::new();
        for part in text.split('|') {
            let (people, values) = part.split_once(':').ok_or_else(|| {
                problem(format!("`{}` has no values", part.trim()))
                    .help("write people, a colon, and their values: `A B: flu, cold`")
            })?;
            let people = self.group(people)?;
            let values =
                values.split(',').map(str::trim).filter(|value| !value.is_empty()).map(|value| {
                    self.code(value).ok_or_else(|| {
                        problem(format!("no one has the value `{value}`"))
                            .help(text!("the values are {}", self.labels.join(", ")))
                    })
                });
            let mut values: Vec<u32> = values.collect::<Result<_, Error>>()?;
            values.sort_unstable();
            if people.len() != values.len() {
                let words = format!(
                    "`{}` has {} people and {} values",
                    part.trim(),
                    people.len(),
                    values.len()
                );
                return Err(problem(words));
            }
            groups.push((people, values));
        }
        Ok(groups)
    }

    /// Returns a grouping in the syntax in which it is typed.
    pub(super) fn name(&self, groups: &Groups) -> String {
        let is_short = self.people.iter().all(|name| name.chars().count() == 1);
        let between = if is_short { "" } else { " " };
        let groups: Vec<String> = groups
            .iter()
            .map(|people| {
                let names: Vec<&str> = people.iter().map(|&p| &*self.people[p as usize]).collect();
                names.join(between)
            })
            .collect();
        groups.join("|")
    }
}

pub(super) fn problem(words: impl Into<Text>) -> Error {
    Error::new(Location::default(), words)
}
