//! Descriptions of options, from the structures of requests.

use crate::{Request, refused, value};
use clap::{Arg, ArgAction, Args, Command};
use openveil_io::Error;
use openveil_text::text;
use openveil_tools::audit::{Demand, ForColumn, Population};
use serde_json::Value;
use std::any::TypeId;
use std::path::PathBuf;

/// Values that an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// True or false.
    Flag,
    /// A whole number of 0 or more.
    Whole,
    /// A number.
    Real,
    /// A text.
    Text,
    /// A path.
    File,
    /// Bytes, such as `2GB`.
    Size,
    /// A number that is exact if it is a text: `4/3`.
    Fraction,
    /// Files by the column that they are about, or one file.
    FileOfColumn,
    /// The least values of measures, by measure.
    Demands,
    /// A number of people, or the file of a table.
    Population,
    /// A range or a list of numbers: `2..8`.
    Range,
    /// A list of numbers.
    Vector,
    /// Columns of numbers.
    Layout,
}

/// An option of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name, with underscores.
    pub name: String,
    /// The values that it takes.
    pub kind: Kind,
    /// The only values that it takes, if they are a list.
    pub choices: Vec<String>,
    /// Whether it takes several values.
    pub is_list: bool,
    /// Whether it can be given without a value.
    pub may_be_bare: bool,
    /// Its default; several are separated by commas.
    pub default: Option<String>,
    /// Its documentation, in Markdown.
    pub help: String,
}

/// Returns the options of a command, in order.
pub fn fields<R: Args>() -> Vec<Field> {
    R::augment_args(Command::new("")).get_arguments().map(Field::new).collect()
}

/// Returns the request without any option.
pub(crate) fn defaults<R: Request>() -> R {
    let command = R::augment_args(Command::new(R::COMMAND).no_binary_name(true));
    let nothing: [&str; 0] = [];
    command
        .try_get_matches_from(nothing)
        .and_then(|given| R::from_arg_matches(&given))
        .expect("every option has a default, or may be missing")
}

impl Field {
    fn new(option: &Arg) -> Self {
        let values = option.get_num_args();
        let default = option.get_default_values();
        Self {
            name: option.get_id().as_str().to_owned(),
            kind: kind(option),
            choices: option
                .get_possible_values()
                .iter()
                .map(|value| value.get_name().to_owned())
                .filter(|_| !is_flag(option))
                .collect(),
            is_list: matches!(option.get_action(), ArgAction::Append),
            may_be_bare: !is_flag(option) && values.is_some_and(|number| number.min_values() == 0),
            default: (!is_flag(option) && !default.is_empty())
                .then(|| default.iter().map(|own| own.to_string_lossy()).collect::<Vec<_>>())
                .map(|own| own.join(",")),
            help: option.get_help().map(ToString::to_string).unwrap_or_default(),
        }
    }

    /// Returns the value that a text stands for. A text that is no number stays one, and is refused
    /// later.
    pub(crate) fn value(&self, text: &str) -> Value {
        match self.kind {
            _ if self.is_list => {
                text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect()
            }
            Kind::Whole | Kind::Real => text.parse().map_or_else(|_| text.into(), Value::Number),
            Kind::Flag => (text == "true").into(),
            _ => text.into(),
        }
    }

    /// Returns the error for a value of another kind; `why` explains those that are more than a
    /// number or a text.
    pub(crate) fn refuse(&self, value: &Value, why: &str) -> Error {
        let takes = match self.kind {
            _ if !self.choices.is_empty() => text!("it takes {}", self.choices.join(", ")),
            Kind::Flag => text!("it takes true or false"),
            Kind::Whole => text!("not a whole number of 0 or more"),
            Kind::Real => text!("not a number"),
            Kind::Text | Kind::File => text!("not a text"),
            _ => why.to_owned().into(),
        };
        let value = shown(value);
        refused(text!("`--{}` cannot be `{value}`: {takes:text}", self.name.replace('_', "-")))
    }
}

/// Returns a value as a user would write it.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(shown).collect::<Vec<_>>().join(","),
        Value::Object(values) => values
            .iter()
            .map(|(name, value)| format!("{name}={}", shown(value)))
            .collect::<Vec<_>>()
            .join(","),
        other => other.to_string(),
    }
}

fn is_flag(option: &Arg) -> bool {
    matches!(option.get_action(), ArgAction::SetTrue)
}

fn kind(option: &Arg) -> Kind {
    if is_flag(option) {
        return Kind::Flag;
    }
    let kinds = [
        (TypeId::of::<u32>(), Kind::Whole),
        (TypeId::of::<u64>(), Kind::Whole),
        (TypeId::of::<usize>(), Kind::Whole),
        (TypeId::of::<f64>(), Kind::Real),
        (TypeId::of::<PathBuf>(), Kind::File),
        (TypeId::of::<value::Size>(), Kind::Size),
        (TypeId::of::<value::Fraction>(), Kind::Fraction),
        (TypeId::of::<value::Lengths>(), Kind::Range),
        (TypeId::of::<value::Vector>(), Kind::Vector),
        (TypeId::of::<value::Layout>(), Kind::Layout),
        (TypeId::of::<ForColumn>(), Kind::FileOfColumn),
        (TypeId::of::<Demand>(), Kind::Demands),
        (TypeId::of::<Population>(), Kind::Population),
    ];
    let own = option.get_value_parser().type_id();
    kinds.iter().find(|(known, _)| own == *known).map_or(Kind::Text, |(_, kind)| *kind)
}
