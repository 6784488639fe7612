//! JSON documents as R's lists, and lists as values of a policy.

use extendr_api::prelude::*;
use openveil_bindings::work::Failure;
use openveil_bindings::{input, Section, Value};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Returns a JSON document as a list. Arrays of values of one kind become vectors; keys keep their
/// order.
pub(crate) fn list_of(json: &str) -> Result<Robj, Failure> {
    let Item(value) = serde_json::from_str(json).map_err(|cause| input(cause.to_string()))?;
    Ok(value)
}

/// A value of a document.
struct Item(Robj);

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(document: D) -> std::result::Result<Self, D::Error> {
        document.deserialize_any(Items)
    }
}

struct Items;

impl<'de> Visitor<'de> for Items {
    type Value = Item;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a value of a document")
    }

    fn visit_bool<E>(self, truth: bool) -> std::result::Result<Item, E> {
        Ok(Item(truth.into()))
    }

    fn visit_i64<E>(self, number: i64) -> std::result::Result<Item, E> {
        Ok(Item(whole(number as f64)))
    }

    fn visit_u64<E>(self, number: u64) -> std::result::Result<Item, E> {
        Ok(Item(whole(number as f64)))
    }

    fn visit_f64<E>(self, number: f64) -> std::result::Result<Item, E> {
        Ok(Item(number.into()))
    }

    fn visit_str<E>(self, text: &str) -> std::result::Result<Item, E> {
        Ok(Item(text.into()))
    }

    fn visit_unit<E>(self) -> std::result::Result<Item, E> {
        Ok(Item(().into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<Item, A::Error> {
        let mut items = Vec::new();
        while let Some(Item(item)) = seq.next_element()? {
            items.push(item);
        }
        Ok(Item(vector(items)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Item, A::Error> {
        let mut pairs: Vec<(String, Robj)> = Vec::new();
        while let Some((name, Item(item))) = map.next_entry::<String, Item>()? {
            pairs.push((name, item));
        }
        Ok(Item(named(pairs)))
    }
}

/// Returns an integer if it fits R's integers, else a double.
fn whole(number: f64) -> Robj {
    if number.abs() <= f64::from(i32::MAX) {
        (number as i32).into()
    } else {
        number.into()
    }
}

/// Returns items as a vector, if all are of one kind; null becomes NA.
fn vector(items: Vec<Robj>) -> Robj {
    let is_single = |item: &&Robj| item.len() == 1 && !item.is_list();
    let present = || items.iter().filter(|item| !item.is_null());
    if items.is_empty() || !present().all(|item| is_single(&item)) || present().next().is_none() {
        return List::from_values(items).into();
    }
    if present().all(Robj::is_string) {
        return items.iter().map(Robj::as_str).collect::<Vec<_>>().into();
    }
    if present().all(Robj::is_integer) {
        return items.iter().map(Robj::as_integer).collect::<Vec<_>>().into();
    }
    if present().all(|item| item.is_integer() || item.is_real()) {
        let number = |item: &Robj| item.as_real().or_else(|| item.as_integer().map(f64::from));
        return items.iter().map(number).collect::<Vec<_>>().into();
    }
    if present().all(Robj::is_logical) {
        return items.iter().map(Robj::as_bool).collect::<Vec<_>>().into();
    }
    List::from_values(items).into()
}

/// Returns a list with names.
pub(crate) fn named(pairs: Vec<(String, Robj)>) -> Robj {
    let (names, values): (Vec<String>, Vec<Robj>) = pairs.into_iter().unzip();
    let mut list = Robj::from(List::from_values(values));
    if let Err(cause) = list.set_names(names) {
        unreachable!("there is a name for each value: {cause}");
    }
    list
}

/// Returns a list of named arguments as values of a policy, without NULL.
pub(crate) fn section_of(given: &Robj) -> Result<Section, Failure> {
    match value_of(given)? {
        Value::Section(section) => Ok(section),
        Value::List(none) if none.is_empty() => Ok(Section::default()),
        _ => Err(input("arguments of a policy have names").into()),
    }
}

/// Returns a vector or list of R as a value of a policy. One element is a single value, several are
/// a list, and elements with names are values by name.
pub(crate) fn value_of(given: &Robj) -> Result<Value, Failure> {
    let names: Option<Vec<&str>> = given.names().map(Iterator::collect);
    let mut values: Vec<Value> = Vec::new();
    if given.is_null() {
        return Ok(Value::List(values));
    } else if let Some(list) = given.as_list() {
        let names = names.unwrap_or_default();
        if list.is_empty() || names.is_empty() {
            let values: Result<_, _> = list.values().map(|own| value_of(&own)).collect();
            return Ok(Value::List(values?));
        }
        let mut section = Section::default();
        for (name, own) in names.iter().zip(list.values()) {
            if name.is_empty() {
                return Err(input("some of these values have names, and others have none").into());
            }
            if !own.is_null() {
                section.set(*name, value_of(&own)?);
            }
        }
        return Ok(section.into());
    } else if let Some(texts) = given.as_str_vector() {
        if given.is_na() || texts.iter().any(|text| text.is_na()) {
            return Err(input("a policy cannot contain NA").into());
        }
        values.extend(texts.into_iter().map(Value::from));
    } else if let Some(truths) = given.as_logical_vector() {
        for truth in truths {
            match truth.to_bool() {
                _ if truth.is_na() => return Err(input("a policy cannot contain NA").into()),
                own => values.push(own.into()),
            }
        }
    } else if let Some(numbers) = given.as_integer_vector() {
        for number in numbers {
            if number.is_na() {
                return Err(input("a policy cannot contain NA").into());
            }
            values.push(Value::Integer(number.into()));
        }
    } else if let Some(numbers) = given.as_real_vector() {
        for number in numbers {
            if !number.is_finite() {
                return Err(input(format!("a policy cannot contain {number}")).into());
            }
            // R writes whole numbers as doubles.
            let is_whole = number.fract() == 0.0 && number.abs() < 9e15;
            values.push(if is_whole {
                Value::Integer(number as i64)
            } else {
                Value::Number(number)
            });
        }
    } else {
        return Err(
            input(format!("a policy cannot contain a value of type {:?}", given.rtype())).into()
        );
    }
    if let Some(names) = names {
        return Ok(names
            .iter()
            .map(|name| (*name).to_owned())
            .zip(values)
            .collect::<Section>()
            .into());
    }
    match values.len() {
        1 => Ok(values.remove(0)),
        _ => Ok(Value::List(values)),
    }
}
