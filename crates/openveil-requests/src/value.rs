//! Values of options: read from a word of a command line, or from a value of a program.

use openveil_tools::audit::{Demand, ForColumn, Population};
use openveil_tools::verify::Crossed;
use serde::de::{Deserialize, Deserializer, Error};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;
use std::str::FromStr;

/// Bytes of memory, written as `2GB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub u64);

impl FromStr for Size {
    type Err = openveil_io::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        openveil_publication::bytes(text).map(Self)
    }
}

/// A number as it was written, `4/3` or `1.5`, because a number with a point is not exact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fraction(pub String);

impl FromStr for Fraction {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.to_owned()))
    }
}

impl Display for Fraction {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}

/// Values of l to try: `2..8`, of which both ends count, or `2,4,6`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lengths(pub Vec<u32>);

impl FromStr for Lengths {
    type Err = openveil_io::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        openveil_tools::compare::values_of_l(text).map(Self)
    }
}

/// A list of whole numbers, written `1,2,1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vector(pub Vec<u32>);

impl FromStr for Vector {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let numbers: Result<_, _> = text.split(',').map(|number| number.trim().parse()).collect();
        numbers.map(Self).map_err(|_| "not a list of whole numbers, such as `1,2,1`".to_owned())
    }
}

/// Columns of whole numbers, one for each person: `0,0,1,1;5,6,5,6`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout(pub String);

impl FromStr for Layout {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.to_owned()))
    }
}

/// Reads a whole number from a word.
///
/// # Errors
/// Text that is none, or a number that is too large.
pub fn whole<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| {
        match (text, text.parse::<u128>()) {
            ("", _) => "a number is missing",
            (_, Ok(_)) => "too large",
            _ => "not a whole number of 0 or more",
        }
        .to_owned()
    })
}

/// Reads a number from a word.
///
/// # Errors
/// Text that is none.
pub fn real(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "not a number".to_owned())
}

/// Reads `COLUMN=FILE` or `FILE`.
///
/// # Errors
/// A file without a name.
pub fn for_column(text: &str) -> Result<ForColumn, String> {
    let (column, file) = match text.split_once('=') {
        Some((column, file)) => (Some(column.to_owned()), file),
        None => (None, text),
    };
    if file.is_empty() {
        return Err("the name of a file is missing".to_owned());
    }
    Ok(ForColumn { column, file: file.into() })
}

/// Reads a number of people, also `1,000` or `1_000`; any other text is the file of a table of them.
///
/// # Errors
/// None.
pub fn population(text: &str) -> Result<Population, std::convert::Infallible> {
    let people = text.replace(['_', ','], "").parse();
    Ok(people.map_or_else(|_| Population::Table(text.into()), Population::People))
}

/// Reads `COLUMN=VALUE`.
///
/// # Errors
/// Text without an equals sign.
pub fn reference(text: &str) -> Result<(String, String), String> {
    let (column, value) = text.split_once('=').ok_or("write `column=value`")?;
    Ok((column.to_owned(), value.to_owned()))
}

/// Values of programs: one or several, and numbers where the command line has words.
pub(crate) mod given {
    use super::*;

    /// One value, or a list.
    #[derive(serde::Deserialize)]
    #[serde(untagged)]
    enum OneOrSeveral<T> {
        Several(Vec<T>),
        One(T),
    }

    pub(crate) fn several<'de, D, T>(given: D) -> Result<Vec<T>, D::Error>
    where
        D: Deserializer<'de>,
        T: Deserialize<'de>,
    {
        Ok(match OneOrSeveral::deserialize(given)? {
            OneOrSeveral::Several(values) => values,
            OneOrSeveral::One(value) => vec![value],
        })
    }

