//! Messages for people, with the names in them as values.
//!
//! The engine is told about keys of policy files and options of the command; a package for Python or
//! R has arguments instead. A [`Text`] therefore keeps such names apart from the words around them,
//! and each front writes them in its own way ([`Voice`]). [`text!`] takes a template as `format!` does,
//! and finds its names while the program is compiled, so that values of a table, which are filled in
//! later, are never taken for names.
//!
//! Belongs here: how names are written. Does not: what is said about which problem.

// The macro writes paths that start with the name of this crate.
extern crate self as openveil_text;

mod voice;

pub use openveil_text_macro::text;
pub use voice::{Language, ROLES, Voice};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// A message: words and names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text {
    pieces: Vec<Piece>,
    /// Other words, for a policy that was given by arguments.
    by_arguments: Option<Box<Text>>,
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Words that all fronts say.
    Words(Cow<'static, str>),
    /// A name, after the way in which the command and policy files write it.
    Name(Cow<'static, str>, Name),
}

/// Something that is named differently in a policy file, on the command line and in packages.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Name {
    /// A command with options, or options: `openveil fit --worlds 0`, `--certify`.
    Call {
        /// The command, if it is named.
        command: Option<Cow<'static, str>>,
        /// The options without hyphens, with their values.
        options: Vec<(Cow<'static, str>, Option<Cow<'static, str>>)>,
    },
    /// An option in running text, as in the place of a problem.
    Option {
        /// The option, without hyphens.
        option: Cow<'static, str>,
    },
    /// A key of a policy with a value: `missing = "keep"`.
    Setting {
        /// The key; the name of a column if the value is a table with its role.
        key: Cow<'static, str>,
        /// The value, as a policy file writes it.
        value: Cow<'static, str>,
        /// The section, if the message names it.
        section: Option<Cow<'static, str>>,
    },
    /// A key of a section.
    Key {
        /// The key.
        key: Cow<'static, str>,
        /// Its section.
        section: Cow<'static, str>,
    },
    /// A model with a parameter: `model = "l-diversity"`, `l = 5`.
    Model {
        /// The model's name in policy files.
        model: Cow<'static, str>,
        /// The parameter's value, or its name if any value is meant.
        parameter: Cow<'static, str>,
    },
    /// A role of columns.
    Role {
        /// The role's name in policy files.
        role: Cow<'static, str>,
    },
    /// A section of a policy.
    Section {
        /// The section, without brackets.
        section: Cow<'static, str>,
    },
    /// The section of a key that is named later. Packages do not say it.
    Under {
        /// The section, without brackets.
        section: Cow<'static, str>,
    },
}

impl Text {
    /// Makes a message of pieces; [`text!`] does it from a template.
    pub fn new(pieces: Vec<Piece>) -> Self {
        Self { pieces, by_arguments: None }
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
            let mut own = self.in_arguments().to_vec();
            own.extend_from_slice(more.in_arguments());
            self.by_arguments = Some(Box::new(Self::new(own)));
        }
        self.pieces.extend(more.pieces);
        self
    }

    /// Whether it ends with a question or a full stop.
    pub fn ends_sentence(&self) -> bool {
        matches!(self.pieces.last(), Some(Piece::Words(words)) if words.ends_with(['?', '.']))
    }

    /// Returns the message in the words of a front; `column` is the column that it is about.
    /// O(length).
    pub fn say(&self, voice: Voice, column: Option<&str>) -> String {
        let pieces = if voice.has_arguments() { self.in_arguments() } else { &self.pieces };
        pieces
            .iter()
            .map(|piece| match piece {
                Piece::Words(words) => Cow::Borrowed(&**words),
                Piece::Name(said, name) => voice.name(said, name, column),
            })
            .collect()
    }

    fn in_arguments(&self) -> &[Piece] {
        self.by_arguments.as_ref().map_or(&self.pieces, |own| &own.pieces)
    }
}

impl From<&'static str> for Text {
    fn from(words: &'static str) -> Self {
        Self::new(vec![Piece::Words(words.into())])
    }
}

impl From<String> for Text {
    fn from(words: String) -> Self {
        Self::new(vec![Piece::Words(words.into())])
    }
}

/// In the words of the command and of policy files.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.iter().try_for_each(|piece| match piece {
            Piece::Words(said) | Piece::Name(said, _) => f.write_str(said),
        })
    }
}

/// In the words of the command, or of the voice that [speaks](Voice::speak).
impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.say(Voice::spoken(), None))
    }
}

/// As words without names.
impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}
