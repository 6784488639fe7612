//! Messages for people, with the names in them as values.
//!
//! The engine speaks of keys of policy files and options of the command; a package for Python or
//! R has arguments instead, and pages speak German too. A [`Text`] therefore keeps its template apart
//! from what is filled in: each front ([`Voice`]) writes the names of the template in its own way, and
//! looks a template up in its [`Language`]. Values of a table are never taken for names, because only
//! templates are searched for them. [`text!`] takes a template as `format!` does.
//!
//! Belongs here: how names are written, and the German words. Does not: what is said about which
//! problem.

// The macro writes paths that start with the name of this crate.
extern crate self as openveil_text;

mod language;
mod names;
mod voice;

pub use language::{Language, pairs};
pub use openveil_text_macro::text;
pub use voice::{Package, ROLES, Voice};

use names::Found;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// A message: words and names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text {
    parts: Vec<Part>,
    /// Other words, for a policy that was given by arguments.
    by_arguments: Option<Box<Text>>,
}

/// A placeholder of a template without its braces, and what it stands for: `("n:.2", "0.25")`.
pub type Argument = (&'static str, Text);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    /// Words that hold no names.
    Words(Cow<'static, str>),
    /// A template with its arguments.
    Template(&'static str, Vec<Argument>),
    /// A message that starts with a capital letter.
    Sentence(Box<Text>),
    /// A number as English writes it: `1,234.5`.
    Number(String),
}

impl Text {
    /// Makes a message of a template; [`text!`] does it and names the arguments.
    pub fn new(template: &'static str, arguments: Vec<Argument>) -> Self {
        Self { parts: vec![Part::Template(template, arguments)], by_arguments: None }
    }

    /// Says something else where a policy is given by the arguments of a package.
    #[must_use]
    pub fn or_by_arguments(mut self, text: Text) -> Self {
        self.by_arguments = Some(Box::new(text));
        self
    }

    /// Appends a message.
    #[must_use]
    pub fn and(mut self, more: impl Into<Text>) -> Self {
        let more = more.into();
        if self.by_arguments.is_some() || more.by_arguments.is_some() {
            let mut own = self.in_arguments().clone();
            own.parts.extend_from_slice(&more.in_arguments().parts);
            self.by_arguments = Some(Box::new(own));
        }
        self.parts.extend(more.parts);
        self
    }

    /// Puts a few words between messages.
    pub fn listed(parts: impl IntoIterator<Item = Text>, between: &Text) -> Self {
        let parts = parts.into_iter();
        parts.reduce(|all, next| all.and(between.clone()).and(next)).unwrap_or_default()
    }

    /// Starts it with a capital letter.
    #[must_use]
    pub fn into_sentence(self) -> Self {
        Self { parts: vec![Part::Sentence(Box::new(self))], by_arguments: None }
    }

    /// A number, written as in English: `1,234.5`. Fill it in as `{name:text}`.
    pub fn number(written: impl Into<String>) -> Self {
        Self { parts: vec![Part::Number(written.into())], by_arguments: None }
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether it ends with a question or a full stop.
    pub fn ends_sentence(&self) -> bool {
        match self.parts.last() {
            Some(Part::Sentence(sentence)) => sentence.ends_sentence(),
            Some(Part::Words(words)) => words.ends_with(['?', '.']),
            Some(Part::Template(template, _)) => template.ends_with(['?', '.']),
            Some(Part::Number(_)) | None => false,
        }
    }

    /// Returns the message in the words of a front; `column` is the column that it is about.
    /// O(length).
    pub fn say(&self, voice: Voice, column: Option<&str>) -> String {
        let mut said = String::new();
        self.say_to(&mut said, voice, column);
        said
    }

    fn say_to(&self, said: &mut String, voice: Voice, column: Option<&str>) {
        let own = if voice.has_arguments() { self.in_arguments() } else { self };
        for part in &own.parts {
            match part {
                Part::Words(Cow::Borrowed(words)) => said.push_str(voice.language().say(words)),
                Part::Words(words) => said.push_str(words),
                Part::Number(number) => said.push_str(&voice.language().number(number)),
                Part::Sentence(sentence) => {
                    let sentence = sentence.say(voice, column);
                    let mut letters = sentence.chars();
                    said.extend(letters.next().into_iter().flat_map(char::to_uppercase));
                    said.push_str(letters.as_str());
                }
                Part::Template(template, arguments) => {
                    for found in names::found(voice.language().say(template), arguments) {
                        match found {
                            Found::Words(words) => said.push_str(&words),
                            Found::Name(own, name) => {
                                said.push_str(&voice.name(&own, &name, column))
                            }
                            Found::Message(message) => message.say_to(said, voice, column),
                        }
                    }
                }
            }
        }
    }

    /// Itself, or what it says for arguments.
    fn in_arguments(&self) -> &Self {
        self.by_arguments.as_deref().unwrap_or(self)
    }
}

impl From<&'static str> for Text {
    fn from(words: &'static str) -> Self {
        Self { parts: vec![Part::Words(words.into())], by_arguments: None }
    }
}

impl From<String> for Text {
    fn from(words: String) -> Self {
        Self { parts: vec![Part::Words(words.into())], by_arguments: None }
    }
}

/// In the words of the command and of policy files, or of the voice that [speaks](Voice::speak).
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.say(Voice::spoken(), None))
    }
}

/// As it is displayed.
impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// As words without names.
impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}