    /// A value as text: numbers as they are written.
    fn text(value: Value) -> Result<String, &'static str> {
        match value {
            Value::String(text) => Ok(text),
            Value::Number(number) => Ok(number.to_string()),
            Value::Bool(truth) => Ok(truth.to_string()),
            _ => Err("not a number or a text"),
        }
    }

    pub(crate) fn texts<'de, D: Deserializer<'de>>(given: D) -> Result<Vec<String>, D::Error> {
        let values: Vec<Value> = several(given)?;
        values.into_iter().map(text).collect::<Result<_, _>>().map_err(D::Error::custom)
    }

    /// Values, or one text that has them all, as on a command line: `1,1,2`.
    pub(crate) fn values<'de, D: Deserializer<'de>>(given: D) -> Result<Vec<String>, D::Error> {
        Ok(match Value::deserialize(given)? {
            Value::String(text) if text.is_empty() => Vec::new(),
            Value::String(text) => text.split(',').map(str::to_owned).collect(),
            values => texts(values).map_err(D::Error::custom)?,
        })
    }

    /// A file, or files by column.
    pub(crate) fn files<'de, D: Deserializer<'de>>(given: D) -> Result<Vec<ForColumn>, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(untagged)]
        enum Files {
            One(PathBuf),
            OfColumns(BTreeMap<String, PathBuf>),
        }
        Ok(match Files::deserialize(given)? {
            Files::One(file) => vec![ForColumn { column: None, file }],
            Files::OfColumns(files) => files
                .into_iter()
                .map(|(column, file)| ForColumn { column: Some(column), file })
                .collect(),
        })
    }

    /// Least values by measure.
    pub(crate) fn demands<'de, D: Deserializer<'de>>(given: D) -> Result<Vec<Demand>, D::Error> {
        let demands = match Value::deserialize(given)? {
            // As the command takes them: `l_ratio=4,k=5`.
            Value::String(text) => text
                .split(',')
                .map(|one| {
                    let (measure, least) = one.split_once('=').unwrap_or((one, ""));
                    (measure.trim().to_owned(), least.trim().into())
                })
                .collect(),
            values => serde_json::from_value::<BTreeMap<String, Value>>(values).map_err(|_| {
                D::Error::custom("neither least values by measure nor a text of them")
            })?,
        };
        demands
            .into_iter()
            .map(|(measure, least): (String, Value)| Demand::new(&measure, &text(least)?))
            .collect::<Result<_, String>>()
            .map_err(D::Error::custom)
    }

    pub(crate) fn population<'de, D>(given: D) -> Result<Option<Population>, D::Error>
    where
        D: Deserializer<'de>,
    {
        let found = match Option::<Value>::deserialize(given)? {
            None => return Ok(None),
            Some(Value::String(text)) => super::population(&text).map_err(D::Error::custom)?,
            Some(number) => Population::People(
                number.as_u64().ok_or_else(|| D::Error::custom("not a number of people"))?,
            ),
        };
        Ok(Some(found))
    }

    /// Values by column.
    pub(crate) fn references<'de, D>(given: D) -> Result<Vec<(String, String)>, D::Error>
    where
        D: Deserializer<'de>,
    {
        let values: BTreeMap<String, Value> = BTreeMap::deserialize(given)?;
        values
            .into_iter()
            .map(|(column, value)| Ok((column, text(value)?)))
            .collect::<Result<_, &str>>()
            .map_err(D::Error::custom)
    }

    /// One list of numbers, or several.
    pub(crate) fn vectors<'de, D: Deserializer<'de>>(given: D) -> Result<Vec<Vector>, D::Error> {
        match Value::deserialize(given)? {
            Value::Array(values) if values.is_empty() || !values[0].is_number() => values
                .into_iter()
                .map(serde_json::from_value)
                .collect::<Result<_, _>>()
                .map_err(D::Error::custom),
            one => Ok(vec![serde_json::from_value(one).map_err(D::Error::custom)?]),
        }
    }

    pub(crate) fn crossed<'de, D: Deserializer<'de>>(given: D) -> Result<Crossed, D::Error> {
        let name = String::deserialize(given)?;
        Crossed::ALL
            .into_iter()
            .find(|own| own.name() == name)
            .ok_or_else(|| D::Error::custom("no such combination"))
    }

    /// A column alone, or true where the policy names it.
    pub(crate) fn ties<'de, D>(given: D) -> Result<Option<Option<String>>, D::Error>
    where
        D: Deserializer<'de>,
    {
        match Value::deserialize(given)? {
            Value::Null | Value::Bool(false) => Ok(None),
            Value::Bool(true) => Ok(Some(None)),
            Value::String(column) => Ok(Some(Some(column))),
            _ => Err(D::Error::custom("not the name of a column")),
        }
    }

    impl<'de> Deserialize<'de> for Size {
        fn deserialize<D: Deserializer<'de>>(given: D) -> Result<Self, D::Error> {
            let text = text(Value::deserialize(given)?).map_err(D::Error::custom)?;
            text.parse().map_err(D::Error::custom)
        }
    }

    impl<'de> Deserialize<'de> for Fraction {
        fn deserialize<D: Deserializer<'de>>(given: D) -> Result<Self, D::Error> {
            text(Value::deserialize(given)?).map(Self).map_err(D::Error::custom)
        }
    }

    impl<'de> Deserialize<'de> for Lengths {
        fn deserialize<D: Deserializer<'de>>(given: D) -> Result<Self, D::Error> {
            let numbers = texts(given)?;
            numbers.join(",").parse().map_err(D::Error::custom)
        }
    }

    impl<'de> Deserialize<'de> for Vector {
        fn deserialize<D: Deserializer<'de>>(given: D) -> Result<Self, D::Error> {
            Ok(match OneOrSeveral::deserialize(given)? {
                OneOrSeveral::One(Value::String(text)) => text.parse().map_err(D::Error::custom)?,
                OneOrSeveral::One(value) => {
                    Self(vec![serde_json::from_value(value).map_err(D::Error::custom)?])
                }
                OneOrSeveral::Several(values) => {
                    let numbers = values.into_iter().map(serde_json::from_value);
                    Self(numbers.collect::<Result<_, _>>().map_err(D::Error::custom)?)
                }
            })
        }
    }

    impl<'de> Deserialize<'de> for Layout {
        fn deserialize<D: Deserializer<'de>>(given: D) -> Result<Self, D::Error> {
            Ok(match Value::deserialize(given)? {
                Value::String(text) => Self(text),
                columns => {
                    let columns: Vec<Vec<u64>> = serde_json::from_value(columns).map_err(|_| {
                        D::Error::custom("not columns of whole numbers, one for each person")
                    })?;
                    Self(
                        columns
                            .iter()
                            .map(|numbers| {
                                numbers
                                    .iter()
                                    .map(ToString::to_string)
                                    .collect::<Vec<_>>()
                                    .join(",")
                            })
                            .collect::<Vec<_>>()
                            .join(";"),
                    )
                }
            })
        }
    }
}
