//! Policies from named arguments: `known`, `secret`, `model` and the others.

use crate::{Section, Value, toml};
use openveil_io::{Error, ErrorKind, Location};
use openveil_text::{ROLES, Text, text};

/// Arguments that become a section, and the key for a single text.
const SECTIONS: [(&str, Option<&str>); 4] =
    [("reader", None), ("history", Some("state")), ("persons", Some("id")), ("ties", Some("id"))];

/// Keys of a column that determine how its values are read: if one is given, the table's type or
/// order is not added.
const COARSE: [&str; 7] = ["type", "hierarchy", "order", "prefix", "floor", "top", "bottom"];

/// A policy as a document: sections in the order of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyDocument {
    sections: Section,
    /// Whether columns without a role are dropped.
    drops_rest: bool,
}

impl PolicyDocument {
    /// Makes a policy from named arguments.
    ///
    /// # Errors
    /// An argument that does not exist; a column with two roles; values of a kind that an argument
    /// does not take.
    pub fn of_arguments(mut arguments: Section) -> Result<Self, Error> {
        let (columns, drops_rest) = columns(&mut arguments)?;
        let mut privacy = match arguments.remove("model") {
            Some(model) => model_section(model)?,
            None => Section::default(),
        };
        move_all(&mut arguments, &mut privacy, &["combine"], listed);
        move_all(&mut arguments, &mut privacy, &["protect", "link"], |own| own);
        move_all(&mut arguments, &mut privacy, &["strata"], listed);
        if let Some(rows) = arguments.remove("smallest_group") {
            privacy.set("smallest-group", rows);
        }
        let mut input = section(arguments.remove("input"), "input", Some("path"))?;
        if input.get("path").is_none() {
            input.set("path", "table");
        }
        move_all(&mut arguments, &mut input, &["missing"], |own| own);
        move_all(&mut arguments, &mut input, &["missing_values"], listed);
        if arguments.remove("rows_are_people") == Some(Value::Boolean(true)) {
            input.set("rows-are-people", true);
        }
        let mut output = section(arguments.remove("output"), "output", Some("dir"))?;
        move_all(&mut arguments, &mut output, &["style", "cells"], |own| own);
        let mut algorithm = Section::default();
        if let Some(name) = arguments.remove("algorithm") {
            algorithm.set("name", name);
        }
        move_all(&mut arguments, &mut algorithm, &["decomposition"], |own| own);
        let mut sections = Section::default();
        sections.set("input", input);
        sections.set("columns", columns);
        let mut others = vec![("privacy", privacy)];
        for (name, key) in SECTIONS {
            others.push((name, section(arguments.remove(name), name, key)?));
        }
        others.extend([("algorithm", algorithm), ("output", output)]);
        for (name, own) in others {
            if !own.is_empty() {
                sections.set(name, own);
            }
        }
        for name in ["rules", "dependencies"] {
            if let Some(given) = arguments.remove(name) {
                sections.set(name, rules(name, given)?);
            }
        }
        match arguments.iter().next() {
            Some((name, _)) => Err(wrong(format!("unknown argument `{name}`"))),
            None => Ok(Self { sections, drops_rest }),
        }
    }

    /// Makes a policy from the sections of a file; `[input]` may be omitted.
    ///
    /// # Errors
    /// A model that is neither one nor several.
    pub fn of_sections(mut sections: Section) -> Result<Self, Error> {
        if sections.get("input").is_none() {
            let path = [("path".to_owned(), "table".into())];
            sections.set("input", Section::from_iter(path));
        }
        if let Some(model @ Value::List(_)) = sections.get("privacy").cloned() {
            sections.set("privacy", model_section(model)?);
        }
        Ok(Self { sections, drops_rest: false })
    }

    /// Returns the policy as the text of a file.
    ///
    /// # Errors
    /// A value that a policy cannot hold.
    pub fn toml(&self) -> Result<String, Error> {
        toml::text(&self.sections)
    }

    /// Whether columns without a role are dropped.
    pub fn drops_rest(&self) -> bool {
        self.drops_rest
    }

    /// Returns the policy for a table as the text of a file. A column without a type gets the
    /// table's type, and a known column the table's order. `types` are the columns of the table
    /// with their types, `orders` the columns whose values have an order, least first.
    ///
    /// # Errors
    /// A value that a policy cannot hold.
    pub fn for_table(
        &self,
        types: &[(String, String)],
        orders: &[(String, Vec<String>)],
    ) -> Result<String, Error> {
        let mut sections = self.sections.clone();
        let Some(columns) = sections.section("columns") else {
            return self.toml();
        };
        for (name, kind) in types {
            if columns.get(name).is_none() && self.drops_rest {
                columns.set(name, with_role("drop", Section::default()));
            }
            let Some(Value::Section(own)) = columns.get(name) else {
                continue;
            };
            let is_published = role(own).is_some_and(|role| role != "drop" && role != "identifier");
            let is_read = COARSE[..4].iter().any(|key| own.get(key).is_some());
            if is_published && !is_read && kind != "text" && kind != "list" {
                columns.extend(name, "type", kind.as_str());
            }
        }
        for (name, order) in orders {
            let Some(Value::Section(own)) = columns.get(name) else {
                continue;
            };
            let is_read = COARSE.iter().any(|key| own.get(key).is_some());
            if role(own) == Some("quasi-identifier") && !is_read {
                columns.extend(name, "order", order.clone());
            }
        }
        toml::text(&sections)
    }
}

