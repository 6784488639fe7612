//! Parameters of models as they are written, before they belong to a particular model.

use super::Requirement;
use serde::de::value::{Error as ReadError, SeqDeserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess,
    Visitor,
};
use std::fmt;

/// Names and values, such as the section `[privacy]` of a policy has. They are not yet a model.
///
/// Only [`Parameters::requirement`] turns them into a checked [`Requirement`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parameters {
    entries: Vec<(String, Value)>,
}

/// A parameter as it is written. Numbers are kept as text, so that 0.2 is 1/5.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A name, a number, `true` or `false`.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// The parameters of a model inside another model.
    Table(Parameters),
}

impl Parameters {
    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.entries.iter().find(|entry| entry.0 == name).map(|entry| &entry.1)
    }

    /// The text of a name or number, if there is one.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Removes and returns a value.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        let found = self.entries.iter().position(|entry| entry.0 == name)?;
        Some(self.entries.remove(found).1)
    }

    /// Sets the value of a name, in place of an earlier one.
    pub fn set(&mut self, name: &str, value: Value) {
        self.take(name);
        self.entries.push((name.to_owned(), value));
    }

    /// Returns these parameters with `others` added; these replace parameters of the same name.
    #[must_use]
    pub fn with(mut self, others: Self) -> Self {
        for (name, value) in others.entries {
            self.set(&name, value);
        }
        self
    }

    /// The names of all parameters.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| &*entry.0)
    }

    /// Whether there are no parameters.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the checked requirement that the parameters describe.
    ///
    /// # Errors
    /// A text, if the model is missing or unknown, or a parameter is unknown, missing or out of
    /// range.
    pub fn requirement(mut self) -> Result<Requirement, String> {
        let Some(model) = self.take("model") else {
            return Err("names no `model`".to_owned());
        };
        let Value::Text(model) = model else {
            return Err("`model` is not a name".to_owned());
        };
        let requirement = Requirement::read(&model, self)?;
        requirement.check().map_err(|cause| cause.to_string())?;
        Ok(requirement)
    }

    /// Reads parameters into the structure for one model.
    pub(super) fn read<T: for<'de> Deserialize<'de>>(self, model: &str) -> Result<T, String> {
        T::deserialize(serde::de::value::MapAccessDeserializer::new(Entries {
            entries: self.entries.into_iter(),
            current: None,
        }))
        .map_err(|cause| {
            let message = cause.to_string();
            match message.strip_prefix("missing field ") {
                Some(field) => format!("the model `{model}` needs {field}"),
                None => message,
            }
        })
    }
}

/// Iterates over parameters, and names the one whose value could not be read.
struct Entries {
    entries: std::vec::IntoIter<(String, Value)>,
    current: Option<(String, Value)>,
}

impl<'de> MapAccess<'de> for Entries {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ReadError> {
        self.current = self.entries.next();
        let key = self.current.as_ref().map(|entry| entry.0.clone());
        key.map(|key| seed.deserialize(key.into_deserializer())).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        let (key, value) =
            self.current.take().ok_or_else(|| ReadError::custom("a value without a name"))?;
        seed.deserialize(value).map_err(|cause| {
            let message = cause.to_string();
            // Known names are put at the front of the message.
            if message.starts_with("unknown ") {
                return cause;
            }
            match message.strip_prefix("= ") {
                Some(rest) => ReadError::custom(format!("`{key} = {rest}")),
                None => ReadError::custom(format!("{message} (`{key}`)")),
            }
        })
    }
}

impl<'de> Deserialize<'de> for Parameters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Table(parameters) => Ok(parameters),
            _ => Err(D::Error::custom("expected a table of parameters")),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a name, or a fraction in quotes such as \"1/3\"")
    }

    fn visit_bool<E: Error>(self, said: bool) -> Result<Value, E> {
        Ok(Value::Text(said.to_string()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Text(number.to_string()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Text(number.to_string()))
    }

    /// A float's shortest text is the text that was written, up to 15 digits.
    fn visit_f64<E: Error>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Text(number.to_string()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(Value::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Value, A::Error> {
        let mut parameters = Parameters::default();
        while let Some((name, value)) = table.next_entry::<String, Value>()? {
            parameters.set(&name, value);
        }
        Ok(Value::Table(parameters))
    }
}

impl IntoDeserializer<'_, ReadError> for Value {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Value {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self {
            Self::Text(text) => visitor.visit_string(text),
            Self::List(values) => visitor.visit_seq(SeqDeserializer::new(values.into_iter())),
            Self::Table(_) => Err(ReadError::custom("a table stands where a value should")),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_some(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match self {
            Self::Text(text) => {
                let text: serde::de::value::StringDeserializer<ReadError> =
                    text.into_deserializer();
                text.deserialize_enum(name, variants, visitor)
            }
            other => other.deserialize_any(visitor),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
