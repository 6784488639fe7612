//! Values that a policy can hold, in the order in which they were given.

/// A value of a policy.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// True or false.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Number(f64),
    /// A text.
    Text(String),
    /// A list of values.
    List(Vec<Value>),
    /// Values by name.
    Section(Section),
}

/// Values by name, in the order in which they were given. Names are unique.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Section(Vec<(String, Value)>);

impl Section {
    /// Returns the value with a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    /// Removes and returns the value with a name.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let at = self.0.iter().position(|(own, _)| own == name)?;
        Some(self.0.remove(at).1)
    }

    /// Sets a value; an existing name keeps its position.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        let (name, value) = (name.into(), value.into());
        match self.0.iter_mut().find(|(own, _)| *own == name) {
            Some((_, own)) => *own = value,
            None => self.0.push((name, value)),
        }
    }

    /// Returns names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Whether it has no values.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sets a value in the section with a name.
    pub(crate) fn extend(&mut self, name: &str, key: &str, value: impl Into<Value>) {
        if let Some(section) = self.section(name) {
            section.set(key, value);
        }
    }

    /// Returns the section with a name, and makes it if there is none.
    pub(crate) fn section(&mut self, name: &str) -> Option<&mut Self> {
        if self.get(name).is_none() {
            self.set(name, Self::default());
        }
        let found = self.0.iter_mut().find(|(own, _)| own == name)?;
        match &mut found.1 {
            Value::Section(section) => Some(section),
            _ => None,
        }
    }
}

impl IntoIterator for Section {
    type Item = (String, Value);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl FromIterator<(String, Value)> for Section {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(values: I) -> Self {
        let mut section = Self::default();
        for (name, value) in values {
            section.set(name, value);
        }
        section
    }
}

impl From<Value> for serde_json::Value {
    fn from(value: Value) -> Self {
        match value {
            Value::Boolean(truth) => truth.into(),
            Value::Integer(number) => number.into(),
            Value::Number(number) => number.into(),
            Value::Text(text) => text.into(),
            Value::List(values) => values.into_iter().map(Self::from).collect(),
            Value::Section(section) => section
                .into_iter()
                .map(|(name, value)| (name, Self::from(value)))
                .collect::<serde_json::Map<_, _>>()
                .into(),
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Section> for Value {
    fn from(section: Section) -> Self {
        Self::Section(section)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(values: Vec<T>) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}