/// Returns a model as policies write it on one line: `model = "l-diversity", l = 5`.
///
/// # Errors
/// A value that a policy cannot hold; a model that is neither one nor several.
pub fn model_line(model: Value) -> Result<String, Error> {
    let own = Value::Section(model_section(model)?);
    let text = toml::text(&[("privacy".to_owned(), own)].into_iter().collect())?;
    let lines: Vec<&str> = text.lines().skip(1).collect();
    Ok(lines.join(", "))
}

fn wrong(problem: impl Into<Text>) -> Error {
    Error::new(Location::default(), problem).of_kind(ErrorKind::Policy)
}

fn role(column: &Section) -> Option<&str> {
    match column.get("role") {
        Some(Value::Text(role)) => Some(role),
        _ => None,
    }
}

fn with_role(role: &str, said: Section) -> Section {
    let role = [("role".to_owned(), role.into())];
    role.into_iter().chain(said).collect()
}

/// Takes the arguments that name columns; also returns whether columns without a role are dropped.
fn columns(arguments: &mut Section) -> Result<(Section, bool), Error> {
    let mut columns = Section::default();
    let mut drops_rest = false;
    for (argument, role) in ROLES {
        match arguments.remove(argument) {
            None => {}
            Some(Value::Boolean(all)) if argument == "drop" => drops_rest = all,
            Some(given) => {
                for (name, said) in named(argument, given)? {
                    if columns.get(&name).is_some() {
                        return Err(wrong(format!("the column `{name}` has two roles")));
                    }
                    columns.set(name, with_role(role, said));
                }
            }
        }
    }
    for key in ["merge", "distinct"] {
        let Some(given) = arguments.remove(key) else {
            continue;
        };
        for (name, _) in named(key, given)? {
            if columns.get(&name).is_none() {
                return Err(wrong(format!("`{key}` names the column `{name}`, which has no role")));
            }
            columns.extend(&name, key, true);
        }
    }
    Ok((columns, drops_rest))
}

/// Returns columns with the keys that are given for each; a text instead of keys is the type.
fn named(argument: &str, given: Value) -> Result<Vec<(String, Section)>, Error> {
    let kinds = || wrong(format!("`{argument}` takes the name of a column, or several"));
    match given {
        Value::Text(name) => Ok(vec![(name, Section::default())]),
        Value::List(names) => names
            .into_iter()
            .map(|own| match own {
                Value::Text(name) => Ok((name, Section::default())),
                _ => Err(kinds()),
            })
            .collect(),
        Value::Section(columns) => columns
            .into_iter()
            .map(|(name, said)| match said {
                Value::Text(kind) => {
                    Ok((name, [("type".to_owned(), kind.into())].into_iter().collect()))
                }
                Value::Section(said) => Ok((name, said)),
                Value::List(said) if said.is_empty() => Ok((name, Section::default())),
                _ => Err(kinds()),
            })
            .collect(),
        _ => Err(kinds()),
    }
}

/// Returns a model as the section of a policy: one requirement, or `all` of several.
fn model_section(model: Value) -> Result<Section, Error> {
    match model {
        Value::Section(section) => Ok(section),
        Value::List(mut several) => match (several.len(), several.pop()) {
            (1, Some(Value::Section(only))) => Ok(only),
            (0, _) | (_, None) => Err(wrong("`model` is empty")),
            (_, Some(last)) => {
                several.push(last);
                Ok([("all".to_owned(), Value::List(several))].into_iter().collect())
            }
        },
        _ => {
            Err(wrong("`model` is not a model")
                .help(text!("write `model = \"l-diversity\"`, `l = 5`")))
        }
    }
}

/// Returns a section; a single text becomes its default key.
fn section(given: Option<Value>, name: &str, key: Option<&str>) -> Result<Section, Error> {
    match (given, key) {
        (None, _) => Ok(Section::default()),
        (Some(Value::Section(section)), _) => Ok(section),
        (Some(Value::List(none)), _) if none.is_empty() => Ok(Section::default()),
        (Some(text @ Value::Text(_)), Some(key)) => {
            Ok([(key.to_owned(), text)].into_iter().collect())
        }
        _ => Err(wrong(format!("`{name}` takes named values"))),
    }
}

/// Moves arguments into a section.
fn move_all(from: &mut Section, to: &mut Section, names: &[&str], make: fn(Value) -> Value) {
    for name in names {
        if let Some(own) = from.remove(name) {
            to.set(*name, make(own));
        }
    }
}

/// Returns a single value as a list of one.
fn listed(own: Value) -> Value {
    match own {
        list @ Value::List(_) => list,
        single => Value::List(vec![single]),
    }
}

/// Returns rules, with the keys of each rule's model in the rule.
fn rules(name: &str, given: Value) -> Result<Value, Error> {
    let Value::List(rules) = given else {
        return Err(wrong(format!("`{name}` is a list, and each entry takes named values")));
    };
    let rule = |rule| {
        let Value::Section(mut rule) = rule else {
            return Err(wrong(format!("each entry of `{name}` takes named values")));
        };
        let key = if rule.get("privacy").is_some() { "privacy" } else { "model" };
        if let Some(Value::Section(_) | Value::List(_)) = rule.get(key) {
            let model = rule.remove(key).expect("it was just there");
            rule.remove("model");
            for (name, own) in model_section(model)? {
                rule.set(name, own);
            }
        }
        Ok(Value::Section(rule))
    };
    let rules: Vec<Value> = rules.into_iter().map(rule).collect::<Result<_, _>>()?;
    Ok(Value::List(rules))
}
